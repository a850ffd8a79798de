//! Reads bytes as a browser reads an address: character references decoded, white space, controls and invisible
//! characters left out, in lower case. Finds schemes that run code.

use super::reference::reference;
use crate::script::{attribute, word};

/// Most raw bytes that a scheme may be spread over, so that looking for one is constant work.
const SCHEME_BYTES_MAX: usize = 320;

/// A scheme whose addresses run code or bring a document of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scheme {
    /// `javascript:`, `vbscript:`, `livescript:`, `jscript:`, `mocha:`.
    Script,
    /// `data:` with a type that browsers run: HTML, SVG, XML, scripts.
    Document,
    /// `data:` with another type, or none.
    Data,
}

/// A scheme found at the beginning of some bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    /// Which.
    pub scheme: Scheme,
    /// Offset of the first byte behind the colon.
    pub end: usize,
    /// Whether it was written with control bytes, references or escapes in it; spaces alone are what prose has.
    pub disguised: bool,
}

/// The scheme at the beginning of `bytes`, if it is a dangerous one.
pub(super) fn scheme(bytes: &[u8]) -> Option<Found> {
    let mut fold = Fold::new(bytes.get(..SCHEME_BYTES_MAX).unwrap_or(bytes));
    let mut word = [0u8; 10];
    let mut length = 0;
    let mut disguised = false;
    loop {
        let gap_from = fold.at;
        let byte = fold.next()?;
        let plain = bytes.get(gap_from..fold.at)?.split_last()?.1.iter().all(|&gap| gap == b' ');
        disguised |= length > 0 && !plain || length == 0 && fold.at > fold.begin + 1;
        if byte == b':' && word.get(..length) == Some(b"feed") {
            // A wrapper: what follows is read as an address again.
            length = 0;
            continue;
        }
        if byte == b':' {
            break;
        }
        if !byte.is_ascii_alphabetic()
            || length == 0 && !matches!(byte, b'j' | b'v' | b'l' | b'm' | b'd' | b'f')
        {
            return None;
        }
        *word.get_mut(length)? = byte;
        length += 1;
    }
    let word = word.get(..length)?;
    let found = |scheme| Some(Found { scheme, end: fold.at, disguised });
    match word {
        b"javascript" | b"vbscript" | b"livescript" | b"jscript" | b"mocha" => found(Scheme::Script),
        b"data" => {
            let mut kind = [0u8; 24];
            let mut length = 0;
            for (slot, byte) in kind.iter_mut().zip(fold.clone()) {
                *slot = byte;
                length += 1;
            }
            found(data_scheme(kind.get(..length)?))
        }
        _ => None,
    }
}

fn data_scheme(kind: &[u8]) -> Scheme {
    let runs: [&[u8]; 11] = [
        b"text/html",
        b"text/xml",
        b"text/javascript",
        b"text/ecmascript",
        b"application/javascript",
        b"application/ecmascript",
        b"text/css",
        b"image/svg",
        b"application/xml",
        b"application/xhtml",
        b"application/x-",
    ];
    if runs.iter().any(|run| kind.starts_with(run)) { Scheme::Document } else { Scheme::Data }
}

/// Whether an address with a script scheme, whose rest is `rest`, is a harmless filler (`javascript:void(0)`, `javascript:;`).
pub(super) fn is_filler(rest: &[u8]) -> bool {
    let mut text = [0u8; 10];
    let mut length = 0;
    for byte in Fold::new(rest.get(..64).unwrap_or(rest)) {
        let Some(slot) = text.get_mut(length) else { return false };
        *slot = byte;
        length += 1;
    }
    matches!(
        text.get(..length),
        Some(b"" | b";" | b"void(0)" | b"void(0);" | b"void0" | b"void0;" | b"//" | b"#")
    )
}

/// Whether `rest`, which follows a bare `javascript:`, reads as code and not as the rest of a title.
pub(super) fn reads_as_code(rest: &[u8]) -> bool {
    let mut rest = rest.get(..256).unwrap_or(rest);
    let length = rest.len();
    // A title may still be written as forms write it.
    while let Some(behind) = match rest {
        [byte, behind @ ..] if byte.is_ascii_whitespace() || *byte == b'+' => Some(behind),
        [b'%', b'2', b'0', behind @ ..] => Some(behind),
        _ => None,
    } {
        rest = behind;
    }
    let blanks = length - rest.len();
    let word = rest.iter().take_while(|&&byte| word::continues_name(byte)).count();
    let Some(&next) = rest.get(word) else { return false };
    if word == 0 {
        return next.is_ascii_punctuation() && !matches!(next, b',' | b'.' | b'?' | b':')
            || next >= 0x80 && blanks == 0;
    }
    match next {
        b'%' => rest.get(word + 1..word + 3) != Some(b"20"),
        b'(' | b'=' | b'`' | b'[' | b';' | b'/' | b'*' | b'\\' | b'&' => true,
        b'.' | b'?' | b'-' => {
            let tail = rest.get(word..).unwrap_or_default();
            let end = tail.iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
            tail.iter().take(end).any(|byte| matches!(byte, b'(' | b'=' | b'`' | b'['))
        }
        b' ' | b'\t' | b'\n' => {
            let keyword = rest.get(..word).unwrap_or_default();
            let tail = rest.get(word + 1..).unwrap_or_default();
            let call = tail.iter().any(|byte| matches!(byte, b'(' | b'=' | b'`'));
            attribute::is_statement_keyword(keyword) && call
                || blanks == 0 && tail.first().is_some_and(|byte| matches!(byte, b'(' | b'=' | b'`'))
        }
        _ => false,
    }
}

/// Iterator over the folded bytes. Characters beyond ASCII come out as their own bytes.
#[derive(Debug, Clone)]
pub(super) struct Fold<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where the unit that was given last begins.
    begin: usize,
}

impl<'a> Fold<'a> {
    /// Of `bytes`.
    pub(super) fn new(bytes: &'a [u8]) -> Fold<'a> {
        Fold { bytes, at: 0, begin: 0 }
    }

    /// One unit at the current offset: what it stands for and how many bytes it takes.
    fn unit(&self) -> Option<(u32, usize)> {
        let rest = self.bytes.get(self.at..)?;
        let first = *rest.first()?;
        let special = match first {
            b'&' => reference(rest),
            b'\\' => escape(rest),
            b'%' => hex(rest.get(1..)?, 2).map(|(value, _)| (value, 3)).filter(|&(value, _)| value <= 0x20),
            // Spaces beyond ASCII, soft hyphens and other characters that take no room.
            0xc2 if matches!(rest.get(1), Some(0xa0 | 0xad)) => Some((0, 2)),
            0xe1 if matches!(rest.get(1..3), Some([0x9a, 0x80] | [0xa0, 0x8e])) => Some((0, 3)),
            0xe3 if rest.get(1..3) == Some(&[0x80, 0x80]) => Some((0, 3)),
            0xe2 if rest.get(1) == Some(&0x80) && matches!(rest.get(2), Some(0x80..=0x8f | 0xa8..=0xaf)) => {
                Some((0, 3))
            }
            0xef if rest.get(1..3) == Some(&[0xbb, 0xbf]) => Some((0, 3)),
            _ => None,
        };
        Some(special.unwrap_or((u32::from(first), 1)))
    }
}

impl Iterator for Fold<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        loop {
            let (value, length) = self.unit()?;
            self.begin = self.at;
            self.at += length;
            match u8::try_from(value) {
                Ok(0..=b' ' | 0x7f) => {}
                Ok(byte) => return Some(byte.to_ascii_lowercase()),
                Err(_) => return Some(0xff),
            }
        }
    }
}

/// A `\xHH`, `\uHHHH` or CSS-like gap at the beginning of `text` (which starts with a backslash).
fn escape(text: &[u8]) -> Option<(u32, usize)> {
    match text.get(1)? {
        b'x' | b'X' => hex(text.get(2..)?, 2).map(|(value, length)| (value, 2 + length)),
        b'u' | b'U' => hex(text.get(2..)?, 4).map(|(value, length)| (value, 2 + length)),
        b't' | b'n' | b'r' => {
            Some((u32::from(b' '), 2)).filter(|_| !text.get(2).is_some_and(u8::is_ascii_digit))
        }
        b'\\' | b'\n' => Some((0, 1)),
        _ => None,
    }
}

fn hex(digits: &[u8], count: usize) -> Option<(u32, usize)> {
    let digits = digits.get(..count)?;
    let mut value = 0u32;
    for &digit in digits {
        value = value * 16 + char::from(digit).to_digit(16)?;
    }
    Some((value, count))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;

    #[test]
    fn schemes_are_seen_through_disguises() {
        for text in [
            "javascript:alert(1)",
            " \u{1}JaVaScRiPt :x",
            "java\tscr\0ipt:x",
            "ja&Tab;va&NewLine;script&colon;x",
            "ja&tab;vascript: ",
            "&#106;&#x61;&#0000118ascript:x",
            "\\x6aava\\u0073cript:",
            "v&newline;b&tab;script:",
        ] {
            assert_eq!(scheme(text.as_bytes()).map(|found| found.scheme), Some(Scheme::Script), "{text}");
        }
        assert!(!scheme(b"javascript:x").unwrap().disguised);
        assert!(scheme(b"java\tscript:x").unwrap().disguised);
        assert_eq!(scheme(b"data:text/html,x").unwrap().scheme, Scheme::Document);
        assert_eq!(scheme(b"data:image/png;base64,x").unwrap().scheme, Scheme::Data);
        for text in
            ["https://example.com/", "typescript:x", "java script", "mailto:a@b.c", "javascripts:x", ""]
        {
            assert_eq!(scheme(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn titles_are_not_code() {
        for text in [
            " the good parts",
            " The Definitive Guide (7th edition)",
            "es,es6",
            " Node.js (v18)",
            " 5 years",
            "+Basics+of+it+(2nd)",
            "%20Basics%20of",
            "",
        ] {
            assert!(!reads_as_code(text.as_bytes()), "{text}");
        }
        for text in [
            "alert(1)",
            "a=1",
            "//%0aalert(1)",
            " var x = 1",
            "'\\74'",
            "document.title='x'",
            "\u{feff}alert(1)",
        ] {
            assert!(reads_as_code(text.as_bytes()), "{text}");
        }
        assert!(is_filler(b"void(0)") && is_filler(b" void 0;") && !is_filler(b"alert(1)"));
    }
}
