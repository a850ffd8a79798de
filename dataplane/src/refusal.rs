//! Why a client is turned away: a value, not an error. What it becomes on the wire is the business of [`crate::answer`].

/// The `error` member of an answer's body. Never says more: a block names no protection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
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

impl Kind {
    /// As the body writes it.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Kind::Blocked => "blocked",
            Kind::NotFound => "not_found",
            Kind::BadGateway => "bad_gateway",
            Kind::GatewayTimeout => "gateway_timeout",
            Kind::Unavailable => "unavailable",
            Kind::Timeout => "timeout",
            Kind::Misdirected => "misdirected",
            Kind::Preflight | Kind::Redirect | Kind::Challenge => "",
        }
    }
}

/// What becomes of the connection after an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    /// It may carry the next request.
    KeepAlive,
    /// It is closed once the client has had time to read the answer.
    Close,
    /// It is closed at once: the answer on it cannot be completed.
    Abort,
}

/// One refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// HTTP status.
    pub(crate) status: u16,
    /// What the body says.
    pub(crate) kind: Kind,
    /// What becomes of the connection, if the message was read whole.
    pub(crate) after: After,
}

impl Refusal {
    /// By a protection, with the message read whole.
    pub(crate) const fn blocked(status: u16) -> Refusal {
        Refusal { status, kind: Kind::Blocked, after: After::KeepAlive }
    }

    /// The same, and the connection is closed: the message was not read whole, or its framing is in doubt.
    #[must_use]
    pub(crate) const fn closing(mut self) -> Refusal {
        self.after = After::Close;
        self
    }
}

/// A preflight from an allowed origin.
pub(crate) const PREFLIGHT: Refusal = Refusal { status: 204, kind: Kind::Preflight, after: After::KeepAlive };
/// A plain request for a host that is served over TLS. 308 keeps method and body (RFC 9110 section 15.4.9).
pub(crate) const REDIRECT: Refusal = Refusal { status: 308, kind: Kind::Redirect, after: After::KeepAlive };
/// An authority's challenge.
pub(crate) const CHALLENGE: Refusal = Refusal { status: 200, kind: Kind::Challenge, after: After::KeepAlive };
/// The host is none of ours, and the connection was opened for another.
pub(crate) const MISDIRECTED: Refusal =
    Refusal { status: 421, kind: Kind::Misdirected, after: After::KeepAlive };
/// No route.
pub(crate) const NOT_FOUND: Refusal = Refusal { status: 404, kind: Kind::NotFound, after: After::KeepAlive };
/// The upstream failed.
pub(crate) const BAD_GATEWAY: Refusal =
    Refusal { status: 502, kind: Kind::BadGateway, after: After::KeepAlive };
/// We cannot serve now.
pub(crate) const UNAVAILABLE: Refusal =
    Refusal { status: 503, kind: Kind::Unavailable, after: After::KeepAlive };
/// The upstream is too slow.
pub(crate) const GATEWAY_TIMEOUT: Refusal =
    Refusal { status: 504, kind: Kind::GatewayTimeout, after: After::KeepAlive };
/// The client is too slow.
pub(crate) const TIMEOUT: Refusal = Refusal { status: 408, kind: Kind::Timeout, after: After::Close };
