//! One word of a command line as the shell reads it: quotes, escapes and expansions that come to nothing are gone, the
//! rest is lower case. It knows neither where the word stands nor what it means.

/// Bytes of a cooked word that are kept: the longest name in the tables and a path before it fit.
const KEPT: usize = 48;

/// What was seen while a word was read; a bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Traits(u16);

impl Traits {
    /// Quotes, backslashes or carets stand between letters of the word: `w'h'o`, `c\at`, `w^h^o`.
    pub(super) const CUT: Traits = Traits(1);
    /// An expansion that comes to nothing stands inside the word: `wh$@oami`, `c$()at`.
    pub(super) const HOLLOW: Traits = Traits(1 << 1);
    /// The word is or contains a variable whose value is not known.
    pub(super) const VARIABLE: Traits = Traits(1 << 2);
    /// Put together from variables that the same value assigns.
    pub(super) const ASSEMBLED: Traits = Traits(1 << 3);
    /// Contains `*`, `?` or a bracket list.
    pub(super) const GLOB: Traits = Traits(1 << 4);
    /// Starts with a backslash.
    pub(super) const BACKSLASHED: Traits = Traits(1 << 5);
    /// Contains bytes beyond ASCII.
    pub(super) const FOREIGN: Traits = Traits(1 << 6);
    /// Redirected to or from.
    pub(super) const REDIRECTED: Traits = Traits(1 << 7);
    /// A command substitution is part of the word.
    pub(super) const SUBSTITUTED: Traits = Traits(1 << 8);
    /// Quoted at least once.
    pub(super) const QUOTED: Traits = Traits(1 << 9);
    /// One quote stands between letters and has no partner in the word: an apostrophe.
    pub(super) const APOSTROPHE: Traits = Traits(1 << 11);
    /// Contains a backslash before a letter.
    pub(super) const BACKSLASH_INSIDE: Traits = Traits(1 << 10);

    /// Either.
    pub(super) const fn or(self, other: Traits) -> Traits {
        Traits(self.0 | other.0)
    }

    /// Whether any of `other` is set.
    pub(super) const fn has(self, other: Traits) -> bool {
        self.0 & other.0 != 0
    }

    /// Takes `other` out.
    pub(super) const fn clear(&mut self, other: Traits) {
        self.0 &= !other.0;
    }

    /// Adds `other`.
    pub(super) const fn set(&mut self, other: Traits) {
        self.0 |= other.0;
    }
}

/// A word: where it stands and how it reads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word {
    /// Offset of its first byte.
    pub(super) start: usize,
    /// Offset behind its last byte.
    pub(super) end: usize,
    /// Quotes passed over.
    pub(super) quotes: u8,
    /// What was seen in it.
    pub(super) traits: Traits,
    text: [u8; KEPT],
    length: u8,
    behind_backslash: u8,
}

impl Word {
    /// An empty word that starts at `start`.
    pub(super) const fn at(start: usize) -> Word {
        Word {
            start,
            end: start,
            quotes: 0,
            traits: Traits(0),
            text: [0; KEPT],
            length: 0,
            behind_backslash: 0,
        }
    }

    /// As the shell reads it, lower case, cut off at a bound.
    pub(super) fn text(&self) -> &[u8] {
        self.text.get(..usize::from(self.length)).unwrap_or_default()
    }

    /// What follows the last backslash: a program's name in a Windows path.
    pub(super) fn behind_backslash(&self) -> &[u8] {
        self.text().get(usize::from(self.behind_backslash)..).unwrap_or_default()
    }

    /// What follows the last slash: a program's name in a Unix path.
    pub(super) fn base(&self) -> &[u8] {
        let text = self.text();
        text.iter().rposition(|byte| *byte == b'/').and_then(|at| text.get(at + 1..)).unwrap_or(text)
    }

    /// Whether nothing is left of it.
    pub(super) const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Appends a byte; what does not fit is dropped.
    pub(super) fn push(&mut self, byte: u8) {
        if let Some(slot) = self.text.get_mut(usize::from(self.length)) {
            *slot = byte.to_ascii_lowercase();
            self.length += 1;
        }
        if !byte.is_ascii() {
            self.traits.set(Traits::FOREIGN);
        }
    }

    /// Decides what a quote between letters is: with a partner in the word it cuts it, alone it is an apostrophe.
    pub(super) const fn settle_quotes(&mut self) {
        if self.quotes > 1 && self.traits.has(Traits::APOSTROPHE) {
            self.traits.clear(Traits::APOSTROPHE);
            self.traits.set(Traits::CUT);
        }
    }

    /// Remembers that a backslash stood here.
    pub(super) const fn mark_backslash(&mut self) {
        self.behind_backslash = self.length;
    }
}
