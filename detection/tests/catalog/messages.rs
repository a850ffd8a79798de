//! Messages that a protection refuses alone, for what does not fit into the example of a summary: a limit that is passed,
//! something that is missing, a body.

use waf_shared::catalog::Leaf;

use super::examples::Message;

/// A POST with a body of `content_type`.
fn post(content_type: &str, body: &str) -> Message {
    let length = body.len();
    let head = format!("POST / HTTP/1.1\r\nHost: shop.example\r\nContent-Type: {content_type}\r\n");
    Message::Request(format!("{head}Content-Length: {length}\r\n\r\n{body}").into_bytes())
}

/// A request without a body: its lines, parted by LF.
fn request(lines: &str) -> Message {
    Message::Request(format!("{}\r\n\r\n", lines.replace('\n', "\r\n")).into_bytes())
}

/// A response to `GET /`: its lines and body.
fn response(text: &str) -> Message {
    let request = "GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n".to_owned();
    Message::Response { request, response: text.to_owned() }
}

fn file(name: &str, media_type: &str, content: &str) -> String {
    let head = format!("Content-Disposition: form-data; name=\"f\"; filename=\"{name}\"");
    format!("--b\r\n{head}\r\nContent-Type: {media_type}\r\n\r\n{content}\r\n")
}

/// Requests that each leaf refuses.
pub(crate) fn listed() -> Vec<(Leaf, Message)> {
    let mut rows = bodies();
    rows.extend(heads());
    rows.extend([
        (
            Leaf::ServerDataLeakage5xxBodies,
            response("HTTP/1.1 500 Internal Server Error\r\nContent-Type: text/plain\r\n\r\noops"),
        ),
        (Leaf::ServerDataLeakageCgiSource, response("HTTP/1.1 200 OK\r\n\r\n#!/usr/bin/perl\nuse CGI;\nprint header;")),
        (
            Leaf::WebShellDetection,
            response("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html><head><title>r57shell</title></head></html>"),
        ),
    ]);
    rows
}

fn heads() -> Vec<(Leaf, Message)> {
    let host = "Host: shop.example";
    vec![
        (
            Leaf::HttpComplianceGetWithBody,
            Message::Request(
                format!(
                    "GET / HTTP/1.1\r\n{host}\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nabc"
                )
                .into_bytes(),
            ),
        ),
        (Leaf::HttpCompliancePostWithoutLength, request(&format!("PUT /cart HTTP/1.1\n{host}"))),
        (Leaf::HttpCompliancePostWithoutLength, request(&format!("PATCH /cart HTTP/1.0\n{host}"))),
        (Leaf::HttpComplianceAcceptHeader, request(&format!("GET / HTTP/1.1\n{host}"))),
        (Leaf::HttpComplianceUserAgentHeader, request(&format!("GET / HTTP/1.1\n{host}\nUser-Agent:"))),
    ]
}

fn bodies() -> Vec<(Leaf, Message)> {
    let (json, xml) = ("application/json", "application/xml");
    let multipart = "multipart/form-data; boundary=b";
    let keys = (0..1001).map(|n| format!("\"k{n}\":1")).collect::<Vec<_>>().join(",");
    let files = file("a.txt", "text/plain", "x").repeat(11) + "--b--\r\n";
    let large = file("a.txt", "text/plain", &"x".repeat(65)) + "--b--\r\n";
    let entities = format!("<!DOCTYPE a [<!ENTITY x \"y\">]><a>{}</a>", "&x;".repeat(101));
    let query = |document: &str| post(json, &format!("{{\"query\":\"{document}\"}}"));
    let document = "{\"query\":\"{a}\"}";
    vec![
        (Leaf::GraphqlMaxDepth, query(&format!("{}{{b}}{}", "{a".repeat(50), "}".repeat(50)))),
        (Leaf::GraphqlMaxDepth, query("{...A} fragment A on T {a {...A}}")),
        (Leaf::GraphqlMaxAliases, query(&format!("{{{}}}", "a:b ".repeat(501)))),
        (Leaf::GraphqlMaxFields, query(&format!("{{{}}}", "a ".repeat(5_001)))),
        (Leaf::GraphqlMaxDirectives, query(&format!("{{a {}}}", "@b".repeat(501)))),
        (Leaf::GraphqlMaxBatch, post(json, &format!("[{}{document}]", format!("{document},").repeat(100)))),
        (Leaf::JsonParsingMaxDepth, post(json, &"[".repeat(21))),
        (Leaf::JsonParsingMaxKeys, post(json, &format!("{{{keys}}}"))),
        (Leaf::HttpComplianceMalformedBody, post(xml, "<a><b></a>")),
        (Leaf::XmlParsingMaxDepth, post(xml, &"<a>".repeat(21))),
        (Leaf::XmlParsingEntityExpansion, post(xml, &entities)),
        (
            Leaf::RequestValidationArgumentLimits,
            post("application/x-www-form-urlencoded", &"a=1&".repeat(1001)),
        ),
        (Leaf::HttpComplianceMultipartBoundaries, post(multipart, "--b\r\n\r\nx")),
        (Leaf::FileUploadLimitsMaxFileCount, post(multipart, &files)),
        (Leaf::FileUploadLimitsMaxFileSize, post(multipart, &large)),
    ]
}

/// Messages that no protection refuses, opt-in ones included.
pub(crate) fn ordinary() -> Vec<Message> {
    let fields = "Host: shop.example\nAccept: text/html\nUser-Agent: shop/1.0";
    let form = "application/x-www-form-urlencoded\r\nAccept: text/html\r\nUser-Agent: shop/1.0";
    vec![
        request(&format!("GET /catalog/shoes?size=42&color=red HTTP/1.1\n{fields}")),
        request(&format!("DELETE /cart/1 HTTP/1.1\n{fields}")),
        request(&format!("POST /ping HTTP/1.1\n{fields}\nContent-Length: 0")),
        post(form, "name=Ann&city=Bern"),
        response("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>Shoes</h1><p>Size 42</p>"),
        response("HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n\r\n{\"error\":\"not found\"}"),
    ]
}
