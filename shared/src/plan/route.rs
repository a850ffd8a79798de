//! One route of a plan: what it matches, where it forwards, and how.

use bincode::{Decode, Encode};

use super::millis::Millis;
use super::settings::Settings;

/// Identifier of a route, `[a-z0-9][a-z0-9-]*`, unique in a plan.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Encode, Decode)]
pub struct RouteId(pub String);

/// A route with everything resolved.
#[derive(Debug, Clone, PartialEq, Encode, Decode)]
pub struct Route {
    /// Its name in logs, events and metrics.
    pub id: RouteId,
    /// Hosts that it serves; empty is any.
    pub hosts: Vec<HostPattern>,
    /// Paths that it serves; never empty: a route without paths carries one pattern of the single segment
    /// [`Segment::AnyNumber`] that ranks below `/*`.
    pub paths: Vec<PathPattern>,
    /// Target of forwarding.
    pub upstream: Upstream,
    /// To the response head, and between bytes of the response body.
    pub upstream_timeout: Millis,
    /// Path changes before forwarding.
    pub rewrite: Rewrite,
    /// Enforced settings.
    pub settings: Settings,
    /// Contract; `None` is off.
    pub openapi: Option<OpenApi>,
    /// Cross-origin sharing; `None` is off.
    pub cors: Option<Cors>,
    /// Body of refusals; the global one where the route has none, `None` is the default.
    pub error_response: Option<ErrorTemplate>,
    /// Quota; `None` is off.
    pub rate_limit: Option<RateLimit>,
    /// Indices into [`exceptions`](super::configuration::Plan::exceptions), at most
    /// [`EXCEPTIONS_MAX`](crate::limits::EXCEPTIONS_MAX).
    pub exceptions: Vec<u32>,
}

/// Lower case, without a final dot.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub enum HostPattern {
    /// This host.
    Exact(String),
    /// Any subdomain, not the domain itself: `*.example.com` is kept as `.example.com`.
    Subdomains(String),
}

/// A path pattern. Segments are compared with the request path after normalisation.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct PathPattern {
    /// As the file writes it (empty for a route without paths).
    pub text: String,
    /// Normalised segments; none for `/`.
    pub segments: Vec<Segment>,
    /// Position among all patterns of the plan, most specific first, unique.
    pub rank: u32,
}

/// One segment of a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Encode, Decode)]
pub enum Segment {
    /// Exactly these bytes.
    Literal(String),
    /// `*` inside a pattern: exactly one segment.
    One,
    /// `**`, or `*` at the end: any number of segments, none included.
    AnyNumber,
}

/// Target of a route's forwarding.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Encode, Decode)]
pub struct Upstream {
    /// Plain or TLS.
    pub scheme: Scheme,
    /// Host name or address literal (IPv6 without brackets), lower case.
    pub host: String,
    /// TCP port, the scheme's default filled in.
    pub port: u16,
    /// Path put before the rewritten path; empty, or `/…` without a trailing slash.
    pub base_path: String,
    /// `host` or `host:port` as a Host field carries it (no default port).
    pub authority: String,
}

/// Scheme of an upstream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Encode, Decode)]
pub enum Scheme {
    /// `http://`
    Http,
    /// `https://`
    Https,
}

/// Path changes before forwarding; the query is kept.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub enum Rewrite {
    /// Forward the path as it came.
    Keep,
    /// Remove, then prepend. Empty strings do nothing.
    Prefix {
        /// Removed from the front.
        strip: String,
        /// Put in front afterwards.
        add: String,
    },
    /// Replace the whole path.
    Path(String),
}

/// The contract of a route.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct OpenApi {
    /// The file as configured.
    pub spec: String,
    /// SHA-256 of the bytes of the document and of the files that it refers to: a changed contract is a changed plan.
    pub spec_digest: [u8; 32],
    /// Index into [`contracts`](super::configuration::Plan::contracts).
    pub contract: u32,
    /// True if violations are refused.
    pub strict: bool,
}

/// Cross-origin sharing.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct Cors {
    /// Serialised origins, or `*` alone.
    pub allow_origins: Vec<String>,
    /// Method tokens.
    pub allow_methods: Vec<String>,
    /// Field names.
    pub allow_headers: Vec<String>,
    /// Field names.
    pub expose_headers: Vec<String>,
    /// True if credentials may be sent.
    pub allow_credentials: bool,
    /// Seconds.
    pub max_age: u32,
}

/// Body of refusals, split at its fields.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct ErrorTemplate {
    /// In order.
    pub parts: Vec<TemplatePart>,
}

/// A piece of an [`ErrorTemplate`].
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub enum TemplatePart {
    /// Copied.
    Text(String),
    /// `{{.RequestID}}`
    RequestId,
    /// `{{.Timestamp}}`
    Timestamp,
}

/// A quota.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Encode, Decode)]
pub struct RateLimit {
    /// Requests per window.
    pub requests: u64,
    /// Length of the sliding window.
    pub window: Millis,
    /// Kind of a key.
    pub source: RateLimitSource,
    /// Keys that are tracked.
    pub max_keys: u64,
    /// Idle time after which a key is forgotten.
    pub ttl: Millis,
    /// True if it is the global one: the routes that inherit it share its table of keys, and count each by itself.
    pub inherited: bool,
}

/// Identification of a client for a quota.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Encode, Decode)]
pub enum RateLimitSource {
    /// Client address.
    Ip,
    /// Value of this header, lower-case name.
    Header(String),
}
