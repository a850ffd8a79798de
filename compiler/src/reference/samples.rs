//! Samples of configuration for the sections of the reference. Tests validate each.

/// Path of a section, and its sample: a whole file without the lines `version` and, where it says none, `routes`.
const SAMPLES: &[(&str, &str)] = &[
    (
        "",
        "version: v1alpha1
port: 8080
health_port: 9090
metrics_port: 9091
data_dir: /var/lib/waf
routes:
  - upstream: http://127.0.0.1:3000
",
    ),
    (
        "audit_log",
        "audit_log:
  format: ecs
",
    ),
    (
        "tracing",
        "tracing:
  enabled: true
  protocol: grpc
  endpoint: http://collector.internal:4317
  timeout: 5s
",
    ),
    (
        "tracing.service",
        "tracing:
  enabled: true
  endpoint: http://collector.internal:4317
  service:
    name: shop-edge
    namespace: shop
",
    ),
    (
        "global",
        "global:
  mode: detect_only
  disable: [scanner-detection]
  enable: [response-headers-add-csp]
",
    ),
    (
        "global.accept",
        "global:
  accept:
    methods: [GET, HEAD, POST]
    content_types: [application/json, application/x-www-form-urlencoded]
    max_body_size: 2MB
",
    ),
    (
        "global.inspection",
        "global:
  inspection:
    max_inspect_size: 256KB
    evaluation_timeout: 100ms
    json_depth: 32
",
    ),
    (
        "global.multipart",
        "global:
  accept:
    max_body_size: 50MB
  multipart:
    file_limit: 3
    file_size: 20MB
    allowed_types: [image/png, image/jpeg, application/pdf]
",
    ),
    (
        "global.protocol",
        "global:
  protocol:
    slow_request_header_timeout: 5s
    slow_request_min_rate_bps: 2048
",
    ),
    (
        "global.response_headers",
        "global:
  enable: [response-headers-add-csp]
  response_headers:
    inject:
      response-headers-add-csp: default-src 'self'
      response-headers-add-frame-options: SAMEORIGIN
    strip_extra: [X-Internal-Build]
",
    ),
    (
        "global.openapi",
        "global:
  openapi:
    shadow_api_logging: false
",
    ),
    (
        "global.rate_limit",
        "global:
  rate_limit:
    requests: 100
    window: 1m
    source: {type: ip}
",
    ),
    (
        "global.rate_limit.source",
        "global:
  rate_limit:
    requests: 1000
    window: 1h
    source:
      type: header
      key: X-Api-Key
",
    ),
    (
        "global.rate_limit.backend",
        "global:
  rate_limit:
    requests: 100
    window: 1m
    source: {type: ip}
    backend:
      max_keys: 500000
      ttl: 30m
",
    ),
    (
        "routes[]",
        "routes:
  - id: api
    match: {paths: [/api/*]}
    upstream: http://127.0.0.1:4000
    upstream_timeout: 10s
    disable: [sql-injection-sql-comments]
  - id: shop
    upstream: http://127.0.0.1:3000
",
    ),
    (
        "routes[].match",
        "routes:
  - id: shop
    match:
      hosts: [shop.example.com, '*.shop.example.com']
      paths: [/, /products/**]
    upstream: http://127.0.0.1:3000
",
    ),
    (
        "routes[].rewrite",
        "routes:
  - id: api
    match: {paths: [/api/*]}
    upstream: http://127.0.0.1:4000
    rewrite:
      strip_prefix: /api
      add_prefix: /v2
",
    ),
    (
        "routes[].openapi",
        "routes:
  - id: api
    match: {paths: [/api/*]}
    upstream: http://127.0.0.1:4000
    openapi:
      spec: shop.yaml
      disable: [openapi-body-mismatch]
",
    ),
    (
        "routes[].cors",
        "routes:
  - id: api
    upstream: http://127.0.0.1:4000
    cors:
      allow_origins: ['https://shop.example.com']
      allow_methods: [GET, POST]
      allow_headers: [Authorization, Content-Type]
      allow_credentials: true
",
    ),
    (
        "global.error_response",
        "global:
  error_response:
    body: |
      <h1>Request refused</h1>
      <p>Tell us this number: {{.RequestID}} ({{.Timestamp}})</p>
",
    ),
];

/// The sample of a section.
pub(super) fn of(path: &str) -> Option<&'static str> {
    SAMPLES.iter().find(|(section, _)| *section == path).map(|(_, sample)| *sample)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, compile_text};

    /// A file of which the sample is a part.
    fn whole(sample: &str) -> String {
        let version = if sample.starts_with("version:") { "" } else { "version: v1alpha1\n" };
        let routes =
            if sample.contains("routes:") { "" } else { "routes:\n  - upstream: http://127.0.0.1:3000\n" };
        format!("{version}{sample}{routes}")
    }

    #[test]
    fn samples_are_valid_and_without_a_warning() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let document = "openapi: 3.0.3\ninfo: {title: t, version: '1'}\npaths: {}\n";
        std::fs::write(folder.path().join("shop.yaml"), document).expect("a file in the test's folder");
        let options = Options { host_checks: false, ..Options::default() };
        for (path, sample) in SAMPLES {
            let outcome = compile_text("sample", &whole(sample), folder.path(), &options);
            let found = match &outcome {
                Ok(compiled) => &compiled.warnings,
                Err(list) => list,
            };
            let wildcard = |text: &str| text.contains("*.shop.example.com");
            let other: Vec<_> = found.iter().filter(|one| !wildcard(&one.message)).collect();
            assert!(outcome.is_ok() && other.is_empty(), "{path}: {found:#?}");
        }
    }

    #[test]
    fn each_sample_is_shown_with_its_section() {
        let page = crate::reference::configuration();
        for (path, sample) in SAMPLES {
            let last = path.rsplit('.').next().unwrap_or_default().trim_end_matches("[]");
            assert!(sample.contains(last), "{path}");
            assert_eq!(page.matches(&format!("```yaml\n{sample}```")).count(), 1, "{path}");
        }
    }
}
