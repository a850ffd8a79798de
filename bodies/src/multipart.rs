//! Push tokenizer for multipart bodies (RFC 2046, section 5.1; RFC 7578), to the letter: where two readers could find
//! different parts or names it reports a [`Doubt`], and reads on as lenient ones do.

mod boundary;
mod doubt;
mod head;
#[cfg(test)]
mod tests;

pub use boundary::{Boundary, NoBoundary};
pub use doubt::{About, Doubt};
pub use head::{Flavor, Head, fields};

use crate::Completeness;
use crate::buffer::recycle;
use boundary::Seen;

/// Bytes taken into the buffer at once.
const PIECE_BYTES: usize = 16 << 10;

/// The tokenizer.
#[derive(Debug, Default)]
pub struct Tokenizer {
    /// `None` before it is started.
    boundary: Option<Boundary>,
    head_bytes_max: usize,
    state: State,
    /// Bytes that wait for what follows them.
    buffer: Vec<u8>,
    /// Bytes of a part's head that were searched for its end.
    searched: usize,
    fed: bool,
}

/// Receiver of what is in a body, in the order of its bytes.
pub trait Events {
    /// Bytes outside of all parts: before the first delimiter and behind the last.
    fn outside(&mut self, bytes: &[u8], side: Side);
    /// A delimiter: what was before it ends.
    fn delimiter(&mut self);
    /// So many bytes that belong to no part: a delimiter, the end of its line.
    fn framing(&mut self, bytes: usize);
    /// A part begins: its head without the empty line, and all bytes of both.
    fn head(&mut self, block: &[u8], bytes: usize);
    /// A part begins whose head does not end where one may; these bytes of it came.
    fn unreadable_head(&mut self, head: &[u8], doubt: Doubt);
    /// Bytes of the content of a part.
    fn content(&mut self, bytes: &[u8]);
    /// The body ends, perhaps within a part.
    fn end(&mut self, completeness: Completeness);
    /// Something that readers may understand differently.
    fn doubt(&mut self, doubt: Doubt);
    /// Returns `true` if nothing more is wanted.
    fn is_over(&self) -> bool;
}

/// Side of the parts on which something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Before the first delimiter.
    Before,
    /// Behind the last.
    Behind,
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
    Content(Position),
    /// After the last delimiter.
    Epilogue,
}

/// Position in the content of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    First,
    Later,
}

impl Tokenizer {
    /// Makes it ready for the next body.
    pub fn reset(&mut self) {
        self.boundary = None;
        self.state = State::Start;
        recycle(&mut self.buffer);
        self.searched = 0;
        self.fed = false;
    }

    /// Begins a body with this boundary, whose parts may have heads of so many bytes.
    pub fn start(&mut self, boundary: Boundary, head_bytes_max: usize) {
        self.reset();
        self.boundary = Some(boundary);
        self.head_bytes_max = head_bytes_max;
    }

    /// Returns `true` if it was started.
    pub fn is_started(&self) -> bool {
        self.boundary.is_some()
    }

    /// Bytes that wait for what follows them.
    pub fn pending(&self) -> usize {
        self.buffer.len()
    }

    /// Returns `true` if the last delimiter has come.
    pub fn is_at_end(&self) -> bool {
        self.state == State::Epilogue
    }

    /// Takes the next bytes.
    pub fn feed(&mut self, chunk: &[u8], events: &mut impl Events) {
        self.fed |= !chunk.is_empty();
        for piece in chunk.chunks(PIECE_BYTES) {
            self.buffer.extend_from_slice(piece);
            self.run(None, events);
        }
    }

    /// Ends the body; an empty one is no fault.
    pub fn finish(&mut self, completeness: Completeness, events: &mut impl Events) {
        self.run(Some(completeness), events);
        let is_ended = self.is_at_end() || !self.fed;
        events.end(completeness);
        if completeness == Completeness::Whole && !is_ended && self.is_started() {
            events.doubt(Doubt::boundary("a multipart body ends without its last boundary"));
        }
    }

    /// Takes from the buffer what can be decided; with `end` nothing follows.
    fn run(&mut self, end: Option<Completeness>, events: &mut impl Events) {
        let buffer = std::mem::take(&mut self.buffer);
        let boundary = self.boundary.take();
        let mut at = if boundary.is_some() { 0 } else { buffer.len() };
        while let (Some(boundary), Some(rest)) = (&boundary, buffer.get(at..).filter(|rest| !rest.is_empty()))
        {
            if events.is_over() {
                at = buffer.len();
                break;
            }
            let taken = self.step(boundary, rest, end, events);
            if taken == 0 {
                break;
            }
            at += taken;
        }
        self.boundary = boundary;
        self.buffer = buffer;
        self.buffer.drain(..at);
    }

    /// Takes some bytes from the beginning of `rest`; none when more must come first.
    fn step(
        &mut self,
        boundary: &Boundary,
        rest: &[u8],
        end: Option<Completeness>,
        events: &mut impl Events,
    ) -> usize {
        match self.state {
            State::Delimiter => self.delimiter(rest, end, events),
            State::Line => self.line(rest, events),
            State::Head => self.head(rest, end, events),
            State::Epilogue => {
                events.outside(rest, Side::Behind);
                rest.len()
            }
            State::Start | State::Preamble | State::Content(_) => self.content(boundary, rest, end, events),
        }
    }

    /// The rest of the line of a delimiter.
    fn delimiter(&mut self, rest: &[u8], end: Option<Completeness>, events: &mut impl Events) -> usize {
        let (state, taken) = match rest {
            [b'\r', b'\n', ..] => (State::Head, 2),
            [b'-', b'-', ..] => (State::Epilogue, 2),
            [_] if end.is_none() => return 0,
            [_] if end == Some(Completeness::CutOff) => return 1,
            _ => {
                events.doubt(Doubt::boundary("something follows a boundary on its line"));
                (State::Line, 0)
            }
        };
        self.searched = 0;
        self.state = state;
        events.framing(taken);
        if state == State::Line { self.line(rest, events) } else { taken }
    }

    /// Lenient readers find the part behind the line.
    fn line(&mut self, rest: &[u8], events: &mut impl Events) -> usize {
        let end = memchr::memchr(b'\n', rest);
        if end.is_some() {
            self.state = State::Head;
        }
        let taken = end.map_or(rest.len(), |at| at + 1);
        events.framing(taken);
        taken
    }

    fn head(&mut self, rest: &[u8], end: Option<Completeness>, events: &mut impl Events) -> usize {
        let block = if rest.starts_with(b"\r\n") {
            Some((0, 2))
        } else {
            let from = self.searched.saturating_sub(3);
            let tail = rest.get(from..).unwrap_or_default();
            memchr::memmem::find(tail, b"\r\n\r\n").map(|at| (from + at, from + at + 4))
        };
        let reason = match block {
            Some((block, taken)) if block <= self.head_bytes_max => {
                self.state = State::Content(Position::First);
                events.head(rest.get(..block).unwrap_or_default(), taken);
                return taken;
            }
            None if rest.len() <= self.head_bytes_max => {
                if end != Some(Completeness::Whole) {
                    self.searched = rest.len();
                    return 0;
                }
                "a multipart body ends within the head of a part"
            }
            _ => "the head of a part is too long",
        };
        let length = rest.len().min(self.head_bytes_max);
        self.state = State::Content(Position::Later);
        events.unreadable_head(rest.get(..length).unwrap_or_default(), Doubt::head(reason));
        length
    }

    /// Content up to the next delimiter, or up to what may be one.
    fn content(
        &mut self,
        boundary: &Boundary,
        rest: &[u8],
        end: Option<Completeness>,
        events: &mut impl Events,
    ) -> usize {
        let is_first = matches!(self.state, State::Start | State::Content(Position::First));
        match boundary.find(rest, is_first, end.is_some()) {
            Seen::Content(0) => 0,
            Seen::Content(length) => {
                self.consume(rest.get(..length).unwrap_or_default(), events);
                length
            }
            Seen::Doubtful { at } => {
                self.consume(rest.get(..at).unwrap_or_default(), events);
                events.doubt(Doubt::boundary("a boundary stands behind half a line break"));
                at
            }
            Seen::Delimiter { at, length } => {
                if at > 0 {
                    self.consume(rest.get(..at).unwrap_or_default(), events);
                }
                if is_first && at == 0 && self.state != State::Start && !rest.starts_with(b"\r\n") {
                    let reason = "a boundary follows the head of a part without a line break";
                    events.doubt(Doubt::boundary(reason));
                }
                events.delimiter();
                events.framing(length);
                self.state = State::Delimiter;
                at + length
            }
        }
    }

    fn consume(&mut self, bytes: &[u8], events: &mut impl Events) {
        if let State::Content(_) = self.state {
            self.state = State::Content(Position::Later);
            events.content(bytes);
        } else {
            self.state = State::Preamble;
            events.outside(bytes, Side::Before);
        }
    }
}
