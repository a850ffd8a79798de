//! Keys and paths that lead to the prototype of all JavaScript objects.

use super::name::is_name;

/// Whether a key by itself pollutes when it is merged or set: `__proto__`, `__proto__[x]`, `a.constructor.prototype.x`.
pub fn is_polluting_key(key: &[u8]) -> bool {
    let key = key.trim_ascii();
    key == b"__proto__" || path(key).is_some()
}

/// The first path through a prototype, as a query, a form or a document in a string writes it.
pub(super) fn path(bytes: &[u8]) -> Option<(usize, usize)> {
    memchr::memmem::find_iter(bytes, b"__proto__")
        .find(|&at| is_path(bytes, at))
        .map(|at| (at, 9))
        .or_else(|| memchr::memmem::find_iter(bytes, b"constructor").find_map(|at| constructor(bytes, at)))
}

/// `__proto__[x]`, `__proto__.x`, `[__proto__]`, `"__proto__":`, where a key begins.
fn is_path(bytes: &[u8], at: usize) -> bool {
    let tail = bytes.get(at + 9..).unwrap_or_default();
    let before = at.checked_sub(1).and_then(|before| bytes.get(before)).copied();
    match (before, tail) {
        (Some(b'['), [b']', ..]) => assigns(tail.get(1..).unwrap_or_default()),
        (Some(b'"' | b'\''), [b'"' | b'\'', tail @ ..]) => {
            matches!(tail.trim_ascii_start(), [b':', ..] | [b']', b'=' | b'[' | b'.', ..])
        }
        (None | Some(b'?' | b'&' | b'#' | b';' | b'"' | b'\'' | b'{' | b',' | b'='), [b'[' | b'.', ..]) => {
            assigns(tail) || before.is_none() || matches!(before, Some(b'"' | b'\''))
        }
        (Some(b'.'), [b'.' | b'[', ..]) => assigns(tail) && !spaced(bytes),
        _ => false,
    }
}

/// Whether brackets and dots lead to a `=` without a blank, or to the end.
fn assigns(tail: &[u8]) -> bool {
    let length = tail
        .iter()
        .take(128)
        .take_while(|byte| is_name(**byte) || matches!(byte, b'.' | b'[' | b']' | b'-' | b'"' | b'\''))
        .count();
    length > 0 && matches!(tail.get(length), None | Some(b'=' | b'&' | b':'))
}

/// Code has blanks around its operators, keys have none.
fn spaced(bytes: &[u8]) -> bool {
    bytes.contains(&b' ')
}

/// `constructor.prototype.x`, `constructor[prototype][x]`, `"constructor":{"prototype":`.
fn constructor(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let tail = bytes.get(at + 11..)?;
    let mut rest = tail;
    let mut marks = 0;
    while let Some((mark, after)) = rest.split_first() {
        if !matches!(mark, b'.' | b'[' | b']' | b'"' | b'\'' | b':' | b'{' | b' ') || marks > 8 {
            break;
        }
        (rest, marks) = (after, marks + 1);
    }
    let after = rest.strip_prefix(b"prototype")?;
    let separated = tail.iter().take(marks).any(|mark| matches!(mark, b'.' | b'[' | b':'));
    let before = at.checked_sub(1).and_then(|before| bytes.get(before)).copied();
    let key = matches!(before, None | Some(b'?' | b'&' | b'#' | b';' | b'"' | b'\'' | b'[' | b'{' | b'.'));
    let leads = assigns(after) && !spaced(bytes) || matches!(after, [b'"', ..]) && marks > 2;
    (key && separated && leads).then_some((at, bytes.len() - after.len() - at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_from_code_and_text() {
        for (value, polluting) in [
            ("__proto__[test]", true),
            ("__proto__.test", true),
            ("a[__proto__][b]", true),
            ("a.__proto__.b", true),
            ("constructor.prototype.test", true),
            ("constructor[prototype][test]", true),
            ("user[constructor][prototype][admin]", true),
            ("https://x.example/#a=b&__proto__[admin]=1", true),
            ("{\"__proto__.name\":\"test\"}", true),
            ("{\"__proto__\":{\"a\":1}}", true),
            ("{\"constructor\":{\"prototype\":{\"a\":1}}}", true),
            ("a.__proto__.b = 1", false),
            ("what is __proto__ for?", false),
            ("the constructor.prototype property", false),
            ("constructor", false),
            ("constructor.name", false),
            ("proto", false),
        ] {
            assert_eq!(path(value.as_bytes()).is_some(), polluting, "{value}");
        }
        assert!(is_polluting_key(b"__proto__"));
    }
}
