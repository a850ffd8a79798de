//! Header fields whose names mean something to this program or decide what a program behind it does, in one table.
//! Names are compared as CGI, WSGI and PHP compare them: without regard to case, and with `_` as `-`; and PHP takes `.`
//! for `_`. It knows no values.

/// A field of the table.
#[derive(Debug, PartialEq, Eq)]
pub struct Field {
    /// In lower case, with hyphens.
    pub name: &'static str,
    properties: u16,
}

/// Property of a field; a field has any number of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum Property {
    /// It frames the message.
    Framing = 1,
    /// It belongs to one hop (RFC 9110 section 7.6.1) and is not forwarded.
    Hop = 2,
    /// The service sets it itself; what came is not forwarded.
    Own = 4,
    /// It describes the client or the client's connection to a proxy; only a trusted peer may set it.
    Client = 8,
    /// It changes method, path or settings of a server; no client has a reason to send it.
    Restricted = 16,
    /// Its twin with underscores decides how a body is read where both become one.
    Body = 32,
    /// It must not come in a trailer section (RFC 9110 section 6.5.1).
    Early = 64,
    /// `Connection` must not name it: the upstream relies on it.
    EndToEnd = 128,
    /// HTTP/2 does not carry it (RFC 9113 section 8.2.2).
    ConnectionSpecific = 256,
}

impl Field {
    /// True if the field has the property.
    pub const fn is(&self, property: Property) -> bool {
        self.properties & property as u16 != 0
    }
}

const fn field(name: &'static str, properties: &[Property]) -> Field {
    let (mut bits, mut at) = (0, 0);
    while at < properties.len() {
        bits |= properties[at] as u16;
        at += 1;
    }
    Field { name, properties: bits }
}

use Property::{Body, Client, ConnectionSpecific, Early, EndToEnd, Framing, Hop, Own, Restricted};

/// Sorted by name. The restricted ones: `if` and `lock-token` are WebDAV's; `proxy` becomes an environment variable
/// that HTTP clients behind a gateway obey; `translate` makes an old IIS send the source; the others replace method,
/// path or character set.
static FIELDS: &[Field] = &[
    field("accept", &[Early, EndToEnd]),
    field("age", &[Early]),
    field("authorization", &[Early, EndToEnd]),
    field("cache-control", &[Early, EndToEnd]),
    field("cf-connecting-ip", &[Client, Early, EndToEnd]),
    field("connection", &[Hop, ConnectionSpecific, Early]),
    field("content-disposition", &[Body, Early]),
    field("content-encoding", &[Body, Early, EndToEnd]),
    field("content-length", &[Framing, Early, EndToEnd]),
    field("content-range", &[Body, Early]),
    field("content-transfer-encoding", &[Body, Early]),
    field("content-type", &[Body, Early, EndToEnd]),
    field("cookie", &[Early, EndToEnd]),
    field("date", &[Early]),
    field("expect", &[Hop, Early, EndToEnd]),
    field("expires", &[Early]),
    field("fastly-client-ip", &[Client, Early, EndToEnd]),
    field("forwarded", &[Client, Early, EndToEnd]),
    field("front-end-https", &[Client, Early, EndToEnd]),
    field("host", &[Own, Early, EndToEnd]),
    field("http2-settings", &[Hop, Early]),
    field("if", &[Restricted, Early]),
    field("keep-alive", &[Hop, ConnectionSpecific, Early]),
    field("location", &[Early]),
    field("lock-token", &[Restricted, Early]),
    field("max-forwards", &[Early]),
    field("origin", &[Early, EndToEnd]),
    field("proxy", &[Restricted, Early]),
    field("proxy-authenticate", &[Hop, Early]),
    field("proxy-authorization", &[Hop, Early]),
    field("proxy-connection", &[Hop, ConnectionSpecific, Early]),
    field("range", &[Early, EndToEnd]),
    field("referer", &[Early, EndToEnd]),
    field("set-cookie", &[Early]),
    field("te", &[Hop, Early]),
    field("trailer", &[Early]),
    field("transfer-encoding", &[Framing, Hop, ConnectionSpecific, Early, EndToEnd]),
    field("translate", &[Restricted, Early]),
    field("true-client-ip", &[Client, Early, EndToEnd]),
    field("upgrade", &[Hop, ConnectionSpecific, Early]),
    field("user-agent", &[Early, EndToEnd]),
    field("vary", &[Early]),
    field("www-authenticate", &[Early]),
    field("x-client-ip", &[Client, Early, EndToEnd]),
    field("x-cluster-client-ip", &[Client, Early, EndToEnd]),
    field("x-forwarded-for", &[Own, Early, EndToEnd]),
    field("x-forwarded-host", &[Own, Early, EndToEnd]),
    field("x-forwarded-port", &[Client, Early, EndToEnd]),
    field("x-forwarded-prefix", &[Client, Early, EndToEnd]),
    field("x-forwarded-proto", &[Own, Early, EndToEnd]),
    field("x-forwarded-scheme", &[Client, Early, EndToEnd]),
    field("x-forwarded-server", &[Client, Early, EndToEnd]),
    field("x-forwarded-ssl", &[Client, Early, EndToEnd]),
    field("x-http-method", &[Restricted, Early]),
    field("x-http-method-override", &[Restricted, Early]),
    field("x-method-override", &[Restricted, Early]),
    field("x-middleware-subrequest", &[Restricted, Early]),
    field("x-original-url", &[Restricted, Early]),
    field("x-real-ip", &[Client, Early, EndToEnd]),
    field("x-request-id", &[Own, Early, EndToEnd]),
    field("x-rewrite-url", &[Restricted, Early]),
    field("x-up-devcap-post-charset", &[Restricted, Early]),
    field("x-url-scheme", &[Client, Early, EndToEnd]),
];

/// Length of the longest name.
const NAME_BYTES_MAX: usize = 25;

/// The bits of a letter that do not depend on its case.
const LETTER: u8 = 31;

/// Lengths of the names that begin with a letter, one bit each: most names are not in the table, and need no search.
static LENGTHS: [u32; 32] = {
    let (mut lengths, mut at) = ([0; 32], 0);
    while at < FIELDS.len() {
        let name = FIELDS[at].name.as_bytes();
        lengths[(name[0] & LETTER) as usize] |= 1 << name.len();
        at += 1;
    }
    lengths
};

/// The field that `name` is read as; `None` when it means nothing here.
pub fn find(name: &[u8]) -> Option<&'static Field> {
    let first = *name.first()?;
    if LENGTHS[usize::from(first & LETTER)] >> name.len().min(31) & 1 == 0 {
        return None;
    }
    let mut folded = [0; NAME_BYTES_MAX];
    let folded = folded.get_mut(..name.len())?;
    for (to, from) in folded.iter_mut().zip(name) {
        *to = fold(*from);
    }
    let at = FIELDS.binary_search_by(|field| field.name.as_bytes().cmp(folded)).ok()?;
    FIELDS.get(at)
}

/// True if `name` is read as a field that has `property`.
pub fn is(name: &[u8], property: Property) -> bool {
    find(name).is_some_and(|field| field.is(property))
}

/// True if `name` is a field that has `property`, in its own spelling.
pub fn is_exactly(name: &[u8], property: Property) -> bool {
    is(name, property) && !is_twin(name)
}

/// True if `name`, which [`find`] knows, is not the field itself but a spelling with underscores or dots.
pub fn is_twin(name: &[u8]) -> bool {
    name.iter().any(|byte| matches!(byte, b'_' | b'.'))
}

/// True if two names are one to a reader that folds case, `_`, `.` and `-`.
pub fn are_alike(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| fold(*a) == fold(*b))
}

const fn fold(byte: u8) -> u8 {
    if matches!(byte, b'_' | b'.') { b'-' } else { byte.to_ascii_lowercase() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_can_be_searched() {
        assert!(FIELDS.is_sorted_by(|a, b| a.name < b.name));
        assert_eq!(FIELDS.iter().map(|field| field.name.len()).max(), Some(NAME_BYTES_MAX));
        for field in FIELDS {
            assert_eq!(find(field.name.as_bytes()), Some(field));
            assert!(!is_twin(field.name.as_bytes()) && field.name == field.name.to_lowercase());
            assert!(!field.is(ConnectionSpecific) || field.is(Hop), "{}", field.name);
            // What must not be forged, hidden or late is early; and who may not set it may not take it out either.
            assert!(field.is(Early), "{}", field.name);
            assert!(!field.is(Client) || field.is(EndToEnd), "{}", field.name);
        }
    }

    #[test]
    fn case_hyphens_underscores_and_dots_are_one() {
        for name in
            ["X-Forwarded-For", "x_forwarded_for", "X_Forwarded-FOR", "X.Forwarded.For", "x_forwarded.for"]
        {
            assert!(is(name.as_bytes(), Own), "{name}");
            assert!(are_alike(name.as_bytes(), b"x-forwarded-for"), "{name}");
        }
        for name in ["", "X-Forwarded-Fo", "XForwardedFor", "X-Forwarded-For-", "X~Forwarded-For", "x_custom"]
        {
            assert_eq!(find(name.as_bytes()), None, "{name}");
        }
        assert!(is_twin(b"x_custom") && is_twin(b"Content.Encoding") && !is_twin(b"X-Custom"));
        assert!(!are_alike(b"a-b", b"a-bc") && !are_alike(b"a~b", b"a-b"));
    }
}
