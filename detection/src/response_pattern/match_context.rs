//! A place in a body at which words of a rule stand, and the question who says them.

use super::kind::Kind;
use super::page_context::{Element, PageContext};
use super::window::{BEHIND_BYTES, STRING_END};

/// Text before a message that is read for a label; a longer run is prose.
const LABEL_BYTES_MAX: usize = 96;
/// Stands for text that is not read any more.
const CUT_OFF: u8 = 0;
/// Words of one label.
const LABEL_WORDS_MAX: usize = 6;

/// Where words stand.
#[derive(Debug, Clone, Copy)]
pub struct MatchContext<'a> {
    pub(crate) before: &'a [u8],
    pub(crate) after: &'a [u8],
    pub(crate) offset: u64,
    pub(crate) kind: Kind,
    pub(crate) status: u16,
    pub(crate) path: &'a [u8],
    pub(crate) context: PageContext,
}

impl<'a> MatchContext<'a> {
    /// The bytes before the words, at most 512.
    pub fn before(&self) -> &'a [u8] {
        self.before
    }

    /// The words and what follows, at most 768 bytes.
    pub fn after(&self) -> &'a [u8] {
        self.after
    }

    /// How the body is read.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Status of the response.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Path of the request, as sent.
    pub fn path(&self) -> &'a [u8] {
        self.path
    }

    /// Whether the page has shown itself to be about code.
    pub fn is_discussed(&self) -> bool {
        self.context.discusses()
    }

    /// Whether the words stand in a script or a style sheet.
    pub fn is_in_script(&self) -> bool {
        self.kind == Kind::Script || self.context.is_in(Element::Script)
    }

    /// Whether the words stand in preformatted text.
    pub fn is_in_pre(&self) -> bool {
        self.context.is_in(Element::Pre)
    }

    /// Whether a frame of a stack trace is the server's: like [`MatchContext::is_spoken`], but indented as frames are.
    pub fn is_frame(&self) -> bool {
        match self.kind {
            Kind::Text | Kind::Unknown => {
                let line = self.before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
                !self.context.quotes() && !line.starts_with(b">") && !line.contains(&b'`')
            }
            _ => self.is_spoken(),
        }
    }

    /// The same place, `bytes` further to the front.
    #[must_use]
    pub fn back(&self, bytes: usize) -> MatchContext<'a> {
        let before = self.before.get(..self.before.len().saturating_sub(bytes)).unwrap_or_default();
        MatchContext { before, offset: self.offset.saturating_sub(bytes as u64), ..*self }
    }

    /// Whether nothing but white space stands before the words.
    pub fn opens(&self) -> bool {
        let before = self.before.strip_prefix(b"\xef\xbb\xbf").unwrap_or(self.before);
        self.offset == self.before.len() as u64
            && before.iter().all(|byte| byte.is_ascii_whitespace() || *byte == STRING_END)
    }

    /// Whether the server failed, by its own account.
    pub fn is_failure(&self) -> bool {
        self.status >= 500
    }

    /// Whether the server says the words, rather than shows or names them.
    pub fn is_spoken(&self) -> bool {
        match self.kind {
            Kind::Script => false,
            Kind::Json => !self.names_something(),
            Kind::Text | Kind::Unknown => !self.context.quotes() && !self.is_quoted_line(),
            Kind::Html | Kind::Xml => {
                !self.is_in_script()
                    && (self.is_failure() || !self.context.quotes() && !self.is_in_tag_or_name())
            }
        }
    }

    /// Whether the server says the words, and they begin what it says.
    pub fn leads(&self) -> bool {
        self.is_spoken() && (self.is_failure() || self.is_led())
    }

    /// Whether the words begin a line, a text of the page or a string, perhaps after labels.
    fn is_led(&self) -> bool {
        let mut buffer = [0u8; LABEL_BYTES_MAX];
        let mut at = buffer.len();
        let is_page = matches!(self.kind, Kind::Html | Kind::Xml);
        let mut rest = self.before;
        // Read backwards to where the text begins, leaving out what only changes its looks.
        loop {
            let Some((&byte, before)) = rest.split_last() else {
                if self.before.len() >= BEHIND_BYTES {
                    return false;
                }
                break;
            };
            if is_page && byte == b'>' {
                let Some(open) = memchr::memrchr(b'<', before) else { return false };
                let tag = before.get(open + 1..).unwrap_or_default();
                if !is_inline(tag) {
                    break;
                }
                rest = before.get(..open).unwrap_or_default();
                continue;
            }
            let ends = match self.kind {
                Kind::Json => byte == STRING_END,
                Kind::Html | Kind::Xml => byte == b'\n' && self.is_in_pre(),
                _ => byte == b'\n',
            };
            if ends {
                break;
            }
            let Some(slot) = at.checked_sub(1) else {
                // Labels may stand at the end of a longer line; what is cut off here is none.
                if let Some(first) = buffer.first_mut() {
                    *first = CUT_OFF;
                }
                break;
            };
            at = slot;
            if let Some(place) = buffer.get_mut(at) {
                *place = byte;
            }
            rest = before;
        }
        is_label(buffer.get(at..).unwrap_or_default())
    }

    /// Whether the words are part of a tag, or of an element that names or links something.
    fn is_in_tag_or_name(&self) -> bool {
        let mut rest = self.before;
        for _ in 0..4 {
            let Some(open) = memchr::memrchr(b'<', rest) else { return false };
            let tag = rest.get(open + 1..).unwrap_or_default();
            let is_tag = tag.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'/');
            if is_tag && !tag.contains(&b'>') {
                return true;
            }
            if is_tag && !is_inline(tag) {
                return is_name(tag);
            }
            rest = rest.get(..open).unwrap_or_default();
        }
        false
    }

    /// In a text: whether the line quotes another, or is set off as code is.
    fn is_quoted_line(&self) -> bool {
        let line = self.before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        line.starts_with(b">") || line.starts_with(b"    ") || line.starts_with(b"\t") || line.contains(&b'`')
    }

    /// In JSON: whether the string is the value of a key that titles or tags something.
    fn names_something(&self) -> bool {
        let Some(string) = memchr::memrchr(STRING_END, self.before) else { return false };
        let key = self.before.get(..string).unwrap_or_default().trim_ascii_end();
        let Some(key) = key.strip_suffix(b":").map(<[u8]>::trim_ascii_end) else { return false };
        let Some(key) = key.strip_suffix(&[STRING_END]) else { return false };
        let key = key.rsplit(|byte| *byte == STRING_END).next().unwrap_or_default();
        NAMING_KEYS.iter().any(|name| key.eq_ignore_ascii_case(name.as_bytes()))
    }
}

/// Keys under which an API names things rather than reports them.
const NAMING_KEYS: &[&str] =
    &["title", "name", "subject", "headline", "question", "slug", "tag", "label", "query", "q", "keyword"];

/// Tags that only change the looks of a text.
fn is_inline(tag: &[u8]) -> bool {
    let name = tag_name(tag);
    ["b", "i", "u", "em", "strong", "font", "span", "small", "big", "tt", "mark"]
        .iter()
        .any(|inline| name.eq_ignore_ascii_case(inline.as_bytes()))
}

/// Tags whose text names or links something.
fn is_name(tag: &[u8]) -> bool {
    let name = tag_name(tag);
    !tag.starts_with(b"/")
        && ["a", "title", "h1", "h2", "h3", "h4", "h5", "h6", "option", "button", "label", "summary", "dt"]
            .iter()
            .any(|naming| name.eq_ignore_ascii_case(naming.as_bytes()))
}

/// The name of a tag, given what follows its `<`.
fn tag_name(tag: &[u8]) -> &[u8] {
    let tag = tag.strip_prefix(b"/").unwrap_or(tag);
    let end = tag.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(tag.len());
    tag.get(..end).unwrap_or_default()
}

/// Words by which people lead up to a message; machines do without.
const PEOPLE_SAY: &[&str] = &[
    "i",
    "we",
    "you",
    "my",
    "your",
    "our",
    "me",
    "us",
    "this",
    "these",
    "that",
    "following",
    "example",
    "get",
    "gets",
    "got",
    "getting",
    "gives",
    "gave",
    "says",
    "said",
    "see",
    "saw",
    "like",
    "below",
    "above",
    "when",
    "if",
    "typical",
    "common",
    "famous",
    "dreaded",
    "classic",
    "called",
    "named",
    "fix",
    "solve",
    "how",
];

/// Whether `text` is nothing, or labels such as `SQL Error: ` and `[log] `, one after the other.
fn is_label(mut text: &[u8]) -> bool {
    // Every round takes something off, so it ends.
    loop {
        text = text.trim_ascii_end();
        text = text.strip_suffix(b"&nbsp;").unwrap_or(text);
        let Some((&last, before)) = text.split_last() else { return true };
        match last {
            b']' | b')' | b'}' => return true,
            b'"' | b'\'' | b'(' | b'[' | b'{' | b'|' | b'*' | b'#' | b',' => text = before,
            b':' | b'-' | b'=' | b';' => {
                let ends = |byte: &u8| matches!(byte, b':' | b']' | b';' | b'|' | b'>' | b'(' | b'"');
                let start = before.iter().rposition(ends).map_or(0, |at| at + 1);
                if !is_short(before.get(start..).unwrap_or_default()) {
                    return false;
                }
                text = before.get(..start).unwrap_or_default();
            }
            _ => return text.ends_with(b"nested exception is") || is_level(text),
        }
    }
}

/// The words of one label.
fn is_short(label: &[u8]) -> bool {
    let mut words = label.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let short = words.clone().count() <= LABEL_WORDS_MAX;
    short
        && !label.contains(&CUT_OFF)
        && !words.any(|word| PEOPLE_SAY.iter().any(|said| word.eq_ignore_ascii_case(said.as_bytes())))
}

/// A log line up to its level: `2026-01-02 10:00:00 ERROR`.
fn is_level(text: &[u8]) -> bool {
    let word = text.rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
    let level = [&b"ERROR"[..], b"FATAL", b"WARN", b"WARNING", b"SEVERE", b"CRITICAL", b"Caused", b"by"];
    let before = text.get(..text.len() - word.len()).unwrap_or_default();
    level.contains(&word) && !before.iter().any(u8::is_ascii_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_told_from_prose() {
        for label in [
            "",
            "Error: ",
            "SQL Error: ",
            "[a b c d e f g h]: ",
            "An error occurred: ",
            "2026-01-02 10:00:00 ERROR ",
            "x: y: ",
        ] {
            assert!(is_label(label.as_bytes()), "{label:?}");
        }
        for prose in [
            "I get this error: ",
            "how to fix ",
            "the message ",
            "When you see the following: ",
            "and then came ",
        ] {
            assert!(!is_label(prose.as_bytes()), "{prose:?}");
        }
    }
}
