//! A rule is data with its own proof: what it looks for beside what it must catch and what it must let pass.

use waf_shared::catalog::Leaf;

use crate::evidence::{Evidence, Subject};
use crate::field::Places;
use crate::response::ResponsePattern;

/// Strong evidence: blocks alone.
pub const STRONG: u8 = 5;

/// One detection rule.
#[derive(Debug)]
pub struct Rule {
    /// `<leaf>/<name>`, stable for ever; stands in `waf.matched_rules`.
    pub id: &'static str,
    /// The protection that it belongs to.
    pub leaf: Leaf,
    /// [`STRONG`], or 1 to 4 for evidence that counts only with other evidence.
    pub weight: u8,
    /// Where it looks.
    pub places: Places,
    /// How it looks.
    pub matcher: RuleMatcher,
    /// One sentence for the audit event and the rule listing.
    pub summary: &'static str,
    /// At least three values (decoded, as the application would see them) in which it must be found.
    pub attacks: &'static [&'static str],
    /// At least three everyday values that look near it, in which it must not be found.
    pub benign: &'static [&'static str],
}

/// How a rule looks at a view.
#[derive(Debug)]
pub enum RuleMatcher {
    /// A linear-time regular expression over bytes, ASCII case-insensitive, tried only when one of `literals` (lower case,
    /// three bytes or more wherever possible) occurs. Every match of the expression must contain one of the literals.
    Pattern {
        /// Syntax of the `regex` crate, compiled with `(?i-u)`.
        regex: &'static str,
        /// Any one of these makes the rule a candidate.
        literals: &'static [&'static str],
    },
    /// Reported by a detector of [`crate::lang`].
    Detected,
    /// Looked for in responses, where who speaks matters as much as what is said; see [`crate::response`].
    Response(&'static [ResponsePattern]),
    /// Reported by a check of the request head as a whole ([`crate::request`]); the proofs are whole requests, their
    /// lines parted by LF.
    RequestHead,
}

/// A detector understands one language. It runs over a view in which one of its triggers occurs, and reports rules.
/// It must be linear in the view's length, bounded in space, and must never panic.
#[derive(Debug)]
pub struct Detector {
    /// The language.
    pub name: &'static str,
    /// Lower-case literals, any one of which makes the detector a candidate; short ones (`'`, `<`) are allowed where the language demands it.
    /// A detector without triggers looks at every path, and at every view with control characters, bytes outside ASCII,
    /// backslashes or percent signs.
    pub triggers: &'static [&'static str],
    /// Places that it looks at; the union of its rules' places.
    pub places: Places,
    /// The work.
    pub run: fn(&Subject<'_>, &mut Evidence<'_>),
}

/// A look at a view that is cheaper than its detector: where nothing but one of these triggers occurs, which everyday text is full
/// of, the detector runs only when the look says that it is worth it.
#[derive(Debug)]
pub struct Prefilter {
    /// Whose time it saves.
    pub detector: &'static Detector,
    /// Lower-case literals, none of which is a trigger of the detector.
    pub triggers: &'static [&'static str],
    /// Whether the detector is to run. It may say yes too often, never no where the detector would find something.
    pub may_match: fn(&[u8]) -> bool,
}
