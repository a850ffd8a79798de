//! Rules of this bucket: errors of databases in responses. A database is known by its own messages and codes, by the driver
//! that hands them on (ODBC, JDBC, .NET, DB-API), or by the PHP function that warns.

use crate::response_pattern::MatchContext;
use crate::rule::Bucket;

mod driver;
mod enterprise;
mod microsoft;
mod open_source;
mod other;

/// The rules; no detector reports them.
pub(crate) static BUCKET: Bucket = Bucket {
    rules: &[microsoft::RULES, enterprise::RULES, open_source::RULES, other::RULES],
    detectors: &[],
};

/// The summary of all rules here: their leaves name the database.
const SUMMARY: &str = "The response reports an error of the database as the database or its driver words it.";

/// Whether the byte before the words parts them from a name that they would be the end of.
fn stands_apart(context: &MatchContext<'_>) -> bool {
    !context
        .before()
        .last()
        .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
}
