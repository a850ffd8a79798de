//! The compiled rule set: one automaton over all literals and triggers, one expression a pattern rule. It judges single
//! views and knows nothing of fields' decodings, scores or requests.

use std::fmt;

use regex::bytes::{Regex, RegexBuilder};
use waf_languages::language::Prefilter;
use waf_shared::catalog::LeafSet;

use crate::budget::Meter;
use crate::cost::Cost;
use crate::evidence::{Evidence, Found, Subject};
use crate::field::{Place, Places};
use crate::rule::{Bucket, Detector, Rule, RuleMatcher};
use crate::view::classes::{self, Classes};

mod candidates;
mod clean;
mod digest;
mod literals;
mod response_patterns;

pub(crate) use candidates::Candidates;
pub(crate) use clean::Clean;
pub(crate) use response_patterns::{ANCHOR_BYTES_MAX, ResponsePatterns};

use candidates::CANDIDATES_MAX;
use digest::digest;
use literals::{Codings, Literals, shortest};

/// Bytes that an expression's compiled form may take; a rule that needs more is written wrongly.
const REGEX_BYTES_MAX: usize = 4 << 20;

/// A thing that runs once a literal of it was seen.
enum Matcher {
    /// A detector, and the bucket whose rules it can report.
    Detector(&'static Detector, Bucket),
    Pattern(&'static Rule, Regex),
    /// A test whether the detector at that index is to run.
    Prefilter(Prefilter, &'static Detector, Bucket, usize),
}

impl Matcher {
    /// The matchers of `buckets`: first detectors, second detectors, prefilters, patterns.
    fn all(buckets: &[Bucket]) -> Vec<Matcher> {
        let most = buckets.iter().map(|bucket| bucket.detectors.len()).max().unwrap_or(0);
        let mut matchers: Vec<Matcher> = (0..most)
            .flat_map(|nth| buckets.iter().map(move |bucket| (bucket, bucket.detectors.get(nth))))
            .filter_map(|(bucket, detector)| Some(Matcher::Detector(detector?, *bucket)))
            .collect();
        let prefilters: Vec<Matcher> = (matchers.iter().enumerate())
            .filter_map(|(index, matcher)| match matcher {
                Matcher::Detector(detector, bucket) => {
                    Some(Matcher::Prefilter(detector.prefilter?, detector, *bucket, index))
                }
                _ => None,
            })
            .collect();
        matchers.extend(prefilters);
        for rule in buckets.iter().flat_map(Bucket::rules) {
            if let RuleMatcher::Pattern { regex, .. } = rule.matcher {
                matchers.push(Matcher::Pattern(rule, compile(regex)));
            }
        }
        assert!(matchers.len() <= CANDIDATES_MAX, "the rule set outgrew the candidate set");
        matchers
    }

    fn places(&self) -> Places {
        match self {
            Matcher::Detector(detector, _) | Matcher::Prefilter(_, detector, ..) => detector.places,
            Matcher::Pattern(rule, _) => rule.places,
        }
    }

    /// Place of its family in the catalog; the rules of a bucket belong to one.
    fn family(&self) -> usize {
        let rule = match self {
            Matcher::Detector(_, bucket) | Matcher::Prefilter(_, _, bucket, _) => bucket.rules().next(),
            Matcher::Pattern(rule, _) => Some(*rule),
        };
        rule.map_or(0, |rule| rule.leaf.family_index())
    }

    /// The literals that make it a candidate.
    fn literals(&self) -> Vec<&'static str> {
        match self {
            Matcher::Detector(detector, _) => detector.literals().collect(),
            Matcher::Prefilter(prefilter, ..) => prefilter.triggers.to_vec(),
            Matcher::Pattern(Rule { matcher: RuleMatcher::Pattern { literals, .. }, .. }, _) => {
                literals.to_vec()
            }
            Matcher::Pattern(..) => Vec::new(),
        }
    }

    /// Returns `true` for a detector that no literal calls for.
    fn is_untriggered(&self) -> bool {
        matches!(self, Matcher::Detector(..)) && self.literals().is_empty()
    }
}

/// The rule set in executable form. Built once, shared by all routes and threads.
pub struct Engine {
    matchers: Vec<Matcher>,
    literals: Literals,
    /// For each set of classes, the shortest literal made of these classes alone (`u8::MAX`: none).
    shortest: Box<[u8; classes::SETS]>,
    codings: Codings,
    by_place: [Candidates; 32],
    /// For each matcher, the family of what it can report.
    families: Vec<usize>,
    /// Judges without triggers: the classes of a view's bytes call for them.
    untriggered: Candidates,
    digest: u64,
    clean: Clean,
    response_patterns: ResponsePatterns,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("matchers", &self.matchers.len())
            .field("digest", &self.digest)
            .finish_non_exhaustive()
    }
}

impl Engine {
    /// Compiles the rules of `buckets`; [`crate::rules::engine`] passes all of them.
    pub fn new(buckets: impl IntoIterator<Item = Bucket>) -> Engine {
        let buckets: Vec<Bucket> = buckets.into_iter().collect();
        let matchers = Matcher::all(&buckets);
        let literals = merged(&matchers);
        let by_place = std::array::from_fn(|place| {
            Candidates::of(&matchers, |matcher| matcher.places().contains_index(place))
        });
        let untriggered = Candidates::of(&matchers, Matcher::is_untriggered);
        Engine {
            families: matchers.iter().map(Matcher::family).collect(),
            codings: Codings::new(&matchers, &untriggered),
            untriggered,
            shortest: shortest(&literals),
            literals: Literals::new(literals),
            by_place,
            matchers,
            digest: digest(&buckets),
            clean: Clean::new(),
            response_patterns: ResponsePatterns::new(buckets.iter().flat_map(Bucket::rules)),
        }
    }

    /// Names the rule set: the same rules and literals give the same value.
    pub fn rule_set_digest(&self) -> u64 {
        self.digest
    }

    /// Header values that were found clean before.
    pub(crate) fn clean(&self) -> &Clean {
        &self.clean
    }

    /// The patterns of responses.
    pub(crate) fn response_patterns(&self) -> &ResponsePatterns {
        &self.response_patterns
    }

    /// Of `active`, what can say anything of a coded form that it cannot say of the decoded one.
    pub(crate) fn of_codings(&self, active: &Candidates) -> Candidates {
        self.codings.matchers.both(active)
    }

    /// The candidates that can report anything under `leaves`.
    pub(crate) fn active(&self, leaves: &LeafSet) -> Candidates {
        let mut set = Candidates::NONE;
        for (index, matcher) in self.matchers.iter().enumerate() {
            let wanted = match matcher {
                Matcher::Detector(_, bucket) => bucket.rules().any(|rule| leaves.contains(rule.leaf)),
                Matcher::Pattern(rule, _) => leaves.contains(rule.leaf),
                // Detectors stand before their prefilters.
                Matcher::Prefilter(.., detector) => set.contains(*detector),
            };
            if wanted {
                set.insert(index);
            }
        }
        set
    }

    /// As [`Engine::candidates`] for a coded form: a short look first, because it is decoded and judged anyway.
    pub(crate) fn coded_candidates(
        &self,
        active: &Candidates,
        place: Place,
        classes: Classes,
        bytes: &[u8],
    ) -> Option<Candidates> {
        if self.codings.literals.is_match(bytes) {
            return self.candidates(active, place, classes, bytes);
        }
        self.called(active, place, classes)
    }

    /// The detectors that the bytes' classes call for.
    #[inline]
    fn called(&self, active: &Candidates, place: Place, classes: Classes) -> Option<Candidates> {
        let are_called = place == Place::Path || classes.is_odd();
        are_called.then(|| self.untriggered.both(active).both(&self.by_place[place as usize]))
    }

    /// One pass over the bytes: which of the `active` candidates are worth a closer look at `place`; `None` for nearly all
    /// values, of which none are.
    pub(crate) fn candidates(
        &self,
        active: &Candidates,
        place: Place,
        classes: Classes,
        bytes: &[u8],
    ) -> Option<Candidates> {
        let called = self.called(active, place, classes);
        let shortest = self.shortest[classes.set()];
        if shortest == u8::MAX || bytes.len() < usize::from(shortest) {
            return called;
        }
        let mut seen = Candidates::NONE;
        if !self.literals.scan(bytes, &mut seen) {
            return called;
        }
        let seen = seen.both(active).both(&self.by_place[place as usize]);
        Some(called.map_or(seen, |called| seen.either(&called)))
    }

    /// Proves `candidates` over a view; what holds is appended to `found`. The work ends when `meter` says so, and what
    /// each family took of it is added to `cost`.
    pub(crate) fn run_matchers(
        &self,
        candidates: &Candidates,
        leaves: &LeafSet,
        subject: &Subject<'_>,
        found: &mut Vec<Found>,
        (meter, cost): (&Meter, &mut Cost),
    ) {
        let mut began = meter.watch();
        for index in candidates.iter() {
            match self.matchers.get(index) {
                Some(Matcher::Prefilter(.., detector)) if candidates.contains(*detector) => continue,
                Some(Matcher::Prefilter(prefilter, ..)) if !(prefilter.may_match)(subject.bytes) => {}
                Some(Matcher::Detector(detector, _) | Matcher::Prefilter(_, detector, ..)) => {
                    (detector.run)(subject, &mut Evidence::metered(leaves, subject.place, found, meter));
                }
                Some(Matcher::Pattern(rule, regex)) => {
                    if let Some(hit) = regex.find(subject.bytes) {
                        Evidence::new(leaves, subject.place, found).found(rule, hit.start(), hit.len());
                    }
                }
                None => {}
            }
            let ended = meter.watch();
            if let Some(family) = self.families.get(index) {
                cost.add_matchers(*family, ended.saturating_sub(began));
            }
            began = ended;
            if !meter.spend(subject.bytes.len()) {
                return;
            }
        }
    }
}

/// Every literal in lower case, with the matchers that it calls for.
fn merged(matchers: &[Matcher]) -> Vec<(Vec<u8>, Vec<u16>)> {
    let mut literals: Vec<(Vec<u8>, Vec<u16>)> = Vec::new();
    for (index, matcher) in matchers.iter().enumerate() {
        for literal in matcher.literals().iter().filter(|literal| !literal.is_empty()) {
            literals.push((literal.as_bytes().to_ascii_lowercase(), vec![index as u16]));
        }
    }
    literals.sort();
    literals.dedup_by(|later, earlier| {
        let same = later.0 == earlier.0;
        if same {
            earlier.1.append(&mut later.1);
        }
        same
    });
    literals
}

fn compile(regex: &str) -> Regex {
    RegexBuilder::new(regex)
        .unicode(false)
        .case_insensitive(true)
        .size_limit(REGEX_BYTES_MAX)
        .build()
        .expect("the tests compile every rule of the crate")
}
