//! Where a name stands in a value: at its beginning, behind something that ends a string or a statement, or amid prose.

/// How far a look back or ahead goes.
const REACH_BYTES: usize = 64;
/// How far the end of a call is looked for.
const CALL_BYTES_MAX: usize = 512;

/// The standing of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// Code may stand here.
    Expression,
    /// A member of something: `x.name`.
    Member,
    /// Amid prose.
    Prose,
}

/// The standing of the name at `at`. `broken` says that the value begins with something that ends a string or a statement.
pub(super) fn standing(bytes: &[u8], at: usize, broken: bool) -> Standing {
    let head = bytes.get(..at).unwrap_or_default();
    let gap = gap_before(head);
    let (rest, _) = head.split_at(head.len() - gap);
    let Some((&last, outside)) = rest.split_last() else { return Standing::Expression };
    match last {
        b'.' if gap == 0 => Standing::Member,
        b'"' | b'\'' | b'`' | b'(' if gap == 0 && opens_prose_quote(outside) && !broken => Standing::Prose,
        _ if last.is_ascii_alphanumeric() || matches!(last, b'_' | b'$') => {
            if follows_operator(rest) {
                Standing::Expression
            } else {
                Standing::Prose
            }
        }
        0x80.. => Standing::Prose,
        _ if gap == 0 || broken => Standing::Expression,
        b',' | b':' | b'-' | b'.' | b')' | b'"' | b'\'' | b'`' | b'(' | b'!' | b'?' | b'*' | b'#' | b'&'
        | b'/' | b'>' => Standing::Prose,
        _ => Standing::Expression,
    }
}

/// Whether the value begins with something that ends a string, a call or a statement, so that what follows is code.
pub(super) fn begins_broken(bytes: &[u8]) -> bool {
    let start = bytes.trim_ascii_start();
    match start.first() {
        Some(b'\'' | b'`' | b'}' | b';' | b']' | b')' | b'\\') => true,
        // A quoted title also begins with a quote: code follows it when an operator does.
        Some(b'"') => start.get(1).is_some_and(|next| !next.is_ascii_alphanumeric() && *next != b' '),
        _ => false,
    }
}

/// Whether the text behind the parenthesis at `open` reads on as prose once the call has ended.
pub(super) fn prose_follows(bytes: &[u8], open: usize) -> bool {
    let rest = bytes.get(open..).unwrap_or_default();
    let rest = rest.get(..CALL_BYTES_MAX).unwrap_or(rest);
    let mut depth = 0usize;
    for (offset, &byte) in rest.iter().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            return is_prose(rest.get(offset + 1..).unwrap_or_default());
        }
    }
    false
}

/// Whether `tail` begins like the rest of a sentence.
pub(super) fn is_prose(tail: &[u8]) -> bool {
    // After a call no letter may follow, whatever the alphabet.
    if tail.first().is_some_and(|byte| *byte >= 0xc3) {
        return true;
    }
    let blanks = tail.iter().take(4).take_while(|byte| byte.is_ascii_whitespace()).count();
    let sentence = tail.get(blanks..).unwrap_or_default();
    let word = sentence.iter().take(REACH_BYTES).take_while(|byte| byte.is_ascii_alphabetic()).count();
    blanks > 0 && word >= 2 && !is_operator(sentence.get(..word).unwrap_or_default())
}

/// White space, comments and invisible characters before a name.
fn gap_before(head: &[u8]) -> usize {
    let mut gap = 0;
    let mut rest = head;
    while gap < REACH_BYTES {
        let step = match rest {
            [.., last] if last.is_ascii_whitespace() || *last < b' ' => 1,
            [.., 0xef, 0xbb, 0xbf] | [.., 0xe2, 0x80, 0x80..=0x8f | 0xa8 | 0xa9] => 3,
            [.., b'*', b'/'] => {
                let stop = rest.len().saturating_sub(REACH_BYTES);
                let comment = rest.get(stop..rest.len() - 2).unwrap_or_default();
                match memchr::memmem::rfind(comment, b"/*") {
                    Some(open) => rest.len() - stop - open,
                    None => return gap,
                }
            }
            _ => return gap,
        };
        gap += step;
        rest = rest.get(..rest.len() - step).unwrap_or_default();
    }
    gap
}

/// Whether a quote or parenthesis with `outside` before it opens a quotation in prose.
fn opens_prose_quote(outside: &[u8]) -> bool {
    let blanks = outside.iter().rev().take(4).take_while(|byte| byte.is_ascii_whitespace()).count();
    let word = outside.iter().rev().nth(blanks);
    blanks > 0
        && word.is_some_and(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b',' | b':' | b'.' | b'-' | 0x80..)
        })
}

/// Whether the word that ends `head` is an operator or a keyword after which an expression stands.
fn follows_operator(head: &[u8]) -> bool {
    let letters = head.iter().rev().take(12).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let (outside, word) = head.split_at(head.len() - letters);
    let code = outside.trim_ascii_end().last().is_none_or(|byte| !byte.is_ascii_alphanumeric());
    code && (is_operator(word)
        || matches!(word, b"void" | b"throw" | b"delete" | b"typeof" | b"await" | b"new" | b"return"))
}

fn is_operator(word: &[u8]) -> bool {
    matches!(word, b"instanceof" | b"in" | b"of")
}
