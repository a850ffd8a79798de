//! The place of a request in its trace (W3C Trace Context): read from the client, passed on to the upstream. The
//! sampler is parent-based: a caller that decided is followed, everything else is sampled.

use opentelemetry_sdk::trace::{IdGenerator as _, RandomIdGenerator};

use crate::audit;
use crate::head::RequestHead;

/// Bytes of `tracestate` that are kept for the spans; the standard asks for 512.
const STATE_BYTES_MAX: usize = 512;

/// Place of a request in its trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Context {
    pub(crate) trace_id: u128,
    /// Span of the caller; zero when the trace begins here.
    pub(crate) parent_id: u64,
    /// Span of the request here.
    pub(crate) span_id: u64,
    /// Span of the call of the upstream.
    pub(crate) call_id: u64,
    pub(crate) is_sampled: bool,
    /// The caller's `tracestate`.
    pub(crate) state: String,
}

impl Context {
    /// Of a request; without a head, or one that names no trace, a new trace begins.
    pub(crate) fn of(head: Option<&RequestHead>) -> Context {
        let parent = head.and_then(|head| only(head.fields.all("traceparent"))).and_then(parse);
        let state = match (head, parent) {
            (Some(head), Some(_)) => state(head),
            _ => String::new(),
        };
        let (trace_id, parent_id, is_sampled) = parent.unwrap_or_else(|| (fresh_trace(), 0, true));
        let (span_id, call_id) = (fresh_span(), fresh_span());
        Context { trace_id, parent_id, span_id, call_id, is_sampled, state }
    }

    /// The ids that an audit event carries.
    pub(crate) fn ids(&self) -> audit::Trace {
        audit::Trace { trace_id: self.trace_id, span_id: self.span_id }
    }

    /// `traceparent` for the upstream.
    pub(crate) fn traceparent(&self) -> String {
        format!("00-{:032x}-{:016x}-{:02x}", self.trace_id, self.call_id, u8::from(self.is_sampled))
    }

    /// Reports whether the caller's `tracestate` goes on: it belongs to a `traceparent` that could be read.
    pub(crate) fn has_parent(&self) -> bool {
        self.parent_id != 0
    }
}

/// The one value; several are none.
fn only<'v>(mut values: impl Iterator<Item = &'v [u8]>) -> Option<&'v [u8]> {
    values.next().filter(|_| values.next().is_none())
}

/// Trace id, parent id and whether the caller samples.
fn parse(value: &[u8]) -> Option<(u128, u64, bool)> {
    let text = std::str::from_utf8(value).ok()?.trim_matches([' ', '\t']);
    let mut parts = text.split('-');
    let (version, trace, parent, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let version = hex(version, 2)?;
    // Later versions may say more behind what is known; this one may not.
    if version == 0xff || (version == 0 && parts.next().is_some()) {
        return None;
    }
    let (trace, parent, flags) = (hex(trace, 32)?, u64::try_from(hex(parent, 16)?).ok()?, hex(flags, 2)?);
    (trace != 0 && parent != 0).then_some((trace, parent, flags & 1 == 1))
}

/// A number of exactly so many lower-case hex digits.
fn hex(text: &str, digits: usize) -> Option<u128> {
    let is_hex = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if text.len() == digits && is_hex { u128::from_str_radix(text, 16).ok() } else { None }
}

fn state(head: &RequestHead) -> String {
    let lists: Vec<&[u8]> = head.fields.all("tracestate").collect();
    let state = String::from_utf8_lossy(&lists.join(&b',')).into_owned();
    if state.len() > STATE_BYTES_MAX { String::new() } else { state }
}

fn fresh_trace() -> u128 {
    u128::from_be_bytes(RandomIdGenerator::default().new_trace_id().to_bytes())
}

fn fresh_span() -> u64 {
    u64::from_be_bytes(RandomIdGenerator::default().new_span_id().to_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

    #[test]
    fn callers_are_read_to_the_letter() {
        let read = |value: &str| parse(value.as_bytes());
        let known = Some((0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736, 0xf0_67aa_0ba9_02b7, true));
        assert_eq!(read(&format!("00-{TRACE}-00f067aa0ba902b7-01")), known);
        assert_eq!(read(&format!(" 00-{TRACE}-00f067aa0ba902b7-03\t")), known);
        assert_eq!(read(&format!("cc-{TRACE}-00f067aa0ba902b7-01-later")), known);
        assert_eq!(
            read(&format!("00-{TRACE}-00f067aa0ba902b7-00")).map(|(_, _, sampled)| sampled),
            Some(false)
        );
        for bad in [
            String::new(),
            format!("ff-{TRACE}-00f067aa0ba902b7-01"),
            format!("00-{TRACE}-00f067aa0ba902b7-01-more"),
            format!("00-{TRACE}-00f067aa0ba902b7"),
            format!("00-{TRACE}-00f067aa0ba902b-01"),
            format!("00-{}-00f067aa0ba902b7-01", TRACE.to_uppercase()),
            format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32)),
            format!("00-{TRACE}-0000000000000000-01"),
            format!("00-+{}-00f067aa0ba902b7-01", &TRACE[1..]),
            "x".to_owned(),
        ] {
            assert_eq!(read(&bad), None, "{bad}");
        }
    }

    #[test]
    fn a_trace_that_begins_here_is_sampled_and_has_ids() {
        let context = Context::of(None);
        assert!(context.is_sampled && !context.has_parent() && context.trace_id != 0);
        assert_ne!(context.span_id, context.call_id);
        let passed = parse(context.traceparent().as_bytes());
        assert_eq!(passed, Some((context.trace_id, context.call_id, true)));
    }

    #[test]
    fn several_callers_are_none() {
        let two: [&[u8]; 2] = [b"a", b"b"];
        assert_eq!(only(two.into_iter()), None);
        assert_eq!(only(two.into_iter().take(1)), Some(&b"a"[..]));
    }
}
