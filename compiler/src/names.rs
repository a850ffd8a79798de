//! Texts that must be of a syntax: each type here can only hold what its syntax allows, in canonical form. It must not
//! know trees, fields or where a text stood.

mod host;
mod protection;
pub(crate) mod suggestion;
mod text;
mod url;

pub(crate) use host::{Hostname, HostnameOrWildcard, host_text};
pub(crate) use protection::{AddedHeader, OpenApiLeaf, Protection};
pub(crate) use text::{
    Credential, Directory, HeaderName, HeaderValue, MediaType, Method, OneOf, PathPrefix, PlainText,
    RouteName, Template, Version,
};
pub(crate) use url::{Origin, UpstreamUrl, without_credentials};

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
