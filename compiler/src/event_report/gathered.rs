//! Everything that a page says, gathered event by event in bounded memory.

use serde_json::Value;

use super::counts::Counts;
use super::sample::{Kind, Samples};
use super::timeline::Timeline;
use super::top::Top;
use crate::audit_event::AuditEvent;
use crate::suggest::{Events, path_of};

/// Counts of one thread, or of all.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) all: Counts,
    /// Lines that are no events of this service.
    pub(super) unread: u64,
    /// Inputs that could not be read to their end, with the reason.
    pub(super) faults: Vec<String>,
    /// First and last event.
    pub(super) first: Option<u64>,
    pub(super) last: Option<u64>,
    pub(super) timeline: Timeline,
    pub(super) protections: Top,
    pub(super) routes: Top,
    pub(super) sources: Top,
    pub(super) paths: Top,
    /// Parts that no rule looked at.
    pub(super) uninspected: Top,
    /// Events with such a part.
    pub(super) partly: u64,
    pub(super) samples: Samples,
    pub(super) events: Events,
}

/// Inputs whose faults are named.
const FAULTS_MAX: usize = 20;

impl Gathered {
    pub(super) fn line(&mut self, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            return;
        }
        let document: Option<Value> = serde_json::from_slice(line).ok();
        match document.as_ref().and_then(AuditEvent::of) {
            Some(event) => self.event(&event),
            None => self.unread += 1,
        }
    }

    fn event(&mut self, event: &AuditEvent<'_>) {
        let one = Counts::one(event.disposition);
        self.all.add(one);
        if let Some(second) = event.seconds() {
            self.first = Some(self.first.map_or(second, |first| first.min(second)));
            self.last = Some(self.last.map_or(second, |last| last.max(second)));
            self.timeline.add(second, one);
        }
        let protection = event.list("matched_protections").next().unwrap_or("none");
        self.protections.add(protection, one);
        let (route, path) = (event.route().unwrap_or("no route"), path_of(event.path()));
        self.routes.add(route, one);
        self.sources.add(event.client(), one);
        self.paths.add(&path, one);
        let mut is_partly = false;
        for part in event.list("not_inspected") {
            is_partly = true;
            self.uninspected.add(part, one);
        }
        self.partly += u64::from(is_partly);
        let names = [
            (Kind::Protection, protection),
            (Kind::Route, route),
            (Kind::Source, event.client()),
            (Kind::Path, &path),
        ];
        self.samples.add(event, protection, &names);
        self.events.push(event);
    }

    pub(super) fn fault(&mut self, fault: String) {
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(fault);
        }
    }

    /// Adds what another thread has gathered.
    pub(super) fn merge(&mut self, other: Gathered) {
        self.first = self.first.into_iter().chain(other.first).min();
        self.last = self.last.max(other.last);
        self.all.add(other.all);
        self.unread += other.unread;
        self.partly += other.partly;
        self.timeline.merge(other.timeline);
        self.protections.merge(other.protections);
        self.routes.merge(other.routes);
        self.sources.merge(other.sources);
        self.paths.merge(other.paths);
        self.uninspected.merge(other.uninspected);
        self.samples.merge(other.samples);
        self.events.merge(other.events);
        other.faults.into_iter().for_each(|fault| self.fault(fault));
    }
}
