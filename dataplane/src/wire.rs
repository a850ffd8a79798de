//! Writing with a bound on patience.

use std::io;
use std::time::Instant;

use bytes::BufMut;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::time::timeout;

use crate::min_rate::Patience;

/// Writes all of `bytes` to a peer that takes them within `patience`. Only time in which they wait for the peer counts.
pub(crate) async fn write_all<W: AsyncWrite + Unpin>(
    writer: &mut W,
    mut bytes: &[u8],
    patience: &mut Patience,
) -> io::Result<()> {
    while !bytes.is_empty() {
        let began = Instant::now();
        let piece = bytes.get(..patience.piece()).unwrap_or(bytes);
        let taken = timeout(patience.left(), writer.write(piece)).await;
        let taken = taken.map_err(|_| io::ErrorKind::TimedOut)??;
        if taken == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        patience.took(began.elapsed(), taken);
        bytes = bytes.get(taken..).unwrap_or_default();
    }
    // Plain sockets do nothing here; TLS sends what it has buffered.
    let began = Instant::now();
    timeout(patience.left(), writer.flush()).await.map_err(|_| io::ErrorKind::TimedOut)??;
    patience.took(began.elapsed(), 0);
    Ok(())
}

/// Appends a field line. No line ends in name and value: they were read from a checked message or are our own.
pub(crate) fn push_field(out: &mut impl BufMut, name: &[u8], value: &[u8]) {
    for part in [name, b": ", value, b"\r\n"] {
        out.put_slice(part);
    }
}

/// Appends `data` as one chunk (RFC 9112 section 7.1).
pub(crate) fn push_chunk(out: &mut Vec<u8>, data: &[u8]) {
    if data.is_empty() {
        return;
    }
    let mut digits = [0u8; 16];
    let (mut at, mut left) = (digits.len(), data.len());
    while left > 0 && at > 0 {
        at -= 1;
        if let (Some(slot), Some(digit)) = (digits.get_mut(at), b"0123456789abcdef".get(left & 15)) {
            *slot = *digit;
        }
        left >>= 4;
    }
    out.extend_from_slice(digits.get(at..).unwrap_or_default());
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(data);
    out.extend_from_slice(b"\r\n");
}

/// Appends the end of a chunked body with its trailer lines.
pub(crate) fn push_last_chunk(out: &mut Vec<u8>, trailers: &[u8]) {
    out.extend_from_slice(b"0\r\n");
    out.extend_from_slice(trailers);
    out.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests {
    #[test]
    fn chunks_are_framed() {
        let mut out = Vec::new();
        super::push_chunk(&mut out, b"");
        super::push_chunk(&mut out, &[b'x'; 26]);
        super::push_last_chunk(&mut out, b"A: b\r\n");
        assert_eq!(out, [b"1a\r\n".as_slice(), &[b'x'; 26], b"\r\n0\r\nA: b\r\n\r\n"].concat());
    }
}
