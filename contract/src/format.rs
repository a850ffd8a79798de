//! `format`: each by the document that defines it, lenient where implementations differ.

use std::net::{Ipv4Addr, Ipv6Addr};

use waf_shared::plan::contract::Format;

use crate::number::Number;

/// True if a number is of `format`; formats of texts do not concern it.
pub(crate) fn number(format: Format, number: Number) -> bool {
    let within = |low: i128, high: i128| {
        let bound = |digits| Number::Exact { digits, exponent: 0 };
        number.is_integer() && number.compare(bound(low)).is_ge() && number.compare(bound(high)).is_le()
    };
    match format {
        Format::Int32 => within(i128::from(i32::MIN), i128::from(i32::MAX)),
        Format::Int64 => within(i128::from(i64::MIN), i128::from(i64::MAX)),
        Format::Float => number.float().abs() <= f64::from(f32::MAX),
        _ => true,
    }
}

/// True if a text is of `format`; formats of numbers do not concern it.
pub(crate) fn text(format: Format, text: &str) -> bool {
    match format {
        Format::Int32 | Format::Int64 | Format::Float => true,
        Format::Date => is_date(text),
        Format::DateTime => is_date_time(text),
        Format::Time => is_time(text),
        Format::Duration => is_duration(text),
        Format::Email => is_email(text),
        Format::Hostname => is_hostname(text),
        Format::Ipv4 => text.parse::<Ipv4Addr>().is_ok(),
        Format::Ipv6 => text.parse::<Ipv6Addr>().is_ok(),
        Format::Uri => is_uri(text),
        Format::UriReference => is_uri_text(text),
        Format::Uuid => is_uuid(text),
        Format::Byte => is_base64(text),
        Format::JsonPointer => is_pointer(text),
        Format::RelativeJsonPointer => is_relative_pointer(text),
    }
}

fn digits(text: &str, length: usize) -> Option<u32> {
    (text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

/// RFC 3339 full-date.
fn is_date(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let mut next = |length| parts.next().and_then(|part| digits(part, length));
    let (Some(year), Some(month), Some(day)) = (next(4), next(2), next(2)) else { return false };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => return false,
    };
    (1..=last).contains(&day)
}

/// RFC 3339 date-time; a space may stand for the `T`.
fn is_date_time(text: &str) -> bool {
    match (text.get(..10), text.get(10..11), text.get(11..)) {
        (Some(date), Some("T" | "t" | " "), Some(time)) => is_date(date) && is_time(time),
        _ => false,
    }
}

/// RFC 3339 full-time.
fn is_time(text: &str) -> bool {
    let Some((clock, rest)) = text.split_at_checked(8) else { return false };
    let mut parts = clock.splitn(3, ':').map(|part| digits(part, 2));
    let (Some(Some(hour)), Some(Some(minute)), Some(Some(second))) =
        (parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let rest = match rest.strip_prefix('.') {
        Some(fraction) => {
            let behind = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
            if behind.len() == fraction.len() {
                return false;
            }
            behind
        }
        None => rest,
    };
    hour < 24 && minute < 60 && second <= 60 && is_offset(rest)
}

fn is_offset(text: &str) -> bool {
    if text.eq_ignore_ascii_case("z") {
        return true;
    }
    let Some((hour, minute)) = text.strip_prefix(['+', '-']).and_then(|rest| rest.split_once(':')) else {
        return false;
    };
    digits(hour, 2).is_some_and(|hour| hour < 24) && digits(minute, 2).is_some_and(|minute| minute < 60)
}

/// ISO 8601 as RFC 3339 appendix A has it.
fn is_duration(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('P') else { return false };
    let (date, time) = match rest.split_once('T') {
        Some((date, time)) if !time.is_empty() => (date, time),
        Some(_) => return false,
        None => (rest, ""),
    };
    let units = |mut text: &str, mut units: &str| {
        while !text.is_empty() {
            let behind = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
            let Some(unit) = behind.chars().next().filter(|_| behind.len() < text.len()) else {
                return false;
            };
            let Some(at) = units.find(unit) else { return false };
            units = units.get(at + 1..).unwrap_or_default();
            text = behind.get(1..).unwrap_or_default();
        }
        true
    };
    !rest.is_empty() && units(date, "YMWD") && units(time, "HMS")
}

/// One `@` outside of quotes, with something on both sides that holds no blank or control character.
fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let is_plain =
        |c: char| !c.is_control() && !c.is_whitespace() && !matches!(c, '<' | '>' | '(' | ')' | ',' | ';');
    let local_holds = match local.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(quoted) => quoted.chars().all(|c| !c.is_control() && c != '"'),
        None => {
            local.chars().all(|c| is_plain(c) && !matches!(c, '@' | '"' | '[' | ']' | '\\' | ':'))
                && !local.starts_with('.')
                && !local.ends_with('.')
                && !local.contains("..")
        }
    };
    let literal = domain.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let domain_holds = match literal {
        Some(address) => {
            let six = address.strip_prefix("IPv6:").unwrap_or(address);
            six.parse::<Ipv6Addr>().is_ok() || address.parse::<Ipv4Addr>().is_ok()
        }
        None => !domain.is_empty() && domain.split('.').all(|label| is_label(label, true)),
    };
    !local.is_empty() && local_holds && domain_holds
}

/// RFC 1123 section 2.1.
fn is_hostname(text: &str) -> bool {
    let name = text.strip_suffix('.').unwrap_or(text);
    !name.is_empty() && name.len() <= 253 && name.split('.').all(|label| is_label(label, false))
}

fn is_label(label: &str, international: bool) -> bool {
    let is_part = |c: char| {
        c.is_ascii_alphanumeric() || c == '-' || (international && !c.is_ascii() && !c.is_control())
    };
    !label.is_empty()
        && label.len() <= 63
        && label.chars().all(is_part)
        && !label.starts_with('-')
        && !label.ends_with('-')
}

/// RFC 3986: a scheme, and no character that has to be escaped.
fn is_uri(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once(':') else { return false };
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(is_part) && is_uri_text(text)
}

/// Escapes are whole, and nothing stands there that only an escape may stand for. Letters beyond ASCII pass: browsers
/// send them.
fn is_uri_text(text: &str) -> bool {
    let is_out =
        |c: char| c.is_control() || matches!(c, ' ' | '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}');
    let escapes_hold = text
        .split('%')
        .skip(1)
        .all(|rest| rest.as_bytes().get(..2).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)));
    !text.chars().any(is_out) && escapes_hold
}

fn is_uuid(text: &str) -> bool {
    let mut groups = text.split('-');
    let holds = [8, 4, 4, 4, 12].iter().all(|length| {
        groups
            .next()
            .is_some_and(|group| group.len() == *length && group.bytes().all(|byte| byte.is_ascii_hexdigit()))
    });
    holds && groups.next().is_none()
}

/// RFC 4648 section 4, with padding.
fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    text.len().is_multiple_of(4)
        && text.len() - body.len() <= 2
        && body.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
}

/// RFC 6901.
fn is_pointer(text: &str) -> bool {
    let escapes_hold = text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
    (text.is_empty() || text.starts_with('/')) && escapes_hold
}

fn is_relative_pointer(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = text.get(..text.len() - rest.len()).unwrap_or_default();
    !number.is_empty() && (number == "0" || !number.starts_with('0')) && (rest == "#" || is_pointer(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_of_every_format() {
        for (name, yes, no) in [
            ("date", "2024-02-29", "2023-02-29"),
            ("date", "2026-12-31", "2026-13-01"),
            ("date-time", "2026-01-01T00:00:00.5+02:00", "2026-01-01T00:00:00"),
            ("date-time", "2026-01-01t23:59:60z", "2026-01-01T24:00:00Z"),
            ("time", "10:00:00Z", "10:00Z"),
            ("duration", "P1Y2M3DT4H5M6.5S", "P1S"),
            ("duration", "P2W", "P"),
            ("email", "a.b+c@example.com", "a@@example.com"),
            ("email", "\"a b\"@example.com", "a b@example.com"),
            ("email", "a@[127.0.0.1]", "a@-x.com"),
            ("hostname", "a-1.example", "-a.example"),
            ("hostname", "xn--bcher-kva.example.", "a_b"),
            ("ipv4", "192.0.2.1", "192.0.2.256"),
            ("ipv6", "2001:db8::1", "2001:db8::g"),
            ("uri", "urn:isbn:1", "/relative"),
            ("uri", "https://example.com/a?b#c", "https://example.com/a b"),
            ("uri-reference", "../a", "a\\b"),
            ("uuid", "0190163d-8694-739b-aea5-966c26f8ad91", "0190163d8694739baea5966c26f8ad91"),
            ("byte", "aGk=", "aGk"),
            ("byte", "", "a-_="),
            ("json-pointer", "/a~1b/0", "a/b"),
            ("relative-json-pointer", "1/a", "01/a"),
        ] {
            let format = Format::named(name).expect("it is known");
            assert!(text(format, yes), "{name}: {yes}");
            assert!(!text(format, no), "{name}: {no}");
        }
        for (name, yes, no) in [
            ("int32", "2147483647", "2147483648"),
            ("int32", "-2147483648", "-2147483649"),
            ("int64", "9223372036854775807", "9223372036854775808"),
            ("float", "3.4e38", "3.5e38"),
        ] {
            let format = Format::named(name).expect("it is known");
            let read = |text| Number::parse(text).expect("a number");
            assert!(number(format, read(yes)) && !number(format, read(no)), "{name}");
        }
    }
}
