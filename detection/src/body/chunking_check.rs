//! A check for fuzzing: a body says the same in one piece and in many. It looks at what the parsers say and judges nothing.

use std::hash::{DefaultHasher, Hash, Hasher};

use waf_shared::catalog::{Leaf, LeafSet};

use super::reader::Body;
use crate::body::sink::{Completeness, Sink};
use crate::bounds::Bounds;
use crate::field::Place;

/// Statements, distinguished by a hash and counted.
#[derive(Debug, Default)]
struct Digest {
    hasher: DefaultHasher,
    said: u64,
    leaves: LeafSet,
}

impl Sink for Digest {
    fn field(&mut self, place: Place, name: &[u8], value: &[u8]) {
        self.said += 1;
        (place, name, value).hash(&mut self.hasher);
    }

    fn argument(&mut self, names: Place, values: Place, pair: &[u8]) {
        self.said += 1;
        (names, values, pair).hash(&mut self.hasher);
    }

    fn argument_name(&mut self, names: Place, name: &[u8]) {
        self.said += 1;
        (names, name).hash(&mut self.hasher);
    }

    fn violation(&mut self, leaf: Leaf, _: &'static str) {
        self.leaves.insert(leaf);
    }

    fn is_over(&self) -> bool {
        false
    }
}

/// Returns `true` if the fields and violations of `body` are the same when it comes whole and in pieces of `piece_bytes`.
pub fn reads_same_in_chunks(
    media_type: &[u8],
    body: &[u8],
    piece_bytes: usize,
    completeness: Completeness,
) -> bool {
    let read = |piece_bytes: usize| {
        let (mut parsers, mut digest) = (Body::default(), Digest::default());
        parsers.start(media_type, &Bounds::DEFAULT, &mut digest);
        for piece in body.chunks(piece_bytes.max(1)) {
            parsers.feed(piece, &mut digest);
        }
        parsers.finish(completeness, &mut digest);
        (digest.said, digest.hasher.finish(), digest.leaves)
    };
    read(body.len()) == read(piece_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_every_size_read_alike() {
        let multipart = b"--b\r\nContent-Disposition: form-data; name=\"a\"\r\nContent-Type: text/xml\r\n\r\n<a b='c'>&lt;</a>\r\n--b--\r\n";
        for (media_type, body) in [
            ("multipart/form-data; boundary=b", &multipart[..]),
            ("application/json", b"{\"a\": [\"\\u0041\", 1e5, {\"b\": null}]} x"),
            ("text/xml; charset=utf-16", b"\xff\xfe<\0a\0>\0x\0<\0/\0a\0>\0"),
            ("application/x-www-form-urlencoded", b"{\"a\": \"b&c=d\"}&e=f"),
            ("text/plain", b"<?xml version='1.0'?><a>&#65;</a>"),
        ] {
            for piece_bytes in 0..12 {
                assert!(
                    reads_same_in_chunks(media_type.as_bytes(), body, piece_bytes, Completeness::Whole),
                    "{media_type}"
                );
                assert!(
                    reads_same_in_chunks(media_type.as_bytes(), body, piece_bytes, Completeness::CutOff),
                    "{media_type}"
                );
            }
        }
    }
}
