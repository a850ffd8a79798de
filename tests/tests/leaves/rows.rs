//! Requests that each protection of the data plane refuses by itself. Adding one to the catalog takes a row here.

use waf_tests::coded::encode;

/// The text sixteen times.
macro_rules! repeat {
    ($($text:tt)+) => {
        concat!(
            $($text)+, $($text)+, $($text)+, $($text)+, $($text)+, $($text)+, $($text)+, $($text)+,
            $($text)+, $($text)+, $($text)+, $($text)+, $($text)+, $($text)+, $($text)+, $($text)+,
        )
    };
}

/// One protection, the status that it refuses with, what its route needs, and a request: its lines parted by LF, `{}` for
/// the route's path, a body after an empty line. Host and length are added where they are missing.
pub(crate) struct Row {
    pub(crate) leaf: &'static str,
    pub(crate) status: u16,
    pub(crate) settings: &'static str,
    pub(crate) request: &'static str,
}

const fn row(leaf: &'static str, status: u16, settings: &'static str, request: &'static str) -> Row {
    Row { leaf, status, settings, request }
}

const CONTRACT: &str = "openapi: { spec: orders.yaml }";

pub(crate) const ROWS: &[Row] = &[
    row("http-compliance-malformed-request-line", 400, "", "GET /a b HTTP/1.1"),
    row("http-compliance-malformed-request-line", 400, "", "\tGET / HTTP/1.1"),
    row("http-compliance-content-length", 400, "", "POST {} HTTP/1.1\nContent-Length: 12x"),
    row("http-compliance-content-length", 400, "", "POST {} HTTP/1.1\nContent-Length: +5"),
    row("http-compliance-content-length", 400, "", "POST {} HTTP/1.1\nContent-Length: 5, 6"),
    row(
        "http-compliance-conflicting-length",
        400,
        "",
        "POST {} HTTP/1.1\nContent-Length: 3\nTransfer-Encoding: chunked",
    ),
    row("http-compliance-http-version", 400, "", "GET / HTTP/4.0"),
    row("http-compliance-http-version", 400, "", "GET / HTTP/1.x"),
    row("http-attacks-request-smuggling", 400, "", "POST {} HTTP/1.1\nTransfer-Encoding: xchunked"),
    row("http-compliance-method-override", 403, "", "GET {} HTTP/1.1\nX-HTTP-Method-Override: DELETE"),
    row(
        "http-compliance-method-override",
        403,
        "",
        "POST {} HTTP/1.1\nContent-Length: 0\nX-HTTP-Method: TRACE",
    ),
    row("http-compliance-uri-fragments", 403, "", "GET {}/page#top HTTP/1.1"),
    row("http-compliance-post-without-length", 411, "", "POST {}/login HTTP/1.1"),
    row("http-compliance-post-without-length", 411, "", "PATCH {}/login HTTP/1.1\nContent-Type: text/plain"),
    row(
        "http-compliance-allowed-content-types",
        415,
        "accept: { content_types: [application/json] }",
        "POST {} HTTP/1.1\nContent-Type: text/plain\n\nhello",
    ),
    row(
        "file-upload-limits-max-total-size",
        413,
        "accept: { max_body_size: 1KB }",
        "POST {} HTTP/1.1\nContent-Type: multipart/form-data; boundary=b\nContent-Length: 2000",
    ),
    row(
        "request-validation-max-body-size",
        413,
        "accept: { max_body_size: 1KB }",
        "POST {} HTTP/1.1\nContent-Type: text/plain\nContent-Length: 2000",
    ),
    row(
        "request-validation-max-url-length",
        414,
        "accept: { max_url_length: 512 }",
        concat!("GET {}/?q=", repeat!(repeat!("0123")), " HTTP/1.1"),
    ),
    row(
        "request-validation-max-header-size",
        431,
        "accept: { max_header_size: 4KB }",
        concat!("GET {} HTTP/1.1\nX-A: ", repeat!(repeat!(repeat!("0")))),
    ),
    row(
        "request-validation-max-header-count",
        431,
        "accept: { max_header_count: 10 }",
        concat!("GET {} HTTP/1.1", repeat!("\nX-A: 1")),
    ),
    row("request-validation-allowed-methods", 405, "", "TRACE {}/ HTTP/1.1"),
    row("request-validation-allowed-methods", 405, "", "PROPFIND {}/ HTTP/1.1"),
    row("request-validation-require-host-header", 400, "", "GET {} HTTP/1.1"),
    row("request-validation-require-content-type", 415, "", "POST {} HTTP/1.1\n\nhello"),
    row(
        "resource-limits-max-inspection-size",
        200,
        "inspection: { max_inspect_size: 10 }",
        "POST {} HTTP/1.1\nContent-Type: text/plain\n\nmore than ten bytes",
    ),
    row(
        "resource-limits-decompression-ratio",
        403,
        "",
        "POST {} HTTP/1.1\nContent-Type: text/plain\nContent-Encoding: gzip\n\nbomb",
    ),
    row(
        "resource-limits-evaluation-timeout",
        403,
        "inspection: { evaluation_timeout: 10ms, max_inspect_size: 10MB, max_memory_buffer: 10MB }",
        "POST {} HTTP/1.1\nContent-Type: application/json\nContent-Encoding: gzip\n\nlong",
    ),
    row("openapi-path-not-in-spec", 404, CONTRACT, "GET {}/v1/internal/debug HTTP/1.1"),
    row("openapi-method-not-in-spec", 405, CONTRACT, "DELETE {}/v1/orders HTTP/1.1"),
    row("openapi-parameter-mismatch", 422, CONTRACT, "GET {}/v1/orders?limit=abc HTTP/1.1"),
    row(
        "openapi-body-mismatch",
        422,
        CONTRACT,
        "POST {}/v1/orders HTTP/1.1\nContent-Type: application/json\n\n{\"count\":1}",
    ),
    row(
        "openapi-content-type-not-in-spec",
        415,
        CONTRACT,
        "POST {}/v1/orders HTTP/1.1\nContent-Type: text/xml\n\n<item/>",
    ),
    row("response-inspection-openapi-validation", 502, CONTRACT, "GET {}/v1/orders HTTP/1.1"),
];

/// The body of a row; `bomb` and `long` stand for bodies that a table has no room for.
pub(crate) fn body_of(leaf: &str, body: &str) -> Vec<u8> {
    match (leaf, body) {
        ("resource-limits-decompression-ratio", "bomb") => encode("gzip", &vec![b'a'; 100_000]),
        // Coded it is sent as a whole before the answer comes, however fast the machine is.
        ("resource-limits-evaluation-timeout", "long") => {
            encode("gzip", format!("[{}]", vec!["\"chair\""; 1_000_000].join(",")).as_bytes())
        }
        _ => body.as_bytes().to_vec(),
    }
}

/// A protection that sets or removes a header field of responses.
pub(crate) struct Header {
    pub(crate) leaf: &'static str,
    pub(crate) name: &'static str,
    pub(crate) removed: bool,
}

const fn added(leaf: &'static str, name: &'static str) -> Header {
    Header { leaf, name, removed: false }
}

const fn removed(leaf: &'static str, name: &'static str) -> Header {
    Header { leaf, name, removed: true }
}

pub(crate) const HEADERS: &[Header] = &[
    added("response-headers-add-hsts", "Strict-Transport-Security"),
    added("response-headers-add-csp", "Content-Security-Policy"),
    added("response-headers-add-frame-options", "X-Frame-Options"),
    added("response-headers-add-nosniff", "X-Content-Type-Options"),
    added("response-headers-add-referrer-policy", "Referrer-Policy"),
    added("response-headers-add-dns-prefetch", "X-DNS-Prefetch-Control"),
    added("response-headers-add-coop", "Cross-Origin-Opener-Policy"),
    added("response-headers-add-coep", "Cross-Origin-Embedder-Policy"),
    added("response-headers-add-corp", "Cross-Origin-Resource-Policy"),
    added("response-headers-add-permissions-policy", "Permissions-Policy"),
    added("response-headers-add-cache-control", "Cache-Control"),
    removed("response-headers-remove-server", "Server"),
    removed("response-headers-remove-powered-by", "X-Powered-By"),
    removed("response-headers-remove-aspnet-version", "X-AspNet-Version"),
    removed("response-headers-remove-aspnet-version", "X-AspNetMvc-Version"),
    removed("response-headers-remove-generator", "X-Generator"),
    removed("response-headers-remove-drupal", "X-Drupal-Cache"),
    removed("response-headers-remove-drupal", "X-Drupal-Dynamic-Cache"),
    removed("response-headers-remove-varnish", "X-Varnish"),
    removed("response-headers-remove-via", "Via"),
    removed("response-headers-remove-runtime", "X-Runtime"),
    removed("response-headers-remove-debug", "X-Debug-Token"),
    removed("response-headers-remove-debug", "X-Debug-Token-Link"),
    removed("response-headers-remove-backend-server", "X-Backend-Server"),
    removed("response-headers-remove-version", "X-Version"),
];
