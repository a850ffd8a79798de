//! The facts that the checks look at: the request line, and the header fields that they ask about, found in one pass.

use crate::rule::Rule;

/// Version of the protocol that a request came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// HTTP/1.0
    Http10,
    /// HTTP/1.1
    Http11,
    /// HTTP/2
    Http2,
}

/// A request head as a caller hands it over. `fields` yields names and values in the order sent.
#[derive(Debug, Clone)]
pub struct Head<'a, F> {
    /// The method as sent.
    pub method: &'a [u8],
    /// The version.
    pub version: Version,
    /// The path as sent; `/` when an absolute form has none.
    pub path: &'a [u8],
    /// The query as sent, without its `?`.
    pub query: Option<&'a [u8]>,
    /// The header fields.
    pub fields: F,
    /// True if content follows, of a length above zero or unknown.
    pub carries_body: bool,
}

/// The lines of one field name.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Lines<'a> {
    /// Value of the first.
    pub(crate) first: Option<&'a [u8]>,
    /// Value of the second.
    pub(crate) second: Option<&'a [u8]>,
}

impl<'a> Lines<'a> {
    fn push(&mut self, value: &'a [u8]) {
        if self.first.is_none() {
            self.first = Some(value);
        } else if self.second.is_none() {
            self.second = Some(value);
        }
    }

    pub(crate) fn is_repeated(&self) -> bool {
        self.second.is_some()
    }
}

/// The head, indexed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Facts<'a> {
    pub(crate) method: &'a [u8],
    pub(crate) version: Option<Version>,
    pub(crate) path: &'a [u8],
    pub(crate) carries_body: bool,
    pub(crate) accept: Lines<'a>,
    pub(crate) accept_encoding: Lines<'a>,
    pub(crate) cache_control: Lines<'a>,
    pub(crate) connection: Lines<'a>,
    pub(crate) content_encoding: Lines<'a>,
    pub(crate) content_length: Lines<'a>,
    pub(crate) content_range: Lines<'a>,
    pub(crate) content_transfer_encoding: Lines<'a>,
    pub(crate) content_type: Lines<'a>,
    pub(crate) host: Lines<'a>,
    pub(crate) range: Lines<'a>,
    pub(crate) referer: Lines<'a>,
    pub(crate) request_range: Lines<'a>,
    pub(crate) transfer_encoding: Lines<'a>,
    pub(crate) user_agent: Lines<'a>,
    /// The first field that no client has reason to send, see [`super::restricted`].
    pub(crate) restricted: Option<(&'a [u8], &'a [u8])>,
}

impl<'a> Facts<'a> {
    /// Looks at each field once.
    pub(crate) fn gather<F>(head: &Head<'a, F>) -> Facts<'a>
    where
        F: Iterator<Item = (&'a [u8], &'a [u8])> + Clone,
    {
        let mut facts = Facts {
            method: head.method,
            version: Some(head.version),
            path: head.path,
            carries_body: head.carries_body,
            ..Facts::default()
        };
        for (name, value) in head.fields.clone() {
            if let Some(lines) = facts.lines(name) {
                lines.push(value);
            } else if facts.restricted.is_none()
                && super::restricted::is_restricted(name)
                && !super::exempt::is_exempt(head.method, name, value)
            {
                facts.restricted = Some((name, value));
            }
        }
        facts
    }

    /// The lines of `name`, if anything asks about them. The length decides first: the ordinary field costs a comparison or two.
    fn lines(&mut self, name: &[u8]) -> Option<&mut Lines<'a>> {
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        Some(match name.len() {
            4 if is("host") => &mut self.host,
            5 if is("range") => &mut self.range,
            6 if is("accept") => &mut self.accept,
            7 if is("referer") => &mut self.referer,
            10 if is("user-agent") => &mut self.user_agent,
            10 if is("connection") => &mut self.connection,
            12 if is("content-type") => &mut self.content_type,
            13 if is("cache-control") => &mut self.cache_control,
            13 if is("content-range") => &mut self.content_range,
            13 if is("request-range") => &mut self.request_range,
            14 if is("content-length") => &mut self.content_length,
            15 if is("accept-encoding") => &mut self.accept_encoding,
            16 if is("content-encoding") => &mut self.content_encoding,
            17 if is("transfer-encoding") => &mut self.transfer_encoding,
            25 if is("content-transfer-encoding") => &mut self.content_transfer_encoding,
            _ => return None,
        })
    }

    /// Returns `true` if the method is `method`.
    pub(crate) fn is_method(&self, method: &str) -> bool {
        self.method == method.as_bytes()
    }
}

/// A rule that holds for a head, and the field that shows it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HeadFinding<'a> {
    pub(crate) rule: &'static Rule,
    /// Name of the field, in lower case.
    pub(crate) field: &'a [u8],
    /// The value; empty when the field is missing.
    pub(crate) value: &'a [u8],
}

impl<'a> HeadFinding<'a> {
    pub(crate) fn new(rule: &'static Rule, field: &'static str, value: &'a [u8]) -> HeadFinding<'a> {
        HeadFinding { rule, field: field.as_bytes(), value }
    }
}
