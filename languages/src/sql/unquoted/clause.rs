//! Pieces of a condition or of what follows one: `or 1=1`, `order by 3`.

use super::super::breakout::{self, BreakKind};
use super::super::judgement::Judgement;
use super::before::{Before, before_kind, span};
use crate::sql::grammar::{Comparison, Operand, comparison, kind, may_end, operand, word};
use crate::sql::reading::Reading;
use crate::sql::sign::SqlSign;
use crate::sql::token::{Dialect, Kind, Quotes, Token};
use crate::sql::words::Word;

/// `) like (`, `) when 2 then`: the middle of a condition, brackets of the host query around it.
pub(super) fn fragment(judgement: &mut Judgement<'_, '_, '_>, tokens: &Reading<'_>, role: Word) {
    let holds = match role {
        Word::When => operand(tokens, 1).is_some_and(|o| word(tokens, o.next) == Some(Word::Then)),
        _ => {
            matches!(kind(tokens, 1), Some(Kind::Open))
                && operand(tokens, 2).is_none_or(|o| o.operand != Operand::Name)
        }
    };
    if holds {
        let (start, end) = span(tokens, 2);
        judgement.found(SqlSign::ConditionFragment, start, end);
    }
}

/// `HAVING 1=1`, `WHERE 1=1`, `1 ORDER BY 3`.
pub(super) fn clause(judgement: &mut Judgement<'_, '_, '_>, tokens: &Reading<'_>, before: &Before) {
    let ordered = word(tokens, 0) == Some(Word::Order);
    if ordered && word(tokens, 1) != Some(Word::By) {
        return;
    }
    let from = 1 + usize::from(ordered || word(tokens, 1) == Some(Word::By));
    let Some(left) = operand(tokens, from) else { return };
    let constant = left.operand == Operand::Constant;
    let holds = if ordered {
        let broken = matches!(before_kind(before, 0), Some(Kind::Number(_) | Kind::Quote | Kind::Close))
            && !matches!(before_kind(before, 1), Some(Kind::Word(_)));
        let ends = matches!(
            kind(tokens, left.next),
            None | Some(Kind::Tail | Kind::Comma | Kind::Word(Word::Continuation))
        );
        let single = matches!(kind(tokens, from), Some(Kind::Number(_)));
        broken && constant && single && ends
    } else {
        let right = match comparison(tokens, left.next) {
            Some(Comparison::Symbol(next)) => operand(tokens, next),
            _ => None,
        };
        right.is_some_and(|right| {
            constant && right.operand == Operand::Constant && may_end(tokens, right.next)
        })
    };
    if holds {
        let (start, end) = span(tokens, left.next);
        judgement.found(SqlSign::Clause, start, end);
    }
}

/// `…?id=1 or 1=1`: a number anywhere that is joined to a condition.
pub(super) fn joined_to_number(judgement: &mut Judgement<'_, '_, '_>, token: Token, before: &Before) {
    let number = matches!(before_kind(before, 0), Some(Kind::Number(_) | Kind::Close));
    let free =
        !matches!(before_kind(before, 1), Some(Kind::Word(_) | Kind::Number(_) | Kind::Colon | Kind::Dot));
    if number && free && before[1].is_some() && !is_range(judgement.bytes(), token, before) {
        breakout::behind(judgement, token.start, token.start, Quotes::Strings, BreakKind::Name);
    }
}

/// `5 < 10 and 10 > 5`: two inequalities of numbers and nothing else are a sum, not a condition that somebody appends.
fn is_range(bytes: &[u8], link: Token, before: &Before) -> bool {
    let unequal = |at: Option<Token>| {
        at.is_some_and(|token| {
            token.kind == Kind::Compare && matches!(bytes.get(token.start), Some(b'<' | b'>'))
        })
    };
    let number = |at: Option<Token>| matches!(at.map(|token| token.kind), Some(Kind::Number(_)));
    let behind = Reading::new(bytes, link.end, Dialect::Standard, Quotes::Strings);
    number(before[0])
        && unequal(before[1])
        && number(before[2])
        && before[3].is_none()
        && number(behind.get(0))
        && unequal(behind.get(1))
        && number(behind.get(2))
        && behind.ends_at(3)
}
