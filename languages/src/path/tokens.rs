//! Finds the paths in a value.

use super::resolved::{Origin, Token};

/// Schemes that open local files.
const LOCAL_SCHEMES: &[&[u8]] = &[
    b"file",
    b"local_file",
    b"php",
    b"zip",
    b"phar",
    b"glob",
    b"compress.zlib",
    b"compress.bzip2",
    b"netdoc",
    b"jar",
    b"view-source",
];

/// Every maximal run without bytes that end a path, that holds a separator, starts with a dot, or is the whole value.
pub fn tokens(value: &[u8]) -> impl Iterator<Item = Token<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = value.get(at..).filter(|rest| !rest.is_empty())?;
            let length = length(rest);
            let (start, run) = (at, rest.get(..length).unwrap_or_default());
            at += length.max(1);
            let whole = run.len() == value.len();
            let telling = run.iter().any(|byte| matches!(byte, b'/' | b'\\')) || run.first() == Some(&b'.');
            if !run.is_empty() && (whole || telling) {
                let before = start.checked_sub(1).and_then(|before| value.get(before)).copied();
                return Some(token(run, start, before));
            }
        }
    })
}

/// Length of the run at the start of `rest`.
fn length(rest: &[u8]) -> usize {
    let drive = is_drive(rest) || rest.starts_with(b"../") || rest.starts_with(b"..\\");
    let mut last_dot = false;
    for (at, byte) in rest.iter().enumerate() {
        let ends = match byte {
            b';' => !last_dot,
            // `C:\Program Files\x` goes on after the space, `C:\x is` does not.
            b' ' if drive => !continues(rest.get(at + 1..).unwrap_or_default()),
            byte => is_delimiter(*byte),
        };
        if ends {
            return at;
        }
        last_dot = *byte == b'.';
    }
    rest.len()
}

const fn is_delimiter(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t'
            | b'\n'
            | b'\r'
            | b'"'
            | b'\''
            | b'`'
            | b'<'
            | b'>'
            | b'|'
            | b','
            | b'('
            | b')'
            | b'['
            | b']'
            | b'{'
            | b'}'
            | b'='
            | b'&'
            | b'?'
            | b'#'
    )
}

/// Bytes of a directory's name in which a path that goes on after a space must have its next separator.
const NAME_BYTES_MAX: usize = 32;

fn continues(rest: &[u8]) -> bool {
    rest.iter()
        .take(NAME_BYTES_MAX)
        .take_while(|byte| !is_delimiter(**byte))
        .any(|byte| matches!(byte, b'\\' | b'/'))
}

fn is_drive(run: &[u8]) -> bool {
    matches!(run, [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic())
}

fn token(run: &[u8], offset: usize, before: Option<u8>) -> Token<'_> {
    let plain = |bytes, origin| Token { offset, bytes, origin, by_scheme: false, before };
    if is_drive(run) {
        return plain(run.get(2..).unwrap_or_default(), Origin::Absolute);
    }
    if let Some(bytes) = behind_local_scheme(run) {
        return Token { offset, bytes, origin: Origin::Absolute, by_scheme: true, before };
    }
    if let Some(colon) = memchr::memmem::rfind(run, b":/") {
        let path = run.get(colon + 1..).unwrap_or_default();
        if let Some(authority) = path.strip_prefix(b"//") {
            let host =
                authority.iter().position(|byte| matches!(byte, b'/' | b'\\')).unwrap_or(authority.len());
            return plain(authority.get(host..).unwrap_or_default(), Origin::Url);
        }
        return plain(path, Origin::Absolute);
    }
    let path = run.strip_prefix(b"@").unwrap_or(run);
    let absolute = matches!(path.first(), Some(b'/' | b'\\'));
    plain(path, if absolute { Origin::Absolute } else { Origin::Relative })
}

/// The path behind the last scheme that opens local files: `file:/etc`, `file:\\\c:\`, `jar:file:///c:/x`. What stands before a
/// drive is no path.
fn behind_local_scheme(run: &[u8]) -> Option<&[u8]> {
    let colons = memchr::memchr_iter(b':', run);
    let mut path = None;
    for colon in colons.take(SCHEMES_MAX) {
        let (head, tail) = run.split_at_checked(colon)?;
        let scheme = head.rsplit(|byte| !is_scheme_byte(*byte)).next().unwrap_or_default();
        let tail = tail.get(1..).unwrap_or_default();
        if matches!(tail.first(), Some(b'/' | b'\\'))
            && LOCAL_SCHEMES.iter().any(|local| scheme.eq_ignore_ascii_case(local))
        {
            let slashes = tail.iter().take_while(|byte| matches!(byte, b'/' | b'\\')).count();
            let rest = tail.get(slashes..).unwrap_or_default();
            path = Some(if is_drive(rest) { rest.get(2..).unwrap_or_default() } else { tail });
        }
    }
    path
}

/// Schemes before one path that are read.
const SCHEMES_MAX: usize = 8;

const fn is_scheme_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-' | b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(value: &str) -> Vec<(String, Origin)> {
        tokens(value.as_bytes()).map(|t| (String::from_utf8_lossy(t.bytes).into_owned(), t.origin)).collect()
    }

    fn one(value: &str, path: &str, origin: Origin) {
        assert_eq!(all(value), [(path.to_owned(), origin)], "{value}");
    }

    #[test]
    fn paths_are_found_with_their_origin() {
        one("/etc/passwd", "/etc/passwd", Origin::Absolute);
        one("file:///etc/passwd", "///etc/passwd", Origin::Absolute);
        one("file:/etc/passwd", "/etc/passwd", Origin::Absolute);
        one("https://example.org/a/../b?x", "/a/../b", Origin::Url);
        one(
            r"C:\Program Files\Apache Group\conf\httpd.conf",
            r"\Program Files\Apache Group\conf\httpd.conf",
            Origin::Absolute,
        );
        one("cat</etc/passwd", "/etc/passwd", Origin::Absolute);
        one(r"file:\\\C:\x", r"\x", Origin::Absolute);
        one("file:///c://windows/win.ini", "//windows/win.ini", Origin::Absolute);
        one("jar:file:/a.jar", "/a.jar", Origin::Absolute);
        one("docs/readme.md", "docs/readme.md", Origin::Relative);
        one("..;/manager", "..;/manager", Origin::Relative);
        assert_eq!(all("a word and 1..2 and wait...").len(), 0);
        assert_eq!(all("see /etc/hosts, or ../x").len(), 2);
    }
}
