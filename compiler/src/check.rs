//! Everything that types alone do not say, one file a subject. [`written`] contains the errors and looks at the text of
//! the file; [`held`] holds warnings and looks at what results. Each check adds to the findings and stops nothing.

mod case;
mod data_dir;
mod hosts;
mod limits;
mod notation;
mod ports;
mod protections;
mod routes;
mod ties;
mod upstreams;
mod values;

use crate::diagnostic::Sink;
use crate::raw::Document;
use crate::resolve::Resolved;
use crate::{Options, raw};

/// Checks of what is written.
pub(crate) fn written(document: &Document, options: &Options, sink: &mut Sink) {
    hosts::check(document, sink);
    ports::check(document, sink);
    routes::check(document, sink);
    protections::check(document, sink);
    values::check(document, sink);
    upstreams::check(document, sink);
    if options.host_checks {
        data_dir::check(document, sink);
    }
}

/// Checks of what results.
pub(crate) fn held(document: &Document, resolved: &Resolved, sink: &mut Sink) {
    ties::check(resolved, sink);
    case::check(resolved, sink);
    limits::check(document, resolved, sink);
    protections::check_effect(document, resolved, sink);
}

/// True if the file asks for automatic TLS, faulty hosts included.
fn uses_tls(document: &Document) -> bool {
    document.key("host").is_some()
        || routes_of(document).any(|route| {
            route.r#match.as_ref().is_some_and(|at| at.value.key("hosts").is_some() && at.value.broken)
                || !route.host_entries().is_empty()
        })
}

/// The routes that were read.
fn routes_of(document: &Document) -> impl Iterator<Item = &raw::Route> {
    document.routes.iter().flat_map(|at| &at.value).map(|at| &at.value)
}

/// The global section, if there is one.
fn global_of(document: &Document) -> Option<&raw::Global> {
    document.global.as_ref().map(|at| &at.value)
}
