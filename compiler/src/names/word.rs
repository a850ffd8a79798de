//! The trait of a text of a known syntax, the fault of one that is not, and the grammars that several syntaxes share.

use crate::field::Syntax;

/// A text of a known syntax.
pub(crate) trait Word: Sized {
    /// Its description.
    const SYNTAX: &'static Syntax;

    /// Reads it; the error ends the sentence that begins with the quoted text.
    fn parse(text: &str) -> Result<Self, Mistake>;
}

/// A fault of a text that is not of its syntax.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mistake {
    /// One of [`crate::code::ALL`].
    pub(crate) code: &'static str,
    /// Continues after the quoted text.
    pub(crate) message: String,
    /// Advice.
    pub(crate) help: Option<String>,
}

impl Mistake {
    /// The plain sentence of a syntax.
    pub(crate) fn of<W: Word>() -> Mistake {
        Mistake::because(format!("is not {}", W::SYNTAX.expects))
    }

    /// A sentence of its own.
    pub(crate) fn because(message: impl Into<String>) -> Mistake {
        Mistake { code: crate::code::INVALID_VALUE, message: message.into(), help: None }
    }

    /// With advice.
    pub(crate) fn help(self, help: impl Into<String>) -> Mistake {
        Mistake { help: Some(help.into()), ..self }
    }
}

/// RFC 9110 section 5.6.2.
pub(crate) fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

/// True if every byte may stand in the path of a request target (RFC 3986 `pchar`, `/` and complete escapes).
pub(crate) fn is_path(text: &str) -> bool {
    let mut rest = text.as_bytes();
    if rest.first() != Some(&b'/') {
        return false;
    }
    while let Some((&byte, tail)) = rest.split_first() {
        rest = match (byte, tail) {
            (b'%', [a, b, after @ ..]) if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => after,
            (b'%', _) => return false,
            (b, _) if b.is_ascii_alphanumeric() || b"/-._~!$&'()*+,;=:@".contains(&b) => tail,
            _ => return false,
        };
    }
    true
}
