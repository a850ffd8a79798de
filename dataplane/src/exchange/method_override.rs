//! Fields in which a client behind a proxy that knows GET and POST alone asks for another method. Frameworks obey
//! them, so the method that they name is held to the same list as that of the request line.

use waf_shared::catalog::Leaf;
use waf_shared::fields;

use super::context::RequestContext;
use super::findings::Findings;
use crate::head::RequestHead;
use crate::refusal::Refusal;

/// The fields, in lower case.
const NAMES: &[&[u8]] = &[b"x-http-method-override", b"x-http-method", b"x-method-override"];

const PLACE: &str = "HEADERS:x-http-method-override";

/// Refuses a method that the route does not accept, more than one of them, and any on another method than POST.
pub(super) fn check(
    head: &RequestHead,
    context: &RequestContext,
    findings: &mut Findings,
) -> Result<(), Refusal> {
    let Some(wanted) = wanted(head) else { return Ok(()) };
    let reason = if head.method() != b"POST" {
        "a method override on a method other than POST"
    } else if values(head).any(|other| !other.eq_ignore_ascii_case(wanted)) {
        "method overrides that differ"
    } else if !accepts(context, wanted) {
        "the method of the override is not in accept.methods"
    } else {
        return Ok(());
    };
    findings.violate(context, Leaf::HttpComplianceMethodOverride, PLACE, reason)
}

/// The method that the first such field asks for.
pub(super) fn wanted(head: &RequestHead) -> Option<&[u8]> {
    values(head).next()
}

/// Frameworks change the method to upper case.
fn accepts(context: &RequestContext, wanted: &[u8]) -> bool {
    context.settings().accept.methods.iter().any(|method| method.as_bytes().eq_ignore_ascii_case(wanted))
}

fn values(head: &RequestHead) -> impl Iterator<Item = &[u8]> {
    head.fields.iter().filter(|(name, _)| is_override(name)).map(|(_, value)| value.trim_ascii())
}

/// Gateways that turn fields into environment variables read `_` as `-`.
fn is_override(name: &[u8]) -> bool {
    NAMES.iter().any(|known| fields::are_alike(name, known))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{exchange, head};
    use super::*;

    #[test]
    fn overrides_keep_to_the_list_of_methods() {
        for (lines, is_refused) in [
            ("POST / HTTP/1.1\nHost: a", false),
            ("POST / HTTP/1.1\nX-HTTP-Method-Override: PUT", false),
            ("POST / HTTP/1.1\nX-HTTP-Method-Override: put\nX-Method-Override: PUT", false),
            ("POST / HTTP/1.1\nX-Method: TRACE", false),
            ("GET / HTTP/1.1\nX-HTTP-Method-Override: GET", true),
            ("POST / HTTP/1.1\nX-HTTP-Method-Override: TRACE", true),
            ("POST / HTTP/1.1\nx_http_method: TRACE", true),
            ("POST / HTTP/1.1\nX-HTTP-Method: PUT\nX-Method-Override: GET", true),
            ("POST / HTTP/1.1\nX-HTTP-Method:", true),
        ] {
            let mut exchange = exchange(|_, _| {});
            let refused = check(&head(lines), &exchange.context, &mut exchange.findings);
            assert_eq!(refused.is_err(), is_refused, "{lines:?}");
        }
    }
}
