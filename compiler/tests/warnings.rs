//! Warnings, and the help that comes with mistakes: a configuration, and the findings that it must have, by line.

use crate::common::{self, check, errors, warnings};

#[test]
fn all_warnings() {
    let case = |text: &str, expected: &[(u32, &[&str])]| {
        let found = warnings(text);
        common::compare(text, &found, expected);
    };
    // not enforced yet
    case(
        "version: v1alpha1\nmetrics_port: 9090\naudit_log: {format: ecs}\ntracing:\n  enabled: true\nglobal:\n  openapi: {shadow_api_logging: false}\n  rate_limit: {requests: 1, window: 1s, source: {type: ip}}\nroutes:\n  - upstream: http://a\n    cors: {allow_origins: ['*']}\n    enable: [openapi-body-mismatch]\n",
        &[
            (5, &["tracing.endpoint is empty", "OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4317"]),
            (12, &["has no effect"]),
        ],
    );
    case(
        "version: v1alpha1\nmetrics_port: 0\naudit_log: {format: ocsf}\ntracing:\n  enabled: false\nroutes:\n  - upstream: http://a\n",
        &[],
    );
    case(
        "version: v1alpha1\nroutes:\n  - match:\n      hosts: ['*.a.example']\n    upstream: http://a\n",
        &[(4, &["first asked for", "20 new ones an hour", "certs/_wildcard.a.example.pem", "*.a.example"])],
    );
    // rate limits that cannot be kept to the letter
    case(
        "version: v1alpha1\nglobal:\n  rate_limit:\n    requests: 100000000001\n    window: 1m\n    source: {type: ip}\n    backend:\n      max_keys: 10000001\n      ttl: 59s\nroutes:\n  - upstream: http://a\n    rate_limit: {requests: 100000000000, window: 1m, source: {type: ip}, backend: {max_keys: 10000000, ttl: 60s}}\n",
        &[
            (4, &["global.rate_limit.requests: 100000000000 is the largest value in effect"]),
            (8, &["global.rate_limit.backend.max_keys: 10000000 is the largest value in effect"]),
            (9, &["global.rate_limit.backend.ttl is shorter than `window`"]),
        ],
    );
    // paths that differ by case alone
    case(
        "version: v1alpha1\nroutes:\n  - id: a\n    match: {paths: [/admin/*, /V1/x]}\n    upstream: http://a\n  - id: b\n    match: {paths: [/Admin/*]}\n    upstream: http://a\n  - id: c\n    match: {paths: [/ADMIN/users]}\n    upstream: http://a\n  - id: d\n    match: {paths: [/admin/users, /v1/x/y, /Shop/*]}\n    upstream: http://a\n  - id: e\n    match: {paths: [/v1/X, /shop]}\n    upstream: http://a\n  - id: f\n    upstream: http://a\n",
        &[
            (7, &["route `b`: an upstream that ignores case takes `/Admin/*` for `/admin/*` of route `a`"]),
            (10, &["takes `/ADMIN/users` for `/admin/*` of route `a`"]),
            (13, &["takes `/admin/users` for `/Admin/*` of route `b`"]),
            (13, &["takes `/admin/users` for `/ADMIN/users` of route `c`"]),
            (16, &["takes `/v1/X` for `/V1/x` of route `a`"]),
            (16, &["takes `/shop` for `/Shop/*` of route `d`"]),
        ],
    );
    // ties and shadows
    case(
        "version: v1alpha1\nroutes:\n  - id: a\n    match: {paths: [/v1/*]}\n    upstream: http://a\n  - id: b\n    match: {paths: [/v1/*/x, /other]}\n    upstream: http://a\n  - id: c\n    match: {paths: [/v1/*/]}\n    upstream: http://a\n  - id: d\n    upstream: http://a\n  - id: e\n    upstream: http://a\n",
        &[
            (7, &["routes `a` and `b` tie on `/v1/*/x`"]),
            (10, &["route `c` can never match: route `a`"]),
            (14, &["route `e` can never match: route `d`"]),
        ],
    );
    case(
        "version: v1alpha1\nroutes:\n  - match: {paths: [/v1/*/x]}\n    upstream: http://a\n  - match: {paths: [/v1/*/y, /a, /b/**]}\n    upstream: http://a\n  - match: {paths: [/b/*]}\n    upstream: http://a\n",
        &[],
    );
    // toggles and headers without effect
    case(
        "version: v1alpha1\nglobal:\n  disable: [sql]\n  enable: [sql-injection-union-select, response-headers-add-hsts]\n  response_headers:\n    inject:\n      response-headers-add-csp: x\nroutes:\n  - upstream: http://a\n    disable: [sql-injection]\n    response_headers:\n      strip_extra: [Content-Length]\n",
        &[
            (4, &["`response-headers-add-hsts` has no effect"]),
            (7, &["`response-headers-add-csp` is off"]),
            (10, &["`sql-injection` has no effect"]),
            (12, &["`Content-Length` is never stripped"]),
        ],
    );
    // what cannot be disabled, by any name that stands for nothing else
    case(
        "version: v1alpha1\nglobal:\n  disable:\n    - http-compliance-malformed-request-line\n    - http-compliance-http-version\n    - http-compliance-content-length\n    - http-compliance-conflicting-length\n    - http2\nroutes:\n  - upstream: http://a\n    disable: [http-attacks-request-smuggling, sql]\n",
        &[
            (
                4,
                &[
                    "global.disable: `http-compliance-malformed-request-line` has no effect",
                    "cannot be parsed",
                ],
            ),
            (5, &["`http-compliance-http-version` has no effect", "version"]),
            (6, &["`http-compliance-content-length` has no effect", "length is in doubt"]),
            (7, &["`http-compliance-conflicting-length` has no effect", "length is in doubt"]),
            (8, &["`http2` has no effect", "floods"]),
        ],
    );
    case(
        "version: v1alpha1\nroutes:\n  - upstream: http://a\n    disable: [http2-max-streams]\n",
        &[(4, &["disable: `http2-max-streams` has no effect", "floods"])],
    );
    case(
        "version: v1alpha1\nglobal:\n  disable: [http-compliance, http-attacks, request-validation, resource-limits]\nroutes:\n  - upstream: http://a\n",
        &[],
    );
    // what can be deleted all at once: the narrow name rather than the broad one, the later rather than the first
    case(
        "version: v1alpha1\nglobal:\n  disable:\n    - sql\n    - sql-injection\n    - sql-data-leakage\n    - php-injection\n    - php-injection\nroutes:\n  - upstream: http://a\n",
        &[
            (5, &["`sql-injection` has no effect"]),
            (6, &["`sql-data-leakage` has no effect"]),
            (8, &["`php-injection` has no effect"]),
        ],
    );
    // limits, gates, values
    case(
        "version: v1alpha1\nglobal:\n  accept: {max_body_size: 1KB}\n  inspection: {max_inspect_size: 2KB}\nroutes:\n  - upstream: http://a\n    accept: {content_types: [text/html; charset=utf-8], methods: [get, CONNECT]}\n    inspection: {json_keys: 5}\n    rewrite: {path: /x, add_prefix: /y}\n    match: {paths: ['/a?b', /*.pdf]}\n",
        &[
            (4, &["global.inspection.max_inspect_size", "accept.max_body_size"]),
            (7, &["case-sensitive"]),
            (7, &["CONNECT"]),
            (7, &["parameters"]),
            (8, &["json_keys has no effect"]),
            (9, &["add_prefix is ignored"]),
            (10, &["`/a?b` never matches"]),
            (10, &["stands for itself"]),
        ],
    );
}

#[test]
fn mistakes_come_with_their_remedy() {
    let of_route = |field: &str| format!("version: v1alpha1\nroutes:\n  - upstream: http://a\n    {field}\n");
    let one = |text: &str, line: u32, parts: &[&str]| check(text, &[(line, parts)]);
    one(
        "version: v1alpha1\nport: \"8080\"\nroutes: [{upstream: 'http://a'}]\n",
        2,
        &["must be an int, got `8080`", "write it without them"],
    );
    one(
        "version: v1alpha1\nhealth_port: 0\nroutes:\n  - upstream: http://a\n    cors: {allow_origins: ['*'], allow_credentials: 'true'}\n",
        5,
        &["must be a bool", "write it without them"],
    );
    one(&of_route("p\u{200b}ort: 1"), 4, &["`p\\u{200b}ort`"]);
    one(&of_route("mode: |\n      blocking"), 4, &["got `blocking\\n`"]);
    for (field, remedy) in [
        ("port: 1", "at the top"),
        ("path: /x", "match: {hosts: [...], paths: [...]}"),
        ("timeout: 1s", "`upstream_timeout`"),
        ("wholly_unknown: 1", "`upstream`"),
    ] {
        one(&of_route(field), 4, &["unknown field", remedy]);
    }
    check(
        &of_route("openapi: {spec: a.yaml, shadow_api_logging: true}"),
        &[(4, &["only under `global.openapi`"]), (4, &["must exist"])],
    );
    one("version: v1alpha1\nhost: *.example.com\nroutes: []\n", 2, &["not valid YAML", "needs quotes"]);
    one(&of_route("cors: {allow_origins: [*]}"), 4, &["not valid YAML", "needs quotes"]);
    // Nothing that may be a credential is shown.
    let secrets = "version: v1alpha1\ntracing:\n  enabled: true\n  endpoint: http://u:s3cret@c\n  headers:\n    authorization: \"s3cret\\n\"\nroutes:\n  - upstream: http://u:s3cret@a\n";
    let found = errors(secrets);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found.iter().all(|text| !text.contains("s3cret")), "{found:?}");
    // An id is a name.
    one(&of_route(&format!("id: {}", "a".repeat(254))), 4, &["longer than 253 characters"]);
    one(
        &format!("version: v1alpha1\nport: {}\nroutes: [{{upstream: 'http://a'}}]\n", "9".repeat(500)),
        2,
        &["…"],
    );
}
