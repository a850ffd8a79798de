//! `data:` URIs (RFC 2397): what kind of content a value carries in itself. It decodes nothing and knows no places.

use crate::language::{Context, Findings, Input, Language};

/// Kinds of content, by what happens when an application follows the URI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataUriSign {
    /// It is rendered or run.
    Active,
    /// It is read as a file by the stream wrapper of a server (`data://`), or its type is left open.
    Stream,
    /// Text, which an application that expects a name of a file would read.
    Text,
    /// A file of an office or an archive.
    Document,
    /// An image, a sound, a film or a font.
    Media,
}

/// `data:` URIs that are a whole value.
#[derive(Debug)]
pub struct DataUri;

impl Language for DataUri {
    type Sign = DataUriSign;
    const NAME: &'static str = "data-uri";
    const TRIGGERS: &'static [&'static str] = &["data:"];

    fn scan(input: &Input<'_>, findings: &mut Findings<'_, DataUriSign>) {
        if let Some(sign) = content(input.bytes) {
            findings.add(sign, Context::Sole, 0, input.bytes.len().min(SHOWN_BYTES_MAX));
        }
    }
}

/// Bytes of a URI that a finding shows.
const SHOWN_BYTES_MAX: usize = 64;

/// Bytes of a media type with its parameters.
const TYPE_BYTES_MAX: usize = 128;

/// The content of `value`, if all of it is a `data:` URI.
fn content(value: &[u8]) -> Option<DataUriSign> {
    let value = value.trim_ascii_start();
    let rest = value
        .get(5..)
        .filter(|_| value.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"data:")))?;
    let (rest, stream) = rest.strip_prefix(b"//").map_or((rest, false), |rest| (rest, true));
    let head = rest.get(..TYPE_BYTES_MAX).unwrap_or(rest);
    let comma = memchr::memchr(b',', head);
    let head = head.get(..comma.unwrap_or(head.len()))?;
    let coded = head.to_ascii_lowercase().windows(7).any(|part| part == b";base64");
    let kind = head.split(|byte| *byte == b';').next()?;
    if kind.is_empty() {
        return (stream || coded).then_some(DataUriSign::Stream);
    }
    let (top, sub) = split(kind)?;
    let is = |word: &[u8], known: &str| word.eq_ignore_ascii_case(known.as_bytes());
    if ["image", "audio", "video", "font"].iter().any(|known| is(top, known)) {
        return Some(DataUriSign::Media);
    }
    let active = [
        "html",
        "xml",
        "javascript",
        "ecmascript",
        "x-javascript",
        "xhtml+xml",
        "xslt+xml",
        "x-php",
        "x-httpd-php",
    ];
    if active.iter().any(|known| is(sub, known)) {
        return Some(DataUriSign::Active);
    }
    if stream {
        return Some(DataUriSign::Stream);
    }
    let text = is(top, "text")
        && !["csv", "calendar", "vcard", "x-vcard", "css"].iter().any(|known| is(sub, known))
        || top == b"*";
    Some(if text { DataUriSign::Text } else { DataUriSign::Document })
}

/// Both parts of a media type, if it is written like one.
fn split(kind: &[u8]) -> Option<(&[u8], &[u8])> {
    let slash = memchr::memchr(b'/', kind)?;
    let (top, sub) = (kind.get(..slash)?, kind.get(slash + 1..)?);
    let token = |part: &[u8]| {
        !part.is_empty()
            && part
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'*' | b'_'))
    };
    (token(top) && token(sub)).then_some((top, sub))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_told_apart() {
        for (value, expected) in [
            ("data:text/html,<b>", Some(DataUriSign::Active)),
            ("data:text/plain;base64,QQ==", Some(DataUriSign::Text)),
            ("data:text/plain", Some(DataUriSign::Text)),
            ("data://text/plain,x", Some(DataUriSign::Stream)),
            ("data:;base64,QQ==", Some(DataUriSign::Stream)),
            ("data:image/png;base64,iVBO", Some(DataUriSign::Media)),
            ("data:application/pdf;base64,JVBE", Some(DataUriSign::Document)),
            ("data:,x", None),
            ("data: text/html", None),
            ("data:a", None),
        ] {
            assert_eq!(content(value.as_bytes()), expected, "{value}");
        }
    }
}
