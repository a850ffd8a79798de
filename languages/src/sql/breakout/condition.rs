//! Conditions that a query goes on with: `or 1=1`, a comparison, a concatenation, arithmetic.

use super::{Break, BreakKind};
use crate::prose::is_phrase;
use crate::sql::grammar::{self, Comparison, Operand, comparison, kind, may_end, operand, skip_opens, word};
use crate::sql::sign::SqlSign;
use crate::sql::token::Kind;
use crate::sql::words::{Word, is_measure};

/// Articles before an apostrophe in French, Italian, Catalan and Occitan.
const ARTICLES: &[&[u8]] = &[
    b"d", b"l", b"dell", b"all", b"nell", b"sull", b"dall", b"quell", b"un", b"qu", b"s", b"n", b"m", b"t",
    b"j", b"c",
];

/// Longest value that is a sum and a string that is left open.
const SUM_BYTES_MAX: usize = 32;

impl Break<'_, '_, '_, '_, '_> {
    /// `'||'1`, `'||(select …)`, `'||utl_http.request(…)`.
    pub(super) fn pipes(&mut self, i: usize) {
        self.link(i);
        let Some(right) = operand(self.tokens, i + 1) else { return };
        let behind = kind(self.tokens, right.next);
        let telling = match right.operand {
            Operand::Query | Operand::Call => self.opened_by != BreakKind::Name && !self.opened_by.closes(),
            Operand::OpenText => {
                self.opened_by.is_quote() && self.opened_by.is_clear() && self.is_left_open(right.next - 1)
            }
            Operand::Constant | Operand::Name | Operand::Group => {
                self.opened_by.is_quote()
                    && self.opened_by.is_clear()
                    && (matches!(behind, Some(Kind::Pipes | Kind::Tail))
                        || self.is_left_open(right.next)
                        || (behind.is_none() && kind(self.tokens, i + 2) == Some(Kind::Dot)))
            }
        };
        if telling {
            self.hit(SqlSign::Concatenation, right.next);
        }
    }

    /// `AND`, `OR` and what is joined by them.
    pub(super) fn link(&mut self, i: usize) {
        let start = i + 1;
        if self.is_elision(i) {
            return;
        }
        if word(self.tokens, start) == Some(Word::This) && kind(self.tokens, start + 1) == Some(Kind::Dot) {
            if self.opened_by.is_clear() {
                self.hit(SqlSign::DocumentScript, start + 3);
            }
            return;
        }
        if kind(self.tokens, start) == Some(Kind::Tail)
            && self.opened_by.is_quote()
            && self.opened_by.is_clear()
        {
            let mark = self.tokens.get(start).and_then(|t| self.judgement.bytes().get(t.start));
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

    /// Returns `true` if the quote is the apostrophe of a Romance language (`Ballon d'Or 2024`, `Via dell'Or 5`): an article that
    /// has lost its vowel in front of the word at `i`, and behind that nothing that would balance or cut off the string
    /// that a quote would have ended. As SQL it could not run.
    fn is_elision(&self, i: usize) -> bool {
        let BreakKind::Quote { byte, .. } = self.opened_by else { return false };
        let width = if byte == b'\'' { 1 } else { '\u{2019}'.len_utf8() };
        let Some(joined) = self.tokens.get(i).filter(|token| token.start == self.at + width) else {
            return false;
        };
        let (before, behind) =
            (self.judgement.bytes().get(..self.at), self.judgement.bytes().get(joined.end..));
        let word =
            before.unwrap_or_default().rsplit(|byte| !(byte.is_ascii_alphanumeric() || *byte >= 0x80)).next();
        let is_article =
            word.is_some_and(|word| ARTICLES.iter().any(|known| word.eq_ignore_ascii_case(known)));
        let behind = behind.unwrap_or_default();
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 0x80 || b" .,/-&".contains(byte);
        let speaks_sql =
            |kind: Kind| matches!(kind, Kind::Word(word) if !matches!(word, Word::And | Word::Or));
        is_article
            && behind.iter().all(plain)
            && memchr::memmem::find(behind, b"--").is_none()
            && !self.tokens.from(i + 1).any(|(_, token)| speaks_sql(token.kind))
    }

    /// Returns `true` if the operand at `start`, with what it is compared to, is a condition that an attacker appends. Inside of
    /// brackets only a comparison is.
    fn joins(&mut self, start: usize, symbol: bool, bracketed: bool) -> bool {
        let Some(left) = operand(self.tokens, start) else { return false };
        match comparison(self.tokens, left.next) {
            Some(Comparison::Symbol(next)) => self.compared(start, left, next, false),
            Some(Comparison::Word(next)) => self.compared(start, left, next, true),
            Some(Comparison::Complete(next)) => {
                may_end(self.tokens, next)
                    && (self.opened_by.is_clear() || kind(self.tokens, next) == Some(Kind::Tail))
                    && (self.opened_by.is_quote() || kind(self.tokens, next).is_none_or(|k| k != Kind::Comma))
            }
            None => !bracketed && self.alone(start, left, symbol),
        }
    }

    /// Returns `true` if `left op right` is what an attacker appends rather than prose or a filter.
    fn compared(&mut self, start: usize, left: grammar::Parsed, next: usize, by_word: bool) -> bool {
        let Some(right) = operand(self.tokens, next) else {
            // Cut off behind the operator: the host query supplies the rest.
            return self.tokens.ends_at(next)
                && !by_word
                && self.opened_by.is_clear()
                && left.operand != Operand::Name;
        };
        let constant = |o| matches!(o, Operand::Constant | Operand::OpenText);
        if self.is_system_variable(start) || self.is_system_variable(next) {
            return self.opened_by != BreakKind::Name && !self.opened_by.closes();
        }
        let same = !by_word && self.same(start, left.next, next, right.next);
        let heavy = |o| matches!(o, Operand::Query | Operand::Call);
        let both = constant(left.operand) && constant(right.operand);
        let commented = kind(self.tokens, right.next) == Some(Kind::Tail);
        if both && may_end(self.tokens, right.next) {
            let end = self.tokens.get(right.next - 1).map_or(self.at, |t| t.end);
            self.judgement.found(SqlSign::AlwaysTrue, self.at, end);
        }
        let ends = may_end(self.tokens, right.next) || right.operand == Operand::OpenText;
        if !ends {
            return heavy(left.operand) && self.opened_by.is_clear() && !by_word;
        }
        let heavy =
            |o, at| heavy(o) && (o == Operand::Query || !self.opened_by.closes() && !self.is_measure(at));
        if by_word && right.operand == Operand::Name && !commented {
            return false;
        }
        match self.opened_by {
            _ if both || heavy(left.operand, start) || heavy(right.operand, next) => true,
            BreakKind::Quote { first: true, .. } => true,
            BreakKind::Value => same || commented || right.operand != Operand::Name,
            BreakKind::Quote { .. } | BreakKind::Name => {
                same || (commented && right.operand != Operand::Name)
            }
        }
    }

    /// Returns `true` for a variable of the server: `@@version`.
    fn is_system_variable(&self, at: usize) -> bool {
        let text = self.tokens.get(at).and_then(|token| self.judgement.bytes().get(token.start..token.end));
        text.is_some_and(|text| text.starts_with(b"@@") && text.len() > 2)
    }

    /// Returns `true` for a call behind a name that no database has, or that counts: filters of search languages and of time
    /// series compare with such.
    fn is_measure(&self, at: usize) -> bool {
        let called = self.tokens.get(at).map(|token| (token.kind, token.start, token.end));
        let Some((Kind::Word(role), start, end)) = called else { return false };
        let name = self.judgement.bytes().get(start..end).unwrap_or_default();
        self.opened_by == BreakKind::Name && (role == Word::Plain || is_measure(name))
    }

    /// Returns `true` if two operands are spelled alike (`a=a`).
    fn same(&self, a: usize, a_end: usize, b: usize, b_end: usize) -> bool {
        let text = |from: usize, to: usize| {
            let (first, last) = (self.tokens.get(from)?, self.tokens.get(to.checked_sub(1)?)?);
            self.judgement.bytes().get(first.start..last.end)
        };
        text(a, a_end).zip(text(b, b_end)).is_some_and(|(a, b)| a.eq_ignore_ascii_case(b))
    }

    /// Returns `true` if a lone operand behind `AND` or `OR` is a condition (`or true`, `or 1--`, `and (select …)`).
    fn alone(&mut self, start: usize, left: grammar::Parsed, symbol: bool) -> bool {
        let behind = kind(self.tokens, left.next);
        let cut = matches!(behind, Some(Kind::Tail));
        let quoted = self.opened_by.is_quote() && self.opened_by.is_clear();
        let first = self.tokens.get(start);
        // A phrase is no condition by itself; it takes a comment that cuts the query off.
        let phrase = first.is_some_and(|t| {
            t.kind == Kind::Text && is_phrase(self.judgement.bytes().get(t.start..t.end).unwrap_or_default())
        });
        let cut = cut && !(phrase && self.is_attribution(left.next));
        let inverted = first.and_then(|t| self.judgement.bytes().get(t.start)) == Some(&b'~');
        let telling = inverted
            || matches!(first.map(|t| t.kind), Some(Kind::Bang | Kind::Word(Word::Literal | Word::Not)));
        if self.is_system_variable(start) {
            return self.opened_by.is_clear();
        }
        match left.operand {
            Operand::Query => true,
            Operand::Call => {
                let open = self.tokens.from(0).find(|(_, t)| t.kind == Kind::Open).map(|(at, _)| at);
                let sane = open.is_none_or(|open| grammar::arguments(self.tokens, open));
                let breaks = self.opened_by != BreakKind::Name && !self.opened_by.closes();
                sane && may_end(self.tokens, left.next) && breaks
            }
            Operand::OpenText => {
                // `or ''-'`: the empty string is an operand of its own sign.
                let signed = left.next > start + 1 && self.is_left_empty(left.next - 1);
                (signed || self.is_left_open(left.next - 1)) && self.opened_by.is_clear()
            }
            Operand::Constant => {
                // `"foo" and not "bar"` is how people search for phrases.
                let text = |i: usize| kind(self.tokens, i) == Some(Kind::Text);
                let phrases = text(0) && text(left.next - 1);
                cut && self.opened_by != BreakKind::Name
                    || (ends_condition(behind) && quoted)
                    || (telling && behind.is_none() && self.opened_by == BreakKind::Value && !phrases)
            }
            // `OR NOT (1=2)`
            Operand::Group if telling && self.opened_by == BreakKind::Value && behind.is_none() => {
                let inside = skip_opens(self.tokens, start + 1);
                inside > start + 1 && self.joins(inside, symbol, true)
            }
            Operand::Group => (cut || symbol) && quoted || (cut && self.opened_by == BreakKind::Value),
            Operand::Name => cut && quoted,
        }
    }

    fn boolean(&mut self, to: usize) {
        if self.opened_by.is_quote() {
            self.hit(SqlSign::BooleanBreak, to);
            self.hit(SqlSign::LoginTautology, to);
        } else {
            self.hit(SqlSign::BooleanOnValue, to);
        }
    }

    /// `'='`, `x'>email--`, `' like '%`, `'->>'a'='b`.
    pub(super) fn comparison(&mut self, i: usize) {
        let (next, by_word) = match comparison(self.tokens, i) {
            Some(Comparison::Symbol(next)) => (next, false),
            Some(Comparison::Word(next)) => (next, true),
            Some(Comparison::Complete(next)) => {
                let goes_on = matches!(
                    kind(self.tokens, next),
                    Some(Kind::Tail | Kind::Pipes | Kind::Ampersands | Kind::Word(Word::And | Word::Or))
                );
                if goes_on && self.opened_by.is_clear() {
                    self.hit(SqlSign::ComparisonBreak, next);
                }
                return;
            }
            None => return,
        };
        let first = self.opened_by.is_quote() && self.opened_by.is_clear();
        let Some(right) = operand(self.tokens, next) else {
            let cut = matches!(kind(self.tokens, next + 1), Some(Kind::Tail))
                || kind(self.tokens, next) == Some(Kind::Tail);
            if cut && first {
                self.hit(SqlSign::ComparisonBreak, next + 1);
            }
            return;
        };
        let behind = kind(self.tokens, right.next);
        let joined = matches!(
            behind,
            Some(
                Kind::Tail | Kind::Pipes | Kind::Ampersands | Kind::Word(Word::And | Word::Or | Word::Union)
            )
        ) || matches!(behind, Some(Kind::Compare | Kind::Assign))
            && self.is_left_open(right.next + 1);
        let holds = match right.operand {
            Operand::Query | Operand::Call => self.opened_by.is_quote() && !self.opened_by.closes(),
            Operand::OpenText => {
                let last = right.next - 1;
                let closed = self.is_left_open(last) || (self.is_left_empty(last) && last == next);
                first && closed && !self.is_bare(i, right.next)
            }
            Operand::Constant => first && (joined || self.is_left_open(right.next)),
            Operand::Name | Operand::Group => first && (behind == Some(Kind::Tail) || (joined && !by_word)),
        };
        if holds {
            self.hit(SqlSign::ComparisonBreak, right.next);
            if kind(self.tokens, i) == Some(Kind::JsonOperator) {
                self.hit(SqlSign::JsonOperator, right.next);
            }
        }
    }

    /// A lone operator between two double quotes: somebody quotes the operator itself.
    fn is_bare(&self, i: usize, next: usize) -> bool {
        let double = !matches!(self.opened_by, BreakKind::Quote { byte: b'\'', .. });
        let empty = self.tokens.get(next - 1).is_some_and(|t| t.end - t.start <= 1);
        double && empty && i == 0 && self.at == 0
    }

    /// `'-'`, `'+sleep(5)+'`, `x'|email--`, `'*2--`.
    pub(super) fn arithmetic(&mut self, i: usize) {
        let Some(right) = operand(self.tokens, i + 1) else { return };
        let first = self.opened_by.is_quote() && self.opened_by.is_clear();
        let behind = kind(self.tokens, right.next);
        if first && self.is_system_variable(i + 1) {
            return self.hit(SqlSign::CallBreak, i + 2);
        }
        match right.operand {
            Operand::Call | Operand::Query => {
                let sane = self.tokens.from(0).find(|(_, t)| t.kind == Kind::Open).map(|(at, _)| at);
                let breaks = self.opened_by.is_quote() && !self.opened_by.closes();
                if breaks && sane.is_none_or(|open| grammar::arguments(self.tokens, open)) {
                    self.hit(SqlSign::CallBreak, right.next);
                }
            }
            Operand::OpenText
                if first
                    && right.next == i + 2
                    && (self.is_left_open(i + 1) || self.is_left_empty(i + 1))
                    && !self.is_bare(i, right.next) =>
            {
                let plus =
                    self.tokens.get(i).and_then(|t| self.judgement.bytes().get(t.start)) == Some(&b'+');
                let short = self.tokens.get(right.next - 1).is_some_and(|t| t.end - t.start <= 2);
                if plus && !self.is_left_empty(i + 1) {
                    self.hit(SqlSign::Concatenation, right.next);
                } else if short && self.judgement.bytes().len() <= 12 {
                    self.hit(SqlSign::ComparisonBreak, right.next);
                }
            }
            // `1' * id - '0`: a sum that the host query's own quote goes on with.
            Operand::OpenText if first && self.is_sum(i + 1, right.next) => {
                self.hit(SqlSign::ComparisonBreak, right.next);
            }
            Operand::Constant | Operand::Name | Operand::Group if first && behind == Some(Kind::Tail) => {
                self.hit(SqlSign::ComparisonBreak, right.next);
            }
            _ => self.comparison_behind(right.next),
        }
    }

    /// Returns `true` if the tokens up to a string that is left open are operands and signs, and end the value soon.
    fn is_sum(&self, from: usize, next: usize) -> bool {
        let plain = self.tokens.from(from).take_while(|(at, _)| *at + 1 < next).all(|(_, token)| {
            matches!(token.kind, Kind::Number(_) | Kind::Arithmetic | Kind::Word(Word::Plain))
        });
        plain
            && next > from + 1
            && self.judgement.bytes().len() <= SUM_BYTES_MAX
            && self.is_left_open(next - 1)
    }

    /// Arithmetic that ends in a condition or a comparison: `'+1 or 1=1`, `'^(0)='0`.
    fn comparison_behind(&mut self, i: usize) {
        if let Some(Comparison::Symbol(next)) = comparison(self.tokens, i)
            && self.opened_by.is_quote()
            && self.opened_by.is_clear()
            && self.judgement.bytes().len() <= SUM_BYTES_MAX
            && self.is_left_open(next)
        {
            self.hit(SqlSign::ComparisonBreak, next + 1);
        }
        if matches!(kind(self.tokens, i), Some(Kind::Word(Word::And | Word::Or))) && self.opened_by.is_clear()
        {
            self.link(i);
        }
    }

    pub(super) fn cast(&mut self, i: usize) {
        if word(self.tokens, i + 1) == Some(Word::Type) && self.opened_by.is_quote() {
            self.hit(SqlSign::TypeCast, i + 2);
        }
    }
}

/// Returns `true` if nothing of the condition goes on behind it.
const fn ends_condition(behind: Option<Kind>) -> bool {
    matches!(
        behind,
        None | Some(
            Kind::Close
                | Kind::Semicolon
                | Kind::Word(Word::Limit | Word::Order | Word::Union | Word::Or | Word::And)
        )
    )
}
