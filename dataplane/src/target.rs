//! Request targets and authorities (RFC 9112 section 3.2, RFC 9110 section 7.2): split as sent, never decoded.

use std::ops::Range;

use memchr::memchr;

/// Fault of a target or a Host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InvalidTarget {
    #[error("the request target has none of the forms that its method allows")]
    Form,
    #[error("user information in the request target")]
    UserInfo,
    #[error("more than one Host")]
    HostRepeated,
    #[error("the Host is not a valid authority")]
    Host,
    #[error("the Host differs from the request target's authority")]
    HostDiffers,
}

/// Positions of the parts of a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// The path; empty for an absolute form without one.
    path: Range<usize>,
    query: Option<Range<usize>>,
    authority: Option<Range<usize>>,
    /// Start of a fragment, which belongs to the browser; the length of the target when there is none.
    end: usize,
}

impl Target {
    /// Splits `target` in origin form, absolute form, or (for OPTIONS) asterisk form.
    pub(crate) fn parse(target: &[u8], method: &[u8]) -> Result<Target, InvalidTarget> {
        let end = memchr(b'#', target).unwrap_or(target.len());
        let target = target.get(..end).unwrap_or_default();
        let (authority, rest_at) = match target {
            [b'/', ..] => (None, 0),
            b"*" if method == b"OPTIONS" => (None, 0),
            _ => {
                let from = after_scheme(target).ok_or(InvalidTarget::Form)?;
                let rest = target.get(from..).unwrap_or_default();
                let length = rest.iter().position(|b| matches!(b, b'/' | b'?')).unwrap_or(rest.len());
                (Some(from..from + length), from + length)
            }
        };
        if let Some(range) = &authority {
            let authority = target.get(range.clone()).unwrap_or_default();
            if memchr(b'@', authority).is_some() {
                return Err(InvalidTarget::UserInfo);
            }
            if !is_authority(authority) {
                return Err(InvalidTarget::Form);
            }
        }
        let rest = target.get(rest_at..).unwrap_or_default();
        let question = memchr(b'?', rest).map(|i| rest_at + i);
        let path = rest_at..question.unwrap_or(target.len());
        Ok(Target { path, query: question.map(|q| q + 1..target.len()), authority, end })
    }

    /// The path as sent; `/` when an absolute form has none.
    pub(crate) fn path<'t>(&self, target: &'t [u8]) -> &'t [u8] {
        match target.get(self.path.clone()) {
            None | Some([]) => b"/",
            Some(path) => path,
        }
    }

    /// The query as sent, without its `?`.
    pub(crate) fn query<'t>(&self, target: &'t [u8]) -> Option<&'t [u8]> {
        self.query.clone().and_then(|range| target.get(range))
    }

    /// The fragment as sent, with its `#`; empty when there is none.
    pub(crate) fn fragment<'t>(&self, target: &'t [u8]) -> &'t [u8] {
        target.get(self.end..).unwrap_or_default()
    }

    /// The part that is inspected as the query: all that follows the path, a fragment included, without the first mark.
    pub(crate) fn behind_path<'t>(&self, target: &'t [u8]) -> Option<&'t [u8]> {
        target.get(self.path.end..)?.get(1..)
    }

    /// The authority of an absolute form.
    pub(crate) fn authority<'t>(&self, target: &'t [u8]) -> Option<&'t [u8]> {
        self.authority.clone().and_then(|range| target.get(range))
    }
}

/// Length of `http://` or `https://` at the front, in any case.
fn after_scheme(target: &[u8]) -> Option<usize> {
    [&b"http://"[..], b"https://"].into_iter().find_map(|scheme| {
        target.get(..scheme.len()).filter(|front| front.eq_ignore_ascii_case(scheme)).map(<[u8]>::len)
    })
}

/// The Host that a request names: its one Host field, checked, and against the target's authority. Empty counts as
/// missing.
pub(crate) fn host<'h>(
    mut fields: impl Iterator<Item = &'h [u8]>,
    authority: Option<&'h [u8]>,
) -> Result<Option<&'h [u8]>, InvalidTarget> {
    let field = fields.next();
    if fields.next().is_some() {
        return Err(InvalidTarget::HostRepeated);
    }
    let field = field.filter(|host| !host.is_empty());
    if field.is_some_and(|host| !is_authority(host)) {
        return Err(InvalidTarget::Host);
    }
    match (field, authority) {
        (Some(host), Some(authority)) if !host.eq_ignore_ascii_case(authority) => {
            Err(InvalidTarget::HostDiffers)
        }
        (host, authority) => Ok(host.or(authority)),
    }
}

/// `uri-host [ ":" port ]` (RFC 3986 section 3.2), with something before the port.
fn is_authority(text: &[u8]) -> bool {
    let (host, port) = match text {
        [b'[', ..] => {
            let Some(end) = memchr(b']', text) else { return false };
            let (host, rest) = text.split_at(end + 1);
            let inner = host.get(1..end).unwrap_or_default();
            let is_address =
                !inner.is_empty() && inner.iter().all(|b| b.is_ascii_hexdigit() || matches!(b, b':' | b'.'));
            return is_address && (rest.is_empty() || rest.strip_prefix(b":").is_some_and(is_port));
        }
        _ => match memchr(b':', text) {
            Some(colon) => (&text[..colon], Some(&text[colon + 1..])),
            None => (text, None),
        },
    };
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || b"-._~%!$&'()*+;=".contains(b);
    !host.is_empty() && host.len() <= 255 && host.iter().all(is_name) && port.is_none_or(is_port)
}

fn is_port(text: &[u8]) -> bool {
    text.len() <= 5 && text.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_split_as_sent() {
        let text = b"/a%2Fb//c?x=1?y";
        let target = Target::parse(text, b"GET").expect("origin form");
        assert_eq!((target.path(text), target.query(text)), (&b"/a%2Fb//c"[..], Some(&b"x=1?y"[..])));
        let text = b"HTTP://Example.com:80?x";
        let target = Target::parse(text, b"GET").expect("absolute form");
        assert_eq!((target.path(text), target.authority(text)), (&b"/"[..], Some(&b"Example.com:80"[..])));
        let text = b"/a?b=1#c?d";
        let target = Target::parse(text, b"GET").expect("a fragment is another check's business");
        assert_eq!(
            (target.path(text), target.query(text), target.fragment(text), target.behind_path(text)),
            (&b"/a"[..], Some(&b"b=1"[..]), &b"#c?d"[..], Some(&b"b=1#c?d"[..]))
        );
        for (text, method, why) in [
            (&b"*"[..], &b"GET"[..], InvalidTarget::Form),
            (b"a/b", b"GET", InvalidTarget::Form),
            (b"ftp://a/", b"GET", InvalidTarget::Form),
            (b"http:///a", b"GET", InvalidTarget::Form),
            (b"http://u@a/", b"GET", InvalidTarget::UserInfo),
            (b"*#a", b"GET", InvalidTarget::Form),
        ] {
            assert_eq!(Target::parse(text, method), Err(why), "{}", text.escape_ascii());
        }
    }

    #[test]
    fn one_host_that_agrees() {
        let host = |fields: &[&'static [u8]], authority| super::host(fields.iter().copied(), authority);
        assert_eq!(host(&[b"a.example:8080"], None), Ok(Some(&b"a.example:8080"[..])));
        assert_eq!(host(&[b"[::1]:80"], None), Ok(Some(&b"[::1]:80"[..])));
        assert_eq!(host(&[b""], None), Ok(None));
        assert_eq!(host(&[], Some(b"a")), Ok(Some(&b"a"[..])));
        assert_eq!(host(&[b"A"], Some(b"a")), Ok(Some(&b"A"[..])));
        assert_eq!(host(&[b"a", b"a"], None), Err(InvalidTarget::HostRepeated));
        assert_eq!(host(&[b"b"], Some(b"a")), Err(InvalidTarget::HostDiffers));
        for invalid_target in
            [&b"a b"[..], b"a/b", b"a@b", b"a:b", b"a:123456", b":80", b"[::1", b"[]", b"a,b", b"a\"b"]
        {
            assert_eq!(
                host(&[invalid_target], None),
                Err(InvalidTarget::Host),
                "{}",
                invalid_target.escape_ascii()
            );
        }
    }
}
