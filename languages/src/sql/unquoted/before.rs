//! The tokens before an anchor, and the bytes of a reading.

use crate::sql::reading::Reading;
use crate::sql::token::{Kind, Token};
use crate::sql::words::Word;

/// What stands before an anchor, nearest first.
pub(super) type Before = [Option<Token>; 4];

pub(super) fn before_kind(before: &Before, back: usize) -> Option<Kind> {
    before.get(back).copied().flatten().map(|token| token.kind)
}

/// Whether an expression may begin behind what stands before.
pub(super) fn begins_expression(before: &Before) -> bool {
    match before_kind(before, 0) {
        None => true,
        Some(Kind::Word(word)) => matches!(
            word,
            Word::And
                | Word::Or
                | Word::Not
                | Word::Select
                | Word::By
                | Word::Where
                | Word::Having
                | Word::When
                | Word::Then
                | Word::Else
                | Word::Like
                | Word::Between
                | Word::Distinct
                | Word::All
                | Word::Union
                | Word::Arithmetic
                | Word::Values
        ),
        Some(kind) => matches!(
            kind,
            Kind::Open
                | Kind::Comma
                | Kind::Pipes
                | Kind::Ampersands
                | Kind::Arithmetic
                | Kind::Compare
                | Kind::Assign
                | Kind::Quote
                | Kind::Close
                | Kind::Bang
                | Kind::Number(_)
        ),
    }
}

pub(super) fn span(tokens: &Reading<'_>, count: usize) -> (usize, usize) {
    let start = tokens.get(0).map_or(0, |token| token.start);
    let end = tokens.end_before(count).unwrap_or(start);
    (start, end)
}
