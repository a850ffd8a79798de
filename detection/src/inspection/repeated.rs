//! Names that repeat: arguments, cookies and headers of one request, kept until their values are joined.

use std::ops::Range;

use waf_shared::limits;

use crate::field::Place;
use crate::request::arguments::{Index, plain_name};
use crate::view::classes;

/// Arguments and cookies that are kept; more than fit into a head and a form of the sizes that are configured by default.
pub(super) const ENTRIES_MAX: usize = 32 << 10;
/// Bits of the filter that tells that a name may have come before; one in forty heads is looked at for nothing.
const FILTER_BITS: usize = 4096;
/// Bytes of values that wait for the next request.
const TEXT_BYTES_KEPT: usize = 64 << 10;

/// The collection of a framework that an argument belongs to, in the order in which collections are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    Query,
    Form,
    Cookie,
}

impl Source {
    /// The collection of values at `place`.
    pub(super) fn of(place: Place) -> Source {
        match place {
            Place::Query => Source::Query,
            Place::Cookie => Source::Cookie,
            _ => Source::Form,
        }
    }

    pub(super) const fn place(self) -> Place {
        match self {
            Source::Query => Place::Query,
            Source::Form => Place::Form,
            Source::Cookie => Place::Cookie,
        }
    }
}

/// An argument or cookie.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) key: u64,
    pub(super) source: Source,
    /// Its number in array syntax.
    pub(super) index: Index,
    pub(super) name: Range<usize>,
    pub(super) value: Range<usize>,
}

/// The arguments and cookies that came so far.
#[derive(Debug, Default)]
pub(super) struct Arrived {
    pub(super) text: Vec<u8>,
    pub(super) entries: Vec<Entry>,
}

impl Arrived {
    /// Forgets the request.
    pub(super) fn reset(&mut self) {
        self.text.clear();
        self.text.shrink_to(TEXT_BYTES_KEPT);
        self.entries.clear();
        self.entries.shrink_to(limits::ARGUMENTS_MAX);
    }

    /// Keeps an argument; name and value are still coded.
    pub(super) fn note(&mut self, source: Source, name: &[u8], value: &[u8]) {
        // A name too long to be read is refused elsewhere.
        if self.entries.len() >= ENTRIES_MAX || name.is_empty() {
            return;
        }
        let start = self.text.len();
        let Some(index) = plain_name(name, &mut self.text) else { return };
        let from = self.text.len();
        // FNV-1a: names are compared before anything follows from their keys.
        let key =
            self.text.get(start..).unwrap_or_default().iter().fold(0xcbf2_9ce4_8422_2325, |key, byte| {
                (key ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
            });
        self.text.extend_from_slice(value);
        self.entries.push(Entry { key, source, index, name: start..from, value: from..self.text.len() });
    }

    pub(super) fn name(&self, entry: &Entry) -> &[u8] {
        self.text.get(entry.name.clone()).unwrap_or_default()
    }

    pub(super) fn value(&self, entry: &Entry) -> &[u8] {
        self.text.get(entry.value.clone()).unwrap_or_default()
    }

    /// The values of `entries`, joined by commas; empty where nothing can come of it.
    pub(super) fn join<'a>(&self, entries: impl Iterator<Item = &'a Entry>, joined: &mut Vec<u8>) {
        joined.clear();
        let (mut count, mut words) = (0, true);
        for entry in entries {
            let value = self.value(entry);
            if count > 0 {
                joined.push(b',');
            }
            joined.extend_from_slice(value);
            words &= classes::of(value).is_word();
            count += 1;
        }
        if count < 2 || words {
            joined.clear();
        }
    }
}

/// A filter over names that came: whether one may have come before, in any case, with low lines for hyphens.
#[derive(Debug)]
pub(super) struct Names {
    filter: [u64; FILTER_BITS / 64],
    may_repeat: bool,
}

impl Default for Names {
    fn default() -> Names {
        Names { filter: [0; FILTER_BITS / 64], may_repeat: false }
    }
}

impl Names {
    /// Adds the name of a header.
    pub(super) fn note(&mut self, name: &[u8]) {
        // Three bits of a byte that letters of both cases have in common, and low lines with hyphens.
        const COMMON: u64 = 0x0d0d_0d0d_0d0d_0d0d;
        let word = |bytes: Option<&[u8; 8]>| bytes.map(|bytes| u64::from_le_bytes(*bytes) & COMMON);
        let (first, last) = match (word(name.first_chunk()), word(name.last_chunk())) {
            (Some(first), Some(last)) => (first, last),
            _ => (name.iter().fold(0, |sum, byte| sum << 8 | u64::from(byte & 0x0d)), 0),
        };
        let mixed = (first ^ last.rotate_left(29) ^ name.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bit = (mixed >> 52) as usize % FILTER_BITS;
        if let Some(word) = self.filter.get_mut(bit / 64) {
            self.may_repeat |= *word & 1 << (bit % 64) != 0;
            *word |= 1 << (bit % 64);
        }
    }

    /// Adds the name of an argument or cookie. One that is coded or an array's may be another's in disguise.
    pub(super) fn note_argument(&mut self, name: &[u8]) {
        self.may_repeat |= memchr::memchr3(b'%', b'+', b'[', name).is_some();
        self.note(name);
    }

    pub(super) fn may_repeat(&self) -> bool {
        self.may_repeat
    }
}

/// Servers that hand headers to scripts fold letters, and low lines with hyphens.
fn fold(byte: u8) -> u8 {
    if byte == b'_' { b'-' } else { byte.to_ascii_lowercase() }
}

pub(super) fn folded(name: &[u8]) -> impl Iterator<Item = u8> {
    name.iter().map(|byte| fold(*byte))
}

pub(super) fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && folded(one).eq(folded(other))
}
