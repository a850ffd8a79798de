//! Bytes that a coding carries beside the content: refused where it could hide something, skipped in answers.

use super::*;

const BODY: &[u8] = b"q=chairs&n=2";

/// A gzip member with these flags and these fields behind the fixed header; `sums` adds the check sum of the header.
fn member(flags: u8, fields: &[u8], sums: bool) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 3];
    out.extend(fields);
    if sums {
        let mut sum = flate2::Crc::new();
        sum.update(&out);
        out.extend(&sum.sum().to_le_bytes()[..2]);
    }
    out.extend(&encode(Coding::Gzip, BODY)[10..]);
    out
}

/// A member of BGZF whose field says `more` than its length.
fn block(more: u16) -> Vec<u8> {
    let field = |size: u16| [&[6, 0, b'B', b'C', 2, 0], size.to_le_bytes().as_slice()].concat();
    let length = u16::try_from(member(4, &field(0), false).len()).expect("short");
    member(4, &field(length - 1 + more), false)
}

/// A skippable frame.
fn skippable(kind: u8, content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).expect("short").to_le_bytes();
    [&[0x50 | kind, 0x2a, 0x4d, 0x18], length.as_slice(), content].concat()
}

/// A zstd body as pzstd writes it: each frame behind its size, which `more` makes wrong.
fn sized(frames: &[&[u8]], more: u32) -> Vec<u8> {
    let mut out = Vec::new();
    for frame in frames {
        let frame = encode(Coding::Zstd, frame);
        let size = u32::try_from(frame.len()).expect("short") + more;
        out.extend(skippable(0, &size.to_le_bytes()));
        out.extend(frame);
    }
    out
}

/// A brotli body: metadata blocks, then the content in an uncompressed block, then the end (RFC 7932 section 9).
fn with_metadata(blocks: &[&[u8]]) -> Vec<u8> {
    let mut bits = vec![false];
    let number = |bits: &mut Vec<bool>, value: usize, count: usize| {
        bits.extend((0..count).map(|at| value >> at & 1 == 1));
    };
    let bytes = |bits: &mut Vec<bool>, content: &[u8]| {
        bits.resize(bits.len().next_multiple_of(8), false);
        for byte in content {
            number(bits, usize::from(*byte), 8);
        }
    };
    for block in blocks {
        number(&mut bits, 0b0110, 4);
        match block.len() {
            0 => number(&mut bits, 0, 2),
            length => {
                number(&mut bits, 1, 2);
                number(&mut bits, length - 1, 8);
            }
        }
        bytes(&mut bits, block);
    }
    number(&mut bits, 0, 3);
    number(&mut bits, BODY.len() - 1, 16);
    number(&mut bits, 1, 1);
    bytes(&mut bits, BODY);
    bytes(&mut bits, &[3]);
    bits.chunks(8).map(|byte| byte.iter().rev().fold(0, |sum, bit| sum << 1 | u8::from(*bit))).collect()
}

/// Outcome of `body`, in pieces of any size.
fn verdict(coding: Coding, body: &[u8]) -> Result<Vec<u8>, CodingFault> {
    let whole = inflate(&[coding], FREE, &[body]);
    for size in [1, 3, 5, 64] {
        let pieces: Vec<&[u8]> = body.chunks(size).collect();
        assert_eq!(inflate(&[coding], FREE, &pieces), whole, "by {size}");
    }
    whole
}

/// The same with [`Ancillary::Skipped`].
fn skipped(coding: Coding, body: &[u8]) -> Result<Vec<u8>, CodingFault> {
    let mut out = Vec::new();
    let mut inflater = Inflater::new(&[coding], FREE, Ancillary::Skipped);
    inflater.feed(body, &mut |made| {
        out.extend_from_slice(made);
        ControlFlow::Continue(())
    })?;
    inflater.finish()?;
    Ok(out)
}

#[test]
fn fields_of_gzip_that_carry_data_are_malformed() {
    let long = [vec![b'a'; 256], vec![0]].concat();
    for (name, body) in [
        ("a form in the name", member(8, b"&id=A&\0", false)),
        ("markup in the name", member(8, b"<svg onload\0", false)),
        ("a path in the name", member(8, b"../../etc/passwd\0", false)),
        ("a high byte in the name", member(8, b"\xc3\xa4.txt\0", false)),
        ("a long name", member(8, &long, false)),
        ("a comment", member(16, b"&id=A&\0", false)),
        ("a plain comment", member(16, b"a\0", false)),
        ("a comment behind a name", member(24, b"a.txt\0b\0", false)),
        ("an extra field", member(4, b"\x06\0&id=A&", false)),
        ("an extra field of another name", member(4, b"\x06\0RA\x02\0ab", false)),
        ("BGZF with more behind it", member(4, b"\x0a\0BC\x02\0ababcd", false)),
        ("BGZF with another length", member(4, b"\x06\0BC\x03\0ab", false)),
        ("BGZF with another size", block(1)),
        ("a second member", [encode(Coding::Gzip, b"a=1"), member(16, b"&id=A&\0", false)].concat()),
    ] {
        assert_eq!(verdict(Coding::Gzip, &body), Err(CodingFault::Malformed), "{name}");
        assert!(skipped(Coding::Gzip, &body).is_ok(), "{name}");
    }
    let mut sum = member(2, b"", true);
    sum[10] ^= 1;
    assert_eq!(verdict(Coding::Gzip, &sum), Err(CodingFault::Malformed));
}

#[test]
fn headers_as_writers_of_gzip_make_them_pass() {
    let name = [vec![b'a'; 255], vec![0]].concat();
    for (writer, body) in [
        ("gzip -N", member(8, b"Report 2026-11_final.tar\0", false)),
        ("a long name", member(8, &name, false)),
        ("an empty name and comment", member(24, b"\0\0", false)),
        ("an empty extra field", member(4, b"\0\0", false)),
        ("text", member(1, b"", false)),
        ("a header with its check sum", member(2, b"", true)),
        ("a name and a check sum", member(10, b"a.txt\0", true)),
        ("a block of BGZF", block(0)),
    ] {
        assert_eq!(verdict(Coding::Gzip, &body), Ok(BODY.to_vec()), "{writer}");
    }
    // The end of a BGZF file is an empty block.
    let end = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0\x1b\0\x03\0\0\0\0\0\0\0\0\0";
    assert_eq!(verdict(Coding::Gzip, &[&block(0), end.as_slice()].concat()), Ok(BODY.to_vec()));
}

#[test]
fn skippable_frames_of_zstd_that_carry_data_are_malformed() {
    let frame = encode(Coding::Zstd, BODY);
    let mut unused = frame.clone();
    unused[4] |= 1 << 4;
    for (name, body) in [
        ("before the content", [skippable(0, b"&id=A&"), frame.clone()].concat()),
        ("of another kind", [skippable(15, b"&id=A&"), frame.clone()].concat()),
        ("behind the content", [frame.clone(), skippable(0, b"&id=A&")].concat()),
        ("between frames", [frame.clone(), skippable(3, b"a"), frame.clone()].concat()),
        ("four bytes that are no size", [skippable(0, b"&a=b"), frame.clone()].concat()),
        ("a size that is wrong", sized(&[b"q=1", b"&n=2"], 1)),
        ("a size of nothing", [frame.clone(), skippable(0, &9_u32.to_le_bytes())].concat()),
        ("two sizes", [skippable(0, &[12, 0, 0, 0]), sized(&[b"q=1"], 0)].concat()),
        ("skippable frames alone", skippable(0, b"&id=A&")),
    ] {
        assert_eq!(verdict(Coding::Zstd, &body), Err(CodingFault::Malformed), "{name}");
        assert!(skipped(Coding::Zstd, &body).is_ok(), "{name}");
    }
    assert_eq!(verdict(Coding::Zstd, &unused), Err(CodingFault::Malformed));
}

#[test]
fn frames_as_writers_of_zstd_make_them_pass() {
    assert_eq!(verdict(Coding::Zstd, &sized(&[b"q=chairs", b"&n=", b"2"], 0)), Ok(BODY.to_vec()));
    let empty = [skippable(0, b""), encode(Coding::Zstd, BODY), skippable(9, b"")].concat();
    assert_eq!(verdict(Coding::Zstd, &empty), Ok(BODY.to_vec()));
    let data = text();
    for (size, sum, level) in [(true, true, 1), (true, false, 19), (false, true, 3), (false, false, 9)] {
        for length in [0, 1, 255, 256, 70_000, data.len()] {
            let mut context = zstd_safe::CCtx::create();
            context.set_parameter(zstd_safe::CParameter::ContentSizeFlag(size)).expect("it is known");
            context.set_parameter(zstd_safe::CParameter::ChecksumFlag(sum)).expect("it is known");
            context.set_parameter(zstd_safe::CParameter::CompressionLevel(level)).expect("it is known");
            let mut out = vec![0; zstd_safe::compress_bound(length)];
            let made = context.compress2(out.as_mut_slice(), &data[..length]).expect("there is room");
            out.truncate(made);
            assert!(
                verdict(Coding::Zstd, &out) == Ok(data[..length].to_vec()),
                "{size} {sum} {level} {length}"
            );
        }
    }
}

#[test]
fn metadata_of_brotli_is_malformed() {
    let long = vec![b'&'; 256];
    for blocks in [
        &[b"&id=A&".as_slice()] as &[&[u8]],
        &[b"&a=b"],
        &[b"", b"&id=A&"],
        &[b"&id=", b"A&&&"],
        &[&long],
        &[b"{\"a\":1}", b""],
    ] {
        let body = with_metadata(blocks);
        assert_eq!(verdict(Coding::Brotli, &body), Err(CodingFault::Malformed), "{blocks:?}");
        assert_eq!(skipped(Coding::Brotli, &body), Ok(BODY.to_vec()), "{blocks:?}");
    }
    // Writers flush with an empty block.
    for blocks in [&[] as &[&[u8]], &[b""], &[b"", b""]] {
        assert_eq!(verdict(Coding::Brotli, &with_metadata(blocks)), Ok(BODY.to_vec()));
    }
    let mut flushed = ::brotli::CompressorWriter::new(Vec::new(), 4096, 5, 22);
    for piece in BODY.chunks(3) {
        flushed.write_all(piece).expect("memory takes it");
        flushed.flush().expect("memory takes it");
    }
    assert_eq!(verdict(Coding::Brotli, &flushed.into_inner()), Ok(BODY.to_vec()));
    let text = text();
    for quality in [0, 1, 5, 9] {
        let params = ::brotli::enc::BrotliEncoderParams { quality, ..Default::default() };
        let mut out = Vec::new();
        ::brotli::BrotliCompress(&mut text.as_slice(), &mut out, &params).expect("memory takes it");
        assert!(verdict(Coding::Brotli, &out) == Ok(text.clone()), "{quality}");
    }
}

#[test]
fn a_zlib_dictionary_is_malformed() {
    let mut body = encode(Coding::Deflate, BODY);
    // The flag of a dictionary, and the check bits that make the two bytes a multiple of 31.
    body[1] = 0x3f;
    body.splice(2..2, *b"&a=b");
    assert_eq!(verdict(Coding::Deflate, &body), Err(CodingFault::Malformed));
}
