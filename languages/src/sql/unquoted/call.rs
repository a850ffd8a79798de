//! Calls of functions and names of the system that a query knows and prose does not.

use super::super::judgement::Judgement;
use super::before::{Before, before_kind, begins_expression, span};
use crate::sql::grammar::statement::condition;
use crate::sql::grammar::{self, Comparison, Operand, comparison, kind, may_end, operand, word};
use crate::sql::reading::Reading;
use crate::sql::sign::SqlSign;
use crate::sql::token::{Kind, Number, Token};
use crate::sql::words::{Word, is_measure};

pub(super) fn call(judgement: &mut Judgement<'_, '_, '_>, tokens: &Reading<'_>, role: Word, before: &Before) {
    if begins_expression(before) && calls_package(judgement.bytes(), tokens) {
        let (start, end) = span(tokens, 4);
        judgement.found(SqlSign::Call, start, end);
    }
    if kind(tokens, 1) != Some(Kind::Open) || judgement.is_query_field() || !grammar::arguments(tokens, 1) {
        return;
    }
    let (start, end) = span(tokens, 3);
    let close = grammar::close_of(tokens, 1);
    let inner = || tokens.from(2).take_while(|(at, _)| *at < close).map(|(_, t)| t);
    let telling = inner().any(|token| is_telling(judgement.bytes(), token));
    let text = |token: Token| judgement.bytes().get(token.start..token.end).unwrap_or_default();
    let measures = tokens.get(0).is_some_and(|token| is_measure(text(token)));
    // Formulas of time series nest what queries do not: `avg(sum(x))`.
    let nested = inner().zip(inner().skip(1)).any(|(one, next)| {
        let called = one.kind == Kind::Word(Word::Function) && next.kind == Kind::Open;
        called && !(measures && is_measure(text(one)))
    });
    if inner().any(|t| t.kind == Kind::Number(Number::Hex) && t.end - t.start >= 4) {
        judgement.found(SqlSign::Hex, start, end);
    }
    // With a dot or a plain word before it, it is a method or prose.
    let context = begins_expression(before);
    let distinctive = role == Word::Distinctive && (context || telling);
    let common = role != Word::Object
        && context
        && before_kind(before, 0).is_some_and(|kind| !belongs_to_formula(kind));
    let arithmetic = role == Word::Arithmetic && inner().next().is_some();
    let alone = before[0].is_none()
        && (telling || nested || arithmetic)
        && matches!(role, Word::Function | Word::Arithmetic)
        && may_end(tokens, close);
    let selected = matches!(before_kind(before, 0), Some(Kind::Word(Word::Select)))
        && !(measures && before[1].is_none());
    if distinctive || alone || (common && (telling || selected)) || (telling && context) {
        judgement.found(SqlSign::Call, start, end);
    }
}

/// Returns `true` for an argument that no formula of a spreadsheet has.
fn is_telling(bytes: &[u8], token: Token) -> bool {
    let shown = matches!(
        token.kind,
        Kind::Number(Number::Hex)
            | Kind::Word(Word::Select | Word::Delaying | Word::Distinctive | Word::System)
            | Kind::Pipes
    );
    shown || token.kind == Kind::Variable && bytes.get(token.start + 1) == Some(&b'@')
}

/// Returns `true` for what stands in front of a call in a formula.
const fn belongs_to_formula(before: Kind) -> bool {
    matches!(
        before,
        Kind::Open
            | Kind::Comma
            | Kind::Quote
            | Kind::Compare
            | Kind::Arithmetic
            | Kind::Number(_)
            | Kind::Close
    )
}

/// `utl_http.request(`: a routine of a package that the server brings along.
fn calls_package(bytes: &[u8], tokens: &Reading<'_>) -> bool {
    let name = tokens.get(0).and_then(|token| bytes.get(token.start..token.end)).unwrap_or_default();
    let is_package =
        |prefix: &&[u8]| name.get(..prefix.len()).is_some_and(|front| front.eq_ignore_ascii_case(prefix));
    if ![&b"dbms_"[..], b"utl_"].iter().any(is_package) {
        return false;
    }
    let routine = matches!(kind(tokens, 2), Some(Kind::Word(_)));
    kind(tokens, 1) == Some(Kind::Dot) && routine && kind(tokens, 3) == Some(Kind::Open)
}

pub(super) fn system(judgement: &mut Judgement<'_, '_, '_>, token: Token, before: &Before) {
    let bytes = judgement.bytes();
    let dotted = bytes.get(token.end) == Some(&b'.') || bytes.get(token.end) == Some(&b'`');
    let queried = matches!(
        before_kind(before, 0),
        Some(
            Kind::Word(Word::From | Word::Into | Word::Update | Word::Continuation | Word::Object)
                | Kind::Open
                | Kind::Compare
        )
    ) || (matches!(before_kind(before, 0), Some(Kind::Quote | Kind::Dot | Kind::Comma))
        && (dotted || matches!(before_kind(before, 1), Some(Kind::Word(Word::From)))));
    let whole = bytes.iter().filter(|b| !b.is_ascii_whitespace()).count() == token.end - token.start;
    if queried || (before[0].is_none() && dotted) || (whole && judgement.is_name()) {
        judgement.found(SqlSign::SystemName, token.start, token.end);
    } else if whole {
        judgement.found(SqlSign::SystemAlone, token.start, token.end);
    } else {
        judgement.found(SqlSign::SystemInText, token.start, token.end);
    }
}

pub(super) fn stored(judgement: &mut Judgement<'_, '_, '_>, token: Token, before: &Before) {
    let called = matches!(
        before_kind(before, 0),
        Some(
            Kind::Word(Word::Exec)
                | Kind::Dot
                | Kind::Semicolon
                | Kind::Quote
                | Kind::Close
                | Kind::Number(_)
        )
    );
    let next =
        judgement.bytes().get(token.end..).unwrap_or_default().iter().find(|b| !b.is_ascii_whitespace());
    if called || matches!(next, Some(b'(' | b'\'' | b'@')) {
        judgement.found(SqlSign::StoredCall, token.start, token.end);
    }
}

/// `INTO OUTFILE '…'`, `LOAD DATA INFILE '…'`.
pub(super) fn file(judgement: &mut Judgement<'_, '_, '_>, tokens: &Reading<'_>, role: Word) {
    let named = |i| {
        matches!(
            kind(tokens, i),
            None | Some(Kind::Text | Kind::OpenText | Kind::Number(Number::Hex) | Kind::Variable)
        ) || matches!(word(tokens, i), Some(Word::Function))
    };
    let written = role == Word::Into && word(tokens, 1) == Some(Word::Outfile) && named(2);
    let loaded = role == Word::Load
        && tokens
            .from(0)
            .take(5)
            .find(|(_, t)| t.kind == Kind::Word(Word::Infile))
            .is_some_and(|(at, _)| named(at + 1));
    if written || loaded {
        let (start, end) = span(tokens, 3);
        judgement.found(SqlSign::File, start, end);
    }
}

/// `IF(a = b, x, y)`; other languages have no comma there.
pub(super) fn if_call(judgement: &mut Judgement<'_, '_, '_>, tokens: &Reading<'_>, before: &Before) {
    if kind(tokens, 1) != Some(Kind::Open) {
        return;
    }
    let (start, end) = span(tokens, 3);
    let Some(left) = operand(tokens, 2) else { return };
    // A spreadsheet's formula.
    if before_kind(before, 0) == Some(Kind::Compare) && before[1].is_none() {
        return;
    }
    let (next, compared) = match comparison(tokens, left.next) {
        Some(Comparison::Symbol(next) | Comparison::Word(next)) => match operand(tokens, next) {
            Some(right) => (right.next, true),
            None => {
                if tokens.ends_at(next) && before[0].is_none() {
                    judgement.found(SqlSign::IfCall, start, end);
                }
                return;
            }
        },
        Some(Comparison::Complete(next)) => (next, true),
        None => (left.next, left.operand == Operand::Call || left.operand == Operand::Query),
    };
    if compared
        && kind(tokens, next) == Some(Kind::Comma)
        && grammar::arguments(tokens, 1)
        && begins_expression(before)
    {
        judgement.found(SqlSign::IfCall, start, end);
    }
}

/// `CASE WHEN a = b THEN x …`.
pub(super) fn case(judgement: &mut Judgement<'_, '_, '_>, tokens: &Reading<'_>) {
    let when = if word(tokens, 1) == Some(Word::When) {
        Some(1)
    } else {
        operand(tokens, 1).map(|o| o.next).filter(|next| word(tokens, *next) == Some(Word::When))
    };
    let Some(when) = when else { return };
    let then = tokens.from(when).any(|(_, t)| t.kind == Kind::Word(Word::Then));
    if (condition(tokens, when + 1) || kind(tokens, when + 1) == Some(Kind::Open)) && then {
        let (start, end) = span(tokens, when + 1);
        judgement.found(SqlSign::CaseWhen, start, end);
    }
}
