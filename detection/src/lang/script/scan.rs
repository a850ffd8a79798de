//! The scanner: every name in a value, what it is, what precedes and what follows it.

use memchr::{memchr, memmem};

use super::place::{self, Standing};
use super::{Sign, continues_name};

/// Longest name that means anything here.
const NAME_BYTES_MAX: usize = 24;
/// How far what follows a name is looked at.
const AHEAD_BYTES_MAX: usize = 160;

/// A name and where it ends, with `\u0061` decoded.
struct Word {
    bytes: [u8; NAME_BYTES_MAX],
    length: usize,
    end: usize,
}

impl Word {
    fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

/// What follows a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    /// `(`, at this offset.
    Call(usize),
    /// A template literal.
    Template,
    /// `.` or `?.` and a name that begins here.
    Member(usize),
    /// `[`, at this offset.
    Index(usize),
    /// `=` that assigns; what is assigned begins here.
    Assign(usize),
    /// Anything else, or the end.
    Other,
}

/// Runs over `bytes`.
pub(super) fn conclude(bytes: &[u8], report: &mut impl FnMut(Sign, usize)) {
    let broken = place::begins_broken(bytes);
    let mut at = 0;
    while at < bytes.len() {
        let Some(word) = word_at(bytes, at) else {
            at += 1;
            continue;
        };
        name(bytes, at, &word, broken, report);
        at = word.end;
    }
}

/// Whether `word` names a function that runs text or opens a dialog.
pub(super) fn is_sink(word: &[u8]) -> bool {
    let word = word.rsplit(|&byte| byte == b'.').next().unwrap_or_default();
    if word == b"Function" {
        return true;
    }
    let mut lower = [0u8; 12];
    let Some(slots) = lower.get_mut(..word.len()) else { return false };
    slots.copy_from_slice(word);
    slots.make_ascii_lowercase();
    matches!(
        &*slots,
        b"alert"
            | b"confirm"
            | b"prompt"
            | b"eval"
            | b"settimeout"
            | b"setinterval"
            | b"setimmediate"
            | b"execscript"
            | b"atob"
            | b"fetch"
            | b"import"
    )
}

fn name(bytes: &[u8], at: usize, word: &Word, broken: bool, report: &mut impl FnMut(Sign, usize)) {
    let name = word.as_bytes();
    if is_sink(name) {
        sink(bytes, at, word, broken, report);
    } else if is_root(name) {
        root(bytes, at, word, broken, report);
    } else {
        match name {
            b"call" | b"apply" | b"bind" | b"sort" | b"map" if follows(bytes, at, b".") => {
                if after(bytes, word.end) == After::Template {
                    report(Sign::TaggedTemplate, at);
                }
            }
            b"constructor" => constructor(bytes, at, word, report),
            b"fromCharCode" | b"fromCodePoint" if is_member(bytes, at) => {
                if matches!(after(bytes, word.end), After::Call(_) | After::Member(_) | After::Template) {
                    report(Sign::Detour, at);
                }
            }
            b"innerHTML" | b"outerHTML" | b"srcdoc" if is_member(bytes, at) => {
                if let After::Assign(value) = after(bytes, word.end)
                    && bytes
                        .get(value..)
                        .unwrap_or_default()
                        .iter()
                        .take(AHEAD_BYTES_MAX)
                        .any(|&byte| byte == b'<')
                {
                    report(Sign::Assignment, at);
                }
            }
            b"insertAdjacentHTML" | b"createContextualFragment" | b"XMLHttpRequest" => {
                if matches!(after(bytes, word.end), After::Call(_))
                    && place::standing(bytes, at, broken) != Standing::Prose
                {
                    report(Sign::Detour, at);
                }
            }
            _ => {}
        }
    }
}

/// A function that runs text: called, or handed over.
fn sink(bytes: &[u8], at: usize, word: &Word, broken: bool, report: &mut impl FnMut(Sign, usize)) {
    let name = word.as_bytes();
    let standing = standing_of_root(bytes, at, broken);
    let next = after(bytes, word.end);
    let call = match next {
        After::Call(open) => call_at(bytes, name, word.end, open),
        After::Template => Some(word.end),
        After::Member(member) => calls_through(bytes, member).then_some(word.end),
        _ => None,
    };
    if let Some(open) = call {
        let prose = standing == Standing::Prose
            || standing == Standing::Member
            || !broken && at == first_name(bytes) && place::prose_follows(bytes, open);
        report(if prose { Sign::CallMention } else { Sign::Call }, at);
        return;
    }
    let handed = matches!(name, b"alert" | b"eval" | b"prompt" | b"confirm" | b"Function" | b"setTimeout");
    if handed && is_handed_over(bytes, at, word.end) {
        report(Sign::Handover, at);
    }
}

/// Where the call of `name` at the parenthesis `open` begins, unless it reads like a plural or an aside: `alert(s)`, `import (and …`.
fn call_at(bytes: &[u8], name: &[u8], end: usize, open: usize) -> Option<usize> {
    let inside = bytes.get(open + 1..).unwrap_or_default();
    if [&b"s)"[..], b"es)", b"ed)", b"S)"].iter().any(|plural| inside.starts_with(plural)) {
        return None;
    }
    let spaced = bytes.get(end..open).is_some_and(|gap| gap.contains(&b' ') && !gap.contains(&b'*'));
    if spaced || name == b"import" {
        let inside = inside.trim_ascii_start();
        let letters = inside.iter().take(32).take_while(|&&byte| continues_name(byte)).count();
        let word = inside.get(..letters).unwrap_or_default();
        let telling =
            is_root(word) || is_sink(word) || name != b"import" && word.iter().all(u8::is_ascii_digit);
        let quoted = letters == 0 && !matches!(inside.first(), Some(b' ' | b')'));
        return (quoted || telling || inside.is_empty()).then_some(open);
    }
    Some(open)
}

/// `alert.call(…)`, `alert?.apply(…)`, `eval.bind(…)`.
fn calls_through(bytes: &[u8], member: usize) -> bool {
    let Some(word) = word_at(bytes, member) else { return false };
    matches!(word.as_bytes(), b"call" | b"apply" | b"bind")
        && matches!(after(bytes, word.end), After::Call(_) | After::Template)
}

/// Whether the function named at `at` is an argument or an assigned value by itself.
fn is_handed_over(bytes: &[u8], at: usize, end: usize) -> bool {
    let head = bytes.get(..at).unwrap_or_default();
    let Some((&last, outside)) = head.split_last() else { return false };
    let next = bytes.get(skip_gap(bytes, end)).copied();
    match last {
        // `[1].find(alert)`
        b'(' => {
            next == Some(b')') && outside.last().is_some_and(|&byte| continues_name(byte)) && {
                let letters = outside.iter().rev().take(16).take_while(|&&byte| continues_name(byte)).count();
                outside.iter().rev().nth(letters) == Some(&b'.')
            }
        }
        // `` `${alert}` ``
        b'{' => next == Some(b'}') && outside.last() == Some(&b'$'),
        // `onerror=eval;throw…`, `a=alert,a(1)`
        b'=' => {
            let letters = outside.iter().rev().take(20).take_while(|&&byte| continues_name(byte)).count();
            let target = outside.get(outside.len() - letters..).unwrap_or_default();
            let handler =
                target.get(..2).is_some_and(|start| start.eq_ignore_ascii_case(b"on")) && letters > 4;
            let tail = bytes.get(end..).unwrap_or_default();
            let tail = tail.get(..AHEAD_BYTES_MAX).unwrap_or(tail);
            let ends = matches!(next, None | Some(b',' | b';' | b'}' | b')'));
            let used = letters > 0
                && memmem::find(tail, target)
                    .is_some_and(|used| matches!(tail.get(used + target.len()), Some(b'(' | b'`' | b'.')));
            ends && (handler || used)
        }
        _ => false,
    }
}

/// Objects of the page, through which everything else is reached.
fn is_root(name: &[u8]) -> bool {
    matches!(
        name,
        b"document"
            | b"window"
            | b"self"
            | b"top"
            | b"parent"
            | b"frames"
            | b"globalThis"
            | b"this"
            | b"location"
            | b"navigation"
            | b"localStorage"
            | b"sessionStorage"
            | b"navigator"
            | b"opener"
    )
}

fn root(bytes: &[u8], at: usize, word: &Word, broken: bool, report: &mut impl FnMut(Sign, usize)) {
    let standing = standing_of_root(bytes, at, broken);
    let name = word.as_bytes();
    // `(document)["cookie"]`
    let closing =
        bytes.get(word.end..).unwrap_or_default().iter().take_while(|&&byte| byte == b')').take(8).count();
    let opened = bytes.get(..at).is_some_and(|head| head.ends_with(b"("));
    let end = word.end + if opened { closing } else { 0 };
    match after(bytes, end) {
        After::Index(open) if is_computed(bytes, name, open) => report(Sign::ComputedMember, at),
        After::Member(member) => {
            let Some(member) = word_at(bytes, member) else { return };
            if is_telling(name, member.as_bytes()) {
                let first = !broken && at == first_name(bytes);
                let prose = standing == Standing::Prose
                    || standing == Standing::Member
                    || first && place::is_prose(bytes.get(member.end..).unwrap_or_default());
                report(if prose { Sign::PageObjectMention } else { Sign::PageObject }, at);
            }
            if name != b"document" && member.as_bytes() == b"href" || member.as_bytes() == b"location" {
                if let After::Assign(_) = after(bytes, member.end)
                    && standing == Standing::Expression
                {
                    report(Sign::Assignment, at);
                }
            }
        }
        After::Assign(value) if name == b"location" && standing != Standing::Prose => {
            let value = bytes.get(value..).unwrap_or_default().trim_ascii_start();
            if value.starts_with(b"name")
                || value.starts_with(b"'java")
                || value.starts_with(b"\"java")
                || value.starts_with(b"`")
            {
                report(Sign::Assignment, at);
            }
        }
        _ => {}
    }
}

/// Whether the member of the page's object tells an attack from everyday words with a dot between them.
fn is_telling(root: &[u8], member: &[u8]) -> bool {
    match root {
        b"document" => matches!(
            member,
            b"cookie"
                | b"domain"
                | b"write"
                | b"writeln"
                | b"location"
                | b"body"
                | b"documentElement"
                | b"URL"
                | b"forms"
                | b"querySelector"
                | b"querySelectorAll"
                | b"getElementById"
                | b"getElementsByTagName"
                | b"getElementsByClassName"
                | b"createElement"
                | b"appendChild"
                | b"referrer"
                | b"defaultView"
                | b"implementation"
                | b"scripts"
                | b"execCommand"
                | b"open"
                | b"head"
                | b"documentURI"
                | b"baseURI"
                | b"all"
        ),
        b"window" | b"self" | b"top" | b"parent" | b"frames" | b"globalThis" | b"opener" => {
            matches!(
                member,
                b"location"
                    | b"document"
                    | b"alert"
                    | b"eval"
                    | b"prompt"
                    | b"confirm"
                    | b"onerror"
                    | b"localStorage"
                    | b"setTimeout"
                    | b"opener"
                    | b"name"
                    | b"open"
            ) && (root == b"window" || member != b"name" && member != b"open" && member != b"location")
                || root == b"top" && member == b"location"
        }
        b"location" => matches!(member, b"hash" | b"href" | b"replace" | b"assign" | b"search"),
        b"localStorage" | b"sessionStorage" => matches!(member, b"getItem" | b"setItem" | b"token"),
        b"navigator" => member == b"sendBeacon",
        b"navigation" => member == b"navigate",
        _ => false,
    }
}

/// Whether the index at `open` names a member by an expression, and the member is then used.
fn is_computed(bytes: &[u8], root: &[u8], open: usize) -> bool {
    let inside = bytes.get(open + 1..).unwrap_or_default();
    let inside = inside.get(..AHEAD_BYTES_MAX).unwrap_or(inside);
    let start = inside.trim_ascii_start();
    let expression = matches!(start.first(), Some(b'"' | b'\'' | b'`' | b'/' | b'(' | b'\\'))
        || start.starts_with(b"atob");
    if !expression {
        return false;
    }
    if matches!(root, b"document" | b"window" | b"globalThis" | b"frames") {
        return true;
    }
    // `self['x']` and `this['x']` are everyday code until the member is called.
    memchr(b']', inside).is_some_and(|end| {
        matches!(after(bytes, open + 1 + end + 1), After::Call(_) | After::Template | After::Index(_))
    })
}

/// `x.constructor('…')`, `x['constructor']`.
fn constructor(bytes: &[u8], at: usize, word: &Word, report: &mut impl FnMut(Sign, usize)) {
    if !is_member(bytes, at) {
        return;
    }
    // `x['constructor']`
    let named = bytes.get(word.end..).is_some_and(|rest| matches!(rest, [b'"' | b'\'' | b'`', b']', ..]));
    if named && !matches!(after(bytes, word.end + 2), After::Other | After::Assign(_)) {
        report(Sign::Detour, at);
        return;
    }
    let detour = match after(bytes, word.end) {
        After::Call(open) => {
            let inside = bytes.get(open + 1..).unwrap_or_default().trim_ascii_start();
            matches!(inside.first(), Some(b'"' | b'\'' | b'`' | b'\\' | b'/') | None)
        }
        After::Template => true,
        After::Member(member) => {
            let next = word_at(bytes, member);
            next.is_some_and(|next| {
                matches!(next.as_bytes(), b"constructor" | b"prototype" | b"fromCharCode")
            })
        }
        _ => false,
    };
    if detour {
        report(Sign::Detour, at);
    }
}

/// The standing of a name, seen through `window.` and its like before it.
fn standing_of_root(bytes: &[u8], at: usize, broken: bool) -> Standing {
    let standing = place::standing(bytes, at, broken);
    if standing != Standing::Member {
        return standing;
    }
    let head = bytes.get(..at).unwrap_or_default();
    let head = head.strip_suffix(b"?.").or_else(|| head.strip_suffix(b".")).unwrap_or(head);
    let letters = head.iter().rev().take(NAME_BYTES_MAX).take_while(|&&byte| continues_name(byte)).count();
    let (outside, root) = head.split_at(head.len() - letters);
    if is_root(root) { place::standing(bytes, outside.len(), broken) } else { Standing::Member }
}

/// Whether the name at `at` is a member: behind a dot, or quoted in brackets.
fn is_member(bytes: &[u8], at: usize) -> bool {
    follows(bytes, at, b".'\"`")
}

/// Whether the last byte before `at` that is no white space is one of `wanted`.
fn follows(bytes: &[u8], at: usize, wanted: &[u8]) -> bool {
    let head = bytes.get(..at).unwrap_or_default();
    head.iter()
        .rev()
        .take(32)
        .find(|byte| !byte.is_ascii_whitespace())
        .is_some_and(|byte| wanted.contains(byte))
}

/// Offset of the first name in the value.
fn first_name(bytes: &[u8]) -> usize {
    bytes.iter().take(AHEAD_BYTES_MAX).position(|&byte| continues_name(byte)).unwrap_or(0)
}

/// The name that begins at `at`, if one does.
fn word_at(bytes: &[u8], at: usize) -> Option<Word> {
    let mut word = Word { bytes: [0; NAME_BYTES_MAX], length: 0, end: at };
    while let Some(&byte) = bytes.get(word.end) {
        let (letter, step) = if continues_name(byte) {
            (byte, 1)
        } else if byte == b'\\' && bytes.get(word.end + 1) == Some(&b'u') {
            match unicode_escape(bytes.get(word.end + 2..).unwrap_or_default()) {
                Some((letter, length)) => (letter, length + 2),
                None => break,
            }
        } else {
            break;
        };
        if let Some(slot) = word.bytes.get_mut(word.length) {
            *slot = letter;
            word.length += 1;
        } else {
            // Longer than any name of interest: poison it.
            word.bytes = [b'_'; NAME_BYTES_MAX];
        }
        word.end += step;
    }
    (word.end > at).then_some(word)
}

/// `0061` or `{61}`, when it is a letter of a name.
fn unicode_escape(digits: &[u8]) -> Option<(u8, usize)> {
    let (text, length) = match digits.first()? {
        b'{' => {
            let end = memchr(b'}', digits.get(..12).unwrap_or(digits))?;
            (digits.get(1..end)?, end + 1)
        }
        _ => (digits.get(..4)?, 4),
    };
    let value = u32::from_str_radix(std::str::from_utf8(text).ok()?, 16).ok()?;
    let letter = u8::try_from(value).ok()?;
    continues_name(letter).then_some((letter, length))
}

/// Offset of the first byte at or after `at` that is neither white space nor in a comment.
fn skip_gap(bytes: &[u8], mut at: usize) -> usize {
    let stop = at.saturating_add(AHEAD_BYTES_MAX).min(bytes.len());
    while at < stop {
        let rest = bytes.get(at..stop).unwrap_or_default();
        match rest {
            [byte, ..] if byte.is_ascii_whitespace() => at += 1,
            [b'/', b'*', ..] => match memmem::find(rest.get(2..).unwrap_or_default(), b"*/") {
                Some(end) => at += end + 4,
                None => return at,
            },
            [0xef, 0xbb, 0xbf, ..] => at += 3,
            _ => return at,
        }
    }
    at
}

/// What follows the name that ends at `end`.
fn after(bytes: &[u8], end: usize) -> After {
    let mut at = skip_gap(bytes, end);
    // `(alert)(1)`: closing parentheses are passed over when a call follows.
    let closing =
        bytes.get(at..).unwrap_or_default().iter().take(8).take_while(|&&byte| byte == b')').count();
    if closing > 0 {
        let behind = skip_gap(bytes, at + closing);
        if !matches!(bytes.get(behind), Some(b'(' | b'`')) || behind != at + closing {
            return After::Other;
        }
        at = behind;
    }
    if bytes.get(at..).is_some_and(|rest| rest.starts_with(b"?.")) {
        at = skip_gap(bytes, at + 2);
        if word_at(bytes, at).is_some() {
            return After::Member(at);
        }
    }
    match bytes.get(at) {
        Some(b'(') => After::Call(at),
        Some(b'`') => After::Template,
        Some(b'[') => After::Index(at),
        Some(b'.') => After::Member(skip_gap(bytes, at + 1)),
        Some(b'=') if bytes.get(at + 1) != Some(&b'=') => After::Assign(at + 1),
        Some(b'&') => match crate::lang::html::fold::reference(bytes.get(at..).unwrap_or_default()) {
            Some((40, length)) => After::Call(at + length - 1),
            _ => After::Other,
        },
        Some(b'\\') => {
            let rest = bytes.get(at..).unwrap_or_default();
            if rest.starts_with(b"\\x28") || rest.starts_with(b"\\50") {
                After::Call(at + 2)
            } else if rest.starts_with(b"\\u0028") {
                After::Call(at + 5)
            } else if rest.starts_with(b"\\`") {
                After::Template
            } else {
                After::Other
            }
        }
        Some(b'%') if bytes.get(at..).is_some_and(|rest| rest.starts_with(b"%28")) => After::Call(at + 2),
        _ => After::Other,
    }
}
