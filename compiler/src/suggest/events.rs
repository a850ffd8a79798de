//! Files of audit events, read line by line under bounds.

use std::io::BufRead;

use waf_shared::limits::EVENTS_SUGGESTED_MAX;

use super::event::Event;

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
            match Event::parse(&line) {
                None => self.unread += 1,
                Some(_) if self.list.len() >= EVENTS_SUGGESTED_MAX => self.left_out += 1,
                Some(event) => self.list.push(event),
            }
        }
    }
}
