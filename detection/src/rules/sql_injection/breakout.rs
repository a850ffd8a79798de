//! What stands behind a break: a quote that ends the host query's string, or the beginning of the value where the host
//! query has no quotes. Something that a query would go on with is evidence, an apostrophe in prose is not.

mod start;

pub(super) use start::at_start;

use super::attribution::{is_attribution, is_phrase};
use super::proofs::{
    BACKTICK_BREAK, BOOLEAN_BREAK, BOOLEAN_ON_VALUE, CALL_BREAK, CLAUSE, CLOSER, COMMENT_TAIL,
    COMPARISON_BREAK, CONCATENATION, CONDITION_FRAGMENT, DELAY_CALL, LOGIN_COMMENT, LOGIN_TAUTOLOGY, STACKED,
    UNION_SELECT, VALUE_LIST,
};
use super::proofs_by_dialect::{ALWAYS_TRUE, DOCUMENT_SCRIPT, JSON_OPERATOR, TYPE_CAST};
use super::scene::Scene;
use crate::lang::sql::grammar::{
    self, Comparison, Operand, Shape, comparison, kind, may_end, operand, skip_closes, skip_opens, statement,
    word,
};
use crate::lang::sql::reading::Reading;
use crate::lang::sql::token::{Dialect, Kind, Quotes};
use crate::lang::sql::words::Word;
use crate::rule::Rule;

/// Bytes of a string that the host query's quote is to close; prose between quotes is longer or has spaces.
const OPEN_TEXT_MAX: usize = 40;
/// Bytes behind a comment that ends a query.
const TAIL_MAX: usize = 24;

/// What the break is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lead {
    /// A quote; `first` of its kind in the value. Later ones may as well close what an earlier one opened.
    Quote {
        /// The quote's first byte.
        byte: u8,
        /// Whether it is the first of its kind.
        first: bool,
    },
    /// The value's beginning, or a number in it, taken as an operand.
    Value,
    /// A name at the value's beginning, which may as well be prose or a filter's field.
    Name,
}

impl Lead {
    fn is_quote(self) -> bool {
        matches!(self, Lead::Quote { .. })
    }

    /// Whether nothing speaks for a harmless reading of the break itself.
    fn is_clear(self) -> bool {
        matches!(self, Lead::Quote { first: true, .. } | Lead::Value)
    }
}

/// Judges what follows a break at `at`; the query goes on at `from`.
pub(super) fn behind(scene: &mut Scene<'_, '_, '_>, at: usize, from: usize, quotes: Quotes, lead: Lead) {
    for dialect in [Dialect::MySql, Dialect::Standard] {
        let tokens = Reading::new(scene.bytes(), from, dialect, quotes);
        Break { scene, tokens: &tokens, at, lead }.judge(0);
        scene.spend(tokens.cost());
        if !tokens.is_ambiguous() {
            break;
        }
    }
}

/// A break and the tokens behind it.
struct Break<'t, 'x, 'a, 'e, 's> {
    scene: &'x mut Scene<'a, 'e, 's>,
    tokens: &'t Reading<'a>,
    at: usize,
    lead: Lead,
}

impl Break<'_, '_, '_, '_, '_> {
    fn judge(&mut self, from: usize) {
        let i = skip_closes(self.tokens, from);
        let Some(head) = kind(self.tokens, i) else { return };
        match head {
            Kind::Tail => self.tail(i),
            Kind::Semicolon => self.semicolon(i),
            Kind::Comma => self.value_list(i),
            Kind::Pipes => self.pipes(i),
            Kind::Ampersands | Kind::Word(Word::And | Word::Or) => self.link(i),
            Kind::Arithmetic => self.arithmetic(i),
            Kind::Cast => self.cast(i),
            Kind::Word(Word::Order | Word::Having | Word::Where | Word::Limit | Word::Into) => self.clause(i),
            Kind::Word(Word::Union) => {
                let all = matches!(word(self.tokens, i + 1), Some(Word::All | Word::Distinct));
                let at = skip_opens(self.tokens, i + 1 + usize::from(all));
                if word(self.tokens, at) == Some(Word::Select) && self.lead.is_quote() {
                    self.hit(&UNION_SELECT, at + 1);
                }
            }
            Kind::Word(Word::As) => {
                if self.lead.is_clear() && word(self.tokens, i + 2) == Some(Word::From) {
                    self.hit(&CLAUSE, i + 3);
                }
            }
            Kind::Word(Word::Exec | Word::Declare | Word::Waitfor) => {
                if self.lead.is_quote() && statement(self.tokens, i).is_some() {
                    self.hit(&STACKED, i + 2);
                }
            }
            Kind::Word(Word::Procedure) if word(self.tokens, i + 1) == Some(Word::Analyse) => {
                self.hit(&CLAUSE, i + 2);
            }
            Kind::Word(Word::When) => {
                if operand(self.tokens, i + 1).is_some_and(|o| word(self.tokens, o.next) == Some(Word::Then))
                {
                    self.hit(&CONDITION_FRAGMENT, i + 2);
                }
            }
            Kind::Word(Word::Delaying | Word::Distinctive | Word::If | Word::Function) => self.call(i),
            Kind::Word(Word::Collate) => {
                let known = matches!(kind(self.tokens, i + 1), Some(Kind::Word(_) | Kind::Text));
                if known && matches!(kind(self.tokens, i + 2), Some(Kind::Tail)) && self.lead.is_clear() {
                    self.hit(&COMPARISON_BREAK, i + 2);
                }
            }
            _ => self.comparison(i),
        }
    }

    fn hit(&mut self, rule: &'static Rule, to: usize) {
        // Backticks enclose names: what a name is compared with or cut off from takes words to be an attack.
        let wordless = [&COMPARISON_BREAK, &LOGIN_COMMENT, &COMMENT_TAIL, &CLOSER, &CONCATENATION];
        if matches!(self.lead, Lead::Quote { byte: b'`', .. })
            && wordless.iter().any(|wordless| std::ptr::eq(*wordless, rule))
        {
            return;
        }
        let end = self.tokens.end_before(to).unwrap_or(self.at);
        self.scene.found(rule, self.at, end);
        if matches!(self.lead, Lead::Quote { byte: b'`', .. }) {
            self.scene.found(&BACKTICK_BREAK, self.at, end);
        }
    }

    fn is_only_quote(&self) -> bool {
        let Lead::Quote { byte, first: true } = self.lead else { return false };
        let rest = self.scene.bytes().get(self.at + 1..).unwrap_or_default();
        memchr::memchr(byte, rest).is_none()
    }

    /// `admin'--`, `') #`: the rest of the host query is cut off.
    fn tail(&mut self, i: usize) {
        let Some(token) = self.tokens.get(i) else { return };
        let short = token.end - token.start <= TAIL_MAX;
        let mark = self.scene.bytes().get(token.start).copied().unwrap_or(0);
        // `#` and `/*` behind a quote also stand in prose and code; there the value has to end soon.
        let closes = i > 0;
        if !self.lead.is_quote() || !self.lead.is_clear() || self.is_attribution(i) {
            return;
        }
        let rest = self.scene.bytes().get(token.start..token.end).unwrap_or_default();
        let words = rest.split(|b| !b.is_ascii_alphanumeric()).filter(|part| part.len() > 1).count();
        // `"#icon"` is an everyday attribute: behind a hash nothing may follow.
        let cut = if mark == b'#' { words == 0 && !rest.contains(&b'"') } else { short && words <= 1 };
        if cut || (closes && mark == b'-') {
            self.hit(&LOGIN_COMMENT, i + 1);
            self.hit(&COMMENT_TAIL, i + 1);
            if closes {
                self.hit(&CLOSER, i + 1);
            }
        }
    }

    /// Whether the comment at `i` is none but names an author.
    fn is_attribution(&self, i: usize) -> bool {
        let dashes = self.tokens.get(i).map_or(usize::MAX, |token| token.start);
        is_attribution(self.scene.bytes(), self.at, dashes)
    }

    fn semicolon(&mut self, i: usize) {
        let after = i + 1;
        match kind(self.tokens, after) {
            None => {
                let commented =
                    self.tokens.get(i).is_some_and(|t| t.gap == crate::lang::sql::token::Gap::Comment);
                if self.is_only_quote() || (commented && self.lead.is_quote()) {
                    self.hit(&CLOSER, after);
                    self.hit(&LOGIN_COMMENT, after);
                }
            }
            Some(Kind::Tail) if self.lead.is_quote() && self.lead.is_clear() && !self.is_sentence(after) => {
                self.hit(&CLOSER, after + 1);
                self.hit(&LOGIN_COMMENT, after + 1);
            }
            Some(Kind::Word(Word::Script)) if self.lead.is_clear() => {
                let scripted = matches!(
                    kind(self.tokens, after + 1),
                    Some(
                        Kind::Open
                            | Kind::BraceOpen
                            | Kind::Word(_)
                            | Kind::Text
                            | Kind::OpenText
                            | Kind::Number(_)
                    )
                );
                if scripted {
                    self.hit(&DOCUMENT_SCRIPT, after + 2);
                }
            }
            Some(Kind::Word(Word::Delaying))
                if self.lead.is_clear()
                    && kind(self.tokens, after + 1) == Some(Kind::Open)
                    && grammar::arguments(self.tokens, after + 1) =>
            {
                self.hit(&DELAY_CALL, after + 2);
            }
            Some(Kind::Word(first)) => {
                let shape = statement(self.tokens, after);
                let loose = self.lead.is_clear()
                    && self.lead.is_quote()
                    && (shape.is_some()
                        || (first == Word::Select && operand(self.tokens, after + 1).is_some()));
                if loose || (shape == Some(Shape::Exact) && self.lead != Lead::Name) {
                    self.hit(&STACKED, after + 2);
                }
            }
            _ => {}
        }
    }

    /// `', '4', '2');`: further values of the host query's own list, and its end.
    fn value_list(&mut self, from: usize) {
        if !self.lead.is_clear() {
            return;
        }
        let mut i = from;
        let mut telling = false;
        while kind(self.tokens, i) == Some(Kind::Comma) {
            let Some(value) = operand(self.tokens, i + 1) else { return };
            match value.operand {
                Operand::Query | Operand::Call => telling = true,
                Operand::Name | Operand::OpenText => return,
                _ => {}
            }
            i = value.next;
        }
        let closed = skip_closes(self.tokens, i) > i;
        let behind = kind(self.tokens, skip_closes(self.tokens, i));
        let ends = match behind {
            Some(Kind::Tail | Kind::Word(Word::Waitfor)) => true,
            Some(Kind::Semicolon) => {
                let after = skip_closes(self.tokens, i) + 1;
                let over = matches!(kind(self.tokens, after), None | Some(Kind::Tail));
                closed && (over || statement(self.tokens, after).is_some())
            }
            _ => false,
        };
        if telling || ends {
            self.hit(&VALUE_LIST, i + 1);
        }
    }

    /// Whether the comment at `i` is somebody's remark: `'; -- just kidding`.
    fn is_sentence(&self, i: usize) -> bool {
        let Some(token) = self.tokens.get(i) else { return false };
        let text = self.scene.bytes().get(token.start..).unwrap_or_default();
        let words = text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'\'');
        words.filter(|word| word.len() > 1 && word.iter().all(u8::is_ascii_alphabetic)).take(2).count() > 1
    }

    /// A string that the value ends in, short and in one piece: the host query's quote is meant to close it.
    fn is_left_open(&self, i: usize) -> bool {
        let Some(token) = self.tokens.get(i) else { return false };
        if token.kind != Kind::OpenText {
            return false;
        }
        let text = self.scene.bytes().get(token.start + 1..token.end).unwrap_or_default();
        (1..=OPEN_TEXT_MAX).contains(&text.len()) && !text.iter().any(u8::is_ascii_whitespace)
    }

    /// An empty string that the value ends in.
    fn is_left_empty(&self, i: usize) -> bool {
        self.tokens.get(i).is_some_and(|token| token.kind == Kind::OpenText && token.end - token.start == 1)
    }

    /// `'||'1`, `'||(select …)`, `'||utl_http.request(…)`.
    fn pipes(&mut self, i: usize) {
        self.link(i);
        let Some(right) = operand(self.tokens, i + 1) else { return };
        let behind = kind(self.tokens, right.next);
        let telling = match right.operand {
            Operand::Query | Operand::Call => self.lead != Lead::Name,
            Operand::OpenText => {
                self.lead.is_quote() && self.lead.is_clear() && self.is_left_open(right.next - 1)
            }
            Operand::Constant | Operand::Name | Operand::Group => {
                self.lead.is_quote()
                    && self.lead.is_clear()
                    && (matches!(behind, Some(Kind::Pipes | Kind::Tail))
                        || self.is_left_open(right.next)
                        || (behind.is_none() && kind(self.tokens, i + 2) == Some(Kind::Dot)))
            }
        };
        if telling {
            self.hit(&CONCATENATION, right.next);
        }
    }

    /// `AND`, `OR` and what is joined by them.
    fn link(&mut self, i: usize) {
        let start = i + 1;
        if word(self.tokens, start) == Some(Word::This) && kind(self.tokens, start + 1) == Some(Kind::Dot) {
            if self.lead.is_clear() {
                self.hit(&DOCUMENT_SCRIPT, start + 3);
            }
            return;
        }
        if kind(self.tokens, start) == Some(Kind::Tail) && self.lead.is_quote() && self.lead.is_clear() {
            let mark = self.tokens.get(start).and_then(|t| self.scene.bytes().get(t.start));
            if mark != Some(&b'#') {
                self.boolean(start + 1);
            }
            return;
        }
        let Some(left) = operand(self.tokens, start) else { return };
        let symbol = !matches!(kind(self.tokens, i), Some(Kind::Word(_)));
        let inside = skip_opens(self.tokens, start);
        if inside > start && self.joins(inside, symbol, true) {
            self.boolean(left.next);
            return;
        }
        if self.joins(start, symbol, false) {
            self.boolean(left.next + 2);
        }
    }

    /// Whether the operand at `start`, with what it is compared to, is a condition that an attacker appends. Inside of
    /// brackets only a comparison is.
    fn joins(&mut self, start: usize, symbol: bool, bracketed: bool) -> bool {
        let Some(left) = operand(self.tokens, start) else { return false };
        match comparison(self.tokens, left.next) {
            Some(Comparison::Symbol(next)) => self.compared(start, left, next, false),
            Some(Comparison::Word(next)) => self.compared(start, left, next, true),
            Some(Comparison::Complete(next)) => {
                may_end(self.tokens, next)
                    && (self.lead.is_clear() || kind(self.tokens, next) == Some(Kind::Tail))
                    && (self.lead.is_quote() || kind(self.tokens, next).is_none_or(|k| k != Kind::Comma))
            }
            None => !bracketed && self.alone(start, left, symbol),
        }
    }

    /// Whether `left op right` is what an attacker appends rather than prose or a filter.
    fn compared(&mut self, start: usize, left: grammar::Parsed, next: usize, by_word: bool) -> bool {
        let Some(right) = operand(self.tokens, next) else {
            // Cut off behind the operator: the host query supplies the rest.
            return self.tokens.ends_at(next)
                && !by_word
                && self.lead.is_clear()
                && left.operand != Operand::Name;
        };
        let constant = |o| matches!(o, Operand::Constant | Operand::OpenText);
        let same = !by_word && self.same(start, left.next, next, right.next);
        let heavy = |o| matches!(o, Operand::Query | Operand::Call);
        let both = constant(left.operand) && constant(right.operand);
        let commented = kind(self.tokens, right.next) == Some(Kind::Tail);
        if both && may_end(self.tokens, right.next) {
            let end = self.tokens.get(right.next - 1).map_or(self.at, |t| t.end);
            self.scene.found(&ALWAYS_TRUE, self.at, end);
        }
        let ends = may_end(self.tokens, right.next) || right.operand == Operand::OpenText;
        if !ends {
            return heavy(left.operand) && self.lead.is_clear() && !by_word;
        }
        if by_word && right.operand == Operand::Name && !commented {
            return false;
        }
        match self.lead {
            _ if both || heavy(left.operand) || heavy(right.operand) => true,
            Lead::Quote { first: true, .. } => true,
            Lead::Value => same || commented || right.operand != Operand::Name,
            Lead::Quote { .. } | Lead::Name => same || (commented && right.operand != Operand::Name),
        }
    }

    /// Whether two operands are spelled alike (`a=a`).
    fn same(&self, a: usize, a_end: usize, b: usize, b_end: usize) -> bool {
        let text = |from: usize, to: usize| {
            let (first, last) = (self.tokens.get(from)?, self.tokens.get(to.checked_sub(1)?)?);
            self.scene.bytes().get(first.start..last.end)
        };
        text(a, a_end).zip(text(b, b_end)).is_some_and(|(a, b)| a.eq_ignore_ascii_case(b))
    }

    /// Whether a lone operand behind `AND` or `OR` is a condition (`or true`, `or 1--`, `and (select …)`).
    fn alone(&self, start: usize, left: grammar::Parsed, symbol: bool) -> bool {
        let behind = kind(self.tokens, left.next);
        let cut = matches!(behind, Some(Kind::Tail));
        let quoted = self.lead.is_quote() && self.lead.is_clear();
        let first = self.tokens.get(start);
        // A phrase is no condition by itself; it takes a comment that cuts the query off.
        let phrase = first.is_some_and(|t| {
            t.kind == Kind::Text && is_phrase(self.scene.bytes().get(t.start..t.end).unwrap_or_default())
        });
        let cut = cut && !(phrase && self.is_attribution(left.next));
        let inverted = first.and_then(|t| self.scene.bytes().get(t.start)) == Some(&b'~');
        let telling = inverted
            || matches!(first.map(|t| t.kind), Some(Kind::Bang | Kind::Word(Word::Literal | Word::Not)));
        match left.operand {
            Operand::Query => true,
            Operand::Call => {
                let open = self.tokens.from(0).find(|(_, t)| t.kind == Kind::Open).map(|(at, _)| at);
                let sane = open.is_none_or(|open| grammar::arguments(self.tokens, open));
                sane && (may_end(self.tokens, left.next)) && self.lead != Lead::Name
            }
            Operand::OpenText => {
                // `or ''-'`: the empty string is an operand of its own sign.
                let signed = left.next > start + 1 && self.is_left_empty(left.next - 1);
                (signed || self.is_left_open(left.next - 1)) && self.lead.is_clear()
            }
            Operand::Constant => {
                let ends = matches!(
                    behind,
                    None | Some(
                        Kind::Close
                            | Kind::Semicolon
                            | Kind::Word(Word::Limit | Word::Order | Word::Union | Word::Or | Word::And)
                    )
                );
                cut && self.lead != Lead::Name
                    || (ends && quoted)
                    || (telling && behind.is_none() && self.lead == Lead::Value)
            }
            Operand::Group => (cut || symbol) && quoted || (cut && self.lead == Lead::Value),
            Operand::Name => cut && quoted,
        }
    }

    fn boolean(&mut self, to: usize) {
        if self.lead.is_quote() {
            self.hit(&BOOLEAN_BREAK, to);
            self.hit(&LOGIN_TAUTOLOGY, to);
        } else {
            self.hit(&BOOLEAN_ON_VALUE, to);
        }
    }

    /// `'='`, `x'>email--`, `' like '%`, `'->>'a'='b`.
    fn comparison(&mut self, i: usize) {
        let (next, by_word) = match comparison(self.tokens, i) {
            Some(Comparison::Symbol(next)) => (next, false),
            Some(Comparison::Word(next)) => (next, true),
            Some(Comparison::Complete(next)) => {
                let goes_on = matches!(
                    kind(self.tokens, next),
                    Some(Kind::Tail | Kind::Pipes | Kind::Ampersands | Kind::Word(Word::And | Word::Or))
                );
                if goes_on && self.lead.is_clear() {
                    self.hit(&COMPARISON_BREAK, next);
                }
                return;
            }
            None => return,
        };
        let first = self.lead.is_quote() && self.lead.is_clear();
        let Some(right) = operand(self.tokens, next) else {
            let cut = matches!(kind(self.tokens, next + 1), Some(Kind::Tail))
                || kind(self.tokens, next) == Some(Kind::Tail);
            if cut && first {
                self.hit(&COMPARISON_BREAK, next + 1);
            }
            return;
        };
        let behind = kind(self.tokens, right.next);
        let joined = matches!(
            behind,
            Some(
                Kind::Tail | Kind::Pipes | Kind::Ampersands | Kind::Word(Word::And | Word::Or | Word::Union)
            )
        );
        let holds = match right.operand {
            Operand::Query | Operand::Call => self.lead.is_quote(),
            Operand::OpenText => {
                let last = right.next - 1;
                let closed = self.is_left_open(last) || (self.is_left_empty(last) && last == next);
                first && closed && !self.is_bare(i, right.next)
            }
            Operand::Constant => first && (joined || self.is_left_open(right.next)),
            Operand::Name | Operand::Group => first && (behind == Some(Kind::Tail) || (joined && !by_word)),
        };
        if holds {
            self.hit(&COMPARISON_BREAK, right.next);
            if kind(self.tokens, i) == Some(Kind::JsonOperator) {
                self.hit(&JSON_OPERATOR, right.next);
            }
        }
    }

    /// A lone operator between two double quotes: somebody quotes the operator itself.
    fn is_bare(&self, i: usize, next: usize) -> bool {
        let double = !matches!(self.lead, Lead::Quote { byte: b'\'', .. });
        let empty = self.tokens.get(next - 1).is_some_and(|t| t.end - t.start <= 1);
        double && empty && i == 0 && self.at == 0
    }

    /// `'-'`, `'+sleep(5)+'`, `x'|email--`, `'*2--`.
    fn arithmetic(&mut self, i: usize) {
        let Some(right) = operand(self.tokens, i + 1) else { return };
        let first = self.lead.is_quote() && self.lead.is_clear();
        let behind = kind(self.tokens, right.next);
        match right.operand {
            Operand::Call | Operand::Query => {
                let sane = self.tokens.from(0).find(|(_, t)| t.kind == Kind::Open).map(|(at, _)| at);
                if self.lead.is_quote() && sane.is_none_or(|open| grammar::arguments(self.tokens, open)) {
                    self.hit(&CALL_BREAK, right.next);
                }
            }
            Operand::OpenText
                if first
                    && right.next == i + 2
                    && (self.is_left_open(i + 1) || self.is_left_empty(i + 1))
                    && !self.is_bare(i, right.next) =>
            {
                let plus = self.tokens.get(i).and_then(|t| self.scene.bytes().get(t.start)) == Some(&b'+');
                let short = self.tokens.get(right.next - 1).is_some_and(|t| t.end - t.start <= 2);
                if plus && !self.is_left_empty(i + 1) {
                    self.hit(&CONCATENATION, right.next);
                } else if short && self.scene.bytes().len() <= 12 {
                    self.hit(&COMPARISON_BREAK, right.next);
                }
            }
            Operand::Constant | Operand::Name | Operand::Group if first && behind == Some(Kind::Tail) => {
                self.hit(&COMPARISON_BREAK, right.next);
            }
            _ => self.comparison_behind(right.next),
        }
    }

    /// Arithmetic that ends in a condition: `'+1 or 1=1`.
    fn comparison_behind(&mut self, i: usize) {
        if matches!(kind(self.tokens, i), Some(Kind::Word(Word::And | Word::Or))) && self.lead.is_clear() {
            self.link(i);
        }
    }

    fn cast(&mut self, i: usize) {
        if word(self.tokens, i + 1) == Some(Word::Type) && self.lead.is_quote() {
            self.hit(&TYPE_CAST, i + 2);
        }
    }

    /// `' ORDER BY 3--`, `' HAVING 1=1`, `' LIMIT 1 OFFSET 1`.
    fn clause(&mut self, i: usize) {
        let by = word(self.tokens, i + 1) == Some(Word::By);
        let from = i + 1 + usize::from(by);
        let Some(first) = operand(self.tokens, from) else { return };
        let behind = kind(self.tokens, first.next);
        let ends = matches!(behind, Some(Kind::Tail | Kind::Comma));
        let open_end = behind.is_none() && self.lead.is_quote() && self.lead.is_clear();
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
        if holds && self.lead != Lead::Name {
            self.hit(&CLAUSE, first.next);
        }
    }

    /// `" sleep(10.to_i) "`: a call directly behind the quote, as when a template pastes values side by side.
    fn call(&mut self, i: usize) {
        let Some(Kind::Open) = kind(self.tokens, i + 1) else { return };
        let delaying = word(self.tokens, i) == Some(Word::Delaying);
        let number = matches!(kind(self.tokens, i + 2), Some(Kind::Number(_)));
        if !self.lead.is_quote() || !self.lead.is_clear() {
            return;
        }
        if delaying && (number || grammar::arguments(self.tokens, i + 1)) {
            self.hit(&DELAY_CALL, i + 3);
        } else if grammar::arguments(self.tokens, i + 1) && word(self.tokens, i) != Some(Word::Function) {
            self.hit(&CALL_BREAK, i + 3);
        }
    }
}
