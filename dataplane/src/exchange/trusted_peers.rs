//! Peers whose word on the client counts: trusted proxies and, where nobody says which those are, any peer.

use std::sync::Once;

use waf_shared::fields::{self, Field, Property};
use waf_shared::plan::Listen;

use super::context::RequestContext;
use crate::client_address;

/// Reports whether the upstream gets what the peer says of the client. Without any trusted proxy on a plain port, the
/// balancer in front cannot be distinguished from a client, and applications may depend on what it sets.
pub(super) fn is_believed(known: &Field, context: &RequestContext) -> bool {
    static WARNING: Once = Once::new();
    if is_trusted(context) {
        return true;
    }
    if !is_open(context) {
        return false;
    }
    WARNING.call_once(|| {
        tracing::warn!(
            field = known.name,
            "a field that describes the client is forwarded from any peer; --trusted-proxies names those that may set it"
        );
    });
    true
}

/// Reports whether nothing says which peers are proxies: mode 3 without `--trusted-proxies`.
fn is_open(context: &RequestContext) -> bool {
    let plan = context.active_plan.plan();
    matches!(plan.listen, Listen::Plain { .. }) && plan.trusted_proxies.is_empty()
}

/// Reports whether the peer may set a field that describes the client, as far as it identifies the client here.
pub(super) fn identifies(name: &[u8], context: &RequestContext) -> bool {
    let describes = |field: &Field| field.is(Property::Client) || field.is(Property::Own);
    !fields::find(name).is_some_and(describes) || is_trusted(context) || is_open(context)
}

pub(super) fn is_trusted(context: &RequestContext) -> bool {
    client_address::is_trusted(context.peer().ip(), context.trusted())
}

#[cfg(test)]
mod tests {
    use waf_shared::plan::Cidr;

    use super::super::testing::exchange;
    use super::*;

    fn cidr(last: u8) -> Cidr {
        let address = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 192, 0, 2, last];
        Cidr { address, prefix_bits: 128 }
    }

    /// The peer is 192.0.2.1.
    #[test]
    fn fields_that_describe_the_client_are_believed_of_trusted_peers() {
        let tls = || Listen::Tls { hosts: vec!["a.example".to_owned()] };
        let plain = || Listen::Plain { port: 8080 };
        for (listen, trusted, believed, trusts) in [
            (plain(), vec![], true, false),
            (plain(), vec![cidr(1)], true, true),
            (plain(), vec![cidr(9)], false, false),
            (tls(), vec![], false, false),
            (tls(), vec![cidr(1)], true, true),
            (tls(), vec![cidr(9)], false, false),
        ] {
            let exchange = exchange(|plan, _| {
                plan.listen = listen.clone();
                plan.trusted_proxies = trusted.clone();
            });
            let field = fields::find(b"x-real-ip").expect("it is in the table");
            assert_eq!(is_believed(field, &exchange.context), believed, "{listen:?} {trusted:?}");
            assert_eq!(identifies(b"X-Real-IP", &exchange.context), believed, "{listen:?} {trusted:?}");
            assert_eq!(is_trusted(&exchange.context), trusts, "{listen:?} {trusted:?}");
            assert!(identifies(b"X-Api-Key", &exchange.context), "it does not describe a client");
        }
    }
}
