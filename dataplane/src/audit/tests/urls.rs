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
        ("GET", "/http://b/", "my_host", "/http://b/", None, Some("http://my_host/http://b/")),
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

/// Domain, port and whole URL of the event of a request for `/x` in both formats; OCSF has the host where it is a name.
fn of_host(host: Option<&str>, target: &str) -> [(Option<String>, Option<u64>, Option<String>); 2] {
    let findings = [limit(Leaf::HttpComplianceHostHeader)];
    let event = Event {
        target: Some(target.as_bytes()),
        host: host.map(str::as_bytes),
        ..event(Disposition::Blocked, 400, &findings)
    };
    [
        (AuditFormat::Ecs, "/url", "domain", "full"),
        (AuditFormat::Ocsf, "/http_request/url", "hostname", "url_string"),
    ]
    .map(|(format, place, host, whole)| {
        let doc: Value = serde_json::from_str(&line_as(format, &event)).unwrap();
        let url = doc.pointer(place).unwrap();
        let text = |name: &str| url.get(name).and_then(Value::as_str).map(str::to_owned);
        (text(host), url.get("port").and_then(Value::as_u64), text(whole))
    })
}

#[test]
fn domain_port_and_url_agree_with_the_host_that_was_sent() {
    for (host, domain, name, port, full) in [
        ("a.example", "a.example", true, Some(80), "http://a.example/x"),
        ("a.example:8080", "a.example", true, Some(8080), "http://a.example:8080/x"),
        ("192.0.2.1:81", "192.0.2.1", true, Some(81), "http://192.0.2.1:81/x"),
        ("localhost:1", "localhost", true, Some(1), "http://localhost:1/x"),
        ("[2001:db8::1]", "[2001:db8::1]", false, Some(80), "http://[2001:db8::1]/x"),
        ("[2001:db8::1]:8443", "[2001:db8::1]", false, Some(8443), "http://[2001:db8::1]:8443/x"),
        ("[::ffff:192.0.2.1]:1", "[::ffff:192.0.2.1]", false, Some(1), "http://[::ffff:192.0.2.1]:1/x"),
        ("my_host:8080", "my_host", false, Some(8080), "http://my_host:8080/x"),
        ("2001:db8::1", "2001:db8::1", false, None, "http://2001:db8::1/x"),
        ("a.example:99999", "a.example:99999", false, None, "http://a.example:99999/x"),
        ("a/b:81", "a/b", false, Some(81), "http://a%2Fb:81/x"),
        ("u:hunter2@a.example:81", "***@a.example", false, Some(81), "http://***@a.example:81/x"),
    ] {
        let [ecs, ocsf] = of_host(Some(host), "/x");
        let full = Some(full.to_owned());
        assert_eq!(ecs, (Some(domain.to_owned()), port, full.clone()), "{host}");
        assert_eq!(ocsf, (name.then(|| domain.to_owned()), port, full), "{host}");
    }
    let listener = |[ecs, ocsf]: [(Option<String>, Option<u64>, Option<String>); 2]| {
        let expected = (None, Some(8080), Some("http://192.0.2.10:8080/x".to_owned()));
        assert_eq!((&ecs, &ocsf), (&expected, &expected));
    };
    listener(of_host(None, "/x"));
    listener(of_host(Some(""), "/x"));
    let [ecs, _] = of_host(None, "http://[::1]:81/x");
    assert_eq!(ecs, (Some("[::1]".to_owned()), Some(81), Some("http://[::1]:81/x".to_owned())));
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
    let excerpt = |place: &'static str, name: &'static [u8], text: &str| EventFinding {
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
