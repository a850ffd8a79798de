//! Forms in fields. Nothing is decoded.

use std::ops::ControlFlow;

use waf_bodies::form::Pairs;

use crate::body::sink::Sink;
use crate::field::Place;

/// The reader.
#[derive(Debug, Default)]
pub(super) struct Form {
    pairs: Pairs,
}

impl Form {
    pub(super) fn reset(&mut self) {
        self.pairs.reset();
    }

    pub(super) fn pending(&self) -> usize {
        self.pairs.pending()
    }

    pub(super) fn feed(&mut self, chunk: &[u8], sink: &mut impl Sink) {
        self.pairs.feed(chunk, &mut |pair| judge(pair, sink));
    }

    pub(super) fn finish(&mut self, sink: &mut impl Sink) {
        // What follows the last pair is the end.
        let _ = self.pairs.finish(&mut |pair| judge(pair, sink));
    }
}

fn judge(pair: &[u8], sink: &mut impl Sink) -> ControlFlow<()> {
    sink.argument(Place::FormName, Place::Form, pair);
    if sink.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}
