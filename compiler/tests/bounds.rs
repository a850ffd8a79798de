//! Every bound of the specification on both sides, and every default, against the table of fields. Settings that are
//! not part of the specification need no line here.

use serde_json::{Value, json};
use waf_compiler::document;
use waf_compiler::field::{Field, FieldKind};

use crate::common::{compile, errors, plan};

/// Path, a value too small, the smallest, the largest, a value too large, and what the two errors say.
/// An empty text is a side without a bound.
const BOUNDS: &[(&str, [&str; 4], [&str; 2])] = &[
    ("port", ["0", "1", "65535", "65536"], ["1-65535", "1-65535"]),
    ("metrics_port", ["-1", "0", "65535", "65536"], ["0-65535", "0-65535"]),
    ("health_port", ["-1", "0", "65535", "65536"], ["0-65535", "0-65535"]),
    ("accept.max_body_size", ["0", "1", "1GB", "1073741825"], ["> 0", "<= 1GB"]),
    ("accept.max_url_length", ["511", "512", "65536", "65537"], [">= 512", "<= 65536"]),
    ("accept.max_header_size", ["4095B", "4KB", "1MB", "1025KB"], [">= 4KB", "<= 1MB"]),
    ("accept.max_header_count", ["9", "10", "1000", "1001"], [">= 10", "<= 1000"]),
    ("inspection.evaluation_timeout", ["9ms", "10ms", "10h", ""], [">= 10ms", ""]),
    ("inspection.max_inspect_size", ["0KB", "1B", "10MB", "10241KB"], ["> 0", "<= 10MB"]),
    ("inspection.max_memory_buffer", ["-5", "1B", "10MB", "11MB"], ["> 0", "<= 10MB"]),
    ("inspection.decompression_ratio_limit", ["0", "1", "99999999999999999999", ""], [">= 1", ""]),
    ("inspection.json_depth", ["0", "1", "1000", "1001"], [">= 1", "<= 1000"]),
    ("inspection.json_keys", ["0", "1", "100000", "100001"], [">= 1", "<= 100000"]),
    ("inspection.xml_depth", ["0", "1", "1000", "1001"], [">= 1", "<= 1000"]),
    ("inspection.xml_entities", ["-1", "0", "10000", "10001"], [">= 0", "<= 10000"]),
    ("multipart.file_limit", ["0", "1", "1000000", ""], [">= 1", ""]),
    ("multipart.file_size", ["0", "1", "100GB", ""], ["> 0", ""]),
    ("global.protocol.slow_request_header_timeout", ["999ms", "1s", "1h", ""], [">= 1s", ""]),
    ("global.protocol.slow_request_min_rate_bps", ["-1", "0", "1000000", ""], [">= 0", ""]),
    ("global.protocol.http2_max_concurrent_streams", ["0", "1", "1000000", ""], [">= 1", ""]),
    ("global.protocol.http2_max_continuation_frames", ["0", "1", "1000000", ""], [">= 1", ""]),
    ("global.protocol.http2_max_decoded_header_bytes", ["4095", "4096", "1000000", ""], [">= 4096", ""]),
    ("routes[].upstream_timeout", ["999ms", "1s", "600s", "11m"], [">= 1s", "<= 600s"]),
    ("routes[].cors.max_age", ["-1", "0", "86400", "86401"], [">= 0", "<= 86400"]),
    ("rate_limit.requests", ["0", "1", "1000000", ""], [">= 1", ""]),
    ("rate_limit.window", ["999ms", "1s", "24h", ""], [">= 1s", ""]),
    ("rate_limit.backend.max_keys", ["0", "1", "1000000", ""], [">= 1", ""]),
    ("rate_limit.backend.ttl", ["0s", "1s", "24h", ""], [">= 1s", ""]),
    ("tracing.timeout", ["99ms", "100ms", "1h", ""], [">= 100ms", ""]),
];

/// Places of a path of [`BOUNDS`] in a file: shared sections exist under `global` and in a route.
fn places(path: &str) -> Vec<String> {
    let top = path.split('.').next().unwrap_or_default();
    if ["accept", "inspection", "multipart", "rate_limit"].contains(&top) {
        return vec![format!("global.{path}"), format!("routes[].{path}")];
    }
    vec![path.to_owned()]
}

/// A file that sets `path` to `value`; JSON is YAML.
fn with(path: &str, value: &str) -> String {
    let mut document = json!({ "version": "v1alpha1", "routes": [{ "id": "x", "upstream": "http://a" }] });
    let mut node = &mut document;
    for part in path.split('.') {
        if part == "routes[]" {
            node = &mut node["routes"][0];
            continue;
        }
        if part == "rate_limit" {
            node["rate_limit"] = json!({ "requests": 5, "window": "1s", "source": { "type": "ip" } });
        }
        if part == "cors" {
            node["cors"] = json!({ "allow_origins": ["https://a.example"] });
        }
        if node.get(part).is_none() {
            node[part] = json!({});
        }
        node = &mut node[part];
    }
    *node = Value::from("@VALUE@");
    let quoted = serde_json::to_string_pretty(&document).unwrap();
    quoted.replace("\"@VALUE@\"", value)
}

#[test]
fn both_sides_of_every_bound() {
    for (path, [below, min, max, above], [low, high]) in BOUNDS {
        for place in places(path) {
            let shown = place.replace("routes[]", "routes[x]");
            for (value, bound) in
                [(below, low), (above, high)].into_iter().filter(|(value, _)| !value.is_empty())
            {
                let text = with(&place, value);
                let found = errors(&text);
                let expected = format!("{shown} must be {bound}, got {value}");
                let line = text
                    .lines()
                    .position(|line| line.ends_with(value) || line.ends_with(&format!("{value},")));
                let line = line.map_or(0, |index| index + 1);
                assert_eq!(found, [format!("{line}: {expected}")], "{text}");
            }
            for value in [min, max] {
                let text = with(&place, value);
                assert_eq!(errors(&text), [""; 0], "{text}");
            }
        }
    }
}

fn numeric(fields: &[Field], path: &str, out: &mut Vec<(String, Field)>) {
    for field in fields {
        let own = format!("{path}{}", field.name);
        match field.kind {
            FieldKind::Int(_) | FieldKind::Size(_) | FieldKind::Duration(_) => out.push((own, *field)),
            FieldKind::Section(below) => numeric(below, &format!("{own}."), out),
            FieldKind::AtLeastOne(FieldKind::Section(below), _) => numeric(below, &format!("{own}[]."), out),
            _ => {}
        }
    }
}

#[test]
fn numbers_that_the_specification_does_not_list_keep_their_own_bounds() {
    let mut all = Vec::new();
    numeric(document(), "", &mut all);
    let covered: Vec<String> = BOUNDS.iter().flat_map(|(path, _, _)| places(path)).collect();
    for (path, field) in all.iter().filter(|(path, _)| !covered.contains(path)) {
        let Some(bound) = field.kind.bound() else { continue };
        let unit = if matches!(field.kind, FieldKind::Duration(_)) { "ms" } else { "" };
        assert_eq!(errors(&with(path, &format!("{}{unit}", bound.min))), [""; 0], "{path}");
        if bound.min > 0 {
            assert_eq!(errors(&with(path, &format!("{}{unit}", bound.min - 1))).len(), 1, "{path}");
        }
        if bound.max < u64::MAX {
            assert_eq!(errors(&with(path, &format!("{}{unit}", bound.max))), [""; 0], "{path}");
            assert_eq!(errors(&with(path, &format!("{}{unit}", bound.max + 1))).len(), 1, "{path}");
        }
    }
    assert!(covered.iter().all(|path| all.iter().any(|(known, _)| known == path)));
}

/// Default as the specification prints it.
const DEFAULTS: &[(&str, &str)] = &[
    ("port", "8080"),
    ("metrics_port", "0"),
    ("health_port", "0"),
    ("accept.max_body_size", "10MB"),
    ("accept.max_url_length", "8192"),
    ("accept.max_header_size", "16KB"),
    ("accept.max_header_count", "100"),
    ("accept.require_host_header", "true"),
    ("accept.methods", "[GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS]"),
    ("accept.content_types", "[]"),
    ("inspection.evaluation_timeout", "50ms"),
    ("inspection.max_inspect_size", "128KB"),
    ("inspection.max_memory_buffer", "128KB"),
    ("inspection.decompression_ratio_limit", "100"),
    ("inspection.json_depth", "20"),
    ("inspection.json_keys", "1000"),
    ("inspection.xml_depth", "20"),
    ("inspection.xml_entities", "100"),
    ("multipart.file_limit", "10"),
    ("multipart.file_size", "10MB"),
    ("multipart.allowed_types", "[]"),
    ("multipart.double_extension", "true"),
    ("global.mode", "blocking"),
    ("global.protocol.slow_request_header_timeout", "10s"),
    ("global.protocol.slow_request_min_rate_bps", "1024"),
    ("global.protocol.http2_max_concurrent_streams", "100"),
    ("global.protocol.http2_max_continuation_frames", "32"),
    ("global.protocol.http2_max_decoded_header_bytes", "65536"),
    ("global.openapi.shadow_api_logging", "true"),
    ("routes[].upstream_timeout", "30s"),
    ("data_dir", "/data/waf"),
    ("audit_log.format", "ocsf"),
    ("tracing.enabled", "false"),
];

#[test]
fn writing_a_default_changes_nothing() {
    let minimal = plan("{version: v1alpha1, routes: [{id: x, upstream: 'http://a'}]}");
    for (path, default) in DEFAULTS {
        for place in places(path) {
            assert_eq!(plan(&with(&place, default)), minimal, "{place}: {default}");
        }
    }
    let quota = with("global.rate_limit.requests", "5");
    for (path, default) in [
        ("backend.max_keys", "100000"),
        ("backend.ttl", "10m"),
        ("backend.type", "memory"),
        ("source.key", "''"),
    ] {
        let text = with(&format!("global.rate_limit.{path}"), default);
        assert_eq!(plan(&text), plan(&quota), "{path}");
    }
    let cors = with("routes[].cors.max_age", "600");
    for (path, default) in [
        ("allow_methods", "[GET]"),
        ("allow_headers", "[]"),
        ("expose_headers", "[]"),
        ("allow_credentials", "false"),
    ] {
        assert_eq!(plan(&with(&format!("routes[].cors.{path}"), default)), plan(&cors), "{path}");
    }
}

fn leaves(fields: &[Field], path: &str, out: &mut Vec<(String, Field)>) {
    for field in fields {
        let own = format!("{path}{}", field.name);
        match field.kind {
            FieldKind::Section(below) => leaves(below, &format!("{own}."), out),
            FieldKind::AtLeastOne(FieldKind::Section(below), _) => leaves(below, &format!("{own}[]."), out),
            _ => out.push((own, *field)),
        }
    }
}

#[test]
fn the_table_prints_the_defaults_that_hold() {
    let mut all = Vec::new();
    leaves(document(), "", &mut all);
    for (path, default) in DEFAULTS {
        for place in places(path) {
            let (_, field) = all.iter().find(|(own, _)| *own == place).unwrap();
            assert_eq!(&field.default, default, "{place}");
        }
    }
    for (path, field) in &all {
        let needs_siblings = ["tracing.", "routes[].openapi", "routes[].id", "routes[].match"];
        if field.default.is_empty() || needs_siblings.iter().any(|prefix| path.starts_with(prefix)) {
            continue;
        }
        assert!(compile(&with(path, field.default)).is_ok(), "{path}: {}", field.default);
    }
}
