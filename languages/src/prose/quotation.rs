//! Where a quotation ends and its author is named: `"… the last bug."`, a line of its own, `-- Frederick Brooks`. To a
//! database the dashes begin a comment; what tells the two apart is what stands before the quote.

/// Words before the quote from which on a value is a text. What a break continues (a name, a number, a password) is short.
const WORDS_MIN: usize = 6;

/// Whether the dashes at `dashes` name the author of what was quoted up to `quote`.
pub fn is_attribution(bytes: &[u8], quote: usize, dashes: usize) -> bool {
    let before = bytes.get(..dashes).unwrap_or_default();
    let line = before.trim_ascii_end().len();
    let own_line = before.get(line..).unwrap_or_default().contains(&b'\n');
    let Some(author) = bytes.get(dashes..).and_then(|rest| rest.strip_prefix(b"--")) else { return false };
    let named = author.first() == Some(&b' ')
        && author
            .trim_ascii_start()
            .first()
            .is_some_and(|byte| byte.is_ascii_uppercase() || !byte.is_ascii());
    own_line && named && is_text(bytes.get(..quote).unwrap_or_default())
}

/// Whether a string between quotes is prose: words, or one at a sentence's end. A single bare word may be a condition
/// (`'true'`), and so may a number.
pub fn is_phrase(text: &[u8]) -> bool {
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or_default().trim_ascii();
    let letters = |word: &&[u8]| word.iter().any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii());
    let words = inner.split(u8::is_ascii_whitespace).filter(letters).count();
    let begins = inner.first().is_some_and(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii());
    begins && (words > 1 || words == 1 && inner.ends_with(b"."))
}

fn is_text(bytes: &[u8]) -> bool {
    let words = bytes.split(u8::is_ascii_whitespace).filter(|word| {
        let letters = word.iter().filter(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii()).count();
        letters > 1 && letters + 2 >= word.len()
    });
    words.take(WORDS_MIN).count() == WORDS_MIN
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(value: &str) -> bool {
        let quote = value.rfind(['"', '\'']).expect("a quote");
        is_attribution(value.as_bytes(), quote, value.rfind("--").expect("dashes"))
    }

    #[test]
    fn authors_are_told_from_comments() {
        for value in [
            "I have nothing to declare but the little that I know.\"\n\t\t-- Oscar Wilde",
            "Auf mein Signal hin geht ihr alle zur Seite\"\n -- Über",
        ] {
            assert!(judged(value), "{value}");
        }
        for value in [
            "admin'\n-- Anybody",
            "I have nothing to declare but the little' -- Oscar Wilde",
            "I have nothing to declare but the little'\n--",
            "I have nothing to declare but the little'\n-- and 1=1",
            "1 2 3 4 5 6 7'\n-- Oscar",
        ] {
            assert!(!judged(value), "{value}");
        }
    }
}
