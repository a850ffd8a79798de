//! Files without a name in multipart bodies that are not forms, known by their types alone. Readers that go by the content
//! take text in them for what it shows, as they do with whole bodies.

use waf_shared::catalog::Leaf;

use super::parts::{Parts, Reading};
use super::signature;
use crate::body::opening::{Content, Opening};
use crate::body::shape::{Follow, Shape};
use crate::body::sink::{Completeness, Sink};
use crate::body::text::Text;

/// A file without a name, until its first bytes say what it is.
#[derive(Debug)]
pub(super) struct Unnamed {
    opening: Opening,
    /// The first bytes as they came.
    first: Vec<u8>,
    /// Bytes behind them.
    passed: u64,
}

impl Parts {
    /// Begins a file without a name.
    pub(super) fn begin_unnamed(&mut self, media_type: &[u8]) {
        let mut opening = Opening::default();
        opening.start(media_type);
        self.unnamed = Some(Unnamed { opening, first: Vec::new(), passed: 0 });
    }

    /// Takes content of a file, named or not.
    pub(super) fn consume_file(&mut self, content: &[u8], value: &mut Text, sink: &mut impl Sink) {
        let rest = self.open(content, Follow::Perhaps, value, sink);
        match self.reading {
            Reading::File => self.file(rest, value, sink),
            Reading::Text | Reading::Skipped => self.content(rest, value, sink),
        }
    }

    /// The file ends: what its first bytes show is decided.
    pub(super) fn end_file(&mut self, completeness: Completeness, value: &mut Text, sink: &mut impl Sink) {
        self.open(b"", Follow::Nothing, value, sink);
        match self.reading {
            Reading::Text => value.finish(completeness, sink),
            Reading::File if self.file_head.len() < signature::HEAD_BYTES => self.sniff(value, sink),
            _ => {}
        }
        self.end_markup(completeness, value, sink);
    }

    /// Looks at the first bytes of a file without a name; gives those back that nothing has taken yet. What a file is checked
    /// for waits until it is known to be one, so that no chunk makes a difference.
    fn open<'c>(
        &mut self,
        content: &'c [u8],
        follow: Follow,
        value: &mut Text,
        sink: &mut impl Sink,
    ) -> &'c [u8] {
        let Some(mut unnamed) = self.unnamed.take() else { return content };
        let (found, rest) = unnamed.opening.take(content, follow);
        match found {
            Content::Undecided => {
                unnamed.keep(content);
                self.unnamed = Some(unnamed);
                b""
            }
            Content::Binary | Content::Plain => {
                self.file(&unnamed.first, value, sink);
                self.file_bytes = self.file_bytes.saturating_add(unnamed.passed);
                self.file_rest = self.file_rest.saturating_add(unnamed.passed);
                content
            }
            Content::Shaped(shape, wide) => {
                if shape == Shape::Script {
                    sink.violation(Leaf::FileUploadLimitsExecutable, "a file begins like a program");
                }
                value.start_found(shape, wide);
                self.reading = Reading::Text;
                self.content(unnamed.opening.head(), value, sink);
                rest
            }
        }
    }
}

impl Unnamed {
    /// Keeps bytes for the checks of files, as far as those look at them.
    fn keep(&mut self, content: &[u8]) {
        let room = signature::HEAD_BYTES.saturating_sub(self.first.len());
        let (kept, rest) = content.split_at_checked(room).unwrap_or((content, &[]));
        self.first.extend_from_slice(kept);
        self.passed = self.passed.saturating_add(rest.len() as u64);
    }
}
