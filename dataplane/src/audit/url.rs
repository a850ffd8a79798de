//! A request target as the URL fields of an event. It reads targets as they were sent, malformed ones too, and decides
//! nothing: the strict reading is the codec's.

use std::borrow::Cow;
use std::net::SocketAddr;

use super::authority::{Authority, without_password};
use super::mask::{self, TextKind};
use super::text;

/// Bytes of JSON for each of the path, the query and the whole URL. Three of them leave an event well below 256 KiB.
pub(super) const URL_BYTES_MAX: usize = 60 << 10;

/// Bytes of JSON for a Referer.
pub(super) const REFERER_BYTES_MAX: usize = 4 << 10;

/// URL fields, masked and of bounded length.
#[derive(Debug)]
pub(crate) struct Url<'a> {
    /// `/…`, or `*` for the server as a whole.
    pub(crate) path: Cow<'a, str>,
    pub(crate) query: Option<Cow<'a, str>>,
    /// Absent when no target was read.
    pub(crate) full: Option<Cow<'a, str>>,
    /// The host as it was sent, brackets included; absent when none was.
    pub(crate) domain: Option<String>,
    /// The host, when it is a valid name.
    pub(crate) hostname: Option<&'a str>,
    /// Absent when what was sent as one is no port.
    pub(crate) port: Option<u16>,
}

/// Reads `target` of a request with `method` that named `host` and came to `listener` over `scheme`.
pub(crate) fn read<'a>(
    method: Option<&[u8]>,
    target: Option<&'a [u8]>,
    host: Option<&'a [u8]>,
    scheme: &'static str,
    listener: SocketAddr,
) -> Url<'a> {
    let absolute = target.filter(|_| method != Some(b"CONNECT")).and_then(split_absolute);
    let sent = host.or(absolute.map(|(_, authority, _)| authority));
    let authority = sent.and_then(|sent| Authority::read(sent, if scheme == "https" { 443 } else { 80 }));
    let mut url = Url {
        path: Cow::Borrowed("/"),
        query: None,
        full: None,
        domain: authority.as_ref().map(Authority::host),
        hostname: authority.as_ref().and_then(Authority::name),
        port: authority.as_ref().map_or(Some(listener.port()), |authority| authority.port),
    };
    let Some(target) = target else { return url };
    if method == Some(b"CONNECT") {
        url.full = Some(text::url(target, URL_BYTES_MAX));
        return url;
    }
    let local = absolute.map_or(target, |(_, _, local)| local);
    let (path, query) = split_query(local);
    let path = mask::values(path, TextKind::Path);
    let query = query.map(|query| mask::values(query, TextKind::Query));
    url.full = Some(match absolute {
        Some((scheme, authority, _)) => {
            full(&[scheme, b"://", without_password(authority).as_ref()], &path, query.as_deref())
        }
        // `*`, or a target that was refused: there is no URL that it stands for.
        None if local.first() != Some(&b'/') => full(&[], &path, query.as_deref()),
        None => {
            let authority = authority.as_ref().map_or_else(|| address(listener), Authority::in_url);
            full(&[scheme.as_bytes(), b"://", &authority], &path, query.as_deref())
        }
    });
    url.path = match path {
        path if target == b"*" || path.first() == Some(&b'/') => bounded(path),
        path if path.is_empty() => Cow::Borrowed("/"),
        // A target that begins with no slash was refused; the field still has to be a path.
        path => bounded(Cow::Owned([b"/", path.as_ref()].concat())),
    };
    url.query = query.map(bounded);
    url
}

/// An address as an authority, for a request that names no host.
fn address(listener: SocketAddr) -> Vec<u8> {
    SocketAddr::new(listener.ip().to_canonical(), listener.port()).to_string().into_bytes()
}

/// An absolute URL, such as a Referer, with its secrets taken out.
pub(crate) fn masked(value: &[u8]) -> Cow<'_, str> {
    // Nothing beyond the bound is shown, so nothing beyond it needs masking.
    let value = value.get(..REFERER_BYTES_MAX).unwrap_or(value);
    let (address, query) = split_query(value);
    let address = match split_absolute(address) {
        Some((scheme, authority, path)) => {
            [scheme, b"://", without_password(authority).as_ref(), &mask::values(path, TextKind::Path)]
                .concat()
        }
        None => mask::values(address, TextKind::Path).into_owned(),
    };
    let masked = match query {
        Some(query) => [address.as_slice(), b"?", &mask::values(query, TextKind::Query)].concat(),
        None => address,
    };
    Cow::Owned(text::url(&masked, REFERER_BYTES_MAX).into_owned())
}

/// Scheme, authority and the rest of a target in absolute form (RFC 9112, 3.2.2).
pub(super) fn split_absolute(target: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let colon = memchr::memchr(b':', target)?;
    let (scheme, rest) = target.split_at_checked(colon)?;
    let rest = rest.strip_prefix(b"://")?;
    let is_scheme = scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#')).unwrap_or(rest.len());
    let (authority, local) = rest.split_at_checked(end)?;
    is_scheme.then_some((scheme, authority, local))
}

pub(super) fn split_query(target: &[u8]) -> (&[u8], Option<&[u8]>) {
    match memchr::memchr(b'?', target).and_then(|mark| target.split_at_checked(mark)) {
        Some((path, query)) => (path, query.get(1..)),
        None => (target, None),
    }
}

fn full<'a>(origin: &[&[u8]], path: &[u8], query: Option<&[u8]>) -> Cow<'a, str> {
    let mut bytes = origin.concat();
    bytes.extend_from_slice(path);
    if let Some(query) = query {
        bytes.push(b'?');
        bytes.extend_from_slice(query);
    }
    bounded(Cow::Owned(bytes))
}

fn bounded(bytes: Cow<'_, [u8]>) -> Cow<'_, str> {
    match bytes {
        Cow::Borrowed(bytes) => text::url(bytes, URL_BYTES_MAX),
        Cow::Owned(bytes) => Cow::Owned(text::url(&bytes, URL_BYTES_MAX).into_owned()),
    }
}
