//! Tags, attributes and declarations, as browsers read them.

use memchr::{memchr, memchr_iter};

/// A piece of markup. Offsets are into the tokenized bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// `<name`.
    Open {
        /// As written.
        name: &'a [u8],
        /// Offset of the `<`.
        at: usize,
    },
    /// `</name`.
    Close {
        /// As written.
        name: &'a [u8],
        /// Offset of the `<`.
        at: usize,
    },
    /// An attribute of the tag opened (or closed) last.
    Attribute {
        /// As written; may hold quotes and NUL bytes.
        name: &'a [u8],
        /// Without its quotes.
        value: Option<&'a [u8]>,
        /// Offset of the name.
        at: usize,
    },
    /// `<!` and what follows it: comment, document type, entity, CDATA, server-side include.
    Declaration {
        /// Everything after the `<!`.
        rest: &'a [u8],
        /// Offset of the `<`.
        at: usize,
    },
    /// `<?` and what follows it.
    Instruction {
        /// Everything after the `<?`.
        rest: &'a [u8],
        /// Offset of the `<`.
        at: usize,
    },
}

/// The tokens of a value that stands as text in a page.
///
/// A tag that begins inside an attribute's value is a token of its own too, since the page around the value may
/// have closed the quote: scanning goes on at the inner `<`. A closing quote lies at most one quote of its
/// kind ahead, so every byte is looked at a fixed number of times.
#[derive(Debug, Clone)]
pub(super) struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
    in_tag: bool,
}

impl<'a> Tokens<'a> {
    /// Of `bytes`.
    pub(super) fn new(bytes: &'a [u8]) -> Tokens<'a> {
        Tokens { bytes, at: 0, in_tag: false }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    fn slice(&self, from: usize, to: usize) -> &'a [u8] {
        self.bytes.get(from..to).unwrap_or_default()
    }

    fn past(&self, mut at: usize, wanted: fn(u8) -> bool) -> usize {
        while self.byte(at).is_some_and(wanted) {
            at += 1;
        }
        at
    }

    fn opens_at(&self, at: usize) -> bool {
        self.byte(at) == Some(b'<') && opens(self.bytes.get(at + 1..).unwrap_or_default())
    }

    /// Text state: the next `<` that opens anything.
    fn text(&mut self) -> Option<Token<'a>> {
        loop {
            let at = self.at + memchr(b'<', self.bytes.get(self.at..)?)?;
            self.at = at + 1;
            if !self.opens_at(at) {
                continue;
            }
            let start = self.past(at + 1, |byte| byte == 0);
            match self.byte(start) {
                Some(b'!') => {
                    self.at = start + 1;
                    return Some(Token::Declaration { rest: self.slice(self.at, self.bytes.len()), at });
                }
                Some(b'?') => {
                    self.at = start + 1;
                    return Some(Token::Instruction { rest: self.slice(self.at, self.bytes.len()), at });
                }
                Some(b'/') => {
                    let start = self.past(start + 1, |byte| byte == 0);
                    let end = self.name_end(start);
                    self.at = end;
                    self.in_tag = true;
                    return Some(Token::Close { name: self.slice(start, end), at });
                }
                _ => {
                    let end = self.name_end(start);
                    self.at = end;
                    self.in_tag = true;
                    return Some(Token::Open { name: self.slice(start, end), at });
                }
            }
        }
    }

    /// End of a tag's name.
    fn name_end(&self, mut at: usize) -> usize {
        while let Some(byte) = self.byte(at) {
            if separates(byte) || matches!(byte, b'/' | b'>') || self.opens_at(at) {
                break;
            }
            at += 1;
        }
        at
    }

    /// Inside a tag: the next attribute, or `None` when the tag ends.
    fn attribute(&mut self) -> Option<Token<'a>> {
        let start = self.past(self.at, |byte| separates(byte) || byte == b'/' || byte == 0);
        self.at = start;
        match self.byte(start) {
            None => {
                self.in_tag = false;
                return None;
            }
            Some(b'>') => {
                self.at = start + 1;
                self.in_tag = false;
                return None;
            }
            Some(_) if self.opens_at(start) => {
                self.in_tag = false;
                return None;
            }
            Some(_) => {}
        }
        // A leading `=` belongs to the name, as browsers have it.
        let mut end = start + 1;
        while let Some(byte) = self.byte(end) {
            if separates(byte) || matches!(byte, b'/' | b'>' | b'=') || self.opens_at(end) {
                break;
            }
            end += 1;
        }
        let name = self.slice(start, end);
        let equals = self.past(end, |byte| separates(byte) || byte == b'/');
        if self.byte(equals) != Some(b'=') {
            self.at = end;
            return Some(Token::Attribute { name, value: None, at: start });
        }
        let value = self.value(self.past(equals + 1, |byte| separates(byte) || byte == 0));
        Some(Token::Attribute { name, value: Some(value), at: start })
    }

    /// The value at `start`; moves behind it, or onto a tag that begins in it.
    fn value(&mut self, start: usize) -> &'a [u8] {
        if let Some(quote @ (b'"' | b'\'' | b'`')) = self.byte(start) {
            let rest = self.bytes.get(start + 1..).unwrap_or_default();
            let value = memchr(quote, rest).and_then(|end| rest.get(..end)).unwrap_or(rest);
            let inner = memchr_iter(b'<', value).find(|&at| opens(rest.get(at + 1..).unwrap_or_default()));
            self.at = start + 1 + inner.unwrap_or(value.len() + 1);
            if inner.is_some() {
                self.in_tag = false;
            }
            return value;
        }
        let mut end = start;
        while let Some(byte) = self.byte(end) {
            if separates(byte) || byte == b'>' || self.opens_at(end) {
                break;
            }
            end += 1;
        }
        self.at = end;
        self.slice(start, end)
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        if self.in_tag
            && let Some(token) = self.attribute()
        {
            return Some(token);
        }
        self.text()
    }
}

/// Whether what follows a `<` opens a tag, a declaration or an instruction. NUL bytes are passed over, since
/// some readers drop them.
fn opens(after: &[u8]) -> bool {
    let mut bytes = after.iter().copied().take(8).skip_while(|&byte| byte == 0);
    match bytes.next() {
        Some(b'/') => bytes.find(|&byte| byte != 0).is_some_and(|byte| byte.is_ascii_alphabetic()),
        Some(byte) => byte.is_ascii_alphabetic() || matches!(byte, b'!' | b'?' | b':'),
        None => false,
    }
}

/// White space and, since old readers take them so, every other control byte but NUL.
fn separates(byte: u8) -> bool {
    matches!(byte, 1..=b' ' | 0x7f)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> Vec<String> {
        let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Tokens::new(text.as_bytes())
            .map(|token| match token {
                Token::Open { name, .. } => format!("<{}", lossy(name)),
                Token::Close { name, .. } => format!("/{}", lossy(name)),
                Token::Attribute { name, value, .. } => {
                    format!("{}={}", lossy(name), lossy(value.unwrap_or_default()))
                }
                Token::Declaration { .. } => "!".to_owned(),
                Token::Instruction { .. } => "?".to_owned(),
            })
            .collect()
    }

    #[test]
    fn broken_markup_is_read_as_browsers_read_it() {
        for (text, tokens) in [
            ("a < b and c > d <3", &[][..]),
            ("<svg/onload=alert(1)", &["<svg", "onload=alert(1)"]),
            ("<img\x0csrc=x\x0donerror=a>", &["<img", "src=x", "onerror=a"]),
            ("<p title='a\"b'id=x>t</p>", &["<p", "title=a\"b", "id=x", "/p"]),
            ("<a title=\"<b>\">", &["<a", "title=<b>", "<b"]),
            ("<scr<script>ipt>", &["<scr", "<script"]),
            ("<x onerror / = `a b`>", &["<x", "onerror=a b"]),
            ("<!--><?x <\0i id>", &["!", "?", "<i", "id="]),
            ("<a href=\"x", &["<a", "href=x"]),
        ] {
            assert_eq!(show(text), tokens, "{text}");
        }
    }

    #[test]
    fn nested_quotes_stay_linear() {
        let hostile = "<a x=\"<a y='<a z=`<a b=<a ".repeat(20_000);
        assert!(Tokens::new(hostile.as_bytes()).count() > 100_000);
    }
}
