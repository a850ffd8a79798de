//! Names of JavaScript.

/// Whether `byte` continues a name.
pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

/// Whether a name that starts at `at` starts there, rather than in the middle of a longer one or behind a dot.
pub(super) fn begins_name(bytes: &[u8], at: usize) -> bool {
    at.checked_sub(1)
        .and_then(|before| bytes.get(before))
        .is_none_or(|before| !is_name(*before) && *before != b'.')
}
