//! Hexadecimal digits, for the decoders.

/// Returns `true` if all are hexadecimal digits.
pub(super) fn all(digits: &[u8]) -> bool {
    digits.iter().all(u8::is_ascii_hexdigit)
}

/// Their value; bytes that are no digits count as none, more than eight digits saturate.
pub(super) fn value(digits: &[u8]) -> u32 {
    digits.iter().fold(0_u32, |value, &digit| {
        let digit = char::from(digit).to_digit(16).unwrap_or(0);
        value.checked_mul(16).map_or(u32::MAX, |value| value | digit)
    })
}
