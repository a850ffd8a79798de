//! Loops whose condition is a constant that is true. Conditions are evaluated, not listed.

use super::name::{begins_name, is_name};

/// Bytes of a condition; a constant is short.
const CONDITION_BYTES_MAX: usize = 64;
/// Loops that are looked at.
const LOOPS_MAX: usize = 64;

/// The first endless loop: where it stands, and how long its head is.
pub(super) fn endless_loop(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut at = 0;
    for _ in 0..LOOPS_MAX {
        let rest = bytes.get(at..)?;
        let (keyword, offset) = keyword(rest)?;
        let start = at + offset;
        at = start + keyword.len();
        let after = bytes.get(at..)?.trim_ascii_start();
        let Some(inside) = after.strip_prefix(b"(").filter(|_| begins_name(bytes, start)) else { continue };
        let inside = inside.get(..CONDITION_BYTES_MAX).unwrap_or(inside);
        let Some(condition) = closing(inside).and_then(|end| inside.get(..end)) else { continue };
        if is_endless(keyword, condition) {
            return Some((start, bytes.len() - after.len() + condition.len() + 2 - start));
        }
    }
    None
}

/// The next `while` or `for` and where it stands.
fn keyword(rest: &[u8]) -> Option<(&'static [u8], usize)> {
    rest.iter().enumerate().find_map(|(at, byte)| {
        let tail = rest.get(at..)?;
        let starts = |word: &'static [u8]| {
            tail.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)).then_some((word, at))
        };
        match byte {
            b'w' | b'W' => starts(b"while"),
            b'f' | b'F' => starts(b"for"),
            _ => None,
        }
    })
}

fn is_endless(keyword: &[u8], condition: &[u8]) -> bool {
    if keyword == b"while" {
        return truth(condition) == Some(true);
    }
    let mut parts = condition.split(|byte| *byte == b';');
    let (Some(_), Some(middle), Some(_), None) = (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let middle = middle.trim_ascii();
    middle.is_empty() || truth(middle) == Some(true)
}

/// Where the parenthesis closes.
fn closing(inside: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    inside.iter().position(|byte| {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 0 => return true,
            b')' => depth -= 1,
            _ => {}
        }
        false
    })
}

/// Whether a constant expression is true; `None` when it is no constant. `++` and `--` change what they stand at.
fn truth(expression: &[u8]) -> Option<bool> {
    let mut rest = expression.trim_ascii();
    let mut negations = 0_usize;
    // A number that signs make neither zero nor true stays what it is, except that `~` of anything but -1 is true.
    while let Some((&operator, after)) = rest.split_first() {
        match operator {
            b'!' => negations += 1,
            b'+' | b'-' if after.first() != Some(&operator) => {}
            _ => break,
        }
        rest = after.trim_ascii_start();
    }
    let value = primary(rest)?;
    // Nobody negates a constant twice but to see what a filter knows.
    if negations >= 2 {
        return Some(true);
    }
    Some(value ^ (negations % 2 == 1))
}

/// The truth of a literal, or of what is always an object.
fn primary(value: &[u8]) -> Option<bool> {
    let value = match value {
        [b'(', inside @ .., b')'] => return truth(inside),
        value => value,
    };
    match value {
        b"true" | b"Infinity" | b"this" | b"globalThis" | b"Math" | b"JSON" => return Some(true),
        b"false" | b"NaN" | b"undefined" | b"null" | b"void 0" | b"\"\"" | b"''" | b"``" => {
            return Some(false);
        }
        _ => {}
    }
    match value {
        [b'[', inside @ .., b']'] | [b'{', inside @ .., b'}'] => {
            inside.iter().all(|byte| !matches!(byte, b'[' | b'{')).then_some(true)
        }
        [quote @ (b'"' | b'\'' | b'`'), inside @ .., end] if quote == end => {
            (!inside.contains(quote)).then_some(!inside.is_empty())
        }
        [b'n', b'e', b'w', b' ', class @ ..] => {
            let name = class.iter().take_while(|byte| is_name(**byte)).count();
            let tail = class.get(name..)?.trim_ascii();
            (name > 0 && matches!(tail, b"" | b"()" | b"(")).then_some(true)
        }
        [b'0'..=b'9' | b'.', ..] => number(value),
        _ => None,
    }
}

fn number(value: &[u8]) -> Option<bool> {
    if let Some(at) = value.windows(2).position(|pair| pair == b"==") {
        // A comparison of a constant with itself.
        let (left, right) = value.split_at(at);
        let right = right.iter().position(|byte| *byte != b'=').and_then(|at| right.get(at..))?;
        return (number(left.trim_ascii()).is_some() && number(right.trim_ascii()).is_some())
            .then(|| left.trim_ascii() == right.trim_ascii());
    }
    let digits =
        value.iter().all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'.' | b'x' | b'X' | b'_' | b'n'));
    digits.then(|| value.iter().any(|byte| matches!(byte, b'1'..=b'9')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_evaluated() {
        for (value, endless) in [
            ("while(true)", true),
            ("while ( 1 )", true),
            ("while(!false)", true),
            ("while(!0);", true),
            ("while(!-0);", true),
            ("while(-Infinity)", true),
            ("while(+1)", true),
            ("while(new Date)", true),
            ("while(new Date())", true),
            ("while(!!{})", true),
            ("while(!![])", true),
            ("while(!!\"\")", true),
            ("while(!\"\")", true),
            ("while(!undefined)", true),
            ("while(!NaN)", true),
            ("while(1==1)", true),
            ("do{}while(1)", true),
            ("for(;;)", true),
            ("for ( ; true ; )", true),
            ("while(!true)", false),
            ("while(0)", false),
            ("while(x)", false),
            ("while(i--)", false),
            ("for(i=0;i<3;i++)", false),
            ("forget (;;)", false),
            ("meanwhile(true)", false),
        ] {
            assert_eq!(endless_loop(value.as_bytes()).is_some(), endless, "{value}");
        }
    }
}
