//! Text told from noise. In compressed data every byte is about as likely as any other, so that three in eight are text:
//! a chance run of it is short.

use waf_shared::catalog::Leaf;

use crate::body::sink::Sink;
use crate::field::Place;

/// Bytes of a lone word: a megabyte of noise has one between two `&` in one of a hundred cases.
const WORD_BYTES: usize = 8;

/// Weights of a stretch: what a byte of noise takes from the bytes of text around it, and from where on text is no chance.
#[derive(Debug, Clone, Copy)]
struct Scale {
    noise: usize,
    least: usize,
}

/// Text without a name: a megabyte of noise has a stretch like this in one of twenty cases.
const IN_TEXT: Scale = Scale { noise: 3, least: 18 };
/// An argument, which has a name already: close text, and text that is strewn with noise.
const IN_ARGUMENT: [Scale; 2] = [Scale { noise: 3, least: 12 }, Scale { noise: 1, least: 24 }];
/// Weight below the heaviest point at which a stretch ends.
const FALL: usize = 12;
/// Bytes around a stretch that are judged with it.
const MARGIN_BYTES: usize = 64;

/// Passes on what chance does not make.
pub(super) struct Filter<'a, S> {
    pub(super) sink: &'a mut S,
    /// Whether text that no syntax has found is judged.
    pub(super) reads_text: bool,
}

impl<S: Sink> Sink for Filter<'_, S> {
    fn field(&mut self, place: Place, name: &[u8], value: &[u8]) {
        if place != Place::Body {
            return self.sink.field(place, name, value);
        }
        for (from, to) in stretches(value, IN_TEXT).filter(|_| self.reads_text) {
            let from = from.saturating_sub(MARGIN_BYTES);
            let to = to.saturating_add(MARGIN_BYTES).min(value.len());
            self.sink.field(place, name, value.get(from..to).unwrap_or_default());
        }
    }

    fn argument(&mut self, names: Place, values: Place, pair: &[u8]) {
        if !is_argument(pair) {
            return;
        }
        let end = pair.iter().position(|byte| matches!(byte, b'=' | 0)).unwrap_or(pair.len());
        let (name, rest) = pair.split_at_checked(end).unwrap_or((pair, &[]));
        if rest.first() == Some(&0) {
            // For readers that end a name there, what stands between it and the value is nothing.
            let value = rest.iter().position(|byte| *byte == b'=').and_then(|at| rest.get(at + 1..));
            self.sink.field(values, name, value.unwrap_or_default());
        } else {
            self.sink.argument(names, values, pair);
        }
    }

    fn argument_name(&mut self, names: Place, name: &[u8]) {
        self.sink.argument_name(names, name);
    }

    fn violation(&mut self, leaf: Leaf, reason: &'static str) {
        // That the bytes are not of the declared type is what they should be.
        let is_content = matches!(
            leaf,
            Leaf::XmlParsingEntityExpansion
                | Leaf::FileUploadLimitsExecutable
                | Leaf::FileUploadLimitsDoubleExtension
                | Leaf::FileUploadLimitsAllowedTypes
        );
        if is_content {
            self.sink.violation(leaf, reason);
        }
    }

    fn is_over(&self) -> bool {
        self.sink.is_over()
    }
}

/// Text as nearly all of it is written: ASCII without control characters.
pub(super) const fn is_text(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r')
}

/// Whether what stands between two `&` reads as an argument: it has a name, which is text, and is text to its end or has a
/// stretch of it. Some readers end names at a zero byte.
fn is_argument(pair: &[u8]) -> bool {
    let end = pair.iter().position(|byte| matches!(byte, b'=' | 0));
    let name = pair.get(..end.unwrap_or(pair.len())).unwrap_or_default();
    let is_name = !name.is_empty() && !name.iter().any(u8::is_ascii_control) && is_all_text(name);
    if end.is_none() || !is_name {
        // Applications read a lone word as well; text has to begin it.
        return is_name && name.len() >= WORD_BYTES
            || stretches(pair, IN_TEXT).next().is_some_and(|(from, _)| from == 0);
    }
    is_all_text(pair) || IN_ARGUMENT.iter().any(|scale| stretches(pair, *scale).next().is_some())
}

/// Whether every byte is text or part of a character in UTF-8.
fn is_all_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok() && bytes.iter().all(|byte| !byte.is_ascii() || is_text(*byte))
}

/// The stretches of text that are too long for chance; a little noise does not end one.
fn stretches(value: &[u8], scale: Scale) -> impl Iterator<Item = (usize, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (mut from, mut weight, mut peak, mut to) = (at, 0_usize, 0, at);
        while let Some(byte) = value.get(at) {
            at += 1;
            weight = if is_text(*byte) { weight + 1 } else { weight.saturating_sub(scale.noise) };
            if weight > peak {
                (peak, to) = (weight, at);
            }
            if weight == 0 || peak - weight >= FALL {
                if peak >= scale.least {
                    return Some((from, to));
                }
                (from, weight, peak, to) = (at, 0, 0, at);
            }
        }
        (peak >= scale.least).then_some((from, to))
    })
}
