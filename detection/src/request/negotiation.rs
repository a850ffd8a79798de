//! `Accept`, `Accept-Encoding` and `User-Agent`: what every browser sends, in a form that browsers send.

use super::facts::{Facts, Finding};
use super::media_type::is_token;
use crate::rules::request_head::negotiation::{
    ACCEPT_MALFORMED, ACCEPT_MISSING, ENCODING_MALFORMED, ENCODING_UNKNOWN, USER_AGENT_MISSING,
};

pub(super) fn check<'a>(facts: &Facts<'a>, found: &mut Vec<Finding<'a>>) {
    match facts.accept.first {
        None | Some([]) => found.push(Finding::new(&ACCEPT_MISSING, "accept", b"")),
        Some(value) if !elements(value).all(is_media_range) => {
            found.push(Finding::new(&ACCEPT_MALFORMED, "accept", value));
        }
        Some(_) => {}
    }
    if facts.user_agent.first.is_none_or(<[u8]>::is_empty) {
        found.push(Finding::new(&USER_AGENT_MISSING, "user-agent", b""));
    }
    if let Some(value) = facts.accept_encoding.first {
        let mut report = |rule| found.push(Finding::new(rule, "accept-encoding", value));
        if value.len() > ACCEPT_ENCODING_BYTES_MAX || !elements(value).all(is_weighted_coding) {
            report(&ENCODING_MALFORMED);
        } else if !elements(value).all(is_known_coding) {
            report(&ENCODING_UNKNOWN);
        }
    }
}

/// Twice what names every registered coding that a client might offer; browsers send 25 bytes.
const ACCEPT_ENCODING_BYTES_MAX: usize = 100;

/// The registered codings, some that were, and two words that scripts send though they name none.
const CODINGS: &[&str] = &[
    "*",
    "aes128gcm",
    "br",
    "bzip2",
    "compress",
    "dcb",
    "dcz",
    "deflate",
    "exi",
    "gzip",
    "identity",
    "lz4",
    "lzma",
    "none",
    "pack200-gzip",
    "peerdist",
    "sdch",
    "snappy",
    "utf-8",
    "x-bzip2",
    "x-compress",
    "x-deflate",
    "x-gzip",
    "xz",
    "zstd",
];

/// What stands between commas outside quotes, without empty elements.
fn elements(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut quoted = false;
    let parts = value.split(move |byte| {
        quoted ^= *byte == b'"';
        *byte == b',' && !quoted
    });
    parts.map(<[u8]>::trim_ascii).filter(|part| !part.is_empty())
}

fn is_media_range(element: &[u8]) -> bool {
    let mut parts = element.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
    let range = parts.next().unwrap_or_default();
    let halves = memchr::memchr(b'/', range).and_then(|at| range.split_at_checked(at));
    let is_range = match halves {
        Some((kind, subtype)) => is_token(kind) && subtype.get(1..).is_some_and(is_token),
        None => range == b"*",
    };
    let is_parameter = |part: &[u8]| {
        let name = part.split(|byte| *byte == b'=').next().unwrap_or_default().trim_ascii();
        part.is_empty() || is_token(name)
    };
    is_range && parts.all(is_parameter)
}

fn coding(element: &[u8]) -> &[u8] {
    element.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii()
}

fn is_weighted_coding(element: &[u8]) -> bool {
    let mut weights = element.split(|byte| *byte == b';').skip(1).map(<[u8]>::trim_ascii);
    let is_weight = |part: &[u8]| {
        let (name, rest) = part.split_first().unwrap_or((&b' ', b""));
        let number = rest.trim_ascii_start().strip_prefix(b"=").unwrap_or_default().trim_ascii_start();
        matches!(name, b'q' | b'Q')
            && (1..=6).contains(&number.len())
            && number.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
    };
    is_token(coding(element)) && weights.next().is_none_or(is_weight) && weights.next().is_none()
}

fn is_known_coding(element: &[u8]) -> bool {
    let coding = coding(element);
    CODINGS.iter().any(|known| coding.eq_ignore_ascii_case(known.as_bytes()))
}
