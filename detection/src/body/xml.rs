//! Push tokenizer for XML 1.0 without validation. Strict where readers differ, and stricter where only attacks go: external
//! entities are refused and never fetched, entities are counted, declared or expanded. No recursion; open elements lie on a
//! stack. The text it reads is UTF-8: other character sets were decoded before.

use waf_shared::catalog::Leaf;

use super::charset::{self, Label};
use super::{Cut, Sink, recycle};
use crate::field::Place;

mod doctype;
mod entities;
mod outside;
mod tag;
#[cfg(test)]
mod tests;

use entities::{Entities, Expansion};

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
    /// Whether the bytes in hand stand in the internal subset of the document type.
    subset: bool,
    has_doctype: bool,
    /// Whether a subset that is not read here may declare entities.
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
    /// What is no character data: an attribute's value, a comment, a declaration.
    aside: Vec<u8>,
    started: bool,
    /// Bytes of a byte order mark that came; all of them once something else did.
    mark: usize,
    fault: &'static str,
}

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Text,
    /// After `<`.
    Markup,
    StartName,
    /// Between attributes, and whether white space came.
    InTag(Space),
    AttributeName,
    BeforeEquals,
    BeforeValue,
    /// In a value between these quotes.
    Value(u8),
    /// After `&`; in a value between these quotes, or in text.
    Reference(Option<u8>),
    /// After the `/` of an empty element.
    EmptyElement,
    EndName,
    AfterEndName,
    /// After `<!`.
    Declaration,
    /// In a comment, after so many dashes.
    Comment(u8),
    /// In a CDATA section, after so many brackets.
    CData(u8),
    /// In a processing instruction, and whether the last byte was a question mark.
    Instruction(Mark),
    /// In the document type before its subset, inside these quotes.
    Doctype(Option<u8>),
    Subset,
    /// After `<` in the subset.
    SubsetMarkup,
    /// After `<!-` in the subset.
    SubsetComment,
    /// In a declaration of the subset, inside these quotes.
    SubsetDeclaration(Option<u8>),
    /// In the name of a parameter entity that is used.
    ParameterReference,
    AfterSubset,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Space {
    Seen,
    Missing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Seen,
    Missing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Stage {
    /// Before the root element.
    #[default]
    Prolog,
    Root,
    /// After it.
    Epilog,
}

#[derive(Debug, Clone, Copy)]
struct Element {
    /// Where its name begins.
    name_start: usize,
    /// Bytes of its parent's path.
    parent_path_bytes: usize,
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

    /// Why the document is not XML.
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
    pub(super) fn finish(&mut self, cut: Cut, sink: &mut impl Sink) -> Result<(), Fault> {
        if cut == Cut::CutOff {
            self.give_up(sink);
            return Ok(());
        }
        if !self.started || (self.stage == Stage::Epilog && self.state == State::Text) {
            return Ok(());
        }
        self.give_up(sink);
        self.fail("XML ends early")
    }

    /// What was not finished is judged as far as it came.
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

    /// Character data up to markup, a reference, or the end of the chunk.
    fn text<'c>(&mut self, rest: &'c [u8]) -> Located<&'c [u8]> {
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
    fn append<'c>(&mut self, rest: &'c [u8], end: usize) -> Located<&'c [u8]> {
        let (text, left) = rest.split_at_checked(end).unwrap_or((rest, &[]));
        let good = text.iter().position(|byte| is_control(*byte)).unwrap_or(end);
        self.text.extend_from_slice(text.get(..good).unwrap_or_default());
        if good < end {
            return self.fail_before(CONTROL, rest.get(good + 1..).unwrap_or_default());
        }
        Ok(left)
    }

    /// Character data is complete.
    fn flush(&mut self, sink: &mut impl Sink) {
        if !self.text.iter().all(|byte| is_space(*byte)) {
            sink.field(Place::Xml, &self.path, &self.text);
        }
        self.text.clear();
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

    fn complete_text(&mut self, sink: &mut impl Sink) -> Result<(), Fault> {
        let good = std::str::from_utf8(&self.text).is_ok();
        self.flush(sink);
        if good { Ok(()) } else { self.fail("XML text is not UTF-8") }
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

    fn comment<'c>(&mut self, dashes: u8, rest: &'c [u8], sink: &mut impl Sink) -> Located<&'c [u8]> {
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
    fn outside(&self) -> State {
        if self.subset { State::Subset } else { State::Text }
    }

    fn cdata<'c>(&mut self, brackets: u8, rest: &'c [u8]) -> Located<&'c [u8]> {
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

    fn instruction(&mut self, mark: Mark, byte: u8, sink: &mut impl Sink) -> Result<Taken, Fault> {
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

    fn instruction_end(&mut self, sink: &mut impl Sink) -> Result<(), Fault> {
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

    /// The name of a reference, and what it stands for.
    fn reference(&mut self, value: Option<u8>, byte: u8, sink: &mut impl Sink) -> Result<Taken, Fault> {
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

/// Whether a state has taken the byte or leaves it to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    Yes,
    No,
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

const fn is_control(byte: u8) -> bool {
    byte < 0x20 && !is_space(byte)
}

const fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':') || byte >= 0x80
}

const fn is_name(byte: u8) -> bool {
    is_name_start(byte) || byte.is_ascii_digit() || matches!(byte, b'-' | b'.')
}
