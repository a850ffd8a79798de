//! Values that only queries write so: casts, JSON operators, hexadecimal strings, exponents without digits.

use super::before::{Before, before_kind, span};
use crate::sql::grammar::{kind, may_end, word};
use crate::sql::judgement::Judgement;
use crate::sql::reading::Reading;
use crate::sql::sign::SqlSign;
use crate::sql::token::{Gap, Kind, Number, Token};
use crate::sql::words::Word;

/// `password::int`, `(…)::text`, `'…'::jsonb`.
pub(super) fn cast(judgement: &mut Judgement<'_, '_, '_>, tokens: &Reading<'_>, before: &Before) {
    if word(tokens, 1) != Some(Word::Type) || tokens.get(1).is_some_and(|t| t.gap != Gap::None) {
        return;
    }
    let next = kind(tokens, 2);
    let ends = matches!(next, Some(Kind::Cast)) && word(tokens, 3) == Some(Word::Type)
        || (may_end(tokens, 2) && next != Some(Kind::Cast))
        || matches!(next, Some(Kind::JsonOperator | Kind::Arithmetic | Kind::Other));
    let typed = match before_kind(before, 0) {
        Some(Kind::Quote | Kind::Close | Kind::Number(_)) => true,
        Some(Kind::Word(_)) => {
            before[1].is_none() && next != Some(Kind::Semicolon)
                || matches!(before_kind(before, 1), Some(Kind::Arithmetic))
                    && matches!(before_kind(before, 2), Some(Kind::Number(_)))
        }
        _ => false,
    };
    if ends && typed {
        let (start, end) = span(tokens, 2);
        judgement.found(SqlSign::TypeCast, start, end);
    }
}

/// `'…' @> '…'`, `'…' ->> 2`, `'…' -> '$.a'`.
pub(super) fn json(
    judgement: &mut Judgement<'_, '_, '_>,
    tokens: &Reading<'_>,
    token: Token,
    before: &Before,
) {
    let left = matches!(before_kind(before, 0), Some(Kind::Quote | Kind::Close))
        || matches!(before_kind(before, 0), Some(Kind::Word(Word::Type)));
    let arrow = judgement.bytes().get(token.start..token.end) == Some(b"->");
    let right = match tokens.get(1).map(|t| (t.kind, t.start)) {
        Some((Kind::Text, start)) => {
            !arrow || judgement.bytes().get(start + 1).is_some_and(|b| matches!(b, b'$' | b'0'..=b'9'))
        }
        Some((Kind::Number(_), _)) => !arrow,
        Some((Kind::Word(Word::Array), _)) => true,
        _ => false,
    };
    if left && right {
        judgement.found(SqlSign::JsonOperator, token.start, token.end);
    }
}

/// `1.e(…)`, `1e0union`, `select 0x41`.
pub(super) fn number(
    judgement: &mut Judgement<'_, '_, '_>,
    tokens: &Reading<'_>,
    notation: Number,
    before: &Before,
) {
    let (start, end) = span(tokens, 2);
    match notation {
        Number::EmptyExponent => {
            let glued = matches!(kind(tokens, 1), Some(Kind::Open | Kind::Close | Kind::Comma));
            if glued {
                judgement.found(SqlSign::Exponent, start, end);
            }
        }
        Number::Scientific => {
            let glued = tokens.get(1).is_some_and(|t| t.gap == Gap::None);
            if glued
                && matches!(
                    word(tokens, 1),
                    Some(Word::Union | Word::And | Word::Or | Word::From | Word::Where | Word::Like)
                )
            {
                judgement.found(SqlSign::Exponent, start, end);
            }
        }
        Number::Hex => {
            let long = tokens.get(0).is_some_and(|t| t.end - t.start >= 6);
            if long && matches!(before_kind(before, 0), Some(Kind::Word(Word::Select))) {
                judgement.found(SqlSign::Hex, start, end);
            }
            let compared = matches!(before_kind(before, 0), Some(Kind::Compare | Kind::Word(Word::Like)))
                && matches!(
                    before_kind(before, 1),
                    Some(Kind::Word(_) | Kind::Close | Kind::Number(_) | Kind::Variable)
                )
                && matches!(
                    before_kind(before, 2),
                    Some(Kind::Word(
                        Word::Where | Word::And | Word::Or | Word::Set | Word::Having | Word::Select
                    ))
                );
            if long && compared {
                judgement.found(SqlSign::Hex, start, end);
            }
        }
        Number::Decimal => {}
    }
}

/// `= X'5345…'`.
pub(super) fn hex_string(judgement: &mut Judgement<'_, '_, '_>, token: Token, before: &Before) {
    let Some(prefix) = before[0] else { return };
    let bytes = judgement.bytes();
    if token.gap != Gap::None
        || prefix.end != token.start
        || !matches!(bytes.get(prefix.start..prefix.end), Some(b"x" | b"X"))
    {
        return;
    }
    let digits = bytes.iter().skip(token.end).take(16).take_while(|b| b.is_ascii_hexdigit()).count();
    let queried = matches!(
        before_kind(before, 1),
        Some(Kind::Compare | Kind::Open | Kind::Comma | Kind::Word(Word::Select | Word::Like | Word::Exec))
    );
    if digits >= 8 && queried {
        judgement.found(SqlSign::Hex, prefix.start, token.end + digits);
    }
}
