//! Traces: one server span for each request, a client span for its call of the upstream, exported by OTLP. A request
//! hands what is known of it to a bounded queue and never waits; what finds no place there, or no collector, is counted
//! and gone. While tracing is off none of this exists.

mod context;
mod dropped;
mod error;
mod exchange;
mod export;
mod span;
mod tracer;
mod transport;

pub(crate) use context::Context;
pub use dropped::spans_dropped;
pub use error::TraceSetupError;
pub(crate) use exchange::Exchange;
pub(crate) use span::{Action, Call, Finished, TracedRequest, bounded};
pub(crate) use tracer::Tracer;
