//! The rule that files of a crate import each other in one direction: a circle has at most two files.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use waf_tests::programs::repository;

/// Crates whose sources are checked.
const CHECKED: &[&str] =
    &["dataplane", "supervisor", "certificates", "languages", "detection", "contract", "bodies"];

/// Files of a circle that is allowed: a module and one part that it is split into.
const CIRCLE_FILES_MAX: usize = 2;

/// Imports of each module of a crate, by the path of its file.
type Graph = BTreeMap<Vec<String>, BTreeSet<Vec<String>>>;

#[test]
fn import_circles_have_at_most_two_files() {
    for name in CHECKED {
        let sources = sources(&repository().join(name).join("src"));
        assert!(sources.len() > 10, "the sources of {name} are found");
        let large: Vec<_> = circles(&graph(&sources))
            .into_iter()
            .filter(|circle| circle.len() > CIRCLE_FILES_MAX)
            .map(|circle| circle.iter().map(|module| module.join("/")).collect::<Vec<_>>())
            .collect();
        assert!(large.is_empty(), "{name}: move what these files share into a file of its own: {large:?}");
    }
}

/// Texts of the modules below `folder`, by module path, without files of tests.
fn sources(folder: &Path) -> BTreeMap<Vec<String>, String> {
    fn walk(folder: &Path, module: &[String], found: &mut BTreeMap<Vec<String>, String>) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
            let mut child = module.to_vec();
            if stem != "lib" {
                child.push(stem.to_owned());
            }
            if path.is_dir() {
                walk(&path, &child, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).expect("sources are text");
                found.insert(child, text);
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(folder, &[], &mut found);
    let tests = test_modules(&found);
    found.retain(|module, _| !tests.iter().any(|test| module.starts_with(test)));
    found
}

/// Paths of modules in files of their own that only tests have.
fn test_modules(sources: &BTreeMap<Vec<String>, String>) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for (module, text) in sources {
        for (item, _) in test_items(text) {
            let declared = item.trim_end().strip_suffix(';').and_then(|item| item.rsplit_once("mod "));
            if let Some((_, name)) = declared {
                found.push([module.as_slice(), &[name.to_owned()]].concat());
            }
        }
    }
    found
}

/// The graph of imports between the files of `sources`.
fn graph(sources: &BTreeMap<Vec<String>, String>) -> Graph {
    let is_file = |path: &[String]| !path.is_empty() && sources.contains_key(path);
    let mut graph = Graph::new();
    for (module, text) in sources {
        let mut imports = BTreeSet::new();
        for path in paths(&without_tests(&without_comments(text))) {
            let Some(path) = absolute(module, &path, &is_file) else { continue };
            let file = (1..=path.len()).rev().map(|length| &path[..length]).find(|path| is_file(path));
            if let Some(file) = file.filter(|file| *file != module.as_slice()) {
                imports.insert(file.to_vec());
            }
        }
        graph.insert(module.clone(), imports);
    }
    graph
}

/// `path` from the root of the crate; none for paths of other crates and of items in scope.
fn absolute(module: &[String], path: &[String], is_file: &impl Fn(&[String]) -> bool) -> Option<Vec<String>> {
    let ups = path.iter().take_while(|part| *part == "super").count();
    match path.first()?.as_str() {
        "crate" => Some(path[1..].to_vec()),
        "self" => Some([module, &path[1..]].concat()),
        "super" => Some([module.get(..module.len().checked_sub(ups)?)?, &path[ups..]].concat()),
        child => {
            let child = [module, &[child.to_owned()]].concat();
            is_file(&child).then(|| [module, path].concat())
        }
    }
}

/// Every path in `text`: those of `use` declarations, with their trees expanded, and those of code.
fn paths(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut code = String::new();
    let mut rest = text;
    while let Some(at) = find_use(rest) {
        let (before, declaration) = rest.split_at(at);
        let (tree, after) = declaration["use".len()..].split_once(';').unwrap_or((declaration, ""));
        expand(&[], tree, &mut found);
        code.push_str(before);
        rest = after;
    }
    code.push_str(rest);
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let written = code.split(|c| !is_path(c)).filter(|path| path.contains("::"));
    found.extend(written.map(|path| parts(path.trim_matches(':'))));
    found
}

/// Appends the paths of a `use` tree below `prefix`.
fn expand(prefix: &[String], tree: &str, found: &mut Vec<Vec<String>>) {
    let tree = tree.trim();
    let Some((front, group)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or(tree);
        found.push([prefix, &parts(path)].concat());
        return;
    };
    let prefix = [prefix, &parts(front)].concat();
    let group = group.trim_end().strip_suffix('}').unwrap_or(group);
    let (mut depth, mut start) = (0, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                expand(&prefix, &group[start..at], found);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !group[start..].trim().is_empty() {
        expand(&prefix, &group[start..], found);
    }
}

/// The names of a path.
fn parts(path: &str) -> Vec<String> {
    path.split("::").map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// `text` without comments to the end of a line, without the insides of visibilities.
fn without_comments(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or(line));
    let text = lines.collect::<Vec<_>>().join("\n");
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("pub(") {
        out.push_str(before);
        out.push_str("pub");
        rest = after.split_once(')').map_or("", |(_, after)| after);
    }
    out + rest
}

/// `text` without the items that only tests have.
fn without_tests(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for (_, range) in test_items(text) {
        out.push_str(&text[end..range.start]);
        end = range.end;
    }
    out + &text[end..]
}

/// Items behind `#[cfg(test)]`, and where they lie. An item ends with its line, or with the brace in the column in which
/// it begins: the sources are formatted.
fn test_items(text: &str) -> Vec<(&str, Range<usize>)> {
    const MARK: &str = "#[cfg(test)]\n";
    let mut found: Vec<(&str, Range<usize>)> = Vec::new();
    for (start, _) in text.match_indices(MARK) {
        if found.last().is_some_and(|(_, last)| start < last.end) {
            continue;
        }
        let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let indent = &text[line..start];
        let mut body = start + MARK.len();
        while text[body..].trim_start().starts_with('#') {
            body += text[body..].find('\n').map_or(text.len() - body, |at| at + 1);
        }
        let first_end = text[body..].find('\n').map_or(text.len(), |at| body + at);
        let end = if text[body..first_end].trim_end().ends_with('{') {
            let close = format!("\n{indent}}}");
            text[first_end..].find(&close).map_or(text.len(), |at| first_end + at + close.len())
        } else {
            first_end
        };
        found.push((&text[body..end], start..end));
    }
    found
}

/// Position of the next `use` declaration: the word opens a line, or follows `pub`.
fn find_use(text: &str) -> Option<usize> {
    text.match_indices("use ").map(|(at, _)| at).find(|at| {
        let line = text[..*at].rfind('\n').map_or(0, |newline| newline + 1);
        matches!(text[line..*at].trim(), "" | "pub")
    })
}

/// Groups of modules that reach each other, those of one module left out.
fn circles(graph: &Graph) -> Vec<Vec<Vec<String>>> {
    let reached: BTreeMap<_, _> = graph.keys().map(|module| (module, reach(graph, module))).collect();
    let mut found: Vec<Vec<Vec<String>>> = Vec::new();
    for (module, reach) in &reached {
        let circle: Vec<Vec<String>> = reach
            .iter()
            .filter(|other| reached.get(*other).is_some_and(|back| back.contains(*module)))
            .cloned()
            .collect();
        if circle.len() > 1 && !found.contains(&circle) {
            found.push(circle);
        }
    }
    found
}

/// Modules that `from` imports, directly or through others.
fn reach(graph: &Graph, from: &[String]) -> BTreeSet<Vec<String>> {
    let mut found = BTreeSet::new();
    let mut waiting = vec![from.to_vec()];
    while let Some(module) = waiting.pop() {
        for import in graph.get(&module).into_iter().flatten() {
            if found.insert(import.clone()) {
                waiting.push(import.clone());
            }
        }
    }
    found
}

/// Circles of a crate that has these files.
fn circles_of(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    let file =
        |(name, text): &(&str, &str)| (name.split('/').map(str::to_owned).collect(), (*text).to_owned());
    let mut sources: BTreeMap<Vec<String>, String> = files.iter().map(file).collect();
    let tests = test_modules(&sources);
    sources.retain(|module, _| !tests.iter().any(|test| module.starts_with(test)));
    let joined = |circle: Vec<Vec<String>>| circle.iter().map(|module| module.join("/")).collect();
    circles(&graph(&sources)).into_iter().map(joined).collect()
}

#[test]
fn circles_are_found() {
    let child = "use super::Shared;";
    for parent in [
        "mod b;\nmod c;\nuse b::B;\npub use c::C;",
        "use self::{b::B, c::C};",
        "use crate::a::{b::{self, B}, c as d};",
        "fn f() { b::run(); c::run() }",
        "fn f() -> Option<b::B> { crate::a::c::make() }",
        "use {crate::a::b, crate::a::c};",
    ] {
        let found = circles_of(&[("a", parent), ("a/b", child), ("a/c", child)]);
        assert_eq!(found, [["a", "a/b", "a/c"]], "{parent}");
    }
}

#[test]
fn imports_in_one_direction_are_no_circle() {
    for (parent, child) in [
        ("mod b;\nmod c;\nuse b::B;\nuse c::C;", "use super::d::Shared;"),
        ("use b::B;\nuse c::C;", "// use super::Shared;\npub(in crate::a) fn f() {}"),
        (
            "use b::B;\nuse c::C;",
            "#[cfg(test)]\n#[allow(x)] // why\nmod tests {\n    use super::super::*;\n}",
        ),
        ("use other::b::B;\nlet b = 1;", "use super::Shared;"),
        ("#[cfg(test)]\nuse b::B;", "use super::Shared;"),
    ] {
        let found = circles_of(&[("a", parent), ("a/b", child), ("a/c", child), ("a/d", "")]);
        assert!(found.is_empty(), "{parent} {child}: {found:?}");
    }
    // Files that only tests have are no part of it.
    let found = circles_of(&[("a", "#[cfg(test)]\nmod b;\nuse b::B;"), ("a/b", "use super::A;")]);
    assert!(found.is_empty(), "{found:?}");
}
