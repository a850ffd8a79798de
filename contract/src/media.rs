//! Media types: reading a `Content-Type` and finding the declared range that fits it best (RFC 9110 section 8.3.1).

use waf_bodies::parameters::is_extended;
use waf_shared::plan::contract::Media;

/// A media type as a message declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MediaType {
    /// `type/subtype` in lower case.
    pub(crate) essence: String,
    /// Names in lower case, values unquoted.
    parameters: Vec<(String, String)>,
}

/// Readers may find different values of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Doubtful;

/// Reader of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    Json,
    Form,
    Multipart,
    Text,
    /// Nothing does.
    None,
}

/// Media type of a body without `Content-Type` (RFC 9110 section 8.3).
const UNDECLARED: &str = "application/octet-stream";

impl MediaType {
    /// Reads a field value; an empty one is an undeclared type.
    pub(crate) fn parse(value: &[u8]) -> MediaType {
        let text = String::from_utf8_lossy(value);
        let mut parts = split(&text).into_iter();
        let essence = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
        let parameters = parts
            .filter_map(|part| {
                let (name, value) = part.split_once('=')?;
                Some((name.trim().to_ascii_lowercase(), unquoted(value.trim())))
            })
            .collect();
        MediaType { essence: if essence.is_empty() { UNDECLARED.to_owned() } else { essence }, parameters }
    }

    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The parameter as every reader finds it; the error says that it comes twice or in an extended form.
    pub(crate) fn certain_parameter(&self, name: &str) -> Result<Option<&str>, Doubtful> {
        let mut found = None;
        for (known, value) in &self.parameters {
            if is_extended(known.as_bytes(), name.as_bytes())
                || known == name && found.replace(value.as_str()).is_some()
            {
                return Err(Doubtful);
            }
        }
        Ok(found)
    }

    pub(crate) fn reader(&self) -> Reader {
        match self.essence.as_str() {
            "application/x-www-form-urlencoded" => Reader::Form,
            "multipart/form-data" => Reader::Multipart,
            "application/json" | "text/json" => Reader::Json,
            "text/plain" => Reader::Text,
            essence if essence.ends_with("+json") => Reader::Json,
            _ => Reader::None,
        }
    }

    /// Specificity with which a range fits: 0 is not at all.
    pub(crate) fn fits(&self, range: &str) -> u32 {
        let range = MediaType::parse(range.as_bytes());
        let (wanted_type, wanted_subtype) = range.essence.split_once('/').unwrap_or((&range.essence, "*"));
        let (own_type, own_subtype) = self.essence.split_once('/').unwrap_or((&self.essence, ""));
        let parameters_fit = range.parameters.iter().all(|(name, value)| {
            let own = self.parameter(name);
            own.is_some_and(|own| own.eq_ignore_ascii_case(value)) || (name == "charset" && own.is_none())
        });
        match (wanted_type == own_type, wanted_subtype == own_subtype) {
            _ if !parameters_fit => 0,
            (true, true) => 4 + range.parameters.len() as u32,
            (true, false) if wanted_subtype == "*" => 2,
            (false, _) if wanted_type == "*" && wanted_subtype == "*" => 1,
            _ => 0,
        }
    }

    /// The declared range that fits best.
    pub(crate) fn best<'m>(&self, declared: &'m [Media]) -> Option<&'m Media> {
        let fitting = declared.iter().map(|media| (self.fits(&media.range), media));
        // Of those that fit alike the first one counts.
        fitting.filter(|(fit, _)| *fit > 0).rev().max_by_key(|(fit, _)| *fit).map(|(_, media)| media)
    }
}

/// Splits at semicolons outside of quotes.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut is_quoted, mut is_escaped) = (Vec::new(), 0, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_quoted => is_escaped = true,
            b'"' => is_quoted = !is_quoted,
            b';' if !is_quoted => {
                parts.push(text.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text.get(start..).unwrap_or_default());
    parts
}

fn unquoted(value: &str) -> String {
    let Some(inner) = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return value.to_owned();
    };
    let mut out = String::with_capacity(inner.len());
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        out.push(if character == '\\' { characters.next().unwrap_or('\\') } else { character });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_in_two_forms_is_doubtful() {
        for (sent, expected) in [
            ("a/b; boundary=x", Ok(Some("x"))),
            ("a/b; charset=utf-8; Boundary=\"x y\"", Ok(Some("x y"))),
            ("a/b; boundaries=x", Ok(None)),
            ("a/b", Ok(None)),
            ("a/b; boundary=x; boundary=x", Err(Doubtful)),
            ("a/b; boundary=x; BOUNDARY=y", Err(Doubtful)),
            ("a/b; boundary*=utf-8''x; boundary=y", Err(Doubtful)),
            ("a/b; boundary*0=x; boundary*1=y", Err(Doubtful)),
            ("a/b; boundary=y; boundary*0*=x", Err(Doubtful)),
        ] {
            assert_eq!(MediaType::parse(sent.as_bytes()).certain_parameter("boundary"), expected, "{sent}");
        }
    }

    #[test]
    fn ranges_fit_types() {
        for (sent, range, fit) in [
            ("application/json", "application/json", 4),
            ("Application/JSON; charset=utf-8", "application/json", 4),
            ("application/json", "application/json; charset=utf-8", 5),
            ("application/json; v=1", "application/json; v=1", 5),
            ("application/json", "application/json; v=1", 0),
            ("application/json", "application/*", 2),
            ("application/json", "*/*", 1),
            ("application/vnd.x+json", "application/json", 0),
            ("text/plain", "application/*", 0),
            ("", "application/octet-stream", 4),
            ("a/b; p=\"x;y\"", "a/b; p=\"x;y\"", 5),
        ] {
            assert_eq!(MediaType::parse(sent.as_bytes()).fits(range), fit, "{sent} {range}");
        }
    }
}
