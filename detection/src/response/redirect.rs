//! Open redirects: a `Location` on another host than the request's, when a request parameter names that host.

use super::Asked;

/// Longer names are no hosts (RFC 1035 section 2.3.4).
const HOST_BYTES_MAX: usize = 255;
/// Bytes of parameters that are decoded and read.
const PARAMETERS_BYTES_MAX: usize = 64 << 10;

/// Returns `true` if `location` leads to a foreign host that the client named.
pub(super) fn is_open(asked: &Asked<'_>, location: &[u8]) -> bool {
    let Some(foreign) = host_of(location) else { return false };
    let own = without_port(asked.host).to_ascii_lowercase();
    if foreign == own.strip_suffix(b".").unwrap_or(&own) {
        return false;
    }
    [asked.query, asked.body].into_iter().any(|parameters| {
        let mut text =
            parameters.get(..parameters.len().min(PARAMETERS_BYTES_MAX)).unwrap_or_default().to_vec();
        // An application may decode once more than the server before it.
        for _ in 0..3 {
            if names(&text, &foreign) {
                return true;
            }
            let decoded = percent_decode(&text);
            if decoded == text {
                return false;
            }
            text = decoded;
        }
        names(&text, &foreign)
    })
}

/// The host that a browser goes to, in lower case without a final dot; `None` when it stays.
fn host_of(location: &[u8]) -> Option<Vec<u8>> {
    // Browsers leave out tabs and line breaks, and read a backslash as a slash.
    let mut text: Vec<u8> = location
        .iter()
        .filter(|byte| !matches!(byte, b'\t' | b'\r' | b'\n'))
        .map(|byte| if *byte == b'\\' { b'/' } else { *byte })
        .collect();
    let start = text.iter().position(|byte| *byte > b' ')?;
    text.drain(..start);
    let scheme = text.iter().take_while(|b| b.is_ascii_alphanumeric() || b"+.-".contains(b)).count();
    let rest = match text.get(scheme) {
        Some(b':') if scheme > 0 => {
            let name = text.get(..scheme)?;
            let web = name.eq_ignore_ascii_case(b"http") || name.eq_ignore_ascii_case(b"https");
            let rest = text.get(scheme + 1..)?;
            // Web schemes need no slashes for browsers; others do.
            if !web && !rest.starts_with(b"//") {
                return None;
            }
            rest
        }
        _ if text.starts_with(b"//") => &text,
        _ => return None,
    };
    let slashes = rest.iter().take_while(|byte| **byte == b'/').count();
    let authority = rest.get(slashes..)?.split(|byte| matches!(byte, b'/' | b'?' | b'#')).next()?;
    let host = authority.rsplit(|byte| *byte == b'@').next()?;
    let host = without_port(host).to_ascii_lowercase();
    let host = host.strip_suffix(b".").map(<[u8]>::to_vec).unwrap_or(host);
    (!host.is_empty() && host.len() <= HOST_BYTES_MAX).then_some(host)
}

fn without_port(host: &[u8]) -> &[u8] {
    if host.starts_with(b"[") {
        let end = host.iter().position(|byte| *byte == b']').map_or(host.len(), |at| at + 1);
        return host.get(..end).unwrap_or(host);
    }
    host.split(|byte| *byte == b':').next().unwrap_or(host)
}

/// Returns `true` if `host` stands in `text` as a name of its own.
fn names(text: &[u8], host: &[u8]) -> bool {
    let text = text.to_ascii_lowercase();
    let belongs = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    memchr::memmem::find_iter(&text, host).any(|at| {
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        let mut after = text.get(at + host.len()..).unwrap_or_default();
        after = after.strip_prefix(b".").unwrap_or(after);
        !before.is_some_and(belongs) && !after.first().is_some_and(belongs)
    })
}

fn percent_decode(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, behind)) = rest.split_first() {
        let digit = |at: usize| behind.get(at).and_then(|b| char::from(*b).to_digit(16));
        match (byte, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high << 4 | low) as u8);
                rest = behind.get(2..).unwrap_or_default();
            }
            _ => {
                out.push(byte);
                rest = behind;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(query: &str, location: &str) -> bool {
        let asked = Asked { host: b"shop.example:8080", query: query.as_bytes(), ..Asked::default() };
        is_open(&asked, location.as_bytes())
    }

    #[test]
    fn a_foreign_host_from_a_parameter_is_open() {
        for (query, location) in [
            ("next=https://evil.example/x", "https://evil.example/x"),
            ("next=//evil.example", "//evil.example"),
            ("next=%2F%2Fevil.example%2F", "https://evil.example/"),
            ("next=%252F%252Fevil.example", "//evil.example"),
            ("host=evil.example", "https://evil.example/welcome"),
            ("next=https:%5C%5Cevil.example", "https:\\\\evil.example"),
            ("next=https://shop.example@evil.example/", "https://shop.example@evil.example/"),
            ("next=https://EVIL.example:444/", "https://evil.EXAMPLE.:444/"),
            ("a=1&next=https:evil.example", "https:evil.example"),
            ("u=http://203.0.113.9/", "http://203.0.113.9/"),
        ] {
            assert!(open(query, location), "{query} {location}");
        }
    }

    #[test]
    fn other_redirects_are_not() {
        for (query, location) in [
            ("next=/account", "/account"),
            ("next=https://shop.example/account", "https://shop.example/account"),
            ("next=https://shop.example/account", "http://SHOP.example:443/account"),
            ("q=evil", "https://partner.example/evil"),
            ("", "https://login.example/"),
            ("next=https://notevil.example/", "https://evil.example/"),
            ("next=https://evil.example.org/", "https://evil.example/"),
            ("next=mailto:a@b.example", "mailto:a@b.example"),
        ] {
            assert!(!open(query, location), "{query} {location}");
        }
    }
}
