//! Splitting a head's parts into fields. Pure functions over bytes; nothing is decoded here.

/// Segments of a path, without the empty ones.
pub(super) fn segments(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/').filter(|segment| !segment.is_empty())
}

/// Name and value of each cookie. A pair without `=` is a value without a name, as servers read it.
pub(super) fn cookies(header: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    header.split(|byte| *byte == b';').map(<[u8]>::trim_ascii).filter(|pair| !pair.is_empty()).map(|pair| {
        match memchr::memchr(b'=', pair).and_then(|at| pair.split_at_checked(at)) {
            Some((name, value)) => (name.trim_ascii_end(), unquote(value.get(1..).unwrap_or_default())),
            None => (&[][..], pair),
        }
    })
}

/// RFC 6265 allows a value in double quotes.
fn unquote(value: &[u8]) -> &[u8] {
    let value = value.trim_ascii_start();
    value.strip_prefix(b"\"").and_then(|inner| inner.strip_suffix(b"\"")).unwrap_or(value)
}

/// Cookies in quotes as readers of quoted strings see them (RFC 2109; Python's and Java's servers): a semicolon within the
/// quotes belongs to the value, and a backslash begins an escape. Only those that hold either.
pub(super) fn quoted_cookies(header: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut rest = header;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let end = memchr::memchr(b';', rest).unwrap_or(rest.len());
            let (pair, after) = rest.split_at_checked(end)?;
            let found = memchr::memchr(b'=', pair).and_then(|at| {
                let value = rest.get(at + 1..)?.trim_ascii_start();
                let (inner, behind) = quoted(value.strip_prefix(b"\"")?)?;
                Some((pair.get(..at)?.trim_ascii(), inner, behind))
            });
            let Some((name, inner, behind)) = found else {
                rest = after.get(1..).unwrap_or_default();
                continue;
            };
            let end = memchr::memchr(b';', behind).map_or(behind.len(), |at| at + 1);
            rest = behind.get(end..).unwrap_or_default();
            if memchr::memchr2(b';', b'\\', inner).is_some() {
                return Some((name, inner));
            }
        }
        None
    })
}

/// The inside of a quoted string whose opening quote has been taken off, and what follows its closing quote.
fn quoted(inside: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut at = 0;
    loop {
        at += memchr::memchr2(b'"', b'\\', inside.get(at..)?)?;
        if inside.get(at) == Some(&b'"') {
            return Some((inside.get(..at)?, inside.get(at + 1..)?));
        }
        at += 2;
    }
}

/// Takes the escapes of a quoted cookie off: `\ooo` is a byte, a backslash before anything else is dropped.
pub(super) fn unescape(quoted: &[u8]) -> Vec<u8> {
    let mut value = Vec::with_capacity(quoted.len());
    let mut rest = quoted;
    while let Some((&byte, after)) = rest.split_first() {
        let (meant, after) = match (byte, after) {
            (b'\\', [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', after @ ..]) => {
                ((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'), after)
            }
            (b'\\', [escaped, after @ ..]) => (*escaped, after),
            _ => (byte, after),
        };
        value.push(meant);
        rest = after;
    }
    value
}

/// True for the URL of a page: scheme, authority and visible characters alone, none of which ends a quotation.
pub(super) fn is_url(value: &[u8]) -> bool {
    let rest = value.strip_prefix(b"http").map(|rest| rest.strip_prefix(b"s").unwrap_or(rest));
    let is_character = |byte: &u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'<' | b'>' | b'`');
    rest.and_then(|rest| rest.strip_prefix(b"://")).is_some_and(|rest| rest.iter().all(is_character))
}

/// A name without the rest of a character reference, which pages that write `&` as `&amp;` twice put before it.
pub(super) fn without_reference(name: &[u8]) -> &[u8] {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    name.strip_prefix(b"amp;").filter(|rest| !rest.is_empty() && rest.iter().all(is_word)).unwrap_or(name)
}

/// True for a component of a query or form that is a lone value, or a value behind what could be a name.
pub(super) fn is_pair(component: &[u8]) -> bool {
    let (name, value) = argument(component);
    value.is_none() || is_name(name)
}

/// True for a component that could be part of a list of names and values.
pub(super) fn is_listed(component: &[u8]) -> bool {
    is_name(argument(component).0)
}

/// True without quotes, brackets of markup and of calls, and spaces: none of them is a name's.
pub(super) fn is_name(name: &[u8]) -> bool {
    let mut rest = name;
    while let Some((byte, after)) = decoded(rest) {
        rest = after;
        let is_mark = matches!(
            byte,
            b'"' | b'\'' | b'(' | b')' | b';' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'}' | 0x7f
        );
        if is_mark || byte <= b' ' {
            return false;
        }
    }
    true
}

/// The byte that a name goes on with, percent coding taken off, and what follows.
fn decoded(rest: &[u8]) -> Option<(u8, &[u8])> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let (&byte, after) = rest.split_first()?;
    match (byte, after) {
        (b'%', [high, low, after @ ..]) => match digit(high).zip(digit(low)) {
            Some((high, low)) => Some((high << 4 | low, after)),
            None => Some((byte, rest.get(1..)?)),
        },
        (b'+', _) => Some((b' ', after)),
        _ => Some((byte, after)),
    }
}

/// Name and value of an argument; `None` for the value when there is no `=`.
pub(super) fn argument(pair: &[u8]) -> (&[u8], Option<&[u8]>) {
    waf_bodies::form::name_and_value(pair)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_are_split_as_servers_do() {
        let all: Vec<_> = cookies(b"a=1; b = \"x=y\";; lone ; c=").collect();
        let expected: [(&[u8], &[u8]); 4] = [(b"a", b"1"), (b"b", b"x=y"), (b"", b"lone"), (b"c", b"")];
        assert_eq!(all, expected);
    }

    #[test]
    fn quoted_cookies_are_split_as_readers_of_quoted_strings_do() {
        let all = |header: &'static str| {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            quoted_cookies(header.as_bytes())
                .map(|(name, value)| (text(name), text(&unescape(value))))
                .collect::<Vec<_>>()
        };
        let one = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
        assert_eq!(all(r#"a="x;y"; b=2"#), one("a", "x;y"));
        assert_eq!(all(r#"n=1; a = "1\073id\047";b="2""#), one("a", "1;id'"));
        assert_eq!(all(r#"a="q\"; x=\"y"; b="2""#), one("a", r#"q"; x="y"#));
        assert_eq!(all(r#"a="1;2"; b="3;4""#), [one("a", "1;2"), one("b", "3;4")].concat());
        assert!(all(r#"a="x"; b=y"z;w"; c="open; d=1"#).is_empty());
        assert!(all(r#"a="x\"#).is_empty() && all("").is_empty());
    }

    #[test]
    fn pairs_have_names() {
        for component in [
            "a=1",
            "filter[a][]=1",
            "a%5B0%5D=<b>",
            "flag",
            "<b onclick",
            "$top=1",
            "ns:a.b-c_d=",
            "Gr%C3%B6sse=1",
        ] {
            assert!(is_pair(component.as_bytes()), "{component}");
        }
        for component in
            ["<x onblur=alert(1)>", "%3Cx%20a=b", "1'or'1'='1", "a+b=c", "a;b=c", "{\"a\":\"b=\"}"]
        {
            assert!(!is_pair(component.as_bytes()), "{component}");
        }
    }

    #[test]
    fn arguments_split_at_the_first_equals_sign() {
        assert_eq!(argument(b"a=b=c"), (&b"a"[..], Some(&b"b=c"[..])));
        assert_eq!(argument(b"flag"), (&b"flag"[..], None));
        assert_eq!(argument(b"=v"), (&b""[..], Some(&b"v"[..])));
    }

    #[test]
    fn segments_skip_what_is_empty() {
        assert_eq!(segments(b"//a/b%2fc/").collect::<Vec<_>>(), [&b"a"[..], b"b%2fc"]);
    }
}
