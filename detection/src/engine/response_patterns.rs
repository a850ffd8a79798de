//! The automaton over the beginnings of all patterns of responses, and over what changes a page. It reads no body.

use std::fmt;

use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::{Anchored, dfa};

use crate::response_pattern::{MARKS, Mark, ResponsePattern};
use crate::rule::{Rule, RuleMatcher};

/// Longer beginnings of literals would make the automaton large and find nothing else.
pub(crate) const ANCHOR_BYTES_MAX: usize = 9;
/// Every pattern of every rule, and the automaton that finds their beginnings.
pub(crate) struct ResponsePatterns {
    automaton: dfa::DFA,
    /// By pattern of the automaton.
    anchors: Vec<Anchor>,
}

/// The beginning of patterns.
pub(crate) struct Anchor {
    pub(crate) length: usize,
    /// What the bytes change about the page, if anything.
    pub(crate) mark: Option<Mark>,
    pub(crate) patterns: Vec<(&'static Rule, &'static ResponsePattern)>,
}

impl fmt::Debug for ResponsePatterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponsePatterns").field("anchors", &self.anchors.len()).finish_non_exhaustive()
    }
}

impl ResponsePatterns {
    /// The patterns of `rules`.
    pub(super) fn new(rules: impl Iterator<Item = &'static Rule>) -> ResponsePatterns {
        let mut anchors: Vec<(&'static str, Anchor)> = MARKS
            .iter()
            .map(|(text, mark)| {
                (*text, Anchor { length: text.len(), mark: Some(*mark), patterns: Vec::new() })
            })
            .collect();
        for rule in rules {
            let RuleMatcher::Response(patterns) = rule.matcher else { continue };
            for pattern in patterns {
                let anchor = pattern.literal.get(..ANCHOR_BYTES_MAX).unwrap_or(pattern.literal);
                match anchors.iter_mut().find(|(text, _)| *text == anchor) {
                    Some((_, known)) => known.patterns.push((rule, pattern)),
                    None => {
                        let new =
                            Anchor { length: anchor.len(), mark: None, patterns: vec![(rule, pattern)] };
                        anchors.push((anchor, new));
                    }
                }
            }
        }
        let automaton = dfa::Builder::new()
            .start_kind(aho_corasick::StartKind::Unanchored)
            .build(anchors.iter().map(|(text, _)| text))
            .expect("some hundred short literals are far below the automaton's limits");
        ResponsePatterns { automaton, anchors: anchors.into_iter().map(|(_, anchor)| anchor).collect() }
    }

    /// Bytes that the automaton takes.
    #[cfg(test)]
    pub(crate) fn memory_bytes(&self) -> usize {
        self.automaton.memory_usage()
    }

    pub(crate) fn start(&self) -> StateID {
        self.automaton.start_state(Anchored::No).expect("it is built for unanchored searches")
    }

    pub(crate) fn next(&self, state: StateID, byte: u8) -> StateID {
        self.automaton.next_state(Anchored::No, state, byte)
    }

    pub(crate) fn is_match(&self, state: StateID) -> bool {
        self.automaton.is_special(state) && self.automaton.is_match(state)
    }

    /// The anchors that end where `state` was reached.
    pub(crate) fn anchors(&self, state: StateID) -> impl Iterator<Item = &Anchor> {
        (0..self.automaton.match_len(state))
            .filter_map(move |nth| self.anchors.get(self.automaton.match_pattern(state, nth).as_usize()))
    }
}
