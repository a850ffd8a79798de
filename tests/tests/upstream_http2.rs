//! Upstreams behind TLS choose their version by ALPN; what HTTP/2 cannot say, and upstreams that do not speak it, get
//! HTTP/1.1.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use waf_tests::origin::Authority;
use waf_tests::raw::{Connection, Request as Raw};
use waf_tests::running::{Start, Waf, to_upstream};

/// A server on a runtime of its own, and a service in front of it.
struct Stand {
    waf: Waf,
    http1: Arc<AtomicUsize>,
    http2: Arc<AtomicUsize>,
    _runtime: tokio::runtime::Runtime,
}

impl Stand {
    /// Connections that chose HTTP/1.1, and HTTP/2.
    fn counts(&self) -> (usize, usize) {
        (self.http1.load(Ordering::Acquire), self.http2.load(Ordering::Acquire))
    }
}

/// Says what it saw: version, target, Host, body; with a trailer where the version has them.
async fn answer(
    request: Request<Incoming>,
) -> Result<Response<http_body_util::combinators::BoxBody<Bytes, Infallible>>, Infallible> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let host = head.headers.get("host").map(|value| value.to_str().unwrap_or_default().to_owned());
    let host = host.or_else(|| head.uri.authority().map(ToString::to_string)).unwrap_or_default();
    let target = head.uri.path_and_query().map(ToString::to_string).unwrap_or_default();
    let text = format!("{:?} {} {target} {host} {}", head.version, head.method, body.escape_ascii());
    let mut trailers = HeaderMap::new();
    trailers.insert("x-sum", "7".parse().expect("a value"));
    let frames = tokio_stream::iter([Ok(Frame::data(Bytes::from(text))), Ok(Frame::trailers(trailers))]);
    let body = if head.uri.path() == "/sized" {
        Full::new(Bytes::from_static(b"sized")).boxed()
    } else {
        http_body_util::combinators::BoxBody::new(StreamBody::new(frames))
    };
    Ok(Response::builder().header("content-type", "text/plain").body(body).expect("a response"))
}

/// Serves a connection in the version that was chosen, with [`answer`].
async fn serve(stream: TlsStream<TcpStream>) {
    let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
    let (io, service) = (TokioIo::new(stream), service_fn(answer));
    if is_http2 {
        let http = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
        let _ = http.serve_connection(io, service).await;
    } else {
        let http = hyper::server::conn::http1::Builder::new();
        let _ = http.serve_connection(io, service).await;
    }
}

fn stand(protocols: &'static [&'static str]) -> Stand {
    stand_with(protocols, serve)
}

fn stand_with<F>(
    protocols: &'static [&'static str],
    serve: impl Fn(TlsStream<TcpStream>) -> F + Clone + Send + 'static,
) -> Stand
where
    F: Future<Output = ()> + Send + 'static,
{
    let authority = Authority::new("127.0.0.1");
    let acceptor = TlsAcceptor::from(authority.server_config(protocols));
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let (http1, http2) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let counted = [Arc::clone(&http1), Arc::clone(&http2)];
    runtime.spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let (acceptor, counted, serve) = (acceptor.clone(), counted.clone(), serve.clone());
            tokio::spawn(async move {
                let Ok(stream) = acceptor.accept(socket).await else { return };
                let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
                counted[usize::from(is_http2)].fetch_add(1, Ordering::AcqRel);
                serve(stream).await;
            });
        }
    });
    let waf = Start::new()
        .argument("--workers")
        .argument("1")
        .file("roots.pem", &authority.root_pem)
        .environment("SSL_CERT_FILE", "@FOLDER@/roots.pem")
        .run(&to_upstream(&format!("https://127.0.0.1:{port}")));
    Stand { waf, http1, http2, _runtime: runtime }
}

#[test]
fn an_upstream_that_speaks_http2_gets_it() {
    let stand = stand(&["h2", "http/1.1"]);
    for (request, seen) in [
        (Raw::get("/a%2Fb?x=1"), "HTTP/2.0 GET /a%2Fb?x=1 waf.test "),
        (Raw::post("/form", "text/plain", "a body"), "HTTP/2.0 POST /form waf.test a body"),
    ] {
        let response = request.host("waf.test").to(stand.waf.port);
        assert_eq!((response.status, response.text().as_str()), (200, seen));
        assert_eq!(response.field("transfer-encoding"), Some("chunked"));
    }
    let sized = Raw::get("/sized").to(stand.waf.port);
    assert_eq!((sized.text().as_str(), sized.field("content-length")), ("sized", Some("5")));
    assert_eq!(Raw::new("HEAD", "/sized").to(stand.waf.port).status, 200);
    assert_eq!(stand.counts(), (0, 1), "requests share a connection");
}

#[test]
fn what_http2_cannot_say_goes_over_http1() {
    let stand = stand(&["h2", "http/1.1"]);
    // This origin does not take such a target either, and says so by itself: what counts is which way it was asked.
    assert_eq!(Raw::get("/a`b").host("waf.test").to(stand.waf.port).status, 400);
    assert_eq!(stand.counts(), (1, 0));
    assert_eq!(Raw::get("/ab").host("waf.test").to(stand.waf.port).status, 200);
}

#[test]
fn an_upstream_without_http2_gets_http1() {
    let stand = stand(&["http/1.1"]);
    // One client connection: its next request is read after the upstream's connection was given back.
    let mut client = Connection::open(stand.waf.port).expect("a connection");
    for _ in 0..3 {
        let response = client.exchange(&Raw::get("/x").host("waf.test")).expect("an answer");
        assert_eq!((response.status, response.text().as_str()), (200, "HTTP/1.1 GET /x waf.test "));
    }
    assert_eq!(stand.counts(), (1, 0), "the connection is kept");
}

#[test]
fn interim_answers_come_over_http2_too() {
    let hints = || {
        let head = Response::builder().status(103).header("link", "</a.css>; rel=preload");
        head.body(()).expect("a response")
    };
    let stand = stand_with(&["h2"], move |stream| async move {
        let mut connection = h2::server::handshake(stream).await.expect("HTTP/2");
        while let Some(Ok((_, mut respond))) = connection.accept().await {
            respond.send_informational(hints()).expect("an interim answer");
            let mut body = respond.send_response(Response::new(()), false).expect("an answer");
            body.send_data(Bytes::from_static(b"ok"), true).expect("a body");
        }
    });
    let mut client = Connection::open(stand.waf.port).expect("a connection");
    client.send(Raw::get("/").host("waf.test").bytes()).expect("sent");
    let interim = client.head().expect("an interim answer");
    assert_eq!((interim.status, interim.field("link")), (103, Some("</a.css>; rel=preload")));
    let response = client.response().expect("an answer");
    assert_eq!((response.status, response.text().as_str()), (200, "ok"));
}
