//! A replay for people and for programs.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::summary::Replay;
use super::tally::{Key, Tally};
use crate::diagnostic::printable;
use crate::report::counted;

/// Groups that the text shows of each table.
const GROUPS_SHOWN_MAX: usize = 40;

/// Groups that JSON has of each table.
const GROUPS_WRITTEN_MAX: usize = 1_000;

impl Replay {
    /// The report as text; the plans have the names of their files.
    pub fn text(&self, new: &str, old: Option<&str>) -> String {
        let summary = &self.summary;
        let mut out = String::new();
        let _ = writeln!(out, "{} replayed", counted(summary.requests as usize, "request"));
        if summary.not_http > 0 {
            let _ = writeln!(out, "{} without an HTTP request", counted(summary.not_http as usize, "line"));
        }
        if summary.unreadable > 0 {
            let _ = writeln!(out, "{} not read:", counted(summary.unreadable as usize, "line"));
            for (input, line, reason) in &summary.named {
                let _ = writeln!(out, "  {}:{line}: {}", printable(input), printable(reason));
            }
        }
        out.push('\n');
        let of_old = old.map(|old| (old, &summary.old));
        for (name, tally) in [(new, &summary.new)].into_iter().chain(of_old) {
            let _ = writeln!(out, "{}", fates(&printable(name), tally));
        }
        match (&self.old_routes, old) {
            (Some(old_routes), Some(_)) => {
                let difference = counted(summary.worse.found() as usize, "request");
                let _ = writeln!(out, "\n{difference} newly refused or detected");
                table(&mut out, &summary.worse, &self.routes);
                let difference = counted(summary.better.found() as usize, "request");
                let _ = writeln!(out, "\n{difference} no longer refused or detected");
                table(&mut out, &summary.better, old_routes);
                if summary.otherwise > 0 {
                    let count = counted(summary.otherwise as usize, "request");
                    let _ = writeln!(out, "\n{count} of the same fate for other reasons");
                }
            }
            _ => table(&mut out, &summary.new, &self.routes),
        }
        out
    }

    /// One document.
    pub fn json(&self, new: &str, old: Option<&str>) -> String {
        let summary = &self.summary;
        let named = summary
            .named
            .iter()
            .map(|(input, line, reason)| json!({ "input": &**input, "line": line, "reason": reason }));
        let mut document = json!({
            "requests": summary.requests,
            "not_http": summary.not_http,
            "unreadable": { "lines": summary.unreadable, "first": named.collect::<Vec<_>>() },
            "new": plan(new, &summary.new, &self.routes),
        });
        if let (Some(old), Some(routes), Some(document)) = (old, &self.old_routes, document.as_object_mut()) {
            document.insert("old".to_owned(), plan(old, &summary.old, routes));
            document.insert("newly".to_owned(), counts(&summary.worse, &self.routes));
            document.insert("no_longer".to_owned(), counts(&summary.better, routes));
            document.insert("other_reasons".to_owned(), json!(summary.otherwise));
        }
        format!("{document:#}\n")
    }
}

fn fates(name: &str, tally: &Tally) -> String {
    let mut line =
        format!("{name}: {} pass, {} detected, {} refused", tally.passes, tally.detected, tally.refused);
    if tally.served > 0 {
        let _ = write!(line, "; {} of these were answered with 2xx or 3xx", tally.served);
    }
    line
}

fn table(out: &mut String, tally: &Tally, routes: &[String]) {
    if tally.found() == 0 {
        return;
    }
    out.push_str("\nby rule\n");
    for (rule, requests) in tally.ranked_rules().into_iter().take(GROUPS_SHOWN_MAX) {
        let _ = writeln!(out, "{requests:>10}  {rule}");
    }
    out.push_str("\nby rule, place and path\n");
    let ranked = tally.ranked();
    for (key, group) in ranked.iter().take(GROUPS_SHOWN_MAX) {
        let _ = writeln!(out, "{:>10}  {}", group.requests, named(key, routes));
        if group.served > 0 {
            let _ = writeln!(out, "{:>12}answered with 2xx or 3xx: {}", "", group.served);
        }
        for example in &group.examples {
            let (request, input) = (printable(&example.request), printable(&example.input));
            let _ = writeln!(out, "{:>12}{request}  ({input}:{})", "", example.line);
        }
    }
    let rest: u64 = ranked.iter().skip(GROUPS_SHOWN_MAX).map(|(_, group)| group.requests).sum();
    if rest + tally.other > 0 {
        let _ = writeln!(out, "{:>10}  other", rest + tally.other);
    }
}

fn named(key: &Key, routes: &[String]) -> String {
    let place = if key.place.is_empty() { "the message" } else { &key.place };
    let route = route(key, routes).map_or("no route".to_owned(), |route| format!("route {route}"));
    format!("{}, {}, {}, {}", key.rule, printable(place), printable(&key.path), printable(&route))
}

fn route<'r>(key: &Key, routes: &'r [String]) -> Option<&'r str> {
    routes.get(key.route?).map(String::as_str)
}

fn plan(name: &str, tally: &Tally, routes: &[String]) -> Value {
    let mut value = counts(tally, routes);
    if let Some(object) = value.as_object_mut() {
        object.insert("configuration".to_owned(), json!(name));
        object.insert("passes".to_owned(), json!(tally.passes));
    }
    value
}

fn counts(tally: &Tally, routes: &[String]) -> Value {
    let groups: Vec<Value> = tally
        .ranked()
        .into_iter()
        .take(GROUPS_WRITTEN_MAX)
        .map(|(key, group)| {
            let examples = group.examples.iter().map(|example| {
                json!({ "input": &*example.input, "line": example.line, "request": example.request })
            });
            json!({
                "rule": key.rule,
                "place": key.place,
                "path": key.path,
                "route": route(key, routes),
                "requests": group.requests,
                "served": group.served,
                "examples": examples.collect::<Vec<_>>(),
            })
        })
        .collect();
    let rest: u64 = tally.ranked().iter().skip(GROUPS_WRITTEN_MAX).map(|(_, group)| group.requests).sum();
    let rules: Vec<Value> = tally
        .ranked_rules()
        .into_iter()
        .map(|(rule, requests)| json!({ "rule": rule, "requests": requests }))
        .collect();
    json!({
        "detected": tally.detected,
        "refused": tally.refused,
        "served": tally.served,
        "rules": rules,
        "groups": groups,
        "other": rest + tally.other,
    })
}
