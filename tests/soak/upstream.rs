//! The protected upstreams: pages that count what they are sent, and WebSockets that say everything back.

use std::convert::Infallible;
use std::net::SocketAddr;

use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

/// Address at which it listens.
pub(super) struct Upstream {
    pub(super) pages: SocketAddr,
    pub(super) sockets: SocketAddr,
}

pub(super) async fn start() -> Upstream {
    let pages = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let sockets = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let addresses = [&pages, &sockets].map(|listener| listener.local_addr().expect("bound"));
    tokio::spawn(serve_pages(pages));
    tokio::spawn(serve_sockets(sockets));
    let [pages, sockets] = addresses;
    Upstream { pages, sockets }
}

async fn serve_pages(listener: TcpListener) {
    while let Ok((stream, _)) = listener.accept().await {
        let connection = hyper::server::conn::http1::Builder::new()
            .serve_connection(TokioIo::new(stream), service_fn(page));
        tokio::spawn(async move {
            // The service may close a connection whenever it likes.
            let _ = connection.await;
        });
    }
}

/// A page of 2 KB that begins with the length of the request's body.
async fn page(request: http::Request<Incoming>) -> Result<http::Response<Full<Bytes>>, Infallible> {
    let mut body = request.into_body();
    let mut length = 0;
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return Ok(http::Response::new(Full::default())) };
        length += frame.data_ref().map_or(0, Bytes::len);
    }
    let mut text = format!("{length}\n");
    text.push_str(&"<p>tea for two</p>\n".repeat(100));
    let mut response = http::Response::new(Full::new(Bytes::from(text)));
    response.headers_mut().insert("content-type", http::HeaderValue::from_static("text/html"));
    Ok(response)
}

async fn serve_sockets(listener: TcpListener) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(async move {
            let Ok(mut socket) = tokio_tungstenite::accept_async(stream).await else { return };
            while let Some(Ok(message)) = socket.next().await {
                let is_data = message.is_text() || message.is_binary();
                if is_data && socket.send(message).await.is_err() {
                    return;
                }
            }
        });
    }
}
