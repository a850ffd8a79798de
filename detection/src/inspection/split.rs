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

/// Name and value of an argument; `None` for the value when there is no `=`.
pub(super) fn argument(pair: &[u8]) -> (&[u8], Option<&[u8]>) {
    match memchr::memchr(b'=', pair).and_then(|at| pair.split_at_checked(at)) {
        Some((name, rest)) => (name, rest.get(1..)),
        None => (pair, None),
    }
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
