//! Routes under a rate limit, and requests against them.

use crate::contract::blocked;
use crate::origin::Origin;
use crate::raw::{Request, Response};
use crate::running::{Waf, with_routes};

/// A limit as one line of YAML.
pub fn limit(requests: u64, window: &str, source: &str) -> String {
    format!("rate_limit: {{ requests: {requests}, window: {window}, source: {{ {source} }} }}")
}

/// A limit by the address of the client.
pub const BY_ADDRESS: &str = "type: ip";

/// A limit by a field of the request.
pub const BY_KEY: &str = "type: header, key: X-Api-Key";

/// Everything to one upstream, under a global limit.
pub fn limited(origin: &Origin, limit: &str) -> String {
    format!("{}global:\n  {limit}\n", with_routes(&format!("  - upstream: {}\n", origin.url())))
}

/// A request with a key.
pub fn with_key(key: &str) -> Request {
    Request::get("/").field("X-Api-Key", key)
}

/// The number of `count` requests that were admitted; the others were refused as contracted.
pub fn admitted(waf: &Waf, count: usize, request: &Request) -> usize {
    let is_admitted = |response: &Response| match response.status {
        200 => true,
        _ => {
            blocked(response, 429);
            false
        }
    };
    (0..count).filter(|_| is_admitted(&request.to(waf.port))).count()
}
