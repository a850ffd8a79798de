//! Push parser for `application/x-www-form-urlencoded`: pairs between `&`. It decodes nothing.

use crate::body::buffer::recycle;
use crate::body::sink::Sink;
use crate::field::Place;

/// Holds the pair that is not complete yet; the caller bounds the body.
#[derive(Debug, Default)]
pub(super) struct Form {
    pair: Vec<u8>,
}

impl Form {
    pub(super) fn reset(&mut self) {
        recycle(&mut self.pair);
    }

    pub(super) fn pending(&self) -> usize {
        self.pair.len()
    }

    pub(super) fn feed(&mut self, chunk: &[u8], sink: &mut impl Sink) {
        let mut rest = chunk;
        while let Some((head, tail)) = memchr::memchr(b'&', rest).and_then(|at| rest.split_at_checked(at)) {
            if self.pair.is_empty() {
                emit(head, sink);
            } else {
                self.pair.extend_from_slice(head);
                self.finish(sink);
            }
            if sink.is_over() {
                return;
            }
            rest = tail.get(1..).unwrap_or_default();
        }
        self.pair.extend_from_slice(rest);
    }

    pub(super) fn finish(&mut self, sink: &mut impl Sink) {
        emit(&self.pair, sink);
        self.pair.clear();
    }
}

fn emit(pair: &[u8], sink: &mut impl Sink) {
    if !pair.is_empty() {
        sink.argument(Place::FormName, Place::Form, pair);
    }
}
