//! An authority as an event's URL fields show it: host and port apart, a password masked. It reads what was sent,
//! malformed values too, so that host, port and whole URL of one event always agree.

use std::borrow::Cow;

use super::mask;
use super::text;

/// Bytes of an authority that are shown: a name, a port and a masked password have fewer.
const BYTES_MAX: usize = 300;

/// Bytes of a host name (RFC 1035, 2.3.4).
const NAME_BYTES_MAX: usize = 255;

/// Bytes that would end an authority, and are encoded where one that was sent has them.
const DELIMITERS: &[u8] = b"/?#\\ ";

/// Host and port (RFC 3986, 3.2) of what was sent as an authority.
#[derive(Debug)]
pub(super) struct Authority<'a> {
    /// All of it, with a password masked.
    whole: Cow<'a, [u8]>,
    /// Bytes of `whole` before the port.
    host_bytes: usize,
    /// The port; none where it is no number of one.
    pub(super) port: Option<u16>,
}

impl<'a> Authority<'a> {
    /// Reads `sent`; `None` where it is empty. Without a port it is the one of the scheme.
    pub(super) fn read(sent: &'a [u8], port_of_scheme: u16) -> Option<Authority<'a>> {
        let whole = without_password(text::cut(sent.trim_ascii(), BYTES_MAX));
        if whole.is_empty() {
            return None;
        }
        let (host_bytes, port) = match split(&whole) {
            Some((host_bytes, b"")) => (host_bytes, Some(port_of_scheme)),
            Some((host_bytes, digits)) => match number(digits) {
                Some(port) => (host_bytes, Some(port)),
                None => (whole.len(), None),
            },
            None => (whole.len(), None),
        };
        Some(Authority { whole, host_bytes, port })
    }

    /// The host, where it is a valid name, without its final dot.
    pub(super) fn name(&self) -> Option<&'a str> {
        match self.whole {
            Cow::Borrowed(whole) => valid_name(whole.get(..self.host_bytes)?),
            Cow::Owned(_) => None,
        }
    }

    /// The host as it was sent, brackets included.
    pub(super) fn host(&self) -> String {
        text::url(self.whole.get(..self.host_bytes).unwrap_or_default(), 6 * BYTES_MAX).into_owned()
    }

    /// All of it as a part of a URL.
    pub(super) fn in_url(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.whole.len());
        for byte in self.whole.iter() {
            if DELIMITERS.contains(byte) {
                out.extend_from_slice(format!("%{byte:02X}").as_bytes());
            } else {
                out.push(*byte);
            }
        }
        out
    }
}

/// An authority whose userinfo is masked.
pub(super) fn without_password(authority: &[u8]) -> Cow<'_, [u8]> {
    match memchr::memrchr(b'@', authority).and_then(|at| authority.get(at..)) {
        Some(host) => Cow::Owned([mask::MASK.as_bytes(), host].concat()),
        None => Cow::Borrowed(authority),
    }
}

/// Reports whether `name` is a host name as OCSF defines it, and that name without its final dot.
pub(super) fn valid_name(name: &[u8]) -> Option<&str> {
    let name = name.strip_suffix(b".").unwrap_or(name);
    let label = |label: &[u8]| {
        let edge = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        edge(label.first())
            && edge(label.last())
            && label.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
    };
    let valid = name.len() <= NAME_BYTES_MAX && name.split(|byte| *byte == b'.').all(label);
    if valid { std::str::from_utf8(name).ok() } else { None }
}

/// Length of the part before the port, and the port; `None` where nobody can tell them apart.
fn split(whole: &[u8]) -> Option<(usize, &[u8])> {
    let userinfo = memchr::memrchr(b'@', whole).map_or(0, |at| at + 1);
    let host = whole.get(userinfo..)?;
    let host_bytes = match host.first() {
        // An address of IPv6 has colons of its own.
        Some(b'[') => memchr::memchr(b']', host)? + 1,
        _ => memchr::memchr(b':', host).unwrap_or(host.len()),
    };
    let port = match host.get(host_bytes..)? {
        [] => &[],
        [b':', digits @ ..] => digits,
        _ => return None,
    };
    Some((userinfo + host_bytes, port))
}

fn number(digits: &[u8]) -> Option<u16> {
    let digits = Some(digits).filter(|digits| digits.iter().all(u8::is_ascii_digit))?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use super::*;

    #[test]
    fn host_and_port_are_told_apart_as_sent() {
        for (sent, host, port, in_url) in [
            ("shop.example", "shop.example", Some(80), "shop.example"),
            ("shop.example:8080", "shop.example", Some(8080), "shop.example:8080"),
            ("shop.example:", "shop.example", Some(80), "shop.example:"),
            ("Shop.Example.:0", "Shop.Example.", Some(0), "Shop.Example.:0"),
            ("192.0.2.1:65535", "192.0.2.1", Some(65_535), "192.0.2.1:65535"),
            ("[2001:db8::1]", "[2001:db8::1]", Some(80), "[2001:db8::1]"),
            ("[2001:db8::1]:8443", "[2001:db8::1]", Some(8443), "[2001:db8::1]:8443"),
            ("[fe80::1%25eth0]:1", "[fe80::1%25eth0]", Some(1), "[fe80::1%25eth0]:1"),
            ("my_host:81", "my_host", Some(81), "my_host:81"),
            ("a b:81", "a b", Some(81), "a%20b:81"),
            ("a/b?c#d", "a/b?c#d", Some(80), "a%2Fb%3Fc%23d"),
            ("u:pw@a.example:81", "***@a.example", Some(81), "***@a.example:81"),
            ("u:pw@[::1]:81", "***@[::1]", Some(81), "***@[::1]:81"),
            ("a:65536", "a:65536", None, "a:65536"),
            ("a:8o", "a:8o", None, "a:8o"),
            ("2001:db8::1", "2001:db8::1", None, "2001:db8::1"),
            ("[::1", "[::1", None, "[::1"),
            ("[::1]x", "[::1]x", None, "[::1]x"),
            (" a.example ", "a.example", Some(80), "a.example"),
        ] {
            let read = Authority::read(sent.as_bytes(), 80).unwrap();
            assert_eq!((read.host().as_str(), read.port), (host, port), "{sent}");
            assert_eq!(read.in_url(), in_url.as_bytes(), "{sent}");
        }
        assert!(Authority::read(b" ", 80).is_none() && Authority::read(b"", 80).is_none());
    }

    #[test]
    fn names_are_valid_or_none() {
        for (sent, name) in [
            ("A.example.:1", Some("A.example")),
            ("192.0.2.1", Some("192.0.2.1")),
            ("[::1]", None),
            ("my_host", None),
            ("-a.example", None),
            ("u@a.example", None),
            ("a.example:x", None),
        ] {
            assert_eq!(Authority::read(sent.as_bytes(), 80).unwrap().name(), name, "{sent}");
        }
    }

    #[test]
    fn no_host_is_long() {
        let read = Authority::read(&[0xff; 5_000], 80).map(|read| read.host().len());
        assert_eq!(read, Some(3 * BYTES_MAX));
    }
}
