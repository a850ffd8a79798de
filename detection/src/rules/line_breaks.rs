//! Line breaks where a protocol writes one line: paths, names, header values and cookies that a server copies into a
//! header, a log or a request of its own.

use memchr::memchr2;
use waf_shared::catalog::Leaf;

use crate::evidence::{Evidence, Subject};
use crate::field::{Place, Places};
use crate::rule::{Bucket, Detector, Rule, RuleMatcher, STRONG};
use crate::view::View;

/// The rules, and the detector that reports them.
pub(crate) static BUCKET: Bucket =
    Bucket { rules: &[&[&IN_PATH, &IN_NAME, &IN_HEADER, &IN_VALUE]], detectors: &[&DETECTOR] };

static IN_PATH: Rule = Rule {
    id: "http-attacks-header-crlf-injection/path",
    leaf: Leaf::HttpAttacksHeaderCrlfInjection,
    weight: STRONG,
    places: Places::of(&[Place::Path]),
    matcher: RuleMatcher::Detected,
    summary: "A line break in the path.",
    attacks: &[
        "/a%0d%0aX-Injected:%201",
        "/shop.php/PHP_VALUE%0Adisplay_errors=1;;;",
        "/%25%30%41Set-cookie:a=b",
        "/shell.php%0a",
    ],
    benign: &["/a%20b", "/docs/line%5Cnbreak", "/a%0"],
};

static IN_NAME: Rule = Rule {
    id: "http-attacks-header-crlf-injection/name",
    leaf: Leaf::HttpAttacksHeaderCrlfInjection,
    weight: STRONG,
    places: Places::of(&[Place::QueryName, Place::FormName, Place::CookieName, Place::FileName]),
    matcher: RuleMatcher::Detected,
    summary: "A line break in the name of a parameter, a cookie or a file.",
    attacks: &["a\r\nX-Injected: 1", "a\nb", "\rrestofdata"],
    benign: &["user name", "a\\nb", "first-name"],
};

static IN_HEADER: Rule = Rule {
    id: "http-attacks-header-crlf-injection/header",
    leaf: Leaf::HttpAttacksHeaderCrlfInjection,
    weight: STRONG,
    places: Places::of(&[Place::Header, Place::Cookie]),
    matcher: RuleMatcher::Detected,
    summary: "A header or cookie value in which a coded line break begins another header or a body.",
    attacks: &["data%0d%0aInjected: value", "news%0dX-Added: second", "x%0a%0a<html>hi", "en%0D%0A%20X-Y:z"],
    benign: &["{%0A \"theme\": \"dark\"%0A}", "two%0Alines", "12%3A30"],
};

static IN_VALUE: Rule = Rule {
    id: "http-attacks-header-crlf-injection/value",
    leaf: Leaf::HttpAttacksHeaderCrlfInjection,
    weight: STRONG,
    places: Places::of(&[Place::Query, Place::Form, Place::Json]),
    matcher: RuleMatcher::Detected,
    summary: "A line break behind an address or a word, and a header of somebody's own.",
    attacks: &[
        "https://shop.example/\r\nInjected: value",
        "/cart\r\nAny-Thing: 1",
        "en\r\nX-Added: 1",
        "https://shop.example/\nX-Forwarded-Host: evil.example",
    ],
    benign: &[
        "Ana Lima\r\nE-Mail: ana@example.org",
        "Friday\nTopic: budget",
        "https://shop.example/\nhttps://shop.example/b",
        "see https://shop.example/\nNote: it is closed",
        "GET /a HTTP/1.1\nX-Id: 1",
    ],
};

/// Looks for line breaks.
static DETECTOR: Detector = Detector {
    name: "line-break",
    triggers: &[],
    prefilter: None,
    places: Places::of(&[
        Place::Path,
        Place::QueryName,
        Place::FormName,
        Place::CookieName,
        Place::FileName,
        Place::Header,
        Place::Cookie,
        Place::Query,
        Place::Form,
        Place::Json,
    ]),
    run: judge,
};

fn judge(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    let bytes = subject.bytes;
    // A backslash and an `n` is a line break to a program's compiler, not to a server.
    if !matches!(subject.view, View::Raw | View::Percent | View::PercentNested) {
        return;
    }
    let Some(at) = memchr2(b'\r', b'\n', bytes) else { return };
    match subject.place {
        Place::Path => evidence.found(&IN_PATH, at, bytes.len() - at),
        // A document posted under the type of a form has its lines as they are.
        Place::FormName if subject.view == View::Raw => {}
        Place::QueryName | Place::FormName | Place::CookieName | Place::FileName => {
            evidence.found(&IN_NAME, at, bytes.len() - at);
        }
        Place::Query | Place::Form | Place::Json => {
            if is_broken_off(bytes, at) {
                evidence.found(&IN_VALUE, at, bytes.len() - at);
            }
        }
        // The address of the page before may hold whatever that page's form held.
        Place::Header if subject.name.eq_ignore_ascii_case(b"referer") => {}
        _ => {
            if let Some(at) = header_line(bytes, at) {
                evidence.found(&IN_HEADER, at, bytes.len() - at);
            }
        }
    }
}

/// Longest address or word that a header may be added to.
const HEAD_BYTES_MAX: usize = 256;

/// Returns `true` if the first line, which ends at `end`, is an address or a path and the next one begins with a field name,
/// or if it is one word and that name is one of those that people invent (`X-…`).
fn is_broken_off(bytes: &[u8], end: usize) -> bool {
    let (head, rest) = bytes.split_at_checked(end).unwrap_or_default();
    if head.len() > HEAD_BYTES_MAX || head.iter().any(u8::is_ascii_whitespace) {
        return false;
    }
    let line = rest.trim_ascii_start().split(|byte| matches!(byte, b'\r' | b'\n')).next().unwrap_or_default();
    let Some((name, value)) = memchr::memchr(b':', line).and_then(|at| line.split_at_checked(at)) else {
        return false;
    };
    let is_name = !name.is_empty()
        && name.len() <= NAME_BYTES_MAX
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let is_invented = name.get(..2).is_some_and(|start| start.eq_ignore_ascii_case(b"x-"));
    let is_address = memchr::memmem::find(head, b"://").is_some_and(|at| at > 0) || head.starts_with(b"/");
    // A second address is one of a list.
    is_name && !value.starts_with(b"://") && value.len() > 1 && (is_invented || is_address)
}

/// Longest name that begins a header.
const NAME_BYTES_MAX: usize = 64;

/// From the first line break on, a line that begins with `token:`, or markup behind an empty line.
fn header_line(bytes: &[u8], first: usize) -> Option<usize> {
    let mut lines = bytes.get(first..)?.split(|byte| matches!(byte, b'\r' | b'\n')).skip(1);
    let mut after_empty = false;
    lines.find_map(|line| {
        let text = line.trim_ascii_start();
        let is_markup = after_empty && text.starts_with(b"<");
        after_empty = text.is_empty();
        let name = text
            .iter()
            .take(NAME_BYTES_MAX + 1)
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-' || **byte == b'_')
            .count();
        let is_header = (1..=NAME_BYTES_MAX).contains(&name) && text.get(name) == Some(&b':');
        (is_header || is_markup).then(|| line.as_ptr().addr().saturating_sub(bytes.as_ptr().addr()))
    })
}
