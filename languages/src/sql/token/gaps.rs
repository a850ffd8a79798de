//! What stands between tokens: white space and comments, as each dialect reads them.

use super::{Dialect, Gap, Lexer, Quotes, find, is_word, lookup, space_bytes};
use crate::sql::words::{WORD_BYTES_MAX, Word};

impl Lexer<'_> {
    /// Skips white space and comments. `Err` holds the start of a comment that runs to the end.
    pub(super) fn gap(&mut self) -> Result<Gap, usize> {
        // Words and the single spaces between them are most of everything.
        match (self.peek(0), self.peek(1)) {
            (first, _) if first.is_ascii_alphanumeric() => return Ok(Gap::None),
            (b' ', second) if second.is_ascii_alphanumeric() => {
                self.at += 1;
                return Ok(Gap::Space);
            }
            _ => {}
        }
        let mut gap = Gap::None;
        loop {
            let start = self.at;
            let before = start.checked_sub(1).and_then(|i| self.bytes.get(i)).copied();
            let spaces = space_bytes(self.rest(), before);
            let comment = match (self.peek(0), self.peek(1)) {
                _ if spaces > 0 => Gap::Space,
                (b'/', b'*') => Gap::Comment,
                (b'*', b'/') if self.executable || self.sees_comments() => Gap::Comment,
                (b'-', b'-') if self.dashes_comment() => Gap::Line,
                (b'#', next) if next != b'>' && self.hash_comment() => Gap::Line,
                _ => return Ok(gap),
            };
            match comment {
                Gap::Space => self.at += spaces,
                Gap::Line => self.line_comment()?,
                _ => self.block_comment()?,
            }
            if self.at == start {
                return Ok(gap);
            }
            if gap != Gap::Comment {
                gap = comment;
            }
        }
    }

    /// Whether comments are looked into: where quotes are flat, what one context reads as a comment another reads as
    /// the end of a string and a query.
    fn sees_comments(&self) -> bool {
        self.quotes == Quotes::Flat && self.dialect == Dialect::Standard
    }

    fn dashes_comment(&mut self) -> bool {
        if matches!(self.peek(2), 0..=b' ' | 0xa0 | b'+' | b'-') || self.quotes == Quotes::Flat {
            return true;
        }
        self.ambiguous = true;
        // In MySQL two signs; before anything that cannot be an operand it is a comment everywhere.
        self.dialect == Dialect::Standard || !matches!(self.peek(2), b'0'..=b'9' | b'(' | b'@')
    }

    fn hash_comment(&mut self) -> bool {
        self.ambiguous = true;
        self.dialect == Dialect::MySql
    }

    /// Skips a line comment. Where quotes are flat, one that runs to the end is stepped over like any byte.
    fn line_comment(&mut self) -> Result<(), usize> {
        let start = self.at;
        self.at += if self.peek(0) == b'#' { 1 } else { 2 };
        if self.sees_comments() {
            return Ok(());
        }
        if self.at < self.comment_ends.line
            && let Some(length) = memchr::memchr2(b'\n', b'\r', self.rest())
        {
            self.ambiguous = true;
            self.at += length + 1;
            return Ok(());
        }
        if self.quotes == Quotes::Flat {
            return Ok(());
        }
        self.at = self.bytes.len();
        Err(start)
    }

    /// Skips `/* … */`, or only its marks where they are looked into or where servers execute what is inside.
    fn block_comment(&mut self) -> Result<(), usize> {
        let start = self.at;
        if self.peek(0) == b'*' {
            self.executable = false;
            self.at += 2;
            return Ok(());
        }
        if self.executable_prefix() {
            return Ok(());
        }
        self.at += 2;
        if self.sees_comments() {
            return Ok(());
        }
        if self.at <= self.comment_ends.comment_end {
            self.ambiguous = true;
            if let Some(length) = find(self.rest(), b"*/") {
                self.at += length + 2;
                return Ok(());
            }
        }
        if self.quotes == Quotes::Flat {
            return Ok(());
        }
        self.at = self.bytes.len();
        Err(start)
    }

    /// Enters `/*!`, `/*!50000`, `/*M!100100`.
    fn executable_prefix(&mut self) -> bool {
        let rest = self.rest();
        let length = match rest {
            [b'/', b'*', b'!', ..] => 3,
            [b'/', b'*', b'M' | b'm', b'!', ..] => 4,
            _ => return false,
        };
        let digits = rest.iter().skip(length).take(6).take_while(|b| b.is_ascii_digit()).count();
        let start = self.at;
        self.at += length + digits;
        self.executable = true;
        let spaces = self.rest().iter().take(8).take_while(|b| b.is_ascii_whitespace()).count();
        let word = self.rest().get(spaces..).unwrap_or_default();
        let letters = word.iter().take(WORD_BYTES_MAX + 1).take_while(|b| is_word(**b)).count();
        let known = lookup(word.get(..letters).unwrap_or_default());
        let speaks = !matches!(known, Word::Plain | Word::Prose) || (letters == 0 && digits >= 5);
        if speaks && self.executed.is_none() {
            self.executed = Some(start);
        }
        true
    }
}
