//! Which lines of a worker reach stdout: those that are one JSON object each, in UTF-8, with every character escaped
//! that a terminal or a reader of lines obeys. A worker that an attacker has taken over can send anything; whoever
//! reads stdout must be able to take each line for an event. It knows JSON, nothing of what an event says.

use serde::de::IgnoredAny;
use waf_shared::text::is_escaped;

/// Whole lines, those that are no document left out.
pub(super) struct Documents {
    /// Each with its line feed.
    pub(super) bytes: Vec<u8>,
    /// Their number.
    pub(super) lines: u64,
    /// Lines that were left out.
    pub(super) malformed: u64,
}

/// Keeps the documents among the `lines` lines of `whole`.
pub(super) fn only(whole: Vec<u8>, lines: u64) -> Documents {
    let is_end = |byte: &u8| *byte == b'\n';
    let malformed = whole.split_inclusive(is_end).filter(|line| !is_document(line)).count() as u64;
    let bytes = match malformed {
        // Nothing has to be copied as long as workers are what they should be.
        0 => whole,
        _ => whole.split_inclusive(is_end).filter(|line| is_document(line)).flatten().copied().collect(),
    };
    Documents { bytes, lines: lines.saturating_sub(malformed), malformed }
}

fn is_document(line: &[u8]) -> bool {
    let Some(Ok(text)) = line.strip_suffix(b"\n").map(std::str::from_utf8) else { return false };
    let is_object = text.starts_with('{') && text.ends_with('}');
    is_object && !text.chars().any(is_escaped) && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_documents_pass() {
        let nested = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        for (malformed, why) in [
            ("", "nothing"),
            ("x", "no JSON"),
            ("waf: all is well", "a line for people"),
            ("{\"a\":1", "a part"),
            ("{\"a\":1}{\"b\":2}", "two documents"),
            ("{\"a\":1} {\"b\":2}", "two documents"),
            ("{\"a\":1}, {}", "two documents"),
            ("{\"a\":1}x}", "more than a document"),
            ("[1]", "no object"),
            ("\"a\"", "no object"),
            ("null", "no object"),
            (" {}", "a space"),
            ("{\"a\":01}", "a number that JSON does not have"),
            ("{\"a\":'b'}", "quotes that JSON does not have"),
            ("{\"a\":\"\t\"}", "a raw tab"),
            ("{}\r", "a carriage return"),
            ("{\"a\":1,\r\"b\":2}", "a carriage return between members"),
            ("{\"a\":\"\u{1b}[2J\"}", "an escape sequence"),
            ("{\"a\":\"\u{9b}2J\"}", "an escape sequence of C1"),
            ("{\"a\":\"\u{7f}\"}", "DEL"),
            ("{\"a\":\"\u{85}\"}", "a line end of C1"),
            ("{\"a\":\"\u{2028}\"}", "a line separator"),
            ("{\"a\":\"\u{2029}\"}", "a paragraph separator"),
            ("{\"a\":\"\u{202e}txt.exe\"}", "an override of the direction"),
            ("{\"a\":\"\u{2067}x\"}", "an isolate"),
            ("{\"a\":\"\\ud800\"}x", "rubbish behind"),
        ] {
            let lines = format!("{{\"first\":1}}\n{malformed}\n{{\"last\":2}}\n");
            let documents = only(lines.into_bytes(), 3);
            assert_eq!(documents.bytes, b"{\"first\":1}\n{\"last\":2}\n", "{why}");
            assert_eq!((documents.lines, documents.malformed), (2, 1), "{why}");
        }
        let mut bytes = b"{\"a\":\"\xff\"}\n".to_vec();
        bytes.extend_from_slice(nested.as_bytes());
        bytes.push(b'\n');
        // What is nested deeply is read without recursion.
        assert_eq!(only(bytes, 2).malformed, 1);
    }

    #[test]
    fn documents_pass_as_they_are() {
        let lines = "{}\n{\"a\":\"\\u202e\\u001b\\n\",\"b\":[1,2.5e3,null,true,{\"c\":{}}]}\n{\"a\":\"na\u{ef}ve \u{5e9}\u{1f680}\"}\n";
        let documents = only(lines.as_bytes().to_vec(), 3);
        assert_eq!(
            (documents.bytes.as_slice(), documents.lines, documents.malformed),
            (lines.as_bytes(), 3, 0)
        );
        assert_eq!(only(Vec::new(), 0).lines, 0);
    }
}
