//! The signs of shells.

/// A use of a shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ShellSign {
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
