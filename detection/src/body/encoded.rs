//! The bytes of a coded body as an application reads them that takes no coding off: in them it finds the fields of the
//! type that is declared. True compressed data is noise to every parser, so that what is noise is dropped here, and what a
//! parser refuses counts for nothing. It knows no coding.

use memchr::memmem::Finder;
use waf_bodies::parameters;
use waf_shared::catalog::Leaf;

use super::reader::Body;
use crate::body::kind::BodyKind;
use crate::body::sink::Progress;
use crate::body::sink::{Completeness, Sink};
use crate::bounds::Bounds;
use lead::Lead;
use noise::Filter;

mod lead;
mod noise;
#[cfg(test)]
mod tests;

/// Protections that look for lines of heads, then those that look at single bytes, or that count.
const NOISE: &[Leaf] = &[
    Leaf::HttpAttacksHeaderCrlfInjection,
    Leaf::HttpAttacksResponseSplitting,
    Leaf::HttpComplianceNullBytes,
    Leaf::HttpComplianceNonPrintableCharacters,
    Leaf::HttpComplianceUtf8Tricks,
    // It reads bytes without their highest bit: nearly all are text then.
    Leaf::CrossSiteScriptingEncodingEvasion,
    Leaf::HttpComplianceDoubleUrlEncoding,
    Leaf::RequestValidationArgumentLimits,
];
/// Number of those that look for lines.
const LINES: usize = 2;

/// One coded body, or what one of two codings is taken off from.
#[derive(Debug, Default)]
pub(crate) struct Encoded {
    body: Body,
    kind: BodyKind,
    media_type: Vec<u8>,
    bounds: Option<Bounds>,
    /// The delimiter of a multipart body.
    delimiter: Option<Finder<'static>>,
    /// Bytes that may begin a delimiter.
    tail: Vec<u8>,
    /// True if a delimiter of a multipart body came.
    is_delimited: bool,
    /// Bytes before the first delimiter.
    preamble: u64,
    lead: Lead,
}

impl Encoded {
    /// Begins a body of the type `media_type`.
    pub(crate) fn start(&mut self, media_type: &[u8], bounds: &Bounds, sink: &mut impl Sink) {
        self.media_type.clear();
        self.media_type.extend_from_slice(media_type);
        self.bounds = Some(bounds.clone());
        self.tail.clear();
        self.is_delimited = false;
        self.preamble = 0;
        self.lead.start();
        self.kind = self.body.start_lenient(media_type, bounds, &mut Filter { sink, reads_text: false });
        self.delimiter = (self.kind == BodyKind::Multipart).then(|| delimiter(media_type)).flatten();
    }

    /// The protections that say nothing here: those that every piece of compressed data breaks, and in parts those that look
    /// for a line of a head. Where a compressor drops a delimiter that it has seen before, heads run into values.
    pub(crate) fn noise(&self) -> &'static [Leaf] {
        if self.kind == BodyKind::Multipart { NOISE } else { NOISE.get(LINES..).unwrap_or_default() }
    }

    /// Bytes that wait for the end to be judged.
    pub(crate) fn pending(&self) -> usize {
        self.body.pending()
    }

    /// The progress of the judgement.
    pub(crate) fn progress(&self) -> Progress {
        if self.kind == BodyKind::None {
            return Progress::Cleared;
        }
        let inspected_max = self.bounds.as_ref().map_or(0, |bounds| bounds.max_inspect_size);
        match &self.delimiter {
            Some(_) if !self.is_delimited && self.preamble >= inspected_max => Progress::Cleared,
            Some(_) if !self.is_delimited => Progress::Open,
            _ => self.body.progress(),
        }
    }

    /// Judges the next bytes.
    pub(crate) fn feed(&mut self, chunk: &[u8], sink: &mut impl Sink) {
        if self.kind == BodyKind::None || sink.is_over() {
            return;
        }
        self.lead.feed(chunk);
        match self.delimiter.take() {
            Some(delimiter) => {
                self.parts(&delimiter, chunk, sink);
                self.delimiter = Some(delimiter);
            }
            None => self.body.feed(chunk, &mut Filter { sink, reads_text: self.reads_text() }),
        }
    }

    /// Judges the beginning, once the content is known to begin with `content`: no coding begins with text that it has not
    /// stored.
    pub(crate) fn begins(&mut self, content: &[u8], sink: &mut impl Sink) {
        if self.lead.is_text() && !self.lead.is_stored(content) {
            sink.violation(Leaf::HttpComplianceMalformedBody, "the coded body begins with text");
        }
        self.lead.end();
    }

    /// Judges what the end makes complete.
    pub(crate) fn finish(&mut self, completeness: Completeness, sink: &mut impl Sink) {
        if self.kind == BodyKind::None {
            return;
        }
        if self.is_delimited {
            let tail = std::mem::take(&mut self.tail);
            self.body.feed(&tail, &mut Filter { sink, reads_text: self.reads_text() });
        }
        self.tail.clear();
        self.body.finish(completeness, &mut Filter { sink, reads_text: self.reads_text() });
        self.kind = BodyKind::None;
    }

    /// Returns `true` if text outside of all syntax is judged: of documents only where the bytes begin with text. Literals that a
    /// compressor stored are markup that lost what repeats.
    fn reads_text(&self) -> bool {
        !matches!(self.kind, BodyKind::Json | BodyKind::Xml) || self.lead.is_begun()
    }

    /// Readers differ in what has to stand before a delimiter: here each one begins a part, wherever it stands.
    fn parts(&mut self, delimiter: &Finder<'static>, chunk: &[u8], sink: &mut impl Sink) {
        let mut buffer = std::mem::take(&mut self.tail);
        buffer.extend_from_slice(chunk);
        let needle = delimiter.needle();
        let mut rest = buffer.as_slice();
        while let Some((before, from)) = delimiter.find(rest).and_then(|at| rest.split_at_checked(at)) {
            self.within(before, sink);
            self.restart(sink);
            self.body.feed(needle, &mut Filter { sink, reads_text: self.reads_text() });
            rest = from.get(needle.len()..).unwrap_or_default();
            if sink.is_over() {
                return;
            }
        }
        let kept = rest.len().min(needle.len().saturating_sub(1));
        let (before, tail) = rest.split_at_checked(rest.len() - kept).unwrap_or((rest, &[]));
        self.within(before, sink);
        self.tail = tail.to_vec();
    }

    /// Bytes of a part, or before the first one.
    fn within(&mut self, bytes: &[u8], sink: &mut impl Sink) {
        if self.is_delimited {
            self.body.feed(bytes, &mut Filter { sink, reads_text: self.reads_text() });
        } else {
            self.preamble = self.preamble.saturating_add(bytes.len() as u64);
        }
    }

    fn restart(&mut self, sink: &mut impl Sink) {
        self.is_delimited = true;
        let Some(bounds) = &self.bounds else { return };
        let mut filter = Filter { sink, reads_text: false };
        self.body.finish(Completeness::CutOff, &mut filter);
        self.body.start_lenient(&self.media_type, bounds, &mut filter);
    }
}

/// `--` and the boundary that a lenient reader takes from `media_type`.
fn delimiter(media_type: &[u8]) -> Option<Finder<'static>> {
    let (_, rest) = parameters::essence(media_type);
    let mut known = parameters::parameters(rest).filter_map(Result::ok);
    let boundary = known.find(|parameter| parameter.name.eq_ignore_ascii_case(b"boundary"))?;
    Some(Finder::new(&[b"--", boundary.value.as_ref()].concat()).into_owned())
}
