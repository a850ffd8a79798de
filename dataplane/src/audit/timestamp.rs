//! Points in time, as events and lines of the access log write them.

use std::time::SystemTime;

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// RFC 3339 in UTC with milliseconds.
pub(super) fn rfc3339(time: SystemTime) -> String {
    let time = OffsetDateTime::from(time);
    let milliseconds = time.nanosecond() / 1_000_000 * 1_000_000;
    let time = time.replace_nanosecond(milliseconds).unwrap_or(time);
    // Years beyond 9999 have no such form; a clock that says so is wrong, and its lines still have to be valid.
    time.format(&Rfc3339).unwrap_or_else(|_| "1970-01-01T00:00:00Z".to_owned())
}
