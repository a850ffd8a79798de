//! Regular expressions as JSON Schema has them (ECMA-262), matched in linear time. What that cannot express (references
//! back, looking around inside of an expression) is an error, which the compiler turns into a warning.

use std::fmt::Write as _;

use regex::{Regex, RegexBuilder};
use waf_shared::limits::CONTRACT_PATTERN_BYTES_MAX;

/// Bytes of memory of a matcher's cache.
const CACHE_BYTES_MAX: usize = 1 << 20;

/// White space of ECMA-262.
const SPACE: &str =
    r"\t\n\x0B\x0C\r \u{A0}\u{1680}\u{2000}-\u{200A}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}\u{FEFF}";

/// A regular expression that is searched for.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// All of these have to match, or not to match.
    parts: Vec<(Regex, bool)>,
}

/// Reason why an expression cannot be matched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unmatchable {
    /// It needs a matcher that goes back.
    #[error("it looks around or refers back, which no matcher of linear time does")]
    Backtracks,
    /// It is too large, or no expression.
    #[error("it is too large or no regular expression")]
    Invalid,
}

impl Pattern {
    /// Translates and compiles `text`. Conditions that stand right behind a leading `^`, as in `^(?=.*[0-9]).{8,}$`,
    /// are expressions of their own.
    pub fn new(text: &str) -> Result<Pattern, Unmatchable> {
        let mut parts = Vec::new();
        let mut rest = text;
        if let Some(mut behind) = text.strip_prefix('^') {
            while let Some((inner, wanted, after)) = condition(behind) {
                parts.push((compile(&format!("^(?:{inner})"))?, wanted));
                behind = after;
            }
            if !parts.is_empty() {
                // An alternative would stand beside the conditions, not behind them.
                if has_alternative(behind) {
                    return Err(Unmatchable::Backtracks);
                }
                parts.push((compile(&format!("^{behind}"))?, true));
                rest = "";
            }
        }
        if parts.is_empty() {
            parts.push((compile(rest)?, true));
        }
        Ok(Pattern { parts })
    }

    /// True if it is found in `text`.
    pub fn is_match(&self, text: &str) -> bool {
        self.parts.iter().all(|(regex, wanted)| regex.is_match(text) == *wanted)
    }
}

fn compile(text: &str) -> Result<Regex, Unmatchable> {
    let translated = translate(text)?;
    RegexBuilder::new(&translated)
        .size_limit(CONTRACT_PATTERN_BYTES_MAX)
        .dfa_size_limit(CACHE_BYTES_MAX)
        .nest_limit(100)
        .build()
        .map_err(|_| Unmatchable::Invalid)
}

/// A condition at the front: what it looks for, whether that has to be there, and what follows.
fn condition(text: &str) -> Option<(&str, bool, &str)> {
    let (inner, wanted) = match (text.strip_prefix("(?="), text.strip_prefix("(?!")) {
        (Some(inner), _) => (inner, true),
        (_, Some(inner)) => (inner, false),
        _ => return None,
    };
    let (end, _) = walk(inner).find(|(_, depth)| *depth < 0)?;
    Some((inner.get(..end)?, wanted, inner.get(end + 1..)?))
}

fn has_alternative(text: &str) -> bool {
    walk(text).any(|(at, depth)| depth == 0 && text.as_bytes().get(at) == Some(&b'|'))
}

/// Every byte of an expression outside of classes and escapes, with the depth of groups behind it.
fn walk(text: &str) -> impl Iterator<Item = (usize, i32)> + '_ {
    let (mut depth, mut in_class, mut is_escaped) = (0, false, false);
    text.bytes().enumerate().filter_map(move |(at, byte)| {
        if std::mem::take(&mut is_escaped) {
            return None;
        }
        match byte {
            b'\\' => is_escaped = true,
            b']' => in_class = false,
            _ if in_class => {}
            b'[' => in_class = true,
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        (!in_class && !is_escaped).then_some((at, depth))
    })
}

/// State behind a quantifier: ECMA-262 has none behind another, but for the `?` that makes it lazy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repeats {
    No,
    Greedy,
    Lazy,
}

impl Repeats {
    /// A quantifier begins.
    fn begin(self) -> Result<Repeats, Unmatchable> {
        if self == Repeats::No { Ok(Repeats::Greedy) } else { Err(Unmatchable::Invalid) }
    }
}

/// The same expression in the syntax of the `regex` crate.
fn translate(text: &str) -> Result<String, Unmatchable> {
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    let mut in_class = false;
    let mut repeats = Repeats::No;
    while let Some(character) = rest.chars().next() {
        let tail = rest.get(character.len_utf8()..).unwrap_or_default();
        rest = tail;
        let repeated = std::mem::replace(&mut repeats, Repeats::No);
        match character {
            '\\' => rest = escape(tail, in_class, &mut out)?,
            _ if in_class => in_class = class_member(character, tail, &mut out),
            '[' => (in_class, rest) = open_class(tail, &mut out),
            '?' | '*' | '+' | '{' => (repeats, rest) = quantifier(character, tail, repeated, &mut out)?,
            '.' => out.push_str(r"[^\n\r\u{2028}\u{2029}]"),
            '(' if tail.starts_with('?') => group(tail, &mut out)?,
            _ => out.push(character),
        }
    }
    Ok(out)
}

/// Translates a character of a class; `false` where the class ends.
fn class_member(character: char, tail: &str, out: &mut String) -> bool {
    match character {
        ']' => out.push(']'),
        '[' | '&' | '~' => out.extend(['\\', character]),
        '-' if tail.starts_with('-') => out.push_str(r"\-"),
        _ => out.push(character),
    }
    character != ']'
}

/// Translates a quantifier, or a brace that is none: how what stands before is repeated from here on, and the rest.
fn quantifier<'t>(
    character: char,
    tail: &'t str,
    repeated: Repeats,
    out: &mut String,
) -> Result<(Repeats, &'t str), Unmatchable> {
    match character {
        '?' if repeated == Repeats::Greedy => {
            out.push('?');
            Ok((Repeats::Lazy, tail))
        }
        '{' if is_quantifier(tail) => {
            let (bounds, after) = tail.split_once('}').ok_or(Unmatchable::Invalid)?;
            out.extend(["{", bounds, "}"]);
            Ok((repeated.begin()?, after))
        }
        '{' => {
            out.push_str(r"\{");
            Ok((Repeats::No, tail))
        }
        _ => {
            out.push(character);
            Ok((repeated.begin()?, tail))
        }
    }
}

/// Translates what follows the `[` of a class: whether the class is still open, and the rest. ECMA-262 knows empty
/// classes:
/// `[]` matches nothing, `[^]` everything.
fn open_class<'t>(tail: &'t str, out: &mut String) -> (bool, &'t str) {
    if let Some(after) = tail.strip_prefix("^]") {
        out.push_str(r"[\s\S]");
        return (false, after);
    }
    if let Some(after) = tail.strip_prefix(']') {
        out.push_str(r"[^\x00-\u{10FFFF}]");
        return (false, after);
    }
    out.push('[');
    let after = tail.strip_prefix('^').inspect(|_| out.push('^'));
    (true, after.unwrap_or(tail))
}

fn group(tail: &str, out: &mut String) -> Result<(), Unmatchable> {
    if ["?=", "?!", "?<=", "?<!"].iter().any(|look| tail.starts_with(look)) {
        return Err(Unmatchable::Backtracks);
    }
    // `(?:` and `(?<name>` are written alike; flags are not ECMA-262.
    if !tail.starts_with("?:") && !tail.starts_with("?<") {
        return Err(Unmatchable::Invalid);
    }
    out.push('(');
    Ok(())
}

/// True if `{` is followed by what makes it a quantifier.
fn is_quantifier(tail: &str) -> bool {
    let Some((inside, _)) = tail.split_once('}') else { return false };
    let (from, to) = inside.split_once(',').unwrap_or((inside, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    !from.is_empty() && all_digits(from) && all_digits(to)
}

/// Translates what follows a backslash, and returns what follows that.
fn escape<'t>(tail: &'t str, in_class: bool, out: &mut String) -> Result<&'t str, Unmatchable> {
    let character = tail.chars().next().ok_or(Unmatchable::Invalid)?;
    let rest = tail.get(character.len_utf8()..).unwrap_or_default();
    match character {
        'd' | 'D' => class("0-9", character == 'D', in_class, out),
        'w' | 'W' => class("0-9A-Za-z_", character == 'W', in_class, out),
        's' | 'S' => class(SPACE, character == 'S', in_class, out),
        'b' if in_class => out.push_str(r"\x08"),
        'b' => out.push_str(r"(?-u:\b)"),
        'B' => return Err(Unmatchable::Invalid),
        '0' => out.push_str(r"\x00"),
        '1'..='9' | 'k' => return Err(Unmatchable::Backtracks),
        't' | 'n' | 'r' | 'v' | 'f' => out.extend(['\\', character]),
        'p' | 'P' => {
            let inside = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
            let (name, after) = inside.ok_or(Unmatchable::Invalid)?;
            let name = name.strip_prefix("Script=").or(name.strip_prefix("sc=")).unwrap_or(name);
            let name = name.strip_prefix("General_Category=").or(name.strip_prefix("gc=")).unwrap_or(name);
            out.extend(['\\', character, '{']);
            out.push_str(name);
            out.push('}');
            return Ok(after);
        }
        'c' => {
            let letter = rest.bytes().next().filter(u8::is_ascii_alphabetic).ok_or(Unmatchable::Invalid)?;
            push_code(u32::from(letter & 31), out)?;
            return Ok(rest.get(1..).unwrap_or_default());
        }
        'x' => return code(rest, 2, out),
        'u' => match rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
            Some((digits, after)) => {
                push_code(u32::from_str_radix(digits, 16).map_err(|_| Unmatchable::Invalid)?, out)?;
                return Ok(after);
            }
            None => return code(rest, 4, out),
        },
        // Anything else stands for itself.
        other => push_code(u32::from(other), out)?,
    }
    Ok(rest)
}

/// Writes a class of characters, `negated` or not.
fn class(inside: &str, negated: bool, in_class: bool, out: &mut String) {
    match (in_class, negated) {
        // A class in a class is its union; a negated one gets brackets of its own.
        (true, false) => out.push_str(inside),
        (_, negated) => {
            out.push_str(if negated { "[^" } else { "[" });
            out.push_str(inside);
            out.push(']');
        }
    }
}

fn code<'t>(rest: &'t str, length: usize, out: &mut String) -> Result<&'t str, Unmatchable> {
    let digits = rest.get(..length).ok_or(Unmatchable::Invalid)?;
    let mut value = u32::from_str_radix(digits, 16).map_err(|_| Unmatchable::Invalid)?;
    let mut rest = rest.get(length..).unwrap_or_default();
    // Two halves of one character.
    if (0xd800..0xdc00).contains(&value)
        && let Some(low) = rest.strip_prefix("\\u").and_then(|low| low.get(..4))
        && let Ok(low) = u32::from_str_radix(low, 16)
        && (0xdc00..0xe000).contains(&low)
    {
        value = 0x1_0000 + ((value - 0xd800) << 10) + (low - 0xdc00);
        rest = rest.get(6..).unwrap_or_default();
    }
    push_code(value, out)?;
    Ok(rest)
}

fn push_code(value: u32, out: &mut String) -> Result<(), Unmatchable> {
    char::from_u32(value).ok_or(Unmatchable::Invalid)?;
    write!(out, "\\u{{{value:X}}}").map_err(|_| Unmatchable::Invalid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_mean_what_they_mean_in_javascript() {
        for (pattern, yes, no) in [
            (r"^\d+$", "12", "1٢"),
            (r"^[\w.-]+$", "a-b.c_", "a b"),
            (r"^[^\s]+$", "ab", "a\u{a0}b"),
            (r"^\S+$", "ab", "a\u{2003}b"),
            (r"^.$", "ä", "\r"),
            (r"b", "abc", "ac"),
            (r"^(a|b)$", "b", "ab"),
            (r"^[[&&a]+$", "[&a", "b"),
            (r"^[]a]$", "", ""),
            (r"^{id}$", "{id}", "id"),
            (r"^a{2,3}$", "aaa", "a"),
            (r"^a+?b??c*?[*+?]$", "aac+", "aacd"),
            (r"^\/x\-y\_$", "/x-y_", "x"),
            (r"^\u0041\x42$", "AB", "ab"),
            (r"^\uD83D\uDE00$", "😀", "x"),
            (r"^\p{L}+$", "äß", "a1"),
            (r"^\p{Script=Greek}+$", "αβ", "ab"),
            (r"\bcat\b", "a cat", "concat"),
            (r"^(?=.*[A-Z])(?=.*\d)(?!.*\s).{4,}$", "Abc1", "abc1"),
            (r"^(?=.*[A-Z])(?=.*\d)(?!.*\s).{4,}$", "aB2c", "aB 2c"),
            (r"^(?!admin$)[a-z]+$", "admins", "admin"),
            (r"^(?:https?):$", "http:", "ftp:"),
            (r"^(?<year>\d{4})$", "2026", "26"),
            (r"^[a\-z]$", "-", "b"),
            (r"^\$ref$", "$ref", "ref"),
            (r"^[^]$", "\n", ""),
        ] {
            let compiled = Pattern::new(pattern);
            if yes.is_empty() {
                assert!(!compiled.expect(pattern).is_match("]a"), "{pattern}");
                continue;
            }
            let compiled = compiled.unwrap_or_else(|error| panic!("{pattern}: {error}"));
            assert!(compiled.is_match(yes), "{pattern} {yes}");
            assert!(!compiled.is_match(no), "{pattern} {no}");
        }
    }

    #[test]
    fn what_cannot_be_matched_is_told_apart() {
        for pattern in [r"(a)\1", r"a(?=b)", r"(?<!a)b", r"^(?=a)b|c", r"\k<x>"] {
            assert_eq!(Pattern::new(pattern).expect_err(pattern), Unmatchable::Backtracks, "{pattern}");
        }
        for pattern in
            ["(", "[", "a**", "a+?*", "a{2}{3}", "a???", r"\u{110000}", "(?i)a", r"a{1000000}", r"\"]
        {
            assert_eq!(Pattern::new(pattern).expect_err(pattern), Unmatchable::Invalid, "{pattern}");
        }
    }
}
