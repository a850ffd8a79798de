//! Cuts a value into clauses and words, in one pass and without copying. Quotes are taken out of words but never hide
//! a separator: where a value is put into a quotation of the application's own, inside and outside are not known.
//! It knows nothing of commands beyond the functions whose parenthesis runs one.

mod variables;
mod words;

use variables::Variables;

use super::arguments::{Shape, shape};
use super::clause::{Braces, Clause, Closer, Left, Opener};
use super::{commands, line};
use crate::language::Role;

/// Bytes in which a closing brace is looked for.
const BRACES_SPAN: usize = 256;
/// Bytes in which a tag's end is looked for.
const TAG_SPAN: usize = 256;
/// Words of a name or of an argument; more are a sentence.
const PHRASE_WORDS_MAX: usize = 3;
/// Words of the lines above a listing: a sentence, not one argument.
const LISTING_WORDS: usize = 4;
/// Tokens between separators after which a value is a list, not something broken out of.
const LIST: usize = 2;

/// The class of a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weighed {
    /// Nothing.
    Text,
    /// Something that looks like a command.
    Command,
}

/// Hands every clause of `bytes` to `weigh`, whose answer is the left side of the next clause.
pub(super) fn scan(bytes: &[u8], role: Role, weigh: &mut dyn FnMut(&Clause) -> Weighed) {
    let mut clause = match role {
        // The `&` before an argument's name separates commands.
        Role::ArgumentName => Clause::new(Opener::Background, Left::Token),
        _ => Clause::new(Opener::Start, Left::Nothing),
    };
    clause.glued = true;
    clause.pipeline_from_start = role != Role::ArgumentName;
    clause.document = matches!(role, Role::Scalar | Role::Text);
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
        braces_suffix: 0,
        last: Weighed::Text,
        variables: Variables::default(),
    };
    scanner.run();
}

struct Scanner<'a, 'w> {
    bytes: &'a [u8],
    at: usize,
    /// True if a form's encoding of blanks is still in the value.
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
    /// Length of the word that touches the list's end.
    braces_suffix: usize,
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
        let ends = match self.peek(2) {
            None => true,
            Some(b'\'' | b'"') => {
                // Quotes that a word goes on behind cut it: `u\n''ame`.
                let rest = self.bytes.get(self.at + 2..).unwrap_or_default();
                let behind = rest.iter().take(8).find(|byte| !matches!(byte, b'\'' | b'"'));
                behind
                    .is_none_or(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'\\' | b'$' | b'`'))
            }
            Some(byte) => byte.is_ascii_whitespace() || b"/.;|&)".contains(&byte),
        };
        ends && matches!(self.peek(1), Some(b'n' | b'r')) && self.before() != Some(b'\\')
    }

    fn separator(&mut self, opener: Opener, width: usize) {
        let before = self.before();
        let target = self.segment_words == 1
            && self.clause.words().last().is_some_and(|word| match shape(word) {
                Shape::Address | Shape::Dotted | Shape::Url | Shape::Script => true,
                Shape::Number => opener == Opener::Newline,
                _ => false,
            });
        self.words += self.segment_words;
        let begins_line = self.clause.opener == Opener::Newline && self.clause.count == 0;
        let listed = match opener {
            Opener::Newline => self.words >= LISTING_WORDS || self.bytes.starts_with(b"#!"),
            _ => self.clause.listed,
        };
        let pipeline = opener == Opener::Pipe && self.clause.pipeline_from_start;
        self.close(Closer::Separator, width);
        if self.last == Weighed::Command {
            self.left = Left::Command;
        } else if self.segment_words > 0 {
            self.segments += 1;
            let seen = match self.segment_words {
                1 if self.segments < LIST => Left::Token,
                2..=PHRASE_WORDS_MAX if self.segments < LIST => Left::Phrase,
                _ => Left::Prose,
            };
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
        self.clause.listed = listed;
        self.clause.begins_line = begins_line && opener != Opener::Newline;
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
        let (document, listed) = (self.clause.document, self.clause.listed);
        self.clause.reset(opener, self.left);
        (self.clause.document, self.clause.listed) = (document, listed);
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
        let in_command = self.is_behind_command();
        let left = match self.segment_words {
            _ if in_command => Left::Command,
            0 => self.left,
            1 => self.left.max(Left::Token),
            2..=PHRASE_WORDS_MAX => self.left.max(Left::Phrase),
            _ => self.left.max(Left::Prose),
        };
        self.close(if opener == Opener::Backtick { Closer::Backtick } else { Closer::Substitution }, width);
        self.open(if nested || in_command { Opener::Substitution } else { opener });
        self.clause.left = left;
        self.clause.byte_before = before;
        self.clause.pipeline_from_start = self.clause.opener == Opener::Backtick;
        self.clause.glued = self.peek(0).is_some_and(|byte| !byte.is_ascii_whitespace());
    }

    /// Returns `true` if the clause so far is a command behind a separator: `|echo`.
    fn is_behind_command(&self) -> bool {
        let separated = matches!(
            self.clause.opener,
            Opener::Semicolon | Opener::Pipe | Opener::Or | Opener::And | Opener::Background
        );
        let named = self.clause.words().first().is_some_and(|word| commands::unix(word.base()).is_some());
        separated && named && self.clause.left <= Left::Token && self.clause.count <= 2
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
            if self.clause.count == 0 {
                // What follows a tag is the text of a page.
                self.clause.opener = Opener::Group;
                self.clause.left = Left::Prose;
            }
            self.clause.listed |= self.words + self.segment_words >= LISTING_WORDS;
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
        // Separators within the quotes of an attribute separate nothing, neither in a page nor in a shell.
        let mut is_quoted = false;
        let end = rest.iter().take(TAG_SPAN).position(|byte| {
            is_quoted ^= *byte == b'"';
            matches!(byte, b'>' | b'<' | b'\n' | b'`') || !is_quoted && matches!(byte, b';' | b'|')
        })?;
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
        let words = self.clause.words();
        let names = words.first().is_some_and(|word| matches!(word.text(), b"coproc" | b"function"));
        let goes_on = |text: &[u8]| line::RESERVED.contains(&text) || text.starts_with(b"-");
        let reserved = self.clause.opener != Opener::Start
            && words.len() == self.clause.count
            && (names && words.len() <= 2 || words.iter().all(|word| goes_on(word.text())));
        if reserved {
            self.clause.clear_words();
        }
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

    /// Returns `true` if a brace list starts here: no blank before its end, and a comma.
    fn brace_list(&mut self) -> bool {
        let Some(rest) = self.bytes.get(self.at..) else { return false };
        let span = rest.get(..BRACES_SPAN).unwrap_or(rest);
        let Some(end) = memchr::memchr(b'}', span) else { return false };
        let Some(inside) = rest.get(1..end) else { return false };
        if !inside.contains(&b',') || inside.iter().any(|byte| byte.is_ascii_whitespace() || *byte == b'{') {
            return false;
        }
        // `{l,-lh}s`: every entry takes what follows the list; the first one is the command.
        let suffix =
            rest.iter().skip(end + 1).take(8).take_while(|byte| byte.is_ascii_alphanumeric()).count();
        self.braces_suffix = suffix;
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
}
