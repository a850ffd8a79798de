//! Rules of this bucket: errors of databases in responses. A database is known by its own messages and codes, by the driver
//! that hands them on (ODBC, JDBC, .NET, DB-API), or by the PHP function that warns.

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
