//! Numbers of the configuration: whole numbers of the YAML 1.2 core schema, byte sizes and durations. It must not know
//! fields or trees. Values beyond `u64` saturate: they are beyond every upper bound, or the field has none.

/// A number as far as bounds are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    /// Below zero, and so below every bound.
    Negative,
    /// Zero or more.
    Natural(u64),
}

/// `[-+]?[0-9]+`, `0o…` or `0x…`.
pub(super) fn whole(text: &str) -> Option<Number> {
    let radix = |digits: &str, radix: u32| -> Option<Number> {
        let valid = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
        valid.then(|| Number::Natural(u64::from_str_radix(digits, radix).unwrap_or(u64::MAX)))
    };
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    match text.strip_prefix('-') {
        Some(digits) => match radix(digits, 10)? {
            Number::Natural(0) => Some(Number::Natural(0)),
            _ => Some(Number::Negative),
        },
        None => radix(text.strip_prefix('+').unwrap_or(text), 10),
    }
}

/// A whole number with `B`, `KB`, `MB`, `GB` (powers of 1024) or nothing after it.
pub(super) fn size(text: &str) -> Option<Number> {
    let split = text.find(|c: char| c.is_ascii_uppercase()).unwrap_or(text.len());
    let (digits, suffix) = text.split_at_checked(split)?;
    let factor: u64 = match suffix {
        "" | "B" => 1,
        "KB" => 1 << 10,
        "MB" => 1 << 20,
        "GB" => 1 << 30,
        _ => return None,
    };
    Some(scale(whole(digits)?, factor))
}

/// A decimal number with `ms`, `s`, `m` or `h` after it, in milliseconds; a fraction of one is refused.
pub(super) fn duration(text: &str) -> Option<Number> {
    let split = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (digits, unit) = text.split_at_checked(split)?;
    let factor: u64 = match unit {
        "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    let Some((units, fraction)) = digits.split_once('.') else { return Some(scale(whole(digits)?, factor)) };
    let fraction = fraction.trim_end_matches('0');
    if fraction.len() > 9 || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let thousandths: u64 = format!("0{fraction}").parse().ok()?;
    let scaled = thousandths * factor;
    let divisor = 10u64.pow(fraction.len() as u32);
    if !scaled.is_multiple_of(divisor) {
        return None;
    }
    match scale(whole(units)?, factor) {
        Number::Negative => Some(Number::Negative),
        Number::Natural(_) if units.starts_with('-') && scaled > 0 => Some(Number::Negative),
        Number::Natural(whole) => Some(Number::Natural(whole.saturating_add(scaled / divisor))),
    }
}

fn scale(number: Number, factor: u64) -> Number {
    match number {
        Number::Negative => Number::Negative,
        Number::Natural(value) => Number::Natural(value.saturating_mul(factor)),
    }
}

#[cfg(test)]
mod tests {
    use super::Number::{Natural, Negative};
    use super::*;

    #[test]
    fn whole_numbers() {
        for (text, expected) in [
            ("0", Some(Natural(0))),
            ("+7", Some(Natural(7))),
            ("-7", Some(Negative)),
            ("0x1F", Some(Natural(31))),
            ("0o17", Some(Natural(15))),
            ("010", Some(Natural(10))),
            ("99999999999999999999999", Some(Natural(u64::MAX))),
            ("", None),
            ("1e3", None),
            ("1_000", None),
            ("1.0", None),
            ("--1", None),
        ] {
            assert_eq!(whole(text), expected, "{text}");
        }
    }

    #[test]
    fn sizes() {
        for (text, expected) in [
            ("1024", Some(Natural(1024))),
            ("1B", Some(Natural(1))),
            ("2KB", Some(Natural(2048))),
            ("1GB", Some(Natural(1 << 30))),
            ("-1MB", Some(Negative)),
            ("99999999999GB", Some(Natural(u64::MAX))),
            ("1kb", None),
            ("1 MB", None),
            ("1.5MB", None),
            ("MB", None),
            ("1TB", None),
        ] {
            assert_eq!(size(text), expected, "{text}");
        }
    }

    #[test]
    fn durations() {
        for (text, expected) in [
            ("500ms", Some(Natural(500))),
            ("10s", Some(Natural(10_000))),
            ("2m", Some(Natural(120_000))),
            ("1h", Some(Natural(3_600_000))),
            ("1.5s", Some(Natural(1500))),
            ("0.5ms", None),
            ("-0.5s", Some(Negative)),
            ("-1s", Some(Negative)),
            ("0s", Some(Natural(0))),
            ("10", None),
            ("s", None),
            ("10 s", None),
            ("1m30s", None),
            ("1.2.3s", None),
        ] {
            assert_eq!(duration(text), expected, "{text}");
        }
    }
}
