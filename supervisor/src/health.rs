//! The health endpoints: `/healthz` and `/readyz`, answered by the supervisor itself so that neither depends on a
//! worker. It knows the [`Status`] it is told, nothing of how it came about.

use std::io;
use std::sync::Arc;

use hyper::header::HeaderValue;
use hyper::{Method, StatusCode};
use tokio::sync::watch;

use crate::listener::{self, Answer, Listener, only_shows};
use crate::readiness::Status;
use crate::sockets::Bound;

/// Starts to answer on a bound socket.
pub fn serve(socket: Arc<Bound>, status: watch::Receiver<Status>) -> io::Result<Listener> {
    Listener::serve(socket, move |request| answer(request.method(), request.uri().path(), *status.borrow()))
}

fn answer(method: &Method, path: &str, status: Status) -> Answer {
    let (code, text) = match (path, status.ready) {
        ("/healthz" | "/readyz", _) if !only_shows(method) => {
            (StatusCode::METHOD_NOT_ALLOWED, "method not allowed\n".to_owned())
        }
        ("/healthz", _) | ("/readyz", Ok(())) => (StatusCode::OK, "ok".to_owned()),
        ("/readyz", Err(why)) => (StatusCode::SERVICE_UNAVAILABLE, why.to_string()),
        _ => (StatusCode::NOT_FOUND, "not found\n".to_owned()),
    };
    let mut response = listener::text(code, text);
    if let Some(plan) = status.plan.and_then(|plan| HeaderValue::try_from(plan.to_string()).ok()) {
        response.headers_mut().insert("x-waf-plan", plan);
    }
    response
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use hyper::header::ALLOW;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;
    use waf_shared::plan::Digest;

    use super::*;
    use crate::readiness::NotReady;
    use crate::sockets::Sockets;

    const READY: Status = Status { ready: Ok(()), plan: Some(Digest([0xab; 32])) };

    fn code(method: &Method, path: &str, status: Status) -> u16 {
        answer(method, path, status).status().as_u16()
    }

    #[test]
    fn answers_are_as_decided() {
        let starting = Status { ready: Err(NotReady::Starting), plan: None };
        assert_eq!(code(&Method::GET, "/healthz", starting), 200);
        assert_eq!(code(&Method::GET, "/readyz", starting), 503);
        assert_eq!(code(&Method::GET, "/readyz", READY), 200);
        assert_eq!(code(&Method::HEAD, "/readyz", READY), 200);
        assert_eq!(code(&Method::POST, "/readyz", READY), 405);
        assert_eq!(code(&Method::GET, "/", READY), 404);
        assert_eq!(code(&Method::POST, "/metrics", READY), 404);
        let refused = answer(&Method::DELETE, "/healthz", READY);
        assert_eq!(refused.headers()[ALLOW], "GET, HEAD");
        assert_eq!(refused.headers()["x-waf-plan"], "ab".repeat(32));
        assert!(!answer(&Method::GET, "/readyz", starting).headers().contains_key("x-waf-plan"));
    }

    #[tokio::test]
    async fn it_serves_what_it_is_told() {
        let probe = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = probe.local_addr().unwrap().port();
        drop(probe);
        let socket = Sockets::default().bind("health_port", port).unwrap();
        let (tell, status) = watch::channel(READY);
        let health = serve(socket, status).unwrap();
        let ask = async || {
            let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            stream.write_all(b"GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await.unwrap();
            let mut text = String::new();
            stream.read_to_string(&mut text).await.unwrap();
            text
        };
        let ready = ask().await;
        assert!(ready.starts_with("HTTP/1.1 200 OK\r\n") && ready.ends_with("\r\n\r\nok"), "{ready}");
        tell.send(Status { ready: Err(NotReady::Stopping), ..READY }).unwrap();
        let stopping = ask().await;
        assert!(
            stopping.starts_with("HTTP/1.1 503 ") && stopping.ends_with("\r\n\r\nstopping"),
            "{stopping}"
        );
        drop(health);
    }
}
