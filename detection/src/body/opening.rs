//! The first bytes of a body under a binary type: whether they are text, and of which kind. Readers that go by the content
//! of a body take such a text for what it is, whatever its type says.

use super::charset::decoded;
use super::shape::{Follow, Shape, Step, is_control, is_padding, shape};
use super::wide::{self, Wide};

/// Bytes that decide, not counting the padding in front of them.
const HEAD_BYTES: usize = 512;
/// Padding is dropped in units of the widest character, so that what follows keeps its place.
const UNIT_BYTES: usize = 4;
/// Units of zeros in front of a text; more of them begin something else.
const ZERO_UNITS_MAX: u8 = 16;

/// Gathers the first bytes of one body.
#[derive(Debug, Default)]
pub(super) struct Opening {
    head: Vec<u8>,
    zero_units: u8,
    /// True if each message of the body has a head of its own, as in gRPC.
    has_frames: bool,
    is_decided: bool,
}

/// The content that the first bytes show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// More bytes must come.
    Undecided,
    /// No text, or text in a character set that nothing shows.
    Binary,
    /// Text without a shape: that of a file.
    Plain,
    /// Text that readers take for more than that, perhaps in wide characters.
    Shaped(Shape, Option<Wide>),
}

impl Opening {
    pub(super) fn reset(&mut self) {
        self.head.clear();
        self.zero_units = 0;
        self.has_frames = false;
        self.is_decided = false;
    }

    /// Begins a body of the media type `essence`, in lower case.
    pub(super) fn start(&mut self, essence: &[u8]) {
        self.reset();
        self.has_frames = essence.starts_with(b"application/grpc");
    }

    pub(super) fn pending(&self) -> usize {
        self.head.len()
    }

    pub(super) fn is_decided(&self) -> bool {
        self.is_decided
    }

    /// The first bytes, without the padding in front of them.
    pub(super) fn head(&self) -> &[u8] {
        &self.head
    }

    /// Takes the next bytes: what they show, and those that were not taken.
    pub(super) fn take<'c>(&mut self, chunk: &'c [u8], follow: Follow) -> (Content, &'c [u8]) {
        let mut rest = chunk;
        while let Some((&byte, after)) = rest.split_first().filter(|_| self.head.len() < HEAD_BYTES) {
            self.head.push(byte);
            rest = after;
            if self.head.len() == UNIT_BYTES && self.unit() == Content::Binary {
                return (self.decided(Content::Binary), rest);
            }
        }
        let is_last = self.head.len() >= HEAD_BYTES;
        let content = self.content(if is_last { Follow::Nothing } else { follow });
        (self.decided(content), rest)
    }

    fn decided(&mut self, content: Content) -> Content {
        self.is_decided = content != Content::Undecided;
        content
    }

    /// Drops the first unit if it is padding.
    fn unit(&mut self) -> Content {
        let is_first = self.zero_units == 0;
        if self.has_frames && is_first && is_frame(&self.head) {
            return Content::Binary;
        }
        if self.head.iter().all(|byte| is_padding(*byte)) {
            self.zero_units += u8::from(self.head.iter().all(|byte| *byte == 0));
            self.has_frames = false;
            self.head.clear();
        }
        if self.zero_units > ZERO_UNITS_MAX { Content::Binary } else { Content::Undecided }
    }

    fn content(&self, follow: Follow) -> Content {
        let head = self.head.as_slice();
        if head.len() < UNIT_BYTES && follow == Follow::Perhaps {
            return Content::Undecided;
        }
        let wide = wide::mark(head).or_else(|| wide::first(head));
        let as_wide = wide.map_or(Step::Nothing, |wide| shape(&decoded(head, wide), follow));
        let step = if as_wide == Step::Nothing { shape(head, follow) } else { as_wide };
        match step {
            Step::More => Content::Undecided,
            Step::Is(shape) => Content::Shaped(shape, wide.filter(|_| as_wide != Step::Nothing)),
            Step::Nothing if !is_text(head) => Content::Binary,
            Step::Nothing if follow == Follow::Perhaps => Content::Undecided,
            Step::Nothing => Content::Plain,
        }
    }
}

/// Returns `true` if the first bytes are a message's flag and a part of its length, and no character of four bytes.
fn is_frame(head: &[u8]) -> bool {
    match head {
        [0, 0, 0, low] => is_control(*low),
        [0, 0, 0xfe, 0xff] => false,
        [0 | 1, 0, ..] => true,
        _ => false,
    }
}

/// UTF-8 without control characters, the last character perhaps cut.
fn is_text(head: &[u8]) -> bool {
    let cut = std::str::from_utf8(head).err().is_none_or(|error| error.error_len().is_none());
    cut && !head.is_empty() && !head.iter().any(|byte| is_control(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(essence: &str, body: &[u8], size: usize) -> Content {
        let mut opening = Opening::default();
        opening.start(essence.as_bytes());
        for piece in body.chunks(size) {
            let (content, _) = opening.take(piece, Follow::Perhaps);
            if content != Content::Undecided {
                return content;
            }
        }
        opening.take(b"", Follow::Nothing).0
    }

    fn check(essence: &str, body: &[u8], expected: Content) {
        for size in [1, 2, 3, 4, 5, 7, 511, 4096] {
            assert_eq!(read(essence, body, size), expected, "{size}: {}", body.escape_ascii());
        }
    }

    const JSON: &str = "{\"user\": \"名\"}";

    #[test]
    fn padding_and_wide_characters_are_looked_through() {
        let json = |wide| Content::Shaped(Shape::Json, wide);
        for padding in ["", " ", "\r\n", "\n\n\n\n\n", "\u{feff}", "\u{feff} \n", "\0", "\0\0\0\0\0\0"] {
            check("image/png", format!("{padding}{JSON}").as_bytes(), json(None));
        }
        check("image/png", format!("{}{JSON}", " ".repeat(5000)).as_bytes(), json(None));
        for padding in ["", " ", "\n\n", "\n \n \n", "\u{feff}"] {
            let text = format!("{padding}{JSON}");
            let two = |order: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(order).collect::<Vec<u8>>();
            let four = |order: fn(u32) -> [u8; 4]| {
                text.chars().flat_map(|one| order(u32::from(one))).collect::<Vec<u8>>()
            };
            for (body, wide) in [
                (two(u16::to_le_bytes), Wide::Utf16Le),
                (two(u16::to_be_bytes), Wide::Utf16Be),
                (four(u32::to_le_bytes), Wide::Utf32Le),
                (four(u32::to_be_bytes), Wide::Utf32Be),
            ] {
                check("image/png", &body, json(Some(wide)));
                check("application/grpc", &body, json(Some(wide)));
            }
        }
    }

    #[test]
    fn files_are_told_apart() {
        for plain in ["Notes\nof Monday", "name,price\n1,2\n", "# Títle", "日本語", "x"] {
            check("application/octet-stream", plain.as_bytes(), Content::Plain);
        }
        for binary in [
            &b""[..],
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
            b"\xff\xd8\xff\xe0\0\x10JFIF",
            b"%PDF-1.7\n%\x81\x82\x83\x84",
            b"\x93\xfa\x96\x7b\x8c\xea",
            &[0; 4096],
            b"\x0a\x05alice\x12\x03abc",
            b"ustar\0\0",
        ] {
            check("application/octet-stream", binary, Content::Binary);
        }
    }

    /// A client may wait for an answer behind any message, so that none of its bytes can wait for more.
    #[test]
    fn frames_are_decided_at_once() {
        for length in [0_u32, 1, 7, 10, 13, 32, 91, 123, 255, 256, 4096, 0x7b_0001, 1 << 20] {
            for flag in [0, 1] {
                let mut head = vec![flag];
                head.extend(length.to_be_bytes());
                let mut opening = Opening::default();
                opening.start(b"application/grpc");
                assert_eq!(opening.take(&head, Follow::Perhaps).0, Content::Binary, "{flag} {length}");
            }
        }
        check("application/grpc", JSON.as_bytes(), Content::Shaped(Shape::Json, None));
        check("application/grpc-web", b"\x80\0\0\0\x0fgrpc-status:0\r\n", Content::Binary);
    }
}
