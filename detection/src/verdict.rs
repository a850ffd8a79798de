//! Conclusion of an inspection: the rules that matched, the limits that were broken, and whether that blocks.

use std::borrow::Cow;

use waf_shared::catalog::{Leaf, LeafSet};
use waf_shared::limits;

use crate::evidence::Found;
use crate::field::{Field, Place};
use crate::rule::Rule;
use crate::view::View;

/// A rule that was found in a field.
#[derive(Debug, Clone)]
pub struct Match {
    /// Which.
    pub rule: &'static Rule,
    /// The place of the value.
    pub place: Place,
    /// Name of the field, cut to [`limits::FIELD_NAME_BYTES_MAX`].
    pub name: Vec<u8>,
    /// The view in which the bytes matched.
    pub view: View,
    /// Byte offset of the evidence in the view.
    pub offset: u32,
    /// The matched bytes, cut to [`limits::EXCERPT_BYTES_MAX`].
    pub excerpt: Vec<u8>,
    /// The rule's weight.
    pub weight: u8,
}

impl Match {
    /// A rule that was found in a view of `field`, in a window of it that begins at an offset.
    pub(crate) fn quoting(
        field: &Field<'_>,
        view: View,
        (window, offset): (&[u8], usize),
        found: Found,
    ) -> Match {
        let length = found.length.min(limits::EXCERPT_BYTES_MAX);
        let end = found.offset.saturating_add(length).min(window.len());
        Match {
            rule: found.rule,
            place: field.place,
            name: field.name.iter().take(limits::FIELD_NAME_BYTES_MAX).copied().collect(),
            view,
            offset: u32::try_from(offset.saturating_add(found.offset)).unwrap_or(u32::MAX),
            excerpt: window.get(found.offset..end).unwrap_or_default().to_vec(),
            weight: found.rule.weight,
        }
    }
}

/// A limit that was broken, or a message that cannot be read as what it claims to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The protection that refuses it.
    pub leaf: Leaf,
    /// For the audit event; never holds bytes of the request.
    pub reason: Cow<'static, str>,
}

/// The conclusion so far.
#[derive(Debug, Clone, Default)]
pub struct Verdict {
    /// In the order found, at most [`limits::MATCHES_MAX`]. Of more, a heavier one takes the place of a lighter one.
    pub matches: Vec<Match>,
    /// In the order found, each leaf once.
    pub violations: Vec<Violation>,
    /// Evidence: the heaviest field, or what one technique adds up to over all fields (below [`limits::SCORE_BLOCKS`]).
    pub score: u32,
    /// True if the budget ran out before everything was judged.
    pub timed_out: bool,
    fired: LeafSet,
    /// Weak evidence of each leaf over all fields, few entries.
    techniques: Vec<(Leaf, u32)>,
}

impl Verdict {
    /// Returns `true` if the request is to be refused.
    pub fn blocks(&self) -> bool {
        self.score >= limits::SCORE_BLOCKS || !self.violations.is_empty()
    }

    /// Every leaf that fired, also of matches beyond those kept in full.
    pub fn leaves(&self) -> LeafSet {
        self.fired
    }

    /// Forgets everything and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.matches.clear();
        self.violations.clear();
        self.techniques.clear();
        self.score = 0;
        self.timed_out = false;
        self.fired = LeafSet::EMPTY;
    }

    /// Records a broken limit; the first reason of a leaf is kept.
    pub(crate) fn violation(&mut self, leaf: Leaf, reason: impl Into<Cow<'static, str>>) {
        self.fired.insert(leaf);
        if self.violations.iter().all(|known| known.leaf != leaf) {
            self.violations.push(Violation { leaf, reason: reason.into() });
        }
    }

    /// Records a match; [`Verdict::field_done`] counts it.
    pub(crate) fn matched(&mut self, found: Match) {
        self.fired.insert(found.rule.leaf);
        if self.matches.len() >= limits::MATCHES_MAX {
            // The event names what decided: weak evidence in front must not crowd it out.
            let lightest = self.matches.iter().enumerate().rev().min_by_key(|(_, kept)| kept.weight);
            match lightest {
                Some((at, kept)) if kept.weight < found.weight => self.matches.remove(at),
                _ => return,
            };
        }
        self.matches.push(found);
    }

    /// Counts what a response held: it is one value, each rule counts once.
    pub(crate) fn response_found(&mut self, rules: &[&'static Rule]) {
        let sum = rules.iter().map(|rule| u32::from(rule.weight)).sum();
        self.score = self.score.max(sum);
    }

    /// Counts what one field value held: each rule once, weak and strong together. Over fields only evidence of the
    /// same leaf adds up, and never to the threshold, so a long honest form is no more suspect than a short one.
    pub(crate) fn field_done(&mut self, rules: &[&'static Rule]) {
        let sum: u32 = rules.iter().map(|rule| u32::from(rule.weight)).sum();
        self.score = self.score.max(sum);
        for rule in rules {
            let weight = u32::from(rule.weight);
            let known = self.techniques.iter().position(|(leaf, _)| *leaf == rule.leaf);
            let at = known.unwrap_or_else(|| {
                self.techniques.push((rule.leaf, 0));
                self.techniques.len() - 1
            });
            let Some((_, total)) = self.techniques.get_mut(at) else { continue };
            *total = total.saturating_add(weight);
            let total = *total;
            self.score = self.score.max(total.min(limits::SCORE_BLOCKS - 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules;

    fn found(weight: u8, offset: u32) -> Match {
        let rule = rules::all().next().expect("there are rules");
        Match {
            rule,
            place: Place::Query,
            name: Vec::new(),
            view: View::Raw,
            offset,
            excerpt: Vec::new(),
            weight,
        }
    }

    /// Weights and offsets of what is kept of matches with these weights, found one after the other.
    fn kept(weights: &[u8]) -> Vec<(u8, u32)> {
        let mut verdict = Verdict::default();
        for (offset, weight) in (0..).zip(weights) {
            verdict.matched(found(*weight, offset));
        }
        verdict.matches.iter().map(|kept| (kept.weight, kept.offset)).collect()
    }

    #[test]
    fn matches_beyond_the_bound_displace_lighter_ones_only() {
        let most = limits::MATCHES_MAX;
        let last = |more: &[u8], before: u8| {
            let all = kept(&[vec![before; most], more.to_vec()].concat());
            assert_eq!(all.len(), most);
            all.last().copied()
        };
        let end = most as u32;
        assert_eq!(last(&[5], 1), Some((5, end)));
        assert_eq!(last(&[1, 2, 5], 1), Some((5, end + 2)));
        assert_eq!(last(&[3], 3), Some((3, end - 1)), "what was found first stays");
        assert_eq!(last(&[4], 5), Some((5, end - 1)));
        assert_eq!(last(&[5, 5, 4], 4), Some((5, end + 1)));
        let mixed = kept(&[vec![1], vec![2; most - 1], vec![5]].concat());
        assert_eq!((mixed.first(), mixed.len()), (Some(&(2, 1)), most), "the lightest gives way");
    }
}
