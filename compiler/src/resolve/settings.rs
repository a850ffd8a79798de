//! The settings of `global` or of one route: the route's value, else the global one, else the default.

use waf_shared::catalog::LeafSet;
use waf_shared::plan::{AddHeader, Millis, RateLimit, RateLimitSource, ResponseHeaders, Settings};

use super::lists::{entries, global_lists, route_lists};
use crate::headers::{ADDED, NEVER_STRIPPED, STRIPPED};
use crate::names::HeaderName;
use crate::raw;
use crate::raw::SourceType;
use crate::read::At;
use crate::setting::{Lines, Settings as _};
use crate::toggles;

/// The effective settings on `route`, or those before a route is chosen when `route` is an empty one.
pub(super) fn settings(global: &raw::Global, route: &raw::Route, lines: &mut Lines) -> Settings {
    let leaves = toggles::effective(&[global_lists(global), route_lists(route)]);
    let mode = route.mode.as_ref().or(global.mode.as_ref());
    Settings {
        mode: lines.pick("mode", mode, raw::Global::defaults().mode.as_ref()),
        leaves,
        accept: raw::Accept::resolve(&levels(route.accept.as_ref(), global.accept.as_ref()), lines),
        inspection: raw::Inspection::resolve(
            &levels(route.inspection.as_ref(), global.inspection.as_ref()),
            lines,
        ),
        multipart: raw::Multipart::resolve(
            &levels(route.multipart.as_ref(), global.multipart.as_ref()),
            lines,
        ),
        response_headers: response_headers(
            levels(route.response_headers.as_ref(), global.response_headers.as_ref()),
            &leaves,
            lines,
        ),
    }
}

/// A section of the route and the one of `global`.
fn levels<'a, T>(route: Option<&'a At<T>>, global: Option<&'a At<T>>) -> [Option<&'a T>; 2] {
    [route, global].map(|field| field.map(|at| &at.value))
}

fn response_headers(
    levels: [Option<&raw::ResponseHeaders>; 2],
    leaves: &LeafSet,
    lines: &mut Lines,
) -> ResponseHeaders {
    let mut add = Vec::new();
    for (leaf, name, built_in) in ADDED.iter().filter(|(leaf, _, _)| leaves.contains(*leaf)) {
        let injected = levels.into_iter().flatten().find_map(|raw| {
            let pairs = raw.inject.as_ref().map_or(&[][..], |at| &at.value.0);
            pairs.iter().find(|(key, _)| key.value.0 == *leaf).map(|(_, value)| value)
        });
        if let Some(value) = injected {
            lines.0.insert(format!("response_headers.inject.{}", leaf.name()), value.line);
        }
        add.push(AddHeader {
            name: (*name).to_owned(),
            value: injected.map_or_else(|| (*built_in).to_owned(), |at| at.value.0.clone()),
            replaces: injected.is_some(),
        });
    }
    let built_in = STRIPPED.iter().filter(|(leaf, _)| leaves.contains(*leaf)).flat_map(|(_, names)| *names);
    let mut strip: Vec<String> = built_in.map(|name| (*name).to_owned()).collect();
    for raw in levels.into_iter().flatten() {
        for HeaderName(name) in entries(raw.strip_extra.as_ref()).iter().map(|at| &at.value) {
            let name = name.to_ascii_lowercase();
            if !NEVER_STRIPPED.contains(&name.as_str()) {
                strip.push(name);
            }
        }
    }
    strip.sort();
    strip.dedup();
    ResponseHeaders { add, strip }
}

/// A quota of a route, or the global one; `None` when a required part of it is at fault.
pub(super) fn rate_limit(raw: &raw::RateLimit, inherited: bool) -> Option<RateLimit> {
    let source = &raw.source.as_ref()?.value;
    let source = match source.r#type.as_ref()?.value.0 {
        SourceType::Ip => RateLimitSource::Ip,
        SourceType::Header => RateLimitSource::Header(source.key.as_ref()?.value.0.to_ascii_lowercase()),
    };
    let backend = raw.backend.as_ref().map(|at| &at.value);
    let defaults = raw::RateLimitBackend::defaults();
    let number = |of: fn(&raw::RateLimitBackend) -> &Option<At<u64>>| {
        backend.and_then(|backend| of(backend).as_ref()).or(of(defaults).as_ref()).map(|at| at.value)
    };
    Some(RateLimit {
        requests: raw.requests.as_ref()?.value,
        window: Millis(raw.window.as_ref()?.value),
        source,
        max_keys: number(|backend| &backend.max_keys)?,
        ttl: Millis(number(|backend| &backend.ttl)?),
        inherited,
    })
}
