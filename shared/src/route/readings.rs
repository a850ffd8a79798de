//! The readings of a request path: as sent, and as the programs behind us might change it before they choose what to
//! serve. Readings choose a route and nothing else: what is forwarded are the client's bytes. It knows nothing of
//! patterns.
//!
//! Each program applies some of the [`Step`]s, and several programs apply them one after the other. So the readings are
//! everything that the steps make of the path, in any order.

use std::borrow::Cow;

use super::path::{canonical, canonical_of_decoded, escaped, is_path_byte};

/// Times that a path may be percent-decoded on its way.
const DECODINGS_MAX: u8 = 2;

/// Readings of one path. Honest paths have one, sloppy ones a handful; a path with more is refused.
const READINGS_MAX: usize = 256;

/// Bytes of all readings of one path together.
const READINGS_BYTES_MAX: usize = 1 << 20;

/// One reading of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reading<'p> {
    text: Cow<'p, [u8]>,
    decodings: u8,
    /// True if a leading authority was dropped.
    pub(super) lost_authority: bool,
}

/// A change that some programs make to a path and others do not.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// `\` becomes `/` (browsers, Windows).
    Backslashes,
    /// `;` and what follows it in a segment goes (servlet containers).
    Parameters,
    /// Repeated slashes become one (nginx, file systems).
    Merge,
    /// `.` and `..` are resolved (RFC 3986 section 5.2.4).
    Dots,
    /// Percent coding is taken off.
    Decode,
    /// Percent coding is taken off, but not that of slashes and backslashes.
    DecodeButSlashes,
    /// `//authority` at the front goes (readers that take the target for a URL reference).
    Authority,
}

const STEPS: [Step; 7] = [
    Step::Backslashes,
    Step::Parameters,
    Step::Merge,
    Step::Dots,
    Step::Decode,
    Step::DecodeButSlashes,
    Step::Authority,
];

/// Every reading of `raw`, as sent first; `None` when there are too many.
pub(super) fn all(raw: &[u8]) -> Option<Vec<Reading<'_>>> {
    let mut found = vec![Reading { text: Cow::Borrowed(raw), decodings: 0, lost_authority: false }];
    let mut bytes = raw.len();
    let mut at = 0;
    while let Some(reading) = found.get(at) {
        let changed: Vec<Reading<'_>> = STEPS.iter().filter_map(|step| reading.after(*step)).collect();
        for new in changed {
            if found.iter().any(|known| known.stands_for(&new)) {
                continue;
            }
            bytes += new.text.len();
            if found.len() == READINGS_MAX || bytes > READINGS_BYTES_MAX {
                return None;
            }
            found.push(new);
        }
        at += 1;
    }
    Some(found)
}

impl<'p> Reading<'p> {
    /// Canonical segments; a trailing slash makes none.
    pub(super) fn segments(&self) -> impl Iterator<Item = Cow<'_, [u8]>> {
        let text = self.text.strip_prefix(b"/").unwrap_or(&self.text);
        let inner = text.strip_suffix(b"/").unwrap_or(text);
        let form = if self.decodings == 0 { canonical } else { canonical_of_decoded };
        inner.split(|byte| *byte == b'/').filter(move |_| !text.is_empty()).map(form)
    }

    /// True if a dot segment leads above where the path begins.
    pub(super) fn climbs(&self) -> bool {
        let text = self.text.strip_prefix(b"/").unwrap_or(&self.text);
        let mut depth = 0_usize;
        for segment in text.split(|byte| *byte == b'/') {
            match segment {
                b"." => {}
                b".." => match depth.checked_sub(1) {
                    Some(above) => depth = above,
                    None => return true,
                },
                _ => depth += 1,
            }
        }
        false
    }

    /// True if `other` is the same text, with no more left to do to it.
    fn stands_for(&self, other: &Reading<'_>) -> bool {
        self.text == other.text
            && self.decodings <= other.decodings
            && self.lost_authority <= other.lost_authority
    }

    /// The reading after one more step; `None` when the step changes nothing.
    fn after(&self, step: Step) -> Option<Reading<'p>> {
        let text: &[u8] = &self.text;
        let mut next = Reading { text: Cow::Borrowed(&[]), ..self.clone() };
        let changed = match step {
            Step::Backslashes => with_slashes(text),
            Step::Parameters => without_parameters(text),
            Step::Merge => merged(text),
            Step::Dots => without_dots(text),
            Step::Decode | Step::DecodeButSlashes => {
                next.decodings += 1;
                let keeps_slashes = matches!(step, Step::DecodeButSlashes);
                (self.decodings < DECODINGS_MAX).then(|| decoded(text, self.decodings, keeps_slashes))?
            }
            Step::Authority => {
                next.lost_authority = true;
                (!self.lost_authority).then(|| without_authority(text))?
            }
        }?;
        next.text = Cow::Owned(changed);
        Some(next)
    }
}

fn with_slashes(text: &[u8]) -> Option<Vec<u8>> {
    memchr::memchr(b'\\', text)?;
    Some(text.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte }).collect())
}

fn without_parameters(text: &[u8]) -> Option<Vec<u8>> {
    memchr::memchr(b';', text)?;
    let mut out = Vec::with_capacity(text.len());
    let mut dropping = false;
    for &byte in text {
        dropping = byte == b';' || (dropping && byte != b'/');
        if !dropping {
            out.push(byte);
        }
    }
    Some(out)
}

fn merged(text: &[u8]) -> Option<Vec<u8>> {
    memchr::memmem::find(text, b"//")?;
    let mut out = text.to_vec();
    out.dedup_by(|byte, before| *byte == b'/' && *before == b'/');
    Some(out)
}

fn without_dots(text: &[u8]) -> Option<Vec<u8>> {
    let inner = text.strip_prefix(b"/")?;
    let is_dots = |segment: &[u8]| matches!(segment, b"." | b"..");
    if !inner.split(|byte| *byte == b'/').any(is_dots) {
        return None;
    }
    let mut stack: Vec<&[u8]> = Vec::new();
    let mut parts = inner.split(|byte| *byte == b'/').peekable();
    while let Some(part) = parts.next() {
        if part == b".." {
            stack.pop();
        }
        if !is_dots(part) {
            stack.push(part);
        } else if parts.peek().is_none() {
            // A dot segment at the end names a folder.
            stack.push(b"");
        }
    }
    let mut out = Vec::with_capacity(text.len());
    for part in stack {
        out.push(b'/');
        out.extend_from_slice(part);
    }
    Some(out)
}

/// `text` decoded once more, if that can change how it is read. Of a path as sent, letters and digits are compared decoded
/// anyway; what matters are bytes that mean something in a path, and percent signs that may begin another escape.
fn decoded(text: &[u8], decodings: u8, keeps_slashes: bool) -> Option<Vec<u8>> {
    memchr::memchr(b'%', text)?;
    let mut out = Vec::with_capacity(text.len());
    let mut matters = decodings > 0;
    let mut rest = text;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        match escaped(tail).filter(|_| byte == b'%') {
            Some((b'/' | b'\\', _)) if keeps_slashes => out.push(byte),
            Some((value, after)) => {
                out.push(value);
                rest = after;
                let is_plain = value.is_ascii_alphanumeric() || !is_path_byte(value);
                matters |= !is_plain || value == b'%';
            }
            None => {
                out.push(byte);
                matters |= byte == b'%';
            }
        }
    }
    (matters && out != text).then_some(out)
}

/// The rest after `//authority`, `/\authority` or `\\authority`, with any number of slashes in front; `/` when nothing
/// follows.
fn without_authority(text: &[u8]) -> Option<Vec<u8>> {
    let is_slash = |byte: &u8| matches!(byte, b'/' | b'\\');
    let begins = text.iter().position(|byte| !is_slash(byte)).unwrap_or(text.len());
    if begins < 2 {
        return None;
    }
    let authority = text.get(begins..)?;
    let length = authority.iter().position(is_slash).unwrap_or(authority.len());
    let rest = authority.get(length..).unwrap_or_default();
    Some(if rest.is_empty() { b"/".to_vec() } else { rest.to_vec() })
}
