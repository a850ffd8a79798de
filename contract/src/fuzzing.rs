//! Targets of a fuzzer: OpenAPI documents into the lowering, messages into the judging by one. The same
//! functions run under libFuzzer (`fuzz/`) and over committed inputs in the tests; nothing else may call them.

use std::sync::OnceLock;

use waf_shared::route::normalize;

use crate::{Content, Contract, Found, Sent, compile};

/// Names of the targets.
pub const TARGETS: &[&str] = &["openapi-document", "openapi-parameters", "openapi-body"];

/// A document with every style and every kind of body.
const DOCUMENT: &str = include_str!("fuzzing/document.yaml");

/// Content types that bodies are read by.
const CONTENT_TYPES: &[&str] = &[
    "application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/plain",
];

/// Runs `target` over `input`.
///
/// # Panics
/// When the target breaks a promise, which is what a fuzzer looks for.
pub fn run(target: &str, input: &[u8]) {
    match target {
        "openapi-document" => document(input),
        "openapi-parameters" => parameters(input),
        "openapi-body" => body(input),
        other => panic!("no such target: {other}"),
    }
}

/// A document that is accepted is usable by a worker.
fn document(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    if let Ok(contract) = compile::text(text) {
        let contract = Contract::build(contract).expect("a contract that compiles is usable");
        let _ = contract.find(b"/", b"GET");
    }
}

fn shared() -> &'static Contract {
    static SHARED: OnceLock<Contract> = OnceLock::new();
    SHARED.get_or_init(|| {
        let contract = compile::text(DOCUMENT).unwrap_or_else(|errors| panic!("{errors:?}"));
        Contract::build(contract).expect("the document is usable")
    })
}

/// A request target, then lines of header fields.
fn parameters(input: &[u8]) {
    let mut lines = input.split(|byte| *byte == b'\n');
    let target = lines.next().unwrap_or_default();
    let fields: Vec<(&[u8], &[u8])> = lines
        .filter_map(|line| {
            let at = line.iter().position(|byte| *byte == b':')?;
            Some((line.get(..at)?, line.get(at + 1..)?.trim_ascii()))
        })
        .collect();
    let question = target.iter().position(|byte| *byte == b'?');
    let path = target.get(..question.unwrap_or(target.len())).unwrap_or_default();
    let query = question.and_then(|at| target.get(at + 1..));
    // Where the path is none of the document's, its query is judged as that of one that is.
    for path in [normalize(path), b"/all/1/.2/;c=3/4-5".to_vec()] {
        if let Found::Operation(operation, found) = shared().find(&path, b"GET") {
            let named = |name: &str| {
                let named = fields.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name.as_bytes()));
                named.map(|(_, value)| *value).collect()
            };
            let _ = shared().parameters(operation, &found, Sent { query, fields: &named });
        }
    }
}

/// A byte that chooses the type, then the body, whole and cut off: what is wrong with a part is wrong with all of it.
fn body(input: &[u8]) {
    let Some((choice, bytes)) = input.split_first() else { return };
    let content_type =
        CONTENT_TYPES.get(usize::from(*choice) % CONTENT_TYPES.len()).copied().unwrap_or_default();
    let Found::Operation(operation, _) = shared().find(b"/body", b"POST") else { panic!("it is declared") };
    let Content::Declared(content) = shared().content(operation, content_type.as_bytes()) else {
        panic!("it is declared")
    };
    let judge = |bytes: &[u8], is_whole| {
        shared().request_body(operation, content, content_type.as_bytes(), bytes, is_whole)
    };
    let whole = judge(bytes, true);
    if whole.is_ok() {
        for length in 0..bytes.len() {
            let part = bytes.get(..length).unwrap_or_default();
            assert!(judge(part, false).is_ok(), "{length} bytes of {}", bytes.escape_ascii());
        }
    }
}
