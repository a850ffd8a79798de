//! Answers on port 80 beside HTTPS: to an authority's challenge, or with the address to go to. Nothing is proxied here.

use waf_shared::catalog::Leaf;
use waf_shared::route::name_of;

use super::admit::Arrived;
use super::context::RequestContext;
use super::findings::Findings;
use super::rejection::Rejection;
use crate::answer::Reply;
use crate::refusal::{CHALLENGE, NOT_FOUND, REDIRECT, Refusal};
use crate::tls::Tls;

/// The answer to a message: challenges first, then configured hosts, which get the same address with `https`.
pub(super) fn answer(
    arrived: &Arrived,
    tls: &Tls,
    context: &RequestContext,
    findings: &mut Findings,
) -> Rejection {
    let raw = arrived.head.target();
    if let Err(refusal) = length(raw, context, findings) {
        return refusal.into();
    }
    let is_read = matches!(arrived.head.method(), b"GET" | b"HEAD");
    if let Some(text) = tls.http_challenge(arrived.target.path(raw)).filter(|_| is_read) {
        return Rejection::Answered(CHALLENGE, Reply::Challenge(text));
    }
    let known =
        arrived.host().filter(|host| context.active_plan.hosts().is_some_and(|hosts| hosts.contains(host)));
    let Some(host) = known else { return NOT_FOUND.into() };
    Rejection::Answered(REDIRECT, Reply::Location(location(host, arrived)))
}

/// The limit that holds before a route is chosen.
fn length(target: &[u8], context: &RequestContext, findings: &mut Findings) -> Result<(), Refusal> {
    let allowed = context.settings().accept.max_url_length as usize;
    if target.len() <= allowed {
        return Ok(());
    }
    let reason = format!("a target of {} bytes, allowed are {allowed}", target.len());
    findings.violate(context, Leaf::RequestValidationMaxUrlLength, "TARGET", reason)
}

/// Path and query are the client's own bytes. The port is HTTPS's own: whatever port this process listens on, clients
/// come by 443.
fn location(host: &[u8], arrived: &Arrived) -> Vec<u8> {
    let raw = arrived.head.target();
    let mut location = b"https://".to_vec();
    location.extend(name_of(host).iter().map(u8::to_ascii_lowercase));
    // The asterisk of OPTIONS stands for no path (RFC 9110 section 7.1).
    let path = arrived.target.path(raw);
    location.extend_from_slice(if path == b"*" { b"/" } else { path });
    if let Some(query) = arrived.target.query(raw) {
        location.push(b'?');
        location.extend_from_slice(query);
    }
    location
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::sync::mpsc;
    use waf_shared::plan::Listen;

    use super::super::admit;
    use super::super::testing::{exchange, head};
    use super::*;

    fn answer_to(lines: &str) -> Result<String, u16> {
        let hosts = vec!["a.example".to_owned()];
        let mut exchange = exchange(|plan, _| plan.listen = Listen::Tls { hosts });
        let tls = Tls::new(mpsc::channel(1).0).expect("settings of TLS");
        let arrived = admit::arrive(Arc::new(head(lines)), &mut exchange.findings).expect("it arrives");
        match answer(&arrived, &tls, &exchange.context, &mut exchange.findings) {
            Rejection::Answered(_, Reply::Location(to)) => Ok(String::from_utf8_lossy(&to).into_owned()),
            rejection => Err(rejection.status()),
        }
    }

    #[test]
    fn configured_hosts_are_sent_to_https() {
        for (lines, expected) in [
            ("GET /b?c=%2F HTTP/1.1\nHost: a.example", Ok("https://a.example/b?c=%2F")),
            ("GET / HTTP/1.1\nHost: A.Example:8080", Ok("https://a.example/")),
            ("POST /b HTTP/1.1\nHost: a.example\nContent-Length: 3", Ok("https://a.example/b")),
            ("GET http://a.example/b HTTP/1.1\nHost: a.example", Ok("https://a.example/b")),
            ("OPTIONS * HTTP/1.1\nHost: a.example", Ok("https://a.example/")),
            ("GET / HTTP/1.1\nHost: b.example", Err(404)),
            ("GET / HTTP/1.1\nHost: a.example.b", Err(404)),
            ("GET / HTTP/1.0", Err(404)),
            ("GET /.well-known/acme-challenge/x HTTP/1.1\nHost: b.example", Err(404)),
        ] {
            assert_eq!(answer_to(lines), expected.map(str::to_owned), "{lines:?}");
        }
        let long = format!("GET /{} HTTP/1.1\nHost: a.example", "x".repeat(3_000));
        assert_eq!(answer_to(&long), Err(414));
    }
}
