//! The body as it is judged: JSON with its strings unescaped and their ends marked, UTF-16 as the ASCII in it, everything
//! else as sent. Works on any pieces.

use super::scan::Scanner;
use crate::response_pattern::{self, Kind, STRING_END};
use crate::view::View;

/// The reader of one body.
#[derive(Debug, Default)]
pub(super) struct Text {
    kind: Kind,
    state: State,
    /// UTF-16: every other byte of ASCII is NUL.
    is_wide: bool,
    /// The first bytes, until they are enough to tell what an undeclared body is.
    early: Option<Vec<u8>>,
    is_binary: bool,
}

/// Bytes by which an undeclared body is told.
const EARLY_BYTES: usize = 64;

/// Where in a JSON document the reader is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Outside,
    String,
    Escape,
    /// Digits of `\uXXXX` seen, and their value.
    Unicode(u8, u32),
}

impl Text {
    pub(super) fn begin(&mut self, kind: Kind) {
        *self = Text { kind, early: Some(Vec::new()), ..Text::default() };
    }

    /// How the judged bytes came from those sent.
    pub(super) fn view(&self) -> View {
        if self.kind == Kind::Json { View::Escapes } else { View::Raw }
    }

    /// Hands the next bytes to the scanner.
    pub(super) fn push(&mut self, bytes: &[u8], scanner: &mut Scanner) {
        match &mut self.early {
            Some(early) => {
                early.extend_from_slice(bytes);
                if early.len() >= EARLY_BYTES {
                    self.settle(scanner);
                }
            }
            None => self.read(bytes, scanner),
        }
    }

    /// Decides by what is here, and hands it on.
    pub(super) fn settle(&mut self, scanner: &mut Scanner) {
        let Some(early) = self.early.take_if(|early| !early.is_empty()) else { return };
        let first = early.get(..early.len().min(EARLY_BYTES)).unwrap_or_default();
        self.is_wide = matches!(first, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
        if self.kind == Kind::Unknown {
            match response_pattern::sniff(first) {
                Some(kind) => {
                    self.kind = kind;
                    scanner.decide(kind);
                }
                None => self.is_binary = true,
            }
        }
        let mark = match first {
            [0xef, 0xbb, 0xbf, ..] => 3,
            _ => 2 * usize::from(self.is_wide),
        };
        self.read(early.get(mark..).unwrap_or_default(), scanner);
    }

    fn read(&mut self, bytes: &[u8], scanner: &mut Scanner) {
        if self.is_binary {
            return;
        }
        if self.kind == Kind::Json {
            scanner.room(bytes.len());
            for &byte in bytes {
                if let Some(byte) = self.json(byte) {
                    scanner.push(byte);
                }
            }
        } else if self.is_wide {
            scanner.room(bytes.len());
            for &byte in bytes.iter().filter(|byte| **byte != 0) {
                scanner.push(byte);
            }
        } else {
            scanner.extend(bytes);
        }
    }

    fn json(&mut self, byte: u8) -> Option<u8> {
        match (self.state, byte) {
            (State::Outside, b'"') => {
                self.state = State::String;
                Some(STRING_END)
            }
            (State::String, b'"') => {
                self.state = State::Outside;
                Some(STRING_END)
            }
            (State::String, b'\\') => {
                self.state = State::Escape;
                None
            }
            (State::Outside | State::String, byte) => Some(byte),
            (State::Escape, b'u') => {
                self.state = State::Unicode(0, 0);
                None
            }
            (State::Escape, byte) => {
                self.state = State::String;
                Some(match byte {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'b' | b'f' => b' ',
                    other => other,
                })
            }
            (State::Unicode(count, value), byte) => {
                let digit = char::from(byte).to_digit(16);
                let (Some(digit), false) = (digit, count == 3) else {
                    self.state = State::String;
                    // A code above ASCII stands for itself: rules look for ASCII.
                    let value = digit.map(|digit| value << 4 | digit)?;
                    return Some(u8::try_from(value).ok().filter(u8::is_ascii).unwrap_or(b'?'));
                };
                self.state = State::Unicode(count + 1, value << 4 | digit);
                None
            }
        }
    }
}
