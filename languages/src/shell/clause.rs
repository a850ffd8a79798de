//! A clause: the words between two separators, and how the separators stand. It knows nothing of commands.

use super::word::Word;

/// Words of a clause that are kept: the command and enough arguments to see its shape.
pub(super) const WORDS: usize = 12;

/// The bytes before a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opener {
    /// The value's beginning.
    Start,
    /// `;`
    Semicolon,
    /// `|`, `|&`
    Pipe,
    /// `||`
    Or,
    /// `&&`
    And,
    /// `&`
    Background,
    /// A line break.
    Newline,
    /// `$(`
    Substitution,
    /// A backtick.
    Backtick,
    /// `<(`, `>(`
    Process,
    /// The parenthesis of a function that runs commands: `system(`.
    Call,
    /// Any other parenthesis behind a word, where no shell runs a command.
    Group,
    /// The rest of a clause behind a substitution: not in a command's place.
    Tail,
}

/// The bytes to the left of the opener.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Left {
    /// Nothing but what breaks out of a quotation.
    Nothing,
    /// One word: a host, a file, a number.
    Token,
    /// Two or three words: a name, an argument with a blank in it.
    Phrase,
    /// More words.
    Prose,
    /// A clause that looked like a command.
    Command,
}

/// The end of a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closer {
    /// The value's end.
    End,
    /// A separator.
    Separator,
    /// `(` with a blank or nothing before it.
    Parenthesis,
    /// `(` directly behind the last word.
    CallParenthesis,
    /// `)`
    ParenthesisEnd,
    /// `$(`, `<(`.
    Substitution,
    /// A backtick that opens.
    Backtick,
    /// A backtick that closes.
    BacktickEnd,
}

/// The words between two separators.
#[derive(Debug, Clone)]
pub(super) struct Clause {
    /// The bytes before it.
    pub(super) opener: Opener,
    /// The bytes to the left of that.
    pub(super) left: Left,
    /// True if that is an address, a host, a file: what an application puts into a command line.
    pub(super) target: bool,
    /// Byte before the opener, if any.
    pub(super) byte_before: Option<u8>,
    /// First byte behind the closer and blanks, if any.
    pub(super) byte_behind: Option<u8>,
    /// True if the opener and the first word touch.
    pub(super) glued: bool,
    /// True if the chain of pipes that this clause is part of starts a value or a code span.
    pub(super) pipeline_from_start: bool,
    /// Its end.
    pub(super) closer: Closer,
    /// True if `$IFS` stands between words.
    pub(super) ifs: bool,
    /// The brace list that the words are, if any.
    pub(super) braces: Braces,
    /// True if the value is a scalar of a document.
    pub(super) document: bool,
    /// True if the clause is part of a line that stands below sentences or below the first line of a script: a listing.
    pub(super) listed: bool,
    /// True if nothing but blanks stands between the opener and a line break before it.
    pub(super) begins_line: bool,
    /// Words of the value before the clause.
    pub(super) words_before: usize,
    /// Words in all, also those that are not kept.
    pub(super) count: usize,
    /// Offset of the first word.
    pub(super) start: usize,
    words: [Word; WORDS],
    kept: usize,
}

/// The kind of brace list that a clause is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Braces {
    /// No.
    None,
    /// `{cat,/etc/passwd}`
    List,
    /// `{,ip,a}`
    ListWithEmpty,
}

impl Clause {
    /// An empty clause.
    pub(super) const fn new(opener: Opener, left: Left) -> Clause {
        Clause {
            opener,
            left,
            target: false,
            byte_before: None,
            byte_behind: None,
            glued: false,
            pipeline_from_start: false,
            closer: Closer::End,
            ifs: false,
            braces: Braces::None,
            document: false,
            listed: false,
            begins_line: false,
            words_before: 0,
            count: 0,
            start: 0,
            words: [Word::at(0); WORDS],
            kept: 0,
        }
    }

    /// Makes it an empty clause again, without clearing what the words held.
    pub(super) const fn reset(&mut self, opener: Opener, left: Left) {
        self.opener = opener;
        self.left = left;
        self.target = false;
        self.byte_before = None;
        self.byte_behind = None;
        self.glued = false;
        self.pipeline_from_start = false;
        self.closer = Closer::End;
        self.ifs = false;
        self.braces = Braces::None;
        self.document = false;
        self.listed = false;
        self.begins_line = false;
        self.words_before = 0;
        self.count = 0;
        self.start = 0;
        self.kept = 0;
    }

    /// Forgets the words, as behind a reserved word.
    pub(super) const fn clear_words(&mut self) {
        self.count = 0;
        self.kept = 0;
    }

    /// The kept words.
    pub(super) fn words(&self) -> &[Word] {
        self.words.get(..self.kept).unwrap_or_default()
    }

    /// Appends a word; beyond the bound it is only counted.
    pub(super) fn push(&mut self, word: Word) {
        if self.count == 0 {
            self.start = word.start;
        }
        self.count += 1;
        if let Some(slot) = self.words.get_mut(self.kept) {
            *slot = word;
            self.kept += 1;
        }
    }
}
