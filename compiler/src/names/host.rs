//! Host names: ASCII, compared in lower case without a final dot, never addresses. Wildcards have a type of their own.

use std::net::{Ipv4Addr, Ipv6Addr};

use waf_shared::plan::HostPattern;

use super::word::{Mistake, Word};
use crate::field::Syntax;

/// A host name, lower case, without a final dot.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Hostname(pub(crate) String);

impl Word for Hostname {
    const SYNTAX: &'static Syntax = &Syntax {
        type_name: "string",
        expects: "a valid hostname",
        pattern: r"^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?\.?$",
        words: None,
        shown: None,
    };

    fn parse(text: &str) -> Result<Hostname, Mistake> {
        let mistake = Mistake::of::<Hostname>();
        if text.starts_with("*.") {
            return Err(mistake.help("wildcards are allowed only in a route's `match.hosts`"));
        }
        let bare = text.strip_suffix('.').unwrap_or(text);
        let last = bare.rsplit('.').next().unwrap_or_default();
        let numeric = !last.is_empty() && last.bytes().all(|b| b.is_ascii_digit());
        let address = bare.trim_start_matches('[').trim_end_matches(']').parse::<Ipv6Addr>().is_ok();
        if address || (numeric && bare.split('.').all(|label| label.bytes().all(|b| b.is_ascii_digit()))) {
            return Err(mistake.help("an IP address is not a hostname"));
        }
        if !text.is_ascii() {
            return Err(mistake.help("write international names in punycode (`xn--…`)"));
        }
        if numeric || bare.len() > 253 || !bare.split('.').all(is_label) {
            return Err(match name_within(text) {
                Some(name) => mistake.help(format!("did you mean `{name}`?")),
                None => mistake,
            });
        }
        Ok(Hostname(bare.to_ascii_lowercase()))
    }
}

/// The name in a URL, or in front of a port.
fn name_within(text: &str) -> Option<String> {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let name = rest.split(['/', ':', '?', '#']).next()?;
    if name == text || text.contains('@') {
        return None;
    }
    Hostname::parse(name).ok().map(|Hostname(name)| name)
}

fn is_label(label: &str) -> bool {
    (1..=63).contains(&label.len())
        && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        && !label.starts_with('-')
        && !label.ends_with('-')
}

/// A host name or `*.` before one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HostnameOrWildcard(pub(crate) HostPattern);

impl Word for HostnameOrWildcard {
    const SYNTAX: &'static Syntax = &Syntax {
        type_name: "string",
        expects: "a valid hostname or a wildcard of the form `*.<domain>`",
        pattern: r"^(\*\.)?[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?\.?$",
        words: None,
        shown: None,
    };

    fn parse(text: &str) -> Result<HostnameOrWildcard, Mistake> {
        let (domain, wildcard) = match text.strip_prefix("*.") {
            Some(domain) => (domain, true),
            None => (text, false),
        };
        if domain.contains('*') {
            return Err(Mistake::of::<HostnameOrWildcard>());
        }
        let Hostname(name) = Hostname::parse(domain)
            .map_err(|mistake| Mistake { help: mistake.help, ..Mistake::of::<HostnameOrWildcard>() })?;
        Ok(HostnameOrWildcard(if wildcard {
            HostPattern::Subdomains(format!(".{name}"))
        } else {
            HostPattern::Exact(name)
        }))
    }
}

/// As the file would write it.
pub(crate) fn host_text(host: &HostPattern) -> String {
    match host {
        HostPattern::Exact(name) => name.clone(),
        HostPattern::Subdomains(suffix) => format!("*{suffix}"),
    }
}

/// The host of a URL: a name (underscores pass, container networks use them), an IPv4 address, or an IPv6 address in
/// brackets, which go. Lower case.
pub(super) fn url_host(text: &str) -> Option<String> {
    if let Some(inner) = text.strip_prefix('[') {
        let address: Ipv6Addr = inner.strip_suffix(']')?.parse().ok()?;
        return Some(address.to_string());
    }
    if text.parse::<Ipv4Addr>().is_ok() {
        return Some(text.to_owned());
    }
    let named = Hostname::parse(&text.replace('_', "a")).is_ok() || Hostname::parse(text).is_ok();
    named.then(|| text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostnames() {
        let long = format!("{}.example", "a".repeat(63));
        for good in ["example.com", "localhost", "EXAMPLE.com.", "xn--bcher-kva.example", "1a.2b", &long] {
            assert!(Hostname::parse(good).is_ok(), "{good}");
        }
        let label = "a".repeat(64);
        let bad = [
            "",
            ".",
            "-a.example",
            "a-.example",
            "a..b",
            "a_b",
            "1.2.3.4",
            "10.1",
            "::1",
            "[::1]",
            "a b",
            "ü.de",
        ];
        for bad in bad.iter().copied().chain(["*.example.com", "a.com:80", "http://a", "a/b", "a.1", &label])
        {
            assert!(Hostname::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(Hostname::parse("A.Example.").map(|name| name.0), Ok("a.example".to_owned()));
    }

    #[test]
    fn wildcards() {
        assert_eq!(
            HostnameOrWildcard::parse("*.Example.com").map(|host| host.0),
            Ok(HostPattern::Subdomains(".example.com".to_owned()))
        );
        for bad in ["*", "*.", "*.*.com", "a.*.com", "*a.com", "*.1.2.3.4"] {
            assert!(HostnameOrWildcard::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn hosts_of_urls() {
        for (text, host) in
            [("my_service", "my_service"), ("[::1]", "::1"), ("10.0.0.1", "10.0.0.1"), ("A.b", "a.b")]
        {
            assert_eq!(url_host(text).as_deref(), Some(host));
        }
        for bad in ["", "[::1", "::1", "1.2.3", "a b", "a,b", "%41"] {
            assert_eq!(url_host(bad), None, "{bad}");
        }
    }
}
