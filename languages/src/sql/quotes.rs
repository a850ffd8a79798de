//! The quotes of a value: behind each of them, the query that the value was put into may go on.

use super::breakout::{self, BreakKind};
use super::judgement::Judgement;
use crate::language::Role;
use crate::sql::token::{self, Quotes};
use crate::sql::words::Word;

/// Looks behind every quote that an operator, a closing bracket or a keyword follows.
pub(super) fn scan(judgement: &mut Judgement<'_, '_, '_>) {
    let bytes = judgement.bytes();
    let balanced = is_one_value(judgement);
    let mut seen = [Parity::default(); 3];
    for at in memchr::memchr3_iter(b'\'', b'"', b'`', bytes) {
        let (slot, quotes) = match bytes.get(at) {
            Some(b'\'') => (0, Quotes::Strings),
            Some(b'"') => (1, Quotes::Strings),
            _ => (2, Quotes::BacktickStrings),
        };
        let Some(parity) = seen.get_mut(slot) else { continue };
        let first = parity.count == 0;
        parity.see(bytes, at);
        if is_breaking(bytes, at + 1) {
            let closes = balanced && parity.is_even();
            let break_kind = BreakKind::Quote { byte: bytes.get(at).copied().unwrap_or(0), first, closes };
            breakout::behind(judgement, at, at + 1, quotes, break_kind);
        }
        if !judgement.spend(1) {
            return;
        }
    }
    typographic(judgement);
}

/// Number of quotes of one kind so far. A break-out takes an odd number of it: an even one leaves the host query's string as it
/// was.
#[derive(Debug, Clone, Copy, Default)]
struct Parity {
    count: usize,
    /// Without those behind a backslash, which MySQL reads as a character of the string.
    plain: usize,
}

impl Parity {
    fn see(&mut self, bytes: &[u8], at: usize) {
        let before = bytes.get(..at).unwrap_or_default();
        let backslashes = before.iter().rev().take_while(|byte| **byte == b'\\').count();
        self.count += 1;
        self.plain += usize::from(backslashes % 2 == 0);
    }

    /// Returns `true` if the quote closes what one before it opened, however backslashes are read.
    fn is_even(self) -> bool {
        self.count.is_multiple_of(2) && self.plain.is_multiple_of(2)
    }
}

/// A value longer than this may be judged in pieces, and a piece does not show the quotes before it.
const PIECE_BYTES_MIN: usize = 2048;

/// Returns `true` if all quotes before one of the view's are the value's own: bodies that nothing parses, paths and header fields
/// are read in parts by applications, and a quote of another part would count.
fn is_one_value(judgement: &Judgement<'_, '_, '_>) -> bool {
    judgement.bytes().len() <= PIECE_BYTES_MIN
        && matches!(judgement.input.role, Role::Argument | Role::Scalar)
}

/// The same for primes, accents and quotes that a change of the character set may turn into plain ones. Those that editors
/// set (U+2018 to U+201F) exist in most character sets and end no string there: the break alone says nothing, what follows
/// it has to.
fn typographic(judgement: &mut Judgement<'_, '_, '_>) {
    let bytes = judgement.bytes();
    let mut first = true;
    for at in memchr::memchr3_iter(0xe2, 0xc2, 0xca, bytes) {
        let rest = bytes.get(at..).unwrap_or_default();
        let length = token::smart_quote(rest);
        if length > 0 {
            if is_breaking(bytes, at + length) {
                // At the value's beginning nothing was quoted that it could close.
                let is_set = at > 0 && matches!(rest, [0xe2, 0x80, 0x98..=0x9f, ..]);
                let break_kind = BreakKind::Quote { byte: 0xe2, first: first && !is_set, closes: is_set };
                breakout::behind(judgement, at, at + length, Quotes::Typographic, break_kind);
            }
            first = false;
        }
        if !judgement.spend(1) {
            return;
        }
    }
}

/// Returns `true` if what follows a quote could go on a query. A few bytes decide, as nearly every quote in prose is not one.
fn is_breaking(bytes: &[u8], mut at: usize) -> bool {
    // Marks of comments, spaces and closing brackets are stepped over within reason.
    let limit = at + 256;
    while let Some(byte) = bytes.get(at) {
        match byte {
            0..=b' ' | 0x7f | 0xa0 | 0xc2 if at < limit => at += 1,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                let rest = bytes.get(at..).unwrap_or_default();
                let length =
                    rest.iter().take(40).take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
                let comment = rest.get(length..length + 2) == Some(b"/*");
                return comment || opens(token::lookup(rest.get(..length).unwrap_or_default()));
            }
            b'0'..=b'9' | b'.' | b'$' | b'\'' | b'"' | b'`' | b'\\' => return false,
            _ => return byte.is_ascii(),
        }
    }
    false
}

/// Words that can follow a string in a query.
fn opens(word: Word) -> bool {
    matches!(
        word,
        Word::And
            | Word::Or
            | Word::Not
            | Word::Like
            | Word::Between
            | Word::In
            | Word::Is
            | Word::PostfixNull
            | Word::Union
            | Word::Order
            | Word::Having
            | Word::Limit
            | Word::Into
            | Word::Where
            | Word::Procedure
            | Word::Insert
            | Word::Delete
            | Word::Update
            | Word::Drop
            | Word::Create
            | Word::Truncate
            | Word::Waitfor
            | Word::Exec
            | Word::Declare
            | Word::Collate
            | Word::When
            | Word::Delaying
            | Word::Distinctive
            | Word::Function
            | Word::If
            | Word::Arithmetic
            | Word::As
    )
}
