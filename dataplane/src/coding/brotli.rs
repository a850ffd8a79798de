//! Brotli (RFC 7932), without the large windows that the standard does not know.

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};

use super::{Malformed, Step};

/// Decodes a Brotli body.
pub(super) struct Brotli {
    state: Box<BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>>,
    ended: bool,
}

impl Brotli {
    pub(super) fn new() -> Brotli {
        let alloc = StandardAlloc::default;
        Brotli { state: Box::new(BrotliState::new_strict(alloc(), alloc(), alloc())), ended: false }
    }

    pub(super) fn is_complete(&self) -> bool {
        self.ended
    }

    pub(super) fn step(&mut self, input: &[u8], out: &mut [u8]) -> Result<Step, Malformed> {
        if self.ended {
            return if input.is_empty() { Ok(Step::default()) } else { Err(Malformed) };
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
        Ok(Step { taken, made })
    }
}
