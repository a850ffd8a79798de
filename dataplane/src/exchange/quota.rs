//! The first stage after routing: whether the client has a request left on this route. It runs before anything else of
//! the request is looked at, so that a flood costs as little as can be.

use std::time::Duration;

use waf_shared::plan::Mode;

use super::record::{EventsOf, Exceeded, Record};
use crate::http1::head::RequestHead;
use crate::rate_limit::Outcome;
use crate::refusal::Refusal;

/// Counts the request for its client, and turns it away where the mode says so.
pub(crate) fn check(head: &RequestHead, record: &mut Record) -> Result<(), Refusal> {
    let Some((limit, quota)) = record.route.and_then(|route| record.serving.quota(route)) else {
        return Ok(());
    };
    let outcome = quota.check(limit, record.client.ip(), |name| the_value(head, name));
    let Outcome::Exceeded { wait, untold } = outcome else { return Ok(()) };
    let mode = record.settings().mode;
    let events = match mode {
        Mode::Blocking => EventsOf::Each,
        Mode::DetectOnly => EventsOf::Window { untold },
    };
    record.exceeded = Some(Exceeded { limit: limit.clone(), wait: Duration::from_nanos(wait), events });
    match mode {
        Mode::Blocking => Err(Refusal::blocked(429)),
        Mode::DetectOnly => Ok(()),
    }
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
