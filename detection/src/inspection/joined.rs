//! Judging of values that frameworks put together: an attack that is cut over the parts of one is harmless in each part.

use waf_shared::catalog::Leaf;

use super::judging::Judging;
use super::repeated::{Arrived, ENTRIES_MAX, Entry, Source, folded, is_same};
use super::split;
use crate::field::Field;

impl Judging {
    /// Judges what the names that repeat make together, once all of `source` has come: within it, and with the other
    /// collections.
    pub(super) fn join(&mut self, source: Source) {
        if self.arrived.entries.len() < 2 || self.is_over() {
            return;
        }
        if self.arrived.entries.len() >= ENTRIES_MAX {
            self.violation(Leaf::RequestValidationArgumentLimits, "more cookies than are compared".into());
        }
        let mut arrived = std::mem::take(&mut self.arrived);
        let mut entries = std::mem::take(&mut arrived.entries);
        // A stable sort keeps the order of arrival.
        entries.sort_by_key(|entry| (entry.key, entry.source));
        let mut joined = Vec::new();
        for group in
            entries.chunk_by(|one, next| one.key == next.key && arrived.name(one) == arrived.name(next))
        {
            if group.len() > 1 && group.iter().any(|entry| entry.source == source) {
                self.group(&arrived, source, group, &mut joined);
            }
        }
        arrived.entries = entries;
        self.arrived = arrived;
    }

    /// Keeps the arguments and cookies of a head, and judges those that repeat.
    pub(super) fn join_head<'a>(
        &mut self,
        query: &'a [u8],
        fields: impl Iterator<Item = (&'a [u8], &'a [u8])>,
    ) {
        for pair in query.split(|byte| *byte == b'&') {
            if let (name, Some(value)) = split::argument(pair) {
                self.arrived.note(Source::Query, name, value);
            }
        }
        self.join(Source::Query);
        for (_, line) in fields.filter(|(name, _)| name.eq_ignore_ascii_case(b"cookie")) {
            for (name, value) in split::cookies(line) {
                self.arrived.note(Source::Cookie, name, value);
            }
        }
        self.join(Source::Cookie);
    }

    fn group(&mut self, arrived: &Arrived, source: Source, group: &[Entry], joined: &mut Vec<u8>) {
        let name = group.first().map(|entry| arrived.name(entry)).unwrap_or_default();
        let own = || group.iter().filter(|entry| entry.source == source);
        arrived.join(own(), joined);
        self.field(&Field { place: source.place(), name, value: joined });
        // Arrays are joined in the order of their numbers too.
        if !own().map(|entry| entry.index).is_sorted() {
            let mut sorted: Vec<&Entry> = own().collect();
            sorted.sort_by_key(|entry| entry.index);
            arrived.join(sorted.into_iter(), joined);
            self.field(&Field { place: source.place(), name, value: joined });
        }
        if group.iter().any(|entry| entry.source != source) {
            arrived.join(group.iter(), joined);
            self.field(&Field { place: source.place(), name, value: joined });
        }
    }

    /// Judges the lines of headers that were sent more than once, joined as servers join them: by a comma, with a space
    /// or without, and cookies by semicolons too.
    pub(super) fn repeated_headers<'a>(
        &mut self,
        fields: impl Iterator<Item = (&'a [u8], &'a [u8])>,
        mut judge: impl FnMut(&mut Judging, &[u8], &[u8]),
    ) {
        let mut fields: Vec<(&[u8], &[u8])> = fields.collect();
        fields.sort_by(|(one, _), (other, _)| folded(one).cmp(folded(other)));
        for lines in fields.chunk_by(|(one, _), (next, _)| is_same(one, next)).filter(|lines| lines.len() > 1)
        {
            let Some((name, _)) = lines.first() else { continue };
            let join = |mark: &[u8]| lines.iter().map(|(_, value)| *value).collect::<Vec<_>>().join(mark);
            if name.eq_ignore_ascii_case(b"cookie") {
                self.quoted_cookies(&join(b"; "));
            }
            judge(self, name, &join(b", "));
            judge(self, name, &join(b","));
        }
    }
}

#[cfg(test)]
mod tests;
