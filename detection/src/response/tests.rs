//! How a body is cut makes no difference; budgets and bounds hold.

use proptest::prelude::*;

use super::*;

const PAGE: &str = "<!DOCTYPE html><html><head><title>Shop</title></head><body><p>Hello</p><script>var a = \"<?php\";</script>\
    <div><br />\n<b>Warning</b>:  mysqli_query(): (42000/1064): You have an error in your SQL syntax; check the manual that \
    corresponds to your MySQL server version for the right syntax to use near ''1'' at line 1 in <b>/srv/www/list.php</b> on \
    line <b>12</b><br />\n</div><pre>java.lang.NullPointerException\n\tat com.example.Shop.pay(Shop.java:42)\n</pre></body></html>";

fn inspection(on_hit: OnHit) -> ResponseInspection {
    let leaves = LeafSet::defaults();
    ResponseInspection::new(Arc::new(crate::rules::engine()), leaves, on_hit, Budget::UNLIMITED, 128 << 10)
}

fn head(content_type: &str) -> Head<'_> {
    Head { status: 200, content_type: content_type.as_bytes(), location: None }
}

fn ids(verdict: &Verdict) -> Vec<(&'static str, u32)> {
    verdict.matches.iter().map(|found| (found.rule.id, found.offset)).collect()
}

fn judge(engine: &Arc<Engine>, content_type: &str, pieces: &[&[u8]]) -> Vec<(&'static str, u32)> {
    let mut inspection = ResponseInspection::new(
        Arc::clone(engine),
        LeafSet::defaults(),
        OnHit::GoOn,
        Budget::UNLIMITED,
        128 << 10,
    );
    assert!(inspection.head(&Asked::default(), &head(content_type)).is_some());
    for piece in pieces {
        inspection.feed(piece);
    }
    inspection.finish();
    ids(inspection.verdict())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_cut_gives_the_same_verdict(
        before in 0usize..40_000,
        mut cuts in prop::collection::vec(0usize..45_000, 0..12),
        kind in prop::sample::select(vec!["text/html", "application/json", "", "text/plain"]),
    ) {
        thread_local!(static ENGINE: Arc<Engine> = Arc::new(crate::rules::engine()));
        let filler = "<p>Nothing to see &amp; nothing to say.</p>\n".repeat(before / 42 + 1);
        let text = match kind {
            "application/json" => {
                let page = format!("{filler}{PAGE}").replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
                format!("{{\"a\":\"{page}\",\"error\":\"SQLSTATE[42000]: Syntax error or access violation: 1064 x\"}}")
            }
            _ => format!("{filler}{PAGE}"),
        };
        cuts.retain(|at| *at < text.len());
        cuts.sort_unstable();
        let mut pieces = Vec::new();
        let mut start = 0;
        for cut in cuts.into_iter().chain([text.len()]) {
            pieces.push(&text.as_bytes()[start..cut]);
            start = cut;
        }
        ENGINE.with(|engine| {
            let whole = judge(engine, kind, &[text.as_bytes()]);
            assert!(!whole.is_empty(), "{kind}");
            assert_eq!(judge(engine, kind, &pieces), whole);
        });
    }
}

#[test]
fn a_probe_sees_what_a_later_byte_would_have_proved() {
    let mut inspection = inspection(OnHit::Stop);
    inspection.head(&Asked::default(), &head("text/event-stream"));
    inspection.feed(b"data: hello\n\ndata: ");
    inspection.probe();
    assert!(!inspection.verdict().blocks());
    inspection.feed(b"ORA-00933: SQL command not properly ended\n\n");
    assert!(!inspection.verdict().blocks(), "too little follows yet");
    inspection.probe();
    assert!(inspection.verdict().blocks());
    assert!(inspection.is_over());
}

#[test]
fn bytes_beyond_the_bound_are_not_judged() {
    let mut inspection = ResponseInspection::new(
        Arc::new(crate::rules::engine()),
        LeafSet::defaults(),
        OnHit::Stop,
        Budget::UNLIMITED,
        1000,
    );
    inspection.head(&Asked::default(), &head("text/plain"));
    inspection.feed(&[b'\n'; 1000]);
    assert!(inspection.is_full());
    inspection.feed(b"java.lang.NullPointerException\n");
    inspection.finish();
    assert!(!inspection.verdict().blocks());
}

#[test]
fn a_spent_budget_is_a_violation_until_bytes_were_released() {
    let slow = || Budget {
        limit: Duration::from_millis(1),
        clock: || {
            use std::sync::atomic::{AtomicU64, Ordering};
            static NOW: AtomicU64 = AtomicU64::new(0);
            Duration::from_secs(NOW.fetch_add(1, Ordering::Relaxed))
        },
        watch: || Duration::ZERO,
    };
    for released in [false, true] {
        let engine = Arc::new(crate::rules::engine());
        let mut inspection =
            ResponseInspection::new(engine, LeafSet::defaults(), OnHit::Stop, slow(), 1 << 20);
        inspection.head(&Asked::default(), &head("text/plain"));
        if released {
            inspection.release();
        }
        inspection.feed("x".repeat(100_000).as_bytes());
        assert_eq!(inspection.verdict().blocks(), !released);
        assert!(inspection.is_over());
    }
}

#[test]
fn what_holds_no_text_is_not_read() {
    let mut inspection = inspection(OnHit::Stop);
    for content_type in ["image/png", "application/octet-stream", "font/woff2", "application/grpc"] {
        assert_eq!(inspection.head(&Asked::default(), &head(content_type)), None, "{content_type}");
    }
    assert!(ResponseInspection::is_wanted(&LeafSet::defaults()));
    assert!(!ResponseInspection::is_wanted(&LeafSet::EMPTY));
}

#[test]
fn wide_text_is_read_too() {
    let wide: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(b"java.lang.NullPointerException\n".iter().flat_map(|b| [*b, 0]))
        .collect();
    let found = judge(&Arc::new(crate::rules::engine()), "text/plain; charset=utf-16", &[&wide]);
    assert_eq!(found.len(), 1, "{found:?}");
}

fn blocks(status: u16, content_type: &str, body: &str) -> bool {
    let mut inspection = inspection(OnHit::GoOn);
    let head = Head { status, content_type: content_type.as_bytes(), location: None };
    inspection.head(&Asked::default(), &head);
    inspection.feed(body.as_bytes());
    inspection.finish();
    inspection.verdict().blocks()
}

#[test]
fn a_shell_without_a_name_is_known_by_what_it_offers() {
    let shell = "<html><head><title>Untitled</title></head><body><b>Uname:</b> Linux web1 5.4.0-42-generic #46-Ubuntu SMP x86_64<br>\
        <b>Safe mode:</b> <font color=green>OFF</font><table><tr><td>index.php</td><td>-rw-r--r--</td></tr></table>\
        <form method=post><input type=text name=cmd size=60><input type=submit value=Execute></form></body></html>";
    assert!(blocks(200, "text/html", shell));
    // A hosting panel has some of it, and is none.
    let panel = "<html><head><title>Files</title></head><body><table><tr><td>index.php</td><td>-rw-r--r--</td></tr></table>\
        <form method=post><input type=text name=cmd></form></body></html>";
    assert!(!blocks(200, "text/html", panel));
}

#[test]
fn a_failed_server_speaks_for_itself() {
    let page = "<html><body><h1>ORA-00942: table or view does not exist</h1></body></html>";
    assert!(blocks(500, "text/html", page));
    assert!(!blocks(200, "text/html", page), "a heading names something");
    let script = "<html><script>var x = 'ORA-00942: table or view does not exist';</script></html>";
    assert!(!blocks(500, "text/html", script));
}

#[test]
fn the_automaton_is_small() {
    let bytes = crate::rules::engine().response_patterns().memory_bytes();
    assert!(bytes < 2 << 20, "{bytes} bytes");
}
