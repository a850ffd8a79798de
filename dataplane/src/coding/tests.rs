//! Every coding, stacked and in any chunking; bombs, rubbish and bodies that end too early.

use std::io::Write as _;
use std::ops::ControlFlow;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use proptest::prelude::*;

use super::*;

mod ancillary;

const ALL: [Coding; 4] = [Coding::Gzip, Coding::Deflate, Coding::Brotli, Coding::Zstd];
const FREE: Bounds = Bounds { bytes_max: u64::MAX, ratio_max: u32::MAX };

fn encode(coding: Coding, data: &[u8]) -> Vec<u8> {
    match coding {
        Coding::Gzip => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(data).expect("memory takes it");
            encoder.finish().expect("memory takes it")
        }
        Coding::Deflate => {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(data).expect("memory takes it");
            encoder.finish().expect("memory takes it")
        }
        Coding::Brotli => {
            let mut out = Vec::new();
            let params = ::brotli::enc::BrotliEncoderParams { quality: 4, ..Default::default() };
            ::brotli::BrotliCompress(&mut &data[..], &mut out, &params).expect("memory takes it");
            out
        }
        Coding::Zstd => {
            let mut out = vec![0; zstd_safe::compress_bound(data.len())];
            let length = zstd_safe::compress(out.as_mut_slice(), data, 3).expect("there is room");
            out.truncate(length);
            out
        }
    }
}

fn bare(data: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(data).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

fn inflate(codings: &[Coding], bounds: Bounds, pieces: &[&[u8]]) -> Result<Vec<u8>, CodingFault> {
    let mut inflater = Inflater::new(codings, bounds, Ancillary::Refused);
    let mut out = Vec::new();
    for piece in pieces {
        inflater.feed(piece, &mut |made| {
            out.extend_from_slice(made);
            ControlFlow::Continue(())
        })?;
    }
    inflater.finish()?;
    Ok(out)
}

fn text() -> Vec<u8> {
    (0..40_000u32).flat_map(|i| format!("{i} quick foxes; ").into_bytes()).take(300_000).collect()
}

#[test]
fn names_are_read() {
    let read = |values: &[&str]| codings(values.iter().map(|v| v.as_bytes()));
    assert_eq!(read(&["gzip"]), Ok(vec![Coding::Gzip]));
    assert_eq!(read(&["X-GZIP , Br"]), Ok(vec![Coding::Gzip, Coding::Brotli]));
    assert_eq!(read(&["identity", "", "zstd", "deflate"]), Ok(vec![Coding::Zstd, Coding::Deflate]));
    assert_eq!(read(&[]), Ok(vec![]));
    for unknown in ["compress", "gzip;q=1", "gzip gzip", "gzip, gzip, gzip", "aes128gcm"] {
        assert_eq!(read(&[unknown]), Err(UnknownCoding), "{unknown}");
    }
}

#[test]
fn every_coding_comes_off() {
    let text = text();
    for coding in ALL {
        let encoded = encode(coding, &text);
        for size in [1, 7, 4096, encoded.len()] {
            let pieces: Vec<&[u8]> = encoded.chunks(size).collect();
            assert!(inflate(&[coding], FREE, &pieces) == Ok(text.clone()), "{coding:?} by {size}");
        }
    }
    assert!(inflate(&[Coding::Deflate], FREE, &[&bare(&text)]) == Ok(text.clone()));
    assert_eq!(inflate(&[Coding::Deflate], FREE, &[&bare(b"a")]), Ok(b"a".to_vec()));
    assert_eq!(inflate(&[], FREE, &[b"as it is"]), Ok(b"as it is".to_vec()));
}

#[test]
fn two_codings_come_off_in_the_right_order() {
    let text = text();
    for (first, second) in
        [(Coding::Gzip, Coding::Brotli), (Coding::Zstd, Coding::Gzip), (Coding::Deflate, Coding::Deflate)]
    {
        let encoded = encode(second, &encode(first, &text));
        let pieces: Vec<&[u8]> = encoded.chunks(1000).collect();
        assert!(inflate(&[first, second], FREE, &pieces) == Ok(text.clone()), "{first:?} {second:?}");
    }
}

#[test]
fn members_and_frames_follow_each_other() {
    for coding in [Coding::Gzip, Coding::Zstd] {
        let both = [encode(coding, b"one "), encode(coding, b""), encode(coding, b"two")].concat();
        for size in [1, both.len()] {
            let pieces: Vec<&[u8]> = both.chunks(size).collect();
            assert_eq!(inflate(&[coding], FREE, &pieces), Ok(b"one two".to_vec()), "{coding:?} by {size}");
        }
    }
}

#[test]
fn check_sums_and_sizes_are_compared() {
    let plain = encode(Coding::Gzip, b"body");
    let mut reserved = plain.clone();
    reserved[3] = 0x80;
    let mut sum = plain.clone();
    let at = sum.len() - 8;
    sum[at] ^= 1;
    let mut size = plain;
    let at = size.len() - 1;
    size[at] ^= 1;
    for broken in [reserved, sum, size] {
        assert_eq!(inflate(&[Coding::Gzip], FREE, &[&broken]), Err(CodingFault::Malformed));
    }
}

#[test]
fn what_is_cut_or_followed_by_rubbish_is_malformed() {
    for coding in ALL {
        let encoded =
            encode(coding, b"some text that is long enough to be compressed, compressed, compressed");
        let cut = &encoded[..encoded.len() - 1];
        assert_eq!(inflate(&[coding], FREE, &[cut]), Err(CodingFault::Malformed), "{coding:?} cut");
        let more = [encoded.as_slice(), b"rubbish"].concat();
        assert_eq!(
            inflate(&[coding], FREE, &[&more]),
            Err(CodingFault::Malformed),
            "{coding:?} with rubbish"
        );
        assert_eq!(
            inflate(&[coding], FREE, &[b"{\"a\": 1}"]),
            Err(CodingFault::Malformed),
            "{coding:?} plain"
        );
    }
}

#[test]
fn deflate_that_reads_both_ways_is_refused() {
    // A zlib header that is also a stored block of length 0xdd9c: two readers would see two bodies.
    assert_eq!(
        inflate(&[Coding::Deflate], FREE, &[&[0x78, 0x9c, 0xdd, 0x63, 0x22, 0, 0, 0]]),
        Err(CodingFault::Malformed)
    );
}

#[test]
fn bombs_end_at_the_ratio() {
    let bomb = vec![0u8; 64 << 20];
    for coding in ALL {
        let encoded = encode(coding, &bomb);
        let mut out = 0usize;
        let mut inflater =
            Inflater::new(&[coding], Bounds { bytes_max: u64::MAX, ratio_max: 100 }, Ancillary::Refused);
        let result = inflater.feed(&encoded, &mut |made| {
            out += made.len();
            ControlFlow::Continue(())
        });
        assert_eq!(result, Err(CodingFault::Ratio), "{coding:?}");
        assert!(out < 1 << 20, "{coding:?} made {out} bytes first");
    }
    // Content that stays small behind a stage that does not: empty stored blocks, ended by one that is the last.
    let empty = [[0, 0, 0, 0xff, 0xff].repeat(4 << 20), vec![1, 0, 0, 0xff, 0xff]].concat();
    let bounds = Bounds { bytes_max: u64::MAX, ratio_max: 100 };
    let between = encode(Coding::Gzip, &empty);
    assert_eq!(inflate(&[Coding::Deflate, Coding::Gzip], bounds, &[&between]), Err(CodingFault::Ratio));
    let twice = encode(Coding::Gzip, &encode(Coding::Gzip, &bomb));
    let bounds = Bounds { bytes_max: u64::MAX, ratio_max: 100 };
    assert_eq!(inflate(&[Coding::Gzip, Coding::Gzip], bounds, &[&twice]), Err(CodingFault::Ratio));
}

#[test]
fn the_ratio_holds_for_small_bodies_and_on_both_sides() {
    let text = vec![b'a'; 2000];
    for coding in ALL {
        let encoded = encode(coding, &text);
        let ratio = u32::try_from(text.len().div_ceil(encoded.len())).expect("small");
        for (ratio_max, good) in [(ratio, true), (ratio - 1, false)] {
            let bounds = Bounds { bytes_max: u64::MAX, ratio_max };
            let pieces: Vec<&[u8]> = encoded.chunks(3).collect();
            assert_eq!(inflate(&[coding], bounds, &pieces).is_ok(), good, "{coding:?} at {ratio_max}");
        }
    }
}

#[test]
fn the_limit_stops_quietly_unless_the_prefix_is_a_bomb() {
    let text = text();
    for coding in ALL {
        let encoded = encode(coding, &text);
        let bounds = Bounds { bytes_max: 1000, ratio_max: 100 };
        assert_eq!(inflate(&[coding], bounds, &[&encoded]), Ok(text[..1000].to_vec()), "{coding:?}");
        let bomb = encode(coding, &vec![b' '; 1 << 20]);
        let bounds = Bounds { bytes_max: 100_000, ratio_max: 100 };
        assert_eq!(inflate(&[coding], bounds, &[&bomb]), Err(CodingFault::Ratio), "{coding:?}");
    }
}

#[test]
fn windows_beyond_8_mb_are_refused() {
    // Magic number, a frame header with a window of 16 MB (exponent 14, mantissa 0), an empty last block.
    let frame = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 14 << 3, 0x01, 0x00, 0x00];
    assert_eq!(inflate(&[Coding::Zstd], FREE, &[&frame]), Err(CodingFault::Malformed));
    let frame = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 13 << 3, 0x01, 0x00, 0x00];
    assert_eq!(inflate(&[Coding::Zstd], FREE, &[&frame]), Ok(Vec::new()));
}

proptest! {
    #[test]
    fn any_chunking_gives_the_same(data in proptest::collection::vec(0u8..8, 0..3000), size in 1usize..600) {
        for coding in ALL {
            let encoded = encode(coding, &data);
            let pieces: Vec<&[u8]> = encoded.chunks(size).collect();
            prop_assert!(inflate(&[coding], FREE, &pieces) == Ok(data.clone()), "{coding:?}");
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(mut data in proptest::collection::vec(any::<u8>(), 0..400), which in 0usize..4, flip in any::<prop::sample::Index>()) {
        let bounds = Bounds { bytes_max: 1 << 20, ratio_max: 1000 };
        let _ = inflate(&[ALL[which]], bounds, &[&data]);
        let mut encoded = encode(ALL[which], &data);
        let at = flip.index(encoded.len());
        encoded[at] ^= 0x10;
        let _ = inflate(&[ALL[which]], bounds, &[&encoded]);
        data.truncate(3);
        let _ = inflate(&[ALL[which], Coding::Gzip], bounds, &[&data, &encoded]);
    }
}
