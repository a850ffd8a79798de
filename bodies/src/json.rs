//! Push tokenizer for JSON (RFC 8259), strict where backends differ: invalid UTF-8, a control character in a string and
//! anything behind the document are faults; a repeated key and a byte order mark are events, and it reads on. No recursion;
//! open containers lie on a stack.

mod event;
mod fault;
mod string;
#[cfg(test)]
mod tests;

pub use event::{Container, Events, Scalar, Text, Unfinished};
pub use fault::Fault;
pub use string::HalfPairs;

use crate::Completeness;
use string::StringReader;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// Open containers beyond which the document is given up, whatever its reader allows.
const DEPTH_MAX: usize = 10_000;

/// The tokenizer.
#[derive(Debug, Default)]
pub struct Tokenizer {
    keys_max: u32,
    state: State,
    started: bool,
    /// Bytes of a byte order mark that came.
    mark: usize,
    open: Vec<Open>,
    /// Hashes of the keys of all open objects, the innermost last.
    keys: Vec<u64>,
    /// The string, number or literal name that is being read.
    text: StringReader,
}

/// The next thing.
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

/// An open container.
#[derive(Debug, Clone, Copy)]
struct Open {
    container: Container,
    keys: u32,
    /// Index of its first key in the stack of hashes.
    keys_start: usize,
}

impl Tokenizer {
    /// A tokenizer that compares the first `keys_max` keys of each object with each other.
    pub fn new(keys_max: u32, half_pairs: HalfPairs) -> Tokenizer {
        Tokenizer { keys_max, text: StringReader::new(half_pairs), ..Tokenizer::default() }
    }

    /// Compares so many keys of each object from now on.
    pub fn compare_keys(&mut self, keys_max: u32) {
        self.keys_max = keys_max;
    }

    /// Makes it ready for the next document.
    pub fn reset(&mut self) {
        self.state = State::Value;
        self.started = false;
        self.mark = 0;
        self.open.clear();
        self.keys.clear();
        self.text.reset();
    }

    /// Bytes that wait for what follows them.
    pub fn pending(&self) -> usize {
        self.text.len()
    }

    /// Returns `true` if nothing of a document has come yet.
    pub fn is_at_start(&self) -> bool {
        self.open.is_empty() && self.state == State::Value
    }

    /// Returns `true` if the document is complete.
    pub fn is_at_end(&self) -> bool {
        self.state == State::End
    }

    /// Takes the next bytes. After a fault the tokenizer is done.
    pub fn feed<'c>(&mut self, chunk: &'c [u8], events: &mut impl Events<'c>) -> Result<(), Fault> {
        let mut rest = chunk;
        while let Some((&byte, after)) = rest.split_first() {
            if byte == b' ' && self.started && self.is_between() {
                rest = after;
                continue;
            }
            if events.is_over() {
                return Ok(());
            }
            if !self.started && BYTE_ORDER_MARK.get(self.mark) == Some(&byte) {
                self.mark += 1;
                if self.mark == BYTE_ORDER_MARK.len() {
                    events.byte_order_mark();
                }
                rest = after;
                continue;
            }
            let step = match self.state {
                State::InKey | State::InString => self.in_text(rest, events),
                State::InScalar => self.in_scalar(rest, events),
                _ => match self.between(byte, events) {
                    Ok(()) => Ok(after),
                    Err(reason) => Err(Fault { reason, bytes_after: rest.len() }),
                },
            };
            match step {
                Ok(left) => rest = left,
                Err(fault) => {
                    self.give_up(events);
                    return Err(fault);
                }
            }
        }
        Ok(())
    }

    /// Returns `true` where white space means nothing.
    #[inline]
    fn is_between(&self) -> bool {
        !matches!(self.state, State::InKey | State::InString | State::InScalar)
    }

    /// Ends the document; an empty one is no fault.
    pub fn finish<'c>(
        &mut self,
        completeness: Completeness,
        events: &mut impl Events<'c>,
    ) -> Result<(), Fault> {
        if !self.started && self.mark.is_multiple_of(BYTE_ORDER_MARK.len()) {
            return Ok(());
        }
        if completeness == Completeness::CutOff {
            self.give_up(events);
            while !self.open.is_empty() {
                self.close_keys(events);
                self.open.pop();
                events.close(Completeness::CutOff);
            }
            return Ok(());
        }
        let located = |reason| Fault { reason, bytes_after: 0 };
        if self.state == State::InScalar {
            self.scalar(events).map_err(located)?;
        }
        if self.state == State::End {
            return Ok(());
        }
        self.give_up(events);
        Err(located("JSON ends early"))
    }

    /// Reports what was not finished, as far as it came.
    fn give_up<'c>(&mut self, events: &mut impl Events<'c>) {
        match self.state {
            State::InKey => events.unfinished(Unfinished::Key(self.text.bytes())),
            State::InString => events.unfinished(Unfinished::String(self.text.bytes())),
            State::InScalar => events.unfinished(Unfinished::Scalar(self.text.bytes())),
            State::Value => events.unfinished(Unfinished::Missing),
            _ => {}
        }
        self.text.clear();
    }

    /// One byte outside strings, numbers and names.
    fn between<'c>(&mut self, byte: u8, events: &mut impl Events<'c>) -> Result<(), &'static str> {
        if !self.started && !self.mark.is_multiple_of(BYTE_ORDER_MARK.len()) {
            return Err("JSON syntax error");
        }
        self.started = true;
        if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
            return Ok(());
        }
        match (self.state, byte) {
            (State::ValueOrEnd, b']') | (State::KeyOrEnd, b'}') => self.close(events),
            (State::CommaOrEnd, b']' | b'}') => {
                let ended = if byte == b'}' { Container::Object } else { Container::Array };
                if self.open.last().is_none_or(|open| open.container != ended) {
                    return Err("JSON brackets do not match");
                }
                self.close(events);
            }
            (State::CommaOrEnd, b',') => {
                let in_object = self.open.last().is_some_and(|open| open.container == Container::Object);
                self.state = if in_object { State::Key } else { State::Value };
            }
            (State::KeyOrEnd | State::Key, b'"') => self.state = State::InKey,
            (State::Colon, b':') => self.state = State::Value,
            (State::Value | State::ValueOrEnd, _) => return self.value(byte, events),
            (State::End, _) => return Err("something follows the JSON document"),
            _ => return Err("JSON syntax error"),
        }
        Ok(())
    }

    /// The first byte of a value.
    fn value<'c>(&mut self, byte: u8, events: &mut impl Events<'c>) -> Result<(), &'static str> {
        match byte {
            b'{' => self.enter(Container::Object, State::KeyOrEnd, events),
            b'[' => self.enter(Container::Array, State::ValueOrEnd, events),
            b'"' => {
                self.state = State::InString;
                Ok(())
            }
            b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => {
                self.state = State::InScalar;
                self.text.push(&[byte]);
                Ok(())
            }
            _ => Err("JSON syntax error"),
        }
    }

    fn enter<'c>(
        &mut self,
        container: Container,
        state: State,
        events: &mut impl Events<'c>,
    ) -> Result<(), &'static str> {
        if self.open.len() >= DEPTH_MAX {
            return Err("JSON is nested too deeply");
        }
        self.open.push(Open { container, keys: 0, keys_start: self.keys.len() });
        events.open(container);
        self.state = state;
        Ok(())
    }

    fn close<'c>(&mut self, events: &mut impl Events<'c>) {
        self.close_keys(events);
        self.open.pop();
        events.close(Completeness::Whole);
        self.after_value();
    }

    /// Repeated keys are looked for when an object ends: sorting beats remembering.
    fn close_keys<'c>(&mut self, events: &mut impl Events<'c>) {
        let start = self.open.last().map_or(0, |open| open.keys_start);
        let Some(keys) = self.keys.get_mut(start..) else { return };
        keys.sort_unstable();
        let twice = keys.array_windows().any(|[one, next]| one == next);
        self.keys.truncate(start);
        if twice {
            events.repeated_key();
        }
    }

    fn after_value(&mut self) {
        self.state = if self.open.is_empty() { State::End } else { State::CommaOrEnd };
    }

    /// Bytes of a string up to its end, an escape, or the end of the chunk.
    fn in_text<'c>(&mut self, rest: &'c [u8], events: &mut impl Events<'c>) -> Result<&'c [u8], Fault> {
        if let Some((text, left)) = self.text.whole(rest) {
            return self.complete(Text::Chunk(text), left, events);
        }
        match self.text.take(rest)? {
            (left, false) => Ok(left),
            (left, true) => {
                let mut text = std::mem::take(&mut self.text);
                let step = self.complete(Text::Buffer(text.bytes()), left, events);
                text.clear();
                self.text = text;
                step
            }
        }
    }

    /// A key or a string value is complete; `left` follows it.
    fn complete<'c>(
        &mut self,
        text: Text<'c, '_>,
        left: &'c [u8],
        events: &mut impl Events<'c>,
    ) -> Result<&'c [u8], Fault> {
        if self.state == State::InKey {
            self.key(text, events);
        } else {
            events.string(text);
            self.after_value();
        }
        if std::str::from_utf8(text.bytes()).is_err() {
            return Err(Fault { reason: "a JSON string is not UTF-8", bytes_after: left.len() });
        }
        Ok(left)
    }

    #[inline]
    fn key<'c>(&mut self, text: Text<'c, '_>, events: &mut impl Events<'c>) {
        let mut number = 0;
        if let Some(open) = self.open.last_mut() {
            open.keys = open.keys.saturating_add(1);
            number = open.keys;
        }
        if number <= self.keys_max {
            self.keys.push(hash_of(text.bytes()));
        }
        events.key(text, number);
        self.state = State::Colon;
    }

    fn in_scalar<'c>(&mut self, rest: &'c [u8], events: &mut impl Events<'c>) -> Result<&'c [u8], Fault> {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        let length = rest.iter().take_while(|byte| is_part(byte)).count();
        let (part, left) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        self.text.push(part);
        if !left.is_empty() {
            self.scalar(events).map_err(|reason| Fault { reason, bytes_after: left.len() })?;
        }
        Ok(left)
    }

    /// A number or a literal name is complete.
    fn scalar<'c>(&mut self, events: &mut impl Events<'c>) -> Result<(), &'static str> {
        events.scalar(Scalar::of(self.text.bytes()).ok_or("JSON syntax error")?);
        self.text.clear();
        self.after_value();
        Ok(())
    }
}

/// A number that equal keys share. Who makes different ones share it gets the own document refused.
fn hash_of(key: &[u8]) -> u64 {
    let (words, rest) = key.as_chunks::<8>();
    let last = rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
    let words = words.iter().map(|word| u64::from_le_bytes(*word)).chain([last]);
    words.fold(key.len() as u64, |hash, word| {
        let mixed = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ mixed >> 32
    })
}
