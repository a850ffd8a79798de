//! Push tokenizer for XML 1.0 without validation. Strict where readers differ, and stricter where only attacks go: external
//! entities are refused and never fetched, entities are counted, declared or expanded. No recursion; open elements lie on a
//! stack. The text it reads is UTF-8: other character sets were decoded before.

use crate::body::sink::{Completeness, Sink};
use crate::field::Place;
use waf_bodies::recycle;

mod asides;
mod content;
mod doctype;
mod entities;
mod outside;
mod state;
mod tag;
#[cfg(test)]
mod tests;

use entities::Entities;
use state::{Element, Mark, Stage, State, Taken, is_name_start};

/// Open elements beyond which no depth limit is ever configured: the document is given up.
const DEPTH_MAX: usize = 10_000;
const CONTROL: &str = "XML holds a control character";
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// Bytes of a reference's name; longer ones belong to nobody.
const REFERENCE_BYTES_MAX: usize = 128;

/// The tokenizer.
#[derive(Debug, Default)]
pub(super) struct Xml {
    depth_max: u32,
    entities: Entities,
    state: State,
    stage: Stage,
    /// True if the bytes in hand stand in the internal subset of the document type.
    subset: bool,
    has_doctype: bool,
    /// True if a subset that is not read here may declare entities.
    has_external_subset: bool,
    open: Vec<Element>,
    /// Names of the open elements, one after the other.
    names: Vec<u8>,
    /// Names of the open elements joined by slashes, bounded.
    path: Vec<u8>,
    /// Hashes of the names of the attributes in hand.
    attributes: Vec<u64>,
    /// Character data since the last tag.
    text: Vec<u8>,
    /// A name or keyword in hand.
    token: Vec<u8>,
    /// The name of a reference in hand.
    reference_name: Vec<u8>,
    /// Text that is not character data: an attribute's value, a comment, a declaration.
    aside: Vec<u8>,
    started: bool,
    /// Bytes of a byte order mark that came; all of them once something else did.
    mark: usize,
    fault: &'static str,
}

/// The document is not XML; the reason stands in the tokenizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fault;

/// A fault inside a chunk, and how many of the chunk's bytes follow the place where it was found. The place does not depend
/// on how the document is cut into chunks.
type Located<T> = Result<T, (Fault, usize)>;

impl Xml {
    pub(super) fn limits(&mut self, depth: u32, entities: u32) {
        self.depth_max = depth;
        self.entities.limit(entities);
    }

    pub(super) fn reset(&mut self) {
        self.entities.clear();
        self.state = State::Text;
        self.stage = Stage::Prolog;
        self.subset = false;
        self.has_doctype = false;
        self.has_external_subset = false;
        self.open.clear();
        recycle(&mut self.names);
        self.path.clear();
        self.attributes.clear();
        recycle(&mut self.text);
        recycle(&mut self.token);
        recycle(&mut self.aside);
        self.reference_name.clear();
        self.started = false;
        self.mark = 0;
        self.fault = "";
    }

    pub(super) fn pending(&self) -> usize {
        self.text.len() + self.aside.len()
    }

    /// The reason for which the document is not XML.
    pub(super) fn fault(&self) -> &'static str {
        self.fault
    }

    /// Takes the next bytes. On a fault: how many of them follow the place where it was found, and the tokenizer is done.
    pub(super) fn feed(&mut self, chunk: &[u8], sink: &mut impl Sink) -> Result<(), usize> {
        let mut rest = chunk;
        while let Some((&byte, after)) = rest.split_first() {
            if sink.is_over() {
                return Ok(());
            }
            self.started = true;
            let step = match self.state {
                State::Text => self.text(rest),
                State::Value(quote) => self.value(quote, rest, sink),
                State::Comment(dashes) => self.comment(dashes, rest, sink),
                State::CData(brackets) => self.cdata(brackets, rest),
                _ => match self.single(byte, sink) {
                    Ok(Taken::Yes) => Ok(after),
                    Ok(Taken::No) => Ok(rest),
                    Err(fault) => Err((fault, after.len())),
                },
            };
            match step {
                Ok(left) => rest = left,
                Err((Fault, left)) => {
                    self.give_up(sink);
                    return Err(left);
                }
            }
        }
        Ok(())
    }

    /// Judges what the end makes complete.
    pub(super) fn finish(&mut self, completeness: Completeness, sink: &mut impl Sink) -> Result<(), Fault> {
        if completeness == Completeness::CutOff {
            self.give_up(sink);
            return Ok(());
        }
        if !self.started || (self.stage == Stage::Epilog && self.state == State::Text) {
            return Ok(());
        }
        self.give_up(sink);
        self.fail("XML ends early")
    }

    /// Unfinished text is judged as far as it came.
    fn give_up(&mut self, sink: &mut impl Sink) {
        self.flush(sink);
        if !self.aside.is_empty() {
            sink.field(Place::Xml, &self.path, &self.aside);
            self.aside.clear();
        }
    }

    fn fail<T>(&mut self, fault: &'static str) -> Result<T, Fault> {
        self.fault = fault;
        Err(Fault)
    }

    /// States that look at one byte at a time.
    fn single(&mut self, byte: u8, sink: &mut impl Sink) -> Result<Taken, Fault> {
        match self.state {
            State::Markup => self.markup(byte, sink),
            State::Declaration => self.declaration(byte),
            State::Instruction(mark) => self.instruction(mark, byte, sink),
            State::Reference(value) => self.reference(value, byte, sink),
            State::StartName
            | State::InTag(_)
            | State::AttributeName
            | State::BeforeEquals
            | State::BeforeValue
            | State::EmptyElement
            | State::EndName
            | State::AfterEndName => self.tag(byte, sink),
            State::Doctype(_)
            | State::Subset
            | State::SubsetMarkup
            | State::SubsetComment
            | State::SubsetDeclaration(_)
            | State::ParameterReference
            | State::AfterSubset => self.doctype(byte, sink),
            // Those that take many bytes are handled by the caller.
            State::Text | State::Value(_) | State::Comment(_) | State::CData(_) => Ok(Taken::Yes),
        }
    }

    /// The same for a state that takes many bytes, of which `left` follow the fault.
    fn fail_before<T>(&mut self, fault: &'static str, left: &[u8]) -> Located<T> {
        self.fault = fault;
        Err((Fault, left.len()))
    }

    fn markup(&mut self, byte: u8, sink: &mut impl Sink) -> Result<Taken, Fault> {
        self.token.clear();
        match byte {
            b'!' => self.state = State::Declaration,
            b'?' => {
                self.aside.clear();
                self.state = State::Instruction(Mark::Missing);
            }
            b'/' => {
                self.complete_text(sink)?;
                self.state = State::EndName;
            }
            _ if is_name_start(byte) => {
                if self.stage == Stage::Epilog {
                    return self.fail("XML has more than one root element");
                }
                self.complete_text(sink)?;
                self.state = State::StartName;
                return Ok(Taken::No);
            }
            _ => return self.fail("XML syntax error"),
        }
        Ok(Taken::Yes)
    }

    /// The keyword after `<!`.
    fn declaration(&mut self, byte: u8) -> Result<Taken, Fault> {
        self.token.push(byte);
        match self.token.as_slice() {
            b"--" => {
                self.aside.clear();
                self.state = State::Comment(0);
            }
            b"[CDATA[" if self.stage == Stage::Root => self.state = State::CData(0),
            b"DOCTYPE" if self.stage == Stage::Prolog && !self.has_doctype => {
                self.has_doctype = true;
                self.aside.clear();
                self.state = State::Doctype(None);
            }
            part if b"--".starts_with(part)
                || b"[CDATA[".starts_with(part)
                || b"DOCTYPE".starts_with(part) => {}
            _ => return self.fail("XML syntax error"),
        }
        Ok(Taken::Yes)
    }
}
