//! Rules of SQL injection, and the detectors that report them. A fragment of a query is recognised by
//! [`waf_languages::sql`]; here each of its signs gets a weight.

mod calls;
mod comments;
mod conditions;
mod documents;
mod places;
mod statements;
#[cfg(test)]
mod tests;

use waf_languages::sql::{QuotedSql, Sql, SqlSign};

use crate::evidence::{Evidence, Subject};
use crate::field::Places;
use crate::rule::{Bucket, Detector, Rule};

/// The rules, and the detectors of SQL without and with quotes.
pub(crate) static BUCKET: Bucket = Bucket {
    rules: &[statements::RULES, conditions::RULES, calls::RULES, comments::RULES, documents::RULES],
    detectors: &[&DETECTOR, &QUOTES],
};

static DETECTOR: Detector = Detector::of::<Sql>(Places::REQUEST, run);
static QUOTES: Detector = Detector::of::<QuotedSql>(Places::REQUEST, run_quotes);

fn run(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    evidence.scan::<Sql, _>(subject, |finding| Some(rule(finding.sign)));
}

fn run_quotes(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    evidence.scan::<QuotedSql, _>(subject, |finding| Some(rule(finding.sign)));
}

const fn rule(sign: SqlSign) -> &'static Rule {
    match sign {
        SqlSign::Stacked => &statements::STACKED,
        SqlSign::Statement => &statements::STATEMENT,
        SqlSign::BareQuery => &statements::BARE_QUERY,
        SqlSign::Subquery => &statements::SUBQUERY,
        SqlSign::QueryInText => &statements::QUERY_IN_TEXT,
        SqlSign::Clause => &statements::CLAUSE,
        SqlSign::File => &statements::FILE,
        SqlSign::ValueList => &statements::VALUE_LIST,
        SqlSign::BooleanBreak => &conditions::BOOLEAN_BREAK,
        SqlSign::BooleanOnValue => &conditions::BOOLEAN_ON_VALUE,
        SqlSign::ComparisonBreak => &conditions::COMPARISON_BREAK,
        SqlSign::Call => &calls::CALL,
        SqlSign::CallBreak => &calls::CALL_BREAK,
        SqlSign::CallCut => &calls::CALL_CUT,
        SqlSign::SystemName => &calls::SYSTEM_NAME,
        SqlSign::SystemAlone => &calls::SYSTEM_ALONE,
        SqlSign::SystemInText => &calls::SYSTEM_IN_TEXT,
        SqlSign::CommentExecuted => &comments::COMMENT_EXECUTED,
        SqlSign::CommentAsSpace => &comments::COMMENT_AS_SPACE,
        SqlSign::CommentInWord => &comments::COMMENT_IN_WORD,
        SqlSign::CommentTail => &comments::COMMENT_TAIL,
        SqlSign::BacktickBreak => &comments::BACKTICK_BREAK,
        SqlSign::Hex => &calls::HEX,
        SqlSign::Concatenation => &calls::CONCATENATION,
        SqlSign::DelayCall => &statements::DELAY_CALL,
        SqlSign::DelayStatement => &statements::DELAY_STATEMENT,
        SqlSign::UnionSelect => &statements::UNION_SELECT,
        SqlSign::UnionInText => &statements::UNION_IN_TEXT,
        SqlSign::IfCall => &conditions::IF_CALL,
        SqlSign::CaseWhen => &conditions::CASE_WHEN,
        SqlSign::ConditionFragment => &conditions::CONDITION_FRAGMENT,
        SqlSign::Closer => &conditions::CLOSER,
        SqlSign::Overflow => &calls::OVERFLOW,
        SqlSign::LoginTautology => &conditions::LOGIN_TAUTOLOGY,
        SqlSign::LoginComment => &conditions::LOGIN_COMMENT,
        SqlSign::MssqlExec => &statements::MSSQL_EXEC,
        SqlSign::MssqlDeclare => &statements::MSSQL_DECLARE,
        SqlSign::StoredCall => &statements::STORED_CALL,
        SqlSign::ProcedureAnalyse => &statements::PROCEDURE_ANALYSE,
        SqlSign::TypeCast => &statements::TYPE_CAST,
        SqlSign::DocumentName => &documents::DOCUMENT_NAME,
        SqlSign::DocumentValue => &documents::DOCUMENT_VALUE,
        SqlSign::DocumentScript => &documents::DOCUMENT_SCRIPT,
        SqlSign::JsonOperator => &documents::JSON_OPERATOR,
        SqlSign::Exponent => &calls::EXPONENT,
        SqlSign::Aggressive => &conditions::AGGRESSIVE,
        SqlSign::Density => &conditions::DENSITY,
        SqlSign::AlwaysTrue => &conditions::ALWAYS_TRUE,
        SqlSign::MultipleStatements => &statements::MULTIPLE_STATEMENTS,
        SqlSign::QuoteInText => &conditions::QUOTE_IN_TEXT,
    }
}
