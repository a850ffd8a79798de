//! Counts of verdicts: how many, by rule, and by groups of rule, place and path with examples. What is bounded says what
//! it left out.

use std::collections::{BTreeMap, HashMap};

use super::judge::{Fate, Finding, Judged};

/// Groups of one tally. Scanners find a path of their own for each request: what comes later is counted as other.
const GROUPS_MAX: usize = 4_096;

/// Examples of a group.
const EXAMPLES_MAX: usize = 3;

/// Characters of a path, a place or an example that are kept.
const TEXT_CHARS_MAX: usize = 200;

/// A group of findings.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) rule: &'static str,
    /// Index of the route.
    pub(super) route: Option<usize>,
    pub(super) path: String,
    pub(super) place: String,
}

/// The requests of a group.
#[derive(Debug, Clone, Default)]
pub(super) struct Group {
    pub(super) requests: u64,
    /// Of these, those that were answered with 2xx or 3xx when they were recorded.
    pub(super) served: u64,
    /// The first requests, each with its input and line.
    pub(super) examples: Vec<Example>,
}

/// A request and its place in the recordings, by which examples are ordered.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Example {
    pub(super) input: std::sync::Arc<str>,
    pub(super) line: u64,
    pub(super) request: String,
}

/// A request as counts see it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen<'a> {
    pub(super) input: &'a std::sync::Arc<str>,
    pub(super) line: u64,
    pub(super) method: &'a [u8],
    pub(super) target: &'a [u8],
    pub(super) path: &'a [u8],
    pub(super) status: Option<u16>,
}

/// Requests by fate, and the findings of those that do not pass.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) passes: u64,
    pub(super) detected: u64,
    pub(super) refused: u64,
    /// Requests that do not pass and were answered with 2xx or 3xx when they were recorded.
    pub(super) served: u64,
    /// Requests by rule.
    pub(super) rules: BTreeMap<&'static str, u64>,
    pub(super) groups: HashMap<Key, Group>,
    /// Findings that no group has.
    pub(super) other: u64,
}

impl Tally {
    pub(super) fn add(&mut self, seen: &Seen<'_>, judged: &Judged) {
        match judged.fate {
            Fate::Passes => {
                self.passes += 1;
                return;
            }
            Fate::Detected => self.detected += 1,
            Fate::Refused => self.refused += 1,
        }
        let is_served = seen.status.is_some_and(|status| (200..400).contains(&status));
        self.served += u64::from(is_served);
        for (nth, finding) in judged.findings.iter().enumerate() {
            let earlier = judged.findings.iter().take(nth);
            if earlier.clone().all(|known| known.rule != finding.rule) {
                *self.rules.entry(finding.rule).or_default() += 1;
            }
            self.group(seen, judged, finding, is_served);
        }
    }

    fn group(&mut self, seen: &Seen<'_>, judged: &Judged, finding: &Finding, is_served: bool) {
        let path = String::from_utf8_lossy(seen.path);
        let key = Key {
            rule: finding.rule,
            route: judged.route,
            path: cut(&crate::suggest::path_of(&path)),
            place: cut(&finding.place),
        };
        if self.groups.len() >= GROUPS_MAX && !self.groups.contains_key(&key) {
            self.other += 1;
            return;
        }
        let group = self.groups.entry(key).or_default();
        group.requests += 1;
        group.served += u64::from(is_served);
        if group.examples.len() < EXAMPLES_MAX {
            group.examples.push(seen.example());
        }
    }

    /// Adds what another thread has counted.
    pub(super) fn merge(&mut self, other: Tally) {
        self.passes += other.passes;
        self.detected += other.detected;
        self.refused += other.refused;
        self.served += other.served;
        self.other += other.other;
        for (rule, count) in other.rules {
            *self.rules.entry(rule).or_default() += count;
        }
        for (key, group) in other.groups {
            if self.groups.len() >= GROUPS_MAX && !self.groups.contains_key(&key) {
                self.other += group.requests;
                continue;
            }
            let known = self.groups.entry(key).or_default();
            known.requests += group.requests;
            known.served += group.served;
            known.examples.extend(group.examples);
            known.examples.sort();
            known.examples.truncate(EXAMPLES_MAX);
        }
    }

    /// Requests that do not pass.
    pub(super) fn found(&self) -> u64 {
        self.detected + self.refused
    }

    /// Groups, the largest first.
    pub(super) fn ranked(&self) -> Vec<(&Key, &Group)> {
        let mut list: Vec<_> = self.groups.iter().collect();
        list.sort_by(|(key, group), (other, of_other)| {
            of_other.requests.cmp(&group.requests).then_with(|| key.cmp(other))
        });
        list
    }

    /// Rules, the most frequent first.
    pub(super) fn ranked_rules(&self) -> Vec<(&'static str, u64)> {
        let mut list: Vec<_> = self.rules.iter().map(|(rule, count)| (*rule, *count)).collect();
        list.sort_by_key(|(rule, count)| (std::cmp::Reverse(*count), *rule));
        list
    }
}

impl Seen<'_> {
    fn example(&self) -> Example {
        let request =
            format!("{} {}", String::from_utf8_lossy(self.method), String::from_utf8_lossy(self.target));
        Example { input: std::sync::Arc::clone(self.input), line: self.line, request: cut(&request) }
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(TEXT_CHARS_MAX) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_bounded_and_the_rest_is_counted() {
        let input = "a.log".into();
        let mut tally = Tally::default();
        let judged = Judged {
            fate: Fate::Refused,
            route: Some(0),
            findings: vec![Finding { rule: "x", place: "PATH".to_owned() }],
        };
        let requests = GROUPS_MAX as u64 + 500;
        for line in 0..requests {
            let path = format!("/p{}x", "y".repeat(line as usize % 7) + &format!("z{line}"));
            let seen = Seen {
                input: &input,
                line,
                method: b"GET",
                target: path.as_bytes(),
                path: path.as_bytes(),
                status: Some(200),
            };
            tally.add(&seen, &judged);
        }
        assert_eq!((tally.groups.len(), tally.other), (GROUPS_MAX, 500));
        let mut sum = Tally::default();
        sum.merge(tally);
        assert_eq!((sum.refused, sum.served, sum.other, sum.rules["x"]), (requests, requests, 500, requests));
    }
}
