//! The deployment modes: `host`, `port` and `match.hosts` exclude each other, and hosts are listed once.

use std::collections::{HashMap, HashSet};

use waf_shared::limits::{CERTIFICATES_MAX, NEW_NAMES_PER_HOUR};
use waf_shared::plan::HostPattern;

use super::sections::routes_of;
use crate::code;
use crate::diagnostic::{Sink, quoted};
use crate::names::host_text;
use crate::raw::{Document, Route};

pub(super) fn check(document: &Document, sink: &mut Sink) {
    host_list(document, sink);
    exclusive_modes(document, sink);
    mixed_routes(document, sink);
    wildcards(document, sink);
    too_many(document, sink);
}

/// Each name needs a certificate, and a name without one is not served.
fn too_many(document: &Document, sink: &mut Sink) {
    let listed = document.host.iter().flat_map(|host| &host.value.0).map(|at| (at.value.0.clone(), at.line));
    let routed =
        routes_of(document).flat_map(Route::host_entries).map(|at| (host_text(&at.value.0), at.line));
    let mut names = HashSet::new();
    for (name, line) in listed.chain(routed) {
        names.insert(name);
        if names.len() > CERTIFICATES_MAX {
            let message =
                format!("there are more than {CERTIFICATES_MAX} hosts, which is the most that are served");
            sink.error(code::OUT_OF_BOUNDS, line, message);
            return;
        }
    }
}

fn host_list(document: &Document, sink: &mut Sink) {
    let Some(host) = &document.host else { return };
    let mut seen: HashMap<&str, u32> = HashMap::new();
    for entry in &host.value.0 {
        if let Some(first) = seen.insert(&entry.value.0, entry.line) {
            let name = quoted(&entry.value.0);
            let message = format!("host: {name} is listed more than once, first on line {first}");
            sink.error(code::DUPLICATE_ENTRY, entry.line, message);
        }
    }
}

fn exclusive_modes(document: &Document, sink: &mut Sink) {
    let (host, port) = (document.key("host"), document.key("port"));
    if let (Some(host), Some(port)) = (host, port) {
        let message = "host and port are both set: use `host` for auto-TLS or `port` for plain HTTP";
        sink.error(code::EXCLUSIVE_FIELDS, host.max(port), message);
    }
    for route in routes_of(document) {
        let Some(hosts) = hosts_line(route) else { continue };
        let name = quoted(route.name());
        if let Some(host) = host {
            let message = format!(
                "host and match.hosts of route {name} are both set: `host` is shared by all routes, `match.hosts` splits routes; use one"
            );
            sink.error(code::EXCLUSIVE_FIELDS, host.max(hosts), message);
        }
        if let Some(port) = port {
            let message = format!(
                "port and match.hosts of route {name} are both set: `match.hosts` requires auto-TLS, `port` is plain HTTP"
            );
            sink.error(code::EXCLUSIVE_FIELDS, port.max(hosts), message);
        }
    }
}

/// The line of `match.hosts`, if it has a value other than an empty list.
fn hosts_line(route: &Route) -> Option<u32> {
    let given = &route.r#match.as_ref()?.value;
    let line = given.key("hosts")?;
    let empty = given.hosts.as_ref().is_some_and(|at| at.value.is_empty()) && !given.broken;
    (!empty).then_some(line)
}

fn mixed_routes(document: &Document, sink: &mut Sink) {
    if document.key("host").is_some() || document.key("port").is_some() {
        return;
    }
    let Some(with) = routes_of(document).find(|route| hosts_line(route).is_some()) else { return };
    for route in routes_of(document).filter(|route| hosts_line(route).is_none()) {
        let line = match &route.r#match {
            // A broken `match` is one fault already.
            Some(at) if at.value.broken || at.value.keys.is_empty() => continue,
            Some(at) => at.value.line,
            None if route.key("match").is_some() => continue,
            None => route.line,
        };
        let message = format!(
            "route {} has no `match.hosts`, but route {} has: add `match.hosts` or use a top-level `host`",
            quoted(route.name()),
            quoted(with.name())
        );
        sink.error(code::MIXED_HOSTS, line, message);
    }
}

fn wildcards(document: &Document, sink: &mut Sink) {
    for route in routes_of(document) {
        for entry in route.host_entries() {
            if matches!(entry.value.0, HostPattern::Subdomains(_)) {
                let host = host_text(&entry.value.0);
                let message = format!(
                    "{}.match.hosts: no authority proves {} by HTTP-01 or TLS-ALPN-01: each name below gets a certificate of its own when it is first asked for, at most {NEW_NAMES_PER_HOUR} new ones an hour, unless --acme-dns-hook proves it by DNS or `data_dir` has one in certs/{}.pem",
                    route.place,
                    quoted(&host),
                    host.replacen('*', "_wildcard", 1),
                );
                sink.warning(code::NO_CERTIFICATE, entry.line, message);
            }
        }
    }
}
