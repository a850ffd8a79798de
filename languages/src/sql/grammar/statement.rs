//! Statements and their clauses.

use super::{
    CHAIN_MAX, Comparison, Operand, Parsed, comparison, kind, may_end, name, operand, skip_closes,
    skip_opens, word,
};
use crate::sql::reading::Reading;
use crate::sql::token::Kind;
use crate::sql::words::Word;

/// How much of a statement is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shape {
    /// Prose could read the same.
    Loose,
    /// Nothing but a query reads like this.
    Exact,
}

/// Whether a statement begins at `i`, and how surely.
pub(crate) fn statement(tokens: &Reading<'_>, i: usize) -> Option<Shape> {
    let first = word(tokens, i)?;
    let second = word(tokens, i + 1);
    let named = |at: usize| match kind(tokens, at) {
        Some(Kind::Word(w)) => w.is_name() && w != Word::Prose,
        Some(Kind::Text | Kind::Variable | Kind::BracketOpen) => true,
        _ => false,
    };
    let behind = |at: usize| operand(tokens, at).map_or(at + 1, |name| name.next);
    let exact = |yes: bool| Some(if yes { Shape::Exact } else { Shape::Loose });
    match first {
        Word::Select => select(tokens, i),
        Word::Drop if second == Some(Word::Object) || second == Some(Word::Procedure) => {
            let at = match word(tokens, i + 2) {
                Some(Word::If) => i + 4,
                _ => i + 2,
            };
            (named(at) && ends_statement(tokens, behind(at))).then_some(Shape::Exact)
        }
        Word::Insert => {
            let at = i + 1 + usize::from(second == Some(Word::Into));
            let after = behind(at);
            let values = match kind(tokens, after) {
                Some(Kind::Open | Kind::Word(Word::Values | Word::Select | Word::Set)) => true,
                _ => matches!(kind(tokens, at + 1), Some(Kind::Open)),
            };
            (named(at) && values).then_some(Shape::Exact)
        }
        Word::Delete if second == Some(Word::From) && named(i + 2) => {
            let after = behind(i + 2);
            match word(tokens, after) {
                Some(Word::Where) => exact(condition(tokens, after + 1)),
                _ => exact(matches!(kind(tokens, after), Some(Kind::Semicolon | Kind::Tail))),
            }
        }
        Word::Update if named(i + 1) && word(tokens, behind(i + 1)) == Some(Word::Set) => {
            exact(condition(tokens, behind(i + 1) + 1))
        }
        Word::Truncate if named(i + 1) || kind(tokens, i + 1) == Some(Kind::BracketOpen) => {
            let table = second == Some(Word::Object);
            exact(
                kind(tokens, i + 1) == Some(Kind::BracketOpen)
                    || (table && named(i + 2) && may_end(tokens, behind(i + 2))),
            )
        }
        Word::Create if matches!(second, Some(Word::Object | Word::Procedure)) && named(i + 2) => {
            let after = behind(i + 2);
            let word_after = word(tokens, after);
            exact(
                kind(tokens, after) == Some(Kind::Open)
                    || matches!(
                        word_after,
                        Some(Word::As | Word::Set | Word::Drop | Word::Create | Word::Continuation)
                    )
                    || (word_after == Some(Word::Plain)
                        && kind(tokens, after + 1).is_some_and(|k| matches!(k, Kind::Text | Kind::Word(_))))
                    || matches!(kind(tokens, after), Some(Kind::Semicolon | Kind::Tail)),
            )
        }
        Word::Exec => exec(tokens, i),
        Word::Declare => (kind(tokens, i + 1) == Some(Kind::Variable)).then_some(Shape::Exact),
        Word::Set => (kind(tokens, i + 1) == Some(Kind::Variable)
            || (named(i + 1)
                && kind(tokens, i + 2) == Some(Kind::Compare)
                && operand(tokens, i + 3).is_some()))
        .then_some(Shape::Exact),
        Word::Waitfor => (second == Some(Word::Delay) || word(tokens, i + 1) == Some(Word::Function))
            .then_some(Shape::Exact),
        Word::Shutdown => may_end(tokens, i + 1).then_some(Shape::Loose),
        Word::Load => (word(tokens, i + 2) == Some(Word::Infile)
            || matches!(kind(tokens, i + 1), Some(Kind::Text)))
        .then_some(Shape::Exact),
        Word::Copy => {
            let after = behind(i + 1);
            (named(i + 1) || kind(tokens, i + 1) == Some(Kind::Open))
                .then(|| word(tokens, after))
                .flatten()
                .filter(|w| matches!(w, Word::From | Word::Plain))
                .and_then(|_| {
                    exact(
                        matches!(kind(tokens, after + 1), Some(Kind::Text))
                            || kind(tokens, after + 2) == Some(Kind::Text),
                    )
                })
        }
        Word::Attach => (second == Some(Word::Object) || kind(tokens, i + 2) == Some(Kind::Compare))
            .then_some(Shape::Exact),
        Word::Grant => tokens
            .from(i + 1)
            .take(8)
            .any(|(_, t)| t.kind == Kind::Word(Word::Continuation))
            .then_some(Shape::Loose),
        Word::Use => (named(i + 1) && kind(tokens, i + 2) == Some(Kind::Semicolon)).then_some(Shape::Loose),
        Word::If => {
            let at = i + 1 + usize::from(second == Some(Word::Not));
            (kind(tokens, at) == Some(Kind::Open) && condition(tokens, at)).then_some(Shape::Loose)
        }
        Word::Handler => (named(i + 1)
            && matches!(word(tokens, i + 2), Some(Word::HandlerVerb | Word::From)))
        .then_some(Shape::Exact),
        Word::Delaying | Word::Stored if kind(tokens, i + 1) == Some(Kind::Open) => Some(Shape::Exact),
        Word::Stored => Some(Shape::Exact),
        _ => None,
    }
}

/// Whether a statement is over at `i`.
fn ends_statement(tokens: &Reading<'_>, i: usize) -> bool {
    matches!(
        kind(tokens, i),
        None | Some(
            Kind::Tail
                | Kind::Semicolon
                | Kind::Close
                | Kind::Comma
                | Kind::OpenText
                | Kind::Word(Word::Cascade)
        )
    )
}

/// `EXEC xp_cmdshell`, `EXEC master..x`, `EXECUTE IMMEDIATE '…'`, `EXEC(@x)`, `CALL p(`.
fn exec(tokens: &Reading<'_>, i: usize) -> Option<Shape> {
    match tokens.get(i + 1)?.kind {
        Kind::Word(Word::Immediate | Word::Stored) | Kind::Variable => Some(Shape::Exact),
        Kind::Open => {
            matches!(kind(tokens, i + 2), Some(Kind::Text | Kind::OpenText | Kind::Variable | Kind::Quote))
                .then_some(Shape::Exact)
        }
        Kind::Word(w) if w.is_name() => match kind(tokens, i + 2) {
            Some(Kind::Dot)
                if tokens.get(i + 2).zip(tokens.get(i + 3)).is_some_and(|(a, b)| a.end == b.start) =>
            {
                Some(Shape::Exact)
            }
            Some(Kind::Text | Kind::OpenText | Kind::Variable) => Some(Shape::Loose),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a comparison or a call stands at `i`, as behind `WHERE` or `IF`.
pub(crate) fn condition(tokens: &Reading<'_>, i: usize) -> bool {
    let Some(left) = operand(tokens, i) else { return false };
    if matches!(left.operand, Operand::Query | Operand::Call) {
        return true;
    }
    match comparison(tokens, left.next) {
        Some(Comparison::Symbol(next)) => operand(tokens, next).is_some() || tokens.ends_at(next),
        Some(Comparison::Word(next)) => {
            operand(tokens, next).is_some_and(|right| !matches!(right.operand, Operand::Name))
        }
        Some(Comparison::Complete(_)) => true,
        None => {
            left.operand == Operand::Group
                || (left.operand == Operand::Constant && may_end(tokens, left.next))
        }
    }
}

/// A `SELECT`: its list and, where there is one, its `FROM`.
pub(crate) fn select(tokens: &Reading<'_>, from: usize) -> Option<Shape> {
    let mut i = from + 1;
    while matches!(word(tokens, i), Some(Word::Distinct | Word::All)) {
        i += 1;
    }
    let mut telling = false;
    let mut items = 0;
    let mut names = 0;
    for _ in 0..CHAIN_MAX * 2 {
        if kind(tokens, i) == Some(Kind::Arithmetic)
            && !matches!(kind(tokens, i + 1), Some(Kind::Number(_) | Kind::Variable))
        {
            // `*`
            telling = true;
            i += 1;
        } else {
            let Some(item) = operand(tokens, i) else { break };
            match item.operand {
                Operand::Name if kind(tokens, i) == Some(Kind::Variable) => telling = true,
                Operand::Name if word(tokens, i) == Some(Word::Prose) => return None,
                Operand::Name | Operand::Group => names += 1,
                Operand::Constant if item.next == i + 1 && matches!(kind(tokens, i), Some(Kind::Text)) => {
                    names += 1;
                }
                _ => telling = true,
            }
            i = item.next;
        }
        items += 1;
        if kind(tokens, i) == Some(Kind::Assign) || kind(tokens, i) == Some(Kind::Compare) {
            telling = true;
            i = operand(tokens, i + 1).map_or(i + 1, |right| right.next);
        }
        if word(tokens, i) == Some(Word::As) {
            i += 2;
        } else if matches!(kind(tokens, i), Some(Kind::Pipes | Kind::Ampersands)) {
            telling = true;
            i += 1;
            continue;
        }
        if kind(tokens, i) != Some(Kind::Comma) {
            break;
        }
        i += 1;
    }
    if items == 0 {
        return None;
    }
    match word(tokens, i) {
        Some(Word::From) => from_clause(tokens, i + 1, telling || (items > 2 && names > 0)),
        Some(Word::Into) => Some(Shape::Exact),
        _ if telling && may_end(tokens, i) => Some(Shape::Exact),
        _ => None,
    }
}

fn from_clause(tokens: &Reading<'_>, i: usize, telling: bool) -> Option<Shape> {
    let at = skip_opens(tokens, i);
    let Some(head) = kind(tokens, at) else { return Some(if telling { Shape::Exact } else { Shape::Loose }) };
    let source = match head {
        Kind::Word(Word::Select | Word::System | Word::Quoted) | Kind::Variable | Kind::BracketOpen => {
            return Some(Shape::Exact);
        }
        Kind::Word(Word::Prose) => return None,
        Kind::Word(w) if w.is_name() => name(tokens, at),
        Kind::Text | Kind::Quote => Parsed { operand: Operand::Name, next: at + 1 },
        _ => return None,
    };
    let qualified = source.next > at + 1;
    let mut next = skip_closes(tokens, source.next);
    if matches!(word(tokens, next), Some(Word::Plain)) {
        // An alias.
        next += 1;
    }
    let exact = match kind(tokens, next) {
        Some(Kind::Word(Word::Where | Word::Having)) => condition(tokens, next + 1),
        Some(Kind::Word(Word::Order)) => word(tokens, next + 1) == Some(Word::By),
        Some(Kind::Word(Word::Limit)) => matches!(kind(tokens, next + 1), Some(Kind::Number(_))),
        Some(Kind::Word(Word::Union)) => true,
        Some(Kind::Semicolon | Kind::Tail | Kind::Close) => telling || qualified,
        Some(Kind::Comma | Kind::OpenText | Kind::Text | Kind::Word(Word::Continuation)) | None => telling,
        _ => return telling.then_some(Shape::Loose),
    };
    Some(if exact { Shape::Exact } else { Shape::Loose })
}
