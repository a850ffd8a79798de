//! Classes of attacks in spellings of their own, beside honest values that are written alike.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::sync::{Arc, OnceLock};

use waf_detection::Engine;
use waf_detection::budget::Budget;
use waf_detection::inspection::{Bounds, Inspection, OnHit};
use waf_detection::recorded::Recorded;
use waf_shared::catalog::LeafSet;

/// Rules that refuse the request; none where it passes.
fn refused(request: &str) -> Vec<&'static str> {
    static ENGINE: OnceLock<Arc<Engine>> = OnceLock::new();
    let engine = Arc::clone(ENGINE.get_or_init(|| Arc::new(waf_detection::rules::engine())));
    let leaves = LeafSet::defaults();
    let mut inspection = Inspection::new(engine, leaves, Bounds::DEFAULT, OnHit::GoOn, Budget::UNLIMITED);
    Recorded::parse(request.as_bytes()).show(&mut inspection);
    let verdict = inspection.verdict();
    let rules = verdict.matches.iter().map(|one| one.rule.id);
    let leaves = verdict.violations.iter().map(|one| one.leaf.name());
    if verdict.blocks() { rules.chain(leaves).collect() } else { Vec::new() }
}

fn coded(value: &str) -> String {
    let unreserved = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
    value
        .bytes()
        .map(|byte| if unreserved(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

fn get(value: &str) -> String {
    format!("GET /a?value={} HTTP/1.1\r\nHost: shop.example\r\nAccept: text/html\r\n\r\n", coded(value))
}

fn passes(request: &str) {
    assert_eq!(refused(request), [""; 0], "{request}");
}

fn is_refused(request: &str) {
    assert!(!refused(request).is_empty(), "{request}");
}

#[test]
fn procedural_statements_behind_a_separator() {
    for value in [
        "5;begin my_pkg.wait(9); end;",
        "5');begin a.b.wait(9); end--",
        "5;begin if (3=3) then null; end if; end;",
        "7;call wait_for(repeat('a',9))",
        "7);if(4=4) select 1 else drop table x--",
        "3;iif(2=2,1,0)",
        "3/**/;/**/BeGiN/**/my_pkg.wait(9)",
        "shoes' in boolean mode) or 3=3#",
        "shoes\") in boolean mode) order by 9-- -",
    ] {
        is_refused(&get(value));
    }
    for value in [
        "The match is over; begin at noon (sharp)",
        "int a = 1;\n  if (a == b) {\n    return c;\n  }",
        "Sort it; call me (maybe) tonight",
        "begin work; commit early",
        "search in boolean mode (advanced)",
    ] {
        passes(&get(value));
    }
}

#[test]
fn paths_with_escapes_that_nothing_decodes() {
    for coded in [
        "..%c0%9x..%c0%9xetc%c0%9xshadow",
        "%c1%1d%c1%1d%c1%8tetc%c1%8tgroup",
        "..%25%32%66..%zzetc%zzpasswd",
        "%fe%fe%ffwindows%ffwin.ini",
        "..%u2215..%u2215etc%u2215passwd",
        "a%01..%01..%01etc%01hosts",
        "WEB-INF/classes/app.properties",
        "/x/..;/WEB-INF/lib/",
    ] {
        is_refused(&format!("GET /?f={coded} HTTP/1.1\r\nHost: shop.example\r\n\r\n"));
    }
    for coded in [
        "gr%FC%DFe%20aus%20etc",
        "100%25%20etc.",
        "%E6%97%A5%E6%9C%AC/etc",
        "a%01b",
        "^%5B%25%26%5D%7B8%7D%24",
    ] {
        passes(&format!("GET /?f={coded} HTTP/1.1\r\nHost: shop.example\r\n\r\n"));
    }
}

#[test]
fn commands_within_words_and_calls() {
    for value in [
        "'.print(`echo ab`.`echo cd`);//",
        "x(`id`)",
        "abc$(sleep 9)def",
        "3$((4+5))$(expr 2 + 2)",
        "8.8.8.8|[ 1 -eq 1 ] && sleep 4",
        "\" | [ 7 -ne $(echo ab | wc -c) ] || sleep 3",
    ] {
        is_refused(&get(value));
    }
    for value in ["see `ls` for that", "costs $(5)", "[ ] milk | [x] bread", "a | [ -1 ] | b", "f(`name`)"] {
        passes(&get(value));
    }
}
