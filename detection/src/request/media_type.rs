//! The grammar of `Content-Type` (RFC 9110 section 8.3.1) as far as senders keep it: parameters one after the other, each
//! with a value. Looser than the letter where honest clients are: boundaries with bare punctuation, blanks around `=`.

/// `type/subtype`, without the white space around it.
pub(super) fn essence(value: &[u8]) -> &[u8] {
    value.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii()
}

/// Returns `true` if `text` is `type/subtype`.
pub(super) fn is_media_type(text: &[u8]) -> bool {
    let mut parts = text.split(|byte| *byte == b'/');
    let (Some(kind), Some(subtype), None) = (parts.next(), parts.next(), parts.next()) else { return false };
    is_token(kind) && is_token(subtype)
}

/// Returns `true` if `text` is a media type whose type is one of those registered (RFC 6838 section 4.2).
pub(super) fn is_registered(text: &[u8]) -> bool {
    const TYPES: &[&str] =
        &["application", "audio", "font", "image", "message", "model", "multipart", "text", "video"];
    let kind = text.split(|byte| *byte == b'/').next().unwrap_or_default();
    is_media_type(text) && TYPES.iter().any(|known| kind.eq_ignore_ascii_case(known.as_bytes()))
}

/// `1*tchar` (RFC 9110 section 5.6.2).
pub(super) fn is_token(text: &[u8]) -> bool {
    !text.is_empty()
        && text.iter().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte))
}

/// A parameter that is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Broken;

/// The parameters behind the media type.
#[derive(Debug, Clone)]
pub(super) struct Parameters<'a>(&'a [u8]);

impl<'a> Parameters<'a> {
    pub(super) fn of(value: &'a [u8]) -> Parameters<'a> {
        let start = memchr::memchr(b';', value).unwrap_or(value.len());
        Parameters(value.get(start..).unwrap_or_default())
    }
}

impl<'a> Iterator for Parameters<'a> {
    type Item = Result<(&'a [u8], &'a [u8]), Broken>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.0.iter().position(|byte| !matches!(byte, b';' | b' ' | b'\t'))?;
        let rest = self.0.get(start..)?;
        let (part, after) = rest.split_at_checked(end(rest)).unwrap_or((rest, b""));
        self.0 = after;
        Some(parameter(part))
    }
}

/// Offset at which the parameter at the start of `text` ends: at a `;` outside quotes.
fn end(text: &[u8]) -> usize {
    let (mut quoted, mut escaped) = (false, false);
    for (at, byte) in text.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b';' if !quoted => return at,
            _ => {}
        }
    }
    text.len()
}

fn parameter(part: &[u8]) -> Result<(&[u8], &[u8]), Broken> {
    let at = memchr::memchr(b'=', part).ok_or(Broken)?;
    let name = part.get(..at).unwrap_or_default().trim_ascii();
    let value = part.get(at + 1..).unwrap_or_default().trim_ascii();
    if !is_token(name) || value.is_empty() {
        return Err(Broken);
    }
    match value.strip_prefix(b"\"") {
        None if value.iter().any(|byte| matches!(byte, b'"' | b' ')) => Err(Broken),
        None => Ok((name, value)),
        Some(inner) => {
            let inner = inner.strip_suffix(b"\"").ok_or(Broken)?;
            let bare = inner.iter().enumerate().any(|(nth, byte)| {
                *byte == b'"' && nth.checked_sub(1).and_then(|before| inner.get(before)) != Some(&b'\\')
            });
            if bare { Err(Broken) } else { Ok((name, inner)) }
        }
    }
}

/// Labels of character sets whose lower half is ASCII, and of UTF-16, which parsers recognise. Families with numbers follow
/// in [`is_known_character_set`].
const CHARACTER_SETS: &[&str] = &[
    "ascii",
    "big5",
    "big5-hkscs",
    "binary",
    "cp866",
    "euc-jp",
    "euc-kr",
    "gb18030",
    "gb2312",
    "gbk",
    "ibm866",
    "iso-2022-jp",
    "koi8-r",
    "koi8-u",
    "ks_c_5601-1987",
    "latin1",
    "latin2",
    "macintosh",
    "ms932",
    "shift-jis",
    "shift_jis",
    "sjis",
    "tis-620",
    "us-ascii",
    "utf-16",
    "utf-16be",
    "utf-16le",
    "utf-8",
    "utf8",
    "windows-31j",
    "windows-874",
    "x-sjis",
];

/// Returns `true` for a character set in which text is what it looks like, or which is decoded before it is looked at.
pub(super) fn is_known_character_set(label: &[u8]) -> bool {
    let mut lower = [0; 24];
    let label = label.trim_ascii();
    let label = label.strip_prefix(b"'").and_then(|inner| inner.strip_suffix(b"'")).unwrap_or(label);
    let Some(lower) = lower.get_mut(..label.len()) else { return false };
    for (to, from) in lower.iter_mut().zip(label) {
        *to = from.to_ascii_lowercase();
    }
    let lower = &*lower;
    let numbered = |prefix: &str, last: u32| {
        let digits = lower.strip_prefix(prefix.as_bytes()).and_then(|digits| str::from_utf8(digits).ok());
        digits
            .and_then(|digits| digits.parse::<u32>().ok())
            .is_some_and(|number| (1..=last).contains(&number))
    };
    CHARACTER_SETS.iter().any(|known| lower == known.as_bytes())
        || numbered("iso-8859-", 16)
        || numbered("iso8859-", 16)
        || numbered("iso_8859-", 16)
        || lower == b"windows-1250"
        || numbered("windows-125", 8)
        || numbered("cp125", 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_one_by_one() {
        let all = |text: &'static str| Parameters::of(text.as_bytes()).collect::<Vec<_>>();
        assert_eq!(all("text/plain"), []);
        assert_eq!(all("text/plain; ;"), []);
        assert_eq!(
            all("a/b; charset = \"utf-8\" ;x=\"a;\\\"b\""),
            [Ok((&b"charset"[..], &b"utf-8"[..])), Ok((b"x", b"a;\\\"b"))]
        );
        assert_eq!(all("a/b;boundary=--x:(1,2)+y"), [Ok((&b"boundary"[..], &b"--x:(1,2)+y"[..]))]);
        for broken in ["a/b;c", "a/b;=c", "a/b;c=", "a/b;c=\"d", "a/b;c=d e", "a/b;c=\"d\"e", "a/b;c d=e"] {
            assert_eq!(all(broken), [Err(Broken)], "{broken}");
        }
    }

    #[test]
    fn character_sets_are_known_by_their_labels() {
        for label in
            ["UTF-8", "'utf-8'", "iso-8859-15", "Windows-1252", "windows-1250", "shift_jis", "cp1251"]
        {
            assert!(is_known_character_set(label.as_bytes()), "{label}");
        }
        for label in
            ["", "utf-7", "UTF-80", "ibm037", "iso-8859-99", "windows-1259", "cp037", "garbage", "utf-32"]
        {
            assert!(!is_known_character_set(label.as_bytes()), "{label}");
        }
    }
}
