//! One client connection: heads in, exchanges run one after the other, the connection closed as each of them says.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, ReadHalf, WriteHalf};
use tokio::sync::watch;
use tokio::time::timeout;
use waf_shared::catalog::Leaf;
use waf_shared::limits;

use crate::active_plan::ActivePlan;
use crate::exchange::{self, ConnectionFate, ConnectionInfo, Exchange, Findings, Rejection};
use crate::head::RequestHead;
use crate::http1::reader::{HeadError, Reader};
use crate::http2::{self, PREFACE};
use crate::message::{Client, Sink, Source};
use crate::proxy::Proxy;
use crate::refusal::{TIMEOUT, UNAVAILABLE};
use crate::stream::{Alpn, Stream};

/// A client connection that carries one request after the other.
#[derive(Debug)]
struct Connection {
    reader: Reader<ReadHalf<Stream>>,
    writer: WriteHalf<Stream>,
}

/// Serves a connection until it ends.
pub(crate) async fn serve(proxy: Arc<Proxy>, stream: Stream, info: ConnectionInfo) {
    let chosen = stream.chosen();
    let (reader, writer) = tokio::io::split(stream);
    let mut connection = Connection { reader: Reader::new(reader), writer };
    let mut stop = proxy.stopping();
    let begins = tokio::select! {
        biased;
        begins = beginning(&mut connection.reader, first_patience(&proxy)) => begins,
        () = grace(&mut stop) => Beginning::Silence,
    };
    match (begins, chosen) {
        // Whoever agreed on HTTP/2 has to speak it (RFC 9113 section 3.4).
        (Beginning::Silence, _) | (Beginning::Http1, Some(Alpn::Http2)) => {
            return farewell(&mut connection.writer).await;
        }
        // Over TLS it is spoken where it was agreed on alone: anything else is then no HTTP/1.1.
        (Beginning::Http1, _) | (Beginning::Http2, Some(Alpn::Http1)) => {}
        (Beginning::Http2, None | Some(Alpn::Http2)) => {
            let (reader, begun) = connection.reader.into_parts();
            let stream = reader.unsplit(connection.writer);
            return http2::server::serve(Arc::clone(&proxy), stream, begun, info).await;
        }
    }
    // A client that connects means to send: only a connection that has carried a request may idle.
    let mut patience = first_patience(&proxy);
    loop {
        let arrived = tokio::select! {
            biased;
            arrived = arrival(&mut connection.reader, patience) => arrived,
            () = grace(&mut stop) => false,
        };
        let Some(active_plan) = proxy.active_plan().filter(|_| arrived) else {
            farewell(&mut connection.writer).await;
            break;
        };
        patience = Duration::from_secs(limits::KEEP_ALIVE_SECONDS);
        match one(&mut connection, &proxy, active_plan, info.clone()).await {
            ConnectionFate::KeepAlive => {}
            ConnectionFate::Close => {
                linger(connection).await;
                break;
            }
            ConnectionFate::Abort => break,
        }
    }
}

/// Answers that there is no place for the connection, and closes it. A client of HTTP/2 sees it close.
pub(crate) async fn decline(proxy: Arc<Proxy>, stream: Stream, info: ConnectionInfo) {
    let speaks_http2 = matches!(stream.chosen(), Some(Alpn::Http2));
    let (reader, writer) = tokio::io::split(stream);
    let mut connection = Connection { reader: Reader::new(reader), writer };
    let Some(active_plan) = proxy.active_plan().filter(|_| !speaks_http2) else {
        return farewell(&mut connection.writer).await;
    };
    let mut exchange = Exchange::new(active_plan, info);
    let Connection { reader, writer } = &mut connection;
    let mut client = Client { reader: Source::http1(reader), writer: Sink::to_client(writer) };
    let refused = Rejection::Refused(UNAVAILABLE);
    if !matches!(exchange::reject(refused, &mut client, &proxy, &mut exchange).await, ConnectionFate::Abort) {
        linger(connection).await;
    }
}

/// Beginning of a connection.
enum Beginning {
    /// Nothing, within the time that there was.
    Silence,
    Http1,
    Http2,
}

/// Reads until the first bytes are the preface of HTTP/2 or cannot become it, for at most `patience`. None are taken.
async fn beginning<R: AsyncRead + Unpin>(reader: &mut Reader<R>, patience: Duration) -> Beginning {
    let read = async {
        while reader.buffered().len() < PREFACE.len() && PREFACE.starts_with(reader.buffered()) {
            if !matches!(reader.fill().await, Ok(1..)) {
                return;
            }
        }
    };
    let _ = timeout(patience, read).await;
    match reader.buffered() {
        [] => Beginning::Silence,
        begun if begun.starts_with(PREFACE) => Beginning::Http2,
        _ => Beginning::Http1,
    }
}

/// Waits for a stop and a little longer: a request that was on its way when the stop began is still answered, and its
/// answer says that the connection closes (RFC 9112 section 9.6).
async fn grace(stop: &mut watch::Receiver<bool>) {
    // The sender lives as long as the proxy, which this connection holds.
    let _ = stop.wait_for(|stopping| *stopping).await;
    tokio::time::sleep(Duration::from_millis(limits::STOP_GRACE_MILLISECONDS)).await;
}

fn first_patience(proxy: &Proxy) -> Duration {
    let keep_alive = Duration::from_secs(limits::KEEP_ALIVE_SECONDS);
    proxy
        .active_plan()
        .map_or(keep_alive, |s| s.plan().protocol.slow_request_header_timeout.duration().min(keep_alive))
}

/// Waits for the first byte of a request; `false` when none comes.
async fn arrival<R: AsyncRead + Unpin>(reader: &mut Reader<R>, patience: Duration) -> bool {
    // Clients may send an empty line after a body (RFC 9112 section 2.2); one is passed over, more are no request.
    for _ in 0..2 {
        if !reader.has_buffered() && !matches!(timeout(patience, reader.fill()).await, Ok(Ok(1..))) {
            return false;
        }
        reader.skip_empty_line();
        if reader.has_buffered() {
            return true;
        }
    }
    false
}

async fn one(
    connection: &mut Connection,
    proxy: &Proxy,
    active_plan: Arc<ActivePlan>,
    info: ConnectionInfo,
) -> ConnectionFate {
    let Connection { reader, writer } = connection;
    let patience = active_plan.plan().protocol.slow_request_header_timeout.duration();
    let bytes_max = active_plan.head_bytes_max();
    let mut exchange = Exchange::new(active_plan, info);
    let rejection = match timeout(patience, reader.head(bytes_max)).await {
        Ok(Ok(bytes)) => match RequestHead::parse(bytes.clone()) {
            Ok(head) => {
                let mut client = Client { reader: Source::http1(reader), writer: Sink::to_client(writer) };
                return exchange::run(head, &mut client, proxy, &mut exchange).await;
            }
            Err(why) => exchange::malformed(why, first_line(&bytes), &mut exchange.findings),
        },
        Ok(Err(HeadError::Malformed(why))) => {
            let raw = first_line(reader.buffered()).to_vec();
            exchange::malformed(why, &raw, &mut exchange.findings)
        }
        Ok(Err(HeadError::TooLong)) => too_long(reader.buffered(), &mut exchange.findings),
        Ok(Err(HeadError::Closed | HeadError::Truncated | HeadError::Io(_))) => return ConnectionFate::Abort,
        Err(_) => {
            let raw = first_line(reader.buffered()).to_vec();
            let reason = "the head was not complete within slow_request_header_timeout".to_owned();
            let _ = exchange.findings.refuse_unread(408, Leaf::RequestValidationSlowClients, reason, &raw);
            Rejection::Refused(TIMEOUT)
        }
    };
    let mut client = Client { reader: Source::http1(reader), writer: Sink::to_client(writer) };
    exchange::reject(rejection, &mut client, proxy, &mut exchange).await
}

/// A head beyond what any mode reads: the target is at fault when not even the first line has ended.
fn too_long(buffered: &[u8], findings: &mut Findings) -> Rejection {
    let line = first_line(buffered);
    let (status, leaf) = if line.len() > limits::TARGET_BYTES_MAX {
        (414, Leaf::RequestValidationMaxUrlLength)
    } else {
        (431, Leaf::RequestValidationMaxHeaderSize)
    };
    let line = line.to_vec();
    Rejection::Refused(findings.refuse_unread(
        status,
        leaf,
        "the head is too long to be read".to_owned(),
        &line,
    ))
}

fn first_line(bytes: &[u8]) -> &[u8] {
    bytes.split(|b| matches!(b, b'\r' | b'\n')).next().unwrap_or_default()
}

/// Says that nothing more comes: over TLS a client could not tell a close from a cut (RFC 8446 section 6.1).
async fn farewell(writer: &mut WriteHalf<Stream>) {
    let _ = timeout(Duration::from_secs(limits::LINGER_SECONDS), writer.shutdown()).await;
}

/// Closes so that the client can still read the answer: bytes that arrive unread would make the kernel reset the
/// connection and throw away what is on its way (RFC 9112 section 9.6).
async fn linger(connection: Connection) {
    let Connection { reader, mut writer } = connection;
    let mut io = reader.into_inner();
    let discard = async {
        if writer.shutdown().await.is_err() {
            return;
        }
        let mut scratch = vec![0u8; limits::READ_BYTES];
        let mut left = limits::LINGER_BYTES_MAX;
        while let Ok(read @ 1..) = io.read(&mut scratch).await {
            left = left.saturating_sub(read);
            if left == 0 {
                return;
            }
        }
    };
    let _ = timeout(Duration::from_secs(limits::LINGER_SECONDS), discard).await;
}
