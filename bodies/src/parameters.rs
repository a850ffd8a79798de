//! Parameters of `Content-Type` and `Content-Disposition` values (RFC 9110, section 5.6.6; RFC 2045, section 5.1), read to
//! the letter: what two parsers might read differently is a fault. It knows no parameter by name.

use std::borrow::Cow;

/// One parameter.
#[derive(Debug, PartialEq, Eq)]
pub struct Parameter<'v> {
    /// As written.
    pub name: &'v [u8],
    /// Without its quotes, quoted pairs resolved.
    pub value: Cow<'v, [u8]>,
    /// The value as written between its quotes, or the token.
    pub raw: &'v [u8],
    /// Its notation.
    pub form: Form,
}

/// The notation of a parameter's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `token`
    Token,
    /// `"quoted string"`
    Quoted,
}

/// The value does not follow the grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Broken;

/// The text before the first `;`, without white space around it, and the rest.
pub fn essence(value: &[u8]) -> (&[u8], &[u8]) {
    let end = memchr::memchr(b';', value).unwrap_or(value.len());
    let (essence, rest) = value.split_at_checked(end).unwrap_or((value, &[]));
    (essence.trim_ascii(), rest)
}

/// The parameters in `rest`, which is empty or begins with `;`. After a fault it ends.
pub fn parameters(rest: &[u8]) -> impl Iterator<Item = Result<Parameter<'_>, Broken>> {
    let mut rest = rest;
    std::iter::from_fn(move || {
        loop {
            rest = skip_space(rest);
            rest = match rest.split_first() {
                None => return None,
                Some((b';', after)) => skip_space(after),
                Some(_) => {
                    rest = &[];
                    return Some(Err(Broken));
                }
            };
            if rest.is_empty() || rest.first() == Some(&b';') {
                // An empty parameter; the grammar allows it, and everybody skips it.
                continue;
            }
            return match parameter(rest) {
                Some((parameter, after)) => {
                    rest = after;
                    Some(Ok(parameter))
                }
                None => {
                    rest = &[];
                    Some(Err(Broken))
                }
            };
        }
    })
}

/// `token "=" ( token / quoted-string )`, and what follows.
fn parameter(rest: &[u8]) -> Option<(Parameter<'_>, &[u8])> {
    let (name, rest) = token(rest)?;
    let rest = rest.strip_prefix(b"=")?;
    if let Some(inside) = rest.strip_prefix(b"\"") {
        let (raw, value, rest) = quoted(inside)?;
        return Some((Parameter { name, value, raw, form: Form::Quoted }, rest));
    }
    let (raw, rest) = token(rest)?;
    Some((Parameter { name, value: Cow::Borrowed(raw), raw, form: Form::Token }, rest))
}

/// The inside of a quoted string as written and as meant, and what follows its closing quote.
fn quoted(inside: &[u8]) -> Option<(&[u8], Cow<'_, [u8]>, &[u8])> {
    let mut at = 0;
    let mut pairs = false;
    loop {
        match inside.get(at)? {
            b'"' => break,
            b'\\' => {
                pairs = true;
                at += 2;
            }
            _ => at += 1,
        }
    }
    let (raw, rest) = inside.split_at_checked(at)?;
    let value = if pairs { Cow::Owned(unescape(raw)) } else { Cow::Borrowed(raw) };
    Some((raw, value, rest.get(1..)?))
}

fn unescape(raw: &[u8]) -> Vec<u8> {
    let mut value = Vec::with_capacity(raw.len());
    let mut bytes = raw.iter();
    while let Some(&byte) = bytes.next() {
        let meant = if byte == b'\\' { bytes.next().copied().unwrap_or(byte) } else { byte };
        value.push(meant);
    }
    value
}

/// A token of at least one character, and what follows.
pub fn token(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = rest.iter().position(|byte| !is_token(*byte)).unwrap_or(rest.len());
    if end == 0 { None } else { rest.split_at_checked(end) }
}

/// Returns `true` if `name` is `base` in an extended or continued form (RFC 2231, sections 3 and 4), which some readers resolve and
/// others take for another parameter.
pub fn is_extended(name: &[u8], base: &[u8]) -> bool {
    name.split_at_checked(base.len())
        .is_some_and(|(front, behind)| front.eq_ignore_ascii_case(base) && behind.first() == Some(&b'*'))
}

/// Returns `true` if all of `value` is one token.
pub fn is_whole_token(value: &[u8]) -> bool {
    matches!(token(value), Some((_, [])))
}

/// `tchar` of RFC 9110, section 5.6.2.
const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'!' | b'#'
                | b'$'
                | b'%'
                | b'&'
                | b'\''
                | b'*'
                | b'+'
                | b'-'
                | b'.'
                | b'^'
                | b'_'
                | b'`'
                | b'|'
                | b'~'
        )
}

fn skip_space(rest: &[u8]) -> &[u8] {
    let end = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t')).unwrap_or(rest.len());
    rest.get(end..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &str) -> (Vec<(String, String)>, bool) {
        let (_, rest) = essence(value.as_bytes());
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let all: Vec<_> = parameters(rest).collect();
        let good = all.iter().filter_map(|one| one.as_ref().ok());
        (good.map(|one| (text(one.name), text(&one.value))).collect(), all.iter().all(Result::is_ok))
    }

    #[test]
    fn parameters_follow_the_grammar() {
        for (value, expected) in [
            ("text/plain", &[][..]),
            ("text/plain;", &[]),
            ("text/plain; charset=utf-8", &[("charset", "utf-8")]),
            ("a/b;x=1 ;\ty=\"2;3\" ; ", &[("x", "1"), ("y", "2;3")]),
            (r#"form-data; name="a\"b\\""#, &[("name", "a\"b\\")]),
            ("form-data; name=\"\"", &[("name", "")]),
        ] {
            let expected: Vec<(String, String)> =
                expected.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
            assert_eq!(read(value), (expected, true), "{value}");
        }
    }

    #[test]
    fn what_parsers_read_differently_is_broken() {
        for value in [
            "a/b; charset = utf-8",
            "a/b; charset= utf-8",
            "a/b; charset",
            "a/b; =x",
            "a/b; x=",
            "a/b; x=\"y",
            "a/b; x=\"y\\",
            "a/b; x=\"y\"z",
            "a/b; x=a,b",
            "a/b; x=a b",
            "a/b; x=a/b",
            "a/b; x=(c)",
        ] {
            assert!(!read(value).1, "{value}");
        }
    }
}
