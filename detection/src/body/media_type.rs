//! Which parser a `Content-Type` value asks for, and the character set that it names.

use waf_bodies::parameters;

use super::charset::{self, Label};
use crate::body::kind::BodyKind;

/// Subtypes that a browser or an API client sends JSON under, besides `json` and `+json`.
const JSON: &[&[u8]] = &[b"application/csp-report", b"application/x-json"];

/// Subtypes and suffixes of sequences of JSON documents.
const SEQUENCES: &[&[u8]] = &[
    b"x-ndjson",
    b"ndjson",
    b"jsonl",
    b"x-jsonl",
    b"jsonlines",
    b"x-jsonlines",
    b"json-seq",
    b"x-json-stream",
];

/// Types whose every subtype is binary, unless its suffix says otherwise.
const BINARY_TYPES: &[&[u8]] = &[b"image", b"audio", b"video", b"font"];

/// Suffixes of binary formats (RFC 6839, section 3, and the registry that it founded).
const BINARY_SUFFIXES: &[&[u8]] = &[
    b"zip",
    b"gzip",
    b"zstd",
    b"cbor",
    b"cbor-seq",
    b"cose",
    b"cwt",
    b"der",
    b"ber",
    b"wbxml",
    b"sqlite3",
    b"tlv",
];

/// Media types that are binary, each whole: what merely begins like one of them is unknown.
const BINARY: &[&[u8]] = &[
    b"application/octet-stream",
    b"application/offset+octet-stream",
    b"application/x-binary",
    b"binary/octet-stream",
    b"application/pdf",
    b"application/x-pdf",
    b"application/zip",
    b"application/x-zip",
    b"application/x-zip-compressed",
    b"application/java-archive",
    b"application/vnd.android.package-archive",
    b"application/gzip",
    b"application/x-gzip",
    b"application/x-tar",
    b"application/x-gtar",
    b"application/x-bzip2",
    b"application/x-xz",
    b"application/zstd",
    b"application/x-zstd",
    b"application/x-7z-compressed",
    b"application/vnd.rar",
    b"application/x-rar-compressed",
    b"application/vnd.docker.image.rootfs.diff.tar.gzip",
    b"application/wasm",
    b"application/vnd.sqlite3",
    b"application/x-sqlite3",
    b"application/grpc",
    b"application/grpc+proto",
    b"application/grpc-web",
    b"application/grpc-web+proto",
    b"application/grpc-web-text",
    b"application/grpc-web-text+proto",
    b"application/proto",
    b"application/protobuf",
    b"application/x-protobuf",
    b"application/x-google-protobuf",
    b"application/vnd.google.protobuf",
    b"application/cbor",
    b"application/msgpack",
    b"application/x-msgpack",
    b"application/vnd.msgpack",
    b"application/msword",
    b"application/vnd.ms-cab-compressed",
    b"application/vnd.ms-excel",
    b"application/vnd.ms-excel.addin.macroenabled.12",
    b"application/vnd.ms-excel.sheet.binary.macroenabled.12",
    b"application/vnd.ms-excel.sheet.macroenabled.12",
    b"application/vnd.ms-excel.template.macroenabled.12",
    b"application/vnd.ms-fontobject",
    b"application/vnd.ms-htmlhelp",
    b"application/vnd.ms-outlook",
    b"application/vnd.ms-powerpoint",
    b"application/vnd.ms-powerpoint.presentation.macroenabled.12",
    b"application/vnd.ms-powerpoint.slideshow.macroenabled.12",
    b"application/vnd.ms-powerpoint.template.macroenabled.12",
    b"application/vnd.ms-project",
    b"application/vnd.ms-sync",
    b"application/vnd.ms-sync.multipart",
    b"application/vnd.ms-sync.wbxml",
    b"application/vnd.ms-word.document.macroenabled.12",
    b"application/vnd.ms-word.template.macroenabled.12",
    b"application/vnd.ms-works",
    b"application/vnd.ms-xpsdocument",
    b"application/vnd.openxmlformats-officedocument.presentationml.presentation",
    b"application/vnd.openxmlformats-officedocument.presentationml.slide",
    b"application/vnd.openxmlformats-officedocument.presentationml.slideshow",
    b"application/vnd.openxmlformats-officedocument.presentationml.template",
    b"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    b"application/vnd.openxmlformats-officedocument.spreadsheetml.template",
    b"application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    b"application/vnd.openxmlformats-officedocument.wordprocessingml.template",
    b"application/x-git-receive-pack-request",
    b"application/x-git-receive-pack-result",
    b"application/x-git-upload-pack-request",
    b"application/x-git-upload-pack-result",
];

/// The kind of body that `value` announces. A type that no table lists is unknown, and its body is read as text.
pub(crate) fn kind(value: &[u8]) -> BodyKind {
    let essence = essence(value);
    if essence == b"application/x-www-form-urlencoded" {
        BodyKind::Form
    } else if essence.ends_with(b"/json") || essence.ends_with(b"+json") || JSON.contains(&essence.as_slice())
    {
        BodyKind::Json
    } else if essence.ends_with(b"/xml") || essence.ends_with(b"+xml") {
        BodyKind::Xml
    } else if essence.starts_with(b"multipart/") {
        BodyKind::Multipart
    } else if is_binary(&essence) {
        BodyKind::Binary
    } else {
        BodyKind::Raw
    }
}

/// Returns `true` for a sequence of JSON documents: one a line, or behind a mark each (RFC 7464).
pub(super) fn is_json_sequence(value: &[u8]) -> bool {
    let essence = essence(value);
    let subtype = split_once(&essence, b'/').map(|(_, subtype)| subtype).unwrap_or_default();
    let suffix = subtype.rsplit(|byte| *byte == b'+').next().unwrap_or_default();
    SEQUENCES.contains(&suffix)
}

/// Returns `true` if a type, in lower case, is one whose content is no text.
fn is_binary(essence: &[u8]) -> bool {
    let Some((kind, subtype)) =
        split_once(essence, b'/').filter(|(_, name)| parameters::is_whole_token(name))
    else {
        return false;
    };
    let suffix = subtype.rsplit(|byte| *byte == b'+').next().filter(|suffix| suffix.len() < subtype.len());
    BINARY_TYPES.contains(&kind)
        || BINARY.contains(&essence)
        || suffix.is_some_and(|suffix| BINARY_SUFFIXES.contains(&suffix))
}

fn split_once(text: &[u8], mark: u8) -> Option<(&[u8], &[u8])> {
    let (front, rest) = text.split_at_checked(memchr::memchr(mark, text)?)?;
    Some((front, rest.get(1..)?))
}

/// Returns `true` if `value` announces a multipart form.
pub(super) fn is_form_data(value: &[u8]) -> bool {
    essence(value) == b"multipart/form-data"
}

/// The character set that `value` names. Two that differ are none that could be read.
pub(super) fn charset(value: &[u8]) -> Option<Label> {
    let (_, rest) = parameters::essence(value);
    let mut found = None;
    for parameter in parameters::parameters(rest).filter_map(Result::ok) {
        if !parameter.name.eq_ignore_ascii_case(b"charset") {
            continue;
        }
        let label = charset::label(&parameter.value);
        if found.replace(label).is_some_and(|before| before != label) {
            return Some(Label::Unknown);
        }
    }
    found
}

/// Type and subtype in lower case, as far as a lenient reader finds them.
pub(super) fn essence(value: &[u8]) -> Vec<u8> {
    let essence = value.split(|byte| matches!(byte, b';' | b',')).next().unwrap_or_default();
    essence.trim_ascii().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_choose_parsers() {
        for (value, expected) in [
            ("application/json; charset=utf-8", BodyKind::Json),
            ("Application/Problem+JSON", BodyKind::Json),
            ("application/x-www-form-urlencoded;charset=UTF-8", BodyKind::Form),
            ("multipart/form-data; boundary=x", BodyKind::Multipart),
            ("application/soap+xml", BodyKind::Xml),
            ("text/xml;charset=utf-8", BodyKind::Xml),
            ("image/png", BodyKind::Binary),
            ("Image/PNG; name=\"a.png\"", BodyKind::Binary),
            ("font/x", BodyKind::Binary),
            ("image/svg+xml", BodyKind::Xml),
            ("image/", BodyKind::Raw),
            ("image/png/x", BodyKind::Raw),
            ("image png", BodyKind::Raw),
            ("application/epub+zip", BodyKind::Binary),
            ("application/zip", BodyKind::Binary),
            // What merely begins like a binary type is another type.
            ("application/zipjson", BodyKind::Raw),
            ("application/octet-streams", BodyKind::Raw),
            ("application/vnd.ms-form", BodyKind::Raw),
            ("application/vnd.git-text", BodyKind::Raw),
            ("application/grpcx", BodyKind::Raw),
            ("application/pdf.json", BodyKind::Raw),
            ("application/grpc-web-text", BodyKind::Binary),
            ("application/vnd.git-lfs+json", BodyKind::Json),
            ("imagery/png", BodyKind::Raw),
            ("text/plain", BodyKind::Raw),
            ("", BodyKind::Raw),
            ("nonsense", BodyKind::Raw),
        ] {
            assert_eq!(kind(value.as_bytes()), expected, "{value}");
        }
        assert!(is_form_data(b"Multipart/Form-Data; boundary=x") && !is_form_data(b"multipart/mixed"));
    }

    #[test]
    fn character_sets_are_read_from_their_parameter() {
        for (value, expected) in [
            ("text/plain", None),
            ("text/plain; charset=UTF-8", Some(Label::Utf8)),
            ("text/plain; charset=\"utf-8\"; charset=utf8", Some(Label::Utf8)),
            ("text/plain; charset=utf-8; charset=utf-16", Some(Label::Unknown)),
            ("text/plain; charset=ibm037", Some(Label::Unknown)),
        ] {
            assert_eq!(charset(value.as_bytes()), expected, "{value}");
        }
    }
}
