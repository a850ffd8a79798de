//! What a detector is shown and what it reports.

use waf_shared::catalog::{Leaf, LeafSet};

use crate::budget::{Meter, Watch};
use crate::field::Place;
use crate::rule::Rule;
use crate::view::View;

/// One view of one field value.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// Where the value stands.
    pub place: Place,
    /// Name of the field.
    pub name: &'a [u8],
    /// How the bytes came from those sent.
    pub view: View,
    /// The bytes. Not necessarily UTF-8, any length up to `max_inspect_size`.
    pub bytes: &'a [u8],
}

/// A rule that was found in a view.
#[derive(Debug, Clone, Copy)]
pub struct Found {
    /// Which.
    pub rule: &'static Rule,
    /// Byte offset of the evidence in the view.
    pub offset: usize,
    /// Its length in bytes.
    pub length: usize,
}

/// Collects what the rules and detectors find in one view.
#[derive(Debug)]
pub struct Evidence<'s> {
    leaves: &'s LeafSet,
    place: Place,
    found: &'s mut Vec<Found>,
    watch: Watch<'s>,
}

impl<'s> Evidence<'s> {
    /// For a view at `place`, judged by `leaves`; what is found is appended to `found`.
    pub fn new(leaves: &'s LeafSet, place: Place, found: &'s mut Vec<Found>) -> Evidence<'s> {
        Evidence { leaves, place, found, watch: Watch::UNLIMITED }
    }

    /// The same on a budget.
    pub(crate) fn metered(
        leaves: &'s LeafSet,
        place: Place,
        found: &'s mut Vec<Found>,
        meter: &'s Meter,
    ) -> Evidence<'s> {
        Evidence { leaves, place, found, watch: Watch::new(meter) }
    }

    /// What tells whether there is time to go on; a copy of it may go wherever the detector goes.
    pub fn watch(&self) -> Watch<'s> {
        self.watch
    }

    /// Whether anything of `leaf` is wanted: lets a detector skip work for protections that are off.
    pub fn wants(&self, leaf: Leaf) -> bool {
        self.leaves.contains(leaf)
    }

    /// Reports `rule` at `offset` of the view. Rules whose leaf is off or that do not look at this place are dropped; a rule counts once a view.
    pub fn found(&mut self, rule: &'static Rule, offset: usize, length: usize) {
        let known = self.found.iter().any(|found| std::ptr::eq(found.rule, rule));
        if !known && self.leaves.contains(rule.leaf) && rule.places.contains(self.place) {
            self.found.push(Found { rule, offset, length });
        }
    }
}
