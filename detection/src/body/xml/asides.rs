//! What is no character data: comments and processing instructions.

use super::state::{Mark, State, Taken, is_space};
use super::{Fault, Located, Xml};
use crate::body::charset::{self, Label};
use crate::body::sink::Sink;
use crate::field::Place;

impl Xml {
    pub(super) fn comment<'c>(
        &mut self,
        dashes: u8,
        rest: &'c [u8],
        sink: &mut impl Sink,
    ) -> Located<&'c [u8]> {
        let Some((&byte, after)) = rest.split_first() else { return Ok(rest) };
        match (dashes, byte) {
            (2, b'>') => {
                if !self.aside.is_empty() {
                    sink.field(Place::Xml, &self.path, &self.aside);
                    self.aside.clear();
                }
                self.state = self.outside();
                Ok(after)
            }
            (2, _) => self.fail_before("an XML comment holds two dashes", after),
            (_, b'-') => {
                self.state = State::Comment(dashes + 1);
                Ok(after)
            }
            (1, _) => {
                self.aside.push(b'-');
                self.state = State::Comment(0);
                Ok(rest)
            }
            _ => {
                let end = memchr::memchr(b'-', rest).unwrap_or(rest.len());
                let (text, left) = rest.split_at_checked(end).unwrap_or((rest, &[]));
                self.aside.extend_from_slice(text);
                Ok(left)
            }
        }
    }

    /// Where a comment or an instruction ends.
    pub(super) fn outside(&self) -> State {
        if self.subset { State::Subset } else { State::Text }
    }

    pub(super) fn instruction(&mut self, mark: Mark, byte: u8, sink: &mut impl Sink) -> Result<Taken, Fault> {
        match (mark, byte) {
            (Mark::Seen, b'>') => {
                self.state = self.outside();
                self.instruction_end(sink)?;
            }
            (_, b'?') => {
                if mark == Mark::Seen {
                    self.aside.push(b'?');
                }
                self.state = State::Instruction(Mark::Seen);
            }
            _ => {
                if mark == Mark::Seen {
                    self.aside.push(b'?');
                }
                self.aside.push(byte);
                self.state = State::Instruction(Mark::Missing);
            }
        }
        Ok(Taken::Yes)
    }

    pub(super) fn instruction_end(&mut self, sink: &mut impl Sink) -> Result<(), Fault> {
        let aside = std::mem::take(&mut self.aside);
        let target = aside.split(|byte| is_space(*byte)).next().unwrap_or_default();
        let mut fault = None;
        if target == b"xml" {
            let encoding = charset::declared_encoding(&aside);
            if encoding.is_some_and(|name| charset::label(name) == Label::Unknown) {
                fault = Some("XML declares a character set that cannot be read");
            }
        } else if target.is_empty() {
            fault = Some("XML syntax error");
        } else {
            // Whoever runs the document as a page sees the whole instruction.
            let whole = [b"<?", aside.as_slice(), b"?>"].concat();
            sink.field(Place::Xml, &self.path, &whole);
        }
        self.aside = aside;
        self.aside.clear();
        match fault {
            Some(fault) => self.fail(fault),
            None => Ok(()),
        }
    }
}
