//! Settings on their way into the plan: the value of the route, else that of `global`, else the default of the row, in
//! the form that the plan has, and back from the plan as YAML. It must not know single settings: rows say which there
//! are.

use std::collections::BTreeMap;

use waf_shared::plan::{Millis, Mode};

use crate::field::{FieldKind, GB, KB, MB, SECOND};
use crate::names::{MediaType, Method, OneOf};
use crate::read::{At, Choice};

/// A section whose fields are those of a struct of the plan.
pub(crate) trait Settings: Sized {
    /// That struct.
    type Plan;

    /// The effective values: each from the first level that has it, else the default.
    fn resolve(levels: &[Option<&Self>], lines: &mut Lines) -> Self::Plan;

    /// Path and value of each field as YAML, in the order of the rows.
    fn values(plan: &Self::Plan) -> Vec<(&'static str, String)>;

    /// Paths of the fields that differ.
    fn changes(old: &Self::Plan, new: &Self::Plan) -> Vec<&'static str>;
}

/// The line that decided the value of each field, by path; the others have their defaults.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lines(pub(crate) BTreeMap<String, u32>);

impl Lines {
    /// The given value, else the default, as the plan has it; the line of a given value is kept.
    pub(crate) fn pick<T, P: PlanValue<T>>(
        &mut self,
        path: &str,
        given: Option<&At<T>>,
        default: Option<&At<T>>,
    ) -> P {
        if let Some(at) = given {
            self.0.insert(path.to_owned(), at.line);
        }
        let at = given
            .or(default)
            .expect("each row of a setting has a default that can be read: tests/settings.rs");
        P::lowered(&at.value)
    }
}

/// A value of the plan, made of a value of the file of type `T`.
pub(crate) trait PlanValue<T> {
    /// From the file.
    fn lowered(value: &T) -> Self;

    /// As YAML.
    fn shown(&self, kind: &FieldKind) -> String;
}

impl PlanValue<u64> for u64 {
    fn lowered(value: &u64) -> u64 {
        *value
    }

    fn shown(&self, kind: &FieldKind) -> String {
        if matches!(kind, FieldKind::Size(_)) { size(*self) } else { self.to_string() }
    }
}

impl PlanValue<u64> for u32 {
    fn lowered(value: &u64) -> u32 {
        narrow(*value)
    }

    fn shown(&self, _: &FieldKind) -> String {
        self.to_string()
    }
}

impl PlanValue<u64> for Millis {
    fn lowered(value: &u64) -> Millis {
        Millis(*value)
    }

    fn shown(&self, _: &FieldKind) -> String {
        duration(self.0)
    }
}

impl PlanValue<bool> for bool {
    fn lowered(value: &bool) -> bool {
        *value
    }

    fn shown(&self, _: &FieldKind) -> String {
        self.to_string()
    }
}

impl PlanValue<Choice<Mode>> for Mode {
    fn lowered(value: &Choice<Mode>) -> Mode {
        value.0
    }

    fn shown(&self, _: &FieldKind) -> String {
        let word = Mode::WORDS.iter().find(|(_, mode)| mode == self).map(|(word, _)| *word);
        word.unwrap_or_default().to_owned()
    }
}

impl PlanValue<Vec<At<Method>>> for Vec<String> {
    fn lowered(value: &Vec<At<Method>>) -> Vec<String> {
        unique(value.iter().map(|at| at.value.0.clone()))
    }

    fn shown(&self, _: &FieldKind) -> String {
        list(self.iter().cloned())
    }
}

impl PlanValue<Vec<At<MediaType>>> for Vec<String> {
    fn lowered(value: &Vec<At<MediaType>>) -> Vec<String> {
        unique(value.iter().map(|at| at.value.essence.clone()))
    }

    fn shown(&self, _: &FieldKind) -> String {
        list(self.iter().cloned())
    }
}

/// Numbers without an upper bound stop at the largest value of the plan, which is as good as none.
pub(crate) fn narrow(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// Each text once, in the order of the file.
pub(crate) fn unique(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for text in texts {
        if !out.contains(&text) {
            out.push(text);
        }
    }
    out
}

/// A double-quoted YAML string: JSON's are. What terminals and readers of lines obey is escaped.
pub(crate) fn string(text: &str) -> String {
    waf_shared::text::escaped(&serde_json::Value::from(text).to_string())
}

/// A list of strings in YAML's flow style.
pub(crate) fn list(texts: impl Iterator<Item = String>) -> String {
    format!("[{}]", texts.map(|text| string(&text)).collect::<Vec<_>>().join(", "))
}

/// Bytes in the largest unit that divides them.
pub(crate) fn size(bytes: u64) -> String {
    unit(bytes, &[(GB, "GB"), (MB, "MB"), (KB, "KB")], "B")
}

/// Milliseconds in the largest unit that divides them.
pub(crate) fn duration(millis: u64) -> String {
    unit(millis, &[(60 * SECOND, "m"), (SECOND, "s")], "ms")
}

fn unit(value: u64, units: &[(u64, &str)], smallest: &str) -> String {
    match units.iter().find(|(factor, _)| value > 0 && value.is_multiple_of(*factor)) {
        Some((factor, name)) => format!("{}{name}", value / factor),
        None => format!("{value}{smallest}"),
    }
}
