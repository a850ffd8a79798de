//! Tokens, and the readings of bytes in which servers differ.

use crate::sql::words::Word;

/// Which server's reading is followed where servers differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// A backslash escapes in strings, `#` begins a comment, `--` does so only before white space.
    MySql,
    /// A backslash is a character, `#` an operator, `--` always begins a comment.
    Standard,
}

/// The reading of quotes.
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

/// The bytes before a token.
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
    /// Its kind.
    pub kind: Kind,
    /// The bytes before it.
    pub gap: Gap,
    /// Offset of its first byte.
    pub start: usize,
    /// Offset behind its last byte.
    pub end: usize,
}
