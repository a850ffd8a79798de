//! What the parsers of bodies refuse, as a client sees it: limits of XML on both sides of their bounds, bodies that two readers
//! would read differently, and the parsers that a route has.

use waf_tests::contract::blocked;
use waf_tests::limit::Limit;
use waf_tests::multipart::CONTENT_TYPE;
use waf_tests::origin::Origin;
use waf_tests::raw::Request;
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
