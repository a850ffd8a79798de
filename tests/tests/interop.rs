//! An HTTP implementation that is not ours on both ends: what it sends arrives, what it would refuse is never sent.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Frame, Incoming};
use hyper::client::conn::http1::SendRequest;
use hyper::service::service_fn;
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use waf_tests::running::{self, Waf, to_upstream};
use waf_tests::{polling, ports};

type Body = http_body_util::combinators::BoxBody<Bytes, Infallible>;

/// Tells back method, path, body and a trailer.
async fn echo(request: Request<Incoming>) -> Result<Response<Body>, hyper::Error> {
    let (head, body) = request.into_parts();
    let collected = body.collect().await?;
    let trailer = collected.trailers().and_then(|trailers| trailers.get("x-end")).cloned();
    let body = collected.to_bytes();
    let mut response = Response::new(Full::new(body.clone()).boxed());
    if head.uri.path() == "/chunked" {
        let data = body.chunks(1000).map(|chunk| Frame::data(Bytes::copy_from_slice(chunk)));
        response = Response::new(parts(data.collect()));
    }
    if head.method == Method::DELETE {
        *response.status_mut() = StatusCode::NO_CONTENT;
        *response.body_mut() = Full::default().boxed();
    }
    let headers = response.headers_mut();
    headers.insert("x-method", head.method.as_str().parse().expect("a method is a field value"));
    headers.insert("x-path", head.uri.to_string().parse().expect("a target is a field value"));
    if let Some(trailer) = trailer {
        headers.insert("x-trailer", trailer);
    }
    Ok(response)
}

/// Frames that are ready; a body of unknown length is sent in chunks.
struct Parts(std::vec::IntoIter<Frame<Bytes>>);

impl hyper::body::Body for Parts {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.next().map(Ok))
    }
}

fn parts(frames: Vec<Frame<Bytes>>) -> Body {
    Parts(frames.into_iter()).boxed()
}

/// Starts the origin on the runtime that it is called in.
fn origin() -> SocketAddr {
    let listener = ports::listener();
    let address = listener.local_addr().expect("bound");
    listener.set_nonblocking(true).expect("a listener can be set to non-blocking");
    let listener = TcpListener::from_std(listener).expect("a runtime is here");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let served = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service_fn(echo));
            tokio::spawn(served);
        }
    });
    address
}

async fn client(waf: &Waf) -> SendRequest<Body> {
    let stream = TcpStream::connect(("127.0.0.1", waf.port)).await.expect("a connection");
    let (sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.expect("HTTP/1");
    tokio::spawn(connection);
    sender
}

/// Sends once the connection is done with the last response.
async fn exchange(sender: &mut SendRequest<Body>, request: Request<Body>) -> Response<Incoming> {
    sender.ready().await.expect("the connection is kept");
    sender.send_request(request).await.expect("a response")
}

fn request(method: Method, target: &str, body: Body) -> Request<Body> {
    Request::builder()
        .method(method)
        .uri(target)
        .header("host", "shop.example")
        .header("content-type", "text/plain")
        .body(body)
        .expect("a valid request")
}

fn run(test: impl AsyncFnOnce(Waf)) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let origin = origin();
        let config = to_upstream(&format!("http://{origin}"));
        let waf = tokio::task::spawn_blocking(move || running::waf(&config)).await.expect("it starts");
        tokio::time::timeout(polling::PATIENCE, test(waf)).await.expect("it ends in time");
    });
}

#[test]
fn requests_of_every_kind_over_one_connection() {
    run(async |waf| {
        let mut sender = client(&waf).await;
        for size in [0, 1, 999, 1000, 70_000, 300_000] {
            for target in ["/whole?size=1", "/chunked"] {
                let body = Bytes::from("x".repeat(size));
                let sent = request(Method::POST, target, Full::new(body.clone()).boxed());
                let response = exchange(&mut sender, sent).await;
                assert_eq!(response.status(), 200, "{target} {size}");
                assert_eq!(response.headers()["x-path"], *target);
                let collected = response.into_body().collect().await.expect("a whole body");
                assert_eq!(collected.to_bytes(), body);
            }
        }
        let head = exchange(&mut sender, request(Method::HEAD, "/", Full::default().boxed())).await;
        assert_eq!(head.headers()["x-method"], "HEAD");
        let none = exchange(&mut sender, request(Method::DELETE, "/", Full::default().boxed())).await;
        assert_eq!(none.status(), 204);
        let last = exchange(&mut sender, request(Method::GET, "/", Full::default().boxed())).await;
        assert_eq!(last.status(), 200);
    });
}

#[test]
fn a_chunked_upload_with_trailers() {
    run(async |waf| {
        let mut trailers = HeaderMap::new();
        trailers.insert("x-end", "here".parse().expect("a field value"));
        let frames = [Frame::data(Bytes::from_static(b"one ")), Frame::data(Bytes::from_static(b"two"))];
        let body = parts(frames.into_iter().chain([Frame::trailers(trailers)]).collect());
        let mut sent = request(Method::POST, "/whole", body);
        sent.headers_mut().insert("trailer", hyper::header::HeaderValue::from_static("x-end"));
        let response = client(&waf).await.send_request(sent).await.expect("a response");
        assert_eq!(response.headers()["x-trailer"], "here", "trailers pass to the upstream");
        assert_eq!(response.into_body().collect().await.expect("a whole body").to_bytes(), "one two");
    });
}

#[test]
fn many_clients_at_once() {
    run(async |waf| {
        let mut clients = tokio::task::JoinSet::new();
        for number in 0..64 {
            let mut sender = client(&waf).await;
            clients.spawn(async move {
                for turn in 0..20 {
                    let text = format!("client {number} turn {turn}");
                    let sent = request(Method::PUT, "/whole", Full::new(Bytes::from(text.clone())).boxed());
                    let response = exchange(&mut sender, sent).await;
                    let body = response.into_body().collect().await.expect("a whole body").to_bytes();
                    assert_eq!(body, text, "an answer of another request");
                }
            });
        }
        while let Some(ended) = clients.join_next().await {
            ended.expect("a client ends well");
        }
    });
}
