//! OpenAPI documents of a configuration: findings on the line of `spec`, the files that are watched, and links.

use std::path::Path;

use waf_compiler::{Compiled, Diagnostic, Options};

const HEAD: &str = "openapi: 3.0.3\ninfo: {title: t, version: '1'}\n";

/// Compiles a configuration whose one route has the document `text`, in `folder`.
fn compile(folder: &Path, text: &str) -> Result<Compiled, Vec<Diagnostic>> {
    std::fs::write(folder.join("api.yaml"), text).unwrap();
    let config = folder.join("waf.yaml");
    std::fs::write(
        &config,
        "version: v1alpha1\nroutes:\n  - upstream: http://a\n    openapi:\n      spec: api.yaml\n",
    )
    .unwrap();
    let options = Options { host_checks: false, ..Options::default() };
    waf_compiler::compile_file(&config, &options)
}

#[test]
fn a_fault_of_a_document_is_an_error_on_the_line_of_spec() {
    let folder = tempfile::tempdir().unwrap();
    for (text, what) in [
        ("", "does not parse"),
        ("openapi: 3.2.0\ninfo: {}\npaths: {}\n", "its version is `3.2.0`, known are 3.0 and 3.1"),
        ("openapi: 3.0.3\ninfo: {}\npaths: {x: {}}\n", "`#/paths/x`"),
        ("openapi: 3.0.3\ninfo: {}\npaths: []\n", "its `paths` is not an object"),
        ("openapi: 3.0.3\npaths: {}\n", "it has no `info` object"),
    ] {
        let list = compile(folder.path(), text).unwrap_err();
        let fits = |found: &Diagnostic| {
            found.line == 5
                && found.message.starts_with(
                    "routes[default].openapi.spec must exist and parse as OpenAPI 3.x: `api.yaml` ",
                )
                && found.message.contains(what)
        };
        assert!(list.iter().any(fits), "{text}\n{list:#?}");
    }
}

#[test]
fn files_that_a_document_refers_to_are_watched_and_links_do_not_lead_out() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    std::fs::write(folder.path().join("sub/good.yaml"), "A: {$ref: '#/B'}\nB: {$ref: '../more.json'}\n")
        .unwrap();
    std::fs::write(folder.path().join("more.json"), "{\"type\": \"integer\"}").unwrap();
    let text = format!(
        "{HEAD}paths: {{/x: {{get: {{parameters: [{{name: a, in: query, schema: {{$ref: 'sub/good.yaml#/A'}}}}]}}}}}}\n"
    );
    let first = compile(folder.path(), &text).unwrap();
    let names: Vec<_> =
        first.files.iter().map(|file| file.strip_prefix(folder.path()).unwrap().to_owned()).collect();
    assert_eq!(names, ["api.yaml", "more.json", "sub/good.yaml"].map(std::path::PathBuf::from));
    std::fs::write(folder.path().join("more.json"), "{\"type\": \"string\"}").unwrap();
    assert_ne!(compile(folder.path(), &text).unwrap().digest, first.digest);
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("x.yaml"), "type: integer").unwrap();
    std::fs::remove_file(folder.path().join("more.json")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("x.yaml"), folder.path().join("more.json")).unwrap();
    let list = compile(folder.path(), &text).unwrap_err();
    assert!(
        list.iter().any(|diagnostic| diagnostic.message.contains("outside of the document's folder")),
        "{list:?}"
    );
}

#[test]
fn an_unchecked_part_is_a_warning_on_the_line_of_spec() {
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "{HEAD}paths: {{/x: {{get: {{parameters: [{{name: a, in: query, schema: {{pattern: '(a)\\1'}}}}]}}}}}}\n"
    );
    let compiled = compile(folder.path(), &text).unwrap();
    let shown: Vec<String> = compiled.warnings.iter().map(ToString::to_string).collect();
    assert!(
        shown.iter().any(|text| text.contains(":5: warning:") && text.contains("/schema/pattern`")),
        "{shown:?}"
    );
}
