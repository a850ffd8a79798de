//! Exceptions: what they lack, those that have expired, those that take nothing away or too much.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use waf_detection::exceptions::is_reached;
use waf_detection::field::Places;
use waf_detection::rules;
use waf_shared::catalog::{Leaf, LeafSet, Level, TABLE};
use waf_shared::limits::{EXCEPTION_ENTRIES_MAX, EXCEPTIONS_MAX};

use super::protections::old_name;
use super::sections::{global_of, routes_of};
use crate::code;
use crate::date::Date;
use crate::diagnostic::{Sink, quoted};
use crate::names::PresetName;
use crate::presets;
use crate::raw::{self, Document, Exception};
use crate::read::At;
use crate::resolve::{Resolved, Route, entries};

/// Paths of routes that are compared with those of the exceptions of `global`.
const PATHS_COMPARED_MAX: usize = 1_000;

/// Faults and remarks of each exception by itself.
pub(super) fn check(document: &Document, today: Date, sink: &mut Sink) {
    let shared = global_of(document).map_or(&[][..], |global| entries(global.exceptions.as_ref()));
    for at in shared {
        alone(at, today, sink);
        broad(&at.value, sink);
    }
    let global_presets = global_of(document).map_or(&[][..], |global| entries(global.r#use.as_ref()));
    repeated("global.use", &[], global_presets, sink);
    for route in routes_of(document) {
        let own = entries(route.exceptions.as_ref());
        for at in own {
            alone(at, today, sink);
        }
        let presets = entries(route.r#use.as_ref());
        repeated(&format!("{}.use", route.place), global_presets, presets, sink);
        let count = shared.len() + own.len() + shipped(global_presets, presets);
        if count > EXCEPTIONS_MAX {
            let line = route.key("exceptions").unwrap_or(route.line);
            let message = format!(
                "{}: a route has at most {EXCEPTIONS_MAX} exceptions, those of `global` and of presets included; there are {count}",
                route.place
            );
            sink.error(code::OUT_OF_BOUNDS, line, message);
        }
    }
}

/// Exceptions that presets add, each preset once.
fn shipped(shared: &[At<PresetName>], own: &[At<PresetName>]) -> usize {
    let names: BTreeSet<&str> = shared.iter().chain(own).map(|entry| entry.value.0).collect();
    let presets = names.into_iter().filter_map(presets::named);
    presets.map(|preset| entries(preset.exceptions.as_ref()).len()).sum()
}

/// Presets that are named again.
fn repeated(place: &str, shared: &[At<PresetName>], own: &[At<PresetName>], sink: &mut Sink) {
    let mut known: BTreeSet<&str> = shared.iter().map(|entry| entry.value.0).collect();
    for entry in own {
        if !known.insert(entry.value.0) {
            let message = format!("{place}: {} has no effect: it is named already", quoted(entry.value.0));
            sink.warning(code::NO_EFFECT, entry.line, message);
        }
    }
}

fn alone(at: &At<Exception>, today: Date, sink: &mut Sink) {
    let exception = &at.value;
    let place = &exception.place;
    if exception.key("protections").is_none() && exception.key("rules").is_none() {
        let message = format!("{place}: `protections` or `rules` is required");
        sink.error(code::MISSING_FIELD, at.line, message);
    }
    for (name, count) in [
        ("protections", entries(exception.protections.as_ref()).len()),
        ("rules", entries(exception.rules.as_ref()).len()),
        ("in", entries(exception.r#in.as_ref()).len()),
        ("methods", entries(exception.methods.as_ref()).len()),
        ("paths", entries(exception.paths.as_ref()).len()),
    ] {
        if count > EXCEPTION_ENTRIES_MAX {
            let message = format!("{place}.{name} must have <= {EXCEPTION_ENTRIES_MAX} entries, got {count}");
            sink.error(code::OUT_OF_BOUNDS, exception.key(name).unwrap_or(at.line), message);
        }
    }
    for entry in entries(exception.protections.as_ref()) {
        old_name(&format!("{place}.protections"), entry, sink);
    }
    if let Some(expires) = exception.expires.as_ref().filter(|expires| expires.value.0 <= today) {
        let message = format!(
            "{place} expired on {}: it still holds; see if it is needed, and delete it or set a later date",
            expires.value.0
        );
        sink.warning(code::EXPIRED, expires.line, message);
    }
}

/// An exception of `global` for a whole family.
fn broad(exception: &Exception, sink: &mut Sink) {
    if exception.key("paths").is_some() {
        return;
    }
    for entry in
        entries(exception.protections.as_ref()).iter().filter(|entry| entry.value.level == Level::Family)
    {
        let message = format!(
            "{}: takes the findings of the whole family {} away on every route; name its protections, `paths`, or the route",
            exception.place,
            quoted(entry.value.name)
        );
        sink.warning(code::BROAD_EXCEPTION, entry.line, message);
    }
}

/// Exceptions that take nothing away.
pub(super) fn check_effect(document: &Document, resolved: &Resolved, sink: &mut Sink) {
    let anywhere =
        resolved.routes.iter().fold(LeafSet::EMPTY, |all, route| all.union(&route.plan.settings.leaves));
    let routes: Vec<&Route> = resolved.routes.iter().collect();
    for at in global_of(document).map_or(&[][..], |global| entries(global.exceptions.as_ref())) {
        effect(&at.value, &anywhere, &routes, sink);
    }
    for raw in routes_of(document).filter(|raw| raw.exceptions.is_some()) {
        let Some(route) = resolved.routes.iter().find(|route| route.plan.id.0 == raw.name()) else {
            continue;
        };
        for at in entries(raw.exceptions.as_ref()) {
            effect(&at.value, &route.plan.settings.leaves, &[route], sink);
        }
    }
}

/// Parts of an exception that change nothing where `on` are in force, on these routes.
fn effect(exception: &raw::Exception, on: &LeafSet, routes: &[&Route], sink: &mut Sink) {
    let place = &exception.place;
    let mut reach: Option<Places> = None;
    for entry in entries(exception.protections.as_ref()) {
        let places = reached(&entry.value.leaves.intersection(on));
        if places.is_none() {
            let why = reason(&entry.value.leaves, on);
            let name = quoted(entry.value.name);
            let message = format!("{place}.protections: {name} has no effect: {why}");
            sink.warning(code::NO_EFFECT, entry.line, message);
        }
        reach = either(reach, places);
    }
    for entry in entries(exception.rules.as_ref()) {
        let rule = entry.value.0;
        if on.contains(rule.leaf) {
            reach = either(reach, Some(rule.places));
        } else {
            let message = format!(
                "{place}.rules: {} has no effect: {} is off",
                quoted(rule.id),
                quoted(rule.leaf.name())
            );
            sink.warning(code::NO_EFFECT, entry.line, message);
        }
    }
    let Some(reach) = reach else { return };
    for entry in entries(exception.r#in.as_ref()) {
        if !is_reached(&entry.value.planned, reach) {
            let text = quoted(&entry.value.text);
            let message = format!("{place}.in: {text} has no effect: no rule of the exception looks there");
            sink.warning(code::NO_EFFECT, entry.line, message);
        }
    }
    requests(exception, routes, sink);
}

/// Methods and paths that no request of the routes has.
fn requests(exception: &raw::Exception, routes: &[&Route], sink: &mut Sink) {
    let place = &exception.place;
    for entry in entries(exception.methods.as_ref()) {
        let is_accepted = |route: &&Route| route.plan.settings.accept.methods.contains(&entry.value.0);
        if !routes.iter().any(is_accepted) {
            let name = quoted(&entry.value.0);
            let message = format!("{place}.methods: {name} has no effect: accept.methods does not list it");
            sink.warning(code::NO_EFFECT, entry.line, message);
        }
    }
    if routes.iter().map(|route| route.patterns.len()).sum::<usize>() > PATHS_COMPARED_MAX {
        return;
    }
    for entry in entries(exception.paths.as_ref()) {
        let served = || routes.iter().flat_map(|route| &route.patterns);
        if !served().any(|pattern| pattern.value.overlaps(&entry.value)) {
            let text = quoted(&entry.value.text);
            let message = format!("{place}.paths: {text} has no effect: the route serves no such path");
            sink.warning(code::NO_EFFECT, entry.line, message);
        }
    }
}

fn either(one: Option<Places>, other: Option<Places>) -> Option<Places> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.or(other)),
        (one, other) => one.or(other),
    }
}

/// The places that rules of `leaves` look at; `None` without rules.
fn reached(leaves: &LeafSet) -> Option<Places> {
    static BY_LEAF: LazyLock<Vec<Option<Places>>> = LazyLock::new(|| {
        let mut places = vec![None; TABLE.len()];
        for rule in rules::all() {
            if let Some(known) = places.get_mut(rule.leaf as usize) {
                *known = either(*known, Some(rule.places));
            }
        }
        places
    });
    leaves.iter().fold(None, |all, leaf| either(all, BY_LEAF.get(leaf as usize).copied().flatten()))
}

/// The reason why nothing of `leaves` can be taken away where `on` are in force.
fn reason(leaves: &LeafSet, on: &LeafSet) -> String {
    let always = leaves.iter().find_map(Leaf::always_on);
    match always {
        _ if reached(leaves).is_some() => "it is off".to_owned(),
        Some(always) => always.to_owned(),
        None if leaves.intersection(on).is_empty() => "it is off".to_owned(),
        None => "it is a limit or a check of the whole message and finds nothing in a place; change its setting, or `disable` it on the route".to_owned(),
    }
}
