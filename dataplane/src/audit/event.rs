//! An audit event, before a schema gives it a shape.

use std::borrow::Cow;
use std::net::SocketAddr;
use std::time::{Duration, SystemTime};

use waf_shared::catalog::Leaf;
use waf_shared::plan::Mode;

/// One event: one request that was blocked, detected or logged.
#[derive(Debug, Clone)]
pub struct Event<'a> {
    /// When the request was judged.
    pub time: SystemTime,
    /// Action that was taken.
    pub disposition: Disposition,
    /// Digest of the plan that judged it, 64 hex digits.
    pub plan: &'a str,
    /// Mode of the route, or the global one before a route was chosen.
    pub mode: Mode,
    /// The route, once chosen.
    pub route_id: Option<&'a str>,
    /// The request id that the client sees.
    pub request_id: &'a str,
    /// The client: the peer, or whom a trusted proxy names.
    pub client: SocketAddr,
    /// Local address of the connection.
    pub listener: SocketAddr,
    /// `http` or `https`.
    pub scheme: &'static str,
    /// Parameters of the client's TLS, if there is one.
    pub tls: Option<Tls<'a>>,
    /// Method token, when it was read.
    pub method: Option<&'a [u8]>,
    /// Request target as sent, when it was read.
    pub target: Option<&'a [u8]>,
    /// Host field value as sent.
    pub host: Option<&'a [u8]>,
    /// Protocol version, such as `HTTP/1.1`.
    pub version: Option<&'a str>,
    /// User-Agent field value.
    pub user_agent: Option<&'a [u8]>,
    /// Referer field value.
    pub referer: Option<&'a [u8]>,
    /// Status sent to the client; 499 when it went away first.
    pub status: u16,
    /// The reason why the outcome is what it is, where the deciding finding's reason does not say it.
    pub status_detail: Option<&'a str>,
    /// From the first byte of the request to the event.
    pub duration: Option<Duration>,
    /// Sum of the evidence.
    pub score: u32,
    /// Findings, in the order of [`deciding_first`]. Blocked and detected events have at least one.
    pub findings: &'a [EventFinding<'a>],
    /// Parts of the request that no rule looked at.
    pub not_inspected: &'a [&'a str],
    /// The span of the request, while tracing is on.
    pub trace: Option<Trace>,
}

/// Parameters that were agreed on with a client over TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tls<'a> {
    /// `1.2` or `1.3`.
    pub version: &'static str,
    /// Cipher suite by its registered name.
    pub cipher: &'static str,
    /// Server name that the client asked for, a valid DNS name.
    pub server_name: &'a str,
}

/// Action that was taken on a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disposition {
    /// Refused.
    Blocked,
    /// A violation that was let through, or noticed when bytes had been sent.
    Detected,
    /// No violation, but worth a line: an undeclared path, an uninspected rest.
    Logged,
}

/// Identifiers of a span (W3C Trace Context). Zero stands for none, there as here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trace {
    /// Trace id.
    pub trace_id: u128,
    /// Span id.
    pub span_id: u64,
}

/// One thing that was found in a request.
#[derive(Debug, Clone)]
pub struct EventFinding<'a> {
    /// Which protection found it.
    pub protection: Protection,
    /// Rule id `<leaf>/<name>`; none for checks that are no rules.
    pub rule: Option<&'static str>,
    /// Kind of place, such as `ARGS`.
    pub place: Cow<'a, str>,
    /// Name of the parameter, header or cookie; empty where there is none.
    pub name: Cow<'a, [u8]>,
    /// View by which the bytes that matched came from those sent.
    pub view: Option<&'static str>,
    /// Byte offset of the evidence in the view.
    pub offset: Option<u32>,
    /// Bytes around the evidence. Cut, and masked where a secret may stand; empty where there is nothing to quote.
    pub excerpt: Cow<'a, [u8]>,
    /// One sentence for people.
    pub reason: Cow<'a, str>,
    /// Evidence, from 1 to [`DECIDES`].
    pub weight: u8,
}

/// Weight of a finding that refuses a request by itself.
pub const DECIDES: u8 = waf_shared::limits::SCORE_BLOCKS as u8;

/// Weight of what is reported and never refused.
pub const REMARK: u8 = 1;

/// Puts what decided in front: the highest weight first, findings of one weight in the order in which they were found.
pub fn deciding_first(findings: &mut [EventFinding<'_>]) {
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.weight));
}

/// Protection as an event names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protection {
    /// A leaf of the catalog.
    Leaf(Leaf),
    /// A quota, which is configured and not toggled.
    RateLimit {
        /// Requests per window.
        requests: u64,
    },
}

impl Protection {
    /// Its name in events and metrics.
    pub fn name(self) -> &'static str {
        match self {
            Protection::Leaf(leaf) => leaf.name(),
            Protection::RateLimit { .. } => "rate-limit",
        }
    }

    /// The second level of the catalog.
    pub fn bucket(self) -> &'static str {
        match self {
            Protection::Leaf(leaf) => leaf.bucket(),
            Protection::RateLimit { .. } => "rate-limit",
        }
    }

    /// Weaknesses that it guards against, most telling first.
    pub fn cwe(self) -> &'static [u16] {
        match self {
            Protection::Leaf(leaf) => leaf.row().cwe,
            Protection::RateLimit { .. } => &[400, 770],
        }
    }
}
