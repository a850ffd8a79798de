//! Push parser for multipart bodies (RFC 2046, section 5.1; RFC 7578), to the letter: where two readers could find different
//! parts or names, the body is refused. Text values are judged like other values; of files only names, types, sizes and
//! first bytes are looked at, and their content passes by.

use waf_bodies::recycle;
use waf_shared::catalog::Leaf;
use waf_shared::limits;

use super::media_type;
use super::text::Text;
use crate::body::kind::BodyKind;
use crate::body::sink::Progress;
use crate::body::sink::{Completeness, Sink};
use crate::bounds::{Bounds, Files};
use crate::field::Place;

mod boundary;
mod content;
mod file_name;
mod head;
mod outside;
pub(super) mod signature;
#[cfg(test)]
mod tests;
mod unnamed;

use boundary::Boundary;
use head::{Finding, Flavor, Head};
use unnamed::Unnamed;

/// Bytes taken into the buffer at once.
const PIECE_BYTES: usize = 16 << 10;
/// Bytes of the value of `_charset_` that are looked at.
const CHARSET_BYTES_MAX: usize = 64;

const BOUNDARIES: Leaf = Leaf::HttpComplianceMultipartBoundaries;

/// The parser.
#[derive(Debug, Default)]
pub(super) struct Multipart {
    /// `None` where the body's type names none; then the body is one text.
    boundary: Option<Boundary>,
    flavor: Flavor,
    files: Option<Files>,
    state: State,
    /// Bytes that wait for what follows them.
    buffer: Vec<u8>,
    /// Bytes of a part's head that were searched for its end.
    searched: usize,
    head: Head,
    file_count: u32,
    file_bytes: u64,
    /// The first bytes of a file.
    file_head: Vec<u8>,
    /// A file without a name, until its first bytes say what it is.
    unnamed: Option<Unnamed>,
    /// The value of `_charset_`, while it is read.
    charset: Option<Vec<u8>>,
    /// The standing of files whose head has a fault.
    faulty_files: FaultyFiles,
    /// True if a text outside of all parts is being read.
    is_outside: bool,
    /// Bytes that may still be evaluated.
    room: u64,
    /// Bytes that were not, because there was no room.
    uninspected: u64,
    /// Bytes of all files behind their first.
    file_rest: u64,
    fed: bool,
}

/// Standing of a file whose head readers may understand differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum FaultyFiles {
    /// A file; the fault is a violation.
    #[default]
    Files,
    /// A field, because nobody refuses the fault.
    Fields,
}

/// Position of the next byte in the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    /// Before the first delimiter; at its very beginning one may stand without a line break.
    #[default]
    Start,
    Preamble,
    /// After a delimiter: a line break or `--` follows.
    Delimiter,
    /// After a delimiter that something else follows, up to the end of its line.
    Line,
    Head,
    /// In a value that is judged.
    Text(Position),
    /// In the content of a file.
    File(Position),
    /// In a part that cannot be read, or is not evaluated any more.
    Skipped(Position),
    /// After the last delimiter.
    Epilogue,
}

/// Position in the content of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    First,
    Later,
}

impl Multipart {
    pub(super) fn reset(&mut self) {
        self.boundary = None;
        self.files = None;
        self.state = State::Start;
        recycle(&mut self.buffer);
        self.searched = 0;
        self.file_count = 0;
        self.file_bytes = 0;
        self.file_head.clear();
        self.unnamed = None;
        self.charset = None;
        self.faulty_files = FaultyFiles::Files;
        self.is_outside = false;
        self.room = 0;
        self.uninspected = 0;
        self.file_rest = 0;
        self.fed = false;
    }

    /// Begins a body of the type `value`, which may not name a usable boundary.
    pub(super) fn start(&mut self, value: &[u8], bounds: &Bounds, sink: &mut impl Sink) {
        self.reset();
        self.flavor = if media_type::is_form_data(value) { Flavor::Form } else { Flavor::Other };
        self.files = Some(bounds.files.clone());
        self.room = bounds.max_inspect_size;
        match Boundary::of(value) {
            Ok(boundary) => self.boundary = Some(boundary),
            Err(fault) => sink.violation(BOUNDARIES, fault.reason()),
        }
    }

    /// Reads files with a fault in their head as fields from now on.
    pub(super) fn read_faulty_files(&mut self) {
        self.faulty_files = FaultyFiles::Fields;
    }

    pub(super) fn pending(&self) -> usize {
        self.buffer.len() + self.file_head.len()
    }

    pub(super) fn progress(&self) -> Progress {
        let sniffed = self.file_head.len() >= signature::HEAD_BYTES && self.unnamed.is_none();
        match self.state {
            State::Text(_) => Progress::Open,
            _ if self.room == 0 => Progress::Cleared,
            State::File(Position::Later) if sniffed => Progress::InFile,
            _ => Progress::Open,
        }
    }

    pub(super) fn uninspected(&self) -> u64 {
        self.uninspected
    }

    /// Bytes of files behind the first ones of each, which are only counted.
    pub(super) fn file_rest(&self) -> u64 {
        self.file_rest
    }

    pub(super) fn feed(&mut self, chunk: &[u8], value: &mut Text, sink: &mut impl Sink) {
        self.fed |= !chunk.is_empty();
        for piece in chunk.chunks(PIECE_BYTES) {
            self.buffer.extend_from_slice(piece);
            self.run(None, value, sink);
        }
    }

    pub(super) fn finish(&mut self, completeness: Completeness, value: &mut Text, sink: &mut impl Sink) {
        self.run(Some(completeness), value, sink);
        self.end_outside(completeness, value, sink);
        let whole = matches!(self.state, State::Epilogue) || !self.fed;
        self.end_part(completeness, value, sink);
        if completeness == Completeness::Whole && !whole && self.boundary.is_some() {
            sink.violation(BOUNDARIES, "a multipart body ends without its last boundary");
        }
    }

    /// Takes from the buffer what can be decided; with `end` nothing follows.
    fn run(&mut self, end: Option<Completeness>, value: &mut Text, sink: &mut impl Sink) {
        let buffer = std::mem::take(&mut self.buffer);
        let mut at = 0;
        while let Some(rest) = buffer.get(at..).filter(|rest| !rest.is_empty()) {
            if sink.is_over() {
                at = buffer.len();
                break;
            }
            let taken = self.step(rest, end, value, sink);
            if taken == 0 {
                break;
            }
            at += taken;
        }
        self.buffer = buffer;
        self.buffer.drain(..at);
    }

    /// Takes some bytes from the beginning of `rest`; none when more must come first.
    fn step(
        &mut self,
        rest: &[u8],
        end: Option<Completeness>,
        value: &mut Text,
        sink: &mut impl Sink,
    ) -> usize {
        let Some(boundary) = self.boundary.take() else {
            self.skip_unbounded(rest, value, sink);
            return rest.len();
        };
        let taken = match self.state {
            State::Delimiter => self.delimiter(rest, end, sink),
            State::Line => self.line(rest),
            State::Head => self.part_head(rest, end, value, sink),
            State::Epilogue => {
                self.outside(rest, "something follows the last boundary of a multipart body", value, sink);
                rest.len()
            }
            _ => self.content(&boundary, rest, end, value, sink),
        };
        self.boundary = Some(boundary);
        taken
    }

    /// Without a boundary the body is one text.
    fn skip_unbounded(&mut self, rest: &[u8], value: &mut Text, sink: &mut impl Sink) {
        if self.state == State::Start {
            value.start(BodyKind::Raw, Place::Body, b"", None);
            self.state = State::Text(Position::Later);
        }
        let within = self.count(rest.len());
        value.feed(rest.get(..within).unwrap_or_default(), sink);
    }

    /// The rest of the line of a delimiter.
    fn delimiter(&mut self, rest: &[u8], end: Option<Completeness>, sink: &mut impl Sink) -> usize {
        let (state, taken) = match rest {
            [b'\r', b'\n', ..] => (State::Head, 2),
            [b'-', b'-', ..] => (State::Epilogue, 2),
            [_] if end.is_none() => return 0,
            [_] if end == Some(Completeness::CutOff) => return 1,
            _ => {
                sink.violation(BOUNDARIES, "something follows a boundary on its line");
                (State::Line, 0)
            }
        };
        self.searched = 0;
        self.state = state;
        self.count(taken);
        if state == State::Line { self.line(rest) } else { taken }
    }

    /// Lenient readers find the part behind the line.
    fn line(&mut self, rest: &[u8]) -> usize {
        let end = memchr::memchr(b'\n', rest);
        if end.is_some() {
            self.state = State::Head;
        }
        let taken = end.map_or(rest.len(), |at| at + 1);
        self.count(taken);
        taken
    }

    fn part_head(
        &mut self,
        rest: &[u8],
        end: Option<Completeness>,
        value: &mut Text,
        sink: &mut impl Sink,
    ) -> usize {
        let block = if rest.starts_with(b"\r\n") {
            Some((0, 2))
        } else {
            let from = self.searched.saturating_sub(3);
            let tail = rest.get(from..).unwrap_or_default();
            memchr::memmem::find(tail, b"\r\n\r\n").map(|at| (from + at, from + at + 4))
        };
        let too_long = "the head of a part is too long";
        let block = match block {
            Some((block, _)) if block > limits::PART_HEAD_BYTES_MAX => Err(too_long),
            Some(block) => Ok(block),
            None if rest.len() > limits::PART_HEAD_BYTES_MAX => Err(too_long),
            None if end == Some(Completeness::Whole) => {
                Err("a multipart body ends within the head of a part")
            }
            None => {
                self.searched = rest.len();
                return 0;
            }
        };
        let spent = self.room == 0;
        let (block, taken) = match block {
            Ok(block) => block,
            Err(fault) => {
                sink.violation(Leaf::FileUploadAttacksHeaderTricks, fault);
                let length = rest.len().min(limits::PART_HEAD_BYTES_MAX);
                self.count(length);
                if !spent {
                    sink.field(Place::PartHeader, b"", rest.get(..length).unwrap_or_default());
                }
                self.state = State::Skipped(Position::Later);
                return length;
            }
        };
        self.count(taken);
        let mut head = std::mem::take(&mut self.head);
        let mut is_clear = true;
        let mut report = |(leaf, reason): Finding| {
            is_clear = false;
            sink.violation(leaf, reason);
        };
        head.read(rest.get(..block).unwrap_or_default(), self.flavor, &mut report);
        if !is_clear && self.faulty_files == FaultyFiles::Fields {
            self.begin_file(&head, sink);
            head.also_named.extend(head.file_name.take());
        }
        self.begin_part(&head, spent, value, sink);
        self.head = head;
        taken
    }

    /// Judges what a part's head says, and decides how its content is read.
    fn begin_part(&mut self, head: &Head, spent: bool, value: &mut Text, sink: &mut impl Sink) {
        self.file_bytes = 0;
        self.file_head.clear();
        self.unnamed = None;
        self.charset = None;
        if !spent {
            sink.argument_name(Place::PartName, &head.name);
            for other in &head.others {
                sink.field(Place::PartHeader, &head.name, other);
            }
            for name in head.file_name.iter().chain(&head.also_named) {
                sink.field(Place::FileName, &head.name, name);
            }
        }
        // A file without a name is what browsers send for an input that was left empty; some readers take it for a field.
        let has_name = head.file_name.as_ref().is_some_and(|name| !name.is_empty());
        // Readers take any part whose disposition has a name, and no file's name, for a field.
        let is_binary = self.flavor == Flavor::Other
            && head.name.is_empty()
            && media_type::kind(&head.media_type) == BodyKind::Binary;
        if has_name || is_binary {
            self.state = State::File(Position::First);
            if !has_name && !spent {
                self.begin_unnamed(&head.media_type);
            }
            return self.begin_file(head, sink);
        }
        if spent {
            self.state = State::Skipped(Position::First);
            return;
        }
        if head.name == b"_charset_" {
            self.charset = Some(Vec::new());
        }
        let kind = match media_type::kind(&head.media_type) {
            BodyKind::Json => BodyKind::Json,
            BodyKind::Xml => BodyKind::Xml,
            _ => BodyKind::Raw,
        };
        value.start(kind, Place::Part, &head.name, None);
        self.state = State::Text(Position::First);
    }

    fn begin_file(&mut self, head: &Head, sink: &mut impl Sink) {
        let Some(files) = &self.files else { return };
        self.file_count = self.file_count.saturating_add(1);
        if self.file_count > files.count {
            sink.violation(Leaf::FileUploadLimitsMaxFileCount, "more files than multipart.file_limit");
        }
        if files.types.as_deref().is_some_and(|types| !signature::is_allowed(&head.media_type, types)) {
            sink.violation(
                Leaf::FileUploadLimitsAllowedTypes,
                "a file's type is not in multipart.allowed_types",
            );
        }
        let mut report = |(leaf, reason): Finding| sink.violation(leaf, reason);
        for name in head.file_name.iter().chain(&head.also_named) {
            file_name::judge(name, files.double_extension, &mut report);
        }
    }
}
