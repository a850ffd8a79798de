//! Rules of command injection, and the detector that reports them: it asks the shell tokenizer what a value would run and
//! names the protection that the finding belongs to. It must not know how the tokenizer comes to its conclusions.

use waf_languages::language::Context;
use waf_languages::shell::{Shell, ShellSign};

use crate::evidence::{Evidence, Subject};
use crate::field::Places;
use crate::rule::{Bucket, Detector, Rule};

mod other;
mod unix;
mod windows;

/// The rules, and the detector that reports them.
pub(crate) static BUCKET: Bucket =
    Bucket { rules: &[unix::RULES, windows::RULES, other::RULES], detectors: &[&DETECTOR] };

/// Reads command lines.
static DETECTOR: Detector = Detector::of::<Shell>(Places::REQUEST, run);

fn run(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    evidence.scan::<Shell, _>(subject, |finding| Some(rule(finding.sign, finding.context)));
}

fn rule(sign: ShellSign, context: Context) -> &'static Rule {
    match (sign, context == Context::Prose) {
        (ShellSign::UnixCommand, false) => &unix::COMMAND,
        (ShellSign::UnixCommand, true) => &unix::COMMAND_LIKE,
        (ShellSign::EnglishWord, _) => &unix::ENGLISH,
        (ShellSign::Substitution, false) => &unix::SUBSTITUTION,
        (ShellSign::Substitution, true) => &unix::SUBSTITUTION_LIKE,
        (ShellSign::Alias, _) => &unix::ALIAS,
        (ShellSign::History, _) => &unix::HISTORY,
        (ShellSign::BraceExpansion, _) => &unix::BRACES,
        (ShellSign::Wildcard, _) => &unix::WILDCARD,
        (ShellSign::Evasion, _) => &unix::EVASION,
        (ShellSign::ForkBomb, _) => &unix::FORK_BOMB,
        (ShellSign::Shellshock, _) => &unix::SHELLSHOCK,
        (ShellSign::WindowsCommand, false) => &windows::COMMAND,
        (ShellSign::WindowsCommand, true) => &windows::COMMAND_LIKE,
        (ShellSign::PowerShell, false) => &windows::POWERSHELL,
        (ShellSign::PowerShell, true) => &windows::POWERSHELL_LIKE,
        (ShellSign::SqliteShell, _) => &other::SQLITE,
    }
}
