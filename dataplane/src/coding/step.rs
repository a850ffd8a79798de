//! One step of a decoder: its result, its fault, and its treatment of bytes beside the content.

/// Treatment of bytes that a coding carries beside the content: optional fields, skippable frames, metadata. Headers
/// of a fixed size are none of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ancillary {
    /// A body that carries any is malformed, but for names of files in plain letters and what parallel writers need.
    Refused,
    /// They are skipped, as decoders do.
    Skipped,
}

/// Result of one step of a decoder. Neither means that it waits for input.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) taken: usize,
    pub(super) made: usize,
}

/// The input is not what the coding allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Malformed;
