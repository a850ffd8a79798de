//! A finished exchange, and the spans that it becomes (OpenTelemetry semantic conventions for HTTP). Requests only
//! note; names, masks and attributes are made where the export runs.

use std::borrow::Cow;
use std::net::SocketAddr;
use std::sync::LazyLock;
use std::time::{Duration, Instant, SystemTime};

use opentelemetry::trace::{Event, SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState};
use opentelemetry::{Array, InstrumentationScope, KeyValue, StringValue, Value};
use opentelemetry_sdk::trace::{SpanData, SpanEvents, SpanLinks};

use super::context::Context;
use crate::audit::url;

/// Methods that a span may name; others are `_OTHER`, so that no client makes names.
const METHODS: [&str; 9] = ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"];

/// Bytes of a target, a host or a User-Agent that a span carries.
const VALUE_BYTES_MAX: usize = 2 << 10;

/// Action that was taken on a request.
#[derive(Debug, Clone, Default)]
pub(crate) enum Action {
    #[default]
    Allowed,
    Found {
        is_blocked: bool,
        protections: Vec<&'static str>,
        rules: Vec<String>,
        score: u32,
    },
}

/// The call of the upstream.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) host: String,
    pub(crate) port: u16,
    /// URL, the target as it was sent; not masked yet.
    pub(crate) url: Vec<u8>,
    pub(crate) began: Instant,
    /// When its head came.
    pub(crate) answered: Option<Instant>,
    /// Status of the answer, once its head came.
    pub(crate) status: Option<u16>,
    pub(crate) ended: Option<Instant>,
    /// The reason why it failed, in a word that does not come from outside.
    pub(crate) failure: Option<&'static str>,
}

/// An exchange that is over.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) context: Context,
    pub(crate) began: (Instant, SystemTime),
    pub(crate) took: Duration,
    pub(crate) stages: Vec<(&'static str, Instant)>,
    pub(crate) action: Action,
    pub(crate) status: u16,
    pub(crate) call: Option<Call>,
    pub(crate) request_id: String,
    pub(crate) route_id: Option<String>,
    pub(crate) plan: String,
    pub(crate) client: SocketAddr,
    /// Of the client's own hop.
    pub(crate) scheme: &'static str,
    pub(crate) peer: SocketAddr,
    pub(crate) listener: SocketAddr,
    /// Absent when no head could be read.
    pub(crate) request: Option<TracedRequest>,
}

/// Description of a request by its head.
#[derive(Debug)]
pub(crate) struct TracedRequest {
    pub(crate) method: Vec<u8>,
    pub(crate) target: Vec<u8>,
    pub(crate) host: Option<Vec<u8>>,
    pub(crate) user_agent: Option<Vec<u8>>,
    pub(crate) version: &'static str,
}

/// The front of a value that a span carries.
pub(crate) fn bounded(value: &[u8]) -> Vec<u8> {
    value.get(..VALUE_BYTES_MAX).unwrap_or(value).to_vec()
}

static SCOPE: LazyLock<InstrumentationScope> =
    LazyLock::new(|| InstrumentationScope::builder("waf").with_version(env!("CARGO_PKG_VERSION")).build());

impl Finished {
    /// Spans that one becomes at most.
    pub(super) const SPANS_MAX: usize = 2;

    /// Number of spans that it becomes.
    pub(crate) fn spans(&self) -> usize {
        1 + usize::from(self.call.is_some())
    }

    /// Its spans, the server's first.
    pub(super) fn into_spans(mut self) -> Vec<SpanData> {
        let call = self.call.take();
        let method = self.method();
        let mut spans = Vec::with_capacity(Finished::SPANS_MAX);
        spans.push(self.server(method));
        if let Some(call) = call {
            spans.push(self.client(call, method));
        }
        spans
    }

    fn method(&self) -> &'static str {
        let sent = self.request.as_ref().map(|request| request.method.as_slice()).unwrap_or_default();
        let known = METHODS.iter().find(|known| known.as_bytes() == sent);
        known.copied().unwrap_or("_OTHER")
    }

    fn server(&self, method: &'static str) -> SpanData {
        let named = if method == "_OTHER" { "HTTP" } else { method };
        let name = match &self.route_id {
            Some(route) => format!("{named} {route}"),
            None => named.to_owned(),
        };
        let mut attributes = vec![
            KeyValue::new("http.request.method", method),
            KeyValue::new("url.scheme", self.scheme),
            KeyValue::new("client.address", self.client.ip().to_canonical().to_string()),
            KeyValue::new("network.peer.address", self.peer.ip().to_canonical().to_string()),
            KeyValue::new("network.peer.port", i64::from(self.peer.port())),
            KeyValue::new("waf.request.id", self.request_id.clone()),
            KeyValue::new("waf.plan", self.plan.clone()),
        ];
        self.describe_request(&mut attributes);
        if let Some(route) = &self.route_id {
            attributes.push(KeyValue::new("waf.route.id", route.clone()));
        }
        if self.status != 0 {
            attributes.push(KeyValue::new("http.response.status_code", i64::from(self.status)));
        }
        self.describe_action(&mut attributes);
        let failed = self.status >= 500 || self.status == 0;
        if failed {
            attributes.push(KeyValue::new("error.type", error_type(self.status)));
        }
        let mut events = SpanEvents::default();
        events.events =
            self.stages.iter().map(|(name, at)| Event::new(*name, self.at(*at), Vec::new(), 0)).collect();
        SpanData {
            span_context: self.span_context(self.context.span_id),
            parent_span_id: SpanId::from(self.context.parent_id),
            parent_span_is_remote: self.context.has_parent(),
            span_kind: SpanKind::Server,
            name: Cow::Owned(name),
            start_time: self.began.1,
            end_time: self.began.1 + self.took,
            attributes,
            dropped_attributes_count: 0,
            events,
            links: SpanLinks::default(),
            status: if failed { Status::error("") } else { Status::Unset },
            instrumentation_scope: SCOPE.clone(),
        }
    }

    fn describe_request(&self, attributes: &mut Vec<KeyValue>) {
        let Some(request) = &self.request else { return };
        let url = url::read(
            Some(&request.method),
            Some(&request.target),
            request.host.as_deref(),
            self.scheme,
            self.listener,
        );
        attributes.push(KeyValue::new("url.path", url.path.into_owned()));
        if let Some(query) = url.query {
            attributes.push(KeyValue::new("url.query", query.into_owned()));
        }
        if let Some(host) = url.hostname {
            attributes.push(KeyValue::new("server.address", host.to_owned()));
        }
        if let Some(port) = url.port {
            attributes.push(KeyValue::new("server.port", i64::from(port)));
        }
        attributes.push(KeyValue::new(
            "network.protocol.version",
            request.version.strip_prefix("HTTP/").unwrap_or(request.version),
        ));
        if let Some(user_agent) = &request.user_agent {
            let text = String::from_utf8_lossy(user_agent).into_owned();
            attributes.push(KeyValue::new("user_agent.original", text));
        }
    }

    fn describe_action(&self, attributes: &mut Vec<KeyValue>) {
        let Action::Found { is_blocked, protections, rules, score } = &self.action else {
            attributes.push(KeyValue::new("waf.action", "allowed"));
            return;
        };
        let names = |values: Vec<StringValue>| Value::Array(Array::String(values));
        let protections = protections.iter().map(|name| StringValue::from(*name)).collect();
        let rules = rules.iter().map(|rule| StringValue::from(rule.clone())).collect();
        attributes.push(KeyValue::new("waf.action", if *is_blocked { "blocked" } else { "detected" }));
        attributes.push(KeyValue::new("waf.matched_protections", names(protections)));
        attributes.push(KeyValue::new("waf.matched_rules", names(rules)));
        attributes.push(KeyValue::new("waf.anomaly_score", i64::from(*score)));
    }

    fn client(&self, call: Call, method: &'static str) -> SpanData {
        let ended = call.ended.unwrap_or(self.began.0 + self.took);
        let mut attributes = vec![
            KeyValue::new("http.request.method", method),
            KeyValue::new("server.address", call.host),
            KeyValue::new("server.port", i64::from(call.port)),
            KeyValue::new("url.full", url::masked(&call.url).into_owned()),
        ];
        if let Some(status) = call.status {
            attributes.push(KeyValue::new("http.response.status_code", i64::from(status)));
        }
        let failed = match (call.failure, call.status) {
            (Some(why), _) => Some(why.to_owned()),
            (None, Some(status)) => (status >= 400).then(|| status.to_string()),
            (None, None) => Some("cancelled".to_owned()),
        };
        let status = if failed.is_some() { Status::error("") } else { Status::Unset };
        if let Some(failed) = failed {
            attributes.push(KeyValue::new("error.type", failed));
        }
        SpanData {
            span_context: self.span_context(self.context.call_id),
            parent_span_id: SpanId::from(self.context.span_id),
            parent_span_is_remote: false,
            span_kind: SpanKind::Client,
            name: Cow::Borrowed(if method == "_OTHER" { "HTTP" } else { method }),
            start_time: self.at(call.began),
            end_time: self.at(ended),
            attributes,
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status,
            instrumentation_scope: SCOPE.clone(),
        }
    }

    fn span_context(&self, span: u64) -> SpanContext {
        use std::str::FromStr as _;
        let state = TraceState::from_str(&self.context.state).unwrap_or_default();
        SpanContext::new(
            TraceId::from(self.context.trace_id),
            SpanId::from(span),
            TraceFlags::SAMPLED,
            self.context.has_parent() && span == self.context.span_id,
            state,
        )
    }

    /// A moment of the exchange by the clock on the wall.
    fn at(&self, moment: Instant) -> SystemTime {
        self.began.1 + moment.saturating_duration_since(self.began.0)
    }
}

/// 499 stands for a client that did not wait, zero for an exchange that was broken off.
fn error_type(status: u16) -> String {
    if status == 0 { "cancelled".to_owned() } else { status.to_string() }
}
