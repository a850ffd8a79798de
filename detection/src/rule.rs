//! A rule is data with its own proof: what it looks for beside what it must catch and what it must let pass.

use waf_languages::language::{Language, Prefilter};
use waf_shared::catalog::Leaf;

use crate::evidence::{Evidence, Subject};
use crate::field::{Place, Places};
use crate::response_pattern::ResponsePattern;

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
    /// Reported by a [`Detector`].
    Detected,
    /// Reported by a [`Detector`] for which the name of the field counts; the proofs are values of this field.
    DetectedInField {
        /// Where the field stands.
        place: Place,
        /// Its name.
        name: &'static str,
    },
    /// Looked for in responses, where who speaks matters as much as what is said; see [`crate::response`].
    Response(&'static [ResponsePattern]),
    /// Reported by a check of the request head as a whole ([`crate::request`]); the proofs are whole requests, their
    /// lines parted by LF.
    RequestHead,
}

/// A detector reports rules for the signs of a language, or of a part of HTTP. It runs over a view in which one of its
/// triggers occurs. It must be linear in the view's length, bounded in space, and must never panic.
#[derive(Debug)]
pub struct Detector {
    /// The name in tools.
    pub name: &'static str,
    /// Lists of lower-case literals, any one of which makes the detector a candidate; short ones (`'`, `<`) are allowed where
    /// the language demands it. A detector without triggers looks at every path, and at every view with control
    /// characters, bytes outside ASCII, backslashes or percent signs.
    pub triggers: &'static [&'static [&'static str]],
    /// A test that spares the detector views with literals of prose alone.
    pub prefilter: Option<Prefilter>,
    /// Places that it looks at; the union of its rules' places.
    pub places: Places,
    /// The work.
    pub run: fn(&Subject<'_>, &mut Evidence<'_>),
}

impl Detector {
    /// A detector that scans for `L`.
    pub const fn of<L: Language>(places: Places, run: fn(&Subject<'_>, &mut Evidence<'_>)) -> Detector {
        Detector { name: L::NAME, triggers: &[L::TRIGGERS], prefilter: L::PREFILTER, places, run }
    }

    /// The literals of all lists.
    pub fn literals(&self) -> impl Iterator<Item = &'static str> {
        self.triggers.iter().copied().flatten().copied()
    }
}

/// Rules that belong together, and the detectors that report those of them that are not patterns.
#[derive(Debug, Clone, Copy)]
pub struct Bucket {
    /// The rules, one list for each file.
    pub rules: &'static [&'static [&'static Rule]],
    /// The detectors; they report rules of no other bucket. All first detectors run before all second ones.
    pub detectors: &'static [&'static Detector],
}

impl Bucket {
    /// The rules of all files.
    pub fn rules(&self) -> impl Iterator<Item = &'static Rule> + use<> {
        self.rules.iter().copied().flatten().copied()
    }
}
