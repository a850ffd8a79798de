//! Sets of path patterns, and which of them cover a path in every reading. It knows nothing of routes.

use super::host::{ANY_HOST, Hosts};
use super::trie::{Outcome, Steps, Trie};
use super::{path, readings};
use crate::plan::PathPattern;

/// Sets of patterns that are asked together.
#[derive(Debug, Default)]
pub struct PathSets {
    tries: Vec<Trie>,
}

impl PathSets {
    /// One set for each item of `sets`, in their order.
    pub fn new<'p>(sets: impl IntoIterator<Item = &'p [PathPattern]>) -> PathSets {
        let trie = |patterns: &[PathPattern]| {
            let mut trie = Trie::default();
            for pattern in patterns {
                trie.insert(&pattern.segments, &[ANY_HOST], 0, 0);
            }
            trie.seal();
            trie
        };
        PathSets { tries: sets.into_iter().map(trie).collect() }
    }

    /// For each set, true if every reading of `raw_path` matches a pattern of it. A path with too many readings, or one
    /// that costs too much, is covered by none.
    pub fn covering(&self, raw_path: &[u8]) -> Vec<bool> {
        let serving = Hosts::default().serving(None);
        let mut steps = Steps::default();
        let is_covered = |outcome: Outcome| matches!(outcome, Outcome::Route(_));
        if path::is_plain(raw_path) {
            let find = |trie: &Trie| is_covered(trie.find(&serving, path::segments(raw_path), &mut steps));
            return self.tries.iter().map(find).collect();
        }
        let Some(readings) = readings::all(raw_path) else { return vec![false; self.tries.len()] };
        let mut find = |trie: &Trie| {
            readings.iter().all(|reading| is_covered(trie.find(&serving, reading.segments(), &mut steps)))
        };
        self.tries.iter().map(&mut find).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Segment;

    fn pattern(text: &str) -> PathPattern {
        let segment = |part: &str| match part {
            "**" => Segment::AnyNumber,
            "*" => Segment::One,
            literal => Segment::Literal(literal.to_owned()),
        };
        let segments = text.split('/').skip(1).map(segment).collect();
        PathPattern { text: text.to_owned(), segments, rank: 0 }
    }

    #[test]
    fn a_set_covers_what_matches_in_every_reading() {
        let sets =
            [vec![pattern("/admin/**"), pattern("/api/*/run")], vec![pattern("/**/edit.php")], Vec::new()];
        let sets = PathSets::new(sets.iter().map(Vec::as_slice));
        for (path, expected) in [
            ("/admin", [true, false, false]),
            ("/admin/x/edit.php", [true, true, false]),
            ("/api/7/run", [true, false, false]),
            ("/api/7/8/run", [false, false, false]),
            ("/edit.php", [false, true, false]),
            ("/", [false, false, false]),
            // Covered as sent, not as an upstream may read it, and the reverse.
            ("/admin/../x", [false, false, false]),
            ("/x/../admin/y", [false, false, false]),
            ("/admin/%2e%2e/x", [false, false, false]),
            ("/admin/..%2fx", [false, false, false]),
            ("/admin\\..\\x", [false, false, false]),
            ("/x/edit.php;/y", [false, false, false]),
            ("/x;/edit.php", [false, true, false]),
            ("//admin/edit.php", [false, true, false]),
            ("/%61dmin/y", [true, false, false]),
        ] {
            assert_eq!(sets.covering(path.as_bytes()), expected, "{path}");
        }
    }

    #[test]
    fn paths_that_cost_too_much_are_covered_by_no_set() {
        let patterns = vec![pattern(&("/**/a".repeat(10) + "/**"))];
        let sets = PathSets::new(std::iter::repeat_n(patterns.as_slice(), 200));
        let path = "/a".repeat(30_000);
        assert!(!sets.covering(path.as_bytes()).last().copied().unwrap_or(true));
        assert!(sets.covering("/a".repeat(20).as_bytes()).iter().all(|covered| *covered));
        assert_eq!(sets.covering(format!("/{}", "%252e%252f;".repeat(2_000)).as_bytes()), vec![false; 200]);
    }
}
