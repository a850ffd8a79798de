//! Statements and their parts inside a value: a second query, a batch, a delay, a procedure.

use super::super::judgement::Judgement;
use super::before::{Before, before_kind, begins_expression, span};
use crate::sql::grammar::block::block;
use crate::sql::grammar::statement::{Shape, statement};
use crate::sql::grammar::{self, Operand, kind, may_end, operand, skip_opens, word};
use crate::sql::reading::Reading;
use crate::sql::sign::SqlSign;
use crate::sql::token::{Gap, Kind};
use crate::sql::words::Word;

/// `UNION [ALL | DISTINCT] [(] SELECT …`.
pub(super) fn union(judgement: &mut Judgement<'_, '_, '_>, tokens: &Reading<'_>, before: &Before) {
    let mut i = 1;
    let mut qualified = false;
    while matches!(word(tokens, i), Some(Word::All | Word::Distinct)) {
        qualified = true;
        i += 1;
    }
    let opened = skip_opens(tokens, i);
    let (start, end) = span(tokens, opened + 2);
    match word(tokens, opened) {
        Some(Word::Select) => {}
        _ => {
            if joins_rows(judgement.bytes(), tokens, opened, before) {
                judgement.found(SqlSign::UnionSelect, start, end);
            }
            return;
        }
    }
    qualified |= opened > i;
    let broken = matches!(
        before_kind(before, 0),
        Some(Kind::Quote | Kind::Number(_) | Kind::Close | Kind::Semicolon | Kind::Comma)
    );
    let prose = kind(tokens, opened + 1) == Some(Kind::Word(Word::Prose));
    let full = grammar::statement::select(tokens, opened).is_some();
    let commented = tokens.get(opened).is_some_and(|t| t.gap == Gap::Comment || t.gap == Gap::None);
    let telling = has_telling_item(judgement.bytes(), tokens, opened + 1);
    if telling || full || commented || (!prose && (broken || qualified)) {
        judgement.found(SqlSign::UnionSelect, start, end);
    } else if operand(tokens, opened + 1).is_some() && !prose {
        judgement.found(SqlSign::UnionInText, start, end);
    }
}

/// Returns `true` if what stands at `at`, behind SELECT, is an item of a query and no word of a sentence.
fn has_telling_item(bytes: &[u8], tokens: &Reading<'_>, at: usize) -> bool {
    match kind(tokens, at) {
        // No operand begins with `%`. An octet that is still coded does.
        Some(Kind::Arithmetic) => tokens.get(at).and_then(|item| bytes.get(item.start)) != Some(&b'%'),
        None
        | Some(
            Kind::Number(_)
            | Kind::Text
            | Kind::OpenText
            | Kind::Variable
            | Kind::Open
            | Kind::Tail
            | Kind::Word(Word::Literal | Word::Distinct | Word::All | Word::Quoted),
        ) => true,
        _ => operand(tokens, at).is_some_and(|item| {
            item.operand == Operand::Call
                || matches!(kind(tokens, item.next), Some(Kind::Comma | Kind::Tail | Kind::Dot))
        }),
    }
}

/// Returns `true` for a union with rows or with a whole table: `VALUES (…)`, `VALUES ROW(…)`, `TABLE t` (SQL:2023, 7.17).
fn joins_rows(bytes: &[u8], tokens: &Reading<'_>, i: usize, before: &Before) -> bool {
    let opens = |at: usize| kind(tokens, at) == Some(Kind::Open);
    if word(tokens, i) == Some(Word::Values) {
        return opens(i + 1) || is_word(bytes, tokens, i + 1, b"row") && opens(i + 2);
    }
    let named = matches!(kind(tokens, i + 1), Some(Kind::Word(word)) if word.is_name());
    let next = kind(tokens, i + 2);
    let ends = matches!(next, None | Some(Kind::Tail | Kind::Dot | Kind::Close | Kind::Semicolon));
    let broken = matches!(before_kind(before, 0), Some(Kind::Quote | Kind::Number(_) | Kind::Close));
    is_word(bytes, tokens, i, b"table") && named && ends && broken
}

/// Returns `true` if what looks like a comparison in front of `start` ends a tag: `<option value="">Select one</option>`. SQL compares
/// with a query in parentheses alone.
fn ends_tag(bytes: &[u8], start: usize) -> bool {
    let Some(before) = bytes.get(..start).and_then(|before| before.trim_ascii_end().strip_suffix(b">"))
    else {
        return false;
    };
    let tag = memchr::memrchr(b'<', before).and_then(|at| before.get(at + 1..)).unwrap_or_default();
    tag.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'/') && !tag.contains(&b'>')
}

/// Returns `true` if the token at `i` is that word.
fn is_word(bytes: &[u8], tokens: &Reading<'_>, i: usize, known: &[u8]) -> bool {
    tokens
        .get(i)
        .and_then(|token| bytes.get(token.start..token.end))
        .is_some_and(|text| text.eq_ignore_ascii_case(known))
}

pub(super) fn select(judgement: &mut Judgement<'_, '_, '_>, tokens: &Reading<'_>, before: &Before) {
    let (start, end) = span(tokens, 3);
    if matches!(word(tokens, 1), Some(Word::Delaying)) {
        judgement.found(SqlSign::DelayCall, start, end);
    }
    let shape = grammar::statement::select(tokens, 0);
    let called = operand(tokens, 1).is_some_and(|item| item.operand == Operand::Call)
        && tokens
            .from(0)
            .find(|(_, t)| t.kind == Kind::Open)
            .is_some_and(|(open, _)| grammar::arguments(tokens, open));
    match before_kind(before, 0) {
        _ if judgement.is_query_field() => {}
        Some(Kind::Compare) if ends_tag(judgement.bytes(), start) => {}
        // A query is an operand in parentheses alone. Without them `/select/` is a folder and `-select` the end of a name.
        Some(Kind::Open) => {
            let starred = kind(tokens, 1) == Some(Kind::Open) && operand(tokens, 1).is_some();
            let secret = shape.is_some() && reads_secrets(judgement.bytes(), tokens);
            if shape == Some(Shape::Exact) || called || starred || secret {
                judgement.found(SqlSign::Subquery, start, end);
            } else if shape.is_some() {
                judgement.found(SqlSign::QueryInText, start, end);
            }
        }
        // Statements behind a union or a semicolon are recognised by these.
        Some(Kind::Word(Word::Union | Word::All | Word::Distinct) | Kind::Semicolon) => {}
        None if shape == Some(Shape::Exact) || called => {
            let rule = if reads_secrets(judgement.bytes(), tokens) {
                SqlSign::Statement
            } else {
                SqlSign::BareQuery
            };
            judgement.found(rule, start, end);
        }
        _ if shape.is_some() => judgement.found(SqlSign::QueryInText, start, end),
        _ => {}
    }
    // `select-type` is one word.
    let rest = tokens.get(0).and_then(|token| judgement.bytes().get(token.end..)).unwrap_or_default();
    let hyphenated = matches!(rest, [b'-', letter, ..] if letter.is_ascii_alphabetic());
    let item = operand(tokens, 1).is_some() && tokens.get(2).is_some();
    if judgement.is_name() && item && !hyphenated && before[0].is_none() {
        judgement.found(SqlSign::Statement, start, end);
    }
}

/// Columns that hold credentials, as far as applications agree on their names.
const CREDENTIALS: &[&[u8]] =
    &[b"password", b"passwd", b"passwort", b"pass", b"pwd", b"pw", b"passphrase", b"secret", b"credentials"];

/// Returns `true` if a query that stands alone reads what nobody searches for: credentials, a variable, a catalog or an identity of
/// the server, or ends in a comment that cuts off the query around it.
fn reads_secrets(bytes: &[u8], tokens: &Reading<'_>) -> bool {
    tokens.from(1).any(|(i, token)| match token.kind {
        // A comment or a string that is left open meets the rest of a host query.
        Kind::Tail | Kind::OpenText | Kind::Word(Word::System | Word::Delaying | Word::Stored) => true,
        Kind::Variable => bytes.get(token.start..token.end).is_some_and(|name| name.starts_with(b"@@")),
        Kind::Word(Word::Distinctive) => kind(tokens, i + 1) == Some(Kind::Open),
        Kind::Word(_) => {
            let name = bytes.get(token.start..token.end).unwrap_or_default();
            let is = |known: &&[u8]| name.eq_ignore_ascii_case(known);
            CREDENTIALS.iter().any(is)
                || (kind(tokens, i + 1) == Some(Kind::Open)
                    && kind(tokens, i + 2) == Some(Kind::Close)
                    && [&b"version"[..], b"user", b"database", b"schema"].iter().any(is))
        }
        _ => false,
    })
}

/// A statement that changes data or schema at the very beginning: a lesson or a log line unless it stands in a name.
pub(super) fn begins_statement(judgement: &mut Judgement<'_, '_, '_>, tokens: &Reading<'_>) {
    let Some(shape) = statement(tokens, 0) else { return };
    let (start, end) = span(tokens, 3);
    let system = tokens.from(1).any(|(_, token)| token.kind == Kind::Word(Word::System));
    // `COPY t TO PROGRAM '…'` runs a command.
    let runs = word(tokens, 0) == Some(Word::Copy)
        && tokens.from(2).any(|(i, _)| is_word(judgement.bytes(), tokens, i, b"program"));
    if judgement.is_name() || shape == Shape::Exact && system {
        judgement.found(SqlSign::Statement, start, end);
    } else if runs && shape == Shape::Exact {
        judgement.found(SqlSign::File, start, end);
    } else if shape == Shape::Exact && !judgement.is_query_field() {
        judgement.found(SqlSign::QueryInText, start, end);
    }
}

pub(super) fn delaying(judgement: &mut Judgement<'_, '_, '_>, tokens: &Reading<'_>, before: &Before) {
    if kind(tokens, 1) != Some(Kind::Open) || kind(tokens, 2) == Some(Kind::Close) {
        return;
    }
    let (start, end) = span(tokens, 3);
    let sane = grammar::arguments(tokens, 1);
    let counted = matches!(kind(tokens, 2), Some(Kind::Number(_)))
        && matches!(kind(tokens, 3), Some(Kind::Comma | Kind::Number(_)));
    let name = judgement.bytes().get(start..tokens.get(0).map_or(start, |t| t.end)).unwrap_or_default();
    // `sleep` is a function of every language and `benchmark` a word for what people measure; what only databases have
    // needs no context.
    let single = kind(tokens, 3) == Some(Kind::Close);
    let common = name.eq_ignore_ascii_case(b"sleep") || single && name.eq_ignore_ascii_case(b"benchmark");
    // `sleep(8) hours`: a query goes on otherwise.
    let alone = before[0].is_some() || may_end(tokens, grammar::close_of(tokens, 1));
    let telling = if common {
        sane && alone && begins_expression(before) && tokens.get(2).is_some()
    } else {
        sane || counted
    };
    if telling {
        judgement.found(SqlSign::DelayCall, start, end);
    }
}

pub(super) fn waitfor(judgement: &mut Judgement<'_, '_, '_>, tokens: &Reading<'_>) {
    let delayed = word(tokens, 1) == Some(Word::Delay)
        || (word(tokens, 1) == Some(Word::Function)
            && matches!(kind(tokens, 2), Some(Kind::Text | Kind::OpenText)));
    if delayed
        && matches!(
            kind(tokens, 2),
            Some(Kind::Text | Kind::OpenText | Kind::Variable | Kind::Number(_)) | None
        )
    {
        let (start, end) = span(tokens, 3);
        judgement.found(SqlSign::DelayStatement, start, end);
    }
}

/// Tokens of a call in which its parenthesis stands.
const CALLEE_TOKENS_MAX: usize = 6;

fn is_call(bytes: &[u8], (start, end): (usize, usize)) -> bool {
    bytes.get(start..end).is_some_and(|word| word.eq_ignore_ascii_case(b"call"))
}

/// `EXEC xp_…`, `EXECUTE IMMEDIATE '…'`, `DECLARE @x …`.
pub(super) fn executes(judgement: &mut Judgement<'_, '_, '_>, tokens: &Reading<'_>, before: &Before) {
    let (start, end) = span(tokens, 2);
    match (word(tokens, 0), statement(tokens, 0)) {
        (Some(Word::Declare), Some(_)) => {
            judgement.found(SqlSign::MssqlDeclare, start, end);
        }
        (Some(Word::Exec), Some(shape)) => {
            let broken = matches!(
                before_kind(before, 0),
                None | Some(Kind::Semicolon | Kind::Quote | Kind::Close | Kind::Number(_))
            );
            let stored =
                matches!(kind(tokens, 1), Some(Kind::Word(Word::Stored | Word::Immediate) | Kind::Variable));
            // `Call example.com` is a note; a statement of its own calls with parentheses.
            let noted = before_kind(before, 0).is_none()
                && is_call(judgement.bytes(), span(tokens, 1))
                && !(1..CALLEE_TOKENS_MAX).any(|nth| kind(tokens, nth) == Some(Kind::Open));
            if stored || (broken && !noted && shape == Shape::Exact) {
                judgement.found(SqlSign::MssqlExec, start, end);
            }
        }
        _ => {}
    }
}

/// `begin … dbms_lock.sleep(5); end`: a block of PL/SQL that calls a package of the server.
pub(super) fn routine_block(judgement: &mut Judgement<'_, '_, '_>, tokens: &Reading<'_>) {
    let package =
        |i: usize| word(tokens, i) == Some(Word::Distinctive) && kind(tokens, i + 1) == Some(Kind::Dot);
    if block(tokens, 0) && tokens.from(1).any(|(i, _)| package(i)) {
        let (start, end) = span(tokens, 4);
        judgement.found(SqlSign::DelayCall, start, end);
    }
}

/// Longest number with its closing parentheses that a statement may stand behind.
const HEAD_BYTES_MAX: usize = 32;

pub(super) fn stacked(judgement: &mut Judgement<'_, '_, '_>, tokens: &Reading<'_>) {
    // `1);delete from users`: a number and then a statement that prose could read like.
    let at = tokens.get(0).map_or(0, |token| token.start);
    let head = judgement.bytes().get(..at).filter(|head| head.len() <= HEAD_BYTES_MAX).unwrap_or_default();
    let lone = head.iter().any(u8::is_ascii_digit)
        && head.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b')' | b' ' | b'-' | b'.'));
    let plain = !tokens.from(1).any(|(_, token)| token.kind == Kind::Word(Word::Prose));
    if lone && plain && statement(tokens, 1).is_some() {
        let (start, end) = span(tokens, 4);
        judgement.found(SqlSign::Stacked, start, end);
        return;
    }
    if statement(tokens, 1) == Some(Shape::Exact)
        && word(tokens, 1) != Some(Word::If)
        && word(tokens, 1) != Some(Word::Delaying)
    {
        let assigns = word(tokens, 1) == Some(Word::Set) && kind(tokens, 2) != Some(Kind::Variable);
        let (start, end) = span(tokens, 4);
        if !assigns {
            judgement.found(SqlSign::Stacked, start, end);
        }
    } else if block(tokens, 1) {
        let (start, end) = span(tokens, 4);
        judgement.found(SqlSign::Stacked, start, end);
    }
}
