//! Brotli (RFC 7932), without the large windows that the standard does not know.

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};

use super::step::{Ancillary, Malformed, Step};

/// The decoder skips metadata (RFC 7932 section 9.2) without a word, but its state shows the block that it is in. It is
/// looked at after each so many bytes of the body, so that no block of as many passes unseen; a shorter one carries
/// nothing.
const LOOK_BYTES: usize = 4;

/// Decodes a Brotli body.
pub(super) struct Brotli {
    ancillary: Ancillary,
    state: Box<BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>>,
    ended: bool,
    /// Bytes of the body that came since the last look.
    unseen: usize,
}

impl Brotli {
    pub(super) fn new(ancillary: Ancillary) -> Brotli {
        let alloc = StandardAlloc::default;
        let state = Box::new(BrotliState::new_strict(alloc(), alloc(), alloc()));
        Brotli { ancillary, state, ended: false, unseen: 0 }
    }

    pub(super) fn is_complete(&self) -> bool {
        self.ended
    }

    pub(super) fn step(&mut self, input: &[u8], out: &mut [u8]) -> Result<Step, Malformed> {
        if self.ancillary == Ancillary::Skipped {
            return Ok(self.run(input, out)?.0);
        }
        let mut total = Step::default();
        loop {
            let rest = input.get(total.taken..).unwrap_or_default();
            let piece = rest.get(..LOOK_BYTES - self.unseen).unwrap_or(rest);
            let room = out.get_mut(total.made..).unwrap_or_default();
            let (step, result) = self.run(piece, room)?;
            total.taken += step.taken;
            total.made += step.made;
            self.unseen += step.taken;
            if self.unseen >= LOOK_BYTES && !matches!(result, BrotliResult::NeedsMoreOutput) {
                self.unseen = 0;
                if self.state.is_metadata != 0 && self.state.meta_block_remaining_len > 0 {
                    return Err(Malformed);
                }
            }
            let waits = matches!(result, BrotliResult::NeedsMoreOutput) || step == Step::default();
            if waits || total.taken == input.len() {
                return Ok(total);
            }
        }
    }

    fn run(&mut self, input: &[u8], out: &mut [u8]) -> Result<(Step, BrotliResult), Malformed> {
        if self.ended {
            let end = (Step::default(), BrotliResult::ResultSuccess);
            return if input.is_empty() { Ok(end) } else { Err(Malformed) };
        }
        let (mut left, mut taken, mut room, mut made, mut total) = (input.len(), 0, out.len(), 0, 0);
        let state = &mut *self.state;
        let result = BrotliDecompressStream(
            &mut left, &mut taken, input, &mut room, &mut made, out, &mut total, state,
        );
        match result {
            BrotliResult::ResultSuccess => self.ended = true,
            BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => {}
            BrotliResult::ResultFailure => return Err(Malformed),
        }
        Ok((Step { taken, made }, result))
    }
}
