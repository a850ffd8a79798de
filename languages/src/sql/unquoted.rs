//! Structures that need no break: once through the whole value with quotes read as plain marks, so that what stands in
//! any string is seen. Keywords are anchors; behind an anchor a bounded piece is read again with strings as strings.

mod before;
mod call;
mod clause;
mod prefilter;
mod statement;
mod values;

use self::before::{Before, before_kind};
use self::call::{call, case, file, if_call, stored, system};
use self::clause::{clause, fragment, joined_to_number};
use self::statement::{begins_statement, delaying, executes, routine_block, select, stacked, union, waitfor};
use super::judgement::Judgement;
use crate::sql::grammar::{kind, word};
use crate::sql::reading::Reading;
use crate::sql::sign::SqlSign;
use crate::sql::token::{CommentEnds, Dialect, Gap, Kind, Lexer, Number, Quotes, Token};
use crate::sql::words::Word;

/// Scans the whole value.
pub(super) fn scan(judgement: &mut Judgement<'_, '_, '_>) {
    let comment_ends = judgement.comment_ends;
    if pass(judgement, Dialect::MySql, comment_ends) {
        // There were comments: what is inside them may be read by a query that stands in a string.
        pass(judgement, Dialect::Standard, comment_ends);
    }
}

fn pass(judgement: &mut Judgement<'_, '_, '_>, dialect: Dialect, comment_ends: CommentEnds) -> bool {
    let bytes = judgement.bytes();
    let mut lexer = Lexer::new(bytes, 0, dialect, Quotes::Flat, comment_ends);
    let mut before: Before = [None; 4];
    for token in lexer.by_ref() {
        anchor(judgement, token, &before, dialect);
        before = [Some(token), before[0], before[1], before[2]];
        if !judgement.spend(1) {
            break;
        }
    }
    if let Some(at) = lexer.executed {
        judgement.found(SqlSign::CommentExecuted, at, at + 3);
    }
    if let Some(at) = lexer.joined {
        judgement.found(SqlSign::CommentInWord, at, at + 1);
    }
    lexer.ambiguous
}

fn anchor(judgement: &mut Judgement<'_, '_, '_>, token: Token, before: &Before, dialect: Dialect) {
    if token.gap == Gap::Comment {
        spaced_by_comment(judgement, token, before);
    }
    match token.kind {
        Kind::Word(Word::Plain | Word::Prose) | Kind::Number(Number::Decimal) => {}
        Kind::Word(Word::System) => system(judgement, token, before),
        Kind::Word(Word::Stored) => stored(judgement, token, before),
        Kind::Word(Word::And | Word::Or) | Kind::Pipes | Kind::Ampersands => {
            joined_to_number(judgement, token, before);
        }
        Kind::Quote => values::hex_string(judgement, token, before),
        _ if begins_reading(token.kind, before) && prefilter::may_be_anchor(judgement.bytes(), token) => {
            let tokens = Reading::new(judgement.bytes(), token.start, dialect, Quotes::Strings);
            behind(judgement, token, before, &tokens);
            judgement.spend(tokens.cost());
        }
        _ => {}
    }
}

/// Returns `true` if a token is recognised by the bytes behind it.
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
            Word::Transaction => matches!(before_kind(before, 0), None | Some(Kind::Open)),
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

/// Judges an anchor by the tokens behind it.
fn behind(judgement: &mut Judgement<'_, '_, '_>, token: Token, before: &Before, tokens: &Reading<'_>) {
    match token.kind {
        Kind::Word(role) => match role {
            Word::Union => union(judgement, tokens, before),
            Word::Select => select(judgement, tokens, before),
            Word::Delaying => delaying(judgement, tokens, before),
            Word::Waitfor => waitfor(judgement, tokens),
            Word::Distinctive | Word::Function | Word::Object | Word::Arithmetic => {
                call(judgement, tokens, role, before);
            }
            Word::Exec | Word::Declare => executes(judgement, tokens, before),
            Word::Procedure => {
                if word(tokens, 1) == Some(Word::Analyse) && kind(tokens, 2) == Some(Kind::Open) {
                    judgement.found(SqlSign::ProcedureAnalyse, token.start, token.end);
                }
            }
            Word::Into | Word::Load => file(judgement, tokens, role),
            Word::If => if_call(judgement, tokens, before),
            Word::Case => case(judgement, tokens),
            Word::When | Word::Like => fragment(judgement, tokens, role),
            Word::Order | Word::Having | Word::Where => clause(judgement, tokens, before),
            Word::Transaction => routine_block(judgement, tokens),
            _ => begins_statement(judgement, tokens),
        },
        Kind::Semicolon => stacked(judgement, tokens),
        Kind::Cast => values::cast(judgement, tokens, before),
        Kind::JsonOperator => values::json(judgement, tokens, token, before),
        Kind::Number(notation) => values::number(judgement, tokens, notation, before),
        _ => {}
    }
}

/// `SELECT/*…*/password`: a comment does what a space would.
fn spaced_by_comment(judgement: &mut Judgement<'_, '_, '_>, token: Token, before: &Before) {
    let Some(left) = before[0] else { return };
    let bytes = judgement.bytes();
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
        judgement.found(SqlSign::CommentAsSpace, left.start, token.end);
    }
}
