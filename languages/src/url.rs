//! URLs inside values, read as leniently as the clients that would fetch them: with one slash or none, backslashes, user
//! names that look like hosts. [`mod@host`] says where one leads. It knows bytes alone, neither places nor rules.

mod fold;
mod host;

pub use host::{Address, AddressClass, host};

/// Longest scheme.
const SCHEME_BYTES_MAX: usize = 16;
/// URLs of one value that are looked at.
const URLS_MAX: usize = 64;

/// A URL in a value.
#[derive(Debug, Clone, Copy)]
pub struct Url<'a> {
    /// Where its scheme begins.
    pub offset: usize,
    /// The scheme, without its colon.
    pub scheme: &'a [u8],
    /// Slashes and backslashes between the scheme and the host.
    pub slashes: usize,
    /// What stands before an `@` in the authority.
    pub user: &'a [u8],
    /// The host as written, without user name and port.
    pub host: &'a [u8],
    /// What follows the host and its port.
    pub rest: &'a [u8],
    /// Whether a backslash stands where a URL has none.
    pub backslash: bool,
}

impl Url<'_> {
    /// The path's last name and whether a query follows.
    pub fn file(&self) -> &[u8] {
        let end = self.rest.iter().position(|byte| matches!(byte, b'?' | b'#')).unwrap_or(self.rest.len());
        let path = self.rest.get(..end).unwrap_or_default();
        path.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
    }

    /// Whether a query with a named argument follows the path.
    pub fn has_arguments(&self) -> bool {
        let query =
            memchr::memchr(b'?', self.rest).and_then(|at| self.rest.get(at + 1..)).unwrap_or_default();
        memchr::memchr(b'=', query).is_some_and(|at| at > 0)
    }
}

/// The URL that a value begins with: `scheme://host`, also `http:host` and `http:/host` for schemes of the web.
pub fn at_start(bytes: &[u8]) -> Option<Url<'_>> {
    let spaces =
        bytes.iter().take_while(|byte| byte.is_ascii_whitespace() || matches!(byte, b'\'' | b'"')).count();
    // An archive's or a wrapper's scheme may stand before that of the address.
    let boxed = [&b"jar:"[..], b"url:"].iter().any(|name| {
        bytes.get(spaces..spaces + name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name))
    });
    let spaces = if boxed { spaces + 4 } else { spaces };
    let value = bytes.get(spaces..)?;
    let scheme = value.iter().take(SCHEME_BYTES_MAX).take_while(|byte| is_scheme(**byte)).count();
    let (scheme, after) = value.split_at_checked(scheme)?;
    let after = after.strip_prefix(b":")?;
    let web = [&b"http"[..], b"https", b"ftp", b"ws", b"wss"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(scheme));
    let slashes = after.iter().take(4).take_while(|byte| matches!(byte, b'/' | b'\\')).count();
    if scheme.is_empty() || !(web || slashes >= 2) {
        return None;
    }
    Some(read(spaces, scheme, slashes, after.get(slashes..)?))
}

/// Hands every `scheme://host` in `bytes` to `found`.
pub fn each<'a>(bytes: &'a [u8], mut found: impl FnMut(Url<'a>)) {
    for at in memchr::memmem::find_iter(bytes, b"://").take(URLS_MAX) {
        let head = bytes.get(at.saturating_sub(SCHEME_BYTES_MAX)..at).unwrap_or_default();
        let length = head.iter().rev().take_while(|byte| is_scheme(**byte)).count();
        let scheme = head.get(head.len() - length..).unwrap_or_default();
        let after = bytes.get(at + 3..).unwrap_or_default();
        let more = after.iter().take(2).take_while(|byte| matches!(byte, b'/' | b'\\')).count();
        found(read(at - length, scheme, 2 + more, after.get(more..).unwrap_or_default()));
    }
}

/// The host, port and rest of an authority that stands without a scheme: `localhost/`, `127.0.0.1:80`.
pub fn bare(bytes: &[u8]) -> Url<'_> {
    read(0, b"", 0, bytes)
}

fn read<'a>(offset: usize, scheme: &'a [u8], slashes: usize, after: &'a [u8]) -> Url<'a> {
    let end = after
        .iter()
        .position(|byte| {
            matches!(byte, b'/' | b'?' | b'#' | b'\\' | b'"' | b'\'' | b'<' | b'>')
                || byte.is_ascii_whitespace()
        })
        .unwrap_or(after.len());
    let (authority, rest) = after.split_at_checked(end).unwrap_or_default();
    let backslash = rest.first() == Some(&b'\\');
    let (user, host) = match memchr::memrchr(b'@', authority).and_then(|at| authority.split_at_checked(at)) {
        Some((user, host)) => (user, host.get(1..).unwrap_or_default()),
        None => (&[][..], authority),
    };
    Url { offset, scheme, slashes, user, host: without_port(host), rest, backslash }
}

fn without_port(host: &[u8]) -> &[u8] {
    let host = match host.first() {
        Some(b'[') => {
            let end = memchr::memchr(b']', host).map_or(host.len(), |end| end + 1);
            host.get(..end)
        }
        // More than one colon is an address of version 6 that lacks its brackets.
        _ if memchr::memchr(b':', host) == memchr::memrchr(b':', host) => {
            host.split(|byte| *byte == b':').next()
        }
        _ => Some(host),
    }
    .unwrap_or_default();
    let end =
        host.iter().rposition(|byte| !matches!(byte, b'!' | b',' | b';' | b')')).map_or(0, |last| last + 1);
    host.get(..end).unwrap_or_default()
}

fn is_scheme(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: &str, host: &str, slashes: usize) {
        let url = at_start(value.as_bytes()).unwrap_or_else(|| panic!("{value}"));
        assert_eq!((String::from_utf8_lossy(url.host).as_ref(), url.slashes), (host, slashes), "{value}");
    }

    #[test]
    fn urls_are_read_as_clients_do() {
        check("http://a.example:80/x", "a.example", 2);
        check("http:127.0.0.1", "127.0.0.1", 0);
        check("http:/2852039166", "2852039166", 1);
        check("http://user:pw@[::1]:80/", "[::1]", 2);
        check("gopher://localhost:25/_MAIL", "localhost", 2);
        check("https://2001:db8::1/x", "2001:db8::1", 2);
        check("jar:https://127.0.0.1!/", "127.0.0.1", 2);
        assert!(at_start(b"note: this").is_none() && at_start(b"a:b").is_none());
    }

    #[test]
    fn urls_are_found_in_text() {
        let mut hosts = Vec::new();
        each(b"see http://a.example/x and jar:https://127.0.0.1!/", |url| hosts.push(url.host));
        assert_eq!(hosts, [&b"a.example"[..], b"127.0.0.1"]);
    }
}
