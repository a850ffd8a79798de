//! Judging as the receiver of what parsers of bodies find.

use waf_shared::catalog::Leaf;

use super::judging::Judging;
use super::repeated::Source;
use crate::body::Sink;
use crate::field::{Field, Place};

impl Sink for Judging {
    fn field(&mut self, place: Place, name: &[u8], value: &[u8]) {
        if place == Place::Part {
            self.arrived.note(Source::Form, name, value);
        }
        Judging::field(self, &Field { place, name, value });
    }

    fn argument(&mut self, names: Place, values: Place, pair: &[u8]) {
        Judging::argument(self, names, values, pair);
    }

    fn argument_name(&mut self, names: Place, name: &[u8]) {
        self.in_context(names, names, name, b"");
        Judging::argument_name(self, names, name);
    }

    fn violation(&mut self, leaf: Leaf, reason: &'static str) {
        Judging::violation(self, leaf, reason.into());
    }

    fn is_over(&self) -> bool {
        Judging::is_over(self)
    }
}
