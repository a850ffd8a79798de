//! Values that set a session cookie through script or markup. What the parameters of a request say about sessions is
//! judged with the head, in [`crate::request`].

use waf_shared::catalog::Leaf;

use crate::evidence::{Evidence, Subject};
use crate::field::Places;
use crate::rule::{Bucket, Detector, Rule, RuleMatcher, STRONG};

/// The rules, and the detector that reports them.
pub(crate) static BUCKET: Bucket =
    Bucket { rules: &[&[&COOKIE_WRITTEN, &COOKIE_BY_MARKUP]], detectors: &[&DETECTOR] };

static COOKIE_WRITTEN: Rule = Rule {
    id: "session-fixation-cookie-injection/written",
    leaf: Leaf::SessionFixationCookieInjection,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "Script that writes a cookie and its attributes.",
    attacks: &[
        "<script>document.cookie=\"sessionid=1234; domain=.shop.example\";</script>",
        ".cookie;expires=",
        "document['cookie']='sid=1;path=/;expires=Thu, 01 Jan 2099 00:00:00 GMT'",
        "x.cookie = `PHPSESSID=abc`",
    ],
    benign: &[
        "chocolate.cookie; domain of bakers",
        "document.cookie is read by the script",
        "read document.cookie; it holds the session",
        "Cookie=a; domain names explained",
    ],
};

static COOKIE_BY_MARKUP: Rule = Rule {
    id: "session-fixation-cookie-injection/markup",
    leaf: Leaf::SessionFixationCookieInjection,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A meta element that sets a cookie.",
    attacks: &[
        "<meta http-equiv=\"Set-Cookie\" content=\"sessionid=1\">",
        "<meta http-equiv=set-cookie content=a=b>",
        "http-equiv = 'Set-Cookie'",
    ],
    benign: &["http-equiv = refresh", "http-equiv and Set-Cookie headers", "the Set-Cookie header"],
};

/// Looks behind the word `cookie`.
static DETECTOR: Detector = Detector {
    name: "session-cookie",
    triggers: &[&[".cookie", "'cookie'", "\"cookie\"", "set-cookie"]],
    prefilter: None,
    places: Places::REQUEST,
    run: judge,
};

/// How far an assignment's attributes are looked for.
const ASSIGNED_BYTES_MAX: usize = 512;

fn judge(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    if !evidence.wants(Leaf::SessionFixationCookieInjection) {
        return;
    }
    let bytes = subject.bytes;
    // Each `cookie` looks a bounded way ahead; a value full of them is looked at for the first ones.
    for at in find_all(bytes, b"cookie").take(OCCURRENCES_MAX) {
        let after = bytes.get(at + 6..).unwrap_or_default();
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        match before {
            Some(b'.' | b'\'' | b'"' | b'`') if writes(after) => evidence.found(&COOKIE_WRITTEN, at, 6),
            Some(b'-') if is_http_equiv(bytes.get(..at).unwrap_or_default()) => {
                evidence.found(&COOKIE_BY_MARKUP, at, 6);
            }
            _ => {}
        }
    }
}

const OCCURRENCES_MAX: usize = 64;

fn find_all<'b>(bytes: &'b [u8], word: &'static [u8]) -> impl Iterator<Item = usize> + 'b {
    let first = word.first().copied().unwrap_or_default();
    memchr::memchr2_iter(first, first.to_ascii_uppercase(), bytes).filter(move |at| {
        bytes
            .get(*at..)
            .and_then(|rest| rest.get(..word.len()))
            .is_some_and(|text| text.eq_ignore_ascii_case(word))
    })
}

/// What follows `cookie` in an assignment: `=` and the name of a session, or attributes of a cookie as code writes them.
fn writes(after: &[u8]) -> bool {
    let after = after.get(..ASSIGNED_BYTES_MAX).unwrap_or(after);
    let closed = match after {
        [b'\'' | b'"' | b'`', b']', rest @ ..] => rest,
        _ => after,
    };
    let rest = closed.trim_ascii_start();
    let assigned =
        rest.strip_prefix(b"+").unwrap_or(rest).strip_prefix(b"=").filter(|rest| !rest.starts_with(b"="));
    let has_attribute = || {
        ["domain", "expires", "path", "max-age", "samesite"].iter().any(|name| {
            find_all(after, name.as_bytes()).any(|at| {
                let front = after.get(..at).unwrap_or_default().trim_ascii_end();
                let back = after.get(at + name.len()..).unwrap_or_default().trim_ascii_start();
                matches!(front.last(), Some(b';' | b'"' | b'\'' | b'`')) && back.starts_with(b"=")
            })
        })
    };
    let names_session = |value: &[u8]| {
        let value = value.trim_ascii_start();
        let value = value
            .strip_prefix(b"\"")
            .or(value.strip_prefix(b"'"))
            .or(value.strip_prefix(b"`"))
            .unwrap_or(value);
        let name = value.split(|byte| *byte == b'=').next().filter(|name| name.len() < value.len());
        name.is_some_and(|name| name.len() <= 40 && find_all(name, b"sess").next().is_some())
    };
    assigned.is_some_and(names_session) || (assigned.is_some() || rest.starts_with(b";")) && has_attribute()
}

/// Whether `text`, which ends in `set-`, continues `http-equiv=`.
fn is_http_equiv(text: &[u8]) -> bool {
    let Some(front) = text.len().checked_sub(4).and_then(|at| text.split_at_checked(at)) else {
        return false;
    };
    let (front, set) = front;
    let front = front.trim_ascii_end();
    let front = front.strip_suffix(b"\"").or(front.strip_suffix(b"'")).unwrap_or(front).trim_ascii_end();
    let Some(front) = front.strip_suffix(b"=") else { return false };
    let front = front.trim_ascii_end();
    let name = front.len().checked_sub(10).and_then(|at| front.get(at..)).unwrap_or_default();
    set.eq_ignore_ascii_case(b"set-") && name.eq_ignore_ascii_case(b"http-equiv")
}
