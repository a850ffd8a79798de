//! Hot upgrades of a service with TLS: sessions are resumed, the lock of orders passes on, HTTP/2 connections end in order.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::HandshakeKind;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use waf_tests::origin::{Answer, Authority, Gate, Origin, Received};
use waf_tests::raw::Request;
use waf_tests::running::{FOLDER, HEALTH, Start, Waf};
use waf_tests::tls::Client;
use waf_tests::{polling, ports};

/// For an old process to finish.
const END: Duration = Duration::from_secs(20);

fn tls(origin: &Origin, authority: &Authority) -> Waf {
    let config = format!(
        "version: v1alpha1\nhost: [shop.example, new.example]\nhealth_port: {HEALTH}\ndata_dir: {FOLDER}/data\nroutes:\n  - upstream: {}\n",
        origin.url()
    );
    let pair = authority.issue(&["shop.example"]);
    // The other host's is to be ordered where nobody answers.
    let nobody = format!("https://127.0.0.1:{}/directory", ports::free());
    let start = Start::new().linked().tls().argument("--acme-directory").argument(&nobody);
    start.certificate("shop.example", &pair).run(&config)
}

#[test]
fn sessions_are_resumed_and_the_right_to_order_certificates_passes_on() {
    let (authority, origin) = (Authority::new("unused.example"), Origin::start());
    let mut waf = tls(&origin, &authority);
    let client = Client::new(&authority, &["http/1.1"]);
    let ask = |port: u16| {
        let mut connection = client.connect(port, "shop.example").expect("a handshake");
        let response = connection.exchange(&Request::get("/").host("shop.example")).expect("an answer");
        assert_eq!(response.status, 200);
        connection.stream().conn.handshake_kind()
    };
    assert_eq!(ask(waf.port), Some(HandshakeKind::Full));
    assert_eq!(ask(waf.port), Some(HandshakeKind::Resumed));
    let lock = waf.folder().join("data");
    let holder = || {
        let locks = std::fs::read_to_string("/proc/locks").unwrap_or_default();
        let inode = inode_of_lock(&lock)?;
        let line =
            locks.lines().find(|line| line.contains("FLOCK") && line.contains(&format!(":{inode} ")))?;
        line.split_ascii_whitespace().nth(4)?.parse::<i32>().ok()
    };
    let old = waf.pid();
    polling::until_true("the old process to hold the lock", || holder() == Some(old));
    waf.upgrade().expect("an upgrade");
    for _ in 0..5 {
        assert_eq!(ask(waf.port), Some(HandshakeKind::Resumed), "the keys of tickets were handed over");
    }
    let new = waf.pid();
    polling::until_true("the new process to hold the lock", || holder() == Some(new));
    assert_eq!(waf.wait_exit(END).code(), Some(0));
}

/// The inode of the file named `lock` somewhere below `folder`.
fn inode_of_lock(folder: &std::path::Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).ok()?.flatten() {
            if entry.file_name() == "lock" {
                return entry.metadata().ok().map(|file| file.ino());
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
        }
    }
    None
}

/// An HTTP/2 connection over TLS, and how it ends.
async fn connect(
    port: u16,
    client: &Client,
) -> (SendRequest<Full<Bytes>>, tokio::task::JoinHandle<hyper::Result<()>>) {
    let socket = TcpStream::connect(("127.0.0.1", port)).await.expect("a connection");
    let name = ServerName::try_from("shop.example").expect("a valid name");
    let stream = TlsConnector::from(client.config()).connect(name, socket).await.expect("a handshake");
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let (sender, connection) =
        handshake(TokioExecutor::new(), TokioIo::new(stream)).await.expect("HTTP/2 begins");
    (sender, tokio::spawn(connection))
}

/// A GOAWAY that covers the request: the client may send it again, whatever it is (RFC 9113 section 6.8).
fn says_goodbye(error: &hyper::Error) -> bool {
    let cause = std::error::Error::source(error).and_then(|cause| cause.downcast_ref::<h2::Error>());
    cause.is_some_and(|cause| cause.is_go_away() && cause.reason() == Some(h2::Reason::NO_ERROR))
}

fn http2_request(target: &str) -> hyper::Request<Full<Bytes>> {
    let uri = format!("https://shop.example{target}");
    hyper::Request::get(uri).body(Full::default()).expect("a request")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn http2_over_tls_ends_with_goaway_and_is_not_cut() {
    let gate = Gate::new();
    let closed = gate.clone();
    let authority = Authority::new("unused.example");
    let origin = Origin::answering(move |request| {
        let answer = Answer::ok("hello");
        if request.target_text() == "/slow" { answer.after(&closed) } else { answer }
    });
    let mut waf = tls(&origin, &authority);
    let (port, client) = (waf.port, Arc::new(Client::new(&authority, &["h2"])));
    let (mut slow, slow_end) = connect(port, &client).await;
    let slow_answer = tokio::spawn(slow.send_request(http2_request("/slow")));

    let done = Arc::new(AtomicBool::new(false));
    let clients: Vec<_> = (0..4)
        .map(|number| {
            let (client, done) = (client.clone(), done.clone());
            tokio::spawn(async move {
                let (mut answers, mut connections, mut unsent) = (0, 1, Vec::new());
                let (mut sender, mut end) = connect(port, &client).await;
                while !done.load(Ordering::Relaxed) {
                    if sender.ready().await.is_err() {
                        end.await.expect("it does not panic").expect("the connection ended in order");
                        (sender, end) = connect(port, &client).await;
                        connections += 1;
                        continue;
                    }
                    let target = format!("/{number}/{answers}/{}", unsent.len());
                    match sender.send_request(http2_request(&target)).await {
                        Ok(response) => {
                            assert_eq!(response.status(), 200);
                            let body = response.into_body().collect().await.expect("a whole body").to_bytes();
                            assert_eq!(body, "hello");
                            answers += 1;
                        }
                        // The server asked it to leave between the two calls: this one was never processed.
                        Err(error) if error.is_canceled() || says_goodbye(&error) => unsent.push(target),
                        Err(error) => panic!("a request was cut: {error:?}"),
                    }
                    tokio::time::sleep(Duration::from_millis(2)).await;
                }
                (answers, connections, unsent)
            })
        })
        .collect();
    let blocking = tokio::task::spawn_blocking(move || {
        origin.wait_for(100);
        waf.upgrade().expect("an upgrade");
        origin.wait_for(origin.requests().len() + 100);
        assert!(!slow_answer.is_finished());
        gate.open();
        assert_eq!(waf.wait_exit(END).code(), Some(0));
        done.store(true, Ordering::Relaxed);
        (slow_answer, waf, origin)
    });
    let (slow_answer, _waf, origin) = blocking.await.expect("the upgrade goes well");
    let response = slow_answer.await.expect("it does not panic").expect("what is in flight is finished");
    assert_eq!(response.into_body().collect().await.expect("a whole body").to_bytes(), "hello");
    slow_end.await.expect("it does not panic").expect("the connection ended in order");
    drop(slow);
    let taken: BTreeSet<String> = origin.requests().iter().map(Received::target_text).collect();
    for client in clients {
        let (answers, connections, unsent) = client.await.expect("no request was cut");
        assert!(unsent.len() <= 1 && unsent.iter().all(|target| !taken.contains(target)), "{unsent:?}");
        assert!(answers > 0 && connections == 2, "{answers} answers on {connections} connections");
    }
}
