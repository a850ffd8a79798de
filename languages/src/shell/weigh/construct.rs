//! Constructs that are known by their shape alone, whatever the points: definitions, placeholders, options that run
//! programs, hidden paths. It knows no weights.

use super::super::arguments::{Shape, shape};
use super::super::clause::{Clause, Closer, Left, Opener};
use super::super::sign::ShellSign;
use super::super::windows;
use super::super::word::Traits;
use super::head::Head;
use crate::language::{Context, Findings};

/// Constructs that are known by their shape.
pub(super) fn special(bytes: &[u8], clause: &Clause, head: &Head) -> Option<ShellSign> {
    if matches!(clause.opener, Opener::Tail | Opener::Group) {
        return None;
    }
    let words = clause.words();
    let word = words.get(head.index)?;
    let text = word.text();
    let next = words.get(head.index + 1);
    if clause.opener != Opener::Start && placeholder(text, clause) {
        return Some(ShellSign::UnixCommand);
    }
    let sample = matches!(clause.opener, Opener::Backtick | Opener::Newline) && clause.left >= Left::Phrase;
    if text == b"alias"
        && !sample
        && next.is_some_and(|_| words.iter().skip(head.index + 1).take(2).any(|word| is_alias(word.text())))
    {
        return Some(ShellSign::Alias);
    }
    if word.traits.has(Traits::ASSEMBLED) && clause.opener != Opener::Start {
        return Some(ShellSign::UnixCommand);
    }
    if text == b"[" && clause.opener != Opener::Start && words.iter().any(|word| compares(word.text())) {
        return Some(ShellSign::UnixCommand);
    }
    if text.starts_with(b".") && clause.opener != Opener::Start && windows::is_dot_command(text) {
        return Some(ShellSign::SqliteShell);
    }
    if words.iter().any(|word| windows::is_substring(word.text()))
        || clause.opener == Opener::Start && runs_as_option(text)
    {
        let windows = !text.starts_with(b"-");
        return Some(if windows { ShellSign::WindowsCommand } else { ShellSign::UnixCommand });
    }
    if is_compound(clause, head) || writes_script(clause) {
        return Some(ShellSign::UnixCommand);
    }
    let construct = matches!(text, b"for" | b"if" | b"@if" | b"@for");
    (construct && windows::construct(bytes.get(word.start..).unwrap_or_default()))
        .then_some(ShellSign::WindowsCommand)
}

/// `;[ x ]&&…`, `;case x in x) …`: a test or a choice behind a separator.
fn is_compound(clause: &Clause, head: &Head) -> bool {
    let words = clause.words();
    let is = |index: usize, text: &[u8]| words.get(index).is_some_and(|word| word.text() == text);
    let test = is(head.index, b"[")
        && words.len() > 2
        && is(words.len() - 1, b"]")
        && clause.opener == Opener::Semicolon;
    let choice =
        is(head.index, b"case") && is(head.index + 2, b"in") && clause.closer == Closer::ParenthesisEnd;
    clause.left <= Left::Token && (test || choice)
}

/// A separator and then output into a script: whatever is written, a server runs it.
fn writes_script(clause: &Clause) -> bool {
    let separated = !matches!(clause.opener, Opener::Newline | Opener::Start) && clause.left <= Left::Phrase;
    separated
        && clause
            .words()
            .iter()
            .any(|word| word.traits.has(Traits::REDIRECTED) && shape(word) == Shape::Script)
}

/// An operator of `test` that compares numbers.
fn compares(text: &[u8]) -> bool {
    matches!(text, b"-eq" | b"-ne" | b"-gt" | b"-ge" | b"-lt" | b"-le")
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
        b"open-files-in-pager=",
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
    clause.glued && matches!(text, b"{cmd}" | b"{command}" | b"{payload}") && clause.left < Left::Phrase
}

/// Words that hide a path or a name, for the protections that look for that alone.
pub(super) fn hidden_paths(clause: &Clause, findings: &mut Findings<'_, ShellSign>) {
    for word in clause.words() {
        let text = word.text();
        let mut found = |sign| findings.add(sign, Context::Code, word.start, word.end - word.start);
        let slashes = memchr::memchr_iter(b'/', text).count();
        if text.starts_with(b"/") && slashes > 1 && word.traits.has(Traits::GLOB) && has_wildcard(text) {
            found(ShellSign::Wildcard);
        }
        let path = slashes > 0 || clause.opener != Opener::Start;
        if path && word.traits.has(Traits::HOLLOW) && text.iter().any(u8::is_ascii_alphabetic) {
            found(ShellSign::Evasion);
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
