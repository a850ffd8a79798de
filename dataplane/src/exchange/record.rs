//! What is known of an exchange while it runs: who asked, for what, under which plan and route, and what was found. The
//! audit event is written from it, and it decides whether a violation turns a client away.

mod event;
mod traced;

use std::borrow::Cow;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use waf_detection::verdict::Verdict;
use waf_shared::catalog::Leaf;
use waf_shared::limits;
use waf_shared::plan::{Mode, RateLimit, Settings};

use super::contract::Contracted;
use super::exchange_metrics::Measurements;
use super::response_inspection::ResponseFindings;
use crate::active_plan::{ActivePlan, RouteIndex};
use crate::audit::Disposition;
use crate::http1::head::RequestHead;
use crate::refusal::Refusal;
use crate::tls::Secured;
use crate::trace;

/// A violation that is not a rule's match.
#[derive(Debug)]
struct Violation {
    leaf: Leaf,
    place: &'static str,
    reason: Cow<'static, str>,
    excerpt: Vec<u8>,
    effect: Effect,
}

/// Consequence of a violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// It refuses the request in blocking mode.
    Refuses,
    /// It is reported as a violation in every mode: the contract is only watched.
    Watched,
    /// It is worth a line, and no violation.
    Remark,
}

/// A rate limit whose window is full.
#[derive(Debug)]
pub(crate) struct Exceeded {
    pub(crate) limit: RateLimit,
    /// Until a request of this client would pass.
    pub(crate) wait: Duration,
    /// Which requests over the limit have an event.
    pub(crate) events: EventsOf,
}

/// Which requests over a rate limit have an event.
#[derive(Debug, Clone, Copy)]
pub(crate) enum EventsOf {
    /// Each: it is refused.
    Each,
    /// The first of a key and window.
    Window {
        /// For that one: how many had none since the last one.
        untold: Option<u64>,
    },
}

impl Exceeded {
    /// Whether this request has an event for it.
    fn is_reported(&self) -> bool {
        !matches!(self.events, EventsOf::Window { untold: None })
    }
}

/// How a connection arrived.
#[derive(Debug, Clone)]
pub(crate) enum Arrival {
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
pub(crate) struct ConnectionInfo {
    /// The TCP peer.
    pub(crate) peer: SocketAddr,
    /// Our own address.
    pub(crate) local: SocketAddr,
    /// How it arrived.
    pub(crate) arrival: Arrival,
}

/// The record of one exchange.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) active_plan: Arc<ActivePlan>,
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
    info: ConnectionInfo,
    started: Instant,
    time: SystemTime,
    violations: Vec<Violation>,
    /// Violations that were found before rules looked at the request.
    before_rules: usize,
    status_detail: Option<&'static str>,
    not_inspected: NotInspected,
    /// What rules found in the upstream's answer.
    answer: Option<Box<Verdict>>,
    /// What its spans will say, while tracing is on.
    trace: Option<Box<trace::Exchange>>,
    pub(super) exchange_metrics: Measurements,
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
    pub(crate) fn new(
        active_plan: Arc<ActivePlan>,
        info: ConnectionInfo,
        now: (Instant, SystemTime),
    ) -> Record {
        active_plan.metrics().entered();
        Record {
            active_plan,
            route: None,
            request_id: String::new(),
            head: None,
            client: info.peer,
            parameters: Vec::new(),
            exceeded: None,
            contracted: None,
            allow: None,
            info,
            started: now.0,
            time: now.1,
            violations: Vec::new(),
            before_rules: 0,
            status_detail: None,
            not_inspected: NotInspected::default(),
            answer: None,
            trace: None,
            exchange_metrics: Measurements::default(),
            reply: None,
        }
    }

    /// What holds for it now.
    pub(crate) fn settings(&self) -> &Settings {
        self.active_plan.settings(self.route)
    }

    /// How the connection arrived.
    pub(crate) fn arrival(&self) -> &Arrival {
        &self.info.arrival
    }

    /// What the client speaks TLS with, if it does.
    pub(crate) fn secured(&self) -> Option<&Secured> {
        match &self.info.arrival {
            Arrival::Tls(secured) => Some(secured),
            Arrival::Plain | Arrival::Redirect => None,
        }
    }

    /// Scheme of the client's own hop.
    pub(crate) fn scheme(&self) -> &'static str {
        if self.secured().is_some() { "https" } else { "http" }
    }

    /// Sets what is said instead of an upstream.
    pub(crate) fn set_reply(&mut self, reply: Reply) {
        self.reply = Some(reply);
    }

    /// What is said instead of an upstream.
    pub(crate) fn reply(&self) -> Option<&Reply> {
        self.reply.as_ref()
    }

    /// The TCP peer.
    pub(crate) fn peer(&self) -> SocketAddr {
        self.info.peer
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
        self.note(leaf, place, reason.into(), &[], Effect::Refuses);
        if refuses { Err(Refusal::blocked(leaf.row().status)) } else { Ok(()) }
    }

    /// Whether a breach of the contract turns clients away: in blocking mode, unless the contract is only watched.
    pub(crate) fn refuses_breaches(&self) -> bool {
        self.settings().mode == Mode::Blocking && self.is_strict()
    }

    /// Whether the route's contract is more than watched.
    fn is_strict(&self) -> bool {
        let openapi =
            self.route.and_then(|r| self.active_plan.route(r)).and_then(|(route, _)| route.openapi.as_ref());
        openapi.is_some_and(|openapi| openapi.strict)
    }

    fn effect_of_breach(&self) -> Effect {
        if self.is_strict() { Effect::Refuses } else { Effect::Watched }
    }

    /// Rules look at the request from here on.
    pub(super) fn rules_begin(&mut self) {
        self.before_rules = self.violations.len();
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
        let effect = self.effect_of_breach();
        self.note(leaf, place, reason.into(), &[], effect);
        if self.refuses_breaches() { Err(Refusal::blocked(leaf.row().status)) } else { Ok(()) }
    }

    /// Records what is told and never refused.
    pub(crate) fn remark(&mut self, leaf: Leaf, place: &'static str, reason: &'static str) {
        self.note(leaf, place, reason.into(), &[], Effect::Remark);
    }

    /// Records what no mode and no toggle lets pass, and turns the client away; the connection ends.
    pub(crate) fn refuse(
        &mut self,
        status: u16,
        leaf: Leaf,
        place: &'static str,
        reason: impl Into<Cow<'static, str>>,
    ) -> Refusal {
        self.note(leaf, place, reason.into(), &[], Effect::Refuses);
        Refusal::blocked(status).closing()
    }

    /// The same for a head that could not be read, of which the event quotes the beginning.
    pub(crate) fn refuse_unread(&mut self, status: u16, leaf: Leaf, reason: String, raw: &[u8]) -> Refusal {
        self.ensure_request_id();
        let line = raw.get(..raw.len().min(256)).unwrap_or_default();
        self.note(leaf, "HEAD", reason.into(), line, Effect::Refuses);
        Refusal::blocked(status).closing()
    }

    /// Records a violation that was judged elsewhere.
    pub(crate) fn noted(&mut self, leaf: Leaf, place: &'static str, reason: Cow<'static, str>) {
        let effect = match leaf {
            Leaf::ResourceLimitsMaxInspectionSize => Effect::Remark,
            Leaf::OpenapiBodyMismatch => self.effect_of_breach(),
            _ => Effect::Refuses,
        };
        self.note(leaf, place, reason, &[], effect);
    }

    /// Records how many bytes of the body passed without inspection.
    pub(crate) fn uninspected(&mut self, bytes: NotInspected) {
        self.not_inspected = bytes;
    }

    /// Whether there is something to tell of a request that is about to be forwarded.
    pub(crate) fn is_found(&self, verdict: Option<&Verdict>) -> bool {
        verdict.is_some()
            || !self.violations.is_empty()
            || self.exceeded.as_ref().is_some_and(Exceeded::is_reported)
    }

    /// What an exchange that went on is reported as.
    pub(crate) fn disposition(&self, verdict: Option<&Verdict>) -> Disposition {
        if verdict.is_none()
            && self.answer.is_none()
            && !self.exceeded.as_ref().is_some_and(Exceeded::is_reported)
            && self.violations.iter().all(|v| v.effect == Effect::Remark)
        {
            Disposition::Logged
        } else {
            Disposition::Detected
        }
    }

    /// A leaf is reported once, with its first reason.
    fn note(
        &mut self,
        leaf: Leaf,
        place: &'static str,
        reason: Cow<'static, str>,
        excerpt: &[u8],
        effect: Effect,
    ) {
        let is_new = self.violations.iter().all(|known| known.leaf != leaf);
        if is_new && self.violations.len() < limits::MATCHES_MAX {
            self.violations.push(Violation { leaf, place, reason, excerpt: excerpt.to_vec(), effect });
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
    pub(super) fn judged(&mut self, answer: ResponseFindings) {
        self.response_relay(&answer);
        self.answer = answer.verdict;
        if let Some(breach) = answer.breach {
            let effect = self.effect_of_breach();
            self.note(Leaf::ResponseInspectionOpenapiValidation, "RESPONSE_BODY", breach.into(), &[], effect);
        }
    }
}

/// However an exchange ends, it is counted and its spans are sent once: also when its task is given up with its stream.
impl Drop for Record {
    fn drop(&mut self) {
        self.count();
        self.finish_trace();
    }
}
