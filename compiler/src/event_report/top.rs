//! Counters of names of which there may be any number: the frequent ones are kept, the rest is one sum.

use std::collections::HashMap;

use super::counts::Counts;

/// Names of one counter. When they are full, the rarer half is given up.
const NAMES_MAX: usize = 20_000;

/// Characters of a name that are kept.
const NAME_CHARS_MAX: usize = 160;

/// Counts by name.
#[derive(Debug, Default)]
pub(super) struct Top {
    names: HashMap<String, Counts>,
    /// True once names were given up: counts of rare names may be too low.
    is_cut: bool,
}

impl Top {
    pub(super) fn add(&mut self, name: &str, counts: Counts) {
        if let Some(known) = self.names.get_mut(name) {
            known.add(counts);
            return;
        }
        if self.names.len() >= NAMES_MAX {
            self.cut();
        }
        self.names.entry(cut(name, NAME_CHARS_MAX)).or_default().add(counts);
    }

    fn cut(&mut self) {
        let mut sizes: Vec<u64> = self.names.values().map(Counts::all).collect();
        let middle = sizes.len() / 2;
        let (_, least, _) = sizes.select_nth_unstable(middle);
        let least = *least;
        self.names.retain(|_, counts| counts.all() > least);
        self.is_cut = true;
    }

    /// Adds what another thread has counted.
    pub(super) fn merge(&mut self, other: Top) {
        self.is_cut |= other.is_cut;
        for (name, counts) in other.names {
            self.add(&name, counts);
        }
    }

    /// The most frequent names.
    pub(super) fn ranked(&self, most: usize) -> Vec<(&str, Counts)> {
        let mut list: Vec<_> = self.names.iter().map(|(name, counts)| (name.as_str(), *counts)).collect();
        list.sort_by_key(|(name, counts)| (std::cmp::Reverse(counts.all()), *name));
        list.truncate(most);
        list
    }

    /// Number of names, `20000+` where some were given up.
    pub(super) fn size(&self) -> String {
        format!("{}{}", self.names.len(), if self.is_cut { "+" } else { "" })
    }
}

/// The first characters of a text.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit_event::Disposition;

    #[test]
    fn frequent_names_stay_while_rare_ones_come_and_go() {
        let mut top = Top::default();
        for nth in 0..10 * NAMES_MAX {
            top.add(&format!("rare {nth}"), Counts::one(Disposition::Blocked));
            top.add(["a", "b"][nth % 2], Counts::one(Disposition::Logged));
        }
        assert!(top.names.len() <= NAMES_MAX && top.size().ends_with('+'));
        let ranked: Vec<&str> = top.ranked(2).into_iter().map(|(name, _)| name).collect();
        assert_eq!(ranked, ["a", "b"]);
        assert_eq!(cut("äöü", 2), "äö…");
    }
}
