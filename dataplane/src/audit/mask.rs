//! Masking of values that events must not carry: values of fields that are named like passwords, tokens, secrets,
//! credentials, session cookies or payment cards. Masking reads names and separators, never values: it cannot tell a
//! secret by its look.

use std::borrow::Cow;

/// Replacement of a value that was taken out.
pub(super) const MASK: &str = "***";

/// Parts of a name, in lower case without punctuation, that make its value a secret, by the letter that they begin
/// with.
const fn parts(first: u8) -> &'static [&'static str] {
    match first {
        b'a' => &["authorization", "authentication", "apikey", "accesskey"],
        b'c' => &["credential", "creditcard", "cardnumber", "cardnum", "cardno", "ccnum", "ccno", "cvv"],
        b'd' => &["debitcard"],
        b'j' => &["jwt"],
        b'l' => &["loggedin"],
        b'p' => &["password", "passwd", "passwort", "passphrase", "passcode", "pwd", "privatekey"],
        b's' => &["secret", "session", "sessid", "signature", "securitycode"],
        b't' => &["token"],
        _ => &[],
    }
}

/// Whole words of a name that make its value a secret; as parts they are in too many harmless names.
const fn is_secret_word(word: &[u8]) -> bool {
    matches!(
        word,
        b"pass"
            | b"pw"
            | b"pin"
            | b"otp"
            | b"totp"
            | b"sid"
            | b"sess"
            | b"auth"
            | b"bearer"
            | b"cookie"
            | b"csrf"
            | b"xsrf"
            | b"card"
            | b"pan"
            | b"cc"
            | b"cvc"
            | b"csc"
            | b"iban"
    )
}

/// Bytes of the shortest of them, `pw` and `cc`.
const SECRET_BYTES_MIN: usize = 2;

/// Bytes of a name that are looked at; honest names are shorter.
const NAME_BYTES_MAX: usize = 512;

/// Reports whether the value of a field called `name` is a secret. The name may be percent-encoded.
pub(super) fn is_secret(name: &[u8]) -> bool {
    if name.len() < SECRET_BYTES_MIN {
        return false;
    }
    let mut key = Key::new();
    for unit in units(name.get(..NAME_BYTES_MAX).unwrap_or(name)) {
        // All of it is name here: punctuation divides words and ends nothing.
        key.push(if unit.byte.is_ascii_alphanumeric() { unit.byte } else { b'_' });
    }
    key.is_secret()
}

/// Kind of the text that is masked: it decides what parts names from values and where a value ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextKind {
    /// `name=value` divided by `&`; a value may hold documents and URLs of its own.
    Query,
    /// A path, whose segments may carry `;name=value`.
    Path,
    /// Part of a body, a head or a field value.
    Text,
}

/// `text` with the values of secret fields taken out. It reads through percent-encoding (nested, too), quotes and
/// the punctuation of forms, JSON, XML and header lines.
pub(super) fn values(text: &[u8], kind: TextKind) -> Cow<'_, [u8]> {
    // Without a separator, as it stands or encoded, nothing is named.
    if memchr::memchr3(b'=', b':', b'>', text).is_none() && memchr::memchr(b'%', text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out: Vec<u8> = Vec::new();
    let mut copied = 0;
    let mut key = Key::new();
    let mut scan = units(text);
    while let Some(unit) = scan.next() {
        if !kind.separates(unit.byte) {
            key.push(unit.byte);
            continue;
        }
        if key.take_is_secret() {
            let (from, to) = value_after(&mut scan, unit, kind);
            if to > from {
                out.extend_from_slice(text.get(copied..from).unwrap_or_default());
                out.extend_from_slice(MASK.as_bytes());
                copied = to;
            }
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.extend_from_slice(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

impl TextKind {
    fn separates(self, byte: u8) -> bool {
        match self {
            TextKind::Path => byte == b'=',
            TextKind::Query | TextKind::Text => matches!(byte, b'=' | b':' | b'>'),
        }
    }

    /// Reports whether `separator` divides the query itself, not a document or URL inside a value: then only `&` ends
    /// the value.
    fn is_whole(self, separator: Unit) -> bool {
        self == TextKind::Query && separator.depth == 0 && separator.byte == b'='
    }

    /// Reports whether `byte` ends a value that `separator` began, outside quotes.
    fn info(self, separator: Unit, byte: u8) -> bool {
        match (self, separator.byte) {
            (TextKind::Path, _) => matches!(byte, b'/' | b';' | b'&'),
            _ if self.is_whole(separator) => byte == b'&',
            (_, b'>') => byte == b'<',
            // Header values have spaces in them, members of documents end at a comma or brace.
            (_, b':') => matches!(byte, b'\r' | b'\n' | b'&' | b',' | b'}' | b']'),
            _ => matches!(byte, b'&' | b' ' | b'\t' | b'\r' | b'\n' | b'<' | b'"'),
        }
    }
}

/// Reads the value behind `separator` and says which bytes of the text are to be masked. The unit that ends it is left.
fn value_after(scan: &mut Units<'_>, separator: Unit, kind: TextKind) -> (usize, usize) {
    let quotable = !(kind == TextKind::Path || kind.is_whole(separator));
    let mut quote = None;
    let mut from = scan.at;
    let (mut escaped, mut quote_escaped) = (false, false);
    while let Some(unit) = scan.peek() {
        let begins = quotable && quote.is_none() && unit.start == from;
        match unit.byte {
            b' ' | b'\t' | b'\\' if begins && separator.byte != b'>' => {
                // A document inside a string of another has its quotes escaped, the closing one too.
                quote_escaped = unit.byte == b'\\';
                from = unit.end;
            }
            b'"' | b'\'' if begins => {
                quote = Some(unit.byte);
                from = unit.end;
            }
            byte => {
                let ended = match quote {
                    Some(mark) => byte == mark && (!escaped || quote_escaped),
                    None => kind.info(separator, byte),
                };
                // What is encoded deeper than the separator belongs to the value.
                if ended && unit.depth <= separator.depth {
                    return (from, unit.start);
                }
                escaped = byte == b'\\' && !escaped;
            }
        }
        scan.skip(unit);
    }
    (from, scan.at)
}

/// A name as it is read: its last run of name characters, in lower case, with its words kept apart.
#[derive(Debug)]
struct Key {
    /// Letters and digits in lower case, words divided by a space.
    words: Vec<u8>,
    /// The name ended (a quote, a space); it still counts when a separator follows.
    ended: bool,
    previous_lower: bool,
}

impl Key {
    fn new() -> Key {
        Key { words: Vec::with_capacity(64), ended: false, previous_lower: false }
    }

    fn push(&mut self, byte: u8) {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => {
                if self.ended {
                    self.clear();
                }
                if byte.is_ascii_uppercase() && self.previous_lower {
                    self.words.push(b' ');
                }
                self.words.push(byte.to_ascii_lowercase());
                self.previous_lower = byte.is_ascii_lowercase();
            }
            b'_' | b'-' | b'.' | b'[' | b']' | b'$' | b'@' if !self.ended => {
                self.words.push(b' ');
                self.previous_lower = false;
            }
            b'"' | b'\'' | b'\\' | b' ' | b'\t' | b'+' => self.ended = true,
            _ => self.clear(),
        }
    }

    fn clear(&mut self) {
        self.words.clear();
        self.ended = false;
        self.previous_lower = false;
    }

    fn take_is_secret(&mut self) -> bool {
        let secret = self.is_secret();
        self.clear();
        secret
    }

    fn is_secret(&self) -> bool {
        // Only the end of an overlong name counts: that is the part that names the value.
        let words = self.words.get(self.words.len().saturating_sub(NAME_BYTES_MAX)..).unwrap_or_default();
        if words.split(|byte| *byte == b' ').any(is_secret_word) {
            return true;
        }
        words.iter().enumerate().any(|(at, first)| {
            parts(*first).iter().any(|part| {
                let joined = words.get(at..).unwrap_or_default().iter().filter(|byte| **byte != b' ');
                joined.take(part.len()).eq(part.as_bytes())
            })
        })
    }
}

/// One byte of the text as a decoder sees it, and where it stands.
#[derive(Debug, Clone, Copy)]
struct Unit {
    byte: u8,
    start: usize,
    end: usize,
    /// Number of times that it was encoded.
    depth: u8,
}

/// Decodings that are followed. Deeper text is left as it stands.
const DEPTH_MAX: u8 = 4;

struct Units<'t> {
    text: &'t [u8],
    at: usize,
}

fn units(text: &[u8]) -> Units<'_> {
    Units { text, at: 0 }
}

impl Units<'_> {
    fn peek(&self) -> Option<Unit> {
        let start = self.at;
        let mut unit = Unit { byte: *self.text.get(start)?, start, end: start + 1, depth: 0 };
        // `%253D` is `%3D` is `=`: as long as a percent sign begins an escape, it is one.
        while unit.byte == b'%' && unit.depth < DEPTH_MAX {
            let Some(digits) = self.text.get(unit.end..unit.end + 2) else { break };
            let Some(byte) = hex(digits) else { break };
            unit = Unit { byte, end: unit.end + 2, depth: unit.depth + 1, ..unit };
        }
        Some(unit)
    }

    fn skip(&mut self, unit: Unit) {
        self.at = unit.end;
    }
}

impl Iterator for Units<'_> {
    type Item = Unit;

    fn next(&mut self) -> Option<Unit> {
        let unit = self.peek()?;
        self.at = unit.end;
        Some(unit)
    }
}

fn hex(digits: &[u8]) -> Option<u8> {
    let mut value = 0;
    for digit in digits {
        value = value << 4 | char::from(*digit).to_digit(16)? as u8;
    }
    Some(value)
}

#[cfg(test)]
mod tests;
