//! The input of a detector, and its reports.

use waf_languages::budget::{Meter, Watch};
use waf_languages::language::{Context, Finding, Findings, Input, Language, Role, Span};
use waf_shared::catalog::{Leaf, LeafSet};

use crate::field::Place;
use crate::rule::Rule;
use crate::view::View;

/// One view of one field value.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The place of the value.
    pub place: Place,
    /// Name of the field.
    pub name: &'a [u8],
    /// The view that the bytes are.
    pub view: View,
    /// The bytes. Not necessarily UTF-8, any length up to `max_inspect_size`.
    pub bytes: &'a [u8],
}

impl<'a> Subject<'a> {
    /// The view as a language sees it.
    fn input(&self, watch: Watch<'a>) -> Input<'a> {
        Input { bytes: self.bytes, name: self.name, role: role(self.place), watch }
    }
}

/// The role of values at `place`.
const fn role(place: Place) -> Role {
    match place {
        Place::Query | Place::Form | Place::Part => Role::Argument,
        Place::QueryName | Place::FormName => Role::ArgumentName,
        Place::Json | Place::Xml => Role::Scalar,
        Place::JsonKey => Role::Key,
        Place::PartName | Place::CookieName => Role::Name,
        Place::Body | Place::File => Role::Text,
        Place::Path
        | Place::PathSegment
        | Place::Header
        | Place::Cookie
        | Place::PartHeader
        | Place::FileName
        | Place::ResponseHeader
        | Place::ResponseBody
        | Place::Message => Role::Piece,
    }
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

    /// The handle that shows whether there is time to go on; a copy of it may go wherever the detector goes.
    pub fn watch(&self) -> Watch<'s> {
        self.watch
    }

    /// Returns `true` if anything of `leaf` is wanted: lets a detector skip work for protections that are off.
    pub fn wants(&self, leaf: Leaf) -> bool {
        self.leaves.contains(leaf)
    }

    /// Scans `subject` for `L`, and reports the rules that `rules` names for each finding.
    pub fn scan<L, R>(&mut self, subject: &Subject<'_>, rules: impl Fn(&Finding<L::Sign>) -> R)
    where
        L: Language,
        R: IntoIterator<Item = &'static Rule>,
    {
        let leaves = self.leaves;
        let is_wanted = |sign| {
            let anywhere = Finding { sign, context: Context::Code, span: Span { offset: 0, length: 0 } };
            rules(&anywhere).into_iter().any(|rule| leaves.contains(rule.leaf))
        };
        let input = subject.input(self.watch);
        let mut receive = |finding: Finding<L::Sign>| {
            for rule in rules(&finding) {
                self.found(rule, finding.span.offset, finding.span.length);
            }
        };
        L::scan(&input, &mut Findings::wanted(&mut receive, &is_wanted));
    }

    /// Reports `rule` at `offset` of the view. Rules whose leaf is off or that do not look at this place are dropped; a rule counts once a view.
    pub fn found(&mut self, rule: &'static Rule, offset: usize, length: usize) {
        let known = self.found.iter().any(|found| std::ptr::eq(found.rule, rule));
        if !known && self.leaves.contains(rule.leaf) && rule.places.contains(self.place) {
            self.found.push(Found { rule, offset, length });
        }
    }
}
