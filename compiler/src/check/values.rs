//! Values that are valid and probably not what is meant.

use super::notation::glob_meant;
use super::sections::{global_of, routes_of};
use crate::code;
use crate::diagnostic::{Sink, quoted};
use crate::headers::NEVER_STRIPPED;
use crate::names::MediaType;
use crate::raw::{Accept, Cors, Document, Multipart, ResponseHeaders, Route};
use crate::read::{At, variable};
use crate::resolve::entries;

/// The methods that are usual, to notice those in the wrong case.
const METHODS: [&str; 9] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT"];

pub(super) fn check(document: &Document, sink: &mut Sink) {
    if let Some(global) = global_of(document) {
        global.accept.iter().for_each(|at| accept(&at.value, sink));
        global.multipart.iter().for_each(|at| multipart(&at.value, sink));
        global.response_headers.iter().for_each(|at| response_headers(&at.value, sink));
    }
    for route in routes_of(document) {
        route.cors.iter().for_each(|at| origins(&at.value, sink));
        route.accept.iter().for_each(|at| accept(&at.value, sink));
        route.multipart.iter().for_each(|at| multipart(&at.value, sink));
        route.response_headers.iter().for_each(|at| response_headers(&at.value, sink));
        paths(route, sink);
    }
}

fn accept(accept: &Accept, sink: &mut Sink) {
    let place = format!("{}.methods", accept.place);
    if let Some(methods) = &accept.methods
        && methods.value.is_empty()
        && !accept.broken
    {
        sink.warning(code::SUSPICIOUS_VALUE, methods.line, format!("{place}: no method is accepted"));
    }
    for entry in entries(accept.methods.as_ref()) {
        let name = entry.value.0.as_str();
        let upper = name.to_ascii_uppercase();
        if name == "CONNECT" {
            let message = format!("{place}: CONNECT is refused whatever the list says");
            sink.warning(code::NO_EFFECT, entry.line, message);
        } else if upper != name && METHODS.contains(&upper.as_str()) {
            let message = format!("{place}: methods are case-sensitive, {} is not `{upper}`", quoted(name));
            sink.warning(code::SUSPICIOUS_VALUE, entry.line, message);
        }
    }
    media_types(&format!("{}.content_types", accept.place), entries(accept.content_types.as_ref()), sink);
}

fn multipart(multipart: &Multipart, sink: &mut Sink) {
    let place = format!("{}.allowed_types", multipart.place);
    media_types(&place, entries(multipart.allowed_types.as_ref()), sink);
}

fn media_types(place: &str, types: &[At<MediaType>], sink: &mut Sink) {
    for entry in types {
        let MediaType { essence, parameters } = &entry.value;
        if *parameters {
            let message = format!("{place}: parameters are not compared, {} alone counts", quoted(essence));
            sink.warning(code::SUSPICIOUS_VALUE, entry.line, message);
        }
        if essence.contains('*') {
            let message = format!("{place}: {} is no pattern, name each type", quoted(essence));
            sink.warning(code::SUSPICIOUS_VALUE, entry.line, message);
        }
    }
}

fn response_headers(headers: &ResponseHeaders, sink: &mut Sink) {
    for entry in entries(headers.strip_extra.as_ref()) {
        let name = entry.value.0.to_ascii_lowercase();
        if NEVER_STRIPPED.contains(&name.as_str()) {
            let message =
                format!("{}.strip_extra: {} is never stripped", headers.place, quoted(&entry.value.0));
            sink.warning(code::NO_EFFECT, entry.line, message);
        }
    }
}

fn origins(cors: &Cors, sink: &mut Sink) {
    if let Some(origins) = &cors.allow_origins
        && origins.value.is_empty()
        && !cors.broken
    {
        let message =
            format!("{}.allow_origins: no origin is allowed: `cors` refuses every preflight", cors.place);
        sink.warning(code::SUSPICIOUS_VALUE, origins.line, message);
    }
}

fn paths(route: &Route, sink: &mut Sink) {
    let place = format!("{}.match.paths", route.place);
    for entry in route.path_entries() {
        let text = entry.value.text.as_str();
        if text.contains(['?', '#']) {
            let message = format!("{place}: {} never matches, only paths are compared", quoted(text));
            sink.warning(code::NEVER_MATCHES, entry.line, message);
        }
        let partly = |segment: &str| segment.contains('*') && segment != "*" && segment != "**";
        if let Some(glob) = glob_meant(text) {
            let message = format!(
                "{place}: {} is compared as it is, a wildcard is `*` or `**`; did you mean {}?",
                quoted(text),
                quoted(&glob)
            );
            sink.warning(code::SUSPICIOUS_VALUE, entry.line, message);
        } else if text.split('/').any(partly) {
            let message =
                format!("{place}: a `*` beside other characters stands for itself in {}", quoted(text));
            sink.warning(code::SUSPICIOUS_VALUE, entry.line, message);
        } else if variable(text).is_some() {
            let message = format!("{place}: variables are not expanded in {}", quoted(text));
            sink.warning(code::SUSPICIOUS_VALUE, entry.line, message);
        }
    }
}
