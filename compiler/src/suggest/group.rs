//! Findings that one exception would take away, and whether they look like false alarms.

use std::collections::{BTreeMap, BTreeSet};

use waf_detection::exceptions::parse;
use waf_detection::rule::{Rule, STRONG};
use waf_shared::limits::FIELD_NAME_BYTES_MAX;
use waf_shared::plan::{self, Plan};

use super::effect::{Effect, effect};
use super::event::{Event, Finding};
use crate::names::Word as _;
use crate::pattern::PathText;
use crate::setting::{list, string};

/// Clients that send the same alarm.
const CLIENTS_OF_ALARMS: usize = 3;
/// Places in which one client is found when it looks for weaknesses.
const PLACES_OF_SCANS: usize = 4;
/// Families of rules in one place that no honest value of one client has.
const FAMILIES_OF_SCANS: usize = 4;

/// The nature of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Judgement {
    FalseAlarm,
    Unclear,
    Attack,
}

/// Findings on one route, below one path, in one place.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) route: String,
    /// As in `paths`; empty where the path can be read in several ways.
    pub(super) path: String,
    /// As in `in`.
    pub(super) place: String,
    pub(super) methods: BTreeSet<String>,
    pub(super) rules: BTreeMap<&'static str, &'static Rule>,
    pub(super) requests: usize,
    pub(super) clients: usize,
    pub(super) days: BTreeSet<String>,
    pub(super) judgement: Judgement,
    pub(super) reasons: Vec<String>,
    pub(super) effect: Effect,
}

impl Group {
    /// The exception as fields of YAML; `None` where none can be written.
    pub(super) fn lines(&self) -> Option<Vec<String>> {
        self.planned()?;
        let rules = list(self.rules.keys().map(|id| (*id).to_owned()));
        let days = match (self.days.first(), self.days.last()) {
            (Some(first), Some(last)) if first != last => format!("from {first} to {last}"),
            (Some(only), _) => format!("on {only}"),
            _ => String::new(),
        };
        let reason =
            format!("{} of {} {days}", counted(self.requests, "request"), counted(self.clients, "client"));
        Some(vec![
            format!("rules: {rules}"),
            format!("in: [{}]", string(&self.place)),
            format!("methods: {}", list(self.methods.iter().cloned())),
            format!("paths: [{}]", string(&self.path)),
            format!("reason: {}", string(reason.trim_end())),
        ])
    }

    /// The exception as a plan has it.
    pub(super) fn planned(&self) -> Option<plan::Exception> {
        let place = parse(&self.place).ok()?;
        let path = PathText::parse(&self.path).ok()?;
        Some(plan::Exception {
            name: String::new(),
            leaves: waf_shared::catalog::LeafSet::EMPTY,
            rules: self.rules.keys().map(|id| (*id).to_owned()).collect(),
            places: vec![place],
            methods: self.methods.iter().cloned().collect(),
            paths: vec![path.planned()],
        })
    }
}

/// `1 request`, `2 requests`.
pub(super) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The fields of an event that decide alone: their weights reach the threshold.
pub(super) fn deciding(findings: &[Finding]) -> BTreeMap<(&str, &str), Vec<&'static Rule>> {
    let mut fields: BTreeMap<(&str, &str), Vec<&'static Rule>> = BTreeMap::new();
    for finding in findings {
        let rules = fields.entry((&finding.place, &finding.name)).or_default();
        if rules.iter().all(|known| !std::ptr::eq(*known, finding.rule)) {
            rules.push(finding.rule);
        }
    }
    fields
        .retain(|_, rules| rules.iter().map(|rule| u32::from(rule.weight)).sum::<u32>() >= u32::from(STRONG));
    fields
}

/// The findings that belong to one group.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    route: String,
    path: String,
    place: String,
}

/// An event in a group, with the rules that decide there.
#[derive(Debug)]
struct Member {
    /// Index of the event.
    event: usize,
    rules: Vec<&'static Rule>,
}

/// Every group, likely false alarms first, the largest of a kind before the others. Effects need a plan.
pub(super) fn groups(plan: Option<&Plan>, events: &[Event]) -> Vec<Group> {
    let mut members: BTreeMap<Key, Vec<Member>> = BTreeMap::new();
    for (index, event) in events.iter().enumerate() {
        for ((place, name), rules) in deciding(&event.findings) {
            let key =
                Key { route: event.route.clone(), path: path_of(&event.path), place: place_of(place, name) };
            members.entry(key).or_default().push(Member { event: index, rules });
        }
    }
    let clients = Clients::of(events, &members);
    let mut groups: Vec<Group> = members
        .iter()
        .map(|(key, members)| {
            let mut group = gather(events, key, members);
            judge(&mut group, events, members, &clients);
            if let Some(plan) = plan {
                group.effect = effect(plan, &group, events, &|event| clients.is_attacker(&event.client));
            }
            group
        })
        .collect();
    groups.sort_by_key(|group| (group.judgement, std::cmp::Reverse(group.requests)));
    groups
}

fn gather(events: &[Event], key: &Key, members: &[Member]) -> Group {
    let of = || members.iter().filter_map(|member| events.get(member.event));
    Group {
        route: key.route.clone(),
        path: last_kept(&key.path, of().map(|event| event.path.as_str())),
        place: key.place.clone(),
        methods: of().map(|event| event.method.clone()).collect(),
        rules: members.iter().flat_map(|member| &member.rules).map(|rule| (rule.id, *rule)).collect(),
        requests: members.len(),
        clients: of().map(|event| &event.client).collect::<BTreeSet<_>>().len(),
        days: of().map(|event| event.day.clone()).collect(),
        judgement: Judgement::Unclear,
        reasons: Vec::new(),
        effect: Effect::default(),
    }
}

/// Facts about clients, gathered from all events.
struct Clients<'e> {
    /// Paths and places of the findings of each.
    places: BTreeMap<&'e str, BTreeSet<(&'e str, &'e str)>>,
    /// Those that use a known scanner.
    scanners: BTreeSet<&'e str>,
}

impl<'e> Clients<'e> {
    fn of(events: &'e [Event], members: &'e BTreeMap<Key, Vec<Member>>) -> Clients<'e> {
        let mut places: BTreeMap<&str, BTreeSet<(&str, &str)>> = BTreeMap::new();
        for (key, members) in members {
            for event in members.iter().filter_map(|member| events.get(member.event)) {
                places.entry(&event.client).or_default().insert((&key.path, &key.place));
            }
        }
        let is_scanner = |event: &&Event| {
            event.findings.iter().any(|finding| finding.rule.leaf.row().family == "scanner-detection")
        };
        let scanners = events.iter().filter(is_scanner).map(|event| event.client.as_str()).collect();
        Clients { places, scanners }
    }

    fn is_attacker(&self, client: &str) -> bool {
        self.scanners.contains(client) || self.places_of(client) >= PLACES_OF_SCANS
    }

    fn places_of(&self, client: &str) -> usize {
        self.places.get(client).map_or(0, BTreeSet::len)
    }
}

/// Weighs what speaks for a false alarm against what speaks for an attack.
fn judge(group: &mut Group, events: &[Event], members: &[Member], clients: &Clients<'_>) {
    let of = || members.iter().filter_map(|member| events.get(member.event));
    let most = |count: usize| 2 * count > members.len();
    let mut score = 0;
    let mut say = |weight: i32, reason: String| {
        score += weight;
        group.reasons.push(reason);
    };
    if of().any(|event| clients.scanners.contains(event.client.as_str())) {
        say(-3, "a client of it uses a known scanner".to_owned());
    }
    if most(of().filter(|event| clients.places_of(&event.client) >= PLACES_OF_SCANS).count()) {
        say(-3, format!("its clients are found in {PLACES_OF_SCANS} or more places"));
    }
    let families: BTreeSet<&str> = group.rules.values().map(|rule| rule.leaf.row().family).collect();
    if families.len() >= FAMILIES_OF_SCANS && group.clients < CLIENTS_OF_ALARMS {
        say(-1, format!("few clients send {} kinds of attack", families.len()));
    }
    let answered = |is: fn(u64) -> bool| of().filter(|event| event.answer.is_some_and(is)).count();
    if most(answered(|status| status == 404)) {
        say(-2, "the upstream has no such page (404)".to_owned());
    }
    if most(answered(|status| (200..400).contains(&status))) {
        say(1, "the upstream served most of them".to_owned());
    }
    if group.clients >= CLIENTS_OF_ALARMS {
        say(2, format!("{} clients send it in this place", group.clients));
    }
    if group.days.len() > 1 {
        say(1, format!("it comes back on {} days", group.days.len()));
    }
    if most(of().filter(|event| event.is_from_own_page).count()) {
        say(1, "pages of the same site send it".to_owned());
    }
    if group.reasons.is_empty() {
        group.reasons.push("too few requests to tell".to_owned());
    }
    group.judgement = match score {
        1.. => Judgement::FalseAlarm,
        0 => Judgement::Unclear,
        _ => Judgement::Attack,
    };
}

/// The path with numbers and other running ids as `*`.
pub(crate) fn path_of(path: &str) -> String {
    let is_id = |segment: &str| {
        let hex = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
        let has_digit = segment.bytes().any(|byte| byte.is_ascii_digit());
        !segment.is_empty()
            && (segment.bytes().all(|byte| byte.is_ascii_digit())
                || segment.len() >= 8 && has_digit && segment.bytes().all(hex))
    };
    let segments = path.split('/').map(|segment| if is_id(segment) { "*" } else { segment });
    segments.collect::<Vec<_>>().join("/")
}

/// The pattern with the last segment of `paths` where they share one: a `*` at the end is everything below.
fn last_kept<'p>(pattern: &str, paths: impl Iterator<Item = &'p str>) -> String {
    let last: BTreeSet<&str> = paths.filter_map(|path| path.rsplit('/').next()).collect();
    match (pattern.strip_suffix('*'), last.first()) {
        (Some(front), Some(only)) if last.len() == 1 => format!("{front}{only}"),
        _ => pattern.to_owned(),
    }
}

/// The place as an exception writes it: numbers of array syntax as `*`, and marks of the name itself coded.
fn place_of(place: &str, name: &str) -> String {
    if name.is_empty() {
        return place.to_owned();
    }
    // A longer name was cut.
    if name.len() >= FIELD_NAME_BYTES_MAX {
        return format!("{place}:");
    }
    let mut out = String::new();
    let mut rest = name.replace('*', "%2A");
    if place.starts_with("ARGS") {
        rest = rest.replace("%5B", "[").replace("%5b", "[").replace("%5D", "]").replace("%5d", "]");
    }
    let mut rest = rest.as_str();
    while let Some((front, behind)) = rest.split_once('[') {
        out.push_str(front);
        let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
        match behind.split_at_checked(digits) {
            Some((_, tail)) if digits > 0 && tail.starts_with(']') => {
                out.push_str("[*");
                rest = tail;
            }
            _ => {
                out.push('[');
                rest = behind;
            }
        }
    }
    format!("{place}:{out}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_numbers_become_wildcards() {
        for (path, expected) in [
            ("/a/b", "/a/b"),
            ("/posts/12/edit", "/posts/*/edit"),
            ("/p/87b7fad651f3453d0d78f109/x", "/p/*/x"),
            ("/p/7f1b2c3d-0000-4000-8000-123456789abc/x", "/p/*/x"),
            ("/posts/12", "/posts/*"),
            ("/decade/facade/x", "/decade/facade/x"),
        ] {
            assert_eq!(path_of(path), expected);
        }
        assert_eq!(last_kept("/posts/*", ["/posts/1", "/posts/1"].into_iter()), "/posts/1");
        assert_eq!(last_kept("/posts/*", ["/posts/1", "/posts/2"].into_iter()), "/posts/*");
        assert_eq!(last_kept("/*/x", ["/1/x", "/2/x"].into_iter()), "/*/x");
        for (place, name, expected) in [
            ("ARGS", "q", "ARGS:q"),
            ("ARGS", "", "ARGS"),
            ("ARGS", "meta%5B12%5D%5Bvalue%5D", "ARGS:meta[*][value]"),
            ("ARGS", "a[b][3]", "ARGS:a[b][*]"),
            ("ARGS", "a*b", "ARGS:a%2Ab"),
            ("JSON", "post.body", "JSON:post.body"),
            ("PATH", "", "PATH"),
        ] {
            assert_eq!(place_of(place, name), expected);
            assert!(parse(expected).is_ok(), "{expected}");
        }
        assert!(parse(&place_of("ARGS", &"x".repeat(300))).is_err(), "a name that was cut");
    }
}
