//! Statements and their clauses.

use super::{
    CHAIN_MAX, Comparison, Operand, Parsed, comparison, kind, may_end, name, operand, skip_closes,
    skip_opens, word,
};
use crate::sql::reading::Reading;
use crate::sql::token::Kind;
use crate::sql::words::Word;

/// The completeness of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shape {
    /// Prose could read the same.
    Loose,
    /// Nothing but a query reads like this.
    Exact,
}

/// The shape of the statement that begins at `i`, if one does.
pub(crate) fn statement(tokens: &Reading<'_>, i: usize) -> Option<Shape> {
    let first = word(tokens, i)?;
    let head = Head { tokens, i, second: word(tokens, i + 1) };
    match first {
        Word::Select => select(tokens, i),
        Word::Exec => exec(tokens, i),
        Word::Insert | Word::Delete | Word::Update | Word::Truncate | Word::Copy | Word::Load => {
            head.changes_rows(first)
        }
        Word::Drop | Word::Create | Word::Attach | Word::Grant => head.changes_objects(first),
        _ => head.controls(first),
    }
}

/// The first words of a statement.
struct Head<'t, 'a> {
    tokens: &'t Reading<'a>,
    i: usize,
    second: Option<Word>,
}

impl Head<'_, '_> {
    /// Returns `true` if a name stands at `at`.
    fn is_named(&self, at: usize) -> bool {
        match kind(self.tokens, at) {
            Some(Kind::Word(w)) => w.is_name() && w != Word::Prose,
            Some(Kind::Text | Kind::Variable | Kind::BracketOpen) => true,
            _ => false,
        }
    }

    /// The place behind the operand at `at`.
    fn behind(&self, at: usize) -> usize {
        operand(self.tokens, at).map_or(at + 1, |name| name.next)
    }

    /// `1=1 shutdown`: a comparison without parentheses and the statement that it guards.
    fn compares_constants(&self, at: usize) -> bool {
        let tokens = self.tokens;
        let Some(left) = operand(tokens, at).filter(|left| left.operand == Operand::Constant) else {
            return false;
        };
        let Some(Comparison::Symbol(next)) = comparison(tokens, left.next) else { return false };
        operand(tokens, next).is_some_and(|right| {
            right.operand == Operand::Constant
                && matches!(
                    word(tokens, right.next),
                    Some(
                        Word::Select
                            | Word::Drop
                            | Word::Delete
                            | Word::Insert
                            | Word::Update
                            | Word::Shutdown
                            | Word::Waitfor
                            | Word::Exec
                            | Word::Transaction
                    )
                )
        })
    }

    fn changes_rows(&self, first: Word) -> Option<Shape> {
        let (tokens, i) = (self.tokens, self.i);
        match first {
            Word::Insert => {
                let at = i + 1 + usize::from(self.second == Some(Word::Into));
                let values = match kind(tokens, self.behind(at)) {
                    Some(Kind::Open | Kind::Word(Word::Values | Word::Select | Word::Set)) => true,
                    _ => matches!(kind(tokens, at + 1), Some(Kind::Open)),
                };
                let named = self.is_named(at);
                if values { exact_if(named) } else { loose_if(named && at > i + 1) }
            }
            Word::Delete if self.second == Some(Word::From) && self.is_named(i + 2) => {
                let after = self.behind(i + 2);
                match word(tokens, after) {
                    Some(Word::Where) => Some(shape(condition(tokens, after + 1))),
                    _ => Some(shape(matches!(kind(tokens, after), Some(Kind::Semicolon | Kind::Tail)))),
                }
            }
            Word::Update if self.is_named(i + 1) && word(tokens, self.behind(i + 1)) == Some(Word::Set) => {
                Some(shape(condition(tokens, self.behind(i + 1) + 1)))
            }
            Word::Truncate if self.is_named(i + 1) || kind(tokens, i + 1) == Some(Kind::BracketOpen) => {
                let is_table = self.second == Some(Word::Object) && self.is_named(i + 2);
                Some(shape(
                    kind(tokens, i + 1) == Some(Kind::BracketOpen)
                        || (is_table && may_end(tokens, self.behind(i + 2))),
                ))
            }
            Word::Copy => self.copies(),
            Word::Load => exact_if(
                word(tokens, i + 2) == Some(Word::Infile) || matches!(kind(tokens, i + 1), Some(Kind::Text)),
            ),
            _ => None,
        }
    }

    /// `COPY t FROM '/etc/passwd'`
    fn copies(&self) -> Option<Shape> {
        let (tokens, i) = (self.tokens, self.i);
        let after = self.behind(i + 1);
        let is_table = self.is_named(i + 1) || kind(tokens, i + 1) == Some(Kind::Open);
        if !is_table || !matches!(word(tokens, after), Some(Word::From | Word::Plain)) {
            return None;
        }
        Some(shape(
            matches!(kind(tokens, after + 1), Some(Kind::Text))
                || kind(tokens, after + 2) == Some(Kind::Text),
        ))
    }

    fn changes_objects(&self, first: Word) -> Option<Shape> {
        let (tokens, i) = (self.tokens, self.i);
        let is_object = matches!(self.second, Some(Word::Object | Word::Procedure));
        match first {
            Word::Drop if is_object => {
                let at = if word(tokens, i + 2) == Some(Word::If) { i + 4 } else { i + 2 };
                exact_if(self.is_named(at) && ends_statement(tokens, self.behind(at)))
            }
            Word::Create if is_object && self.is_named(i + 2) => {
                let after = self.behind(i + 2);
                let next = word(tokens, after);
                let goes_on = matches!(
                    next,
                    Some(Word::As | Word::Set | Word::Drop | Word::Create | Word::Continuation)
                );
                let is_plain = next == Some(Word::Plain)
                    && kind(tokens, after + 1).is_some_and(|k| matches!(k, Kind::Text | Kind::Word(_)));
                let ends = matches!(kind(tokens, after), Some(Kind::Open | Kind::Semicolon | Kind::Tail))
                    || operand(tokens, i + 2).is_some_and(|name| name.operand == Operand::Group);
                Some(shape(goes_on || is_plain || ends))
            }
            Word::Attach if self.second == Some(Word::Object) => Some(Shape::Exact),
            Word::Attach if kind(tokens, i + 2) == Some(Kind::Compare) => Some(Shape::Exact),
            Word::Attach => loose_if(self.is_named(i + 1) || tokens.ends_at(i + 1)),
            Word::Grant => {
                loose_if(tokens.from(i + 1).take(8).any(|(_, t)| t.kind == Kind::Word(Word::Continuation)))
            }
            _ => None,
        }
    }

    /// Statements that set variables, wait, or steer what runs.
    fn controls(&self, first: Word) -> Option<Shape> {
        let (tokens, i) = (self.tokens, self.i);
        match first {
            Word::Declare => exact_if(kind(tokens, i + 1) == Some(Kind::Variable)),
            Word::Set => exact_if(
                kind(tokens, i + 1) == Some(Kind::Variable)
                    || (self.is_named(i + 1)
                        && kind(tokens, i + 2) == Some(Kind::Compare)
                        && operand(tokens, i + 3).is_some()),
            )
            .or_else(|| loose_if(self.is_named(i + 1) && kind(tokens, i + 3) == Some(Kind::Compare))),
            Word::Waitfor => exact_if(matches!(self.second, Some(Word::Delay | Word::Function))),
            Word::Shutdown => loose_if(may_end(tokens, i + 1)),
            Word::Use => loose_if(
                self.is_named(i + 1)
                    && matches!(kind(tokens, i + 2), None | Some(Kind::Semicolon | Kind::Tail)),
            ),
            Word::If if self.compares_constants(i + 1) => Some(Shape::Loose),
            Word::If => {
                let at = i + 1 + usize::from(self.second == Some(Word::Not));
                loose_if(kind(tokens, at) == Some(Kind::Open) && condition(tokens, at))
            }
            Word::Handler => exact_if(
                self.is_named(i + 1) && matches!(word(tokens, i + 2), Some(Word::HandlerVerb | Word::From)),
            ),
            Word::Delaying => exact_if(kind(tokens, i + 1) == Some(Kind::Open)),
            Word::Stored => Some(Shape::Exact),
            _ => None,
        }
    }
}

/// The shape of a statement whose rest is there, or of one whose rest is missing.
fn shape(is_exact: bool) -> Shape {
    if is_exact { Shape::Exact } else { Shape::Loose }
}

fn exact_if(is_one: bool) -> Option<Shape> {
    is_one.then_some(Shape::Exact)
}

fn loose_if(is_one: bool) -> Option<Shape> {
    is_one.then_some(Shape::Loose)
}

/// Returns `true` if a statement is over at `i`.
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

/// Returns `true` if a comparison or a call stands at `i`, as behind `WHERE` or `IF`.
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

/// The list of a `SELECT` as far as it was read.
struct SelectList {
    /// Index behind it.
    next: usize,
    /// True if prose has nothing like it.
    telling: bool,
    items: usize,
    names: usize,
}

/// A `SELECT`: its list and, where there is one, its `FROM`.
pub(crate) fn select(tokens: &Reading<'_>, from: usize) -> Option<Shape> {
    let mut list = SelectList { next: from + 1, telling: false, items: 0, names: 0 };
    while matches!(word(tokens, list.next), Some(Word::Distinct | Word::All)) {
        list.next += 1;
    }
    for _ in 0..CHAIN_MAX * 2 {
        if !list.item(tokens)? || !list.goes_on(tokens) {
            break;
        }
    }
    if list.items == 0 {
        return None;
    }
    let i = list.next;
    match word(tokens, i) {
        Some(Word::From) => from_clause(tokens, i + 1, list.telling || (list.items > 2 && list.names > 0)),
        Some(Word::Into) => Some(Shape::Exact),
        // Behind a star nothing is joined: `(select* OR choose*)` searches for words.
        Some(Word::And | Word::Or) if kind(tokens, i - 1) == Some(Kind::Arithmetic) => None,
        _ if list.telling && may_end(tokens, i) => Some(Shape::Exact),
        _ => None,
    }
}

impl SelectList {
    /// Reads an item; `false` where none stands, `None` where prose does.
    fn item(&mut self, tokens: &Reading<'_>) -> Option<bool> {
        let i = self.next;
        let star = kind(tokens, i) == Some(Kind::Arithmetic)
            && !matches!(kind(tokens, i + 1), Some(Kind::Number(_) | Kind::Variable));
        if star {
            self.telling = true;
            self.next += 1;
        } else {
            let Some(item) = operand(tokens, i) else { return Some(false) };
            let text = item.next == i + 1 && matches!(kind(tokens, i), Some(Kind::Text));
            match item.operand {
                Operand::Name if kind(tokens, i) == Some(Kind::Variable) => self.telling = true,
                Operand::Name if word(tokens, i) == Some(Word::Prose) => return None,
                Operand::Name | Operand::Group => self.names += 1,
                Operand::Constant if text => self.names += 1,
                _ => self.telling = true,
            }
            self.next = item.next;
        }
        self.items += 1;
        if let Some(Comparison::Symbol(next) | Comparison::Word(next)) = comparison(tokens, self.next) {
            self.telling = true;
            self.next = operand(tokens, next).map_or(next, |right| right.next);
        }
        Some(true)
    }

    /// Steps over what joins a further item, if anything does.
    fn goes_on(&mut self, tokens: &Reading<'_>) -> bool {
        let i = self.next;
        let is_name = |kind| matches!(kind, Some(Kind::Word(word)) if word.is_name() && word != Word::Prose);
        let limits = self.items == 1 && matches!(kind(tokens, i), Some(Kind::Number(_)));
        // `TOP 1 name`, or several operands joined.
        let joins = matches!(kind(tokens, i), Some(Kind::Pipes | Kind::Ampersands));
        if limits && is_name(kind(tokens, i + 1)) || joins {
            self.telling = true;
            self.next += 1;
            return true;
        }
        if word(tokens, i) == Some(Word::As) {
            self.next += 2;
        }
        let is_list = kind(tokens, self.next) == Some(Kind::Comma);
        self.next += usize::from(is_list);
        is_list
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
