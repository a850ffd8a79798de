//! The health endpoints: `/healthz` and `/readyz`, answered by the supervisor itself so that neither depends on a
//! worker. It knows the [`HealthStatus`] that it receives, nothing of how it came about.

use std::fmt::Write as _;
use std::io;
use std::sync::Arc;

use hyper::header::HeaderValue;
use hyper::{Method, StatusCode};
use tokio::sync::watch;

use crate::listener::{self, Answer, Listener, only_shows};
use crate::readiness::HealthStatus;
use crate::sockets::Bound;

/// Bytes of the header that names hosts without a certificate.
const MISSING_BYTES_MAX: usize = 2048;

/// Starts to answer on a bound socket.
pub fn serve(socket: Arc<Bound>, status: watch::Receiver<HealthStatus>) -> io::Result<Listener> {
    Listener::serve(socket, move |request| answer(request.method(), request.uri().path(), &status.borrow()))
}

fn answer(method: &Method, path: &str, status: &HealthStatus) -> Answer {
    let (code, text) = match (path, &status.ready) {
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
    if let Some(plan) = status.rolled_back.and_then(|plan| HeaderValue::try_from(plan.to_string()).ok()) {
        response.headers_mut().insert("x-waf-plan-rolled-back", plan);
    }
    if path == "/readyz"
        && !status.missing.is_empty()
        && let Ok(missing) = HeaderValue::try_from(listed(&status.missing))
    {
        response.headers_mut().insert("x-waf-certificates-missing", missing);
    }
    response
}

/// Names on one line, as many as fit, and how many more there are.
fn listed(names: &[String]) -> String {
    let mut line = String::new();
    for (at, name) in names.iter().enumerate() {
        if line.len() + name.len() > MISSING_BYTES_MAX {
            let _ = write!(line, ", and {} more", names.len() - at);
            break;
        }
        line.push_str(if line.is_empty() { "" } else { ", " });
        line.push_str(name);
    }
    line
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

    fn ready() -> HealthStatus {
        HealthStatus {
            ready: Ok(()),
            plan: Some(Digest([0xab; 32])),
            rolled_back: None,
            missing: Arc::default(),
        }
    }

    fn code(method: &Method, path: &str, status: &HealthStatus) -> u16 {
        answer(method, path, status).status().as_u16()
    }

    #[test]
    fn answers_are_as_decided() {
        let ready = ready();
        let starting = HealthStatus {
            ready: Err(NotReady::Starting),
            plan: None,
            rolled_back: None,
            missing: Arc::default(),
        };
        assert_eq!(code(&Method::GET, "/healthz", &starting), 200);
        assert_eq!(code(&Method::GET, "/readyz", &starting), 503);
        assert_eq!(code(&Method::GET, "/readyz", &ready), 200);
        assert_eq!(code(&Method::HEAD, "/readyz", &ready), 200);
        assert_eq!(code(&Method::POST, "/readyz", &ready), 405);
        assert_eq!(code(&Method::GET, "/", &ready), 404);
        assert_eq!(code(&Method::POST, "/metrics", &ready), 404);
        let refused = answer(&Method::DELETE, "/healthz", &ready);
        assert_eq!(refused.headers()[ALLOW], "GET, HEAD");
        assert_eq!(refused.headers()["x-waf-plan"], "ab".repeat(32));
        assert!(!refused.headers().contains_key("x-waf-plan-rolled-back"));
        let rolled_back = HealthStatus { rolled_back: Some(Digest([0xcd; 32])), ..ready.clone() };
        let answer_after = answer(&Method::GET, "/readyz", &rolled_back);
        assert_eq!(answer_after.headers()["x-waf-plan-rolled-back"], "cd".repeat(32));
        assert!(!answer(&Method::GET, "/readyz", &starting).headers().contains_key("x-waf-plan"));
    }

    #[test]
    fn hosts_without_a_certificate_are_named_and_cost_no_readiness() {
        let named = |names: Vec<String>| {
            let status = HealthStatus { missing: names.into(), ..ready() };
            let answer = answer(&Method::GET, "/readyz", &status);
            assert_eq!(answer.status(), 200);
            let value = answer.headers().get("x-waf-certificates-missing");
            value.map(|value| value.to_str().unwrap().to_owned())
        };
        assert_eq!(named(Vec::new()), None);
        let two = vec!["a.example".to_owned(), "b.example".to_owned()];
        assert_eq!(named(two).as_deref(), Some("a.example, b.example"));
        let many: Vec<String> = (1000..2000).map(|n| format!("host-{n}.example")).collect();
        let line = named(many).unwrap();
        let listed = line.matches(".example").count();
        assert!(line.len() < 2200 && line.ends_with(&format!(", and {} more", 1000 - listed)), "{line}");
    }

    #[tokio::test]
    async fn it_serves_what_it_is_told() {
        let probe = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = probe.local_addr().unwrap().port();
        drop(probe);
        let socket = Sockets::default().bind("health_port", port).unwrap();
        let (tell, status) = watch::channel(self::ready());
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
        tell.send(HealthStatus { ready: Err(NotReady::Stopping), ..self::ready() }).unwrap();
        let stopping = ask().await;
        assert!(
            stopping.starts_with("HTTP/1.1 503 ") && stopping.ends_with("\r\n\r\nstopping"),
            "{stopping}"
        );
        drop(health);
    }
}
