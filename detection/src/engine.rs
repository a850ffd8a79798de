//! The compiled rule set: one automaton over all literals and triggers, one expression a pattern rule. It judges single
//! views and knows nothing of fields' decodings, scores or requests.

use std::fmt;

use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::{AhoCorasick, Anchored, dfa};
use regex::bytes::{Regex, RegexBuilder};
use waf_shared::catalog::LeafSet;

use crate::budget::Meter;
use crate::evidence::{Evidence, Found, Subject};
use crate::field::{Place, Places};
use crate::response::Signs;
use crate::rule::{Glance, Judge, Rule, Test};
use crate::rules;
use crate::view::classes::{self, Classes};
use crate::view::percent;

mod clean;

pub(crate) use clean::Clean;

/// Candidates (judges and pattern rules) that one engine can hold.
const CANDIDATES_MAX: usize = 1024;
const WORDS: usize = CANDIDATES_MAX / 64;
/// Bytes that an expression's compiled form may take; a rule that needs more is written wrongly.
const REGEX_BYTES_MAX: usize = 4 << 20;

/// A set of candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Candidates([u64; WORDS]);

impl Candidates {
    pub(crate) const NONE: Candidates = Candidates([0; WORDS]);

    fn insert(&mut self, index: usize) {
        if let Some(word) = self.0.get_mut(index / 64) {
            *word |= 1 << (index % 64);
        }
    }

    fn contains(&self, index: usize) -> bool {
        self.0.get(index / 64).is_some_and(|word| word & 1 << (index % 64) != 0)
    }

    fn both(&self, other: &Candidates) -> Candidates {
        Candidates(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    fn either(&self, other: &Candidates) -> Candidates {
        Candidates(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(i, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(i * 64 + bit)
            })
        })
    }
}

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
}

/// A literal automaton and what each literal makes a candidate.
struct Literals {
    automaton: dfa::DFA,
    /// Candidates by pattern of the automaton.
    candidates: Vec<Vec<u16>>,
}

/// What is looked for in a form that is decoded and judged again.
struct Codings {
    /// The pattern rules with a literal that is an escape itself, and the judges that the bytes' classes call for.
    proofs: Candidates,
    literals: AhoCorasick,
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
        Engine {
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

    /// Proves `candidates` over a view; what holds is appended to `found`. The work ends when `meter` says so.
    pub(crate) fn prove(
        &self,
        candidates: &Candidates,
        leaves: &LeafSet,
        subject: &Subject<'_>,
        found: &mut Vec<Found>,
        meter: &Meter,
    ) {
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
            if !meter.spend(subject.bytes.len()) {
                return;
            }
        }
    }
}

impl Codings {
    fn new(proofs: &[Proof], untriggered: &Candidates) -> Codings {
        let mut set = *untriggered;
        let mut wanted: Vec<&str> = Vec::new();
        for (index, proof) in proofs.iter().enumerate() {
            if let Proof::Pattern(Rule { test: Test::Pattern { literals, .. }, .. }, _) = proof {
                let before = wanted.len();
                wanted.extend(literals.iter().copied().filter(|literal| names_a_coding(literal)));
                if wanted.len() > before {
                    set.insert(index);
                }
            }
        }
        let literals = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(wanted)
            .expect("a few short literals are far below the automaton's limits");
        Codings { proofs: set, literals }
    }
}

/// Whether decoding a form would change `literal`.
fn names_a_coding(literal: &str) -> bool {
    let mut decoded = Vec::new();
    percent::decode(literal.as_bytes(), true, &mut decoded)
}

impl Literals {
    fn new(literals: Vec<(Vec<u8>, Vec<u16>)>) -> Literals {
        let automaton = dfa::Builder::new()
            .ascii_case_insensitive(true)
            .start_kind(aho_corasick::StartKind::Unanchored)
            .build(literals.iter().map(|(bytes, _)| bytes))
            .expect("some thousand short literals are far below the automaton's limits");
        Literals { automaton, candidates: literals.into_iter().map(|(_, candidates)| candidates).collect() }
    }

    /// Finds every literal in `bytes`; `false` when there is none.
    fn scan(&self, bytes: &[u8], seen: &mut Candidates) -> bool {
        let Ok(start) = self.automaton.start_state(Anchored::No) else { return false };
        let (mut state, mut last) = (start, start);
        for &byte in bytes {
            state = self.automaton.next_state(Anchored::No, state, byte);
            // Repetition (`''''`, `select select`) would only set the same bits again.
            if self.automaton.is_special(state) && state != last && self.automaton.is_match(state) {
                last = state;
                self.collect(state, seen);
            }
        }
        last != start
    }

    fn collect(&self, state: StateID, seen: &mut Candidates) {
        for nth in 0..self.automaton.match_len(state) {
            let pattern = self.automaton.match_pattern(state, nth).as_usize();
            for &candidate in self.candidates.get(pattern).map_or(&[][..], Vec::as_slice) {
                seen.insert(usize::from(candidate));
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

/// For each set of classes the length of the shortest literal that fits into it.
fn shortest(literals: &[(Vec<u8>, Vec<u16>)]) -> Box<[u8; classes::SETS]> {
    let mut table = Box::new([u8::MAX; classes::SETS]);
    for (set, slot) in table.iter_mut().enumerate() {
        for (bytes, _) in literals {
            if classes::of(bytes).set() & !set == 0 {
                *slot = (*slot).min(bytes.len().min(254) as u8);
            }
        }
    }
    table
}

/// FNV-1a over everything that a rule's data says.
fn digest() -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut eat = |text: &str| {
        for byte in text.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    eat(env!("CARGO_PKG_VERSION"));
    for rule in rules::all() {
        eat(rule.id);
        eat(&format!("{} {:?}", rule.weight, rule.places));
        if let Test::Pattern { regex, literals } = rule.test {
            eat(regex);
            for literal in literals {
                eat(literal);
            }
        }
        if let Test::Signs(signs) = rule.test {
            for sign in signs {
                eat(sign.literal);
                eat(sign.rest);
            }
        }
    }
    for judge in rules::judges() {
        eat(judge.name);
        for trigger in judge.triggers {
            eat(trigger);
        }
    }
    for trigger in rules::glances().flat_map(|glance| glance.triggers) {
        eat(trigger);
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_found_wherever_they_lie() {
        let known = ["sqlmap", "a-rather-long-literal-of-some-bytes", "'"];
        let literals = Literals::new(
            known
                .iter()
                .enumerate()
                .map(|(nth, text)| (text.as_bytes().to_vec(), vec![nth as u16]))
                .collect(),
        );
        for length in [40, 300] {
            for (nth, literal) in known.iter().enumerate() {
                for at in 0..length - literal.len() {
                    let mut value = vec![b'x'; length];
                    value[at..at + literal.len()].copy_from_slice(literal.to_ascii_uppercase().as_bytes());
                    let mut seen = Candidates::NONE;
                    literals.scan(&value, &mut seen);
                    assert_eq!(seen.iter().collect::<Vec<_>>(), [nth], "{literal} at {at} of {length}");
                }
            }
        }
    }

    #[test]
    fn every_class_set_knows_its_shortest_literal() {
        let table =
            shortest(&[(b"..".to_vec(), vec![0]), (b"select".to_vec(), vec![1]), (b"a.b".to_vec(), vec![2])]);
        assert_eq!(table[classes::of(b"plain").set()], 6);
        assert_eq!(table[classes::of(b"1.5").set()], 2);
        assert_eq!(table[classes::of(b"15").set()], u8::MAX);
    }
}
