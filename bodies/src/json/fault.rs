//! Faults of JSON texts.

/// The reason why a text is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// A sentence without its full stop.
    pub reason: &'static str,
    /// Bytes of the chunk behind the place where it was found. The place does not depend on how a document is cut into chunks.
    pub bytes_after: usize,
}
