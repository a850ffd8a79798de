//! Views: the ways in which an application behind us might read a value. Names for events; how each is made stands beside.

pub(crate) mod classes;

/// How the bytes that matched came from the bytes as sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum View {
    /// As sent.
    Raw,
    /// Percent-decoded, plus as space where the place demands it.
    Percent,
    /// Percent-decoded again, once or twice.
    PercentNested,
    /// HTML entities decoded.
    Entities,
    /// `\xHH`, `\uHHHH`, octal and CSS escapes decoded.
    Escapes,
    /// Overlong and full-width UTF-8 folded to ASCII.
    Unicode,
    /// Base64 of text decoded.
    Base64,
    /// Comments taken out as SQL reads them.
    SqlComments,
    /// Quotes, backslashes and carets taken out as a shell reads them.
    ShellQuotes,
    /// Dot segments resolved, backslashes turned.
    Path,
    /// Several of the others, one after the other.
    Combined,
}

impl View {
    /// Its name in events.
    pub const fn as_str(self) -> &'static str {
        match self {
            View::Raw => "raw",
            View::Percent => "percent",
            View::PercentNested => "percent-nested",
            View::Entities => "entities",
            View::Escapes => "escapes",
            View::Unicode => "unicode",
            View::Base64 => "base64",
            View::SqlComments => "sql-comments",
            View::ShellQuotes => "shell-quotes",
            View::Path => "path",
            View::Combined => "combined",
        }
    }
}
