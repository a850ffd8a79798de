//! The page's objects: reaching for their members, naming a member by an expression, assigning addresses.

use memchr::memchr;

use super::place::{self, Standing};
use super::sign::JavascriptSign;
use super::sink::is_sink;
use super::word::continues_name;
use super::word::{self, After, Word};
use crate::language::Context;
use crate::prose;

/// Objects of the page, through which everything else is reached.
pub(super) fn is_object(name: &[u8]) -> bool {
    let lower = name.eq_ignore_ascii_case(b"document") || name.eq_ignore_ascii_case(b"window");
    lower
        || is_frame(name)
        || matches!(
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

/// Members that lead to a window or a document.
fn is_frame(name: &[u8]) -> bool {
    matches!(
        name,
        b"contentWindow"
            | b"contentDocument"
            | b"parentWindow"
            | b"defaultView"
            | b"ownerDocument"
            | b"console"
    )
}

/// Reports what the object named at `at` is used for.
pub(super) fn conclude(
    bytes: &[u8],
    at: usize,
    word: &Word,
    broken: bool,
    report: &mut impl FnMut(JavascriptSign, Context, usize),
) {
    let standing = standing(bytes, at, broken);
    let mut name = word.as_bytes();
    for known in [&b"document"[..], b"window"] {
        if name.eq_ignore_ascii_case(known) {
            name = known;
        }
    }
    // `(document)["cookie"]`
    let closing =
        bytes.get(word.end..).unwrap_or_default().iter().take_while(|&&byte| byte == b')').take(8).count();
    let opened = bytes.get(..at).is_some_and(|head| head.ends_with(b"("));
    let end = word.end + if opened { closing } else { 0 };
    match word::after(bytes, end) {
        After::Index(open) if is_computed(bytes, name, open) => {
            report(JavascriptSign::ComputedMember, Context::Code, at);
        }
        After::Member(member) => {
            let Some(member) = word::word_at(bytes, member) else { return };
            if is_telling(name, member.as_bytes()) {
                let first = !broken && at == word::first_name(bytes);
                let prose = standing == Standing::Prose
                    || standing == Standing::Member
                    || first
                        && (place::is_prose(bytes.get(member.end..).unwrap_or_default())
                            || prose::is_sentence(bytes));
                report(JavascriptSign::PageObject, Context::of_text(prose), at);
            }
            let address =
                member.as_bytes() == b"location" || name != b"document" && member.as_bytes() == b"href";
            let assigned = matches!(word::after(bytes, member.end), After::Assign(_));
            if address && assigned && standing == Standing::Expression {
                report(JavascriptSign::Assignment, Context::Code, at);
            }
        }
        After::Assign(value) if name == b"location" && standing != Standing::Prose => {
            let value = bytes.get(value..).unwrap_or_default().trim_ascii_start();
            if is_script_address(value) {
                report(JavascriptSign::Assignment, Context::Code, at);
            }
        }
        _ => {}
    }
}

/// Returns `true` if `value` begins with an address that runs script, or with what one is made of.
fn is_script_address(value: &[u8]) -> bool {
    let near = value.get(..word::AHEAD_BYTES_MAX).unwrap_or(value);
    // `/javascript:/.source`
    let pattern = near.first() == Some(&b'/') && memchr::memmem::find(near, b"/.source").is_some();
    pattern || [&b"name"[..], b"'java", b"\"java", b"`"].iter().any(|start| value.starts_with(start))
}

/// Members of the document that distinguish an attack.
const DOCUMENT: &[&[u8]] = &[
    b"cookie",
    b"domain",
    b"write",
    b"writeln",
    b"location",
    b"body",
    b"documentElement",
    b"URL",
    b"forms",
    b"querySelector",
    b"querySelectorAll",
    b"getElementById",
    b"getElementsByTagName",
    b"getElementsByClassName",
    b"createElement",
    b"appendChild",
    b"referrer",
    b"defaultView",
    b"implementation",
    b"scripts",
    b"execCommand",
    b"open",
    b"head",
    b"documentURI",
    b"baseURI",
    b"all",
];
/// Members of a window that do, whatever it is called.
const WINDOW: &[&[u8]] = &[
    b"document",
    b"alert",
    b"eval",
    b"prompt",
    b"confirm",
    b"onerror",
    b"localStorage",
    b"setTimeout",
    b"opener",
];

/// Returns `true` if the member of the page's object distinguishes an attack from ordinary words with a dot between them.
fn is_telling(root: &[u8], member: &[u8]) -> bool {
    match root {
        b"document" => DOCUMENT.contains(&member),
        b"window" => WINDOW.contains(&member) || matches!(member, b"location" | b"name" | b"open"),
        b"top" => WINDOW.contains(&member) || member == b"location",
        b"self" | b"parent" | b"frames" | b"globalThis" | b"opener" => WINDOW.contains(&member),
        b"location" => matches!(member, b"hash" | b"href" | b"replace" | b"assign" | b"search"),
        b"localStorage" | b"sessionStorage" => matches!(member, b"getItem" | b"setItem" | b"token"),
        b"navigator" => member == b"sendBeacon",
        b"navigation" => member == b"navigate",
        _ => false,
    }
}

/// Returns `true` if the index at `open` names a member by an expression, and the member is then used.
fn is_computed(bytes: &[u8], root: &[u8], open: usize) -> bool {
    let inside = bytes.get(open + 1..).unwrap_or_default();
    let inside = inside.get(..word::AHEAD_BYTES_MAX).unwrap_or(inside);
    let start = inside.trim_ascii_start();
    let telling = |byte: &u8| matches!(byte, b'+' | b'\\');
    let expression = matches!(start.first(), Some(b'"' | b'\'' | b'`' | b'/' | b'(' | b'\\'))
        || matches!(start, [b'[', b'"' | b'\'' | b'`', ..])
        || start.starts_with(b"atob");
    if !expression {
        // `self[Object.keys(self)[5]](1)`
        return memchr::memmem::find(inside, b"](")
            .and_then(|end| inside.get(..end))
            .is_some_and(|member| member.contains(&b'('));
    }
    if matches!(root, b"document" | b"window" | b"globalThis" | b"frames") {
        return true;
    }
    // `self['x']` and `this['x']` are ordinary code until the member is pieced together, dangerous or called.
    memchr(b']', inside).is_some_and(|end| {
        let member = inside.get(..end).unwrap_or_default();
        let quoted = member.split(|byte| matches!(byte, b'"' | b'\'' | b'`')).nth(1).unwrap_or_default();
        member.iter().any(telling)
            || is_sink(quoted)
            || matches!(quoted, b"document" | b"cookie" | b"location" | b"constructor")
            || matches!(
                word::after(bytes, open + 1 + end + 1),
                After::Call(_) | After::Template | After::Index(_)
            )
    })
}

/// The standing of a name, seen through `window.` and its like before it.
pub(super) fn standing(bytes: &[u8], at: usize, broken: bool) -> Standing {
    let standing = place::standing(bytes, at, broken);
    if standing != Standing::Member {
        return standing;
    }
    let head = bytes.get(..at).unwrap_or_default();
    let head = head.strip_suffix(b"?.").or_else(|| head.strip_suffix(b".")).unwrap_or(head);
    let letters = head.iter().rev().take(32).take_while(|&&byte| continues_name(byte)).count();
    let (outside, root) = head.split_at(head.len() - letters);
    // `frames[0].alert(1)`
    if is_frame(root) || root.is_empty() && head.ends_with(b"]") {
        return Standing::Expression;
    }
    if is_object(root) { place::standing(bytes, outside.len(), broken) } else { Standing::Member }
}
