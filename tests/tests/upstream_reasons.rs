//! The reason why an upstream failed: in the log and in events, and never in an answer.

use waf_tests::contract::answered;
use waf_tests::origin::{Answer, Origin, Step};
use waf_tests::ports;
use waf_tests::raw::Request;
use waf_tests::running::{self, with_routes};

#[test]
fn a_failed_upstream_is_named_in_log_and_event_and_never_to_the_client() {
    let origin = Origin::answering(|request| match request.target_text().split('?').next() {
        Some("/base/garbage") => Answer::raw("SSH-2.0-OpenSSH_9.6\r\n\r\n").then(Step::Close),
        Some("/base/half") => Answer::raw("HTTP/1.1 200 OK\r\nContent-Le").then(Step::Close),
        _ => Answer::close(),
    });
    let (live, dead) = (origin.port(), ports::free());
    let waf = running::waf(&with_routes(&format!(
        "  - match: {{ paths: [/down] }}\n    upstream: http://127.0.0.1:{dead}\n    mode: detect_only\n\
         \x20 - match: {{ paths: [/nameless] }}\n    upstream: http://waf.invalid:{dead}\n    mode: detect_only\n\
         \x20 - upstream: http://localhost:{live}\n    mode: detect_only\n"
    )));
    let (up, down) = (format!("http://localhost:{live}"), format!("http://127.0.0.1:{dead}"));
    let unnamed = format!("http://waf.invalid:{dead}");
    for (target, upstream, reason) in [
        ("/down", &down, format!("127.0.0.1:{dead}: it does not accept connections: ")),
        ("/nameless", &unnamed, "the name does not resolve: ".to_owned()),
        ("/base/garbage", &up, format!("127.0.0.1:{live}: the answer is not well-formed HTTP: ")),
        ("/base/half", &up, format!("127.0.0.1:{live}: the connection broke: ")),
        ("/base/close", &up, format!("127.0.0.1:{live}: the connection broke: ")),
    ] {
        let response = Request::get(format!("{target}?q=%3Cscript%3Ealert(1)%3C/script%3E")).to(waf.port);
        // The body is compared whole: nothing of the reason is in it.
        let id = answered(&response, 502, "bad_gateway");
        let head = format!("{:?}", response.fields);
        assert!(!head.contains("127.0.0.1") && !head.contains("localhost"), "{head}");
        let event = waf.event_of(&id);
        let detail = event["status_detail"].as_str().unwrap_or_default();
        assert!(detail.starts_with(&format!("upstream {upstream}: {reason}")), "{target}: {detail}");
        waf.wait_log(&["the upstream failed", &id, upstream, &reason]);
    }
}
