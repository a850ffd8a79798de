//! HTTPS as clients that are not ours see it: an HTTP/2 library, `curl`, a browser that trusts the authority's root.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http2::handshake;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use waf_tests::contract::encode;
use waf_tests::origin::{Answer, Authority, Origin};
use waf_tests::pebble::Setup;
use waf_tests::polling;
use waf_tests::running::{FOLDER, HEALTH, Start, Waf};
use waf_tests::site::{Site, until_served};
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

/// Output of curl for a page of `host`: body, version of HTTP, status, and the verdict on the certificate.
fn curl(waf: &Waf, root: &str, host: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let file = waf.folder().join("root.pem");
    std::fs::write(&file, root).expect("a file in the test's folder");
    let output = Command::new("curl")
        .args(["--silent", "--show-error", "--max-time", "20", "--cacert"])
        .arg(&file)
        .args(["--resolve", &format!("{host}:{}:127.0.0.1", waf.port)])
        .args(["--write-out", " %{http_version} %{response_code} %{ssl_verify_result}"])
        .args(arguments)
        .arg(format!("https://{host}:{}/", waf.port))
        .output()
        .expect("curl can be started");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

fn is_there(program: &str) -> bool {
    let there = Path::new("/usr/bin").join(program).is_file();
    if !there {
        eprintln!("LEFT OUT: there is no /usr/bin/{program}");
    }
    there
}

#[test]
fn curl_loads_a_page() {
    if !is_there("curl") {
        return;
    }
    let (authority, origin) = (Authority::new("unused.example"), Origin::start());
    let waf = waf(&authority.issue(&[HOST]), &origin);
    for (arguments, expected) in [
        (&["--http2"][..], "hello 2 200 0"),
        (&["--http1.1"], "hello 1.1 200 0"),
        (&["--tlsv1.3", "--tls-max", "1.3"], "hello 2 200 0"),
        (&["--tlsv1.2", "--tls-max", "1.2"], "hello 2 200 0"),
    ] {
        let loaded = curl(&waf, &authority.root_pem, HOST, arguments);
        assert_eq!(loaded, (Some(0), expected.to_owned()), "{arguments:?}");
    }
    // CURLE_SSL_CONNECT_ERROR
    assert_eq!(curl(&waf, &authority.root_pem, "other.example", &[]).0, Some(35));
    // Another authority's root is not enough.
    assert_ne!(curl(&waf, &Authority::new("unused.example").root_pem, HOST, &[]).0, Some(0));
}

/// A page whose script says what the browser made of the connection.
fn telling() -> Origin {
    let page = "<!doctype html><body>waiting<script src=\"/script.js\"></script>";
    let script = "const entry = performance.getEntriesByType('resource')[0];\
        document.body.textContent = `RESULT ${location.protocol} ${isSecureContext} ${entry.nextHopProtocol} END`;";
    Origin::answering(move |request| match request.target_text().as_str() {
        "/script.js" => Answer::new(200, &[("Content-Type", "text/javascript")], script),
        _ => Answer::new(200, &[("Content-Type", "text/html")], page),
    })
}

/// A home in which browsers trust `root` beside their own list of authorities.
fn trusting(root: &str) -> tempfile::TempDir {
    let home = tempfile::tempdir().expect("a home");
    let database = home.path().join(".pki/nssdb");
    std::fs::create_dir_all(&database).expect("a folder");
    let file = home.path().join("root.pem");
    std::fs::write(&file, root).expect("a file");
    let database = format!("sql:{}", database.display());
    let certutil = |arguments: &[&str]| {
        let output = Command::new("certutil").args(["-d", &database]).args(arguments).output();
        let output = output.expect("certutil can be started");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    certutil(&["-N", "--empty-password"]);
    certutil(&["-A", "-n", "authority", "-t", "C,,", "-i", &file.display().to_string()]);
    home
}

/// The page of `host` after its scripts have run.
fn browse(home: &Path, port: u16, host: &str) -> String {
    let dom = tempfile::NamedTempFile::new().expect("a file for the page");
    let mut browser = Command::new("chromium")
        .env("HOME", home)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        .args(["--no-first-run", "--disable-background-networking", "--virtual-time-budget=20000"])
        .arg(format!("--user-data-dir={}", home.join("profile").display()))
        .arg(format!("--host-resolver-rules=MAP {host} 127.0.0.1"))
        .args(["--dump-dom", &format!("https://{host}:{port}/")])
        .stdout(dom.reopen().expect("a file can be opened again"))
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the browser starts");
    let ended = polling::within(Duration::from_mins(2), || browser.try_wait().expect("it can be asked"));
    if ended.is_none() {
        let _ = browser.kill();
        let _ = browser.wait();
        panic!("the browser did not end");
    }
    std::fs::read_to_string(dom.path()).expect("a page")
}

#[test]
fn curl_and_a_browser_trust_what_an_authority_issued() {
    let site = Site { origin: telling(), ..Site::new() };
    let pebble = Setup::new(site.validation()).start();
    let root = pebble.issuing_root();
    let waf = site.run(&pebble, "http-01", &[HOST]);
    until_served(&waf, &Client::trusting(&[&root], &["h2"]), HOST);
    if is_there("curl") {
        let (code, said) = curl(&waf, &root, HOST, &["--http2"]);
        assert!(code == Some(0) && said.ends_with(" 2 200 0"), "{code:?} {said}");
    }
    if is_there("chromium") && is_there("certutil") {
        let text = browse(trusting(&root).path(), waf.port, HOST);
        assert!(text.contains("RESULT https: true h2 END"), "{text}");
    }
}
