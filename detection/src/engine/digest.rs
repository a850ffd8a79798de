//! The name of a rule set.

use crate::rule::Test;
use crate::rules;

/// FNV-1a over everything that a rule's data says.
pub(super) fn digest() -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut eat = |text: &str| {
        for byte in text.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    eat(env!("CARGO_PKG_VERSION"));
    for rule in rules::all() {
        eat(rule.id);
        eat(&format!("{} {:?}", rule.weight, rule.places));
        if let Test::Pattern { regex, literals } = rule.test {
            eat(regex);
            for literal in literals {
                eat(literal);
            }
        }
        if let Test::Signs(signs) = rule.test {
            for sign in signs {
                eat(sign.literal);
                eat(sign.rest);
            }
        }
    }
    for judge in rules::judges() {
        eat(judge.name);
        for trigger in judge.triggers {
            eat(trigger);
        }
    }
    for trigger in rules::glances().flat_map(|glance| glance.triggers) {
        eat(trigger);
    }
    hash
}
