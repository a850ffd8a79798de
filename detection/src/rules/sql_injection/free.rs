//! Structures that need no break: once through the whole value with quotes read as plain marks, so that what stands in
//! any string is seen. Keywords are anchors; behind an anchor a bounded piece is read again with strings as strings.

mod values;
mod worth;

use super::breakout::{self, Lead};
use super::proofs::{
    CALL, CASE_WHEN, CLAUSE, COMMENT_AS_SPACE, COMMENT_EXECUTED, COMMENT_IN_WORD, CONDITION_FRAGMENT,
    DELAY_CALL, DELAY_STATEMENT, FILE, HEX, IF_CALL, QUERY_IN_TEXT, STACKED, STATEMENT, SUBQUERY,
    SYSTEM_IN_TEXT, SYSTEM_NAME, UNION_IN_TEXT, UNION_SELECT,
};
use super::proofs_by_dialect::{MSSQL_DECLARE, MSSQL_EXEC, PROCEDURE_ANALYSE, STORED_CALL};
use super::scene::Scene;
use crate::lang::sql::grammar::{
    self, Comparison, Operand, Shape, comparison, condition, kind, may_end, operand, skip_opens, statement,
    word,
};
use crate::lang::sql::reading::Reading;
use crate::lang::sql::token::{Dialect, Gap, Kind, Lasts, Lexer, Number, Quotes, Token};
use crate::lang::sql::words::Word;

/// What stands before an anchor, nearest first.
type Before = [Option<Token>; 4];

/// Scans the whole value.
pub(super) fn scan(scene: &mut Scene<'_, '_, '_>) {
    let lasts = scene.lasts;
    if pass(scene, Dialect::MySql, lasts) {
        // There were comments: what is inside them may be read by a query that stands in a string.
        pass(scene, Dialect::Standard, lasts);
    }
}

fn pass(scene: &mut Scene<'_, '_, '_>, dialect: Dialect, lasts: Lasts) -> bool {
    let bytes = scene.bytes();
    let mut lexer = Lexer::new(bytes, 0, dialect, Quotes::Flat, lasts);
    let mut before: Before = [None; 4];
    for token in lexer.by_ref() {
        anchor(scene, token, &before, dialect);
        before = [Some(token), before[0], before[1], before[2]];
        if !scene.spend(1) {
            break;
        }
    }
    if let Some(at) = lexer.executed {
        scene.found(&COMMENT_EXECUTED, at, at + 3);
    }
    if let Some(at) = lexer.joined {
        scene.found(&COMMENT_IN_WORD, at, at + 1);
    }
    lexer.ambiguous
}

fn before_kind(before: &Before, back: usize) -> Option<Kind> {
    before.get(back).copied().flatten().map(|token| token.kind)
}

/// Whether an expression may begin behind what stands before.
fn begins_expression(before: &Before) -> bool {
    match before_kind(before, 0) {
        None => true,
        Some(Kind::Word(word)) => matches!(
            word,
            Word::And
                | Word::Or
                | Word::Not
                | Word::Select
                | Word::By
                | Word::Where
                | Word::Having
                | Word::When
                | Word::Then
                | Word::Else
                | Word::Like
                | Word::Between
                | Word::Distinct
                | Word::All
                | Word::Union
                | Word::Arithmetic
                | Word::Values
        ),
        Some(kind) => matches!(
            kind,
            Kind::Open
                | Kind::Comma
                | Kind::Pipes
                | Kind::Ampersands
                | Kind::Arithmetic
                | Kind::Compare
                | Kind::Assign
                | Kind::Quote
                | Kind::Close
                | Kind::Bang
                | Kind::Number(_)
        ),
    }
}

fn anchor(scene: &mut Scene<'_, '_, '_>, token: Token, before: &Before, dialect: Dialect) {
    if token.gap == Gap::Comment {
        spaced_by_comment(scene, token, before);
    }
    match token.kind {
        Kind::Word(Word::Plain | Word::Prose) | Kind::Number(Number::Decimal) => {}
        Kind::Word(Word::System) => system(scene, token, before),
        Kind::Word(Word::Stored) => stored(scene, token, before),
        Kind::Word(Word::And | Word::Or) | Kind::Pipes | Kind::Ampersands => {
            joined_to_number(scene, token, before);
        }
        Kind::Quote => values::hex_string(scene, token, before),
        _ if begins_reading(token.kind, before) && worth::is_worth_reading(scene.bytes(), token) => {
            let tokens = Reading::new(scene.bytes(), token.start, dialect, Quotes::Strings);
            behind(scene, token, before, &tokens);
            scene.spend(tokens.cost());
        }
        _ => {}
    }
}

/// Whether a token is told by what stands behind it.
fn begins_reading(kind: Kind, before: &Before) -> bool {
    match kind {
        Kind::Word(role) => match role {
            Word::Union
            | Word::Select
            | Word::Delaying
            | Word::Waitfor
            | Word::Distinctive
            | Word::Function
            | Word::Object
            | Word::Arithmetic
            | Word::Exec
            | Word::Declare
            | Word::Procedure
            | Word::Into
            | Word::Load
            | Word::If
            | Word::Case
            | Word::Order
            | Word::Having
            | Word::Where => true,
            Word::When | Word::Like => before_kind(before, 0) == Some(Kind::Close),
            Word::Drop
            | Word::Insert
            | Word::Delete
            | Word::Update
            | Word::Create
            | Word::Truncate
            | Word::Copy
            | Word::Attach
            | Word::Set => before[0].is_none(),
            _ => false,
        },
        Kind::Semicolon | Kind::Cast | Kind::JsonOperator | Kind::Number(_) => true,
        _ => false,
    }
}

/// What an anchor turns out to be, told from what stands behind it.
fn behind(scene: &mut Scene<'_, '_, '_>, token: Token, before: &Before, tokens: &Reading<'_>) {
    match token.kind {
        Kind::Word(role) => match role {
            Word::Union => union(scene, tokens, before),
            Word::Select => select(scene, tokens, before),
            Word::Delaying => delaying(scene, tokens, before),
            Word::Waitfor => waitfor(scene, tokens),
            Word::Distinctive | Word::Function | Word::Object | Word::Arithmetic => {
                call(scene, tokens, role, before);
            }
            Word::Exec | Word::Declare => executes(scene, tokens, before),
            Word::Procedure => {
                if word(tokens, 1) == Some(Word::Analyse) && kind(tokens, 2) == Some(Kind::Open) {
                    scene.found(&PROCEDURE_ANALYSE, token.start, token.end);
                }
            }
            Word::Into | Word::Load => file(scene, tokens, role),
            Word::If => if_call(scene, tokens, before),
            Word::Case => case(scene, tokens),
            Word::When | Word::Like => fragment(scene, tokens, role),
            Word::Order | Word::Having | Word::Where => clause(scene, tokens, before),
            _ => begins_statement(scene, tokens),
        },
        Kind::Semicolon => stacked(scene, tokens),
        Kind::Cast => values::cast(scene, tokens, before),
        Kind::JsonOperator => values::json(scene, tokens, token, before),
        Kind::Number(notation) => values::number(scene, tokens, notation, before),
        _ => {}
    }
}

/// `SELECT/*…*/password`: a comment does what a space would.
fn spaced_by_comment(scene: &mut Scene<'_, '_, '_>, token: Token, before: &Before) {
    let Some(left) = before[0] else { return };
    let bytes = scene.bytes();
    let tight = bytes.get(left.end) == Some(&b'/')
        && token.start.checked_sub(1).and_then(|i| bytes.get(i)) == Some(&b'/');
    let keyword = |kind| {
        matches!(
            kind,
            Kind::Word(
                Word::Select
                    | Word::Union
                    | Word::Where
                    | Word::Insert
                    | Word::Drop
                    | Word::Exec
                    | Word::Declare
                    | Word::Order
                    | Word::Having
                    | Word::Into
                    | Word::And
                    | Word::Or
                    | Word::Waitfor
            )
        )
    };
    let operand = |kind| {
        matches!(kind, Kind::Word(_) | Kind::Number(_) | Kind::Quote | Kind::Variable | Kind::Arithmetic)
    };
    if tight && (keyword(left.kind) && operand(token.kind) || keyword(token.kind) && operand(left.kind)) {
        scene.found(&COMMENT_AS_SPACE, left.start, token.end);
    }
}

fn span(tokens: &Reading<'_>, count: usize) -> (usize, usize) {
    let start = tokens.get(0).map_or(0, |token| token.start);
    let end = tokens.end_before(count).unwrap_or(start);
    (start, end)
}

/// `UNION [ALL | DISTINCT] [(] SELECT …`.
fn union(scene: &mut Scene<'_, '_, '_>, tokens: &Reading<'_>, before: &Before) {
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
        Some(Word::Values) if kind(tokens, opened + 1) == Some(Kind::Open) => {
            scene.found(&UNION_SELECT, start, end);
            return;
        }
        _ => return,
    }
    qualified |= opened > i;
    let broken = matches!(
        before_kind(before, 0),
        Some(Kind::Quote | Kind::Number(_) | Kind::Close | Kind::Semicolon | Kind::Comma)
    );
    let next = kind(tokens, opened + 1);
    let prose = next == Some(Kind::Word(Word::Prose));
    let item = operand(tokens, opened + 1);
    let telling = match next {
        None
        | Some(
            Kind::Number(_)
            | Kind::Text
            | Kind::OpenText
            | Kind::Variable
            | Kind::Open
            | Kind::Arithmetic
            | Kind::Tail
            | Kind::Word(Word::Literal | Word::Distinct | Word::All | Word::Quoted),
        ) => true,
        _ => item.is_some_and(|item| {
            item.operand == Operand::Call
                || matches!(kind(tokens, item.next), Some(Kind::Comma | Kind::Tail | Kind::Dot))
        }),
    };
    let full = grammar::select(tokens, opened).is_some();
    let commented = tokens.get(opened).is_some_and(|t| t.gap == Gap::Comment || t.gap == Gap::None);
    if telling || full || commented || (!prose && (broken || qualified)) {
        scene.found(&UNION_SELECT, start, end);
    } else if item.is_some() && !prose {
        scene.found(&UNION_IN_TEXT, start, end);
    }
}

fn select(scene: &mut Scene<'_, '_, '_>, tokens: &Reading<'_>, before: &Before) {
    let (start, end) = span(tokens, 3);
    if matches!(word(tokens, 1), Some(Word::Delaying)) {
        scene.found(&DELAY_CALL, start, end);
    }
    let shape = grammar::select(tokens, 0);
    let called = operand(tokens, 1).is_some_and(|item| item.operand == Operand::Call)
        && tokens
            .from(0)
            .find(|(_, t)| t.kind == Kind::Open)
            .is_some_and(|(open, _)| grammar::arguments(tokens, open));
    match before_kind(before, 0) {
        _ if scene.is_query_field() => {}
        Some(Kind::Open | Kind::Arithmetic | Kind::Compare | Kind::Pipes | Kind::Ampersands) => {
            let starred = kind(tokens, 1) == Some(Kind::Open) && operand(tokens, 1).is_some();
            if shape == Some(Shape::Exact) || called || starred {
                scene.found(&SUBQUERY, start, end);
            } else if shape.is_some() {
                scene.found(&QUERY_IN_TEXT, start, end);
            }
        }
        // Statements behind a union or a semicolon are told by these.
        Some(Kind::Word(Word::Union | Word::All | Word::Distinct) | Kind::Semicolon) => {}
        None if shape == Some(Shape::Exact) || called => scene.found(&STATEMENT, start, end),
        _ if shape.is_some() => scene.found(&QUERY_IN_TEXT, start, end),
        _ => {}
    }
    if scene.is_name() && operand(tokens, 1).is_some() && tokens.get(2).is_some() && before[0].is_none() {
        scene.found(&STATEMENT, start, end);
    }
}

/// A statement that changes data or schema at the very beginning: a lesson or a log line unless it stands in a name.
fn begins_statement(scene: &mut Scene<'_, '_, '_>, tokens: &Reading<'_>) {
    let Some(shape) = statement(tokens, 0) else { return };
    let (start, end) = span(tokens, 3);
    if scene.is_name() {
        scene.found(&STATEMENT, start, end);
    } else if shape == Shape::Exact && !scene.is_query_field() {
        scene.found(&QUERY_IN_TEXT, start, end);
    }
}

fn delaying(scene: &mut Scene<'_, '_, '_>, tokens: &Reading<'_>, before: &Before) {
    if kind(tokens, 1) != Some(Kind::Open) || kind(tokens, 2) == Some(Kind::Close) {
        return;
    }
    let (start, end) = span(tokens, 3);
    let sane = grammar::arguments(tokens, 1);
    let counted = matches!(kind(tokens, 2), Some(Kind::Number(_)))
        && matches!(kind(tokens, 3), Some(Kind::Comma | Kind::Number(_)));
    let name = scene.bytes().get(start..tokens.get(0).map_or(start, |t| t.end)).unwrap_or_default();
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
        scene.found(&DELAY_CALL, start, end);
    }
}

fn waitfor(scene: &mut Scene<'_, '_, '_>, tokens: &Reading<'_>) {
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
        scene.found(&DELAY_STATEMENT, start, end);
    }
}

fn call(scene: &mut Scene<'_, '_, '_>, tokens: &Reading<'_>, role: Word, before: &Before) {
    if kind(tokens, 1) != Some(Kind::Open) || scene.is_query_field() || !grammar::arguments(tokens, 1) {
        return;
    }
    let (start, end) = span(tokens, 3);
    let close = grammar::close_of(tokens, 1);
    let inner = || tokens.from(2).take_while(|(at, _)| *at < close).map(|(_, t)| t);
    let telling = inner().any(|t| {
        matches!(
            t.kind,
            Kind::Number(Number::Hex)
                | Kind::Word(Word::Select | Word::Delaying | Word::Distinctive | Word::System)
                | Kind::Pipes
        ) || (t.kind == Kind::Variable && scene.bytes().get(t.start + 1) == Some(&b'@'))
    });
    let nested = inner()
        .zip(inner().skip(1))
        .any(|(one, next)| one.kind == Kind::Word(Word::Function) && next.kind == Kind::Open);
    if inner().any(|t| t.kind == Kind::Number(Number::Hex) && t.end - t.start >= 4) {
        scene.found(&HEX, start, end);
    }
    // With a dot or a plain word before it, it is a method or prose.
    let context = begins_expression(before);
    let distinctive = role == Word::Distinctive && (context || telling);
    let common = role != Word::Object
        && context
        && before[0].is_some()
        && !matches!(
            before_kind(before, 0),
            Some(
                Kind::Open
                    | Kind::Comma
                    | Kind::Quote
                    | Kind::Compare
                    | Kind::Arithmetic
                    | Kind::Number(_)
                    | Kind::Close
            )
        );
    let arithmetic = role == Word::Arithmetic && inner().next().is_some();
    let alone = before[0].is_none()
        && (telling || nested || arithmetic)
        && matches!(role, Word::Function | Word::Arithmetic)
        && may_end(tokens, close);
    let selected = matches!(before_kind(before, 0), Some(Kind::Word(Word::Select)));
    if distinctive || alone || (common && (telling || selected)) || (telling && context) {
        scene.found(&CALL, start, end);
    }
}

fn system(scene: &mut Scene<'_, '_, '_>, token: Token, before: &Before) {
    let bytes = scene.bytes();
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
    if queried || whole || (before[0].is_none() && dotted) {
        scene.found(&SYSTEM_NAME, token.start, token.end);
    } else {
        scene.found(&SYSTEM_IN_TEXT, token.start, token.end);
    }
}

fn stored(scene: &mut Scene<'_, '_, '_>, token: Token, before: &Before) {
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
    let next = scene.bytes().get(token.end..).unwrap_or_default().iter().find(|b| !b.is_ascii_whitespace());
    if called || matches!(next, Some(b'(' | b'\'' | b'@')) {
        scene.found(&STORED_CALL, token.start, token.end);
    }
}

/// `EXEC xp_…`, `EXECUTE IMMEDIATE '…'`, `DECLARE @x …`.
fn executes(scene: &mut Scene<'_, '_, '_>, tokens: &Reading<'_>, before: &Before) {
    let (start, end) = span(tokens, 2);
    match (word(tokens, 0), statement(tokens, 0)) {
        (Some(Word::Declare), Some(_)) => {
            scene.found(&MSSQL_DECLARE, start, end);
        }
        (Some(Word::Exec), Some(shape)) => {
            let broken = matches!(
                before_kind(before, 0),
                None | Some(Kind::Semicolon | Kind::Quote | Kind::Close | Kind::Number(_))
            );
            let stored =
                matches!(kind(tokens, 1), Some(Kind::Word(Word::Stored | Word::Immediate) | Kind::Variable));
            if stored || (broken && shape == Shape::Exact) {
                scene.found(&MSSQL_EXEC, start, end);
            }
        }
        _ => {}
    }
}

/// `INTO OUTFILE '…'`, `LOAD DATA INFILE '…'`.
fn file(scene: &mut Scene<'_, '_, '_>, tokens: &Reading<'_>, role: Word) {
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
        scene.found(&FILE, start, end);
    }
}

/// `IF(a = b, x, y)`; other languages have no comma there.
fn if_call(scene: &mut Scene<'_, '_, '_>, tokens: &Reading<'_>, before: &Before) {
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
                    scene.found(&IF_CALL, start, end);
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
        scene.found(&IF_CALL, start, end);
    }
}

/// `CASE WHEN a = b THEN x …`.
fn case(scene: &mut Scene<'_, '_, '_>, tokens: &Reading<'_>) {
    let when = if word(tokens, 1) == Some(Word::When) {
        Some(1)
    } else {
        operand(tokens, 1).map(|o| o.next).filter(|next| word(tokens, *next) == Some(Word::When))
    };
    let Some(when) = when else { return };
    let then = tokens.from(when).any(|(_, t)| t.kind == Kind::Word(Word::Then));
    if (condition(tokens, when + 1) || kind(tokens, when + 1) == Some(Kind::Open)) && then {
        let (start, end) = span(tokens, when + 1);
        scene.found(&CASE_WHEN, start, end);
    }
}

/// `) like (`, `) when 2 then`: the middle of a condition, brackets of the host query around it.
fn fragment(scene: &mut Scene<'_, '_, '_>, tokens: &Reading<'_>, role: Word) {
    let holds = match role {
        Word::When => operand(tokens, 1).is_some_and(|o| word(tokens, o.next) == Some(Word::Then)),
        _ => {
            matches!(kind(tokens, 1), Some(Kind::Open))
                && operand(tokens, 2).is_none_or(|o| o.operand != Operand::Name)
        }
    };
    if holds {
        let (start, end) = span(tokens, 2);
        scene.found(&CONDITION_FRAGMENT, start, end);
    }
}

/// `HAVING 1=1`, `WHERE 1=1`, `1 ORDER BY 3`.
fn clause(scene: &mut Scene<'_, '_, '_>, tokens: &Reading<'_>, before: &Before) {
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
        scene.found(&CLAUSE, start, end);
    }
}

/// `…?id=1 or 1=1`: a number anywhere that is joined to a condition.
fn joined_to_number(scene: &mut Scene<'_, '_, '_>, token: Token, before: &Before) {
    let number = matches!(before_kind(before, 0), Some(Kind::Number(_) | Kind::Close));
    let free =
        !matches!(before_kind(before, 1), Some(Kind::Word(_) | Kind::Number(_) | Kind::Colon | Kind::Dot));
    if number && free && before[1].is_some() && !is_range(scene.bytes(), token, before) {
        breakout::behind(scene, token.start, token.start, Quotes::Strings, Lead::Name);
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

fn stacked(scene: &mut Scene<'_, '_, '_>, tokens: &Reading<'_>) {
    if statement(tokens, 1) == Some(Shape::Exact)
        && word(tokens, 1) != Some(Word::If)
        && word(tokens, 1) != Some(Word::Delaying)
    {
        let assigns = word(tokens, 1) == Some(Word::Set) && kind(tokens, 2) != Some(Kind::Variable);
        let (start, end) = span(tokens, 4);
        if !assigns {
            scene.found(&STACKED, start, end);
        }
    }
}
