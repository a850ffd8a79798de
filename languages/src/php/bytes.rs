//! Bytes of names.

/// A byte of an identifier.
pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Whether nothing that could be a word stands in `bytes`.
pub(super) fn is_punctuation(bytes: &[u8]) -> bool {
    !bytes.iter().copied().any(is_name)
}
