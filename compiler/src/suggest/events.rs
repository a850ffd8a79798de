//! Files of audit events, read line by line under bounds.

use std::io::BufRead;

use serde_json::Value;
use waf_shared::limits::EVENTS_SUGGESTED_MAX;

use super::event::Event;
use crate::audit_event::AuditEvent;

/// Bytes of one event; those that the service writes are shorter.
const EVENT_BYTES_MAX: u64 = 1 << 20;

/// Audit events, read.
#[derive(Debug, Default)]
pub struct Events {
    pub(super) list: Vec<Event>,
    /// Lines that are no events of this service.
    pub(super) unread: usize,
    /// Events beyond the bound.
    pub(super) left_out: usize,
}

impl Events {
    /// Adds the events of `lines`.
    pub fn read(&mut self, mut lines: impl BufRead) -> std::io::Result<()> {
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = std::io::Read::take(&mut lines, EVENT_BYTES_MAX).read_until(b'\n', &mut line)?;
            if read == 0 {
                return Ok(());
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            let document: Option<Value> = serde_json::from_slice(&line).ok();
            let event = document.as_ref().and_then(AuditEvent::of);
            if !event.is_some_and(|event| self.push(&event)) {
                self.unread += 1;
            }
        }
    }

    /// Adds an event; false if it is none of a blocked or detected request.
    pub(crate) fn push(&mut self, event: &AuditEvent<'_>) -> bool {
        let Some(event) = Event::of(event) else { return false };
        if self.list.len() >= EVENTS_SUGGESTED_MAX {
            self.left_out += 1;
        } else {
            self.list.push(event);
        }
        true
    }

    /// Adds the events of `other`.
    pub(crate) fn merge(&mut self, other: Events) {
        let room = EVENTS_SUGGESTED_MAX.saturating_sub(self.list.len());
        self.unread += other.unread;
        self.left_out += other.left_out + other.list.len().saturating_sub(room);
        self.list.extend(other.list.into_iter().take(room));
    }
}
