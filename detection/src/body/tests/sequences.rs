//! Sequences of JSON documents.

use super::{leaves, read, values};
use crate::field::Place;

#[test]
fn documents_of_a_sequence_are_read_one_by_one() {
    let lines = "{\"index\":{\"_id\":\"1\"}}\n{\"a\":\"\\u0062\"}\r\n\n[\"c\"]\n{\"d\":\"e\"}";
    let marked = "\u{1e}{\"a\":\"\\u0062\"}\n\u{1e}[\"c\"]\n\u{1e}{\"d\":\"e\"}\n";
    for kind in [
        "application/x-ndjson",
        "application/ndjson; charset=utf-8",
        "application/jsonl",
        "application/json-seq",
        "application/vnd.elasticsearch+x-ndjson; compatible-with=8",
        "text/x-ndjson",
    ] {
        for body in [lines, marked] {
            let read = read(kind, body.as_bytes());
            let texts: Vec<&str> =
                values(&read, Place::Json).into_iter().filter(|text| *text != "1").collect();
            assert_eq!(texts, ["b", "c", "e"], "{kind} {body:?}");
            assert!(values(&read, Place::Body).iter().all(|text| text.trim().is_empty()), "{kind} {body:?}");
            assert_eq!(leaves(&read), [], "{kind} {body:?}");
        }
        // What is no JSON is text, behind documents too.
        for (body, text) in
            [("{\"a\":1}\nplain text", "plain text"), ("not json", "json"), ("{\"a\": plain}", "plain}")]
        {
            let read = read(kind, body.as_bytes());
            assert!(values(&read, Place::Body).iter().any(|found| found.contains(text)), "{kind} {body:?}");
        }
    }
}
