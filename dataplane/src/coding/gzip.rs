//! gzip (RFC 1952): any number of members, one after the other, with their check sums.

use flate2::{Crc, Decompress, FlushDecompress, Status};

use super::step::{Ancillary, Malformed, Step};

/// Flags of a member (RFC 1952 section 2.3.1).
const HEADER_CRC: u8 = 1 << 1;
const EXTRA: u8 = 1 << 2;
const NAME: u8 = 1 << 3;
const COMMENT: u8 = 1 << 4;
const RESERVED: u8 = 0b1110_0000;

/// Bytes of a file's name.
const NAME_BYTES_MAX: u8 = 255;
/// The extra field of BGZF up to its value: the identifier `BC` and a length of two bytes.
const BLOCK_SIZE: [u8; 4] = [b'B', b'C', 2, 0];
/// Bytes of that field with its value.
const BLOCK_SIZE_BYTES: u16 = 6;

/// Position of the next byte in a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum At {
    /// Before a member, or after the last one.
    #[default]
    Between,
    /// In the ten bytes that every header has; so many were read.
    Fixed(usize),
    /// In the length of the extra field.
    ExtraLength(usize),
    /// So many bytes before the end of the extra field.
    Extra(u16),
    /// In the name; so many bytes of it were read.
    Name(u8),
    Comment,
    HeaderCrc(usize),
    Data,
    Trailer(usize),
}

/// Decodes a gzip body.
pub(super) struct Gzip {
    ancillary: Ancillary,
    at: At,
    flags: u8,
    /// Bytes of a number that is being read.
    number: [u8; 8],
    inflate: Option<Box<Decompress>>,
    /// Of the header, then of the content.
    sum: Crc,
    /// Bytes of this member.
    length: u64,
    /// Its length as the field of BGZF says it.
    block_size: Option<u64>,
}

impl Gzip {
    pub(super) fn new(ancillary: Ancillary) -> Gzip {
        Gzip {
            ancillary,
            at: At::default(),
            flags: 0,
            number: [0; 8],
            inflate: None,
            sum: Crc::new(),
            length: 0,
            block_size: None,
        }
    }

    pub(super) fn is_complete(&self) -> bool {
        self.at == At::Between
    }

    pub(super) fn step(&mut self, input: &[u8], out: &mut [u8]) -> Result<Step, Malformed> {
        let mut taken = 0;
        while self.at != At::Data {
            let Some(byte) = input.get(taken) else { return Ok(Step { taken, made: 0 }) };
            taken += 1;
            self.frame_byte(*byte)?;
        }
        let rest = input.get(taken..).unwrap_or_default();
        let inflate = self.inflate.get_or_insert_with(|| Box::new(Decompress::new(false)));
        let (step, status) = run(inflate, rest, out)?;
        self.sum.update(out.get(..step.made).unwrap_or_default());
        self.length = self.length.saturating_add(step.taken as u64);
        if status == Status::StreamEnd {
            self.at = At::Trailer(0);
        }
        Ok(Step { taken: taken + step.taken, made: step.made })
    }

    /// A byte of a header or a trailer.
    fn frame_byte(&mut self, byte: u8) -> Result<(), Malformed> {
        if self.at == At::Between {
            self.at = At::Fixed(0);
            self.length = 0;
            self.block_size = None;
        }
        self.length += 1;
        if let At::Trailer(read) = self.at {
            self.keep(read, byte);
            self.at = At::Trailer(read + 1);
            return if read == 7 { self.end_member() } else { Ok(()) };
        }
        self.header_byte(byte)?;
        match self.at {
            At::Data => self.sum.reset(),
            At::HeaderCrc(_) => {}
            _ => self.sum.update(&[byte]),
        }
        Ok(())
    }

    fn header_byte(&mut self, byte: u8) -> Result<(), Malformed> {
        let is_refused = self.ancillary == Ancillary::Refused;
        self.at = match self.at {
            At::Fixed(read) => {
                match (read, byte) {
                    (0, 0x1f) | (1, 0x8b) | (2, 8) | (4.., _) => {}
                    (3, flags) if flags & RESERVED == 0 => self.flags = flags,
                    _ => return Err(Malformed),
                }
                if read < 9 { At::Fixed(read + 1) } else { self.after(0, byte) }
            }
            At::ExtraLength(read) => {
                self.keep(read, byte);
                let [low, high, ..] = self.number;
                match u16::from_le_bytes([low, high]) {
                    _ if read == 0 => At::ExtraLength(1),
                    0 => self.after(EXTRA, byte),
                    BLOCK_SIZE_BYTES => At::Extra(BLOCK_SIZE_BYTES),
                    _ if is_refused => return Err(Malformed),
                    length => At::Extra(length),
                }
            }
            At::Extra(left) => {
                if is_refused {
                    self.block_size_byte(left, byte)?;
                }
                if left > 1 { At::Extra(left - 1) } else { self.after(EXTRA, byte) }
            }
            At::Name(_) if byte == 0 => self.after(NAME, byte),
            At::Name(read) if is_refused && (read == NAME_BYTES_MAX || !is_name_byte(byte)) => {
                return Err(Malformed);
            }
            At::Name(read) => At::Name(read.saturating_add(1)),
            At::Comment if byte == 0 => self.after(COMMENT, byte),
            At::Comment if is_refused => return Err(Malformed),
            At::HeaderCrc(read) => {
                // The lower half of the sum of all bytes before it.
                let expected = self.sum.sum().to_le_bytes();
                if is_refused && expected.get(read) != Some(&byte) {
                    return Err(Malformed);
                }
                if read == 0 { At::HeaderCrc(1) } else { self.after(HEADER_CRC, byte) }
            }
            at @ (At::Comment | At::Data | At::Between | At::Trailer(_)) => at,
        };
        Ok(())
    }

    /// The part of the header that follows `part`, which ends with `byte`; 0 is the fixed one. The flags name the
    /// parts in this order but for the last.
    fn after(&mut self, part: u8, byte: u8) -> At {
        let order = [
            (EXTRA, At::ExtraLength(0)),
            (NAME, At::Name(0)),
            (COMMENT, At::Comment),
            (HEADER_CRC, At::HeaderCrc(0)),
        ];
        let from = order.iter().position(|(flag, _)| *flag == part).map_or(0, |at| at + 1);
        let rest = order.iter().skip(from);
        let next = rest.filter(|(flag, _)| self.flags & flag != 0).map(|(_, at)| *at).next();
        if matches!(next, Some(At::HeaderCrc(_))) {
            self.sum.update(&[byte]);
        }
        next.unwrap_or(At::Data)
    }

    /// A byte of an extra field that has to be the one of BGZF.
    fn block_size_byte(&mut self, left: u16, byte: u8) -> Result<(), Malformed> {
        let at = usize::from(BLOCK_SIZE_BYTES.saturating_sub(left));
        match BLOCK_SIZE.get(at) {
            Some(expected) if *expected == byte => {}
            Some(_) => return Err(Malformed),
            None if left == 2 => self.block_size = Some(u64::from(byte)),
            None => self.block_size = self.block_size.map(|low| low | u64::from(byte) << 8),
        }
        Ok(())
    }

    fn keep(&mut self, at: usize, byte: u8) {
        if let Some(slot) = self.number.get_mut(at) {
            *slot = byte;
        }
    }

    fn end_member(&mut self) -> Result<(), Malformed> {
        // The check sum, then the size, both with the low byte first.
        let expected = u64::from(self.sum.amount()) << 32 | u64::from(self.sum.sum());
        if u64::from_le_bytes(self.number) != expected {
            return Err(Malformed);
        }
        // The field says the length less one.
        if self.block_size.is_some_and(|size| size + 1 != self.length) {
            return Err(Malformed);
        }
        self.sum.reset();
        if let Some(inflate) = &mut self.inflate {
            inflate.reset(false);
        }
        self.at = At::Between;
        Ok(())
    }
}

/// The bytes of names that are written without thought: none of them means anything in a form or a document.
const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b' ')
}

/// One call of the inflater, counted.
pub(super) fn run(
    inflate: &mut Decompress,
    input: &[u8],
    out: &mut [u8],
) -> Result<(Step, Status), Malformed> {
    let (taken, made) = (inflate.total_in(), inflate.total_out());
    let status = inflate.decompress(input, out, FlushDecompress::None).map_err(|_| Malformed)?;
    let taken = usize::try_from(inflate.total_in() - taken).map_err(|_| Malformed)?;
    let made = usize::try_from(inflate.total_out() - made).map_err(|_| Malformed)?;
    Ok((Step { taken, made }, status))
}
