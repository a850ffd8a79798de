//! Shell command lines inside values: what a POSIX shell, `cmd.exe` or `PowerShell` would execute of a value that reaches
//! it. A linear tokenizer cuts the value into clauses (what stands between two separators), each word as the shell
//! would read it once quotes, escapes and empty expansions are gone; [`inspect`] weighs where a clause stands, what it
//! would run and what its arguments look like. It knows bytes alone, neither places nor rules.

mod arguments;
mod clause;
mod commands;
mod document;
mod expansion;
mod function;
mod glance;
mod line;
mod powershell;
mod scanner;
mod weigh;
mod windows;
mod word;

#[cfg(test)]
mod tests;

use clause::Clause;
use document::Document;
pub use glance::is_worth_it;

/// What kind of shell use was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sign {
    /// A program of a Unix system in a command's place.
    UnixCommand,
    /// The same, where the program's name is an everyday word or the place is a weak one.
    EnglishWord,
    /// Output of a command or a manipulated parameter put into a word: `$(…)`, backticks, `${x##y}`, `<(…)`.
    Substitution,
    /// `alias name=…`.
    Alias,
    /// History recall: `!-1`, `!!:p`.
    History,
    /// A command written as a brace list: `{cat,/etc/passwd}`.
    BraceExpansion,
    /// A path with wildcards in its directories: `/???/c?t`.
    Wildcard,
    /// Words cut by expansions that come to nothing.
    Evasion,
    /// A function that starts itself twice.
    ForkBomb,
    /// A function definition where a value is expected: `() { :; };`.
    Shellshock,
    /// A program or construct of `cmd.exe`.
    WindowsCommand,
    /// A cmdlet, its alias or a call of `powershell`.
    PowerShell,
    /// A dot command of the SQLite shell.
    SqliteShell,
}

/// How sure a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Certainty {
    /// Might be prose or a code sample.
    Likely,
    /// Has no reading but the shell's.
    Certain,
}

/// Something found in a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    /// What.
    pub sign: Sign,
    /// How sure.
    pub certainty: Certainty,
    /// Byte offset in the value.
    pub offset: usize,
    /// Length in bytes.
    pub length: usize,
}

/// Where the value's first byte stands in the command line that an application may build of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// Somewhere inside: the first word is a command only if it looks like nothing else.
    Value,
    /// The whole of a scalar in a document: configurations name programs and their options there.
    Document,
    /// Behind a separator that the transport ate: a parameter's name stands behind an `&`.
    AfterSeparator,
}

/// Reads `bytes` and hands every finding to `report`. Linear in the length, bounded in space.
pub fn inspect(bytes: &[u8], entry: Entry, report: &mut dyn FnMut(Finding)) {
    let mut document = Document::new(bytes);
    let report = &mut |finding| {
        if let Some(finding) = document.place(finding) {
            report(finding);
        }
    };
    function::inspect(bytes, report);
    powershell::inspect(bytes, report);
    expansion::inspect(bytes, report);
    scanner::scan(bytes, entry, &mut |clause: &Clause| weigh::clause(bytes, clause, report));
}
