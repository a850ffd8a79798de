//! Numbers as JSON writes them: exact while their digits fit, so that `0.3` is a multiple of `0.1`.

use std::cmp::Ordering;

/// A JSON number.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Number {
    /// `digits * 10^exponent`; the digits do not end in 0 unless they are 0.
    Exact { digits: i128, exponent: i32 },
    /// A number beyond the bounds.
    Float(f64),
}

/// Digits that fit with room for scaling.
const DIGITS_MAX: usize = 30;

/// Exponents beyond this are infinite or nothing for every reader.
const EXPONENT_MAX: i32 = 400;

impl Number {
    /// Reads a number, leading zeros allowed; `None` when `text` is none.
    pub(crate) fn parse(text: &str) -> Option<Number> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
            Some(at) => (unsigned.get(..at)?, exponent(unsigned.get(at + 1..)?)?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
            Some(_) => return None,
            None => (mantissa, ""),
        };
        let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) {
            return None;
        }
        let significant = whole.trim_start_matches('0').len() + fraction.len();
        if significant > DIGITS_MAX || exponent.abs() > EXPONENT_MAX {
            return text.parse().ok().map(Number::Float);
        }
        let mut digits: i128 = 0;
        for byte in whole.bytes().chain(fraction.bytes()) {
            digits = digits * 10 + i128::from(byte - b'0');
        }
        let mut exponent = exponent - i32::try_from(fraction.len()).ok()?;
        if digits == 0 {
            return Some(Number::Exact { digits: 0, exponent: 0 });
        }
        while digits % 10 == 0 {
            digits /= 10;
            exponent += 1;
        }
        let digits = if text.starts_with('-') { -digits } else { digits };
        Some(Number::Exact { digits, exponent })
    }

    /// True if it has no fraction.
    pub(crate) fn is_integer(self) -> bool {
        match self {
            Number::Exact { exponent, .. } => exponent >= 0,
            Number::Float(value) => value.fract() == 0.0,
        }
    }

    /// True if it is a whole number of `step`s.
    pub(crate) fn is_multiple_of(self, step: Number) -> bool {
        if let Some((value, step)) = aligned(self, step) {
            return step != 0 && value % step == 0;
        }
        let quotient = self.float() / step.float();
        quotient.is_finite() && (quotient - quotient.round()).abs() <= f64::EPSILON * quotient.abs().max(1.0)
    }

    /// Order by value.
    pub(crate) fn compare(self, other: Number) -> Ordering {
        match aligned(self, other) {
            Some((left, right)) => left.cmp(&right),
            None => self.float().total_cmp(&other.float()),
        }
    }

    /// The nearest float.
    pub(crate) fn float(self) -> f64 {
        match self {
            Number::Exact { digits, exponent } => digits as f64 * 10_f64.powi(exponent),
            Number::Float(value) => value,
        }
    }
}

fn exponent(text: &str) -> Option<i32> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let value: i32 = digits.parse().unwrap_or(i32::MAX);
    Some(if text.starts_with('-') { -value } else { value })
}

/// Both as multiples of the same power of ten, where that fits.
fn aligned(left: Number, right: Number) -> Option<(i128, i128)> {
    let (Number::Exact { digits: a, exponent: x }, Number::Exact { digits: b, exponent: y }) = (left, right)
    else {
        return None;
    };
    let common = x.min(y);
    let scaled = |digits: i128, exponent: i32| {
        let power = u32::try_from(exponent - common).ok()?;
        10_i128.checked_pow(power)?.checked_mul(digits)
    };
    Some((scaled(a, if a == 0 { common } else { x })?, scaled(b, if b == 0 { common } else { y })?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        Number::parse(text).expect("a number")
    }

    #[test]
    fn digits_are_not_lost() {
        for (value, step, is_multiple) in [
            ("0.3", "0.1", true),
            ("19.99", "0.01", true),
            ("19.999", "0.01", false),
            ("1e3", "10", true),
            ("0", "7", true),
            ("-14", "7", true),
            ("9007199254740993", "2", false),
            ("1e300", "3.5", true),
        ] {
            assert_eq!(number(value).is_multiple_of(number(step)), is_multiple, "{value} / {step}");
        }
        for (left, right, order) in [
            ("9007199254740993", "9007199254740992", Ordering::Greater),
            ("1.0", "1", Ordering::Equal),
            ("-0.5", "0", Ordering::Less),
            ("1e400", "1e39", Ordering::Greater),
            ("123456789012345678901234567890123", "1", Ordering::Greater),
            ("0", "1e-300", Ordering::Less),
        ] {
            assert_eq!(number(left).compare(number(right)), order, "{left} {right}");
        }
    }

    #[test]
    fn what_is_a_number() {
        for (text, is_integer) in
            [("1", true), ("1.0", true), ("1.5", false), ("1e2", true), ("1e-2", false), ("007", true)]
        {
            assert_eq!(number(text).is_integer(), is_integer, "{text}");
        }
        for text in ["", "-", "+1", "1.", ".5", "1e", "1e+", "0x10", "NaN", " 1", "1 ", "1_0", "inf"] {
            assert!(Number::parse(text).is_none(), "{text}");
        }
    }
}
