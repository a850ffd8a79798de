//! Reports of audit events, and requests that are rebuilt from one.

use std::io::Write as _;

use base64::Engine as _;
use serde_json::{Value, json};
use sha2::Digest as _;
use waf_compiler::check_request::Outcome;
use waf_compiler::check_request::event::{EventError, rebuilt};
use waf_compiler::event_report::EventReport;

use crate::common::compile;

const SQL: &str = "sql-injection-union-select/union";

/// An event in both formats: disposition, request, one finding.
fn both(
    disposition: &str,
    (method, path, query): (&str, &str, &str),
    found: &Value,
    text: &str,
) -> [Value; 2] {
    let id = match disposition {
        "blocked" => 2,
        "detected" => 15,
        _ => 17,
    };
    let protection = found["rule"].as_str().unwrap_or_default().split('/').next().unwrap();
    let waf = json!({ "route_id": format!("shop{text}"), "matches": [found], "not_inspected": [format!("the rest{text}")],
        "matched_protections": [format!("{protection}{text}")] });
    [
        json!({ "disposition_id": id, "time": 1_795_418_855_734_u64, "message": text,
            "src_endpoint": { "ip": format!("192.0.2.1{text}") }, "dst_endpoint": { "hostname": format!("a.example{text}") },
            "http_request": { "uid": format!("id{text}"), "http_method": method, "version": "HTTP/1.1", "user_agent": format!("curl/8{text}"),
                "referrer": text, "url": { "path": format!("{path}{text}"), "query_string": query } },
            "http_response": { "code": 403 }, "waf": waf }),
        json!({ "@timestamp": "2026-11-23T07:27:35.734Z", "event": { "action": disposition }, "message": text,
            "client": { "ip": format!("192.0.2.1{text}") }, "destination": { "domain": format!("a.example{text}") },
            "http": { "version": "1.1", "request": { "id": format!("id{text}"), "method": method, "referrer": text },
                "response": { "status_code": 403 } },
            "url": { "path": format!("{path}{text}"), "query": query }, "user_agent": { "original": format!("curl/8{text}") }, "waf": waf }),
    ]
}

fn found(place: &str, name: &str, excerpt: &str) -> Value {
    json!({ "rule": SQL, "protection": "sql-injection-union-select", "place": place, "name": name, "excerpt": excerpt,
        "reason": "two queries", "weight": 5 })
}

fn report(files: &[(&str, &[u8])]) -> String {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    EventReport::read(&[folder.path().to_owned()], 2, &|_| {}).unwrap().html()
}

fn lines(events: &[Value]) -> Vec<u8> {
    events.iter().flat_map(|event| format!("{event}\n").into_bytes()).collect()
}

#[test]
fn events_of_every_format_are_counted_once() {
    let request = ("GET", "/search", "q=1'+union+select+a+from+b--");
    let of = |disposition| both(disposition, request, &found("ARGS", "q", "1' union select a from b--"), "");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    for nth in 0..700 {
        let events = String::from_utf8(lines(&of("detected"))).unwrap();
        encoder.write_all(events.replace("192.0.2.1", &format!("192.0.2.{}", nth % 3)).as_bytes()).unwrap();
    }
    let page = report(&[
        ("a.jsonl", &lines(&of("blocked"))),
        ("b.jsonl.gz", &encoder.finish().unwrap()),
        ("c.jsonl", &lines(&of("logged"))),
        ("d.txt", b"not an event\n{\"waf\": 1}\n\n"),
    ]);
    for part in [
        "blocked\"><b>2</b>",
        "detected\"><b>1,400</b>",
        "logged\"><b>2</b>",
        "sources\"><b>3</b>",
        "2 lines are not audit events",
        "2026-11-23 07:27:35 to 2026-11-23 07:27:35 UTC",
        "<code>GET /search</code>",
        "1,404 of 1,404 events (100.0 %)",
        "data-filter=\"ARGS:q\"",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

/// The page without what lies between double quotes in tags, cut at each `<`.
fn tags(page: &str) -> Vec<String> {
    let outside = |tag: &str| tag.split('"').step_by(2).collect::<Vec<_>>().join("\"\"");
    page.split('<').skip(1).filter_map(|piece| piece.split('>').next()).map(outside).collect()
}

#[test]
fn nothing_that_attackers_sent_is_markup() {
    let honest =
        report(&[("a", &lines(&both("blocked", ("GET", "/", ""), &found("ARGS", "q", "x"), "plain")))]);
    let names = |page: &str| {
        let mut names: Vec<String> =
            tags(page).iter().map(|tag| tag.split(' ').next().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    for text in [
        "<script>alert(1)</script>",
        "</script><script>alert(1)</script>",
        "</style><style>*{}</style>",
        "\"><img src=x onerror=alert(1)>",
        "' onmouseover='alert(1)",
        "\" autofocus onfocus=\"alert(1)",
        "<!--",
        "</title></head><base href=//x>",
        "]]><svg/onload=alert(1)>",
        "&lt;script&gt;",
        "\u{202e}<b>\u{0}",
    ] {
        let events = both("blocked", ("GET", text, text), &found(text, text, text), text);
        let page = report(&[("a", &lines(&events))]);
        assert_eq!(names(&page), names(&honest), "{text}");
        let handlers: Vec<String> = tags(&page)
            .into_iter()
            .filter(|tag| tag.contains(" on") || tag.contains("javascript:"))
            .collect();
        assert!(handlers.is_empty(), "{text}: {handlers:?}");
    }
}

#[test]
fn the_policy_allows_the_script_and_the_style_of_the_page_alone() {
    let page = report(&[("a", &lines(&both("blocked", ("GET", "/", ""), &found("PATH", "", "x"), "")))]);
    for (tag, directive) in [("script", "script-src"), ("style", "style-src")] {
        let (_, rest) = page.split_once(&format!("<{tag}>")).unwrap();
        let (text, rest) = rest.split_once(&format!("</{tag}>")).unwrap();
        assert!(!rest.contains(&format!("<{tag}")), "there is one {tag}");
        let hash = base64::engine::general_purpose::STANDARD.encode(sha2::Sha256::digest(text));
        assert!(page.contains(&format!("{directive} 'sha256-{hash}';")), "{directive}");
    }
    assert!(
        page.contains("content=\"default-src 'none'; ")
            && !page.contains(" style=")
            && !page.contains("http://")
    );
}

#[test]
fn requests_are_rebuilt_from_their_events_and_explained() {
    let compiled = compile("version: v1alpha1\nroutes:\n  - {id: shop, upstream: 'http://a'}\n").unwrap();
    let attack = "1' union select password from users--";
    for (method, query, place, name, line) in [
        (
            "GET",
            "q=1'+union+select+password+from+users--",
            "ARGS",
            "q",
            "  GET /a?q=1'+union+select+password+from+users-- HTTP/1.1\n",
        ),
        ("POST", "", "ARGS", "q", "  q=1%27%20union%20select"),
        ("POST", "page=1", "ARGS", "user[name]", "  user[name]=1%27%20union"),
        ("POST", "", "JSON", "user.name", "  {\"user\":{\"name\":\"1' union"),
        ("GET", "", "HEADERS", "x-filter", "  x-filter: 1' union"),
        ("GET", "", "COOKIES", "cart", "  Cookie: cart=1%27%20union"),
        ("POST", "", "BODY", "", "  1' union select"),
    ] {
        for excerpt in [attack, "red union jack"] {
            let query = if excerpt == attack { query } else { "q=red+union+jack" };
            for event in both("blocked", (method, "/a", query), &found(place, name, excerpt), "") {
                let file = lines(&[json!({ "a": "id" }), event]);
                let rebuilt = rebuilt(file.as_slice(), "id").unwrap();
                let outcome = compiled.explain(&rebuilt.raw).outcome;
                if excerpt == attack {
                    assert!(rebuilt.text.contains(line), "{}", rebuilt.text);
                    assert_eq!(outcome, Outcome::Refused, "{}", rebuilt.text);
                } else {
                    assert_eq!(outcome, Outcome::Passed, "{}", rebuilt.text);
                }
                assert!(
                    rebuilt.text.contains("event of 2026-11-23T07:27:35, blocked with 403"),
                    "{}",
                    rebuilt.text
                );
                assert!(rebuilt.text.contains("not in the event: other header fields"), "{}", rebuilt.text);
            }
        }
    }
}

#[test]
fn events_without_a_request_give_no_answer() {
    let [event, _] = both("blocked", ("UNKNOWN", "/", ""), &found("HEAD", "", "\u{16}\u{3}"), "");
    assert!(matches!(rebuilt(lines(&[event]).as_slice(), "id"), Err(EventError::NoRequest)));
    for (file, id) in
        [("", "id"), ("{}\n", "id"), ("id\nid", "id"), ("{\"waf\":{\"a\":\"id\"}}", "id"), ("{}", "")]
    {
        assert!(matches!(rebuilt(file.as_bytes(), id), Err(EventError::NotFound)), "{file}");
    }
    // Line breaks of an excerpt make no header field.
    let [event, _] = both("blocked", ("GET", "/", ""), &found("HEADERS", "x-a", "x\r\nX-Other: y"), "");
    let text = String::from_utf8(rebuilt(lines(&[event]).as_slice(), "id").unwrap().raw).unwrap();
    assert!(text.contains("\r\nx-a: x  X-Other: y\r\n"), "{text}");
}
