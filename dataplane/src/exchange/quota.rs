//! The first stage after routing: whether the client has a request left on this route. It runs before anything else of
//! the request is looked at, so that a flood costs as little as can be.

use std::time::Duration;

use waf_shared::catalog::Leaf;
use waf_shared::fields::{self, Property};
use waf_shared::plan::Mode;

use super::context::RequestContext;
use super::findings::{EventsOf, Exceeded, Findings};
use super::trusted_peers;
use crate::head::RequestHead;
use crate::rate_limit::Outcome;
use crate::refusal::Refusal;

/// Counts the request for its client, and turns it away where the mode says so.
pub(super) fn check(
    head: &RequestHead,
    context: &RequestContext,
    findings: &mut Findings,
) -> Result<(), Refusal> {
    let Some((limit, quota)) = context.route().and_then(|route| context.active_plan.quota(route)) else {
        return twin(head, context, findings);
    };
    let value = |name| the_value(head, name).filter(|_| trusted_peers::identifies(name.as_bytes(), context));
    if let Outcome::Exceeded { wait, untold } = quota.check(limit, context.client().ip(), value) {
        let mode = context.settings().mode;
        let events = match mode {
            Mode::Blocking => EventsOf::Each,
            Mode::DetectOnly => EventsOf::Window { unreported: untold },
        };
        let wait = Duration::from_nanos(wait);
        findings.exceed(Exceeded { limit: limit.clone(), wait, events });
        if mode == Mode::Blocking {
            return Err(Refusal::blocked(429));
        }
    }
    twin(head, context, findings)
}

/// Refuses another spelling of the field that the limit counts by: programs that fold `_` and `-` take its value,
/// which was not counted. Of fields that only proxies set, forwarding drops the other spelling.
fn twin(head: &RequestHead, context: &RequestContext, findings: &mut Findings) -> Result<(), Refusal> {
    let Some(key) = context.limit_key().map(str::as_bytes) else { return Ok(()) };
    let is_twin = |name: &[u8]| fields::are_alike(name, key) && !name.eq_ignore_ascii_case(key);
    let is_dropped = fields::is(key, Property::Client) || fields::is(key, Property::Own);
    if is_dropped || !head.fields.iter().any(|(name, _)| is_twin(name)) {
        return Ok(());
    }
    let reason = "a twin of the field that the rate limit counts by";
    findings.violate(context, Leaf::HttpComplianceRestrictedHeaders, "HEADERS", reason)
}

/// The value of a field that stands there once. One that is empty names nobody, and of several each reader may take
/// another.
fn the_value<'h>(head: &'h RequestHead, name: &'h str) -> Option<&'h [u8]> {
    let mut values = head.fields.all(name);
    match (values.next(), values.next()) {
        (Some(value), None) if !value.is_empty() => Some(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{self, exchange, head};
    use super::*;

    #[test]
    fn a_key_is_a_field_that_comes_once() {
        for (lines, expected) in [
            ("GET / HTTP/1.1\nX-Key: a", Some(&b"a"[..])),
            ("GET / HTTP/1.1\nx-key: a\nX_Key: b", Some(b"a")),
            ("GET / HTTP/1.1\nX-Key:", None),
            ("GET / HTTP/1.1\nX-Key: a\nx-key: b", None),
            ("GET / HTTP/1.1\nX-Key: a\nx-key: a", None),
            ("GET / HTTP/1.1\nX-Other: a", None),
        ] {
            assert_eq!(the_value(&head(lines), "x-key"), expected, "{lines:?}");
        }
    }

    #[test]
    fn a_route_without_a_limit_counts_nothing() {
        let mut exchange = exchange(|_, _| {});
        let request = head("GET / HTTP/1.1\nHost: a");
        testing::admit(request.clone(), &mut exchange).expect("it is admitted");
        assert_eq!(exchange.context.limit_key(), None);
        assert!(check(&request, &exchange.context, &mut exchange.findings).is_ok());
        assert!(exchange.findings.exceeded().is_none());
    }
}
