//! The shape that all languages share: what a scan is given, and what it finds. It knows no language.

use std::fmt;

use crate::budget::Watch;

/// A language that a value may be written in.
pub trait Language {
    /// A thing that the language can show in a value, named after what an attacker gains by it.
    type Sign: Copy + PartialEq + fmt::Debug;

    /// Name of the language in tools.
    const NAME: &'static str;

    /// Lower-case literals. A value without any of them shows no sign, so a scan of it is spared.
    const TRIGGERS: &'static [&'static str];

    /// A cheap test for values that hold literals of prose alone.
    const PREFILTER: Option<Prefilter> = None;

    /// Reads the input once and adds what it finds. A scan is linear in the length, bounded in space, and never panics.
    fn scan(input: &Input<'_>, findings: &mut Findings<'_, Self::Sign>);
}

/// A test that is cheaper than a scan, for literals that prose is full of.
#[derive(Debug, Clone, Copy)]
pub struct Prefilter {
    /// Lower-case literals, none of which is a trigger of the language.
    pub triggers: &'static [&'static str],
    /// Returns `false` only where a scan would find nothing.
    pub may_match: fn(&[u8]) -> bool,
}

/// A value that is scanned.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The bytes. Not necessarily UTF-8.
    pub bytes: &'a [u8],
    /// The name that the value belongs to, or the path of names above a key; empty where there is none.
    pub name: &'a [u8],
    /// The role of the bytes where they were sent.
    pub role: Role,
    /// The account of the work done.
    pub watch: Watch<'a>,
}

impl<'a> Input<'a> {
    /// A nameless value of an argument, without a limit of time.
    pub fn value(bytes: &'a [u8]) -> Input<'a> {
        Input { bytes, name: b"", role: Role::Argument, watch: Watch::UNLIMITED }
    }
}

/// The role of a value in what it was sent in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The value of an argument or of a part of a form.
    Argument,
    /// The name of an argument.
    ArgumentName,
    /// A scalar of a document.
    Scalar,
    /// A key of a document.
    Key,
    /// A name of another kind.
    Name,
    /// A text as a whole, which nothing has parsed.
    Text,
    /// A line or a piece of a protocol: an application reads parts of it.
    Piece,
}

/// What a finding stands among.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Context {
    /// Sentences, or the finding may be part of one.
    Prose,
    /// Other bytes, but no sentences.
    Code,
    /// Nothing but punctuation: the finding is the whole value.
    Sole,
}

impl Context {
    /// The context of a finding in running text, or outside of it.
    pub fn of_text(is_text: bool) -> Context {
        if is_text { Context::Prose } else { Context::Code }
    }
}

/// Bytes of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Where they begin.
    pub offset: usize,
    /// Number of bytes.
    pub length: usize,
}

/// A sign that a scan found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding<S> {
    /// The sign.
    pub sign: S,
    /// What it stands among.
    pub context: Context,
    /// The bytes that show it.
    pub span: Span,
}

/// Bytes that a finding shows of a tag or a line.
const SHOWN_BYTES_MAX: usize = 64;

/// The receiver of findings.
pub struct Findings<'a, S> {
    receive: &'a mut dyn FnMut(Finding<S>),
    is_wanted: &'a dyn Fn(S) -> bool,
}

impl<'a, S: Copy> Findings<'a, S> {
    /// Hands every finding to `receive`.
    pub fn new(receive: &'a mut dyn FnMut(Finding<S>)) -> Findings<'a, S> {
        Findings { receive, is_wanted: &is_any::<S> }
    }

    /// The same, for somebody who uses only those signs of which `is_wanted` returns `true`.
    pub fn wanted(
        receive: &'a mut dyn FnMut(Finding<S>),
        is_wanted: &'a dyn Fn(S) -> bool,
    ) -> Findings<'a, S> {
        Findings { receive, is_wanted }
    }

    /// Adds a sign at `offset`.
    pub fn add(&mut self, sign: S, context: Context, offset: usize, length: usize) {
        (self.receive)(Finding { sign, context, span: Span { offset, length } });
    }

    /// Adds a sign at `offset` of `bytes`, which shows up to the end of its tag or line, within reason.
    pub fn add_line(&mut self, sign: S, context: Context, bytes: &[u8], offset: usize) {
        let rest = bytes.get(offset..).unwrap_or_default();
        let rest = rest.get(..SHOWN_BYTES_MAX).unwrap_or(rest);
        let end = rest.iter().position(|&byte| matches!(byte, b'>' | b'\n'));
        self.add(sign, context, offset, end.map_or(rest.len(), |end| end + 1));
    }

    /// Returns `false` if nobody uses `sign`, so that work for it alone is spared.
    pub fn wants(&self, sign: S) -> bool {
        (self.is_wanted)(sign)
    }
}

impl<S> fmt::Debug for Findings<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Findings").finish_non_exhaustive()
    }
}

fn is_any<S>(_: S) -> bool {
    true
}

/// Everything that `L` finds in `input`; for tools and tests.
pub fn findings<L: Language>(input: &Input<'_>) -> Vec<Finding<L::Sign>> {
    let mut all = Vec::new();
    L::scan(input, &mut Findings::new(&mut |finding| all.push(finding)));
    all
}

/// The signs of [`findings`] in a value.
#[cfg(test)]
pub(crate) fn signs<L: Language>(value: &str) -> Vec<L::Sign> {
    findings::<L>(&Input::value(value.as_bytes())).iter().map(|finding| finding.sign).collect()
}
