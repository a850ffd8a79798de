//! The frames of a Zstandard body (RFC 8878 section 3.1), followed beside the decoder: of skippable ones only the
//! empty and those of pzstd pass, which say how long the frame behind them is.

use crate::coding::step::Malformed;

/// Magic number of a frame with content.
const FRAME: u32 = 0xfd2f_b528;
/// Magic numbers of skippable frames, but for their last four bits.
const SKIPPABLE: u32 = 0x184d_2a50;
/// Bytes of a size that pzstd writes into a skippable frame.
const SIZE_BYTES: u32 = 4;

/// Flags of a frame's descriptor (RFC 8878 section 3.1.1.1.1).
const SINGLE_SEGMENT: u8 = 1 << 5;
const UNUSED: u8 = 1 << 4;
const CHECKSUM: u8 = 1 << 2;
/// Type of a block that repeats one byte.
const REPEATED: u32 = 1;

/// Element that the next byte belongs to. Numbers have their low byte first; the count is that of the bytes that were
/// read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Magic(u32),
    SkippableSize(u32),
    /// A size as pzstd writes it.
    FrameSize(u32),
    Descriptor,
    /// Bytes left of a frame's header.
    Header(u32),
    BlockHeader(u32),
    /// Bytes left of a block, and whether it is the last.
    Block(u32, bool),
    /// Bytes left of a check sum.
    Checksum(u32),
}

/// Follows the frames of one body.
#[derive(Debug)]
pub(super) struct Frames {
    at: At,
    /// The number that is being read.
    number: u32,
    has_checksum: bool,
    /// Bytes of this frame.
    length: u64,
    /// The length that the next frame is said to have.
    announced: Option<u64>,
}

impl Default for Frames {
    fn default() -> Frames {
        Frames { at: At::Magic(0), number: 0, has_checksum: false, length: 0, announced: None }
    }
}

impl Frames {
    /// Reports whether no frame is announced or begun.
    pub(super) fn is_complete(&self) -> bool {
        self.at == At::Magic(0) && self.announced.is_none()
    }

    /// Reads what the decoder took.
    pub(super) fn read(&mut self, mut bytes: &[u8]) -> Result<(), Malformed> {
        while let Some((byte, rest)) = bytes.split_first() {
            if let At::Header(left) | At::Block(left, _) | At::Checksum(left) = self.at {
                let taken = bytes.len().min(left as usize);
                self.length = self.length.saturating_add(taken as u64);
                self.skip(left.saturating_sub(u32::try_from(taken).unwrap_or(u32::MAX)))?;
                bytes = bytes.get(taken..).unwrap_or_default();
                continue;
            }
            self.length = self.length.saturating_add(1);
            self.byte(*byte)?;
            bytes = rest;
        }
        Ok(())
    }

    /// Bytes of no interest were passed; so many are left of them.
    fn skip(&mut self, left: u32) -> Result<(), Malformed> {
        self.at = match self.at {
            At::Header(_) if left == 0 => At::BlockHeader(0),
            At::Header(_) => At::Header(left),
            At::Block(_, is_last) if left == 0 => return self.end_block(is_last),
            At::Block(_, is_last) => At::Block(left, is_last),
            At::Checksum(_) if left == 0 => return self.end_frame(),
            _ => At::Checksum(left),
        };
        Ok(())
    }

    fn byte(&mut self, byte: u8) -> Result<(), Malformed> {
        match self.at {
            At::Magic(read) => {
                let Some(magic) = self.number(read, 4, byte) else {
                    self.at = At::Magic(read + 1);
                    return Ok(());
                };
                // What is neither is for the decoder to refuse.
                let is_skippable = magic & !0xf == SKIPPABLE;
                if is_skippable && self.announced.is_some() {
                    return Err(Malformed);
                }
                self.at = if is_skippable { At::SkippableSize(0) } else { At::Descriptor };
                if !is_skippable && magic != FRAME {
                    return Err(Malformed);
                }
            }
            At::SkippableSize(read) => match self.number(read, 4, byte) {
                None => self.at = At::SkippableSize(read + 1),
                Some(0) => self.restart(),
                Some(SIZE_BYTES) => self.at = At::FrameSize(0),
                Some(_) => return Err(Malformed),
            },
            At::FrameSize(read) => match self.number(read, SIZE_BYTES, byte) {
                None => self.at = At::FrameSize(read + 1),
                Some(size) => {
                    self.announced = Some(u64::from(size));
                    self.restart();
                }
            },
            At::Descriptor => self.descriptor(byte)?,
            At::BlockHeader(read) => match self.number(read, 3, byte) {
                None => self.at = At::BlockHeader(read + 1),
                Some(header) => {
                    let size = if header >> 1 & 3 == REPEATED { 1 } else { header >> 3 };
                    let is_last = header & 1 == 1;
                    if size == 0 {
                        return self.end_block(is_last);
                    }
                    self.at = At::Block(size, is_last);
                }
            },
            At::Header(_) | At::Block(..) | At::Checksum(_) => {}
        }
        Ok(())
    }

    /// The number of `length` bytes, with its last one.
    fn number(&mut self, read: u32, length: u32, byte: u8) -> Option<u32> {
        let before = if read == 0 { 0 } else { self.number };
        self.number = before | u32::from(byte) << (8 * read);
        (read + 1 == length).then_some(self.number)
    }

    fn descriptor(&mut self, descriptor: u8) -> Result<(), Malformed> {
        if descriptor & UNUSED != 0 {
            return Err(Malformed);
        }
        self.has_checksum = descriptor & CHECKSUM != 0;
        let is_single = descriptor & SINGLE_SEGMENT != 0;
        let window = u32::from(!is_single);
        let dictionary = [0, 1, 2, 4].get(usize::from(descriptor & 3)).copied().unwrap_or_default();
        let size = match descriptor >> 6 {
            0 => u32::from(is_single),
            flag => 1 << flag,
        };
        let left = window + dictionary + size;
        self.at = if left == 0 { At::BlockHeader(0) } else { At::Header(left) };
        Ok(())
    }

    fn end_block(&mut self, is_last: bool) -> Result<(), Malformed> {
        self.at = match (is_last, self.has_checksum) {
            (false, _) => At::BlockHeader(0),
            (true, true) => At::Checksum(4),
            (true, false) => return self.end_frame(),
        };
        Ok(())
    }

    fn end_frame(&mut self) -> Result<(), Malformed> {
        if self.announced.take().is_some_and(|length| length != self.length) {
            return Err(Malformed);
        }
        self.restart();
        Ok(())
    }

    fn restart(&mut self) {
        self.at = At::Magic(0);
        self.length = 0;
    }
}
