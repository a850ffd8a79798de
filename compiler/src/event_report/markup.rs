//! Text in HTML, and the policy under which a page runs its own script alone.

use std::fmt::{self, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::diagnostic::printable;

/// A text, written so that it is only text, in elements and in attributes between double quotes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text<'a>(pub(super) &'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in printable(self.0).chars() {
            match letter {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                other => f.write_char(other)?,
            }
        }
        Ok(())
    }
}

/// Content-Security-Policy of a page with one script and one style sheet of its own.
pub(super) fn policy(script: &str, style: &str) -> String {
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text));
    format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(script),
        hash(style)
    )
}

/// A number with its thousands apart.
pub(super) fn number(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (nth, digit) in digits.chars().enumerate() {
        if nth > 0 && (digits.len() - nth).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_markup() {
        for (text, expected) in [
            ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
            ("\" onmouseover=\"x", "&quot; onmouseover=&quot;x"),
            ("'&lt;", "&#39;&amp;lt;"),
            ("a\u{202e}b\u{0}c\r\n", "abc"),
            ("plain ä", "plain ä"),
        ] {
            assert_eq!(Text(text).to_string(), expected);
        }
        assert_eq!([0, 999, 1_000, 1_234_567].map(number), ["0", "999", "1,000", "1,234,567"]);
    }
}
