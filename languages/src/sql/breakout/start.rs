//! The value's beginning as a break: where the host query has no quotes, the value goes on from its own first operand.

use super::{Break, BreakKind, OPEN_TEXT_MAX};
use crate::sql::grammar::{Comparison, Operand, comparison, kind, operand, skip_closes, skip_opens};
use crate::sql::judgement::Judgement;
use crate::sql::reading::Reading;
use crate::sql::sign::SqlSign;
use crate::sql::token::{Dialect, Gap, Kind, Quotes};
use crate::sql::words::Word;

/// Judges the value as the continuation of an expression without quotes.
pub(in crate::sql) fn at_start(judgement: &mut Judgement<'_, '_, '_>) {
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
    let mut i = skip_closes(tokens, 0);
    let mut break_kind = BreakKind::Value;
    let goes_on = match kind(tokens, i) {
        None => return,
        Some(Kind::Word(w)) => {
            matches!(
                w,
                Word::And | Word::Or | Word::Not | Word::Order | Word::Having | Word::Where | Word::Procedure
            )
        }
        Some(Kind::Pipes | Kind::Ampersands | Kind::Comma | Kind::Semicolon) => true,
        _ => false,
    };
    if !goes_on {
        let Some(left) = operand(tokens, i) else { return };
        // A number or a string is what a host query's column is compared to; anything else may be a formula or a filter.
        if !matches!(kind(tokens, left.next - 1), Some(Kind::Number(_) | Kind::Text | Kind::Close))
            || !matches!(left.operand, Operand::Constant)
        {
            break_kind = BreakKind::Name;
        }
        i = left.next;
        // A comparison on the left is passed over: what counts is what is joined to it.
        if let Some(Comparison::Symbol(next)) = comparison(tokens, i) {
            if is_range(judgement.bytes(), tokens, i) {
                return;
            }
            let Some(right) = operand(tokens, next) else { return };
            if kind(tokens, 0) == Some(Kind::Text) && right.operand == Operand::OpenText {
                // `'x'!='y`: the host query's own quotes stand around it.
                let last = right.next.checked_sub(1).and_then(|i| tokens.get(i));
                let text = last.and_then(|t| judgement.bytes().get(t.start + 1..t.end)).unwrap_or_default();
                if (1..=OPEN_TEXT_MAX).contains(&text.len()) && !text.iter().any(u8::is_ascii_whitespace) {
                    judgement.found(SqlSign::ComparisonBreak, 0, last.map_or(0, |t| t.end));
                }
            }
            i = right.next;
        }
        i = skip_closes(tokens, i);
    }
    let link = matches!(
        kind(tokens, i),
        Some(
            Kind::Pipes
                | Kind::Ampersands
                | Kind::Semicolon
                | Kind::Word(
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
                )
        )
    );
    if link || goes_on {
        let at = tokens.get(i).map_or(0, |token| token.start);
        Break { judgement, tokens, at, break_kind }.judge(i);
    }
}
