//! Rules of this bucket: errors of databases in responses. A database is known by its own messages and codes, by the driver
//! that hands them on (ODBC, JDBC, .NET, DB-API), or by the PHP function that warns.

use waf_shared::catalog::Leaf;

use crate::field::{Place, Places};
use crate::response::MatchContext;
use crate::rule::{Rule, RuleMatcher, STRONG};

mod driver;
mod enterprise;
mod microsoft;
mod open_source;

/// The rules.
pub static RULES: &[&Rule] = &[
    &microsoft::MSSQL,
    &microsoft::ACCESS,
    &enterprise::ORACLE,
    &enterprise::DB2,
    &enterprise::INFORMIX,
    &enterprise::SYBASE,
    &open_source::MYSQL,
    &open_source::POSTGRES,
    &open_source::SQLITE,
    &open_source::FIREBIRD,
    &enterprise::FRONTBASE,
    &open_source::HSQLDB,
    &enterprise::INGRES,
    &enterprise::INTERBASE,
    &enterprise::MAXDB,
    &enterprise::DOCUMENTUM,
];

/// A rule of this bucket: its leaf is `sql-data-leakage-<database>`.
const fn rule(
    id: &'static str,
    leaf: Leaf,
    patterns: &'static [crate::response::ResponsePattern],
    attacks: &'static [&'static str],
    benign: &'static [&'static str],
) -> Rule {
    Rule {
        id,
        leaf,
        weight: STRONG,
        places: Places::of(&[Place::ResponseBody]),
        matcher: RuleMatcher::Response(patterns),
        summary: "The response reports an error of the database as the database or its driver words it.",
        attacks,
        benign,
    }
}

/// Whether the byte before the words parts them from a name that they would be the end of.
fn stands_apart(context: &MatchContext<'_>) -> bool {
    !context
        .before()
        .last()
        .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
}
