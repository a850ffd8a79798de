//! Frames (RFC 9113 section 4): their heads, what is padded, and a scanner that counts frames on their way out.

use bytes::{Bytes, BytesMut};

/// Bytes of a frame head.
pub(super) const HEAD_BYTES: usize = 9;

/// Bytes of a frame's payload that a peer may send: the default, which we leave as it is.
pub(super) const PAYLOAD_BYTES_MAX: usize = 16_384;

pub(super) const DATA: u8 = 0;
pub(super) const HEADERS: u8 = 1;
pub(super) const PRIORITY: u8 = 2;
pub(super) const RST_STREAM: u8 = 3;
pub(super) const SETTINGS: u8 = 4;
pub(super) const PUSH_PROMISE: u8 = 5;
pub(super) const PING: u8 = 6;
pub(super) const GOAWAY: u8 = 7;
pub(super) const WINDOW_UPDATE: u8 = 8;
pub(super) const CONTINUATION: u8 = 9;

/// SETTINGS and PING: an answer to ours.
pub(super) const ACK: u8 = 0x1;
pub(super) const END_STREAM: u8 = 0x1;
pub(super) const END_HEADERS: u8 = 0x4;
const PADDED: u8 = 0x8;
const WITH_PRIORITY: u8 = 0x20;

/// Bytes of an entry of SETTINGS.
const SETTING_BYTES: usize = 6;

/// The entry of SETTINGS for windows (RFC 9113 section 6.5.2).
const INITIAL_WINDOW_SIZE: u16 = 0x4;

/// Bytes that HEADERS carry for a priority.
const PRIORITY_BYTES: usize = 5;

/// The bit above a stream's number is reserved, or says that a dependency is exclusive.
const STREAM_MASK: u32 = 0x7fff_ffff;

/// The head of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) length: usize,
    pub(super) kind: u8,
    pub(super) flags: u8,
    pub(super) stream: u32,
}

impl Head {
    /// Reads a head; `None` when `bytes` are fewer than a head has.
    pub(super) fn read(bytes: &[u8]) -> Option<Head> {
        let [high, middle, low, kind, flags, stream @ ..] = *bytes.first_chunk::<HEAD_BYTES>()?;
        Some(Head {
            length: u32::from_be_bytes([0, high, middle, low]) as usize,
            kind,
            flags,
            stream: u32::from_be_bytes(stream) & STREAM_MASK,
        })
    }

    pub(super) const fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// A frame with a head that says what it holds.
pub(super) fn write(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Bytes {
    let mut out = BytesMut::with_capacity(HEAD_BYTES + payload.len());
    let length = (payload.len() as u32).to_be_bytes();
    out.extend_from_slice(length.get(1..).unwrap_or_default());
    out.extend_from_slice(&[kind, flags]);
    out.extend_from_slice(&stream.to_be_bytes());
    out.extend_from_slice(payload);
    out.freeze()
}

/// The payload without its padding; `None` when there is more padding than payload.
pub(super) fn unpadded(head: Head, payload: &[u8]) -> Option<&[u8]> {
    if !head.has(PADDED) {
        return Some(payload);
    }
    let (padding, rest) = payload.split_first()?;
    rest.get(..rest.len().checked_sub(usize::from(*padding))?)
}

/// The header block fragment of HEADERS, and the stream that its priority depends on.
pub(super) fn fragment(head: Head, payload: &[u8]) -> Option<(&[u8], Option<u32>)> {
    let payload = unpadded(head, payload)?;
    if !head.has(WITH_PRIORITY) {
        return Some((payload, None));
    }
    let (priority, fragment) = payload.split_at_checked(PRIORITY_BYTES)?;
    let depends_on = u32::from_be_bytes(*priority.first_chunk::<4>()?) & STREAM_MASK;
    Some((fragment, Some(depends_on)))
}

/// The last initial window that the entries of SETTINGS name, where one does.
pub(super) fn initial_window(payload: &[u8]) -> Option<u32> {
    let (entries, _) = payload.as_chunks::<SETTING_BYTES>();
    let last = entries
        .iter()
        .rfind(|[id_high, id_low, ..]| u16::from_be_bytes([*id_high, *id_low]) == INITIAL_WINDOW_SIZE);
    last.map(|[_, _, value @ ..]| u32::from_be_bytes(*value))
}

/// Bytes that WINDOW_UPDATE adds; 0 for one that is malformed.
pub(super) fn increment(payload: &[u8]) -> u32 {
    payload.first_chunk::<4>().map_or(0, |bytes| u32::from_be_bytes(*bytes) & STREAM_MASK)
}

/// Finds frame heads in a stream of bytes that comes in any pieces.
#[derive(Debug, Default)]
pub(super) struct Scanner {
    head: [u8; HEAD_BYTES],
    filled: usize,
    skip: usize,
}

impl Scanner {
    /// Calls `found` for every frame head that is completed in `bytes`.
    pub(super) fn scan(&mut self, mut bytes: &[u8], mut found: impl FnMut(Head)) {
        while !bytes.is_empty() {
            if self.skip > 0 {
                let skipped = self.skip.min(bytes.len());
                self.skip -= skipped;
                bytes = bytes.get(skipped..).unwrap_or_default();
                continue;
            }
            for (slot, byte) in self.head.iter_mut().skip(self.filled).zip(bytes) {
                *slot = *byte;
            }
            let taken = (HEAD_BYTES - self.filled).min(bytes.len());
            self.filled += taken;
            bytes = bytes.get(taken..).unwrap_or_default();
            if self.filled == HEAD_BYTES {
                self.filled = 0;
                if let Some(head) = Head::read(&self.head) {
                    self.skip = head.length;
                    found(head);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_as_written() {
        let frame = write(HEADERS, END_HEADERS, 7, b"abc");
        let head = Head::read(&frame).expect("long enough");
        assert_eq!(head, Head { length: 3, kind: HEADERS, flags: END_HEADERS, stream: 7 });
        assert_eq!(Head::read(&frame[..8]), None);
    }

    #[test]
    fn padding_and_priority_are_taken_off() {
        let head = |flags| Head { length: 0, kind: HEADERS, flags, stream: 1 };
        assert_eq!(fragment(head(0), b"abc"), Some((&b"abc"[..], None)));
        assert_eq!(fragment(head(PADDED), b"\x01abc"), Some((&b"ab"[..], None)));
        assert_eq!(fragment(head(PADDED), b"\x04abc"), None);
        assert_eq!(fragment(head(PADDED), b""), None);
        assert_eq!(fragment(head(WITH_PRIORITY), b"\x80\0\0\x05\x10ab"), Some((&b"ab"[..], Some(5))));
        assert_eq!(fragment(head(WITH_PRIORITY), b"\0\0\0"), None);
    }

    #[test]
    fn windows_are_read_as_written() {
        let settings = [&[0, 3, 0, 0, 0, 9][..], &[0, 4, 0, 0, 0, 0], &[0, 4, 0, 1, 0, 0], &[0, 4]].concat();
        assert_eq!(initial_window(&settings), Some(65_536));
        assert_eq!(initial_window(&settings[..11]), None, "half an entry says nothing");
        assert_eq!(initial_window(&[]), None);
        assert_eq!((increment(&[0x80, 0, 1, 0]), increment(&[1])), (256, 0));
    }

    #[test]
    fn a_scanner_finds_every_frame_whatever_the_pieces() {
        let bytes =
            [write(DATA, END_STREAM, 1, &[0; 20]), write(SETTINGS, ACK, 0, b""), write(PING, 0, 0, &[1; 8])]
                .concat();
        for size in 1..bytes.len() {
            let (mut scanner, mut kinds) = (Scanner::default(), Vec::new());
            for piece in bytes.chunks(size) {
                scanner.scan(piece, |head| kinds.push(head.kind));
            }
            assert_eq!(kinds, [DATA, SETTINGS, PING], "{size}");
        }
    }
}
