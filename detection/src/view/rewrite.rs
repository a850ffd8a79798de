//! The loop that all decoders share: find a mark, replace what it begins, copy the rest. Nothing is copied before the
//! first replacement, because most marks in ordinary text begin nothing.

/// The replacement of a mark: at most one code point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Replacement {
    bytes: [u8; 4],
    length: u8,
}

impl Replacement {
    pub(super) const fn byte(byte: u8) -> Replacement {
        Replacement { bytes: [byte, 0, 0, 0], length: 1 }
    }

    /// UTF-8 of a code point; a surrogate or a number beyond Unicode becomes U+FFFD.
    pub(super) fn code_point(value: u32) -> Replacement {
        let mut bytes = [0; 4];
        let character = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
        let length = character.encode_utf8(&mut bytes).len() as u8;
        Replacement { bytes, length }
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.length)).unwrap_or_default()
    }
}

/// The reading of a mark.
pub(super) enum Step {
    /// An escape of so many bytes.
    Replace(usize, Replacement),
    /// Nothing: so many bytes stay as they are.
    Keep(usize),
}

/// Appends `source` with every escape replaced to `out`. `next` finds the next mark, `step` reads it. `false`, and nothing
/// appended, when there is no escape.
pub(super) fn rewrite(
    source: &[u8],
    out: &mut Vec<u8>,
    next: impl Fn(&[u8]) -> Option<usize>,
    step: impl Fn(&[u8]) -> Step,
) -> bool {
    rewrite_with(source, out, next, step, |run, out| out.extend_from_slice(run))
}

/// As [`rewrite`]; `keep` appends the runs between escapes.
pub(super) fn rewrite_with(
    source: &[u8],
    out: &mut Vec<u8>,
    next: impl Fn(&[u8]) -> Option<usize>,
    step: impl Fn(&[u8]) -> Step,
    keep: impl Fn(&[u8], &mut Vec<u8>),
) -> bool {
    let mut changed = false;
    // Everything before `kept` has been appended.
    let (mut kept, mut at) = (0, 0);
    while let Some(mark) = source.get(at..).and_then(&next) {
        at += mark;
        match step(source.get(at..).unwrap_or_default()) {
            Step::Replace(taken, with) => {
                keep(source.get(kept..at).unwrap_or_default(), out);
                out.extend_from_slice(with.as_bytes());
                at += taken.max(1);
                kept = at;
                changed = true;
            }
            Step::Keep(taken) => at += taken.max(1),
        }
    }
    if changed {
        keep(source.get(kept..).unwrap_or_default(), out);
    }
    changed
}
