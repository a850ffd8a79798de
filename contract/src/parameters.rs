//! Parameters of an operation: found in path, query, header and cookies, read by their style, judged by their schema.

use std::borrow::Cow;

use waf_shared::plan::contract::{Parameter, Place, Style};

use crate::fault::Fault;
use crate::json::{Document, Value};
use crate::schema::{Direction, Schemas, judge};
use crate::serial::{self, Coding, Shape, decode, pairs, shape};

/// Parts of a message that parameters are read from.
#[derive(Clone, Copy)]
pub struct Sent<'m> {
    /// The query as sent, without its question mark.
    pub query: Option<&'m [u8]>,
    /// All values of a header field, by its name in lower case.
    pub fields: &'m dyn Fn(&str) -> Vec<&'m [u8]>,
}

/// A parameter that breaks the contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterFault {
    /// Its location.
    pub place: Place,
    /// Its name, as the document has it.
    pub name: String,
    /// The fault.
    pub fault: Fault,
}

/// The parts of a message, taken apart once.
pub(crate) struct Parts<'m> {
    /// Values of template expressions by name, as sent.
    pub(crate) path: Vec<(&'m str, &'m [u8])>,
    query: Vec<(Cow<'m, str>, &'m [u8])>,
    /// Which pairs of the query a parameter has claimed.
    claimed: Vec<bool>,
    cookies: Vec<(&'m [u8], &'m [u8])>,
    fields: &'m dyn Fn(&str) -> Vec<&'m [u8]>,
}

impl<'m> Parts<'m> {
    pub(crate) fn of(path: Vec<(&'m str, &'m [u8])>, sent: Sent<'m>, reads_cookies: bool) -> Parts<'m> {
        let query = sent.query.map(pairs).unwrap_or_default();
        let cookies = if reads_cookies { cookies(&(sent.fields)("cookie")) } else { Vec::new() };
        Parts { path, claimed: vec![false; query.len()], query, cookies, fields: sent.fields }
    }

    /// Pairs of the query that no parameter has claimed.
    pub(crate) fn unclaimed(&self) -> impl Iterator<Item = &str> {
        let pairs = self.query.iter().zip(&self.claimed);
        pairs.filter(|(_, claimed)| !**claimed).map(|((name, _), _)| name.as_ref())
    }

    /// Judges one parameter.
    pub(crate) fn judge(
        &mut self,
        schemas: &Schemas,
        parameter: &Parameter,
        direction: Direction,
    ) -> Result<(), Fault> {
        let Some(document) = self.read(schemas, parameter)? else {
            if !parameter.required {
                return Ok(());
            }
            return Err(Fault { pointer: String::new(), keyword: "required", name: None });
        };
        match parameter.schema {
            Some(id) => judge(schemas, id, &document, direction),
            None => Ok(()),
        }
    }

    /// The value of a parameter; `None` when it is absent, or empty where that is the same.
    fn read(&mut self, schemas: &Schemas, parameter: &Parameter) -> Result<Option<Document<'m>>, Fault> {
        if parameter.place == Place::Query {
            return self.read_query(schemas, parameter);
        }
        let mut document = Document::default();
        let found = match parameter.place {
            Place::Path => {
                let value = self.path.iter().find(|(name, _)| *name == parameter.name);
                value.map(|(_, raw)| (Cow::Borrowed(*raw), Coding::Percent))
            }
            Place::Cookie => {
                let value = self.cookies.iter().find(|(name, _)| *name == parameter.name.as_bytes());
                value.map(|(_, raw)| (Cow::Borrowed(*raw), Coding::Percent))
            }
            Place::Header | Place::Query => {
                let values = (self.fields)(&parameter.name);
                let joined = match values.as_slice() {
                    [] => None,
                    [one] => Some(Cow::Borrowed(*one)),
                    several => Some(Cow::Owned(several.join(&b", "[..]))),
                };
                joined.map(|raw| (raw, Coding::Plain))
            }
        };
        let Some((raw, coding)) = found else { return Ok(None) };
        if parameter.is_json {
            return json(&decode(&raw, coding)).map(Some);
        }
        let shape = shape(schemas, parameter.schema);
        match parameter.style {
            Style::Label => label(&mut document, &raw, parameter.explode, shape)?,
            Style::Matrix => matrix(&mut document, &raw, parameter, shape)?,
            style => serial::piece(&mut document, &raw, (style, parameter.explode), shape, coding),
        }
        Ok(Some(document.into_owned()))
    }

    fn read_query(
        &mut self,
        schemas: &Schemas,
        parameter: &Parameter,
    ) -> Result<Option<Document<'m>>, Fault> {
        let shape = shape(schemas, parameter.schema);
        if parameter.style == Style::DeepObject {
            return Ok(self.deep(parameter));
        }
        if shape == Shape::Object && parameter.explode && !parameter.is_json {
            return Ok(self.spread(schemas, parameter));
        }
        let mut values = Vec::new();
        for ((name, raw), claimed) in self.query.iter().zip(&mut self.claimed) {
            if *name == parameter.name {
                *claimed = true;
                values.push(*raw);
            }
        }
        let [first, others @ ..] = values.as_slice() else { return Ok(None) };
        if parameter.allows_empty && values.iter().all(|value| value.is_empty()) {
            return Ok(Some(unknown()));
        }
        if parameter.is_json && others.is_empty() {
            return json(&decode(first, Coding::Form)).map(Some);
        }
        Ok(Some(pairs_of_one_name(parameter, shape, first, others)))
    }

    /// `color[R]=100&color[G]=200`. What is nested deeper has no agreed form and is not judged.
    fn deep(&mut self, parameter: &Parameter) -> Option<Document<'m>> {
        let mut is_deeper = false;
        let mut members = Vec::new();
        for ((name, raw), claimed) in self.query.iter().zip(&mut self.claimed) {
            let inner = name.strip_prefix(parameter.name.as_str()).and_then(|rest| rest.strip_prefix('['));
            let Some(inner) = inner.and_then(|rest| rest.strip_suffix(']')) else { continue };
            *claimed = true;
            is_deeper |= inner.contains(['[', ']']);
            members.push((Cow::Owned(inner.to_owned()), decode(raw, Coding::Form)));
        }
        if members.is_empty() {
            return None;
        }
        if is_deeper {
            return Some(unknown());
        }
        let mut document = Document::default();
        serial::object(&mut document, None, members);
        Some(document)
    }

    /// An exploded object: each of its properties is a pair of the query.
    fn spread(&mut self, schemas: &Schemas, parameter: &Parameter) -> Option<Document<'m>> {
        let names = parameter.schema.map(|id| schemas.property_names(id)).unwrap_or_default();
        let mut members = Vec::new();
        for ((name, raw), claimed) in self.query.iter().zip(&mut self.claimed) {
            // Without names of its own it takes what nobody else does.
            if names.contains(&name.as_ref()) || (names.is_empty() && !*claimed) {
                *claimed = true;
                members.push((name.clone(), decode(raw, Coding::Form)));
            }
        }
        if members.is_empty() {
            return None;
        }
        let mut document = Document::default();
        serial::object(&mut document, None, members);
        Some(document)
    }
}

/// The value of a parameter of the query that comes as one or more pairs.
fn pairs_of_one_name<'m>(
    parameter: &Parameter,
    shape: Shape,
    first: &'m [u8],
    others: &[&'m [u8]],
) -> Document<'m> {
    let mut document = Document::default();
    let all = || std::iter::once(&first).chain(others);
    let whole = || all().map(|raw| decode(raw, Coding::Form)).collect();
    match shape {
        Shape::Array | Shape::Either if parameter.explode => match (shape, others) {
            (Shape::Either, []) => document.push(None, Value::Loose(decode(first, Coding::Form))),
            // `ids=` is how forms send an empty list.
            (_, []) if first.is_empty() => serial::array(&mut document, None, Vec::new()),
            _ => serial::array(&mut document, None, whole()),
        },
        Shape::Array if !others.is_empty() => {
            let split = |raw: &&'m [u8]| serial::split(raw, parameter.style, Coding::Form);
            serial::array(&mut document, None, all().flat_map(split).collect());
        }
        // The same scalar twice is a list to whoever reads it.
        _ if !others.is_empty() => serial::array(&mut document, None, whole()),
        _ => {
            serial::piece(&mut document, first, (parameter.style, parameter.explode), shape, Coding::Form);
        }
    }
    document
}

fn unknown<'m>() -> Document<'m> {
    let mut document = Document::default();
    document.push(None, Value::Unknown);
    document
}

fn json(text: &str) -> Result<Document<'static>, Fault> {
    match Document::read(text.as_bytes(), true) {
        Ok(document) => Ok(document.into_owned()),
        Err(malformed) => Err(Fault::of_json(String::new(), malformed)),
    }
}

fn wrong_style() -> Fault {
    Fault::of_all("style")
}

/// `.blue.black` and `.R=100.G=200`; not exploded also with commas, as later editions write it.
fn label(document: &mut Document<'_>, raw: &[u8], explode: bool, shape: Shape) -> Result<(), Fault> {
    let inner = raw.strip_prefix(b".").ok_or_else(wrong_style)?;
    let separator = if explode || memchr::memchr(b',', inner).is_none() { b'.' } else { b',' };
    let parts = || {
        let parts = inner.split(|byte| *byte == separator);
        parts.map(|part| Cow::Owned(decode(part, Coding::Percent).into_owned())).collect::<Vec<_>>()
    };
    match shape {
        Shape::Array => serial::array(document, None, parts()),
        Shape::Object => serial::object(document, None, serial::members(parts(), explode)),
        Shape::Scalar | Shape::Either => {
            document.push(None, Value::Loose(Cow::Owned(decode(inner, Coding::Percent).into_owned())));
        }
    }
    Ok(())
}

/// `;color=blue,black`, exploded `;color=blue;color=black`; an exploded object is `;R=100;G=200`.
fn matrix(document: &mut Document<'_>, raw: &[u8], parameter: &Parameter, shape: Shape) -> Result<(), Fault> {
    let inner = raw.strip_prefix(b";").ok_or_else(wrong_style)?;
    let text = |part: &[u8]| Cow::Owned(decode(part, Coding::Percent).into_owned());
    let mut values = Vec::new();
    let mut members = Vec::new();
    for part in inner.split(|byte| *byte == b';') {
        let (name, value) = match memchr::memchr(b'=', part) {
            Some(at) => (part.get(..at).unwrap_or_default(), part.get(at + 1..).unwrap_or_default()),
            None => (part, &[][..]),
        };
        if shape == Shape::Object && parameter.explode {
            members.push((text(name), text(value)));
        } else if decode(name, Coding::Percent) == parameter.name {
            values.push(value);
        } else {
            return Err(wrong_style());
        }
    }
    let split = |value: &&[u8]| -> Vec<Cow<'static, str>> {
        let parts = serial::split(value, Style::Simple, Coding::Percent);
        parts.into_iter().map(|part| Cow::Owned(part.into_owned())).collect()
    };
    match (shape, values.as_slice()) {
        (Shape::Object, []) => serial::object(document, None, members),
        (Shape::Object, [value]) => serial::object(document, None, serial::members(split(value), false)),
        (Shape::Array, _) if parameter.explode => {
            serial::array(document, None, values.iter().map(|value| text(value)).collect());
        }
        (Shape::Array, [value]) => serial::array(document, None, split(value)),
        (_, [value]) => document.push(None, Value::Loose(text(value))),
        _ => return Err(wrong_style()),
    }
    Ok(())
}

/// Pairs of all `Cookie` fields (RFC 6265 section 4.2.1).
fn cookies<'m>(fields: &[&'m [u8]]) -> Vec<(&'m [u8], &'m [u8])> {
    let parts = fields.iter().flat_map(|field| field.split(|byte| *byte == b';'));
    let pairs = parts.filter_map(|part| {
        let part = part.trim_ascii();
        let at = memchr::memchr(b'=', part)?;
        let value = part.get(at + 1..)?;
        let quoted = value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\""));
        Some((part.get(..at)?, quoted.unwrap_or(value)))
    });
    pairs.collect()
}
