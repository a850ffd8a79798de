//! Times in log lines and files.

use std::time::SystemTime;

/// A time for people, to the second.
pub fn rfc3339(time: SystemTime) -> String {
    let time = time::OffsetDateTime::from(time);
    let time = time.replace_nanosecond(0).unwrap_or(time);
    time.format(&time::format_description::well_known::Rfc3339).unwrap_or_default()
}
