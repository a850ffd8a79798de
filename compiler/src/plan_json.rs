//! The plan as JSON: what the whole service has, and for each route what `effective` shows of it, with values as the
//! configuration writes them. It decides nothing, and knows no lines.

use serde_json::{Map, Value, json};
use waf_shared::plan::{AuditFormat, Cidr, Listen, OtlpProtocol, Plan, Scheme, Tracing, Upstream};

use crate::Compiled;
use crate::raw;
use crate::setting::{Settings as _, duration};

impl Compiled {
    /// The plan as an indented document that ends with a line break.
    pub fn json(&self) -> String {
        format!("{:#}\n", self.value())
    }

    /// The plan as a document.
    pub(crate) fn value(&self) -> Value {
        let Plan {
            listen,
            data_dir,
            health_port,
            metrics_port,
            audit_format,
            tracing,
            trusted_proxies,
            protocol,
            shadow_api_logging,
            // Each route shows what it inherits, and a contract is its document, which the route names.
            global: _,
            contracts: _,
            exceptions: _,
            error_response: _,
            routes: _,
        } = &self.plan;
        json!({
            "digest": self.digest.to_string(),
            "bytes": self.bytes.len(),
            "listen": match listen {
                Listen::Plain { port } => json!({ "port": port }),
                Listen::Tls { hosts } => json!({ "hosts": hosts }),
            },
            "data_dir": data_dir,
            "health_port": health_port,
            "metrics_port": metrics_port,
            "audit_format": match audit_format {
                AuditFormat::Ocsf => "ocsf",
                AuditFormat::Ecs => "ecs",
            },
            "tracing": tracing.as_ref().map(traces),
            "trusted_proxies": trusted_proxies.iter().map(range).collect::<Vec<_>>(),
            "protocol": protocol_of(raw::Protocol::values(protocol)),
            "shadow_api_logging": shadow_api_logging,
            "routes": self.route_ids().filter_map(|id| self.route_value(id)).collect::<Vec<_>>(),
        })
    }

    /// The effective settings of a route.
    pub(crate) fn route_value(&self, id: &str) -> Option<Value> {
        // The page of a route is YAML; comments carry the lines.
        serde_yaml::from_str(&self.effective(id)?).ok()
    }
}

fn protocol_of(values: Vec<(&'static str, String)>) -> Value {
    let pairs = values.into_iter().map(|(path, text)| {
        let name = path.rsplit('.').next().unwrap_or(path).to_owned();
        (name, serde_yaml::from_str(&text).unwrap_or(Value::String(text)))
    });
    Value::Object(pairs.collect::<Map<_, _>>())
}

/// Values of headers are secrets more often than not: their names are shown alone.
fn traces(tracing: &Tracing) -> Value {
    let Tracing { protocol, collector, headers, timeout, resource } = tracing;
    json!({
        "protocol": match protocol {
            OtlpProtocol::Grpc => "grpc",
            OtlpProtocol::Http => "http",
        },
        "collector": url(collector),
        "headers": headers.iter().map(|(name, _)| (name.clone(), json!("***"))).collect::<Map<_, _>>(),
        "timeout": timeout.map(|timeout| duration(timeout.0)),
        "resource": resource.iter().map(|(name, value)| (name.clone(), json!(value))).collect::<Map<_, _>>(),
    })
}

fn url(upstream: &Upstream) -> String {
    let scheme = match upstream.scheme {
        Scheme::Http => "http",
        Scheme::Https => "https",
    };
    format!("{scheme}://{}{}", upstream.authority, upstream.base_path)
}

fn range(range: &Cidr) -> String {
    let address = std::net::Ipv6Addr::from(range.address);
    match address.to_ipv4_mapped() {
        Some(v4) if range.prefix_bits >= 96 => format!("{v4}/{}", range.prefix_bits - 96),
        _ => format!("{address}/{}", range.prefix_bits),
    }
}
