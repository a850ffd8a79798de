//! Exceptions take away exactly the findings that they name: over all rules and all places, nothing else changes.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use proptest::prelude::*;
use waf_detection::Engine;
use waf_detection::budget::Budget;
use waf_detection::exceptions::{Exceptions, parse};
use waf_detection::field::{Field, Place};
use waf_detection::inspection::{Bounds, Inspection, OnHit};
use waf_detection::recorded::{Answer, Recorded};
use waf_detection::response::ResponseInspection;
use waf_detection::rule::{Rule, RuleMatcher};
use waf_detection::rules;
use waf_detection::verdict::{Match, Verdict};
use waf_shared::catalog::{self, Leaf, LeafSet};
use waf_shared::limits::{MATCHES_MAX, SCORE_BLOCKS};
use waf_shared::plan::{self, PathPattern, Segment};

fn engine() -> Arc<Engine> {
    static ENGINE: OnceLock<Arc<Engine>> = OnceLock::new();
    Arc::clone(ENGINE.get_or_init(|| Arc::new(rules::engine())))
}

fn every_leaf() -> LeafSet {
    catalog::TABLE.iter().map(|row| row.leaf).collect()
}

fn exception(rules: &[&str], leaves: &[Leaf], places: &[&str]) -> plan::Exception {
    plan::Exception {
        name: format!("{rules:?} {places:?}"),
        leaves: leaves.iter().copied().collect(),
        rules: rules.iter().map(|rule| (*rule).to_owned()).collect(),
        places: places.iter().map(|place| parse(place).unwrap()).collect(),
        methods: Vec::new(),
        paths: Vec::new(),
    }
}

/// The verdict on what `show` shows, and the names of the exceptions that spared it.
fn judge(exceptions: &[plan::Exception], show: &dyn Fn(&mut Inspection)) -> (Verdict, Vec<String>) {
    let mut inspection =
        Inspection::new(engine(), every_leaf(), Bounds::DEFAULT, OnHit::GoOn, Budget::UNLIMITED);
    inspection.except(Exceptions::of(exceptions).unwrap().as_ref());
    show(&mut inspection);
    (inspection.verdict().clone(), inspection.spared().map(ToString::to_string).collect())
}

/// Everything about a match but the order.
fn shown(found: &Match) -> String {
    format!("{} {found:?}", found.rule.id)
}

/// The score of matches, each field being one place and name.
fn score(matches: &[&Match]) -> u32 {
    let mut fields: BTreeMap<(Place, &[u8]), u32> = BTreeMap::new();
    let mut leaves: BTreeMap<usize, u32> = BTreeMap::new();
    for found in matches {
        *fields.entry((found.place, &found.name)).or_default() += u32::from(found.weight);
        *leaves.entry(found.rule.leaf as usize).or_default() += u32::from(found.weight);
    }
    let leaves = leaves.into_values().map(|total| total.min(SCORE_BLOCKS - 1)).max();
    fields.into_values().max().max(leaves).unwrap_or(0)
}

/// Checks that `after` is `before` without the matches that `is_excepted` names.
fn check(before: &Verdict, after: &Verdict, is_excepted: &dyn Fn(&Match) -> bool, what: &str) {
    let kept: Vec<&Match> = before.matches.iter().filter(|found| !is_excepted(found)).collect();
    let expected: Vec<String> = kept.iter().map(|found| shown(found)).collect();
    let got: Vec<String> = after.matches.iter().map(shown).collect();
    assert_eq!(got, expected, "{what}");
    assert_eq!(after.violations, before.violations, "{what}");
    if before.score == score(&before.matches.iter().collect::<Vec<_>>()) {
        assert_eq!(after.score, score(&kept), "{what}");
    }
}

fn is_of_fields(rule: &Rule) -> bool {
    matches!(
        rule.matcher,
        RuleMatcher::Pattern { .. } | RuleMatcher::Detected | RuleMatcher::DetectedInField { .. }
    )
}

/// Name of a field at `place` that may hold anything; empty where values have no name.
fn name_at(place: Place, rule: &Rule, nth: usize) -> String {
    match (place, &rule.matcher) {
        _ if parse(&format!("{place}:x")).is_err() => String::new(),
        (_, RuleMatcher::DetectedInField { name, .. }) if nth == 0 => (*name).to_owned(),
        _ => ["comment", "text"][nth % 2].to_owned(),
    }
}

fn place_text(place: Place, name: &str) -> String {
    if name.is_empty() { place.as_str().to_owned() } else { format!("{place}:{name}") }
}

#[test]
fn an_exception_takes_away_one_rule_in_one_place() {
    let mut excepted = 0;
    for rule in rules::all().filter(|rule| is_of_fields(rule)) {
        for place in Place::ALL.iter().copied().filter(|place| rule.places.contains(*place)) {
            let names = [name_at(place, rule, 0), name_at(place, rule, 1)];
            // The same attack in the excepted place, in a place of the same kind, and in another kind of place.
            let show = |inspection: &mut Inspection| {
                for name in &names {
                    let value = rule.attacks[0].as_bytes();
                    inspection.field(&Field { place, name: name.as_bytes(), value });
                }
                let other = if place == Place::Cookie { Place::Query } else { Place::Cookie };
                inspection.field(&Field { place: other, name: b"other", value: rule.attacks[0].as_bytes() });
            };
            let (before, _) = judge(&[], &show);
            if before.matches.len() == MATCHES_MAX {
                continue;
            }
            let text = place_text(place, &names[0]);
            let is_there =
                |found: &Match| found.place == place && found.name.eq_ignore_ascii_case(names[0].as_bytes());
            let (after, _) = judge(&[exception(&[rule.id], &[], &[&text])], &show);
            check(&before, &after, &|found| found.rule.id == rule.id && is_there(found), &text);
            excepted += before.matches.len() - after.matches.len();
            let (after, _) = judge(&[exception(&[], &[rule.leaf], &[&text])], &show);
            check(&before, &after, &|found| found.rule.leaf == rule.leaf && is_there(found), &text);
        }
    }
    assert!(excepted > 1_000, "{excepted}");
}

#[test]
fn rules_of_whole_heads_are_excepted_in_their_fields() {
    let mut excepted = 0;
    for rule in rules::all().filter(|rule| matches!(rule.matcher, RuleMatcher::RequestHead)) {
        for attack in rule.attacks {
            let request = Recorded::parse(attack.as_bytes());
            let show = |inspection: &mut Inspection| {
                request.show(inspection);
            };
            let (before, _) = judge(&[], &show);
            for found in before.matches.iter().filter(|found| found.rule.id == rule.id) {
                let name = String::from_utf8_lossy(&found.name).into_owned();
                let text = place_text(found.place, &name);
                let (after, _) = judge(&[exception(&[rule.id], &[], &[&text])], &show);
                let is_there = |other: &Match| {
                    other.rule.id == rule.id
                        && other.place.as_str() == found.place.as_str()
                        && other.name.eq_ignore_ascii_case(&found.name)
                };
                check(&before, &after, &is_there, attack);
                excepted += 1;
            }
        }
    }
    assert!(excepted > 60, "{excepted}");
}

#[test]
fn rules_of_responses_are_excepted_in_theirs() {
    let judge = |exceptions: &[plan::Exception], answer: &Answer<'_>| {
        let mut inspection =
            ResponseInspection::new(engine(), every_leaf(), OnHit::GoOn, Budget::UNLIMITED, 128 << 10);
        inspection.except(Exceptions::of(exceptions).unwrap().as_ref(), (b"GET", b"/"));
        answer.show(None, &mut inspection);
        inspection.into_verdict()
    };
    let mut excepted = 0;
    for rule in rules::all().filter(|rule| matches!(rule.matcher, RuleMatcher::Response(_))) {
        for attack in rule.attacks {
            let kind = if attack.starts_with('<') { "text/html" } else { "text/plain" };
            let raw = if attack.starts_with("HTTP/") {
                (*attack).to_owned()
            } else {
                format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n{attack}")
            };
            let answer = Answer::parse(raw.as_bytes());
            let before = judge(&[], &answer);
            let after = judge(&[exception(&[rule.id], &[], &["RESPONSE_BODY"])], &answer);
            let is_there = |found: &Match| found.rule.id == rule.id && found.place == Place::ResponseBody;
            check(&before, &after, &is_there, attack);
            excepted += before.matches.len() - after.matches.len();
        }
    }
    assert!(excepted > 50, "{excepted}");
}

/// Rules, places and attacks as numbers, so that a failing case shrinks.
fn mixes() -> impl Strategy<Value = (Vec<(usize, usize)>, Vec<(usize, usize, bool)>)> {
    let field = (0..10_000_usize, 0..10_000_usize);
    let excepted = (0..10_000_usize, 0..10_000_usize, any::<bool>());
    (proptest::collection::vec(field, 1..6), proptest::collection::vec(excepted, 0..5))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_mix_of_exceptions_takes_away_what_it_names((fields, excepted) in mixes()) {
        let all: Vec<&Rule> = rules::all().filter(|rule| is_of_fields(rule)).collect();
        let places = [Place::Query, Place::Form, Place::Part, Place::Json, Place::Cookie, Place::Header, Place::Xml];
        let fields: Vec<(&Rule, Place, String)> = fields
            .iter()
            .enumerate()
            .map(|(nth, (rule, place))| {
                (all[rule % all.len()], places[place % places.len()], format!("field{nth}"))
            })
            .collect();
        // Rules of the fields and others, in places of the fields and others.
        let excepted: Vec<(&Rule, String, bool)> = excepted
            .iter()
            .map(|(rule, at, by_leaf)| {
                let rule = if rule % 2 == 0 { fields[rule / 2 % fields.len()].0 } else { all[rule % all.len()] };
                let (_, place, name) = &fields[at % fields.len()];
                let text = if at % 3 == 0 { format!("{place}:field*") } else { format!("{place}:{name}") };
                (rule, text, *by_leaf)
            })
            .collect();
        let list: Vec<plan::Exception> = excepted
            .iter()
            .map(|(rule, text, by_leaf)| {
                if *by_leaf { exception(&[], &[rule.leaf], &[text]) } else { exception(&[rule.id], &[], &[text]) }
            })
            .collect();
        let show = |inspection: &mut Inspection| {
            for (rule, place, name) in &fields {
                let value = rule.attacks[0].as_bytes();
                inspection.field(&Field { place: *place, name: name.as_bytes(), value });
            }
        };
        let (before, _) = judge(&[], &show);
        let (after, spared) = judge(&list, &show);
        prop_assume!(before.matches.len() < MATCHES_MAX);
        let is_excepted = |found: &Match| {
            let name = String::from_utf8_lossy(&found.name).into_owned();
            excepted.iter().any(|(rule, text, by_leaf)| {
                let is_rule = if *by_leaf { found.rule.leaf == rule.leaf } else { found.rule.id == rule.id };
                let own = format!("{}:{name}", found.place);
                let is_wild = text.strip_suffix('*').is_some_and(|front| own.starts_with(front))
                    && !own.contains("field0.");
                is_rule && (*text == own || is_wild && !name.contains('.'))
            })
        };
        check(&before, &after, &is_excepted, "mix");
        prop_assert_eq!(!spared.is_empty(), before.blocks() && !after.blocks());
    }
}

const ATTACK: &str = "1' union select password from users--";

fn patterns(text: &str) -> Vec<PathPattern> {
    let segment = |part: &str| match part {
        "**" => Segment::AnyNumber,
        literal => Segment::Literal(literal.to_owned()),
    };
    let segments = text.split('/').skip(1).map(segment).collect();
    vec![PathPattern { text: text.to_owned(), segments, rank: 0 }]
}

#[test]
fn methods_and_paths_narrow_an_exception() {
    let mut narrow = exception(&[], &[], &["ARGS:q"]);
    narrow.leaves = every_leaf();
    narrow.methods = vec!["POST".to_owned()];
    narrow.paths = patterns("/reports/**");
    let list = [narrow];
    let form = "Content-Type: application/x-www-form-urlencoded";
    for (line, fields, is_spared) in [
        ("POST /reports/run", "", true),
        ("POST /reports", "", true),
        ("POST /%72eports/run", "", true),
        ("PUT /reports/run", "", false),
        ("post /reports/run", "", false),
        ("POST /report", "", false),
        ("POST /x/../reports/run", "", false),
        ("POST /reports/../x", "", false),
        ("POST /reports/..%2fx", "", false),
        ("POST /reports/run", "X-HTTP-Method-Override: PUT\n", false),
        ("POST /reports/run", "X_Http_Method_Override: delete\n", false),
        ("POST /reports/run", "X-HTTP-Method: PATCH\n", false),
        ("POST /reports/run", "X-Method-Override: post\n", true),
    ] {
        let raw = format!("{line} HTTP/1.1\nHost: a.example\n{form}\n{fields}\nq={ATTACK}");
        let request = Recorded::parse(raw.as_bytes());
        let (verdict, spared) = judge(&list, &|inspection| {
            request.show(inspection);
        });
        let is_found = verdict.matches.iter().any(|found| found.name == b"q");
        assert_eq!((!is_found, spared.is_empty()), (is_spared, !is_spared || verdict.blocks()), "{raw}");
    }
}

#[test]
fn what_one_route_excepts_is_found_on_others() {
    let agent = "() { :; }; /bin/cat /etc/passwd";
    let show = |inspection: &mut Inspection| inspection.header(b"User-Agent", agent.as_bytes());
    let mut all = exception(&[], &[], &["HEADERS:user-agent"]);
    all.leaves = every_leaf();
    let all = [all];
    for _ in 0..3 {
        let (verdict, spared) = judge(&all, &show);
        assert!(verdict.matches.is_empty() && spared.len() == 1);
        let (verdict, spared) = judge(&[], &show);
        assert!(verdict.blocks() && spared.is_empty());
    }
    // One inspection serves routes in turn.
    let mut inspection =
        Inspection::new(engine(), every_leaf(), Bounds::DEFAULT, OnHit::GoOn, Budget::UNLIMITED);
    inspection.except(Exceptions::of(&all).unwrap().as_ref());
    show(&mut inspection);
    assert!(!inspection.verdict().blocks());
    inspection.reset(every_leaf(), Bounds::DEFAULT, OnHit::GoOn, Budget::UNLIMITED);
    show(&mut inspection);
    assert!(inspection.verdict().blocks() && inspection.spared().next().is_none());
}

#[test]
fn exceptions_that_no_rule_set_knows_are_refused() {
    let unknown = |rule: &str, kind: &str| {
        let mut exception = exception(&[rule], &[], &["ARGS:q"]);
        exception.places[0].kind = kind.to_owned();
        Exceptions::of(&[exception]).unwrap_err().to_string()
    };
    assert_eq!(unknown("sql-injection-generic/none", "ARGS"), "no rule is called sql-injection-generic/none");
    assert_eq!(unknown("sql-injection-generic/bare-query", "ARG"), "no place is called ARG");
    let many = vec![exception(&[], &[], &["ARGS:q"]); 257];
    assert!(Exceptions::of(&many).is_err() && Exceptions::of(&many[..256]).is_ok());
    assert!(Exceptions::of(&[]).unwrap().is_none());
}
