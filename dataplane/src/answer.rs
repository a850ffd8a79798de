//! The one place that makes an HTTP answer of our own: refusals and errors, in the shape that is contracted.

use std::time::{Duration, SystemTime};

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use waf_shared::plan::{ErrorTemplate, TemplatePart};

use crate::active_plan::HeaderRules;
use crate::exchange::{Exceeded, Reply, grpc_status};
use crate::refusal::{After, Kind, Refusal};

/// Who asks, and what an answer may depend on.
pub(crate) struct Asked<'a> {
    pub(crate) request_id: &'a str,
    pub(crate) now: SystemTime,
    /// A HEAD request gets the head alone.
    pub(crate) is_head: bool,
    /// A client of gRPC reads a status of its own, in a response that is nothing but trailers.
    pub(crate) is_grpc: bool,
    /// HTTP/1.0 clients want to be told that the connection stays.
    pub(crate) is_http10: bool,
    pub(crate) template: Option<&'a ErrorTemplate>,
    /// The rate limit that a 429 is about.
    pub(crate) quota: Option<&'a Exceeded>,
    /// Header rules, where they hold.
    pub(crate) headers: Option<&'a HeaderRules>,
    /// What is said instead of an upstream, where nothing is proxied.
    pub(crate) reply: Option<&'a Reply>,
    /// Methods for a 405.
    pub(crate) allow: &'a [String],
    /// Lines about cross-origin sharing.
    pub(crate) cors: &'a [u8],
}

/// Head and body of the answer to `refusal`.
pub(crate) fn compose(refusal: Refusal, asked: &Asked<'_>) -> (Vec<u8>, Vec<u8>) {
    let mut out = Vec::with_capacity(1024);
    let (content_type, body) = body(refusal.kind, asked);
    let mut line = |name: &str, value: &str| {
        for part in [name, ": ", value, "\r\n"] {
            out.extend_from_slice(part.as_bytes());
        }
    };
    let status = if asked.is_grpc { 200 } else { refusal.status };
    line(&format!("HTTP/1.1 {status} {}\r\nDate", reason(status)), &http_date(asked.now));
    if asked.is_grpc {
        line("Content-Type", "application/grpc");
        line("Grpc-Status", &grpc_status(refusal.status).to_string());
        line("Grpc-Message", refusal.kind.as_str());
    }
    let has_body = !asked.is_grpc && !matches!(refusal.kind, Kind::Preflight | Kind::Redirect);
    if refusal.kind == Kind::Redirect {
        line("Content-Length", "0");
    }
    if has_body {
        line("Content-Type", content_type);
        line("Content-Length", &body.len().to_string());
        line("Cache-Control", "no-store");
    }
    line("X-Request-Id", asked.request_id);
    if refusal.status == 405 {
        line("Allow", &asked.allow.join(", "));
    }
    if refusal.status == 429
        && let Some(quota) = asked.quota
    {
        rate_limit(quota, &mut line);
    }
    match refusal.after {
        After::KeepAlive if asked.is_http10 => line("Connection", "keep-alive"),
        After::KeepAlive => {}
        After::Close | After::Abort => line("Connection", "close"),
    }
    for header in asked.headers.iter().flat_map(|rules| &rules.add) {
        if !header.name.eq_ignore_ascii_case("cache-control") {
            line(&header.name, &header.value);
        }
    }
    if let Some(Reply::Location(location)) = asked.reply {
        // Of a target that was read to the letter: no line ends in it.
        out.extend_from_slice(&[b"Location: ", location.as_slice(), b"\r\n"].concat());
    }
    out.extend_from_slice(asked.cors);
    out.extend_from_slice(b"\r\n");
    (out, if asked.is_head || !has_body { Vec::new() } else { body.into_bytes() })
}

/// When to come again, and what the quota is: RFC 9110 section 10.2.3 and draft-ietf-httpapi-ratelimit-headers-10. The
/// policy has no telling name: a client learns what holds for it, not how routes are called.
fn rate_limit(quota: &Exceeded, line: &mut impl FnMut(&str, &str)) {
    let wait = whole_seconds(quota.wait);
    let requests = quota.limit.requests.min(STRUCTURED_INTEGER_MAX);
    let window = whole_seconds(quota.limit.window.duration());
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

fn body(kind: Kind, asked: &Asked<'_>) -> (&'static str, String) {
    match (asked.template, asked.reply) {
        (_, Some(Reply::Challenge(text))) if kind == Kind::Challenge => {
            ("application/octet-stream", text.to_string())
        }
        (Some(template), _) if kind == Kind::Blocked => fill(template, asked.request_id, asked.now),
        _ => (JSON, format!("{{\"error\":\"{}\",\"request_id\":\"{}\"}}\n", kind.as_str(), asked.request_id)),
    }
}

const JSON: &str = "application/json; charset=utf-8";

/// Fills a template. A request id is made of `[A-Za-z0-9._-]` and a timestamp of digits, `-`, `:`, `T` and `Z`, so
/// that both stand as they are in JSON, HTML and plain text.
fn fill(template: &ErrorTemplate, request_id: &str, now: SystemTime) -> (&'static str, String) {
    let mut text = String::new();
    for part in &template.parts {
        match part {
            TemplatePart::Text(piece) => text.push_str(piece),
            TemplatePart::RequestId => text.push_str(request_id),
            TemplatePart::Timestamp => text.push_str(&rfc3339_seconds(now)),
        }
    }
    let content_type = if serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok() {
        JSON
    } else if text.trim_start().starts_with('<') {
        "text/html; charset=utf-8"
    } else {
        "text/plain; charset=utf-8"
    };
    (content_type, text)
}

fn rfc3339_seconds(now: SystemTime) -> String {
    let utc = OffsetDateTime::from(now);
    utc.replace_nanosecond(0).unwrap_or(utc).format(&Rfc3339).unwrap_or_default()
}

/// IMF-fixdate (RFC 9110 section 5.6.7).
fn http_date(now: SystemTime) -> String {
    const FORMAT: &[time::format_description::BorrowedFormatItem<'static>] = time::macros::format_description!(
        "[weekday repr:short], [day] [month repr:short] [year] [hour]:[minute]:[second] GMT"
    );
    OffsetDateTime::from(now).format(FORMAT).unwrap_or_default()
}

/// Reason phrases of the statuses that we send (RFC 9110 section 15).
pub(crate) fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        204 => "No Content",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        413 => "Content Too Large",
        414 => "URI Too Long",
        415 => "Unsupported Media Type",
        417 => "Expectation Failed",
        421 => "Misdirected Request",
        422 => "Unprocessable Content",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(refusal: Refusal, template: Option<&ErrorTemplate>, is_head: bool) -> String {
        let headers = HeaderRules::default();
        let now = SystemTime::UNIX_EPOCH + Duration::from_millis(784_111_777_500);
        let allow = ["GET".to_owned(), "HEAD".to_owned()];
        let asked = Asked {
            request_id: "id-1",
            now,
            is_head,
            is_grpc: false,
            is_http10: false,
            template,
            quota: None,
            headers: Some(&headers),
            reply: None,
            allow: &allow,
            cors: b"",
        };
        let (head, body) = compose(refusal, &asked);
        String::from_utf8([head, body].concat()).expect("answers are text")
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
    fn a_405_names_the_methods_and_head_has_no_body() {
        let text = answer(Refusal::blocked(405).closing(), None, true);
        assert!(
            text.contains("Allow: GET, HEAD\r\n")
                && text.contains("Connection: close\r\n")
                && text.ends_with("\r\n\r\n")
        );
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
