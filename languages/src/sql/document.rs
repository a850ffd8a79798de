//! Signs of the value as a whole: a number that makes parsers stumble, a call that is cut off, the operators of document
//! databases in names and in pasted objects.

use crate::sql::sign::SqlSign;
use std::borrow::Cow;

use super::judgement::Judgement;
use super::operators;
use crate::language::{Input, Role};
use crate::sql::token::{self, Dialect, Kind, Lexer, Quotes, Token};
use crate::sql::words::Word;

/// Numbers beyond the edges of integer and floating types, which are sent to make an application fail. Those at which
/// intervals and limits of honest programs end are not among them.
const OVERFLOWS: &[&[u8]] = &[
    b"9223372036854775808",
    b"-9223372036854775809",
    b"18446744073709551616",
    b"2.2250738585072007e-308",
    b"2.2250738585072011e-308",
    b"2.2250738585072012e-308",
    b"1.7976931348623157e308",
    b"1.7976931348623159e308",
    b"1e309",
    b"-1e309",
    b"1e500",
    b"1e999",
    b"0e99999",
    b"00.0000000000000000000000000000001e308",
];

/// Edges of unsigned numbers of 32 bits, which are sizes and ends of intervals as often.
const EDGES: &[&[u8]] = &[b"4294967296", b"-4294967296"];

/// Names of databases that servers bring along, as table and schema parameters are probed with.
const DATABASES: &[&[u8]] = &[
    b"msdb",
    b"northwind",
    b"mysql.db",
    b"mysql.user",
    b"schema_name",
    b"pg_toast",
    b"sysibm",
    b"adventureworks",
];

/// Judges the value as a whole.
pub(super) fn whole_value(judgement: &mut Judgement<'_, '_, '_>) {
    let bytes = judgement.bytes();
    let trimmed = bytes.trim_ascii();
    if trimmed.len() <= 48 {
        let is = |other: &&[u8]| trimmed.eq_ignore_ascii_case(other);
        // An argument of a quantity may well be as large as an unsigned number of 32 bits, and so may a scalar.
        let probes = judgement.input.role == Role::Argument && !operators::is_quantity(judgement.input.name);
        if OVERFLOWS.iter().any(is) || probes && EDGES.iter().any(is) {
            judgement.found(SqlSign::Overflow, 0, bytes.len());
        }
        if judgement.is_name() && DATABASES.iter().any(is) {
            judgement.found(SqlSign::SystemName, 0, bytes.len());
        }
        if is_cut_call(trimmed) {
            judgement.found(SqlSign::CallCut, 0, bytes.len());
        }
    }
    if memchr::memchr(b'$', bytes).is_some() {
        operators(judgement);
    }
    shell(judgement);
}

/// `substring(`, `md5\(`: the name of a function and its bracket, and then nothing.
fn is_cut_call(value: &[u8]) -> bool {
    let Some(rest) = value.strip_suffix(b"(") else { return false };
    let rest = rest.strip_suffix(b"\\").unwrap_or(rest).trim_ascii_end();
    let rest = rest.strip_prefix(b"(").unwrap_or(rest);
    matches!(token::lookup(rest), Word::Function | Word::Distinctive | Word::Delaying | Word::Stored)
        || matches!(rest.to_ascii_lowercase().as_slice(), b"database" | b"schema" | b"user" | b"if")
}

/// `$where`, `$ne` and their kind in names, and as keys of an object that is pasted into a value.
fn operators(judgement: &mut Judgement<'_, '_, '_>) {
    let bytes = judgement.bytes();
    let name = judgement.is_name();
    let mut keys = Keys::default();
    let mut lexer = Lexer::new(bytes, 0, Dialect::Standard, Quotes::Flat, judgement.comment_ends);
    let mut before: [Option<Token>; 2] = [None; 2];
    while let Some(token) = lexer.next() {
        if let Kind::Word(role @ (Word::Document | Word::DocumentLoose)) = token.kind {
            let next = lexer.by_ref().next();
            let after = next.map(|token| token.kind);
            let bracketed =
                before[0].is_some_and(|t| t.kind == Kind::BracketOpen) && after == Some(Kind::BracketClose);
            let keyed = after == Some(Kind::Colon) || next.is_some_and(|next| ends_key(bytes, next));
            let opened = opens_key(&before);
            let whole = before[0].is_none() && after.is_none();
            let key = judgement.input.role == Role::Key && whole;
            let operator = bytes.get(token.start..token.end).unwrap_or_default();
            let path = keys.path(judgement.input, name, token.start);
            let declared = after == Some(Kind::Colon)
                && next.is_some_and(|colon| is_graphql_type(bytes.get(colon.end..).unwrap_or_default()));
            if declared || !operators::counts(operator, &path) {
                before = [next, Some(token)];
                continue;
            }
            if key || (name && (bracketed || whole && role == Word::Document)) {
                judgement.found(SqlSign::DocumentName, token.start, token.end);
            } else if bracketed || (keyed && opened && (role == Word::Document || before[0].is_some())) {
                judgement.found(SqlSign::DocumentValue, token.start, token.end);
            }
            before = [next, Some(token)];
            continue;
        }
        keys.see(token, before[0], before[1]);
        before = [Some(token), before[0]];
        if !judgement.spend(1) {
            return;
        }
    }
}

/// Returns `true` for the quote behind a key.
fn ends_key(bytes: &[u8], quote: Token) -> bool {
    let rest = bytes.get(quote.end..).unwrap_or_default().trim_ascii_start();
    quote.kind == Kind::Quote && rest.first() == Some(&b':')
}

/// Returns `true` if a key may begin behind these tokens, the last one first.
fn opens_key(before: &[Option<Token>; 2]) -> bool {
    let opens = |token: &Option<Token>| {
        token.is_none_or(|token| matches!(token.kind, Kind::BraceOpen | Kind::Comma | Kind::BracketOpen))
    };
    opens(&before[0]) || before[0].is_some_and(|token| token.kind == Kind::Quote) && opens(&before[1])
}

/// Returns `true` if a type of GraphQL follows, as behind a variable's name: `Int`, `[ID!]` (specification of October 2021, 2.10).
fn is_graphql_type(rest: &[u8]) -> bool {
    let rest = rest.trim_ascii_start();
    let name = rest.strip_prefix(b"[").unwrap_or(rest);
    let length = name.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let behind = name.get(length..).unwrap_or_default().trim_ascii_start().first();
    name.first().is_some_and(u8::is_ascii_uppercase)
        && matches!(behind, Some(b'!' | b',' | b')' | b']' | b'=' | b'$'))
}

/// The keys of an object that is pasted into a value, as far as its operators are recognised by them.
#[derive(Debug, Default)]
struct Keys {
    depth: usize,
    /// The key that a colon followed last.
    last: Option<Token>,
}

impl Keys {
    fn see(&mut self, token: Token, before: Option<Token>, second: Option<Token>) {
        match token.kind {
            Kind::BraceOpen => self.depth += 1,
            Kind::BraceClose => self.depth = self.depth.saturating_sub(1),
            Kind::Colon => {
                let is_quote = |token: &Token| token.kind == Kind::Quote;
                self.last =
                    before.filter(|token| !is_quote(token)).or(second.filter(|token| !is_quote(token)));
            }
            _ => {}
        }
    }

    /// Names above the operator at `at`: those of the field that it came in, and the object's own.
    fn path<'a>(&self, input: &Input<'a>, is_name: bool, at: usize) -> Cow<'a, [u8]> {
        if is_name && input.role != Role::Key {
            return Cow::Borrowed(input.bytes.get(..at).unwrap_or_default());
        }
        let own = self.last.and_then(|key| input.bytes.get(key.start..key.end));
        match own.filter(|_| self.depth > 1) {
            Some(own) => Cow::Owned([input.name, b".", own].concat()),
            None => Cow::Borrowed(input.name),
        }
    }
}

/// `db.users.insert({…})`, `0;var d=new Date();…`: script for the shell of a document database.
fn shell(judgement: &mut Judgement<'_, '_, '_>) {
    let bytes = judgement.bytes();
    let mut lexer = Lexer::new(bytes, 0, Dialect::Standard, Quotes::Flat, judgement.comment_ends);
    let mut head = [None; 6];
    for slot in &mut head {
        *slot = lexer.next();
    }
    let kind = |i: usize| head.get(i).copied().flatten().map(|token: Token| token.kind);
    let changes = matches!(
        kind(4),
        Some(Kind::Word(Word::Insert | Word::Drop | Word::Update | Word::Delete | Word::Create))
    ) || head.get(4).copied().flatten().is_some_and(|token| {
        let method = bytes.get(token.start..token.end).unwrap_or_default();
        [
            &b"find"[..],
            b"findone",
            b"insertone",
            b"insertmany",
            b"remove",
            b"aggregate",
            b"mapreduce",
            b"deletemany",
            b"updatemany",
        ]
        .iter()
        .any(|known| method.eq_ignore_ascii_case(known))
    });
    let called = kind(0) == Some(Kind::Word(Word::Db))
        && kind(1) == Some(Kind::Dot)
        && kind(3) == Some(Kind::Dot)
        && changes
        && kind(5) == Some(Kind::Open);
    let scripted = matches!(kind(0), Some(Kind::Number(_)))
        && kind(1) == Some(Kind::Semicolon)
        && matches!(kind(2), Some(Kind::Word(Word::Script)))
        && kind(3).is_some();
    if called || scripted {
        judgement.found(SqlSign::DocumentScript, 0, bytes.len().min(64));
    }
}
