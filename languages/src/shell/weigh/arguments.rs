//! Points for what the arguments of a command look like. It knows neither where the clause stands nor how sure its name is.

use super::super::arguments::{Shape, shape};
use super::super::clause::{Braces, Clause, Closer, Left, Opener};
use super::super::commands::{self, Name};
use super::super::word::{Traits, Word};
use super::head::{Head, Program};

/// Points of one argument up to which it is routine.
const SHARP: i32 = 3;

/// Counted shapes of the arguments.
pub(super) struct Arguments {
    best: i32,
    options: i32,
    plain: usize,
    structured: usize,
    count: usize,
    /// True if an option carries code: `-c`, `-e`.
    code: bool,
    /// True if one of them is of a form that only Windows knows.
    pub(super) windows: bool,
}

impl Arguments {
    pub(super) fn of(clause: &Clause, head: &Head) -> Arguments {
        let mut arguments =
            Arguments { best: 0, options: 0, plain: 0, structured: 0, count: 0, code: false, windows: false };
        let Some(program) = head.program else { return arguments };
        let name = clause.words().get(program.index).map(Word::text).unwrap_or_default();
        for (index, word) in clause.words().iter().enumerate().skip(head.index) {
            if index == program.index {
                continue;
            }
            arguments.count += 1;
            let shape = shape(word);
            let points = arguments.points_of(shape, word, &program, name);
            arguments.best = arguments.best.max(points);
        }
        if matches!(clause.closer, Closer::Substitution | Closer::Backtick | Closer::Parenthesis) {
            arguments.count += 1;
        }
        if clause.closer == Closer::Substitution {
            arguments.best = arguments.best.max(if clause.opener == Opener::Start { 0 } else { 2 });
        }
        arguments
    }

    fn points_of(&mut self, shape: Shape, word: &Word, program: &Program, name: &[u8]) -> i32 {
        let redirects = word.traits.has(Traits::REDIRECTED);
        let operation = !redirects && self.count == 1 && commands::is_operation(name, word.text());
        if !redirects && !operation && matches!(shape, Shape::Plain | Shape::Other) {
            self.plain += usize::from(shape == Shape::Plain || word.traits.has(Traits::FOREIGN));
            return 0;
        }
        self.structured += 1;
        if redirects {
            return redirected(shape);
        }
        if operation {
            self.options = 2;
            return 3;
        }
        self.note(shape, word, program);
        match shape {
            Shape::SystemFile => 6,
            Shape::DrivePath | Shape::RootPath | Shape::Program => 3,
            Shape::Url => 1 + 2 * i32::from(program.network || program.windows),
            Shape::SlashOption if takes_slashes(program) => 0,
            Shape::Expansion | Shape::SlashOption => 2,
            Shape::Path | Shape::Script => 1,
            Shape::Address => 1 + 2 * i32::from(program.network),
            Shape::Dotted => 1 + i32::from(program.network),
            Shape::Number if program.numbered && self.count == 1 => 2,
            Shape::Option | Shape::Assignment | Shape::Number | Shape::Plain | Shape::Other => 0,
        }
    }

    /// Keeps what an argument says about the command as a whole.
    fn note(&mut self, shape: Shape, word: &Word, program: &Program) {
        match shape {
            Shape::SystemFile => self.windows |= word.traits.has(Traits::BACKSLASH_INSIDE),
            Shape::DrivePath => self.windows = true,
            Shape::Option => {
                self.code |= matches!(word.text(), b"-c" | b"-e" | b"-r" | b"-i" | b"-ne" | b"-pe");
                self.options = 2;
            }
            Shape::SlashOption if takes_slashes(program) => {
                self.windows = true;
                self.options = 2;
            }
            _ => {}
        }
    }

    /// Returns `true` if the arguments name what an attacker wants: a file of the system, a file to write, code to run.
    pub(super) const fn are_sharp(&self) -> bool {
        self.best > SHARP || self.code
    }

    /// Returns `true` if an argument is a file, a path, an address or an option.
    pub(super) const fn name_something(&self) -> bool {
        self.structured > 0
    }

    /// Returns `true` if every argument is a file, a path, an address or an option.
    pub(super) const fn name_only_something(&self) -> bool {
        self.structured > 0 && self.plain == 0
    }

    pub(super) fn points(&self, program: &Program, clause: &Clause) -> i32 {
        // An option that wants code and has none is a mention.
        let options = if self.code && self.count == 1 { 0 } else { self.options };
        let mut points = self.best + options;
        // The options of a filter are what people write about; those of an interpreter carry code.
        if program.interpreter && self.code && self.count > 1 {
            points += 2;
        }
        points += match clause.braces {
            Braces::None => 0,
            Braces::List => 2,
            Braces::ListWithEmpty => 6,
        };
        if clause.ifs {
            points += 3;
        }
        if program.filter && clause.opener == Opener::Pipe && clause.left >= Left::Phrase {
            points -= 3;
        }
        let prose = self.plain > 1 + self.structured * 3 || self.structured == 0 && self.plain > 1;
        let unshaped = self.structured == 0 && self.plain > 0 && program.name < Name::Exclusive;
        let follows = matches!(clause.left, Left::Nothing | Left::Command);
        let words = if clause.opener == Opener::Semicolon && clause.left == Left::Nothing { 3 } else { 2 };
        let short =
            follows && !matches!(clause.opener, Opener::Start | Opener::Newline) && clause.count <= words;
        let substituted =
            matches!(clause.opener, Opener::Substitution | Opener::Process) && clause.left != Left::Prose;
        if short || substituted && self.plain < 3 {
            points
        } else {
            points - i32::from(unshaped) - i32::from(prose)
        }
    }
}

/// Returns `true` for a program whose options begin with a slash.
const fn takes_slashes(program: &Program) -> bool {
    program.windows || program.both
}

/// Points of what a redirection names.
const fn redirected(shape: Shape) -> i32 {
    match shape {
        Shape::SystemFile => 6,
        Shape::Script | Shape::RootPath | Shape::DrivePath => 4,
        Shape::Plain | Shape::Expansion => 1,
        Shape::Other => 0,
        _ => 2,
    }
}
