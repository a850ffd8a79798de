//! Literals that are looked for before anything runs: the automata over all literals and triggers.

use std::ops::Range;

use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::{AhoCorasick, Anchored, dfa};

use super::Matcher;
use super::candidates::Candidates;
use crate::rule::{Rule, RuleMatcher};
use crate::view::classes;
use crate::view::percent;

/// Bytes of a literal that the automaton looks for; the rest of a longer one is compared where they occur.
const CUT_BYTES: usize = 8;
/// Stretches of a value that are read side by side. Each step of the automaton waits for the one before, so a processor has
/// room for those of other stretches.
const LANES: usize = 4;
/// Bytes that two stretches share, so that no cut lies on the border.
const OVERLAP_BYTES: usize = CUT_BYTES - 1;
/// Shorter values are read in one stretch.
const LANES_BYTES_MIN: usize = 24;

/// A literal automaton and what each literal makes a candidate.
pub(super) struct Literals {
    automaton: dfa::DFA,
    /// By pattern of the automaton.
    literals: Vec<Literal>,
}

/// A literal, of which the automaton knows a cut.
struct Literal {
    bytes: Vec<u8>,
    /// Bytes from the start of the literal to the end of its cut.
    cut_end: usize,
    candidates: Vec<u16>,
}

/// The bytes that the automaton looks for in place of a literal: those that honest values hold most rarely.
fn cut(literal: &[u8]) -> Range<usize> {
    let cost = |bytes: &[u8]| bytes.iter().map(|byte| commonness(*byte)).sum::<u32>();
    let cuts = literal.windows(CUT_BYTES).enumerate();
    let start = cuts.map(|(at, bytes)| (cost(bytes), at)).min().map_or(0, |(_, at)| at);
    start..literal.len().min(start + CUT_BYTES)
}

/// Frequency of a byte in honest values, roughly as a power of two.
const fn commonness(byte: u8) -> u32 {
    match byte {
        b' ' | b'e' => 6,
        b'a' | b'i' | b'n' | b'o' | b'r' | b's' | b't' => 5,
        b'c' | b'd' | b'h' | b'l' | b'm' | b'p' | b'u' | b'0'..=b'9' => 4,
        b'a'..=b'z' | b'.' | b'-' | b'/' | b',' | b':' => 3,
        _ => 1,
    }
}

impl Literals {
    pub(super) fn new(literals: Vec<(Vec<u8>, Vec<u16>)>) -> Literals {
        let automaton = dfa::Builder::new()
            .ascii_case_insensitive(true)
            .start_kind(aho_corasick::StartKind::Unanchored)
            .build(literals.iter().map(|(bytes, _)| bytes.get(cut(bytes)).unwrap_or_default()))
            .expect("some thousand short literals are far below the automaton's limits");
        let literals = literals.into_iter().map(|(bytes, candidates)| {
            let cut_end = cut(&bytes).end;
            Literal { bytes, cut_end, candidates }
        });
        Literals { automaton, literals: literals.collect() }
    }

    /// Finds every literal in `bytes`; `false` when there is none.
    pub(super) fn scan(&self, bytes: &[u8], seen: &mut Candidates) -> bool {
        let Ok(start) = self.automaton.start_state(Anchored::No) else { return false };
        if bytes.len() >= LANES_BYTES_MIN {
            return self.side_by_side(start, bytes, seen);
        }
        let (mut state, mut found) = (start, false);
        for (at, &byte) in bytes.iter().enumerate() {
            state = self.automaton.next_state(Anchored::No, state, byte);
            if self.automaton.is_special(state) {
                found |= self.collect(state, (bytes, at + 1), seen).any;
            }
        }
        found
    }

    /// As [`Literals::scan`], in stretches of one length that begin at even distances.
    fn side_by_side(&self, start: StateID, bytes: &[u8], seen: &mut Candidates) -> bool {
        let length = (bytes.len() + (LANES - 1) * OVERLAP_BYTES).div_ceil(LANES);
        let starts: [usize; LANES] =
            std::array::from_fn(|nth| (nth * (length - OVERLAP_BYTES)).min(bytes.len() - length));
        let [one, two, three, four] =
            starts.map(|start| bytes.get(start..).and_then(|rest| rest.get(..length)).unwrap_or_default());
        let (mut states, mut last) = ([start; LANES], [start; LANES]);
        let mut found = false;
        for (at, (((one, two), three), four)) in one.iter().zip(two).zip(three).zip(four).enumerate() {
            let mut is_special = false;
            for (state, byte) in states.iter_mut().zip([one, two, three, four]) {
                *state = self.automaton.next_state(Anchored::No, *state, *byte);
                is_special |= self.automaton.is_special(*state);
            }
            if is_special {
                for ((state, last), start) in states.iter().zip(&mut last).zip(starts) {
                    // Repetition (`''''`, `select select`) would only set the same bits again.
                    if state != last && self.automaton.is_special(*state) {
                        let literals = self.collect(*state, (bytes, start + at + 1), seen);
                        found |= literals.any;
                        if literals.all {
                            *last = *state;
                        }
                    }
                }
            }
        }
        found
    }

    /// Notes the literals whose cuts end at `end`, where the automaton is in `state`.
    fn collect(&self, state: StateID, (bytes, end): (&[u8], usize), seen: &mut Candidates) -> Occurring {
        let mut occurring = Occurring { any: false, all: true };
        if !self.automaton.is_match(state) {
            return occurring;
        }
        for nth in 0..self.automaton.match_len(state) {
            let pattern = self.automaton.match_pattern(state, nth).as_usize();
            let Some(literal) = self.literals.get(pattern) else { continue };
            if literal.stands(bytes, end) {
                occurring.any = true;
                literal.candidates.iter().for_each(|candidate| seen.insert(usize::from(*candidate)));
            } else {
                occurring.all = false;
            }
        }
        occurring
    }
}

/// The literals that occur of those whose cuts do.
struct Occurring {
    any: bool,
    all: bool,
}

impl Literal {
    /// Returns `true` if the whole literal stands in `bytes` where its cut ends at `end`.
    fn stands(&self, bytes: &[u8], end: usize) -> bool {
        self.bytes.len() <= CUT_BYTES
            || end
                .checked_sub(self.cut_end)
                .and_then(|start| bytes.get(start..start.checked_add(self.bytes.len())?))
                .is_some_and(|bytes| bytes.eq_ignore_ascii_case(&self.bytes))
    }
}

/// Matchers and literals for a form that is decoded and judged again.
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

/// Returns `true` if decoding a form would change `literal`.
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
    use proptest::prelude::*;

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

    /// Literals, some of them parts of others, and some alike but for what the automaton does not know.
    const KNOWN: &[&str] = &[
        "'",
        "&",
        "..",
        "sam",
        "exec",
        "or x",
        "select ",
        "union select",
        "://1",
        "= '",
        "tan(",
        "\u{2019}",
        "information_schema",
        "information_schemes",
        "pg_information_schema",
        "java.lang.",
        "java.lang.runtime",
        "java.lang.process",
        "aaaaaaaaaaaa",
        "aaaaaaaaab",
    ];

    fn known() -> Literals {
        let of = |(nth, text): (usize, &&str)| (text.as_bytes().to_vec(), vec![nth as u16]);
        Literals::new(KNOWN.iter().enumerate().map(of).collect())
    }

    /// Compares a scan with what a plain automaton over the whole literals finds.
    fn check(literals: &Literals, bytes: &[u8]) {
        let plain = AhoCorasick::builder().ascii_case_insensitive(true).build(KNOWN).expect("literals");
        let mut expected = Candidates::NONE;
        plain.find_overlapping_iter(bytes).for_each(|hit| expected.insert(hit.pattern().as_usize()));
        let mut seen = Candidates::NONE;
        assert_eq!(literals.scan(bytes, &mut seen), !expected.is_empty(), "{}", bytes.escape_ascii());
        assert_eq!(seen, expected, "{}", bytes.escape_ascii());
    }

    #[test]
    fn a_scan_finds_what_a_plain_automaton_finds_at_every_position() {
        let literals = known();
        for filler in [b'x', b' ', b'\'', b'a', 0xe4, 0] {
            for length in (0..70).chain([200]) {
                for literal in KNOWN {
                    let mut value = vec![filler; length];
                    value.extend_from_slice(literal.to_ascii_uppercase().as_bytes());
                    check(&literals, &value);
                    value.extend_from_slice(&[filler; 11]);
                    check(&literals, &value);
                    // A literal that is cut off is none.
                    value.truncate(length + literal.len() - 1);
                    check(&literals, &value);
                }
            }
        }
    }

    #[test]
    fn a_literal_behind_one_that_only_begins_alike_is_found() {
        let literals = known();
        for (alike, times, whole) in [
            ("java.lang.", 3, "java.lang.runtime"),
            ("information_schem_", 9, "information_schema"),
            ("aaaaaaaaa ", 5, "aaaaaaaaab"),
            ("_schemes_schemes", 20, "information_schemes"),
            ("java.lang.java.lang.", 20, "java.lang.process"),
        ] {
            check(&literals, format!("{}{whole}", alike.repeat(times)).as_bytes());
            check(&literals, format!("{whole}{}", alike.repeat(times)).as_bytes());
            check(&literals, alike.repeat(times).as_bytes());
        }
    }

    proptest! {
        #[test]
        fn a_scan_finds_what_a_plain_automaton_finds(
            parts in proptest::collection::vec(
                prop_oneof![
                    proptest::sample::select(KNOWN).prop_map(|text| text.as_bytes().to_vec()),
                    proptest::sample::select(KNOWN).prop_map(|text| text.to_ascii_uppercase().into_bytes()),
                    (proptest::sample::select(KNOWN), 0..9_usize).prop_map(|(text, keep)| {
                        text.bytes().skip(text.len().saturating_sub(keep)).collect()
                    }),
                    "[a-z ]{0,12}".prop_map(String::into_bytes),
                    proptest::collection::vec(any::<u8>(), 0..8),
                ],
                0..40,
            )
        ) {
            check(&known(), &parts.concat());
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
