//! Characters that are escaped wherever text from outside is written for people: in audit events and in log lines. It
//! knows characters alone.

use std::fmt::Write as _;

/// True if an event or a log line writes `character` as an escape: control characters of C0, DEL and C1, the line and
/// paragraph separators, and the marks that change the direction of text (UAX #9). A terminal obeys the first, a reader
/// takes the second for the end of a line, and the last show a text in another order than it has.
pub fn is_escaped(character: char) -> bool {
    matches!(
        character,
        '\0'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{61c}'
            | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
    )
}

/// Appends the escape of JSON for a character of the Basic Multilingual Plane, where all of those of [`is_escaped`]
/// lie.
pub fn push_escape(out: &mut String, character: char) {
    // A string takes everything.
    let _ = write!(out, "\\u{:04x}", u32::from(character));
}

/// `json` with the escapes that JSON itself does not ask for. Such characters are part of strings alone there.
pub fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        if is_escaped(character) {
            push_escape(&mut out, character);
        } else {
            out.push(character);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_terminals_and_readers_obey_is_escaped_and_text_is_not() {
        for (character, escape) in [
            ('\u{1b}', "\\u001b"),
            ('\u{7f}', "\\u007f"),
            ('\u{85}', "\\u0085"),
            ('\u{9b}', "\\u009b"),
            ('\u{2028}', "\\u2028"),
            ('\u{2029}', "\\u2029"),
            ('\u{202a}', "\\u202a"),
            ('\u{202e}', "\\u202e"),
            ('\u{2066}', "\\u2066"),
            ('\u{2069}', "\\u2069"),
            ('\u{200e}', "\\u200e"),
            ('\u{200f}', "\\u200f"),
            ('\u{61c}', "\\u061c"),
        ] {
            assert_eq!(escaped(&format!("a{character}b")), format!("a{escape}b"));
        }
        let honest = "na\u{ef}ve \u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{645}\u{631}\u{62d}\u{628}\u{627} \u{1f469}\u{200d}\u{1f680} \u{a0}\u{2013}\u{2030}\u{feff}";
        assert_eq!(escaped(honest), honest);
    }
}
