//! Beginnings and ends of expressions. Strings and nested brackets inside are passed over; what never ends is read as far
//! as an attack needs.

use super::sign::Syntax;

/// Bytes of one expression.
const EXPRESSION_BYTES_MAX: usize = 2 << 10;
/// The same for one that nothing closes, which ends with its line.
const UNCLOSED_BYTES_MAX: usize = 512;
/// The same once many were opened and not closed: a value made to be read again and again.
const HOSTILE_BYTES_MAX: usize = 256;
/// Bytes on either side of an expression that are looked at.
const AROUND_BYTES: usize = 128;
/// Bytes in which a lone brace shows that it is more than punctuation.
const BRACE_HEAD_BYTES: usize = 64;

/// The inside of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Expression {
    pub(super) syntax: Syntax,
    /// Offset of its delimiter.
    pub(super) opener: usize,
    pub(super) start: usize,
    pub(super) end: usize,
    /// True if its closer was found.
    pub(super) closed: bool,
}

/// The bytes around an expression, as far as they say what it is there for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surroundings {
    /// The value is nothing else: no letter and no digit stands outside.
    pub(super) sole: bool,
    /// It stands between backticks, as in the template literals of scripts.
    pub(super) in_script: bool,
}

impl Expression {
    /// Surroundings of the expression in `bytes`.
    pub(super) fn surroundings(&self, bytes: &[u8]) -> Surroundings {
        let head = bytes.get(..self.opener).unwrap_or_default();
        let tail = bytes.get(self.end..).unwrap_or_default();
        let head = head.get(head.len().saturating_sub(AROUND_BYTES)..).unwrap_or_default();
        let tail = tail.get(..AROUND_BYTES).unwrap_or(tail);
        Surroundings {
            sole: !head.iter().chain(tail).any(u8::is_ascii_alphanumeric),
            in_script: memchr::memchr(b'`', head).is_some() && memchr::memchr(b'`', tail).is_some(),
        }
    }
}

/// The end of an expression.
#[derive(Debug, Clone, Copy)]
enum Closer {
    /// At these bytes.
    Literal(&'static [u8]),
    /// At the bracket that closes the one it began with.
    Bracket(u8, u8),
    /// At white space or a tag.
    Word,
}

/// The first expression at or behind `from`. Every byte is read once for finding openers.
pub(super) fn next(bytes: &[u8], from: usize, hostile: bool) -> Option<Expression> {
    let mut at = from;
    while let Some(rest) = bytes.get(at..) {
        at += rest.iter().position(|byte| matches!(byte, b'{' | b'<' | b'#' | b'@' | b'[' | b'$'))?;
        if let Some((syntax, skip, closer)) = opener(bytes, at) {
            let start = at + skip;
            let max = if hostile { HOSTILE_BYTES_MAX } else { EXPRESSION_BYTES_MAX };
            let body = bytes.get(start..).unwrap_or_default();
            let body = body.get(..max).unwrap_or(body);
            let length = if hostile { nearest(body, closer) } else { length(body, closer) };
            let end = start + length.unwrap_or_else(|| line(body));
            return Some(Expression { syntax, opener: at, start, end, closed: length.is_some() });
        }
        at += 1;
    }
    None
}

/// The delimiter at `at`: its syntax, the length of its delimiter, and how it ends.
fn opener(bytes: &[u8], at: usize) -> Option<(Syntax, usize, Closer)> {
    let rest = bytes.get(at..)?;
    let before = at.checked_sub(1).and_then(|before| bytes.get(before)).copied();
    let bracket = Closer::Bracket(b'{', b'}');
    Some(match rest {
        [b'{', b'{', b'{', ..] => (Syntax::Output, 3, Closer::Literal(b"}}")),
        [b'{', b'{', ..] => (Syntax::Output, 2, Closer::Literal(b"}}")),
        // Ruby quotes strings and commands with a percent sign: `#{%x(id)}`.
        [b'{', b'%', b'x' | b'q' | b'Q' | b'w' | b'W', mark, ..]
            if before == Some(b'#') && mark.is_ascii_punctuation() =>
        {
            (Syntax::Hash, 1, bracket)
        }
        [b'{' | b'<', b'%', tail @ ..] if is_conversion(tail) => return None,
        [b'{', b'!', b'!', ..] => (Syntax::Output, 3, Closer::Literal(b"!!}")),
        [b'{', b'%', ..] => (Syntax::Statement, 2, Closer::Literal(b"%}")),
        [b'{', ..] => match before {
            Some(b'$' | b'*' | b'%' | b'~') => (Syntax::Dollar, 1, bracket),
            Some(b'#') => (Syntax::Hash, 1, bracket),
            Some(b'@') => (Syntax::Razor, 1, bracket),
            _ if is_expression(rest.get(1..)?) => (Syntax::Brace, 1, bracket),
            _ => return None,
        },
        [b'<', b'%', ..] => (Syntax::Tag, 2, Closer::Literal(b"%>")),
        [b'<', b'#', name, ..] if name.is_ascii_alphabetic() => (Syntax::Directive, 2, Closer::Literal(b">")),
        [b'[', b'#', name, ..] if name.is_ascii_alphabetic() => {
            (Syntax::Directive, 2, Closer::Bracket(b'[', b']'))
        }
        [b'[', b'=', ..] => (Syntax::Directive, 2, Closer::Bracket(b'[', b']')),
        [b'#', ..] => {
            let name = rest.iter().skip(1).take(10).take_while(|byte| byte.is_ascii_alphabetic()).count();
            let word = rest.get(1..=name)?;
            let known =
                matches!(word, b"set" | b"evaluate" | b"foreach" | b"if" | b"elseif" | b"include" | b"parse");
            let open = rest.get(name + 1) == Some(&b'(');
            (known && open).then_some((Syntax::Velocity, name + 2, Closer::Bracket(b'(', b')')))?
        }
        [b'@', b'(', ..] => (Syntax::Razor, 2, Closer::Bracket(b'(', b')')),
        [b'@', ..] if rest.get(1..8) == Some(b"System.") => (Syntax::Razor, 1, Closer::Word),
        [b'$', ..] if rest.get(1..7) == Some(b"class.") => (Syntax::Velocity, 1, Closer::Word),
        _ => return None,
    })
}

/// Returns `true` if a lone brace begins what Smarty or a format string would evaluate: a number, a call, names with underscores.
fn is_expression(inside: &[u8]) -> bool {
    let head = inside.get(..BRACE_HEAD_BYTES).unwrap_or(inside);
    let head = head.split(|byte| *byte == b'}').next().unwrap_or(head).trim_ascii_start();
    let name =
        head.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')).count();
    let computed = head.strip_prefix(b"=").unwrap_or(head);
    computed.first().is_some_and(u8::is_ascii_digit)
        || is_filtered(head)
        || name > 0 && matches!(head.get(name..), Some([b'(', ..] | [b':', b':', ..]))
        || memchr::memmem::find(head, b"__").is_some()
        || head.starts_with(b"php")
        || head.starts_with(b"$smarty")
        || head.starts_with(b"math equation=")
        || head.starts_with(b"if ") && head.contains(&b'(')
}

/// Returns `true` for a string or a list that Smarty hands to a modifier: `'id'|system`, `["id"]|map`.
fn is_filtered(head: &[u8]) -> bool {
    let after = match head {
        [quote @ (b'"' | b'\''), rest @ ..] => string(rest, *quote).and_then(|length| rest.get(length + 1..)),
        [b'[', rest @ ..] => memchr::memchr(b']', rest).and_then(|length| rest.get(length + 1..)),
        _ => None,
    };
    let modifier = after.and_then(|after| after.trim_ascii_start().strip_prefix(b"|"));
    modifier.is_some_and(|rest| rest.trim_ascii_start().first().is_some_and(u8::is_ascii_alphabetic))
}

/// Bytes of what nothing closes.
fn line(body: &[u8]) -> usize {
    memchr::memchr(b'\n', body).unwrap_or(body.len()).min(UNCLOSED_BYTES_MAX)
}

/// Returns `true` if a percent sign begins a conversion of a format (`<%s at %d>`) rather than a tag.
fn is_conversion(tail: &[u8]) -> bool {
    matches!(tail, [letter, next, ..] if letter.is_ascii_alphanumeric() && !next.is_ascii_alphanumeric() && *next != b'%')
}

/// Bytes of `body` before its closer.
fn length(body: &[u8], closer: Closer) -> Option<usize> {
    match closer {
        Closer::Literal(literal) => memchr::memmem::find(body, literal),
        Closer::Bracket(open, close) => matching(body, open, close),
        Closer::Word => Some(
            body.iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'<').unwrap_or(body.len()),
        ),
    }
}

/// The same without regard to strings and nesting: one look, whatever the value was made to cost.
fn nearest(body: &[u8], closer: Closer) -> Option<usize> {
    match closer {
        Closer::Bracket(_, close) => memchr::memchr(close, body),
        closer => length(body, closer),
    }
}

/// The bracket that closes what was opened before `body`, strings passed over. A quote that nothing closes is an apostrophe.
fn matching(body: &[u8], open: u8, close: u8) -> Option<usize> {
    let (mut depth, mut at) = (0_usize, 0);
    let mut unclosed = false;
    while let Some(&byte) = body.get(at) {
        match byte {
            b'"' | b'\'' if !unclosed => match string(body.get(at + 1..)?, byte) {
                Some(length) => at += length + 1,
                None => unclosed = true,
            },
            _ if byte == close => {
                let Some(outer) = depth.checked_sub(1) else { return Some(at) };
                depth = outer;
            }
            _ if byte == open => depth += 1,
            _ => {}
        }
        at += 1;
    }
    None
}

/// Bytes up to the quote that ends a string.
fn string(rest: &[u8], quote: u8) -> Option<usize> {
    let mut escaped = false;
    rest.iter().position(|&byte| {
        let ends = byte == quote && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_end_at_their_closers() {
        for (value, syntax, inside) in [
            ("a {{ b }} c", Syntax::Output, " b "),
            ("${a{b}c} d", Syntax::Dollar, "a{b}c"),
            ("${'}'} d", Syntax::Dollar, "'}'"),
            ("#{x} y", Syntax::Hash, "x"),
            ("<%= x %>", Syntax::Tag, "= x "),
            ("<#if x>y", Syntax::Directive, "if x"),
            ("#set($a=(1))b", Syntax::Velocity, "$a=(1)"),
            ("@(1) 2", Syntax::Razor, "1"),
            ("{{ open", Syntax::Output, " open"),
        ] {
            let found = next(value.as_bytes(), 0, false).map(|e| (e.syntax, &value[e.start..e.end]));
            assert_eq!(found, Some((syntax, inside)), "{value}");
        }
    }
}
