//! Changes of a request. Each is drawn from a number of its own, so that one can be left out and the others stay as they
//! are: that is how a finding is made small.

mod body;
mod head;
mod multipart;

use crate::case::Case;
use crate::random::Random;

/// A change.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Change {
    pub(crate) kind: usize,
    draw: u64,
}

/// A kind of change.
struct Kind {
    name: &'static str,
    apply: fn(&mut Case, &mut Random),
    /// Relative frequency among the others.
    weight: usize,
}

const KINDS: &[Kind] = &[
    Kind { name: "token in the body", apply: body::insert, weight: 8 },
    Kind { name: "bytes of the body gone", apply: body::remove, weight: 5 },
    Kind { name: "delimiter of the body replaced", apply: body::replace, weight: 6 },
    Kind { name: "slice of the body twice", apply: body::repeat, weight: 3 },
    Kind { name: "line ends of the body", apply: body::line_ends, weight: 3 },
    Kind { name: "bytes of the body percent-coded", apply: body::code, weight: 2 },
    Kind { name: "charset of the body", apply: body::charset, weight: 3 },
    Kind { name: "content coding", apply: body::coding, weight: 2 },
    Kind { name: "JSON syntax", apply: body::json, weight: 6 },
    Kind { name: "XML syntax", apply: body::xml, weight: 5 },
    Kind { name: "body cut off", apply: body::cut, weight: 1 },
    Kind { name: "part's Content-Disposition", apply: multipart::disposition, weight: 9 },
    Kind { name: "part's header", apply: multipart::part_header, weight: 5 },
    Kind { name: "boundary", apply: multipart::boundary, weight: 5 },
    Kind { name: "delimiter line", apply: multipart::delimiter, weight: 5 },
    Kind { name: "Content-Type", apply: head::content_type, weight: 6 },
    Kind { name: "token in the target", apply: head::target, weight: 6 },
    Kind { name: "token in a field line", apply: head::token, weight: 6 },
    Kind { name: "cookie", apply: head::cookie, weight: 5 },
    Kind { name: "repeated field", apply: head::repeat, weight: 3 },
    Kind { name: "field name", apply: head::name, weight: 3 },
    Kind { name: "extra field", apply: head::extra, weight: 4 },
    Kind { name: "start line", apply: head::start_line, weight: 2 },
    Kind { name: "framing", apply: head::framing, weight: 4 },
];

/// The changes of one mutant: one to five, mostly of kinds that have something to change in `case`.
pub(crate) fn draw(case: &Case, random: &mut Random) -> Vec<Change> {
    let total: usize = KINDS.iter().map(|kind| kind.weight).sum();
    let count = 1 + random.below(5);
    let mut changes = Vec::with_capacity(count);
    for _ in 0..8 * count {
        if changes.len() == count {
            break;
        }
        let mut left = random.below(total);
        let kind = KINDS.iter().position(|kind| match left.checked_sub(kind.weight) {
            Some(rest) => {
                left = rest;
                false
            }
            None => true,
        });
        let change = Change { kind: kind.unwrap_or_default(), draw: random.next() };
        if apply(case, &[change]) != *case {
            changes.push(change);
        }
    }
    changes
}

/// `case` after `changes`.
pub(crate) fn apply(case: &Case, changes: &[Change]) -> Case {
    let mut case = case.clone();
    for change in changes {
        if let Some(kind) = KINDS.get(change.kind) {
            (kind.apply)(&mut case, &mut Random::of(change.draw, 0));
        }
    }
    case
}

/// The name of a change's kind.
pub(crate) fn name(change: Change) -> &'static str {
    KINDS.get(change.kind).map_or("", |kind| kind.name)
}

/// Bytes that some grammar of a request gives a meaning to.
const TOKENS: &[&[u8]] = &[
    b"\r\n",
    b"\n",
    b"\r",
    b"\r\n\r\n",
    b"\n\n",
    b"\r\r\n",
    b"\0",
    b"%00",
    b";",
    b"&",
    b"=",
    b"\"",
    b"'",
    b"\\",
    b"\\\"",
    b",",
    b" ",
    b"\t",
    b"\x0b",
    b"\x0c",
    b"\x1c",
    b"\x85",
    b"\xa0",
    b"\xc2\xa0",
    b"\xc2\x85",
    b"\xe2\x80\xa8",
    b"%0d%0a",
    b"%0A",
    b"%",
    b"%2",
    b"%u0027",
    b"+",
    b"--",
    b":",
    b"[",
    b"]",
    b"[]",
    b".",
    b"#",
    b"?",
    b"/",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xfe\xff",
    b"\xff",
    b"\xc0\xa7",
    b"\xed\xa0\x80",
    b"{",
    b"}",
    b"(",
    b")",
    b"<",
    b">",
    b"@",
    b"*",
    b"$",
    b"\x7f",
    b"\x1a",
    b"\x08",
    b"_",
    b"%26",
    b"%3D",
    b"%3d",
    b"%3B",
    b"%2500",
    b"&amp;",
    b"\\0",
    b"\\u0000",
    b"x",
    b"a=b",
    b"a=b&",
    b";a=b",
    b"\"\"",
];

/// A place in `bytes` that is near something with a meaning, for the most part.
fn place(bytes: &[u8], random: &mut Random) -> usize {
    let at = random.below(bytes.len() + 1);
    if random.once_in(5) {
        return at;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let near = rest.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b' ');
    at + near.unwrap_or_default() + usize::from(random.once_in(2) && near.is_some())
}

fn insert(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = place(bytes, random);
    let token = random.of_list(TOKENS);
    bytes.splice(at..at, token.iter().copied());
}

fn remove(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = place(bytes, random);
    let length = if random.once_in(4) { 1 + random.below(40) } else { 1 + random.below(3) };
    bytes.drain(at.min(bytes.len())..(at + length).min(bytes.len()));
}

fn replace(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = place(bytes, random);
    if at < bytes.len() {
        let token = random.of_list(TOKENS);
        bytes.splice(at..=at, token.iter().copied());
    }
}

fn repeat(bytes: &mut Vec<u8>, random: &mut Random) {
    let (one, other) = (place(bytes, random), place(bytes, random));
    let slice = bytes.get(one.min(other)..one.max(other)).unwrap_or_default().to_vec();
    let at = if random.once_in(2) { one.max(other) } else { place(bytes, random) };
    if slice.len() < 2048 {
        bytes.splice(at..at, slice);
    }
}

/// Offset of `needle` in `bytes`.
fn find(bytes: &[u8], needle: &[u8]) -> Vec<usize> {
    bytes
        .windows(needle.len())
        .enumerate()
        .filter(|(_, window)| *window == needle)
        .map(|(at, _)| at)
        .collect()
}
