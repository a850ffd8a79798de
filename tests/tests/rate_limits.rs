//! Rate limits of the running service: the bounds under real concurrency, the answer to a client, what the audit stream
//! says, and that neither a reload nor the death of a worker gives anybody a second quota.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http2::handshake;
use hyper_util::rt::{TokioExecutor, TokioIo};
use nix::sys::signal::Signal;
use tokio::net::TcpStream;
use waf_tests::contract::blocked;
use waf_tests::origin::Origin;
use waf_tests::polling;
use waf_tests::rate_limit::{BY_ADDRESS, BY_KEY, admitted, limit, limited, with_key};
use waf_tests::raw::{Connection, Request};
use waf_tests::running::{self, Start, Waf, kill, with_routes};

/// When a request was sent and when its answer had come: it was judged in between.
type Span = (Instant, Instant);

/// Requests of a flood.
#[derive(Default)]
struct Flood {
    admitted: Vec<Span>,
    refused: Vec<Span>,
}

/// Eight clients that ask without a pause, each on connections of its own.
fn flood(waf: &Waf, time: Duration) -> Flood {
    let end = Instant::now() + time;
    let all = Mutex::new(Flood::default());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let mut mine = Flood::default();
                let mut connection = None;
                while Instant::now() < end {
                    let open = connection.take().map_or_else(|| Connection::open(waf.port), Ok);
                    let sent = Instant::now();
                    let Ok((open, response)) = open.and_then(|mut open| {
                        let response = open.exchange(&Request::get("/"))?;
                        Ok((open, response))
                    }) else {
                        continue;
                    };
                    let spans = if response.status == 200 { &mut mine.admitted } else { &mut mine.refused };
                    spans.push((sent, Instant::now()));
                    // Now and then another connection, so that all workers are met.
                    connection = (open.answered() < 50 && !response.closes()).then_some(open);
                }
                let mut all = all.lock().expect("no client panics");
                all.admitted.extend(mine.admitted);
                all.refused.extend(mine.refused);
            });
        }
    });
    all.into_inner().expect("no client panics")
}

#[test]
fn eight_clients_and_four_workers_keep_the_limit_in_every_sliding_window() {
    const REQUESTS: usize = 200;
    const WINDOW: Duration = Duration::from_secs(2);
    let origin = Origin::start();
    let config = limited(&origin, &limit(REQUESTS as u64, "2s", BY_ADDRESS));
    let waf = Start::new().argument("--workers").argument("4").run(&config);
    assert_eq!(waf.workers().len(), 4);
    let Flood { admitted, refused } = flood(&waf, Duration::from_secs(7));
    // What lies wholly inside a window was admitted in it, however long requests were on their way.
    let inside = |start: Instant| {
        admitted.iter().filter(move |(sent, done)| *sent >= start && *done <= start + WINDOW)
    };
    let most = admitted.iter().map(|(sent, _)| inside(*sent).count()).max().unwrap_or(0);
    // Whoever was refused: what touches the window before was admitted in it, or a little outside of it.
    let touching = |(from, to): &Span| {
        admitted.iter().filter(|(sent, done)| *done + WINDOW >= *from && sent <= to).count()
    };
    let fewest = refused.iter().step_by(1 + refused.len() / 2_000).map(touching).min().unwrap_or(0);
    println!(
        "{} admitted and {} refused; at most {most} in a window, at least {fewest} before a refusal",
        admitted.len(),
        refused.len()
    );
    assert!(most * 100 <= REQUESTS * 101, "{most} in one window");
    assert!(fewest * 100 >= REQUESTS * 98, "refused after {fewest} in a window");
    assert!(
        admitted.len() > 2 * REQUESTS && refused.len() > REQUESTS,
        "the clients asked for more than they got"
    );
}

#[test]
fn a_refused_client_is_told_when_to_come_again_and_is_served_then() {
    let origin = Origin::start();
    let waf = running::waf(&limited(&origin, &limit(3, "2s", BY_ADDRESS)));
    assert_eq!(admitted(&waf, 3, &Request::get("/")), 3);
    let response = Request::get("/?q=%3Cscript%3Ealert(1)%3C/script%3E").to(waf.port);
    blocked(&response, 429);
    let wait: u64 = response.field("Retry-After").expect("the field is sent").parse().expect("whole seconds");
    assert!((1..=2).contains(&wait), "{wait}");
    assert_eq!(response.field("RateLimit-Policy"), Some("\"default\";q=3;w=2"));
    assert_eq!(response.field("RateLimit"), Some(format!("\"default\";r=0;t={wait}").as_str()));
    assert!(!response.closes(), "the connection may be used again");
    polling::hold(Duration::from_secs(wait));
    let served = Request::get("/").to(waf.port);
    assert_eq!(served.status, 200);
    assert!(served.field("RateLimit").is_none() && served.field("Retry-After").is_none());
}

#[test]
fn the_limit_comes_before_the_body_and_before_other_checks() {
    let origin = Origin::start();
    let waf = running::waf(&limited(&origin, &limit(1, "10m", BY_ADDRESS)));
    assert_eq!(admitted(&waf, 1, &Request::get("/")), 1);
    // A body that never comes is not waited for, and the connection ends since it could still come.
    let mut open = Connection::open(waf.port).expect("a connection");
    open.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\n")
        .expect("sent");
    let response = open.response().expect("an answer");
    blocked(&response, 429);
    assert!(response.closes());
    // Neither Host nor method is looked at, but what is not HTTP, or has no route, does not count as a request.
    blocked(&waf_tests::raw::send(waf.port, "GET / HTTP/1.1\r\n\r\n").expect("an answer"), 429);
    blocked(&Request::new("BREW", "/").to(waf.port), 429);
    blocked(
        &waf_tests::raw::send(waf.port, "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n").expect("an answer"),
        400,
    );
}

#[tokio::test]
async fn http2_streams_are_counted_like_requests() {
    let origin = Origin::start();
    let waf = running::waf(&limited(&origin, &limit(2, "10m", BY_ADDRESS)));
    let socket = TcpStream::connect(("127.0.0.1", waf.port)).await.expect("a connection");
    let (mut client, connection) =
        handshake(TokioExecutor::new(), TokioIo::new(socket)).await.expect("HTTP/2 begins");
    tokio::spawn(connection);
    let mut statuses = Vec::new();
    for _ in 0..4 {
        let uri = format!("http://127.0.0.1:{}/", waf.port);
        let request = hyper::Request::post(uri)
            .header("content-type", "text/plain")
            .body(Full::new(Bytes::from_static(b"hello")))
            .expect("a request");
        let response = client.send_request(request).await.expect("an answer on a connection that lives");
        let told = ["retry-after", "ratelimit", "ratelimit-policy"];
        statuses.push((response.status().as_u16(), told.map(|name| response.headers().contains_key(name))));
    }
    assert_eq!(statuses, [(200, [false; 3]), (200, [false; 3]), (429, [true; 3]), (429, [true; 3])]);
    assert_eq!(origin.requests().len(), 2);
}

#[test]
fn keys_are_told_apart_by_header_and_without_one_by_address() {
    let origin = Origin::start();
    let waf = running::waf(&limited(&origin, &limit(2, "10m", BY_KEY)));
    assert_eq!(admitted(&waf, 3, &with_key("alice")), 2);
    assert_eq!(admitted(&waf, 3, &with_key("bob")), 2);
    // None, an empty one, and two of them: the client's address.
    assert_eq!(admitted(&waf, 1, &Request::get("/")), 1);
    assert_eq!(admitted(&waf, 1, &with_key("")), 1);
    assert_eq!(admitted(&waf, 1, &with_key("carol").field("X-Api-Key", "dave")), 0);
    assert_eq!(admitted(&waf, 1, &with_key("carol")), 1);
}

#[test]
fn the_key_cannot_be_hidden_from_the_upstream_or_the_count() {
    let origin = Origin::start();
    let waf = running::waf(&limited(&origin, &limit(3, "10m", BY_KEY)));
    // `Connection` does not take the key out, in any spelling: the upstream sees what was counted.
    for token in ["X-Api-Key", "x-api-key, X-Other", "X_Api_Key"] {
        assert_eq!(with_key("alice").field("Connection", token).to(waf.port).status, 200, "{token}");
        let received = origin.only();
        assert_eq!(received.field("X-Api-Key"), Some("alice"), "{token}");
    }
    assert_eq!(admitted(&waf, 5, &with_key("alice").field("Connection", "X-Api-Key")), 0);
    // A twin would be the key to programs that fold `_` and `-`.
    for twin in ["X_Api_Key", "x-api_key", "X_API_KEY", "X_Api-Key", "x_api-key"] {
        blocked(&with_key(twin).field(twin, "bob").to(waf.port), 403);
    }
    blocked(&Request::get("/").field("X_Api_Key", "bob").to(waf.port), 403);
    let mut trailer = Connection::open(waf.port).expect("a connection");
    trailer
        .send(
            "POST / HTTP/1.1\r\nHost: a\r\nX-Api-Key: carol\r\nContent-Type: text/plain\r\n\
             Transfer-Encoding: chunked\r\n\r\n0\r\nX-Api-Key: dave\r\n\r\n",
        )
        .expect("sent");
    blocked(&trailer.response().expect("an answer"), 400);
    origin.take();
    // Honest twins: other names with underscores, and what `Connection` is for.
    let honest =
        with_key("erin").field("x_api_version", "1").field("X-Hop", "1").field("Connection", "X-Hop");
    assert_eq!(honest.to(waf.port).status, 200);
    let received = origin.only();
    assert_eq!((received.field("x_api_version"), received.field("X-Hop")), (Some("1"), None));
}

#[test]
fn the_spelling_of_the_configuration_is_the_key() {
    let origin = Origin::start();
    let waf = running::waf(&limited(&origin, &limit(2, "10m", "type: header, key: X_Api_Key")));
    assert_eq!(admitted(&waf, 3, &Request::get("/").field("X_API_KEY", "alice")), 2);
    assert_eq!(admitted(&waf, 3, &Request::get("/").field("x_api_key", "bob")), 2);
    blocked(&with_key("carol").to(waf.port), 403);
    let reports = limited(&origin, &limit(2, "10m", BY_KEY)) + "  mode: detect_only\n";
    let waf = running::waf(&reports);
    assert_eq!(admitted(&waf, 2, &Request::get("/").field("X_Api_Key", "dave")), 2);
}

#[test]
fn a_key_that_only_proxies_set_counts_from_them_alone() {
    let origin = Origin::start();
    let config = limited(&origin, &limit(2, "10m", "type: header, key: CF-Connecting-IP"));
    let from = |address: &str| Request::get("/").field("CF-Connecting-IP", address);
    let stranger = Start::new().argument("--trusted-proxies").argument("192.0.2.0/24").run(&config);
    let addresses = ["198.51.100.1", "198.51.100.2", "198.51.100.3", "198.51.100.4"];
    let count = |waf: &Waf| addresses.iter().map(|address| admitted(waf, 1, &from(address))).sum::<usize>();
    assert_eq!(count(&stranger), 2, "whatever a client claims, its address counts");
    let trusted = Start::new().argument("--trusted-proxies").argument("127.0.0.1/32").run(&config);
    assert_eq!(count(&trusted), 4);
}

#[test]
fn a_trusted_proxy_names_the_client_and_ipv6_counts_by_network() {
    let origin = Origin::start();
    let config = limited(&origin, &limit(2, "10m", BY_ADDRESS));
    let waf = Start::new().argument("--trusted-proxies").argument("127.0.0.0/8").run(&config);
    let from = |address: &str| admitted(&waf, 1, &Request::get("/").field("X-Forwarded-For", address));
    assert_eq!(
        [from("2001:db8:1:2::1"), from("2001:db8:1:2:ff::9"), from("2001:db8:1:2:3:4:5:6")],
        [1, 1, 0]
    );
    assert_eq!([from("2001:db8:1:3::1"), from("192.0.2.1"), from("192.0.2.2")], [1, 1, 1]);
    assert_eq!([from("192.0.2.1"), from("192.0.2.1"), from("::ffff:192.0.2.1")], [1, 0, 0]);
}

#[test]
fn an_inherited_limit_counts_each_route_and_an_own_one_replaces_it() {
    let origin = Origin::start();
    let url = origin.url();
    let routes = format!(
        "  - upstream: {url}\n\
         \x20 - match: {{ paths: [/a/*] }}\n    upstream: {url}\n\
         \x20 - match: {{ paths: [/own/*] }}\n    upstream: {url}\n    {}\n",
        limit(4, "10m", BY_KEY)
    );
    let config = format!("{}global:\n  {}\n", with_routes(&routes), limit(2, "10m", BY_ADDRESS));
    let waf = running::waf(&config);
    let on = |path: &str| Request::get(path).field("X-Api-Key", "k");
    assert_eq!(admitted(&waf, 5, &on("/")), 2);
    assert_eq!(admitted(&waf, 5, &on("/a/x")), 2);
    assert_eq!(admitted(&waf, 6, &on("/own/x")), 4);
    assert_eq!(admitted(&waf, 1, &Request::get("/own/x").field("X-Api-Key", "other")), 1);
}

#[test]
fn exactly_the_keys_that_were_used_last_are_kept() {
    let origin = Origin::start();
    let config =
        limited(&origin, &limit(1, "10m", BY_KEY)).replace(" } }\n", " }, backend: { max_keys: 100 } }\n");
    let waf = running::waf(&config);
    let ask = |number: usize| admitted(&waf, 1, &with_key(&format!("key-{number}")));
    assert_eq!((0..100).map(ask).sum::<usize>(), 100);
    assert_eq!((0..100).map(ask).sum::<usize>(), 0, "none of 100 keys is lost");
    assert_eq!((100..110).map(ask).sum::<usize>(), 10);
    assert_eq!((10..110).map(ask).sum::<usize>(), 0, "ten of them made room");
    assert_eq!((0..10).map(ask).sum::<usize>(), 10);
}

#[test]
fn counts_survive_reloads_that_leave_the_limit_and_the_death_of_every_worker() {
    let origin = Origin::start();
    let config = limited(&origin, &limit(5, "10m", BY_KEY));
    let waf = running::waf(&config);
    assert_eq!(admitted(&waf, 4, &with_key("alice")), 4);

    let plan = waf.plan();
    waf.reconfigure(
        &config.replace(
            "routes:\n",
            "routes:\n  - upstream: http://127.0.0.1:1\n    match: { paths: [/new] }\n",
        ),
    );
    waf.until_replaced(&plan);
    assert_eq!(admitted(&waf, 3, &with_key("alice")), 1, "one was left");

    let before: BTreeSet<i32> = waf.workers().into_iter().collect();
    for pid in &before {
        kill(*pid, Signal::SIGKILL);
    }
    polling::until_true("new workers", || {
        let now = waf.workers();
        now.len() == 2 && now.iter().all(|pid| !before.contains(pid))
    });
    assert_eq!(admitted(&waf, 10, &with_key("alice")), 0, "nobody forgot");
    assert_eq!(admitted(&waf, 10, &with_key("bob")), 5);

    let plan = waf.plan();
    waf.reconfigure(&limited(&origin, &limit(6, "10m", BY_KEY)));
    waf.until_replaced(&plan);
    // `/readyz` turns when the plan is in force; a worker has it a moment later.
    assert_eq!(
        polling::until("the new limit", || Some(admitted(&waf, 1, &with_key("carol"))).filter(|n| *n > 0)),
        1
    );
    assert!(admitted(&waf, 10, &with_key("alice")) >= 5, "another limit begins anew");
}
