//! Lines of HTTP in a value. Prose quotes messages too, so text counts only where a word is broken off by a line break and
//! the very next line is HTTP: that is what injection looks like, and what nobody writes.

/// The kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A header field that matters to whoever receives a message.
    Header,
    /// `HTTP/1.1 200`
    Status,
    /// The beginning of a page behind an empty line.
    Page,
    /// `GET / HTTP/1.1`
    Request,
}

/// Literals that any of it needs, in lower case.
pub(super) const TRIGGERS: &[&str] = &[
    "set-cookie",
    "content-length",
    "contentlength",
    "content-type",
    "contenttype",
    "content-disposition",
    "content-encoding",
    "transfer-encoding",
    "location:",
    "location :",
    "refresh:",
    "last-modified",
    "x-xss-protection",
    "x-frame-options",
    "access-control-allow-",
    "http/",
    "<html",
    "<meta",
    "<head",
    "<title",
    "<!doctype",
];

/// Places at which text may be broken off: behind a word no longer than this.
const WORD_BYTES_MAX: usize = 128;

/// Calls `report` with kind, offset and length of every line of HTTP in `bytes`. `is_text`: the place may hold prose.
pub(super) fn lines(bytes: &[u8], is_text: bool, mut report: impl FnMut(Kind, usize, usize)) {
    let mut lines = split(bytes);
    let Some((_, first)) = lines.next() else { return };
    let mut lines = lines.peekable();
    if is_request_line(first) && (!is_text || lines.peek().is_none()) {
        report(Kind::Request, 0, first.len());
    }
    if is_text && !is_word(first) {
        return;
    }
    let mut after_empty = false;
    for (offset, line) in lines {
        let text = line.trim_ascii();
        if text.is_empty() {
            after_empty = true;
            continue;
        }
        if let Some(kind) = kind(text, after_empty, is_text && !first.is_empty()) {
            report(kind, offset, line.len());
        }
        if is_text {
            return;
        }
        after_empty = false;
    }
}

/// Lines and where they begin. Ideographs whose code points end in 0A or 0D become line breaks where a server
/// keeps only the lower byte.
fn split(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = Some(0);
    std::iter::from_fn(move || {
        let start = at?;
        let rest = bytes.get(start..)?;
        let end = rest.iter().enumerate().find_map(|(nth, byte)| match byte {
            b'\r' | b'\n' => Some((nth, 1)),
            0xe5 if matches!(rest.get(nth + 1..nth + 3), Some([0x98, 0x8a | 0x8d])) => Some((nth, 3)),
            _ => None,
        });
        at = end.map(|(nth, width)| start + nth + width);
        Some((start, end.and_then(|(nth, _)| rest.get(..nth)).unwrap_or(rest)))
    })
}

/// One word, as a parameter is; no heading, no fence of code, no beginning of a quoted message.
fn is_word(text: &[u8]) -> bool {
    text.len() <= WORD_BYTES_MAX
        && !text.iter().any(u8::is_ascii_whitespace)
        && !text.ends_with(b":")
        && !text.starts_with(b"```")
        && !text.starts_with(b"~~~")
        && kind(text, false, false).is_none()
}

fn kind(line: &[u8], after_empty: bool, skips_location: bool) -> Option<Kind> {
    const PAGE: &[&str] = &["<html", "<meta", "<head", "<title", "<!doctype"];
    if starts_with(line, "http/") {
        let version = line.get(5..).unwrap_or_default();
        let mut parts = version.split(|byte| *byte == b' ');
        let number = parts.next().unwrap_or_default();
        let status = parts.next().unwrap_or_default();
        let is_status = is_version(number) && status.len() == 3 && status.iter().all(u8::is_ascii_digit);
        return is_status.then_some(Kind::Status);
    }
    if after_empty && PAGE.iter().any(|start| starts_with(line, start)) {
        return Some(Kind::Page);
    }
    if is_request_line(line) {
        return Some(Kind::Request);
    }
    is_header(line, skips_location).then_some(Kind::Header)
}

fn is_version(text: &[u8]) -> bool {
    match text {
        [major] => major.is_ascii_digit(),
        [major, b'.', minor] => major.is_ascii_digit() && minor.is_ascii_digit(),
        _ => false,
    }
}

/// `method SP target SP HTTP/version`, in any case and with any white space.
fn is_request_line(line: &[u8]) -> bool {
    const METHODS: &[&str] = &[
        "connect",
        "copy",
        "delete",
        "get",
        "head",
        "lock",
        "mkcol",
        "move",
        "options",
        "patch",
        "post",
        "propfind",
        "proppatch",
        "put",
        "search",
        "trace",
        "unlock",
    ];
    let mut words = line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty());
    let (Some(method), Some(target), Some(version)) = (words.next(), words.next(), words.next()) else {
        return false;
    };
    METHODS.iter().any(|known| method.eq_ignore_ascii_case(known.as_bytes()))
        && (target.starts_with(b"/") || target == b"*" || memchr::memchr2(b':', b'.', target).is_some())
        && starts_with(version, "http/")
        && is_version(version.get(5..).unwrap_or_default())
}

/// A header field with a value of its kind.
fn is_header(line: &[u8], skips_location: bool) -> bool {
    let Some((name, value)) = memchr::memchr(b':', line).and_then(|at| line.split_at_checked(at)) else {
        return false;
    };
    let (name, value) = (name.trim_ascii(), value.get(1..).unwrap_or_default().trim_ascii_start());
    let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
    let first = value.first().copied().unwrap_or_default();
    if is("location") {
        let starts = ["http:", "https:", "/", "javascript:", "data:", "\\"];
        return !skips_location && starts.iter().any(|start| starts_with(value, start));
    }
    if is("content-length") || is("contentlength") || is("refresh") || is("x-xss-protection") {
        return first.is_ascii_digit();
    }
    let ends_in_set_cookie = name.len() >= 10
        && name.get(name.len() - 10..).is_some_and(|end| end.eq_ignore_ascii_case(b"set-cookie"))
        && !name.iter().any(u8::is_ascii_whitespace);
    ends_in_set_cookie && !value.is_empty()
        || first.is_ascii_alphanumeric()
            && [
                "content-type",
                "contenttype",
                "content-disposition",
                "content-encoding",
                "transfer-encoding",
                "last-modified",
                "x-frame-options",
            ]
            .iter()
            .any(|known| is(known))
        || starts_with(name, "access-control-allow-") && !value.is_empty()
}

fn starts_with(text: &[u8], start: &str) -> bool {
    text.get(..start.len()).is_some_and(|front| front.eq_ignore_ascii_case(start.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str, is_text: bool) -> Vec<Kind> {
        let mut found = Vec::new();
        lines(text.as_bytes(), is_text, |kind, _, _| found.push(kind));
        found
    }

    #[test]
    fn outside_text_every_line_counts() {
        assert_eq!(kinds("two words\r\nSet-Cookie: a=b\r\n\r\n<html>", false), [Kind::Header, Kind::Page]);
        assert_eq!(kinds("%\n0aSet-Cookie:a=b", false), [Kind::Header]);
        assert_eq!(kinds("GET / HTTP/1.1\nHost: a", false), [Kind::Request]);
        assert_eq!(kinds("Content-Length: many\nLocation: Berlin", false), []);
    }

    #[test]
    fn text_is_judged_by_its_first_break() {
        assert_eq!(kinds("en\r\nHTTP/1.1 200 OK", true), [Kind::Status]);
        assert_eq!(kinds("\nLocation: /a", true), [Kind::Header]);
        for quoted in [
            "Hello,\nmy server says\nHTTP/1.1 200 OK",
            "```\nGET / HTTP/1.1\n```",
            "Standup\nLocation: https://meet.example/1",
            "GET / HTTP/1.1\nHost: a",
            "Set-Cookie:a\nContent-Type:b",
        ] {
            assert_eq!(kinds(quoted, true), [], "{quoted}");
        }
    }
}
