//! Turns bytes into SQL tokens as the common database servers would, without copying. It knows characters and words;
//! what a sequence of tokens means is the grammar's business.

mod gaps;
mod literals;

use super::words::{self, WORD_BYTES_MAX, Word};

/// Which server's reading is followed where servers differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// A backslash escapes in strings, `#` begins a comment, `--` does so only before white space.
    MySql,
    /// A backslash is a character, `#` an operator, `--` always begins a comment.
    Standard,
}

/// How quotes are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quotes {
    /// As string delimiters; backticks delimit names.
    Strings,
    /// As string delimiters, backticks too.
    BacktickStrings,
    /// As string delimiters, and typographic quotes with them.
    Typographic,
    /// As single tokens: the text between them is read like the rest.
    Flat,
}

/// What stands before a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gap {
    /// Nothing.
    None,
    /// White space.
    Space,
    /// A line comment.
    Line,
    /// A comment in `/*` and `*/`, perhaps with white space.
    Comment,
}

/// Notation of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    /// Digits.
    Decimal,
    /// With an exponent.
    Scientific,
    /// `1.e` and the like: an exponent without digits, which some parsers skip over.
    EmptyExponent,
    /// `0x…`, `0b…`, `X'…'`.
    Hex,
}

/// Kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A word, a keyword or a name in quotes of its own.
    Word(Word),
    /// A number.
    Number(Number),
    /// A complete string.
    Text,
    /// A string that the value ends in.
    OpenText,
    /// A quote in [`Quotes::Flat`].
    Quote,
    /// `@x`, `@@x`.
    Variable,
    /// `=`, `<`, `>=`, `<=>` and the like.
    Compare,
    /// `+`, `-`, `*`, `/`, `%`, `^`, `~`, `|`, `&`.
    Arithmetic,
    /// `!`.
    Bang,
    /// `||`.
    Pipes,
    /// `&&`.
    Ampersands,
    /// `->`, `->>`, `@>`, `<@`, `#>`, `?|`, `?&`, `@@`, `@?`.
    JsonOperator,
    /// `::`.
    Cast,
    /// `:=`.
    Assign,
    /// `(`.
    Open,
    /// `)`.
    Close,
    /// `{`.
    BraceOpen,
    /// `}`.
    BraceClose,
    /// `[`.
    BracketOpen,
    /// `]`.
    BracketClose,
    /// `,`.
    Comma,
    /// `;`.
    Semicolon,
    /// `.`.
    Dot,
    /// `:`.
    Colon,
    /// A comment that runs to the end of the value.
    Tail,
    /// Any other byte.
    Other,
}

/// One token: its kind and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// What stands before it.
    pub gap: Gap,
    /// Offset of its first byte.
    pub start: usize,
    /// Offset behind its last byte.
    pub end: usize,
}

/// Where comments can last end; known beforehand, no unfinished comment is searched to the end twice.
#[derive(Debug, Clone, Copy)]
pub struct CommentEnds {
    line: usize,
    comment_end: usize,
}

impl CommentEnds {
    /// Not known: for pieces so short that looking for an end again and again costs little.
    pub const UNKNOWN: CommentEnds = CommentEnds { line: usize::MAX, comment_end: usize::MAX };

    /// Of `bytes`.
    pub fn of(bytes: &[u8]) -> CommentEnds {
        CommentEnds {
            line: memchr::memrchr2(b'\n', b'\r', bytes).map_or(0, |i| i + 1),
            comment_end: memchr::memmem::rfind(bytes, b"*/").unwrap_or(0),
        }
    }
}

/// Comments of at most this many bytes are read as joining the halves of a word (`un/**/ion`).
const JOINING_COMMENT_MAX: usize = 64;
/// Comments that may split one word.
const JOINS_MAX: usize = 12;
/// Bytes of a name in square brackets.
const BRACKETED_MAX: usize = 64;

/// Reads tokens from a place on.
#[derive(Debug)]
pub struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    dialect: Dialect,
    quotes: Quotes,
    comment_ends: CommentEnds,
    executable: bool,
    /// Whether the dialects read differently what was read so far.
    pub ambiguous: bool,
    /// Offset of an executable comment (`/*!50000 union */`) that holds a keyword.
    pub executed: Option<usize>,
    /// Offset of a word that comments split and that is a keyword when joined.
    pub joined: Option<usize>,
}

impl<'a> Lexer<'a> {
    /// Reads `bytes` from `at` on.
    pub fn new(
        bytes: &'a [u8],
        at: usize,
        dialect: Dialect,
        quotes: Quotes,
        comment_ends: CommentEnds,
    ) -> Lexer<'a> {
        Lexer {
            bytes,
            at,
            dialect,
            quotes,
            comment_ends,
            executable: false,
            ambiguous: false,
            executed: None,
            joined: None,
        }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn word(&mut self) -> Kind {
        let start = self.at;
        let mut folded = [0u8; WORD_BYTES_MAX + 1];
        let mut length = self.fold_word(&mut folded, 0);
        let plain = self.at;
        let mut role = words::lookup(folded.get(..length.min(folded.len())).unwrap_or_default());
        // `un/**/ion`: some servers' filters take comments out before the query is read.
        let mut joins = 0;
        while role == Word::Plain
            && self.peek(0) == b'/'
            && self.peek(1) == b'*'
            && joins < JOINS_MAX
            && length < WORD_BYTES_MAX
        {
            let window = self.rest().get(2..).unwrap_or_default();
            let window = window.get(..window.len().min(JOINING_COMMENT_MAX)).unwrap_or_default();
            let Some(inside) = find(window, b"*/") else { break };
            self.at += inside + 4;
            if !is_word(self.peek(0)) {
                break;
            }
            length = self.fold_word(&mut folded, length);
            role = words::lookup(folded.get(..length.min(folded.len())).unwrap_or_default());
            joins += 1;
        }
        if joins == 0 || matches!(role, Word::Plain | Word::Prose) || self.at == plain {
            self.at = plain;
            if joins > 0 {
                role = Word::Plain;
            }
        } else {
            self.joined.get_or_insert(start);
        }
        // `N'…'`, `x'…'`, `_utf8'…'`: a prefix belongs to its string.
        if matches!(self.peek(0), b'\'' | b'"') && self.quotes != Quotes::Flat {
            match folded.get(..length) {
                Some(b"x" | b"b") => {
                    self.string();
                    return Kind::Number(Number::Hex);
                }
                Some(b"n" | b"e" | b"q" | b"_utf8" | b"_latin1" | b"_binary" | b"_utf8mb4") => {
                    return self.string();
                }
                _ => {}
            }
        }
        Kind::Word(role)
    }

    /// Appends the word in hand, in lower case; how long it is then, though no more is kept than the longest known word has.
    fn fold_word(&mut self, into: &mut [u8; WORD_BYTES_MAX + 1], from: usize) -> usize {
        let rest = self.rest();
        let run = word_bytes(rest);
        if let Some(free) = into.get_mut(from..)
            && let Some((to, word)) = free.get_mut(..run.min(WORD_BYTES_MAX + 1 - from)).zip(rest.get(..run))
        {
            for (to, byte) in to.iter_mut().zip(word) {
                *to = byte.to_ascii_lowercase();
            }
        }
        self.at += run;
        from + run
    }

    fn step(&mut self, bytes: usize, kind: Kind) -> Kind {
        self.at += bytes;
        kind
    }

    fn variable(&mut self) -> Kind {
        let marks = 1 + usize::from(self.peek(1) == b'@');
        let name = self.rest().iter().skip(marks).take_while(|b| is_word(**b) || **b == b'.').count();
        if name > 0 {
            return self.step(marks + name, Kind::Variable);
        }
        if self.peek(marks) == b'`' && self.quotes != Quotes::Flat {
            self.at += marks;
            self.backticked();
            return Kind::Variable;
        }
        match self.peek(1) {
            b'>' | b'?' | b'@' => self.step(2, Kind::JsonOperator),
            b':' | b',' | b')' | b'.' => self.step(1, Kind::Variable),
            _ => self.step(1, Kind::Other),
        }
    }

    fn compare(&mut self) -> Kind {
        let length = match (self.peek(0), self.peek(1), self.peek(2)) {
            (b'<', b'=', b'>') | (b'=' | b'!', b'=', b'=') => 3,
            (b'<', b'@', next) if !next.is_ascii_alphanumeric() => return self.step(2, Kind::JsonOperator),
            (b'<', b'=' | b'>' | b'<', _)
            | (b'>', b'=' | b'>', _)
            | (b'=', b'=' | b'~', _)
            | (b'!', b'=' | b'<' | b'>' | b'~', _) => 2,
            (b'!', ..) => return self.step(1, Kind::Bang),
            _ => 1,
        };
        self.step(length, Kind::Compare)
    }

    fn symbol(&mut self, byte: u8) -> Kind {
        let next = self.peek(1);
        match (byte, next) {
            (b'-' | b'#', b'>') => self.step(2 + usize::from(self.peek(2) == b'>'), Kind::JsonOperator),
            (b'#', b'-') | (b'?', b'|' | b'&') => self.step(2, Kind::JsonOperator),
            (b'|', b'|') => self.step(2, Kind::Pipes),
            (b'&', b'&') => self.step(2, Kind::Ampersands),
            (b'~', b'*' | b'~') => self.step(2, Kind::Compare),
            (b':', b':') => self.step(2, Kind::Cast),
            (b':', b'=') => self.step(2, Kind::Assign),
            (b':', _) => self.step(1, Kind::Colon),
            (b'=' | b'<' | b'>' | b'!', _) => self.compare(),
            (b'+' | b'-' | b'*' | b'/' | b'%' | b'^' | b'~' | b'|' | b'&', _) => {
                self.step(1, Kind::Arithmetic)
            }
            (b'(', _) => self.step(1, Kind::Open),
            (b')', _) => self.step(1, Kind::Close),
            (b'{', _) => self.step(1, Kind::BraceOpen),
            (b'}', _) => self.step(1, Kind::BraceClose),
            (b'[', _) => self.bracket(),
            (b']', _) => self.step(1, Kind::BracketClose),
            (b',', _) => self.step(1, Kind::Comma),
            (b';', _) => self.step(1, Kind::Semicolon),
            (b'.', _) => self.step(1, Kind::Dot),
            _ => self.step(1, Kind::Other),
        }
    }

    fn token(&mut self, byte: u8) -> Kind {
        match byte {
            b'\'' | b'"' | b'`' if self.quotes == Quotes::Flat => self.step(1, Kind::Quote),
            b'\'' | b'"' => self.string(),
            b'`' if self.quotes == Quotes::BacktickStrings => self.string(),
            b'`' => self.backticked(),
            b'$' => self.dollar(),
            b'@' => self.variable(),
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_ascii_digit() => self.number(),
            0x80.. if smart_quote(self.rest()) > 0 => match self.quotes {
                Quotes::Typographic => self.string(),
                _ => self.step(smart_quote(self.rest()), Kind::Other),
            },
            0xe2 if matches!(self.rest(), [0xe2, 0x80, 0x93 | 0x94, rest @ ..] if rest.trim_ascii().is_empty()) =>
            {
                // Two hyphens that an editor turned into a dash, at the very end.
                self.at = self.bytes.len();
                Kind::Tail
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => self.word(),
            _ => self.symbol(byte),
        }
    }
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let gap = match self.gap() {
            Ok(gap) => gap,
            Err(start) => {
                return Some(Token { kind: Kind::Tail, gap: Gap::None, start, end: self.bytes.len() });
            }
        };
        let start = self.at;
        let byte = *self.bytes.get(start)?;
        let kind = self.token(byte);
        // Every path above moves on; this keeps a mistake there from looping.
        self.at = self.at.max(start + 1);
        Some(Token { kind, gap, start, end: self.at.min(self.bytes.len()) })
    }
}

/// Role of a word in any case.
pub fn lookup(word: &[u8]) -> Word {
    let mut folded = [0u8; WORD_BYTES_MAX];
    let Some(into) = folded.get_mut(..word.len()) else { return Word::Plain };
    into.copy_from_slice(word);
    into.make_ascii_lowercase();
    words::lookup(into)
}

/// Bytes of a typographic quote or accent that editors and transcoding turn `'` and `"` into; 0 for anything else.
pub fn smart_quote(rest: &[u8]) -> usize {
    match rest {
        [0xe2, 0x80, 0x98..=0x9f | 0xb2 | 0xb3, ..] | [0xca, 0xb9 | 0xbc, ..] => {
            2 + usize::from(rest.first() == Some(&0xe2))
        }
        [0xc2, 0xb4, ..] => 2,
        _ => 0,
    }
}

/// Bytes of white space at the beginning of `rest`. A lone `0xa0` is a space to servers that read Latin-1.
fn space_bytes(rest: &[u8], before: Option<u8>) -> usize {
    match rest {
        [0..=b' ' | 0x7f, ..] => 1,
        [0xc2, 0xa0, ..] => 2,
        [0xe3, 0x80, 0x80, ..] | [0xe2, 0x80, 0x80..=0x8b, ..] => 3,
        [0xa0, ..] if before.is_none_or(|b| b.is_ascii()) => 1,
        _ => 0,
    }
}

/// Bytes of the word at the beginning of `rest`; typographic quotes and foreign spaces end it.
fn word_bytes(rest: &[u8]) -> usize {
    let is_plain = |byte: &u8| byte.is_ascii() && is_word(*byte);
    let plain = rest.iter().position(|byte| !is_plain(byte)).unwrap_or(rest.len());
    if rest.get(plain).is_none_or(u8::is_ascii) {
        return plain;
    }
    let mut length = plain;
    while let Some(byte) = rest.get(length) {
        let here = rest.get(length..).unwrap_or_default();
        let before = length.checked_sub(1).and_then(|i| rest.get(i)).copied();
        if !is_word(*byte)
            || (length > 0 && matches!(here, [0xe2, 0x80, 0x93 | 0x94, ..]))
            || (*byte >= 0x80 && (space_bytes(here, before.or(Some(0xff))) > 0 || smart_quote(here) > 0))
        {
            break;
        }
        length += 1;
    }
    length
}

const fn is_word(byte: u8) -> bool {
    WORD_BYTES[byte as usize]
}

const WORD_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let ascii = byte as u8;
        table[byte] = ascii.is_ascii_alphanumeric() || ascii == b'_' || ascii == b'$' || ascii >= 0x80;
        byte += 1;
    }
    table
};

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    memchr::memmem::find(haystack, needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(value: &str, dialect: Dialect, quotes: Quotes) -> Vec<Kind> {
        Lexer::new(value.as_bytes(), 0, dialect, quotes, CommentEnds::of(value.as_bytes()))
            .map(|token| token.kind)
            .collect()
    }

    #[test]
    fn dialects_differ_where_servers_do() {
        let my = |value| kinds(value, Dialect::MySql, Quotes::Strings);
        let standard = |value| kinds(value, Dialect::Standard, Quotes::Strings);
        assert_eq!(my("1 # x"), [Kind::Number(Number::Decimal), Kind::Tail]);
        assert_eq!(standard("1 # x").len(), 3);
        assert_eq!(my(r"'a\' or 1"), [Kind::OpenText]);
        assert_eq!(standard(r"'a\' or 1").len(), 3);
        assert_eq!(my("1--1").len(), 4);
        assert_eq!(standard("1--1"), [Kind::Number(Number::Decimal), Kind::Tail]);
    }

    #[test]
    fn comments_are_gaps() {
        let kinds = kinds("un/**/ion/*x*/all#\nselect/*!50000 1*/", Dialect::MySql, Quotes::Strings);
        let word = Kind::Word;
        assert_eq!(
            kinds,
            [word(Word::Union), word(Word::All), word(Word::Select), Kind::Number(Number::Decimal)]
        );
    }

    #[test]
    fn numbers_and_strings() {
        let all = |value| kinds(value, Dialect::MySql, Quotes::Strings);
        assert_eq!(all("1e0union"), [Kind::Number(Number::Scientific), Kind::Word(Word::Union)]);
        assert_eq!(all("80s"), [Kind::Word(Word::Plain)]);
        assert_eq!(all("1or"), [Kind::Number(Number::Decimal), Kind::Word(Word::Or)]);
        assert_eq!(all("0x41 x'41' N'a' $$b$$ [c d]").len(), 5);
        assert_eq!(all("'it''s'"), [Kind::Text]);
        assert_eq!(all("1.e("), [Kind::Number(Number::EmptyExponent), Kind::Open]);
    }
}
