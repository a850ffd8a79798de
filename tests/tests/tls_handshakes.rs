//! Handshakes by rows: old protocols, weak suites, protocols by ALPN, clients that stop, challenges of an authority.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use rustls::AlertDescription;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use waf_compiler::{Options, compile_text};
use waf_shared::control::{
    AlpnChallenge, CertificatePair, Certificates, Challenges, Generation, HttpChallenge, Role, Secret,
    TicketKey, Tickets, ToSupervisor, ToWorker,
};
use waf_shared::limits::HANDSHAKE_SECONDS;
use waf_tests::control::Worker;
use waf_tests::frames::PREFACE;
use waf_tests::origin::{Authority, Origin};
use waf_tests::ports;
use waf_tests::raw::Request;
use waf_tests::running::{FOLDER, HEALTH, Start, Waf};
use waf_tests::tls::{Client, Said, hello, hello_record};

const HOST: &str = "shop.example";

fn config(upstream: &str) -> String {
    format!(
        "version: v1alpha1\nhost: {HOST}\nhealth_port: {HEALTH}\ndata_dir: {FOLDER}/data\nroutes:\n  - upstream: {upstream}\n"
    )
}

fn waf(authority: &Authority, origin: &Origin) -> Waf {
    Start::new().tls().certificate(HOST, &authority.issue(&[HOST])).run(&config(&origin.url()))
}

/// TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
const GOOD: u16 = 0xc02b;

#[test]
fn old_protocols_and_weak_suites_are_refused() {
    let (authority, origin) = (Authority::new("unused.example"), Origin::start());
    let waf = waf(&authority, &origin);
    let (protocol_version, handshake_failure, unrecognized_name) =
        (Said::Alert(70), Said::Alert(40), Said::Alert(112));
    for (what, version, suites, name, said) in [
        ("TLS 1.2", 0x0303, &[GOOD][..], Some(HOST), Said::Suite(GOOD)),
        ("the better suite of both", 0x0303, &[0x002f, 0xc009, GOOD], Some(HOST), Said::Suite(GOOD)),
        ("TLS 1.1", 0x0302, &[GOOD, 0xc009, 0x002f], Some(HOST), protocol_version),
        ("TLS 1.0", 0x0301, &[GOOD, 0xc009, 0x002f], Some(HOST), protocol_version),
        ("SSL 3", 0x0300, &[0x000a, 0x0005], Some(HOST), protocol_version),
        ("CBC with ECDSA", 0x0303, &[0xc009, 0xc00a, 0xc023], Some(HOST), handshake_failure),
        ("RSA key exchange", 0x0303, &[0x002f, 0x0035, 0x009c], Some(HOST), handshake_failure),
        ("3DES", 0x0303, &[0x000a, 0xc008], Some(HOST), handshake_failure),
        ("RC4", 0x0303, &[0x0005, 0xc007], Some(HOST), handshake_failure),
        ("no encryption", 0x0303, &[0x0001, 0x003b, 0xc006], Some(HOST), handshake_failure),
        ("anonymous", 0x0303, &[0x0018, 0xc018, 0x00a6], Some(HOST), handshake_failure),
        ("export", 0x0303, &[0x0003, 0x0008, 0x0014], Some(HOST), handshake_failure),
        ("a suite for another kind of key", 0x0303, &[0xc02f], Some(HOST), handshake_failure),
        ("an unknown name", 0x0303, &[GOOD], Some("unknown.example"), unrecognized_name),
        ("no name", 0x0303, &[GOOD], None, unrecognized_name),
    ] {
        assert_eq!(hello(waf.port, version, suites, name), said, "{what}");
    }
}

#[test]
fn protocols_are_spoken_as_agreed() {
    let (authority, origin) = (Authority::new("unused.example"), Origin::start());
    let waf = waf(&authority, &origin);
    let agreed = |offered: &[&str]| {
        let connection = Client::new(&authority, offered).connect(waf.port, HOST).expect("a handshake");
        connection.stream().conn.alpn_protocol().map(|name| String::from_utf8_lossy(name).into_owned())
    };
    for (offered, chosen) in [
        (&["h2", "http/1.1"][..], Some("h2")),
        (&["http/1.1", "h2"], Some("h2")),
        (&["http/1.1"], Some("http/1.1")),
        (&["http/1.0", "http/1.1"], Some("http/1.1")),
        (&[], None),
    ] {
        assert_eq!(agreed(offered).as_deref(), chosen, "{offered:?}");
    }
    for offered in [&["imap"][..], &["h2c"], &["acme-tls/1", "imap"]] {
        let client = Client::new(&authority, offered);
        assert_eq!(client.alert(waf.port, HOST), AlertDescription::NoApplicationProtocol, "{offered:?}");
    }

    let open =
        |offered: &[&str]| Client::new(&authority, offered).connect(waf.port, HOST).expect("a handshake");
    // Without ALPN it is HTTP/1.1 (RFC 9113 section 3.2).
    assert_eq!(open(&[]).exchange(&Request::get("/").host(HOST)).expect("a response").status, 200);
    for offered in [&["http/1.1"][..], &[]] {
        let mut connection = open(offered);
        connection.send(PREFACE).expect("the server reads");
        assert_eq!(connection.response().expect("a response").status, 400, "{offered:?}");
    }
    let mut connection = open(&["h2"]);
    connection.send(Request::get("/").host(HOST).bytes()).expect("the server reads");
    assert_eq!(connection.rest().expect("an orderly end"), b"", "HTTP/1.1 where HTTP/2 was agreed on");
    let mut connection = open(&["http/1.1"]);
    let request = Request::get("/").host(HOST).field("Connection", "close");
    assert_eq!(connection.exchange(&request).expect("a response").status, 200);
    assert_eq!(connection.rest().expect("an orderly end"), b"");
}

#[test]
fn who_stops_inside_a_handshake_is_not_waited_for() {
    let (authority, origin) = (Authority::new("unused.example"), Origin::start());
    let waf = waf(&authority, &origin);
    let record = hello_record(0x0303, &[GOOD], Some(HOST));
    let began = Instant::now();
    let limit = Duration::from_secs(HANDSHAKE_SECONDS);
    let stopped: Vec<TcpStream> = [&[][..], &record[..3], &record[..record.len() - 1], &record]
        .into_iter()
        .map(|sent| {
            let mut stream = TcpStream::connect(("127.0.0.1", waf.port)).expect("a connection");
            stream.write_all(sent).expect("the server reads");
            stream.set_read_timeout(Some(2 * limit)).expect("a read timeout can be set");
            stream
        })
        .collect();
    // Others are served meanwhile.
    assert_eq!(Client::new(&authority, &["http/1.1"]).ask(waf.port, HOST, "/").status, 200);
    for mut stream in stopped {
        let mut said = Vec::new();
        // What came of its own accord, and an end; a reset is one too.
        let _ = stream.read_to_end(&mut said);
        let lasted = began.elapsed();
        assert!(lasted < limit + Duration::from_secs(5), "{lasted:?}");
        assert!(lasted > limit / 2, "{lasted:?}");
    }
    // What is no TLS at all ends at once.
    let mut stream = TcpStream::connect(("127.0.0.1", waf.port)).expect("a connection");
    stream.write_all(&[0; 64]).expect("the server reads");
    let began = Instant::now();
    let mut said = Vec::new();
    let _ = stream.read_to_end(&mut said);
    assert!(began.elapsed() < limit / 2 && said.first().is_none_or(|kind| *kind == 21), "{said:?}");
}

#[test]
fn challenges_are_answered_while_they_are_open() {
    let authority = Authority::new("unused.example");
    let worker = Worker::start();
    let (chain, key) = authority.issue(&["a.example"]);
    worker.say(&ToWorker::Tickets(Tickets {
        keys: vec![TicketKey { name: [1; 16], secret: Secret(vec![1; 32]) }],
    }));
    worker.say(&ToWorker::Certificates(Certificates {
        pairs: vec![
            CertificatePair {
                names: vec!["a.example".into()],
                chain_pem: chain.into(),
                key_pem: Secret(key.into()),
            },
            // One that is broken keeps nobody from the others.
            CertificatePair {
                names: vec!["broken.example".into()],
                chain_pem: b"nonsense".to_vec(),
                key_pem: Secret(b"nonsense".to_vec()),
            },
        ],
    }));
    let (proof, proof_key) = authority.issue(&["pending.example"]);
    let der = |pem: &str| CertificateDer::from_pem_slice(pem.as_bytes()).expect("PEM").to_vec();
    let key_der = rustls::pki_types::PrivateKeyDer::from_pem_slice(proof_key.as_bytes()).expect("PEM");
    worker.say(&ToWorker::Challenges(Challenges {
        revision: 7,
        http: vec![HttpChallenge { token: "to-ken_1".into(), key_authorization: "to-ken_1.print".into() }],
        alpn: vec![AlpnChallenge {
            host: "pending.example".into(),
            certificate_der: der(&proof),
            key_der: Secret(key_der.secret_der().to_vec()),
        }],
    }));
    assert_eq!(worker.hear(), ToSupervisor::Challenged(7));
    let text = "version: v1alpha1\nroutes:\n  - match: {hosts: [a.example, pending.example, '*.b.example']}\n    upstream: http://127.0.0.1:9\n";
    let options = Options { host_checks: false, ..Options::default() };
    let plan = compile_text("waf.yaml", text, std::path::Path::new("/"), &options).expect("it compiles");
    let (https, http) = (ports::listener(), ports::listener());
    worker.offer_on(1, plan.digest, &plan.bytes, &[(&https, Role::Https), (&http, Role::Redirect)]);
    assert_eq!(worker.hear(), ToSupervisor::Prepared(Generation(1)));
    worker.say(&ToWorker::Commit(Generation(1)));
    assert_eq!(worker.hear(), ToSupervisor::Active(Generation(1)));
    let port = |socket: &std::net::TcpListener| socket.local_addr().expect("bound").port();
    let (https, http) = (port(&https), port(&http));

    let path = "/.well-known/acme-challenge/to-ken_1";
    let at = |host: &str, method: &str, path: &str| Request::new(method, path).host(host).to(http);
    let answer = at("pending.example", "GET", path);
    assert_eq!((answer.status, answer.text().as_str()), (200, "to-ken_1.print"));
    assert_eq!(answer.field("content-type"), Some("application/octet-stream"));
    assert_eq!(at("pending.example", "HEAD", path).status, 200);
    for (host, method, path, status) in [
        ("pending.example", "POST", path, 308),
        ("pending.example", "GET", "/.well-known/acme-challenge/other", 308),
        ("pending.example", "GET", "/.well-known/acme-challenge/to-ken_1/x", 308),
        ("pending.example", "GET", "/.well-known/acme-challenge/", 308),
        ("unknown.example", "GET", "/.well-known/acme-challenge/other", 404),
    ] {
        assert_eq!(at(host, method, path).status, status, "{host} {method} {path}");
    }

    let prover = Client::new(&authority, &["acme-tls/1"]);
    let mut proven = prover.connect(https, "pending.example").expect("a handshake");
    let session = &proven.stream().conn;
    assert_eq!(session.alpn_protocol(), Some(&b"acme-tls/1"[..]));
    assert_eq!(session.peer_certificates().expect("a certificate")[0].to_vec(), der(&proof));
    assert_eq!(proven.rest().expect("an orderly end"), b"", "nothing follows the proof");
    let unrecognized = AlertDescription::UnrecognisedName;
    assert_eq!(prover.alert(https, "a.example"), unrecognized, "no challenge is open for it");
    let visitor = Client::new(&authority, &["h2", "http/1.1"]);
    assert_eq!(visitor.alert(https, "pending.example"), unrecognized, "a proof is no certificate");
    assert_eq!(Client::new(&authority, &["acme-tls/1", "h2"]).alert(https, "pending.example"), unrecognized);
    let agreed = visitor.connect(https, "a.example").expect("a handshake");
    assert_eq!(agreed.stream().conn.alpn_protocol(), Some(&b"h2"[..]));

    // Names below a wildcard are reported, each once; others are not.
    for name in ["broken.example", "unknown.example", "x.b.example", "X.B.example", "y.x.b.example"] {
        assert_eq!(visitor.alert(https, name), unrecognized, "{name}");
    }
    assert_eq!(worker.hear(), ToSupervisor::Unserved(vec!["x.b.example".into()]));
    assert_eq!(worker.hear(), ToSupervisor::Unserved(vec!["y.x.b.example".into()]));

    worker.say(&ToWorker::Challenges(Challenges { revision: 8, ..Challenges::default() }));
    assert_eq!(worker.hear(), ToSupervisor::Challenged(8));
    assert_eq!(at("pending.example", "GET", path).status, 308);
    assert_eq!(prover.alert(https, "pending.example"), unrecognized);
}
