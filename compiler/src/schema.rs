//! The JSON Schema (draft-07) of the configuration, for editors, made from the rows. It accepts every valid file that
//! writes texts as strings, and says nothing about rules between fields.

use serde_json::{Map, Value, json};

use crate::field::{Bound, Field, FieldKind, Syntax};
use crate::raw::document;

/// The schema as text.
pub fn schema() -> String {
    let Value::Object(mut root) = section(document()) else { return String::new() };
    root.insert("$schema".to_owned(), json!("http://json-schema.org/draft-07/schema#"));
    root.insert("title".to_owned(), json!("WAF configuration, schema version v1alpha1"));
    format!("{:#}\n", Value::Object(root))
}

fn section(fields: &[Field]) -> Value {
    let properties: Map<String, Value> =
        fields.iter().map(|field| (field.name.to_owned(), property(field))).collect();
    let required: Vec<&str> = fields.iter().filter(|field| field.required).map(|field| field.name).collect();
    let mut object = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if let (false, Some(object)) = (required.is_empty(), object.as_object_mut()) {
        object.insert("required".to_owned(), json!(required));
    }
    object
}

fn property(field: &Field) -> Value {
    let mut value = of(&field.kind);
    let Some(object) = value.as_object_mut() else { return value };
    let mut text = field.doc.to_owned();
    if !field.bound.is_empty() {
        text = format!("{text} Constraint: {}.", field.bound);
    }
    object.insert("description".to_owned(), json!(text));
    if let Some(default) = default(field) {
        object.insert("default".to_owned(), default);
    }
    value
}

fn default(field: &Field) -> Option<Value> {
    if field.default.is_empty() {
        return None;
    }
    serde_yaml::from_str(field.default).ok()
}

fn of(kind: &FieldKind) -> Value {
    match kind {
        FieldKind::Text(syntax) => text(syntax),
        FieldKind::Choice(words) => json!({ "enum": words }),
        FieldKind::Bool => json!({ "type": "boolean" }),
        FieldKind::Int(bound) => integer(bound),
        FieldKind::Size(bound) => json!({
            "anyOf": [integer(bound), { "type": "string", "pattern": "^[0-9]+(B|KB|MB|GB)$" }],
        }),
        FieldKind::Duration(_) => json!({ "type": "string", "pattern": "^[0-9]+(\\.[0-9]+)?(ms|s|m|h)$" }),
        FieldKind::List(item) => json!({ "type": "array", "items": of(item) }),
        FieldKind::AtLeastOne(item, _) => json!({ "type": "array", "items": of(item), "minItems": 1 }),
        FieldKind::OneOrMany(item, _) => json!({
            "anyOf": [of(item), { "type": "array", "items": of(item), "minItems": 1, "uniqueItems": true }],
        }),
        FieldKind::Map(keys, values) => json!({
            "type": "object", "propertyNames": text(keys), "additionalProperties": text(values),
        }),
        FieldKind::Section(fields) => section(fields),
    }
}

fn integer(bound: &Bound) -> Value {
    let mut value = json!({ "type": "integer", "minimum": bound.min });
    if let (true, Some(object)) = (bound.max < u64::MAX, value.as_object_mut()) {
        object.insert("maximum".to_owned(), json!(bound.max));
    }
    value
}

fn text(syntax: &Syntax) -> Value {
    match (syntax.words, syntax.pattern) {
        (Some(words), _) => json!({ "enum": words() }),
        // A plain scalar such as `1` is a text where the field wants one.
        (None, "") => json!({ "type": ["string", "number", "boolean"] }),
        (None, pattern) => json!({ "type": "string", "pattern": pattern }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_json_and_knows_every_field() {
        let schema: Value = serde_json::from_str(&schema()).expect("JSON");
        check_fields(document(), &schema);
        assert_eq!(schema["required"], json!(["version", "routes"]));
        let accept = &schema["properties"]["global"]["properties"]["accept"]["properties"];
        assert_eq!(accept["max_url_length"]["maximum"], json!(65_536));
    }

    fn check_fields(fields: &[Field], schema: &Value) {
        for field in fields {
            let property = &schema["properties"][field.name];
            assert!(property["description"].is_string(), "{}", field.name);
            match &field.kind {
                FieldKind::Section(below) => check_fields(below, property),
                FieldKind::AtLeastOne(FieldKind::Section(below), _) => {
                    check_fields(below, &property["items"]);
                }
                _ => assert!(field.default.is_empty() || !property["default"].is_null(), "{}", field.name),
            }
        }
    }
}
