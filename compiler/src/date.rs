//! Calendar dates, as `expires` takes them and as the clock of the machine gives them.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

const DAY_SECONDS: u64 = 24 * 3600;
/// Days of 400 years, after which the calendar repeats.
const ERA_DAYS: u64 = 146_097;

/// A day of the Gregorian calendar, in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    year: u64,
    month: u64,
    day: u64,
}

impl Date {
    /// The date at `time`; 1970-01-01 for an earlier one.
    pub fn at(time: SystemTime) -> Date {
        let days = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / DAY_SECONDS);
        // Years begin in March here, so that the day that only some years have is their last one.
        let since_march = days + 719_468;
        let (era, of_era) = (since_march / ERA_DAYS, since_march % ERA_DAYS);
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month = (5 * of_year + 2) / 153;
        let (day, month, later) =
            (of_year - (153 * month + 2) / 5 + 1, (month + 2) % 12 + 1, u64::from(month >= 10));
        Date { year: 400 * era + year_of_era + later, month, day }
    }

    /// Days since 1970-01-01; 0 for an earlier date.
    pub fn days(self) -> u64 {
        let year = self.year - u64::from(self.month <= 2);
        let (era, of_era) = (year / 400, year % 400);
        let of_year = (153 * ((self.month + 9) % 12) + 2) / 5 + self.day - 1;
        (era * ERA_DAYS + of_era * 365 + of_era / 4 - of_era / 100 + of_year).saturating_sub(719_468)
    }

    /// Reads `YYYY-MM-DD`; `None` if the calendar has no such day.
    pub fn parse(text: &str) -> Option<Date> {
        let mut parts = text.split('-');
        let mut number = |length: usize| {
            let part = parts.next().filter(|part| part.len() == length)?;
            part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse::<u64>().ok())?
        };
        let (year, month, day) = (number(4)?, number(2)?, number(2)?);
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            4 | 6 | 9 | 11 => 30,
            2 => 28 + u64::from(is_leap),
            1..=12 => 31,
            _ => 0,
        };
        ((1..=days).contains(&day) && parts.next().is_none()).then_some(Date { year, month, day })
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (days, expected) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (789, "1972-02-29"),
            (10_956, "1999-12-31"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_453, "2025-12-31"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            let time = UNIX_EPOCH + Duration::from_secs(days * DAY_SECONDS + DAY_SECONDS - 1);
            assert_eq!(Date::at(time).to_string(), expected);
            assert_eq!(Date::parse(expected), Some(Date::at(time)));
            assert_eq!(Date::at(time).days(), days);
        }
    }

    #[test]
    fn other_texts_are_no_dates() {
        for text in
            ["", "2026", "2026-02-29", "2026-13-01", "2026-00-01", "2026-01-00", "2026-4-31", "26-01-01"]
        {
            assert_eq!(Date::parse(text), None, "{text}");
        }
        for text in ["2026-01-01-", "2026-01-01T00:00", " 2026-01-01", "2026-+1-01", "2100-02-29"] {
            assert_eq!(Date::parse(text), None, "{text}");
        }
    }
}
