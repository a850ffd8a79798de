//! `application/x-www-form-urlencoded`: an object whose members are the fields, each read as its property's schema and
//! encoding say.

use std::borrow::Cow;

use waf_shared::limits::CONTRACT_VALUES_MAX;
use waf_shared::plan::contract::{Encoding, Media, SchemaId, Style};

use super::input::{By, is_json, json};
use crate::fault::Fault;
use crate::json::{Document, Value};
use crate::serial::{self, Coding, Shape, decode, pairs, shape};

pub(super) fn read<'b>(
    by: &By<'_>,
    schema: SchemaId,
    media: &Media,
    bytes: &'b [u8],
    is_whole: bool,
) -> Result<Document<'b>, Fault> {
    let mut fields = pairs(bytes);
    // The last field of a form that was cut off may be half a field.
    let is_open = !is_whole || fields.len() >= CONTRACT_VALUES_MAX;
    if is_open {
        fields.pop();
    }
    let mut document = Document::default();
    let at = document.open(None, Value::Object);
    for (name, values) in grouped(fields, &media.encodings) {
        let encoding = media.encodings.iter().find(|encoding| encoding.property == name);
        let property = by.schemas.property(schema, &name);
        match (values.deep.is_empty(), values.plain.is_empty()) {
            (false, true) => serial::object(&mut document, Some(name), values.deep),
            (true, _) => field(by, &mut document, (name, property), encoding, &values.plain)?,
            // Readers take one of the two notations, and not the same one.
            (false, false) => return Err(Fault::of_member(&name, "style")),
        }
    }
    document.close(at, is_open);
    Ok(document)
}

/// The values of one name, by notation.
#[derive(Default)]
struct Values<'b> {
    plain: Vec<&'b [u8]>,
    /// `name[member]=value`, where the property is written so.
    deep: Vec<(Cow<'b, str>, Cow<'b, str>)>,
}

/// Fields by name, in the order in which names first appear.
fn grouped<'b>(
    fields: Vec<(Cow<'b, str>, &'b [u8])>,
    encodings: &[Encoding],
) -> Vec<(Cow<'b, str>, Values<'b>)> {
    let mut out: Vec<(Cow<'b, str>, Values<'b>)> = Vec::new();
    let mut places: std::collections::HashMap<String, usize> = std::collections::HashMap::new();
    for (name, raw) in fields {
        let deep = name.strip_suffix(']').and_then(|name| name.split_once('[')).filter(|(name, _)| {
            encodings.iter().any(|e| e.property == *name && e.style == Style::DeepObject)
        });
        let (name, inner): (Cow<'b, str>, Option<String>) = match deep {
            Some((name, inner)) => (Cow::Owned(name.to_owned()), Some(inner.to_owned())),
            None => (name, None),
        };
        let place = *places.entry(name.clone().into_owned()).or_insert_with(|| {
            out.push((name, Values::default()));
            out.len() - 1
        });
        match (out.get_mut(place).map(|(_, values)| values), inner) {
            (Some(values), Some(inner)) => {
                values.deep.push((Cow::Owned(inner), decode(raw, Coding::Form)));
            }
            (Some(values), None) => values.plain.push(raw),
            (None, _) => {}
        }
    }
    out
}

fn field<'b>(
    by: &By<'_>,
    document: &mut Document<'b>,
    (name, property): (Cow<'b, str>, Option<SchemaId>),
    encoding: Option<&Encoding>,
    values: &[&'b [u8]],
) -> Result<(), Fault> {
    let shape = shape(by.schemas, property);
    let is_json = encoding.is_some_and(|e| e.content_types.iter().any(|range| is_json(range)));
    if let ([value], true) = (values, is_json) {
        return json(document, Some(name), &decode(value, Coding::Form));
    }
    let (style, explode) = encoding.map_or((Style::Form, true), |e| (e.style, e.explode));
    match (shape, values) {
        (Shape::Object, [value]) => {
            let text = decode(value, Coding::Form);
            if text.trim_start().starts_with('{') {
                return json(document, Some(name), &text);
            }
            if explode {
                // Its members would stand beside it; what this one is, nobody can say.
                document.push(Some(name), Value::Loose(text));
            } else {
                let parts = serial::split(value, style, Coding::Form);
                serial::object(document, Some(name), serial::members(parts, false));
            }
        }
        (Shape::Array, [value]) if !explode || value.is_empty() => {
            serial::array(document, Some(name), serial::split(value, style, Coding::Form));
        }
        (Shape::Array, values) => items(by, document, (name, property), values)?,
        (_, [value]) => document.push(Some(name), Value::Loose(decode(value, Coding::Form))),
        (_, values) => {
            let items = values.iter().map(|raw| decode(raw, Coding::Form)).collect();
            serial::array(document, Some(name), items);
        }
    }
    Ok(())
}

/// A list: one field for each item; items that are objects are JSON texts.
fn items<'b>(
    by: &By<'_>,
    document: &mut Document<'b>,
    (name, property): (Cow<'b, str>, Option<SchemaId>),
    values: &[&'b [u8]],
) -> Result<(), Fault> {
    let item = property.and_then(|id| by.schemas.items(id));
    let of_objects = shape(by.schemas, item) == Shape::Object;
    let at = document.open(Some(name), Value::Array);
    for value in values {
        let text = decode(value, Coding::Form);
        if of_objects {
            json(document, None, &text)?;
        } else {
            document.push(None, Value::Loose(text));
        }
    }
    document.close(at, false);
    Ok(())
}
