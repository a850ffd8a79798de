//! Byte classes: one pass over a value shows which decodings and which literals can matter to it.

/// Number of sets that [`Classes::set`] can return.
pub(crate) const SETS: usize = 1 << SET_BITS;
const SET_BITS: u32 = 9;

const LETTER: u16 = 1;
const DIGIT: u16 = 1 << 1;
/// `_`
const LOW_LINE: u16 = 1 << 2;
/// `.`
const DOT: u16 = 1 << 3;
/// `-`
const HYPHEN: u16 = 1 << 4;
/// Space.
const SPACE: u16 = 1 << 5;
/// `/` and `=`
const SLASH: u16 = 1 << 6;
/// `:` and `,` and `~` and `@`
const COLON: u16 = 1 << 7;
/// Every other byte; it also covers the marks below.
const OTHER: u16 = 1 << 8;
/// `%`
const PERCENT: u16 = 1 << 9;
/// `+`
const PLUS: u16 = 1 << 10;
/// `&`
const AMPERSAND: u16 = 1 << 11;
/// `\`
const BACKSLASH: u16 = 1 << 12;
/// 0x80 and above.
const HIGH: u16 = 1 << 13;
/// Bytes that no base64 alphabet holds, `=` and the marks of percent coding excepted.
const NOT_BASE64: u16 = 1 << 14;
/// Control characters.
const CONTROL: u16 = 1 << 15;
const TABLE: [u16; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = classify(i as u8);
        i += 1;
    }
    table
};

const fn classify(byte: u8) -> u16 {
    match byte {
        b'A'..=b'Z' | b'a'..=b'z' => LETTER,
        b'0'..=b'9' => DIGIT,
        b'_' => LOW_LINE,
        b'-' => HYPHEN,
        b'.' => DOT | NOT_BASE64,
        b' ' => SPACE | NOT_BASE64,
        b'/' | b'=' => SLASH,
        b':' | b',' | b'~' | b'@' => COLON | NOT_BASE64,
        b'+' => OTHER | PLUS,
        b'%' => OTHER | PERCENT | NOT_BASE64,
        b'&' => OTHER | AMPERSAND | NOT_BASE64,
        b'\\' => OTHER | BACKSLASH | NOT_BASE64,
        0x80.. => OTHER | HIGH | NOT_BASE64,
        ..0x20 | 0x7f => OTHER | CONTROL | NOT_BASE64,
        _ => OTHER | NOT_BASE64,
    }
}

/// The classes that occur in a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Classes(u16);

/// Scans `bytes`.
pub(crate) fn of(bytes: &[u8]) -> Classes {
    Classes(bytes.iter().fold(0, |seen, &byte| seen | TABLE[usize::from(byte)]))
}

impl Classes {
    /// Index for tables over sets of classes.
    pub(crate) fn set(self) -> usize {
        usize::from(self.0) & (SETS - 1)
    }

    /// Only `[A-Za-z0-9_.-]`.
    pub(crate) fn is_word(self) -> bool {
        self.set() & usize::from(!(LETTER | DIGIT | LOW_LINE | DOT | HYPHEN)) == 0
    }

    pub(crate) fn percent(self) -> bool {
        self.0 & PERCENT != 0
    }

    pub(crate) fn plus(self) -> bool {
        self.0 & PLUS != 0
    }

    pub(crate) fn ampersand(self) -> bool {
        self.0 & AMPERSAND != 0
    }

    pub(crate) fn backslash(self) -> bool {
        self.0 & BACKSLASH != 0
    }

    pub(crate) fn high(self) -> bool {
        self.0 & HIGH != 0
    }

    /// Returns `true` if bytes occur that hide or end something: control characters, bytes outside ASCII, marks of escapes.
    pub(crate) fn is_odd(self) -> bool {
        self.0 & (CONTROL | HIGH | BACKSLASH | PERCENT) != 0
    }

    /// Returns `true` if a decoder other than plus-as-space and base64 can apply.
    pub(crate) fn may_fold(self) -> bool {
        self.0 & (PERCENT | AMPERSAND | BACKSLASH | HIGH) != 0
    }

    /// Returns `true` if every byte stands in a base64 alphabet.
    pub(crate) fn base64(self) -> bool {
        self.0 & NOT_BASE64 == 0
    }
}
