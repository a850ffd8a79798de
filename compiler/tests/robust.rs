//! Arbitrary and mutated text never panics; every finding has a line within the file; large files are fast.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use crate::common::{compile, findings};

const SEED: &str = "version: v1alpha1
port: 8080
health_port: 8081
audit_log: {format: ocsf}
tracing: &t
  enabled: true
  headers: {a: b}
global:
  mode: blocking
  disable: [sql, php-injection]
  accept:
    max_body_size: 10MB
    content_types: [application/json, 'multipart/form-data']
  rate_limit: {requests: 5, window: 1s, source: {type: header, key: X}}
  response_headers:
    inject:
      response-headers-add-csp: \"default-src 'self'\"
routes:
  - id: api
    match:
      paths: [/v1/*, /a/**/b]
    upstream: &u http://app:8080/base
    error_response:
      body: |
        {{.RequestID}} é
  -
    id: web
    upstream: *u
    cors: {allow_origins: [https://a.example], allow_credentials: true}
    rewrite: {strip_prefix: /x}
";

fn lines_lie_within(text: &str) {
    let lines = text.lines().count().max(1);
    for diagnostic in findings(text) {
        assert!((1..=lines).contains(&(diagnostic.line as usize)), "{diagnostic} of {lines} lines\n{text:?}");
        assert_eq!(diagnostic.to_string().lines().count(), 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_text(text in "(?s).{0,200}") {
        lines_lie_within(&text);
    }

    #[test]
    fn text_of_yaml_characters(text in r#"([a-z]{0,3}|[\[\]{}:,&*!|>'"%@`#?~<\\-]|\t|\r|\n| |: |- |\n  ){0,80}"#) {
        lines_lie_within(&text);
    }

    #[test]
    fn mutated_configurations(edits in proptest::collection::vec((any::<prop::sample::Index>(), 0..6usize, r#"[\[\]{}:,&*!|>'"%#?~<0-9a-z\n\t /-]{0,4}"#), 1..6)) {
        let mut text: Vec<char> = SEED.chars().collect();
        for (at, remove, insert) in edits {
            let start = at.index(text.len() + 1).min(text.len());
            let end = (start + remove).min(text.len());
            text.splice(start..end, insert.chars());
        }
        lines_lie_within(&text.into_iter().collect::<String>());
    }

    #[test]
    fn lines_moved_and_dropped(order in proptest::collection::vec(any::<prop::sample::Index>(), 1..40)) {
        let lines: Vec<&str> = SEED.lines().collect();
        let text: String = order.iter().fold(String::new(), |mut text, index| {
            let _ = writeln!(text, "{}", lines[index.index(lines.len())]);
            text
        });
        lines_lie_within(&text);
    }
}

#[test]
fn the_seed_holds() {
    assert!(compile(SEED).is_ok(), "{:?}", compile(SEED).err());
}

fn many_routes(count: usize) -> String {
    let mut text =
        "version: v1alpha1\nglobal:\n  disable: [php]\n  enable: [php-injection-open-tags]\nroutes:\n"
            .to_owned();
    for index in 0..count {
        let _ = write!(
            text,
            "  - id: r{index}\n    match:\n      paths: [/r{index}, /r{index}/*, /api/*/r{index}]\n    upstream: http://app-{index}:8080\n    disable: [java-injection, sql-injection-hex-encoded]\n    accept:\n      content_types: [application/json]\n      max_body_size: 1MB\n"
        );
    }
    text
}

/// The bound is for an optimised build on a quiet machine with ample room for any other.
#[test]
fn large_files_are_fast() {
    let text = many_routes(200);
    let start = Instant::now();
    let compiled = compile(&text).unwrap();
    let took = start.elapsed();
    println!("200 routes: {took:?}, {} bytes", compiled.bytes.len());
    assert!(took < Duration::from_secs(2), "{took:?}");
    let start = Instant::now();
    assert!(compile(&many_routes(5000)).is_ok());
    println!("5000 routes: {:?}", start.elapsed());
    let start = Instant::now();
    let mut hosts = "version: v1alpha1\nroutes:\n".to_owned();
    for index in 0..5000 {
        let _ = writeln!(hosts, "  - {{match: {{hosts: [h{index}.example]}}, upstream: 'http://a'}}");
    }
    assert!(compile(&hosts).is_ok());
    println!("5000 hosts: {:?}", start.elapsed());
}
