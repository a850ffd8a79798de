//! Expansions that stand for themselves, wherever they are: `${x#y}`, `$((…))`, `~-`, `!-1`, `/[e]tc`. Commands in
//! substitutions are found clause by clause, not here. It knows bytes alone.

use super::sign::ShellSign;
use crate::language::{Context, Findings};

/// Bytes in which the cut of a hash ends.
const REVISION_BYTES_MAX: usize = 256;

/// Looks for them in `bytes`.
pub(super) fn scan(bytes: &[u8], findings: &mut Findings<'_, ShellSign>) {
    let whole = bytes.trim_ascii();
    if is_tilde(whole) {
        findings.add(ShellSign::Substitution, Context::Code, 0, bytes.len());
    }
    history(bytes, findings);
    server_side_include(bytes, findings);
    for at in memchr::memchr_iter(b'$', bytes) {
        let Some(rest) = bytes.get(at + 1..) else { continue };
        if is_file_read(rest) {
            findings.add(ShellSign::Substitution, Context::Code, at, 8);
        }
        if let Some(length) = rest.strip_prefix(b"{").and_then(parameter).or_else(|| arithmetic(rest)) {
            let is_code = opens(bytes, at) && !is_revision(rest);
            let context = if is_code { Context::Code } else { Context::Prose };
            findings.add(ShellSign::Substitution, context, at, length);
        } else if separates(bytes, at, rest) {
            findings.add(ShellSign::Substitution, Context::Code, at, 4);
        }
    }
    for at in memchr::memchr_iter(b'[', bytes) {
        if let Some(length) = listed_letters(bytes, at) {
            findings.add(ShellSign::Substitution, Context::Code, at, length);
        }
    }
}

/// `<!--#exec cmd="…"`: a server-side include that runs a command.
fn server_side_include(bytes: &[u8], findings: &mut Findings<'_, ShellSign>) {
    for at in memchr::memmem::find_iter(bytes, b"<!--#").take(8) {
        let inside = bytes.get(at + 5..).unwrap_or_default();
        let inside = inside.get(..inside.len().min(32)).unwrap_or_default().to_ascii_lowercase();
        if inside.trim_ascii_start().starts_with(b"exec") && memchr::memmem::find(&inside, b"cmd").is_some() {
            findings.add(ShellSign::UnixCommand, Context::Code, at, 16);
        }
    }
}

/// Returns `true` if an expansion at `at` stands in a command's place: at the start, or behind what separates commands.
fn opens(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(..at).unwrap_or_default().trim_ascii_end();
    before.last().is_none_or(|byte| matches!(byte, b';' | b'|' | b'&' | b'\'' | b'"'))
}

/// `$(<name)`: what a file holds. Markup has an end of its own before the parenthesis.
fn is_file_read(rest: &[u8]) -> bool {
    let Some(inside) = rest.strip_prefix(b"(<") else { return false };
    let inside = inside.get(..inside.len().min(256)).unwrap_or_default().trim_ascii_start();
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._~$*?-".contains(byte);
    let length = inside.iter().take_while(|byte| is_name(byte)).count();
    length > 0 && inside.get(length..).is_some_and(|rest| rest.trim_ascii_start().starts_with(b")"))
}

/// `${COMMIT:0:8}`: the beginning of a hash, as tags of images have it. A command is put together of single letters.
fn is_revision(rest: &[u8]) -> bool {
    let rest = rest.get(..REVISION_BYTES_MAX).unwrap_or(rest);
    let Some(end) = memchr::memchr(b'}', rest) else { return false };
    let length = rest.get(..end).and_then(|inside| inside.rsplit(|byte| *byte == b':').next());
    let cut = rest.get(..end).is_some_and(|inside| memchr::memchr_iter(b':', inside).count() == 2);
    cut && matches!(length, Some([b'6'..=b'9'] | [b'1', b'0'..=b'2']))
}

/// `~+`, `~-`, `~-1`: a directory that the shell remembers.
fn is_tilde(whole: &[u8]) -> bool {
    match whole {
        [b'~', b'+' | b'-', rest @ ..] => {
            rest.len() < 3 && rest.iter().all(u8::is_ascii_digit) || rest.starts_with(b"/")
        }
        _ => false,
    }
}

/// `$IFS` between two words.
fn separates(bytes: &[u8], at: usize, rest: &[u8]) -> bool {
    let behind = rest.strip_prefix(b"{IFS").and_then(|rest| {
        let end = rest.iter().take(24).position(|byte| *byte == b'}')?;
        rest.get(end + 1)
    });
    let behind = behind.or_else(|| rest.strip_prefix(b"IFS").and_then(|rest| rest.first()));
    let before = at.checked_sub(1).and_then(|at| bytes.get(at));
    before.is_some_and(|byte| byte.is_ascii_graphic() && *byte != b'`')
        && behind
            .is_some_and(|byte| byte.is_ascii_graphic() && !matches!(byte, b'`' | b'=' | b'.' | b',' | b')'))
}

/// `name#…`, `name%%…`, `name//…`, `name:0:1`, `!name`, `@:1` up to the closing brace.
fn parameter(rest: &[u8]) -> Option<usize> {
    let name = rest.iter().take(32).take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let special = usize::from(name == 0 && rest.first().is_some_and(|byte| matches!(byte, b'@' | b'*')));
    let operator = rest.get(name + special..)?;
    if !matches!(operator, [b':' | b'#' | b'^' | b'%' | b'/', ..]) {
        return None;
    }
    let end = operator.iter().take(64).position(|byte| *byte == b'}')?;
    let known = match operator {
        [b':', ..] if name + special == 0 => true,
        [b'#' | b'^', ..] | [b'%', b'%', ..] | [b'/', b'/', ..] => true,
        [b':', digit, ..] => {
            digit.is_ascii_digit()
                && operator.get(2..end)?.iter().all(|byte| byte.is_ascii_digit() || *byte == b':')
        }
        _ => false,
    };
    (known && (name + special > 0 || operator.starts_with(b":"))).then_some(name + special + end + 3)
}

/// `$((…))`, or `$[…]` of old, with nothing but numbers, operators and variables inside.
fn arithmetic(rest: &[u8]) -> Option<usize> {
    if let Some(old) = rest.strip_prefix(b"[") {
        let end = old.iter().take(32).position(|byte| *byte == b']')?;
        let sum = old.get(..end)?;
        let sound = sum.iter().all(|byte| byte.is_ascii_digit() || b" +*/()".contains(byte));
        let operator =
            sum.iter().any(|byte| matches!(byte, b'+' | b'*' | b'/')) && sum.iter().any(u8::is_ascii_digit);
        return (sound && operator).then_some(end + 3);
    }
    let inside = rest.strip_prefix(b"((")?;
    let end = inside.iter().take(64).position(|byte| *byte == b')')?;
    let digits = inside.get(..end)?.iter().any(u8::is_ascii_digit);
    let sound = inside
        .get(..end)?
        .iter()
        .all(|byte| byte.is_ascii_alphanumeric() || b" +-*/%_$()<>&|^".contains(byte));
    (sound && digits || end == 0 || inside.starts_with(b"$(")).then_some(end + 5)
}

/// `/[e]tc`, `/etc/pa[s]swd`: a list of letters inside a path's name. An index and a query of XPath end a name,
/// a pattern of a programming language ends with the slash that it starts with.
fn listed_letters(bytes: &[u8], at: usize) -> Option<usize> {
    let reach = at.saturating_sub(65);
    let start = bytes.get(reach..at)?.iter().rposition(|byte| {
        byte.is_ascii_whitespace() || matches!(byte, b'\'' | b'"' | b'=' | b';' | b'|' | b'&' | b'`')
    });
    let start = start.map_or(reach, |start| reach + start + 1);
    let before = bytes.get(start..at)?;
    if at - start > 64 || !before.starts_with(b"/") || before.starts_with(b"//") {
        return None;
    }
    let rest = bytes.get(at + 1..)?;
    let end = rest.iter().take(24).position(|byte| *byte == b']')?;
    let list = rest.get(..end)?;
    let behind = rest.get(end + 1..)?;
    let name = behind
        .iter()
        .take(64)
        .take_while(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'_' | b'-' | b'[' | b']')
        })
        .count();
    let closes =
        behind.get(..name)?.iter().rposition(|byte| *byte == b'/').is_some_and(|slash| name - slash <= 3)
            && !before.get(1..)?.contains(&b'/');
    let letters = list.iter().any(u8::is_ascii_alphabetic)
        && list.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'!' | b'^' | b'/'));
    (letters && behind.first().is_some_and(u8::is_ascii_alphabetic) && !closes).then_some(end + 2)
}

/// A word of history events alone: `!-1`, `!!:p`, `!-1!-2`.
fn history(bytes: &[u8], findings: &mut Findings<'_, ShellSign>) {
    let mut events_seen = 0;
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr(b'!', rest)) {
        let start = at + found;
        let (events, length) = events(bytes.get(start..).unwrap_or_default());
        let before = start.checked_sub(1).and_then(|at| bytes.get(at));
        let behind = bytes.get(start + length);
        let alone = before
            .is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b';' | b'|' | b'&' | b'`'))
            && behind
                .is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b';' | b'|' | b'&' | b'`'));
        if alone && events > 0 && length < 24 {
            events_seen += 1;
            findings.add(ShellSign::History, Context::Code, start, length);
        }
        if events_seen > 4 {
            return;
        }
        at = start + length.max(1);
    }
}

/// Events at the start of `rest` that cannot be punctuation, and their length.
fn events(rest: &[u8]) -> (usize, usize) {
    let (mut count, mut at) = (0, 0);
    while rest.get(at) == Some(&b'!') {
        let tail = rest.get(at + 1..).unwrap_or_default();
        let digits = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
        match tail.first() {
            Some(b'-') if digits(tail.get(1..).unwrap_or_default()) > 0 => {
                count += 1;
                at += 2 + digits(tail.get(1..).unwrap_or_default());
            }
            Some(b'!') => {
                at += 2;
                let modifier = rest.get(at..).unwrap_or_default();
                if let [
                    b':',
                    b'p' | b's' | b'g' | b'h' | b't' | b'r' | b'e' | b'0'..=b'9' | b'$' | b'*' | b'^',
                    ..,
                ] = modifier
                {
                    count += 1;
                    at += modifier.iter().take_while(|byte| byte.is_ascii_graphic()).count();
                }
            }
            _ => break,
        }
    }
    (count, at)
}
