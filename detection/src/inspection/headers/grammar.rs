//! Grammars of header values, each narrower than its RFC: a value that follows one holds nothing that another language
//! reads. Tokens are short, of letters and digits, or listed; lists are bounded by the length of the value.

/// A grammar: true for the values that follow it.
pub(super) type Grammar = fn(&[u8]) -> bool;

/// Content codings and transfer codings, `trailers` of TE.
const CODINGS: &[&str] = &[
    "*",
    "br",
    "chunked",
    "compress",
    "dcb",
    "dcz",
    "deflate",
    "gzip",
    "identity",
    "trailers",
    "x-compress",
    "x-gzip",
    "zstd",
];

/// Connection options and protocols to upgrade to.
const CONNECTION_OPTIONS: &[&str] =
    &["close", "h2c", "http2-settings", "keep-alive", "te", "upgrade", "websocket"];

/// Cache directives of requests (RFC 9111, section 5.2.1), and those that clients copy from responses.
const DIRECTIVES: &[&str] = &[
    "immutable",
    "max-age",
    "max-stale",
    "min-fresh",
    "must-revalidate",
    "no-cache",
    "no-store",
    "no-transform",
    "only-if-cached",
    "private",
    "proxy-revalidate",
    "public",
    "s-maxage",
    "stale-if-error",
    "stale-while-revalidate",
];

/// Top-level media types (RFC 6838, section 4.2, and the registry).
const TYPES: &[&str] = &[
    "*",
    "application",
    "audio",
    "font",
    "haptics",
    "image",
    "message",
    "model",
    "multipart",
    "text",
    "video",
];

/// Parameters of media types.
const PARAMETERS: &[&str] = &["charset", "level", "q", "v", "version"];

/// Longest subtype; those of office documents have some seventy letters.
const SUBTYPE_BYTES_MAX: usize = 80;
/// Longest language tag part (RFC 5646, section 2.1).
const SUBTAG_BYTES_MAX: usize = 8;
/// Longest value of a parameter: a weight, a version, the name of a character set.
const PARAMETER_BYTES_MAX: usize = 16;
/// Longest entity tag that is passed over: a digest of 512 bits.
const TAG_BYTES_MAX: usize = 130;
/// Longest word of the Sec-Fetch headers.
const WORD_BYTES_MAX: usize = 20;
/// Longest string of a client hint: `Chrome OS`, a version, an architecture.
const STRING_BYTES_MAX: usize = 16;

/// No value: those of the header are free text.
pub(super) fn nothing(_: &[u8]) -> bool {
    false
}

/// Decimal digits, as many as the largest length has.
pub(super) fn number(value: &[u8]) -> bool {
    (1..=20).contains(&value.len()) && value.iter().all(u8::is_ascii_digit)
}

/// A Boolean (RFC 8941, section 3.3.6).
pub(super) fn boolean(value: &[u8]) -> bool {
    matches!(value, b"?0" | b"?1")
}

/// One word of small letters and hyphens: `same-origin`.
pub(super) fn word(value: &[u8]) -> bool {
    (1..=WORD_BYTES_MAX).contains(&value.len())
        && value.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'-')
        && value.first() != Some(&b'-')
}

/// A String (RFC 8941, section 3.3.3) of one word or number, or of two words.
pub(super) fn string(value: &[u8]) -> bool {
    let inner = value.strip_prefix(b"\"").and_then(|inner| inner.strip_suffix(b"\""));
    inner.is_some_and(|inner| {
        inner.len() <= STRING_BYTES_MAX
            && memchr::memchr_iter(b' ', inner).nth(1).is_none()
            && inner.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b' '))
            && !inner.starts_with(b".")
            && inner.array_windows().all(|pair| pair != b"..")
    })
}

/// Media ranges with parameters and weights (RFC 9110, section 12.5.1).
pub(super) fn media_ranges(value: &[u8]) -> bool {
    elements(value).all(media_type)
}

/// One media type with parameters (RFC 9110, section 8.3.1). A boundary is not among them: it is text of the client's choice.
pub(super) fn media_type(value: &[u8]) -> bool {
    let mut parts = parts(value);
    let essence = parts.next().unwrap_or_default();
    let (kind, subtype) = halves(essence, b'/');
    is_listed(kind, TYPES) && subtype.is_some_and(is_subtype) && parts.all(parameter)
}

fn is_subtype(subtype: &[u8]) -> bool {
    subtype == b"*"
        || (1..=SUBTYPE_BYTES_MAX).contains(&subtype.len())
            && subtype.first().is_some_and(u8::is_ascii_alphabetic)
            && subtype.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
            && subtype.array_windows().all(|pair| pair != b"..")
}

fn parameter(part: &[u8]) -> bool {
    let (name, value) = halves(part, b'=');
    is_listed(name, PARAMETERS) && value.is_some_and(is_token)
}

fn is_token(value: &[u8]) -> bool {
    (1..=PARAMETER_BYTES_MAX).contains(&value.len())
        && value.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
        && value.array_windows().all(|pair| pair != b"..")
}

/// Language ranges with weights (RFC 9110, section 12.5.4).
pub(super) fn languages(value: &[u8]) -> bool {
    elements(value).all(|element| {
        weighted(element, |range| {
            range == b"*"
                || range.split(|byte| *byte == b'-').all(|subtag| {
                    (1..=SUBTAG_BYTES_MAX).contains(&subtag.len())
                        && subtag.iter().all(u8::is_ascii_alphanumeric)
                })
        })
    })
}

/// Codings with weights (RFC 9110, sections 10.1.4 and 12.5.3).
pub(super) fn codings(value: &[u8]) -> bool {
    elements(value).all(|element| weighted(element, |coding| is_listed(coding, CODINGS)))
}

/// Connection options (RFC 9110, section 7.6.1).
pub(super) fn connection_options(value: &[u8]) -> bool {
    elements(value).all(|option| is_listed(option, CONNECTION_OPTIONS))
}

/// Cache directives, with a number of seconds or without.
pub(super) fn directives(value: &[u8]) -> bool {
    elements(value).all(|element| {
        let (name, seconds) = halves(element, b'=');
        is_listed(name, DIRECTIVES) && seconds.is_none_or(number)
    })
}

/// A priority (RFC 9218, section 4).
pub(super) fn priority(value: &[u8]) -> bool {
    elements(value).all(|element| match element {
        b"i" | b"i=?0" | b"i=?1" => true,
        [b'u', b'=', urgency] => (b'0'..=b'7').contains(urgency),
        _ => false,
    })
}

/// Byte ranges (RFC 9110, section 14.2).
pub(super) fn ranges(value: &[u8]) -> bool {
    let Some(ranges) = value.strip_prefix(b"bytes=") else { return false };
    elements(ranges).all(|range| {
        let (first, last) = halves(range, b'-');
        let is_bound = |bound: &[u8]| bound.is_empty() || number(bound);
        is_bound(first) && last.is_some_and(is_bound)
    })
}

/// A date in the preferred form (RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
pub(super) fn date(value: &[u8]) -> bool {
    const DAYS: &[&str] = &["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    const MONTHS: &[&str] =
        &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let Some(value) = value.first_chunk::<29>().filter(|_| value.len() == 29) else { return false };
    let is_number = |from: usize, to: usize| {
        value.get(from..to).is_some_and(|digits| digits.iter().all(u8::is_ascii_digit))
    };
    is_listed(value.get(..3).unwrap_or_default(), DAYS)
        && is_listed(value.get(8..11).unwrap_or_default(), MONTHS)
        && [(5, 7), (12, 16), (17, 19), (20, 22), (23, 25)].into_iter().all(|(from, to)| is_number(from, to))
        && [(3, b", "), (11, b" 1"), (16, b" 0")].iter().all(|(at, mark)| value.get(*at) == mark.first())
        && (value.get(4), value.get(7)) == (Some(&b' '), Some(&b' '))
        && (value.get(19), value.get(22)) == (Some(&b':'), Some(&b':'))
        && value.ends_with(b" GMT")
}

/// Entity tags (RFC 9110, section 8.8.3) of hexadecimal digits, as servers make them of times, lengths and digests. The
/// RFC allows any quoted text: the others are judged.
pub(super) fn entity_tags(value: &[u8]) -> bool {
    value == b"*" || elements(value).all(entity_tag)
}

fn entity_tag(value: &[u8]) -> bool {
    let strong = value.strip_prefix(b"W/").unwrap_or(value);
    let opaque = strong.strip_prefix(b"\"").and_then(|inner| inner.strip_suffix(b"\""));
    opaque.is_some_and(|opaque| {
        opaque.len() <= TAG_BYTES_MAX
            && opaque.iter().all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'-' | b':'))
            && opaque.array_windows().all(|pair| pair != b"--")
    })
}

/// The value of If-Range (RFC 9110, section 13.1.5).
pub(super) fn date_or_entity_tag(value: &[u8]) -> bool {
    date(value) || entity_tag(value)
}

/// A name or address with a port (RFC 9110, section 7.2).
pub(super) fn host(value: &[u8]) -> bool {
    let (host, port) = match value.strip_prefix(b"[") {
        Some(rest) => {
            let (address, port) = halves(rest, b']');
            let is_address =
                address.iter().all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.'));
            let Some(port) = port.filter(|_| is_address) else { return false };
            (address, if port.is_empty() { None } else { port.strip_prefix(b":").or(Some(b"x")) })
        }
        None => halves(value, b':'),
    };
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':');
    !host.is_empty()
        && host.iter().all(is_name)
        && host.array_windows().all(|pair| pair != b"..")
        && port.is_none_or(|port| port.len() <= 5 && port.iter().all(u8::is_ascii_digit))
}

/// The elements of a list (RFC 9110, section 5.6.1), without the spaces around them.
fn elements(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|byte| *byte == b',').map(trim)
}

/// The parts between semicolons, without the spaces around them.
fn parts(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|byte| *byte == b';').map(trim)
}

/// An element that may end with a weight.
fn weighted(element: &[u8], is_good: impl Fn(&[u8]) -> bool) -> bool {
    let mut parts = parts(element);
    parts.next().is_some_and(is_good) && parts.all(weight)
}

/// `q=0.8` (RFC 9110, section 12.4.2).
fn weight(part: &[u8]) -> bool {
    let (name, value) = halves(part, b'=');
    let is_weight = |value: &[u8]| {
        (1..=5).contains(&value.len()) && value.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
    };
    name.eq_ignore_ascii_case(b"q") && value.is_some_and(is_weight)
}

fn trim(value: &[u8]) -> &[u8] {
    value.trim_ascii()
}

/// The parts before and behind the first `mark`.
fn halves(value: &[u8], mark: u8) -> (&[u8], Option<&[u8]>) {
    match memchr::memchr(mark, value).and_then(|at| value.split_at_checked(at)) {
        Some((before, rest)) => (before, rest.get(1..)),
        None => (value, None),
    }
}

fn is_listed(word: &[u8], list: &[&str]) -> bool {
    list.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(word))
}
