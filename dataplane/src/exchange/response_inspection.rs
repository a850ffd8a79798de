//! Inspection of one response: that of its head and, where the body is text, of the body with its content
//! codings taken off. It knows no client and waits for nothing.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use waf_detection::budget::Budget;
use waf_detection::inspection::OnHit;
use waf_detection::response::{Asked, Head, ResponseInspection, ResponseKind};
use waf_detection::verdict::Verdict;
use waf_shared::catalog::Leaf;
use waf_shared::metrics::RouteCounter;
use waf_shared::plan::{self, Settings};

use super::admit::Admitted;
use super::body::Body;
use super::context::RequestContext;
use super::contract::Contracted;
use super::findings::{Findings, ResponseFindings};
use super::response_contract::ResponseContract;
use crate::coding::{self, Ancillary, Coding, Inflater, UnknownCoding};
use crate::head::ResponseHead;
use crate::http1::framing::Framing;
use crate::metrics::{thread_cpu_time, watch};
use crate::refusal::{BAD_GATEWAY, Refusal};

/// Bytes of a request's body in which the parameter that names a redirect's host stands.
const PARAMETERS_BYTES_MAX: usize = 16 << 10;

/// The screening of one response.
#[derive(Debug)]
pub(super) struct ResponseInspector {
    inspection: Box<ResponseInspection>,
    inflater: Option<Inflater>,
    reads_body: bool,
    /// The contract's side of it.
    answered: Option<ResponseContract>,
    refuses: bool,
    is_stream: bool,
    held_max: usize,
    /// True if more bytes come, as they are, than rules read.
    is_too_long: bool,
    /// True if the body did not inflate as its coding says.
    is_garbled: bool,
}

impl ResponseInspector {
    /// For a response to `admitted`, with its head judged; `None` when nothing looks at it, or any further.
    pub(super) fn of(
        response: &ResponseHead,
        framing: Framing,
        cleared: (&Contracted, &[u8]),
        context: &RequestContext,
        findings: &mut Findings,
    ) -> Option<ResponseInspector> {
        let (contracted, _) = cleared;
        let settings = context.settings();
        let is_wanted = ResponseInspection::is_wanted(&settings.leaves);
        let has_body = !matches!(framing, Framing::None | Framing::Length(0));
        let mut answered = ResponseContract::of(response, has_body, contracted, context);
        if !is_wanted && answered.is_none() {
            return None;
        }
        let refuses = context.is_blocking() && is_wanted;
        let limits = &settings.inspection;
        // A body whose length nobody knows is a stream: it is read on for as long as it flows.
        let is_stream = matches!(framing, Framing::Chunked | Framing::UntilClose);
        let bytes_max = if is_stream { u64::MAX } else { limits.max_inspect_size };
        let mut inspection = inspection(context, refuses, bytes_max);
        let kind = judge_head(&mut inspection, response, cleared, context, is_wanted);
        let codings = coding::codings(response.fields.all("content-encoding"));
        let is_read = kind.is_some() && has_body;
        let reads_body = is_read && can_be_read(response, codings.as_deref());
        let blocks = inspection.verdict().blocks();
        if is_read && !reads_body && !blocks {
            findings.measured.count(RouteCounter::ResponseCoded);
        }
        if !reads_body && !blocks && answered.is_none() {
            context.series().spared(inspection.spared());
            return None;
        }
        if let (Some(answered), Err(_)) = (&mut answered, &codings) {
            answered.give_up();
        }
        let bounds = coding::Bounds { bytes_max, ratio_max: limits.decompression_ratio_limit };
        let inflater = codings.ok().filter(|codings| !codings.is_empty());
        Some(ResponseInspector {
            inspection: Box::new(inspection),
            is_too_long: is_longer(framing, bytes_max) && inflater.is_none(),
            inflater: inflater.map(|codings| Inflater::new(&codings, bounds, Ancillary::Skipped)),
            reads_body,
            answered,
            refuses,
            is_stream,
            held_max: held_max(limits),
            is_garbled: false,
        })
    }

    /// Reports whether the response is held back until it is judged. What is only reported flows at once.
    pub(super) fn holds(&self) -> bool {
        self.refuses || self.answered.as_ref().is_some_and(ResponseContract::refuses)
    }

    /// Reports whether the client may be waiting for what is there: silence lets it go.
    pub(super) fn is_stream(&self) -> bool {
        self.is_stream
    }

    /// Bytes that are held at most.
    pub(super) fn held_max(&self) -> usize {
        self.held_max
    }

    /// Judges the next bytes as they came from the upstream.
    pub(super) fn take(&mut self, data: &[u8]) {
        if self.is_over() {
            return;
        }
        let (inspection, answered, reads_body) = (&mut self.inspection, &mut self.answered, self.reads_body);
        let mut feed = |bytes: &[u8]| {
            if reads_body && !inspection.is_full() {
                inspection.feed(bytes);
            }
            if let Some(answered) = answered.as_mut() {
                answered.take(bytes);
            }
            let is_over = !reads_body || inspection.is_full();
            if is_over && answered.as_ref().is_none_or(ResponseContract::is_over) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let Some(inflater) = &mut self.inflater else {
            let _ = feed(data);
            return;
        };
        // What does not inflate means nothing to the client either; it is relayed as it is.
        if inflater.feed(data, &mut feed).is_err() {
            self.is_garbled = self.reads_body;
            self.reads_body = false;
            if let Some(answered) = &mut self.answered {
                answered.give_up();
            }
        }
    }

    /// Judges all that came as if nothing followed.
    pub(super) fn probe(&mut self) {
        if self.reads_body {
            self.inspection.probe();
        }
    }

    /// Judges the end of the body.
    pub(super) fn finish(&mut self) {
        if self.reads_body {
            self.inspection.finish();
        }
        if let Some(answered) = &mut self.answered {
            answered.finish();
        }
    }

    /// From here on parts of the response are with the client.
    pub(super) fn release(&mut self) {
        self.inspection.release();
    }

    /// Reports whether nothing that may follow is read.
    pub(super) fn is_over(&self) -> bool {
        let rules_are_over = !self.reads_body || self.inspection.is_full();
        let contract_is_over = self.answered.as_ref().is_none_or(ResponseContract::is_over);
        (rules_are_over && contract_is_over) || self.inflater.as_ref().is_some_and(Inflater::is_stopped)
    }

    /// The reason why the response is refused, if it is.
    pub(super) fn refusal(&self) -> Option<Refusal> {
        let verdict = self.inspection.verdict();
        if !self.refuses || !verdict.blocks() {
            let is_refused = self.answered.as_ref().is_some_and(ResponseContract::is_refused);
            return is_refused.then_some(BAD_GATEWAY);
        }
        let leaf = verdict.violations.first().map(|violation| violation.leaf);
        let leaf = leaf.or_else(|| verdict.matches.first().map(|found| found.rule.leaf));
        Some(Refusal::blocked(leaf.map_or(403, |leaf| leaf.row().status)))
    }

    /// The findings, and the time that they took.
    pub(super) fn into_judged(self) -> ResponseFindings {
        let (time, unread) = (self.inspection.time(), self.unread());
        let spared = self.inspection.spared().cloned().collect();
        let verdict = self.inspection.into_verdict();
        let timed_out = verdict.timed_out;
        let verdict = Some(verdict).filter(Verdict::blocks).map(Box::new);
        let contract_time = self.answered.as_ref().map_or(Duration::ZERO, ResponseContract::time);
        let breach = self.answered.and_then(ResponseContract::into_breach);
        ResponseFindings { verdict, spared, breach, time, contract_time, timed_out, unread }
    }

    /// The reason why rules did not read the body to its end, where nothing else made reading on pointless.
    fn unread(&self) -> Option<RouteCounter> {
        let verdict = self.inspection.verdict();
        if verdict.blocks() || verdict.timed_out {
            None
        } else if self.is_garbled {
            Some(RouteCounter::ResponseCoded)
        } else if !self.reads_body {
            None
        } else {
            let is_cut = self.inflater.as_ref().map_or(self.is_too_long, Inflater::is_stopped);
            (is_cut && self.inspection.is_full()).then_some(RouteCounter::ResponseTooLong)
        }
    }
}

/// The beginning of a body with parameters, where a rule compares redirects with it.
pub(super) fn parameters(admitted: &Admitted, body: &Body, settings: &Settings) -> Vec<u8> {
    if !admitted.carries_body() || !settings.leaves.contains(Leaf::ResponseInspectionOpenRedirects) {
        return Vec::new();
    }
    let media_type = admitted.head.fields.first("content-type").unwrap_or_default().to_ascii_lowercase();
    let holds = |name: &[u8]| memchr::memmem::find(&media_type, name).is_some();
    if holds(b"json") || holds(b"form-urlencoded") {
        body.beginning(PARAMETERS_BYTES_MAX)
    } else {
        Vec::new()
    }
}

/// Judges the head where rules look at responses, under the exceptions of the route; the kind of a body that is read.
fn judge_head(
    inspection: &mut ResponseInspection,
    response: &ResponseHead,
    (contracted, parameters): (&Contracted, &[u8]),
    context: &RequestContext,
    is_wanted: bool,
) -> Option<ResponseKind> {
    let asked = asked(&contracted.admitted, parameters);
    let request = (contracted.admitted.head.method(), asked.path);
    inspection.except(context.active_plan.exceptions(context.route()), request);
    if is_wanted { inspection.head(&asked, &head(response)) } else { None }
}

/// Reports whether a declared length is greater than `bytes_max`.
fn is_longer(framing: Framing, bytes_max: u64) -> bool {
    matches!(framing, Framing::Length(length) if length > bytes_max)
}

/// Bytes that are held at most until they are judged.
fn held_max(limits: &plan::Inspection) -> usize {
    usize::try_from(limits.max_inspect_size.min(limits.max_memory_buffer)).unwrap_or(usize::MAX)
}

fn inspection(context: &RequestContext, stops: bool, bytes_max: u64) -> ResponseInspection {
    let settings = context.settings();
    let limit = settings.inspection.evaluation_timeout.duration();
    let budget = Budget { limit, clock: thread_cpu_time, watch };
    let on_hit = if stops { OnHit::Stop } else { OnHit::GoOn };
    let engine = Arc::clone(context.active_plan.engine());
    ResponseInspection::new(engine, settings.leaves, on_hit, budget, bytes_max)
}

fn asked<'a>(admitted: &'a Admitted, parameters: &'a [u8]) -> Asked<'a> {
    let target = admitted.head.target();
    let host = admitted.target.authority(target).or_else(|| admitted.head.fields.first("host"));
    Asked {
        host: host.unwrap_or_default(),
        path: admitted.target.path(target),
        query: admitted.target.query(target).unwrap_or_default(),
        body: parameters,
    }
}

fn head(response: &ResponseHead) -> Head<'_> {
    Head {
        status: response.status,
        content_type: response.fields.first("content-type").unwrap_or_default(),
        location: response.fields.first("location"),
    }
}
/// Reports whether a body with these codings can be read as text: a part of an inflated body cannot.
fn can_be_read(response: &ResponseHead, codings: Result<&[Coding], &UnknownCoding>) -> bool {
    codings.is_ok_and(|codings| codings.is_empty() || response.status != 206)
}

#[cfg(test)]
mod tests {
    use waf_shared::plan::{Mode, Route};

    use super::super::testing::{LEAK, contracted, exchange, head as request_head, response};
    use super::*;
    use crate::http1::framing;

    const HTML: &str = "200 OK\nContent-Type: text/html\nContent-Length: 150";

    /// Feeds a response to its inspection: whether it is held back, whether it is refused, and what was found. `None`
    /// where nothing looks at it.
    fn inspect(
        lines: &str,
        body: &str,
        change: impl FnOnce(&mut Route),
    ) -> Option<(bool, bool, ResponseFindings)> {
        let mut exchange = exchange(|_, route| change(route));
        let contracted = contracted(request_head("GET / HTTP/1.1\nHost: a"), &mut exchange);
        let response = response(&format!("HTTP/1.1 {lines}"));
        let framing = framing::of_response(&response, b"GET").expect("valid framing");
        let (context, findings) = (&exchange.context, &mut exchange.findings);
        let mut inspector = ResponseInspector::of(&response, framing, (&contracted, b""), context, findings)?;
        for piece in body.as_bytes().chunks(7) {
            inspector.take(piece);
        }
        inspector.finish();
        Some((inspector.holds(), inspector.refusal().is_some(), inspector.into_judged()))
    }

    #[test]
    fn leaks_are_held_back_or_reported() {
        for (mode, is_blocking) in [(Mode::Blocking, true), (Mode::DetectOnly, false)] {
            for lines in [HTML, "200 OK\nContent-Type: text/plain", "500 Oops\nContent-Type: text/html"] {
                let inspected = inspect(lines, LEAK, |route| route.settings.mode = mode);
                let (holds, is_refused, found) = inspected.expect("it is looked at");
                assert_eq!((holds, is_refused), (is_blocking, is_blocking), "{mode:?} {lines:?}");
                assert!(found.verdict.is_some() && found.unread.is_none(), "{mode:?} {lines:?}");
            }
        }
    }

    #[test]
    fn benign_responses_pass() {
        for (lines, body) in [
            (HTML, "<p>Use SELECT to read rows from a table.</p>"),
            ("200 OK\nContent-Type: application/json", r#"{"error":null}"#),
            ("404 Not Found\nContent-Type: text/html", "<h1>Not found</h1>"),
        ] {
            let (_, is_refused, found) = inspect(lines, body, |_| {}).expect("it is looked at");
            assert!(!is_refused && found.verdict.is_none(), "{lines:?}");
        }
    }

    #[test]
    fn bodies_that_are_no_text_or_cannot_be_decoded_are_not_read() {
        for lines in [
            "200 OK\nContent-Type: image/png",
            "200 OK\nContent-Type: text/html\nContent-Length: 0",
            "304 Not Modified\nContent-Type: text/html",
            "200 OK\nContent-Type: text/html\nContent-Encoding: x-unknown",
            "206 Partial Content\nContent-Type: text/html\nContent-Encoding: gzip",
        ] {
            assert!(inspect(lines, LEAK, |_| {}).is_none(), "{lines:?}");
        }
    }

    #[test]
    fn the_reason_why_a_body_was_not_read_is_counted() {
        let bound = |route: &mut Route| route.settings.inspection.max_inspect_size = 64;
        for (lines, unread) in [
            (HTML, Some(RouteCounter::ResponseTooLong)),
            // Of a stream everything is read.
            ("200 OK\nContent-Type: text/html", None),
            ("200 OK\nContent-Type: text/html\nContent-Encoding: gzip", Some(RouteCounter::ResponseCoded)),
        ] {
            let (_, is_refused, found) = inspect(lines, &"<p>a</p>".repeat(20), bound).expect("looked at");
            assert_eq!((is_refused, found.unread), (false, unread), "{lines:?}");
        }
    }
}
