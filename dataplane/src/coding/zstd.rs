//! Zstandard (RFC 8878) as a content coding: windows of at most 8 MB (RFC 9659), no dictionaries, any number of frames.

use zstd_safe::{DCtx, DParameter, InBuffer, OutBuffer};

use super::step::{Ancillary, Malformed, Step};
use frames::Frames;

mod frames;

/// Two to this power is the largest window that a sender may ask for.
const WINDOW_LOG_MAX: u32 = 23;

/// Decodes a Zstandard body.
pub(super) struct Zstd {
    context: Option<DCtx<'static>>,
    /// True if the last frame that began is whole.
    is_complete: bool,
    /// The frames, where what they carry beside the content is refused.
    frames: Option<Frames>,
}

impl Zstd {
    pub(super) fn new(ancillary: Ancillary) -> Zstd {
        let frames = (ancillary == Ancillary::Refused).then(Frames::default);
        Zstd { context: context(), is_complete: true, frames }
    }

    pub(super) fn is_complete(&self) -> bool {
        self.is_complete && self.frames.as_ref().is_none_or(Frames::is_complete)
    }

    pub(super) fn step(&mut self, input: &[u8], out: &mut [u8]) -> Result<Step, Malformed> {
        let context = self.context.as_mut().ok_or(Malformed)?;
        // Between frames the decoder has nothing to say, and asking would begin a frame.
        if input.is_empty() && self.is_complete {
            return Ok(Step::default());
        }
        let mut source = InBuffer::around(input);
        let mut out = OutBuffer::around(out);
        let hint = context.decompress_stream(&mut out, &mut source).map_err(|_| Malformed)?;
        self.is_complete = hint == 0;
        let step = Step { taken: source.pos(), made: out.pos() };
        if let Some(frames) = &mut self.frames {
            frames.read(input.get(..step.taken).unwrap_or_default())?;
        }
        Ok(step)
    }
}

/// A context with the bound; `None` when memory is out.
fn context() -> Option<DCtx<'static>> {
    let mut context = DCtx::try_create()?;
    context.set_parameter(DParameter::WindowLogMax(WINDOW_LOG_MAX)).ok()?;
    Some(context)
}
