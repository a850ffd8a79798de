//! The plan: everything a worker needs to serve, resolved, as plain data. It is deterministic (the same inputs give
//! the same bytes), versioned and named by its SHA-256 ([`Digest`]). Automata are derived from it, never stored in it.
//! No type here is recursive: conditions and schemas lie in flat arenas with indices.

mod codec;
mod configuration;
pub mod contract;
mod exception;
mod millis;
mod route;
mod settings;

pub use codec::{DecodeError, Digest, EncodeError, FORMAT_VERSION, decode, encode};
pub use configuration::{AuditFormat, Cidr, Listen, OtlpProtocol, Plan, Protocol, Tracing};
pub use exception::{ExceptedPlace, Exception, NamePart};
pub use millis::Millis;
pub use route::{
    Cors, ErrorTemplate, HostPattern, OpenApi, PathPattern, RateLimit, RateLimitSource, Rewrite, Route,
    RouteId, Scheme, Segment, TemplatePart, Upstream,
};
pub use settings::{Accept, AddHeader, Inspection, Mode, Multipart, ResponseHeaders, Settings};
