//! Files without a name in multipart bodies that are not forms, known by their types alone. Readers that go by the content
//! take text in them for what it shows, as they do with whole bodies.

use super::{Multipart, Position, State};
use crate::body::opening::{Content, Opening};
use crate::body::shape::Follow;
use crate::body::text::Text;
use crate::body::{Cut, Sink};

impl Multipart {
    /// Begins a file without a name.
    pub(super) fn begin_unnamed(&mut self, media_type: &[u8]) {
        let mut opening = Opening::default();
        opening.start(media_type);
        self.opening = Some(opening);
    }

    /// Takes content of a file, named or not.
    pub(super) fn consume_file(&mut self, content: &[u8], value: &mut Text, sink: &mut impl Sink) {
        let rest = self.open(content, Follow::Perhaps, value, sink);
        if matches!(self.state, State::Text(_)) {
            return self.consume(rest, value, sink);
        }
        self.file(rest, sink);
    }

    /// The file ends: what its first bytes show is decided.
    pub(super) fn end_file(&mut self, cut: Cut, value: &mut Text, sink: &mut impl Sink) {
        self.open(b"", Follow::Nothing, value, sink);
        if matches!(self.state, State::Text(_)) {
            value.finish(cut, sink);
        } else if self.file_head.len() < super::signature::HEAD_BYTES {
            self.sniff(sink);
        }
    }

    /// Looks at the first bytes of a file without a name; gives those back that it does not take.
    fn open<'c>(
        &mut self,
        content: &'c [u8],
        follow: Follow,
        value: &mut Text,
        sink: &mut impl Sink,
    ) -> &'c [u8] {
        self.state = State::File(Position::Later);
        let Some(mut opening) = self.opening.take() else { return content };
        let (found, rest) = opening.take(content, follow);
        let taken = content.get(..content.len() - rest.len()).unwrap_or(content);
        self.file(taken, sink);
        match found {
            Content::Undecided => self.opening = Some(opening),
            Content::Binary | Content::Plain => {}
            Content::Shaped(shape, wide) => {
                if self.file_head.len() < super::signature::HEAD_BYTES {
                    self.sniff(sink);
                }
                value.start_found(shape, wide);
                let within = self.count(opening.head().len());
                value.feed(opening.head().get(..within).unwrap_or_default(), sink);
                self.state = State::Text(Position::Later);
            }
        }
        rest
    }
}
