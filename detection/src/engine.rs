//! The compiled rule set: one automaton over all literals and triggers, one expression a pattern rule. It judges single
//! views and knows nothing of fields' decodings, scores or requests.

use std::fmt;

use regex::bytes::{Regex, RegexBuilder};
use waf_shared::catalog::LeafSet;

use crate::budget::Meter;
use crate::cost::Cost;
use crate::evidence::{Evidence, Found, Subject};
use crate::field::{Place, Places};
use crate::response::Signs;
use crate::rule::{Glance, Judge, Rule, Test};
use crate::rules;
use crate::view::classes::{self, Classes};

mod candidates;
mod clean;
mod digest;
mod literals;

pub(crate) use candidates::Candidates;
pub(crate) use clean::Clean;

use candidates::CANDIDATES_MAX;
use digest::digest;
use literals::{Codings, Literals, shortest};

/// Bytes that an expression's compiled form may take; a rule that needs more is written wrongly.
const REGEX_BYTES_MAX: usize = 4 << 20;

/// What runs once a literal of it was seen.
enum Proof {
    /// The judge and the rules that it can report.
    Judge(&'static Judge, &'static [&'static Rule]),
    Pattern(&'static Rule, Regex),
    /// A look whether the judge at that index is to run.
    Glance(&'static Glance, usize),
}

impl Proof {
    fn places(&self) -> Places {
        match self {
            Proof::Judge(judge, _) | Proof::Glance(Glance { judge, .. }, _) => judge.places,
            Proof::Pattern(rule, _) => rule.places,
        }
    }

    /// Place of its family in the catalog; a judge's rules belong to one.
    fn family(&self) -> usize {
        let rule = match self {
            Proof::Judge(_, rules) => rules.first().copied(),
            Proof::Glance(glance, _) => {
                let mut judges = rules::judges_with_rules();
                let judge = judges.find(|(judge, _)| std::ptr::eq(*judge, glance.judge));
                judge.and_then(|(_, rules)| rules.first().copied())
            }
            Proof::Pattern(rule, _) => Some(*rule),
        };
        rule.map_or(0, |rule| rule.leaf.family_index())
    }
}

/// The rule set in executable form. Built once, shared by all routes and threads.
pub struct Engine {
    proofs: Vec<Proof>,
    /// Every literal.
    full: Literals,
    /// Literals that can occur in a value of word bytes alone.
    word: Literals,
    /// For each set of classes, the shortest literal made of these classes alone (`u8::MAX`: none).
    shortest: Box<[u8; classes::SETS]>,
    codings: Codings,
    by_place: [Candidates; 32],
    /// For each proof, the family of what it can report.
    families: Vec<usize>,
    /// Judges without triggers: the classes of a view's bytes call for them.
    untriggered: Candidates,
    digest: u64,
    clean: Clean,
    signs: Signs,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("proofs", &self.proofs.len())
            .field("digest", &self.digest)
            .finish_non_exhaustive()
    }
}

impl Default for Engine {
    fn default() -> Engine {
        Engine::new()
    }
}

impl Engine {
    /// Compiles every rule of the crate.
    pub fn new() -> Engine {
        let mut proofs: Vec<Proof> =
            rules::judges_with_rules().map(|(judge, rules)| Proof::Judge(judge, rules)).collect();
        for glance in rules::glances() {
            let judge = rules::judges().position(|judge| std::ptr::eq(judge, glance.judge));
            proofs.push(Proof::Glance(glance, judge.expect("a glance stands for a judge of the list")));
        }
        for rule in rules::all() {
            if let Test::Pattern { regex, .. } = rule.test {
                proofs.push(Proof::Pattern(rule, compile(regex)));
            }
        }
        assert!(proofs.len() <= CANDIDATES_MAX, "the rule set outgrew the candidate set");
        let mut literals: Vec<(Vec<u8>, Vec<u16>)> = Vec::new();
        for (index, proof) in proofs.iter().enumerate() {
            let wanted = match proof {
                Proof::Judge(judge, _) => judge.triggers,
                Proof::Glance(glance, _) => glance.triggers,
                Proof::Pattern(Rule { test: Test::Pattern { literals, .. }, .. }, _) => literals,
                Proof::Pattern(..) => &[],
            };
            for literal in wanted.iter().filter(|literal| !literal.is_empty()) {
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
        let by_place = std::array::from_fn(|place| {
            let mut set = Candidates::NONE;
            for (index, proof) in proofs.iter().enumerate() {
                if proof.places().contains_index(place) {
                    set.insert(index);
                }
            }
            set
        });
        let word: Vec<_> =
            literals.iter().filter(|(bytes, _)| classes::of(bytes).is_word()).cloned().collect();
        let mut untriggered = Candidates::NONE;
        for (index, proof) in proofs.iter().enumerate() {
            if matches!(proof, Proof::Judge(judge, _) if judge.triggers.is_empty()) {
                untriggered.insert(index);
            }
        }
        let families = proofs.iter().map(Proof::family).collect();
        Engine {
            families,
            codings: Codings::new(&proofs, &untriggered),
            untriggered,
            shortest: shortest(&literals),
            full: Literals::new(literals),
            word: Literals::new(word),
            by_place,
            proofs,
            digest: digest(),
            clean: Clean::new(),
            signs: Signs::new(),
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

    /// What is looked for in responses.
    pub(crate) fn signs(&self) -> &Signs {
        &self.signs
    }

    /// Of `active`, what can say anything of a coded form that it cannot say of the decoded one.
    pub(crate) fn of_codings(&self, active: &Candidates) -> Candidates {
        self.codings.proofs.both(active)
    }

    /// The candidates that can report anything under `leaves`.
    pub(crate) fn active(&self, leaves: &LeafSet) -> Candidates {
        let mut set = Candidates::NONE;
        for (index, proof) in self.proofs.iter().enumerate() {
            let wanted = match proof {
                Proof::Judge(_, rules) => rules.iter().any(|rule| leaves.contains(rule.leaf)),
                Proof::Pattern(rule, _) => leaves.contains(rule.leaf),
                // Judges stand before their glances.
                Proof::Glance(_, judge) => set.contains(*judge),
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
    ) -> Candidates {
        if self.codings.literals.is_match(bytes) {
            return self.candidates(active, place, classes, bytes);
        }
        self.called(active, place, classes)
    }

    /// The judges that the bytes' classes call for.
    fn called(&self, active: &Candidates, place: Place, classes: Classes) -> Candidates {
        if place == Place::Path || classes.is_odd() {
            self.untriggered.both(active).both(&self.by_place[place as usize])
        } else {
            Candidates::NONE
        }
    }

    /// One pass over the bytes: which of the `active` candidates are worth a proof at `place`.
    pub(crate) fn candidates(
        &self,
        active: &Candidates,
        place: Place,
        classes: Classes,
        bytes: &[u8],
    ) -> Candidates {
        let called = self.called(active, place, classes);
        let shortest = self.shortest[classes.set()];
        if shortest == u8::MAX || bytes.len() < usize::from(shortest) {
            return called;
        }
        let literals = if classes.is_word() { &self.word } else { &self.full };
        let mut seen = Candidates::NONE;
        if !literals.scan(bytes, &mut seen) {
            return called;
        }
        seen.both(active).both(&self.by_place[place as usize]).either(&called)
    }

    /// Proves `candidates` over a view; what holds is appended to `found`. The work ends when `meter` says so, and what
    /// each family took of it is added to `cost`.
    pub(crate) fn prove(
        &self,
        candidates: &Candidates,
        leaves: &LeafSet,
        subject: &Subject<'_>,
        found: &mut Vec<Found>,
        (meter, cost): (&Meter, &mut Cost),
    ) {
        let mut began = meter.watch();
        for index in candidates.iter() {
            match self.proofs.get(index) {
                Some(Proof::Glance(_, judge)) if candidates.contains(*judge) => continue,
                Some(Proof::Glance(glance, _)) if !(glance.is_worth_it)(subject.bytes) => {}
                Some(Proof::Judge(judge, _) | Proof::Glance(Glance { judge, .. }, _)) => {
                    (judge.run)(subject, &mut Evidence::metered(leaves, subject.place, found, meter));
                }
                Some(Proof::Pattern(rule, regex)) => {
                    if let Some(hit) = regex.find(subject.bytes) {
                        Evidence::new(leaves, subject.place, found).found(rule, hit.start(), hit.len());
                    }
                }
                None => {}
            }
            let ended = meter.watch();
            if let Some(family) = self.families.get(index) {
                cost.add_proof(*family, ended.saturating_sub(began));
            }
            began = ended;
            if !meter.spend(subject.bytes.len()) {
                return;
            }
        }
    }
}

fn compile(regex: &str) -> Regex {
    RegexBuilder::new(regex)
        .unicode(false)
        .case_insensitive(true)
        .size_limit(REGEX_BYTES_MAX)
        .build()
        .expect("the proofs compile every rule of the crate")
}
