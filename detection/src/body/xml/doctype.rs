//! The document type declaration: what it says is read as far as it can harm. External entities are refused, whoever
//! declares them, and so are parameter entities that are used: nothing honest sends either to a server.

use waf_shared::catalog::Leaf;

use super::outside::is_harmless;
use super::state::{Mark, State, Taken, is_name, is_space};
use super::{Fault, Xml};
use crate::body::sink::Sink;
use crate::field::Place;

const EXTERNAL: &str = "XML declares an external entity";

impl Xml {
    /// One byte between `<!DOCTYPE` and its `>`.
    pub(super) fn doctype(&mut self, byte: u8, sink: &mut impl Sink) -> Result<Taken, Fault> {
        match (self.state, byte) {
            (State::Doctype(None), b'[') => {
                self.header(sink)?;
                self.subset = true;
                self.state = State::Subset;
            }
            (State::Doctype(None), b'>') => {
                self.header(sink)?;
                self.state = State::Text;
            }
            (State::Doctype(quote), _) => {
                self.aside.push(byte);
                self.state = State::Doctype(quoted(quote, byte));
            }
            (State::AfterSubset, b'>') => self.state = State::Text,
            (State::AfterSubset, _) if is_space(byte) => {}
            _ => return self.subset(byte, sink),
        }
        Ok(Taken::Yes)
    }

    /// One byte of the subset, between `[` and its `]`.
    fn subset(&mut self, byte: u8, sink: &mut impl Sink) -> Result<Taken, Fault> {
        match (self.state, byte) {
            (State::Subset, b']') => {
                self.subset = false;
                self.state = State::AfterSubset;
            }
            (State::Subset, b'<') => self.state = State::SubsetMarkup,
            (State::Subset, b'%') => {
                sink.violation(Leaf::XmlParsingEntityExpansion, "XML uses a parameter entity");
                self.state = State::ParameterReference;
            }
            (State::ParameterReference, b';') => self.state = State::Subset,
            (State::ParameterReference, _) if is_name(byte) => {}
            (State::SubsetMarkup, b'?') => {
                self.aside.clear();
                self.state = State::Instruction(Mark::Missing);
            }
            (State::SubsetMarkup, b'!') => {
                self.aside.clear();
                self.state = State::SubsetDeclaration(None);
            }
            (State::SubsetComment, b'-') => {
                self.aside.clear();
                self.state = State::Comment(0);
            }
            (State::SubsetDeclaration(None), b'-') if self.aside.is_empty() => {
                self.state = State::SubsetComment;
            }
            (State::SubsetDeclaration(None), b'>') => {
                let declaration = std::mem::take(&mut self.aside);
                let step = self.subset_declaration(&declaration, sink);
                self.aside = declaration;
                self.aside.clear();
                step?;
                self.state = State::Subset;
            }
            (State::SubsetDeclaration(None), b'<') => return self.fail("XML syntax error"),
            (State::SubsetDeclaration(quote), _) => {
                self.aside.push(byte);
                self.state = State::SubsetDeclaration(quoted(quote, byte));
            }
            (State::Subset, _) if is_space(byte) => {}
            _ => return self.fail("XML syntax error"),
        }
        Ok(Taken::Yes)
    }

    /// The text between `<!DOCTYPE` and the subset: a name, and perhaps where the rest of the declarations lies.
    fn header(&mut self, sink: &mut impl Sink) -> Result<(), Fault> {
        let header = std::mem::take(&mut self.aside);
        let mut words = Words(&header);
        let good = is_name_word(words.next());
        let external = words.external();
        let ends = words.next().is_none();
        let good = good && ends && external != External::Broken;
        if let External::At(system) = external {
            self.has_external_subset = true;
            sink.field(Place::Xml, b"DOCTYPE", system);
            if !is_harmless(system) {
                sink.violation(Leaf::XmlParsingEntityExpansion, "XML has declarations elsewhere");
            }
        }
        self.aside = header;
        self.aside.clear();
        if good { Ok(()) } else { self.fail("the XML document type cannot be read") }
    }

    /// A declaration of the subset, without `<!` and `>`.
    fn subset_declaration(&mut self, declaration: &[u8], sink: &mut impl Sink) -> Result<(), Fault> {
        let mut words = Words(declaration);
        match words.next() {
            Some(b"ENTITY") => self.entity(words, sink),
            // Elements, attributes and notations say nothing that is read here; what they quote is judged.
            Some(b"ELEMENT" | b"ATTLIST" | b"NOTATION") => {
                sink.field(Place::Xml, b"DOCTYPE", declaration);
                Ok(())
            }
            _ => self.fail("XML syntax error"),
        }
    }

    fn entity(&mut self, mut words: Words<'_>, sink: &mut impl Sink) -> Result<(), Fault> {
        let mut name = words.next();
        let is_parameter = name == Some(b"%");
        if is_parameter {
            name = words.next();
        }
        let Some(name) = name.filter(|name| is_name_word(Some(name))) else {
            return self.fail("an XML entity cannot be read");
        };
        let mut rest = words.clone();
        let text = match words.external() {
            External::No => {
                let Some(text) = rest.next().and_then(literal) else {
                    return self.fail("an XML entity cannot be read");
                };
                words = rest;
                sink.field(Place::Xml, b"ENTITY", text);
                Some(text)
            }
            External::At(system) => {
                sink.field(Place::Xml, b"ENTITY", system);
                sink.violation(Leaf::XmlParsingEntityExpansion, EXTERNAL);
                if words.next().is_some_and(|word| word == b"NDATA") {
                    words.next();
                }
                None
            }
            External::Broken => {
                sink.violation(Leaf::XmlParsingEntityExpansion, EXTERNAL);
                return self.fail("an XML entity cannot be read");
            }
        };
        // Parameter entities count, and their names are their own.
        let good = if is_parameter {
            self.entities.declare(&[b"%", name].concat(), text)
        } else {
            self.entities.declare(name, text)
        };
        if !good {
            sink.violation(Leaf::XmlParsingEntityExpansion, "XML declares more entities than xml_entities");
        }
        if words.next().is_some() {
            return self.fail("an XML entity cannot be read");
        }
        Ok(())
    }
}

/// The quotes that hold after `byte`.
const fn quoted(quote: Option<u8>, byte: u8) -> Option<u8> {
    match (quote, byte) {
        (None, b'"' | b'\'') => Some(byte),
        (Some(open), _) if open == byte => None,
        _ => quote,
    }
}

/// Names, marks and quoted literals of a declaration; a literal keeps its quotes.
#[derive(Clone)]
struct Words<'d>(&'d [u8]);

/// References to something outside the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum External<'d> {
    No,
    /// Under this system identifier.
    At(&'d [u8]),
    Broken,
}

impl<'d> Words<'d> {
    fn external(&mut self) -> External<'d> {
        let mut ahead = self.clone();
        let keyword = ahead.next();
        let literals = match keyword {
            Some(b"SYSTEM") => 1,
            Some(b"PUBLIC") => 2,
            _ => return External::No,
        };
        *self = ahead;
        for _ in 1..literals {
            if self.next().and_then(literal).is_none() {
                return External::Broken;
            }
        }
        self.next().and_then(literal).map_or(External::Broken, External::At)
    }
}

impl<'d> Iterator for Words<'d> {
    type Item = &'d [u8];

    fn next(&mut self) -> Option<&'d [u8]> {
        let start = self.0.iter().position(|byte| !is_space(*byte))?;
        let rest = self.0.get(start..)?;
        let end = match rest.first()? {
            quote @ (b'"' | b'\'') => {
                memchr::memchr(*quote, rest.get(1..)?).map_or(rest.len(), |inside| inside + 2)
            }
            _ => rest
                .iter()
                .position(|byte| is_space(*byte) || matches!(byte, b'"' | b'\''))
                .unwrap_or(rest.len()),
        };
        let (word, left) = rest.split_at_checked(end)?;
        self.0 = left;
        Some(word)
    }
}

/// The inside of a quoted literal.
fn literal(word: &[u8]) -> Option<&[u8]> {
    let (quote, rest) = word.split_first().filter(|(quote, _)| matches!(quote, b'"' | b'\''))?;
    rest.strip_suffix(&[*quote])
}

fn is_name_word(word: Option<&[u8]>) -> bool {
    word.is_some_and(|word| !word.is_empty() && word.iter().all(|byte| is_name(*byte)))
}
