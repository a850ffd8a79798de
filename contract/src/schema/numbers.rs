//! Keywords of numbers and texts. A loose text is a number where it reads as one.

use std::cmp::Ordering;

use super::check::{Check, Schemas};
use super::outcome::Outcome;
use crate::format;
use crate::json::Value;
use crate::number::Number;

/// Judges a value by one of those keywords, and names it.
pub(super) fn scalar(schemas: &Schemas, check: &Check, value: &Value<'_>) -> (Outcome, &'static str) {
    let number = match value {
        Value::Number(number) => Some(*number),
        Value::Loose(text) => Number::parse(text),
        _ => None,
    };
    let text = match value {
        Value::Text(text) | Value::Loose(text) => Some(text.as_ref()),
        _ => None,
    };
    let numeric = |holds: &dyn Fn(Number) -> bool| number.is_none_or(holds);
    let textual = |holds: &dyn Fn(&str) -> bool| text.is_none_or(holds);
    let (holds, keyword) = match check {
        Check::MultipleOf(step) => (numeric(&|number| number.is_multiple_of(*step)), "multipleOf"),
        Check::Minimum { limit, exclusive } => (
            numeric(&|number| is_beyond(number.compare(*limit), Ordering::Greater, *exclusive)),
            if *exclusive { "exclusiveMinimum" } else { "minimum" },
        ),
        Check::Maximum { limit, exclusive } => (
            numeric(&|number| is_beyond(number.compare(*limit), Ordering::Less, *exclusive)),
            if *exclusive { "exclusiveMaximum" } else { "maximum" },
        ),
        Check::MinLength(length) => (textual(&|text| text.chars().count() as u64 >= *length), "minLength"),
        Check::MaxLength(length) => (textual(&|text| text.chars().count() as u64 <= *length), "maxLength"),
        Check::Pattern(id) => (textual(&|text| schemas.pattern_matches(*id, text)), "pattern"),
        Check::Format(known) => (
            numeric(&|number| format::number(*known, number)) && textual(&|text| format::text(*known, text)),
            "format",
        ),
        _ => (true, "schema"),
    };
    if matches!(value, Value::Unknown) {
        return (Outcome::Unknown, keyword);
    }
    (holds.into(), keyword)
}

fn is_beyond(order: Ordering, wanted: Ordering, exclusive: bool) -> bool {
    order == wanted || (order == Ordering::Equal && !exclusive)
}
