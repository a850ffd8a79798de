//! The scanner: every name in a value, what it is, what precedes and what follows it.

use memchr::memmem;

use super::page;
use super::place::{self, Standing};
use super::sign::JavascriptSign;
use super::sink::is_sink;
use super::word::continues_name;
use super::word::{self, After, Word};
use crate::language::Context;
use crate::prose;

/// Runs over `bytes`.
pub(super) fn conclude(bytes: &[u8], report: &mut impl FnMut(JavascriptSign, Context, usize)) {
    let broken = place::begins_broken(bytes);
    let mut at = 0;
    while at < bytes.len() {
        let Some(word) = word::word_at(bytes, at) else {
            at += 1;
            continue;
        };
        name(bytes, at, &word, broken, report);
        at = word.end;
    }
}

fn name(
    bytes: &[u8],
    at: usize,
    word: &Word,
    broken: bool,
    report: &mut impl FnMut(JavascriptSign, Context, usize),
) {
    if is_sink(word.as_bytes()) {
        sink(bytes, at, word, broken, report);
    } else if page::is_object(word.as_bytes()) {
        page::conclude(bytes, at, word, broken, report);
    } else if let Some(sign) = other(bytes, at, word, broken) {
        report(sign, Context::Code, at);
    }
}

/// Names that say something only in the right company.
fn other(bytes: &[u8], at: usize, word: &Word, broken: bool) -> Option<JavascriptSign> {
    let after = || word::after(bytes, word.end);
    let called = || matches!(after(), After::Call(_));
    match word.as_bytes() {
        b"call" | b"apply" | b"bind" | b"sort" | b"map" => (word::follows(bytes, at, b".")
            && after() == After::Template)
            .then_some(JavascriptSign::TaggedTemplate),
        // Common names: they count where the value has just broken out of a string.
        b"print" | b"open" | b"write" | b"close" | b"log" if broken => (called()
            && page::standing(bytes, at, broken) == Standing::Expression)
            .then_some(JavascriptSign::Call),
        // A value that is nothing but a line for the console.
        b"log" | b"dir" => {
            let first = word::first_name(bytes) + b"console.".len() == at;
            let console = first && bytes.get(..at).is_some_and(|head| head.ends_with(b"console."));
            let After::Call(open) = after() else { return None };
            let prose = place::prose_follows(bytes, open) || prose::is_sentence(bytes);
            (console && !prose).then_some(JavascriptSign::Call)
        }
        b"constructor" => {
            (word::is_member(bytes, at) && makes_code(bytes, word)).then_some(JavascriptSign::Detour)
        }
        // jQuery fetches a script and runs it.
        b"getScript" | b"globalEval" => {
            (word::is_member(bytes, at) && called() && place::standing(bytes, at, broken) != Standing::Prose)
                .then_some(JavascriptSign::Detour)
        }
        b"fromCharCode" | b"fromCodePoint" => (word::is_member(bytes, at)
            && matches!(after(), After::Call(_) | After::Member(_) | After::Template))
        .then_some(JavascriptSign::Detour),
        b"innerHTML" | b"outerHTML" | b"srcdoc" => {
            let After::Assign(value) = after() else { return None };
            let value = bytes.get(value..).unwrap_or_default();
            let markup = value.iter().take(word::AHEAD_BYTES_MAX).any(|&byte| byte == b'<');
            (word::is_member(bytes, at) && markup).then_some(JavascriptSign::Assignment)
        }
        b"ActiveXObject" | b"insertAdjacentHTML" | b"createContextualFragment" | b"XMLHttpRequest" => {
            (called() && place::standing(bytes, at, broken) != Standing::Prose)
                .then_some(JavascriptSign::Detour)
        }
        _ => None,
    }
}

/// A function that runs text: called, or handed over.
fn sink(
    bytes: &[u8],
    at: usize,
    word: &Word,
    broken: bool,
    report: &mut impl FnMut(JavascriptSign, Context, usize),
) {
    let name = word.as_bytes();
    let standing = page::standing(bytes, at, broken);
    let next = word::after(bytes, word.end);
    let call = match next {
        After::Call(open) => call_at(bytes, name, word.end, open),
        After::Template => Some(word.end),
        After::Member(member) => calls_through(bytes, member).then_some(word.end),
        _ => None,
    };
    if let Some(open) = call {
        let prose = standing == Standing::Prose
            || standing == Standing::Member
            || !broken
                && at == word::first_name(bytes)
                && (place::prose_follows(bytes, open) || prose::is_sentence(bytes));
        report(JavascriptSign::Call, Context::of_text(prose), at);
        return;
    }
    let handed = matches!(name, b"alert" | b"eval" | b"prompt" | b"confirm" | b"Function" | b"setTimeout");
    if handed && is_handed_over(bytes, at, word.end) {
        report(JavascriptSign::Handover, Context::Code, at);
    }
}

/// Offset of the call of `name` at the parenthesis `open`, unless it reads like a plural or an aside: `alert(s)`, `import (and …`.
fn call_at(bytes: &[u8], name: &[u8], end: usize, open: usize) -> Option<usize> {
    let inside = bytes.get(open + 1..).unwrap_or_default();
    if inside.is_empty() {
        return None;
    }
    if [&b"s)"[..], b"es)", b"ed)", b"S)"].iter().any(|plural| inside.starts_with(plural)) {
        return None;
    }
    let spaced = bytes.get(end..open).is_some_and(|gap| gap.contains(&b' ') && !gap.contains(&b'*'));
    if spaced || name == b"import" {
        let inside = inside.trim_ascii_start();
        let letters = inside.iter().take(32).take_while(|&&byte| continues_name(byte)).count();
        let word = inside.get(..letters).unwrap_or_default();
        let telling = page::is_object(word)
            || is_sink(word)
            || name != b"import" && word.iter().all(u8::is_ascii_digit);
        let quoted = letters == 0 && !matches!(inside.first(), Some(b' ' | b')'));
        return (quoted || telling).then_some(open);
    }
    Some(open)
}

/// `alert.call(…)`, `alert?.apply(…)`, `eval.bind(…)`.
fn calls_through(bytes: &[u8], member: usize) -> bool {
    let Some(word) = word::word_at(bytes, member) else { return false };
    matches!(word.as_bytes(), b"call" | b"apply" | b"bind")
        && matches!(word::after(bytes, word.end), After::Call(_) | After::Template)
}

/// Returns `true` if the function named at `at` is an argument or an assigned value by itself.
fn is_handed_over(bytes: &[u8], at: usize, end: usize) -> bool {
    let head = bytes.get(..at).unwrap_or_default();
    let Some((&last, outside)) = head.split_last() else { return false };
    let next = bytes.get(word::skip_gap(bytes, end)).copied();
    match last {
        // `[1].find(alert)`, `Reflect.apply(alert,…`
        b'(' => {
            matches!(next, Some(b')' | b',')) && outside.last().is_some_and(|&byte| continues_name(byte)) && {
                let letters = outside.iter().rev().take(24).take_while(|&&byte| continues_name(byte)).count();
                let (before, callee) = outside.split_at(outside.len() - letters);
                before.last() == Some(&b'.') || SCHEDULING.contains(&callee)
            }
        }
        // `{valueOf:alert}+1`
        b':' => {
            let converts = [&b"valueOf"[..], b"toString", b"then", b"handleEvent"];
            matches!(next, Some(b'}' | b',')) && converts.iter().any(|name| outside.ends_with(name))
        }
        // `Array.from([1],alert)`, `'a'.replace(/a/,alert)`
        b',' => next == Some(b')') && calls_back(outside),
        // `[alert][0](1)`, `` `${alert}` ``
        b'[' => {
            next == Some(b']') && {
                let behind = word::skip_gap(bytes, word::skip_gap(bytes, end) + 1);
                matches!(bytes.get(behind), Some(b'[' | b'.' | b'?'))
            }
        }
        b'{' => next == Some(b'}') && outside.last() == Some(&b'$'),
        // `onerror=eval;throw…`, `a=alert,a(1)`
        b'=' => {
            let letters = outside.iter().rev().take(20).take_while(|&&byte| continues_name(byte)).count();
            let target = outside.get(outside.len() - letters..).unwrap_or_default();
            let handler =
                target.get(..2).is_some_and(|start| start.eq_ignore_ascii_case(b"on")) && letters > 4;
            let tail = bytes.get(end..).unwrap_or_default();
            let tail = tail.get(..word::AHEAD_BYTES_MAX).unwrap_or(tail);
            let ends = matches!(next, None | Some(b',' | b';' | b'}' | b')'));
            let used = letters > 0
                && memmem::find(tail, target)
                    .is_some_and(|used| matches!(tail.get(used + target.len()), Some(b'(' | b'`' | b'.')));
            ends && (handler || used)
        }
        _ => false,
    }
}

/// Functions that call their argument later.
const SCHEDULING: &[&[u8]] =
    &[b"Promise", b"queueMicrotask", b"requestAnimationFrame", b"requestIdleCallback"];
/// Methods whose last argument is called.
const CALLING: &[&[u8]] = &[
    b"addEventListener",
    b"apply",
    b"from",
    b"replace",
    b"replaceAll",
    b"reduce",
    b"setTimeout",
    b"setInterval",
];

/// Returns `true` if the arguments at the end of `head` are those of a method that calls one of them.
fn calls_back(head: &[u8]) -> bool {
    let start = head.len().saturating_sub(word::AHEAD_BYTES_MAX);
    let near = head.get(start..).unwrap_or_default();
    CALLING.iter().any(|method| {
        memmem::rfind(near, method).is_some_and(|at| {
            let before = at.checked_sub(1).and_then(|before| near.get(before));
            let called = before == Some(&b'.')
                || method.starts_with(b"addE") && !before.is_some_and(|byte| continues_name(*byte));
            called && near.get(at + method.len()) == Some(&b'(')
        })
    })
}

/// Returns `true` if `constructor` is used to make code: `x.constructor('…')`, `x['constructor'](…)`.
fn makes_code(bytes: &[u8], word: &Word) -> bool {
    let named = bytes.get(word.end..).is_some_and(|rest| matches!(rest, [b'"' | b'\'' | b'`', b']', ..]));
    if named {
        return !matches!(word::after(bytes, word.end + 2), After::Other | After::Assign(_));
    }
    match word::after(bytes, word.end) {
        After::Call(open) => {
            let inside = bytes.get(open + 1..).unwrap_or_default().trim_ascii_start();
            matches!(inside.first(), Some(b'"' | b'\'' | b'`' | b'\\' | b'/') | None)
        }
        After::Template => true,
        After::Member(member) => word::word_at(bytes, member)
            .is_some_and(|next| matches!(next.as_bytes(), b"constructor" | b"prototype" | b"fromCharCode")),
        _ => false,
    }
}
