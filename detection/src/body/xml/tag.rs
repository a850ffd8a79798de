//! Tags: names, attributes, and the stack of open elements.

use std::hash::{DefaultHasher, Hash, Hasher};

use waf_shared::catalog::Leaf;
use waf_shared::limits;

use super::outside;
use super::state::{Element, Space, Stage, State, Taken, is_control, is_name, is_name_start, is_space};
use super::{CONTROL, DEPTH_MAX, Fault, Located, Xml};
use crate::body::sink::Sink;
use crate::field::Place;

impl Xml {
    /// One byte of a tag, outside of attribute values.
    pub(super) fn tag(&mut self, byte: u8, sink: &mut impl Sink) -> Result<Taken, Fault> {
        match (self.state, byte) {
            (State::StartName | State::EndName | State::AttributeName, _) if is_name(byte) => {
                self.token.push(byte);
            }
            (State::StartName, _) => {
                self.enter(sink)?;
                self.state = State::InTag(Space::Missing);
                return Ok(Taken::No);
            }
            (State::InTag(_), b'>') => {
                self.attributes_end()?;
                self.state = State::Text;
            }
            (State::InTag(_), b'/') => self.state = State::EmptyElement,
            (State::InTag(_), _) if is_space(byte) => self.state = State::InTag(Space::Seen),
            (State::InTag(Space::Seen), _) if is_name_start(byte) => {
                self.token.clear();
                self.token.push(byte);
                self.state = State::AttributeName;
            }
            (State::AttributeName | State::BeforeEquals, b'=') => self.state = State::BeforeValue,
            (State::AttributeName | State::BeforeEquals, _) if is_space(byte) => {
                self.state = State::BeforeEquals;
            }
            (State::BeforeValue, b'"' | b'\'') => {
                self.attribute(sink)?;
                self.state = State::Value(byte);
            }
            (State::EmptyElement, b'>') => {
                self.attributes_end()?;
                self.leave();
            }
            (State::EndName | State::AfterEndName, b'>') => {
                let start = self.open.last().map_or(0, |element| element.name_start);
                if self.open.is_empty() || self.names.get(start..) != Some(self.token.as_slice()) {
                    return self.fail("XML tags do not match");
                }
                self.leave();
            }
            (State::EndName, _) if is_space(byte) && !self.token.is_empty() => {
                self.state = State::AfterEndName;
            }
            (State::BeforeValue | State::AfterEndName, _) if is_space(byte) => {}
            _ => return self.fail("XML syntax error"),
        }
        Ok(Taken::Yes)
    }

    /// The name of a start tag is complete.
    fn enter(&mut self, sink: &mut impl Sink) -> Result<(), Fault> {
        if self.open.len() >= DEPTH_MAX {
            return self.fail("XML is nested too deeply");
        }
        self.stage = Stage::Root;
        self.open.push(Element { name_start: self.names.len(), parent_path_bytes: self.path.len() });
        self.names.extend_from_slice(&self.token);
        if self.open.len() > self.depth_max as usize {
            sink.violation(Leaf::XmlParsingMaxDepth, "XML is nested deeper than xml_depth");
        }
        if !self.path.is_empty() {
            self.path.push(b'/');
        }
        self.path.extend_from_slice(&self.token);
        self.path.truncate(limits::FIELD_NAME_BYTES_MAX);
        // Where objects are read from XML, the element names their class.
        if self.token.contains(&b'.') {
            sink.field(Place::Xml, &self.path, &self.token);
        }
        self.attributes.clear();
        self.token.clear();
        Ok(())
    }

    fn leave(&mut self) {
        if let Some(element) = self.open.pop() {
            self.names.truncate(element.name_start);
            self.path.truncate(element.parent_path_bytes);
        }
        if self.open.is_empty() {
            self.stage = Stage::Epilog;
        }
        self.state = State::Text;
    }

    /// The name of an attribute is complete.
    fn attribute(&mut self, sink: &mut impl Sink) -> Result<(), Fault> {
        if std::str::from_utf8(&self.token).is_err() {
            return self.fail("an XML name is not UTF-8");
        }
        let mut hasher = DefaultHasher::new();
        self.token.hash(&mut hasher);
        self.attributes.push(hasher.finish());
        if self.attributes.len() == limits::ARGUMENTS_MAX + 1 {
            sink.violation(
                Leaf::RequestValidationArgumentLimits,
                "an XML element has more than 1000 attributes",
            );
        }
        self.aside.clear();
        Ok(())
    }

    /// Duplicate attributes are looked for when a tag ends: sorting beats remembering.
    fn attributes_end(&mut self) -> Result<(), Fault> {
        self.attributes.sort_unstable();
        let twice = self.attributes.array_windows().any(|[one, next]| one == next);
        if twice { self.fail("an XML element has an attribute twice") } else { Ok(()) }
    }

    /// Bytes of an attribute's value up to its end, a reference, or the end of the chunk.
    pub(super) fn value<'c>(&mut self, quote: u8, rest: &'c [u8], sink: &mut impl Sink) -> Located<&'c [u8]> {
        let end = memchr::memchr3(quote, b'<', b'&', rest).unwrap_or(rest.len());
        let (text, marked) = rest.split_at_checked(end).unwrap_or((rest, &[]));
        let good = text.iter().position(|byte| is_control(*byte)).unwrap_or(end);
        self.aside.extend_from_slice(text.get(..good).unwrap_or_default());
        if good < end {
            return self.fail_before(CONTROL, rest.get(good + 1..).unwrap_or_default());
        }
        let Some((&mark, after)) = marked.split_first() else { return Ok(marked) };
        match mark {
            b'<' => return self.fail_before("an XML attribute holds a tag", after),
            b'&' => {
                self.reference_name.clear();
                self.state = State::Reference(Some(quote));
            }
            _ => {
                self.attribute_value(sink).map_err(|fault| (fault, after.len()))?;
                self.state = State::InTag(Space::Missing);
            }
        }
        Ok(after)
    }

    fn attribute_value(&mut self, sink: &mut impl Sink) -> Result<(), Fault> {
        let path_bytes = self.path.len();
        self.path.push(b'@');
        self.path.extend_from_slice(&self.token);
        self.path.truncate(limits::FIELD_NAME_BYTES_MAX.max(path_bytes));
        sink.field(Place::Xml, &self.path, &self.aside);
        self.path.truncate(path_bytes);
        let start = self.open.last().map_or(0, |element| element.name_start);
        let element = self.names.get(start..).unwrap_or_default();
        if outside::asks_for(element, &self.token, &self.aside) {
            sink.violation(Leaf::XmlParsingEntityExpansion, "XML asks for another document");
        }
        let good = std::str::from_utf8(&self.aside).is_ok();
        self.aside.clear();
        if good { Ok(()) } else { self.fail("XML text is not UTF-8") }
    }
}
