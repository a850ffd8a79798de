//! Whether a text is JSON to the letter, so that every reader finds the same strings in it.

use waf_shared::catalog::Leaf;

use super::Json;
use crate::body::sink::{Completeness, Sink};
use crate::field::Place;

/// Depth beyond which readers give up at different places.
const DEPTH_MAX: u32 = 64;
/// Names of one object that are compared with each other.
const KEYS_MAX: u32 = 1000;

/// Whether `text` is one JSON document without a fault, a repeated name or a byte order mark.
pub(crate) fn is_strict(text: &[u8]) -> bool {
    let (mut json, mut faults) = (Json::default(), Faults::default());
    json.limits(DEPTH_MAX, KEYS_MAX);
    json.feed(text, &mut faults).is_ok()
        && json.finish(Completeness::Whole, &mut faults).is_ok()
        && !faults.any
}

/// Notes violations and nothing else.
#[derive(Debug, Default)]
struct Faults {
    any: bool,
}

impl Sink for Faults {
    fn field(&mut self, _: Place, _: &[u8], _: &[u8]) {}

    fn argument(&mut self, _: Place, _: Place, _: &[u8]) {}

    fn argument_name(&mut self, _: Place, _: &[u8]) {}

    fn violation(&mut self, _: Leaf, _: &'static str) {
        self.any = true;
    }

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
