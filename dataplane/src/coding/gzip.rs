//! gzip (RFC 1952): any number of members, one after the other, with their check sums.

use flate2::{Crc, Decompress, FlushDecompress, Status};

use super::{Malformed, Step};

/// Flags of a member (RFC 1952 section 2.3.1).
const HEADER_CRC: u8 = 1 << 1;
const EXTRA: u8 = 1 << 2;
const NAME: u8 = 1 << 3;
const COMMENT: u8 = 1 << 4;
const RESERVED: u8 = 0b1110_0000;

/// Where in a member the next byte stands.
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
    Name,
    Comment,
    HeaderCrc(usize),
    Data,
    Trailer(usize),
}

/// Decodes a gzip body.
#[derive(Default)]
pub(super) struct Gzip {
    at: At,
    flags: u8,
    /// Bytes of a number that is being read.
    number: [u8; 8],
    inflate: Option<Box<Decompress>>,
    sum: Crc,
}

impl Gzip {
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
        if status == Status::StreamEnd {
            self.at = At::Trailer(0);
        }
        Ok(Step { taken: taken + step.taken, made: step.made })
    }

    /// A byte of a header or a trailer.
    fn frame_byte(&mut self, byte: u8) -> Result<(), Malformed> {
        match self.at {
            At::Between => {
                self.at = At::Fixed(0);
                return self.frame_byte(byte);
            }
            At::Fixed(read) => {
                match (read, byte) {
                    (0, 0x1f) | (1, 0x8b) | (2, 8) | (4.., _) => {}
                    (3, flags) if flags & RESERVED == 0 => self.flags = flags,
                    _ => return Err(Malformed),
                }
                self.at = if read < 9 { At::Fixed(read + 1) } else { self.after(0) };
            }
            At::ExtraLength(read) => {
                self.keep(read, byte);
                self.at = if read == 0 {
                    At::ExtraLength(1)
                } else {
                    let [low, high, ..] = self.number;
                    match u16::from_le_bytes([low, high]) {
                        0 => self.after(EXTRA),
                        length => At::Extra(length),
                    }
                };
            }
            At::Extra(left) => self.at = if left > 1 { At::Extra(left - 1) } else { self.after(EXTRA) },
            At::Name if byte == 0 => self.at = self.after(NAME),
            At::Comment if byte == 0 => self.at = self.after(COMMENT),
            At::HeaderCrc(0) => self.at = At::HeaderCrc(1),
            At::HeaderCrc(_) => self.at = self.after(HEADER_CRC),
            At::Trailer(read) => {
                self.keep(read, byte);
                self.at = At::Trailer(read + 1);
                if read == 7 {
                    self.end_member()?;
                }
            }
            At::Name | At::Comment | At::Data => {}
        }
        Ok(())
    }

    /// The part of the header that follows `part`; 0 is the fixed one. The flags name them in this order but for the last.
    fn after(&self, part: u8) -> At {
        let order = [
            (EXTRA, At::ExtraLength(0)),
            (NAME, At::Name),
            (COMMENT, At::Comment),
            (HEADER_CRC, At::HeaderCrc(0)),
        ];
        let from = order.iter().position(|(flag, _)| *flag == part).map_or(0, |at| at + 1);
        let rest = order.iter().skip(from);
        rest.filter(|(flag, _)| self.flags & flag != 0).map(|(_, at)| *at).next().unwrap_or(At::Data)
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
        self.sum.reset();
        if let Some(inflate) = &mut self.inflate {
            inflate.reset(false);
        }
        self.at = At::Between;
        Ok(())
    }
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
