//! Cross-origin sharing as the Fetch standard has it, for routes that configure it: which origins may ask, and what answers
//! tell a browser. The upstream's word on it does not count there.

use waf_shared::plan::Cors;

use super::context::RequestContext;
use crate::http1::head::{Fields, RequestHead};

/// The settings of the chosen route.
pub(super) fn of(context: &RequestContext) -> Option<&Cors> {
    context.active_plan.route(context.route()?).and_then(|(route, _)| route.cors.as_ref())
}

/// Whether a browser asks before it sends what it is about to send.
pub(super) fn is_preflight(head: &RequestHead) -> bool {
    head.method() == b"OPTIONS"
        && head.fields.first("origin").is_some()
        && head.fields.first("access-control-request-method").is_some()
}

/// Whether the request comes from an origin that may read its answer.
pub(super) fn allows(cors: &Cors, head: &RequestHead) -> bool {
    let mut origins = head.fields.all("origin");
    let (Some(origin), None) = (origins.next(), origins.next()) else { return false };
    cors.allow_origins.iter().any(|allowed| allowed == "*" || allowed.as_bytes() == origin)
}

/// Whether a field of the upstream's answer is left to us.
pub(super) fn is_ours(name: &[u8]) -> bool {
    name.get(..PREFIX.len()).is_some_and(|front| front.eq_ignore_ascii_case(PREFIX))
}

const PREFIX: &[u8] = b"access-control-";

/// The lines for an answer to `head`. `vary` are fields that say already what the answer depends on.
pub(super) fn answer(cors: &Cors, head: &RequestHead, vary: Option<&Fields>, out: &mut Vec<u8>) {
    if allows(cors, head) {
        grant(cors, head, out);
        if !cors.expose_headers.is_empty() {
            line(out, "Access-Control-Expose-Headers", &cors.expose_headers.join(", "));
        }
    }
    if !is_for_all(cors) && !vary.is_some_and(varies_by_origin) {
        line(out, "Vary", "Origin");
    }
}

/// The lines for the answer to a preflight from an allowed origin: the lists as configured; the browser compares.
pub(super) fn preflight(cors: &Cors, head: &RequestHead, out: &mut Vec<u8>) {
    grant(cors, head, out);
    line(out, "Access-Control-Allow-Methods", &cors.allow_methods.join(", "));
    if !cors.allow_headers.is_empty() {
        line(out, "Access-Control-Allow-Headers", &cors.allow_headers.join(", "));
    }
    line(out, "Access-Control-Max-Age", &cors.max_age.to_string());
    if !is_for_all(cors) {
        line(out, "Vary", "Origin");
    }
}

fn grant(cors: &Cors, head: &RequestHead, out: &mut Vec<u8>) {
    let origin = if is_for_all(cors) { Some(&b"*"[..]) } else { head.fields.first("origin") };
    for part in [b"Access-Control-Allow-Origin: ", origin.unwrap_or_default(), b"\r\n"] {
        out.extend_from_slice(part);
    }
    if cors.allow_credentials {
        line(out, "Access-Control-Allow-Credentials", "true");
    }
}

/// The answer does not depend on who asks.
fn is_for_all(cors: &Cors) -> bool {
    cors.allow_origins.iter().any(|origin| origin == "*")
}

fn varies_by_origin(fields: &Fields) -> bool {
    let mut names = fields.all("vary").flat_map(|value| value.split(|b| *b == b',')).map(<[u8]>::trim_ascii);
    names.any(|name| name == b"*" || name.eq_ignore_ascii_case(b"origin"))
}

fn line(out: &mut Vec<u8>, name: &str, value: &str) {
    for part in [name, ": ", value, "\r\n"] {
        out.extend_from_slice(part.as_bytes());
    }
}
