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
