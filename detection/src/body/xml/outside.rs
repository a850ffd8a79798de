//! References to other documents, which a reader of the document might fetch: document types, inclusions, schemas. It knows
//! what may be named because nobody fetches it.

/// Hosts of document types and schemas that programs write into their documents and nobody fetches.
const KNOWN_HOSTS: &[&str] = &[
    "docbook.org",
    "hibernate.sourceforge.net",
    "java.sun.com",
    "mybatis.org",
    "schemas.xmlsoap.org",
    "w3.org",
    "www.apple.com",
    "www.docbook.org",
    "www.hibernate.org",
    "www.oasis-open.org",
    "www.springframework.org",
    "www.w3.org",
    "www.wapforum.org",
    "xml.apache.org",
];

const INCLUSIONS: &[u8] = b"http://www.w3.org/2001/XInclude";

/// Returns `true` if declarations may lie there: at a well-known place, or beside the document under a plain name.
pub(super) fn is_harmless(address: &[u8]) -> bool {
    let rest = address.strip_prefix(b"http://").or_else(|| address.strip_prefix(b"https://"));
    if let Some(rest) = rest {
        let host = rest.split(|byte| *byte == b'/').next().unwrap_or_default();
        return KNOWN_HOSTS.iter().any(|known| host.eq_ignore_ascii_case(known.as_bytes()));
    }
    address.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

/// Returns `true` if an attribute makes a reader fetch another document into this one.
pub(super) fn asks_for(element: &[u8], attribute: &[u8], value: &[u8]) -> bool {
    if attribute == b"xmlns" || attribute.starts_with(b"xmlns:") {
        return value == INCLUSIONS;
    }
    let (prefix, element) = parted(element);
    let (attribute_prefix, attribute) = parted(attribute);
    if attribute == b"schemaLocation" && attribute_prefix.is_some() {
        // Pairs of a namespace and a place; readers take half a pair for a place.
        let words = value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        return words.count() % 2 == 1 && !is_harmless(value);
    }
    let includes = match element {
        b"include" => matches!(attribute, b"href" | b"schemaLocation" | b"namespace"),
        b"import" | b"redefine" | b"override" => matches!(attribute, b"href" | b"schemaLocation"),
        _ => false,
    };
    let is_absolute = value.starts_with(b"/") || memchr::memmem::find(value, b"://").is_some();
    prefix.is_some() && includes && is_absolute && !is_harmless(value)
}

/// The prefix of a name and its rest.
fn parted(name: &[u8]) -> (Option<&[u8]>, &[u8]) {
    match memchr::memchr(b':', name).and_then(|at| name.split_at_checked(at)) {
        Some((prefix, rest)) => (Some(prefix), rest.get(1..).unwrap_or_default()),
        None => (None, name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_that_would_be_fetched_are_told_from_names() {
        let asks = |element: &str, attribute: &str, value: &str| {
            asks_for(element.as_bytes(), attribute.as_bytes(), value.as_bytes())
        };
        for (element, attribute, value) in [
            ("x", "xmlns:xi", "http://www.w3.org/2001/XInclude"),
            ("xi:include", "href", "file:///etc/passwd"),
            ("xs:include", "namespace", "http://evil.example/"),
            ("xs:import", "schemaLocation", "https://evil.example/x.xsd"),
            ("xsl:import", "href", "/etc/passwd"),
            ("x", "xsi:schemaLocation", "http://evil.example/"),
        ] {
            assert!(asks(element, attribute, value), "{element} {attribute} {value}");
        }
        for (element, attribute, value) in [
            ("x", "xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance"),
            ("urlset", "xsi:schemaLocation", "http://a.example/s http://a.example/s.xsd"),
            ("xs:import", "namespace", "http://shop.example/types"),
            ("xs:import", "schemaLocation", "http://www.w3.org/2001/xml.xsd"),
            ("xs:include", "schemaLocation", "types.xsd"),
            ("include", "file", "/var/log/x"),
            ("a", "href", "https://shop.example/"),
        ] {
            assert!(!asks(element, attribute, value), "{element} {attribute} {value}");
        }
    }
}
