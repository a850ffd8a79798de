//! Markup in character sets that a browser may be talked into: UTF-7, and US-ASCII with the eighth bit set.

use memchr::{memchr_iter, memchr2_iter};

use crate::language::{Context, Findings, Input, Language};

/// Letters of a name between two such brackets; shorter ones come about in other bytes by chance.
const NAME_LETTERS_MIN: usize = 3;

/// A character set that markup hides in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CharsetSign {
    /// UTF-7.
    Utf7,
    /// US-ASCII with the eighth bit set.
    UsAscii,
}

/// Markup in other character sets.
#[derive(Debug)]
pub struct Charset;

impl Language for Charset {
    type Sign = CharsetSign;
    const NAME: &'static str = "charset";
    const TRIGGERS: &'static [&'static str] =
        &["\u{bc}", "adw-", "ad4-", "aci-", "\\xbc", "u003c", "\\x3c", "\\74"];

    fn scan(input: &Input<'_>, findings: &mut Findings<'_, CharsetSign>) {
        let bytes = input.bytes;
        if let Some(offset) = utf7(bytes) {
            findings.add_line(CharsetSign::Utf7, Context::Code, bytes, offset);
        }
        if let Some(offset) = us_ascii(bytes) {
            findings.add_line(CharsetSign::UsAscii, Context::Code, bytes, offset);
        }
    }
}

/// Offset of markup that UTF-7 spells. `+` may have become a space on the way.
fn utf7(bytes: &[u8]) -> Option<usize> {
    let mut last = None;
    for at in memchr2_iter(b'A', b'a', bytes) {
        let Some(code) = bytes.get(at..at + 4) else { break };
        if !matches!(at.checked_sub(1).and_then(|before| bytes.get(before)), None | Some(b'+' | b' '))
            || code.get(3) != Some(&b'-')
        {
            continue;
        }
        // `<`, `>`, `"`, `'`, `=`, `(`: the codes of markup.
        if !matches!(code, b"ADw-" | b"AD4-" | b"ACI-" | b"ACc-" | b"AD0-" | b"ACg-" | b"ADx-" | b"ADs-") {
            continue;
        }
        let after = bytes.get(at + 4..).unwrap_or_default();
        let tag =
            code == b"ADw-" && after.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'/');
        // One half in each character set.
        let from = at.saturating_sub(64);
        let mixed = code == b"AD4-" && bytes.get(from..at).is_some_and(|before| before.contains(&b'<'));
        if tag || mixed || last.is_some_and(|before| at - before < 256) {
            return Some(at);
        }
        last = Some(at);
    }
    None
}

/// Offset of a tag that bytes with the eighth bit set spell in US-ASCII (0xBC and 0xBE for the angle brackets), raw or as an escape.
fn us_ascii(bytes: &[u8]) -> Option<usize> {
    memchr_iter(0xbc, bytes)
        .filter(|&at| !is_inside_utf8(bytes, at))
        .map(|at| (at, at + 1))
        .chain(escaped(bytes))
        .find(|&(_, name)| {
            let name = bytes.get(name..).unwrap_or_default();
            let name = name.strip_prefix(b"/").unwrap_or(name);
            let letters = name.iter().take(24).take_while(|byte| byte.is_ascii_alphanumeric()).count();
            let tail = name.get(letters..).unwrap_or_default();
            let tail = tail.get(..256).unwrap_or(tail);
            let closes = tail.first() == Some(&0xbe)
                || tail.starts_with(b"\xc2\xbe")
                || starts_with_ignore_case(tail, b"\\xbe");
            closes && letters >= NAME_LETTERS_MIN || letters >= 1 && is_attribute(tail)
        })
        .map(|(at, _)| at)
}

/// Returns `true` if white space, the name of an attribute and `=` follow the name of a tag.
fn is_attribute(tail: &[u8]) -> bool {
    let name = tail.trim_ascii_start();
    let letters = name.iter().take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'-').count();
    let behind = name.get(letters..).unwrap_or_default().trim_ascii_start();
    name.len() < tail.len() && letters > 0 && behind.first() == Some(&b'=')
}

/// Returns `true` if the byte continues a UTF-8 character other than U+00BC.
fn is_inside_utf8(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| bytes.get(before)).copied().unwrap_or_default();
    if before == 0xc2 {
        // "¼ cup" is honest; "¼script¾" is not, and the caller looks for the closing bracket.
        return false;
    }
    before >= 0x80
}

/// `\xbc` written out.
fn escaped(bytes: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    memchr_iter(b'\\', bytes)
        .filter(|&at| starts_with_ignore_case(bytes.get(at..).unwrap_or_default(), b"\\xbc"))
        .filter(|&at| {
            // Behind another escape it is the second byte of a character.
            let before = at.checked_sub(4).and_then(|before| bytes.get(before..at)).unwrap_or_default();
            !(before.starts_with(b"\\x") || before.starts_with(b"\\X"))
        })
        .map(|at| (at, at + 4))
}

fn starts_with_ignore_case(bytes: &[u8], prefix: &[u8]) -> bool {
    bytes.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_old_character_sets_is_seen() {
        for text in [&b"+ADw-script+AD4-alert(1)"[..], b"ADw-img src=1 AD4-", b"x +ACI- onload=+ACI-a"] {
            assert!(utf7(text).is_some(), "{}", String::from_utf8_lossy(text));
        }
        for text in [&b"AD4-board"[..], b"model AAD4-x", b"+ADw", b"a+b-c"] {
            assert!(utf7(text).is_none(), "{}", String::from_utf8_lossy(text));
        }
        for text in [&b"\xbcscript\xbealert(1)"[..], b"\\xbctest\\xbetest", "¼/script¾".as_bytes()] {
            assert!(us_ascii(text).is_some(), "{}", String::from_utf8_lossy(text));
        }
        for text in ["мscriptо", "1¼cup and ¾ spoon", "\\xd0\\xbcscript\\xd0\\xbe", "¼ cup"] {
            assert!(us_ascii(text.as_bytes()).is_none(), "{text}");
        }
    }
}
