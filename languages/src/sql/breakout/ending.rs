//! Ends of the host query: a comment over its rest, a second statement, further values of a list.

use super::{Break, BreakKind, OPEN_TEXT_MAX};
use crate::prose::is_attribution;
use crate::sql::grammar::statement::{Shape, condition, statement};
use crate::sql::grammar::{self, Comparison, Operand, comparison, kind, operand, skip_closes};
use crate::sql::sign::SqlSign;
use crate::sql::token::Kind;
use crate::sql::words::Word;

/// Returns `true` if the quote at `quote` stands for feet, minutes or inches (`TV 55" -- 65"`, `screw 3" # 8`, `the screen is 12" --
/// nice`) and what begins at `mark` is a dash or a number sign: digits stand in front of the quote, white space behind it,
/// and either a number or an amount follows or a phrase precedes.
fn is_measure(bytes: &[u8], quote: usize, mark: usize) -> bool {
    let (before, behind) = (bytes.get(..quote).unwrap_or_default(), bytes.get(mark..).unwrap_or_default());
    let spaced =
        bytes.get(quote + 1..mark).is_some_and(|gap| !gap.is_empty() && gap.iter().all(|b| *b == b' '));
    let number = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b'/');
    if !spaced || !before.last().is_some_and(u8::is_ascii_digit) {
        return false;
    }
    let phrase =
        before.iter().rposition(|byte| !number(byte)).and_then(|at| before.get(..=at)).unwrap_or_default();
    let words = phrase.split(|byte| *byte == b' ').filter(|word| word.len() > 1);
    let (words, plain) = words.fold((0, true), |(count, plain), word| {
        (count + 1, plain && word.iter().all(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80))
    });
    let text = behind
        .strip_prefix(b"--")
        .or_else(|| behind.strip_prefix(b"#"))
        .unwrap_or_default()
        .trim_ascii_start();
    let amount = text.strip_prefix(b"$").unwrap_or(text);
    let counted = amount.iter().take_while(|byte| number(byte)).count();
    let after = amount.get(counted).copied();
    (counted > 0 && matches!(after, None | Some(b' ' | b'"' | b'\'')))
        || (words >= 2 && plain && text.first().is_some_and(u8::is_ascii_alphabetic))
}

/// Bytes behind a comment that ends a query.
const TAIL_MAX: usize = 24;

impl Break<'_, '_, '_, '_, '_> {
    /// `admin'--`, `') #`: the rest of the host query is cut off.
    pub(super) fn tail(&mut self, i: usize) {
        let Some(token) = self.tokens.get(i) else { return };
        let short = token.end - token.start <= TAIL_MAX;
        let mark = self.judgement.bytes().get(token.start).copied().unwrap_or(0);
        // `#` and `/*` behind a quote also stand in prose and code; there the value has to end soon.
        let closes = i > 0;
        if !self.opened_by.is_quote() || !self.opened_by.is_clear() || self.is_attribution(i) {
            return;
        }
        if is_measure(self.judgement.bytes(), self.at, token.start) {
            return;
        }
        let rest = self.judgement.bytes().get(token.start..token.end).unwrap_or_default();
        let words = rest.split(|b| !b.is_ascii_alphanumeric()).filter(|part| part.len() > 1).count();
        // `"#icon"` is an ordinary attribute: behind a hash nothing may follow.
        let cut = if mark == b'#' { words == 0 && !rest.contains(&b'"') } else { short && words <= 1 };
        if cut || (closes && mark == b'-') {
            self.hit(SqlSign::LoginComment, i + 1);
            self.hit(SqlSign::CommentTail, i + 1);
            if closes {
                self.hit(SqlSign::Closer, i + 1);
            }
        }
    }

    /// Returns `true` if the comment at `i` is none but names an author.
    pub(super) fn is_attribution(&self, i: usize) -> bool {
        let dashes = self.tokens.get(i).map_or(usize::MAX, |token| token.start);
        is_attribution(self.judgement.bytes(), self.at, dashes)
    }

    pub(super) fn semicolon(&mut self, i: usize) {
        let after = i + 1;
        match kind(self.tokens, after) {
            None => {
                let commented = self.tokens.get(i).is_some_and(|t| t.gap == crate::sql::token::Gap::Comment);
                if self.is_only_quote() || (commented && self.opened_by.is_quote()) {
                    self.hit(SqlSign::Closer, after);
                    self.hit(SqlSign::LoginComment, after);
                }
            }
            Some(Kind::Tail)
                if self.opened_by.is_quote() && self.opened_by.is_clear() && !self.is_sentence(after) =>
            {
                self.hit(SqlSign::Closer, after + 1);
                self.hit(SqlSign::LoginComment, after + 1);
            }
            Some(Kind::Word(first)) => self.statement_behind_semicolon(after, first),
            _ => {}
        }
    }

    /// A word behind a semicolon that may begin a statement of SQL or of a script.
    fn statement_behind_semicolon(&mut self, after: usize, first: Word) {
        match first {
            Word::Script if self.opened_by.is_clear() => {
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
                    self.hit(SqlSign::DocumentScript, after + 2);
                }
            }
            Word::Delaying
                if self.opened_by.is_clear()
                    && kind(self.tokens, after + 1) == Some(Kind::Open)
                    && grammar::arguments(self.tokens, after + 1) =>
            {
                self.hit(SqlSign::DelayCall, after + 2);
            }
            _ => {
                let shape = statement(self.tokens, after);
                let loose = self.opened_by.is_clear()
                    && self.opened_by.is_quote()
                    && (shape.is_some()
                        || (first == Word::Select && operand(self.tokens, after + 1).is_some()));
                if loose || (shape == Some(Shape::Exact) && self.opened_by != BreakKind::Name) {
                    self.hit(SqlSign::Stacked, after + 2);
                }
            }
        }
    }

    /// `', '4', '2');`: further values of the host query's own list, and its end.
    pub(super) fn value_list(&mut self, from: usize) {
        if !self.opened_by.is_clear() {
            return;
        }
        let mut i = from;
        let mut telling = false;
        if let Some(behind) = self.assignments(from) {
            let ends = match kind(self.tokens, behind) {
                Some(Kind::Word(Word::Where)) => condition(self.tokens, behind + 1),
                Some(Kind::Tail) => true,
                _ => false,
            };
            if ends && self.opened_by.is_quote() {
                self.hit(SqlSign::ValueList, behind + 1);
            }
            return;
        }
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
            self.hit(SqlSign::ValueList, i + 1);
        }
    }

    /// Index behind `, role='admin', …`: further columns of the host query's own update.
    fn assignments(&self, from: usize) -> Option<usize> {
        let mut i = from;
        while kind(self.tokens, i) == Some(Kind::Comma) {
            let name = operand(self.tokens, i + 1).filter(|name| name.operand == Operand::Name)?;
            let Some(Comparison::Symbol(next)) = comparison(self.tokens, name.next) else { return None };
            i = operand(self.tokens, next)?.next;
        }
        (i > from).then_some(i)
    }

    /// Returns `true` if the comment at `i` is somebody's remark: `'; -- just kidding`.
    fn is_sentence(&self, i: usize) -> bool {
        let Some(token) = self.tokens.get(i) else { return false };
        let text = self.judgement.bytes().get(token.start..).unwrap_or_default();
        let words = text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'\'');
        words.filter(|word| word.len() > 1 && word.iter().all(u8::is_ascii_alphabetic)).take(2).count() > 1
    }

    /// A string that the value ends in, short and in one piece: the host query's quote is meant to close it.
    pub(super) fn is_left_open(&self, i: usize) -> bool {
        let Some(token) = self.tokens.get(i) else { return false };
        if token.kind != Kind::OpenText {
            return false;
        }
        let text = self.judgement.bytes().get(token.start + 1..token.end).unwrap_or_default();
        (1..=OPEN_TEXT_MAX).contains(&text.len()) && !text.iter().any(u8::is_ascii_whitespace)
    }

    /// An empty string that the value ends in.
    pub(super) fn is_left_empty(&self, i: usize) -> bool {
        self.tokens.get(i).is_some_and(|token| token.kind == Kind::OpenText && token.end - token.start == 1)
    }
}
