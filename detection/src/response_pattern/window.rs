//! Bytes around a pattern that its judging may read.

/// Bytes before a pattern that its judging may read.
pub(crate) const BEHIND_BYTES: usize = 512;
/// Bytes from a pattern's beginning on that its judging may read.
pub(crate) const AHEAD_BYTES: usize = 768;
/// Ends the strings of a JSON body in the text that is scanned.
pub(crate) const STRING_END: u8 = 0x1e;
