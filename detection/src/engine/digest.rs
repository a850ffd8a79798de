//! The name of a rule set.

use crate::rule::{Bucket, RuleMatcher};

/// FNV-1a over everything that a rule's data says.
pub(super) fn digest(buckets: &[Bucket]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut eat = |text: &str| {
        for byte in text.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    eat(env!("CARGO_PKG_VERSION"));
    for rule in buckets.iter().flat_map(Bucket::rules) {
        eat(rule.id);
        eat(&format!("{} {:?}", rule.weight, rule.places));
        if let RuleMatcher::Pattern { regex, literals } = rule.matcher {
            eat(regex);
            for literal in literals {
                eat(literal);
            }
        }
        if let RuleMatcher::Response(patterns) = rule.matcher {
            for pattern in patterns {
                eat(pattern.literal);
                eat(pattern.rest);
            }
        }
    }
    for detector in buckets.iter().flat_map(|bucket| bucket.detectors) {
        eat(detector.name);
        for literal in detector.literals() {
            eat(literal);
        }
        for literal in detector.prefilter.iter().flat_map(|prefilter| prefilter.triggers) {
            eat(literal);
        }
    }
    hash
}
