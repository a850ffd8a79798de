//! The answer on its way to the client: its head with our header rules applied, its body as it comes.

use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite};

use super::admit::Admitted;
use super::record::Record;
use super::transfer::within;
use crate::http1::body::Decoder;
use crate::http1::framing::{self, Framing};
use crate::http1::head::{ResponseHead, Version};
use crate::http1::reader::{Piece, Reader};
use crate::serving::HeaderRules;
use crate::upstream::UpstreamError;
use crate::wire;

/// Bytes that are collected before they are written.
const COALESCE_BYTES_MAX: usize = 32 << 10;

/// How an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relayed {
    /// The client has all of it, and knows.
    Whole {
        /// Whether the upstream connection may carry another request.
        reusable: bool,
    },
    /// The client has all of it, and learns that from the end of the connection.
    ByClose,
    /// One side broke off.
    Cut,
}

/// An answer that is ready to be relayed.
#[derive(Debug)]
pub(super) struct Answer {
    /// The head as the client gets it.
    head: Vec<u8>,
    decoder: Decoder,
    mode: BodyMode,
    reusable: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BodyMode {
    /// Data as it is, its length known to the client.
    Plain,
    Chunked,
    /// Data as it is, ended by the end of the connection.
    Close,
}

impl Answer {
    /// Decides framing and writes the head.
    pub(super) fn new(
        response: &ResponseHead,
        admitted: &Admitted,
        record: &Record,
        keep_alive: bool,
    ) -> Result<Answer, UpstreamError> {
        let framing =
            framing::of_response(response, admitted.head.method()).map_err(UpstreamError::Malformed)?;
        let version = admitted.head.version;
        let mode = match (framing, version) {
            (Framing::None | Framing::Length(_), _) => BodyMode::Plain,
            (_, Version::Http11) => BodyMode::Chunked,
            (_, Version::Http10) => BodyMode::Close,
        };
        let reusable = response.version == Version::Http11
            && framing != Framing::UntilClose
            && !has_token(response, "connection", b"close");
        let keep_alive = keep_alive && mode != BodyMode::Close;
        let mut head = Vec::with_capacity(1024);
        write_head(response, record, mode, &mut head);
        match (keep_alive, version) {
            (false, _) => line(&mut head, b"Connection", b"close"),
            (true, Version::Http10) => line(&mut head, b"Connection", b"keep-alive"),
            (true, Version::Http11) => {}
        }
        head.extend_from_slice(b"\r\n");
        Ok(Answer { head, decoder: Decoder::new(framing), mode, reusable })
    }

    /// Relays head and body. Waits at most `patience` between bytes of the upstream's.
    pub(super) async fn relay<R, W>(
        self,
        upstream: &mut Reader<R>,
        client: &mut W,
        patience: Duration,
    ) -> Relayed
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        let Answer { head: mut out, mut decoder, mode, reusable } = self;
        loop {
            // What has arrived with the head or the last piece goes out in the same write.
            let end = match collect(upstream, &mut decoder, mode, &mut out) {
                Ok(end) => end,
                Err(Broken) => return cut(client, &out).await,
            };
            if let Some(trailers) = end {
                if mode == BodyMode::Chunked {
                    wire::push_last_chunk(&mut out, &trailers);
                }
                return match wire::write_all(client, &out).await {
                    Err(_) => Relayed::Cut,
                    Ok(()) if mode == BodyMode::Close => Relayed::ByClose,
                    Ok(()) => Relayed::Whole { reusable },
                };
            }
            if wire::write_all(client, &out).await.is_err() {
                return Relayed::Cut;
            }
            out.clear();
            match within(patience, upstream.body(&mut decoder)).await {
                Some(Ok(Piece::Data(data))) => push(mode, &mut out, &data),
                Some(Ok(Piece::End(trailers))) => {
                    if mode == BodyMode::Chunked {
                        wire::push_last_chunk(&mut out, &trailers);
                    }
                    let written = wire::write_all(client, &out).await;
                    return match (written, mode) {
                        (Err(_), _) => Relayed::Cut,
                        (Ok(()), BodyMode::Close) => Relayed::ByClose,
                        (Ok(()), _) => Relayed::Whole { reusable },
                    };
                }
                // The client must see that bytes are missing: no last chunk, no full length, a connection that ends.
                Some(Err(_)) | None => return Relayed::Cut,
            }
        }
    }
}

struct Broken;

/// Appends what is buffered; the trailers when the body is complete.
fn collect<R: AsyncRead + Unpin>(
    upstream: &mut Reader<R>,
    decoder: &mut Decoder,
    mode: BodyMode,
    out: &mut Vec<u8>,
) -> Result<Option<Bytes>, Broken> {
    while out.len() < COALESCE_BYTES_MAX {
        match upstream.body_buffered(decoder).map_err(|_| Broken)? {
            Some(Piece::Data(data)) => push(mode, out, &data),
            Some(Piece::End(trailers)) => return Ok(Some(trailers)),
            None => break,
        }
    }
    Ok(None)
}

async fn cut<W: AsyncWrite + Unpin>(client: &mut W, out: &[u8]) -> Relayed {
    let _ = wire::write_all(client, out).await;
    Relayed::Cut
}

fn push(mode: BodyMode, out: &mut Vec<u8>, data: &[u8]) {
    if mode == BodyMode::Chunked { wire::push_chunk(out, data) } else { out.extend_from_slice(data) }
}

/// Fields of the upstream's answer that belong to its own hop.
const NOT_RELAYED: &[&str] = &[
    "connection",
    "keep-alive",
    "proxy-connection",
    "transfer-encoding",
    "upgrade",
    "te",
    "proxy-authenticate",
];

fn write_head(response: &ResponseHead, record: &Record, mode: BodyMode, out: &mut Vec<u8>) {
    let rules = record.serving.header_rules(record.route);
    out.extend_from_slice(b"HTTP/1.1 ");
    out.extend_from_slice(itoa::Buffer::new().format(response.status).as_bytes());
    out.push(b' ');
    out.extend_from_slice(response.reason());
    out.extend_from_slice(b"\r\n");
    let mut has_request_id = false;
    for (name, value) in response.fields.iter() {
        let skip = NOT_RELAYED.iter().any(|n| name.eq_ignore_ascii_case(n.as_bytes()))
            || (response.status == 204 && name.eq_ignore_ascii_case(b"content-length"))
            || is_named_by_connection(response, name)
            || rules.strips(name);
        if !skip {
            has_request_id |= name.eq_ignore_ascii_case(b"x-request-id");
            line(out, name, value);
        }
    }
    if mode == BodyMode::Chunked {
        line(out, b"Transfer-Encoding", b"chunked");
    }
    if !has_request_id {
        line(out, b"X-Request-Id", record.request_id.as_bytes());
    }
    add_headers(response, rules, out);
}

fn add_headers(response: &ResponseHead, rules: &HeaderRules, out: &mut Vec<u8>) {
    for header in &rules.add {
        if header.replaces
            || response.fields.first(&header.name).is_none()
            || rules.strips(header.name.as_bytes())
        {
            line(out, header.name.as_bytes(), header.value.as_bytes());
        }
    }
}

fn is_named_by_connection(response: &ResponseHead, name: &[u8]) -> bool {
    // An upstream that takes out its own framing or content would break the message; such tokens are passed over.
    if name.eq_ignore_ascii_case(b"content-length") || name.eq_ignore_ascii_case(b"content-type") {
        return false;
    }
    response
        .fields
        .all("connection")
        .any(|v| v.split(|b| *b == b',').any(|t| t.trim_ascii().eq_ignore_ascii_case(name)))
}

fn has_token(response: &ResponseHead, field: &str, token: &[u8]) -> bool {
    let mut values = response.fields.all(field);
    values.any(|v| v.split(|b| *b == b',').any(|t| t.trim_ascii().eq_ignore_ascii_case(token)))
}

fn line(out: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    for part in [name, b": ", value, b"\r\n"] {
        out.extend_from_slice(part);
    }
}
