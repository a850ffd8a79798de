//! SQL as injected text: tokens and the small grammar that separates a fragment of a query from prose, and the places in
//! a value from which a query may go on: a quote, the beginning, anywhere. It knows bytes alone, not rules or weights.

mod breakout;
mod document;
mod grammar;
mod judgement;
mod operators;
mod opt_in;
mod quotes;
mod reading;
mod sign;
pub mod token;
mod triggers;
mod unquoted;
mod words;

pub use sign::SqlSign;

use crate::language::{Findings, Input, Language};
use judgement::Judgement;
use token::CommentEnds;

/// SQL, and the operators of document databases. The value is read as a whole, and once for structures that need no quote.
#[derive(Debug)]
pub struct Sql;

impl Language for Sql {
    type Sign = SqlSign;
    const NAME: &'static str = "sql";
    const TRIGGERS: &'static [&'static str] = triggers::TRIGGERS;

    fn scan(input: &Input<'_>, findings: &mut Findings<'_, SqlSign>) {
        let mut judgement = Judgement { input, findings, comment_ends: CommentEnds::of(input.bytes) };
        document::whole_value(&mut judgement);
        unquoted::scan(&mut judgement);
        breakout::start::at_start(&mut judgement);
        opt_in::scan(&mut judgement);
    }
}

/// SQL behind quotes. Nearly every quote in prose is an apostrophe, which the bytes behind it show.
#[derive(Debug)]
pub struct QuotedSql;

impl Language for QuotedSql {
    type Sign = SqlSign;
    const NAME: &'static str = "sql-quotes";
    const TRIGGERS: &'static [&'static str] = triggers::QUOTES;

    fn scan(input: &Input<'_>, findings: &mut Findings<'_, SqlSign>) {
        let mut judgement = Judgement { input, findings, comment_ends: CommentEnds::UNKNOWN };
        quotes::scan(&mut judgement);
        breakout::start::at_start(&mut judgement);
        opt_in::scan(&mut judgement);
    }
}
