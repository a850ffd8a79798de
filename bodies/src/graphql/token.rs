//! Lexical tokens (section 2.1).

/// A token. Commas, white space and byte order marks mean nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'d> {
    Name(&'d [u8]),
    Number,
    /// Between quotes, with escapes.
    Quoted(&'d [u8]),
    /// Between three quotes.
    Block(&'d [u8]),
    /// Behind `#`.
    Comment(&'d [u8]),
    Spread,
    Punctuator(u8),
}

/// Bytes that are no token.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NoToken;

/// The tokens of a text, up to the first that is none.
#[derive(Debug)]
pub(super) struct Tokens<'d> {
    rest: &'d [u8],
}

const BLOCK: &[u8] = b"\"\"\"";
const MARK: &[u8] = b"\xef\xbb\xbf";

impl<'d> Tokens<'d> {
    pub(super) fn of(text: &'d [u8]) -> Tokens<'d> {
        Tokens { rest: text }
    }

    /// Takes `size` bytes.
    fn cut(&mut self, size: usize) -> &'d [u8] {
        let (taken, rest) = self.rest.split_at_checked(size).unwrap_or((self.rest, &[]));
        self.rest = rest;
        taken
    }

    fn while_is(&mut self, matching: impl Fn(u8) -> bool) -> &'d [u8] {
        let end = self.rest.iter().position(|byte| !matching(*byte)).unwrap_or(self.rest.len());
        self.cut(end)
    }

    fn skip_blanks(&mut self) {
        loop {
            self.while_is(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b','));
            match self.rest.strip_prefix(MARK) {
                Some(rest) => self.rest = rest,
                None => return,
            }
        }
    }

    fn number(&mut self) -> Result<Token<'d>, NoToken> {
        let text = self.while_is(|byte| byte.is_ascii_alphanumeric() || b"+-._".contains(&byte));
        let unsigned = text.strip_prefix(b"-").unwrap_or(text);
        let is_number = unsigned.first().is_some_and(u8::is_ascii_digit)
            && std::str::from_utf8(text).is_ok_and(|text| text.parse::<f64>().is_ok());
        if is_number { Ok(Token::Number) } else { Err(NoToken) }
    }

    /// A string without line breaks.
    fn quoted(&mut self) -> Result<Token<'d>, NoToken> {
        let text = self.rest.get(1..).unwrap_or_default();
        let mut at = 0;
        loop {
            match text.get(at) {
                Some(b'"') => break,
                Some(b'\\') => at += 2,
                None | Some(b'\n' | b'\r') => return Err(NoToken),
                Some(_) => at += 1,
            }
        }
        self.rest = text.get(at + 1..).unwrap_or_default();
        text.get(..at).map(Token::Quoted).ok_or(NoToken)
    }

    fn block(&mut self, text: &'d [u8]) -> Result<Token<'d>, NoToken> {
        let mut ends = memchr::memmem::find_iter(text, BLOCK);
        let is_end = |at: &usize| text.get(..*at).is_some_and(|before| !before.ends_with(b"\\"));
        let end = ends.find(is_end).ok_or(NoToken)?;
        self.rest = text.get(end + BLOCK.len()..).unwrap_or_default();
        text.get(..end).map(Token::Block).ok_or(NoToken)
    }
}

impl<'d> Iterator for Tokens<'d> {
    type Item = Result<Token<'d>, NoToken>;

    fn next(&mut self) -> Option<Self::Item> {
        self.skip_blanks();
        let first = *self.rest.first()?;
        Some(match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                Ok(Token::Name(self.while_is(|byte| byte.is_ascii_alphanumeric() || byte == b'_')))
            }
            b'0'..=b'9' | b'-' => self.number(),
            b'"' => match self.rest.strip_prefix(BLOCK) {
                Some(block) => self.block(block),
                None => self.quoted(),
            },
            b'#' => {
                self.cut(1);
                Ok(Token::Comment(self.while_is(|byte| !matches!(byte, b'\n' | b'\r'))))
            }
            b'.' if self.rest.starts_with(b"...") => {
                self.cut(3);
                Ok(Token::Spread)
            }
            b'!' | b'$' | b'&' | b'(' | b')' | b':' | b'=' | b'@' | b'[' | b']' | b'{' | b'|' | b'}' => {
                self.cut(1);
                Ok(Token::Punctuator(first))
            }
            _ => Err(NoToken),
        })
    }
}
