//! The borders between the frames of an upstream, so that a close frame of our own can stand between two of them. Nothing
//! else is asked of them: the client checks what its server sends.

use super::frame::{length_of, size_of};

/// Finds borders between frames in bytes that pass.
#[derive(Debug, Default)]
pub(crate) struct Boundary {
    head: Vec<u8>,
    /// Bytes left of the payload in hand.
    left: u64,
}

impl Boundary {
    /// Takes bytes that were forwarded.
    pub(crate) fn pass(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let size = usize::try_from(self.left).unwrap_or(usize::MAX).min(rest.len());
            self.left -= size as u64;
            rest = rest.get(size..).unwrap_or_default();
            self.head(&mut rest);
        }
    }

    /// Returns `true` between two frames.
    pub(crate) fn is_here(&self) -> bool {
        self.left == 0 && self.head.is_empty()
    }

    /// Bytes of `bytes` up to the next border, which comes first.
    pub(crate) fn up_to_next<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        let mut ahead = Boundary { head: self.head.clone(), left: self.left };
        for (at, byte) in bytes.iter().enumerate() {
            if ahead.is_here() {
                return bytes.get(..at).unwrap_or_default();
            }
            ahead.pass(std::slice::from_ref(byte));
        }
        bytes
    }

    fn head(&mut self, rest: &mut &[u8]) {
        while self.left == 0 {
            let Some((byte, after)) = rest.split_first() else { return };
            self.head.push(*byte);
            *rest = after;
            if self.head.first_chunk().is_some_and(|first| self.head.len() >= size_of(*first)) {
                self.left = length_of(&self.head).0;
                self.head.clear();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_are_found_in_any_cut() {
        let frames: [&[u8]; 4] = [
            &[0x81, 2, b'h', b'i'],
            &[0x89, 0],
            &[&[0x82, 126, 0, 200][..], &[0; 200]].concat(),
            &[0x88, 2, 3, 0xe8],
        ];
        let bytes = frames.concat();
        let mut borders = vec![0];
        for frame in frames {
            borders.push(borders.last().copied().unwrap_or(0) + frame.len());
        }
        for at in 0..=bytes.len() {
            for cut in 0..=at {
                let mut boundary = Boundary::default();
                boundary.pass(&bytes[..cut]);
                boundary.pass(&bytes[cut..at]);
                assert_eq!(boundary.is_here(), borders.contains(&at), "{cut} {at}");
            }
            let mut boundary = Boundary::default();
            boundary.pass(&bytes[..at]);
            let next = borders.iter().find(|border| **border >= at).copied().unwrap_or(bytes.len());
            assert_eq!(boundary.up_to_next(&bytes[at..]).len(), next - at, "{at}");
        }
    }
}
