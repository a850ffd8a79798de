//! Meaning of a configuration: modes, inheritance, toggles, headers, names, ranks, and the bytes of the plan.

use std::fmt::Write as _;

use waf_shared::catalog::Leaf;
use waf_shared::plan::{
    self, HostPattern, Listen, Mode, Plan, RateLimitSource, Rewrite, Route, Segment, TemplatePart,
};

use crate::common::{compile, plan};

fn route<'a>(plan: &'a Plan, id: &str) -> &'a Route {
    plan.routes.iter().find(|route| route.id.0 == id).unwrap()
}

#[test]
fn modes() {
    let listen = |text: &str| plan(text).listen;
    assert_eq!(listen("{version: v1alpha1, routes: [{upstream: 'http://a'}]}"), Listen::Plain { port: 8080 });
    assert_eq!(
        listen("{version: v1alpha1, host: [B.example., a.example], routes: [{upstream: 'http://a'}]}"),
        Listen::Tls { hosts: vec!["a.example".to_owned(), "b.example".to_owned()] }
    );
    let split = "version: v1alpha1\nroutes:\n  - match: {hosts: [x.example, '*.X.example']}\n    upstream: http://a\n  - match: {hosts: [x.example], paths: [/a]}\n    upstream: http://a\n";
    assert_eq!(listen(split), Listen::Tls { hosts: vec!["*.x.example".to_owned(), "x.example".to_owned()] });
    let split = plan(split);
    let hosts = &split.routes[0].hosts;
    assert_eq!(hosts[1], HostPattern::Subdomains(".x.example".to_owned()));
}

#[test]
fn inheritance() {
    let plan = plan(
        "version: v1alpha1
global:
  mode: detect_only
  disable: [php]
  accept: {methods: [GET, POST], max_body_size: 1MB}
  inspection: {json_depth: 3}
  response_headers:
    inject: {response-headers-add-hsts: g, response-headers-add-nosniff: g}
    strip_extra: [X-One]
  rate_limit: {requests: 1, window: 1s, source: {type: header, key: X-Key}, backend: {ttl: 1m}}
routes:
  - id: plain
    upstream: http://a
  - id: own
    match: {paths: [/own]}
    upstream: http://a
    mode: blocking
    disable: [java-injection]
    accept: {methods: [PUT]}
    inspection: {json_keys: 7}
    response_headers:
      inject: {response-headers-add-hsts: r}
      strip_extra: [X-Two, Server]
    rate_limit: {requests: 9, window: 2s, source: {type: ip}}
",
    );
    let (plain, own) = (route(&plan, "plain"), route(&plan, "own"));
    assert_eq!((plain.settings.mode, own.settings.mode), (Mode::DetectOnly, Mode::Blocking));
    assert_eq!(plan.global.mode, Mode::DetectOnly);
    assert_eq!(plain.settings.accept.methods, ["GET", "POST"]);
    assert_eq!(own.settings.accept.methods, ["PUT"]);
    assert_eq!(own.settings.accept.max_body_size, 1 << 20);
    assert_eq!((own.settings.inspection.json_depth, own.settings.inspection.json_keys), (3, 7));
    assert!(!own.settings.leaves.contains(Leaf::PhpInjectionOpenTags));
    assert!(!own.settings.leaves.contains(Leaf::JavaInjectionLog4shell));
    assert!(plain.settings.leaves.contains(Leaf::JavaInjectionLog4shell));
    let header = |route: &Route, name: &str| -> (String, bool) {
        let found = route.settings.response_headers.add.iter().find(|header| header.name == name).unwrap();
        (found.value.clone(), found.replaces)
    };
    assert_eq!(header(own, "Strict-Transport-Security"), ("r".to_owned(), true));
    assert_eq!(header(own, "X-Content-Type-Options"), ("g".to_owned(), true));
    assert_eq!(header(own, "X-Frame-Options"), ("DENY".to_owned(), false));
    let strip = &own.settings.response_headers.strip;
    assert!(strip.contains(&"x-one".to_owned()) && strip.contains(&"x-two".to_owned()));
    assert_eq!(strip.iter().filter(|name| *name == "server").count(), 1);
    assert!(strip.is_sorted());
    let inherited = plain.rate_limit.as_ref().unwrap();
    assert_eq!(inherited.source, RateLimitSource::Header("x-key".to_owned()));
    assert!(inherited.inherited);
    let replaced = own.rate_limit.as_ref().unwrap();
    assert!(!replaced.inherited);
    assert_eq!((replaced.requests, replaced.ttl), (9, plan::Millis(600_000)));
}

#[test]
fn headers_follow_their_leaves() {
    let plan = plan(
        "version: v1alpha1
routes:
  - upstream: http://a
    disable: [response-headers-remove-debug, response-headers-add-hsts]
    enable: [response-headers-add-csp]
",
    );
    let headers = &plan.routes[0].settings.response_headers;
    let names: Vec<&str> = headers.add.iter().map(|header| header.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "Content-Security-Policy",
            "X-Frame-Options",
            "X-Content-Type-Options",
            "Referrer-Policy",
            "X-DNS-Prefetch-Control"
        ]
    );
    assert_eq!(headers.strip.len(), 12);
    assert!(!headers.strip.iter().any(|name| name.starts_with("x-debug")));
}

#[test]
fn toggles_of_global_and_route() {
    for (global, own, leaf, on) in [
        ("disable: [sql]", "enable: [sql-injection]", Leaf::SqlInjectionUnionSelect, true),
        ("enable: [sql-injection-always-true]", "disable: [sql]", Leaf::SqlInjectionAlwaysTrue, true),
        (
            "disable: [sql-injection-union-select]",
            "enable: [sql, sql-injection]",
            Leaf::SqlInjectionUnionSelect,
            false,
        ),
        (
            "enable: [response-headers-add-coep]",
            "disable: [response-headers-add-coep]",
            Leaf::ResponseHeadersAddCoep,
            false,
        ),
        (
            "disable: [scanner-detection]",
            "enable: [scanner-detection]",
            Leaf::ScannerDetectionUserAgent,
            true,
        ),
        ("disable: [ldap-injection]", "mode: blocking", Leaf::LdapInjection, false),
    ] {
        let text =
            format!("version: v1alpha1\nglobal:\n  {global}\nroutes:\n  - upstream: http://a\n    {own}\n");
        assert_eq!(plan(&text).routes[0].settings.leaves.contains(leaf), on, "{text}");
    }
}

#[test]
fn generated_ids() {
    let ids = |routes: &str| -> Vec<String> {
        let text = format!("version: v1alpha1\nroutes:\n{routes}");
        plan(&text).routes.into_iter().map(|route| route.id.0).collect()
    };
    assert_eq!(
        ids(
            "  - {match: {paths: [/V1/Users/*, /x]}, upstream: 'http://a'}\n  - {match: {paths: [/v1-users]}, upstream: 'http://a'}\n  - {id: v1-users-2, match: {paths: [/a]}, upstream: 'http://a'}\n  - {match: {paths: [/]}, upstream: 'http://a'}\n  - {upstream: 'http://a'}\n  - {id: v1-users-3, match: {paths: [/b]}, upstream: 'http://a'}\n"
        ),
        ["v1-users", "v1-users-4", "v1-users-2", "default", "default-2", "v1-users-3"]
    );
    assert_eq!(
        ids(
            "  - {match: {hosts: ['*.Example.com']}, upstream: 'http://a'}\n  - {match: {hosts: [b.example], paths: [/**]}, upstream: 'http://a'}\n"
        ),
        ["example-com", "b-example"]
    );
    assert_eq!(
        ids(
            "  - {match: {paths: [/a]}, upstream: 'http://a'}\n  - {id: a, match: {paths: [/c]}, upstream: 'http://a'}\n"
        ),
        ["a-2", "a"]
    );
}

#[test]
fn ranks_are_unique_and_ordered() {
    let paths = ["/*", "/v1/**", "/v1/*", "/v1/users/*", "/v1/users/profile", "/**", "/v1/users/*/x"];
    let mut text = "version: v1alpha1\nroutes:\n  - {id: any, upstream: 'http://a'}\n".to_owned();
    for (index, path) in paths.iter().enumerate() {
        let _ = writeln!(text, "  - {{id: r{index}, match: {{paths: ['{path}']}}, upstream: 'http://a'}}");
    }
    let plan = plan(&text);
    let mut ranked: Vec<(u32, &str)> = plan
        .routes
        .iter()
        .flat_map(|route| &route.paths)
        .map(|path| (path.rank, path.text.as_str()))
        .collect();
    ranked.sort_unstable();
    let order: Vec<&str> = ranked.iter().map(|(_, text)| *text).collect();
    let expected = ["/v1/users/profile", "/v1/users/*", "/v1/users/*/x", "/v1/*", "/v1/**", "/*", "/**", ""];
    assert_eq!(order, expected);
    assert!(ranked.iter().map(|(rank, _)| *rank).eq(0..8));
    assert_eq!(route(&plan, "any").paths[0].segments, [Segment::AnyNumber]);
}

#[test]
fn routes_in_full() {
    let plan = plan(
        "version: v1alpha1
data_dir: /var/lib/waf
health_port: 1
metrics_port: 2
global: {openapi: {shadow_api_logging: false}}
tracing: {enabled: true, protocol: http/protobuf, headers: {b: '2', a: 1}, timeout: 2s, service: {namespace: n}}
routes:
  - upstream: https://[::1]:8443/base/
    match: {paths: [/a/]}
    rewrite: {strip_prefix: /a/, add_prefix: /b/}
    cors: {allow_origins: ['https://A.example:443', 'https://b.example'], allow_headers: [X-A]}
    error_response: {body: 'id={{.RequestID}}'}
    disable: [openapi-body-mismatch]
",
    );
    let route = &plan.routes[0];
    assert_eq!((plan.health_port, plan.metrics_port, plan.shadow_api_logging), (Some(1), Some(2), false));
    let tracing = plan.tracing.unwrap();
    assert_eq!(tracing.protocol, plan::OtlpProtocol::Http);
    assert_eq!(tracing.headers, [("a".to_owned(), "1".to_owned()), ("b".to_owned(), "2".to_owned())]);
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert!(tracing.resource.contains(&pair("service.name", "waf")));
    assert!(tracing.resource.contains(&pair("service.namespace", "n")));
    assert_eq!(tracing.collector.authority, "localhost:4318");
    assert_eq!((route.upstream.host.as_str(), route.upstream.authority.as_str()), ("::1", "[::1]:8443"));
    assert_eq!(route.upstream.base_path, "/base");
    assert_eq!(route.rewrite, Rewrite::Prefix { strip: "/a".to_owned(), add: "/b".to_owned() });
    assert_eq!(route.cors.as_ref().unwrap().allow_origins, ["https://a.example", "https://b.example"]);
    let parts = &route.error_response.as_ref().unwrap().parts;
    assert_eq!(parts, &[TemplatePart::Text("id=".to_owned()), TemplatePart::RequestId]);
    assert!(!route.settings.leaves.contains(Leaf::OpenapiBodyMismatch));
}

#[test]
fn a_body_of_refusals_is_the_routes_or_the_global_one() {
    let compiled = compile(
        "version: v1alpha1
global:
  error_response: {body: 'everywhere'}
routes:
  - {id: own, upstream: http://a, match: {paths: [/a]}, error_response: {body: 'here'}}
  - {id: inherits, upstream: http://a, match: {paths: [/b]}}
  - {id: empty, upstream: http://a, match: {paths: [/c]}, error_response: {}}
",
    )
    .unwrap();
    let text = |template: &Option<plan::ErrorTemplate>| match template.as_ref().unwrap().parts.as_slice() {
        [TemplatePart::Text(text)] => text.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(text(&compiled.plan.error_response), "everywhere");
    for (id, expected, line) in
        [("own", "here", 5), ("inherits", "everywhere", 3), ("empty", "everywhere", 3)]
    {
        assert_eq!(text(&route(&compiled.plan, id).error_response), expected, "{id}");
        let shown = compiled.effective(id).unwrap();
        assert!(shown.contains(&format!("body: \"{expected}\" # line {line}")), "{shown}");
    }
    let without = plan("version: v1alpha1\nroutes:\n  - upstream: http://a\n");
    assert!(without.error_response.is_none() && without.routes[0].error_response.is_none());
    let faults = compile(
        "version: v1alpha1\nglobal:\n  error_response: {body: '{{.Path}}'}\nroutes:\n  - upstream: http://a\n",
    );
    assert!(faults.is_err(), "the fields of the template are checked here too");
}

#[test]
fn the_same_inputs_give_the_same_bytes_that_decode_to_the_plan() {
    let text = "version: v1alpha1\nglobal: {disable: [php]}\nroutes:\n  - upstream: http://a\n    match: {paths: [/a/*/b]}\n";
    let (first, second) = (compile(text).unwrap(), compile(text).unwrap());
    assert_eq!((&first.bytes, first.digest), (&second.bytes, second.digest));
    let (decoded, digest) = plan::decode(&first.bytes).unwrap();
    assert_eq!((decoded, digest), (first.plan, first.digest));
    let reordered =
        compile(&text.replace("version: v1alpha1\n", "").replace("routes", "version: v1alpha1\nroutes"))
            .unwrap();
    assert_eq!(reordered.digest, second.digest);
}

#[test]
fn contracts_are_read_digested_and_watched() {
    let dir = tempfile::tempdir().unwrap();
    let spec = dir.path().join("api.yaml");
    let config = dir.path().join("waf.yaml");
    std::fs::write(&config, "version: v1alpha1\nroutes:\n  - upstream: http://a\n    openapi: {spec: api.yaml, disable: [openapi-body-mismatch]}\n").unwrap();
    let options = waf_compiler::Options { host_checks: false, ..waf_compiler::Options::default() };
    let compile = || waf_compiler::compile_file(&config, &options);
    let error = |what: &str| {
        let list = compile().unwrap_err();
        let shown = list.iter().map(ToString::to_string).find(|text| text.contains("openapi.spec")).unwrap();
        assert!(shown.contains(":4: ") && shown.contains(what), "{shown}");
    };
    error("cannot be read");
    for (text, what) in [
        ("openapi: 2.0.0\n", "version"),
        ("swagger: '2.0'\n", "version"),
        ("openapi: 3.0.0\n", "info"),
        ("openapi: 3.0.0\ninfo: {title: x, version: '1'}\n", "paths"),
        ("openapi: [\n", "does not parse"),
    ] {
        std::fs::write(&spec, text).unwrap();
        error(what);
    }
    std::fs::write(&spec, "openapi: 3.1.0\ninfo: {title: x, version: '1'}\npaths: {}\n").unwrap();
    let compiled = compile().unwrap();
    assert_eq!(compiled.files, std::slice::from_ref(&spec));
    assert!(!compiled.plan.routes[0].settings.leaves.contains(Leaf::OpenapiBodyMismatch));
    std::fs::write(&spec, "openapi: 3.1.0\ninfo: {title: x, version: '2'}\npaths: {}\n").unwrap();
    assert_ne!(compile().unwrap().digest, compiled.digest);
}

#[test]
fn host_checks_try_the_data_dir() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "x").unwrap();
    let text = |data_dir: &std::path::Path| {
        format!("version: v1alpha1\ndata_dir: {}\nroutes: [{{upstream: 'http://a'}}]\n", data_dir.display())
    };
    let options = waf_compiler::Options::default();
    let compile =
        |data_dir: &std::path::Path| waf_compiler::compile_text("t", &text(data_dir), dir.path(), &options);
    assert!(compile(&dir.path().join("new/dir")).is_ok());
    let list = compile(&file).unwrap_err();
    assert!(list[0].to_string().starts_with("t:2: data_dir must be writable: "), "{list:?}");
    assert!(crate::common::compile(&text(&file)).is_ok());
}

#[test]
fn effective_names_the_line_of_each_value() {
    let text = "version: v1alpha1
global:
  disable: [sql]
  accept:
    max_body_size: 2MB
routes:
  - id: api
    match:
      paths: [/v1/*]
    upstream: http://a
    enable: [sql-injection-union-select]
    accept:
      methods: [GET]
";
    let compiled = compile(text).unwrap();
    let shown = compiled.effective("api").unwrap();
    for line in [
        "id: \"api\" # line 7",
        "  paths: [\"/v1/*\"] # line 8",
        "upstream_timeout: 30s # default",
        "mode: blocking # default",
        "  methods: [\"GET\"] # line 13",
        "  max_body_size: 2MB # line 5",
        "  max_url_length: 8192 # default",
        "  sql-injection-union-select: on # line 11",
        "  sql-injection-generic: off # line 3",
        "  php-injection-open-tags: on # default",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line}\n{shown}");
    }
    let yaml: serde_yaml::Value = serde_yaml::from_str(&shown).unwrap();
    assert_eq!(yaml["accept"]["max_body_size"], "2MB");
    assert!(compiled.effective("nothing").is_none());
    assert_eq!(compiled.closest_route("apj"), Some("api"));
}
