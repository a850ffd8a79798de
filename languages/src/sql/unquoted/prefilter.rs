//! A first look behind an anchor, so that words of prose cost a few bytes and not a reading.

use crate::sql::token::{self, Kind, Number, Token};
use crate::sql::words::Word;

/// Returns `true` if what follows an anchor could make it one, judged by its first bytes: words of prose stop here.
pub(super) fn may_be_anchor(bytes: &[u8], token: Token) -> bool {
    let rest = bytes.get(token.end..).unwrap_or_default();
    let spaces = rest.iter().take(16).take_while(|b| **b <= b' ').count();
    let rest = rest.get(spaces..).unwrap_or_default();
    let next = rest.first().copied();
    let strange = !next.is_some_and(|b| b.is_ascii_alphanumeric()) && next != Some(b'(');
    match token.kind {
        Kind::Number(Number::Decimal) => false,
        // A package of the server and its routine.
        Kind::Word(Word::Distinctive) if next == Some(b'.') => true,
        Kind::Word(
            Word::Distinctive | Word::Function | Word::Object | Word::Arithmetic | Word::Delaying | Word::If,
        ) => matches!(next, Some(b'(' | b'/' | b'-' | b'#' | b'*' | 0x80..)),
        // What follows is a word of its own, or something that only a query would have.
        Kind::Semicolon => {
            let letters =
                rest.iter().take(16).take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
            let word = token::lookup(rest.get(..letters).unwrap_or_default());
            matches!(next, Some(b'/' | b'-' | b'#' | b'\\' | 0x80..))
                || !matches!(word, Word::Plain | Word::Prose | Word::And | Word::Or)
        }
        Kind::Word(Word::Into | Word::Order | Word::Case | Word::Exec | Word::Procedure | Word::Declare)
            if !strange =>
        {
            let letters =
                rest.iter().take(32).take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
            let word = token::lookup(rest.get(..letters).unwrap_or_default());
            let split = rest.get(letters..letters + 2) == Some(b"/*");
            let dotted = matches!(rest.get(letters), Some(b'.' | b'(')) || rest.get(letters) == Some(&b' ');
            split
                || match token.kind {
                    Kind::Word(Word::Case | Word::Exec) => {
                        word != Word::Prose && (dotted || word != Word::Plain || letters == 0)
                    }
                    _ => !matches!(word, Word::Plain | Word::Prose),
                }
        }
        _ => true,
    }
}
