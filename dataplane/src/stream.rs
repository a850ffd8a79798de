//! One byte stream, plain or TLS, so that nothing above cares which.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use rustix::io::Errno;
use rustix::net::RecvFlags;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsStream;

/// Protocol that both sides of a TLS connection chose by ALPN (RFC 7301).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alpn {
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
    /// Memory, in unit tests.
    #[cfg(test)]
    Memory(tokio::io::DuplexStream),
}

impl Stream {
    /// The protocol that was chosen by ALPN; plain connections choose nothing.
    pub fn chosen(&self) -> Option<Alpn> {
        match self {
            Stream::Plain(_) => None,
            Stream::Tls(io) if io.get_ref().1.alpn_protocol() == Some(b"h2") => Some(Alpn::Http2),
            Stream::Tls(_) => Some(Alpn::Http1),
            #[cfg(test)]
            Stream::Memory(_) => None,
        }
    }

    /// Reports whether the peer has sent nothing that was not read, and has not closed. Never waits.
    pub fn is_quiet(&mut self) -> bool {
        let tcp = match self {
            Stream::Plain(io) => &*io,
            Stream::Tls(io) => io.get_ref().0,
            #[cfg(test)]
            Stream::Memory(_) => return true,
        };
        // The system is asked: the runtime learns what came only when it next waits. Bytes of a TLS record count as well,
        // whatever they would turn out to be.
        let came = rustix::net::recv(tcp, &mut [0u8; 1], RecvFlags::PEEK | RecvFlags::DONTWAIT);
        if !matches!(came, Err(Errno::AGAIN)) {
            return false;
        }
        // What TLS has read and nobody has taken.
        let mut byte = [0u8; 1];
        let mut context = Context::from_waker(Waker::noop());
        Pin::new(self).poll_read(&mut context, &mut ReadBuf::new(&mut byte)).is_pending()
    }

    /// Reports whether the peer chose HTTP/2 by ALPN.
    pub fn is_http2(&self) -> bool {
        self.chosen() == Some(Alpn::Http2)
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
            #[cfg(test)]
            Stream::Memory(io) => Pin::new(io).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        match &mut *self {
            Stream::Plain(io) => Pin::new(io).poll_write(cx, buf),
            Stream::Tls(io) => Pin::new(io).poll_write(cx, buf),
            #[cfg(test)]
            Stream::Memory(io) => Pin::new(io).poll_write(cx, buf),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut *self {
            Stream::Plain(io) => Pin::new(io).poll_flush(cx),
            Stream::Tls(io) => Pin::new(io).poll_flush(cx),
            #[cfg(test)]
            Stream::Memory(io) => Pin::new(io).poll_flush(cx),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut *self {
            Stream::Plain(io) => Pin::new(io).poll_shutdown(cx),
            Stream::Tls(io) => Pin::new(io).poll_shutdown(cx),
            #[cfg(test)]
            Stream::Memory(io) => Pin::new(io).poll_shutdown(cx),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[tokio::test]
    async fn what_came_is_seen_before_the_runtime_has_looked() {
        type End = fn(std::net::TcpStream) -> Option<std::net::TcpStream>;
        let info: [(&str, End, bool); 5] = [
            ("nothing", Some, true),
            ("an answer", |mut peer| peer.write_all(b"HTTP/1.1 200 OK\r\n\r\n").map(|()| peer).ok(), false),
            ("a byte", |mut peer| peer.write_all(b"x").map(|()| peer).ok(), false),
            ("the end", |peer| peer.shutdown(std::net::Shutdown::Write).map(|()| peer).ok(), false),
            (
                "a reset",
                |peer| {
                    socket2::SockRef::from(&peer).set_linger(Some(std::time::Duration::ZERO)).ok().and(None)
                },
                false,
            ),
        ];
        for (what, end, expected) in info {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a listener");
            let peer = std::net::TcpStream::connect(listener.local_addr().expect("bound")).expect("a peer");
            let (ours, _) = listener.accept().await.expect("a connection");
            let mut stream = Stream::Plain(ours);
            assert!(stream.is_quiet(), "before {what}");
            let _peer = end(peer);
            // Nothing is awaited in between.
            assert_eq!(stream.is_quiet(), expected, "{what}");
        }
    }
}
