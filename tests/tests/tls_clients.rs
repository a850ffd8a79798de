//! HTTPS as clients that are not ours see it: an HTTP/2 library, `curl`, a browser.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http2::handshake;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::ServerName;
use sha2::{Digest as _, Sha256};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use waf_tests::contract::encode;
use waf_tests::origin::{Answer, Authority, Origin};
use waf_tests::polling;
use waf_tests::running::{FOLDER, HEALTH, Start, Waf};
use waf_tests::tls::Client;

const HOST: &str = "shop.example";
const MIB: usize = 1 << 20;

fn waf(pair: &(String, String), origin: &Origin) -> Waf {
    let config = format!(
        "version: v1alpha1\nhost: {HOST}\nhealth_port: {HEALTH}\ndata_dir: {FOLDER}/data\nroutes:\n  - upstream: {}\n",
        origin.url()
    );
    Start::new().tls().certificate(HOST, pair).run(&config)
}

#[tokio::test]
async fn http2_over_tls() {
    let authority = Authority::new("unused.example");
    let origin = Origin::answering(|request| match request.target_text().as_str() {
        "/large" => Answer::new(200, &[("Content-Type", "application/octet-stream")], vec![b'x'; 4 * MIB]),
        _ => Answer::ok(format!("{} bytes", request.body.len())),
    });
    let waf = waf(&authority.issue(&[HOST]), &origin);
    let connector = TlsConnector::from(Client::new(&authority, &["h2"]).config());
    let socket = TcpStream::connect(("127.0.0.1", waf.port)).await.expect("a connection");
    let name = ServerName::try_from(HOST).expect("a valid name");
    let stream = connector.connect(name, socket).await.expect("a handshake");
    let (mut client, connection) =
        handshake(TokioExecutor::new(), TokioIo::new(stream)).await.expect("HTTP/2 begins");
    tokio::spawn(connection);
    let request = |target: &str, body: Vec<u8>| {
        hyper::Request::builder()
            .method(if body.is_empty() { "GET" } else { "POST" })
            .uri(format!("https://{HOST}{target}"))
            .header("content-type", "text/plain")
            .body(Full::new(Bytes::from(body)))
            .expect("a request")
    };
    let attack = format!("/?q={}", encode("1' UNION SELECT 1,2--"));
    for (target, sent, status, received) in [
        ("/large", Vec::new(), 200, 4 * MIB),
        ("/upload", vec![b'y'; 3 * MIB], 200, "3145728 bytes".len()),
        (attack.as_str(), Vec::new(), 403, 0),
        ("/after", Vec::new(), 200, "0 bytes".len()),
    ] {
        let exchange = async {
            let response = client.send_request(request(target, sent)).await.expect("an answer");
            let got = response.status();
            (got, response.into_body().collect().await.expect("a whole body").to_bytes().len())
        };
        let (got, length) = tokio::time::timeout(polling::PATIENCE, exchange).await.expect("an end");
        assert_eq!(got, status, "{target}");
        assert!(status == 403 || length == received, "{target}: {length} bytes");
    }
    let forwarded = origin.take();
    assert_eq!(forwarded.len(), 3);
    assert!(forwarded.iter().all(|request| request.field("X-Forwarded-Proto") == Some("https")));
    let event = waf.wait_events(1).remove(0);
    assert_eq!(event["http_request"]["version"], "HTTP/2");
    assert_eq!((&event["tls"]["version"], &event["tls"]["sni"]), (&"1.3".into(), &HOST.into()));
}

#[test]
fn curl_loads_a_page() {
    let curl = Path::new("/usr/bin/curl");
    if !curl.is_file() {
        eprintln!("LEFT OUT: there is no /usr/bin/curl");
        return;
    }
    let (authority, origin) = (Authority::new("unused.example"), Origin::start());
    let waf = waf(&authority.issue(&[HOST]), &origin);
    let root = waf.folder().join("root.pem");
    std::fs::write(&root, &authority.root_pem).expect("a file in the test's folder");
    let run = |arguments: &[&str], url: &str| {
        let output = Command::new(curl)
            .args(["--silent", "--show-error", "--max-time", "20", "--cacert"])
            .arg(&root)
            .args(["--resolve", &format!("{HOST}:{}:127.0.0.1", waf.port)])
            .args(["--resolve", &format!("other.example:{}:127.0.0.1", waf.port)])
            .args(["--write-out", " %{http_version} %{response_code} %{ssl_verify_result}"])
            .args(arguments)
            .arg(url)
            .output()
            .expect("curl can be started");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let url = format!("https://{HOST}:{}/", waf.port);
    for (arguments, expected) in [
        (&["--http2"][..], "hello 2 200 0"),
        (&["--http1.1"], "hello 1.1 200 0"),
        (&["--tlsv1.3", "--tls-max", "1.3"], "hello 2 200 0"),
        (&["--tlsv1.2", "--tls-max", "1.2"], "hello 2 200 0"),
    ] {
        assert_eq!(run(arguments, &url), (Some(0), expected.to_owned()), "{arguments:?}");
    }
    // CURLE_SSL_CONNECT_ERROR
    let (code, _) = run(&[], &format!("https://other.example:{}/", waf.port));
    assert_eq!(code, Some(35));
}

#[test]
fn a_browser_loads_a_page() {
    let chromium = Path::new("/usr/bin/chromium");
    if !chromium.is_file() {
        eprintln!("LEFT OUT: there is no /usr/bin/chromium, so no browser was asked");
        return;
    }
    let authority = Authority::new("unused.example");
    let page = "<!doctype html><body>waiting<script src=\"/script.js\"></script>";
    let script = "const entry = performance.getEntriesByType('resource')[0];\
        document.body.textContent = `RESULT ${location.protocol} ${isSecureContext} ${entry.nextHopProtocol} END`;";
    let origin = Origin::answering(move |request| match request.target_text().as_str() {
        "/script.js" => Answer::new(200, &[("Content-Type", "text/javascript")], script),
        _ => Answer::new(200, &[("Content-Type", "text/html")], page),
    });
    let pair = authority.issue(&[HOST]);
    let waf = waf(&pair, &origin);
    // A browser keeps its own list of authorities: this key alone is believed beside them.
    let key = rcgen::KeyPair::from_pem(&pair.1).expect("a key in PEM");
    let pin = STANDARD.encode(Sha256::digest(rcgen::PublicKeyData::subject_public_key_info(&key)));
    let profile = tempfile::tempdir().expect("a folder for the browser");
    let dom = tempfile::NamedTempFile::new().expect("a file for the page");
    let mut browser = Command::new(chromium)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        .args(["--no-first-run", "--disable-background-networking", "--virtual-time-budget=20000"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("--host-resolver-rules=MAP {HOST} 127.0.0.1"))
        .arg(format!("--ignore-certificate-errors-spki-list={pin}"))
        .args(["--dump-dom", &format!("https://{HOST}:{}/", waf.port)])
        .stdout(dom.reopen().expect("a file can be opened again"))
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the browser starts");
    let began = Instant::now();
    while browser.try_wait().expect("it can be asked").is_none() {
        if began.elapsed() > Duration::from_mins(2) {
            let _ = browser.kill();
            panic!("the browser did not end");
        }
        polling::hold(Duration::from_millis(50));
    }
    let text = std::fs::read_to_string(dom.path()).expect("a page");
    assert!(text.contains("RESULT https: true h2 END"), "{text}");
}
