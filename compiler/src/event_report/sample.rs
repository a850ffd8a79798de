//! Single events of which the page has the details: a few of each protection, route, source and path.

use std::collections::{BTreeMap, BTreeSet};

use crate::audit_event::{AuditEvent, Disposition, field};

use super::top::cut;

/// Kind of name that samples are kept for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Protection,
    Route,
    Source,
    Path,
}

impl Kind {
    /// Events of one name.
    const fn events_max(self) -> usize {
        match self {
            Kind::Protection => 8,
            Kind::Route => 3,
            Kind::Source | Kind::Path => 2,
        }
    }
}

/// Names of all kinds; of more the first have samples.
const NAMES_MAX: usize = 8_000;

/// Findings of an event.
const FINDINGS_MAX: usize = 6;

/// Characters of a text.
const TEXT_CHARS_MAX: usize = 300;

/// An event with what a page shows of it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sample {
    pub(super) stamp: String,
    pub(super) id: String,
    pub(super) disposition: Disposition,
    pub(super) protection: String,
    pub(super) route: String,
    pub(super) client: String,
    pub(super) request: String,
    pub(super) status: Option<u64>,
    /// Names and values.
    pub(super) facts: Vec<(&'static str, String)>,
    pub(super) findings: Vec<Finding>,
}

/// A finding of an event.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Finding {
    pub(super) rule: String,
    pub(super) place: String,
    pub(super) excerpt: String,
    pub(super) reason: String,
}

/// Samples by name.
#[derive(Debug, Default)]
pub(super) struct Samples(BTreeMap<(Kind, String), Vec<Sample>>);

impl Samples {
    /// Keeps an event for each of its names that has room.
    pub(super) fn add(&mut self, event: &AuditEvent<'_>, protection: &str, names: &[(Kind, &str)]) {
        for (kind, name) in names {
            let key = (*kind, cut(name, TEXT_CHARS_MAX));
            match self.0.get(&key) {
                Some(known) if known.len() >= kind.events_max() => {}
                None if self.0.len() >= NAMES_MAX => {}
                _ => self.0.entry(key).or_default().push(sample(event, protection)),
            }
        }
    }

    /// Adds what another thread has kept; the earliest stay.
    pub(super) fn merge(&mut self, other: Samples) {
        for (key, samples) in other.0 {
            if self.0.len() >= NAMES_MAX && !self.0.contains_key(&key) {
                continue;
            }
            let most = key.0.events_max();
            let known = self.0.entry(key).or_default();
            known.extend(samples);
            known.sort();
            known.truncate(most);
        }
    }

    /// The samples of names that are wanted, each once, in the order of time.
    pub(super) fn ordered(&self, is_wanted: impl Fn(Kind, &str) -> bool) -> Vec<&Sample> {
        let wanted = self.0.iter().filter(|((kind, name), _)| is_wanted(*kind, name));
        let list: BTreeSet<&Sample> = wanted.flat_map(|(_, samples)| samples).collect();
        list.into_iter().collect()
    }
}

fn sample(event: &AuditEvent<'_>, protection: &str) -> Sample {
    let short = |text: &str| cut(text, TEXT_CHARS_MAX);
    let query = if event.query().is_empty() { String::new() } else { format!("?{}", event.query()) };
    let pattern = crate::suggest::path_of(event.path());
    let facts = [
        ("Path", if pattern == event.path() { "" } else { &pattern }),
        ("Request id", event.request_id()),
        ("Host", event.host()),
        ("User-Agent", event.user_agent()),
        ("Referer", event.referer()),
        ("Message", event.message()),
    ];
    let findings = event.matches().take(FINDINGS_MAX).map(|found| {
        let (place, name) = (field(found, "place"), field(found, "name"));
        let separator = if name.is_empty() { "" } else { ":" };
        let rule = field(found, "rule");
        Finding {
            rule: short(if rule.is_empty() { field(found, "protection") } else { rule }),
            place: short(&format!("{place}{separator}{name}")),
            excerpt: short(field(found, "excerpt")),
            reason: short(field(found, "reason")),
        }
    });
    Sample {
        stamp: short(&event.stamp()),
        id: short(event.request_id()),
        disposition: event.disposition,
        protection: short(protection),
        route: short(event.route().unwrap_or_default()),
        client: short(event.client()),
        request: short(&format!("{} {}{query}", event.method(), event.path())),
        status: event.status(),
        facts: facts
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| (name, short(value)))
            .collect(),
        findings: findings.collect(),
    }
}
