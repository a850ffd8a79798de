//! Targets and hosts of every form, and what is taken out of them.

use serde_json::Value;

use super::*;

#[test]
fn every_form_of_target_has_a_path() {
    for (method, target, host, path, query, full) in [
        ("CONNECT", "db.internal:5432", "db.internal:5432", "/", None, Some("db.internal:5432")),
        ("OPTIONS", "*", "a.example", "*", None, Some("*")),
        (
            "GET",
            "http://u:pw@a.example/x?y=1",
            "a.example",
            "/x",
            Some("y=1"),
            Some("http://***@a.example/x?y=1"),
        ),
        ("GET", "http://a.example?y=1", "a.example", "/", Some("y=1"), Some("http://a.example?y=1")),
        ("GET", "no-slash", "a.example", "/no-slash", None, Some("no-slash")),
        ("GET", "/?", "a.example:", "/", Some(""), Some("http://a.example:/?")),
        ("GET", "/http://b/", "my_host", "/http://b/", None, Some("http://192.0.2.10:8080/http://b/")),
    ] {
        let findings = [limit(Leaf::RequestValidationAllowedMethods)];
        let doc = parsed(&Event {
            method: Some(method.as_bytes()),
            target: Some(target.as_bytes()),
            host: Some(host.as_bytes()),
            ..event(Disposition::Blocked, 405, &findings)
        });
        let url = &doc["http_request"]["url"];
        assert_eq!(url["path"], path, "{target}");
        assert_eq!(url.get("query_string").and_then(Value::as_str), query, "{target}");
        assert_eq!(url.get("url_string").and_then(Value::as_str), full, "{target}");
    }
}

#[test]
fn hosts_that_are_no_names_are_kept_as_sent() {
    for (host, name) in [
        ("[2001:db8::1]:80", None),
        ("my_host", None),
        ("", None),
        ("a b", None),
        ("-a.example", None),
        ("A.example.", Some("A.example")),
        ("192.0.2.1:80", Some("192.0.2.1")),
    ] {
        let findings = [limit(Leaf::HttpComplianceHostHeader)];
        let doc =
            parsed(&Event { host: Some(host.as_bytes()), ..event(Disposition::Blocked, 400, &findings) });
        assert_eq!(doc["http_request"]["url"].get("hostname").and_then(Value::as_str), name, "{host}");
        let sent = doc["http_request"].pointer("/http_headers/0/value").and_then(Value::as_str);
        assert_eq!(sent, name.is_none().then_some(host), "{host}");
    }
}

#[test]
fn secrets_do_not_leave() {
    let secret = "hunter2hunter2";
    let target = format!("/a;jsessionid={secret}?user=x&pass%77ord={secret}&next=%2F%3Ftoken%3D{secret}");
    let referer = format!("https://u:{secret}@a.example/p?access_token={secret}#x");
    let excerpt = |place: &'static str, name: &'static [u8], text: &str| Finding {
        place: Cow::Borrowed(place),
        name: Cow::Borrowed(name),
        excerpt: Cow::Owned(text.as_bytes().to_vec()),
        ..union_select()
    };
    let findings = [
        excerpt("ARGS", b"password", &format!("{secret}' OR 1=1")),
        excerpt("COOKIES", b"PHPSESSID", secret),
        excerpt("HEADERS", b"authorization", &format!("Bearer {secret}")),
        excerpt("ARGS", b"cc-number", secret),
        excerpt("BODY", b"", &format!("{{\"client_secret\": \"{secret}\"}} OR 1=1")),
        excerpt("ARGS_NAMES", b"token' OR 1=1", "token' OR 1=1"),
    ];
    let text = line(&Event {
        target: Some(target.as_bytes()),
        referer: Some(referer.as_bytes()),
        ..event(Disposition::Blocked, 403, &findings)
    });
    assert!(!text.contains(secret), "{text}");
    let other = line_as(
        AuditFormat::Ecs,
        &Event {
            target: Some(target.as_bytes()),
            referer: Some(referer.as_bytes()),
            ..event(Disposition::Blocked, 403, &findings)
        },
    );
    assert!(!other.contains(secret), "{other}");
    let doc: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(doc["http_request"]["url"]["path"], "/a;jsessionid=***");
    assert_eq!(doc["http_request"]["url"]["query_string"], "user=x&pass%77ord=***&next=%2F%3Ftoken%3D***");
    assert_eq!(doc["waf"]["matches"][4]["excerpt"], "{\"client_secret\": \"***\"} OR 1=1");
    assert_eq!(doc["waf"]["matches"][5]["excerpt"], "token' OR 1=1");
}
