//! The memory of rate limits: which plans share tables, when memory is given back, and handovers.

use std::path::Path;

use rustix::fs::fstat;
use waf_compiler::{Options, compile_text};

use super::*;

const GLOBAL: &str = "global:\n  rate_limit: {requests: 5, window: 1s, source: {type: ip}}\n";

fn plan(global: &str, routes: &[(&str, &str)]) -> Plan {
    let mut text = format!("version: v1alpha1\nport: 8080\n{global}routes:\n");
    for (id, more) in routes {
        let place = format!("  - id: {id}\n    match: {{paths: [/{id}]}}\n    upstream: http://127.0.0.1\n");
        text.extend([place.as_str(), "    ", more, "\n"]);
    }
    let options = Options { host_checks: false, ..Options::default() };
    compile_text("waf.yaml", &text, Path::new("/"), &options).unwrap().plan
}

fn own(requests: u64) -> String {
    format!("rate_limit: {{requests: {requests}, window: 1s, source: {{type: ip}}}}")
}

#[test]
fn routes_that_inherit_share_a_table_and_others_have_their_own() {
    let mut registry = RateLimitRegistry::default();
    assert!(registry.reserve(&plan("", &[("a", "")])).unwrap().is_none());
    let held = registry.reserve(&plan(GLOBAL, &[("a", ""), ("b", &own(5)), ("c", ""), ("d", &own(5))]));
    let offsets = held.unwrap().unwrap().counts().offsets;
    assert_eq!(offsets.len(), 3);
    assert!(offsets.is_sorted_by(|a, b| a < b) && offsets.iter().all(|at| at % 4096 == 0));
}

#[test]
fn a_limit_that_stays_keeps_its_table() {
    let mut registry = RateLimitRegistry::default();
    let first = registry.reserve(&plan(GLOBAL, &[("a", ""), ("b", &own(1))])).unwrap().unwrap();
    let second = registry.reserve(&plan(GLOBAL, &[("b", &own(2)), ("new", ""), ("a", "")])).unwrap().unwrap();
    let (one, two) = (first.counts(), second.counts());
    assert_eq!(one.hash_key, two.hash_key);
    assert_ne!(one.hash_key, [0; 16]);
    assert!(!one.offsets.contains(&two.offsets[0]), "another limit begins anew");
    assert_eq!(one.offsets[0], two.offsets[1]);
    drop((first, second));
    let later = registry.reserve(&plan(GLOBAL, &[("a", "")])).unwrap().unwrap();
    assert!(!one.offsets.contains(&later.counts().offsets[0]), "nobody held it any more");
}

#[test]
fn memory_is_taken_by_use_and_given_back() {
    let mut registry = RateLimitRegistry::default();
    let held = registry.reserve(&plan(GLOBAL, &[("a", "")])).unwrap().unwrap();
    let object = held.object();
    let blocks = || fstat(&object.file).unwrap().st_blocks;
    assert_eq!(blocks(), 0);
    rustix::io::pwrite(&object.file, &[1], held.counts().offsets[0]).unwrap();
    assert!(blocks() > 0);
    drop(held);
    assert_eq!(blocks(), 0);
}

#[test]
fn a_successor_counts_in_the_same_tables_and_gives_nothing_back_before_it_is_in_charge() {
    let mut old = RateLimitRegistry::default();
    let held = old.reserve(&plan(GLOBAL, &[("a", ""), ("b", &own(1))])).unwrap().unwrap();
    let offsets = held.counts().offsets;
    for offset in &offsets {
        rustix::io::pwrite(&held.object.file, &[7], *offset).unwrap();
    }
    let (object, handover) = old.hand_over().unwrap();
    let handover: RateLimitHandover =
        serde_json::from_value(serde_json::to_value(&handover).unwrap()).unwrap();
    let successor = || {
        let mut new = RateLimitRegistry::default();
        new.inherit(object.file.try_clone().unwrap(), &handover).unwrap();
        new
    };
    let first = |offset: u64| {
        let mut byte = [0];
        rustix::io::pread(&object.file, &mut byte, offset).unwrap();
        byte[0]
    };
    let keeps_one = plan(GLOBAL, &[("a", ""), ("b", &own(2))]);

    // One that comes to nothing.
    let mut failed = successor();
    let taken = failed.reserve(&keeps_one).unwrap().unwrap();
    assert_eq!(taken.counts().hash_key, held.counts().hash_key);
    assert_eq!(taken.counts().offsets[0], offsets[0]);
    assert!(taken.counts().offsets[1] >= handover.next, "another limit begins anew");
    failed.settle();
    drop((taken, failed));
    assert_eq!((first(offsets[0]), first(offsets[1])), (7, 7));
    let later = old.reserve(&plan(GLOBAL, &[("a", ""), ("b", &own(2))])).unwrap().unwrap();
    let beyond = handover.next + SUCCESSOR_BYTES;
    assert!(later.counts().offsets[1] >= beyond, "where the failed one did not count");
    drop(later);

    // One that takes over.
    let mut new = successor();
    let taken = new.reserve(&keeps_one).unwrap().unwrap();
    old.own(false);
    new.own(true);
    drop((held, old));
    assert_eq!((first(offsets[0]), first(offsets[1])), (7, 7), "the old one gives nothing back");
    new.settle();
    assert_eq!((first(offsets[0]), first(offsets[1])), (7, 0), "the new one does");
    drop(taken);
    assert_eq!(first(offsets[0]), 0);
}

#[test]
fn memory_that_cannot_be_what_it_is_said_to_be_is_not_taken() {
    let mut old = RateLimitRegistry::default();
    let held = old.reserve(&plan(GLOBAL, &[("a", "")])).unwrap().unwrap();
    let (object, handover) = old.hand_over().unwrap();
    let is_refused = |change: &dyn Fn(&mut RateLimitHandover)| {
        let mut handover = handover.clone();
        change(&mut handover);
        RateLimitRegistry::default().inherit(object.file.try_clone().unwrap(), &handover).is_err()
    };
    assert!(!is_refused(&|_| {}));
    assert!(is_refused(&|handover| handover.tables[0].offset = 1));
    assert!(is_refused(&|handover| handover.tables[0].bytes = 0));
    assert!(is_refused(&|handover| handover.tables[0].offset = u64::MAX - 4095));
    assert!(is_refused(&|handover| handover.tables[0].bytes = handover.next + 4096));
    assert!(is_refused(&|handover| handover.next = 17));
    let small = memfd_create("small", MemfdFlags::CLOEXEC).unwrap();
    assert!(RateLimitRegistry::default().inherit(small, &handover).is_err());
    drop(held);
}

#[test]
fn its_size_is_sealed() {
    let object = MemoryObject::create().unwrap();
    assert!(
        ftruncate(&object.file, 0).is_err() && ftruncate(&object.file, RATE_LIMIT_SPACE_BYTES * 2).is_err()
    );
}
