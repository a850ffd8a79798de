//! Violations by mode, and what they come to.

use super::super::testing::exchange;
use super::*;

const LEAF: Leaf = Leaf::RequestValidationMaxUrlLength;

#[test]
fn a_violation_refuses_by_mode_and_toggle() {
    for (mode, is_on, status, is_found) in [
        (Mode::Blocking, true, Some(414), true),
        (Mode::DetectOnly, true, None, true),
        (Mode::Blocking, false, None, false),
        (Mode::DetectOnly, false, None, false),
    ] {
        let mut exchange = exchange(|plan, _| {
            plan.global.mode = mode;
            if !is_on {
                plan.global.leaves.remove(LEAF);
            }
        });
        let refused = exchange.findings.violate(&exchange.context, LEAF, "TARGET", "long");
        assert_eq!(refused.err().map(|refusal| refusal.status), status, "{mode:?} {is_on}");
        assert_eq!(exchange.findings.blames(LEAF), is_found, "{mode:?} {is_on}");
        assert_eq!(exchange.findings.has_event(None), is_found, "{mode:?} {is_on}");
    }
}

#[test]
fn a_leaf_is_reported_once_with_its_first_reason() {
    let mut exchange = exchange(|_, _| {});
    for reason in ["first", "second"] {
        let _ = exchange.findings.violate(&exchange.context, LEAF, "TARGET", reason);
    }
    let (before, after) = exchange.findings.violations();
    let reasons: Vec<_> = before.iter().chain(after).map(|found| found.reason.as_ref()).collect();
    assert_eq!(reasons, ["first"]);
}

#[test]
fn remarks_are_logged_and_violations_detected() {
    let mut exchange = exchange(|_, _| {});
    exchange.findings.remark(Leaf::OpenapiPathNotInSpec, "PATH", "undeclared");
    assert_eq!(exchange.findings.disposition(None), Disposition::Logged);
    let _ = exchange.findings.violate(&exchange.context, LEAF, "TARGET", "long");
    assert_eq!(exchange.findings.disposition(None), Disposition::Detected);
    assert!(!exchange.findings.is_unforwardable());
}

#[test]
fn faults_of_the_message_forbid_to_go_on() {
    let mut findings = Findings::default();
    assert_eq!(findings.refuse(400, LEAF, "HEAD", "malformed").status, 400);
    assert!(findings.is_unforwardable());
    let mut findings = Findings::default();
    let refusal = findings.refuse_unread(431, LEAF, "long".to_owned(), &[b'x'; 1_000]);
    assert!(findings.is_unforwardable() && refusal.status == 431);
    let excerpts = findings.violations.iter().map(|violation| violation.excerpt.len());
    assert_eq!(excerpts.collect::<Vec<_>>(), [EXCERPT_BYTES_MAX]);
}
