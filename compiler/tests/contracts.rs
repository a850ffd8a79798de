//! The contracts of validation as data: a configuration, and the findings that it must have, by line.
use std::fmt::Write as _;

use crate::common::{check, errors, warnings};

#[test]
fn benign_files_have_no_findings() {
    for text in [
        "version: v1alpha1\nroutes:\n  - upstream: http://app:8080\n",
        "version: v1alpha1\nport: 8080\nhealth_port: 8081\nglobal:\n  mode: detect_only\nroutes:\n  - id: api\n    match:\n      paths: [/v1/*]\n    upstream: https://api.internal:8443/base\n  - id: web\n    upstream: http://web\n",
        "# comment\n---\nversion: \"v1alpha1\"\nport: 0x1F90\nroutes:\n- upstream: http://app\n  rewrite: {strip_prefix: /api, add_prefix: /v2}\n  match: {paths: [/api/*]}\n...\n",
        "version: v1alpha1\nx-unset:\n",
        "version: v1alpha1\nglobal:\n  disable: [sql-injection]\n  enable: [sql-injection-union-select, response-headers-add-csp]\n  response_headers:\n    inject:\n      response-headers-add-csp: default-src 'none'\n    strip_extra: [X-Internal]\nroutes:\n  - upstream: http://app\n    upstream_timeout: 600s\n    accept: {methods: [GET, PURGE], content_types: [application/json]}\n    inspection: {json_depth: 5}\n    error_response:\n      body: |\n        <p>{{.RequestID}} at {{.Timestamp}}</p>\n",
        "version: v1alpha1\nroutes:\n  - &base\n    id: a\n    match: &m {paths: [/a]}\n    upstream: &u http://app\n  - {id: b, match: {paths: [/b]}, upstream: *u}\n",
    ] {
        if text.contains("x-unset") {
            check(text, &[(1, &["routes is required"]), (2, &["unknown field `x-unset`"])]);
            continue;
        }
        let all: Vec<String> = errors(text).into_iter().chain(warnings(text)).collect();
        assert!(all.is_empty(), "{text}\n{all:#?}");
    }
}

/// Table 7.2 and the rules below it.
#[test]
fn conditions() {
    for (text, expected) in [
        // host and port
        (
            "version: v1alpha1\nhost: a.example\nport: 80\nroutes:\n  - upstream: http://a\n",
            &[(3, &["host", "port", "auto-TLS", "plain HTTP"][..])][..],
        ),
        (
            "port: 80\nversion: v1alpha1\nhost:\n  - a.example\nroutes:\n  - upstream: http://a\n",
            &[(3, &["host", "port"])],
        ),
        // host and match.hosts
        (
            "version: v1alpha1\nhost: a.example\nroutes:\n  - id: x\n    match:\n      hosts: [b.example]\n    upstream: http://a\n",
            &[(6, &["host", "match.hosts", "`x`", "shared by all routes", "use one"])],
        ),
        (
            "version: v1alpha1\nroutes:\n  - match: {hosts: [b.example]}\n    upstream: http://a\nhost: a.example\n",
            &[(5, &["match.hosts", "`b-example`"])],
        ),
        // port and match.hosts
        (
            "version: v1alpha1\nport: 80\nroutes:\n  - id: x\n    match: {hosts: [b.example]}\n    upstream: http://a\n",
            &[(5, &["port", "`x`", "`match.hosts` requires auto-TLS"])],
        ),
        // some routes with hosts, some without
        (
            "version: v1alpha1\nroutes:\n  - id: x\n    match: {hosts: [b.example]}\n    upstream: http://a\n  - id: y\n    upstream: http://a\n",
            &[(6, &["`y`", "`x`", "add `match.hosts`", "`host`"])],
        ),
        (
            "version: v1alpha1\nroutes:\n  - id: x\n    match: {hosts: [b.example]}\n    upstream: http://a\n  - id: y\n    match:\n      paths: [/]\n    upstream: http://a\n",
            &[(8, &["`y`", "`x`"])],
        ),
        // the host list
        (
            "version: v1alpha1\nhost: []\nroutes:\n  - upstream: http://a\n",
            &[(2, &["host", "must contain at least one hostname"])],
        ),
        (
            "version: v1alpha1\nhost:\n  - a.example\n  - b.example\n  - A.example.\nroutes:\n  - upstream: http://a\n",
            &[(5, &["a.example", "is listed more than once"])],
        ),
        (
            "version: v1alpha1\nhost: 10.0.0.1\nroutes:\n  - upstream: http://a\n",
            &[(2, &["10.0.0.1", "is not a valid hostname"])],
        ),
        (
            "version: v1alpha1\nhost:\n  - ok.example\n  - '*.b.example'\n  - a_b\n  - [x]\n  -\nroutes:\n  - upstream: http://a\n",
            &[
                (4, &["is not a valid hostname"]),
                (5, &["is not a valid hostname"]),
                (6, &["host must be a string"]),
                (7, &["empty value"]),
            ],
        ),
        // protections
        (
            "version: v1alpha1\nroutes:\n  - id: x\n    upstream: http://a\n    disable:\n      - sql-injection\n      - sql-injectoin\n",
            &[(7, &["sql-injectoin", "routes[x].disable", "did you mean `sql-injection`?"])],
        ),
        (
            "version: v1alpha1\nglobal:\n  enable: [nonsense]\nroutes:\n  - upstream: http://a\n",
            &[(3, &["global.enable: `nonsense` is not a known protection name"])],
        ),
        (
            "version: v1alpha1\nroutes:\n  - upstream: http://a\n    enable: [sql]\n    disable: [php, sql]\n",
            &[(5, &["`sql`", "routes[default].enable", "routes[default].disable"])],
        ),
        // bounds
        (
            "version: v1alpha1\nglobal:\n  accept:\n    max_body_size: 2GB\nroutes:\n  - upstream: http://a\n    upstream_timeout: 11m\n",
            &[
                (4, &["global.accept.max_body_size must be <= 1GB, got 2GB"]),
                (7, &["routes[default].upstream_timeout must be <= 600s, got 11m"]),
            ],
        ),
        // CORS
        (
            "version: v1alpha1\nroutes:\n  - id: x\n    upstream: http://a\n    cors:\n      allow_credentials: true\n      allow_origins: ['*']\n",
            &[(7, &["`x`", "allow_credentials", "allow_origins", "`*`"])],
        ),
        (
            "version: v1alpha1\nroutes:\n  - upstream: http://a\n    cors: {allow_methods: [GET]}\n  - match: {paths: [/b]}\n    upstream: http://a\n    cors:\n      max_age: 1\n      allow_methods: [A B]\n      allow_origins: [https://a.example/]\n",
            &[
                (4, &["routes[default].cors.allow_origins is required"]),
                (9, &["A B", "valid HTTP method"]),
                (10, &["an origin has no path"]),
            ],
        ),
        // multipart
        (
            "version: v1alpha1\nroutes:\n  - id: x\n    upstream: http://a\n    accept: {content_types: [multipart/form-data]}\n    multipart:\n      file_limit: 0\n",
            &[(7, &["routes[x].multipart.file_limit must be >= 1, got 0"])],
        ),
        // ports
        (
            "version: v1alpha1\nport: 9000\nhealth_port: 9000\nmetrics_port: 9000\nroutes:\n  - upstream: http://a\n",
            &[(3, &["health_port must differ from port"]), (4, &["metrics_port must differ from port"])],
        ),
        (
            "version: v1alpha1\nhealth_port: 9000\nport: 9000\nroutes:\n  - upstream: http://a\n",
            &[(3, &["health_port", "port"])],
        ),
        (
            "version: v1alpha1\nhealth_port: 8080\nroutes:\n  - upstream: http://a\n",
            &[(2, &["health_port must differ from port (8080 by default)"])],
        ),
        (
            "version: v1alpha1\nhost: a.example\nhealth_port: 443\nmetrics_port: 80\nroutes:\n  - upstream: http://a\n",
            &[(3, &["health_port", "443"]), (4, &["metrics_port"])],
        ),
        (
            "version: v1alpha1\nport: 70000\nhealth_port: 8080\nroutes:\n  - upstream: http://a\n",
            &[(2, &["port must be 1-65535, got 70000"])],
        ),
        // ids
        (
            "version: v1alpha1\nroutes:\n  - id: A_b\n    upstream: http://a\n  - id: x\n    match: {paths: [/]}\n    upstream: http://a\n  - id: x\n    match: {paths: [/y]}\n    upstream: http://a\n",
            &[(3, &["routes[A_b].id", "^[a-z0-9][a-z0-9-]*$"]), (8, &["`x` is used more than once"])],
        ),
        // openapi
        (
            "version: v1alpha1\nroutes:\n  - upstream: http://a\n    openapi: {strict: true}\n  - match: {paths: [/b]}\n    upstream: http://a\n    openapi:\n      spec: no-such-file.yaml\n      disable: [openapi-body-mismatc, sql-injection]\n",
            &[
                (4, &["routes[default].openapi.spec is required"]),
                (8, &["routes[b].openapi.spec", "no-such-file.yaml"]),
                (9, &["did you mean `openapi-body-mismatch`?"]),
                (9, &["`sql-injection` is not an `openapi-*` leaf name"]),
            ],
        ),
        // rate limits
        (
            "version: v1alpha1\nglobal:\n  rate_limit:\n    requests: 1\n    window: 1s\n    source:\n      type: header\nroutes:\n  - upstream: http://a\n    rate_limit:\n      backend: {type: redis}\n",
            &[
                (7, &["global.rate_limit.source.key is required"]),
                (11, &["routes[default].rate_limit.requests is required"]),
                (11, &["rate_limit.window is required"]),
                (11, &["rate_limit.source is required"]),
                (11, &["backend.type must equal `memory`, got `redis`"]),
            ],
        ),
        (
            "version: v1alpha1\nglobal:\n  rate_limit: {requests: 1, window: 1s, source: {type: header, key: 'a b'}}\nroutes:\n  - upstream: http://a\n    rate_limit: {requests: 1, window: 1s, source: {key: x}}\n",
            &[
                (3, &["global.rate_limit.source.key", "valid HTTP header name"]),
                (6, &["rate_limit.source.type is required"]),
            ],
        ),
    ] {
        check(text, expected);
    }
}

/// Which line an error has, and that a fault is reported once.
#[test]
fn lines_and_shapes() {
    for (text, expected) in [
        ("", &[(1, &["version is required"][..]), (1, &["routes is required"])][..]),
        ("# nothing\n\n", &[(1, &["version is required"]), (1, &["routes is required"])]),
        ("\n# x\nport: 80\n", &[(1, &["version is required"]), (1, &["routes is required"])]),
        (
            "version: v2\nroutes: []\n",
            &[
                (1, &["version must equal `v1alpha1`, got `v2`"]),
                (2, &["routes must contain at least one route"]),
            ],
        ),
        ("version:\nroutes:\n", &[(1, &["version is required"]), (1, &["routes is required"])]),
        ("[]\n", &[(1, &["must be an object, got a list"])]),
        ("version: v1alpha1\nroutes: x\n", &[(2, &["routes must be a list of objects, got `x`"])]),
        (
            "version: v1alpha1\nroutes:\n  - x\n  -\n    id: y\n",
            &[(3, &["must be an object"]), (4, &["routes[y].upstream is required"])],
        ),
        (
            "version: v1alpha1\nroutes:\n  - # why\n\n    # because\n    id: y\n",
            &[(3, &["routes[y].upstream is required"])],
        ),
        (
            "version: v1alpha1\nroutes:\n  - id: y\n    upstream:\n",
            &[(3, &["routes[y].upstream is required"])],
        ),
        (
            "version: v1alpha1\nroutes:\n  - {id: y}\n  - upstream: http://a\n    match: {}\n  - upstream: http://a\n    match:\n  - upstream: http://a\n    match: {paths: [], hosts: []}\n",
            &[
                (3, &["routes[y].upstream is required"]),
                (5, &["at least one of `hosts` or `paths`"]),
                (7, &["at least one of `hosts` or `paths`"]),
                (9, &["at least one"]),
            ],
        ),
        (
            "version: v1alpha1\nroutes:\n  - upstream: http://a\n    match:\n      paths: [a, /ok]\n",
            &[(5, &["routes[a].match.paths: `a` must start with `/`"])],
        ),
        (
            "version: v1alpha1\nroutes:\n  - upstream: http://a\n    match: /x\n  - upstream: http://a\n    match: {hosts: /x}\n",
            &[
                (4, &["routes[default].match must be an object, got `/x`"]),
                (6, &["routes[default-2].match.hosts must be a list of string"]),
            ],
        ),
        // unknown and repeated fields
        (
            "version: v1alpha1\nprot: 80\nroutes:\n  - upstream: http://a\n    acccept: {}\n    protocol: {}\nversion: v1alpha1\n",
            &[
                (2, &["unknown field `prot`", "did you mean `port`?"]),
                (5, &["unknown field `acccept` in routes[default]", "`accept`"]),
                (6, &["unknown field `protocol`", "only under `global`"]),
                (7, &["`version` is given more than once, first on line 1"]),
            ],
        ),
        // types
        (
            "version: v1alpha1\nport: '80'\nhealth_port: 1e3\nroutes:\n  - upstream: http://a\n    mode: Blocking\n    disable: sql\n    accept:\n      require_host_header: yes\n      max_body_size: 1 MB\n      methods: {}\n    inspection: []\n    upstream_timeout: 30\n",
            &[
                (2, &["port must be an int, got `80`"]),
                (3, &["health_port must be an int"]),
                (6, &["mode must be `blocking` or `detect_only`, got `Blocking`"]),
                (7, &["disable must be a list of string"]),
                (9, &["must be a bool"]),
                (10, &["must be a byte size"]),
                (11, &["methods must be a list"]),
                (12, &["inspection must be an object"]),
                (13, &["must be a duration"]),
            ],
        ),
        (
            "version: v1alpha1\nglobal:\n  accept:\n    require_host_header: True\n    content_types: [json, text/html]\nroutes:\n  - upstream: http://a\n    response_headers:\n      strip_extra: ['a b']\n      inject:\n        response-headers-add-scp: x\n        response-headers-add-csp: \"a\\nb\"\n        response-headers-remove-server: x\n",
            &[
                (4, &["must be a bool"]),
                (5, &["`json` is not a valid MIME type"]),
                (9, &["valid HTTP header name"]),
                (11, &["did you mean `response-headers-add-csp`?"]),
                (12, &["valid header value"]),
                (13, &["`response-headers-add-*` name"]),
            ],
        ),
        // upstream, rewrite, templates
        (
            "version: v1alpha1\nroutes:\n  - upstream: http://a?x\n    rewrite:\n      strip_prefix: api\n      add_prefix: '/a b'\n      path: '/x?y'\n    error_response:\n      body: |\n        one\n        {{.Path}}\n",
            &[
                (3, &["routes[default].upstream: `http://a?x` is not a valid", "no query"]),
                (5, &["strip_prefix", "must start with `/`"]),
                (6, &["add_prefix"]),
                (7, &["rewrite.path"]),
                (9, &["{{.Path}}", "only the template fields"]),
            ],
        ),
        // an anchor's fault is reported where it stands, for each use
        (
            "version: v1alpha1\nroutes:\n  - id: x\n    upstream: &u ftp://a\n  - id: y\n    upstream: *u\n",
            &[(4, &["routes[x].upstream"]), (4, &["routes[y].upstream"])],
        ),
        // YAML itself
        ("version: v1alpha1\nroutes:\n  - upstream: \"http\n", &[(3, &["not valid YAML"])]),
        ("version: v1alpha1\n\troutes: 1\n", &[(1, &["not valid YAML"])]),
        ("version: !!str v1alpha1\nroutes:\n  - upstream: http://a\n", &[(1, &["tags are not supported"])]),
        (
            "version: v1alpha1\nroutes:\n  - &r\n    upstream: http://a\n  - <<: *r\n",
            &[(5, &["merge keys"]), (5, &["upstream is required"])],
        ),
        (
            "version: v1alpha1\nroutes:\n  - upstream: http://a\n---\nversion: v1alpha1\n",
            &[(4, &["second document"])],
        ),
        ("version: v1alpha1\nroutes: &r\n  - *r\n", &[(3, &["alias"])]),
        (
            "version: v1alpha1\n? [a]\n: b\nroutes:\n  - upstream: http://a\n",
            &[(2, &["name must be a string"])],
        ),
        // tracing
        (
            "version: v1alpha1\ntracing:\n  protocol: udp\n  timeout: 99ms\n  headers:\n    'a b': c\n    x: \" y\"\n  service: {nam: x}\naudit_log: {format: cef}\nroutes:\n  - upstream: http://a\n",
            &[
                (3, &["tracing.protocol must be `grpc` or `http` or `http/protobuf`"]),
                (4, &["tracing.timeout must be >= 100ms, got 99ms"]),
                (6, &["valid HTTP header name"]),
                (7, &["valid header value"]),
                (8, &["unknown field `nam` in tracing.service", "`name`"]),
                (9, &["audit_log.format must be `ocsf` or `ecs`"]),
            ],
        ),
    ] {
        check(text, expected);
    }
}

#[test]
fn an_alias_bomb_is_refused_before_it_is_expanded() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let below = format!("*a{}", level - 1);
        let _ = writeln!(text, "a{level}: &a{level} [{}]", [below.as_str(); 10].join(", "));
    }
    check(&text, &[(6, &["nodes with its aliases expanded"])]);
    check(&"[".repeat(100_000), &[(1, &[])]);
    check(&"- ".repeat(70), &[(1, &["nested deeper than 64"])]);
}

#[test]
fn files_made_to_be_slow_are_read_in_time() {
    let began = std::time::Instant::now();
    let unknown: Vec<String> = (0..1_000).map(|at| format!("sql-injectoin-{at}")).collect();
    let unknown = unknown.join(", ");
    let mut text = format!("version: v1alpha1\nglobal:\n  disable: &names [{unknown}]\nroutes:\n");
    for _ in 0..100 {
        text.push_str("  - {upstream: 'http://a', disable: *names}\n");
    }
    assert!(errors(&text).len() > 1_000);
    let same = "sql, ".repeat(60_000);
    let text =
        format!("version: v1alpha1\nglobal:\n  disable: [{same}]\nroutes: [{{upstream: 'http://a'}}]\n");
    assert_eq!(warnings(&text).len(), 1);
    assert!(began.elapsed() < std::time::Duration::from_secs(20), "{:?}", began.elapsed());
}

#[test]
fn ten_thousand_wildcard_routes_are_compared_in_time() {
    let shapes: [fn(usize) -> String; 6] = [
        |i| format!("/api/**/r{i}/*"),
        |i| format!("/**/r{i}/**"),
        |i| format!("/*/r{i}/*/z"),
        |i| format!("/*/r{i}/z/*"),
        |i| format!("/**/r{i}/z"),
        |i| format!("/*/*/r{i}/z"),
    ];
    for shape in shapes {
        let mut text = String::from("version: v1alpha1\nroutes:\n");
        for i in 0..10_000 {
            let _ =
                writeln!(text, "  - {{id: r{i}, match: {{paths: ['{}']}}, upstream: 'http://a'}}", shape(i));
        }
        let began = std::time::Instant::now();
        assert_eq!(errors(&text), [""; 0]);
        // Far more than it takes, and less than a comparison of every pair.
        assert!(began.elapsed() < std::time::Duration::from_secs(4), "{}: {:?}", shape(0), began.elapsed());
    }
    let mut text = String::from("version: v1alpha1\nroutes:\n");
    for i in 0..1_000 {
        let _ = writeln!(
            text,
            "  - {{id: r{i}, match: {{hosts: ['*.h{i}.example'], paths: [/api/*/x]}}, upstream: 'http://a'}}"
        );
    }
    assert_eq!(errors(&text), [""; 0]);
}
