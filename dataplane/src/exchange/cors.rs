//! Cross-origin sharing as the Fetch standard has it, for routes that configure it: which origins may ask, and what
//! answers tell a browser. The upstream's word on it does not count there.

use waf_shared::plan::Cors;

use super::context::RequestContext;
use crate::head::{Fields, OutgoingHead, RequestHead};

/// The settings of the chosen route.
pub(super) fn of(context: &RequestContext) -> Option<&Cors> {
    context.active_plan.route(context.route()?).and_then(|(route, _)| route.cors.as_ref())
}

/// Reports whether a browser asks before it sends what it is about to send.
pub(super) fn is_preflight(head: &RequestHead) -> bool {
    head.method() == b"OPTIONS"
        && head.fields.first("origin").is_some()
        && head.fields.first("access-control-request-method").is_some()
}

/// Reports whether the request comes from an origin that may read its answer.
pub(super) fn allows(cors: &Cors, head: &RequestHead) -> bool {
    let mut origins = head.fields.all("origin");
    let (Some(origin), None) = (origins.next(), origins.next()) else { return false };
    cors.allow_origins.iter().any(|allowed| allowed == "*" || allowed.as_bytes() == origin)
}

/// Reports whether a field of the upstream's answer is left to us.
pub(super) fn is_ours(name: &[u8]) -> bool {
    name.get(..PREFIX.len()).is_some_and(|front| front.eq_ignore_ascii_case(PREFIX))
}

const PREFIX: &[u8] = b"access-control-";

/// Adds the fields of an answer to `head`. `vary` are fields that say already what the answer depends on.
pub(super) fn answer(cors: &Cors, head: &RequestHead, vary: Option<&Fields>, out: &mut OutgoingHead) {
    if allows(cors, head) {
        grant(cors, head, out);
        if !cors.expose_headers.is_empty() {
            out.field(b"Access-Control-Expose-Headers", cors.expose_headers.join(", ").as_bytes());
        }
    }
    if !is_for_all(cors) && !vary.is_some_and(varies_by_origin) {
        out.field(b"Vary", b"Origin");
    }
}

/// Adds the fields of the answer to a preflight from an allowed origin: the lists as configured; the browser compares.
pub(super) fn preflight(cors: &Cors, head: &RequestHead, out: &mut OutgoingHead) {
    grant(cors, head, out);
    out.field(b"Access-Control-Allow-Methods", cors.allow_methods.join(", ").as_bytes());
    if !cors.allow_headers.is_empty() {
        out.field(b"Access-Control-Allow-Headers", cors.allow_headers.join(", ").as_bytes());
    }
    out.field(b"Access-Control-Max-Age", cors.max_age.to_string().as_bytes());
    if !is_for_all(cors) {
        out.field(b"Vary", b"Origin");
    }
}

fn grant(cors: &Cors, head: &RequestHead, out: &mut OutgoingHead) {
    let origin = if is_for_all(cors) { Some(&b"*"[..]) } else { head.fields.first("origin") };
    out.field(b"Access-Control-Allow-Origin", origin.unwrap_or_default());
    if cors.allow_credentials {
        out.field(b"Access-Control-Allow-Credentials", b"true");
    }
}

/// The answer does not depend on who asks.
fn is_for_all(cors: &Cors) -> bool {
    cors.allow_origins.iter().any(|origin| origin == "*")
}

fn varies_by_origin(fields: &Fields) -> bool {
    fields.has_token("vary", b"*") || fields.has_token("vary", b"origin")
}

#[cfg(test)]
mod tests {
    use super::super::testing::head;
    use super::*;

    fn settings(origins: &[&str]) -> Cors {
        let list = |items: &[&str]| items.iter().map(|item| (*item).to_owned()).collect();
        Cors {
            allow_origins: list(origins),
            allow_methods: list(&["GET", "PUT"]),
            allow_headers: list(&["x-a"]),
            expose_headers: list(&["x-b"]),
            allow_credentials: false,
            max_age: 600,
        }
    }

    fn written(write: impl FnOnce(&mut OutgoingHead)) -> Vec<String> {
        let mut out = OutgoingHead::response(200, b"OK");
        write(&mut out);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        out.fields().map(|(name, value)| format!("{}: {}", text(name), text(value))).collect()
    }

    #[test]
    fn one_allowed_origin_may_read_the_answer() {
        for (origins, lines, expected) in [
            (&["https://a"][..], "GET / HTTP/1.1\nOrigin: https://a", Some("https://a")),
            (&["*"], "GET / HTTP/1.1\nOrigin: https://b", Some("*")),
            (&["https://a"], "GET / HTTP/1.1\nOrigin: https://b", None),
            (&["https://a"], "GET / HTTP/1.1\nOrigin: https://a.b", None),
            (&["https://a"], "GET / HTTP/1.1\nOrigin: https://a\nOrigin: https://b", None),
            (&["https://a"], "GET / HTTP/1.1", None),
        ] {
            let (cors, head) = (settings(origins), head(lines));
            let fields = written(|out| answer(&cors, &head, None, out));
            let granted = fields.iter().find_map(|field| field.strip_prefix("Access-Control-Allow-Origin: "));
            assert_eq!(granted, expected, "{origins:?} {lines:?}");
            let varies = fields.iter().any(|field| field == "Vary: Origin");
            assert_eq!(varies, origins != ["*"], "{origins:?} {lines:?}");
        }
    }

    #[test]
    fn a_preflight_gets_the_lists() {
        let lines = "OPTIONS / HTTP/1.1\nOrigin: https://a\nAccess-Control-Request-Method: DELETE";
        let request = head(lines);
        assert!(is_preflight(&request));
        for lines in [
            "GET / HTTP/1.1\nOrigin: https://a\nAccess-Control-Request-Method: PUT",
            "OPTIONS / HTTP/1.1\nOrigin: https://a",
            "OPTIONS / HTTP/1.1\nAccess-Control-Request-Method: PUT",
        ] {
            assert!(!is_preflight(&head(lines)), "{lines:?}");
        }
        assert_eq!(
            written(|out| preflight(&settings(&["https://a"]), &request, out)),
            [
                "Access-Control-Allow-Origin: https://a",
                "Access-Control-Allow-Methods: GET, PUT",
                "Access-Control-Allow-Headers: x-a",
                "Access-Control-Max-Age: 600",
                "Vary: Origin",
            ]
        );
    }

    #[test]
    fn a_field_that_varies_already_is_not_repeated() {
        for (vary, is_added) in
            [("Accept", true), ("accept, ORIGIN", false), ("*", false), ("Origin-Agent-Cluster", true)]
        {
            let (cors, request) = (settings(&["https://a"]), head("GET / HTTP/1.1\nOrigin: https://a"));
            let response = head(&format!("GET / HTTP/1.1\nVary: {vary}"));
            let fields = written(|out| answer(&cors, &request, Some(&response.fields), out));
            assert_eq!(fields.iter().any(|field| field == "Vary: Origin"), is_added, "{vary}");
        }
    }
}
