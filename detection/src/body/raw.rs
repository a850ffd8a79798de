//! A body without structure that we know: one value, in pieces of bounded size that overlap.

use super::Sink;
use crate::field::Place;

/// Bytes judged at once.
const PIECE_BYTES: usize = 64 << 10;
/// What two pieces share, so that nothing hides on the border.
const OVERLAP_BYTES: usize = 4 << 10;

#[derive(Debug, Default)]
pub(super) struct Raw {
    piece: Vec<u8>,
    /// Whether the piece holds anything that was not in the one before.
    fresh: bool,
}

impl Raw {
    pub(super) fn reset(&mut self) {
        self.piece.clear();
        self.fresh = false;
    }

    pub(super) fn pending(&self) -> usize {
        self.piece.len()
    }

    pub(super) fn feed(&mut self, chunk: &[u8], sink: &mut impl Sink) {
        let mut rest = chunk;
        while !rest.is_empty() && !sink.is_over() {
            let room = PIECE_BYTES.saturating_sub(self.piece.len());
            let (taken, left) = rest.split_at_checked(room).unwrap_or((rest, &[]));
            self.piece.extend_from_slice(taken);
            self.fresh = true;
            rest = left;
            if self.piece.len() >= PIECE_BYTES {
                self.emit(sink);
                self.piece.drain(..PIECE_BYTES - OVERLAP_BYTES);
            }
        }
    }

    pub(super) fn finish(&mut self, sink: &mut impl Sink) {
        self.emit(sink);
        self.piece.clear();
    }

    fn emit(&mut self, sink: &mut impl Sink) {
        if self.fresh {
            sink.field(Place::Body, b"", &self.piece);
            self.fresh = false;
        }
    }
}
