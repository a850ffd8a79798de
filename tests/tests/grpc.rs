//! gRPC through the service, with tonic on both ends: calls, streams in both directions at once, status in trailers.

use std::pin::Pin;
use std::time::{Duration, Instant};

use bytes::{Buf as _, BufMut as _, Bytes};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tokio_stream::{Stream, StreamExt as _};
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::server::{StreamingService, UnaryService};
use tonic::transport::Endpoint;
use tonic::{Code, Request, Response, Status, Streaming};
use waf_tests::contract::blocked;
use waf_tests::origin::Origin;
use waf_tests::raw;
use waf_tests::running::{self, Waf, to_upstream, with_routes};

/// Messages as they are.
#[derive(Debug, Clone, Copy, Default)]
struct Raw;

impl Codec for Raw {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Raw;
    type Decoder = Raw;

    fn encoder(&mut self) -> Raw {
        Raw
    }

    fn decoder(&mut self) -> Raw {
        Raw
    }
}

impl Encoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, item: Bytes, out: &mut EncodeBuf<'_>) -> Result<(), Status> {
        out.put(item);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(from.copy_to_bytes(from.remaining())))
    }
}

/// Answers with what it was sent; refuses `deny`.
#[derive(Debug, Clone, Copy)]
struct Echo;

impl UnaryService<Bytes> for Echo {
    type Response = Bytes;
    type Future = std::future::Ready<Result<Response<Bytes>, Status>>;

    fn call(&mut self, request: Request<Bytes>) -> Self::Future {
        std::future::ready(match request.into_inner() {
            message if message == "deny" => Err(Status::permission_denied("not you")),
            message => Ok(Response::new(message)),
        })
    }
}

impl StreamingService<Bytes> for Echo {
    type Response = Bytes;
    type ResponseStream = Pin<Box<dyn Stream<Item = Result<Bytes, Status>> + Send>>;
    type Future = std::future::Ready<Result<Response<Self::ResponseStream>, Status>>;

    fn call(&mut self, request: Request<Streaming<Bytes>>) -> Self::Future {
        std::future::ready(Ok(Response::new(Box::pin(request.into_inner()))))
    }
}

/// Starts the server; returns its URL.
async fn server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let serve = service_fn(|request: hyper::Request<hyper::body::Incoming>| async move {
                let mut grpc = tonic::server::Grpc::new(Raw);
                let is_stream = request.uri().path().ends_with("/Chat");
                let response = if is_stream {
                    grpc.streaming(Echo, request).await
                } else {
                    grpc.unary(Echo, request).await
                };
                Ok::<_, std::convert::Infallible>(response)
            });
            let http = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
            tokio::spawn(http.serve_connection(TokioIo::new(socket), serve));
        }
    });
    url
}

async fn client(waf: &Waf) -> tonic::client::Grpc<tonic::transport::Channel> {
    let endpoint = Endpoint::from_shared(format!("http://127.0.0.1:{}", waf.port)).expect("a URL");
    let mut grpc = tonic::client::Grpc::new(endpoint.connect().await.expect("a connection"));
    grpc.ready().await.expect("readiness");
    grpc
}

fn method(name: &str) -> http::uri::PathAndQuery {
    format!("/test.Echo/{name}").parse().expect("a path")
}

async fn started() -> Waf {
    let url = server().await;
    tokio::task::spawn_blocking(move || running::waf(&to_upstream(&url))).await.expect("it starts")
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_and_their_status_pass() {
    let waf = started().await;
    let mut grpc = client(&waf).await;
    for size in [0, 5, 100_000] {
        let message = Bytes::from(vec![b'm'; size]);
        let answer = grpc.unary(Request::new(message.clone()), method("Say"), Raw).await.expect("an answer");
        assert_eq!(answer.into_inner(), message);
        grpc.ready().await.expect("readiness");
    }
    let refused =
        grpc.unary(Request::new(Bytes::from("deny")), method("Say"), Raw).await.expect_err("a refusal");
    assert_eq!((refused.code(), refused.message()), (Code::PermissionDenied, "not you"));
    assert!(waf.events().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_pass_message_by_message_in_both_directions() {
    let waf = started().await;
    let mut grpc = client(&waf).await;
    let (send, messages) = mpsc::channel(1);
    let chat = grpc.streaming(Request::new(ReceiverStream::new(messages)), method("Chat"), Raw);
    send.send(Bytes::from("0")).await.expect("room");
    let mut answers = chat.await.expect("an answer").into_inner();
    for number in 1..=1_000 {
        // The next message goes out only once the one before has come back.
        assert_eq!(answers.next().await.expect("a message").expect("no fault"), (number - 1).to_string());
        send.send(Bytes::from(number.to_string())).await.expect("room");
    }
    let begun = Instant::now();
    assert_eq!(answers.next().await.expect("a message").expect("no fault"), "1000");
    assert!(begun.elapsed() < Duration::from_millis(500), "{:?}", begun.elapsed());
    drop(send);
    assert!(answers.next().await.is_none());
    assert!(waf.events().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_share_connections_to_the_upstream() {
    let waf = started().await;
    let grpc = client(&waf).await;
    let calls: Vec<_> = (0..50)
        .map(|number| {
            let mut grpc = grpc.clone();
            tokio::spawn(async move {
                grpc.ready().await.expect("readiness");
                let message = Bytes::from(format!("call {number}"));
                let answer =
                    grpc.unary(Request::new(message.clone()), method("Say"), Raw).await.expect("an answer");
                assert_eq!(answer.into_inner(), message);
            })
        })
        .collect();
    for call in calls {
        call.await.expect("as it should be");
    }
}

/// A service in front of the server whose messages have at most 1,000 bytes.
async fn bounded() -> Waf {
    let url = server().await;
    let routes = format!("  - upstream: {url}\n    accept: {{ max_body_size: 1000 }}\n");
    tokio::task::spawn_blocking(move || running::waf(&with_routes(&routes))).await.expect("it starts")
}

#[tokio::test(flavor = "multi_thread")]
async fn each_message_is_bounded_and_not_their_sum() {
    let waf = bounded().await;
    let mut grpc = client(&waf).await;
    let messages: Vec<Bytes> = (0..50).map(|_| Bytes::from(vec![b'm'; 1000])).collect();
    let chat = grpc.streaming(Request::new(tokio_stream::iter(messages)), method("Chat"), Raw);
    let mut answers = chat.await.expect("an answer").into_inner();
    let mut count = 0;
    while let Some(answer) = answers.next().await {
        assert_eq!(answer.expect("no fault").len(), 1000);
        count += 1;
    }
    assert_eq!(count, 50);
    assert!(waf.events().is_empty());
    for size in [1001, 5000, 100_000] {
        grpc.ready().await.expect("readiness");
        let message = Request::new(Bytes::from(vec![b'm'; size]));
        let refused = grpc.unary(message, method("Say"), Raw).await.expect_err("a refusal");
        assert_eq!((refused.code(), refused.message()), (Code::Unknown, "blocked"), "{size}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_carry_a_status_of_grpc() {
    let waf = started().await;
    let mut grpc = client(&waf).await;
    for (name, value) in [
        ("note", "<script>alert(1)</script>"),
        ("note", "1' or '1'='1"),
        ("note", "../../../../etc/passwd"),
        ("user-agent", "sqlmap/1.8"),
        ("referer", "https://a.example/?q=1' or '1'='1"),
    ] {
        grpc.ready().await.expect("readiness");
        let mut request = Request::new(Bytes::from("message"));
        request.metadata_mut().insert(name, value.parse().expect("a value"));
        let refused = grpc.unary(request, method("Say"), Raw).await.expect_err("a refusal");
        assert_eq!((refused.code(), refused.message()), (Code::PermissionDenied, "blocked"), "{value}");
        assert!(refused.metadata().get("x-request-id").is_some());
    }
}

#[test]
fn calls_need_http2() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    let send = |content_type: &str, body: &[u8]| {
        let request = raw::Request::new("POST", "/").field("Content-Type", content_type);
        request.body(body).to(waf.port)
    };
    for content_type in ["application/grpc", "application/grpc+proto", "Application/GRPC; a=b"] {
        for attack in [
            "q=<script>alert(1)</script>",
            "{\"q\": \"1' or '1'='1\"}",
            "../../../../etc/passwd",
            "<?php system($_GET['c']); ?>",
            "; cat /etc/passwd",
        ] {
            blocked(&send(content_type, attack.as_bytes()), 403);
        }
        assert_eq!(send(content_type, b"q=two chairs").status, 200, "{content_type}");
    }
    // What is made for browsers is at home here.
    assert_eq!(send("application/grpc-web+proto", b"\0\0\0\0\x02\x0a\0").status, 200);
}
