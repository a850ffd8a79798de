//! Tokens of expressions, as coarse as the languages have in common: names, numbers, strings, marks.

/// Tokens of one expression that are looked at.
pub(super) const TOKENS_MAX: usize = 160;

/// A token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A name, `$` included.
    Name(&'a [u8]),
    Number(&'a [u8]),
    /// A string without its quotes.
    Text(&'a [u8]),
    Mark(u8),
}

impl Token<'_> {
    pub(super) fn is(&self, mark: u8) -> bool {
        *self == Token::Mark(mark)
    }
}

/// Tokens that two pieces of a long expression share.
const TOKENS_SHARED: usize = 8;

/// Fills `buffer` with the tokens of `body`. When it has more, says where the next piece begins.
pub(super) fn tokens<'a, 'b>(
    body: &'a [u8],
    buffer: &'b mut [Token<'a>; TOKENS_MAX],
) -> (&'b [Token<'a>], Option<usize>) {
    let (mut at, mut count, mut shared) = (0, 0, 0);
    while let Some(slot) = buffer.get_mut(count) {
        let Some(rest) = body.get(at..).filter(|rest| !rest.is_empty()) else {
            return (buffer.get(..count).unwrap_or_default(), None);
        };
        if count == TOKENS_MAX - TOKENS_SHARED {
            shared = at;
        }
        let (length, token) = token(rest);
        at += length;
        if let Some(token) = token {
            *slot = token;
            count += 1;
        }
    }
    (buffer.get(..count).unwrap_or_default(), Some(shared))
}

/// The length of what `rest` begins with, and the token, unless it is blank or a comment.
fn token(rest: &[u8]) -> (usize, Option<Token<'_>>) {
    let run = |keep: fn(&u8) -> bool| rest.iter().take_while(|byte| keep(byte)).count().max(1);
    let cut = |length: usize| rest.get(..length).unwrap_or_default();
    match rest {
        [b'/', b'*', ..] => (memchr::memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2), None),
        [b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'$' | 0x80.., ..] => {
            let length = run(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..));
            (length, Some(Token::Name(cut(length))))
        }
        [b'0'..=b'9', ..] => {
            let digits = run(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
            // `x.0.y` is a path.
            let fraction = match rest.get(digits..) {
                Some([b'.', tail @ ..]) => tail.iter().take_while(|byte| byte.is_ascii_digit()).count(),
                _ => 0,
            };
            let length = digits + if fraction > 0 { fraction + 1 } else { 0 };
            (length, Some(Token::Number(cut(length))))
        }
        [quote @ (b'"' | b'\''), ..] => {
            let mut escaped = false;
            let inside = rest.iter().skip(1).position(|byte| {
                let ends = byte == quote && !escaped;
                escaped = *byte == b'\\' && !escaped;
                ends
            });
            match inside {
                Some(length) => (length + 2, Some(Token::Text(rest.get(1..=length).unwrap_or_default()))),
                None => (1, Some(Token::Mark(*quote))),
            }
        }
        // A string whose quotes are escaped for the document around it.
        [b'\\', b'"' | b'\'', ..] | [] => (1, None),
        [mark, ..] if mark.is_ascii_whitespace() => (run(u8::is_ascii_whitespace), None),
        [mark, ..] => (1, Some(Token::Mark(*mark))),
    }
}
