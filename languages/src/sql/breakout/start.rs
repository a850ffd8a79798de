//! The value's beginning as a break: where the host query has no quotes, the value goes on from its own first operand.

use super::{Break, BreakKind, OPEN_TEXT_MAX};
use crate::sql::grammar::{Comparison, Operand, comparison, kind, operand, skip_closes, skip_opens};
use crate::sql::judgement::Judgement;
use crate::sql::reading::Reading;
use crate::sql::sign::SqlSign;
use crate::sql::token::{Dialect, Gap, Kind, Quotes};
use crate::sql::words::Word;

/// Judges the value as the continuation of an expression without quotes.
pub(crate) fn at_start(judgement: &mut Judgement<'_, '_, '_>) {
    for dialect in [Dialect::MySql, Dialect::Standard] {
        let tokens = Reading::new(judgement.bytes(), 0, dialect, Quotes::Strings);
        start(judgement, &tokens);
        if !tokens.is_ambiguous() {
            break;
        }
    }
}

/// `5 < 10 and 10 > 5`: two inequalities of numbers and nothing else are a sum, not a condition that somebody appends.
fn is_range(bytes: &[u8], tokens: &Reading<'_>, first: usize) -> bool {
    let unequal = |i: usize| {
        tokens.get(i).is_some_and(|token| matches!(bytes.get(token.start), Some(b'<' | b'>')))
            && matches!(kind(tokens, i + 1), Some(Kind::Number(_)))
            && matches!(kind(tokens, i - 1), Some(Kind::Number(_)))
    };
    first == 1 && unequal(1) && unequal(5) && tokens.ends_at(7)
}

/// `'ad'||'min'`: a value that is strings in single quotes, joined as SQL joins them. People and search languages put
/// spaces around such an operator, or double quotes around phrases.
fn is_joined_text(bytes: &[u8], tokens: &Reading<'_>) -> bool {
    let is_text = |i: usize| {
        let single = tokens.get(i).is_some_and(|token| bytes.get(token.start) == Some(&b'\''));
        single && matches!(kind(tokens, i), Some(Kind::Text | Kind::OpenText))
    };
    let first = skip_opens(tokens, 0);
    let is_tight =
        |i: usize| tokens.get(i).is_some_and(|token| matches!(token.gap, Gap::None | Gap::Comment));
    is_text(first)
        && kind(tokens, first + 1) == Some(Kind::Pipes)
        && is_text(first + 2)
        && is_tight(first + 1)
        && is_tight(first + 2)
}

fn start<'a>(judgement: &mut Judgement<'a, '_, '_>, tokens: &Reading<'a>) {
    if is_joined_text(judgement.bytes(), tokens) {
        judgement.found(SqlSign::Concatenation, 0, tokens.end_before(3).unwrap_or(0));
    }
    if is_formula(tokens) {
        judgement.found(SqlSign::BooleanOnValue, 0, tokens.end_before(4).unwrap_or(0));
    }
    let closed = skip_closes(tokens, 0);
    // The end of a `CASE` in the host query.
    let first = closed + usize::from(kind(tokens, closed) == Some(Kind::Word(Word::End)));
    let Some(head) = kind(tokens, first) else { return };
    let (i, break_kind) = if continues(head) {
        (first, BreakKind::Value)
    } else {
        let Some((i, break_kind)) = behind_operand(judgement, tokens, first) else { return };
        let i = skip_closes(tokens, i);
        if !kind(tokens, i).is_some_and(links) {
            return;
        }
        (i, break_kind)
    };
    let at = tokens.get(i).map_or(0, |token| token.start);
    Break { judgement, tokens, at, opened_by: break_kind }.judge(i);
}

/// `7*(password>'m')`, `(1=2)*9`, `elt(3=3,1)`: a number that depends on a condition.
fn is_formula(tokens: &Reading<'_>) -> bool {
    let number = |i: usize| matches!(kind(tokens, i), Some(Kind::Number(_)));
    let compared = |open: usize| {
        let left = operand(tokens, open + 1)?;
        let Some(Comparison::Symbol(next)) = comparison(tokens, left.next) else { return None };
        Some((left.operand, operand(tokens, next)?))
    };
    let constants = |open: usize| {
        compared(open).filter(|(left, right)| {
            *left == Operand::Constant
                && right.operand == Operand::Constant
                && number(open + 1)
                && number(right.next - 1)
        })
    };
    match kind(tokens, 0) {
        Some(Kind::Number(_)) if kind(tokens, 1) == Some(Kind::Arithmetic) && reads_letters(tokens) => true,
        Some(Kind::Number(_)) if kind(tokens, 1) == Some(Kind::Arithmetic) => {
            compared(2).filter(|_| kind(tokens, 2) == Some(Kind::Open)).is_some_and(|(left, right)| {
                let reads = left == Operand::Call || kind(tokens, right.next - 1) == Some(Kind::Text);
                reads && kind(tokens, right.next) == Some(Kind::Close) && tokens.ends_at(right.next + 1)
            })
        }
        Some(Kind::Open) => constants(0).is_some_and(|(_, right)| {
            kind(tokens, right.next) == Some(Kind::Close)
                && kind(tokens, right.next + 1) == Some(Kind::Arithmetic)
                && number(right.next + 2)
        }),
        Some(Kind::Word(Word::Function | Word::Distinctive)) if kind(tokens, 1) == Some(Kind::Open) => {
            constants(1).is_some_and(|(_, right)| kind(tokens, right.next) == Some(Kind::Comma))
        }
        _ => false,
    }
}

/// `456 + ascii(substring(name,1,1)) - 10`: a sum with a function of another one's result.
fn reads_letters(tokens: &Reading<'_>) -> bool {
    let called = |i: usize| {
        matches!(kind(tokens, i), Some(Kind::Word(Word::Function | Word::Distinctive)))
            && kind(tokens, i + 1) == Some(Kind::Open)
    };
    let whole =
        operand(tokens, 0).filter(|whole| whole.operand == Operand::Call && tokens.ends_at(whole.next));
    whole.is_some() && called(2) && called(4)
}

/// The place behind the operand at `i` and what it is compared with, and what the operand may be to a host query.
fn behind_operand<'a>(
    judgement: &mut Judgement<'a, '_, '_>,
    tokens: &Reading<'a>,
    i: usize,
) -> Option<(usize, BreakKind)> {
    let left = operand(tokens, i)?;
    // A number or a string is what a host query's column is compared to; anything else may be a formula or a filter.
    let is_value = matches!(kind(tokens, left.next - 1), Some(Kind::Number(_) | Kind::Text | Kind::Close))
        && matches!(left.operand, Operand::Constant);
    let break_kind = if is_value { BreakKind::Value } else { BreakKind::Name };
    // A comparison on the left is passed over: what counts is what is joined to it.
    let Some(Comparison::Symbol(next)) = comparison(tokens, left.next) else {
        return Some((left.next, break_kind));
    };
    if is_range(judgement.bytes(), tokens, left.next) {
        return None;
    }
    let right = operand(tokens, next)?;
    if kind(tokens, 0) == Some(Kind::Text) && right.operand == Operand::OpenText {
        // `'x'!='y`: the host query's own quotes stand around it.
        let last = right.next.checked_sub(1).and_then(|i| tokens.get(i));
        let text = last.and_then(|t| judgement.bytes().get(t.start + 1..t.end)).unwrap_or_default();
        if (1..=OPEN_TEXT_MAX).contains(&text.len()) && !text.iter().any(u8::is_ascii_whitespace) {
            judgement.found(SqlSign::ComparisonBreak, 0, last.map_or(0, |t| t.end));
        }
    }
    Some((right.next, break_kind))
}

/// Returns `true` for a token with which a query goes on behind a value.
fn continues(kind: Kind) -> bool {
    match kind {
        Kind::Word(word) => matches!(
            word,
            Word::And | Word::Or | Word::Not | Word::Order | Word::Having | Word::Where | Word::Procedure
        ),
        Kind::Pipes | Kind::Ampersands | Kind::Comma | Kind::Semicolon => true,
        _ => false,
    }
}

/// Returns `true` for a token that joins something to an operand.
fn links(kind: Kind) -> bool {
    match kind {
        Kind::Word(word) => matches!(
            word,
            Word::And
                | Word::Or
                | Word::Not
                | Word::Like
                | Word::Between
                | Word::In
                | Word::Procedure
                | Word::Order
                | Word::Having
                | Word::Where
        ),
        Kind::Pipes | Kind::Ampersands | Kind::Semicolon => true,
        _ => false,
    }
}
