//! Everything that types alone do not say, one file a subject. [`written`] contains the errors and looks at the text of
//! the file; [`held`] holds warnings and looks at what results. Each check adds to the findings and stops nothing.

mod case;
mod data_dir;
mod exceptions;
mod hosts;
mod limits;
mod notation;
mod ports;
mod protections;
mod routes;
mod sections;
mod ties;
mod upstreams;
mod values;

use crate::Options;
use crate::diagnostic::Sink;
use crate::raw::Document;
use crate::resolve::Resolved;

/// Checks of what is written.
pub(crate) fn written(document: &Document, options: &Options, sink: &mut Sink) {
    hosts::check(document, sink);
    ports::check(document, sink);
    routes::check(document, sink);
    protections::check(document, sink);
    values::check(document, sink);
    exceptions::check(document, options.today, sink);
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
    exceptions::check_effect(document, resolved, sink);
}
