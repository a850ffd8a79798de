//! Rules of command injection, and the detector that reports them: it asks the shell tokenizer what a value would run and
//! names the protection that the finding belongs to. It must not know how the tokenizer comes to its conclusions.

use crate::evidence::{Evidence, Subject};
use crate::field::{Place, Places};
use crate::lang::shell::{self, Certainty, Entry, Sign};
use crate::rule::{Detector, Prefilter, Rule};

mod other;
mod triggers;
mod unix;
mod windows;

/// The rules.
pub static RULES: &[&Rule] = &[
    &unix::COMMAND,
    &unix::COMMAND_LIKE,
    &unix::ENGLISH,
    &unix::SUBSTITUTION,
    &unix::SUBSTITUTION_LIKE,
    &unix::ALIAS,
    &unix::HISTORY,
    &unix::BRACES,
    &unix::WILDCARD,
    &unix::WILDCARD_DIRECTORY,
    &unix::EVASION,
    &unix::FORK_BOMB,
    &unix::SHELLSHOCK,
    &windows::COMMAND,
    &windows::COMMAND_LIKE,
    &windows::POWERSHELL,
    &windows::POWERSHELL_LIKE,
    &other::SQLITE,
    &other::SQLITE_AT_START,
];

/// Runs the POSIX and Windows shell tokenizer.
pub static DETECTOR: Detector =
    Detector { name: "shell", triggers: triggers::TRIGGERS, places: Places::REQUEST, run };

/// Spares it prose.
pub static PREFILTER: Prefilter =
    Prefilter { detector: &DETECTOR, triggers: triggers::COMMON, may_match: shell::may_match };

fn run(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    let entry = match subject.place {
        // A parameter's name stands behind the `&` that the query was split at.
        Place::QueryName | Place::FormName => Entry::AfterSeparator,
        Place::Json | Place::Xml | Place::Body => Entry::Document,
        _ => Entry::Value,
    };
    shell::inspect(subject.bytes, entry, &mut |finding| {
        evidence.found(rule(finding.sign, finding.certainty), finding.offset, finding.length);
    });
}

fn rule(sign: Sign, certainty: Certainty) -> &'static Rule {
    match (sign, certainty) {
        (Sign::UnixCommand, Certainty::Certain) => &unix::COMMAND,
        (Sign::UnixCommand, Certainty::Likely) => &unix::COMMAND_LIKE,
        (Sign::EnglishWord, _) => &unix::ENGLISH,
        (Sign::Substitution, Certainty::Certain) => &unix::SUBSTITUTION,
        (Sign::Substitution, Certainty::Likely) => &unix::SUBSTITUTION_LIKE,
        (Sign::Alias, _) => &unix::ALIAS,
        (Sign::History, _) => &unix::HISTORY,
        (Sign::BraceExpansion, _) => &unix::BRACES,
        (Sign::Wildcard, _) => &unix::WILDCARD,
        (Sign::Evasion, _) => &unix::EVASION,
        (Sign::ForkBomb, _) => &unix::FORK_BOMB,
        (Sign::Shellshock, _) => &unix::SHELLSHOCK,
        (Sign::WindowsCommand, Certainty::Certain) => &windows::COMMAND,
        (Sign::WindowsCommand, Certainty::Likely) => &windows::COMMAND_LIKE,
        (Sign::PowerShell, Certainty::Certain) => &windows::POWERSHELL,
        (Sign::PowerShell, Certainty::Likely) => &windows::POWERSHELL_LIKE,
        (Sign::SqliteShell, _) => &other::SQLITE,
    }
}
