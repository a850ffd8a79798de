//! Raw to resolved: defaults filled in, `global` inherited, names generated, patterns ranked. What comes out is in the
//! words of the plan, beside the lines that decided each value. It must not judge: faulty parts were left out before.

mod route;
mod settings;

pub(crate) use route::{Route, route_names};

use std::collections::BTreeMap;

use waf_shared::plan::{AuditFormat, Listen, Millis, Protocol, Settings};

use crate::names::host_text;
use crate::raw;
use crate::read::At;
use crate::toggles::Lists;

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
    /// What holds before a route is chosen.
    pub(crate) global: Settings,
    /// Contracts that routes name, filled in when their files are read.
    pub(crate) contracts: Vec<waf_shared::plan::contract::Contract>,
    /// Routes that could be read, in the order of the file.
    pub(crate) routes: Vec<Route>,
}

/// The default of `port`.
pub(crate) const PORT: u64 = 8080;
/// The default of `data_dir`.
pub(crate) const DATA_DIR: &str = "/data/waf";

/// For each path of a field, the line that decided its value; the others have their defaults.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lines(pub(crate) BTreeMap<String, u32>);

impl Lines {
    /// The route's value, else the global one, else the default; the line of the first two is kept.
    fn pick<T: Clone>(&mut self, path: &str, given: [Option<&At<T>>; 2], default: impl FnOnce() -> T) -> T {
        let [route, global] = given;
        match route.or(global) {
            Some(at) => {
                self.0.insert(path.to_owned(), at.line);
                at.value.clone()
            }
            None => default(),
        }
    }
}

/// Resolves everything that was read.
pub(crate) fn resolve(document: &raw::Document) -> Resolved {
    let no_global = raw::Global::default();
    let global = document.global.as_ref().map_or(&no_global, |at| &at.value);
    let none = raw::Route::default();
    let global_settings = settings::settings(global, &none, &mut Lines::default());
    let routes = document.routes.as_ref().map_or(&[][..], |at| &at.value);
    Resolved {
        listen: listen(document),
        data_dir: document.data_dir.as_ref().map_or(DATA_DIR.to_owned(), |at| at.value.0.clone()),
        health_port: port(document.health_port.as_ref()),
        metrics_port: port(document.metrics_port.as_ref()),
        audit_format: document
            .audit_log
            .as_ref()
            .and_then(|at| at.value.format.as_ref())
            .map_or(AuditFormat::Ocsf, |at| at.value.0),
        protocol: protocol(global),
        shadow_api_logging: global
            .openapi
            .as_ref()
            .and_then(|at| at.value.shadow_api_logging.as_ref())
            .is_none_or(|at| at.value),
        global: global_settings,
        contracts: Vec::new(),
        routes: route::routes(global, routes),
    }
}

/// The lists of `global`.
pub(crate) fn global_lists(global: &raw::Global) -> Lists<'_> {
    Lists { enable: entries(global.enable.as_ref()), disable: entries(global.disable.as_ref()), skipped: &[] }
}

/// The lists of a route.
pub(crate) fn route_lists(route: &raw::Route) -> Lists<'_> {
    let skipped = route.openapi.as_ref().and_then(|at| at.value.disable.as_ref());
    Lists {
        enable: entries(route.enable.as_ref()),
        disable: entries(route.disable.as_ref()),
        skipped: entries(skipped),
    }
}

/// The entries of a list that may be absent.
pub(crate) fn entries<T>(list: Option<&At<Vec<At<T>>>>) -> &[At<T>] {
    list.map_or(&[], |at| at.value.as_slice())
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
        let port = document.port.as_ref().map_or(PORT, |at| at.value);
        return Listen::Plain { port: u16::try_from(port).unwrap_or(u16::MAX) };
    }
    Listen::Tls { hosts }
}

fn port(field: Option<&At<u64>>) -> Option<u16> {
    field.and_then(|at| u16::try_from(at.value).ok()).filter(|port| *port != 0)
}

fn protocol(global: &raw::Global) -> Protocol {
    let none = raw::Protocol::default();
    let raw = global.protocol.as_ref().map_or(&none, |at| &at.value);
    let value = |field: &Option<At<u64>>, default: u64| field.as_ref().map_or(default, |at| at.value);
    Protocol {
        slow_request_header_timeout: Millis(value(&raw.slow_request_header_timeout, 10_000)),
        slow_request_min_rate_bps: value(&raw.slow_request_min_rate_bps, 1024),
        http2_max_concurrent_streams: narrow(value(&raw.http2_max_concurrent_streams, 100)),
        http2_max_continuation_frames: narrow(value(&raw.http2_max_continuation_frames, 32)),
        http2_max_decoded_header_bytes: value(&raw.http2_max_decoded_header_bytes, 65_536),
    }
}

/// Numbers without an upper bound stop at what the plan holds, which is as good as none.
fn narrow(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
