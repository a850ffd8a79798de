//! Faults that keep traces from being exported.

use crate::upstream::TlsSetupError;

/// The reason why traces cannot be exported.
#[derive(Debug, thiserror::Error)]
pub enum TraceSetupError {
    /// TLS to the collector cannot be had.
    #[error("the collector cannot be reached by TLS")]
    Tls(#[from] TlsSetupError),
    /// The library refused the settings.
    #[error("traces cannot be exported: {0}")]
    Exporter(String),
    /// There is no runtime that the export could live in.
    #[error("traces need a runtime")]
    Runtime,
}
