//! The settings of `global` or of one route: the route's value, else the global one, else the default.

use waf_shared::catalog::LeafSet;
use waf_shared::plan::{
    Accept, AddHeader, Inspection, Millis, Mode, Multipart, RateLimit, RateLimitSource, ResponseHeaders,
    Settings,
};

use super::{Lines, entries, global_lists, narrow, route_lists};
use crate::field::{KB, MB, SECOND};
use crate::headers::{ADDED, NEVER_STRIPPED, STRIPPED};
use crate::names::{HeaderName, MediaType, Method};
use crate::raw;
use crate::raw::SourceType;
use crate::read::At;
use crate::toggles;

/// What holds on `route`, or before a route is chosen when `route` is an empty one.
pub(super) fn settings(global: &raw::Global, route: &raw::Route, lines: &mut Lines) -> Settings {
    let mode = [route.mode.as_ref(), global.mode.as_ref()];
    let leaves = toggles::effective(&[global_lists(global), route_lists(route)]);
    Settings {
        mode: lines.pick("mode", mode, || crate::read::Choice(Mode::Blocking)).0,
        leaves,
        accept: accept([section(route.accept.as_ref()), section(global.accept.as_ref())], lines),
        inspection: inspection(
            [section(route.inspection.as_ref()), section(global.inspection.as_ref())],
            lines,
        ),
        multipart: multipart([section(route.multipart.as_ref()), section(global.multipart.as_ref())], lines),
        response_headers: response_headers(
            [section(route.response_headers.as_ref()), section(global.response_headers.as_ref())],
            &leaves,
            lines,
        ),
    }
}

fn section<T>(field: Option<&At<T>>) -> Option<&T> {
    field.map(|at| &at.value)
}

type Levels<'a, T> = [Option<&'a T>; 2];

fn field<'a, S, T>(levels: Levels<'a, S>, of: impl Fn(&'a S) -> &'a Option<At<T>>) -> [Option<&'a At<T>>; 2] {
    levels.map(|level| level.and_then(|section| of(section).as_ref()))
}

fn accept(levels: Levels<'_, raw::Accept>, lines: &mut Lines) -> Accept {
    let standard = || ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"].map(method).to_vec();
    let methods = lines.pick("accept.methods", field(levels, |raw| &raw.methods), standard);
    let types = lines.pick("accept.content_types", field(levels, |raw| &raw.content_types), Vec::new);
    Accept {
        methods: unique(methods.iter().map(|at| at.value.0.clone())),
        content_types: unique(types.iter().map(|at| at.value.essence.clone())),
        max_body_size: lines
            .pick("accept.max_body_size", field(levels, |raw| &raw.max_body_size), || 10 * MB),
        max_url_length: narrow(lines.pick(
            "accept.max_url_length",
            field(levels, |raw| &raw.max_url_length),
            || 8192,
        )),
        max_header_size: lines.pick(
            "accept.max_header_size",
            field(levels, |raw| &raw.max_header_size),
            || 16 * KB,
        ),
        max_header_count: narrow(lines.pick(
            "accept.max_header_count",
            field(levels, |raw| &raw.max_header_count),
            || 100,
        )),
        require_host_header: lines.pick(
            "accept.require_host_header",
            field(levels, |raw| &raw.require_host_header),
            || true,
        ),
    }
}

fn method(name: &str) -> At<Method> {
    At { value: Method(name.to_owned()), line: 1 }
}

/// Each text once, in the order of the file.
pub(super) fn unique(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for text in texts {
        if !out.contains(&text) {
            out.push(text);
        }
    }
    out
}

fn inspection(levels: Levels<'_, raw::Inspection>, lines: &mut Lines) -> Inspection {
    let mut number = |name: &str, of: fn(&raw::Inspection) -> &Option<At<u64>>, default: u64| -> u64 {
        lines.pick(&format!("inspection.{name}"), field(levels, of), || default)
    };
    Inspection {
        evaluation_timeout: Millis(number("evaluation_timeout", |raw| &raw.evaluation_timeout, 50)),
        max_inspect_size: number("max_inspect_size", |raw| &raw.max_inspect_size, 128 * KB),
        max_memory_buffer: number("max_memory_buffer", |raw| &raw.max_memory_buffer, 128 * KB),
        decompression_ratio_limit: narrow(number(
            "decompression_ratio_limit",
            |raw| &raw.decompression_ratio_limit,
            100,
        )),
        json_depth: narrow(number("json_depth", |raw| &raw.json_depth, 20)),
        json_keys: narrow(number("json_keys", |raw| &raw.json_keys, 1000)),
        xml_depth: narrow(number("xml_depth", |raw| &raw.xml_depth, 20)),
        xml_entities: narrow(number("xml_entities", |raw| &raw.xml_entities, 100)),
    }
}

fn multipart(levels: Levels<'_, raw::Multipart>, lines: &mut Lines) -> Multipart {
    let types: Vec<At<MediaType>> =
        lines.pick("multipart.allowed_types", field(levels, |raw| &raw.allowed_types), Vec::new);
    Multipart {
        file_limit: narrow(lines.pick("multipart.file_limit", field(levels, |raw| &raw.file_limit), || 10)),
        file_size: lines.pick("multipart.file_size", field(levels, |raw| &raw.file_size), || 10 * MB),
        allowed_types: unique(types.iter().map(|at| at.value.essence.clone())),
        double_extension: lines.pick(
            "multipart.double_extension",
            field(levels, |raw| &raw.double_extension),
            || true,
        ),
    }
}

fn response_headers(
    levels: Levels<'_, raw::ResponseHeaders>,
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
    Some(RateLimit {
        requests: raw.requests.as_ref()?.value,
        window: Millis(raw.window.as_ref()?.value),
        source,
        max_keys: backend.and_then(|backend| backend.max_keys.as_ref()).map_or(100_000, |at| at.value),
        ttl: Millis(backend.and_then(|backend| backend.ttl.as_ref()).map_or(600 * SECOND, |at| at.value)),
        inherited,
    })
}
