//! The PROXY protocol (haproxy's "The PROXY protocol, versions 1 and 2"): a header before the first byte of a connection,
//! TLS included, in which a trusted peer names who connected to it. It knows bytes and addresses, nothing of requests.

mod sender;

mod v1;

mod v2;

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use waf_shared::limits::PROXY_HEADER_BYTES_MAX;

pub(crate) use sender::Sender;

/// Use of the PROXY protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProxyProtocol {
    /// No peer sends a header.
    #[default]
    Off,
    /// Trusted peers have to send a header, and no others may.
    FromTrustedPeers,
}

/// The reason why a connection has no usable header.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HeaderError {
    /// The connection ended before its first byte, as checks of balancers do.
    #[error("the connection ended before its first byte")]
    Closed,
    /// It begins with something else.
    #[error("the connection does not begin with a PROXY protocol header")]
    Missing,
    /// The header is malformed, or longer than any.
    #[error("the PROXY protocol header is malformed")]
    Malformed,
    /// The connection broke.
    #[error("the connection broke")]
    Io(#[from] io::Error),
}

/// Reads the header of a connection, and not a byte behind it.
pub(crate) async fn read<R: AsyncRead + Unpin>(stream: &mut R) -> Result<Sender, HeaderError> {
    // The shortest header of either version is longer than this.
    let mut begun = [0u8; v2::SIGNATURE.len()];
    let mut filled = 0;
    while let Some(room) = begun.get_mut(filled..).filter(|room| !room.is_empty()) {
        match stream.read(room).await? {
            0 if filled == 0 => return Err(HeaderError::Closed),
            0 => return Err(HeaderError::Missing),
            count => filled += count,
        }
        if !may_begin(begun.get(..filled).unwrap_or_default()) {
            return Err(HeaderError::Missing);
        }
    }
    if begun == *v2::SIGNATURE { binary(stream).await } else { line(stream, &begun).await }
}

/// Reports whether a header may begin with these bytes.
fn may_begin(begun: &[u8]) -> bool {
    v2::SIGNATURE.starts_with(begun) || v1::PREFIX.starts_with(begun) || begun.starts_with(v1::PREFIX)
}

async fn line<R: AsyncRead + Unpin>(stream: &mut R, begun: &[u8]) -> Result<Sender, HeaderError> {
    let mut line = begun.to_vec();
    // Byte by byte: what follows belongs to TLS or HTTP.
    while line.last() != Some(&b'\n') {
        if line.len() >= v1::LINE_BYTES_MAX {
            return Err(HeaderError::Malformed);
        }
        line.push(stream.read_u8().await?);
    }
    v1::parse(&line).ok_or(HeaderError::Malformed)
}

async fn binary<R: AsyncRead + Unpin>(stream: &mut R) -> Result<Sender, HeaderError> {
    let mut fixed = [0u8; 4];
    stream.read_exact(&mut fixed).await?;
    let fixed = v2::Fixed::new(fixed);
    if fixed.length > PROXY_HEADER_BYTES_MAX {
        return Err(HeaderError::Malformed);
    }
    let mut rest = vec![0u8; fixed.length];
    stream.read_exact(&mut rest).await?;
    fixed.parse(&rest).ok_or(HeaderError::Malformed)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tokio::io::AsyncWriteExt as _;

    use super::*;

    const V1: &[u8] = b"PROXY TCP4 192.0.2.1 198.51.100.2 4711 443\r\n";

    fn v2(tlv_bytes: u16) -> Vec<u8> {
        let mut header = v2::SIGNATURE.to_vec();
        header.extend([0x21, 0x11]);
        header.extend((12 + 3 + tlv_bytes).to_be_bytes());
        header.extend([192, 0, 2, 1, 198, 51, 100, 2, 0x12, 0x67, 1, 187, 4]);
        header.extend(tlv_bytes.to_be_bytes());
        header.extend(vec![0; usize::from(tlv_bytes)]);
        header
    }

    /// Result of reading bytes in pieces of `size`, and the bytes that are left.
    async fn reading(bytes: &[u8], size: usize) -> (Result<Sender, HeaderError>, Vec<u8>) {
        let (mut client, mut server) = tokio::io::duplex(size.max(1));
        let bytes = bytes.to_vec();
        let sending = tokio::spawn(async move {
            let _ = client.write_all(&bytes).await;
        });
        let read = read(&mut server).await;
        let mut rest = Vec::new();
        if read.is_ok() {
            server.read_to_end(&mut rest).await.expect("memory");
        }
        drop(server);
        sending.await.expect("it sends");
        (read, rest)
    }

    #[tokio::test]
    async fn a_header_is_read_in_any_pieces_and_nothing_behind_it() {
        let client = Sender::Address("192.0.2.1:4711".parse().expect("an address"));
        for header in [V1.to_vec(), v2(0), v2(5), v2(4000)] {
            for size in [1, 2, 7, 12, 13, 64, 100_000] {
                let (read, rest) = reading(&[header.as_slice(), b"GET / HTTP/1.1\r\n"].concat(), size).await;
                assert_eq!(read.expect("a header"), client, "{size}");
                assert_eq!(rest, b"GET / HTTP/1.1\r\n", "{size}");
            }
        }
    }

    #[tokio::test]
    async fn anything_else_is_an_error() {
        let long = [b"PROXY UNKNOWN ".as_slice(), &[b'x'; 200]].concat();
        let cases: [(&[u8], fn(&HeaderError) -> bool); 10] = [
            (b"", |e| matches!(e, HeaderError::Closed)),
            (b"G", |e| matches!(e, HeaderError::Missing)),
            (b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", |e| matches!(e, HeaderError::Missing)),
            (b"\x16\x03\x01\x02\x00", |e| matches!(e, HeaderError::Missing)),
            (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", |e| matches!(e, HeaderError::Missing)),
            (b"PROX", |e| matches!(e, HeaderError::Missing)),
            (b"PROXY TCP4 1.2.3.4", |e| matches!(e, HeaderError::Io(_))),
            (b"PROXY \r\nGET / HTTP/1.1\r\n", |e| matches!(e, HeaderError::Malformed)),
            (&long, |e| matches!(e, HeaderError::Malformed)),
            (b"\r\n\r\n\0\r\nQUIT\n\x21\x11\xff\xff", |e| matches!(e, HeaderError::Malformed)),
        ];
        for (bytes, is_expected) in cases {
            let error = reading(bytes, 3).await.0.expect_err("no header");
            assert!(is_expected(&error), "{:?}: {error:?}", bytes.escape_ascii().to_string());
        }
        let cut = &v2(9)[..30];
        assert!(matches!(reading(cut, 5).await.0, Err(HeaderError::Io(_))));
    }

    proptest! {
        #[test]
        fn no_bytes_panic(tail in prop::collection::vec(any::<u8>(), 0..300), start in 0..3usize) {
            let bytes = [[b"".as_slice(), b"PROXY ", v2::SIGNATURE][start], &tail].concat();
            let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
            let _ = runtime.block_on(reading(&bytes, 64));
        }
    }
}
