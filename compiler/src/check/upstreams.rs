//! Upstreams that are this service itself: a request would come back until every connection is taken.

use std::net::IpAddr;

use waf_shared::plan::{HostPattern, Upstream};

use super::sections::{routes_of, uses_tls};
use crate::code;
use crate::diagnostic::{Sink, quoted};
use crate::raw::{Document, Route};
use crate::resolve;

pub(super) fn check(document: &Document, sink: &mut Sink) {
    let tls = uses_tls(document);
    let own_port = match (&document.port, document.key("port")) {
        (Some(port), _) => Some(port.value),
        // A faulty port is none.
        (None, Some(_)) => None,
        (None, None) => (!tls).then(|| resolve::plain_port(document)),
    };
    let listeners =
        [("health_port", document.health_port.as_ref()), ("metrics_port", document.metrics_port.as_ref())];
    for route in routes_of(document) {
        let Some(at) = &route.upstream else { continue };
        let (upstream, path) = (&at.value.0, format!("{}.upstream", route.place));
        if own_port == Some(upstream.port.into()) && is_this_machine(&upstream.host) {
            let message = format!(
                "{path}: {} is this service itself, which listens on that port",
                quoted(&upstream.authority)
            );
            let help = Some("name the port on which the application listens".to_owned());
            sink.error_with(code::INVALID_VALUE, at.line, message, help);
        } else if let Some((field, _)) = listeners.iter().find(|(_, port)| {
            port.is_some_and(|port| port.value == u64::from(upstream.port)) && is_this_machine(&upstream.host)
        }) {
            let message = format!(
                "{path}: {} is the {field} of this service, shown to clients so",
                quoted(&upstream.authority)
            );
            sink.warning(code::SUSPICIOUS_VALUE, at.line, message);
        } else if tls
            && [80, 443].contains(&upstream.port)
            && (is_this_machine(&upstream.host) || is_served(document, upstream))
        {
            let message = format!(
                "{path}: {} leads to this service itself unless the name has another address here",
                quoted(&upstream.authority)
            );
            sink.warning(code::SUSPICIOUS_VALUE, at.line, message);
        }
    }
}

/// True for names and addresses that always mean the machine itself.
fn is_this_machine(host: &str) -> bool {
    let name = host.trim_end_matches('.');
    if name.eq_ignore_ascii_case("localhost") || name.to_ascii_lowercase().ends_with(".localhost") {
        return true;
    }
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => address.is_loopback() || address.is_unspecified(),
        Ok(IpAddr::V6(address)) => {
            let mapped = address.to_ipv4_mapped().is_some_and(|v4| v4.is_loopback() || v4.is_unspecified());
            mapped || address.is_loopback() || address.is_unspecified()
        }
        Err(_) => false,
    }
}

/// True for a name that the file lists as served.
fn is_served(document: &Document, upstream: &Upstream) -> bool {
    let listed = document.host.iter().flat_map(|host| &host.value.0).map(|at| at.value.0.as_str());
    let routed = routes_of(document).flat_map(Route::host_entries).filter_map(|at| match &at.value.0 {
        HostPattern::Exact(name) => Some(name.as_str()),
        HostPattern::Subdomains(_) => None,
    });
    listed.chain(routed).any(|name| name.eq_ignore_ascii_case(&upstream.host))
}

#[cfg(test)]
mod tests {
    use super::is_this_machine;

    #[test]
    fn names_of_this_machine() {
        for host in [
            "localhost",
            "LOCALHOST.",
            "app.localhost",
            "127.0.0.1",
            "127.8.8.8",
            "0.0.0.0",
            "::1",
            "::",
            "::ffff:127.0.0.1",
        ] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in ["app", "localhost.example", "10.0.0.1", "::2", "128.0.0.1", "notlocalhost"] {
            assert!(!is_this_machine(host), "{host}");
        }
    }
}
