//! Numbers, times and names as people read them on a terminal.

use super::histogram::Quantile;

/// Characters of a name that are shown.
const NAME_MAX: usize = 80;

/// A name that may be written to a terminal: names of ours are plain ASCII, and whatever else a page holds must not
/// move the cursor.
pub(super) fn clean(name: &str) -> String {
    let shown = |c: char| if c.is_ascii_graphic() || c == ' ' { c } else { char::REPLACEMENT_CHARACTER };
    name.chars().take(NAME_MAX).map(shown).collect()
}

/// A whole number with its thousands set apart.
pub(super) fn count(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// So many a second.
pub(super) fn rate(number: f64) -> String {
    if number > 0.0 && number < 99.95 { format!("{number:.1}") } else { count(number) }
}

/// The whole part of a number; nothing of what is none.
pub(super) fn whole(number: f64) -> u64 {
    std::time::Duration::try_from_secs_f64(number).map_or(0, |number| number.as_secs())
}

/// Seconds in a unit that leaves three digits or so.
pub(super) fn duration(seconds: f64) -> String {
    let (number, unit) = match seconds {
        s if s < 0.000_999_5 => (s * 1e6, "µs"),
        s if s < 0.999_5 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    let places = usize::from(number < 99.95) + usize::from(number < 9.995);
    format!("{number:.places$} {unit}")
}

/// Upper end of a share of the observations.
pub(super) fn quantile(quantile: Option<Quantile>) -> String {
    match quantile {
        None => "–".to_owned(),
        Some(Quantile::About(seconds)) => duration(seconds),
        Some(Quantile::Above(seconds)) => format!("> {}", duration(seconds)),
    }
}

/// Whole seconds in the two largest units.
pub(super) fn age(seconds: f64) -> String {
    let s = whole(seconds);
    let (minutes, hours, days) = (s / 60, s / 3600, s / 86_400);
    match s {
        0..60 => format!("{s} s"),
        60..3600 => format!("{minutes} min {} s", s % 60),
        3600..86_400 => format!("{hours} h {} min", minutes % 60),
        _ => format!("{days} d {} h", hours % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let counts = [0.0, 7.4, 999.0, 1000.0, 123_456.0, 1e15].map(count);
        assert_eq!(counts, ["0", "7", "999", "1,000", "123,456", "1,000,000,000,000,000"]);
        assert_eq!([0.0, 0.04, 7.25, 99.96, 1234.5].map(rate), ["0", "0.0", "7.2", "100", "1,234"]);
    }

    #[test]
    fn times() {
        let times = [0.0, 0.000_012_34, 0.000_5, 0.001, 0.012_34, 0.25, 1.0, 12.34, 3000.0].map(duration);
        assert_eq!(
            times,
            ["0.00 µs", "12.3 µs", "500 µs", "1.00 ms", "12.3 ms", "250 ms", "1.00 s", "12.3 s", "3000 s"]
        );
        assert_eq!(duration(f64::NAN), "NaN s", "nothing panics");
        let ages = [-5.0, 59.9, 61.0, 3700.0, 200_000.0].map(age);
        assert_eq!(ages, ["0 s", "59 s", "1 min 1 s", "1 h 1 min", "2 d 7 h"]);
        assert_eq!(quantile(None), "–");
        assert_eq!(quantile(Some(Quantile::Above(30.0))), "> 30.0 s");
    }

    #[test]
    fn names_do_not_move_the_cursor() {
        assert_eq!(clean("sql-injection (others)"), "sql-injection (others)");
        assert_eq!(clean("a\u{1b}[2J\n\u{9b}\u{202e}\u{e9}"), "a\u{fffd}[2J\u{fffd}\u{fffd}\u{fffd}\u{fffd}");
        assert_eq!(clean(&"x".repeat(1000)).len(), NAME_MAX);
    }
}
