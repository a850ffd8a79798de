//! Differences between one plan and the one before it, in words for the log: by route, and by leaf. It knows plans,
//! nothing of how either came to be in force.

use waf_shared::catalog::LeafSet;
use waf_shared::plan::{Mode, PathPattern, Plan, Route, Settings};

/// Changes in one line; whoever changes more reads the files.
const REPORTED_MAX: usize = 32;

/// Leaves that are named for one place.
const LEAVES_REPORTED_MAX: usize = 8;

/// The changes from `old` to `new`, one sentence each: what holds everywhere first, then the routes in the order of the
/// new file, then those that are gone.
pub(crate) fn changes(old: &Plan, new: &Plan) -> Vec<String> {
    let mut reported = Vec::new();
    let whole = whole(old, new);
    if !whole.is_empty() {
        reported.push(whole.join(", "));
    }
    let global = settings(&old.global, &new.global);
    if !global.is_empty() {
        reported.push(format!("global: {}", global.join(", ")));
    }
    let old_route = |route: &Route| old.routes.iter().position(|other| other.id == route.id);
    let mut last = None;
    for now in &new.routes {
        let id = &now.id.0;
        let Some(position) = old_route(now) else {
            reported.push(format!("route {id} is new"));
            continue;
        };
        let Some(before) = old.routes.get(position) else { continue };
        let mut changed = route(before, now);
        if !old.exceptions_of(before).eq(new.exceptions_of(now)) {
            changed.push("exceptions".to_owned());
        }
        if last.is_some_and(|last| position < last) {
            changed.push("order".to_owned());
        }
        last = last.max(Some(position));
        if !changed.is_empty() {
            reported.push(format!("route {id}: {}", changed.join(", ")));
        }
    }
    for before in &old.routes {
        if new.routes.iter().all(|route| route.id != before.id) {
            reported.push(format!("route {} is gone", before.id.0));
        }
    }
    if reported.len() > REPORTED_MAX {
        let rest = reported.len() - REPORTED_MAX;
        reported.truncate(REPORTED_MAX);
        reported.push(format!("{rest} more"));
    }
    reported
}

/// Names of what differs, of pairs that say whether they do.
fn differing<const N: usize>(pairs: [(&str, bool); N]) -> Vec<String> {
    pairs.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name.to_owned()).collect()
}

fn whole(old: &Plan, new: &Plan) -> Vec<String> {
    let mut changed = differing([
        ("listeners", old.listen != new.listen),
        ("data_dir", old.data_dir != new.data_dir),
        ("health_port", old.health_port != new.health_port),
        ("metrics_port", old.metrics_port != new.metrics_port),
        ("audit_log.format", old.audit_format != new.audit_format),
        ("tracing", old.tracing != new.tracing),
        ("trusted proxies", old.trusted_proxies != new.trusted_proxies),
        ("global.error_response", old.error_response != new.error_response),
        ("global.openapi", old.shadow_api_logging != new.shadow_api_logging),
    ]);
    let protocol = waf_compiler::changes::protocol(&old.protocol, &new.protocol);
    changed.extend(protocol.into_iter().map(|path| format!("global.{path}")));
    changed
}

fn route(old: &Route, new: &Route) -> Vec<String> {
    // A rank changes with other routes' patterns too.
    fn texts(paths: &[PathPattern]) -> Vec<&str> {
        paths.iter().map(|path| path.text.as_str()).collect()
    }
    let mut changed = differing([
        ("match", old.hosts != new.hosts || texts(&old.paths) != texts(&new.paths)),
        ("upstream", old.upstream != new.upstream),
        ("upstream_timeout", old.upstream_timeout != new.upstream_timeout),
        ("rewrite", old.rewrite != new.rewrite),
        ("openapi", old.openapi != new.openapi),
        ("cors", old.cors != new.cors),
        ("error_response", old.error_response != new.error_response),
        ("rate_limit", old.rate_limit != new.rate_limit),
    ]);
    changed.extend(settings(&old.settings, &new.settings));
    changed
}

fn settings(old: &Settings, new: &Settings) -> Vec<String> {
    let mut changed = Vec::new();
    if old.mode != new.mode {
        let word = match new.mode {
            Mode::Blocking => "blocking",
            Mode::DetectOnly => "detect_only",
        };
        changed.push(format!("mode is {word}"));
    }
    changed.extend(leaves("on", &new.leaves.without(&old.leaves)));
    changed.extend(leaves("off", &old.leaves.without(&new.leaves)));
    changed.extend(waf_compiler::changes::settings(old, new).into_iter().map(str::to_owned));
    changed.extend(differing([("response_headers", old.response_headers != new.response_headers)]));
    changed
}

/// `on: a b c`, with a count of those that are not named.
fn leaves(what: &str, set: &LeafSet) -> Option<String> {
    let names: Vec<&str> = set.iter().map(waf_shared::catalog::Leaf::name).collect();
    let reported = names.get(..LEAVES_REPORTED_MAX).unwrap_or(&names).join(" ");
    match names.len().checked_sub(LEAVES_REPORTED_MAX) {
        _ if names.is_empty() => None,
        Some(rest @ 1..) => Some(format!("{what}: {reported} and {rest} more")),
        _ => Some(format!("{what}: {reported}")),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use std::path::Path;

    use waf_compiler::{Options, compile_text};

    use super::*;

    fn plan(rest: &str) -> Plan {
        let options = Options { host_checks: false, ..Options::default() };
        let text = format!("version: v1alpha1\n{rest}");
        compile_text("waf.yaml", &text, Path::new("."), &options).unwrap().plan
    }

    fn check(old: &str, new: &str, expected: &[&str]) {
        assert_eq!(changes(&plan(old), &plan(new)), expected, "from\n{old}\nto\n{new}");
    }

    const SHOP: &str = "routes:\n  - {id: shop, upstream: 'http://a', match: {paths: [/a]}}\n";

    #[test]
    fn nothing_is_reported_of_nothing() {
        check(SHOP, SHOP, &[]);
    }

    #[test]
    fn routes_come_go_and_change() {
        check(
            &format!("{SHOP}  - {{id: old, upstream: 'http://a'}}\n"),
            "audit_log: {format: ecs}\nroutes:\n\
             \x20 - {id: new, upstream: 'http://a', match: {paths: [/new/deep]}}\n\
             \x20 - {id: shop, upstream: 'http://b', mode: detect_only, match: {paths: [/a]}, inspection: {json_depth: 3}}\n",
            &[
                "audit_log.format",
                "route new is new",
                "route shop: upstream, mode is detect_only, inspection.json_depth",
                "route old is gone",
            ],
        );
        let (one, two) = ("  - {id: a, upstream: 'http://a'}\n", "  - {id: b, upstream: 'http://a'}\n");
        check(&format!("routes:\n{one}{two}"), &format!("routes:\n{two}{one}"), &["route a: order"]);
    }

    #[test]
    fn leaves_are_named_up_to_a_bound() {
        check(
            SHOP,
            &SHOP.replace("}}", "}, disable: [scanner-detection], enable: [response-headers-add-csp]}"),
            &[
                "route shop: on: response-headers-add-csp, off: scanner-detection-user-agent, response_headers",
            ],
        );
        let reported = changes(&plan(SHOP), &plan(&format!("global: {{disable: [sql]}}\n{SHOP}")));
        assert!(reported.iter().all(|change| change.contains(" more")), "{reported:?}");
    }
}
