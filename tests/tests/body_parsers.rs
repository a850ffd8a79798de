//! Refusals by the parsers of bodies, as a client sees them: limits of XML on both sides of their bounds, bodies that two readers
//! would read differently, and the parsers that a route has.

use waf_tests::contract::blocked;
use waf_tests::limit::Limit;
use waf_tests::multipart::CONTENT_TYPE;
use waf_tests::origin::Origin;
use waf_tests::raw::{self, Request};
use waf_tests::running::{self, to_upstream, with_routes};

fn count(value: u64) -> usize {
    usize::try_from(value).expect("test sizes are small")
}

#[test]
fn xml_depth() {
    Limit {
        leaf: "xml-parsing-max-depth",
        status: 403,
        setting: &|depth| format!("inspection: {{ xml_depth: {depth} }}"),
        request: &|target, depth| {
            let depth = count(depth);
            let text = format!("{}text{}", "<a>".repeat(depth), "</a>".repeat(depth));
            Request::post(target, "application/xml", text)
        },
        global: 3,
        route: 30,
    }
    .check();
}

#[test]
fn xml_entities() {
    Limit {
        leaf: "xml-parsing-entity-expansion",
        status: 403,
        setting: &|entities| format!("inspection: {{ xml_entities: {entities} }}"),
        request: &|target, entities| {
            let text = "&e;".repeat(count(entities));
            Request::post(target, "text/xml", format!("<!DOCTYPE a [<!ENTITY e 'x'>]><a>{text}</a>"))
        },
        global: 4,
        route: 200,
    }
    .check();
}

#[test]
fn what_two_readers_read_differently_is_refused() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    let part = |head: &str, content: &str| {
        format!("--between-the-parts\r\n{head}\r\n\r\n{content}\r\n--between-the-parts--\r\n")
    };
    let field = "Content-Disposition: form-data; name=\"a\"";
    let cases = [
        ("application/json", r#"{"a": 1, "\u0061": 2}"#.to_owned(), "http-compliance-malformed-body"),
        ("application/json", "\u{feff}{}".to_owned(), "http-compliance-malformed-body"),
        ("application/json", "{\"a\": 1} // more".to_owned(), "http-compliance-malformed-body"),
        ("text/xml", "<a></b>".to_owned(), "http-compliance-malformed-body"),
        (
            "application/soap+xml",
            "<!DOCTYPE a [<!ENTITY e SYSTEM 'http://intranet.example/'>]><a>&e;</a>".to_owned(),
            "xml-parsing-entity-expansion",
        ),
        (CONTENT_TYPE, part(field, "x").replace("parts--", "parts"), "http-compliance-multipart-boundaries"),
        (CONTENT_TYPE, part(&format!("{field}\r\n{field}"), "x"), "file-upload-attacks-header-tricks"),
        (
            CONTENT_TYPE,
            part(&format!("{field}\r\nContent-Transfer-Encoding: base64"), "eA=="),
            "file-upload-attacks-deprecated-encoding",
        ),
        (
            CONTENT_TYPE,
            part(&format!("{field}\r\nContent-Type: text/plain; charset=utf-7"), "x"),
            "file-upload-attacks-content-type-trick",
        ),
        (
            CONTENT_TYPE,
            part("Content-Disposition: form-data; name=\"_charset_\"", "utf-7"),
            "file-upload-attacks-charset-trick",
        ),
        (
            CONTENT_TYPE,
            part(&format!("{field}; filename=\"setup.exe\""), "x"),
            "file-upload-limits-executable",
        ),
    ];
    for (media_type, body, leaf) in cases {
        let response = Request::post("/", media_type, body).to(waf.port);
        let event = waf.event_of(&blocked(&response, 403));
        assert!(event["waf"]["matched_protections"].to_string().contains(leaf), "{leaf}: {event}");
    }
    assert!(origin.take().is_empty(), "what was refused reached the origin");
    let json = "[\"a JSON document\", 123456789012345678901234567890]";
    assert_eq!(Request::post("/", "application/json", json).to(waf.port).status, 200);
    assert_eq!(Request::post("/", CONTENT_TYPE, part(field, "a value")).to(waf.port).status, 200);
}

#[test]
fn accepted_types_decide_which_parsers_there_are() {
    let origin = Origin::start();
    let routes = format!(
        "  - upstream: {0}\n    accept: {{ content_types: [application/json, text/plain] }}\n    disable: [http-compliance-allowed-content-types]\n    inspection: {{ xml_depth: 1 }}\n\
         \x20 - match: {{ paths: [/all/*] }}\n    upstream: {0}\n    inspection: {{ xml_depth: 1 }}\n",
        origin.url()
    );
    let waf = running::waf(&with_routes(&routes));
    let deep = "<a><b>text</b></a>";
    assert_eq!(Request::post("/", "application/xml", deep).to(waf.port).status, 200);
    assert_eq!(Request::post("/", "application/json", deep).to(waf.port).status, 403);
    assert_eq!(Request::post("/all/", "application/xml", deep).to(waf.port).status, 403);
}

/// An upstream that goes by the content of a body reads it whatever its type says.
#[test]
fn text_under_a_binary_type_is_judged_in_every_framing() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
    let json = "{\"user\": \"1' OR '1'='1' -- -\"}";
    let bodies = [
        json.as_bytes().to_vec(),
        format!("\u{feff}\r\n {json}").into_bytes(),
        wide(json),
        "<user>1&#39; OR &#39;1&#39;=&#39;1&#39; -- -</user>".into(),
        "&user=1%27%20OR%20%271%27=%271%27%20--%20-".into(),
        "<script>alert(document.cookie)</script>".into(),
    ];
    for media_type in [
        "image/png",
        "font/x",
        "application/octet-stream",
        "application/zipjson",
        "application/grpc-web-text",
    ] {
        for body in &bodies {
            let at_once = Request::post("/", media_type, body).to(waf.port);
            let event = waf.event_of(&blocked(&at_once, 403));
            assert!(event["waf"]["not_inspected"].is_null(), "{event}");
            let head = format!(
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: {media_type}\r\nTransfer-Encoding: chunked\r\n\r\n"
            );
            let bytes = body.iter().flat_map(|byte| [b"1\r\n", [*byte].as_slice(), b"\r\n"].concat());
            let message: Vec<u8> = head.into_bytes().into_iter().chain(bytes).chain(*b"0\r\n\r\n").collect();
            blocked(&raw::send(waf.port, message).expect("a response"), 403);
        }
    }
    assert!(origin.take().is_empty(), "what was refused reached the origin");
}

#[test]
fn files_pass_under_their_own_type_and_as_bytes() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    let notes = "# Notes\n\nRun `cat /etc/passwd | sh`, then look for <script>: a=1&b=2\n";
    for (media_type, body) in [
        ("image/png", &b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\x01\0\x08\x02\0\0\0&id=1"[..]),
        ("image/jpeg", b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01"),
        ("application/pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj <</Type/Catalog>> endobj"),
        ("application/zip", b"PK\x03\x04\x14\0\0\0\x08\0\x01\x02\x03\x04"),
        ("application/wasm", b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0"),
        ("application/x-protobuf", b"\x0a\x05alice\x12\x0ba@b.example\x18\x07"),
        ("application/msgpack", b"\x82\xa4user\xa5alice\xa2id\x07"),
        ("application/cbor", b"\xa1duserealice"),
        ("application/grpc-web+proto", b"\0\0\0\0\x07\x0a\x05alice"),
        ("application/octet-stream", b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x4b\x04\0\x43\xbe\xb7\xe8\x01\0\0\0"),
        ("application/octet-stream", b"SQLite format 3\0\x10\0\x01\x01\0\x40\x20\x20"),
        ("application/octet-stream", notes.as_bytes()),
        ("application/octet-stream", b"name,price\nA,1\n"),
        ("application/octet-stream", b"{\"name\": \"a map\", \"points\": [[1.5, 2.5]]}\n{\"name\": \"b\"}\n"),
        ("text/plain", b"\x2d\x4e\x87\x65\x2c\x7b\0\x4e\x48\x51"),
        ("text/plain; charset=shift_jis", b"\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x83\x81\x83\x82"),
        ("text/plain", b"o\0n\0e\0 \0t\0e\0x\0t\0"),
        ("application/json", b"{\0\"\0a\0\"\0:\0\"\0b\0\"\0}\0"),
    ] {
        assert_eq!(Request::post("/", media_type, body).to(waf.port).status, 200, "{media_type}");
        assert_eq!(origin.only().body, body, "{media_type}");
    }
}
