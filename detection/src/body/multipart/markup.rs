//! Uploaded files of markup. A browser that opens one runs its scripts with the rights of the site that serves it, and a
//! converter fetches what its entities name (CWE-79, CWE-611).

use waf_shared::catalog::Leaf;

use super::file_name;
use super::parts::Parts;
use super::signature;
use crate::body::charset;
use crate::body::shape::{Follow, Shape, Step, shape};
use crate::body::sink::{Completeness, Sink};
use crate::body::text::Text;
use crate::body::wide::{self, Wide};
use crate::field::Place;

/// Passes on what a file of markup does, and not what its single texts say.
struct MarkupSink<'a, S>(&'a mut S);

impl Parts {
    /// Begins to read the file in hand as markup if its first bytes, its type or its name say so.
    pub(super) fn begin_markup(&mut self, value: &mut Text, sink: &mut impl Sink) {
        let wide = wide::mark(&self.file_head).or_else(|| wide::first(&self.file_head));
        let name = self.head.file_name.as_deref().unwrap_or_default();
        let is_named = signature::is_markup_type(&self.head.media_type) || file_name::is_markup(name);
        if !is_named && !begins_as_markup(&self.file_head, wide) {
            return;
        }
        value.start_markup(&self.head.name, wide);
        self.is_markup = true;
        let head = std::mem::take(&mut self.file_head);
        self.markup(&head, value, sink);
        self.file_head = head;
    }

    /// Takes content of the file in hand, if that is markup.
    pub(super) fn markup(&mut self, content: &[u8], value: &mut Text, sink: &mut impl Sink) {
        if !self.is_markup {
            return;
        }
        let room = usize::try_from(self.markup_room).unwrap_or(usize::MAX);
        let (taken, rest) = content.split_at_checked(room).unwrap_or((content, &[]));
        value.feed(taken, &mut MarkupSink(sink));
        self.markup_room -= taken.len() as u64;
        if !rest.is_empty() {
            self.end_markup(Completeness::CutOff, value, sink);
        }
    }

    /// The file in hand ends, or as much of it as is read.
    pub(super) fn end_markup(&mut self, completeness: Completeness, value: &mut Text, sink: &mut impl Sink) {
        if std::mem::take(&mut self.is_markup) {
            value.finish(completeness, &mut MarkupSink(sink));
        }
    }
}

/// True for first bytes that begin as a document of markup does, in the characters that they show.
fn begins_as_markup(head: &[u8], wide: Option<Wide>) -> bool {
    let decoded = wide.map(|wide| charset::decoded(head, wide));
    let text = decoded.as_deref().unwrap_or(head);
    shape(text, Follow::Nothing) == Step::Is(Shape::Markup)
}

impl<S: Sink> Sink for MarkupSink<'_, S> {
    fn field(&mut self, place: Place, name: &[u8], value: &[u8]) {
        if place == Place::File {
            self.0.field(place, name, value);
        }
    }

    fn argument(&mut self, _: Place, _: Place, _: &[u8]) {}

    fn argument_name(&mut self, _: Place, _: &[u8]) {}

    fn violation(&mut self, leaf: Leaf, reason: &'static str) {
        self.0.violation(leaf, reason);
    }

    fn is_over(&self) -> bool {
        self.0.is_over()
    }
}
