//! Character data: text, CDATA sections and references.

use waf_shared::catalog::Leaf;

use super::entities::Expansion;
use super::state::{Stage, State, Taken, is_control, is_name, is_space};
use super::{BYTE_ORDER_MARK, CONTROL, Fault, Located, REFERENCE_BYTES_MAX, Xml};
use crate::body::sink::Sink;
use crate::field::Place;

impl Xml {
    /// Character data up to markup, a reference, or the end of the chunk.
    pub(super) fn text<'c>(&mut self, rest: &'c [u8]) -> Located<&'c [u8]> {
        const OUTSIDE: &str = "text stands outside the XML document's element";
        let Some((&byte, after)) = rest.split_first() else { return Ok(rest) };
        if self.mark < BYTE_ORDER_MARK.len() {
            if BYTE_ORDER_MARK.get(self.mark) == Some(&byte) {
                self.mark += 1;
                return Ok(after);
            }
            if self.mark > 0 {
                return self.fail_before(OUTSIDE, after);
            }
            self.mark = BYTE_ORDER_MARK.len();
        }
        match byte {
            b'<' => {
                self.state = State::Markup;
                Ok(after)
            }
            b'&' if self.stage == Stage::Root => {
                self.reference_name.clear();
                self.state = State::Reference(None);
                Ok(after)
            }
            _ if self.stage == Stage::Root => {
                let end = memchr::memchr2(b'<', b'&', rest).unwrap_or(rest.len());
                self.append(rest, end)
            }
            _ if is_space(byte) => Ok(after),
            _ => self.fail_before(OUTSIDE, after),
        }
    }

    /// Takes character data up to `end`.
    pub(super) fn append<'c>(&mut self, rest: &'c [u8], end: usize) -> Located<&'c [u8]> {
        let (text, left) = rest.split_at_checked(end).unwrap_or((rest, &[]));
        let good = text.iter().position(|byte| is_control(*byte)).unwrap_or(end);
        self.text.extend_from_slice(text.get(..good).unwrap_or_default());
        if good < end {
            return self.fail_before(CONTROL, rest.get(good + 1..).unwrap_or_default());
        }
        Ok(left)
    }

    /// Character data is complete.
    pub(super) fn flush(&mut self, sink: &mut impl Sink) {
        if !self.text.iter().all(|byte| is_space(*byte)) {
            sink.field(Place::Xml, &self.path, &self.text);
        }
        self.text.clear();
    }

    pub(super) fn complete_text(&mut self, sink: &mut impl Sink) -> Result<(), Fault> {
        let good = std::str::from_utf8(&self.text).is_ok();
        self.flush(sink);
        if good { Ok(()) } else { self.fail("XML text is not UTF-8") }
    }

    pub(super) fn cdata<'c>(&mut self, brackets: u8, rest: &'c [u8]) -> Located<&'c [u8]> {
        let Some((&byte, after)) = rest.split_first() else { return Ok(rest) };
        match (brackets, byte) {
            (2, b'>') => {
                self.state = State::Text;
                Ok(after)
            }
            (2, b']') => {
                self.text.push(b']');
                Ok(after)
            }
            (0 | 1, b']') => {
                self.state = State::CData(brackets + 1);
                Ok(after)
            }
            (1 | 2, _) => {
                self.text.extend(std::iter::repeat_n(b']', usize::from(brackets)));
                self.state = State::CData(0);
                Ok(rest)
            }
            _ => {
                let end = memchr::memchr(b']', rest).unwrap_or(rest.len());
                self.append(rest, end)
            }
        }
    }

    /// The name of a reference, and what it stands for.
    pub(super) fn reference(
        &mut self,
        value: Option<u8>,
        byte: u8,
        sink: &mut impl Sink,
    ) -> Result<Taken, Fault> {
        if byte != b';' {
            if self.reference_name.len() >= REFERENCE_BYTES_MAX || !(is_name(byte) || byte == b'#') {
                return self.fail("XML holds an ampersand that is no reference");
            }
            self.reference_name.push(byte);
            return Ok(Taken::Yes);
        }
        let out = if value.is_some() { &mut self.aside } else { &mut self.text };
        match self.entities.expand(&self.reference_name, out) {
            Expansion::Done => {}
            // What an external subset declares is not known here; the reference stays as it is.
            Expansion::Unknown if self.has_external_subset => {
                out.push(b'&');
                out.extend_from_slice(&self.reference_name);
                out.push(b';');
            }
            Expansion::Unknown => {
                return self.fail("XML holds a reference to an entity that it does not declare");
            }
            Expansion::NoCharacter => return self.fail("XML holds a reference to no character"),
            Expansion::TooMany => {
                sink.violation(
                    Leaf::XmlParsingEntityExpansion,
                    "XML expands more entities than xml_entities",
                );
            }
        }
        self.state = value.map_or(State::Text, State::Value);
        Ok(Taken::Yes)
    }
}
