//! One byte stream, plain or TLS, so that nothing above cares which.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsStream;

/// What both sides of a TLS connection chose by ALPN (RFC 7301).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chosen {
    /// `h2`
    Http2,
    /// `http/1.1`, or nothing.
    Http1,
}

/// A connection to a client or an upstream.
#[derive(Debug)]
pub enum Stream {
    /// TCP.
    Plain(TcpStream),
    /// TLS over TCP; boxed because it is ten times as large.
    Tls(Box<TlsStream<TcpStream>>),
}

impl Stream {
    /// What was chosen by ALPN; plain connections choose nothing.
    pub fn chosen(&self) -> Option<Chosen> {
        match self {
            Stream::Plain(_) => None,
            Stream::Tls(io) if io.get_ref().1.alpn_protocol() == Some(b"h2") => Some(Chosen::Http2),
            Stream::Tls(_) => Some(Chosen::Http1),
        }
    }

    /// Whether the peer chose HTTP/2 by ALPN.
    pub fn is_http2(&self) -> bool {
        self.chosen() == Some(Chosen::Http2)
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match &mut *self {
            Stream::Plain(io) => Pin::new(io).poll_read(cx, buf),
            Stream::Tls(io) => Pin::new(io).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        match &mut *self {
            Stream::Plain(io) => Pin::new(io).poll_write(cx, buf),
            Stream::Tls(io) => Pin::new(io).poll_write(cx, buf),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut *self {
            Stream::Plain(io) => Pin::new(io).poll_flush(cx),
            Stream::Tls(io) => Pin::new(io).poll_flush(cx),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut *self {
            Stream::Plain(io) => Pin::new(io).poll_shutdown(cx),
            Stream::Tls(io) => Pin::new(io).poll_shutdown(cx),
        }
    }
}
