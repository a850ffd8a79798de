//! Short texts: tokens of HTTP, header values, media types, paths of rewrites, ids, templates, and texts without a
//! syntax of their own.

use waf_shared::limits::ROUTE_ID_BYTES_MAX;
use waf_shared::plan::{ErrorTemplate, RouteId, TemplatePart};

use super::word::{Mistake, Word, is_path, is_token};
use crate::diagnostic::quoted;
use crate::field::Syntax;

/// Declares a text type of texts as they are written.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident, $type_name:literal, $expects:literal, $pattern:literal, |$text:ident| $valid:expr;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub(crate) struct $name(pub(crate) String);

        impl Word for $name {
            const SYNTAX: &'static Syntax = &Syntax { type_name: $type_name, expects: $expects, pattern: $pattern, words: None, shown: None };

            fn parse($text: &str) -> Result<$name, Mistake> {
                if $valid { Ok($name($text.to_owned())) } else { Err(Mistake::of::<$name>()) }
            }
        }
    )+};
}

words! {
    /// A method, case-sensitive.
    Method, "string", "a valid HTTP method", r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", |text| is_token(text);
    /// A field name, in the case of the file.
    HeaderName, "string", "a valid HTTP header name", r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", |text| is_token(text);
    /// A field value (RFC 9110 section 5.5): no control characters, no white space around it.
    HeaderValue, "string", "a valid header value", "", |text| is_field_value(text);
    /// Text that only people and other programs read.
    PlainText, "string", "a string without control characters", "", |text| !text.chars().any(char::is_control);
    /// A directory.
    Directory, "string", "a directory", "", |text| !text.is_empty() && !text.chars().any(char::is_control);
}

/// A field value that no message quotes: it may be a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Credential(pub(crate) String);

impl Word for Credential {
    const SYNTAX: &'static Syntax =
        &Syntax { shown: Some(|_| "the value".to_owned()), ..*HeaderValue::SYNTAX };

    fn parse(text: &str) -> Result<Credential, Mistake> {
        HeaderValue::parse(text).map(|HeaderValue(value)| Credential(value))
    }
}

fn is_field_value(text: &str) -> bool {
    text.trim_matches([' ', '\t']).len() == text.len()
        && text.bytes().all(|b| b == b'\t' || (b >= b' ' && b != 0x7f))
}

/// A path that is forwarded, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathPrefix(pub(crate) String);

impl Word for PathPrefix {
    const SYNTAX: &'static Syntax = &Syntax {
        type_name: "string",
        expects: "a valid path: it contains characters that need percent-encoding",
        pattern: r"^/[^?#\s]*$",
        words: None,
        shown: None,
    };

    fn parse(text: &str) -> Result<PathPrefix, Mistake> {
        if !text.starts_with('/') {
            return Err(Mistake::because("must start with `/`"));
        }
        if is_path(text) { Ok(PathPrefix(text.to_owned())) } else { Err(Mistake::of::<PathPrefix>()) }
    }
}

/// A media type in lower case, without parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MediaType {
    /// `type/subtype`.
    pub(crate) essence: String,
    /// Parameters were written; they are not compared.
    pub(crate) parameters: bool,
}

impl Word for MediaType {
    const SYNTAX: &'static Syntax = &Syntax {
        type_name: "string",
        expects: "a valid MIME type",
        pattern: r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+/[!#$%&'*+.^_`|~0-9A-Za-z-]+(\s*;.*)?$",
        words: None,
        shown: None,
    };

    fn parse(text: &str) -> Result<MediaType, Mistake> {
        let mut parts = text.split(';');
        let essence = parts.next().unwrap_or_default().trim_end();
        let mut parameters = false;
        for part in parts {
            let valid = part.trim().split_once('=').is_some_and(|(name, value)| {
                let inner = value.strip_prefix('"').and_then(|inner| inner.strip_suffix('"'));
                is_token(name) && (is_token(value) || inner.is_some_and(is_field_value))
            });
            if !valid {
                return Err(Mistake::of::<MediaType>());
            }
            parameters = true;
        }
        match essence.split_once('/') {
            Some((kind, subtype)) if is_token(kind) && is_token(subtype) => {
                Ok(MediaType { essence: essence.to_ascii_lowercase(), parameters })
            }
            _ => Err(Mistake::of::<MediaType>()),
        }
    }
}

/// An explicit route id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RouteName(pub(crate) RouteId);

impl Word for RouteName {
    const SYNTAX: &'static Syntax = &Syntax {
        type_name: "string",
        expects: "a valid route id (pattern `^[a-z0-9][a-z0-9-]*$`)",
        pattern: r"^[a-z0-9][a-z0-9-]*$",
        words: None,
        shown: None,
    };

    fn parse(text: &str) -> Result<RouteName, Mistake> {
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
        if text.len() > ROUTE_ID_BYTES_MAX {
            return Err(Mistake::because(format!("is longer than {ROUTE_ID_BYTES_MAX} characters")));
        }
        let valid = text.bytes().next().is_some_and(plain) && text.bytes().all(|b| plain(b) || b == b'-');
        if valid { Ok(RouteName(RouteId(text.to_owned()))) } else { Err(Mistake::of::<RouteName>()) }
    }
}

/// The body of refusals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template {
    /// As written.
    pub(crate) text: String,
    /// Split at its fields.
    pub(crate) lowered: ErrorTemplate,
}

impl Word for Template {
    const SYNTAX: &'static Syntax = &Syntax {
        type_name: "string (text template)",
        expects: "a template with the fields `{{.RequestID}}` and `{{.Timestamp}}`",
        pattern: "",
        words: None,
        shown: None,
    };

    fn parse(text: &str) -> Result<Template, Mistake> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            if !before.is_empty() {
                parts.push(TemplatePart::Text(before.to_owned()));
            }
            let Some((field, tail)) = after.split_once("}}") else {
                return Err(Mistake::because("has a `{{` without a `}}`"));
            };
            parts.push(match field.trim() {
                ".RequestID" => TemplatePart::RequestId,
                ".Timestamp" => TemplatePart::Timestamp,
                _ => {
                    let field = quoted(&format!("{{{{{field}}}}}"));
                    return Err(Mistake::because(format!(
                        "contains {field}; only the template fields `{{{{.RequestID}}}}` and `{{{{.Timestamp}}}}` are available"
                    )));
                }
            });
            rest = tail;
        }
        if !rest.is_empty() {
            parts.push(TemplatePart::Text(rest.to_owned()));
        }
        Ok(Template { text: text.to_owned(), lowered: ErrorTemplate { parts } })
    }
}

/// The schema's version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    V1Alpha1,
}

/// A word of a closed set.
pub(crate) trait OneOf: Copy + 'static {
    /// Each word with what it means.
    const WORDS: &'static [(&'static str, Self)];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_values() {
        for good in ["", "a", "a b", "max-age=1; x", "caf\u{e9}", "a\tb"] {
            assert!(HeaderValue::parse(good).is_ok(), "{good:?}");
        }
        for bad in [" a", "a ", "a\n", "a\r\nX: y", "\0", "\u{7f}", "\t"] {
            assert!(HeaderValue::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn media_types() {
        for good in ["application/json", "Application/LD+json", "text/plain; charset=utf-8", "a/b;c=\"d e\""]
        {
            assert!(MediaType::parse(good).is_ok(), "{good}");
        }
        for bad in ["", "json", "a/", "/b", "a/b/c", "a b/c", "a/b;", "a/b; c", "a/b, c/d"] {
            assert!(MediaType::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn templates() {
        let parts = |text: &str| Template::parse(text).map(|template| template.lowered.parts);
        assert_eq!(
            parts("a{{.RequestID}}{{ .Timestamp }}b"),
            Ok(vec![
                TemplatePart::Text("a".to_owned()),
                TemplatePart::RequestId,
                TemplatePart::Timestamp,
                TemplatePart::Text("b".to_owned()),
            ])
        );
        assert_eq!(parts("").map(|parts| parts.len()), Ok(0));
        for bad in ["{{.Path}}", "{{", "{{.RequestID}", "{{.requestid}}", "{{}}"] {
            assert!(parts(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn ids() {
        for good in ["a", "0", "a-b-", "9x"] {
            assert!(RouteName::parse(good).is_ok());
        }
        for bad in ["", "-a", "A", "a_b", "a b", "é"] {
            assert!(RouteName::parse(bad).is_err(), "{bad}");
        }
    }
}
