//! The protection catalog: names at three levels, looked up and grouped. The rows themselves are in [`table`].

pub mod table;

mod leaf_set;
mod row;

pub use leaf_set::LeafSet;
pub use row::{Default, Row};
pub use table::{Leaf, TABLE};

use std::sync::LazyLock;

impl Leaf {
    /// Its row.
    pub fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// Its canonical name.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The second level, or the family for a leaf without one (OCSF `firewall_rule.condition`).
    pub fn bucket(self) -> &'static str {
        let row = self.row();
        if row.bucket.is_empty() { row.family } else { row.bucket }
    }

    /// Reason why `disable` has no effect on it; `None` where it has. A message that breaks one of these cannot be
    /// forwarded safely under any configuration.
    pub fn always_on(self) -> Option<&'static str> {
        match self {
            Leaf::HttpComplianceMalformedRequestLine => {
                Some("a message that cannot be parsed is always refused")
            }
            Leaf::HttpComplianceHttpVersion => {
                Some("a version that the service does not speak is always refused")
            }
            Leaf::HttpComplianceContentLength | Leaf::HttpComplianceConflictingLength => {
                Some("a message whose length is in doubt is always refused")
            }
            Leaf::Http2FrameFlood | Leaf::Http2HeaderBomb | Leaf::Http2MaxStreams => {
                Some("a connection that floods the service is always ended")
            }
            _ => None,
        }
    }

    /// Place of its family in [`families`].
    pub fn family_index(self) -> usize {
        usize::from(FAMILIES.1[self as usize])
    }

    /// The leaf at `index` in the table, if there is one.
    pub fn at(index: usize) -> Option<Leaf> {
        TABLE.get(index).map(|row| row.leaf)
    }

    /// The leaf of that canonical name.
    pub fn named(name: &str) -> Option<Leaf> {
        TABLE.iter().find(|row| row.name == name).map(|row| row.leaf)
    }
}

/// Level of a name: a leaf beats its bucket beats its family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// L1.
    Family,
    /// L2.
    Bucket,
    /// L3.
    Leaf,
}

/// Names that were renamed: old name, canonical name. Old names keep working, with a warning.
pub const ALIASES: &[(&str, &str)] = &[];

/// Resolves a canonical name to its level and the leaves below it. `None` when nothing is registered under it.
/// A name that stands at two levels is taken at the more specific one.
pub fn resolve(name: &str) -> Option<(Level, LeafSet)> {
    if let Some(leaf) = Leaf::named(name) {
        return Some((Level::Leaf, LeafSet::from_iter([leaf])));
    }
    let below = |level, same: fn(&Row) -> &'static str| {
        let set: LeafSet = TABLE.iter().filter(|row| same(row) == name).map(|row| row.leaf).collect();
        (!name.is_empty() && !set.is_empty()).then_some((level, set))
    };
    below(Level::Bucket, |row| row.bucket).or_else(|| below(Level::Family, |row| row.family))
}

/// Every family in table order, and the place of each leaf's among them.
static FAMILIES: LazyLock<(Vec<&'static str>, [u8; TABLE.len()])> = LazyLock::new(|| {
    let mut names: Vec<&'static str> = Vec::new();
    let places = std::array::from_fn(|leaf| {
        let family = TABLE[leaf].family;
        let known = names.iter().position(|name| *name == family);
        let place = known.unwrap_or_else(|| {
            names.push(family);
            names.len() - 1
        });
        place as u8
    });
    (names, places)
});

/// Every family, in table order.
pub fn families() -> &'static [&'static str] {
    &FAMILIES.0
}

/// Every canonical name of every level, each once, in table order.
pub fn names() -> Vec<&'static str> {
    let mut out: Vec<&'static str> = Vec::new();
    for row in TABLE {
        for name in [row.family, row.bucket, row.name] {
            if !name.is_empty() && !out.contains(&name) {
                out.push(name);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_canonical() {
        for (index, row) in TABLE.iter().enumerate() {
            assert_eq!(row.leaf as usize, index);
            assert!(row.name.split('-').all(|w| !w.is_empty() && w.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())));
            assert_eq!(TABLE.iter().filter(|other| other.name == row.name).count(), 1, "{}", row.name);
        }
    }

    #[test]
    fn every_row_is_documented() {
        for row in TABLE {
            for text in [row.summary, row.when] {
                assert!(text.len() > 20 && text.ends_with('.'), "{}: {text:?}", row.name);
            }
            assert!(!row.cwe.is_empty() && (400..600).contains(&row.status));
        }
    }

    #[test]
    fn three_levels_resolve() {
        let (level, set) = resolve("sql-injection").expect("a bucket");
        assert_eq!((level, set.contains(Leaf::SqlInjectionUnionSelect)), (Level::Bucket, true));
        assert_eq!(resolve("sql").expect("a family").0, Level::Family);
        assert_eq!(resolve("ldap-injection").expect("a leaf and a family").0, Level::Leaf);
        assert!(resolve("").is_none() && resolve("sql-injectoin").is_none());
    }
}
