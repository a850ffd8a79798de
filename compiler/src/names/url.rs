//! URLs of upstreams and origins of cross-origin sharing.

use waf_shared::plan::{Scheme, Upstream};

use super::host::url_host;
use super::word::{Mistake, Word, is_path};
use crate::diagnostic::quoted;
use crate::field::Syntax;

/// Target of a route's forwarding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UpstreamUrl(pub(crate) Upstream);

impl Word for UpstreamUrl {
    const SYNTAX: &'static Syntax = &Syntax {
        type_name: "URL string",
        expects: "a valid `http://` or `https://` URL",
        pattern: r"^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@\s]+(/[^?#\s]*)?$",
        words: None,
        shown: Some(without_credentials),
    };

    fn parse(text: &str) -> Result<UpstreamUrl, Mistake> {
        let mistake = Mistake::of::<UpstreamUrl>();
        let Some((scheme, rest)) = split_scheme(text) else {
            let with_scheme = format!("http://{text}");
            let is_rest = !text.contains("://")
                && text.contains([':', '/'])
                && UpstreamUrl::parse(&with_scheme).is_ok();
            return Err(if is_rest {
                mistake.help(format!("did you mean `{with_scheme}`?"))
            } else {
                mistake
            });
        };
        if rest.contains(['?', '#']) {
            return Err(mistake.help("it must have no query and no fragment"));
        }
        let (authority, path) = match rest.find('/') {
            Some(at) => rest.split_at(at),
            None => (rest, "/"),
        };
        if authority.contains('@') {
            return Err(mistake.help("it must not contain credentials"));
        }
        let Some((host, port)) = split_port(authority) else { return Err(port_advice(mistake, authority)) };
        let Some(host) = url_host(host) else { return Err(mistake) };
        if !is_path(path) {
            return Err(mistake.help("its path contains characters that need percent-encoding"));
        }
        let default = default_port(scheme);
        let port = port.unwrap_or(default);
        let shown = if host.contains(':') { format!("[{host}]") } else { host.clone() };
        let authority = if port == default { shown } else { format!("{shown}:{port}") };
        let base_path = path.trim_end_matches('/').to_owned();
        Ok(UpstreamUrl(Upstream { scheme, host, port, base_path, authority }))
    }
}

/// `url` as a message quotes it: the text in front of an `@` may be a password.
pub(crate) fn without_credentials(url: &str) -> String {
    let start = url.find("://").map_or(0, |at| at + 3);
    let (scheme, rest) = url.split_at_checked(start).unwrap_or(("", url));
    let authority = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest.get(..authority).and_then(|authority| authority.rfind('@')) {
        Some(at) => quoted(&format!("{scheme}…{}", rest.get(at..).unwrap_or_default())),
        None => quoted(url),
    }
}

fn split_scheme(text: &str) -> Option<(Scheme, &str)> {
    let (scheme, rest) = text.split_once("://")?;
    match scheme.to_ascii_lowercase().as_str() {
        "http" => Some((Scheme::Http, rest)),
        "https" => Some((Scheme::Https, rest)),
        _ => None,
    }
}

fn default_port(scheme: Scheme) -> u16 {
    match scheme {
        Scheme::Http => 80,
        Scheme::Https => 443,
    }
}

/// Host and port, if one is given; `None` when the port is not a port.
fn split_port(authority: &str) -> Option<(&str, Option<u16>)> {
    let after_host = authority.rfind(']').map_or(0, |at| at + 1);
    let (_, tail) = authority.split_at_checked(after_host)?;
    let Some(colon) = tail.find(':') else { return Some((authority, None)) };
    let (host, port) = authority.split_at_checked(after_host + colon)?;
    let digits = port.strip_prefix(':')?;
    let number: u16 = digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())??;
    (number > 0).then_some((host, Some(number)))
}

/// The range of ports, where the port alone is at fault.
fn port_advice(mistake: Mistake, authority: &str) -> Mistake {
    let port = authority.rsplit_once(':').map_or("", |(_, port)| port);
    let is_number = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { mistake.help("its port must be 1-65535") } else { mistake }
}

/// A serialised origin (RFC 6454), or `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin(pub(crate) String);

impl Word for Origin {
    const SYNTAX: &'static Syntax = &Syntax {
        type_name: "string",
        expects: "an origin (`https://host` or `https://host:port`) or `*`",
        pattern: r"^(\*|[A-Za-z][A-Za-z0-9+.-]*://[^/?#@\s]+)$",
        words: None,
        shown: None,
    };

    fn parse(text: &str) -> Result<Origin, Mistake> {
        if text == "*" {
            return Ok(Origin(text.to_owned()));
        }
        let mistake = Mistake::of::<Origin>();
        let Some((scheme, authority)) = text.split_once("://") else { return Err(mistake) };
        if authority.ends_with('/') {
            return Err(mistake.help("an origin has no path, not even `/`"));
        }
        let scheme = scheme.to_ascii_lowercase();
        let named = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
        let Some((host, port)) = split_port(authority) else { return Err(port_advice(mistake, authority)) };
        let (true, Some(host)) = (named, url_host(host)) else { return Err(mistake) };
        let host = if host.contains(':') { format!("[{host}]") } else { host };
        let default = match scheme.as_str() {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        };
        Ok(Origin(match port {
            Some(port) if Some(port) != default => format!("{scheme}://{host}:{port}"),
            _ => format!("{scheme}://{host}"),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upstreams() {
        let authority = |text: &str| UpstreamUrl::parse(text).map(|url| url.0.authority).ok();
        let good = [
            ("http://app", "app"),
            ("http://app:80/", "app"),
            ("https://app:443", "app"),
            ("https://App:8443/base/", "app:8443"),
            ("http://[::1]:8080/x", "[::1]:8080"),
            ("HTTP://10.0.0.1:9000", "10.0.0.1:9000"),
            ("http://my_service:1", "my_service:1"),
        ];
        for (text, expected) in good {
            assert_eq!(authority(text).as_deref(), Some(expected), "{text}");
        }
        let bad = [
            "",
            "app",
            "app:8080",
            "ftp://a",
            "http://",
            "http:///x",
            "http://a:0",
            "http://a:65536",
            "http://a:",
        ];
        let worse = [
            "http://u@a",
            "http://a?x",
            "http://a#x",
            "http://a b",
            "http://a/b c",
            "http://a:+80",
            "//a",
            "http://a/%zz",
        ];
        for text in bad.into_iter().chain(worse) {
            assert_eq!(authority(text), None, "{text}");
        }
        let parsed = UpstreamUrl::parse("http://a/b/c/").map(|url| url.0.base_path);
        assert_eq!(parsed, Ok("/b/c".to_owned()));
    }

    #[test]
    fn mistakes_of_upstreams_have_advice() {
        let help = |text: &str| UpstreamUrl::parse(text).err().and_then(|mistake| mistake.help);
        for (text, expected) in [
            ("http://a:65536", Some("its port must be 1-65535")),
            ("https://[::1]:0", Some("its port must be 1-65535")),
            ("app:8080", Some("did you mean `http://app:8080`?")),
            ("127.0.0.1:3000/base", Some("did you mean `http://127.0.0.1:3000/base`?")),
            ("ftp://a", None),
            ("http://a:x", None),
            ("u:p@a", None),
            ("app", None),
        ] {
            assert_eq!(help(text).as_deref(), expected, "{text}");
        }
        let help = Origin::parse("https://a:70000").err().and_then(|mistake| mistake.help);
        assert_eq!(help.as_deref(), Some("its port must be 1-65535"));
    }

    #[test]
    fn origins() {
        let origin = |text: &str| Origin::parse(text).map(|origin| origin.0).ok();
        for (text, expected) in [
            ("*", "*"),
            ("https://A.example", "https://a.example"),
            ("https://a.example:443", "https://a.example"),
            ("http://localhost:3000", "http://localhost:3000"),
        ] {
            assert_eq!(origin(text).as_deref(), Some(expected));
        }
        for bad in [
            "",
            "null",
            "a.example",
            "https://a/",
            "https://a/b",
            "https://*.a",
            "https://",
            "https://a:x",
            "**",
        ] {
            assert_eq!(origin(bad), None, "{bad}");
        }
    }
}
