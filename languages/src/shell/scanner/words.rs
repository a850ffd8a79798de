//! Reads one word as the shell would: quotes, escapes, expansions. It knows nothing of clauses beyond the one it fills.

use super::super::word::{Traits, Word};
use super::Scanner;

/// Bytes in which the closing brace of an expansion is looked for.
const EXPANSION_SPAN: usize = 64;

impl Scanner<'_, '_> {
    pub(super) fn word(&mut self) {
        let mut word = Word::at(self.at);
        let ended = self.read_word(&mut word);
        word.end = self.at;
        if self.clause.count == 0
            && let Some(end) = self.braces_end
            && let Some(suffix) = self.bytes.get(end + 1..end + 1 + self.braces_suffix)
        {
            push(&mut word, suffix);
        }
        word.settle_quotes();
        let redirected = std::mem::take(&mut self.redirected);
        if redirected {
            word.traits.set(Traits::REDIRECTED);
        }
        if ended == Ended::AtSubstitution {
            word.traits.set(Traits::SUBSTITUTED);
        }
        let assigns = self.clause.words().iter().all(|word| word.text().contains(&b'='));
        if assigns && let Some(raw) = self.bytes.get(word.start..word.end) {
            self.variables.assign(raw, 0);
        }
        let hollow = word.is_empty() && !word.traits.has(Traits::ASSEMBLED);
        if !hollow {
            // The file of a redirection is no word of a sentence.
            self.segment_words +=
                if redirected { 0 } else { 1 + usize::from(word.traits.has(Traits::FOREIGN)) };
            self.clause.push(word);
        }
    }

    fn read_word(&mut self, word: &mut Word) -> Ended {
        while let Some(byte) = self.peek(0) {
            match byte {
                b' ' | b'\t' | 0 | 0x0b | 0x0c | b'\n' | b'\r' | b';' | b'|' | b'&' | b'<' | b'>' | b'('
                | b')' => {
                    return Ended::AtBoundary;
                }
                b'+' if self.plus_is_blank => return Ended::AtBoundary,
                b'\\' if self.written_line_break() => return Ended::AtBoundary,
                b',' if self.braces_end.is_some_and(|end| self.at < end) => return Ended::AtBoundary,
                b'}' if self.braces_end == Some(self.at) => return Ended::AtBoundary,
                b'`' => match self.hollow(1, b'`') {
                    Some(width) if !self.in_backtick => self.skip(word, width),
                    _ if self.in_backtick => return Ended::AtBoundary,
                    _ => return Ended::AtSubstitution,
                },
                b'\'' | b'"' => {
                    word.traits.set(Traits::QUOTED);
                    self.cut(word, byte);
                }
                b'^' => self.cut(word, byte),
                b'\\' => self.backslash(word),
                b'$' => match self.dollar(word) {
                    Dollar::Consumed => {}
                    Dollar::Blank => {
                        self.clause.ifs = true;
                        return Ended::AtBoundary;
                    }
                    Dollar::Substitution => return Ended::AtSubstitution,
                },
                _ => {
                    if matches!(byte, b'*' | b'?' | b'[') {
                        word.traits.set(Traits::GLOB);
                    }
                    word.push(byte);
                    self.at += 1;
                }
            }
        }
        Ended::AtBoundary
    }

    /// Passes over a quote or caret; between letters it cuts a word that the shell reads whole.
    fn cut(&mut self, word: &mut Word, byte: u8) {
        let inside = word.text().last().is_some_and(u8::is_ascii_alphanumeric);
        self.at += 1;
        word.quotes = word.quotes.saturating_add(1);
        let mut behind = self.peek(0);
        let doubled = behind == Some(byte);
        if doubled {
            self.at += 1;
            word.quotes = word.quotes.saturating_add(1);
            behind = self.peek(0);
        }
        if (inside || doubled) && behind.is_some_and(|next| next.is_ascii_alphanumeric()) {
            word.traits.set(if byte == b'^' { Traits::CUT } else { Traits::APOSTROPHE });
        }
    }

    fn backslash(&mut self, word: &mut Word) {
        let first = word.start == self.at;
        match self.peek(1) {
            Some(b'\n') => {
                self.at += 2;
                word.traits.set(Traits::CUT);
            }
            Some(next) if next.is_ascii_alphanumeric() => {
                self.at += 1;
                word.mark_backslash();
                word.traits.set(if first { Traits::BACKSLASHED } else { Traits::BACKSLASH_INSIDE });
            }
            Some(b'\\') => {
                self.at += 2;
                word.mark_backslash();
            }
            _ => {
                self.at += 1;
                word.mark_backslash();
            }
        }
    }

    fn dollar(&mut self, word: &mut Word) -> Dollar {
        match self.peek(1) {
            Some(b'(') => match self.hollow(2, b')') {
                Some(width) => self.skip(word, width),
                None => return Dollar::Substitution,
            },
            Some(b'\'' | b'"') => self.at += 1,
            Some(b'{') => return self.braced(word),
            Some(b'0') if word.is_empty() && self.clause.count == 0 => {
                self.at += 2;
                push(word, b"sh");
            }
            Some(b'@' | b'*' | b'?' | b'!' | b'#' | b'$' | b'-' | b'0'..=b'9') => self.skip(word, 2),
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => return self.variable(word),
            _ => {
                word.push(b'$');
                self.at += 1;
            }
        }
        Dollar::Consumed
    }

    /// Passes over `width` bytes that come to nothing.
    fn skip(&mut self, word: &mut Word, width: usize) {
        self.at += width;
        let behind = self
            .peek(0)
            .is_some_and(|next| next.is_ascii_alphanumeric() || matches!(next, b'\'' | b'"' | b'$'));
        if !word.is_empty() || behind {
            word.traits.set(Traits::HOLLOW);
        }
    }

    fn braced(&mut self, word: &mut Word) -> Dollar {
        let rest = self.bytes.get(self.at + 2..).unwrap_or_default();
        let span = rest.get(..EXPANSION_SPAN).unwrap_or(rest);
        let Some(end) = memchr::memchr(b'}', span) else {
            word.push(b'$');
            self.at += 1;
            return Dollar::Consumed;
        };
        let inside = rest.get(..end).unwrap_or_default();
        if inside.contains(&b'`') || inside.windows(2).any(|pair| pair == b"$(") {
            self.at += 2;
            return Dollar::Consumed;
        }
        self.expand(word, inside, end + 3)
    }

    fn variable(&mut self, word: &mut Word) -> Dollar {
        let rest = self.bytes.get(self.at + 1..).unwrap_or_default();
        let end =
            rest.iter().take(64).take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let name = rest.get(..end).unwrap_or_default();
        // `$IFS` ends where the name does, and `$IFS9` is how a careless generator writes `$IFS$9`.
        if name.starts_with(b"IFS") && name.iter().skip(3).all(u8::is_ascii_digit) {
            self.at += 1 + end;
            return Dollar::Blank;
        }
        self.expand(word, name, end + 1)
    }

    fn expand(&mut self, word: &mut Word, inside: &[u8], width: usize) -> Dollar {
        if inside.starts_with(b"IFS")
            && !inside.get(3).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        {
            self.at += width;
            return Dollar::Blank;
        }
        if let Some(value) = self.variables.value(inside) {
            word.traits.set(Traits::ASSEMBLED);
            for byte in value {
                if !matches!(byte, b'\'' | b'"' | b'\\') {
                    word.push(*byte);
                }
            }
            self.at += width;
        } else if matches!(inside, b"SHELL" | b"BASH") && word.is_empty() {
            self.at += width;
            push(word, b"sh");
        } else {
            word.traits.set(Traits::VARIABLE);
            self.skip(word, width);
        }
        Dollar::Consumed
    }
}

fn push(word: &mut Word, text: &[u8]) {
    for byte in text {
        word.push(*byte);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    AtBoundary,
    AtSubstitution,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dollar {
    Consumed,
    Blank,
    Substitution,
}
