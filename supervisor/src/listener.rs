//! A small HTTP listener of the supervisor's own, for endpoints that must answer whatever workers do. It is given the
//! answers; it knows connections and their bounds.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::{JoinHandle, JoinSet};
use tracing::warn;
use waf_shared::control::SocketId;

use crate::sockets::Bound;

/// Connections at once; probes and scrapers come one by one.
const CONNECTIONS_MAX: usize = 64;

/// From the first byte of a head, or from the last answer, to the end of the next head.
const HEAD_TIME: Duration = Duration::from_secs(5);

/// Life of a connection, however busy it is.
const CONNECTION_TIME: Duration = Duration::from_mins(1);

/// Pause when the system has no descriptors left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// An answer of ours.
pub type Answer = Response<Full<Bytes>>;

/// A running listener. Dropping it stops it and cuts its connections.
#[derive(Debug)]
pub struct Listener {
    socket: Arc<Bound>,
    retired: watch::Sender<bool>,
    accepting: JoinHandle<()>,
}

impl Listener {
    /// Starts to answer on a bound socket.
    pub fn serve<A>(socket: Arc<Bound>, answer: A) -> io::Result<Self>
    where
        A: Fn(&Request<Incoming>) -> Answer + Clone + Send + 'static,
    {
        let listener = TcpListener::from_std(socket.listener.try_clone()?)?;
        let retired = watch::Sender::new(false);
        let accepting = tokio::spawn(accept(listener, answer, retired.subscribe()));
        Ok(Self { socket, retired, accepting })
    }

    /// Leaves new connections to another process that has the same socket. Those that are open get one more answer,
    /// which says that they end.
    pub fn retire(&self) {
        self.retired.send_replace(true);
    }

    /// The socket that it answers on.
    pub fn socket(&self) -> SocketId {
        self.socket.id
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept<A>(listener: TcpListener, answer: A, mut retired: watch::Receiver<bool>)
where
    A: Fn(&Request<Incoming>) -> Answer + Clone + Send + 'static,
{
    let slots = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    // Connections end with the listener: aborting this task drops the set.
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        let accepted = tokio::select! {
            biased;
            _ = retired.wait_for(|retired| *retired) => break,
            accepted = next(&listener, &slots) => accepted,
        };
        match accepted {
            Ok((stream, slot)) => {
                let (answer, retired) = (answer.clone(), retired.clone());
                connections.spawn(async move {
                    connection(stream, answer, retired).await;
                    drop(slot);
                });
            }
            Err(error) => {
                warn!(%error, "a connection of a probe or scraper cannot be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    // The socket is not listened on here any more.
    drop(listener);
    while connections.join_next().await.is_some() {}
}

/// A connection, once there is room for it.
async fn next(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
) -> io::Result<(TcpStream, OwnedSemaphorePermit)> {
    let slot = slots.clone().acquire_owned().await.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    Ok((stream, slot))
}

async fn connection<A>(stream: TcpStream, answer: A, retired: watch::Receiver<bool>)
where
    A: Fn(&Request<Incoming>) -> Answer,
{
    let service = service_fn(move |request: Request<Incoming>| {
        let mut answer = answer(&request);
        if *retired.borrow() {
            answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        async move { Ok::<_, Infallible>(answer) }
    });
    let served = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(16 << 10)
        .serve_connection(TokioIo::new(stream), service);
    // What a client does wrong is its own affair; the listener goes on.
    let _ = tokio::time::timeout(CONNECTION_TIME, served).await;
}

/// A short text, not to be kept by caches.
pub fn text(code: StatusCode, text: impl Into<Bytes>) -> Answer {
    let mut response = Response::new(Full::new(text.into()));
    *response.status_mut() = code;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if code == StatusCode::METHOD_NOT_ALLOWED {
        headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
    }
    response
}

/// True if an endpoint that only shows something takes `method`.
pub fn only_shows(method: &Method) -> bool {
    *method == Method::GET || *method == Method::HEAD
}
