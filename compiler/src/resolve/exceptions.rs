//! Exceptions in the words of the plan: those of `global` once for all routes, then those of each route. Each has a name
//! for metrics that is made from what it says.

use waf_shared::limits::EXCEPTION_NAME_CHARS_MAX;
use waf_shared::plan;

use super::lists::entries;
use crate::date::Date;
use crate::names::PresetName;
use crate::presets;
use crate::raw;
use crate::read::At;
use crate::setting::unique;

/// An exception with everything resolved.
#[derive(Debug, Clone)]
pub(crate) struct Exception {
    /// As the plan has it.
    pub(crate) plan: plan::Exception,
    /// Names of protections and ids of rules, as they are written.
    pub(crate) protections: Vec<&'static str>,
    /// Places, as they are written.
    pub(crate) places: Vec<String>,
    pub(crate) reason: Option<String>,
    pub(crate) expires: Option<Date>,
    /// The preset that it is of.
    pub(crate) preset: Option<&'static str>,
    /// Line that names it, or its preset.
    pub(crate) line: u32,
}

/// The exceptions of `global`.
pub(super) fn of_global(global: &raw::Global) -> Vec<Exception> {
    listed(entries(global.exceptions.as_ref()), entries(global.r#use.as_ref()), &[])
}

/// The exceptions of a route beside those of `global`.
pub(super) fn of_route(route: &raw::Route, global: &[Exception]) -> Vec<Exception> {
    listed(entries(route.exceptions.as_ref()), entries(route.r#use.as_ref()), global)
}

/// Exceptions as written, then those of presets; names are none of those in `known`. A preset adds its list once.
fn listed(list: &[At<raw::Exception>], presets: &[At<PresetName>], known: &[Exception]) -> Vec<Exception> {
    let mut out: Vec<Exception> = Vec::new();
    let own = list.iter().map(|at| resolved(&at.value, at.line));
    let mut added: Vec<&str> = known.iter().filter_map(|exception| exception.preset).collect();
    let shipped = presets.iter().filter(|entry| {
        let is_new = !added.contains(&entry.value.0);
        added.push(entry.value.0);
        is_new
    });
    let shipped = shipped.flat_map(|entry| of_preset(entry.value.0, entry.line));
    for mut exception in own.chain(shipped) {
        let base = exception.plan.name.clone();
        let mut count = 1;
        while known.iter().chain(&out).any(|other| other.plan.name == exception.plan.name) {
            count += 1;
            exception.plan.name = format!("{base} ({count})");
        }
        out.push(exception);
    }
    out
}

/// The exceptions of a preset that is named in `line`.
fn of_preset(name: &'static str, line: u32) -> Vec<Exception> {
    let list = presets::named(name).map_or(&[][..], |preset| entries(preset.exceptions.as_ref()));
    let shipped = |at: &At<raw::Exception>| {
        let mut exception = resolved(&at.value, line);
        exception.plan.name = format!("{name}: {}", exception.plan.name);
        exception.preset = Some(name);
        exception
    };
    list.iter().map(shipped).collect()
}

fn resolved(raw: &raw::Exception, line: u32) -> Exception {
    let protections = entries(raw.protections.as_ref());
    let mut rules: Vec<&'static str> =
        entries(raw.rules.as_ref()).iter().map(|entry| entry.value.0.id).collect();
    let places = entries(raw.r#in.as_ref());
    let what: Vec<&str> =
        protections.iter().map(|entry| entry.value.name).chain(rules.iter().copied()).collect();
    let texts: Vec<&str> = places.iter().map(|entry| entry.value.text.as_str()).collect();
    let name = name(&what, &texts);
    rules.sort_unstable();
    rules.dedup();
    Exception {
        plan: plan::Exception {
            name,
            leaves: protections
                .iter()
                .flat_map(|entry| entry.value.leaves.iter().collect::<Vec<_>>())
                .collect(),
            rules: rules.iter().map(|rule| (*rule).to_owned()).collect(),
            places: places.iter().map(|entry| entry.value.planned.clone()).collect(),
            methods: unique(entries(raw.methods.as_ref()).iter().map(|entry| entry.value.0.clone())),
            paths: entries(raw.paths.as_ref()).iter().map(|entry| entry.value.planned()).collect(),
        },
        protections: protections.iter().map(|entry| entry.value.name).collect(),
        places: texts.iter().map(|text| (*text).to_owned()).collect(),
        reason: raw.reason.as_ref().map(|at| at.value.0.clone()),
        expires: raw.expires.as_ref().map(|at| at.value.0),
        preset: None,
        line,
    }
}

/// `sql-injection in ARGS:query`, with the number of what is left out.
fn name(what: &[&str], places: &[&str]) -> String {
    let first = |list: &[&str]| match list {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first, rest @ ..] => format!("{first}+{}", rest.len()),
    };
    format!("{} in {}", first(what), first(places)).chars().take(EXCEPTION_NAME_CHARS_MAX).collect()
}
