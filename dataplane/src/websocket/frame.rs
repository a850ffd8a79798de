//! Heads of frames (RFC 6455 section 5.2).

use super::close::{Code, Fault};

/// Bytes of the longest payload of a control frame.
pub(crate) const CONTROL_BYTES_MAX: u64 = 125;

/// Kinds of frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opcode {
    Continuation,
    Text,
    Binary,
    Close,
    Ping,
    Pong,
}

impl Opcode {
    fn of(number: u8) -> Option<Opcode> {
        match number {
            0 => Some(Opcode::Continuation),
            1 => Some(Opcode::Text),
            2 => Some(Opcode::Binary),
            8 => Some(Opcode::Close),
            9 => Some(Opcode::Ping),
            10 => Some(Opcode::Pong),
            _ => None,
        }
    }

    fn number(self) -> u8 {
        match self {
            Opcode::Continuation => 0,
            Opcode::Text => 1,
            Opcode::Binary => 2,
            Opcode::Close => 8,
            Opcode::Ping => 9,
            Opcode::Pong => 10,
        }
    }

    /// Returns `true` for frames that are no part of a message.
    pub(crate) fn is_control(self) -> bool {
        matches!(self, Opcode::Close | Opcode::Ping | Opcode::Pong)
    }
}

/// The head of a frame of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) is_final: bool,
    pub(crate) opcode: Opcode,
    pub(crate) length: u64,
    pub(crate) mask: [u8; 4],
}

/// Bytes of a head that begins with these two.
pub(super) fn size_of(first: [u8; 2]) -> usize {
    let length = match first[1] & 0x7f {
        126 => 2,
        127 => 8,
        _ => 0,
    };
    let mask = if first[1] & 0x80 == 0 { 0 } else { 4 };
    2 + length + mask
}

/// Length of the payload behind a whole head, and whether it is written in as few bytes as it can be.
pub(super) fn length_of(head: &[u8]) -> (u64, bool) {
    let rest = head.get(2..).unwrap_or_default();
    match (head.get(1).map(|second| second & 0x7f), rest) {
        (Some(126), [high, low, ..]) => {
            let length = u64::from(u16::from_be_bytes([*high, *low]));
            (length, length > CONTROL_BYTES_MAX)
        }
        (Some(127), _) => {
            let bytes = rest.first_chunk().copied().unwrap_or([0xff; 8]);
            let length = u64::from_be_bytes(bytes);
            (length, length > u64::from(u16::MAX) && length >> 63 == 0)
        }
        (Some(short), _) => (u64::from(short), true),
        (None, _) => (0, false),
    }
}

impl Header {
    /// The head of a frame of a client; `head` is whole.
    pub(super) fn parse(head: &[u8]) -> Result<Header, Fault> {
        let broken = |reason| Fault::new(Code::PROTOCOL, reason);
        let (Some(first), Some(second)) = (head.first(), head.get(1)) else {
            return Err(broken("a frame without a head"));
        };
        if first & 0x70 != 0 {
            return Err(broken("a frame uses an extension that was not negotiated"));
        }
        let opcode = Opcode::of(first & 0x0f).ok_or_else(|| broken("a frame of an unknown kind"))?;
        let is_final = first & 0x80 != 0;
        let (length, is_minimal) = length_of(head);
        if second & 0x80 == 0 {
            return Err(broken("a frame of the client is not masked"));
        }
        if !is_minimal {
            return Err(broken("the length of a frame is not written in its shortest form"));
        }
        if opcode.is_control() && (!is_final || length > CONTROL_BYTES_MAX) {
            return Err(broken("a control frame is fragmented or longer than 125 bytes"));
        }
        let mask = head.last_chunk().copied().ok_or_else(|| broken("a frame without a mask"))?;
        Ok(Header { is_final, opcode, length, mask })
    }

    /// Appends the head as the client wrote it: there is one form.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.push(if self.is_final { 0x80 } else { 0 } | self.opcode.number());
        write_length(self.length, out);
        out.extend_from_slice(&self.mask);
    }
}

/// Appends a length in its shortest form, with the bit of the mask.
fn write_length(length: u64, out: &mut Vec<u8>) {
    if let Ok(short) = u8::try_from(length)
        && length <= CONTROL_BYTES_MAX
    {
        out.push(0x80 | short);
    } else if let Ok(medium) = u16::try_from(length) {
        out.push(0xfe);
        out.extend_from_slice(&medium.to_be_bytes());
    } else {
        out.push(0xff);
        out.extend_from_slice(&length.to_be_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_and_written_alike() {
        for length in [0, 1, 125, 126, 127, 65_535, 65_536, 1 << 40] {
            for opcode in [Opcode::Text, Opcode::Binary, Opcode::Continuation] {
                let header = Header { is_final: length % 2 == 0, opcode, length, mask: [1, 2, 3, 4] };
                let mut bytes = Vec::new();
                header.write(&mut bytes);
                assert_eq!(size_of([bytes[0], bytes[1]]), bytes.len());
                assert_eq!(Header::parse(&bytes), Ok(header));
            }
        }
    }

    #[test]
    fn heads_against_the_rules_are_refused() {
        for (what, head) in [
            ("the first reserved bit", &[0xc1, 0x80, 0, 0, 0, 0][..]),
            ("the second reserved bit", &[0xa1, 0x80, 0, 0, 0, 0]),
            ("the third reserved bit", &[0x91, 0x80, 0, 0, 0, 0]),
            ("a reserved kind", &[0x83, 0x80, 0, 0, 0, 0]),
            ("a reserved control kind", &[0x8b, 0x80, 0, 0, 0, 0]),
            ("no mask", &[0x81, 0x05]),
            ("a length of 16 bits that fits into 7", &[0x81, 0xfe, 0, 125, 0, 0, 0, 0]),
            (
                "a length of 64 bits that fits into 16",
                &[0x81, 0xff, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0],
            ),
            ("a length with its highest bit", &[0x82, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
            ("a fragmented ping", &[0x09, 0x80, 0, 0, 0, 0]),
            ("a long ping", &[0x89, 0xfe, 0, 126, 0, 0, 0, 0]),
            ("nothing", &[]),
        ] {
            assert_eq!(Header::parse(head).map_err(|fault| fault.code), Err(Code::PROTOCOL), "{what}");
        }
    }
}
