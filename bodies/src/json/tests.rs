//! Events of documents, against a reference parser and in pieces.
#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;

use super::*;

/// Writes each event as a word.
#[derive(Debug, Default, PartialEq, Eq)]
struct Log(Vec<String>);

impl<'c> Events<'c> for Log {
    fn byte_order_mark(&mut self) {
        self.0.push("mark".to_owned());
    }

    fn open(&mut self, container: Container) {
        self.0.push(if container == Container::Object { "{" } else { "[" }.to_owned());
    }

    fn close(&mut self, completeness: Completeness) {
        self.0.push(if completeness == Completeness::Whole { "end" } else { "cut" }.to_owned());
    }

    fn key(&mut self, key: Text<'c, '_>, number: u32) {
        self.0.push(format!("{number}:{}", key.bytes().escape_ascii()));
    }

    fn repeated_key(&mut self) {
        self.0.push("repeated".to_owned());
    }

    fn string(&mut self, text: Text<'c, '_>) {
        self.0.push(format!("'{}'", text.bytes().escape_ascii()));
    }

    fn scalar(&mut self, scalar: Scalar<'_>) {
        self.0.push(match scalar {
            Scalar::Null => "null".to_owned(),
            Scalar::Bool(value) => value.to_string(),
            Scalar::Number(text) => text.escape_ascii().to_string(),
        });
    }

    fn unfinished(&mut self, unfinished: Unfinished<'_>) {
        self.0.push(format!("{unfinished:?}"));
    }

    fn is_over(&self) -> bool {
        false
    }
}

/// The events, then the fault and the bytes of the text behind it.
fn events(
    chunks: &[&[u8]],
    completeness: Completeness,
    half_pairs: HalfPairs,
) -> (Log, Result<(), (&'static str, usize)>) {
    let (mut tokenizer, mut log) = (Tokenizer::new(1000, half_pairs), Log::default());
    let mut left: usize = chunks.iter().map(|chunk| chunk.len()).sum();
    for chunk in chunks {
        left -= chunk.len();
        if let Err(fault) = tokenizer.feed(chunk, &mut log) {
            return (log, Err((fault.reason, left + fault.bytes_after)));
        }
    }
    let end = tokenizer.finish(completeness, &mut log);
    (log, end.map_err(|fault| (fault.reason, fault.bytes_after)))
}

fn words(text: &str) -> String {
    let (log, end) = events(&[text.as_bytes()], Completeness::Whole, HalfPairs::Refused);
    assert_eq!(end, Ok(()), "{text}");
    log.0.join(" ")
}

#[test]
fn events_come_in_the_order_of_the_text() {
    for (text, expected) in [
        ("", ""),
        ("12", "12"),
        (" \"a\\n\" ", "'a\\n'"),
        ("{\"a\":[1,true,null],\"b\":{}}", "{ 1:a [ 1 true null end 2:b { end end"),
        ("{\"a\":1,\"\\u0061\":2}", "{ 1:a 1 2:a 2 repeated end"),
        ("[{\"a\":1},{\"a\":1}]", "[ { 1:a 1 end { 1:a 1 end end"),
        ("\u{feff}[]", "mark [ end"),
    ] {
        assert_eq!(words(text), expected, "{text}");
    }
}

#[test]
fn a_text_that_is_cut_off_ends_in_what_was_begun() {
    for (text, expected) in [
        ("{", "{ cut"),
        ("{\"ab", "{ Key([97, 98]) cut"),
        ("{\"a\"", "{ 1:a cut"),
        ("{\"a\":", "{ 1:a Missing cut"),
        ("{\"a\":[1,2", "{ 1:a [ 1 Scalar([50]) cut cut"),
        ("{\"a\":[1,", "{ 1:a [ 1 Missing cut cut"),
        ("{\"a\":1,\"a\":{\"b\":1,\"b\":1", "{ 1:a 1 2:a { 1:b 1 2:b Scalar([49]) repeated cut repeated cut"),
        ("[]", "[ end"),
        (" ", "Missing"),
    ] {
        let (log, end) = events(&[text.as_bytes()], Completeness::CutOff, HalfPairs::Refused);
        assert_eq!((log.0.join(" ").as_str(), end), (expected, Ok(())), "{text}");
    }
}

#[test]
fn half_of_a_pair_is_a_fault_or_a_replacement() {
    for (text, replaced) in [
        ("\\ud83d", "\u{fffd}"),
        ("\\udc00", "\u{fffd}"),
        ("\\ud83dx", "\u{fffd}x"),
        ("\\ud83d\\n", "\u{fffd}\n"),
        ("\\ud83d\\u0041", "\u{fffd}A"),
        ("\\ud83d\\ud83d\\ude00", "\u{fffd}\u{1f600}"),
        ("\\ud83d\\ude00\\ude00", "\u{1f600}\u{fffd}"),
    ] {
        let text = format!("\"{text}\"");
        for at in 0..=text.len() {
            let chunks = [&text.as_bytes()[..at], &text.as_bytes()[at..]];
            assert!(events(&chunks, Completeness::Whole, HalfPairs::Refused).1.is_err(), "{text}");
            let (log, end) = events(&chunks, Completeness::Whole, HalfPairs::Replaced);
            assert_eq!(end, Ok(()), "{text}");
            assert_eq!(log.0, [format!("'{}'", replaced.as_bytes().escape_ascii())], "{text}");
        }
    }
    let (log, end) = events(&[b"\"\\ud83d\\ude00\""], Completeness::Whole, HalfPairs::Refused);
    assert_eq!((log.0.len(), end), (1, Ok(())));
}

#[test]
fn nesting_is_bounded_without_recursion() {
    for (depth, fits) in [(DEPTH_MAX, true), (DEPTH_MAX + 1, false)] {
        let text = "[".repeat(depth) + &"]".repeat(depth);
        let (_, end) = events(&[text.as_bytes()], Completeness::Whole, HalfPairs::Refused);
        assert_eq!(end.is_ok(), fits, "{depth}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_reads_what_the_reference_reads(text in "[\\[\\]{}\",:0-9eE.+ truefalsn\\\\-]{0,24}") {
        let (log, end) = events(&[text.as_bytes()], Completeness::Whole, HalfPairs::Refused);
        match serde_json::from_str::<serde_json::Value>(&text) {
            Ok(_) => prop_assert_eq!(end, Ok(())),
            // The reference refuses numbers beyond its own, and takes the last of repeated keys.
            Err(error) => {
                let is_accepted = text.is_empty() || error.to_string().contains("out of range");
                prop_assert!(end.is_err() || is_accepted, "{} {:?}", error, log);
            }
        }
    }

    #[test]
    fn chunks_make_no_difference(text in "[\\[\\]{}\",:0-9 trueu\\\\d-]{0,24}", at in any::<prop::sample::Index>()) {
        let at = at.index(text.len() + 1);
        let chunks = [&text.as_bytes()[..at], &text.as_bytes()[at..]];
        for completeness in [Completeness::Whole, Completeness::CutOff] {
            for half_pairs in [HalfPairs::Refused, HalfPairs::Replaced] {
                prop_assert_eq!(
                    events(&[text.as_bytes()], completeness, half_pairs),
                    events(&chunks, completeness, half_pairs)
                );
            }
        }
    }
}
