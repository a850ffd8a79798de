//! Lines of access logs as text: the common and the combined format of Apache and nginx, also behind the name of a virtual
//! host, and the default format of Envoy. They differ by what comes in front of the time and behind the request.

use std::borrow::Cow;

use super::request::{Line, Logged, Noted, request_line};

/// Reads a line; `default_host` is the host where the format has none.
pub(super) fn read<'a>(line: &'a [u8], default_host: &'a str) -> Line<'a> {
    let Some((request, logged)) = parse(line) else { return Line::Unreadable };
    let parts = match request {
        Cow::Borrowed(request) => {
            request_line(request).map(|(method, target)| (Cow::Borrowed(method), Cow::Borrowed(target)))
        }
        Cow::Owned(request) => request_line(&request)
            .map(|(method, target)| (Cow::Owned(method.to_vec()), Cow::Owned(target.to_vec()))),
    };
    match parts {
        Some((method, target)) => Line::Request(Logged { method, target, ..logged }.request(default_host)),
        None => Line::NotHttp,
    }
}

/// The request line and what else the log has.
fn parse(line: &[u8]) -> Option<(Cow<'_, [u8]>, Logged<'_>)> {
    let at = find(line, b"] \"")?;
    let front = line.get(..at)?;
    let bracket = front.iter().position(|byte| *byte == b'[')?;
    let (request, rest) = quoted(line.get(at + 2..)?)?;
    let rest = rest.trim_ascii_start();
    let status = rest.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    let status = std::str::from_utf8(status).ok().and_then(|text| text.parse().ok());
    let mut values = Quoted(rest);
    let mut note = || values.next().map_or(Noted::Unknown, Noted::of);
    let mut logged = Logged { status, ..Logged::default() };
    if bracket == 0 {
        // Envoy: X-Forwarded-For, User-Agent, the request id, the authority, the upstream.
        let _ = note();
        logged.user_agent = note();
        let _ = note();
        logged.host = note();
    } else {
        logged.referer = note();
        logged.user_agent = note();
        logged.host = virtual_host(front.get(..bracket)?);
    }
    Some((request, logged))
}

/// The host in front of `address identity user `, where four words are there.
fn virtual_host(front: &[u8]) -> Noted<'_> {
    let words: Vec<&[u8]> =
        front.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).take(5).collect();
    // A user name may contain a space: the first word must look like a name and a port, or the second like an address.
    let [first, second, _, _] = words.as_slice() else { return Noted::Unknown };
    if !is_address(second) {
        return Noted::Unknown;
    }
    let name = match first.iter().rposition(|byte| *byte == b':') {
        Some(at) if first.get(at + 1..).is_some_and(|port| port.iter().all(u8::is_ascii_digit)) => {
            first.get(..at).unwrap_or_default()
        }
        _ => first,
    };
    Noted::of(Cow::Borrowed(name))
}

fn is_address(word: &[u8]) -> bool {
    std::str::from_utf8(word).is_ok_and(|word| word.parse::<std::net::IpAddr>().is_ok())
}

/// The values between quotes that are left.
struct Quoted<'a>(&'a [u8]);

impl<'a> Iterator for Quoted<'a> {
    type Item = Cow<'a, [u8]>;

    fn next(&mut self) -> Option<Cow<'a, [u8]>> {
        let at = self.0.iter().position(|byte| *byte == b'"')?;
        let (value, rest) = quoted(self.0.get(at..)?)?;
        self.0 = rest;
        Some(value)
    }
}

/// A value between quotes at the beginning, its escapes taken off, and what follows it.
fn quoted(bytes: &[u8]) -> Option<(Cow<'_, [u8]>, &[u8])> {
    let inner = bytes.strip_prefix(b"\"")?;
    let mut at = 0;
    loop {
        match inner.get(at)? {
            b'"' => break,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    let (value, rest) = (inner.get(..at)?, inner.get(at + 1..)?);
    Some((unescaped(value), rest))
}

/// Escapes of Apache and nginx: `\"`, `\\`, `\n`, `\x1F`.
fn unescaped(value: &[u8]) -> Cow<'_, [u8]> {
    if !value.contains(&b'\\') {
        return Cow::Borrowed(value);
    }
    let mut out = Vec::with_capacity(value.len());
    let mut rest = value;
    while let Some((first, behind)) = rest.split_first() {
        let (byte, used) = match (first, behind) {
            (b'\\', [b'x' | b'X', high, low, ..]) if hex(*high).is_some() && hex(*low).is_some() => {
                (hex(*high).unwrap_or(0) << 4 | hex(*low).unwrap_or(0), 4)
            }
            (b'\\', [next, ..]) => (escape(*next), 2),
            (byte, _) => (*byte, 1),
        };
        out.push(byte);
        rest = rest.get(used..).unwrap_or_default();
    }
    Cow::Owned(out)
}

fn escape(byte: u8) -> u8 {
    match byte {
        b'b' => 8,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 11,
        b'f' => 12,
        b'r' => b'\r',
        other => other,
    }
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

fn find(bytes: &[u8], mark: &[u8]) -> Option<usize> {
    bytes.windows(mark.len()).position(|window| window == mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Method, target, host, user agent and referer, `-` where there is none; a word for lines without a request.
    fn shown(line: &str) -> String {
        match read(line.as_bytes(), "default.example") {
            Line::Unreadable => "unreadable".to_owned(),
            Line::NotHttp => "not HTTP".to_owned(),
            Line::Request(mut request) => {
                let status = request.status.unwrap_or(0);
                let recorded = request.recorded();
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                let field = |name| recorded.field(name).map_or("-".to_owned(), text);
                let agent = field("user-agent").split('/').next().unwrap_or_default().to_owned();
                let [method, target] = [recorded.method, recorded.target].map(text);
                format!("{method} {target} {} {agent} {} {status}", field("host"), field("referer"))
            }
        }
    }

    #[test]
    fn formats_of_servers_are_recognised() {
        for (line, expected) in [
            (
                r#"192.0.2.1 - - [23/Nov/2026:08:07:35 +0000] "GET /a?b=1 HTTP/1.1" 200 12"#,
                "GET /a?b=1 default.example Mozilla - 200",
            ),
            (
                r#"192.0.2.1 - ann lee [23/Nov/2026:08:07:35 +0000] "GET /a HTTP/2.0" 304 0 "https://a.example/" "curl/8""#,
                "GET /a default.example curl https://a.example/ 304",
            ),
            (
                r#"shop.example:443 192.0.2.1 - - [23/Nov/2026:08:07:35 +0000] "POST /a HTTP/1.1" 200 1 "-" "-""#,
                "POST /a shop.example - - 200",
            ),
            (
                r#"::1 - - [23/Nov/2026:08:07:35 +0000] "GET /a%22 HTTP/1.1" 404 0 "-" "x/\"y\\" "192.0.2.9""#,
                "GET /a%22 default.example x - 404",
            ),
            (
                r#"192.0.2.1 - - [x] "GET /\x22\x3Cb\x3E\\ HTTP/1.1" 400 0 "-" "y/1""#,
                "GET /\"<b>\\ default.example y - 400",
            ),
            (
                r#"[2026-11-23T08:07:35.734Z] "GET /a HTTP/2" 200 - 0 12 3 2 "192.0.2.1" "agent/1" "0199a1c4" "api.example" "10.0.0.1:80""#,
                "GET /a api.example agent - 200",
            ),
            (r#"192.0.2.1 - - [x] "\x16\x03\x01\x02\x00" 400 150 "-" "-""#, "not HTTP"),
            (r#"192.0.2.1 - - [x] "-" 408 0 "-" "-""#, "not HTTP"),
            (r#"192.0.2.1 - - [x] "" 400 0 "-" "-""#, "not HTTP"),
            (r#"192.0.2.1 - - [x] "GET /" 400 0 "-" "-""#, "not HTTP"),
            (r#"192.0.2.1 - - [x] "GET / HTTP/1.1"#, "unreadable"),
            (r#"192.0.2.1 - - x "GET / HTTP/1.1" 200 1"#, "unreadable"),
            ("Nov 23 08:07:35 host systemd[1]: Started.", "unreadable"),
            ("", "unreadable"),
            ("] \"", "unreadable"),
        ] {
            assert_eq!(shown(line), expected, "{line}");
        }
    }
}
