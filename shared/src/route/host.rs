//! Which host patterns a Host value satisfies. It knows nothing of paths or of whether a Host value is acceptable.

use std::cmp::Ordering;

use crate::plan::HostPattern;

/// Identifier of a host pattern in a [`super::trie::Trie`]; the same pattern on two routes has one identifier.
pub(super) type HostId = u32;

/// Serves any host.
pub(super) const ANY_HOST: HostId = 0;

/// Bytes of a host name (RFC 1035, 2.3.4); longer ones match no name.
const NAME_BYTES_MAX: usize = 255;

/// Host patterns that one request can satisfy at once: one exact name, and one `*.domain` for each dot in it that a
/// plan could sensibly nest. More are passed over from the least specific end.
const SERVING_MAX: usize = 16;

/// Every host pattern of a plan.
#[derive(Debug, Default)]
pub(super) struct Hosts {
    exact: Vec<(Box<[u8]>, HostId)>,
    subdomains: Vec<(Box<[u8]>, HostId)>,
    last: HostId,
}

/// The patterns that one request's host satisfies, [`ANY_HOST`] first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Serving {
    ids: [HostId; SERVING_MAX],
    count: usize,
}

impl Serving {
    fn push(&mut self, id: HostId) {
        if let Some(free) = self.ids.get_mut(self.count) {
            *free = id;
            self.count += 1;
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = HostId> + '_ {
        self.ids.iter().take(self.count).copied()
    }
}

impl Hosts {
    /// Identifiers of a route's hosts; [`ANY_HOST`] for a route without hosts.
    pub(super) fn register(&mut self, patterns: &[HostPattern]) -> Vec<HostId> {
        if patterns.is_empty() {
            return vec![ANY_HOST];
        }
        patterns.iter().map(|pattern| self.id(pattern)).collect()
    }

    fn id(&mut self, pattern: &HostPattern) -> HostId {
        let (list, name) = match pattern {
            HostPattern::Exact(name) => (&mut self.exact, name),
            HostPattern::Subdomains(suffix) => (&mut self.subdomains, suffix),
        };
        let name = name.to_ascii_lowercase().into_bytes().into_boxed_slice();
        match list.binary_search_by(|(known, _)| known.cmp(&name)) {
            Ok(at) => list.get(at).map_or(ANY_HOST, |(_, id)| *id),
            Err(at) => {
                self.last += 1;
                list.insert(at, (name, self.last));
                self.last
            }
        }
    }

    /// Gives back what registering over-reserved.
    pub(super) fn seal(&mut self) {
        self.exact.shrink_to_fit();
        self.subdomains.shrink_to_fit();
    }

    /// Which patterns `host` satisfies. Without a host only those routes serve that serve any.
    pub(super) fn serving(&self, host: Option<&[u8]>) -> Serving {
        let mut serving = Serving { ids: [ANY_HOST; SERVING_MAX], count: 1 };
        let name = match host.map(name_of) {
            Some(name) if !name.is_empty() && name.len() <= NAME_BYTES_MAX && self.last != ANY_HOST => name,
            _ => return serving,
        };
        if let Some(id) = lookup(&self.exact, name) {
            serving.push(id);
        }
        if !self.subdomains.is_empty() {
            // A suffix at the very start would be an empty label, not a subdomain.
            for dot in memchr::memchr_iter(b'.', name).filter(|dot| *dot > 0) {
                if let Some(id) = name.get(dot..).and_then(|suffix| lookup(&self.subdomains, suffix)) {
                    serving.push(id);
                }
            }
        }
        serving
    }
}

/// The hosts of a configuration, to ask whether a name is one of them.
#[derive(Debug, Default)]
pub struct HostSet(Hosts);

impl HostSet {
    /// Of names, and `*.domain` for everything below a domain.
    pub fn new(names: &[String]) -> HostSet {
        let mut hosts = Hosts::default();
        let patterns: Vec<HostPattern> = names
            .iter()
            .map(|name| match name.strip_prefix('*') {
                Some(suffix) => HostPattern::Subdomains(suffix.to_owned()),
                None => HostPattern::Exact(name.clone()),
            })
            .collect();
        hosts.register(&patterns);
        hosts.seal();
        HostSet(hosts)
    }

    /// True if `host`, a Host value or a name, is one of them.
    pub fn contains(&self, host: &[u8]) -> bool {
        self.0.serving(Some(host)).iter().any(|id| id != ANY_HOST)
    }

    /// True if it is one of them by a wildcard alone.
    pub fn contains_by_wildcard(&self, host: &[u8]) -> bool {
        lookup(&self.0.exact, name_of(host)).is_none() && self.contains(host)
    }
}

/// The host of a Host value or authority: no port, no final dot, brackets of an IPv6 literal kept.
pub fn name_of(value: &[u8]) -> &[u8] {
    let value = value.trim_ascii();
    let host = match memchr::memrchr(b':', value) {
        Some(colon) => match value.split_at_checked(colon) {
            // Colons inside brackets, or in an address without brackets, belong to the address.
            Some((host, port))
                if port.iter().skip(1).all(u8::is_ascii_digit)
                    && (host.last() == Some(&b']') || !host.contains(&b':')) =>
            {
                host
            }
            _ => value,
        },
        None => value,
    };
    host.strip_suffix(b".").unwrap_or(host)
}

fn lookup(list: &[(Box<[u8]>, HostId)], name: &[u8]) -> Option<HostId> {
    let at = list.binary_search_by(|(known, _)| compare_lower(known, name)).ok()?;
    list.get(at).map(|(_, id)| *id)
}

/// Orders `known`, which is lower case, against `name` in lower case.
fn compare_lower(known: &[u8], name: &[u8]) -> Ordering {
    known.iter().copied().cmp(name.iter().map(u8::to_ascii_lowercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_brackets_and_final_dots_are_no_part_of_the_name() {
        for (value, name) in [
            ("example.com", "example.com"),
            ("example.com:8080", "example.com"),
            ("example.com.:8080", "example.com"),
            ("example.com.", "example.com"),
            ("example.com:", "example.com"),
            (" example.com ", "example.com"),
            ("[::1]:80", "[::1]"),
            ("[::1]", "[::1]"),
            ("::1", "::1"),
            ("example.com:http", "example.com:http"),
            (":80", ""),
            ("", ""),
        ] {
            assert_eq!(name_of(value.as_bytes()), name.as_bytes(), "{value}");
        }
    }

    #[test]
    fn a_set_holds_names_and_what_lies_below_domains() {
        let names = ["a.example", "*.b.example", "x.b.example"].map(str::to_owned);
        let set = HostSet::new(&names);
        for (host, contains, by_wildcard) in [
            ("a.example", true, false),
            ("A.Example.:443", true, false),
            ("x.a.example", false, false),
            ("b.example", false, false),
            ("x.b.example", true, false),
            ("y.b.example", true, true),
            ("z.y.b.example", true, true),
            ("", false, false),
        ] {
            let found = (set.contains(host.as_bytes()), set.contains_by_wildcard(host.as_bytes()));
            assert_eq!(found, (contains, by_wildcard), "{host}");
        }
        assert!(!HostSet::default().contains(b"a.example"));
    }

    #[test]
    fn names_are_compared_in_lower_case() {
        let mut hosts = Hosts::default();
        let exact = hosts.register(&[HostPattern::Exact("a.example.com".into())]);
        let below = hosts.register(&[HostPattern::Subdomains(".example.com".into())]);
        let ids = |host: &str| hosts.serving(Some(host.as_bytes())).iter().collect::<Vec<_>>();
        assert_eq!(ids("A.Example.COM:443"), [ANY_HOST, exact[0], below[0]]);
        assert_eq!(ids("b.c.example.com"), [ANY_HOST, below[0]]);
        for outside in ["example.com", ".example.com", "aexample.com", "example.com.evil", "[::1]", ""] {
            assert_eq!(ids(outside), [ANY_HOST], "{outside}");
        }
        assert_eq!(hosts.serving(None).iter().collect::<Vec<_>>(), [ANY_HOST]);
    }
}
