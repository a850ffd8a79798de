//! Restricted fields that a request may carry after all: those that another protection judges, and those of WebDAV where
//! they follow their grammar on a method that uses them (RFC 4918 sections 10.4 and 10.5).

/// Fields that ask for another method; the data plane holds them to the methods that a route accepts.
const METHOD_OVERRIDES: &[&str] = &["x-http-method", "x-http-method-override", "x-method-override"];

/// Methods that `If` applies to.
const CONDITIONAL: &[&[u8]] = &[
    b"PUT",
    b"DELETE",
    b"PATCH",
    b"PROPFIND",
    b"PROPPATCH",
    b"MKCOL",
    b"MKCALENDAR",
    b"COPY",
    b"MOVE",
    b"LOCK",
    b"UNLOCK",
    b"ACL",
    b"REPORT",
    b"SEARCH",
    b"BIND",
    b"UNBIND",
    b"REBIND",
    b"ORDERPATCH",
];

/// Returns `true` if a request with `method` may carry the restricted field `name`, spelt with hyphens.
pub(super) fn is_exempt(method: &[u8], name: &[u8], value: &[u8]) -> bool {
    let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
    if is("if") {
        return CONDITIONAL.contains(&method) && is_condition(value);
    }
    if is("lock-token") {
        return method == b"UNLOCK" && coded_url(value.trim_ascii()).is_some_and(<[u8]>::is_empty);
    }
    METHOD_OVERRIDES.iter().any(|known| is(known))
}

/// `1*No-tag-list | 1*Tagged-list`: lists of conditions, each behind the resource that it is about or none of them.
fn is_condition(value: &[u8]) -> bool {
    let mut rest = value.trim_ascii();
    let is_tagged = rest.starts_with(b"<");
    if rest.is_empty() {
        return false;
    }
    while !rest.is_empty() {
        if is_tagged {
            let Some(behind) = resource(rest) else { return false };
            rest = behind.trim_ascii_start();
        }
        let Some(behind) = list(rest) else { return false };
        rest = behind.trim_ascii_start();
        while is_tagged && rest.starts_with(b"(") {
            let Some(behind) = list(rest) else { return false };
            rest = behind.trim_ascii_start();
        }
    }
    true
}

/// `"(" 1*( ["Not"] ( Coded-URL | "[" entity-tag "]" ) ) ")"`; returns what is behind it.
fn list(text: &[u8]) -> Option<&[u8]> {
    let mut rest = text.strip_prefix(b"(")?.trim_ascii_start();
    let mut conditions = 0;
    while !rest.starts_with(b")") {
        if rest.get(..3).is_some_and(|word| word.eq_ignore_ascii_case(b"not")) {
            rest = rest.get(3..)?.trim_ascii_start();
        }
        rest = match rest.first()? {
            b'<' => coded_url(rest)?,
            b'[' => entity_tag(rest.get(1..)?.trim_ascii_start())?.trim_ascii_start().strip_prefix(b"]")?,
            _ => return None,
        };
        rest = rest.trim_ascii_start();
        conditions += 1;
    }
    (conditions > 0).then(|| rest.get(1..).unwrap_or_default())
}

/// `"<" ( absolute-URI | path-absolute [ "?" query ] ) ">"`.
fn resource(text: &[u8]) -> Option<&[u8]> {
    if text.get(1) == Some(&b'/') && text.get(2) != Some(&b'/') {
        return enclosed(text).map(|(_, rest)| rest);
    }
    coded_url(text)
}

/// `"<" absolute-URI ">"`.
fn coded_url(text: &[u8]) -> Option<&[u8]> {
    let (inner, rest) = enclosed(text)?;
    let colon = memchr::memchr(b':', inner)?;
    let (scheme, behind) = inner.split_at_checked(colon)?;
    let is_scheme = scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte));
    (is_scheme && behind.len() > 1).then_some(rest)
}

/// The text between `<` and `>`, made of characters of a URI (RFC 3986 section 2), and what is behind it.
fn enclosed(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.strip_prefix(b"<")?;
    let (inner, rest) = text.split_at_checked(memchr::memchr(b'>', text)?)?;
    let is_uri = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~%:/?[]@!$&'()*+,;=".contains(byte);
    (!inner.is_empty() && inner.iter().all(is_uri)).then(|| (inner, rest.get(1..).unwrap_or_default()))
}

/// `[ "W/" ] DQUOTE *etagc DQUOTE`.
fn entity_tag(text: &[u8]) -> Option<&[u8]> {
    let text = text.strip_prefix(b"W/").unwrap_or(text).strip_prefix(b"\"")?;
    let (tag, rest) = text.split_at_checked(memchr::memchr(b'"', text)?)?;
    let is_tag = |byte: &u8| *byte == 0x21 || (0x23..=0x7e).contains(byte) || *byte >= 0x80;
    tag.iter().all(is_tag).then(|| rest.get(1..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exempt(method: &str, name: &str, value: &str) -> bool {
        is_exempt(method.as_bytes(), name.as_bytes(), value.as_bytes())
    }

    #[test]
    fn conditions_of_webdav_pass_on_its_methods() {
        for value in [
            "(<urn:uuid:181d4fae-7d8c-11d0-a765-00a0c91e6bf2> [\"I am an ETag\"])",
            "(<opaquelocktoken:a>)",
            "(Not <urn:uuid:181d4fae> <urn:uuid:58f202ac>)",
            "(<urn:uuid:a>) (Not <DAV:no-lock>)",
            "</resource1> (<urn:uuid:a> [W/\"A weak ETag\"]) ([\"strong ETag\"])",
            "<http://www.shop.example/users/f.html> (<opaquelocktoken:a>) </a?b=c> ([\"1\"])",
        ] {
            // A space is no character of an entity tag, and yet the example of the RFC has some.
            let value = value
                .replace("I am an ETag", "etag")
                .replace("A weak ETag", "weak")
                .replace("strong ETag", "s");
            for method in ["PUT", "DELETE", "PROPPATCH", "MOVE", "LOCK", "UNLOCK"] {
                assert!(exempt(method, "If", &value), "{method} {value}");
            }
            assert!(!exempt("GET", "If", &value) && !exempt("POST", "If", &value), "{value}");
        }
        assert!(exempt("UNLOCK", "Lock-Token", "<urn:uuid:181d4fae-7d8c-11d0-a765-00a0c91e6bf2>"));
    }

    #[test]
    fn what_breaks_the_grammar_stays_restricted() {
        for value in [
            "",
            "()",
            "(Not)",
            "(<>)",
            "(<no-scheme>)",
            "(<urn:uuid:a>",
            "(<urn:uuid:a>) x",
            "<urn:uuid:a>",
            "(<urn:x y>)",
            "([etag])",
            "(<script:alert(1)><b>)",
            "(<urn:a>) </tagged> (<urn:b>)",
        ] {
            assert!(!exempt("PUT", "if", value), "{value}");
        }
        assert!(!exempt("UNLOCK", "Lock-Token", "<opaquelocktoken:a> x"));
        assert!(!exempt("GET", "Lock-Token", "<opaquelocktoken:a>"));
        assert!(!exempt("PUT", "Proxy", "(<urn:uuid:a>)"));
        assert!(!exempt("POST", "x_http_method_override", "PUT"));
    }
}
