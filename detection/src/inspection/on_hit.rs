//! The consequence of evidence that blocks.

/// The consequence of evidence that blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnHit {
    /// The field in hand is finished, nothing more is judged (mode `blocking`).
    Stop,
    /// Everything is judged (mode `detect_only`).
    GoOn,
}
