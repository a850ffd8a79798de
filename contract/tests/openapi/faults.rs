//! Faults of documents, and the places that errors name.

use crate::compile;
use std::fmt::Write as _;

const HEAD: &str = "openapi: 3.0.3\ninfo: {title: t, version: '1'}\n";

/// The errors of a document.
fn errors(text: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    std::fs::write(folder.path().join("sub/broken.yaml"), "a: [").unwrap();
    std::fs::write(folder.path().join("sub/good.yaml"), "A: {$ref: '#/B'}\nB: {type: integer}\n").unwrap();
    compile(folder.path(), text).errors
}

#[test]
fn every_fault_names_its_place() {
    let body = |schema: &str| {
        format!(
            "{HEAD}paths: {{/x: {{post: {{requestBody: {{content: {{application/json: {{schema: {schema}}}}}}}}}}}}}\n"
        )
    };
    let at = "`#/paths/~1x/post/requestBody/content/application~1json/schema";
    let parameter = |text: &str| format!("{HEAD}paths: {{'/x/{{id}}': {{get: {{parameters: [{text}]}}}}}}\n");
    for (text, place, what) in [
        (body("{type: text}"), format!("{at}/type`"), "the type does not exist"),
        (body("{$ref: '#/components/schemas/A'}"), format!("{at}`"), "leads nowhere"),
        (body("{$ref: 'https://example.com/a.json'}"), format!("{at}`"), "out of the document's folder"),
        (body("{$ref: '../a.yaml'}"), format!("{at}`"), "out of the document's folder"),
        (body("{$ref: '/etc/passwd'}"), format!("{at}`"), "out of the document's folder"),
        (body("{$ref: 'missing.yaml#/A'}"), format!("{at}`"), "cannot be read"),
        (body("{$ref: 'sub/broken.yaml'}"), format!("{at}`"), "does not parse"),
        (
            body("{$ref: '#/paths/~1x/post/requestBody/content/application~1json/schema'}"),
            format!("{at}`"),
            "circle",
        ),
        (body("{minimum: a}"), format!("{at}/minimum`"), "a number is expected"),
        (body("{minLength: -1}"), format!("{at}`"), "`minLength`"),
        (body("{multipleOf: 0}"), format!("{at}`"), "above 0"),
        (body("{required: true}"), format!("{at}/required`"), "list of names"),
        (body("{allOf: []}"), format!("{at}/allOf`"), "at least one"),
        (body("{enum: a}"), format!("{at}/enum`"), "list"),
        (body("{properties: {a: 1}}"), format!("{at}/properties/a`"), "a schema is"),
        (body("{discriminator: {}}"), format!("{at}/discriminator`"), "propertyName"),
        (
            format!(
                "{HEAD}paths: {{/x: {{post: {{requestBody: {{content: {{a/b: {{schema: {{$ref: '#/components/schemas/A'}}}}}}}}}}}}}}\ncomponents: {{schemas: {{A: {{allOf: [{{$ref: '#/components/schemas/A'}}]}}}}}}\n"
            ),
            "`#/components/schemas/A`".to_owned(),
            "never ends",
        ),
        (parameter("{in: query}"), "`#/paths/~1x~1{id}/get/parameters/0`".to_owned(), "no `name`"),
        (parameter("{name: a, in: body}"), "/parameters/0`".to_owned(), "`in`"),
        (parameter("{name: a, in: query, style: simple}"), "/parameters/0/style`".to_owned(), "style"),
        (parameter("{name: a, in: path, required: true}"), "/parameters/0`".to_owned(), "does not stand in"),
        (parameter("{name: a, in: query}, {name: a, in: query}"), "/parameters/1`".to_owned(), "twice"),
        (format!("{HEAD}paths: {{x: {{}}}}\n"), "`#/paths/x`".to_owned(), "starts with `/`"),
        (format!("{HEAD}paths: {{'/x/{{a': {{}}}}\n"), "`#/paths/~1x~1{a`".to_owned(), "closes"),
        (
            format!("{HEAD}paths: {{'/x/{{a}}': {{}}, '/x/{{b}}': {{}}}}\n"),
            "`#/paths/~1x~1{b}`".to_owned(),
            "the same as",
        ),
        (
            format!("{HEAD}paths: {{/x: {{get: {{responses: {{abc: {{}}}}}}}}}}\n"),
            "/responses/abc`".to_owned(),
            "status",
        ),
        (format!("{HEAD}paths: {{/x: {{get: {{}}}}, /x: {{}}}}\n"), String::new(), "twice"),
        (format!("{HEAD}paths: {{/x: {{get: []}}}}\n"), "`#/paths/~1x/get`".to_owned(), "object"),
        ("openapi: 3.2.0\ninfo: {}\npaths: {}\n".to_owned(), String::new(), "3.2.0"),
    ] {
        let found = errors(&text);
        let fits = |message: &String| message.contains(&place) && message.contains(what);
        assert!(found.iter().any(fits), "{text}\n{place} {what}\n{found:#?}");
    }
}

#[test]
fn references_into_other_files_are_followed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    std::fs::write(folder.path().join("sub/good.yaml"), "A: {$ref: '#/B'}\nB: {$ref: '../more.json'}\n")
        .unwrap();
    std::fs::write(folder.path().join("more.json"), "{\"type\": \"integer\"}").unwrap();
    let text = format!(
        "{HEAD}paths: {{/x: {{get: {{parameters: [{{name: a, in: query, schema: {{$ref: 'sub/good.yaml#/A'}}}}]}}}}}}\n"
    );
    let first = compile(folder.path(), &text);
    assert!(first.errors.is_empty(), "{:?}", first.errors);
    let names: Vec<_> =
        first.files.iter().map(|file| file.strip_prefix(folder.path()).unwrap().to_owned()).collect();
    assert_eq!(names, ["api.yaml", "sub/good.yaml", "more.json"].map(std::path::PathBuf::from));
    std::fs::write(folder.path().join("more.json"), "{\"type\": \"string\"}").unwrap();
    assert_ne!(compile(folder.path(), &text).digest, first.digest);
}

#[test]
fn what_cannot_be_matched_is_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "{HEAD}paths: {{/x: {{get: {{parameters: [{{name: a, in: query, schema: {{pattern: '(a)\\1'}}}}]}}}}}}\n"
    );
    let warnings = compile(folder.path(), &text).warnings;
    assert!(warnings.iter().any(|text| text.contains("/schema/pattern`")), "{warnings:?}");
}

#[test]
fn nonsense_is_an_error_and_nothing_worse() {
    for text in [
        "",
        "[]",
        "a",
        "{\"openapi\": \"3.0.0\"",
        "&a [*a]",
        "openapi: 3.0.0\ninfo: {}\npaths: {/: {$ref: '#/paths/~1'}}\n",
    ] {
        assert!(!errors(text).is_empty(), "{text}");
    }
    let deep = format!("{HEAD}paths: {}1{}\n", "{a: ".repeat(5000), "}".repeat(5000));
    assert!(!errors(&deep).is_empty());
    let mut bomb = String::from("openapi: 3.0.0\ninfo: {}\npaths: {}\nx-a0: &a0 [a,a,a,a,a,a,a,a,a,a]\n");
    for level in 1..12 {
        let inner = [format!("*a{}", level - 1).as_str(); 10].join(",");
        let _ = writeln!(bomb, "x-a{level}: &a{level} [{inner}]");
    }
    assert!(!errors(&bomb).is_empty());
    // A long chain of schemas costs no stack.
    let mut chain = format!(
        "{HEAD}paths: {{/x: {{post: {{requestBody: {{content: {{application/json: {{schema: {{$ref: '#/components/schemas/S0'}}}}}}}}}}}}}}\ncomponents:\n  schemas:\n"
    );
    for index in 0..5000 {
        let next = (index + 1) % 5000;
        let _ =
            writeln!(chain, "    S{index}: {{properties: {{n: {{$ref: '#/components/schemas/S{next}'}}}}}}");
    }
    assert!(errors(&chain).is_empty());
}
