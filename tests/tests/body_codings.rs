//! Compressed bodies: inflated for inspection, forwarded as they came.

use waf_tests::coded::{CODINGS, bare_deflate, brotli_behind, encode, gzip_spelling, gzip_with, zstd_behind};
use waf_tests::contract::blocked;
use waf_tests::multipart::{self, field, file};
use waf_tests::origin::Origin;
use waf_tests::raw::{self, Connection, Request, Response};
use waf_tests::running::{self, Waf, to_upstream, with_routes};

const ATTACK: &str = "note=<script>alert(document.cookie)</script>";
const HONEST: &str = "note=two of the chairs are broken, please send new ones";
const FORM: &str = "application/x-www-form-urlencoded";

fn coded(waf: &Waf, target: &str, content_type: &str, coding: &str, body: &[u8]) -> Response {
    let request = Request::new("POST", target).field("Content-Type", content_type);
    request.field("Content-Encoding", coding).body(body).to(waf.port)
}

#[test]
fn attacks_are_found_and_bytes_are_kept() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    for coding in CODINGS {
        let honest = encode(coding, HONEST.as_bytes());
        assert_eq!(coded(&waf, "/", FORM, coding, &honest).status, 200, "{coding}");
        let received = origin.only();
        assert_eq!(received.body, honest, "{coding}");
        assert_eq!(received.field("content-encoding"), Some(coding));
        blocked(&coded(&waf, "/", FORM, coding, &encode(coding, ATTACK.as_bytes())), 403);
    }
    blocked(&coded(&waf, "/", FORM, "deflate", &bare_deflate(ATTACK.as_bytes())), 403);
    let members = [encode("gzip", b"note=%3Cscript"), encode("gzip", b"%3Ealert(1)%3C/script%3E")].concat();
    blocked(&coded(&waf, "/", FORM, "X-GZIP", &members), 403);
    assert!(origin.take().is_empty());
}

#[test]
fn two_codings_come_off() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    for first in CODINGS {
        for second in CODINGS {
            let both = format!("{first}, {second}");
            let stack = |text: &str| encode(second, &encode(first, text.as_bytes()));
            assert_eq!(coded(&waf, "/", FORM, &both, &stack(HONEST)).status, 200, "{both}");
            blocked(&coded(&waf, "/", FORM, &both, &stack(ATTACK)), 403);
        }
    }
    // The same in two fields.
    let body = encode("br", &encode("gzip", ATTACK.as_bytes()));
    let request = Request::new("POST", "/").field("Content-Type", FORM);
    let request = request.field("Content-Encoding", "gzip").field("Content-Encoding", "br").body(body);
    blocked(&request.to(waf.port), 403);
}

#[test]
fn a_coded_body_in_any_chunks_is_read_alike() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    for (text, status) in [(HONEST, 200), (ATTACK, 403)] {
        for coding in CODINGS {
            let body = encode(coding, text.as_bytes());
            let mut wire = format!(
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: {FORM}\r\nContent-Encoding: {coding}\r\nTransfer-Encoding: chunked\r\n\r\n"
            )
            .into_bytes();
            for byte in body {
                wire.extend([b'1', b'\r', b'\n', byte, b'\r', b'\n']);
            }
            wire.extend(b"0\r\n\r\n");
            assert_eq!(raw::send(waf.port, wire).expect("a response").status, status, "{coding}");
        }
    }
}

#[test]
fn what_cannot_be_taken_off_is_415_where_bodies_are_inspected() {
    let origin = Origin::start();
    let routes = format!(
        "  - upstream: {0}\n  - match: {{ paths: [/seen/*] }}\n    upstream: {0}\n    mode: detect_only\n",
        origin.url()
    );
    let waf = running::waf(&with_routes(&routes));
    for coding in ["compress", "aes128gcm", "gzip, gzip, gzip", "gzip;q=1", "*"] {
        blocked(&coded(&waf, "/", FORM, coding, b"a=1"), 415);
        assert_eq!(coded(&waf, "/seen/", FORM, coding, b"a=1").status, 200, "{coding}");
        assert_eq!(coded(&waf, "/", "application/octet-stream", coding, b"a=1").status, 200, "{coding}");
    }
    assert_eq!(coded(&waf, "/", FORM, "identity", b"a=1").status, 200);
    blocked(&coded(&waf, "/", FORM, "identity", ATTACK.as_bytes()), 403);
}

#[test]
fn what_is_not_in_its_coding_is_refused() {
    let origin = Origin::start();
    let routes = format!(
        "  - upstream: {0}\n  - match: {{ paths: [/seen/*] }}\n    upstream: {0}\n    mode: detect_only\n",
        origin.url()
    );
    let waf = running::waf(&with_routes(&routes));
    for coding in CODINGS {
        let whole = encode(coding, HONEST.as_bytes());
        let cut = &whole[..whole.len() - 2];
        let followed = [whole.as_slice(), b"and more"].concat();
        for body in [HONEST.as_bytes(), cut, &followed] {
            blocked(&coded(&waf, "/", FORM, coding, body), 403);
            assert_eq!(coded(&waf, "/seen/", FORM, coding, body).status, 200, "{coding}");
        }
    }
    let named = waf.wait_events(24);
    assert!(named.iter().all(|event| {
        event["waf"]["matched_protections"].to_string().contains("http-compliance-malformed-body")
    }));
}

#[test]
fn coded_uploads_are_taken_apart() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    let content: String =
        (0..40_000).flat_map(|number| [number.to_string(), " chairs\n".to_owned()]).collect();
    for coding in CODINGS {
        for (note, status) in [("thanks a lot", 200), ("<script>alert(1)</script>", 403)] {
            let parts = [format!("{}{content}", file("list.txt", "text/plain")), field("note", note)];
            let body = encode(coding, &multipart::body(&parts));
            assert_eq!(
                coded(&waf, "/", multipart::CONTENT_TYPE, coding, &body).status,
                status,
                "{coding} {note}"
            );
            if status == 200 {
                assert!(origin.take().pop().is_some_and(|request| request.body == body), "{coding}");
            }
        }
    }
}

#[test]
fn bombs_are_refused_while_they_come() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    let bomb = vec![b' '; 32 << 20];
    for coding in CODINGS {
        let once = encode(coding, &bomb);
        for (name, body) in
            [(coding.to_owned(), once.clone()), (format!("{coding}, gzip"), encode("gzip", &once))]
        {
            for content_type in
                [FORM, "application/json", "text/plain", "application/xml", multipart::CONTENT_TYPE]
            {
                blocked(&coded(&waf, "/", content_type, &name, &body), 403);
            }
        }
    }
    // One that never ends is answered all the same.
    let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\nContent-Length: 10000000\r\n\r\n";
    let mut connection = Connection::open(waf.port).expect("a connection");
    connection.send(head).expect("sent");
    connection.send(&encode("gzip", &bomb)[..4000]).expect("sent");
    blocked(&connection.response().expect("a response"), 403);
    assert!(origin.take().is_empty());
}

#[test]
fn what_a_coding_carries_beside_the_content_is_refused() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    let hidden = b"&id=1' or '1'='1&";
    let length = [u8::try_from(hidden.len()).expect("short"), 0];
    let text = HONEST.as_bytes();
    let named = |name: &[u8]| gzip_with(8, &[name, b"\0"].concat(), text);
    let bodies = [
        ("gzip", named(hidden)),
        ("gzip", named(b"../../etc/passwd")),
        ("gzip", gzip_with(16, &[hidden.as_slice(), b"\0"].concat(), text)),
        ("gzip", gzip_with(4, &[&length, hidden.as_slice()].concat(), text)),
        ("gzip", [encode("gzip", text), named(hidden)].concat()),
        ("zstd", zstd_behind(hidden, text)),
        ("zstd", zstd_behind(b"&a=b", text)),
        ("br", brotli_behind(hidden, text)),
        ("br", brotli_behind(b"&a=b", text)),
        ("br, gzip", encode("gzip", &brotli_behind(hidden, text))),
        ("gzip, zstd", encode("zstd", &named(hidden))),
    ];
    for (coding, body) in &bodies {
        blocked(&coded(&waf, "/", FORM, coding, body), 403);
        blocked(&coded(&waf, "/", "application/octet-stream", coding, body), 403);
    }
    let events = waf.wait_events(2 * bodies.len());
    for event in &events {
        let protections = event["waf"]["matched_protections"].to_string();
        assert!(protections.contains("http-compliance-malformed-body"), "{event}");
    }
    for name in [b"orders 2026-11_a.txt".as_slice(), b"report.tar", b""] {
        assert_eq!(coded(&waf, "/", FORM, "gzip", &named(name)).status, 200);
    }
    assert_eq!(origin.take().len(), 3);
}

#[test]
fn coded_bytes_that_read_as_the_declared_type_are_judged() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    let part = "\r\n--xYz\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1' or '1'='1\r\n--xYz--\r\n";
    for (content_type, text) in [
        (FORM, "&id=1' or '1'='1&"),
        (FORM, "&id=1%27%20union%20select%20password%20from%20users--%20&"),
        (FORM, "&q=<script>alert(1)</script>&"),
        (FORM, "&file=../../../../etc/passwd&n=2"),
        (FORM, "&x=;cat /etc/passwd&"),
        ("text/plain", "<script>alert(document.cookie)</script>"),
        ("multipart/form-data; boundary=xYz", part),
    ] {
        let body = gzip_spelling(text.as_bytes());
        for (coding, body) in [
            ("gzip", body.clone()),
            ("identity, gzip", body.clone()),
            ("gzip, gzip", encode("gzip", &body)),
            ("gzip, br", encode("br", &body)),
            ("gzip, zstd", encode("zstd", &body)),
        ] {
            blocked(&coded(&waf, "/", content_type, coding, &body), 403);
        }
    }
    // Eight bytes of a header are free: together with a name they spell an argument.
    let mut header = gzip_with(8, b"1 union select password from users\0", HONEST.as_bytes());
    header[4..10].copy_from_slice(b"&abc==");
    blocked(&coded(&waf, "/", FORM, "gzip", &header), 403);
    assert!(origin.take().is_empty());
    // A body that is stored and not compressed spells what it is.
    let stored = [gzip_with(0, &[], b"x")[..10].to_vec(), {
        let text = HONEST.as_bytes();
        let length = u16::try_from(text.len()).expect("short");
        let whole = encode("gzip", text);
        let sums = &whole[whole.len() - 8..];
        [&[1], length.to_le_bytes().as_slice(), &(!length).to_le_bytes(), text, sums].concat()
    }]
    .concat();
    assert_eq!(coded(&waf, "/", FORM, "gzip", &stored).status, 200);
}

#[test]
fn the_ratio_holds_for_types_that_are_not_inspected() {
    let origin = Origin::start();
    let inspection = "inspection: { decompression_ratio_limit: 10 }";
    let routes = format!(
        "  - upstream: {0}\n    {inspection}\n  - match: {{ paths: [/seen/*] }}\n    upstream: {0}\n    mode: detect_only\n    {inspection}\n",
        origin.url()
    );
    let waf = running::waf(&with_routes(&routes));
    let small = vec![b'a'; 10_000];
    let large = vec![0; 4 << 20];
    let honest: Vec<u8> = (0..60_000_u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    for coding in CODINGS {
        for content_type in
            ["application/octet-stream", "image/png", "application/pdf", "application/x-protobuf"]
        {
            for bomb in [&small, &large] {
                let body = encode(coding, bomb);
                blocked(&coded(&waf, "/", content_type, coding, &body), 403);
                let twice = format!("{coding}, gzip");
                blocked(&coded(&waf, "/", content_type, &twice, &encode("gzip", &body)), 403);
                assert!(origin.take().is_empty(), "{coding} {content_type}");
                assert_eq!(coded(&waf, "/seen/", content_type, coding, &body).status, 200);
                assert_eq!(origin.only().body, body);
            }
            let body = encode(coding, &honest);
            assert_eq!(coded(&waf, "/", content_type, coding, &body).status, 200, "{coding} {content_type}");
            assert_eq!(origin.only().body, body);
        }
    }
    // Behind the part of a text that is inspected, too.
    let text: Vec<u8> = honest.iter().map(|byte| b'a' + byte % 26).collect();
    for coding in CODINGS {
        let body = encode(coding, &[text.as_slice(), &vec![b'a'; 16 << 20]].concat());
        let response = coded(&waf, "/", "text/plain", coding, &body);
        assert_eq!(response.status, 403, "{coding}");
    }
}
