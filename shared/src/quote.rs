//! Text from outside as messages for operators quote it: shortened, in backquotes, without characters that a terminal
//! obeys or a reader does not see. It knows characters alone.

use std::borrow::Cow;

/// Characters of a quoted piece of the file; the rest is cut off.
pub const QUOTE_CHARS_MAX: usize = 80;

/// Text of the file as a message quotes it: shortened, in backquotes, with what cannot be seen escaped, since that may
/// be the mistake.
pub fn quoted(text: &str) -> String {
    format!("`{}`", shortened(&escaped(text)))
}

/// The front of `text`, with a mark where something is missing.
pub fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(QUOTE_CHARS_MAX) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default())),
    }
}

/// Without control characters and without those that reorder or hide text in a terminal.
pub fn printable(text: &str) -> String {
    text.chars().filter(|c| !hides(*c)).collect()
}

/// The same with such characters escaped: where each byte matters.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if hides(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

fn hides(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
