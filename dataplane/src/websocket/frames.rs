//! The frames of a client in its bytes, however these are cut.

use super::close::{self, Fault};
use super::frame::{Header, Opcode, size_of};

/// A part of the bytes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Part<'c> {
    /// The head of a frame.
    Begin(Header),
    /// Masked payload of that frame, behind so many bytes of it.
    Data(&'c [u8], u64),
    /// The end of that frame.
    End,
}

/// Finds frames.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    /// The beginning of a head.
    head: Vec<u8>,
    /// The frame in hand.
    header: Option<Header>,
    /// Bytes of its payload so far.
    passed: u64,
}

impl Frames {
    /// The next part, taken off `bytes`; none until more bytes come.
    pub(crate) fn next<'c>(&mut self, bytes: &mut &'c [u8]) -> Result<Option<Part<'c>>, Fault> {
        let Some(header) = self.header else { return self.begin(bytes) };
        let left = header.length.saturating_sub(self.passed);
        if left == 0 {
            self.header = None;
            return Ok(Some(Part::End));
        }
        let size = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
        if size == 0 {
            return Ok(None);
        }
        let (data, rest) = bytes.split_at_checked(size).unwrap_or((bytes, &[]));
        let offset = self.passed;
        self.passed += size as u64;
        *bytes = rest;
        Ok(Some(Part::Data(data, offset)))
    }

    fn begin<'c>(&mut self, bytes: &mut &'c [u8]) -> Result<Option<Part<'c>>, Fault> {
        while self.head.first_chunk().is_none_or(|first| self.head.len() < size_of(*first)) {
            let Some((byte, rest)) = bytes.split_first() else { return Ok(None) };
            self.head.push(*byte);
            *bytes = rest;
        }
        let header = Header::parse(&self.head)?;
        self.head.clear();
        self.header = Some(header);
        self.passed = 0;
        Ok(Some(Part::Begin(header)))
    }
}

/// Checks the payload of a control frame, its mask taken off.
pub(crate) fn check_control(opcode: Opcode, payload: &[u8]) -> Result<(), Fault> {
    if opcode == Opcode::Close { close::check(payload) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::websocket::unmask;

    /// Payloads of the frames in `bytes`, which come in pieces of `size`.
    fn payloads(bytes: &[u8], size: usize) -> Result<Vec<Vec<u8>>, Fault> {
        let (mut frames, mut payloads, mut mask) = (Frames::default(), Vec::new(), [0; 4]);
        let mut payload = Vec::new();
        for mut piece in bytes.chunks(size) {
            while let Some(part) = frames.next(&mut piece)? {
                match part {
                    Part::Begin(header) => mask = header.mask,
                    Part::Data(data, offset) => unmask(data, mask, offset, &mut payload),
                    Part::End => payloads.push(std::mem::take(&mut payload)),
                }
            }
            assert!(piece.is_empty(), "everything is taken");
        }
        Ok(payloads)
    }

    #[test]
    fn frames_are_found_in_any_cut() {
        let mut bytes = Vec::new();
        let lengths = [0, 1, 125, 126, 300, 70_000];
        for length in lengths {
            let header =
                Header { is_final: true, opcode: Opcode::Binary, length: length as u64, mask: [9, 8, 7, 6] };
            header.write(&mut bytes);
            unmask(&vec![b'x'; length], header.mask, 0, &mut bytes);
        }
        for size in [1, 2, 3, 13, 14, 15, 1_000, bytes.len()] {
            let found = payloads(&bytes, size).expect("valid frames");
            assert!(found.iter().flatten().all(|byte| *byte == b'x'), "{size}");
            assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), lengths, "{size}");
        }
    }

    #[test]
    fn a_fault_is_found_in_any_cut() {
        let bytes = [&[0x81, 0x81, 0, 0, 0, 0, b'x'][..], &[0x81, 0x01, b'x']].concat();
        for size in 1..=bytes.len() {
            assert!(payloads(&bytes, size).is_err(), "{size}");
        }
    }
}
