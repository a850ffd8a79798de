//! The documents: every link and every anchor leads somewhere, every page is in the book, every configuration that is
//! printed holds, and what a page says that a program answers is what it answers.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use waf_tests::chart::{self, Rendered};
use waf_tests::programs::{self, repository};

/// Documents of the repository, in folders that hold any.
fn documents() -> Vec<PathBuf> {
    let root = repository();
    let mut found = Vec::new();
    for folder in ["", "docs", "ops", "ops/helm", "ops/helm/waf", "ops/container"] {
        let Ok(entries) = std::fs::read_dir(root.join(folder)) else { continue };
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        found.extend(paths.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    }
    found.sort();
    assert!(found.len() > 20, "{found:?}");
    found
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The lines outside of blocks of code.
fn prose(text: &str) -> String {
    let mut inside = false;
    let mut out = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if !inside {
            let _ = writeln!(out, "{line}");
        }
    }
    out
}

/// Anchors of headings: lower case, words joined by hyphens, marks left out; a second one of the same name
/// gets a number.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in prose(text).lines().filter(|line| line.starts_with('#')) {
        let heading = line.trim_start_matches('#').trim().to_lowercase();
        let name: String = heading
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect();
        let repeated = (1..).map(|number| format!("{name}-{number}"));
        let free = std::iter::once(name.clone()).chain(repeated).find(|name| !found.contains(name));
        found.extend(free);
    }
    found
}

#[test]
fn links_lead_somewhere() {
    let mut broken = Vec::new();
    let mut checked = 0;
    for path in documents() {
        let own = text(&path);
        let folder = path.parent().expect("a file lies in a folder");
        for link in prose(&own).split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            checked += 1;
            let (target, anchor) =
                link.split_once('#').map_or((link, None), |(to, anchor)| (to, Some(anchor)));
            let target = if target.is_empty() { path.clone() } else { folder.join(target) };
            let holds = match anchor {
                None => target.exists(),
                Some(anchor) => target.is_file() && anchors(&text(&target)).contains(anchor),
            };
            if !holds {
                broken.push(format!("{} links to {link}", path.display()));
            }
        }
    }
    assert!(checked > 100, "{checked} links");
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_page_is_in_the_book() {
    let folder = repository().join("docs");
    let summary = text(&folder.join("SUMMARY.md"));
    let listed: BTreeSet<&str> =
        summary.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    for path in std::fs::read_dir(&folder).expect("the documents are there") {
        let name = path.expect("they can be listed").file_name().to_string_lossy().into_owned();
        let page =
            Path::new(&name).extension().is_some_and(|extension| extension == "md") && name != "SUMMARY.md";
        assert!(!page || listed.contains(name.as_str()), "docs/{name} is not in docs/SUMMARY.md");
    }
    for page in
        ["../README.md", "../ARCHITECTURE.md", "../CONTRIBUTING.md", "../SECURITY.md", "../CHANGELOG.md"]
    {
        assert!(listed.contains(page), "{page} is not in docs/SUMMARY.md");
    }
}

/// Blocks of code: language and words behind it, then the text without the block's own indentation.
fn blocks(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, String, String)> = None;
    for line in text.lines() {
        let trimmed = line.trim_start();
        match (&mut open, trimmed.strip_prefix("```")) {
            (None, Some(info)) => {
                open = Some((line.len() - trimmed.len(), info.trim().to_owned(), String::new()));
            }
            (Some(_), Some(_)) => found.extend(open.take().map(|(_, info, text)| (info, text))),
            (Some((indentation, _, text)), None) => {
                let _ = writeln!(text, "{}", line.get(*indentation..).unwrap_or_default());
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block of code ends");
    found
}

/// A document that needs no more than to be there, for examples that name one.
const CONTRACT: &str = "openapi: 3.0.3\ninfo: { title: A, version: \"1\" }\npaths: {}\n";

#[test]
fn configurations_that_are_printed_hold() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    std::fs::write(folder.path().join("shop.yaml"), CONTRACT).expect("a file in the test's folder");
    let mut files = Vec::new();
    for path in documents() {
        for (info, mut block) in blocks(&text(&path)) {
            let begins = |key: &str| block.lines().any(|line| line.starts_with(key));
            match info.as_str() {
                "yaml" => {
                    // A part of a file is made whole.
                    let (version, routes) = (begins("version:"), begins("routes:"));
                    if !version {
                        block.push_str("version: v1alpha1\n");
                    }
                    if !routes {
                        block.push_str("routes:\n  - upstream: http://127.0.0.1:3000\n");
                    }
                    let name = path.file_stem().and_then(|name| name.to_str()).expect("names are text");
                    let file = folder.path().join(format!("{name}-{}.yaml", files.len()));
                    std::fs::write(&file, block).expect("a file in the test's folder");
                    files.push(file);
                }
                "yaml values" if !chart::left_out() => {
                    let file = folder.path().join("values.yaml");
                    std::fs::write(&file, block).expect("a file in the test's folder");
                    let rendered = Rendered::of(Some(&file));
                    let config = rendered.config.data.expect("it has files")["waf.yaml"].clone();
                    let file = folder.path().join(format!("values-{}.yaml", files.len()));
                    std::fs::write(&file, config).expect("a file in the test's folder");
                    files.push(file);
                }
                "json" => {
                    let value: Result<serde_json::Value, _> = serde_json::from_str(&block);
                    assert!(value.is_ok(), "{}: {value:?}", path.display());
                }
                // Configurations of other programs.
                "yaml vector" | "yaml fluent-bit" => {
                    let value: Result<serde_json::Value, _> = serde_yaml::from_str(&block);
                    assert!(value.is_ok_and(|value| value.is_object()), "{}", path.display());
                }
                "mermaid" => {
                    let kinds = ["flowchart", "sequenceDiagram"];
                    let is_diagram = kinds.iter().any(|kind| block.starts_with(kind));
                    assert!(is_diagram, "{}: a diagram begins with its kind", path.display());
                    let of = |mark: char| block.chars().filter(|&found| found == mark).count();
                    assert_eq!(of('['), of(']'), "{}: brackets of a diagram", path.display());
                }
                other => {
                    let known = ["", "sh", "dockerfile", "http", "text", "console", "promql", "yaml values"];
                    assert!(known.contains(&other), "{}: who checks `{other}`?", path.display());
                }
            }
        }
    }
    assert!(files.len() > 8, "{files:?}");
    let output = Command::new(programs::waf_compile())
        .args(["--validate", "--no-host-checks"])
        .args(&files)
        .output()
        .expect("the program can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// A page begins with what a reader does: a block that can be copied, before its first section of prose.
#[test]
fn pages_begin_with_something_to_copy() {
    // Pages that explain, and those of other crates' tables.
    const READ: [&str; 9] = [
        "README.md",
        "SUMMARY.md",
        "audit.md",
        "comparison.md",
        "container.md",
        "defaults.md",
        "lessons.md",
        "measurements.md",
        "rules.md",
    ];
    for path in
        documents().into_iter().filter(|path| path.parent().is_some_and(|folder| folder.ends_with("docs")))
    {
        let name = path.file_name().and_then(|name| name.to_str()).expect("names are text");
        let page = text(&path);
        let head: Vec<&str> = page.lines().take(30).collect();
        let block = head.iter().any(|line| line.trim_start().starts_with("```"));
        assert!(block || READ.contains(&name), "docs/{name} shows nothing to copy in its first lines");
    }
}

/// The samples of events have the fields that the program writes.
#[test]
fn sample_events_are_of_their_formats() {
    let page = text(&repository().join("docs/observability.md"));
    let samples: Vec<serde_json::Value> = blocks(&page)
        .into_iter()
        .filter(|(info, _)| info == "json")
        .filter_map(|(_, block)| serde_json::from_str(&block).ok())
        .collect();
    let reference = text(&repository().join("docs/audit.md"));
    let (ocsf, ecs) = (&samples[0], &samples[1]);
    assert_eq!((&ocsf["class_uid"], &ecs["ecs"]["version"].is_string()), (&4002.into(), &true));
    for sample in [ocsf, ecs] {
        for field in sample["waf"].as_object().expect("it has our own object").keys() {
            assert!(reference.contains(&format!("`waf.{field}")), "waf.{field} is not in the reference");
        }
    }
    assert_eq!(ocsf["waf"]["matched_rules"], ecs["waf"]["matched_rules"]);
}

/// The page of applications is the one that the committed results of their runs make.
#[test]
fn the_page_of_applications_is_generated_from_its_results() {
    let script = repository().join("tests/applications/page.py");
    let output = Command::new("python3").arg(script).arg("--check").output().expect("python3 can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Every YAML file of `ops/` has a test that knows what it is.
#[test]
fn no_file_of_operations_is_unknown() {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("it can be listed") {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml") {
                found.push(path);
            }
        }
    }
    let root = repository().join("ops");
    let mut found = Vec::new();
    walk(&root, &mut found);
    for path in &found {
        let name = path.strip_prefix(&root).expect("below it").to_str().expect("names are text");
        let known = match name.split_once('/') {
            // tests/tests/ops.rs
            None => matches!(name, "alerts.yaml" | "alerts.test.yaml"),
            // tests/tests/repository_rules.rs, tests/tests/helm.rs
            Some(("examples" | "helm" | "kubernetes", _)) => true,
            Some(("debian", "waf.yaml")) => holds(path),
            Some(_) => false,
        };
        assert!(known, "{name}: who checks it?");
    }
    assert!(found.len() > 10, "{found:?}");
}

fn holds(path: &Path) -> bool {
    let output =
        Command::new(programs::waf_compile()).args(["--validate", "--no-host-checks"]).arg(path).output();
    let output = output.expect("the program can be started");
    output.status.success() && !String::from_utf8_lossy(&output.stdout).contains("warning")
}

/// The answer that the page on tuning gives when `check-request` answers.
#[test]
fn the_example_of_tuning_is_what_the_program_says() {
    let page = text(&repository().join("docs/tuning.md"));
    let of = |wanted: &str, word: &str| {
        let found = blocks(&page).into_iter().find(|(info, text)| info == wanted && text.contains(word));
        found.unwrap_or_else(|| panic!("the page has a block of {wanted} with {word}")).1
    };
    let folder = tempfile::tempdir().expect("a folder for the test");
    let put = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file in the test's folder");
        path
    };
    let request = put("request.txt", of("http", "POST").trim_end().replace('\n', "\r\n").as_str());
    let ask = |config: &str| {
        Command::new(programs::waf_compile())
            .args(["check-request", "--config"])
            .arg(put("waf.yaml", config))
            .arg(&request)
            .output()
            .expect("the program can be started")
    };
    let config = of("yaml", "version: v1alpha1");
    let refused = ask(&config);
    assert_eq!(refused.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&refused.stdout), of("text", "refused with"));
    // With the advice taken it passes.
    let fixed = config.replace(":3001\n", ":3001\n    disable: [sql-injection-generic]\n");
    assert_eq!(ask(&fixed).status.code(), Some(0));
}

#[test]
fn every_fault_names_a_test_that_exists() {
    let page = text(&repository().join("docs/reliability.md"));
    let table = page.lines().skip_while(|line| !line.starts_with("| fault")).skip(1);
    let rows: Vec<&str> =
        table.take_while(|line| line.starts_with('|')).filter(|line| line.starts_with("| ")).collect();
    assert!(rows.len() > 15, "{rows:?}");
    for row in rows {
        let tests = row.trim_end_matches('|').rsplit(" | ").next().unwrap_or_default();
        let mut file = String::new();
        let mut named = 0;
        for name in tests.split('`').skip(1).step_by(2) {
            if let Some(module) = name.strip_suffix(".rs") {
                let name = format!("{module}.rs");
                file = text(&repository().join("tests/tests").join(name));
            } else {
                assert!(file.contains(&format!("fn {name}(")), "{name} is nowhere: {row}");
            }
            named += 1;
        }
        assert!(named > 0, "no test: {row}");
    }
}
