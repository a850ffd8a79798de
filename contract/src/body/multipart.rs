//! `multipart/form-data` (RFC 7578): an object whose members are the parts. Files are known to be there, not what they hold.

use std::borrow::Cow;
use std::collections::HashMap;

use waf_shared::limits::{CONTRACT_VALUES_MAX, PART_FIELDS_MAX};
use waf_shared::plan::contract::{Encoding, Media, Place, SchemaId};

use super::input::{By, is_json, json};
use crate::fault::Fault;
use crate::json::{Document, Value};
use crate::media::{MediaType, Reader};
use crate::parameters::{Parts, Sent};
use crate::serial::{Shape, shape};

/// One part.
struct Part<'b> {
    name: String,
    is_file: bool,
    content_type: Option<&'b [u8]>,
    fields: Vec<(String, &'b [u8])>,
    content: &'b [u8],
    /// True if all of it was there.
    is_whole: bool,
}

pub(super) fn read<'b>(
    by: &By<'_>,
    schema: SchemaId,
    media: &Media,
    (boundary, bytes): (&[u8], &'b [u8]),
    is_whole: bool,
) -> Result<Document<'b>, Fault> {
    let (parts, ends) = parts(boundary, bytes);
    if is_whole && !ends {
        return Err(Fault::of_all("multipart"));
    }
    let mut order: Vec<(&str, Vec<&Part<'b>>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for part in &parts {
        let place = *places.entry(&part.name).or_insert_with(|| {
            order.push((&part.name, Vec::new()));
            order.len() - 1
        });
        if let Some((_, group)) = order.get_mut(place) {
            group.push(part);
        }
    }
    let mut document = Document::default();
    let at = document.open(None, Value::Object);
    for (name, group) in order {
        let encoding = media.encodings.iter().find(|encoding| encoding.property == name);
        if let Some(encoding) = encoding {
            for part in &group {
                matches(by, encoding, part)?;
            }
        }
        let property = by.schemas.property(schema, name);
        let key = Some(Cow::Owned(name.to_owned()));
        let own = shape(by.schemas, property);
        match (own, group.as_slice()) {
            (Shape::Scalar | Shape::Either | Shape::Object, [part]) => {
                value(&mut document, key, part, own, encoding)?;
            }
            // One part may carry a whole list as JSON.
            (Shape::Array, [part]) if reads_json(part, encoding) => {
                value(&mut document, key, part, own, encoding)?;
            }
            (_, group) => {
                let item = shape(by.schemas, property.and_then(|id| by.schemas.items(id)));
                let list = document.open(key, Value::Array);
                for part in group {
                    value(&mut document, None, part, item, encoding)?;
                }
                document.close(list, false);
            }
        }
    }
    document.close(at, !ends);
    Ok(document)
}

/// True if a part has a type and headers that its encoding allows.
fn matches(by: &By<'_>, encoding: &Encoding, part: &Part<'_>) -> Result<(), Fault> {
    let at = |keyword| Fault::of_member(&encoding.property, keyword);
    if let Some(sent) = part.content_type.filter(|_| !encoding.content_types.is_empty()) {
        let sent = MediaType::parse(sent);
        if !encoding.content_types.iter().any(|range| sent.fits(range) > 0) {
            return Err(at("contentType"));
        }
    }
    let fields = |wanted: &str| {
        part.fields.iter().filter(|(name, _)| name == wanted).map(|(_, value)| *value).collect::<Vec<_>>()
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

fn reads_json(part: &Part<'_>, encoding: Option<&Encoding>) -> bool {
    match part.content_type {
        Some(sent) => MediaType::parse(sent).reader() == Reader::Json,
        None => encoding.is_some_and(|e| e.content_types.iter().any(|range| is_json(range))),
    }
}

/// Adds the value of one part.
fn value<'b>(
    document: &mut Document<'b>,
    key: Option<Cow<'b, str>>,
    part: &Part<'b>,
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
        return json(document, key, &String::from_utf8_lossy(part.content));
    }
    let is_text = part.content_type.is_none_or(|sent| MediaType::parse(sent).reader() == Reader::Text);
    let is_value = is_text && !part.is_file;
    let value = if is_value { Value::Loose(String::from_utf8_lossy(part.content)) } else { Value::Unknown };
    document.push(key, value);
    Ok(())
}

/// The parts of a body, and whether it came to its end.
fn parts<'b>(boundary: &[u8], bytes: &'b [u8]) -> (Vec<Part<'b>>, bool) {
    let delimiter = [b"\r\n--", boundary].concat();
    let finder = memchr::memmem::Finder::new(&delimiter);
    // The first delimiter may stand at the very beginning, without a line end before it.
    let opening = delimiter.get(2..).unwrap_or_default();
    let mut rest = match bytes.strip_prefix(opening) {
        Some(rest) => rest,
        None => match finder.find(bytes) {
            Some(at) => bytes.get(at + delimiter.len()..).unwrap_or_default(),
            None => return (Vec::new(), false),
        },
    };
    let mut parts = Vec::new();
    while parts.len() < CONTRACT_VALUES_MAX {
        if rest.starts_with(b"--") {
            return (parts, true);
        }
        let Some(line_end) = memchr::memmem::find(rest, b"\r\n") else { break };
        let body = rest.get(line_end..).unwrap_or_default();
        let (content, after) = match finder.find(body) {
            Some(at) => (body.get(..at).unwrap_or_default(), body.get(at + delimiter.len()..)),
            None => (body, None),
        };
        if let Some(part) = part(content, after.is_some()) {
            parts.push(part);
        }
        match after {
            Some(after) => rest = after,
            None => break,
        }
    }
    (parts, false)
}

/// Reads a part that begins with the line end behind its delimiter.
fn part(text: &[u8], is_whole: bool) -> Option<Part<'_>> {
    let head_end = memchr::memmem::find(text, b"\r\n\r\n")?;
    let content = text.get(head_end + 4..).unwrap_or_default();
    let mut fields = Vec::new();
    for line in text.get(..head_end)?.split(|byte| *byte == b'\n').take(PART_FIELDS_MAX + 1) {
        if let Some(at) = memchr::memchr(b':', line) {
            let name = String::from_utf8_lossy(line.get(..at)?).trim().to_ascii_lowercase();
            fields.push((name, line.get(at + 1..)?.trim_ascii()));
        }
    }
    let find = |wanted: &str| fields.iter().find(|(name, _)| name == wanted).map(|(_, value)| *value);
    let disposition = MediaType::parse(find("content-disposition")?);
    Some(Part {
        name: disposition.parameter("name")?.to_owned(),
        is_file: disposition.parameter("filename").or(disposition.parameter("filename*")).is_some(),
        content_type: find("content-type"),
        content,
        is_whole,
        fields,
    })
}
