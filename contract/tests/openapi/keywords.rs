//! Bodies by JSON Schema: one row for each keyword and each of its sides.

use waf_contract::{Content, Contract, Direction, Found};

use crate::contract;

/// A contract whose `POST /x` takes and answers a body of `schema`; `more` are further component schemas.
pub(super) fn of(version: &str, schema: &str, more: &str) -> Contract {
    let comma = if more.is_empty() { "" } else { "," };
    contract(&format!(
        r#"{{"openapi": "{version}", "info": {{"title": "t", "version": "1"}},
        "paths": {{"/x": {{"post": {{
            "requestBody": {{"content": {{"application/json": {{"schema": {schema}}}}}}},
            "responses": {{"200": {{"description": "", "content": {{"application/json": {{"schema": {schema}}}}}}}}}}}}}}},
        "components": {{"schemas": {{"Unused": {{}}{comma}{more}}}}}}}"#
    ))
}

/// The fault of a body; empty when there is none.
pub(super) fn judged(contract: &Contract, body: &str, direction: Direction, is_whole: bool) -> String {
    let Found::Operation(operation, _) = contract.find(b"/x", b"POST") else { panic!("it is declared") };
    let json = b"application/json";
    let judged = match direction {
        Direction::Request => {
            assert_eq!(contract.content(operation, json), Content::Declared(0));
            contract.request_body(operation, 0, json, body.as_bytes(), is_whole)
        }
        Direction::Response => contract.response_body(operation, (0, 0), json, body.as_bytes(), is_whole),
    };
    judged.err().map(|fault| fault.to_string()).unwrap_or_default()
}

#[test]
fn both_sides_of_every_keyword() {
    const BOTH: &[&str] = &["3.0.3", "3.1.0"];
    const OLD: &[&str] = &["3.0.3"];
    const NEW: &[&str] = &["3.1.0"];
    let rows: &[(&[&str], &str, &[&str], &[(&str, &str)])] = &[
        (
            BOTH,
            r#"{"type": "integer"}"#,
            &["1", "-5", "1.0", "1e3"],
            &[("1.5", "type"), ("\"1\"", "type"), ("true", "type"), ("null", "type")],
        ),
        (BOTH, r#"{"type": "number"}"#, &["1", "1.5"], &[("\"a\"", "type"), ("[]", "type")]),
        (BOTH, r#"{"type": "string"}"#, &["\"a\"", "\"\""], &[("1", "type"), ("{}", "type")]),
        (BOTH, r#"{"type": "boolean"}"#, &["true", "false"], &[("0", "type"), ("\"true\"", "type")]),
        (BOTH, r#"{"type": "array", "items": {}}"#, &["[]", "[1,\"a\"]"], &[("{}", "type")]),
        (BOTH, r#"{"type": "object"}"#, &["{}", "{\"a\":1}"], &[("[]", "type"), ("\"{}\"", "type")]),
        (NEW, r#"{"type": ["string", "null"]}"#, &["null", "\"a\""], &[("1", "type")]),
        (NEW, r#"{"type": "null"}"#, &["null"], &[("0", "type")]),
        (
            BOTH,
            "{}",
            &["1", "null", "{}"],
            &[
                ("", "json"),
                ("{", "json"),
                ("[1,]", "json"),
                ("{\"a\" 1}", "json"),
                ("01", "json"),
                ("'a'", "json"),
                ("\"\u{1}\"", "json"),
                ("1 2", "json"),
            ],
        ),
        (NEW, "true", &["1"], &[]),
        (NEW, "false", &[], &[("1", "false schema")]),
        (OLD, r#"{"type": "string", "nullable": true}"#, &["null", "\"a\""], &[("1", "type")]),
        (OLD, r#"{"type": "string", "nullable": false}"#, &["\"a\""], &[("null", "type")]),
        (
            OLD,
            r##"{"nullable": true, "allOf": [{"$ref": "#/components/schemas/Text"}]}"##,
            &["null", "\"a\""],
            &[("1", "type")],
        ),
        (
            BOTH,
            r#"{"enum": ["a", 1, null, {"b": [2]}]}"#,
            &["\"a\"", "1.0", "null", "{\"b\":[2]}"],
            &[("\"b\"", "enum"), ("2", "enum"), ("{\"b\":[3]}", "enum")],
        ),
        (NEW, r#"{"const": {"a": 1, "b": 2}}"#, &["{\"b\":2,\"a\":1}"], &[("{\"a\":1}", "const")]),
        (BOTH, r#"{"multipleOf": 0.01}"#, &["19.99", "0", "\"a\""], &[("19.999", "multipleOf")]),
        (BOTH, r#"{"minimum": 3}"#, &["3", "3.1"], &[("2.9", "minimum")]),
        (BOTH, r#"{"maximum": 3}"#, &["3", "-7"], &[("3.0001", "maximum")]),
        (OLD, r#"{"minimum": 3, "exclusiveMinimum": true}"#, &["4"], &[("3", "exclusiveMinimum")]),
        (OLD, r#"{"minimum": 3, "exclusiveMinimum": false}"#, &["3"], &[("2", "minimum")]),
        (OLD, r#"{"maximum": 3, "exclusiveMaximum": true}"#, &["2"], &[("3", "exclusiveMaximum")]),
        (NEW, r#"{"exclusiveMinimum": 3}"#, &["3.1"], &[("3", "exclusiveMinimum")]),
        (NEW, r#"{"exclusiveMaximum": 3}"#, &["2.9"], &[("3", "exclusiveMaximum")]),
        (
            BOTH,
            r#"{"minLength": 2}"#,
            &["\"ab\"", "\"äö\"", "1"],
            &[("\"a\"", "minLength"), ("\"😀\"", "minLength")],
        ),
        (BOTH, r#"{"maxLength": 2}"#, &["\"ab\"", "\"😀😀\""], &[("\"abc\"", "maxLength")]),
        (BOTH, r#"{"pattern": "^[a-z]+\\d$"}"#, &["\"ab1\"", "5"], &[("\"1ab\"", "pattern")]),
        (BOTH, r#"{"pattern": "b"}"#, &["\"abc\""], &[("\"ac\"", "pattern")]),
        (BOTH, r#"{"format": "date"}"#, &["\"2024-02-29\""], &[("\"2023-02-29\"", "format")]),
        (BOTH, r#"{"type": "integer", "format": "int32"}"#, &["2147483647"], &[("2147483648", "format")]),
        (BOTH, r#"{"type": "string", "format": "of-our-own"}"#, &["\"x\""], &[]),
        (
            BOTH,
            r#"{"type": "array", "items": {"type": "integer"}}"#,
            &["[1,2]"],
            &[("[1,\"a\"]", "/1: type")],
        ),
        (
            NEW,
            r#"{"prefixItems": [{"type": "integer"}], "items": false}"#,
            &["[1]", "[]"],
            &[("[\"a\"]", "/0: type"), ("[1,2]", "/1: false schema")],
        ),
        (BOTH, r#"{"type": "array", "items": {}, "minItems": 2}"#, &["[1,2]"], &[("[1]", "minItems")]),
        (BOTH, r#"{"type": "array", "items": {}, "maxItems": 2}"#, &["[1,2]"], &[("[1,2,3]", "maxItems")]),
        (
            BOTH,
            r#"{"type": "array", "items": {}, "uniqueItems": true}"#,
            &["[1,2,\"1\"]", "[[1],[2]]"],
            &[("[1,1.0]", "uniqueItems"), ("[{\"a\":1,\"b\":2},{\"b\":2,\"a\":1}]", "uniqueItems")],
        ),
        (
            NEW,
            r#"{"contains": {"type": "integer"}}"#,
            &["[\"a\",1]"],
            &[("[\"a\"]", "contains"), ("[]", "contains")],
        ),
        (NEW, r#"{"contains": {"type": "integer"}, "minContains": 2}"#, &["[1,2]"], &[("[1]", "contains")]),
        (NEW, r#"{"contains": {"type": "integer"}, "minContains": 0}"#, &["[]"], &[]),
        (
            NEW,
            r#"{"contains": {"type": "integer"}, "maxContains": 1}"#,
            &["[1]"],
            &[("[1,2]", "maxContains")],
        ),
        (
            BOTH,
            r#"{"properties": {"a": {"type": "integer"}}}"#,
            &["{\"a\":1}", "{\"b\":\"x\"}", "{}"],
            &[("{\"a\":\"x\"}", "/a: type"), ("{\"a\":1,\"a\":\"x\"}", "uniqueNames")],
        ),
        (
            BOTH,
            r#"{"properties": {"a": {"properties": {"b/c": {"minimum": 1}}}}}"#,
            &["{\"a\":{\"b/c\":1}}"],
            &[("{\"a\":{\"b/c\":0}}", "/a/b~1c: minimum")],
        ),
        (
            BOTH,
            r#"{"required": ["a", "b"]}"#,
            &["{\"a\":1,\"b\":null}", "[]"],
            &[("{\"a\":1}", "required (b)"), ("{}", "required (a)")],
        ),
        (
            BOTH,
            r#"{"properties": {"a": {}}, "additionalProperties": false}"#,
            &["{\"a\":1}", "{}"],
            &[("{\"b\":1}", "/b: additionalProperties")],
        ),
        (
            BOTH,
            r#"{"additionalProperties": {"type": "integer"}}"#,
            &["{\"x\":1}"],
            &[("{\"x\":\"1\"}", "/x: type")],
        ),
        (BOTH, r#"{"additionalProperties": true}"#, &["{\"x\":1}"], &[]),
        (
            NEW,
            r#"{"patternProperties": {"^n_": {"type": "integer"}}, "additionalProperties": false}"#,
            &["{\"n_a\":1}"],
            &[("{\"n_a\":\"\"}", "/n_a: type"), ("{\"x\":1}", "/x: additionalProperties")],
        ),
        (
            NEW,
            r#"{"propertyNames": {"maxLength": 2}}"#,
            &["{\"ab\":1}"],
            &[("{\"abc\":1}", "/abc: propertyNames")],
        ),
        (BOTH, r#"{"minProperties": 1}"#, &["{\"a\":1}"], &[("{}", "minProperties")]),
        (BOTH, r#"{"maxProperties": 1}"#, &["{\"a\":1}"], &[("{\"a\":1,\"b\":2}", "maxProperties")]),
        (
            NEW,
            r#"{"dependentRequired": {"a": ["b"]}}"#,
            &["{\"a\":1,\"b\":2}", "{}"],
            &[("{\"a\":1}", "dependentRequired (b)")],
        ),
        (
            NEW,
            r#"{"dependentSchemas": {"a": {"required": ["b"]}}}"#,
            &["{\"a\":1,\"b\":2}", "{}"],
            &[("{\"a\":1}", "required (b)")],
        ),
        (
            BOTH,
            r#"{"allOf": [{"minimum": 1}, {"maximum": 3}]}"#,
            &["2"],
            &[("0", "minimum"), ("4", "maximum")],
        ),
        (
            BOTH,
            r#"{"anyOf": [{"type": "integer"}, {"type": "string", "minLength": 2}]}"#,
            &["1", "\"ab\""],
            &[("\"a\"", "anyOf"), ("null", "anyOf")],
        ),
        (
            BOTH,
            r#"{"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 5}]}"#,
            &["1", "5.5"],
            &[("7", "oneOf"), ("1.5", "oneOf")],
        ),
        (BOTH, r#"{"not": {"type": "string"}}"#, &["1"], &[("\"a\"", "not")]),
        (
            NEW,
            r#"{"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}}"#,
            &["{\"a\":1,\"b\":1}", "{\"c\":1}"],
            &[("{\"a\":1}", "required (b)"), ("{}", "required (c)")],
        ),
        (
            NEW,
            r#"{"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": false}"#,
            &["{\"a\":1}"],
            &[("{\"a\":1,\"b\":1}", "/b: unevaluatedProperties")],
        ),
        (
            NEW,
            r#"{"anyOf": [{"properties": {"a": {"type": "integer"}}, "required": ["a"]}, {"properties": {"b": {}}}], "unevaluatedProperties": false}"#,
            &["{\"a\":1,\"b\":1}", "{\"b\":1}"],
            &[("{\"a\":\"x\"}", "/a: unevaluatedProperties")],
        ),
        (
            NEW,
            r#"{"if": {"properties": {"k": {"const": 1}}, "required": ["k"]}, "then": {"properties": {"a": {}}}, "unevaluatedProperties": false}"#,
            &["{\"k\":1,\"a\":2}"],
            &[("{\"k\":2,\"a\":2}", "/k: unevaluatedProperties")],
        ),
        (
            NEW,
            r#"{"prefixItems": [{}], "contains": {"type": "string"}, "minContains": 0, "unevaluatedItems": false}"#,
            &["[1,\"a\"]"],
            &[("[1,2]", "/1: unevaluatedItems")],
        ),
        (BOTH, r##"{"$ref": "#/components/schemas/Text"}"##, &["\"a\""], &[("1", "type")]),
        (OLD, r##"{"$ref": "#/components/schemas/Text", "maxLength": 1}"##, &["\"abc\""], &[("1", "type")]),
        (
            NEW,
            r##"{"$ref": "#/components/schemas/Text", "maxLength": 1}"##,
            &["\"a\""],
            &[("\"abc\"", "maxLength"), ("1", "type")],
        ),
        (NEW, r##"{"$ref": "#named"}"##, &["3"], &[("\"a\"", "type")]),
        (
            BOTH,
            r##"{"$ref": "#/components/schemas/Tree"}"##,
            &["{\"of\":[{\"of\":[]}]}"],
            &[("{\"of\":[{\"of\":1}]}", "/of/0/of: type"), ("{}", "required (of)")],
        ),
        (
            BOTH,
            r##"{"oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}], "discriminator": {"propertyName": "kind", "mapping": {"hound": "Dog", "puss": "#/components/schemas/Cat"}}}"##,
            &[
                "{\"kind\":\"Cat\",\"claws\":1}",
                "{\"kind\":\"hound\",\"tail\":1}",
                "{\"kind\":\"puss\",\"claws\":1}",
            ],
            &[
                ("{\"kind\":\"Cat\",\"tail\":1}", "required (claws)"),
                ("{\"kind\":\"Cow\",\"claws\":1}", "discriminator (kind)"),
                ("{\"claws\":1}", "oneOf"),
            ],
        ),
        (
            BOTH,
            r##"{"$ref": "#/components/schemas/Pet"}"##,
            &[
                "{\"kind\":\"Bird\",\"wings\":2}",
                "{\"kind\":\"Pet\"}",
                "{\"kind\":\"Parrot\",\"wings\":2,\"word\":\"\"}",
            ],
            &[
                ("{\"kind\":\"Bird\"}", "required (wings)"),
                ("{\"kind\":\"Fish\"}", "discriminator (kind)"),
                ("{\"kind\":\"Parrot\",\"wings\":2}", "required (word)"),
                ("{}", "required (kind)"),
            ],
        ),
        (
            BOTH,
            r#"{"properties": {"id": {"type": "integer", "readOnly": true}, "n": {}}, "required": ["id", "n"]}"#,
            &["{\"n\":1}"],
            &[("{\"n\":1,\"id\":1}", "/id: readOnly"), ("{}", "required (n)")],
        ),
        (
            BOTH,
            r#"{"properties": {"pin": {"type": "string", "writeOnly": true}}, "required": ["pin"]}"#,
            &["{\"pin\":\"1\"}"],
            &[("{}", "required (pin)")],
        ),
        (
            NEW,
            r#"{"type": "string", "contentEncoding": "base64", "contentMediaType": "image/png"}"#,
            &["\"x\""],
            &[("1", "type")],
        ),
        (
            BOTH,
            r#"{"description": "d", "example": 1, "default": 2, "deprecated": true, "externalDocs": {"url": "/"}, "xml": {}}"#,
            &["\"anything\""],
            &[],
        ),
    ];
    let more = r##"
        "Text": {"type": "string"},
        "Number": {"$anchor": "named", "type": "integer"},
        "Tree": {"type": "object", "required": ["of"], "properties": {"of": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}}},
        "Cat": {"type": "object", "required": ["kind", "claws"], "properties": {"kind": {"type": "string"}}},
        "Dog": {"type": "object", "required": ["kind", "tail"], "properties": {"kind": {"type": "string"}}},
        "Pet": {"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}}, "discriminator": {"propertyName": "kind"}},
        "Bird": {"allOf": [{"$ref": "#/components/schemas/Pet"}, {"type": "object", "required": ["wings"]}]},
        "Parrot": {"allOf": [{"$ref": "#/components/schemas/Bird"}, {"type": "object", "required": ["word"]}]}"##;
    let mut wrong = Vec::new();
    let mut count = 0;
    for (versions, schema, holds, breaks) in rows {
        for version in *versions {
            let contract = of(version, schema, more);
            for body in *holds {
                count += 1;
                let fault = judged(&contract, body, Direction::Request, true);
                if !fault.is_empty() {
                    wrong.push(format!("{version} {schema} should take {body}, and says {fault}"));
                }
            }
            for (body, want) in *breaks {
                count += 1;
                let fault = judged(&contract, body, Direction::Request, true);
                if fault != *want {
                    wrong.push(format!("{version} {schema} {body} should break {want}, and says {fault:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 250, "{count} rows");
}
