//! Views: the ways in which an application behind us might read a value. Names for events, and the derivation of those
//! that a value's bytes call for. The decoders stand beside; none knows rules or places beyond "plus is a space here".

use crate::field::Place;
use classes::Classes;

mod base64;
pub(crate) mod classes;
mod entities;
pub(crate) mod escapes;
mod hex;
mod path;
pub(crate) mod percent;
mod rewrite;
mod unicode;
mod utf7;

/// Derived views of one value.
const VIEWS_MAX: usize = 30;
/// Bytes of all derived views: some constant room, and a few times the value.
const VIEW_BYTES_BASE: usize = 32 << 10;
const VIEW_BYTES_FACTOR: usize = 5;
/// Levels of percent coding that are taken off one by one. Below them all that is left is taken off at once.
const PERCENT_LEVELS_MAX: usize = 3;
/// Rounds in which every decoder is applied to what the others left. One round takes off any depth of one coding, so only
/// codings in turns need more, and no program applies them so often.
const FOLD_ROUNDS_MAX: usize = 12;
/// Decodings of base64 within base64.
const UNPACKED_MAX: usize = 8;

/// The view in which the bytes matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum View {
    /// As sent.
    Raw,
    /// Percent-decoded, plus as space where the place demands it.
    Percent,
    /// Percent-decoded again, once or more.
    PercentNested,
    /// HTML entities decoded.
    Entities,
    /// `\xHH`, `\uHHHH`, octal and CSS escapes decoded.
    Escapes,
    /// Overlong and full-width UTF-8 folded to ASCII, UTF-7 read.
    Unicode,
    /// Base64 of text decoded.
    Base64,
    /// Comments taken out as SQL reads them.
    SqlComments,
    /// Quotes, backslashes and carets taken out as a shell reads them.
    ShellQuotes,
    /// Dot segments resolved, backslashes turned.
    Path,
    /// Several of the others, one after the other.
    Combined,
}

impl View {
    /// Its name in events.
    pub const fn as_str(self) -> &'static str {
        match self {
            View::Raw => "raw",
            View::Percent => "percent",
            View::PercentNested => "percent-nested",
            View::Entities => "entities",
            View::Escapes => "escapes",
            View::Unicode => "unicode",
            View::Base64 => "base64",
            View::SqlComments => "sql-comments",
            View::ShellQuotes => "shell-quotes",
            View::Path => "path",
            View::Combined => "combined",
        }
    }
}

/// The derived views of one value; the buffers are kept for the next.
#[derive(Debug, Default)]
pub(crate) struct Views {
    buffers: Vec<Vec<u8>>,
    names: Vec<(View, Classes)>,
    bytes_left: usize,
    folded: Vec<u8>,
    scratch: Vec<u8>,
    /// The value in which parts are looked for.
    part: Vec<u8>,
    /// True when something coded was left at the bounds.
    unsettled: bool,
}

/// A decoder that works on the bytes alone.
type Decoder = fn(&[u8], &mut Vec<u8>) -> bool;

/// A test for classes of bytes that a decoder can change.
type Applies = fn(Classes) -> bool;

const DECODERS: [(View, Applies, Decoder); 5] = [
    (View::Entities, Classes::ampersand, entities::decode),
    (View::Escapes, Classes::backslash, escapes::decode),
    (View::Unicode, Classes::high, unicode::fold),
    (View::Unicode, Classes::plus, utf7::decode),
    (View::Base64, Classes::base64, base64::decode),
];

/// The decodings that [`Views::fold`] applies, in this order.
const FOLDERS: [(Applies, Decoder); 4] = [
    (Classes::percent, percent::decode_fully),
    (Classes::ampersand, entities::decode_fully),
    (Classes::backslash, escapes::decode),
    (Classes::high, unicode::fold),
];

impl Views {
    /// Derives every view of `raw` that differs from it and from the others. Percent levels first, then everything at
    /// once, then each decoder alone on each level: a value made to exhaust the bounds has been decoded fully before.
    pub(crate) fn derive(&mut self, place: Place, classes: Classes, raw: &[u8]) {
        self.clear();
        self.bytes_left = VIEW_BYTES_BASE.saturating_add(raw.len().saturating_mul(VIEW_BYTES_FACTOR));
        let levels = self.percent_levels(place, classes, raw);
        self.fold(levels, self.classes_of(levels, classes), 2, raw);
        // One bit a view: those that base64 made.
        let mut unpacked = self.alone(levels, classes, raw);
        unpacked |= self.parts(levels, classes, raw);
        self.nested(levels, unpacked, raw);
        for level in (0..levels).rev() {
            self.alone(level, classes, raw);
        }
        if place == Place::Path {
            let view = if levels == 0 { View::Path } else { View::Combined };
            self.add(view, levels, raw, path::resolve);
        }
        if levels > PERCENT_LEVELS_MAX {
            self.levels_between(raw);
        }
    }

    /// Forgets the views and keeps the buffers.
    pub(crate) fn clear(&mut self) {
        self.names.clear();
        self.unsettled = false;
    }

    /// True for a value coded so often, in turns of several codings, that some of it was left.
    pub(crate) fn is_unsettled(&self) -> bool {
        self.unsettled
    }

    /// Each decoder alone on one level; a bit for each view that base64 made.
    #[inline]
    fn alone(&mut self, level: usize, classes: Classes, raw: &[u8]) -> u32 {
        let level_classes = self.classes_of(level, classes);
        let mut unpacked = 0;
        for (view, applies, decode) in DECODERS {
            let name = if level == 0 { view } else { View::Combined };
            if applies(level_classes) && self.add(name, level, raw, decode) && view == View::Base64 {
                unpacked |= 1 << self.names.len();
            }
        }
        unpacked
    }

    /// Returns `true` if `raw` can have views at all. Ordinary values cannot.
    pub(crate) fn apply(place: Place, classes: Classes, raw: &[u8]) -> bool {
        let dotted = |pair: &[u8; 2]| matches!(pair, [b'/', b'.' | b'/']);
        classes.may_fold()
            || classes.plus()
            || classes.base64() && raw.len() >= base64::BYTES_MIN
            || place == Place::Path && raw.array_windows().any(dotted)
            || base64::runs(raw).next().is_some()
            || matches!(raw.first(), Some(b'd' | b'D' | b'b' | b'B' | b' ')) && base64::payload(raw).is_some()
    }

    /// The views, without the raw one.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (View, Classes, &[u8])> {
        self.names
            .iter()
            .zip(&self.buffers)
            .map(|((view, classes), bytes)| (*view, *classes, bytes.as_slice()))
    }

    /// Classes of a node; those of the raw value are given.
    fn classes_of(&self, node: usize, raw: Classes) -> Classes {
        node.checked_sub(1).and_then(|nth| self.names.get(nth)).map_or(raw, |(_, classes)| *classes)
    }

    /// Node 0 is the raw value, node n the nth view.
    fn source<'a>(&'a self, node: usize, raw: &'a [u8]) -> &'a [u8] {
        match node.checked_sub(1) {
            None => raw,
            Some(nth) => self.buffers.get(nth).map_or(&[][..], Vec::as_slice),
        }
    }

    fn percent_levels(&mut self, place: Place, classes: Classes, raw: &[u8]) -> usize {
        let plus = match place {
            Place::Query | Place::QueryName | Place::Form | Place::FormName => true,
            // Some frameworks decode cookies like forms; base64 in cookies is no reason to.
            Place::Cookie | Place::CookieName => classes.percent(),
            _ => false,
        };
        if !(classes.percent() || plus && classes.plus()) {
            return 0;
        }
        for level in 0..PERCENT_LEVELS_MAX {
            let (view, plus) = if level == 0 { (View::Percent, plus) } else { (View::PercentNested, false) };
            if !self.add(view, level, raw, |source, out| percent::decode(source, plus, out)) {
                return level;
            }
        }
        let rest = self.add(View::PercentNested, PERCENT_LEVELS_MAX, raw, percent::decode_fully);
        PERCENT_LEVELS_MAX + usize::from(rest)
    }

    /// Levels of percent coding between those taken off one by one and the last, while there is room.
    fn levels_between(&mut self, raw: &[u8]) {
        let mut node = PERCENT_LEVELS_MAX;
        while self.add(View::PercentNested, node, raw, |source, out| percent::decode(source, false, out)) {
            node = self.names.len();
        }
    }

    /// Base64 within what the other decoders made, and what base64 hid from them, as deep as there is room for views.
    fn nested(&mut self, levels: usize, mut unpacked: u32, raw: &[u8]) {
        let (mut node, mut times) = (levels, 0);
        while let Some(&(_, classes)) = self.names.get(node) {
            node += 1;
            if times >= UNPACKED_MAX || self.names.len() >= VIEWS_MAX {
                self.unsettled |= classes.base64() && self.is_base64(node, raw)
                    || unpacked & 1 << node != 0 && base64::runs(self.source(node, raw)).next().is_some();
            } else if classes.base64() && self.add(View::Combined, node, raw, base64::decode) {
                unpacked |= 1 << self.names.len();
                times += 1;
            } else if unpacked & 1 << node != 0 {
                let before = self.names.len();
                self.fold(node, classes, 1, raw);
                let folded = self.names.len();
                // What was decoded may hold base64 in a part of it, before or behind its other codings are taken off.
                unpacked |= self.parts_of(if folded > before { folded } else { node }, raw);
            }
        }
    }

    /// True for a node that is base64 of text.
    fn is_base64(&mut self, node: usize, raw: &[u8]) -> bool {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        let decodes = base64::decode(self.source(node, raw), &mut scratch);
        self.scratch = scratch;
        decodes
    }

    /// Everything decoded until nothing changes; a view if at least `steps_min` decoders had something to do.
    fn fold(&mut self, level: usize, classes: Classes, steps_min: usize, raw: &[u8]) {
        if !classes.may_fold() {
            return;
        }
        let mut folded = std::mem::take(&mut self.folded);
        let mut next = std::mem::take(&mut self.scratch);
        let (mut steps, mut classes) = (0, classes);
        let mut settled = false;
        for _ in 0..FOLD_ROUNDS_MAX {
            let before = steps;
            for (applies, decode) in FOLDERS {
                let source = if steps == 0 { self.source(level, raw) } else { &folded };
                next.clear();
                if applies(classes) && decode(source, &mut next) {
                    std::mem::swap(&mut folded, &mut next);
                    classes = classes::of(&folded);
                    steps += 1;
                }
            }
            settled = steps == before || !classes.may_fold();
            if settled {
                break;
            }
        }
        self.unsettled |= !settled;
        if steps >= steps_min {
            let folded = &folded;
            self.add(View::Combined, 0, raw, |_, out| {
                out.extend_from_slice(folded);
                true
            });
        }
        self.folded = folded;
        self.scratch = next;
    }

    /// Base64 that is only a part of the value; a bit for each view of it.
    fn parts(&mut self, level: usize, classes: Classes, raw: &[u8]) -> u32 {
        let mut made = 0;
        let mut source = std::mem::take(&mut self.part);
        source.clear();
        // Where a form's value is base64, its own `+` is no space.
        if level > 0
            && classes.plus()
            && base64::is_percent_coded(raw)
            && percent::decode(raw, false, &mut source)
            && self.add(View::Base64, 0, raw, |_, out| base64::decode(&source, out))
        {
            made |= 1 << self.names.len();
        }
        self.part = source;
        made | self.parts_of(level, raw)
    }

    /// Base64 that is a part of a node; a bit for each view of it.
    fn parts_of(&mut self, node: usize, raw: &[u8]) -> u32 {
        let mut made = 0;
        let mut source = std::mem::take(&mut self.part);
        source.clear();
        source.extend_from_slice(self.source(node, raw));
        let view = if node == 0 { View::Base64 } else { View::Combined };
        // The whole value has been decoded already.
        let runs = base64::runs(&source).filter(|run| run.len() < source.len());
        for part in base64::payload(&source).into_iter().chain(runs) {
            if self.add(view, 0, raw, |_, out| base64::decode(part, out)) {
                made |= 1 << self.names.len();
            }
        }
        self.part = source;
        made
    }

    /// Adds what `decode` makes of a node, unless it is known already or there is no room.
    fn add(
        &mut self,
        view: View,
        node: usize,
        raw: &[u8],
        decode: impl FnOnce(&[u8], &mut Vec<u8>) -> bool,
    ) -> bool {
        let index = self.names.len();
        if index >= VIEWS_MAX {
            return false;
        }
        let mut out = if let Some(buffer) = self.buffers.get_mut(index) {
            std::mem::take(buffer)
        } else {
            self.buffers.push(Vec::new());
            Vec::new()
        };
        out.clear();
        let source = self.source(node, raw);
        let fresh = source.len() <= self.bytes_left
            && decode(source, &mut out)
            && out != raw
            && self.iter().all(|(_, _, known)| known != out);
        if fresh {
            self.bytes_left = self.bytes_left.saturating_sub(out.len());
            self.names.push((view, classes::of(&out)));
        }
        if let Some(buffer) = self.buffers.get_mut(index) {
            *buffer = out;
        }
        fresh
    }
}

#[cfg(test)]
mod tests;
