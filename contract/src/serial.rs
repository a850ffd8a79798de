//! From text to values by style: how parameters and form fields write scalars, arrays and objects
//! (OpenAPI 3.1.1 section 4.8.12, RFC 6570).

use std::borrow::Cow;
use std::collections::HashMap;

use waf_bodies::form;
use waf_shared::limits::CONTRACT_VALUES_MAX;
use waf_shared::plan::contract::{SchemaId, Style, types};

use crate::json::{Document, Value};
use crate::schema::Schemas;

/// Expectation of a schema about a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Scalar,
    Array,
    Object,
    /// A scalar or an array.
    Either,
}

const SCALARS: u8 = types::BOOLEAN | types::INTEGER | types::NUMBER | types::STRING;

pub(crate) fn shape(schemas: &Schemas, schema: Option<SchemaId>) -> Shape {
    let bits = schema.map_or(types::ANY, |id| schemas.types(id));
    match (bits & SCALARS != 0, bits & types::ARRAY != 0, bits & types::OBJECT != 0) {
        (true, true, _) => Shape::Either,
        (false, true, _) => Shape::Array,
        (false, false, true) => Shape::Object,
        _ => Shape::Scalar,
    }
}

/// Conversion of bytes into text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    /// Percent escapes, and a plus for a blank.
    Form,
    /// Percent escapes.
    Percent,
    /// None.
    Plain,
}

pub(crate) fn decode(raw: &[u8], coding: Coding) -> Cow<'_, str> {
    let is_coded = |byte: &u8| *byte == b'%' || (*byte == b'+' && coding == Coding::Form);
    if coding == Coding::Plain || !raw.iter().any(is_coded) {
        return String::from_utf8_lossy(raw);
    }
    let mut out = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((byte, tail)) = rest.split_first() {
        rest = tail;
        let escaped = tail.split_at_checked(2).and_then(|(digits, after)| {
            let digits =
                std::str::from_utf8(digits).ok().filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
            Some((u8::from_str_radix(digits, 16).ok()?, after))
        });
        match (byte, escaped) {
            (b'%', Some((decoded, after))) => {
                out.push(decoded);
                rest = after;
            }
            (b'+', _) if coding == Coding::Form => out.push(b' '),
            _ => out.push(*byte),
        }
    }
    Cow::Owned(String::from_utf8_lossy(&out).into_owned())
}

/// The pairs of a query or a form: decoded names, values as sent.
pub(crate) fn pairs(text: &[u8]) -> Vec<(Cow<'_, str>, &[u8])> {
    let pairs = form::pairs(text).take(CONTRACT_VALUES_MAX).map(form::name_and_value);
    pairs.map(|(name, value)| (decode(name, Coding::Form), value.unwrap_or_default())).collect()
}

/// Splits a value at the separator of its style. Senders escape separators as often as not, so where none stands
/// unescaped, the escaped ones count.
pub(crate) fn split<'r>(raw: &'r [u8], style: Style, coding: Coding) -> Vec<Cow<'r, str>> {
    if raw.is_empty() {
        return Vec::new();
    }
    let separator = match style {
        Style::SpaceDelimited => b' ',
        Style::PipeDelimited => b'|',
        _ => b',',
    };
    let trimmed = |text: Cow<'r, str>| match coding {
        Coding::Plain => Cow::Owned(text.trim().to_owned()),
        _ => text,
    };
    if memchr::memchr(separator, raw).is_some() {
        return raw.split(|byte| *byte == separator).map(|part| trimmed(decode(part, coding))).collect();
    }
    let whole = decode(raw, coding);
    let separator = char::from(separator);
    if whole.contains(separator) {
        return whole.split(separator).map(|part| Cow::Owned(part.to_owned())).collect();
    }
    vec![trimmed(whole)]
}

/// Adds an array of texts.
pub(crate) fn array<'r>(document: &mut Document<'r>, key: Option<Cow<'r, str>>, items: Vec<Cow<'r, str>>) {
    let at = document.open(key, Value::Array);
    for item in items {
        document.push(None, Value::Loose(item));
    }
    document.close(at, false);
}

/// Adds an object of texts. A name that comes twice has a list, as a parameter that does: each value is judged, and a list
/// is no scalar.
pub(crate) fn object<'r>(
    document: &mut Document<'r>,
    key: Option<Cow<'r, str>>,
    members: impl IntoIterator<Item = (Cow<'r, str>, Cow<'r, str>)>,
) {
    let mut grouped: Vec<(Cow<'r, str>, Vec<Cow<'r, str>>)> = Vec::new();
    let mut places: HashMap<Cow<'r, str>, usize> = HashMap::new();
    for (name, value) in members {
        let place = *places.entry(name.clone()).or_insert_with(|| {
            grouped.push((name, Vec::new()));
            grouped.len() - 1
        });
        if let Some((_, values)) = grouped.get_mut(place) {
            values.push(value);
        }
    }
    let at = document.open(key, Value::Object);
    for (name, mut values) in grouped {
        match (values.pop(), values.is_empty()) {
            (Some(value), true) => document.push(Some(name), Value::Loose(value)),
            (last, _) => {
                values.extend(last);
                array(document, Some(name), values);
            }
        }
    }
    document.close(at, false);
}

/// Names and values that take turns, or stand together as `name=value`.
pub(crate) fn members<'r>(parts: Vec<Cow<'r, str>>, together: bool) -> Vec<(Cow<'r, str>, Cow<'r, str>)> {
    if together {
        let split = |part: Cow<'r, str>| match part.split_once('=') {
            Some((name, value)) => (Cow::Owned(name.to_owned()), Cow::Owned(value.to_owned())),
            None => (part, Cow::Borrowed("")),
        };
        return parts.into_iter().map(split).collect();
    }
    let mut out = Vec::with_capacity(parts.len() / 2);
    let mut parts = parts.into_iter();
    while let Some(name) = parts.next() {
        out.push((name, parts.next().unwrap_or_default()));
    }
    out
}

/// A value in one piece: of a path, a header, a cookie, or a field that is not exploded.
pub(crate) fn piece<'r>(
    document: &mut Document<'r>,
    raw: &'r [u8],
    (style, explode): (Style, bool),
    shape: Shape,
    coding: Coding,
) {
    let has_separator = split(raw, style, coding).len() > 1;
    match shape {
        Shape::Array => array(document, None, split(raw, style, coding)),
        Shape::Either if has_separator => array(document, None, split(raw, style, coding)),
        Shape::Object => object(document, None, members(split(raw, style, coding), explode)),
        Shape::Scalar | Shape::Either => document.push(None, Value::Loose(decode(raw, coding))),
    }
}
