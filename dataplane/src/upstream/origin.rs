//! Names of origins, as URLs write them.

use waf_shared::plan::{Scheme, Upstream};

/// A scheme as a URL names it.
pub(crate) fn scheme_name(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::Http => "http",
        Scheme::Https => "https",
    }
}

/// Scheme and authority of an upstream, without its path.
pub(crate) fn origin(upstream: &Upstream) -> String {
    format!("{}://{}", scheme_name(upstream.scheme), upstream.authority)
}
