//! The command word of a clause: which word it is once assignments, keywords and programs that run others are passed
//! over, and what it would run. It knows no arguments beyond a wrapper's.

use super::super::arguments::{Shape, shape};
use super::super::clause::{Clause, Closer, Opener};
use super::super::commands::{self, Name};
use super::super::windows;
use super::super::word::{Traits, Word};

/// The command word, behind assignments, keywords and programs that run others.
pub(super) struct Head {
    /// Its index in the clause.
    pub(super) index: usize,
    pub(super) program: Option<Program>,
    /// True if `then`, `do` or `else` stands before it.
    pub(super) keyword: bool,
    /// For what was stripped before it, and for how it is written.
    pub(super) points: i32,
}

/// The program that a command word would run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Program {
    pub(super) name: Name,
    pub(super) points: i32,
    pub(super) windows: bool,
    /// True if a Windows program has the same name.
    pub(super) both: bool,
    /// Index of the word in the clause.
    pub(super) index: usize,
    pub(super) network: bool,
    pub(super) numbered: bool,
    pub(super) interpreter: bool,
    pub(super) filter: bool,
    /// True for a program of routine work.
    pub(super) routine: bool,
}

impl Head {
    pub(super) fn of(bytes: &[u8], clause: &Clause) -> Option<Head> {
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
            // Behind a parameter of a URL stands no path of a program.
            let parameter = clause.opener == Opener::Background && index > 0;
            let program = program(bytes, word, index).filter(|found| {
                !parameter || found.name > Name::Terse || commands::unix(word.base()).is_some()
            });
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
    assignment || matches!(text, b"{" | b"}" | b"!" | b"." | b"then" | b"do" | b"else" | b"@" | b"\\")
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
    if windows::is_interpreter_variable(text) {
        return Some(make(Name::Exclusive, 5, true, base, index));
    }
    if word.traits.has(Traits::ASSEMBLED) {
        return Some(make(Name::Exclusive, 5, false, base, index));
    }
    if base.len() < text.len() {
        return by_path(word, text, base, index);
    }
    let behind = word.behind_backslash();
    if behind.len() < text.len() && !word.traits.has(Traits::CUT) {
        // A Windows path: its last component is the program, and only a program's ending makes it one.
        let raw = bytes.get(word.start..word.end).unwrap_or_default();
        if raw.contains(&b':') || raw.starts_with(b"%") || raw.starts_with(b"\\\\") {
            let name = commands::windows(behind)?;
            return Some(make(name, value(name), true, behind, index));
        }
    }
    match (commands::unix(base), commands::windows(text)) {
        (Some(posix), Some(native)) if native > posix => Some(make(native, value(native), true, base, index)),
        (Some(posix), _) => Some(make(posix, value(posix), false, base, index)),
        (None, Some(native)) => Some(make(native, value(native), true, base, index)),
        (None, None) => None,
    }
}

/// The program at the end of the Unix path `text`, whose last name is `base`.
fn by_path(word: &Word, text: &[u8], base: &[u8], index: usize) -> Option<Program> {
    // The comma belongs to the name: this is an entry of a list.
    if text.ends_with(b",") {
        return None;
    }
    let posix = commands::unix(base);
    if in_program_directory(text) {
        let known = posix.is_some() || word.traits.has(Traits::GLOB);
        return Some(make(Name::Exclusive, if known { 6 } else { 4 }, false, base, index));
    }
    if let Some(name) = posix
        && (text.starts_with(b"./") || text.starts_with(b"/") || text.starts_with(b"../"))
    {
        return Some(make(name, value(name).max(2), false, base, index));
    }
    let local = text.starts_with(b"./");
    if index > 0 || text.starts_with(b"/tmp/") || text.starts_with(b"/dev/shm/") || local {
        let named = matches!(shape(word), Shape::Script | Shape::RootPath | Shape::Path);
        return named.then(|| make(Name::Terse, if local { 1 } else { 2 }, false, base, index));
    }
    None
}

fn make(name: Name, points: i32, windows: bool, base: &[u8], index: usize) -> Program {
    Program {
        name,
        points,
        windows,
        both: !windows && commands::windows(base).is_some(),
        index,
        network: commands::is_network(base),
        numbered: commands::wants_number(base),
        interpreter: commands::is_interpreter(base),
        filter: commands::is_filter(base) || base == b"xargs",
        routine: commands::is_routine(base),
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

/// Returns `true` if the path's directory holds programs.
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
    directory.len() <= 12 && memchr::memchr_iter(b'?', directory).count() >= 2
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
