//! Address of metrics: a plain `http` URL. It knows no sockets.

use std::fmt;
use std::str::FromStr;

use http::Uri;
use http::uri::PathAndQuery;

/// Path of the metrics where the URL names none.
const METRICS: &str = "/metrics";

/// An `http` URL, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// As in `Host`.
    authority: String,
    /// A name, or an address without brackets.
    host: String,
    port: u16,
    /// Path and query.
    target: String,
}

impl Address {
    /// Metrics on a port of this machine.
    pub(super) fn of_port(port: u16) -> Address {
        let host = "127.0.0.1".to_owned();
        Address { authority: format!("{host}:{port}"), host, port, target: METRICS.to_owned() }
    }

    /// Value of `Host` (RFC 9110 section 7.2).
    pub(super) fn authority(&self) -> &str {
        &self.authority
    }

    /// Name or address, and port, to connect to.
    pub(super) fn peer(&self) -> (&str, u16) {
        (&self.host, self.port)
    }

    /// Path and query as they stand in a request line.
    pub(super) fn target(&self) -> &str {
        &self.target
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}{}", self.authority, self.target)
    }
}

impl FromStr for Address {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let uri: Uri = text.parse().map_err(|_| "no URL such as http://127.0.0.1:9091/metrics")?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err("no URL such as http://127.0.0.1:9091/metrics");
        };
        if scheme != "http" {
            return Err("metrics are served over plain http");
        }
        if authority.as_str().contains('@') {
            return Err("metrics ask for no user name");
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        // The library takes a port that is too large for none.
        let behind = authority.as_str().strip_prefix(authority.host()).unwrap_or_default();
        let port = match behind.strip_prefix(':') {
            Some(port) => port.parse().map_err(|_| "no port from 1 to 65535")?,
            None => 80,
        };
        if host.is_empty() || port == 0 {
            return Err("neither host nor port may be missing");
        }
        let target = uri.path_and_query().map_or("/", PathAndQuery::as_str);
        Ok(Self {
            authority: authority.as_str().to_owned(),
            host: host.to_owned(),
            port,
            target: if target == "/" { METRICS } else { target }.to_owned(),
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use super::*;

    #[test]
    fn urls_are_taken_apart() {
        for (text, peer, target, shown) in [
            (
                "http://127.0.0.1:9090/metrics",
                ("127.0.0.1", 9090),
                "/metrics",
                "http://127.0.0.1:9090/metrics",
            ),
            ("http://localhost:9090", ("localhost", 9090), "/metrics", "http://localhost:9090/metrics"),
            ("http://[::1]:9090/", ("::1", 9090), "/metrics", "http://[::1]:9090/metrics"),
            ("HTTP://waf/m?of=one", ("waf", 80), "/m?of=one", "http://waf/m?of=one"),
        ] {
            let address: Address = text.parse().unwrap();
            assert_eq!((address.peer(), address.target()), (peer, target), "{text}");
            assert_eq!(address.to_string(), shown);
        }
    }

    #[test]
    fn a_port_is_asked_on_this_machine() {
        let parsed: Address = "http://127.0.0.1:9091/metrics".parse().unwrap();
        assert_eq!(Address::of_port(9091), parsed);
    }

    #[test]
    fn what_cannot_be_asked_is_refused() {
        for text in [
            "",
            "9090",
            "/metrics",
            "localhost:9090",
            "https://waf:9090/metrics",
            "ftp://waf/",
            "http://",
            "http://:9090/",
            "http://waf:0/",
            "http://waf:65536/",
            "http://user:secret@waf:9090/",
            "http://waf:9090/ metrics",
            "http://w\u{e4}f/",
        ] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }
}
