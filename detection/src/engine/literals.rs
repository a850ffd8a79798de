//! What is looked for before anything runs: the automata over all literals and triggers.

use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::{AhoCorasick, Anchored, dfa};

use super::Matcher;
use super::candidates::Candidates;
use crate::rule::{Rule, RuleMatcher};
use crate::view::classes;
use crate::view::percent;

/// A literal automaton and what each literal makes a candidate.
pub(super) struct Literals {
    automaton: dfa::DFA,
    /// Candidates by pattern of the automaton.
    candidates: Vec<Vec<u16>>,
}

impl Literals {
    pub(super) fn new(literals: Vec<(Vec<u8>, Vec<u16>)>) -> Literals {
        let automaton = dfa::Builder::new()
            .ascii_case_insensitive(true)
            .start_kind(aho_corasick::StartKind::Unanchored)
            .build(literals.iter().map(|(bytes, _)| bytes))
            .expect("some thousand short literals are far below the automaton's limits");
        Literals { automaton, candidates: literals.into_iter().map(|(_, candidates)| candidates).collect() }
    }

    /// Finds every literal in `bytes`; `false` when there is none.
    pub(super) fn scan(&self, bytes: &[u8], seen: &mut Candidates) -> bool {
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

/// What is looked for in a form that is decoded and judged again.
pub(super) struct Codings {
    /// The pattern rules with a literal that is an escape itself, and the detectors that the bytes' classes call for.
    pub(super) matchers: Candidates,
    pub(super) literals: AhoCorasick,
}

impl Codings {
    pub(super) fn new(matchers: &[Matcher], untriggered: &Candidates) -> Codings {
        let mut set = *untriggered;
        let mut wanted: Vec<&str> = Vec::new();
        for (index, matcher) in matchers.iter().enumerate() {
            if let Matcher::Pattern(Rule { matcher: RuleMatcher::Pattern { literals, .. }, .. }, _) = matcher
            {
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
        Codings { matchers: set, literals }
    }
}

/// Whether decoding a form would change `literal`.
fn names_a_coding(literal: &str) -> bool {
    let mut decoded = Vec::new();
    percent::decode(literal.as_bytes(), true, &mut decoded)
}

/// For each set of classes the length of the shortest literal that fits into it.
pub(super) fn shortest(literals: &[(Vec<u8>, Vec<u16>)]) -> Box<[u8; classes::SETS]> {
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
