//! The clients: browsers and programs over both versions of HTTP, in the clear and over TLS, uploads, attacks, WebSockets.
//! Each waits between its requests, so that the load is one that two cores carry, and each keeps its connection as long
//! as it is let.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use http::uri::PathAndQuery;
use http::{HeaderValue, Request};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio_rustls::TlsConnector;
use tokio_tungstenite::tungstenite::Message;
use waf_tests::contract::encode;
use waf_tests::tls::Client as TlsClient;

use super::record::Record;
use super::services::{HOST, Services};

/// Time that an answer may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Requests over one connection, so that connections and handshakes are part of the load.
const REQUESTS_PER_CONNECTION: usize = 200;

/// Bytes of an uploaded file.
const FILE_BYTES: usize = 1 << 20;

#[derive(Clone)]
enum Wire {
    Http1,
    Http2,
    Tls(TlsConnector),
}

#[derive(Clone)]
struct Kind {
    name: &'static str,
    port: u16,
    wire: Wire,
    request: fn(usize) -> Request<Full<Bytes>>,
    status: u16,
    pause: Duration,
}

enum Sender {
    Http1(http1::SendRequest<Full<Bytes>>),
    Http2(http2::SendRequest<Full<Bytes>>),
}

/// Starts all of them on the runtime that this is called in.
pub(super) fn start(services: &Services, record: &Arc<Record>) -> Vec<JoinHandle<()>> {
    let tls = |protocol: &str| {
        Wire::Tls(TlsConnector::from(TlsClient::new(&services.authority, &[protocol]).config()))
    };
    let (plain, encrypted) = (services.plain.port, services.tls.port);
    let kind = |name, port, wire, request: fn(usize) -> _, status, pause| Kind {
        name,
        port,
        wire,
        request,
        status,
        pause: Duration::from_millis(pause),
    };
    let kinds = [
        (4, kind("pages over HTTP/1", plain, Wire::Http1, page, 200, 10)),
        (2, kind("forms over HTTP/1", plain, Wire::Http1, form, 200, 20)),
        (2, kind("JSON over HTTP/2", plain, Wire::Http2, json, 200, 20)),
        (2, kind("attacks", plain, Wire::Http1, attack, 403, 50)),
        (1, kind("uploads", plain, Wire::Http1, upload, 200, 500)),
        (2, kind("pages over TLS", encrypted, tls("http/1.1"), page, 200, 20)),
        (2, kind("pages over TLS and HTTP/2", encrypted, tls("h2"), page, 200, 20)),
        (1, kind("uploads over TLS and HTTP/2", encrypted, tls("h2"), upload, 200, 500)),
    ];
    let mut tasks = Vec::new();
    for (count, kind) in kinds {
        for _ in 0..count {
            tasks.push(tokio::spawn(repeat(kind.clone(), record.clone())));
        }
    }
    for _ in 0..2 {
        tasks.push(tokio::spawn(talk(plain, record.clone())));
    }
    tasks
}

async fn repeat(kind: Kind, record: Arc<Record>) {
    let mut number = 0;
    while !record.is_over() {
        let began = Instant::now();
        match tokio::time::timeout(PATIENCE, open(&kind)).await {
            Ok(Ok(sender)) => {
                record.opened();
                follow(&kind, sender, &record, &mut number).await;
            }
            Ok(Err(cause)) => record.failed(kind.name, began, format!("no connection: {cause}")),
            Err(_) => record.failed(kind.name, began, "no connection in time".to_owned()),
        }
        tokio::time::sleep(kind.pause).await;
    }
}

/// Uses one connection until it ends.
async fn follow(kind: &Kind, mut sender: Sender, record: &Record, number: &mut usize) {
    for _ in 0..REQUESTS_PER_CONNECTION {
        if record.is_over() || !is_open(&mut sender).await {
            return;
        }
        *number += 1;
        let began = Instant::now();
        let answer = tokio::time::timeout(PATIENCE, exchange(&mut sender, (kind.request)(*number))).await;
        match answer {
            Ok(Ok(status)) if status == kind.status => record.answered(began.elapsed()),
            Ok(Ok(status)) => record.failed(kind.name, began, format!("status {status}")),
            Ok(Err(cause)) => return record.failed(kind.name, began, cause),
            Err(_) => return record.failed(kind.name, began, "no answer in time".to_owned()),
        }
        tokio::time::sleep(kind.pause).await;
    }
}

async fn open(kind: &Kind) -> Result<Sender, String> {
    let stream = TcpStream::connect(("127.0.0.1", kind.port)).await.map_err(|error| error.to_string())?;
    stream.set_nodelay(true).map_err(|error| error.to_string())?;
    match &kind.wire {
        Wire::Http1 => speak_http1(stream).await,
        Wire::Http2 => speak_http2(stream).await,
        Wire::Tls(connector) => {
            let name = ServerName::try_from(HOST).map_err(|error| error.to_string())?;
            let stream = connector.connect(name, stream).await.map_err(|error| error.to_string())?;
            match stream.get_ref().1.alpn_protocol() {
                Some(b"h2") => speak_http2(stream).await,
                _ => speak_http1(stream).await,
            }
        }
    }
}

async fn speak_http1(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) -> Result<Sender, String> {
    let (sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
    // Its requests end it.
    tokio::spawn(async move { drop(connection.await) });
    Ok(Sender::Http1(sender))
}

async fn speak_http2(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) -> Result<Sender, String> {
    let handshake = http2::handshake(TokioExecutor::new(), TokioIo::new(stream));
    let (sender, connection) = handshake.await.map_err(|error| error.to_string())?;
    tokio::spawn(async move { drop(connection.await) });
    Ok(Sender::Http2(sender))
}

/// True if the connection takes another request; one that was closed between two requests costs none.
async fn is_open(sender: &mut Sender) -> bool {
    match sender {
        Sender::Http1(sender) => sender.ready().await.is_ok(),
        Sender::Http2(sender) => sender.ready().await.is_ok(),
    }
}

async fn exchange(sender: &mut Sender, request: Request<Full<Bytes>>) -> Result<u16, String> {
    let sent = request.body().clone().collect().await.map(|body| body.to_bytes().len()).unwrap_or_default();
    let response = match sender {
        Sender::Http1(sender) => sender.send_request(in_origin_form(request)).await,
        Sender::Http2(sender) => sender.send_request(request).await,
    };
    let response = response.map_err(|error| format!("{error:?}"))?;
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.map_err(|error| format!("{error:?}"))?.to_bytes();
    if status == 200 && !body.starts_with(format!("{sent}\n").as_bytes()) {
        return Err(format!("the upstream did not get {sent} bytes"));
    }
    Ok(status)
}

/// A WebSocket that says something ten times a second and wants to hear it back.
async fn talk(port: u16, record: Arc<Record>) {
    const NAME: &str = "WebSocket";
    while !record.is_over() {
        let began = Instant::now();
        let stream = match TcpStream::connect(("127.0.0.1", port)).await {
            Ok(stream) => stream,
            Err(error) => return record.failed(NAME, began, error.to_string()),
        };
        let mut socket = match tokio_tungstenite::client_async("ws://shop.example/live", stream).await {
            Ok((socket, _)) => socket,
            Err(error) => {
                record.failed(NAME, began, error.to_string());
                continue;
            }
        };
        record.opened();
        // A tunnel lives as long as its worker: what fails with it was in flight since the last good message.
        let mut good = Instant::now();
        for number in 0..REQUESTS_PER_CONNECTION {
            let began = Instant::now();
            let message = Message::text(format!("message {number}"));
            let sent = socket.send(message.clone()).await;
            let back = tokio::time::timeout(PATIENCE, socket.next()).await;
            match (sent, back) {
                (Ok(()), Ok(Some(Ok(back)))) if back == message => {
                    good = Instant::now();
                    record.answered(good - began);
                }
                (sent, back) => {
                    record.failed(NAME, good, format!("{sent:?} {back:?}"));
                    break;
                }
            }
            if record.is_over() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let _ = socket.close(None).await;
    }
}

fn request(method: &str, target: &str) -> http::request::Builder {
    Request::builder()
        .method(method)
        .uri(format!("https://{HOST}{target}"))
        .header("user-agent", "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0")
        .header("accept", "text/html,application/xhtml+xml,*/*;q=0.8")
        .header("cookie", "session=8e2f0c51d3b94a7fa1; theme=dark")
}

/// As HTTP/1.1 sends it to a server: HTTP/2 takes the authority from the address, HTTP/1.1 from the field.
fn in_origin_form(mut request: Request<Full<Bytes>>) -> Request<Full<Bytes>> {
    let target = request.uri().path_and_query().map_or("/", PathAndQuery::as_str);
    *request.uri_mut() = target.parse().expect("a path and a query are an address");
    request.headers_mut().insert(http::header::HOST, HeaderValue::from_static(HOST));
    request
}

fn with(builder: http::request::Builder, body: impl Into<Bytes>) -> Request<Full<Bytes>> {
    builder.body(Full::new(body.into())).expect("a request")
}

fn page(number: usize) -> Request<Full<Bytes>> {
    with(request("GET", &format!("/products/{number}?sort=price&q=earl+grey")), "")
}

fn form(number: usize) -> Request<Full<Bytes>> {
    let body = format!("name=O%27Brien&comment={}&quantity={number}", "a+lovely+tea%2C+again+".repeat(20));
    with(request("POST", "/orders").header("content-type", "application/x-www-form-urlencoded"), body)
}

fn json(number: usize) -> Request<Full<Bytes>> {
    let items: Vec<_> =
        (0..20).map(|n| serde_json::json!({ "id": number + n, "title": "Earl Grey, 100 g" })).collect();
    let body = serde_json::json!({ "basket": items, "note": "please ring twice" }).to_string();
    with(request("POST", "/api/baskets").header("content-type", "application/json"), body)
}

fn attack(number: usize) -> Request<Full<Bytes>> {
    let query = ["<script>alert(1)</script>", "' OR 1=1 -- ", "; cat /etc/passwd", "${jndi:ldap://x/a}"];
    let query = query.get(number % query.len()).copied().unwrap_or_default();
    with(request("GET", &format!("/search?q={}", encode(query))), "")
}

fn upload(number: usize) -> Request<Full<Bytes>> {
    let mut body = format!(
        "--frontier\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"tea-{number}.png\"\r\n\
         Content-Type: image/png\r\n\r\n"
    )
    .into_bytes();
    body.extend_from_slice(b"\x89PNG\r\n\x1a\n");
    body.extend((0..FILE_BYTES).map(|at| (at * 31 + number).to_le_bytes()[0]));
    body.extend_from_slice(b"\r\n--frontier--\r\n");
    with(request("POST", "/photos").header("content-type", "multipart/form-data; boundary=frontier"), body)
}
