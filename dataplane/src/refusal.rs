//! Refusals of requests: values, not errors. A refusal says nothing about its connection; [`crate::answer`] writes it.

/// The `error` member of an answer's body. Never says more: a block names no protection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RefusalKind {
    /// A protection or a limit.
    Blocked,
    /// No route.
    NotFound,
    /// The upstream cannot be reached or does not speak HTTP.
    BadGateway,
    /// The upstream is too slow.
    GatewayTimeout,
    /// We cannot serve now.
    Unavailable,
    /// The client is too slow.
    Timeout,
    /// The connection is not for this host.
    Misdirected,
    /// Nothing is wrong: a preflight, which is answered here. It has no body.
    Preflight,
    /// Nothing is wrong: a plain request for a host that is served over TLS. It has no body.
    Redirect,
    /// Nothing is wrong: an authority's challenge.
    Challenge,
}

impl RefusalKind {
    /// As the body writes it.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            RefusalKind::Blocked => "blocked",
            RefusalKind::NotFound => "not_found",
            RefusalKind::BadGateway => "bad_gateway",
            RefusalKind::GatewayTimeout => "gateway_timeout",
            RefusalKind::Unavailable => "unavailable",
            RefusalKind::Timeout => "timeout",
            RefusalKind::Misdirected => "misdirected",
            RefusalKind::Preflight | RefusalKind::Redirect | RefusalKind::Challenge => "",
        }
    }
}

/// Refusal of a request, or another answer of our own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// HTTP status.
    pub(crate) status: u16,
    /// The error that the body names.
    pub(crate) kind: RefusalKind,
}

impl Refusal {
    /// Refusal by a protection.
    pub(crate) const fn blocked(status: u16) -> Refusal {
        Refusal { status, kind: RefusalKind::Blocked }
    }
}

/// A preflight from an allowed origin.
pub(crate) const PREFLIGHT: Refusal = Refusal { status: 204, kind: RefusalKind::Preflight };
/// A plain request for a host that is served over TLS. 308 keeps method and body (RFC 9110 section 15.4.9).
pub(crate) const REDIRECT: Refusal = Refusal { status: 308, kind: RefusalKind::Redirect };
/// An authority's challenge.
pub(crate) const CHALLENGE: Refusal = Refusal { status: 200, kind: RefusalKind::Challenge };
/// The host is none of ours, and the connection was opened for another.
pub(crate) const MISDIRECTED: Refusal = Refusal { status: 421, kind: RefusalKind::Misdirected };
/// No route.
pub(crate) const NOT_FOUND: Refusal = Refusal { status: 404, kind: RefusalKind::NotFound };
/// The upstream failed.
pub(crate) const BAD_GATEWAY: Refusal = Refusal { status: 502, kind: RefusalKind::BadGateway };
/// We cannot serve now.
pub(crate) const UNAVAILABLE: Refusal = Refusal { status: 503, kind: RefusalKind::Unavailable };
/// The upstream is too slow.
pub(crate) const GATEWAY_TIMEOUT: Refusal = Refusal { status: 504, kind: RefusalKind::GatewayTimeout };
/// The client is too slow.
pub(crate) const TIMEOUT: Refusal = Refusal { status: 408, kind: RefusalKind::Timeout };
