//! The protocol protections end to end: what each refuses, with which status, under which name; that a switch allows it;
//! and that honest clients never notice.

use waf_tests::contract::blocked;
use waf_tests::origin::{Answer, Origin};
use waf_tests::raw::{self, Connection, Request, Response};
use waf_tests::running::{self, to_upstream};

/// A leaf, the status it answers with, and a request that only it refuses: request line and fields parted by LF, a body after
/// an empty line. The Host is added.
const ON: &[(&str, u16, &str)] = &[
    ("http-compliance-get-with-body", 403, "GET /\nContent-Type: text/plain\nContent-Length: 3\n\nabc"),
    ("http-compliance-uri-fragments", 403, "GET /page?x=1#top"),
    ("http-compliance-content-type-header", 403, "GET /\nContent-Type: text/xml; blah"),
    ("http-compliance-content-type-header", 403, "GET /\nContent-Type: text/plain; charset=garbage"),
    ("http-compliance-accept-encoding", 403, "GET /\nAccept-Encoding: foobar"),
    ("http-compliance-restricted-headers", 403, "GET /\nProxy: http://203.0.113.7/"),
    ("http-compliance-method-override", 403, "GET /\nX-HTTP-Method-Override: DELETE"),
    ("http-compliance-method-override", 403, "POST /\nContent-Length: 0\nX-HTTP-Method-Override: PROPFIND"),
    ("http-compliance-method-override", 403, "POST /\nContent-Length: 0\nX-Method-Override: TRACE"),
    ("http-compliance-method-override", 403, "POST /\nContent-Length: 0\nX-HTTP-Method: CONNECT"),
    ("http-compliance-method-override", 403, "POST /\nContent-Length: 0\nX-HTTP-Method: PUT, DELETE"),
    ("http-compliance-method-override", 403, "PUT /\nContent-Length: 0\nx-http-method-override: DELETE"),
    (
        "http-compliance-method-override",
        403,
        "POST /\nContent-Length: 0\nX-HTTP-Method-Override: PUT\nX-Method-Override: DELETE",
    ),
    ("http-compliance-restricted-headers", 403, "POST /\nContent-Length: 0\nX_HTTP_METHOD_OVERRIDE: PUT"),
    ("http-compliance-restricted-headers", 403, "GET /\nX_Original_URL: /admin"),
    ("http-compliance-restricted-headers", 403, "GET /\nx_rewrite-url: /admin"),
    ("http-compliance-restricted-headers", 403, "GET /\nContent_Type: application/json"),
    ("http-compliance-restricted-headers", 403, "GET /\nCache-Control: max-age=1,,,max-stale=2"),
    ("http-compliance-range-header", 403, "GET /\nRange: bytes=50-10"),
    ("http-compliance-range-header", 403, "GET /\nRequest-Range: bytes=0-9"),
    ("http-compliance-connection-header", 403, "GET /\nConnection: keep-alive, close"),
    ("http-compliance-utf8-tricks", 403, "GET /?x=a%F5%80%BF%BF"),
    ("http-compliance-null-bytes", 403, "GET /?photo=a%00b"),
    (
        "http-compliance-null-bytes",
        403,
        "POST /\nContent-Type: application/x-www-form-urlencoded\nContent-Length: 7\n\nx=a%00b",
    ),
    ("http-compliance-blocked-extensions", 403, "GET /dump%2Erdb"),
    ("http-compliance-backup-file-probes", 403, "GET /index.php~/x"),
    ("http-attacks-request-smuggling", 403, "GET /?next=a%0d%0aGET+/x+HTTP/1.1"),
    ("http-attacks-response-splitting", 403, "GET /?lang=en%0d%0aContent-Length:+0"),
    ("http-attacks-header-crlf-injection", 403, "GET /a%0d%0aX-Injected:%201"),
    ("http-attacks-header-crlf-injection", 403, "GET /\nX-Region: eu%0d%0aX-Injected: 1"),
    ("http-attacks-apache-mod-proxy", 403, "GET /?unix:AAAA|http://shop.example/"),
    ("http-attacks-rfc2109-cookies", 403, "GET /\nCookie: $Version=1; sid=x"),
    (
        "http-attacks-dangerous-content-types",
        403,
        "GET /\nContent-Type: application/x-www-form-urlencoded;boundary=\"application/json\"",
    ),
    ("session-fixation-external-referer", 403, "GET /?PHPSESSID=abc\nReferer: https://evil.example/"),
    ("session-fixation-missing-referer", 403, "GET /?PHPSESSID=abc"),
    ("session-fixation-cookie-injection", 403, "GET /?x=.cookie%3Bexpires%3D1"),
    (
        "file-upload-attacks-charset-trick",
        403,
        "GET /\nContent-Type: multipart/form-data; boundary=x; charset=utf-7",
    ),
    ("file-upload-attacks-content-type-trick", 403, "GET /\nContent-Type: multipart/form-data"),
    (
        "file-upload-attacks-deprecated-encoding",
        403,
        "GET /\nContent-Type: multipart/form-data; boundary=x\nContent-Transfer-Encoding: base64",
    ),
    ("file-upload-attacks-header-tricks", 403, "GET /\nContent-Type: multipart/form-data;\tboundary=x"),
    ("scanner-detection-user-agent", 403, "GET /\nUser-Agent: sqlmap/1.8"),
];

/// The same for leaves that an operator has to enable.
const OFF: &[(&str, u16, &str)] = &[
    ("http-compliance-accept-header", 403, "GET /\nAccept: everything\nUser-Agent: a"),
    ("http-compliance-user-agent-header", 403, "GET /\nAccept: */*"),
    ("http-compliance-method-override-param", 403, "GET /?_method=DELETE\nAccept: */*\nUser-Agent: a"),
    ("http-compliance-double-url-encoding", 403, "GET /?x=%252561\nAccept: */*\nUser-Agent: a"),
    ("http-compliance-non-printable-characters", 403, "GET /?x=Gr%C3%BC\u{df}e\nAccept: */*\nUser-Agent: a"),
    ("http-attacks-duplicate-parameters", 403, "GET /?id=1&id=2\nAccept: */*\nUser-Agent: a"),
    ("http-attacks-range-dos", 403, "GET /\nRange: bytes=0-9\nAccept: */*\nUser-Agent: a"),
];

fn send(port: u16, text: &str) -> Response {
    let (head, body) = text.split_once("\n\n").unwrap_or((text, ""));
    let (line, fields) = head.split_once('\n').unwrap_or((head, ""));
    let fields: String = fields.lines().flat_map(|field| [field, "\r\n"]).collect();
    let bytes = format!("{line} HTTP/1.1\r\nHost: shop.example\r\n{fields}\r\n{body}");
    raw::send(port, bytes).unwrap_or_else(|fault| panic!("{text}: {fault}"))
}

fn protections(event: &serde_json::Value) -> Vec<&str> {
    event["waf"]["matched_protections"].as_array().into_iter().flatten().filter_map(|p| p.as_str()).collect()
}

/// A list in YAML of every leaf of `rows`.
fn names(rows: &[(&str, u16, &str)]) -> String {
    rows.iter()
        .map(|(leaf, ..)| format!("    - {leaf}\n"))
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect()
}

#[test]
fn each_refuses_under_its_name() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    for (leaf, status, text) in ON {
        let id = blocked(&send(waf.port, text), *status);
        let event = waf.event_of(&id);
        assert_eq!(protections(&event), [*leaf], "{text}");
        assert_eq!(event["http_response"]["code"], *status, "{text}");
    }
    for (leaf, _, text) in OFF {
        assert_eq!(send(waf.port, text).status, 200, "{leaf} is off: {text}");
    }
    assert_eq!(origin.take().len(), OFF.len());
}

#[test]
fn what_is_off_can_be_enabled() {
    let origin = Origin::start();
    let waf = running::waf(&format!("{}global:\n  enable:\n{}", to_upstream(&origin.url()), names(OFF)));
    for (leaf, status, text) in OFF {
        let id = blocked(&send(waf.port, text), *status);
        assert_eq!(protections(&waf.event_of(&id)), [*leaf], "{text}");
    }
    assert!(origin.requests().is_empty());
}

#[test]
fn each_can_be_switched_off() {
    let origin = Origin::start();
    let waf = running::waf(&format!("{}global:\n  disable:\n{}", to_upstream(&origin.url()), names(ON)));
    for (leaf, _, text) in ON {
        assert_eq!(send(waf.port, text).status, 200, "{leaf}: {text} {:?}", waf.events());
    }
    assert!(waf.events().is_empty(), "{:?}", waf.events());
}

#[test]
fn detect_only_reports_them_and_forwards() {
    let origin = Origin::answering(|_| Answer::new(201, &[], "made"));
    let waf = running::waf(&(to_upstream(&origin.url()) + "global:\n  mode: detect_only\n"));
    for (leaf, _, text) in ON {
        let response = send(waf.port, text);
        assert_eq!(response.status, 201, "{text}");
        let event = waf.event_of(response.field("X-Request-Id").expect("every response carries one"));
        assert_eq!(protections(&event), [*leaf], "{text}");
    }
    assert_eq!(waf.events().len(), ON.len(), "one event for each");
}

#[test]
fn a_fragment_that_may_pass_is_forwarded_as_sent() {
    let origin = Origin::start();
    let waf = running::waf(
        &(to_upstream(&origin.url()) + "global: { disable: [http-compliance-uri-fragments] }\n"),
    );
    assert_eq!(Request::get("/page?x=1#top").to(waf.port).status, 200);
    assert_eq!(origin.only().target_text(), "/page?x=1#top");
    blocked(&Request::get("/page#%3Cscript%3Ealert(1)%3C/script%3E").to(waf.port), 403);
}

#[test]
fn a_numeric_host_is_a_hint_and_no_more() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    for host in ["203.0.113.7", "203.0.113.7:8080", "[2001:db8::1]"] {
        assert_eq!(Request::get("/").host(host).to(waf.port).status, 200, "{host}");
    }
    assert!(waf.events().is_empty());
}

#[test]
fn honest_clients_pass() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    let get = |target: &str| Request::get(target);
    for request in [
        // curl, okhttp, Go, a probe: few fields, some of them unusual.
        get("/").field("User-Agent", "curl/8.5.0").field("Accept", "*/*"),
        get("/").field("Accept-Encoding", "gzip").field("User-Agent", "okhttp/4.12.0"),
        get("/").field("Content-Length", "0").field("Content-Type", "application/json"),
        get("/healthz").field("User-Agent", "kube-probe/1.29").field("Connection", "close"),
        get("/").field("Accept", "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"),
        get("/").field("Connection", "keep-alive").field("Upgrade-Insecure-Requests", "1"),
        get("/").field("TE", "trailers").field("Connection", "TE, close"),
        Request::new("DELETE", "/cart/1"),
        Request::new("PUT", "/flags/new"),
        Request::new("POST", "/ping").field("Content-Length", "0"),
        // Clients behind proxies that know GET and POST alone.
        Request::new("POST", "/cart/1")
            .field("Content-Length", "0")
            .field("X-HTTP-Method-Override", "DELETE"),
        Request::new("POST", "/cart/1").field("Content-Length", "0").field("X-HTTP-Method", "put"),
        Request::new("POST", "/cart/1").field("Content-Length", "0").field("X-Method-Override", "PATCH"),
        Request::new("POST", "/long").field("Content-Length", "0").field("X-HTTP-Method-Override", "GET"),
        Request::new("PUT", "/dav/a").field("Content-Length", "0").field("If", "(<urn:uuid:181d4fae>)"),
        Request::new("DELETE", "/dav/a").field("If", "</dav/a> (<urn:uuid:181d4fae> [\"1\"])"),
        // Players and download managers.
        get("/v.mp4").field("Range", "bytes=0-").field("Accept-Encoding", "identity;q=1, *;q=0"),
        get("/v.mp4").field("Range", "bytes=1048576-2097151").field("If-Range", "\"67ab43\""),
        get("/a.pdf").field("Range", "bytes=0-1,5-6,9-10,12-13,15-16,18-19,21-22,30-31"),
        // A shop from before cookies were trusted.
        get("/cart.php?PHPSESSID=8f14e45f").field("Referer", "http://shop.example/index.php"),
        get("/cart;jsessionid=0A1B2C"),
        get("/?session=morning&sid=4").field("Referer", "https://elsewhere.example/"),
        get("/paid?session_id=cs_test_a1b2c3")
            .field("Accept", "text/html")
            .field("Referer", "https://pay.example/"),
        // Text as people and programs write it.
        get("/share?text=line+one%0Aline+two%0ANote:+three"),
        get("/search?q=caf%E9"),
        get("/search?q=%C0%B4%C8%D5%B1%BE"),
        get("/~ann/notes.html"),
        get("/download/v1.2.3"),
        Request::post("/notes", "application/x-www-form-urlencoded", "d=%7B%22n%22%3A%22Andr%5Cu00e9%22%7D"),
        Request::post(
            "/notes",
            "application/json; charset=utf-8",
            "{\"t\":\"Agenda\\nLocation: Room 5\\nGET ready\"}",
        ),
        Request::post("/blob", "application/octet-stream", b"\0\x01\x02\xff"),
        Request::post("/soap", "application/soap+xml; charset=UTF-8; action=\"urn:a:b\"", "<a/>"),
    ] {
        let response = request.to(waf.port);
        let sent = String::from_utf8_lossy(&request.bytes()).into_owned();
        assert_eq!(response.status, 200, "{sent}\n{:?}", waf.events());
    }
    assert!(waf.events().is_empty(), "{:?}", waf.events());
}

#[test]
fn a_refused_head_keeps_the_connection_and_a_refused_body_ends_it() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    let mut connection = Connection::open(waf.port).expect("a connection");
    let refused = connection.exchange(&Request::get("/").field("Accept-Encoding", "foobar"));
    blocked(&refused.expect("a response"), 403);
    assert_eq!(connection.exchange(&Request::get("/")).expect("the next response").status, 200);
    let with_body = Request::get("/").field("Content-Type", "text/plain").body("GET /admin HTTP/1.1\r\n\r\n");
    blocked(&connection.exchange(&with_body).expect("a response"), 403);
    assert!(connection.is_closed(), "an unread body is never the next request");
    assert_eq!(origin.take().len(), 1);
}

#[test]
fn framing_and_host_are_refused_under_their_names() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    for (leaf, bytes) in [
        (
            "http-compliance-conflicting-length",
            "POST / HTTP/1.1\r\nHost: shop.example\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\
             Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        ),
        ("request-validation-require-host-header", "GET / HTTP/1.1\r\nHost:\r\n\r\n"),
        ("http-compliance-malformed-request-line", "GET  / HTTP/1.1\r\nHost: shop.example\r\n\r\n"),
    ] {
        let response = raw::send(waf.port, bytes).unwrap_or_else(|fault| panic!("{leaf}: {fault}"));
        let id = blocked(&response, 400);
        assert_eq!(protections(&waf.event_of(&id)), [leaf]);
    }
    assert!(origin.take().is_empty());
}
