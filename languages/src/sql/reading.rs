//! A piece of SQL behind a place, lexed no further than somebody looks. Every break and every keyword of a value begins such a
//! reading; most are told from prose by their first tokens, and a value made of nothing but beginnings costs no more than
//! those. It knows tokens, not what they mean.

use std::cell::{Cell, RefCell};

use super::token::{CommentEnds, Dialect, Gap, Kind, Lexer, Quotes, Token};
use super::words::Word;

/// Tokens that are read behind a place; a construct that needs more is not told from prose by its end.
pub(super) const TOKENS_MAX: usize = 64;
/// Bytes that are read behind a place. With the bound on tokens it keeps the work linear: each place costs at most this.
const BYTES_MAX: usize = 2048;

/// An index behind every token: what stands there is the end.
pub(super) const END: usize = TOKENS_MAX;

/// A token in eight bytes; offsets count from the reading's beginning.
#[derive(Debug, Clone, Copy)]
struct Packed {
    start: u16,
    end: u16,
    kind: Kind,
    gap: Gap,
}

/// Tokens from a place on, with the offsets of the value.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    from: usize,
    lexer: RefCell<Lexer<'a>>,
    tokens: [Cell<Packed>; TOKENS_MAX],
    count: Cell<usize>,
    /// Nothing follows the tokens read so far.
    complete: Cell<bool>,
}

impl<'a> Reading<'a> {
    /// Reads `bytes` behind `from`.
    pub(super) fn new(bytes: &'a [u8], from: usize, dialect: Dialect, quotes: Quotes) -> Reading<'a> {
        const EMPTY: Packed = Packed { start: 0, end: 0, kind: Kind::Other, gap: Gap::None };
        let window = bytes.get(from..).unwrap_or_default();
        let window = window.get(..BYTES_MAX).unwrap_or(window);
        Reading {
            from,
            lexer: RefCell::new(Lexer::new(window, 0, dialect, quotes, CommentEnds::UNKNOWN)),
            tokens: [const { Cell::new(EMPTY) }; TOKENS_MAX],
            count: Cell::new(0),
            complete: Cell::new(false),
        }
    }

    /// The token at `i`.
    pub(super) fn get(&self, i: usize) -> Option<Token> {
        while self.count.get() <= i {
            // Nobody who asks for the end wants everything before it to be read.
            if i >= END {
                return None;
            }
            self.read_one()?;
        }
        self.at(i)
    }

    /// Kind of the token at `i`.
    pub(super) fn kind(&self, i: usize) -> Option<Kind> {
        self.get(i).map(|token| token.kind)
    }

    /// The word at `i`.
    pub(super) fn word(&self, i: usize) -> Option<Word> {
        match self.kind(i) {
            Some(Kind::Word(word)) => Some(word),
            _ => None,
        }
    }

    /// Whether no token stands at `i`.
    pub(super) fn ends_at(&self, i: usize) -> bool {
        self.get(i).is_none()
    }

    /// The tokens from `i` on with their indices.
    pub(super) fn from(&self, i: usize) -> impl Iterator<Item = (usize, Token)> {
        (i..TOKENS_MAX).map_while(|at| Some((at, self.get(at)?)))
    }

    /// Offset behind the token before `to`, or behind the last one that was read.
    pub(super) fn end_before(&self, to: usize) -> Option<usize> {
        let before = to.checked_sub(1).filter(|_| to < END).and_then(|i| self.get(i));
        before.or_else(|| self.at(self.count.get().checked_sub(1)?)).map(|token| token.end)
    }

    /// Whether another dialect may read differently what was read so far.
    pub(super) fn is_ambiguous(&self) -> bool {
        self.lexer.borrow().ambiguous
    }

    /// Tokens read so far.
    pub(super) fn cost(&self) -> usize {
        self.count.get()
    }

    fn at(&self, i: usize) -> Option<Token> {
        let packed = self.tokens.get(i).filter(|_| i < self.count.get())?.get();
        Some(Token {
            kind: packed.kind,
            gap: packed.gap,
            start: self.from + usize::from(packed.start),
            end: self.from + usize::from(packed.end),
        })
    }

    fn read_one(&self) -> Option<()> {
        let slot = self.tokens.get(self.count.get()).filter(|_| !self.complete.get())?;
        let Some(token) = self.lexer.borrow_mut().next() else {
            self.complete.set(true);
            return None;
        };
        let Token { kind, gap, start, end } = token;
        // The window is shorter than `u16::MAX`.
        slot.set(Packed { start: start as u16, end: end as u16, kind, gap });
        self.count.set(self.count.get() + 1);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_read_that_nobody_asks_for() {
        let text = b"x union select 1 # a";
        let reading = Reading::new(text, 2, Dialect::MySql, Quotes::Strings);
        assert_eq!((reading.word(1), reading.cost()), (Some(Word::Select), 2));
        assert_eq!(reading.get(0).map(|t| (t.start, t.end)), Some((2, 7)));
        assert!(!reading.is_ambiguous());
        assert!(reading.ends_at(END) && reading.cost() == 2);
        assert!(reading.ends_at(4) && reading.is_ambiguous());
        assert_eq!(reading.end_before(END), Some(text.len()));
    }

    #[test]
    fn a_reading_is_bounded() {
        let text = b"( ".repeat(5000);
        let reading = Reading::new(&text, 0, Dialect::MySql, Quotes::Strings);
        assert!(reading.get(TOKENS_MAX - 1).is_some() && reading.ends_at(TOKENS_MAX));
        assert_eq!(reading.from(0).count(), TOKENS_MAX);
        let long = [b"a ".repeat(40), b"b".repeat(9000)].concat();
        let reading = Reading::new(&long, 0, Dialect::MySql, Quotes::Strings);
        assert_eq!(reading.from(0).last().map(|(_, t)| t.end), Some(BYTES_MAX));
    }
}
