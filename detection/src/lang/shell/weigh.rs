//! Weighs one clause: points for its place, its name and the look of its arguments. One of the three alone is never
//! enough: prose has separators, names of programs and paths, but not together. It knows no other clause.

use super::arguments::{Shape, shape};
use super::clause::{Braces, Clause, Closer, Left, Opener};
use super::commands::{self, Name};
use super::scanner::Weighed;
use super::windows;
use super::word::{Traits, Word};
use super::{Certainty, Finding, Sign};

/// From here on a clause has no other reading.
const CERTAIN: i32 = 5;
/// Words after which a value is a text: the more of it stands before a clause, the more that has to show.
const PROSE: usize = 120;
/// From here on it is worth remembering.
const LIKELY: i32 = 3;

/// Weighs `clause` of `bytes`, reports what it is.
pub(super) fn clause(bytes: &[u8], clause: &Clause, report: &mut dyn FnMut(Finding)) -> Weighed {
    hidden_paths(clause, report);
    let Some(head) = Head::of(bytes, clause) else { return Weighed::Text };
    let end = clause.words().last().map_or(clause.start, |word| word.end);
    let mut tell = |sign, certainty| {
        report(Finding { sign, certainty, offset: clause.start, length: end.saturating_sub(clause.start) });
    };
    if let Some(sign) = special(bytes, clause, &head) {
        tell(sign, Certainty::Certain);
        return Weighed::Command;
    }
    let Some(program) = head.program else { return Weighed::Text };
    let arguments = Arguments::of(clause, &head);
    let place = place(clause);
    let points = place + program.points + head.points + arguments.points(&program, clause);
    let points = points + bare(clause, &head, &program) - i32::from(bare_path(clause, bytes))
        + tool(clause, &head, &program)
        - if clause.words_before > PROSE { 3 + i32::from(clause.opener == Opener::Newline) } else { 0 };
    let windows = program.windows || program.both && arguments.windows;
    let sign = if windows { Sign::WindowsCommand } else { Sign::UnixCommand };
    if points >= LIKELY && program.name == Name::Word {
        tell(Sign::EnglishWord, Certainty::Certain);
    }
    if points >= CERTAIN {
        tell(if windows { sign } else { placed(clause, &program) }, Certainty::Certain);
        Weighed::Command
    } else if points >= LIKELY {
        tell(sign, Certainty::Likely);
        // A name alone may be part of a list.
        if clause.count > 1 { Weighed::Command } else { Weighed::Text }
    } else {
        Weighed::Text
    }
}

/// A command in a substitution is that leaf's, elsewhere the program's.
fn placed(clause: &Clause, program: &Program) -> Sign {
    match clause.opener {
        Opener::Substitution | Opener::Backtick | Opener::Process => Sign::Substitution,
        _ if clause.braces != Braces::None => Sign::BraceExpansion,
        _ if program.name == Name::Word && clause.left == Left::Prose && clause.opener == Opener::Start => {
            Sign::EnglishWord
        }
        _ => Sign::UnixCommand,
    }
}

/// The command word, behind assignments, keywords and programs that run others.
struct Head {
    /// Its index in the clause.
    index: usize,
    program: Option<Program>,
    /// Whether `then`, `do` or `else` stands before it.
    keyword: bool,
    /// For what was stripped before it, and for how it is written.
    points: i32,
}

/// What a command word would run.
#[derive(Debug, Clone, Copy)]
struct Program {
    name: Name,
    points: i32,
    windows: bool,
    /// Whether a Windows program has the same name.
    both: bool,
    /// Index of the word in the clause.
    index: usize,
    network: bool,
    numbered: bool,
    interpreter: bool,
    filter: bool,
}

impl Head {
    fn of(bytes: &[u8], clause: &Clause) -> Option<Head> {
        let mut points = 0;
        let mut wrapped = None;
        let mut keyword = false;
        for (index, word) in clause.words().iter().enumerate() {
            if matches!(word.text(), b"then" | b"do" | b"else") && clause.count == 2 {
                keyword = clause.closer == Closer::Separator;
                points += if keyword { 2 } else { 0 };
            }
            if word.traits.has(Traits::REDIRECTED) || is_noise(word) {
                continue;
            }
            let program = program(bytes, word, index);
            if wrapped.is_some() && program.is_none() && behind_wrapper(word) {
                continue;
            }
            if let Some(found) = program
                && commands::is_wrapper(word.base())
                && index + 1 < clause.words().len()
            {
                wrapped = wrapped.or(Some(found));
                points += i32::from(index == 0 && word.base() != b"sudo");
                continue;
            }
            let written = obfuscation(word, program.is_some());
            // What a filter runs filters too: `| xargs ls`.
            let through = wrapped.is_some_and(|wrapper| wrapper.filter);
            let head = program.map(|found| Program { filter: found.filter || through, ..found }).or(wrapped);
            let launched = points > 0 && program.is_some_and(|program| program.name == Name::Exclusive);
            let points = points
                + written
                + i32::from(wrapped.is_some_and(|wrapper| wrapper.name > Name::Word) || launched);
            let index =
                if program.is_some() { index } else { wrapped.map_or(index, |wrapper| wrapper.index) };
            return Some(Head {
                index,
                keyword,
                program: head,
                points: if program.is_some() { points } else { written },
            });
        }
        wrapped.map(|program| Head { index: program.index, program: Some(program), keyword, points: 0 })
    }
}

/// Words before a command that are none themselves.
fn is_noise(word: &Word) -> bool {
    let text = word.text();
    let assignment = text.iter().position(|byte| *byte == b'=').is_some_and(|at| {
        text.get(..at).is_some_and(|name| {
            name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
        }) && !text.get(at..).unwrap_or_default().starts_with(b"==")
    });
    assignment || matches!(text, b"{" | b"}" | b"!" | b"." | b"then" | b"do" | b"else" | b"@" | b"-" | b"\\")
}

/// Options and their values between a wrapper and the command that it runs.
fn behind_wrapper(word: &Word) -> bool {
    !matches!(shape(word), Shape::Plain | Shape::Other)
}

fn program(bytes: &[u8], word: &Word, index: usize) -> Option<Program> {
    if word.traits.has(Traits::APOSTROPHE) {
        return None;
    }
    let text = word.text();
    let text = text.strip_prefix(b"@").unwrap_or(text);
    let base = word.base().strip_prefix(b"@").unwrap_or(word.base());
    let make = |name: Name, points: i32, windows: bool, base: &[u8]| Program {
        name,
        points,
        windows,
        both: !windows && commands::windows(base).is_some(),
        index,
        network: commands::is_network(base),
        numbered: commands::wants_number(base),
        interpreter: commands::is_interpreter(base),
        filter: commands::is_filter(base) || base == b"xargs",
    };
    if windows::is_interpreter_variable(text) {
        return Some(make(Name::Exclusive, 5, true, base));
    }
    if word.traits.has(Traits::ASSEMBLED) {
        return Some(make(Name::Exclusive, 5, false, base));
    }
    let posix = commands::unix(base);
    if base.len() < text.len() {
        if in_program_directory(text) {
            let known = posix.is_some() || word.traits.has(Traits::GLOB);
            return Some(make(Name::Exclusive, if known { 6 } else { 4 }, false, base));
        }
        if let Some(name) = posix
            && (text.starts_with(b"./") || text.starts_with(b"/") || text.starts_with(b"../"))
        {
            return Some(make(name, value(name).max(2), false, base));
        }
        if index > 0
            || text.starts_with(b"/tmp/")
            || text.starts_with(b"/dev/shm/")
            || text.starts_with(b"./")
        {
            let local = text.starts_with(b"./");
            let named = matches!(shape(word), Shape::Script | Shape::RootPath | Shape::Path);
            return named.then(|| make(Name::Terse, if local { 1 } else { 2 }, false, base));
        }
        return None;
    }
    let behind = word.behind_backslash();
    if behind.len() < text.len() && !word.traits.has(Traits::CUT) {
        // A Windows path: its last component is the program, and only a program's ending makes it one.
        let raw = bytes.get(word.start..word.end).unwrap_or_default();
        if raw.contains(&b':') || raw.starts_with(b"%") || raw.starts_with(b"\\\\") {
            let name = commands::windows(behind)?;
            return Some(make(name, value(name), true, behind));
        }
    }
    let native = commands::windows(text);
    match (posix, native) {
        (Some(posix), Some(native)) if native > posix => Some(make(native, value(native), true, base)),
        (Some(posix), _) => Some(make(posix, value(posix), false, base)),
        (None, Some(native)) => Some(make(native, value(native), true, base)),
        (None, None) => None,
    }
}

const fn value(name: Name) -> i32 {
    match name {
        Name::Word => 1,
        Name::Terse => 2,
        Name::Solid => 3,
        Name::Exclusive => 4,
    }
}

/// Whether the path's directory holds programs.
fn in_program_directory(text: &[u8]) -> bool {
    let Some(slash) = text.iter().rposition(|byte| *byte == b'/') else { return false };
    let directory = text.get(..slash).unwrap_or_default();
    let name = text.get(slash + 1..).unwrap_or_default();
    let mut directory = directory.strip_prefix(b"/").unwrap_or(directory);
    while let Some(rest) = directory.strip_prefix(b"../") {
        directory = rest;
    }
    let plain = !name.is_empty() && !name.contains(&b'.') || commands::unix(name).is_some();
    plain
        && matches!(
            directory,
            b"bin" | b"sbin" | b"usr/bin" | b"usr/sbin" | b"usr/local/bin" | b"usr/local/sbin"
        )
        || text.starts_with(b"/") && !name.is_empty() && hidden_directory(directory)
}

/// `/???`, `/b??`: a directory that hides its name.
fn hidden_directory(directory: &[u8]) -> bool {
    directory.len() <= 12 && directory.iter().filter(|byte| **byte == b'?').count() >= 2
}

/// Points for a name that is written so that it is not recognised.
fn obfuscation(word: &Word, known: bool) -> i32 {
    if !known {
        0
    } else if word.traits.has(Traits::CUT.or(Traits::HOLLOW)) {
        3
    } else if word.traits.has(Traits::BACKSLASHED) && !word.traits.has(Traits::BACKSLASH_INSIDE) {
        // A leading backslash keeps a shell from using an alias: `\ls`.
        4
    } else {
        0
    }
}

/// Points for where the clause stands.
fn place(clause: &Clause) -> i32 {
    let tight = clause.byte_before.is_some_and(|byte| !byte.is_ascii_whitespace());
    match (clause.opener, clause.left) {
        (Opener::Start, _) => -1 - i32::from(clause.document),
        // A parameter that is named like a command is no command; one with arguments is.
        (Opener::Background, Left::Token) if clause.byte_before.is_none() && clause.count == 1 => -9,
        (Opener::Tail, _) => -9,
        (Opener::Call, _) => 4,
        (Opener::Group, _) => 0,
        (Opener::Substitution, Left::Prose) => 2,
        (Opener::Substitution, _) => 4,
        (Opener::Process, Left::Prose) => 1,
        (Opener::Process, _) => 4,
        (Opener::Backtick, Left::Nothing) if clause.byte_before.is_none() && clause.byte_behind.is_none() => {
            3
        }
        (Opener::Backtick, _) if clause.byte_before.is_some_and(glues) => 4,
        (Opener::Backtick, Left::Nothing | Left::Token) => 0,
        (Opener::Backtick, _) => -3,
        (Opener::Pipe, Left::Command | Left::Prose) if clause.pipeline_from_start => 1,
        (Opener::Semicolon, Left::Nothing) => 4,
        (Opener::Background, Left::Token) if tight && clause.glued => 1,
        (Opener::Background, Left::Token) => 2 + i32::from(clause.target),
        (Opener::Newline, Left::Token) => 2,
        (Opener::Newline, Left::Command | Left::Prose) => 0,
        (_, Left::Nothing | Left::Token | Left::Command) => 3,
        (_, Left::Prose) => 1,
    }
}

/// Bytes that join what a substitution gives to a word; in prose a blank or a bracket stands before a code span.
fn glues(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'=' | b'/' | b'{')
}

/// What the arguments look like, counted.
struct Arguments {
    best: i32,
    options: i32,
    plain: usize,
    structured: usize,
    count: usize,
    /// Whether an option carries code: `-c`, `-e`.
    code: bool,
    /// Whether one of them is of a form that only Windows knows.
    windows: bool,
}

impl Arguments {
    fn of(clause: &Clause, head: &Head) -> Arguments {
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
        if word.traits.has(Traits::REDIRECTED) {
            self.structured += 1;
            return match shape {
                Shape::SystemFile => 6,
                Shape::Script | Shape::RootPath | Shape::DrivePath => 4,
                Shape::Plain | Shape::Expansion => 1,
                Shape::Other => 0,
                _ => 2,
            };
        }
        let first = self.count == 1;
        let points = match shape {
            _ if first && commands::is_operation(name, word.text()) => {
                self.options = 2;
                3
            }
            Shape::SystemFile => {
                self.windows |= word.traits.has(Traits::BACKSLASH_INSIDE);
                6
            }
            Shape::DrivePath => {
                self.windows = true;
                3
            }
            Shape::RootPath | Shape::Program => 3,
            Shape::Url => {
                if program.network || program.windows {
                    3
                } else {
                    1
                }
            }
            Shape::Option => {
                self.code |= matches!(word.text(), b"-c" | b"-e" | b"-r" | b"-i" | b"-ne" | b"-pe");
                self.options = 2;
                0
            }
            Shape::SlashOption if program.windows || program.both => {
                self.windows = true;
                self.options = 2;
                0
            }
            Shape::Expansion | Shape::SlashOption => 2,
            Shape::Path | Shape::Script => 1,
            Shape::Address => {
                if program.network {
                    3
                } else {
                    1
                }
            }
            Shape::Dotted => {
                if program.network {
                    2
                } else {
                    1
                }
            }
            Shape::Number if program.numbered && first => 2,
            Shape::Assignment | Shape::Number => 0,
            Shape::Plain => {
                self.plain += 1;
                return 0;
            }
            Shape::Other => {
                self.plain += usize::from(word.traits.has(Traits::FOREIGN));
                return 0;
            }
        };
        self.structured += 1;
        points
    }

    fn points(&self, program: &Program, clause: &Clause) -> i32 {
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
        if program.filter && clause.opener == Opener::Pipe && clause.left >= Left::Prose {
            points -= 3;
        }
        let prose = self.plain > 1 + self.structured * 3 || self.structured == 0 && self.plain > 1;
        let unshaped = self.structured == 0 && self.plain > 0 && program.name < Name::Exclusive;
        let short = clause.left == Left::Nothing && clause.opener != Opener::Start && clause.count <= 2;
        let substituted =
            matches!(clause.opener, Opener::Substitution | Opener::Process) && clause.left != Left::Prose;
        if short || substituted && self.plain < 3 {
            points
        } else {
            points - i32::from(unshaped) - i32::from(prose)
        }
    }
}

/// Points for a command without arguments: what follows decides whether it is one.
fn bare(clause: &Clause, head: &Head, program: &Program) -> i32 {
    if head.index + 1 < clause.words().len() || clause.count > clause.words().len() || clause.ifs {
        return 0;
    }
    let name = clause.words().get(program.index).map(Word::base).unwrap_or_default();
    let piped = clause.opener == Opener::Pipe
        && match clause.left {
            Left::Nothing | Left::Command => true,
            Left::Token => clause.glued,
            Left::Prose => name.ends_with(b"sh"),
        };
    // A program that waits for what to do is a name in a list.
    let idle = match program.name {
        _ if piped => 0,
        Name::Solid => 2,
        Name::Exclusive if program.interpreter => 3,
        _ => 0,
    };
    match clause.closer {
        Closer::CallParenthesis => -4,
        _ if program.interpreter && piped => 3,
        Closer::End | Closer::ParenthesisEnd | Closer::BacktickEnd => {
            -i32::from(clause.left == Left::Prose) - idle
        }
        Closer::Separator if clause.left == Left::Nothing => 0,
        // What goes on with another word is a list.
        Closer::Separator if head.keyword => 0,
        Closer::Separator if clause.byte_behind.is_some_and(|byte| byte.is_ascii_alphanumeric()) => -2,
        Closer::Separator => -idle,
        Closer::Parenthesis | Closer::Substitution | Closer::Backtick => 0,
    }
}

/// Points for a value that is nothing but the name of an administrator's tool and its plain words: `ansible-doc plugin ping`.
fn tool(clause: &Clause, head: &Head, program: &Program) -> i32 {
    let words = clause.words();
    let hyphenated = words.get(head.index).is_some_and(|word| word.text().contains(&b'-'));
    let whole = clause.opener == Opener::Start && clause.closer != Closer::Parenthesis && !clause.document;
    let short = (2..=5).contains(&clause.count);
    let plain =
        words.iter().skip(1).all(|word| matches!(shape(word), Shape::Plain | Shape::Dotted | Shape::Script));
    if program.name == Name::Exclusive && hyphenated && whole && short && plain { 3 } else { 0 }
}

/// A program's path that is the whole of a document's scalar: configurations name programs.
fn bare_path(clause: &Clause, bytes: &[u8]) -> bool {
    clause.document && clause.opener == Opener::Start && clause.count == 1 && bytes.starts_with(b"/")
}

/// Constructs that are known by their shape.
fn special(bytes: &[u8], clause: &Clause, head: &Head) -> Option<Sign> {
    if matches!(clause.opener, Opener::Tail) {
        return None;
    }
    let words = clause.words();
    let word = words.get(head.index)?;
    let text = word.text();
    let next = words.get(head.index + 1);
    if clause.opener != Opener::Start && placeholder(text, clause) {
        return Some(Sign::UnixCommand);
    }
    if text == b"alias"
        && next.is_some_and(|_| words.iter().skip(head.index + 1).take(2).any(|word| is_alias(word.text())))
    {
        return Some(Sign::Alias);
    }
    if word.traits.has(Traits::ASSEMBLED) && clause.opener != Opener::Start {
        return Some(Sign::UnixCommand);
    }
    if text.starts_with(b".") && clause.opener != Opener::Start && windows::is_dot_command(text) {
        return Some(Sign::SqliteShell);
    }
    if words.iter().any(|word| windows::is_substring(word.text()))
        || clause.opener == Opener::Start && runs_as_option(text)
    {
        let windows = !text.starts_with(b"-");
        return Some(if windows { Sign::WindowsCommand } else { Sign::UnixCommand });
    }
    windows::construct(bytes.get(word.start..).unwrap_or_default()).then_some(Sign::WindowsCommand)
}

/// An option that makes an innocent program run another one: `--upload-pack=…`, `-oProxyCommand=…`.
fn runs_as_option(text: &[u8]) -> bool {
    const OPTIONS: &[&[u8]] = &[
        b"proxycommand=",
        b"localcommand=",
        b"upload-pack=",
        b"receive-pack=",
        b"use-askpass=",
        b"use-compress-program=",
        b"checkpoint-action=",
        b"to-command=",
        b"rsh=",
        b"sshcommand=",
        b"rsync-path=",
        b"-exec=",
    ];
    text.starts_with(b"-")
        && OPTIONS
            .iter()
            .any(|option| memchr::memmem::find(text, option).is_some_and(|at| at + option.len() < text.len()))
}

/// `name=value`, where the name may be anything but empty.
fn is_alias(text: &[u8]) -> bool {
    text.iter().position(|byte| *byte == b'=').is_some_and(|at| at > 0 && at + 1 < text.len())
}

/// The unfilled place of a tool's template: `;{cmd};`.
fn placeholder(text: &[u8], clause: &Clause) -> bool {
    clause.glued && matches!(text, b"{cmd}" | b"{command}" | b"{payload}") && clause.left != Left::Prose
}

/// Words that hide a path or a name, for the protections that look for that alone.
fn hidden_paths(clause: &Clause, report: &mut dyn FnMut(Finding)) {
    for word in clause.words() {
        let text = word.text();
        let finding = |sign| Finding {
            sign,
            certainty: Certainty::Certain,
            offset: word.start,
            length: word.end - word.start,
        };
        let slashes = text.iter().filter(|byte| **byte == b'/').count();
        if text.starts_with(b"/") && slashes > 1 && word.traits.has(Traits::GLOB) && has_wildcard(text) {
            report(finding(Sign::Wildcard));
        }
        let path = slashes > 0 || clause.opener != Opener::Start;
        if path && word.traits.has(Traits::HOLLOW) && text.iter().any(u8::is_ascii_alphabetic) {
            report(finding(Sign::Evasion));
        }
    }
}

/// `?` in a path, or `*` beside letters.
fn has_wildcard(text: &[u8]) -> bool {
    text.windows(2).any(|pair| match pair {
        [b'?', next] => next.is_ascii_alphanumeric() || matches!(next, b'?' | b'/'),
        [b'*', next] => next.is_ascii_alphanumeric() || *next == b'/',
        [before, b'*' | b'?'] => before.is_ascii_alphanumeric(),
        _ => false,
    })
}
