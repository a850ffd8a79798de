//! Rejections: the outcomes of requests that do not get their upstream's response.

use std::borrow::Cow;

use waf_detection::inspection::Inspection;
use waf_shared::plan::Upstream;

use crate::answer::Reply;
use crate::refusal::{BAD_GATEWAY, GATEWAY_TIMEOUT, Refusal, UNAVAILABLE};
use crate::upstream::{UpstreamError, UpstreamFailure};

/// Outcome of a request that does not get its upstream's response.
#[derive(Debug)]
pub(crate) enum Rejection {
    /// A check refused it.
    Refused(Refusal),
    /// The contract allows other methods alone.
    MethodNotAllowed(Refusal, Vec<String>),
    /// It is answered here: nothing is wrong with it.
    Answered(Refusal, Reply),
    /// The engine refused it; the verdict goes into the event.
    Found(Refusal, Box<Inspection>),
    /// The upstream failed before its response began.
    Upstream(UpstreamFailure),
    /// The client went away.
    Gone,
    /// The client went away while its request was read; what was found until then is reported.
    Left(Box<Inspection>),
}

impl From<Refusal> for Rejection {
    fn from(refusal: Refusal) -> Rejection {
        Rejection::Refused(refusal)
    }
}

/// Addition to the status of a client that did not wait.
pub(super) const CLIENT_LEFT: &str = "client closed request";

/// Status of a client that did not wait, as nginx logs it.
pub(super) const STATUS_LEFT: u16 = 499;

impl Rejection {
    /// Status in event and span.
    pub(super) fn status(&self) -> u16 {
        match self {
            Rejection::Refused(refusal)
            | Rejection::MethodNotAllowed(refusal, _)
            | Rejection::Answered(refusal, _)
            | Rejection::Found(refusal, _) => refusal.status,
            Rejection::Upstream(failure) => refusal_of(&failure.error).status,
            Rejection::Gone | Rejection::Left(_) => STATUS_LEFT,
        }
    }

    /// Addition to the status, for a request to `upstream`.
    pub(super) fn detail(&self, upstream: Option<&Upstream>) -> Option<Cow<'static, str>> {
        match self {
            Rejection::Gone | Rejection::Left(_) => Some(CLIENT_LEFT.into()),
            Rejection::Upstream(failure) => Some(failure.describe(upstream?).into()),
            _ => None,
        }
    }
}

/// The answer to a request whose upstream failed.
pub(super) fn refusal_of(error: &UpstreamError) -> Refusal {
    match error {
        UpstreamError::Timeout(_) => GATEWAY_TIMEOUT,
        UpstreamError::Busy | UpstreamError::Share => UNAVAILABLE,
        _ => BAD_GATEWAY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::NOT_FOUND;
    use crate::upstream::Awaited;

    #[test]
    fn rejections_have_the_status_that_is_logged() {
        for (rejection, status, detail) in [
            (Rejection::from(NOT_FOUND), 404, None),
            (Rejection::MethodNotAllowed(Refusal::blocked(405), Vec::new()), 405, None),
            (Rejection::Upstream(UpstreamError::Timeout(Awaited::Answer).into()), 504, None),
            (Rejection::Upstream(UpstreamError::Busy.into()), 503, None),
            (Rejection::Upstream(UpstreamError::Share.into()), 503, None),
            (Rejection::Upstream(UpstreamError::HeadTooLong.into()), 502, None),
            (Rejection::Gone, 499, Some(CLIENT_LEFT)),
        ] {
            assert_eq!(
                (rejection.status(), rejection.detail(None).as_deref()),
                (status, detail),
                "{rejection:?}"
            );
        }
    }
}
