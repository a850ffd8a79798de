//! Numbers of the configuration: whole numbers of the YAML 1.2 core schema, byte sizes and durations. It must not know
//! fields or trees. Values beyond `u64` saturate: they are beyond every upper bound, or the field has none.

use crate::setting;

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

/// Number and unit, each without white space around it, the unit in lower case.
fn parts(text: &str) -> Option<(&str, String)> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (digits, unit) = text.split_at_checked(split)?;
    Some((digits, unit.trim().to_ascii_lowercase()))
}

/// A decimal number times `factor`, when that is a whole number.
fn times(digits: &str, factor: u64) -> Option<u64> {
    let (units, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if fraction.len() > 9 {
        return None;
    }
    let scale = 10u64.pow(u32::try_from(fraction.len()).ok()?);
    let fraction: u64 = format!("0{fraction}").parse().ok()?;
    let part = fraction.checked_mul(factor)?;
    let whole = units.parse::<u64>().ok()?.checked_mul(factor)?;
    part.is_multiple_of(scale).then(|| whole.checked_add(part / scale))?
}

/// The byte size that was probably meant by another spelling.
pub(super) fn size_meant(text: &str) -> Option<String> {
    let (digits, unit) = parts(text)?;
    let factor = match unit.as_str() {
        "" | "b" | "byte" | "bytes" => 1,
        "k" | "kb" | "ki" | "kib" => 1 << 10,
        "m" | "mb" | "mi" | "mib" => 1 << 20,
        "g" | "gb" | "gi" | "gib" => 1 << 30,
        _ => return None,
    };
    times(digits, factor).map(setting::size)
}

/// The duration that was probably meant by another spelling, parts such as `1m30s` added up.
pub(super) fn duration_meant(text: &str) -> Option<String> {
    let mut rest = text.trim();
    let mut total: u64 = 0;
    // Each step takes a number and its unit off the front.
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let unit =
            rest.get(digits..)?.find(|c: char| c.is_ascii_digit()).map_or(rest.len(), |at| digits + at);
        let (part, behind) = rest.split_at_checked(unit)?;
        let (digits, unit) = parts(part)?;
        let factor = match unit.as_str() {
            "ms" | "msec" | "msecs" | "millis" | "millisecond" | "milliseconds" => 1,
            "" | "s" | "sec" | "secs" | "second" | "seconds" => 1000,
            "m" | "min" | "mins" | "minute" | "minutes" => 60_000,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3_600_000,
            "d" | "day" | "days" => 86_400_000,
            _ => return None,
        };
        total = total.checked_add(times(digits, factor)?)?;
        rest = behind;
    }
    (!text.trim().is_empty()).then(|| setting::duration(total))
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

    #[test]
    fn other_spellings_lead_to_ours() {
        for (text, meant) in [
            ("10M", Some("10MB")),
            ("10mb", Some("10MB")),
            ("10 MB", Some("10MB")),
            ("16k", Some("16KB")),
            ("1Gi", Some("1GB")),
            ("1.5MB", Some("1536KB")),
            ("0.3B", None),
            ("many", None),
            ("", None),
            ("10TB", None),
            ("99999999999999G", None),
        ] {
            assert_eq!(size_meant(text).as_deref(), meant, "{text}");
        }
        for (text, meant) in [
            ("30", Some("30s")),
            ("30 s", Some("30s")),
            ("30sec", Some("30s")),
            ("5 minutes", Some("5m")),
            ("1m30s", Some("90s")),
            ("1d", Some("1440m")),
            ("250 MS", Some("250ms")),
            ("0.0001s", None),
            ("soon", None),
            ("", None),
            ("-5s", None),
            ("99999999999999999999d", None),
        ] {
            assert_eq!(duration_meant(text).as_deref(), meant, "{text}");
        }
        for text in ["10M", "30", "1m30s", "1.5MB"] {
            for meant in [size_meant(text), duration_meant(text)].into_iter().flatten() {
                assert!(size(&meant).is_some() || duration(&meant).is_some(), "{meant}");
            }
        }
    }
}
