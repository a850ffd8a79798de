//! `multipart/form-data` (RFC 7578): an object whose members are the parts. Files are known to be there, not what they hold.

use std::borrow::Cow;
use std::collections::HashMap;

use waf_bodies::Completeness;
use waf_shared::limits::CONTRACT_VALUES_MAX;
use waf_shared::plan::contract::{Encoding, Media, Place, SchemaId};

use super::input::{By, is_json, json};
use super::part::{Part, parts};
use crate::fault::Fault;
use crate::json::{Document, Value};
use crate::media::{MediaType, Reader};
use crate::parameters::{Parts, Sent};
use crate::serial::{Shape, shape};

pub(super) fn read(
    by: &By<'_>,
    schema: SchemaId,
    media: &Media,
    (boundary, bytes): (&[u8], &[u8]),
    is_whole: bool,
) -> Result<Document<'static>, Fault> {
    let (parts, ends) = parts(boundary, bytes, is_whole).ok_or_else(|| Fault::of_all("multipart"))?;
    let mut document = Document::default();
    let at = document.open(None, Value::Object);
    for (name, group) in grouped(&parts) {
        let encoding = media.encodings.iter().find(|encoding| encoding.property == name);
        if let Some(encoding) = encoding {
            for part in &group {
                matches(by, encoding, part)?;
            }
        }
        member(by, &mut document, (name, by.schemas.property(schema, name)), &group, encoding)?;
    }
    document.close(at, ends == Completeness::CutOff);
    Ok(document)
}

/// Parts by name, in the order in which names first appear.
fn grouped(parts: &[Part]) -> Vec<(&str, Vec<&Part>)> {
    let mut groups: Vec<(&str, Vec<&Part>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for part in parts {
        let place = *places.entry(&part.name).or_insert_with(|| {
            groups.push((&part.name, Vec::new()));
            groups.len() - 1
        });
        if let Some((_, group)) = groups.get_mut(place) {
            group.push(part);
        }
    }
    groups
}

/// Adds the member that the parts of one name make.
fn member(
    by: &By<'_>,
    document: &mut Document<'static>,
    (name, property): (&str, Option<SchemaId>),
    group: &[&Part],
    encoding: Option<&Encoding>,
) -> Result<(), Fault> {
    let key = Some(Cow::Owned(name.to_owned()));
    let own = shape(by.schemas, property);
    match (own, group) {
        (Shape::Scalar | Shape::Either | Shape::Object, [part]) => value(document, key, part, own, encoding),
        // One part may carry a whole list as JSON.
        (Shape::Array, [part]) if reads_json(part, encoding) => value(document, key, part, own, encoding),
        (_, group) => {
            let item = shape(by.schemas, property.and_then(|id| by.schemas.items(id)));
            let list = document.open(key, Value::Array);
            for part in group {
                value(document, None, part, item, encoding)?;
            }
            document.close(list, false);
            Ok(())
        }
    }
}

/// True if a part has a type and headers that its encoding allows.
fn matches(by: &By<'_>, encoding: &Encoding, part: &Part) -> Result<(), Fault> {
    let at = |keyword| Fault::of_member(&encoding.property, keyword);
    if let Some(sent) = part.content_type.as_deref().filter(|_| !encoding.content_types.is_empty()) {
        let sent = MediaType::parse(sent);
        if !encoding.content_types.iter().any(|range| sent.fits(range) > 0) {
            return Err(at("contentType"));
        }
    }
    let fields = |wanted: &str| {
        part.fields
            .iter()
            .filter(|(name, _)| name == wanted)
            .map(|(_, value)| value.as_slice())
            .collect::<Vec<_>>()
    };
    let mut sent = Parts::of(Vec::new(), Sent { query: None, fields: &fields }, false);
    for id in &encoding.headers {
        let Some(header) = by.data.parameters.get(id.0 as usize) else { continue };
        if header.place == Place::Header && sent.judge(by.schemas, header, by.direction).is_err() {
            return Err(at("headers"));
        }
    }
    Ok(())
}

fn reads_json(part: &Part, encoding: Option<&Encoding>) -> bool {
    match part.content_type.as_deref() {
        Some(sent) => MediaType::parse(sent).reader() == Reader::Json,
        None => encoding.is_some_and(|e| e.content_types.iter().any(|range| is_json(range))),
    }
}

/// Adds the value of one part.
fn value(
    document: &mut Document<'static>,
    key: Option<Cow<'static, str>>,
    part: &Part,
    shape: Shape,
    encoding: Option<&Encoding>,
) -> Result<(), Fault> {
    if !part.is_whole || document.len() >= CONTRACT_VALUES_MAX {
        document.push(key, Value::Unknown);
        return Ok(());
    }
    // Objects are JSON unless the part says otherwise.
    let is_json = reads_json(part, encoding) || (shape == Shape::Object && part.content_type.is_none());
    if is_json {
        return json(document, key, &String::from_utf8_lossy(&part.content));
    }
    let is_text =
        part.content_type.as_deref().is_none_or(|sent| MediaType::parse(sent).reader() == Reader::Text);
    let is_value = is_text && !part.is_file;
    let text = || Cow::Owned(String::from_utf8_lossy(&part.content).into_owned());
    let value = if is_value { Value::Loose(text()) } else { Value::Unknown };
    document.push(key, value);
    Ok(())
}
