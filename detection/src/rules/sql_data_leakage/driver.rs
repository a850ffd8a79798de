//! Errors as drivers and languages hand them on: PHP's warnings, exception classes.

use crate::response_pattern::{MatchContext, ResponsePattern, checked, shape_length};

/// The summary of all rules here: their leaves name the database.
pub(super) const SUMMARY: &str =
    "The response reports an error of the database as the database or its driver words it.";

/// A PHP function or method whose name begins so, in a warning of PHP's own.
pub(super) const fn php(function: &'static str) -> ResponsePattern {
    checked(function, "@(", is_warned_of_by_php)
}

/// An exception of a driver: a class in `package`, thrown or in a stack frame.
pub(super) const fn exception(package: &'static str) -> ResponsePattern {
    checked(package, "", is_thrown)
}

/// Whether `Warning: ` or another of PHP's labels stands before, plain or as markup.
pub(super) fn is_warned_of_by_php(context: &MatchContext<'_>) -> bool {
    let label = context.before().trim_ascii_end();
    let Some(label) = label.strip_suffix(b":") else { return false };
    let (label, is_markup) = match label.strip_suffix(b"</b>") {
        Some(label) => (label, true),
        None => (label, false),
    };
    let words: [&[u8]; 5] = [b"Warning", b"Notice", b"Deprecated", b"Fatal error", b"Recoverable error"];
    let Some(word) = words.iter().find(|word| label.ends_with(word)) else { return false };
    let before = label.len() - word.len();
    // PHP's markup would be escaped where it is shown.
    is_markup || context.is_spoken() && context.back(context.before().len() - before).leads() || {
        let prefix = label.get(..before).unwrap_or_default();
        prefix.ends_with(b"PHP ") && context.back(context.before().len() - before + 4).leads()
    }
}

/// Whether the class is named as what was thrown, or as the place of a frame.
pub(super) fn is_thrown(context: &MatchContext<'_>) -> bool {
    let Some(length) = shape_length(context.after(), "@") else { return false };
    let name = context.after().get(..length).unwrap_or_default();
    let rest = context.after().get(length..).unwrap_or_default();
    if rest.starts_with(b"(") && context.before().ends_with(b"at ") {
        let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
        return context.is_frame() && memchr::memchr(b')', line).is_some();
    }
    let is_exception = [&b"Exception"[..], b"Error", b"Warning"].iter().any(|end| name.ends_with(end));
    let ends = !matches!(rest.first(), Some(b'a'..=b'z' | b'A'..=b'Z' | b'.' | b';' | b'`' | b'/' | b'"'))
        || rest.starts_with(b" (");
    is_exception && ends && stands_apart(context) && context.leads()
}

/// Whether the byte before the words parts them from a name that they would be the end of.
pub(super) fn stands_apart(context: &MatchContext<'_>) -> bool {
    !context
        .before()
        .last()
        .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
}
