//! Content that both formats share: the `waf` object, its name and version.
//! Shapes only, as in the formats beside it.

use super::event::Event;
use super::facts::{Facts, Match};
use super::json::Object;

/// Product and vendor.
pub(super) const NAME: &str = "waf";

/// Data set, and name of the log.
pub(super) const DATASET: &str = "waf.audit";

/// Version of the product.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Source of the rules, which are this product's own.
pub(super) const RULESET: &str = "native";

/// The `waf` object.
pub(super) fn write(event: &Event<'_>, facts: &Facts<'_>, waf: &mut Object<'_>) {
    waf.strings("matched_protections", &facts.protections);
    waf.strings("matched_rules", &facts.rules);
    waf.strings("cwe", &facts.cwe);
    waf.string("route_id", event.route_id);
    waf.constant("mode", facts.mode);
    waf.number("anomaly_score", event.score);
    waf.string("plan", event.plan);
    if !facts.matches.is_empty() {
        waf.array("matches", &facts.matches, |out, found| {
            Object::write(out, |object| matched(found, object));
        });
    }
    if !facts.not_inspected.is_empty() {
        waf.strings("not_inspected", &facts.not_inspected);
    }
}

fn matched(found: &Match<'_>, object: &mut Object<'_>) {
    object.constant("protection", found.protection);
    object.constant("rule", found.rule);
    object.string("place", &*found.place);
    object.string("name", found.name.as_deref());
    object.constant("view", found.view);
    if let Some(offset) = found.offset {
        object.number("offset", offset);
    }
    object.string("excerpt", found.excerpt.as_deref());
    object.string("reason", found.reason.as_deref());
    object.number("weight", found.weight);
}
