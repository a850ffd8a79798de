//! Text without structure that we know: one value, in pieces of bounded size that overlap.

use crate::body::sink::Sink;
use crate::field::Place;
use waf_bodies::recycle;

/// Bytes judged at once.
const PIECE_BYTES: usize = 64 << 10;
/// Bytes that two pieces share, so that nothing hides on the border.
const OVERLAP_BYTES: usize = 4 << 10;

/// Gathers the value that stands at a place.
#[derive(Debug)]
pub(super) struct Raw {
    place: Place,
    name: Vec<u8>,
    piece: Vec<u8>,
    /// True if the piece holds anything that was not in the one before.
    fresh: bool,
}

impl Default for Raw {
    fn default() -> Raw {
        Raw { place: Place::Body, name: Vec::new(), piece: Vec::new(), fresh: false }
    }
}

impl Raw {
    /// Begins a value; an unfinished one is forgotten.
    pub(super) fn start(&mut self, place: Place, name: &[u8]) {
        self.place = place;
        self.name.clear();
        self.name.extend_from_slice(name);
        self.reset();
    }

    pub(super) fn reset(&mut self) {
        recycle(&mut self.piece);
        self.fresh = false;
    }

    pub(super) fn place(&self) -> (Place, &[u8]) {
        (self.place, &self.name)
    }

    pub(super) fn pending(&self) -> usize {
        self.piece.len()
    }

    /// Bytes until the next piece is judged.
    pub(super) fn room(&self) -> usize {
        PIECE_BYTES.saturating_sub(self.piece.len())
    }

    pub(super) fn feed(&mut self, chunk: &[u8], sink: &mut impl Sink) {
        let mut rest = chunk;
        while !rest.is_empty() && !sink.is_over() {
            let (taken, left) = rest.split_at_checked(self.room()).unwrap_or((rest, &[]));
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
            sink.field(self.place, &self.name, &self.piece);
            self.fresh = false;
        }
    }
}
