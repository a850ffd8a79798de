//! Failures of an order, sorted by their remedy. It knows the errors of ACME, nothing of time.

use std::fmt;
use std::time::Duration;

use instant_acme::{Error, Problem};

/// An order that came to nothing.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) why: Why,
    /// For people.
    pub(super) text: String,
    /// Pause that the authority asks for.
    pub(super) retry_after: Option<Duration>,
}

/// Kind of a failure; the pause before the next try depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// The authority does not answer, or not with what it should: it may in a moment.
    Unreachable,
    /// The host could not be proven: each try counts against the authority's limits.
    Unproven,
    /// The authority asks for patience.
    RateLimited,
    /// The authority will not, whatever is tried; somebody has to change something.
    Rejected,
    /// The account is not known there any more.
    NoAccount,
    /// The certificate that the order was to replace cannot be: it is asked for without that.
    NotReplaceable,
    /// Something failed here.
    Local,
    /// `data_dir` cannot be written: nothing was asked of the authority.
    Disk,
}

impl Failure {
    pub(super) fn new(why: Why, text: impl Into<String>) -> Self {
        Self { why, text: text.into(), retry_after: None }
    }

    pub(super) fn local(error: &impl fmt::Display) -> Self {
        Self::new(Why::Local, error.to_string())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let why = match &error {
            Error::Api(problem) => sort(problem),
            Error::Crypto | Error::KeyRejected | Error::Unsupported(_) => Why::Rejected,
            _ => Why::Unreachable,
        };
        let retry_after = match &error {
            Error::Timeout(Some(at)) => Some(at.saturating_duration_since(std::time::Instant::now())),
            _ => None,
        };
        Self { why, text: printable(&chain(&error)), retry_after }
    }
}

/// Problem types of RFC 8555 section 6.7 and RFC 9773.
fn sort(problem: &Problem) -> Why {
    let name = problem.r#type.as_deref().and_then(|name| name.strip_prefix("urn:ietf:params:acme:error:"));
    match name {
        Some("rateLimited") => Why::RateLimited,
        Some("accountDoesNotExist") => Why::NoAccount,
        Some("alreadyReplaced") => Why::NotReplaceable,
        Some("serverInternal" | "badNonce" | "orderNotReady") => Why::Unreachable,
        Some(
            "rejectedIdentifier"
            | "unsupportedIdentifier"
            | "externalAccountRequired"
            | "userActionRequired"
            | "invalidContact"
            | "unsupportedContact"
            | "badCSR"
            | "badPublicKey"
            | "badSignatureAlgorithm"
            | "invalidProfile",
        ) => Why::Rejected,
        _ if problem.status.is_some_and(|status| status >= 500) => Why::Unreachable,
        _ => Why::Unproven,
    }
}

/// An error with what brought it about.
fn chain(error: &Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    for _ in 0..8 {
        let Some(inner) = source else { break };
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text = format!("{text}: {inner_text}");
        }
        source = inner.source();
    }
    text
}

/// Characters of an error that the log shows.
const TEXT_CHARS_MAX: usize = 600;

/// Text of an authority as a log may show it.
pub(super) fn printable(text: &str) -> String {
    text.chars().take(TEXT_CHARS_MAX).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use super::*;

    #[test]
    fn problems_are_sorted_by_what_helps() {
        for (name, status, why) in [
            ("rateLimited", 429, Why::RateLimited),
            ("accountDoesNotExist", 400, Why::NoAccount),
            ("alreadyReplaced", 409, Why::NotReplaceable),
            ("serverInternal", 500, Why::Unreachable),
            ("rejectedIdentifier", 400, Why::Rejected),
            ("externalAccountRequired", 403, Why::Rejected),
            ("unauthorized", 403, Why::Unproven),
            ("connection", 400, Why::Unproven),
            ("dns", 400, Why::Unproven),
            ("caa", 403, Why::Unproven),
            ("somethingNew", 503, Why::Unreachable),
        ] {
            let text = format!(
                r#"{{"type":"urn:ietf:params:acme:error:{name}","detail":"line\nbreak","status":{status}}}"#
            );
            let failure = Failure::from(Error::Api(serde_json::from_str(&text).unwrap()));
            assert_eq!(failure.why, why, "{name}");
            assert!(failure.text.contains(name) && !failure.text.contains('\n'), "{}", failure.text);
        }
        assert_eq!(Failure::from(Error::Str("nothing")).why, Why::Unreachable);
    }
}
