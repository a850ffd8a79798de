//! HTTPS: certificates of the operator's own, who gets which, what is agreed on, and what happens beside it on port 80.

use std::fmt::Write as _;

use bytes::Bytes;
use http_body_util::Empty;
use hyper::client::conn::http2::handshake;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::HandshakeKind;
use waf_tests::contract::{blocked, encode};
use waf_tests::origin::{Authority, Origin};
use waf_tests::polling;
use waf_tests::raw::Request;
use waf_tests::running::{FOLDER, HEALTH, Start, Waf};
use waf_tests::tls::Client;

/// Mode 1 for these hosts.
fn mode_1(hosts: &str, upstream: &str) -> String {
    format!(
        "version: v1alpha1\nhost: [{hosts}]\nhealth_port: {HEALTH}\ndata_dir: {FOLDER}/data\nroutes:\n  - id: shop\n    upstream: {upstream}\n"
    )
}

/// Mode 2: one route for each list of hosts.
fn mode_2(routes: &[(&str, &str)]) -> String {
    let mut text = format!("version: v1alpha1\nhealth_port: {HEALTH}\ndata_dir: {FOLDER}/data\nroutes:\n");
    for (hosts, upstream) in routes {
        let _ = write!(text, "  - match: {{hosts: [{hosts}]}}\n    upstream: {upstream}\n");
    }
    text
}

/// Writes a pair where the operator does, the key first.
fn put(waf: &Waf, file: &str, (chain, key): &(String, String)) {
    let folder = waf.folder().join("data/certs");
    std::fs::create_dir_all(&folder).expect("a folder in the test's folder");
    for (ending, text) in [("key", key), ("pem", chain)] {
        std::fs::write(folder.join(format!("{file}.{ending}")), text).expect("a file in the test's folder");
    }
}

#[test]
fn a_host_is_served_with_the_operators_certificate() {
    let (authority, origin) = (Authority::new("unused.example"), Origin::start());
    let pair = authority.issue(&["shop.example"]);
    let waf =
        Start::new().tls().certificate("shop.example", &pair).run(&mode_1("shop.example", &origin.url()));
    let client = Client::new(&authority, &["h2", "http/1.1"]);
    let http1 = Client::new(&authority, &["http/1.1"]);

    let response = http1.ask(waf.port, "shop.example", "/a?b=c");
    assert_eq!((response.status, response.text().as_str()), (200, "hello"));
    let hsts = response.field("strict-transport-security");
    assert_eq!(hsts, Some("max-age=63072000; includeSubDomains"));
    let forwarded = origin.only();
    assert_eq!(forwarded.target_text(), "/a?b=c");
    for (name, value) in [
        ("Host", "shop.example"),
        ("X-Forwarded-Proto", "https"),
        ("X-Forwarded-Host", "shop.example"),
        ("X-Forwarded-For", "127.0.0.1"),
    ] {
        assert_eq!(forwarded.field(name), Some(value), "{name}");
    }

    let agreed = client.connect(waf.port, "shop.example").expect("a handshake");
    assert_eq!(agreed.stream().conn.alpn_protocol(), Some(&b"h2"[..]));
    assert_eq!(agreed.stream().conn.protocol_version(), Some(rustls::ProtocolVersion::TLSv1_3));

    let attack = http1.ask(waf.port, "shop.example", &format!("/?q={}", encode("1' UNION SELECT 1,2--")));
    blocked(&attack, 403);
    let event = waf.wait_events(1).remove(0);
    assert_eq!(event["http_request"]["url"]["scheme"], "https");
    let url = event["http_request"]["url"]["url_string"].as_str().expect("a URL");
    assert!(url.starts_with("https://shop.example/?q="), "{url}");
    assert_eq!(event["tls"]["version"], "1.3");
    assert_eq!(event["tls"]["sni"], "shop.example");
    assert!(event["tls"]["cipher"].as_str().is_some_and(|name| name.starts_with("TLS_")), "{event}");
    assert_eq!(waf.ask("/readyz").expect("an answer").field("x-waf-certificates-missing"), None);
}

#[test]
fn names_get_their_own_certificate_the_wildcards_or_none() {
    let (authority, one, two) = (Authority::new("unused.example"), Origin::start(), Origin::start());
    let config =
        mode_2(&[("a.example, missing.example", &one.url()), ("'*.b.example', x.b.example", &two.url())]);
    let waf = Start::new()
        .tls()
        .certificate("a.example", &authority.issue(&["a.example"]))
        .certificate("_wildcard.b.example", &authority.issue(&["*.b.example"]))
        .certificate("x.b.example", &authority.issue(&["x.b.example", "extra.example"]))
        .certificate("stranger.example", &authority.issue(&["stranger.example"]))
        .run(&config);
    let client = Client::new(&authority, &["http/1.1"]);
    for (host, origin) in
        [("a.example", &one), ("A.Example", &one), ("x.b.example", &two), ("y.b.example", &two)]
    {
        assert_eq!(client.ask(waf.port, host, "/").status, 200, "{host}");
        assert_eq!(origin.only().field("Host"), Some(host));
    }
    // Not configured, not there, and below what a wildcard of a certificate covers.
    for name in ["missing.example", "stranger.example", "unknown.example", "b.example", "z.y.b.example"] {
        assert_eq!(client.alert(waf.port, name), rustls::AlertDescription::UnrecognisedName, "{name}");
    }
    let ready = waf.ask("/readyz").expect("an answer");
    assert_eq!((ready.status, ready.field("x-waf-certificates-missing")), (200, Some("missing.example")));
    // Without a server name, and with an address in place of one.
    assert_eq!(client.alert(waf.port, "127.0.0.1"), rustls::AlertDescription::UnrecognisedName);

    let ask = |name: &str, host: &str| {
        let mut connection = client.connect(waf.port, name).expect("a handshake");
        connection.exchange(&Request::get("/").host(host)).expect("a response")
    };
    for (name, host, status, error) in [
        // Another of ours over the same connection, as browsers do that see a certificate for both.
        ("y.b.example", "z.b.example:8443", 200, ""),
        ("y.b.example", "X.B.example.", 200, ""),
        ("x.b.example", "x.b.example", 200, ""),
        // One of ours that the certificate does not name.
        ("a.example", "x.b.example", 421, "misdirected"),
        ("a.example", "y.b.example:8443", 421, "misdirected"),
        ("x.b.example", "a.example", 421, "misdirected"),
        ("x.b.example", "y.b.example", 421, "misdirected"),
        ("y.b.example", "z.y.b.example", 421, "misdirected"),
        ("y.b.example", "missing.example", 421, "misdirected"),
        ("a.example", "unknown.example", 421, "misdirected"),
        ("a.example", "b.example", 421, "misdirected"),
    ] {
        let response = ask(name, host);
        assert_eq!(response.status, status, "{name} {host}");
        if status != 200 {
            assert_eq!(response.json()["error"], error, "{name} {host}");
            assert!(!response.closes(), "{name} {host}");
        }
    }
    assert!(waf.events().is_empty(), "{:?}", waf.events());
}

#[tokio::test]
async fn a_reused_http2_connection_serves_what_its_certificate_names() {
    let (authority, origin) = (Authority::new("unused.example"), Origin::start());
    let waf = Start::new()
        .tls()
        .certificate("a.example", &authority.issue(&["a.example", "b.example", "*.c.example"]))
        .certificate("b.example", &authority.issue(&["b.example"]))
        .certificate("_wildcard.c.example", &authority.issue(&["*.c.example"]))
        .certificate("d.example", &authority.issue(&["d.example"]))
        .run(&mode_2(&[("a.example, b.example, '*.c.example', d.example", &origin.url())]));
    let connector = tokio_rustls::TlsConnector::from(Client::new(&authority, &["h2"]).config());
    let tcp = tokio::net::TcpStream::connect(("127.0.0.1", waf.port)).await.expect("a connection");
    let name = rustls::pki_types::ServerName::try_from("a.example").expect("a name");
    let tls = connector.connect(name, tcp).await.expect("a handshake");
    let (mut client, connection) =
        handshake(TokioExecutor::new(), TokioIo::new(tls)).await.expect("HTTP/2 begins");
    tokio::spawn(connection);
    for (host, status) in [
        ("a.example", 200),
        ("b.example", 200),
        ("x.c.example", 200),
        ("d.example", 421),
        ("unknown.example", 421),
        ("y.x.c.example", 421),
        ("a.example", 200),
    ] {
        let request = hyper::Request::get(format!("https://{host}/")).body(Empty::<Bytes>::new());
        let response = client.send_request(request.expect("a request")).await.expect("an answer");
        assert_eq!(response.status().as_u16(), status, "{host}");
    }
}

#[test]
fn port_80_sends_on_and_proxies_nothing() {
    let (authority, origin) = (Authority::new("unused.example"), Origin::start());
    let config = mode_2(&[("a.example, '*.b.example'", &origin.url())]);
    let waf = Start::new().tls().certificate("a.example", &authority.issue(&["a.example"])).run(&config);
    for (request, location) in [
        (Request::get("/x/y?z=1&z=%20").host("a.example"), "https://a.example/x/y?z=1&z=%20"),
        (Request::get("/").host("A.Example:80"), "https://a.example/"),
        (Request::get("//evil.example/..").host("a.example"), "https://a.example//evil.example/.."),
        (Request::get("/").host("x.b.example"), "https://x.b.example/"),
        (Request::get("http://a.example/p").host("a.example"), "https://a.example/p"),
        (Request::new("OPTIONS", "*").host("a.example"), "https://a.example/"),
        (Request::post("/form", "text/plain", "body").host("a.example"), "https://a.example/form"),
        (Request::get("/?q=%3Cscript%3E").host("a.example"), "https://a.example/?q=%3Cscript%3E"),
        (
            Request::get("/.well-known/acme-challenge/x").host("a.example"),
            "https://a.example/.well-known/acme-challenge/x",
        ),
    ] {
        let response = request.to(waf.http);
        assert_eq!((response.status, response.field("location")), (308, Some(location)), "{request:?}");
        assert_eq!(response.field("strict-transport-security"), None, "it says nothing without TLS");
        assert!(response.body.is_empty());
    }
    let target = "x".repeat(9000);
    for (request, status) in [
        (Request::get("/").host("unknown.example"), 404),
        (Request::get("/").host("b.example"), 404),
        (Request::get("/").host("127.0.0.1"), 404),
        (Request::get(format!("/{target}")).host("a.example"), 414),
        (Request::new("CONNECT", "a.example:443").host("a.example"), 405),
        (Request::get("/").host("a.example").field("Host", "a.example"), 400),
    ] {
        assert_eq!(request.to(waf.http).status, status, "{request:?}");
    }
    // The attack is left to HTTPS; what is not HTTP is reported here too.
    assert_eq!(waf.wait_events(3).len(), 3);
    assert!(origin.take().is_empty(), "something was proxied");
    // Plain HTTP on the port of HTTPS ends without an answer.
    assert!(Request::get("/").host("a.example").try_to(waf.port).is_err());
}

#[test]
fn a_session_is_resumed_by_another_worker() {
    let (authority, origin) = (Authority::new("unused.example"), Origin::start());
    let pair = authority.issue(&["shop.example"]);
    let waf = Start::new()
        .tls()
        .argument("--workers=2")
        .certificate("shop.example", &pair)
        .run(&mode_1("shop.example", &origin.url()));
    for versions in [&[&rustls::version::TLS13][..], &[&rustls::version::TLS12]] {
        let client = Client::with_versions(&authority, &["http/1.1"], versions);
        let kind = |waf: &Waf| {
            let mut connection = client.connect(waf.port, "shop.example").expect("a handshake");
            let request = Request::get("/").host("shop.example");
            assert_eq!(connection.exchange(&request).expect("a response").status, 200);
            connection.stream().conn.handshake_kind()
        };
        assert_eq!(kind(&waf), Some(HandshakeKind::Full), "{versions:?}");
        // Either worker may take a connection: of this many, both do.
        for _ in 0..20 {
            assert_eq!(kind(&waf), Some(HandshakeKind::Resumed), "{versions:?}");
        }
        // Every worker of before is gone, and what they made is still good.
        for worker in waf.workers() {
            let restarts = waf.log().iter().filter(|line| line.contains("is started anew")).count();
            waf_tests::running::kill(worker, nix::sys::signal::Signal::SIGKILL);
            polling::until_true("a new worker", || {
                waf.log().iter().filter(|line| line.contains("is started anew")).count() > restarts
            });
        }
        assert_eq!(kind(&waf), Some(HandshakeKind::Resumed), "{versions:?}");
    }
}

#[test]
fn certificates_come_and_change_without_a_reload() {
    let (authority, origin) = (Authority::new("unused.example"), Origin::start());
    let waf = Start::new().tls().run(&mode_1("shop.example, api.example", &origin.url()));
    let missing =
        || waf.ask("/readyz").expect("an answer").field("x-waf-certificates-missing").map(str::to_owned);
    assert_eq!(missing().as_deref(), Some("api.example, shop.example"));
    let client = Client::new(&authority, &["http/1.1"]);
    assert_eq!(client.alert(waf.port, "shop.example"), rustls::AlertDescription::UnrecognisedName);
    let plan = waf.plan();

    put(&waf, "shop.example", &authority.issue(&["shop.example"]));
    polling::until_true("the certificate", || missing().as_deref() == Some("api.example"));
    let mut open = polling::until("a handshake", || client.connect(waf.port, "shop.example").ok());
    let request = Request::get("/").host("shop.example");
    assert_eq!(open.exchange(&request).expect("a response").status, 200);

    // Another authority's certificate takes its place; the connection that is open lives on.
    let other = Authority::new("unused.example");
    put(&waf, "shop.example", &other.issue(&["shop.example"]));
    let new_client = Client::new(&other, &["http/1.1"]);
    polling::until("the new certificate", || new_client.connect(waf.port, "shop.example").ok());
    assert_eq!(open.exchange(&request).expect("a response").status, 200);

    // A broken one changes nothing and is reported.
    std::fs::write(waf.folder().join("data/certs/shop.example.pem"), "nonsense").expect("a file");
    waf.wait_log(&["cannot be used", "shop.example.pem"]);
    assert!(new_client.connect(waf.port, "shop.example").is_ok());
    assert_eq!((missing().as_deref(), waf.plan()), (Some("api.example"), plan));
}

#[test]
fn a_new_host_has_its_certificate_when_its_plan_is_in_force() {
    let (authority, origin) = (Authority::new("unused.example"), Origin::start());
    let waf = Start::new()
        .tls()
        .certificate("a.example", &authority.issue(&["a.example"]))
        .certificate("b.example", &authority.issue(&["b.example"]))
        .run(&mode_1("a.example", &origin.url()));
    let client = Client::new(&authority, &["http/1.1"]);
    let before = waf.plan();
    assert_eq!(client.alert(waf.port, "b.example"), rustls::AlertDescription::UnrecognisedName);
    let mut open = client.connect(waf.port, "a.example").expect("a handshake");
    let mut ask = |host: &str| open.exchange(&Request::get("/").host(host)).expect("a response").status;
    assert_eq!(ask("a.example"), 200);
    waf.reconfigure(&mode_1("b.example", &origin.url()));
    waf.until_replaced(&before);
    assert_eq!(client.ask(waf.port, "b.example", "/").status, 200);
    polling::until_true("the end of the old certificate", || client.connect(waf.port, "a.example").is_err());
    // A connection of before goes on, with what is configured now.
    assert_eq!((ask("a.example"), ask("b.example"), ask("c.example")), (404, 421, 421));
    assert!(waf.log().iter().all(|line| !line.contains("BEGIN")), "a key in the log");
}
