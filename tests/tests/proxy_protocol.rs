//! The PROXY protocol: who the client is, for whom a header is believed, and what becomes of connections without one.

use std::io::Write as _;
use std::net::TcpStream;
use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{ClientConnection, StreamOwned};
use waf_tests::contract::{blocked, encode};
use waf_tests::origin::{Authority, Origin};
use waf_tests::rate_limit::{BY_ADDRESS, limit, limited};
use waf_tests::raw::{Connection, Request, Response};
use waf_tests::running::{FOLDER, HEALTH, Start, to_upstream};
use waf_tests::tls::Client;

const HOST: &str = "shop.example";

fn behind(balancers: &str) -> Start {
    Start::new().argument("--proxy-protocol").argument("--trusted-proxies").argument(balancers)
}

fn v1(family: &str, source: &str) -> Vec<u8> {
    let target = if family == "TCP6" { "2001:db8::ffff" } else { "198.51.100.2" };
    format!("PROXY {family} {source} {target} 4711 443\r\n").into_bytes()
}

fn v2(command: u8, family: u8, addresses: &[u8], tlvs: &[u8]) -> Vec<u8> {
    let length = u16::try_from(addresses.len() + tlvs.len()).expect("short");
    let mut header = b"\r\n\r\n\0\r\nQUIT\n".to_vec();
    header.extend([command, family]);
    header.extend(length.to_be_bytes());
    [header.as_slice(), addresses, tlvs].concat()
}

fn v2_ipv4(last: u8) -> Vec<u8> {
    v2(0x21, 0x11, &[192, 0, 2, last, 198, 51, 100, 2, 0x12, 0x67, 1, 187], &[4, 0, 2, 0, 0])
}

fn v2_ipv6() -> Vec<u8> {
    let mut addresses = vec![0u8; 36];
    addresses[..2].copy_from_slice(&[0x20, 0x01]);
    addresses[15] = 7;
    v2(0x21, 0x21, &addresses, &[])
}

/// The answer to a request behind a header; none when the connection is closed.
fn ask(port: u16, header: &[u8], request: &Request) -> Option<Response> {
    let mut connection = Connection::open(port).expect("a connection");
    connection.send(header).ok()?;
    connection.exchange(request).ok()
}

#[test]
fn the_client_is_whom_the_header_names() {
    let origin = Origin::start();
    let waf = behind("127.0.0.0/8").run(&to_upstream(&origin.url()));
    let forged = Request::get("/").field("X-Forwarded-For", "203.0.113.9");
    for (what, header, expected) in [
        ("version 1", v1("TCP4", "192.0.2.1"), "192.0.2.1"),
        ("version 1, IPv6", v1("TCP6", "2001:db8::1"), "2001:db8::1"),
        ("version 1, mapped", v1("TCP6", "::ffff:192.0.2.1"), "192.0.2.1"),
        ("version 2 with a TLV", v2_ipv4(1), "192.0.2.1"),
        ("version 2, IPv6", v2_ipv6(), "2001::7"),
        // Nobody knows who the client is, so that it is not believed.
        ("version 1, unknown", b"PROXY UNKNOWN\r\n".to_vec(), "127.0.0.1"),
        ("version 2, unspecified", v2(0x21, 0x00, &[], &[]), "127.0.0.1"),
        ("version 2, a UNIX socket", v2(0x21, 0x31, &[0; 216], &[]), "127.0.0.1"),
        // The proxy itself, which is trusted as it is without the protocol.
        ("version 2, local", v2(0x20, 0x00, &[], &[]), "203.0.113.9, 127.0.0.1"),
    ] {
        let before = origin.requests().len();
        let response = ask(waf.port, &header, &forged).unwrap_or_else(|| panic!("{what}: no answer"));
        assert_eq!(response.status, 200, "{what}");
        let requests = origin.requests();
        let received = &requests[before];
        assert_eq!(received.field("x-forwarded-for"), Some(expected), "{what}");
    }
    let attack = Request::get(format!("/?q={}", encode("<script>alert(1)</script>")));
    let response = ask(waf.port, &v1("TCP4", "192.0.2.77"), &attack).expect("an answer");
    let event = waf.event_of(&blocked(&response, 403));
    assert_eq!(event["src_endpoint"]["ip"], "192.0.2.77");
    assert_eq!(event["src_endpoint"]["port"], 4711);
}

#[test]
fn a_trusted_peer_without_a_good_header_is_closed() {
    let origin = Origin::start();
    let waf = behind("127.0.0.1").run(&to_upstream(&origin.url()));
    for (what, header) in [
        ("none", Vec::new()),
        ("lower case", b"proxy TCP4 192.0.2.1 198.51.100.2 1 2\r\n".to_vec()),
        ("LF alone", b"PROXY TCP4 192.0.2.1 198.51.100.2 1 2\n".to_vec()),
        ("a port too large", b"PROXY TCP4 192.0.2.1 198.51.100.2 70000 2\r\n".to_vec()),
        ("a line too long", [b"PROXY UNKNOWN ".as_slice(), &[b'x'; 120], b"\r\n"].concat()),
        ("another version", v2(0x11, 0x11, &[0; 12], &[])),
        ("datagrams", v2(0x21, 0x12, &[0; 12], &[])),
        ("a cut address", v2(0x21, 0x11, &[0; 11], &[])),
        ("a cut TLV", v2(0x21, 0x11, &[0; 12], &[4, 0, 9])),
        ("HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec()),
    ] {
        assert!(ask(waf.port, &header, &Request::get("/")).is_none(), "{what}");
    }
    assert!(origin.requests().is_empty());
    waf.wait_log(&[
        "a connection of a trusted peer is closed",
        "does not begin with a PROXY protocol header",
    ]);
    assert!(ask(waf.port, &v1("TCP4", "192.0.2.1"), &Request::get("/")).is_some(), "it serves on");
}

#[test]
fn others_need_no_header_and_may_send_none() {
    let origin = Origin::start();
    for start in [behind("192.0.2.0/24"), Start::new()] {
        let waf = start.run(&to_upstream(&origin.url()));
        assert_eq!(ask(waf.port, b"", &Request::get("/")).map(|response| response.status), Some(200));
        for header in [v1("TCP4", "192.0.2.1"), v2_ipv4(1)] {
            let before = origin.requests().len();
            let status = ask(waf.port, &header, &Request::get("/")).map(|response| response.status);
            assert!(matches!(status, None | Some(400)), "{status:?}");
            assert_eq!(origin.requests().len(), before);
        }
    }
}

#[test]
fn rate_limits_count_the_client() {
    let origin = Origin::start();
    let waf = behind("127.0.0.1").run(&limited(&origin, &limit(2, "10m", BY_ADDRESS)));
    let admitted = |last: u8| {
        (0..5)
            .filter(|_| ask(waf.port, &v2_ipv4(last), &Request::get("/")).is_some_and(|r| r.status == 200))
            .count()
    };
    assert_eq!((admitted(1), admitted(2), admitted(1)), (2, 2, 0));
}

#[test]
fn a_header_comes_before_tls() {
    let (authority, origin) = (Authority::new("unused.example"), Origin::start());
    let config = format!(
        "version: v1alpha1\nhost: {HOST}\nhealth_port: {HEALTH}\ndata_dir: {FOLDER}/data\nroutes:\n  - upstream: {}\n",
        origin.url()
    );
    let waf = behind("127.0.0.1").tls().certificate(HOST, &authority.issue(&[HOST])).run(&config);
    let client = Client::new(&authority, &["http/1.1"]);
    for header in [v1("TCP4", "192.0.2.1"), v2_ipv4(1)] {
        let name = ServerName::try_from(HOST).expect("a name");
        let session = ClientConnection::new(Arc::clone(&client.config()), name).expect("a session");
        let mut tcp = TcpStream::connect(("127.0.0.1", waf.port)).expect("a connection");
        tcp.write_all(&header).expect("sent");
        let mut connection = Connection::over(StreamOwned::new(session, tcp));
        let response = connection.exchange(&Request::get("/").host(HOST)).expect("an answer");
        assert_eq!(response.status, 200);
    }
    let requests = origin.requests();
    assert!(requests.iter().all(|request| request.field("x-forwarded-for") == Some("192.0.2.1")));
    assert_eq!(requests.len(), 2);
    assert!(client.connect(waf.port, HOST).is_err(), "TLS without a header is closed");
}
