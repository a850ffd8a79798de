//! gRPC: which requests are calls, the messages of one, and its status for ours. It knows no routes.

use crate::head::RequestHead;

const TYPE: &[u8] = b"application/grpc";

/// Bytes before each message: a flag, then its length, the high byte first.
const PREFIX_BYTES: usize = 5;

/// Reports whether the value of `Content-Type` is one of gRPC. That of gRPC-Web, which is made for HTTP/1.1, is not.
pub(crate) fn is_type(content_type: &[u8]) -> bool {
    content_type.split_at_checked(TYPE.len()).is_some_and(|(front, behind)| {
        front.eq_ignore_ascii_case(TYPE) && matches!(behind.first(), None | Some(b'+' | b';' | b' ' | b'\t'))
    })
}

/// Reports whether a request is a call: a stream of messages over frames and trailers of HTTP/2. Under HTTP/1 the type
/// is a mere name.
pub(crate) fn is_call(head: &RequestHead) -> bool {
    head.version.has_frames() && is_type(head.fields.first("content-type").unwrap_or_default())
}

/// The status of gRPC that clients read from one of HTTP ("HTTP to gRPC Status Code Mapping").
pub(crate) const fn status(http: u16) -> u8 {
    match http {
        400 => 13,
        401 => 16,
        403 => 7,
        404 => 12,
        429 | 502 | 503 | 504 => 14,
        _ => 2,
    }
}

/// The messages of one call, as far as they are bounded: their prefixes.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    prefix: [u8; PREFIX_BYTES],
    read: usize,
    /// Bytes left of the message.
    left: u64,
}

/// The reason why the bytes are not messages within the bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessageFault {
    TooLong,
    /// The flag says neither that the message is compressed nor that it is not.
    Flag,
}

impl Messages {
    /// Reads the next bytes; each message has at most `bytes_max`.
    pub(crate) fn read(&mut self, mut bytes: &[u8], bytes_max: u64) -> Result<(), MessageFault> {
        while !bytes.is_empty() {
            if self.left > 0 {
                let taken = bytes.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
                self.left -= taken as u64;
                bytes = bytes.get(taken..).unwrap_or_default();
                continue;
            }
            let Some((byte, rest)) = bytes.split_first() else { return Ok(()) };
            bytes = rest;
            if let Some(slot) = self.prefix.get_mut(self.read) {
                *slot = *byte;
            }
            self.read += 1;
            if self.read == 1 && *byte > 1 {
                return Err(MessageFault::Flag);
            }
            if self.read == PREFIX_BYTES {
                let [_, length @ ..] = self.prefix;
                self.left = u64::from(u32::from_be_bytes(length));
                self.read = 0;
                if self.left > bytes_max {
                    return Err(MessageFault::TooLong);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::head::Version;

    #[test]
    fn calls_are_calls_over_http2() {
        for (content_type, expected) in [
            ("application/grpc", true),
            ("Application/gRPC+proto", true),
            ("application/grpc; charset=utf-8", true),
            ("application/grpc-web", false),
            ("application/grpc-web+proto", false),
            ("application/grpcx", false),
            ("application/grp", false),
        ] {
            let text = format!("POST / HTTP/1.1\r\nHost: a\r\nContent-Type: {content_type}\r\n\r\n");
            let mut head = RequestHead::parse(Bytes::from(text)).expect("it is a head");
            assert!(!is_call(&head), "{content_type}");
            head.version = Version::Http2;
            assert_eq!(is_call(&head), expected, "{content_type}");
        }
    }

    #[test]
    fn messages_are_bounded_one_by_one() {
        let message = |flag: u8, length: u32, content: usize| {
            [&[flag], length.to_be_bytes().as_slice(), &vec![b'm'; content]].concat()
        };
        let many: Vec<u8> = (0..9).flat_map(|_| message(0, 10, 10)).collect();
        for (bytes, expected) in [
            (many, Ok(())),
            (message(1, 10, 10), Ok(())),
            ([message(0, 0, 0), message(0, 10, 4)].concat(), Ok(())),
            (message(0, 11, 0), Err(MessageFault::TooLong)),
            ([message(0, 10, 10), message(1, u32::MAX, 3)].concat(), Err(MessageFault::TooLong)),
            (message(2, 1, 1), Err(MessageFault::Flag)),
            (b"id=1' or '1'='1".to_vec(), Err(MessageFault::Flag)),
            ([message(0, 2, 2), b"&id=1".to_vec()].concat(), Err(MessageFault::Flag)),
        ] {
            for size in [1, 3, 100] {
                let mut messages = Messages::default();
                let read = bytes.chunks(size).try_for_each(|chunk| messages.read(chunk, 10));
                assert_eq!(read, expected, "{bytes:?} by {size}");
            }
        }
    }
}
