//! Advice: a usual mistake, and the words that lead out of it.

use crate::common::{check, errors, warnings};

fn of_route(field: &str) -> String {
    format!("version: v1alpha1\nroutes:\n  - upstream: http://a\n    {field}\n")
}

fn of_global(field: &str) -> String {
    format!("version: v1alpha1\nglobal:\n  {field}\nroutes:\n  - upstream: http://a\n")
}

fn of_top(field: &str) -> String {
    format!("version: v1alpha1\n{field}\nroutes:\n  - upstream: http://a\n")
}

#[test]
fn protections_under_other_names() {
    for (name, meant) in [
        ("xss", "did you mean `cross-site-scripting`?"),
        ("sqli", "did you mean `sql-injection`?"),
        ("RCE", "did you mean `command-injection`?"),
        ("lfi", "did you mean `local-file-access`?"),
        ("ssrf", "did you mean `outbound-request-forgery`?"),
        ("SQL-Injection", "did you mean `sql-injection`?"),
        ("sql_injection", "did you mean `sql-injection`?"),
        ("942100", "CRS rule; the leaf is `sql-injection-generic`"),
        ("sql-injection-generic/tokens", "the leaf is `sql-injection-generic`"),
        ("X-Frame-Options", "did you mean `response-headers-add-frame-options`?"),
        ("Server", "did you mean `response-headers-remove-server`?"),
    ] {
        for list in ["disable", "enable"] {
            let text = of_route(&format!("{list}: [{name}]"));
            check(&text, &[(4, &["is not a known protection name", meant])]);
        }
    }
    let text = of_global("response_headers: {inject: {Content-Security-Policy: x}}");
    check(&text, &[(3, &["did you mean `response-headers-add-csp`?"])]);
}

#[test]
fn numbers_in_another_spelling() {
    for (field, meant) in [
        ("accept: {max_body_size: 10M}", "did you mean `10MB`?"),
        ("accept: {max_body_size: 10mb}", "did you mean `10MB`?"),
        ("accept: {max_header_size: 16 KiB}", "did you mean `16KB`?"),
        ("upstream_timeout: 30", "did you mean `30s`?"),
        ("upstream_timeout: 30 seconds", "did you mean `30s`?"),
        ("upstream_timeout: 1m30s", "did you mean `90s`?"),
        ("accept: {require_host_header: yes}", "did you mean `true`?"),
        ("mode: detect-only", "did you mean `detect_only`?"),
        ("mode: BLOCKING", "did you mean `blocking`?"),
        ("mode: monitor", "did you mean `detect_only`?"),
        ("mode: DetectionOnly", "did you mean `detect_only`?"),
        ("mode: enforce", "did you mean `blocking`?"),
    ] {
        check(&of_route(field), &[(4, &[meant])]);
    }
}

#[test]
fn variables_are_named_as_such() {
    let said = "variables are not expanded";
    for text in [
        of_top("port: ${PORT}"),
        of_top("port: $PORT"),
        of_top("host: ${HOST}"),
        of_top("audit_log: {format: $FORMAT}"),
        of_global("accept: {max_body_size: '${LIMIT}'}"),
        of_global("disable: ['${OFF}']"),
    ] {
        let found = errors(&text);
        assert!(found.len() == 1 && found[0].contains(said), "{text}{found:?}");
    }
    let found = errors("version: v1alpha1\nroutes:\n  - upstream: http://${HOST}:80\n");
    assert!(found.len() == 1 && found[0].contains(said), "{found:?}");
    let found = warnings(&of_route("match: {paths: ['/${BASE}/x']}"));
    assert!(found.iter().any(|text| text.contains(said)), "{found:?}");
}

#[test]
fn fields_in_the_wrong_place() {
    for (text, line, place) in [
        (of_global("max_body_size: 1MB"), 3, "it belongs in `global.accept`"),
        (of_global("json_depth: 5"), 3, "it belongs in `global.inspection`"),
        (of_top("max_body_size: 1MB"), 2, "it belongs in `global.accept`"),
        (of_top("trusted_proxies: [10.0.0.0/8]"), 2, "the option `--trusted-proxies"),
        (of_global("trusted_proxies: [10.0.0.0/8]"), 3, "the option `--trusted-proxies"),
        (of_top("workers: 4"), 2, "the option `--workers N`"),
        (of_top("tls: {}"), 2, "certificates are automatic"),
        (of_top("backend: http://b"), 2, "each route has its `upstream`"),
        (of_top("listen: 80"), 2, "did you mean `port`?"),
        (of_route("headers: {a: b}"), 4, "did you mean `response_headers`?"),
        (of_route("name: shop"), 4, "did you mean `id`?"),
    ] {
        check(&text, &[(line, &["unknown field", place])]);
    }
    let text = of_route("max_url_length: 600");
    assert!(errors(&text)[0].contains("it belongs in `routes[default].accept`"), "{:?}", errors(&text));
}

#[test]
fn shapes() {
    let text = "version: v1alpha1\nroutes:\n  upstream: http://a\n";
    check(text, &[(3, &["routes must be a list of objects", "begin each route with `- `"])]);
    for (field, list) in [
        ("cors: {allow_origins: '*'}", r#"write it as a list: ["*"]"#),
        ("disable: sql-injection", r#"write it as a list: ["sql-injection"]"#),
        ("accept: {methods: 'GET, POST'}", r#"write it as a list: ["GET", "POST"]"#),
        ("match: {paths: /api}", r#"write it as a list: ["/api"]"#),
    ] {
        assert!(errors(&of_route(field))[0].contains(list), "{field}: {:?}", errors(&of_route(field)));
    }
    check("version: v1alpha1\nroutes: http://a\n", &[(2, &["begin each route with `- `"])]);
    check(
        &of_route("rate_limit: 100"),
        &[(4, &["must be an object", "it has the fields `requests`, `window`"])],
    );
    for (path, meant) in [("api/*", "`/api/*`"), ("^/api", "`/api`"), ("login", "`/login`")] {
        check(&of_route(&format!("match: {{paths: ['{path}']}}")), &[(4, &["must start with `/`", meant])]);
    }
    for (host, meant) in [
        ("https://shop.example", "did you mean `shop.example`?"),
        ("shop.example:8443", "did you mean `shop.example`?"),
        ("http://shop.example/a", "did you mean `shop.example`?"),
    ] {
        check(&of_top(&format!("host: '{host}'")), &[(2, &["is not a valid hostname", meant])]);
    }
    for (upstream, advice) in [
        ("http://a:70000", "its port must be 1-65535"),
        ("localhost:3000", "did you mean `http://localhost:3000`?"),
    ] {
        let text = format!("version: v1alpha1\nroutes:\n  - upstream: {upstream}\n");
        check(&text, &[(3, &["is not a valid", advice])]);
    }
}

#[test]
fn tabs_are_explained() {
    for text in [
        "version: v1alpha1\nport:\t8080\nroutes:\n  - upstream: http://a\n",
        "version: v1alpha1\nroutes:\n  - upstream:\thttp://a\n",
        "version: v1alpha1\nroutes:\n  -\tupstream: http://a\n",
        "version: v1alpha1\nglobal:\n  accept:\n    max_body_size:\t1MB\nroutes:\n  - upstream: http://a\n",
        "version: v1alpha1\nglobal:\n\tmode: blocking\nroutes:\n  - upstream: http://a\n",
    ] {
        let found = errors(text);
        assert!(found.iter().all(|text| text.contains("tab") && text.contains("space")), "{text}{found:#?}");
    }
}

#[test]
fn valid_values_that_are_not_meant() {
    for (field, said) in [
        ("match: {paths: ['/users/{id}']}", "did you mean `/users/*`?"),
        ("match: {paths: ['/orders/:id/items']}", "did you mean `/orders/*/items`?"),
        ("match: {paths: ['/files/{path...}']}", "did you mean `/files/**`?"),
        ("match: {paths: ['/^api/.*$']}", "did you mean `/api/**`?"),
        ("cors: {allow_origins: []}", "no origin is allowed"),
        ("accept: {max_body_size: 50MB}", "multipart.file_size stays 10MB"),
        ("accept: {max_url_length: 65535}", "targets of more than 65534 bytes are always refused"),
    ] {
        let text = of_route(field);
        let found = warnings(&text);
        assert!(errors(&text).is_empty(), "{text}{:?}", errors(&text));
        assert!(found.len() == 1 && found[0].contains(said), "{text}{found:#?}");
    }
    for field in [
        "match: {paths: ['/users/*', '/v1/jobs:run', '/$metadata']}",
        "cors: {allow_origins: ['https://a.example']}",
        "accept: {max_url_length: 65534, max_body_size: 10MB}",
        "accept: {max_body_size: 50MB, content_types: [application/json]}",
    ] {
        assert!(warnings(&of_route(field)).is_empty(), "{field}: {:?}", warnings(&of_route(field)));
    }
    let both = of_route("accept: {max_body_size: 50MB}\n    multipart: {file_size: 50MB}");
    assert!(warnings(&both).is_empty(), "{:?}", warnings(&both));
    let global = of_global("accept: {max_body_size: 50MB}");
    assert!(
        warnings(&global)[0].contains("global.multipart.file_size stays 10MB"),
        "{:?}",
        warnings(&global)
    );
}

#[test]
fn an_upstream_is_another_service() {
    let to =
        |top: &str, upstream: &str| format!("version: v1alpha1\n{top}\nroutes:\n  - upstream: {upstream}\n");
    for (top, upstream) in [
        ("port: 8080", "http://localhost:8080"),
        ("port: 8080", "http://127.0.0.1:8080/app"),
        ("port: 80", "http://127.9.9.9"),
        ("port: 8080", "http://[::1]:8080"),
        ("port: 8080", "http://0.0.0.0:8080"),
        ("health_port: 0", "http://LOCALHOST:8080"),
        ("port: 443", "https://localhost"),
    ] {
        check(&to(top, upstream), &[(4, &["is this service itself"])]);
    }
    let found = warnings(&to("metrics_port: 9091", "http://127.0.0.1:9091"));
    assert!(found.len() == 1 && found[0].contains("is the metrics_port of this service"), "{found:?}");
    for (top, upstream) in [
        ("port: 8080", "http://localhost:3000"),
        ("port: 8080", "http://app:8080"),
        ("port: 8080", "http://10.0.0.1:8080"),
        ("host: shop.example", "http://localhost:8080"),
        ("host: shop.example", "http://shop.example:3000"),
    ] {
        let text = to(top, upstream);
        assert!(errors(&text).is_empty() && warnings(&text).is_empty(), "{text}{:?}", warnings(&text));
    }
    for upstream in ["https://shop.example", "http://127.0.0.1", "https://localhost"] {
        let text = to("host: shop.example", upstream);
        assert!(
            errors(&text).is_empty() && warnings(&text)[0].contains("leads to this service itself"),
            "{text}"
        );
    }
}
