//! Cuts a value into clauses and words, in one pass and without copying. Quotes are taken out of words but never hide
//! a separator: where a value is put into a quotation of the application's own, inside and outside are not known.
//! It knows nothing of commands beyond the functions whose parenthesis runs one.

use super::Entry;
use super::arguments::{Shape, shape};
use super::clause::{Braces, Clause, Closer, Left, Opener};
use super::commands;
use super::word::{Traits, Word};

/// How far a closing brace is looked for.
const BRACES_SPAN: usize = 256;
/// How far a tag's end is looked for.
const TAG_SPAN: usize = 256;
/// Tokens between separators after which a value is a list, not something broken out of.
const LIST: usize = 2;

/// What a clause was found to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weighed {
    /// Nothing.
    Text,
    /// Something that looks like a command.
    Command,
}

/// Hands every clause of `bytes` to `weigh`, whose answer tells the next clause what stands to its left.
pub(super) fn scan(bytes: &[u8], entry: Entry, weigh: &mut dyn FnMut(&Clause) -> Weighed) {
    let mut clause = match entry {
        Entry::Value | Entry::Document => Clause::new(Opener::Start, Left::Nothing),
        Entry::AfterSeparator => Clause::new(Opener::Background, Left::Token),
    };
    clause.glued = true;
    clause.pipeline_from_start = entry != Entry::AfterSeparator;
    clause.document = entry == Entry::Document;
    let mut scanner = Scanner {
        bytes,
        at: 0,
        plus_is_blank: bytes.contains(&b'+') && !bytes.contains(&b' '),
        clause,
        weigh,
        segment_words: 0,
        segments: 0,
        words: 0,
        left: Left::Nothing,
        in_backtick: false,
        redirected: false,
        braces_end: None,
        last: Weighed::Text,
        variables: Variables::default(),
    };
    scanner.run();
}

struct Scanner<'a, 'w> {
    bytes: &'a [u8],
    at: usize,
    /// Whether a form's encoding of blanks is still in the value.
    plus_is_blank: bool,
    clause: Clause,
    weigh: &'w mut dyn FnMut(&Clause) -> Weighed,
    /// Words since the last separator.
    segment_words: usize,
    /// Segments that had words and were no commands.
    segments: usize,
    /// Words before the last separator.
    words: usize,
    left: Left,
    in_backtick: bool,
    redirected: bool,
    braces_end: Option<usize>,
    last: Weighed,
    variables: Variables<'a>,
}

impl Scanner<'_, '_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn before(&self) -> Option<u8> {
        self.at.checked_sub(1).and_then(|at| self.bytes.get(at)).copied()
    }

    fn run(&mut self) {
        while let Some(byte) = self.peek(0) {
            match byte {
                b' ' | b'\t' | 0 | 0x0b | 0x0c => self.at += 1,
                b'+' if self.plus_is_blank => self.at += 1,
                b'\\' if self.written_line_break() => self.separator(Opener::Newline, 2),
                b'\n' | b'\r' => self.separator(Opener::Newline, 1),
                b';' => self.separator(Opener::Semicolon, 1),
                b'|' if self.peek(1) == Some(b'|') => self.separator(Opener::Or, 2),
                b'|' if self.peek(1) == Some(b'&') => self.separator(Opener::Pipe, 2),
                b'|' => self.separator(Opener::Pipe, 1),
                b'&' => self.ampersand(),
                b'<' | b'>' => self.angle(byte),
                b'`' => self.backtick(),
                b'(' => self.parenthesis(),
                b')' => {
                    self.close(Closer::ParenthesisEnd, 1);
                    self.open(Opener::Tail);
                }
                b'$' if self.peek(1) == Some(b'(') && self.hollow(2, b')').is_none() => {
                    self.substitute(Opener::Substitution, 2);
                }
                b'}' | b',' if self.braces_end.is_some_and(|end| self.at <= end) => self.brace_boundary(byte),
                b'{' if self.clause.count == 0 && self.brace_list() => self.at += 1,
                _ => self.word(),
            }
        }
        self.close(Closer::End, 0);
    }

    /// The bytes up to `closing` when nothing but blanks stands before it, counted from `ahead`.
    fn hollow(&self, ahead: usize, closing: u8) -> Option<usize> {
        let rest = self.bytes.get(self.at + ahead..)?;
        let blanks = rest.iter().take(4).take_while(|byte| **byte == b' ').count();
        (rest.get(blanks) == Some(&closing)).then_some(ahead + blanks + 1)
    }

    /// `\n` as two bytes, where no name of a path goes on.
    fn written_line_break(&self) -> bool {
        matches!(self.peek(1), Some(b'n' | b'r'))
            && self.before() != Some(b'\\')
            && self.peek(2).is_none_or(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'\\'))
    }

    fn separator(&mut self, opener: Opener, width: usize) {
        let before = self.before();
        let target = self.segment_words == 1
            && self.clause.words().last().is_some_and(|word| {
                matches!(shape(word), Shape::Address | Shape::Dotted | Shape::Url | Shape::Script)
            });
        self.words += self.segment_words;
        let pipeline = opener == Opener::Pipe && self.clause.pipeline_from_start;
        self.close(Closer::Separator, width);
        if self.last == Weighed::Command {
            self.left = Left::Command;
        } else if self.segment_words > 0 {
            self.segments += 1;
            let seen =
                if self.segment_words > 1 || self.segments >= LIST { Left::Prose } else { Left::Token };
            self.left = match self.left {
                Left::Command if pipeline => Left::Command,
                Left::Command => seen,
                left => left.max(seen),
            };
        }
        self.segment_words = 0;
        self.last = Weighed::Text;
        self.open(opener);
        self.clause.target = target;
        self.clause.byte_before = before;
        self.clause.pipeline_from_start = pipeline;
        self.clause.glued = self.peek(0).is_some_and(|byte| !byte.is_ascii_whitespace());
    }

    /// Ends the clause, `width` bytes of closer long, and has it weighed.
    fn close(&mut self, closer: Closer, width: usize) {
        self.clause.closer = closer;
        self.at += width;
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.clause.byte_behind = rest.iter().take(8).find(|byte| **byte != b' ').copied();
        self.braces_end = None;
        self.clause.words_before = self.words;
        if self.clause.count > 0 && (self.weigh)(&self.clause) == Weighed::Command {
            self.last = Weighed::Command;
        }
    }

    fn open(&mut self, opener: Opener) {
        self.clause = Clause::new(opener, self.left);
        self.redirected = false;
    }

    fn substitute(&mut self, opener: Opener, width: usize) {
        let before = self.before();
        let apart = before.is_some_and(|byte| byte.is_ascii_whitespace());
        let nested = self.clause.count == 0
            && match self.clause.opener {
                Opener::Start | Opener::Tail | Opener::Group | Opener::Newline => false,
                // A table's column may begin with a code span.
                Opener::Pipe => !apart,
                _ => true,
            };
        let left = match self.segment_words {
            0 => self.left,
            1 => self.left.max(Left::Token),
            _ => self.left.max(Left::Prose),
        };
        self.close(if opener == Opener::Backtick { Closer::Backtick } else { Closer::Substitution }, width);
        self.open(if nested { Opener::Substitution } else { opener });
        self.clause.left = left;
        self.clause.byte_before = before;
        self.clause.pipeline_from_start = self.clause.opener == Opener::Backtick;
        self.clause.glued = self.peek(0).is_some_and(|byte| !byte.is_ascii_whitespace());
    }

    fn ampersand(&mut self) {
        match self.peek(1) {
            Some(b'&') => self.separator(Opener::And, 2),
            Some(b'>') => self.at += 1,
            _ => match self.entity() {
                Some(width) => self.at += width,
                None => self.separator(Opener::Background, 1),
            },
        }
    }

    /// Length of a character reference, which is text: `&amp;` is no separator.
    fn entity(&self) -> Option<usize> {
        let rest = self.bytes.get(self.at + 1..)?;
        let name =
            rest.iter().take(9).take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'#').count();
        let text = rest.get(..name)?;
        (name > 1 && rest.get(name) == Some(&b';') && commands::unix(&text.to_ascii_lowercase()).is_none())
            .then_some(name + 2)
    }

    fn angle(&mut self, byte: u8) {
        if self.peek(1) == Some(b'(') {
            return self.substitute(Opener::Process, 2);
        }
        if let Some(width) = self.tag() {
            self.at += width;
            return;
        }
        if byte == b'<' && matches!(self.peek(1), Some(b'?' | b'%' | b'!')) {
            // The opening of a script or a comment is text, and what a shell would write into a file.
            self.at += 1;
            return;
        }
        let width =
            self.bytes.get(self.at..).unwrap_or_default().iter().take(3).take_while(|b| **b == byte).count();
        self.at += width.max(1);
        if self.peek(0) == Some(b'&') {
            self.at += 1;
        }
        self.redirected = true;
    }

    /// Length of a tag of markup, which redirects nothing: `<b>`, `</p>`, `<a href="…">`.
    fn tag(&self) -> Option<usize> {
        let rest = self.bytes.get(self.at..)?.strip_prefix(b"<")?;
        let name = rest.strip_prefix(b"/").unwrap_or(rest);
        let length =
            name.iter().take(24).take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
        let ends = name.get(length).is_some_and(|byte| matches!(byte, b'>' | b'/' | b' '));
        if !name.first().is_some_and(u8::is_ascii_alphabetic) || !ends {
            return None;
        }
        let end = rest
            .iter()
            .take(TAG_SPAN)
            .position(|byte| matches!(byte, b'>' | b'<' | b'\n' | b';' | b'|' | b'`'))?;
        (rest.get(end) == Some(&b'>') && !rest.get(length..end)?.contains(&b'$')).then_some(end + 2)
    }

    fn backtick(&mut self) {
        if let Some(width) = self.hollow(1, b'`') {
            self.at += width;
        } else if self.in_backtick {
            self.in_backtick = false;
            self.close(Closer::BacktickEnd, 1);
            self.open(Opener::Tail);
        } else {
            self.in_backtick = true;
            self.substitute(Opener::Backtick, 1);
        }
    }

    fn parenthesis(&mut self) {
        if self.clause.count == 0 {
            // A subshell's or a group's first word stands where the group does.
            self.at += 1;
            return;
        }
        let touching = self.clause.words().last().is_some_and(|word| word.end == self.at);
        let quoted = self.bytes.get(self.at + 1..).map(<[u8]>::trim_ascii_start).and_then(<[u8]>::first);
        let quoted = quoted.is_some_and(|byte| matches!(byte, b'\'' | b'"' | b'`' | b'$' | b'\\'));
        let runner = self.clause.words().last().is_some_and(|word| commands::runs_commands(word.text()));
        let call = quoted && touching && runner;
        self.close(if touching { Closer::CallParenthesis } else { Closer::Parenthesis }, 1);
        self.open(if call { Opener::Call } else { Opener::Group });
        self.clause.glued = call;
    }

    /// Whether a brace list starts here: no blank before its end, and a comma.
    fn brace_list(&mut self) -> bool {
        let Some(rest) = self.bytes.get(self.at..) else { return false };
        let Some(end) = rest.iter().take(BRACES_SPAN).position(|byte| *byte == b'}') else { return false };
        let Some(inside) = rest.get(1..end) else { return false };
        if !inside.contains(&b',') || inside.iter().any(|byte| byte.is_ascii_whitespace() || *byte == b'{') {
            return false;
        }
        self.braces_end = Some(self.at + end);
        self.clause.braces = if inside.starts_with(b",") { Braces::ListWithEmpty } else { Braces::List };
        true
    }

    fn brace_boundary(&mut self, byte: u8) {
        if byte == b'}' {
            self.braces_end = None;
        }
        self.at += 1;
    }

    fn word(&mut self) {
        let mut word = Word::at(self.at);
        let ended = self.read_word(&mut word);
        word.end = self.at;
        word.settle_quotes();
        if std::mem::take(&mut self.redirected) {
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
            self.segment_words += if word.traits.has(Traits::FOREIGN) { 2 } else { 1 };
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
        let Some(end) = rest.iter().take(64).position(|byte| *byte == b'}') else {
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

/// Variables that the value itself assigns, a few of them.
#[derive(Debug, Default)]
struct Variables<'a> {
    known: [(&'a [u8], &'a [u8]); 8],
    count: usize,
}

impl<'a> Variables<'a> {
    fn assign(&mut self, raw: &'a [u8], depth: u8) {
        let raw = raw.strip_prefix(b"^").unwrap_or(raw);
        let Some(equals) = raw.iter().take(24).position(|byte| *byte == b'=') else { return };
        let (name, value) =
            (raw.get(..equals).unwrap_or_default(), raw.get(equals + 1..).unwrap_or_default());
        let sound = name.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
            && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        if sound && let Some(slot) = self.known.get_mut(self.count) {
            *slot = (name, value.get(..value.len().min(48)).unwrap_or_default());
            self.count += 1;
        }
        // A parameter may carry an assignment as its value.
        if depth == 0 {
            self.assign(value, 1);
        }
    }

    fn value(&self, name: &[u8]) -> Option<&'a [u8]> {
        let known = self.known.get(..self.count)?;
        known.iter().rev().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}
