//! Judging of the tokens behind a break: a quote that ends the host query's string, or the beginning of the value where the host
//! query has no quotes. Something that a query would go on with is evidence, an apostrophe in prose is not.

mod condition;
mod ending;
pub(super) mod start;

use super::judgement::Judgement;
use crate::sql::grammar::statement::{Shape, statement};
use crate::sql::grammar::{
    self, Comparison, Operand, comparison, kind, operand, skip_closes, skip_opens, word,
};
use crate::sql::reading::Reading;
use crate::sql::sign::SqlSign;
use crate::sql::token::{Dialect, Kind, Quotes};
use crate::sql::words::Word;

/// Bytes of a string that the host query's quote is to close; prose between quotes is longer or has spaces.
const OPEN_TEXT_MAX: usize = 40;

/// The kind of a break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BreakKind {
    /// A quote; `first` of its kind in the value. Later ones may as well close what an earlier one opened.
    Quote {
        /// The quote's first byte.
        byte: u8,
        /// True if it is the first of its kind.
        first: bool,
        /// True if it closes what another one in the value opened.
        closes: bool,
    },
    /// The value's beginning, or a number in it, taken as an operand.
    Value,
    /// A name at the value's beginning, which may as well be prose or a filter's field.
    Name,
}

impl BreakKind {
    fn is_quote(self) -> bool {
        matches!(self, BreakKind::Quote { .. })
    }

    /// Returns `true` if the string of a host query goes on behind it.
    fn closes(self) -> bool {
        matches!(self, BreakKind::Quote { closes: true, .. })
    }

    /// Returns `true` if nothing speaks for a harmless reading of the break itself.
    fn is_clear(self) -> bool {
        matches!(self, BreakKind::Quote { first: true, .. } | BreakKind::Value)
    }
}

/// Judges what follows a break at `at`; the query goes on at `from`.
pub(super) fn behind(
    judgement: &mut Judgement<'_, '_, '_>,
    at: usize,
    from: usize,
    quotes: Quotes,
    break_kind: BreakKind,
) {
    for dialect in [Dialect::MySql, Dialect::Standard] {
        let tokens = Reading::new(judgement.bytes(), from, dialect, quotes);
        Break { judgement, tokens: &tokens, at, opened_by: break_kind }.judge(0);
        judgement.spend(tokens.cost());
        if !tokens.is_ambiguous() {
            break;
        }
    }
}

/// Returns `true` for a word that begins a statement which is none of the clauses of a query.
fn begins_statement(role: Word) -> bool {
    matches!(
        role,
        Word::Exec
            | Word::Declare
            | Word::Waitfor
            | Word::Insert
            | Word::Delete
            | Word::Update
            | Word::Drop
            | Word::Create
            | Word::Truncate
    )
}

/// A break and the tokens behind it.
struct Break<'t, 'x, 'a, 'e, 's> {
    judgement: &'x mut Judgement<'a, 'e, 's>,
    tokens: &'t Reading<'a>,
    at: usize,
    opened_by: BreakKind,
}

impl Break<'_, '_, '_, '_, '_> {
    /// Index behind `IN BOOLEAN MODE`, which ends the pattern of a full-text search in MySQL.
    fn behind_full_text_mode(&self, i: usize) -> usize {
        let is = |at: usize, name: &str| {
            let text =
                self.tokens.get(at).and_then(|token| self.judgement.bytes().get(token.start..token.end));
            text.is_some_and(|text| text.eq_ignore_ascii_case(name.as_bytes()))
        };
        let closes = kind(self.tokens, i + 3) == Some(Kind::Close);
        if closes && is(i, "in") && is(i + 1, "boolean") && is(i + 2, "mode") { i + 3 } else { i }
    }

    fn judge(&mut self, from: usize) {
        let i = skip_closes(self.tokens, self.behind_full_text_mode(skip_closes(self.tokens, from)));
        let Some(head) = kind(self.tokens, i) else { return };
        if self.closes_attribute() {
            return;
        }
        if self.joins_node_set(i) {
            return self.hit(SqlSign::ComparisonBreak, i + 2);
        }
        match head {
            Kind::Tail => self.tail(i),
            Kind::Semicolon => self.semicolon(i),
            Kind::Comma => self.value_list(i),
            Kind::Pipes => self.pipes(i),
            Kind::Ampersands | Kind::Word(Word::And | Word::Or) => self.link(i),
            Kind::Arithmetic => self.arithmetic(i),
            Kind::Cast => self.cast(i),
            Kind::Word(Word::Order | Word::Having | Word::Where | Word::Limit | Word::Into) => self.clause(i),
            Kind::Word(role) if begins_statement(role) => self.statement(i, role),
            Kind::Word(Word::Delaying | Word::Distinctive | Word::If | Word::Function) => self.call(i),
            Kind::Word(role @ (Word::Union | Word::As | Word::Procedure | Word::When | Word::Collate)) => {
                if let Some((sign, end)) = self.keyword(i, role) {
                    self.hit(sign, end);
                } else if role == Word::Procedure {
                    self.comparison(i);
                }
            }
            _ => self.comparison(i),
        }
    }

    /// The sign of a keyword at `i` that goes on with the query, and the index behind what shows it.
    fn keyword(&self, i: usize, role: Word) -> Option<(SqlSign, usize)> {
        let follows = |at: usize, known: Word| word(self.tokens, at) == Some(known);
        match role {
            Word::Union => {
                let all = matches!(word(self.tokens, i + 1), Some(Word::All | Word::Distinct));
                let at = skip_opens(self.tokens, i + 1 + usize::from(all));
                let joined = follows(at, Word::Select) && self.opened_by.is_quote();
                joined.then_some((SqlSign::UnionSelect, at + 1))
            }
            Word::As => {
                let aliased = self.opened_by.is_clear() && follows(i + 2, Word::From);
                aliased.then_some((SqlSign::Clause, i + 3))
            }
            Word::Procedure => follows(i + 1, Word::Analyse).then_some((SqlSign::Clause, i + 2)),
            Word::When => {
                let condition = operand(self.tokens, i + 1)?;
                follows(condition.next, Word::Then).then_some((SqlSign::ConditionFragment, i + 2))
            }
            _ => {
                let known = matches!(kind(self.tokens, i + 1), Some(Kind::Word(_) | Kind::Text));
                let cut = kind(self.tokens, i + 2) == Some(Kind::Tail) && self.opened_by.is_clear();
                (known && cut).then_some((SqlSign::ComparisonBreak, i + 2))
            }
        }
    }

    /// `'] | //user['`: a predicate of XPath is closed and another set of nodes joined (XPath 1.0, section 3.3).
    fn joins_node_set(&self, i: usize) -> bool {
        let closed =
            i.checked_sub(1).and_then(|before| kind(self.tokens, before)) == Some(Kind::BracketClose);
        let at = self.tokens.get(i).map_or(usize::MAX, |token| token.start);
        let rest = self.judgement.bytes().get(at..).and_then(|rest| rest.strip_prefix(b"|"));
        closed
            && self.opened_by.is_quote()
            && rest.is_some_and(|rest| rest.trim_ascii_start().starts_with(b"/"))
    }

    /// A statement without a semicolon before it, which Transact-SQL does not need.
    fn statement(&mut self, i: usize, role: Word) {
        let shape = statement(self.tokens, i);
        let holds = match role {
            Word::Exec | Word::Declare | Word::Waitfor => shape.is_some(),
            _ => self.opened_by.is_clear() && shape == Some(Shape::Exact),
        };
        if holds && self.opened_by.is_quote() {
            self.hit(SqlSign::Stacked, i + 2);
        }
    }

    fn hit(&mut self, sign: SqlSign, to: usize) {
        // Backticks enclose names: what a name is compared with or cut off from takes words to be an attack.
        let is_wordless = matches!(
            sign,
            SqlSign::ComparisonBreak
                | SqlSign::LoginComment
                | SqlSign::CommentTail
                | SqlSign::Closer
                | SqlSign::Concatenation
        );
        if matches!(self.opened_by, BreakKind::Quote { byte: b'`', .. }) && is_wordless {
            return;
        }
        let end = self.tokens.end_before(to).unwrap_or(self.at);
        self.judgement.found(sign, self.at, end);
        if matches!(self.opened_by, BreakKind::Quote { byte: b'`', .. }) {
            self.judgement.found(SqlSign::BacktickBreak, self.at, end);
        }
    }

    /// Returns `true` if the quote ends an attribute and `>` its tag: `<h2 class="x">Case study</h2>`. A host query's string would
    /// have ended with the attribute's first quote, and what stands behind that one is judged.
    fn closes_attribute(&self) -> bool {
        let BreakKind::Quote { byte: quote @ (b'"' | b'\''), first, .. } = self.opened_by else {
            return false;
        };
        // An empty attribute reads like a doubled quote inside of a string.
        let is_empty = self.judgement.bytes().get(self.at + 1) == Some(&quote);
        let end = self.at + usize::from(is_empty);
        let Some((before, behind)) = self.judgement.bytes().split_at_checked(end) else { return false };
        let ends_tag = matches!(behind.get(1..), Some([b'>', ..] | [b'/' | b' ', b'>', ..]));
        let opened = memchr::memrchr(quote, before).and_then(|at| before.get(..at));
        let Some(tag) = opened.filter(|head| ends_tag && (is_empty || !first) && head.ends_with(b"=")) else {
            return false;
        };
        let start = memchr::memrchr(b'<', tag).and_then(|at| tag.get(at + 1..));
        start.is_some_and(|tag| {
            tag.first().is_some_and(u8::is_ascii_alphabetic) && memchr::memchr(b'>', tag).is_none()
        })
    }

    fn is_only_quote(&self) -> bool {
        let BreakKind::Quote { byte, first: true, .. } = self.opened_by else { return false };
        let rest = self.judgement.bytes().get(self.at + 1..).unwrap_or_default();
        memchr::memchr(byte, rest).is_none()
    }

    /// `' ORDER BY 3--`, `' HAVING 1=1`, `' LIMIT 1 OFFSET 1`.
    fn clause(&mut self, i: usize) {
        let by = word(self.tokens, i + 1) == Some(Word::By);
        let from = i + 1 + usize::from(by);
        let Some(first) = operand(self.tokens, from) else { return };
        let behind = kind(self.tokens, first.next);
        let ends = matches!(behind, Some(Kind::Tail | Kind::Comma));
        let open_end = behind.is_none() && self.opened_by.is_quote() && self.opened_by.is_clear();
        let holds = match word(self.tokens, i) {
            Some(Word::Order) => {
                by && (ends || open_end || first.operand == Operand::Call)
                    && (first.operand != Operand::Name || behind == Some(Kind::Tail))
            }
            Some(Word::Having | Word::Where) => {
                matches!(comparison(self.tokens, first.next), Some(Comparison::Symbol(next))
                    if operand(self.tokens, next).is_some_and(|right| right.operand != Operand::Name && first.operand != Operand::Name))
            }
            Some(Word::Limit) => {
                let offset = word(self.tokens, first.next) == Some(Word::Limit);
                first.operand == Operand::Constant && (ends || open_end || offset)
            }
            _ => false,
        };
        if holds && self.opened_by != BreakKind::Name {
            self.hit(SqlSign::Clause, first.next);
        }
    }

    /// `" sleep(10.to_i) "`: a call directly behind the quote, as when a template pastes values side by side.
    fn call(&mut self, i: usize) {
        let Some(Kind::Open) = kind(self.tokens, i + 1) else { return };
        let delaying = word(self.tokens, i) == Some(Word::Delaying);
        let number = matches!(kind(self.tokens, i + 2), Some(Kind::Number(_)));
        if !self.opened_by.is_quote() || !self.opened_by.is_clear() {
            return;
        }
        if delaying && (number || grammar::arguments(self.tokens, i + 1)) {
            self.hit(SqlSign::DelayCall, i + 3);
        } else if grammar::arguments(self.tokens, i + 1) && word(self.tokens, i) != Some(Word::Function) {
            self.hit(SqlSign::CallBreak, i + 3);
        }
    }
}
