//! Content codings (RFC 9110 section 8.4.1), taken off for inspection: a body is inflated as it comes, in windows of
//! fixed size, and never further than the caller's bounds. It knows no requests, routes or modes.

mod brotli;
mod deflate;
mod gzip;
mod step;
mod zstd;

use std::fmt;
use std::ops::ControlFlow;

pub(crate) use step::Ancillary;
use step::{Malformed, Step};

/// Bytes that a decoder makes at once.
const WINDOW_BYTES: usize = 16 << 10;

/// A prefix says little about the whole: up to here the ratio is judged at the end, beyond it at every window.
const PREFIX_BYTES: u64 = 128 << 10;

/// Codings that may be stacked on one body.
const STACKED_MAX: usize = 2;

/// A coding that can be taken off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// A coding that cannot: its name is unknown, or too many are stacked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UnknownCoding;

/// The reason why inflating ended before the body did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodingFault {
    /// More came out than the ratio allows for what went in.
    Ratio,
    /// The bytes are not in the coding that they claim, or end too early.
    Malformed,
}

/// Bounds on inflating a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// Bytes that come out at most; what would follow is passed over.
    pub(crate) bytes_max: u64,
    /// All that came out over all that went in.
    pub(crate) ratio_max: u32,
}

/// Position of bytes that came out of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Made {
    /// Between two codings: one was taken off.
    Between,
    /// The content: all were.
    Content,
}

/// The codings that `Content-Encoding` names, in the order in which they were applied; `identity` is none.
pub(crate) fn codings<'v>(values: impl Iterator<Item = &'v [u8]>) -> Result<Vec<Coding>, UnknownCoding> {
    let mut found = Vec::new();
    for token in values.flat_map(|value| value.split(|byte| *byte == b',')).map(<[u8]>::trim_ascii) {
        let is = |name: &str| token.eq_ignore_ascii_case(name.as_bytes());
        let coding = match token {
            _ if token.is_empty() || is("identity") => continue,
            _ if is("gzip") || is("x-gzip") => Coding::Gzip,
            _ if is("deflate") => Coding::Deflate,
            _ if is("br") => Coding::Brotli,
            _ if is("zstd") => Coding::Zstd,
            _ => return Err(UnknownCoding),
        };
        if found.len() == STACKED_MAX {
            return Err(UnknownCoding);
        }
        found.push(coding);
    }
    Ok(found)
}

/// Takes the codings off one body.
#[derive(Debug)]
pub(crate) struct Inflater {
    /// The coding that was applied last comes off first.
    stages: Vec<Stage>,
    bounds: Bounds,
    totals: Totals,
    /// True if the bound was reached, or the taker wants no more.
    stopped: bool,
}

#[derive(Debug, Default, Clone, Copy)]
struct Totals {
    taken: u64,
    /// Bytes between two codings.
    between: u64,
    made: u64,
}

/// One coding and the window that it is inflated into.
#[derive(Debug)]
struct Stage {
    decoder: Decoder,
    window: Vec<u8>,
}

enum Decoder {
    Gzip(gzip::Gzip),
    Deflate(deflate::Deflate),
    Brotli(brotli::Brotli),
    Zstd(zstd::Zstd),
}

impl Inflater {
    /// For a body to which `codings` were applied in this order.
    pub(crate) fn new(codings: &[Coding], bounds: Bounds, ancillary: Ancillary) -> Inflater {
        let stages = codings.iter().rev().map(|coding| Stage::new(*coding, ancillary)).collect();
        Inflater { stages, bounds, totals: Totals::default(), stopped: false }
    }

    /// Reports whether nothing more will come out.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Reports whether so much came out that the ratio is judged as the body inflates.
    pub(crate) fn is_past_prefix(&self) -> bool {
        self.totals.made > PREFIX_BYTES
    }

    /// Inflates the next bytes; the content goes to `take` piece by piece, until that breaks or a bound is reached.
    pub(crate) fn feed(
        &mut self,
        input: &[u8],
        take: &mut impl FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<(), CodingFault> {
        self.feed_all(input, &mut |made, bytes| match made {
            Made::Between => ControlFlow::Continue(()),
            Made::Content => take(bytes),
        })
    }

    /// The same with what comes out between two codings, at which `take` cannot stop.
    pub(crate) fn feed_all(
        &mut self,
        input: &[u8],
        take: &mut impl FnMut(Made, &[u8]) -> ControlFlow<()>,
    ) -> Result<(), CodingFault> {
        if self.stopped || input.is_empty() {
            return Ok(());
        }
        let Inflater { stages, bounds, totals, .. } = self;
        let flow = match stages.as_mut_slice() {
            [] => {
                totals.taken += input.len() as u64;
                deliver(input, bounds, totals, take)?
            }
            [only] => only.run(input, &mut |taken, made| {
                totals.taken += taken as u64;
                deliver(made, bounds, totals, take)
            })?,
            [outer, inner, ..] => outer.run(input, &mut |taken, made| {
                totals.taken += taken as u64;
                totals.between += made.len() as u64;
                if totals.between > PREFIX_BYTES {
                    totals.check(bounds)?;
                }
                let _ = take(Made::Between, made);
                inner.run(made, &mut |_, made| deliver(made, bounds, totals, take))
            })?,
        };
        self.stopped = flow.is_break();
        Ok(())
    }

    /// The body has ended: its codings must have, too.
    pub(crate) fn finish(&self) -> Result<(), CodingFault> {
        if self.stopped || self.totals.taken == 0 {
            return Ok(());
        }
        if !self.stages.iter().all(|stage| stage.decoder.is_complete()) {
            return Err(CodingFault::Malformed);
        }
        self.totals.check(&self.bounds)
    }
}

/// Hands out what came out, within the bounds.
fn deliver(
    made: &[u8],
    bounds: &Bounds,
    totals: &mut Totals,
    take: &mut impl FnMut(Made, &[u8]) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, CodingFault> {
    let room = bounds.bytes_max.saturating_sub(totals.made);
    totals.made += made.len() as u64;
    if totals.made > PREFIX_BYTES {
        totals.check(bounds)?;
    }
    let within = made.get(..usize::try_from(room).unwrap_or(usize::MAX)).unwrap_or(made);
    let mut flow = ControlFlow::Continue(());
    if !within.is_empty() {
        flow = take(Made::Content, within);
    }
    if flow.is_break() || within.len() < made.len() {
        totals.check(bounds)?;
        return Ok(ControlFlow::Break(()));
    }
    Ok(flow)
}

impl Totals {
    fn check(&self, bounds: &Bounds) -> Result<(), CodingFault> {
        let allowed = self.taken.saturating_mul(u64::from(bounds.ratio_max));
        if self.made.max(self.between) > allowed { Err(CodingFault::Ratio) } else { Ok(()) }
    }
}

impl Stage {
    fn new(coding: Coding, ancillary: Ancillary) -> Stage {
        let decoder = match coding {
            Coding::Gzip => Decoder::Gzip(gzip::Gzip::new(ancillary)),
            Coding::Deflate => Decoder::Deflate(deflate::Deflate::default()),
            Coding::Brotli => Decoder::Brotli(brotli::Brotli::new(ancillary)),
            Coding::Zstd => Decoder::Zstd(zstd::Zstd::new(ancillary)),
        };
        Stage { decoder, window: vec![0; WINDOW_BYTES] }
    }

    /// Runs `input` through the decoder, window by window.
    fn run(
        &mut self,
        mut input: &[u8],
        next: &mut impl FnMut(usize, &[u8]) -> Result<ControlFlow<()>, CodingFault>,
    ) -> Result<ControlFlow<()>, CodingFault> {
        loop {
            let step =
                self.decoder.step(input, &mut self.window).map_err(|Malformed| CodingFault::Malformed)?;
            input = input.get(step.taken..).unwrap_or_default();
            let made = self.window.get(..step.made).unwrap_or_default();
            if next(step.taken, made)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
            // A full window may hide more; otherwise the decoder has what it asked for.
            if step == Step::default() || (input.is_empty() && step.made < self.window.len()) {
                // A decoder that waits although there is input would wait for ever.
                return if input.is_empty() {
                    Ok(ControlFlow::Continue(()))
                } else {
                    Err(CodingFault::Malformed)
                };
            }
        }
    }
}

impl Decoder {
    fn step(&mut self, input: &[u8], out: &mut [u8]) -> Result<Step, Malformed> {
        match self {
            Decoder::Gzip(gzip) => gzip.step(input, out),
            Decoder::Deflate(deflate) => deflate.step(input, out),
            Decoder::Brotli(brotli) => brotli.step(input, out),
            Decoder::Zstd(zstd) => zstd.step(input, out),
        }
    }

    fn is_complete(&self) -> bool {
        match self {
            Decoder::Gzip(gzip) => gzip.is_complete(),
            Decoder::Deflate(deflate) => deflate.is_complete(),
            Decoder::Brotli(brotli) => brotli.is_complete(),
            Decoder::Zstd(zstd) => zstd.is_complete(),
        }
    }
}

impl fmt::Debug for Decoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Decoder::Gzip(_) => "Gzip",
            Decoder::Deflate(_) => "Deflate",
            Decoder::Brotli(_) => "Brotli",
            Decoder::Zstd(_) => "Zstd",
        })
    }
}

#[cfg(test)]
mod tests;
