//! What is known of an exchange while it runs: who asked, for what, under which plan and route, and what was found. The
//! audit event is written from it, and it decides whether a violation turns a client away.

mod traced;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use waf_detection::verdict::Verdict;
use waf_shared::catalog::{Leaf, LeafSet};
use waf_shared::limits;
use waf_shared::plan::{Mode, RateLimit, RateLimitSource, Settings};

use super::contract::Contracted;
use super::screen::Judged;
use super::tally::Tally;
use crate::audit::{self, Disposition, Event, Finding, Protection, Tls};
use crate::http1::head::RequestHead;
use crate::refusal::Refusal;
use crate::serving::{RouteIndex, Serving};
use crate::tls::Secured;
use crate::trace;

/// A violation that is not a rule's match.
#[derive(Debug)]
struct Violation {
    leaf: Leaf,
    place: &'static str,
    reason: Cow<'static, str>,
    excerpt: Vec<u8>,
    /// Worth a line, and no violation.
    is_remark: bool,
}

/// A rate limit whose window is full.
#[derive(Debug)]
pub(crate) struct Exceeded {
    pub(crate) limit: RateLimit,
    /// Until a request of this client would pass.
    pub(crate) wait: Duration,
    /// For the refusal that is told: how many were not since the last one that was.
    pub(crate) untold: Option<u64>,
}

impl Exceeded {
    /// What the event says; `None` for all but the first refusal of a window. The key itself is never told: it may be
    /// a secret, and the event has the address anyway.
    fn finding(&self) -> Option<Finding<'_>> {
        let untold = self.untold?;
        let (requests, window) = (self.limit.requests, self.limit.window.duration());
        let mut reason = format!("more than {requests} requests in {window:?}");
        if untold > 0 {
            let _ = write!(reason, "; {untold} more refused since the last event of this client");
        }
        let (place, name) = match &self.limit.source {
            RateLimitSource::Ip => ("REMOTE_ADDR", &[][..]),
            RateLimitSource::Header(name) => ("HEADERS", name.as_bytes()),
        };
        Some(Finding {
            protection: Protection::RateLimit { requests },
            rule: None,
            place: Cow::Borrowed(place),
            name: Cow::Borrowed(name),
            view: None,
            offset: None,
            excerpt: Cow::Borrowed(&[]),
            reason: Cow::Owned(reason),
        })
    }
}

/// How a connection arrived.
#[derive(Debug, Clone)]
pub(crate) enum Door {
    /// Without TLS, to be proxied.
    Plain,
    /// Over TLS.
    Tls(Arc<Secured>),
    /// Without TLS, to be sent on to HTTPS.
    Redirect,
}

/// Bytes of a request's body that passed without a rule looking at them, by the reason.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct NotInspected {
    /// Beyond `max_inspect_size`, or behind what could be decoded or judged in time.
    pub(crate) rest: u64,
    /// Content of uploaded files behind the first bytes of each.
    pub(crate) files: u64,
    /// Of a body of a type that is not read.
    pub(crate) body: u64,
}

/// Where a connection comes from and arrived.
#[derive(Debug, Clone)]
pub(crate) struct Ends {
    /// The TCP peer.
    pub(crate) peer: SocketAddr,
    /// Our own address.
    pub(crate) local: SocketAddr,
    /// How it arrived.
    pub(crate) door: Door,
}

/// The record of one exchange.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) serving: Arc<Serving>,
    pub(crate) route: Option<RouteIndex>,
    pub(crate) request_id: String,
    pub(crate) head: Option<Arc<RequestHead>>,
    pub(crate) client: SocketAddr,
    /// Parameters in the request's body, for rules that compare an answer with them.
    pub(crate) parameters: Vec<u8>,
    /// The route's rate limit, when the request is over it.
    pub(crate) exceeded: Option<Exceeded>,
    /// The operation of the contract that the request is held to.
    pub(crate) contracted: Option<Contracted>,
    /// Methods for a 405 that the contract gives.
    pub(crate) allow: Option<Vec<String>>,
    ends: Ends,
    started: Instant,
    time: SystemTime,
    violations: Vec<Violation>,
    status_detail: Option<&'static str>,
    not_inspected: NotInspected,
    /// What rules found in the upstream's answer.
    answer: Option<Box<Verdict>>,
    /// What its spans will say, while tracing is on.
    trace: Option<Box<trace::Exchange>>,
    pub(super) tally: Tally,
    /// What is said instead of an upstream, where nothing is proxied.
    reply: Option<Reply>,
}

/// What port 80 says.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// The address to go to.
    Location(Vec<u8>),
    /// A key authorization.
    Challenge(Arc<str>),
}

impl Record {
    /// For an exchange that begins now.
    pub(crate) fn new(serving: Arc<Serving>, ends: Ends, now: (Instant, SystemTime)) -> Record {
        serving.metrics().entered();
        Record {
            serving,
            route: None,
            request_id: String::new(),
            head: None,
            client: ends.peer,
            parameters: Vec::new(),
            exceeded: None,
            contracted: None,
            allow: None,
            ends,
            started: now.0,
            time: now.1,
            violations: Vec::new(),
            status_detail: None,
            not_inspected: NotInspected::default(),
            answer: None,
            trace: None,
            tally: Tally::default(),
            reply: None,
        }
    }

    /// What holds for it now.
    pub(crate) fn settings(&self) -> &Settings {
        self.serving.settings(self.route)
    }

    /// How the connection arrived.
    pub(crate) fn door(&self) -> &Door {
        &self.ends.door
    }

    /// What the client speaks TLS with, if it does.
    pub(crate) fn secured(&self) -> Option<&Secured> {
        match &self.ends.door {
            Door::Tls(secured) => Some(secured),
            Door::Plain | Door::Redirect => None,
        }
    }

    /// Scheme of the client's own hop.
    pub(crate) fn scheme(&self) -> &'static str {
        if self.secured().is_some() { "https" } else { "http" }
    }

    /// Sets what is said instead of an upstream.
    pub(crate) fn replies(&mut self, reply: Reply) {
        self.reply = Some(reply);
    }

    /// What is said instead of an upstream.
    pub(crate) fn reply(&self) -> Option<&Reply> {
        self.reply.as_ref()
    }

    /// The TCP peer.
    pub(crate) fn peer(&self) -> SocketAddr {
        self.ends.peer
    }

    /// Makes an id for an exchange that ended before its head was read.
    pub(crate) fn ensure_request_id(&mut self) {
        if self.request_id.is_empty() {
            self.request_id = crate::request_id::fresh();
        }
    }

    /// How long it has taken so far.
    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// When it began.
    pub(crate) fn time(&self) -> SystemTime {
        self.time
    }

    /// Records a violation of `leaf`, if that is in force, and turns the client away where the mode says so.
    pub(crate) fn violate(
        &mut self,
        leaf: Leaf,
        place: &'static str,
        reason: impl Into<Cow<'static, str>>,
    ) -> Result<(), Refusal> {
        let settings = self.settings();
        if !settings.leaves.contains(leaf) {
            return Ok(());
        }
        let refuses = settings.mode == Mode::Blocking;
        self.note(leaf, place, reason.into(), &[]);
        if refuses { Err(Refusal::blocked(leaf.row().status)) } else { Ok(()) }
    }

    /// Whether a breach of the contract turns clients away: in blocking mode, unless the contract is only watched.
    pub(crate) fn refuses_breaches(&self) -> bool {
        let openapi =
            self.route.and_then(|r| self.serving.route(r)).and_then(|(route, _)| route.openapi.as_ref());
        self.settings().mode == Mode::Blocking && openapi.is_some_and(|openapi| openapi.strict)
    }

    /// Records a breach of the contract, if its leaf is in force, and turns the client away where that is meant.
    pub(crate) fn breach(
        &mut self,
        leaf: Leaf,
        place: &'static str,
        reason: impl Into<Cow<'static, str>>,
    ) -> Result<(), Refusal> {
        if !self.settings().leaves.contains(leaf) {
            return Ok(());
        }
        self.note(leaf, place, reason.into(), &[]);
        if self.refuses_breaches() { Err(Refusal::blocked(leaf.row().status)) } else { Ok(()) }
    }

    /// Records what is told and never refused.
    pub(crate) fn remark(&mut self, leaf: Leaf, place: &'static str, reason: &'static str) {
        self.note(leaf, place, reason.into(), &[]);
        if let Some(last) = self.violations.last_mut().filter(|v| v.leaf == leaf && v.reason == reason) {
            last.is_remark = true;
        }
    }

    /// Records what no mode and no toggle lets pass, and turns the client away; the connection ends.
    pub(crate) fn refuse(
        &mut self,
        status: u16,
        leaf: Leaf,
        place: &'static str,
        reason: impl Into<Cow<'static, str>>,
    ) -> Refusal {
        self.note(leaf, place, reason.into(), &[]);
        Refusal::blocked(status).closing()
    }

    /// The same for a head that could not be read, of which the event quotes the beginning.
    pub(crate) fn refuse_unread(&mut self, status: u16, leaf: Leaf, reason: String, raw: &[u8]) -> Refusal {
        self.ensure_request_id();
        let line = raw.get(..raw.len().min(256)).unwrap_or_default();
        self.note(leaf, "HEAD", reason.into(), line);
        Refusal::blocked(status).closing()
    }

    /// Records a violation that was judged elsewhere.
    pub(crate) fn noted(&mut self, leaf: Leaf, place: &'static str, reason: Cow<'static, str>) {
        self.note(leaf, place, reason, &[]);
    }

    /// Records how many bytes of the body passed without inspection.
    pub(crate) fn uninspected(&mut self, bytes: NotInspected) {
        self.not_inspected = bytes;
    }

    /// What an exchange that went on is reported as.
    pub(crate) fn disposition(&self, verdict: Option<&Verdict>) -> Disposition {
        // An uninspected rest is worth a line, and no violation.
        let only_logged = |v: &Violation| v.is_remark || v.leaf == Leaf::ResourceLimitsMaxInspectionSize;
        if verdict.is_none()
            && self.answer.is_none()
            && self.exceeded.is_none()
            && self.violations.iter().all(only_logged)
        {
            Disposition::Logged
        } else {
            Disposition::Detected
        }
    }

    /// A leaf is reported once, with its first reason.
    fn note(&mut self, leaf: Leaf, place: &'static str, reason: Cow<'static, str>, excerpt: &[u8]) {
        let is_new = self.violations.iter().all(|known| known.leaf != leaf);
        if is_new && self.violations.len() < limits::MATCHES_MAX {
            self.violations.push(Violation {
                leaf,
                place,
                reason,
                excerpt: excerpt.to_vec(),
                is_remark: false,
            });
        }
    }

    /// Whether `leaf` was violated.
    pub(crate) fn blames(&self, leaf: Leaf) -> bool {
        self.violations.iter().any(|violation| violation.leaf == leaf)
    }

    /// Says in the event what became of the exchange beside its status.
    pub(crate) fn detail(&mut self, text: &'static str) {
        self.status_detail = Some(text);
    }

    /// Records what was found in the upstream's answer.
    pub(super) fn judged(&mut self, answer: Judged) {
        self.screened(&answer);
        self.answer = answer.verdict;
        if let Some(breach) = answer.breach {
            self.note(Leaf::ResponseInspectionOpenapiValidation, "RESPONSE_BODY", breach.into(), &[]);
        }
    }

    /// Every protection that the event names.
    pub(super) fn protections(&self, verdict: Option<&Verdict>) -> Vec<&'static str> {
        let own: LeafSet = self.violations.iter().map(|violation| violation.leaf).collect();
        let found = [verdict, self.answer.as_deref()].into_iter().flatten();
        let leaves = found.fold(own, |all, verdict| all.union(&verdict.leaves()));
        let quota = self.exceeded.iter().filter_map(Exceeded::finding).map(|found| found.protection.name());
        leaves.iter().map(Leaf::name).chain(quota).collect()
    }

    /// The audit event for an answer of `status`; `None` when nothing was found.
    pub(crate) fn event(
        &mut self,
        disposition: Disposition,
        status: u16,
        verdict: Option<&Verdict>,
    ) -> Option<Vec<u8>> {
        let mut findings: Vec<Finding<'_>> = self.exceeded.iter().filter_map(Exceeded::finding).collect();
        let answer = self.answer.as_deref();
        for found in [verdict, answer].into_iter().flatten().flat_map(|verdict| &verdict.matches) {
            findings.push(Finding {
                protection: Protection::Leaf(found.rule.leaf),
                rule: Some(found.rule.id),
                place: Cow::Borrowed(found.place.as_str()),
                name: Cow::Borrowed(found.name.as_ref()),
                view: Some(found.view.as_str()),
                offset: Some(found.offset),
                excerpt: Cow::Borrowed(found.excerpt.as_ref()),
                reason: Cow::Borrowed(found.rule.summary),
            });
        }
        let own = self.violations.iter().map(|v| (v.leaf, v.place, v.reason.as_ref(), v.excerpt.as_slice()));
        let engine = verdict.map(|v| v.violations.as_slice()).unwrap_or_default();
        let is_own = |leaf| self.violations.iter().any(|v| v.leaf == leaf);
        let engine = engine.iter().filter(|v| !is_own(v.leaf));
        let engine = engine.map(|v| (v.leaf, "BODY", v.reason.as_ref(), &[][..]));
        let answered = answer.map(|v| v.violations.as_slice()).unwrap_or_default();
        let answered = answered.iter().map(|v| (v.leaf, "RESPONSE_BODY", v.reason.as_ref(), &[][..]));
        for (leaf, place, reason, excerpt) in own.chain(engine).chain(answered) {
            findings.push(Finding {
                protection: Protection::Leaf(leaf),
                rule: None,
                place: Cow::Borrowed(place),
                name: Cow::Borrowed(&[]),
                view: None,
                offset: None,
                excerpt: Cow::Borrowed(excerpt),
                reason: Cow::Borrowed(reason),
            });
        }
        if findings.is_empty() {
            return None;
        }
        let not_inspected = self.parts_not_inspected(status, verdict);
        let not_inspected: Vec<&str> = not_inspected.iter().map(AsRef::as_ref).collect();
        let head = self.head.as_deref();
        let first = |name| head.and_then(|h| h.fields.first(name));
        let event = Event {
            time: self.time,
            disposition,
            plan: self.serving.digest_text(),
            mode: self.settings().mode,
            route_id: self.route.and_then(|r| self.serving.route(r)).map(|(route, _)| route.id.0.as_str()),
            request_id: &self.request_id,
            client: self.client,
            listener: self.ends.local,
            scheme: self.scheme(),
            tls: self.secured().map(|secured| Tls {
                version: secured.version,
                cipher: secured.cipher,
                server_name: &secured.server_name,
            }),
            method: head.map(RequestHead::method),
            target: head.map(RequestHead::target),
            host: first("host"),
            version: head.map(|h| h.version.as_str()),
            user_agent: first("user-agent"),
            referer: first("referer"),
            status,
            status_detail: self.status_detail,
            duration: Some(self.elapsed()),
            score: verdict.map_or(0, |v| v.score).max(answer.map_or(0, |v| v.score)),
            findings: &findings,
            not_inspected: &not_inspected,
            trace: self.trace.as_ref().map(|trace| trace.context.ids()),
        };
        let mut line = Vec::with_capacity(2048);
        audit::write(&event, self.serving.plan().audit_format, &mut line);
        if self.trace.is_some() {
            let action = traced::action(disposition, &findings, event.score);
            self.traced(|trace| trace.action = action);
        }
        Some(line)
    }

    /// What no rule looked at, in words.
    fn parts_not_inspected(&self, status: u16, verdict: Option<&Verdict>) -> Vec<Cow<'static, str>> {
        let NotInspected { rest, files, body } = self.not_inspected;
        let mut parts: Vec<Cow<'static, str>> = Vec::new();
        for (bytes, of) in [
            (rest, "bytes of the body"),
            (files, "bytes of file contents"),
            (body, "bytes of a body of a type that is not read"),
        ] {
            if bytes > 0 {
                parts.push(format!("{bytes} {of}").into());
            }
        }
        if verdict.is_some_and(|verdict| verdict.timed_out) {
            parts.push("what came after evaluation_timeout had run out".into());
        }
        if status == 101 {
            parts.push("the connection after its upgrade".into());
        }
        parts
    }
}

/// However an exchange ends, it is counted and its spans are sent once: also when its task is given up with its stream.
impl Drop for Record {
    fn drop(&mut self) {
        self.count();
        self.finish_trace();
    }
}
