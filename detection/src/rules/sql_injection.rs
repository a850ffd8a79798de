//! SQL injection: the rules with their proofs, and the detector that reports them. What a fragment of a query looks like
//! is known by [`crate::lang::sql`]; here stands what it means where it was found.

mod attribution;
mod breakout;
mod detect;
mod document;
mod judgement;
mod operators;
mod opt_in;
mod proofs;
mod proofs_by_dialect;
#[cfg(test)]
mod tests;
mod triggers;
mod unquoted;

use crate::field::Places;
use crate::rule::{Detector, Rule};

/// The rules.
pub static RULES: &[&Rule] = &[
    &proofs::STACKED,
    &proofs::STATEMENT,
    &proofs::SUBQUERY,
    &proofs::QUERY_IN_TEXT,
    &proofs::CLAUSE,
    &proofs::FILE,
    &proofs::VALUE_LIST,
    &proofs::BOOLEAN_BREAK,
    &proofs::BOOLEAN_ON_VALUE,
    &proofs::COMPARISON_BREAK,
    &proofs::CALL,
    &proofs::CALL_BREAK,
    &proofs::CALL_CUT,
    &proofs::SYSTEM_NAME,
    &proofs::SYSTEM_IN_TEXT,
    &proofs::COMMENT_EXECUTED,
    &proofs::COMMENT_AS_SPACE,
    &proofs::COMMENT_IN_WORD,
    &proofs::COMMENT_TAIL,
    &proofs::BACKTICK_BREAK,
    &proofs::HEX,
    &proofs::CONCATENATION,
    &proofs::DELAY_CALL,
    &proofs::DELAY_STATEMENT,
    &proofs::UNION_SELECT,
    &proofs::UNION_IN_TEXT,
    &proofs::IF_CALL,
    &proofs::CASE_WHEN,
    &proofs::CONDITION_FRAGMENT,
    &proofs::CLOSER,
    &proofs::OVERFLOW,
    &proofs::LOGIN_TAUTOLOGY,
    &proofs::LOGIN_COMMENT,
    &proofs_by_dialect::MSSQL_EXEC,
    &proofs_by_dialect::MSSQL_DECLARE,
    &proofs_by_dialect::STORED_CALL,
    &proofs_by_dialect::PROCEDURE_ANALYSE,
    &proofs_by_dialect::TYPE_CAST,
    &proofs_by_dialect::DOCUMENT_NAME,
    &proofs_by_dialect::DOCUMENT_VALUE,
    &proofs_by_dialect::DOCUMENT_SCRIPT,
    &proofs_by_dialect::JSON_OPERATOR,
    &proofs_by_dialect::EXPONENT,
    &proofs_by_dialect::AGGRESSIVE,
    &proofs_by_dialect::COMMENT_IN_JSON,
    &proofs_by_dialect::COMMENT_BEHIND_OPERAND,
    &proofs_by_dialect::DENSITY,
    &proofs_by_dialect::ALWAYS_TRUE,
    &proofs_by_dialect::MULTIPLE_STATEMENTS,
    &proofs_by_dialect::QUOTE_IN_TEXT,
];

/// Runs the SQL tokenizer.
pub static DETECTOR: Detector =
    Detector { name: "sql", triggers: triggers::TRIGGERS, places: Places::REQUEST, run: detect::run };

/// Runs it behind quotes alone. Nearly every quote in prose is an apostrophe, which is told by what follows it.
pub static QUOTES: Detector = Detector {
    name: "sql-quotes",
    triggers: triggers::QUOTES,
    places: Places::REQUEST,
    run: detect::run_quotes,
};
