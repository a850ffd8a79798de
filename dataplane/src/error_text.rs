//! The text of an error and of its causes, on one line. It knows no error of its own.

use std::error::Error;

/// An error and its causes, parted by colons, in at most `bytes_max` bytes.
pub(crate) fn with_causes(error: &dyn Error, bytes_max: usize) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause
        && text.len() < bytes_max
    {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    text.truncate(text.floor_char_boundary(bytes_max));
    text
}
