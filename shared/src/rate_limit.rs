//! Which tables of counts a plan needs, and how large each is. The supervisor reserves what workers map, and both work
//! it out from here. It knows the plan and arithmetic, nothing of memory, time or what a key is.

use std::collections::HashMap;

use crate::limits::{RATE_LIMIT_KEYS_MAX, RATE_LIMIT_REQUESTS_MAX};
use sha2::{Digest as _, Sha256};

use crate::plan::{Plan, RateLimit, RateLimitSource, RouteId};

/// Version of what lies in a table and of how a key becomes a place in it. A program that lays it out in another way
/// does not take tables over from an older one. To be raised with every change of either.
pub const LAYOUT_VERSION: u32 = 2;

/// Groups in which the last `requests` admissions of a key are remembered, each by the time of its last one. A
/// request waits for a whole group to be past, so that a limit is kept to less than one part in this many.
const GROUPS_MAX: u64 = 56;

/// Words of a key beside its history and its links: who it is and how much it has had, last use, last event, refusals
/// since.
pub const KEY_WORDS: usize = 4;

/// Words that link keys, for each of them: the beginning of a chain, its own place in one, its place in the order of
/// use.
const LINK_WORDS: usize = 3;

/// Words of a table's beginning up to the journals: the lock, the ends of the order of use, keys that were ever in use.
pub const HEADER_WORDS: usize = 8;

/// Words that one change of the order of use touches at most.
pub const JOURNAL_RECORDS: usize = 12;

/// Words of a record of a journal: place, old value, new value.
pub const JOURNAL_RECORD_WORDS: usize = 3;

/// Words of a journal: who has reserved it, the number of its records, their checksum, and the records.
pub const JOURNAL_WORDS: usize = (3 + JOURNAL_RECORD_WORDS * JOURNAL_RECORDS).next_multiple_of(LINE_WORDS);

/// Journals of a table, a power of two.
pub const JOURNALS: usize = 8;

/// Words of a table before its keys: the header, and the journals.
pub const LOCK_WORDS: usize = HEADER_WORDS + JOURNALS * JOURNAL_WORDS;

/// Words of a cache line.
const LINE_WORDS: usize = 8;

/// The shape of one table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    /// Admissions in one window.
    pub requests: u64,
    /// Admissions of one group; 1 for up to 56 requests a window, which makes the limit exact.
    pub group: u64,
    /// Groups of a key's history: those that any `requests` + 1 admissions in a row can touch.
    pub ring: usize,
    /// Keys.
    pub keys: usize,
}

impl Geometry {
    /// For a limit.
    pub fn of(limit: &RateLimit) -> Geometry {
        let requests = limit.requests.clamp(1, RATE_LIMIT_REQUESTS_MAX);
        let group = requests.div_ceil(GROUPS_MAX);
        let keys = limit.max_keys.clamp(1, RATE_LIMIT_KEYS_MAX);
        Geometry { requests, group, ring: requests.div_ceil(group) as usize + 1, keys: keys as usize }
    }

    /// Words of the table, 8 bytes each.
    pub const fn words(&self) -> usize {
        LOCK_WORDS + self.keys * (LINK_WORDS + KEY_WORDS + self.ring)
    }
}

/// Identity of a table. While it stays the same from one plan to the next, so do its counts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TableId {
    /// The route whose own limit it is; `None` for the global one.
    pub route: Option<RouteId>,
    /// The limit.
    pub limit: RateLimit,
}

impl TableId {
    /// The same for the same limit in the same layout, whichever process asks: 32 bytes that name a table.
    pub fn fingerprint(&self) -> [u8; 32] {
        let RateLimit { requests, window, source, max_keys, ttl, inherited } = &self.limit;
        let route = self.route.as_ref().map(|route| route.0.as_str());
        let header = match source {
            RateLimitSource::Ip => None,
            RateLimitSource::Header(name) => Some(name.as_str()),
        };
        let mut hash = Sha256::new();
        hash.update(LAYOUT_VERSION.to_le_bytes());
        for text in [route, header] {
            hash.update([u8::from(text.is_some())]);
            let text = text.unwrap_or_default();
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        }
        for number in [*requests, window.0, *max_keys, ttl.0, u64::from(*inherited)] {
            hash.update(number.to_le_bytes());
        }
        hash.finalize().into()
    }
}

/// Tables of a plan.
#[derive(Debug, Default)]
pub struct Tables {
    /// Each table once, in the order of the routes that need it first.
    pub ids: Vec<TableId>,
    /// For each route of the plan the index of its table; `None` where nothing is limited.
    pub of_routes: Vec<Option<usize>>,
}

/// The tables that `plan` needs.
pub fn tables(plan: &Plan) -> Tables {
    let mut tables = Tables::default();
    let mut known = HashMap::new();
    for route in &plan.routes {
        let id = route.rate_limit.as_ref().map(|limit| TableId {
            route: (!limit.inherited).then(|| route.id.clone()),
            limit: limit.clone(),
        });
        tables.of_routes.push(id.map(|id| {
            *known.entry(id).or_insert_with_key(|id| {
                tables.ids.push(id.clone());
                tables.ids.len() - 1
            })
        }));
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Millis, RateLimitSource};

    fn limit(requests: u64, max_keys: u64) -> RateLimit {
        let (window, ttl) = (Millis(60_000), Millis(600_000));
        RateLimit { requests, window, source: RateLimitSource::Ip, max_keys, ttl, inherited: false }
    }

    #[test]
    fn a_fingerprint_names_the_route_and_the_whole_limit() {
        let id = |route: Option<&str>, limit: RateLimit| TableId {
            route: route.map(|name| RouteId(name.to_owned())),
            limit,
        };
        let header = |name: &str| RateLimit { source: RateLimitSource::Header(name.into()), ..limit(5, 9) };
        let all = [
            id(None, limit(5, 9)),
            id(Some(""), limit(5, 9)),
            id(Some("a"), limit(5, 9)),
            id(None, limit(6, 9)),
            id(None, limit(5, 10)),
            id(None, RateLimit { window: Millis(60_001), ..limit(5, 9) }),
            id(None, RateLimit { ttl: Millis(600_001), ..limit(5, 9) }),
            id(None, RateLimit { inherited: true, ..limit(5, 9) }),
            id(None, header("a")),
            id(None, header("")),
        ];
        let mut named: Vec<_> = all.iter().map(TableId::fingerprint).collect();
        assert_eq!(named, all.iter().map(|id| id.clone().fingerprint()).collect::<Vec<_>>());
        named.sort_unstable();
        named.dedup();
        assert_eq!(named.len(), all.len());
    }

    #[test]
    fn a_history_covers_the_window_and_its_groups_are_small() {
        let few = 1..5_000;
        let many = [99_999, 1 << 20, 1 << 33, RATE_LIMIT_REQUESTS_MAX];
        for requests in few.chain(many) {
            let geometry = Geometry::of(&limit(requests, 100));
            assert!(geometry.ring as u64 <= GROUPS_MAX + 1);
            // Any `requests` + 1 admissions in a row lie in groups that are all remembered.
            assert!((geometry.ring as u64 - 1) * geometry.group >= requests, "{geometry:?}");
            // What a whole group can cost, beside the one that is over.
            assert!((geometry.group - 1) * 50 < requests, "{geometry:?}");
        }
        assert_eq!(Geometry::of(&limit(56, 1)).group, 1, "few requests are counted one by one");
    }

    #[test]
    fn a_table_has_room_for_exactly_its_keys() {
        for max_keys in (1..2_000).chain([100_000, 999_999, RATE_LIMIT_KEYS_MAX]) {
            assert_eq!(Geometry::of(&limit(5, max_keys)).keys as u64, max_keys);
        }
        let beyond = Geometry::of(&limit(u64::MAX, u64::MAX));
        assert!(beyond.requests == RATE_LIMIT_REQUESTS_MAX && beyond.words() < 1 << 33, "{beyond:?}");
        assert!(beyond.keys < 1 << 24, "nodes are numbered in 24 bits");
    }
}
