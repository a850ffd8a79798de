//! The place of a field that was written where it does not belong. It knows rows, not their values.

use crate::field::{Field, FieldKind};
use crate::raw::document;

/// Advice for names that are usual at the section at `path` and have their place elsewhere.
pub(super) fn elsewhere(path: &str, key: &str) -> Option<&'static str> {
    let in_route = path.starts_with("routes[");
    let of_route = in_route && path.ends_with(']');
    match key {
        "protocol" if in_route => Some("it exists only under `global`"),
        "shadow_api_logging" if in_route => Some("it exists only under `global.openapi`"),
        "port" if of_route => Some("it exists only at the top; the upstream's port is part of `upstream`"),
        "path" | "paths" | "host" | "hosts" if of_route => {
            Some("a route matches by `match: {hosts: [...], paths: [...]}`")
        }
        "timeout" if of_route => Some("did you mean `upstream_timeout`?"),
        "upstream_timeout" | "upstream" if path == "global" => Some("each route has its own"),
        "protection" if path.contains("exceptions[") => Some("did you mean `protections`?"),
        "places" | "place" | "targets" if path.contains("exceptions[") => Some("did you mean `in`?"),
        "mode" | "disable" | "enable" | "exceptions" | "accept" | "inspection" if path.is_empty() => {
            Some("it stands under `global`, or in a route")
        }
        "listen" | "bind" | "address" if path.is_empty() => Some("did you mean `port`?"),
        "domain" | "domains" | "hostname" | "server_name" if path.is_empty() => Some("did you mean `host`?"),
        "backend" | "backends" | "target" | "proxy_pass" | "service" | "url" if of_route => {
            Some("did you mean `upstream`?")
        }
        "backend" | "backends" | "target" | "proxy_pass" | "upstream" | "upstreams" if path.is_empty() => {
            Some("each route has its `upstream`")
        }
        "headers" if of_route || path == "global" => Some("did you mean `response_headers`?"),
        "name" if of_route => Some("did you mean `id`?"),
        _ => option(key),
    }
}

/// Settings that are options of the program.
fn option(key: &str) -> Option<&'static str> {
    Some(match key {
        "trusted_proxies" => {
            "it is the option `--trusted-proxies CIDR,CIDR`, or the variable WAF_TRUSTED_PROXIES"
        }
        "workers" => "it is the option `--workers N`",
        "log_level" => "it is the option `--log-level LEVEL`",
        "user" => "it is the option `--user USER`",
        "drain" | "drain_timeout" | "shutdown_timeout" => "it is the option `--drain SECONDS`",
        "https_port" => "it is the option `--https-port PORT`",
        "http_port" => "it is the option `--http-port PORT`",
        "client_share" => "it is the option `--client-share PERCENT`",
        "acme" | "acme_directory" => "it is the option `--acme-directory URL`",
        "email" | "acme_email" | "acme_contact" => "it is the option `--acme-contact ADDRESS`",
        "tls" | "ssl" | "certificate" | "certificates" => {
            "certificates are automatic for the names in `host` or `match.hosts`"
        }
        _ => return None,
    })
}

/// Names that say too little by themselves to lead anywhere.
const COMMON: [&str; 8] = ["backend", "enabled", "headers", "key", "name", "source", "type", "version"];

/// The section in which a field of that name exists: below the present section, else the only one of the document.
pub(super) fn of_field(path: &str, key: &str, fields: &[Field]) -> Option<String> {
    let mut found = Vec::new();
    search(path, key, fields, &mut found);
    if found.is_empty() && !COMMON.contains(&key) {
        search("", key, document(), &mut found);
    }
    // Most settings exist globally and in routes.
    if found.iter().any(|place| place.starts_with("global")) {
        found.retain(|place| place.starts_with("global"));
    }
    match found.as_slice() {
        [place] => Some(format!("it belongs in `{place}`")),
        _ => None,
    }
}

/// Adds the path of every section below `path` that has the field. Sections are nested a few levels deep.
fn search(path: &str, key: &str, fields: &[Field], found: &mut Vec<String>) {
    for field in fields {
        let (below, mark) = match field.kind {
            FieldKind::Section(below) => (below, ""),
            FieldKind::AtLeastOne(FieldKind::Section(below), _) => (*below, "[]"),
            _ => continue,
        };
        let parent = if path.is_empty() { String::new() } else { format!("{path}.") };
        let place = format!("{parent}{}{mark}", field.name);
        if below.iter().any(|field| field.name == key) {
            found.push(place.clone());
        }
        search(&place, key, below, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_in_their_section() {
        let fields = |name: &str| {
            let field = document().iter().find(|field| field.name == name);
            field.and_then(
                |field| if let FieldKind::Section(fields) = field.kind { Some(fields) } else { None },
            )
        };
        let global = fields("global").expect("a section");
        for (path, key, fields, place) in [
            ("global", "max_body_size", global, Some("it belongs in `global.accept`")),
            ("global", "json_depth", global, Some("it belongs in `global.inspection`")),
            ("", "max_body_size", document(), Some("it belongs in `global.accept`")),
            ("", "spec", document(), Some("it belongs in `routes[].openapi`")),
            ("", "format", document(), Some("it belongs in `audit_log`")),
            (
                "tracing",
                "max_url_length",
                fields("tracing").expect("a section"),
                Some("it belongs in `global.accept`"),
            ),
            ("", "type", document(), None),
            ("global", "headers", global, None),
            ("", "nonsense", document(), None),
        ] {
            assert_eq!(of_field(path, key, fields).as_deref(), place, "{path} {key}");
        }
    }
}
