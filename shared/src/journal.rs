//! The layout of a worker's journal: memory that outlives the worker and says which requests it had in flight, by their
//! shape and never by what they carry. It knows words and bytes, nothing of memory or of requests.

use crate::limits::JOURNAL_SLOTS;

/// Words of 64 bits that one request takes.
pub const SLOT_WORDS: usize = 32;

/// Words of the whole journal.
pub const WORDS: usize = JOURNAL_SLOTS * SLOT_WORDS;

/// Words before the text.
const TEXT_AT: usize = 8;

/// Bytes of text: the method and the names of header fields.
pub const TEXT_BYTES_MAX: usize = (SLOT_WORDS - TEXT_AT) * 8;

/// Progress of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// It is being read and judged.
    Inspecting,
    /// It was cleared, and its answer is on its way.
    Forwarding,
}

/// Meaning of a slot's first word; 0 is a free slot, and [`CLAIMED`] one that is being written.
impl Stage {
    /// Its number in a slot.
    pub fn word(self) -> u64 {
        match self {
            Stage::Inspecting => 2,
            Stage::Forwarding => 3,
        }
    }
}

/// A slot that somebody writes to.
pub const CLAIMED: u64 = 1;

/// A request as it looks from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// Its progress.
    pub stage: Stage,
    /// The same for requests of the same method, path, header names, content type and sizes to the next power of two.
    pub hash: u64,
    /// Stands for the path, which may carry secrets.
    pub path_hash: u64,
    /// Bytes of the path.
    pub path_bytes: u32,
    /// Bytes of the query.
    pub query_bytes: u32,
    /// Segments of the path.
    pub segments: u32,
    /// Bytes of the head.
    pub head_bytes: u32,
    /// Bytes of the body that were announced.
    pub body_bytes: u64,
    /// Index of the route in its plan, once one was chosen.
    pub route: Option<u32>,
    /// The method and then the names of header fields, in lower case with commas between; cut at [`TEXT_BYTES_MAX`].
    pub text: String,
}

/// Word of a slot that holds the stage.
pub const STAGE_AT: usize = 0;
/// Word of a slot that holds the route and one, or 0 before there is one.
pub const ROUTE_AT: usize = 5;

/// The words of a slot behind its stage, as many as are needed.
pub fn words(shape: &Shape) -> impl Iterator<Item = (usize, u64)> {
    let text = shape.text.as_bytes();
    let text = text.get(..TEXT_BYTES_MAX).unwrap_or(text);
    let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
    let fixed = [
        (1, shape.hash),
        (2, shape.path_hash),
        (3, pair(shape.path_bytes, shape.query_bytes)),
        (4, pair(shape.segments, shape.head_bytes)),
        (ROUTE_AT, shape.route.map_or(0, |route| u64::from(route) + 1)),
        (6, shape.body_bytes),
        (7, text.len() as u64),
    ];
    let mut padded = [0u8; TEXT_BYTES_MAX];
    for (to, from) in padded.iter_mut().zip(text) {
        *to = *from;
    }
    let used = text.len().div_ceil(8);
    let texts = (0..used).map(move |at| {
        let mut word = [0; 8];
        for (to, from) in word.iter_mut().zip(padded.iter().skip(at * 8)) {
            *to = *from;
        }
        (TEXT_AT + at, u64::from_le_bytes(word))
    });
    fixed.into_iter().chain(texts)
}

/// Requests in flight, by a journal's bytes. A slot that makes no sense is passed over: its writer may have died in the
/// middle, or have gone mad before it died.
pub fn read(bytes: &[u8]) -> Vec<Shape> {
    let (words, _) = bytes.as_chunks::<8>();
    words.chunks_exact(SLOT_WORDS).filter_map(slot).collect()
}

fn slot(words: &[[u8; 8]]) -> Option<Shape> {
    let word = |at: usize| words.get(at).map(|word| u64::from_ne_bytes(*word));
    let (high, low) = (|word: u64| (word >> 32) as u32, |word: u64| word as u32);
    let first = word(STAGE_AT)?;
    let stage = [Stage::Inspecting, Stage::Forwarding].into_iter().find(|stage| stage.word() == first)?;
    let length = usize::try_from(word(7)?).ok().filter(|length| *length <= TEXT_BYTES_MAX)?;
    let text: Vec<u8> = words
        .get(TEXT_AT..)?
        .iter()
        .flat_map(|word| u64::from_ne_bytes(*word).to_le_bytes())
        .take(length)
        .map(|byte| if byte.is_ascii_graphic() || byte == b' ' { byte } else { b'?' })
        .collect();
    Some(Shape {
        stage,
        hash: word(1)?,
        path_hash: word(2)?,
        path_bytes: high(word(3)?),
        query_bytes: low(word(3)?),
        segments: high(word(4)?),
        head_bytes: low(word(4)?),
        route: word(ROUTE_AT)?.checked_sub(1).and_then(|route| u32::try_from(route).ok()),
        body_bytes: word(6)?,
        text: String::from_utf8(text).ok()?,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use super::*;

    fn shape(text: &str, route: Option<u32>) -> Shape {
        Shape {
            stage: Stage::Forwarding,
            hash: u64::MAX - 1,
            path_hash: 7,
            path_bytes: 12,
            query_bytes: 30,
            segments: 3,
            head_bytes: 400,
            body_bytes: 1 << 40,
            route,
            text: text.into(),
        }
    }

    fn written(shapes: &[Shape]) -> Vec<u8> {
        let mut memory = vec![0u64; WORDS];
        for (at, shape) in shapes.iter().enumerate() {
            memory[at * SLOT_WORDS] = shape.stage.word();
            for (word, value) in words(shape) {
                memory[at * SLOT_WORDS + word] = value;
            }
        }
        memory.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    #[test]
    fn what_is_written_is_read() {
        let shapes =
            [shape("GET host,accept", None), shape("", Some(0)), shape(&"x".repeat(TEXT_BYTES_MAX), Some(9))];
        assert_eq!(read(&written(&shapes)), shapes);
        let cut = read(&written(&[shape(&"y".repeat(TEXT_BYTES_MAX + 1), None)]));
        assert_eq!(cut[0].text.len(), TEXT_BYTES_MAX);
    }

    #[test]
    fn any_bytes_can_be_read() {
        assert_eq!(read(&[]), []);
        assert_eq!(read(&vec![0xff; WORDS * 8]), []);
        let mut bytes = written(&[shape("GET host", None)]);
        bytes.truncate(SLOT_WORDS * 8 - 1);
        assert_eq!(read(&bytes), []);
        let mut bytes = written(&[shape("GET host", None)]);
        bytes[TEXT_AT * 8] = 0x1b;
        assert_eq!(read(&bytes)[0].text, "?ET host");
        bytes[7 * 8 + 7] = 1;
        assert_eq!(read(&bytes), [], "a text that is longer than a slot");
    }
}
