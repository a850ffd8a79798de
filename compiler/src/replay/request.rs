//! One request of a recording, whatever it was recorded in.

use std::borrow::Cow;

use waf_detection::recorded::Recorded;
use waf_detection::request::Version;

/// The browser that a request has where its recording does not say who sent it.
const AGENT: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";

/// A request, and the status that it got.
#[derive(Debug)]
pub(super) struct Request<'a> {
    pub(super) method: Cow<'a, [u8]>,
    pub(super) target: Cow<'a, [u8]>,
    pub(super) version: Version,
    pub(super) fields: Vec<(Cow<'a, [u8]>, Cow<'a, [u8]>)>,
    pub(super) body: Vec<u8>,
    pub(super) status: Option<u16>,
}

/// Kinds of lines of a recording.
#[derive(Debug)]
pub(super) enum Line<'a> {
    Request(Request<'a>),
    /// A line of the format whose request is not HTTP, such as a TLS handshake on a port for plain HTTP, or none.
    NotHttp,
    Unreadable,
}

/// A header field of an access log.
#[derive(Debug, Default, Clone)]
pub(super) enum Noted<'a> {
    /// The format has no place for it.
    #[default]
    Unknown,
    /// The request had none.
    Absent,
    Sent(Cow<'a, [u8]>),
}

impl<'a> Noted<'a> {
    /// A value as logs write it; `-` is none.
    pub(super) fn of(value: Cow<'a, [u8]>) -> Noted<'a> {
        if matches!(&*value, b"" | b"-") { Noted::Absent } else { Noted::Sent(value) }
    }
}

/// The parts of a request that an access log has.
#[derive(Debug, Default)]
pub(super) struct Logged<'a> {
    pub(super) method: Cow<'a, [u8]>,
    pub(super) target: Cow<'a, [u8]>,
    pub(super) host: Noted<'a>,
    pub(super) user_agent: Noted<'a>,
    pub(super) referer: Noted<'a>,
    /// Other fields.
    pub(super) fields: Vec<(Cow<'a, [u8]>, Cow<'a, [u8]>)>,
    pub(super) status: Option<u16>,
}

impl<'a> Logged<'a> {
    /// The request with what each client sends and no log keeps.
    pub(super) fn request(self, default_host: &'a str) -> Request<'a> {
        let mut fields = self.fields;
        let is_named = |fields: &[(Cow<'_, [u8]>, _)], name: &str| {
            fields.iter().any(|(known, _): &(Cow<'_, [u8]>, Cow<'_, [u8]>)| {
                known.eq_ignore_ascii_case(name.as_bytes())
            })
        };
        let known = [
            ("Host", self.host, Some(default_host)),
            ("User-Agent", self.user_agent, Some(AGENT)),
            ("Referer", self.referer, None),
            ("Accept", Noted::Unknown, Some("*/*")),
        ];
        for (name, noted, default) in known {
            let value = match (noted, default) {
                (Noted::Sent(value), _) => value,
                (Noted::Unknown, Some(default)) => Cow::Borrowed(default.as_bytes()),
                _ => continue,
            };
            if !is_named(&fields, name) {
                fields.push((Cow::Borrowed(name.as_bytes()), value));
            }
        }
        Request {
            method: self.method,
            target: self.target,
            version: Version::Http11,
            fields,
            body: Vec::new(),
            status: self.status,
        }
    }
}

impl<'a> Request<'a> {
    /// A message as it was on the wire.
    pub(super) fn of_message(raw: &'a [u8]) -> Request<'a> {
        let recorded = Recorded::parse(raw);
        let field = |(name, value)| (Cow::Borrowed(name), Cow::Borrowed(value));
        Request {
            method: Cow::Borrowed(recorded.method),
            target: Cow::Borrowed(recorded.target),
            version: recorded.version,
            fields: recorded.fields.into_iter().map(field).collect(),
            body: recorded.body,
            status: None,
        }
    }

    /// The request as the engine takes it; the body moves there.
    pub(super) fn recorded(&mut self) -> Recorded<'_> {
        Recorded {
            method: &self.method,
            target: &self.target,
            version: self.version,
            fields: self.fields.iter().map(|(name, value)| (&**name, &**value)).collect(),
            body: std::mem::take(&mut self.body),
        }
    }

    /// A copy that borrows nothing.
    pub(super) fn into_owned(self) -> Request<'static> {
        let owned = |bytes: Cow<'_, [u8]>| Cow::Owned(bytes.into_owned());
        Request {
            method: owned(self.method),
            target: owned(self.target),
            version: self.version,
            fields: self.fields.into_iter().map(|(name, value)| (owned(name), owned(value))).collect(),
            body: self.body,
            status: self.status,
        }
    }
}

/// Method, target of a request line such as `GET /a HTTP/1.1`; `None` if it is none.
pub(super) fn request_line(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let first = line.iter().position(|byte| *byte == b' ')?;
    let last = line.iter().rposition(|byte| *byte == b' ')?;
    let (method, version) = (line.get(..first)?, line.get(last + 1..)?);
    let target = line.get(first + 1..last)?;
    let is_request = !target.is_empty() && is_method(method) && version.starts_with(b"HTTP/");
    is_request.then_some((method, target))
}

/// True for a token (RFC 9110 section 5.6.2).
pub(super) fn is_method(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(crate::names::is_token)
}
