//! Rewriting of paths: the path that the upstream gets, and the part of it behind a prefix. It knows no requests.

use std::borrow::Cow;

use waf_shared::plan::{Rewrite, Route};
use waf_shared::route::normalize;

/// The rewritten path.
pub(crate) fn rewrite(path: &[u8], rewrite: &Rewrite, out: &mut Vec<u8>) {
    match rewrite {
        Rewrite::Keep => out.extend_from_slice(path),
        Rewrite::Path(whole) => out.extend_from_slice(whole.as_bytes()),
        Rewrite::Prefix { strip, add } => {
            out.extend_from_slice(add.trim_end_matches('/').as_bytes());
            match below(path, strip) {
                Some(rest) => write_rest(&rest, out),
                None => out.extend_from_slice(path),
            }
        }
    }
}

/// The part of a path that the upstream gets behind a prefix.
#[derive(Debug)]
pub(crate) struct BehindPrefix<'p> {
    pub(crate) rest: Cow<'p, [u8]>,
    /// The prefix that was taken off in front of it.
    pub(crate) stripped: &'p [u8],
    /// True if it is all that the upstream gets.
    pub(crate) is_whole: bool,
}

/// The client's path under `route`, behind its prefixes; `None` when it has none, or replaces the path.
pub(crate) fn behind_prefix<'p>(path: &'p [u8], route: &'p Route) -> Option<BehindPrefix<'p>> {
    let (strip, add) = match &route.rewrite {
        Rewrite::Path(_) => return None,
        Rewrite::Keep => ("", ""),
        Rewrite::Prefix { strip, add } => (strip.as_str(), add.trim_end_matches('/')),
    };
    if route.upstream.base_path.is_empty() && strip.is_empty() && add.is_empty() {
        return None;
    }
    let (rest, stripped) = match below(path, strip) {
        Some(rest) => (rest, strip.as_bytes()),
        None => (Cow::Borrowed(path), &b""[..]),
    };
    Some(BehindPrefix { rest, stripped, is_whole: route.upstream.base_path.is_empty() && add.is_empty() })
}

/// The part of a path behind `prefix`. The path was matched in its normal form; when only that form carries the
/// prefix, it is that form which is forwarded.
fn below<'p>(path: &'p [u8], prefix: &str) -> Option<Cow<'p, [u8]>> {
    match strip_prefix(path, prefix.as_bytes()) {
        Some(rest) => Some(Cow::Borrowed(rest)),
        None => strip_prefix(&normalize(path), prefix.as_bytes()).map(|rest| Cow::Owned(rest.to_vec())),
    }
}

fn write_rest(rest: &[u8], out: &mut Vec<u8>) {
    if !rest.starts_with(b"/") {
        out.push(b'/');
    }
    out.extend_from_slice(rest);
}

/// The part behind `prefix`, when that ends at the end of a segment.
fn strip_prefix<'p>(path: &'p [u8], prefix: &[u8]) -> Option<&'p [u8]> {
    let prefix = prefix.strip_suffix(b"/").unwrap_or(prefix);
    path.strip_prefix(prefix).filter(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_rewritten() {
        let prefix =
            |strip: &str, add: &str| Rewrite::Prefix { strip: strip.to_owned(), add: add.to_owned() };
        for (path, rule, want) in [
            ("/api/x%2Fy", prefix("/api", ""), "/x%2Fy"),
            ("/api", prefix("/api", ""), "/"),
            ("/api/", prefix("/api/", ""), "/"),
            ("/apix", prefix("/api", ""), "/apix"),
            ("/api/x", prefix("/api", "/v2"), "/v2/x"),
            ("/x", prefix("", "/v2/"), "/v2/x"),
            ("/%61pi/x", prefix("/api", ""), "/x"),
            ("/a/../api/x", prefix("/api", ""), "/x"),
            ("/a", Rewrite::Path("/b".to_owned()), "/b"),
            ("/a//b/", Rewrite::Keep, "/a//b/"),
        ] {
            let mut out = Vec::new();
            rewrite(path.as_bytes(), &rule, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), want, "{path} {rule:?}");
        }
    }
}
