//! The plan as a whole: how traffic arrives, what holds for every route, and the routes.

use std::fmt;

use bincode::{Decode, Encode};

use super::exception::Exception;
use super::millis::Millis;
use super::route::{ErrorTemplate, Route, Upstream};
use super::settings::Settings;

/// One whole configuration, ready to serve.
#[derive(Debug, Clone, PartialEq, Encode, Decode)]
pub struct Plan {
    /// Way in which traffic arrives.
    pub listen: Listen,
    /// Directory for certificates, ACME state and spooled bodies.
    pub data_dir: String,
    /// Port of the health listener; `None` is off.
    pub health_port: Option<u16>,
    /// Port of the metrics listener; `None` is off.
    pub metrics_port: Option<u16>,
    /// Format of audit events.
    pub audit_format: AuditFormat,
    /// Trace export; `None` is off.
    pub tracing: Option<Tracing>,
    /// Peers whose forwarding headers are believed.
    pub trusted_proxies: Vec<Cidr>,
    /// Connection-level settings, the same for every route.
    pub protocol: Protocol,
    /// True if undeclared paths are logged even where `openapi-path-not-in-spec` is off.
    pub shadow_api_logging: bool,
    /// Settings before a route is chosen.
    pub global: Settings,
    /// Body of refusals before a route is chosen; `None` is the default.
    pub error_response: Option<ErrorTemplate>,
    /// Contracts that routes are held to, each once.
    pub contracts: Vec<super::contract::Contract>,
    /// Exceptions that routes name, each once.
    pub exceptions: Vec<Exception>,
    /// In the order of the file.
    pub routes: Vec<Route>,
}

impl Plan {
    /// The exceptions of one of its routes.
    pub fn exceptions_of(&self, route: &Route) -> impl Iterator<Item = &Exception> {
        route.exceptions.iter().filter_map(|index| self.exceptions.get(*index as usize))
    }
}

/// The three deployment modes of the specification.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub enum Listen {
    /// Mode 3: plain HTTP on one port.
    Plain {
        /// TCP port.
        port: u16,
    },
    /// Modes 1 and 2: automatic TLS on 443 with redirects from 80. Host names in lower case, `*.domain` for wildcards,
    /// sorted.
    Tls {
        /// Every name that a certificate is needed for.
        hosts: Vec<String>,
    },
}

impl Listen {
    /// Names that are served over TLS; none in mode 3.
    pub fn hosts(&self) -> &[String] {
        match self {
            Self::Plain { .. } => &[],
            Self::Tls { hosts } => hosts,
        }
    }
}

/// Audit event schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
pub enum AuditFormat {
    /// OCSF 1.2.0 HTTP Activity (4002).
    Ocsf,
    /// Elastic Common Schema 8.
    Ecs,
}

/// OTLP export settings, with what the environment said filled in.
#[derive(Clone, PartialEq, Eq, Encode, Decode)]
pub struct Tracing {
    /// Transport.
    pub protocol: OtlpProtocol,
    /// The collector; `https` is TLS.
    pub collector: Upstream,
    /// Headers of every export request, sorted by name.
    pub headers: Vec<(String, String)>,
    /// Export timeout, when set.
    pub timeout: Option<Millis>,
    /// Attributes of the resource, `service.name` among them, sorted by name.
    pub resource: Vec<(String, String)>,
}

impl fmt::Debug for Tracing {
    /// Values of headers are secrets more often than not: their names are shown alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<(&str, &str)> =
            self.headers.iter().map(|(name, _)| (name.as_str(), "***")).collect();
        f.debug_struct("Tracing")
            .field("protocol", &self.protocol)
            .field("collector", &self.collector)
            .field("headers", &headers)
            .field("timeout", &self.timeout)
            .field("resource", &self.resource)
            .finish()
    }
}

/// OTLP transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
pub enum OtlpProtocol {
    /// OTLP over gRPC.
    Grpc,
    /// OTLP over HTTP with protobuf bodies.
    Http,
}

/// An address range: address bytes (4 or 16) and prefix length in bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
pub struct Cidr {
    /// Network address; IPv4 addresses are mapped into IPv6 (`::ffff:a.b.c.d`).
    pub address: [u8; 16],
    /// Prefix length over the 128-bit form, 0–128.
    pub prefix_bits: u8,
}

impl Cidr {
    /// True if `address` (IPv4 mapped into IPv6) lies in the range.
    pub fn contains(&self, address: [u8; 16]) -> bool {
        let bits = u32::from(self.prefix_bits.min(128));
        let mask = if bits == 0 { 0 } else { u128::MAX << (128 - bits) };
        u128::from_be_bytes(address) & mask == u128::from_be_bytes(self.address) & mask
    }
}

/// Connection-level settings.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct Protocol {
    /// From the first byte of a head to its last.
    pub slow_request_header_timeout: Millis,
    /// Bytes a second; 0 is off.
    pub slow_request_min_rate_bps: u64,
    /// Concurrent streams of an HTTP/2 connection.
    pub http2_max_concurrent_streams: u32,
    /// CONTINUATION frames of one header block.
    pub http2_max_continuation_frames: u32,
    /// Decoded bytes of one HTTP/2 header block.
    pub http2_max_decoded_header_bytes: u64,
}
