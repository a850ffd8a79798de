//! `deflate`: by the letter a zlib stream (RFC 1950), by the habit of some clients a bare one (RFC 1951). What can be
//! read as both is refused, because an application might read the other one.

use flate2::{Decompress, Status};

use super::gzip;
use super::step::{Malformed, Step};

/// Bytes that decide.
const HEAD_BYTES: usize = 5;

/// Decodes a deflate body.
#[derive(Default)]
pub(super) struct Deflate {
    /// First bytes, kept until the form is known, then inflated first.
    head: [u8; HEAD_BYTES],
    held: usize,
    inflated: usize,
    inflate: Option<Box<Decompress>>,
    ended: bool,
}

impl Deflate {
    pub(super) fn is_complete(&self) -> bool {
        self.ended
    }

    pub(super) fn step(&mut self, input: &[u8], out: &mut [u8]) -> Result<Step, Malformed> {
        if self.ended {
            return if input.is_empty() { Ok(Step::default()) } else { Err(Malformed) };
        }
        let mut taken = 0;
        while self.inflate.is_none() {
            let Some(byte) = input.get(taken) else { return Ok(Step { taken, made: 0 }) };
            let slot = self.head.get_mut(self.held).ok_or(Malformed)?;
            *slot = *byte;
            self.held += 1;
            taken += 1;
            if let Some(form) = form(self.head.get(..self.held).unwrap_or_default())? {
                self.inflate = Some(Box::new(Decompress::new(form == Form::Zlib)));
            }
        }
        let Some(inflate) = &mut self.inflate else { return Err(Malformed) };
        let kept = self.head.get(self.inflated..self.held).unwrap_or_default();
        if !kept.is_empty() {
            let (step, status) = gzip::run(inflate, kept, out)?;
            self.inflated += step.taken;
            self.ended = status == Status::StreamEnd;
            // What follows the end inside the kept bytes is rubbish just like what follows it later.
            if (self.ended || step == Step::default()) && self.inflated < self.held {
                return Err(Malformed);
            }
            return Ok(Step { taken, made: step.made });
        }
        let rest = input.get(taken..).unwrap_or_default();
        let (step, status) = gzip::run(inflate, rest, out)?;
        self.ended = status == Status::StreamEnd;
        Ok(Step { taken: taken + step.taken, made: step.made })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Zlib,
    Bare,
}

/// The form that the first bytes show; `None` asks for more. A zlib header (method 8) is also the start of a bare
/// stored block, which is good only when its length stands there twice, the second time inverted.
fn form(head: &[u8]) -> Result<Option<Form>, Malformed> {
    let (Some(method), flags) = (head.first(), head.get(1)) else { return Ok(None) };
    if method & 0x0f != 8 || method >> 4 > 7 {
        return Ok(Some(Form::Bare));
    }
    let Some(flags) = flags else { return Ok(None) };
    if !(u16::from(*method) * 256 + u16::from(*flags)).is_multiple_of(31) {
        return Ok(Some(Form::Bare));
    }
    match head {
        [_, low, high, not_low, not_high, ..] if *not_low == !*low && *not_high == !*high => Err(Malformed),
        [_, _, _, _, _, ..] => Ok(Some(Form::Zlib)),
        _ => Ok(None),
    }
}
