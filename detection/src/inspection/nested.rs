//! Judging of the strings of documents that values turn out to be.

use super::documents::Literals;
use super::judging::Judging;
use crate::field::{Field, Place};

impl Judging {
    /// Judges every string of `document`, which was found in `field`.
    pub(super) fn document(&mut self, field: &Field<'_>, document: &[u8]) {
        let mut name = Vec::new();
        for literal in Literals::of(document) {
            if self.is_over() {
                return;
            }
            let text = literal.unescaped();
            name.clear();
            name.extend_from_slice(field.name);
            if !literal.key.is_empty() {
                name.push(b'.');
                name.extend_from_slice(literal.key);
            }
            let place = if literal.is_key { Place::JsonKey } else { Place::Json };
            self.field(&Field { place, name: &name, value: &text });
        }
    }
}
