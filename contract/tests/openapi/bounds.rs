//! Directions, documents that were cut off, and bounds of nesting and work.

use waf_contract::Direction;

use super::keywords::{judged, of};

#[test]
fn answers_leave_out_what_is_written_only() {
    let contract = of(
        "3.0.3",
        r#"{"properties": {"pin": {"writeOnly": true}, "id": {"readOnly": true}}, "required": ["pin", "id"]}"#,
        "",
    );
    for (body, want) in
        [("{\"id\":1}", ""), ("{\"id\":1,\"pin\":1}", "/pin: writeOnly"), ("{}", "required (id)")]
    {
        assert_eq!(judged(&contract, body, Direction::Response, true), want, "{body}");
    }
}

#[test]
fn of_a_body_that_was_cut_off_only_what_is_certain_is_said() {
    let contract = of(
        "3.1.0",
        r#"{"type": "object", "required": ["a", "z"], "minProperties": 5, "maxProperties": 6, "additionalProperties": false,
            "properties": {"a": {"type": "integer", "minimum": 1}, "list": {"type": "array", "minItems": 9, "maxItems": 3, "uniqueItems": true, "items": {"type": "integer"}},
            "s": {"type": "string", "minLength": 9}, "n": {"not": {"required": ["x"]}}, "o": {"oneOf": [{"required": ["p"]}, {"required": ["q"]}]}, "z": {}}}"#,
        "",
    );
    for (body, want) in [
        ("", ""),
        ("{", ""),
        ("{\"a", ""),
        ("{\"a\"", ""),
        ("{\"a\":", ""),
        ("{\"a\": -", ""),
        ("{\"a\": 0", ""),
        ("{\"a\": 0,", "/a: minimum"),
        ("{\"a\": \"x", ""),
        ("{\"a\": \"x\"", "/a: type"),
        ("{\"s\": \"x", ""),
        ("{\"s\": \"\\u00", ""),
        ("{\"s\": \"x\"", "/s: minLength"),
        ("{\"list\": [1, 2", ""),
        ("{\"list\": [1, 1", ""),
        ("{\"list\": [1, 1,", "/list: uniqueItems"),
        ("{\"list\": [1, 2, 3, 4, 5", "/list: maxItems"),
        ("{\"list\": [1, true", "/list/1: type"),
        ("{\"list\": [1, tr", ""),
        ("{\"n\": {\"x\": 1", "/n: not"),
        ("{\"n\": {\"y\": 1", ""),
        ("{\"o\": {", ""),
        ("{\"o\": {\"p\": 1, \"q\": 2", "/o: oneOf"),
        ("{\"b\": 1", "/b: additionalProperties"),
        ("{\"a\" 1", "json"),
        ("{\"a\": tru ", "json"),
        ("[", "type"),
        ("{\"s\": \"\u{e4}", ""),
    ] {
        assert_eq!(judged(&contract, body, Direction::Request, false), want, "{body}");
    }
}

#[test]
fn nothing_recurses_without_bound_and_nothing_costs_without_bound() {
    let tree = r##""Tree": {"type": "object", "properties": {"of": {"$ref": "#/components/schemas/Tree"}}}"##;
    let contract = of("3.1.0", r##"{"$ref": "#/components/schemas/Tree"}"##, tree);
    let nested = |depth: usize| format!("{}{{}}{}", "{\"of\":".repeat(depth), "}".repeat(depth));
    // The stack of a worker's thread is 2 MiB: most of it is left to others here.
    let judge = move || {
        assert_eq!(judged(&contract, &nested(1000), Direction::Request, true), "");
        assert_eq!(judged(&contract, &nested(100_000), Direction::Request, true), "json");
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(judge).unwrap().join().unwrap();
    let twice = r##""Twice": {"oneOf": [{"properties": {"of": {"$ref": "#/components/schemas/Twice"}}},
        {"properties": {"of": {"$ref": "#/components/schemas/Twice"}}, "required": ["x"]}]}"##;
    let contract = of("3.1.0", r##"{"$ref": "#/components/schemas/Twice"}"##, twice);
    assert_eq!(judged(&contract, &nested(8), Direction::Request, true), "");
    let began = std::time::Instant::now();
    assert_eq!(judged(&contract, &nested(900), Direction::Request, true), "complexity");
    assert!(began.elapsed() < std::time::Duration::from_secs(10));
}
