//! A receiver of the pieces of a body beside the stage that reads them. It knows pieces, nothing of who receives them.

use std::fmt;

use crate::http1::reader::Piece;

/// The receiver. It does not wait.
pub(super) struct PieceTap(Box<dyn Fn(&Piece) + Send + Sync>);

impl PieceTap {
    pub(super) fn new(receive: impl Fn(&Piece) + Send + Sync + 'static) -> PieceTap {
        PieceTap(Box::new(receive))
    }

    /// Hands the next piece over.
    pub(super) fn take(&self, piece: &Piece) {
        (self.0)(piece);
    }
}

impl fmt::Debug for PieceTap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PieceTap")
    }
}
