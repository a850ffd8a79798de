//! The one place that makes an HTTP answer of our own: refusals and errors, in the shape that is contracted.

mod accept;

mod page;

mod template;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use http::StatusCode;
use waf_shared::plan::{ErrorTemplate, RateLimit};

use crate::active_plan::HeaderRules;
use crate::grpc;
use crate::head::OutgoingHead;
use crate::refusal::{Refusal, RefusalKind};
pub(crate) use accept::{Representation, choose};
use template::{HTML, JSON};

/// Content of an answer where nothing is proxied.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// The address of a redirect.
    Location(Vec<u8>),
    /// A key authorization.
    Challenge(Arc<str>),
}

/// The client, and everything that an answer may depend on.
pub(crate) struct Audience<'a> {
    pub(crate) request_id: &'a str,
    pub(crate) now: SystemTime,
    /// A HEAD request gets the head alone.
    pub(crate) is_head: bool,
    /// A client of gRPC reads a status of its own, in a response that is nothing but trailers.
    pub(crate) is_grpc: bool,
    /// The form of a default body.
    pub(crate) representation: Representation,
    pub(crate) template: Option<&'a ErrorTemplate>,
    /// The rate limit of a 429, and the time until a request would be allowed.
    pub(crate) exceeded: Option<(&'a RateLimit, Duration)>,
    /// Header rules, where they apply.
    pub(crate) headers: Option<&'a HeaderRules>,
    /// Content instead of an upstream's, where nothing is proxied.
    pub(crate) reply: Option<&'a Reply>,
    /// Methods for a 405.
    pub(crate) allow: &'a [String],
}

/// Head and body of the answer to `refusal`.
pub(crate) fn compose(refusal: Refusal, audience: &Audience<'_>) -> (OutgoingHead, Vec<u8>) {
    let status = if audience.is_grpc { 200 } else { refusal.status };
    let (content_type, body) = body(refusal, audience);
    let mut head = OutgoingHead::response(status, reason(status).as_bytes());
    let mut line = |name: &str, value: &str| head.field(name.as_bytes(), value.as_bytes());
    line("Date", &httpdate::fmt_http_date(audience.now));
    if audience.is_grpc {
        line("Content-Type", "application/grpc");
        line("Grpc-Status", &grpc::status(refusal.status).to_string());
        line("Grpc-Message", refusal.kind.as_str());
    }
    let has_body =
        !audience.is_grpc && !matches!(refusal.kind, RefusalKind::Preflight | RefusalKind::Redirect);
    if refusal.kind == RefusalKind::Redirect {
        line("Content-Length", "0");
    }
    if has_body {
        line("Content-Type", content_type);
        line("Content-Length", &body.len().to_string());
        line("Cache-Control", "no-store");
    }
    line("X-Request-Id", audience.request_id);
    if refusal.status == 405 {
        line("Allow", &audience.allow.join(", "));
    }
    if refusal.status == 429
        && let Some((limit, wait)) = audience.exceeded
    {
        rate_limit(limit, wait, &mut line);
    }
    for header in audience.headers.iter().flat_map(|rules| &rules.add) {
        if !header.name.eq_ignore_ascii_case("cache-control") {
            line(&header.name, &header.value);
        }
    }
    if let Some(Reply::Location(location)) = audience.reply {
        // Of a target that was read to the letter: no line ends in it.
        head.field(b"Location", location);
    }
    (head, if audience.is_head || !has_body { Vec::new() } else { body.into_bytes() })
}

/// When to come again, and what the quota is: RFC 9110 section 10.2.3 and draft-ietf-httpapi-ratelimit-headers-10. The
/// policy has no telling name: a client learns what holds for it, not how routes are called.
fn rate_limit(limit: &RateLimit, wait: Duration, line: &mut impl FnMut(&str, &str)) {
    let wait = whole_seconds(wait);
    let requests = limit.requests.min(STRUCTURED_INTEGER_MAX);
    let window = whole_seconds(limit.window.duration());
    line("Retry-After", &wait.to_string());
    line("RateLimit-Policy", &format!("\"default\";q={requests};w={window}"));
    line("RateLimit", &format!("\"default\";r=0;t={wait}"));
}

/// The largest integer of a structured field (RFC 9651 section 3.3.1).
const STRUCTURED_INTEGER_MAX: u64 = 999_999_999_999_999;

/// Rounded up, so that who comes then is not too early; at least 1.
fn whole_seconds(time: Duration) -> u64 {
    let seconds = time.as_secs().saturating_add(u64::from(time.subsec_nanos() > 0));
    seconds.clamp(1, STRUCTURED_INTEGER_MAX)
}

fn body(refusal: Refusal, audience: &Audience<'_>) -> (&'static str, String) {
    let Refusal { status, kind } = refusal;
    match (audience.template, audience.reply) {
        (_, Some(Reply::Challenge(text))) if kind == RefusalKind::Challenge => {
            ("application/octet-stream", text.to_string())
        }
        (Some(template), _) if kind == RefusalKind::Blocked => {
            template::fill(template, audience.request_id, audience.now)
        }
        _ => match audience.representation {
            Representation::Json => (JSON, page::json(kind, audience.request_id)),
            Representation::Html => {
                let title = format!("{status} {}", reason(status));
                (HTML, page::html(kind, &title, audience.request_id))
            }
        },
    }
}

/// Reason phrase of a status that we send. The registry of RFC 9110 has renamed two of those that the library knows.
fn reason(status: u16) -> &'static str {
    match status {
        413 => "Content Too Large",
        422 => "Unprocessable Content",
        _ => StatusCode::from_u16(status).ok().and_then(|s| s.canonical_reason()).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use waf_shared::plan::TemplatePart;

    use super::*;

    fn answer(refusal: Refusal, template: Option<&ErrorTemplate>, is_head: bool) -> String {
        represented(refusal, template, is_head, Representation::Json)
    }

    fn represented(
        refusal: Refusal,
        template: Option<&ErrorTemplate>,
        is_head: bool,
        representation: Representation,
    ) -> String {
        let headers = HeaderRules::default();
        let now = SystemTime::UNIX_EPOCH + Duration::from_millis(784_111_777_500);
        let allow = ["GET".to_owned(), "HEAD".to_owned()];
        let audience = Audience {
            request_id: "id-1",
            now,
            is_head,
            is_grpc: false,
            representation,
            template,
            exceeded: None,
            headers: Some(&headers),
            reply: None,
            allow: &allow,
        };
        let (head, body) = compose(refusal, &audience);
        let text = [head.http1_lines(), b"\r\n", &body].concat();
        String::from_utf8(text).expect("answers are text")
    }

    #[test]
    fn a_block_is_as_contracted() {
        assert_eq!(
            answer(Refusal::blocked(403), None, false),
            "HTTP/1.1 403 Forbidden\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Type: application/json; charset=utf-8\r\n\
             Content-Length: 40\r\nCache-Control: no-store\r\nX-Request-Id: id-1\r\n\r\n{\"error\":\"blocked\",\"request_id\":\"id-1\"}\n"
        );
    }

    #[test]
    fn people_get_a_page_of_every_answer() {
        for (refusal, status) in [
            (Refusal::blocked(403), "403 Forbidden"),
            (Refusal::blocked(429), "429 Too Many Requests"),
            (crate::refusal::NOT_FOUND, "404 Not Found"),
            (crate::refusal::TIMEOUT, "408 Request Timeout"),
            (crate::refusal::BAD_GATEWAY, "502 Bad Gateway"),
            (crate::refusal::UNAVAILABLE, "503 Service Unavailable"),
            (crate::refusal::GATEWAY_TIMEOUT, "504 Gateway Timeout"),
        ] {
            let page = represented(refusal, None, false, Representation::Html);
            assert!(page.starts_with(&format!("HTTP/1.1 {status}\r\n")), "{page}");
            assert!(page.contains("Content-Type: text/html; charset=utf-8\r\n"), "{page}");
            assert!(
                page.contains("Cache-Control: no-store\r\n") && page.contains("<code>id-1</code>"),
                "{page}"
            );
            let (head, body) = page.split_once("\r\n\r\n").unwrap_or_default();
            assert!(head.contains(&format!("Content-Length: {}", body.len())), "{page}");
            let of_head = represented(refusal, None, true, Representation::Html);
            assert!(
                of_head.ends_with("\r\n\r\n") && of_head.contains(&format!("Content-Length: {}", body.len()))
            );
        }
    }

    #[test]
    fn a_405_names_the_methods_and_head_has_no_body() {
        let text = answer(Refusal::blocked(405), None, true);
        assert!(text.contains("Allow: GET, HEAD\r\n") && text.ends_with("\r\n\r\n"));
    }

    #[test]
    fn a_template_replaces_blocks_alone() {
        let template = |text: &str| ErrorTemplate {
            parts: vec![
                TemplatePart::Text(text.to_owned()),
                TemplatePart::RequestId,
                TemplatePart::Timestamp,
            ],
        };
        let html = answer(Refusal::blocked(403), Some(&template("<p>")), false);
        assert!(html.contains("Content-Type: text/html") && html.ends_with("<p>id-11994-11-06T08:49:37Z"));
        assert!(answer(Refusal::blocked(403), Some(&template("x")), false).contains("text/plain"));
        assert!(
            answer(crate::refusal::BAD_GATEWAY, Some(&template("x")), false)
                .ends_with("{\"error\":\"bad_gateway\",\"request_id\":\"id-1\"}\n")
        );
    }
}
