//! Raw to resolved: defaults filled in, `global` inherited, names generated, patterns ranked. What comes out is in the
//! words of the plan, beside the lines that decided each value. It must not judge: faulty parts were left out before.

mod exceptions;
mod lists;
mod route;
mod settings;

pub(crate) use exceptions::Exception;
pub(crate) use lists::{entries, global_lists, route_lists};
pub(crate) use route::{Route, route_names};

use waf_shared::plan::{AuditFormat, ErrorTemplate, Listen, Protocol, Settings};

use crate::names::host_text;
use crate::raw;
use crate::read::At;
use crate::setting::{Lines, Settings as _};

/// A whole configuration, nothing inherited any more.
#[derive(Debug)]
pub(crate) struct Resolved {
    pub(crate) listen: Listen,
    pub(crate) data_dir: String,
    pub(crate) health_port: Option<u16>,
    pub(crate) metrics_port: Option<u16>,
    pub(crate) audit_format: AuditFormat,
    pub(crate) protocol: Protocol,
    pub(crate) shadow_api_logging: bool,
    /// Settings before a route is chosen.
    pub(crate) global: Settings,
    /// Body of refusals before a route is chosen.
    pub(crate) error_response: Option<ErrorTemplate>,
    /// Contracts that routes name, filled in when their files are read.
    pub(crate) contracts: Vec<waf_shared::plan::contract::Contract>,
    /// Exceptions: those of `global`, then those of each route.
    pub(crate) exceptions: Vec<Exception>,
    /// Routes that could be read, in the order of the file.
    pub(crate) routes: Vec<Route>,
}

/// `data_dir` as the file says, else its default.
pub(crate) fn data_dir(document: &raw::Document) -> &str {
    let default = raw::Document::defaults().data_dir.as_ref();
    document.data_dir.as_ref().or(default).map_or("", |at| &at.value.0)
}

/// `port` as the file says, else its default.
pub(crate) fn plain_port(document: &raw::Document) -> u64 {
    let default = raw::Document::defaults().port.as_ref();
    document.port.as_ref().or(default).map_or(0, |at| at.value)
}

/// Resolves everything that was read.
pub(crate) fn resolve(document: &raw::Document) -> Resolved {
    let no_global = raw::Global::default();
    let global = document.global.as_ref().map_or(&no_global, |at| &at.value);
    let none = raw::Route::default();
    let global_settings = settings::settings(global, &none, &mut Lines::default());
    let routes = document.routes.as_ref().map_or(&[][..], |at| &at.value);
    let mut exceptions = exceptions::of_global(global);
    let routes = route::routes(global, routes, &mut exceptions);
    Resolved {
        listen: listen(document),
        data_dir: data_dir(document).to_owned(),
        health_port: port(document.health_port.as_ref()),
        metrics_port: port(document.metrics_port.as_ref()),
        audit_format: audit_format(document),
        protocol: raw::Protocol::resolve(
            &[global.protocol.as_ref().map(|at| &at.value)],
            &mut Lines::default(),
        ),
        shadow_api_logging: shadow_api_logging(global),
        global: global_settings,
        error_response: route::error_response(global.error_response.as_ref()),
        contracts: Vec::new(),
        exceptions,
        routes,
    }
}

fn audit_format(document: &raw::Document) -> AuditFormat {
    let given = document.audit_log.as_ref().and_then(|at| at.value.format.as_ref());
    given.or(raw::AuditLog::defaults().format.as_ref()).map_or(AuditFormat::Ocsf, |at| at.value.0)
}

fn shadow_api_logging(global: &raw::Global) -> bool {
    let given = global.openapi.as_ref().and_then(|at| at.value.shadow_api_logging.as_ref());
    given.or(raw::GlobalOpenApi::defaults().shadow_api_logging.as_ref()).is_some_and(|at| at.value)
}

fn listen(document: &raw::Document) -> Listen {
    let mut hosts: Vec<String> = match &document.host {
        Some(at) => at.value.0.iter().map(|entry| entry.value.0.clone()).collect(),
        None => document
            .routes
            .iter()
            .flat_map(|at| &at.value)
            .flat_map(|route| route.value.host_entries())
            .map(|entry| host_text(&entry.value.0))
            .collect(),
    };
    hosts.sort();
    hosts.dedup();
    if hosts.is_empty() {
        return Listen::Plain { port: u16::try_from(plain_port(document)).unwrap_or(u16::MAX) };
    }
    Listen::Tls { hosts }
}

fn port(field: Option<&At<u64>>) -> Option<u16> {
    field.and_then(|at| u16::try_from(at.value).ok()).filter(|port| *port != 0)
}
