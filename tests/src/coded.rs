//! Bodies in content codings, made by each coding's own encoder.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

/// Names of the codings that the service takes off.
pub const CODINGS: [&str; 4] = ["gzip", "deflate", "br", "zstd"];

/// `data` in the coding of that name.
pub fn encode(coding: &str, data: &[u8]) -> Vec<u8> {
    match coding {
        "gzip" => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(data).expect("memory takes it");
            encoder.finish().expect("memory takes it")
        }
        "deflate" => {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(data).expect("memory takes it");
            encoder.finish().expect("memory takes it")
        }
        "br" => {
            let mut out = Vec::new();
            let params = brotli::enc::BrotliEncoderParams { quality: 4, ..Default::default() };
            brotli::BrotliCompress(&mut &data[..], &mut out, &params).expect("memory takes it");
            out
        }
        "zstd" => {
            let mut out = vec![0; zstd_safe::compress_bound(data.len())];
            let length = zstd_safe::compress(out.as_mut_slice(), data, 3).expect("there is room");
            out.truncate(length);
            out
        }
        other => panic!("no encoder for {other}"),
    }
}

/// A bare deflate stream, as some clients send under the name `deflate`.
pub fn bare_deflate(data: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(data).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

/// A gzip member with these flags and, behind the fixed part of its header, these fields.
pub fn gzip_with(flags: u8, fields: &[u8], data: &[u8]) -> Vec<u8> {
    [&[0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 3], fields, &encode("gzip", data)[10..]].concat()
}

/// A gzip body whose compressed bytes contain `text` to the letter: in its table nearly every code has eight bits.
pub fn gzip_spelling(text: &[u8]) -> Vec<u8> {
    let mut bits = Bits::default();
    // The last block, with a table of its own: 257 codes for literals, one for distances, 18 for lengths of codes.
    bits.number(0b101, 3);
    bits.number(0, 5);
    bits.number(0, 5);
    bits.number(14, 4);
    // Lengths of codes for the lengths 16, 17, 18, 0, 8, 7, 9, 6 and so on: 0 and 9 have two bits, 8 has one.
    for length in [0, 0, 0, 2, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] {
        bits.number(length, 3);
    }
    let (eight, none, nine) = ([false], [true, false], [true, true]);
    (0..255).for_each(|_| bits.0.extend(eight));
    (0..2).for_each(|_| bits.0.extend(nine));
    bits.0.extend(none);
    // The literal 255 has nine bits; as many of them as it takes until a byte begins.
    let mut data = Vec::new();
    while !bits.0.len().is_multiple_of(8) {
        bits.code(510, 9);
        data.push(255);
    }
    for byte in text {
        let literal = byte.reverse_bits();
        assert_ne!(literal, 255, "only 0xff has no code of eight bits");
        bits.code(u32::from(literal), 8);
        data.push(literal);
    }
    bits.code(511, 9);
    let whole = encode("gzip", &data);
    [&whole[..10], &bits.bytes(), &whole[whole.len() - 8..]].concat()
}

/// A zstd body behind a skippable frame.
pub fn zstd_behind(skipped: &[u8], data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(skipped.len()).expect("short").to_le_bytes();
    [&[0x50, 0x2a, 0x4d, 0x18], length.as_slice(), skipped, &encode("zstd", data)].concat()
}

/// A brotli body behind a block of metadata: RFC 7932 section 9.2.
pub fn brotli_behind(metadata: &[u8], data: &[u8]) -> Vec<u8> {
    let mut bits = Bits::default();
    // A window of 64 KB; not the last block, no length, one byte of a length that is skipped.
    bits.number(0b010_1100, 7);
    bits.number(metadata.len() - 1, 8);
    bits.literally(metadata);
    // Not the last block, a length in four digits, not compressed; then the end.
    bits.number(0, 3);
    bits.number(data.len() - 1, 16);
    bits.number(1, 1);
    bits.literally(data);
    bits.literally(&[3]);
    bits.bytes()
}

/// Bits in the order in which they are sent, the lowest of a byte first.
#[derive(Debug, Default)]
struct Bits(Vec<bool>);

impl Bits {
    fn number(&mut self, value: usize, count: usize) {
        self.0.extend((0..count).map(|at| value >> at & 1 == 1));
    }

    /// A code goes out with its highest bit first.
    fn code(&mut self, code: u32, count: u32) {
        self.0.extend((0..count).rev().map(|at| code >> at & 1 == 1));
    }

    /// Whole bytes, from the next one that begins.
    fn literally(&mut self, bytes: &[u8]) {
        self.0.resize(self.0.len().next_multiple_of(8), false);
        for byte in bytes {
            self.number(usize::from(*byte), 8);
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let byte = |bits: &[bool]| bits.iter().rev().fold(0, |sum, bit| sum << 1 | u8::from(*bit));
        self.0.chunks(8).map(byte).collect()
    }
}
