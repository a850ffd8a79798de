//! The text with which coded bytes begin. Compressed data begins with none: each coding has a magic number, a header or noise
//! there. Only brotli stores content behind a header so short that it may be text by chance.

use super::noise;

/// Bytes of text that are too many for chance.
const LEAD_BYTES: usize = 24;
/// Bytes that say that text is meant.
const BEGUN_BYTES: usize = 4;
/// Bytes of headers in front of content that is stored, of two codings.
const HEADERS_BYTES_MAX: usize = 12;

/// The first bytes, as far as they are text.
#[derive(Debug, Default)]
pub(super) struct Lead {
    bytes: Vec<u8>,
    is_over: bool,
}

impl Lead {
    pub(super) fn start(&mut self) {
        self.bytes.clear();
        self.is_over = false;
    }

    pub(super) fn feed(&mut self, chunk: &[u8]) {
        for byte in chunk {
            if self.is_over || self.bytes.len() == LEAD_BYTES {
                return;
            }
            // Readers skip a byte order mark.
            let is_mark = self.bytes.len() < 3 && matches!(byte, 0xef | 0xbb | 0xbf);
            self.is_over = !is_mark && !noise::is_text(*byte);
            if !self.is_over {
                self.bytes.push(*byte);
            }
        }
    }

    /// Returns `true` if the bytes begin with text.
    pub(super) fn is_begun(&self) -> bool {
        self.bytes.len() >= BEGUN_BYTES
    }

    /// Returns `true` if they begin with more text than chance makes.
    pub(super) fn is_text(&self) -> bool {
        !self.is_over && self.bytes.len() == LEAD_BYTES
    }

    /// Returns `true` if the text is that of the content, which begins with `content`, behind headers.
    pub(super) fn is_stored(&self, content: &[u8]) -> bool {
        (1..=HEADERS_BYTES_MAX).any(|at| {
            let text = self.bytes.get(at..).unwrap_or_default();
            !text.is_empty() && content.starts_with(text)
        })
    }

    /// Nothing more is said about the beginning.
    pub(super) fn end(&mut self) {
        self.is_over = true;
    }
}
