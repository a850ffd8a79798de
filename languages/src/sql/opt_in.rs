//! The protections that are off by default: they see more at the price of ordinary values, and run only when wanted.

use super::judgement::Judgement;
use crate::sql::sign::SqlSign;
use crate::sql::token::{Dialect, Kind, Lexer, Quotes, Token};
use crate::sql::words::Word;

/// Marks of punctuation in one value from which on it is dense.
const DENSE: usize = 12;

/// Looks for whatever of it is wanted.
pub(super) fn scan(judgement: &mut Judgement<'_, '_, '_>) {
    let wanted =
        [SqlSign::Aggressive, SqlSign::AlwaysTrue, SqlSign::MultipleStatements, SqlSign::QuoteInText];
    if wanted.into_iter().any(|sign| judgement.findings.wants(sign)) {
        sequences(judgement);
    }
    if judgement.findings.wants(SqlSign::Density) {
        density(judgement);
    }
}

fn sequences(judgement: &mut Judgement<'_, '_, '_>) {
    let bytes = judgement.bytes();
    let lexer = Lexer::new(bytes, 0, Dialect::Standard, Quotes::Flat, judgement.comment_ends);
    let mut before: [Option<Token>; 3] = [None; 3];
    let mut open = OpenQuotes::default();
    for token in lexer {
        let kind = |back: usize| before.get(back).copied().flatten().map(|t: Token| t.kind);
        let start = before[0].map_or(token.start, |t| t.start);
        if kind(0) == Some(Kind::Quote) {
            let operator = matches!(
                token.kind,
                Kind::Compare | Kind::Pipes | Kind::Ampersands | Kind::Semicolon | Kind::Bang | Kind::Other
            ) || matches!(token.kind, Kind::Word(word) if word.continues());
            if operator {
                judgement.found(SqlSign::Aggressive, start, token.end);
            }
        }
        open.see(bytes, token);
        let joins =
            matches!(token.kind, Kind::Word(Word::And | Word::Or | Word::Not | Word::Is | Word::Like));
        if joins && open.is_any() {
            judgement.found(SqlSign::QuoteInText, start, token.end);
        }
        let constant = |kind| matches!(kind, Some(Kind::Number(_) | Kind::Quote | Kind::Word(Word::Literal)));
        if constant(Some(token.kind)) && matches!(kind(0), Some(Kind::Compare)) && constant(kind(1)) {
            judgement.found(SqlSign::AlwaysTrue, start, token.end);
        }
        if kind(0) == Some(Kind::Semicolon) && begins_statement(token.kind) {
            judgement.found(SqlSign::MultipleStatements, start, token.end);
        }
        before = [Some(token), before[0], before[1]];
        if !judgement.spend(1) {
            return;
        }
    }
}

const fn begins_statement(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Word(
            Word::Select
                | Word::Insert
                | Word::Update
                | Word::Delete
                | Word::Drop
                | Word::Create
                | Word::Truncate
                | Word::Exec
                | Word::Declare
                | Word::Set
                | Word::Shutdown
        )
    )
}

/// Which kinds of quotes came an odd number of times.
#[derive(Debug, Default)]
struct OpenQuotes {
    single: bool,
    double: bool,
}

impl OpenQuotes {
    fn see(&mut self, bytes: &[u8], token: Token) {
        match bytes.get(token.start) {
            Some(b'\'') if token.kind == Kind::Quote => self.single = !self.single,
            Some(b'"') if token.kind == Kind::Quote => self.double = !self.double,
            _ => {}
        }
    }

    fn is_any(&self) -> bool {
        self.single || self.double
    }
}

fn density(judgement: &mut Judgement<'_, '_, '_>) {
    let marks = |b: &u8| b"'\"`;#()*&|^~!@$%{}[]<>=-".contains(b);
    let bytes = judgement.bytes();
    let count = bytes.iter().filter(|b| marks(b)).count();
    if count >= DENSE && count * 4 >= bytes.len() {
        judgement.found(SqlSign::Density, 0, bytes.len());
    }
}
