//! An HTTP/2 client that writes frames by hand, as malformed as a test wants them, and reads what comes back. It decodes no
//! header blocks.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// The preface of every connection.
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Frame types.
pub const DATA: u8 = 0;
/// See [`DATA`].
pub const HEADERS: u8 = 1;
/// See [`DATA`].
pub const PRIORITY: u8 = 2;
/// See [`DATA`].
pub const RST_STREAM: u8 = 3;
/// See [`DATA`].
pub const SETTINGS: u8 = 4;
/// See [`DATA`].
pub const PING: u8 = 6;
/// See [`DATA`].
pub const GOAWAY: u8 = 7;
/// See [`DATA`].
pub const WINDOW_UPDATE: u8 = 8;
/// See [`DATA`].
pub const CONTINUATION: u8 = 9;

/// Flags.
pub const END_STREAM: u8 = 1;
/// See [`END_STREAM`].
pub const ACK: u8 = 1;
/// See [`END_STREAM`].
pub const END_HEADERS: u8 = 4;

/// Error codes.
pub const PROTOCOL_ERROR: u32 = 1;
/// See [`PROTOCOL_ERROR`].
pub const REFUSED_STREAM: u32 = 7;
/// See [`PROTOCOL_ERROR`].
pub const ENHANCE_YOUR_CALM: u32 = 11;

/// Time that a frame is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// One frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Type.
    pub kind: u8,
    /// Flags.
    pub flags: u8,
    /// Stream.
    pub stream: u32,
    /// Payload.
    pub payload: Vec<u8>,
}

impl Frame {
    /// The error code of RST_STREAM or GOAWAY.
    pub fn code(&self) -> u32 {
        let from = if self.kind == GOAWAY { 4 } else { 0 };
        u32::from_be_bytes(self.payload[from..from + 4].try_into().expect("four bytes"))
    }
}

/// A connection.
#[derive(Debug)]
pub struct Frames {
    socket: TcpStream,
    buffer: Vec<u8>,
}

impl Frames {
    /// Connects, and sends the preface and SETTINGS.
    pub fn open(port: u16) -> Frames {
        Frames::with_settings(port, &[])
    }

    /// The same with settings.
    pub fn with_settings(port: u16, settings: &[(u16, u32)]) -> Frames {
        let socket = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
        socket.set_nodelay(true).expect("a socket option");
        socket.set_read_timeout(Some(PATIENCE)).expect("a socket option");
        socket.set_write_timeout(Some(PATIENCE)).expect("a socket option");
        let mut frames = Frames { socket, buffer: Vec::new() };
        let payload: Vec<u8> = settings
            .iter()
            .flat_map(|(name, value)| [&name.to_be_bytes()[..], &value.to_be_bytes()].concat())
            .collect();
        frames.push(PREFACE).and_then(|()| frames.send(SETTINGS, 0, 0, &payload)).expect("sent");
        frames
    }

    /// Sends bytes as they are.
    pub fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.socket.write_all(bytes)
    }

    /// Sends a frame.
    pub fn send(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> io::Result<()> {
        self.push(&frame(kind, flags, stream, payload))
    }

    /// Sends a request without a body.
    pub fn request(&mut self, stream: u32, fields: &[(&str, &str)]) {
        self.send(HEADERS, END_HEADERS | END_STREAM, stream, &block(fields)).expect("sent");
    }

    /// The next frame; `None` once the connection has ended.
    pub fn next_frame(&mut self) -> Option<Frame> {
        loop {
            if let Some(head) = self.buffer.first_chunk::<9>() {
                let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
                if self.buffer.len() >= 9 + length {
                    let (kind, flags) = (head[3], head[4]);
                    let stream = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
                    let rest = self.buffer.split_off(9 + length);
                    let payload = std::mem::replace(&mut self.buffer, rest).split_off(9);
                    return Some(Frame { kind, flags, stream, payload });
                }
            }
            let mut bytes = [0; 16 << 10];
            match self.socket.read(&mut bytes) {
                Ok(0) => return None,
                Ok(read) => self.buffer.extend_from_slice(&bytes[..read]),
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return None,
                Err(error) => panic!("no frame came: {error}"),
            }
        }
    }

    /// Skips to the next frame of this type; `None` once the connection has ended.
    pub fn until(&mut self, kind: u8) -> Option<Frame> {
        std::iter::from_fn(|| self.next_frame()).find(|frame| frame.kind == kind)
    }

    /// Skips to the frame that ends `stream`.
    pub fn end_of(&mut self, stream: u32) -> Option<Frame> {
        std::iter::from_fn(|| self.next_frame()).find(|frame| {
            let ends = frame.kind == RST_STREAM
                || (matches!(frame.kind, DATA | HEADERS) && frame.flags & END_STREAM != 0);
            frame.stream == stream && ends
        })
    }

    /// True if everything that is left is the end of the connection.
    pub fn is_closed(&mut self) -> bool {
        std::iter::from_fn(|| self.next_frame()).count();
        true
    }
}

/// A frame's bytes.
pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("a frame").to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A header block of literals that enter no table.
pub fn block(fields: &[(&str, &str)]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, value) in fields {
        out.push(0);
        for text in [name, value] {
            integer(text.len(), &mut out);
            out.extend_from_slice(text.as_bytes());
        }
    }
    out
}

/// An integer with a prefix of seven bits.
fn integer(value: usize, out: &mut Vec<u8>) {
    let Some(mut rest) = value.checked_sub(127) else {
        out.push(u8::try_from(value).expect("small"));
        return;
    };
    out.push(127);
    while rest >= 128 {
        out.push(u8::try_from(rest % 128).expect("small") | 128);
        rest /= 128;
    }
    out.push(u8::try_from(rest).expect("small"));
}

/// The pseudo-header fields of a `GET`.
pub fn get(path: &str) -> Vec<(&str, &str)> {
    vec![(":method", "GET"), (":scheme", "http"), (":authority", "a.example"), (":path", path)]
}
