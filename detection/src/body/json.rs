//! Push tokenizer for JSON (RFC 8259), strict where backends differ: lone surrogates, invalid UTF-8 and anything after the
//! document are faults; behind duplicate keys and a byte order mark, which are violations, it reads on. No recursion; open
//! containers lie on a stack.

use std::hash::{DefaultHasher, Hash, Hasher};

use waf_shared::catalog::Leaf;
use waf_shared::limits;

use crate::body::sink::{Completeness, Sink};
use crate::field::Place;

mod strict;
#[cfg(test)]
mod tests;
mod text;

pub(crate) use strict::is_strict;
use text::Text;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// Open containers beyond which no depth limit is ever configured: the document is given up.
const DEPTH_MAX: usize = 10_000;
/// A number this long is judged like a string; shorter ones hold nothing.
const NUMBER_BYTES_JUDGED: usize = 15;

/// The tokenizer.
#[derive(Debug, Default)]
pub(super) struct Json {
    depth_max: u32,
    keys_max: u32,
    state: State,
    started: bool,
    /// Bytes of a byte order mark that came.
    mark: usize,
    open: Vec<Container>,
    /// Hashes of the keys of all open objects, the innermost last.
    keys: Vec<u64>,
    /// Path of the value in hand: keys joined by dots, bounded.
    path: Vec<u8>,
    text: Text,
    fault: &'static str,
}

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Value,
    /// After `[`.
    ValueOrEnd,
    /// After `{`.
    KeyOrEnd,
    /// After `,` in an object.
    Key,
    Colon,
    /// After a value in a container.
    CommaOrEnd,
    /// After the document.
    End,
    InKey,
    InString,
    /// Inside a number or a literal name.
    InScalar,
}

#[derive(Debug, Clone, Copy)]
struct Container {
    is_object: bool,
    keys: u32,
    /// Where its keys begin in the stack of hashes.
    keys_start: usize,
    path_bytes: usize,
}

/// The document is not JSON; the reason stands in the tokenizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fault;

/// A fault inside a chunk, and how many of the chunk's bytes follow the place where it was found. The place does not depend
/// on how the document is cut into chunks.
type Located<T> = Result<T, (Fault, usize)>;

impl Json {
    pub(super) fn limits(&mut self, depth: u32, keys: u32) {
        self.depth_max = depth;
        self.keys_max = keys;
    }

    pub(super) fn reset(&mut self) {
        self.state = State::Value;
        self.started = false;
        self.mark = 0;
        self.open.clear();
        self.keys.clear();
        self.path.clear();
        self.text.reset();
        self.fault = "";
    }

    pub(super) fn pending(&self) -> usize {
        self.text.len()
    }

    /// Why the document is not JSON.
    pub(super) fn fault(&self) -> &'static str {
        self.fault
    }

    /// Whether the document is complete.
    pub(super) fn is_at_end(&self) -> bool {
        self.state == State::End
    }

    /// Takes the next bytes. On a fault: how many of them follow the place where it was found, and the tokenizer is done.
    pub(super) fn feed(&mut self, chunk: &[u8], sink: &mut impl Sink) -> Result<(), usize> {
        let mut rest = chunk;
        while let Some((&byte, after)) = rest.split_first() {
            if sink.is_over() {
                return Ok(());
            }
            if !self.started && BYTE_ORDER_MARK.get(self.mark) == Some(&byte) {
                self.mark += 1;
                if self.mark == BYTE_ORDER_MARK.len() {
                    // Readers that refuse it and readers that skip it are equally common.
                    sink.violation(Leaf::HttpComplianceMalformedBody, "a byte order mark stands before JSON");
                }
                rest = after;
                continue;
            }
            let step = match self.state {
                State::InKey | State::InString => self.in_text(rest, sink),
                State::InScalar => self.in_scalar(rest, sink),
                _ => self.between(byte, sink).map(|()| after).map_err(|fault| (fault, rest.len())),
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
        if !self.started && self.mark.is_multiple_of(BYTE_ORDER_MARK.len()) {
            return Ok(());
        }
        if completeness == Completeness::CutOff {
            self.give_up(sink);
            while !self.open.is_empty() {
                self.close_keys(sink);
                self.open.pop();
            }
            return Ok(());
        }
        if self.state == State::InScalar {
            self.scalar(sink)?;
        }
        if self.state == State::End {
            return Ok(());
        }
        self.give_up(sink);
        self.fail("JSON ends early")
    }

    /// A string that was not finished is judged as far as it came.
    fn give_up(&mut self, sink: &mut impl Sink) {
        match self.state {
            State::InKey => self.emit_key(self.text.bytes(), sink),
            State::InString | State::InScalar => sink.field(Place::Json, &self.path, self.text.bytes()),
            _ => {}
        }
        self.text.clear();
    }

    fn emit_key(&self, text: &[u8], sink: &mut impl Sink) {
        let parent = self.open.last().map_or(0, |container| container.path_bytes);
        sink.field(Place::JsonKey, self.path.get(..parent).unwrap_or_default(), text);
    }

    fn fail<T>(&mut self, fault: &'static str) -> Result<T, Fault> {
        self.fault = fault;
        Err(Fault)
    }

    /// One byte outside strings, numbers and names.
    fn between(&mut self, byte: u8, sink: &mut impl Sink) -> Result<(), Fault> {
        if !self.started && !self.mark.is_multiple_of(BYTE_ORDER_MARK.len()) {
            return self.fail("JSON syntax error");
        }
        if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
            self.started = true;
            return Ok(());
        }
        self.started = true;
        match (self.state, byte) {
            (State::ValueOrEnd, b']') | (State::KeyOrEnd, b'}') => {
                self.close(sink);
                Ok(())
            }
            (State::CommaOrEnd, b']' | b'}') => {
                let matches = self.open.last().is_some_and(|open| open.is_object == (byte == b'}'));
                if !matches {
                    return self.fail("JSON brackets do not match");
                }
                self.close(sink);
                Ok(())
            }
            (State::CommaOrEnd, b',') => {
                let in_object = self.open.last().is_some_and(|open| open.is_object);
                self.state = if in_object { State::Key } else { State::Value };
                Ok(())
            }
            (State::KeyOrEnd | State::Key, b'"') => {
                self.state = State::InKey;
                Ok(())
            }
            (State::Colon, b':') => {
                self.state = State::Value;
                Ok(())
            }
            (State::Value | State::ValueOrEnd, _) => self.value(byte, sink),
            (State::End, _) => self.fail("something follows the JSON document"),
            _ => self.fail("JSON syntax error"),
        }
    }

    /// The first byte of a value.
    fn value(&mut self, byte: u8, sink: &mut impl Sink) -> Result<(), Fault> {
        if let Some(container) = self.open.last().filter(|container| !container.is_object) {
            self.path.truncate(container.path_bytes);
        }
        match byte {
            b'{' | b'[' => self.enter(byte == b'{', sink),
            b'"' => {
                self.state = State::InString;
                Ok(())
            }
            b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => {
                self.state = State::InScalar;
                self.text.push(&[byte]);
                Ok(())
            }
            _ => self.fail("JSON syntax error"),
        }
    }

    fn enter(&mut self, is_object: bool, sink: &mut impl Sink) -> Result<(), Fault> {
        if self.open.len() >= DEPTH_MAX {
            return self.fail("JSON is nested too deeply");
        }
        self.open.push(Container {
            is_object,
            keys: 0,
            keys_start: self.keys.len(),
            path_bytes: self.path.len(),
        });
        if self.open.len() > self.depth_max as usize {
            sink.violation(Leaf::JsonParsingMaxDepth, "JSON is nested deeper than json_depth");
        }
        self.state = if is_object { State::KeyOrEnd } else { State::ValueOrEnd };
        Ok(())
    }

    fn close(&mut self, sink: &mut impl Sink) {
        self.close_keys(sink);
        self.open.pop();
        self.after_value();
    }

    /// Duplicate keys are looked for when an object ends: sorting beats remembering.
    fn close_keys(&mut self, sink: &mut impl Sink) {
        let start = self.open.last().map_or(0, |container| container.keys_start);
        let Some(keys) = self.keys.get_mut(start..) else { return };
        keys.sort_unstable();
        let twice = keys.array_windows().any(|[one, next]| one == next);
        self.keys.truncate(start);
        if twice {
            sink.violation(Leaf::HttpComplianceMalformedBody, "a JSON object has a key twice");
        }
    }

    fn after_value(&mut self) {
        self.state = if self.open.is_empty() { State::End } else { State::CommaOrEnd };
    }

    /// Bytes of a string up to its end, an escape, or the end of the chunk.
    fn in_text<'c>(&mut self, rest: &'c [u8], sink: &mut impl Sink) -> Located<&'c [u8]> {
        if let Some((text, left)) = self.text.whole(rest) {
            return self.complete(text, left, sink);
        }
        match self.text.take(rest) {
            Ok((left, false)) => Ok(left),
            Ok((left, true)) => {
                let mut text = std::mem::take(&mut self.text);
                let step = self.complete(text.bytes(), left, sink);
                text.clear();
                self.text = text;
                step
            }
            Err((fault, left)) => {
                self.fault = fault;
                Err((Fault, left))
            }
        }
    }

    /// A key or a string value is complete; `left` follows it.
    fn complete<'c>(&mut self, text: &[u8], left: &'c [u8], sink: &mut impl Sink) -> Located<&'c [u8]> {
        if self.state == State::InKey {
            self.key(text, sink);
        } else {
            sink.field(Place::Json, &self.path, text);
            self.after_value();
        }
        if std::str::from_utf8(text).is_err() {
            return self.fail("a JSON string is not UTF-8").map_err(|fault| (fault, left.len()));
        }
        Ok(left)
    }

    fn key(&mut self, text: &[u8], sink: &mut impl Sink) {
        self.emit_key(text, sink);
        if let Some(container) = self.open.last_mut() {
            container.keys = container.keys.saturating_add(1);
            self.path.truncate(container.path_bytes);
            if container.keys > self.keys_max {
                sink.violation(Leaf::JsonParsingMaxKeys, "a JSON object has more keys than json_keys");
            } else {
                let mut hasher = DefaultHasher::new();
                text.hash(&mut hasher);
                self.keys.push(hasher.finish());
            }
        }
        if !self.path.is_empty() {
            self.path.push(b'.');
        }
        self.path.extend_from_slice(text);
        self.path.truncate(limits::FIELD_NAME_BYTES_MAX);
        self.state = State::Colon;
    }

    fn in_scalar<'c>(&mut self, rest: &'c [u8], sink: &mut impl Sink) -> Located<&'c [u8]> {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        let length = rest.iter().take_while(|byte| is_part(byte)).count();
        let (part, left) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        self.text.push(part);
        if !left.is_empty() {
            self.scalar(sink).map_err(|fault| (fault, left.len()))?;
        }
        Ok(left)
    }

    /// A number or a literal name is complete.
    fn scalar(&mut self, sink: &mut impl Sink) -> Result<(), Fault> {
        let token = self.text.bytes();
        if !matches!(token, b"true" | b"false" | b"null") && !text::is_number(token) {
            return self.fail("JSON syntax error");
        }
        if token.len() > NUMBER_BYTES_JUDGED {
            sink.field(Place::Json, &self.path, token);
        }
        self.text.clear();
        self.after_value();
        Ok(())
    }
}
