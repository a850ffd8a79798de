//! Which protections hold: the lists of `global` and of one route, united. The more specific name wins (leaf over
//! bucket over family); at the same level the route wins over `global`. It must not know routes beyond their lists.

use waf_shared::catalog::{Leaf, LeafSet, Level};

use crate::names::Protection;
use crate::read::At;

/// The two lists of one section.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Lists<'a> {
    /// `enable`.
    pub(crate) enable: &'a [At<Protection>],
    /// `disable`.
    pub(crate) disable: &'a [At<Protection>],
    /// `openapi.disable`: leaves that are off on the route.
    pub(crate) skipped: &'a [At<crate::names::OpenApiLeaf>],
}

/// The decision about one leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decision {
    /// The leaf.
    pub(crate) leaf: Leaf,
    /// True if it is in force.
    pub(crate) on: bool,
    /// Line of the entry.
    pub(crate) line: Option<u32>,
}

const LEVELS: [Level; 3] = [Level::Family, Level::Bucket, Level::Leaf];

/// Leaves in force under these sections, later sections over earlier ones at the same level.
pub(crate) fn effective(sections: &[Lists<'_>]) -> LeafSet {
    effective_of(sections, &|_| true)
}

/// The same with the entries that `counts` alone.
pub(crate) fn effective_of(sections: &[Lists<'_>], counts: &dyn Fn(&At<Protection>) -> bool) -> LeafSet {
    let mut set = LeafSet::defaults();
    let at = |entry: &&At<Protection>, level: Level| entry.value.level == level && counts(entry);
    for level in LEVELS {
        for lists in sections {
            for entry in lists.disable.iter().filter(|entry| at(entry, level)) {
                set = set.without(&entry.value.leaves);
            }
            for entry in lists.enable.iter().filter(|entry| at(entry, level)) {
                set = set.union(&entry.value.leaves);
            }
            if level == Level::Leaf {
                lists.skipped.iter().for_each(|entry| set.remove(entry.value.0));
            }
        }
    }
    set
}

/// For every leaf that a list names, whether it is in force and which line says so; the others follow the catalog.
pub(crate) fn decisions(sections: &[Lists<'_>]) -> Vec<Decision> {
    let defaults = LeafSet::defaults();
    let mut decisions: Vec<Decision> = waf_shared::catalog::TABLE
        .iter()
        .map(|row| Decision { leaf: row.leaf, on: defaults.contains(row.leaf), line: None })
        .collect();
    let mut decide = |leaves: &LeafSet, on: bool, line: u32| {
        for decision in decisions.iter_mut().filter(|decision| leaves.contains(decision.leaf)) {
            decision.on = on;
            decision.line = Some(line);
        }
    };
    for level in LEVELS {
        for lists in sections {
            for (list, on) in [(lists.disable, false), (lists.enable, true)] {
                for entry in list.iter().filter(|entry| entry.value.level == level) {
                    decide(&entry.value.leaves, on, entry.line);
                }
            }
            if level == Level::Leaf {
                for entry in lists.skipped {
                    decide(&LeafSet::from_iter([entry.value.0]), false, entry.line);
                }
            }
        }
    }
    // A file names few leaves, and what is kept for each route must not grow with the catalog.
    decisions.retain(|decision| decision.line.is_some());
    decisions.shrink_to_fit();
    decisions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Word;

    fn entries(names: &[&str]) -> Vec<At<Protection>> {
        let parse = |name: &&str| Protection::parse(name).expect("a registered name");
        names.iter().map(parse).map(|value| At { value, line: 1 }).collect()
    }

    fn holds(global: [&[&str]; 2], route: [&[&str]; 2], leaf: Leaf) -> bool {
        let [global_enable, global_disable] = global.map(entries);
        let [route_enable, route_disable] = route.map(entries);
        let sections = [
            Lists { enable: &global_enable, disable: &global_disable, skipped: &[] },
            Lists { enable: &route_enable, disable: &route_disable, skipped: &[] },
        ];
        let set = effective(&sections);
        let decided = decisions(&sections);
        assert!(decided.iter().all(|decision| decision.on == set.contains(decision.leaf)));
        set.contains(leaf)
    }

    #[test]
    fn the_more_specific_name_wins_then_the_route() {
        let leaf = Leaf::SqlInjectionUnionSelect;
        for (global, route, expected) in [
            ([&[][..], &[][..]], [&[][..], &[][..]], true),
            ([&[], &["sql"]], [&[], &[]], false),
            ([&[], &["sql"]], [&["sql-injection"], &[]], true),
            ([&["sql-injection"], &[]], [&[], &["sql"]], true),
            ([&[], &["sql-injection"]], [&["sql"], &[]], false),
            ([&[], &["sql-injection"]], [&["sql-injection"], &[]], true),
            ([&["sql-injection"], &[]], [&[], &["sql-injection"]], false),
            ([&["sql-injection-union-select"], &[]], [&[], &["sql-injection"]], true),
            ([&[], &["sql-injection-union-select"]], [&["sql", "sql-injection"], &[]], false),
            ([&[], &["sql-injection-union-select"]], [&["sql-injection-union-select"], &[]], true),
        ] {
            assert_eq!(holds(global, route, leaf), expected, "{global:?} {route:?}");
        }
        assert!(!holds([&[], &[]], [&[], &[]], Leaf::ResponseHeadersAddCsp));
        assert!(holds([&["response-headers-add-csp"], &[]], [&[], &[]], Leaf::ResponseHeadersAddCsp));
    }
}
