//! Statements of procedural dialects behind a separator: a block, a call of a routine, a condition with a branch (Oracle's
//! PL/SQL, Transact-SQL, the `CALL` of SQL/PSM).

use super::statement::{Shape, condition, statement};
use super::{close_of, kind, word};
use crate::sql::reading::Reading;
use crate::sql::token::Kind;
use crate::sql::words::Word;

/// Parts of a routine's name: server, schema, package, routine.
const NAME_PARTS_MAX: usize = 4;

/// True if such a statement begins at `i`.
pub(crate) fn block(tokens: &Reading<'_>, i: usize) -> bool {
    match word(tokens, i) {
        Some(Word::Transaction) => {
            let next = word(tokens, i + 1);
            let branches = next == Some(Word::If) && condition(tokens, i + 2);
            branches || calls(tokens, i + 1) || matches!(next, Some(Word::Delaying | Word::Declare))
        }
        Some(Word::Exec) => calls(tokens, i + 1),
        Some(Word::If) if kind(tokens, i + 1) == Some(Kind::Open) && condition(tokens, i + 2) => {
            let behind = close_of(tokens, i + 1);
            let ends = matches!(kind(tokens, behind), None | Some(Kind::Tail | Kind::Semicolon));
            let chooses = tokens
                .from(i + 2)
                .take_while(|(at, _)| *at < behind)
                .filter(|(_, token)| token.kind == Kind::Comma)
                .count();
            ends && chooses > 1
                || matches!(word(tokens, behind), Some(Word::Select | Word::Drop))
                || statement(tokens, behind) == Some(Shape::Exact)
        }
        _ => false,
    }
}

/// True if a routine is called at `i`: its name, in parts, and an opening parenthesis without a gap.
fn calls(tokens: &Reading<'_>, i: usize) -> bool {
    let touches = |at: usize| {
        at.checked_sub(1)
            .and_then(|before| tokens.get(before))
            .zip(tokens.get(at))
            .is_some_and(|(a, b)| a.end == b.start)
    };
    let mut at = i;
    for _ in 0..NAME_PARTS_MAX {
        if !matches!(kind(tokens, at), Some(Kind::Word(_))) {
            return false;
        }
        match kind(tokens, at + 1) {
            Some(Kind::Dot) if touches(at + 1) && touches(at + 2) => at += 2,
            Some(Kind::Open) => return touches(at + 1),
            _ => return false,
        }
    }
    false
}
