//! Rules within one route, and among the ids of all.

use std::collections::HashMap;

use waf_shared::limits::{RATE_LIMIT_KEYS_MAX, RATE_LIMIT_REQUESTS_MAX, ROUTES_MAX};

use super::sections::{global_of, routes_of};
use crate::code;
use crate::diagnostic::{Sink, quoted};
use crate::names::{HeaderName, Word};
use crate::raw::{Cors, Document, RateLimit, Rewrite, Route, SourceType};

pub(super) fn check(document: &Document, sink: &mut Sink) {
    if let Some(routes) = document.routes.as_ref().filter(|at| at.value.len() > ROUTES_MAX) {
        let message = format!("routes must contain at most {ROUTES_MAX} routes, got {}", routes.value.len());
        sink.error(code::OUT_OF_BOUNDS, routes.line, message);
    }
    unique_ids(document, sink);
    for route in routes_of(document) {
        matches_something(route, sink);
        if let Some(cors) = &route.cors {
            credentials(route, &cors.value, sink);
        }
        if let Some(rewrite) = &route.rewrite {
            ignored_prefixes(&rewrite.value, sink);
        }
    }
    let global = global_of(document).and_then(|global| global.rate_limit.as_ref());
    let own = routes_of(document).filter_map(|route| route.rate_limit.as_ref());
    for quota in global.into_iter().chain(own) {
        quota_key(&quota.value, sink);
        quota_reach(&quota.value, sink);
    }
}

fn unique_ids(document: &Document, sink: &mut Sink) {
    let mut seen: HashMap<&str, u32> = HashMap::new();
    for route in routes_of(document) {
        let Some(id) = &route.id else { continue };
        let name = id.value.0.0.as_str();
        if let Some(first) = seen.get(name) {
            let message = format!(
                "{}.id must be unique: {} is used more than once, first on line {first}",
                route.place,
                quoted(name)
            );
            sink.error(code::DUPLICATE_ROUTE, id.line, message);
        } else {
            seen.insert(name, id.line);
        }
    }
}

fn matches_something(route: &Route, sink: &mut Sink) {
    let Some(given) = &route.r#match else { return };
    let nothing = route.host_entries().is_empty() && route.path_entries().is_empty();
    if nothing && !given.value.broken {
        let message = format!("{}.match must set at least one of `hosts` or `paths`", route.place);
        sink.error(code::MISSING_FIELD, given.value.line, message);
    }
}

fn credentials(route: &Route, cors: &Cors, sink: &mut Sink) {
    let (Some(credentials), Some(origins)) = (&cors.allow_credentials, &cors.allow_origins) else { return };
    let star = origins.value.iter().find(|origin| origin.value.0 == "*");
    if let (true, Some(star)) = (credentials.value, star) {
        let message = format!(
            "route {}: cors.allow_credentials must not be true while cors.allow_origins contains `*`",
            quoted(route.name())
        );
        sink.error(code::CORS_CREDENTIALS, credentials.line.max(star.line), message);
    }
    if origins.value.len() > 1
        && let Some(star) = star
    {
        let message = format!("{}.allow_origins: `*` makes the other entries superfluous", cors.place);
        sink.warning(code::NO_EFFECT, star.line, message);
    }
}

fn ignored_prefixes(rewrite: &Rewrite, sink: &mut Sink) {
    if rewrite.path.is_none() {
        return;
    }
    for name in ["strip_prefix", "add_prefix"] {
        if let Some(line) = rewrite.key(name) {
            let message = format!("{}.{name} is ignored because `path` is set", rewrite.place);
            sink.warning(code::NO_EFFECT, line, message);
        }
    }
}

fn quota_key(quota: &RateLimit, sink: &mut Sink) {
    let Some(source) = quota.source.as_ref().map(|at| &at.value) else { return };
    let Some(kind) = &source.r#type else { return };
    let path = format!("{}.key", source.place);
    match (kind.value.0, &source.key) {
        (SourceType::Header, None) if source.key("key").is_none() => {
            sink.error(
                code::MISSING_FIELD,
                source.line,
                format!("{path} is required when `type` is `header`"),
            );
        }
        (SourceType::Header, Some(key)) if key.value.0.is_empty() => {
            sink.error(code::MISSING_FIELD, key.line, format!("{path} is required when `type` is `header`"));
        }
        (SourceType::Header, Some(key)) if HeaderName::parse(&key.value.0).is_err() => {
            let message = format!("{path}: {} is not {}", quoted(&key.value.0), HeaderName::SYNTAX.expects);
            sink.error(code::INVALID_VALUE, key.line, message);
        }
        (SourceType::Ip, Some(key)) if !key.value.0.is_empty() => {
            sink.warning(code::NO_EFFECT, key.line, format!("{path} has no effect when `type` is `ip`"));
        }
        _ => {}
    }
}

/// Values that are accepted and hold only up to what can be done.
fn quota_reach(quota: &RateLimit, sink: &mut Sink) {
    let backend = quota.backend.as_ref().map(|at| &at.value);
    let max_keys = backend.and_then(|backend| backend.max_keys.as_ref());
    let capped = [
        ("requests", quota.requests.as_ref(), RATE_LIMIT_REQUESTS_MAX),
        ("backend.max_keys", max_keys, RATE_LIMIT_KEYS_MAX),
    ];
    for (name, value, most) in capped {
        if let Some(value) = value.filter(|at| at.value > most) {
            let message = format!("{}.{name}: {most} is the largest value in effect", quota.place);
            sink.warning(code::NO_EFFECT, value.line, message);
        }
    }
    let ttl = backend.and_then(|backend| backend.ttl.as_ref());
    if let (Some(ttl), Some(window)) = (ttl, &quota.window)
        && ttl.value < window.value
    {
        let message = format!(
            "{}.backend.ttl is shorter than `window`: a client that pauses for so long has its whole limit again",
            quota.place
        );
        sink.warning(code::SUSPICIOUS_VALUE, ttl.line, message);
    }
}
