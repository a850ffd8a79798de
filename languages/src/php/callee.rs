//! What stands before an opening parenthesis, read backwards: the callee, if PHP would call it. Every step back is
//! bounded, so that a value of nothing but brackets costs no more than any other.

use super::bytes::is_name;
use super::names;
use names::Function;

/// Bytes of white space and comment between a callee and its parenthesis.
const GAP_BYTES_MAX: usize = 96;
/// Bytes of an expression in a callee's place.
const EXPRESSION_BYTES_MAX: usize = 160;
/// Indices behind a callee, pieces of a concatenation, gaps in a row.
const STEPS_MAX: usize = 6;
/// Longest folded name.
const FOLDED_BYTES_MAX: usize = 32;

/// What lies between a callee and its parenthesis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    None,
    Space,
    /// A comment that ends with its line.
    LineComment,
    Comment,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A plain name, from the offset to the callee's end.
    Name { from: usize, to: usize },
    /// A variable, perhaps with indices.
    Variable,
    /// A variable in parentheses.
    Parenthesized,
    /// An expression that comes to a function's name; whether it holds a string.
    Folded(Function, bool),
    /// An index of something in parentheses.
    Indexed,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Callee {
    pub(super) kind: Kind,
    /// Where it begins, with the object or class that it is taken from.
    pub(super) start: usize,
    pub(super) gap: Gap,
    /// Whether it is a member of something: `a.b(`, `a->b(`, `A::b(`.
    pub(super) member: bool,
}

/// The callee before the parenthesis at `paren`.
pub(super) fn before(bytes: &[u8], paren: usize) -> Option<Callee> {
    let (mut at, gap) = skip_back(bytes, paren);
    let mut indexed = false;
    for _ in 0..STEPS_MAX {
        let (open, close) = match last(bytes, at)? {
            b']' => (b'[', b']'),
            b'}' => (b'{', b'}'),
            _ => break,
        };
        let from = matching(bytes, at, open, close)?;
        let (base, _) = skip_back(bytes, from);
        match last(bytes, base) {
            Some(b'$') if open == b'{' => {
                let told = bytes.get(from + 1..at - 1).unwrap_or_default().trim_ascii_start();
                let quoted = matches!(told.first(), Some(b'\'' | b'"' | b'@' | b'$'));
                return quoted.then_some(Callee {
                    kind: Kind::Variable,
                    start: base - 1,
                    gap,
                    member: false,
                });
            }
            Some(byte) if is_name(byte) || matches!(byte, b']' | b'}' | b')') => {
                indexed = true;
                at = base;
            }
            _ if indexed || open == b'{' => return folded(bytes, from, at, gap),
            _ => return None,
        }
    }
    match last(bytes, at)? {
        byte if is_name(byte) => named(bytes, at, gap, indexed),
        b')' => parenthesized(bytes, at, gap, indexed),
        b'\'' | b'"' => quoted(bytes, at, gap),
        _ => None,
    }
}

/// A name or a variable that ends at `to`.
fn named(bytes: &[u8], to: usize, gap: Gap, indexed: bool) -> Option<Callee> {
    let window = bytes.get(to.saturating_sub(EXPRESSION_BYTES_MAX)..to)?;
    let length = window.iter().rev().take_while(|byte| is_name(**byte)).count();
    let from = to - length;
    if bytes.get(from)?.is_ascii_digit() {
        return None;
    }
    let variable = last(bytes, from) == Some(b'$');
    let start = chain_start(bytes, from);
    let head = bytes.get(..from).unwrap_or_default();
    let member = head.ends_with(b"->") || head.ends_with(b"::") || is_member_by_dot(head);
    let kind = match (variable, indexed) {
        (true, _) => Kind::Variable,
        (false, false) => Kind::Name { from, to },
        (false, true) => return None,
    };
    Some(Callee { kind, start, gap, member })
}

/// `a.b(`: in PHP a dot joins strings, and what stands before it then is the end of one.
fn is_member_by_dot(head: &[u8]) -> bool {
    head.strip_suffix(b".")
        .and_then(<[u8]>::last)
        .is_some_and(|byte| is_name(*byte) || matches!(byte, b')' | b']'))
}

/// An expression in parentheses that ends at `to`.
fn parenthesized(bytes: &[u8], to: usize, gap: Gap, indexed: bool) -> Option<Callee> {
    let from = matching(bytes, to, b'(', b')')?;
    // Directly behind a name these are the arguments of another call.
    if last(bytes, from).is_some_and(|byte| is_name(byte) || matches!(byte, b']' | b')' | b'>')) {
        return None;
    }
    let told = bytes.get(from + 1..to - 1)?.trim_ascii();
    let name = told.strip_prefix(b"$").unwrap_or_default();
    if !name.is_empty() && name.iter().all(|byte| is_name(*byte)) && !name.iter().all(u8::is_ascii_digit) {
        return Some(Callee { kind: Kind::Parenthesized, start: from, gap, member: false });
    }
    folded(bytes, from, to, gap)
        .or_else(|| indexed.then_some(Callee { kind: Kind::Indexed, start: from, gap, member: false }))
}

/// A concatenation of strings whose last one ends at `to`.
fn quoted(bytes: &[u8], to: usize, gap: Gap) -> Option<Callee> {
    let mut from = to;
    for _ in 0..STEPS_MAX {
        let quote = last(bytes, from)?;
        let window = bytes.get(from.saturating_sub(EXPRESSION_BYTES_MAX)..from - 1)?;
        let open = memchr::memrchr(quote, window)?;
        from = from - 1 - (window.len() - open);
        let (dot, _) = skip_back(bytes, from);
        if last(bytes, dot) != Some(b'.') {
            break;
        }
        let (end, _) = skip_back(bytes, dot - 1);
        match last(bytes, end) {
            Some(b'\'' | b'"') => from = end,
            _ => break,
        }
    }
    folded(bytes, from, to, gap)
}

/// The function that an expression of names, strings, dots and brackets comes to.
fn folded(bytes: &[u8], from: usize, to: usize, gap: Gap) -> Option<Callee> {
    let mut name = [0; FOLDED_BYTES_MAX];
    let mut length = 0;
    let mut quoted = false;
    let mut rest = bytes.get(from..to)?;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            _ if is_name(byte) => {
                *name.get_mut(length)? = byte;
                length += 1;
            }
            b'\'' | b'"' => quoted = true,
            b'.' | b'[' | b']' | b'(' | b')' | b'{' | b'}' | b' ' | b'\t' | b'\r' | b'\n' => {}
            b'/' if after.first() == Some(&b'*') => {
                let end = memchr::memmem::find(after, b"*/")?;
                rest = after.get(end + 2..)?;
            }
            _ => return None,
        }
    }
    let name = name.get(..length)?;
    // What picks a piece out of an array is digits.
    let end = name.iter().rposition(|byte| !byte.is_ascii_digit())? + 1;
    let whole = names::function(name).map(|function| (name, function));
    let (name, function) =
        whole.or_else(|| name.get(..end).and_then(|name| Some((name, names::function(name)?))))?;
    let harmless = match function {
        Function::Other | Function::Shows | Function::Includes => true,
        Function::English => {
            let runs = name.eq_ignore_ascii_case(b"system") || name.eq_ignore_ascii_case(b"assert");
            !(runs || quoted && gap == Gap::None)
        }
        Function::Dangerous | Function::Specific | Function::Shared => false,
    };
    (!harmless).then_some(Callee { kind: Kind::Folded(function, quoted), start: from, gap, member: false })
}

/// Goes back over white space and comments.
fn skip_back(bytes: &[u8], from: usize) -> (usize, Gap) {
    let floor = from.saturating_sub(GAP_BYTES_MAX);
    let (mut at, mut gap) = (from, Gap::None);
    for _ in 0..STEPS_MAX {
        let window = bytes.get(floor..at).unwrap_or_default();
        let spaces =
            window.iter().rev().take_while(|byte| byte.is_ascii_whitespace() || **byte == 0x0b).count();
        let (rest, space) = window.split_at_checked(window.len() - spaces).unwrap_or_default();
        at -= spaces;
        if spaces > 0 {
            gap = gap.max(Gap::Space);
        }
        let comment = if rest.ends_with(b"*/") {
            let body = rest.get(..rest.len() - 2).unwrap_or_default();
            memchr::memmem::rfind(body, b"/*").map(|open| (open, Gap::Comment))
        } else if space.contains(&b'\n') {
            let line = memchr::memrchr(b'\n', rest).map_or(0, |end| end + 1);
            line_comment(rest.get(line..).unwrap_or_default()).map(|open| (line + open, Gap::LineComment))
        } else {
            None
        };
        let Some((open, kind)) = comment else { break };
        at = floor + open;
        gap = gap.max(kind);
    }
    (at, gap)
}

fn line_comment(line: &[u8]) -> Option<usize> {
    let hash = memchr::memchr(b'#', line);
    let slashes = memchr::memmem::find(line, b"//");
    [hash, slashes].into_iter().flatten().min()
}

/// Where the bracket that closes just before `to` was opened.
fn matching(bytes: &[u8], to: usize, open: u8, close: u8) -> Option<usize> {
    let floor = to.saturating_sub(EXPRESSION_BYTES_MAX);
    let mut depth = 0_usize;
    for (at, &byte) in bytes.get(floor..to)?.iter().enumerate().rev() {
        if byte == close {
            depth += 1;
        } else if byte == open {
            depth -= 1;
            if depth == 0 {
                return Some(floor + at);
            }
        }
    }
    None
}

/// Where the chain of names begins that leads to the name at `from`.
fn chain_start(bytes: &[u8], from: usize) -> usize {
    let floor = from.saturating_sub(EXPRESSION_BYTES_MAX);
    let mut at = from;
    while at > floor {
        let head = bytes.get(floor..at).unwrap_or_default();
        at -= match head {
            [.., b'-', b'>'] | [.., b':', b':'] => 2,
            [.., byte] if is_name(*byte) || matches!(byte, b'$' | b'\\' | b'@') => 1,
            _ => break,
        };
    }
    at
}

fn last(bytes: &[u8], end: usize) -> Option<u8> {
    bytes.get(end.checked_sub(1)?).copied()
}
