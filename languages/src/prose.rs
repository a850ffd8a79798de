//! The model of prose that all languages share. Code in running text is code that somebody writes about; code alone is to
//! be run. Running text is recognised by plain words side by side ([`is_text`], [`has_sentences`]), by words that no program
//! has side by side ([`is_sentence`]), and by quotations with an author ([`is_attribution`]). It knows no rule.

mod quotation;
mod sentence;

pub use quotation::{is_attribution, is_phrase};
pub use sentence::is_sentence;

/// How much of a value is read.
const READ_BYTES_MAX: usize = 4096;
/// Words in company from which on a value is text. Payload lists explain themselves in three words, people do not.
const WORDS_MIN: usize = 4;
/// A word without a neighbour says nothing; longer ones are no words.
const WORD_BYTES_MAX: usize = 24;

/// Whether `bytes` is running text, with or without code in it.
pub fn is_text(bytes: &[u8]) -> bool {
    are_text(words(bytes))
}

/// Blanks from which on a value is several words rather than one argument.
const BREAKS_MIN: usize = 5;

/// Returns `true` if a value has so many blanks that it reads like several words rather than like one argument.
pub fn has_several_words(bytes: &[u8]) -> bool {
    let blanks = bytes.iter().filter(|byte| matches!(byte, b' ' | b'\n' | b'\t'));
    blanks.take(BREAKS_MIN).count() == BREAKS_MIN
}

/// Whether that many words in company make a text.
pub fn are_text(words: usize) -> bool {
    words >= WORDS_MIN
}

/// Whether `bytes` holds sentences beside its code: several plain words that are none of `keywords`, wherever they stand.
/// Words in capitals are commands as often; a plus separates words too, as in the query of a URL.
pub fn has_sentences(bytes: &[u8], keywords: &[&[u8]]) -> bool {
    sentence_words(bytes, keywords, WORDS_MIN) == WORDS_MIN
}

/// Words of sentences, counted up to `most`.
pub fn sentence_words(bytes: &[u8], keywords: &[&[u8]], most: usize) -> usize {
    bytes
        .split(|byte| byte.is_ascii_whitespace() || *byte == b'+')
        .filter(|token| is_word(token) && token.iter().any(|&byte| byte.is_ascii_lowercase() || byte >= 0x80))
        .filter(|token| !keywords.iter().any(|keyword| keyword.eq_ignore_ascii_case(token)))
        .take(most)
        .count()
}

/// Words that stand beside another one, counted as far as it matters.
pub fn words(bytes: &[u8]) -> usize {
    let bytes = bytes.get(..READ_BYTES_MAX).unwrap_or(bytes);
    let (mut words, mut before) = (0, false);
    for token in bytes.split(u8::is_ascii_whitespace) {
        let plain = is_word(token);
        // The first pair counts both of its words.
        words += match (before, plain) {
            (true, true) if words == 0 => 2,
            (true, true) => 1,
            _ => 0,
        };
        before = plain;
        if words >= WORDS_MIN {
            break;
        }
    }
    words
}

/// Letters alone, an apostrophe or hyphen inside, one mark of punctuation behind.
fn is_word(token: &[u8]) -> bool {
    let ([word @ .., b',' | b'.' | b'!' | b'?' | b':'] | word) = token;
    let letter = |byte: &u8| byte.is_ascii_alphabetic() || *byte >= 0x80;
    (2..=WORD_BYTES_MAX).contains(&word.len())
        && word.first().is_some_and(letter)
        && word.last().is_some_and(letter)
        && word.iter().all(|byte| letter(byte) || matches!(byte, b'\'' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_text() {
        for value in [
            "Please have a look at `while(true)` in my loop",
            "why does {{ user.name }} not work in my template?",
            "{{7*7}} is what the scanner of our customer sent us",
            "Почему этот шаблон не работает",
        ] {
            assert!(is_text(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn sentences_have_words() {
        for value in ["please call me back", "Über uns: wer wir sind", "it's what, where, who"] {
            assert!(has_sentences(value.as_bytes(), &[]), "{value}");
        }
        for value in ["SELECT ALL FROM IT", "a b c d e f", "x=1 y=2 z=3 v=4", "exec (blah)", ""] {
            assert!(!has_sentences(value.as_bytes(), &[]), "{value}");
        }
        assert!(!has_sentences(b"echo foo echo bar echo", &[b"echo"]));
    }

    #[test]
    fn payloads_are_not() {
        for value in [
            "{{6*'6'}} would result in 36",
            "T(java.lang.Runtime).getRuntime().exec('cat /etc/passwd')",
            "require('child_process').execSync('id').toString()",
            "println \"id\".execute().text",
            "",
        ] {
            assert!(!is_text(value.as_bytes()), "{value}");
        }
    }
}
