//! JSON to the letter, so that every reader finds the same strings in it.

use waf_bodies::Completeness;
use waf_bodies::json::{Container, Events, HalfPairs, Scalar, Text, Tokenizer, Unfinished};

/// Depth beyond which readers give up at different places.
const DEPTH_MAX: u32 = 64;
/// Names of one object that are compared with each other.
const KEYS_MAX: u32 = 1000;

/// Returns `true` if `text` is one JSON document without a fault, a repeated name or a byte order mark.
pub(crate) fn is_strict(text: &[u8]) -> bool {
    let mut tokenizer = Tokenizer::new(KEYS_MAX, HalfPairs::Refused);
    let mut doubts = Doubts::default();
    tokenizer.feed(text, &mut doubts).is_ok()
        && tokenizer.finish(Completeness::Whole, &mut doubts).is_ok()
        && !doubts.any
}

/// Notes what readers disagree about, and nothing else.
#[derive(Debug, Default)]
struct Doubts {
    any: bool,
    depth: u32,
}

impl<'c> Events<'c> for Doubts {
    fn byte_order_mark(&mut self) {
        self.any = true;
    }

    fn open(&mut self, _: Container) {
        self.depth += 1;
        self.any |= self.depth > DEPTH_MAX;
    }

    fn close(&mut self, _: Completeness) {
        self.depth = self.depth.saturating_sub(1);
    }

    fn key(&mut self, _: Text<'c, '_>, number: u32) {
        self.any |= number > KEYS_MAX;
    }

    fn repeated_key(&mut self) {
        self.any = true;
    }

    fn string(&mut self, _: Text<'c, '_>) {}

    fn scalar(&mut self, _: Scalar<'_>) {}

    fn unfinished(&mut self, _: Unfinished<'_>) {}

    fn is_over(&self) -> bool {
        self.any
    }
}

#[cfg(test)]
mod tests {
    use super::is_strict;

    #[test]
    fn strict_json_is_read_alike_by_everybody() {
        for text in ["{}", "[1,\"a\"]", " {\"a\":{\"b\":[null,true,1e3]}} ", "\"x\"", "{\"a\":\"\\u00e9\"}"] {
            assert!(is_strict(text.as_bytes()), "{text}");
        }
        for text in [
            "{",
            "{'a':1}",
            "{\"a\":1,\"a\":2}",
            "[1,]",
            "{\"a\":1} x",
            "\u{feff}{}",
            "{\"a\":1,/**/\"b\":2}",
            "\"\n\"",
            "[01]",
            "{a:1}",
            "\"\\ud800\"",
        ] {
            assert!(!is_strict(text.as_bytes()), "{text}");
        }
    }
}
