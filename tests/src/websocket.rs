//! A WebSocket client that writes frames by hand, as malformed as a test wants them, and reads what comes back.

use std::net::SocketAddr;

use crate::raw::{Connection, Fault, Request};

/// First byte of the last or only frame of a message, without its kind.
pub const FIN: u8 = 0x80;
/// Kinds of frames.
pub const TEXT: u8 = 1;
/// See [`TEXT`].
pub const BINARY: u8 = 2;
/// See [`TEXT`].
pub const CLOSE: u8 = 8;
/// See [`TEXT`].
pub const PING: u8 = 9;
/// See [`TEXT`].
pub const PONG: u8 = 10;

/// The key of [`handshake`].
pub const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";
/// The answer to [`KEY`] (RFC 6455 section 1.3).
pub const ACCEPT: &str = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";
/// The mask of every frame.
const MASK: [u8; 4] = [0x5a, 0x00, 0xff, 0x13];

/// The request that opens a WebSocket.
pub fn handshake(target: &str) -> Request {
    Request::get(target)
        .field("Connection", "keep-alive, Upgrade")
        .field("Upgrade", "websocket")
        .field("Sec-WebSocket-Version", "13")
        .field("Sec-WebSocket-Key", KEY)
}

/// A masked frame; `first` is its first byte.
pub fn frame(first: u8, payload: impl AsRef<[u8]>) -> Vec<u8> {
    let payload = payload.as_ref();
    let mut out = vec![first];
    if payload.len() < 126 {
        out.push(0x80 | payload.len() as u8);
    } else if payload.len() < 1 << 16 {
        out.push(0xfe);
        out.extend_from_slice(&(payload.len() as u16).to_be_bytes());
    } else {
        out.push(0xff);
        out.extend_from_slice(&(payload.len() as u64).to_be_bytes());
    }
    out.extend_from_slice(&MASK);
    out.extend(payload.iter().zip(MASK.iter().cycle()).map(|(byte, key)| byte ^ key));
    out
}

/// A close frame with a code.
pub fn close(code: u16) -> Vec<u8> {
    frame(FIN | CLOSE, code.to_be_bytes())
}

/// A frame of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// Its first byte.
    pub first: u8,
    /// Its payload.
    pub payload: Vec<u8>,
}

impl Received {
    /// The code of a close frame.
    pub fn code(&self) -> Option<u16> {
        let code = self.payload.first_chunk().filter(|_| self.first == FIN | CLOSE)?;
        Some(u16::from_be_bytes(*code))
    }
}

/// An open WebSocket.
#[derive(Debug)]
pub struct Socket {
    connection: Connection,
}

impl Socket {
    /// Opens one on a port of this machine.
    pub fn open(port: u16, target: &str) -> Socket {
        let mut connection = Connection::open(port).expect("a connection");
        connection.send(handshake(target).bytes()).expect("sent");
        let head = connection.head().expect("a head");
        assert_eq!((head.status, head.field("Sec-WebSocket-Accept")), (101, Some(ACCEPT)));
        Socket { connection }
    }

    /// Opens one at an address of this machine.
    pub fn at(address: SocketAddr) -> Socket {
        Socket::open(address.port(), "/")
    }

    /// Sends bytes as they are. The peer may have closed before it has read them.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = self.connection.send(bytes);
    }

    /// The next frame; none at the end of the connection.
    pub fn receive(&mut self) -> Option<Received> {
        let head = self.exactly(2).ok()??;
        let length = match head[1] & 0x7f {
            126 => self.exactly(2).ok()??.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte)),
            127 => self.exactly(8).ok()??.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte)),
            short => usize::from(short),
        };
        let mask = if head[1] & 0x80 == 0 { vec![0; 4] } else { self.exactly(4).ok()?? };
        let masked = self.exactly(length).ok()??;
        let payload = masked.iter().zip(mask.iter().cycle()).map(|(byte, key)| byte ^ key).collect();
        Some(Received { first: head[0], payload })
    }

    /// Every frame up to the end of the connection.
    pub fn rest(&mut self) -> Vec<Received> {
        std::iter::from_fn(|| self.receive()).collect()
    }

    /// The code of the close frame that ends the connection.
    pub fn closed_with(&mut self) -> Option<u16> {
        self.rest().last().and_then(Received::code)
    }

    fn exactly(&mut self, length: usize) -> Result<Option<Vec<u8>>, Fault> {
        let mut bytes = Vec::new();
        while bytes.len() < length {
            let more = self.connection.take(length - bytes.len())?;
            if more.is_empty() {
                return Ok(None);
            }
            bytes.extend(more);
        }
        Ok(Some(bytes))
    }
}
