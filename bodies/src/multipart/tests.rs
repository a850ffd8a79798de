//! Events of multipart bodies, whole and in pieces.
#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;

use super::*;

/// Writes each event as a word; neighbouring bytes are one.
#[derive(Debug, Default, PartialEq, Eq)]
struct Log {
    words: Vec<String>,
    framing: usize,
}

impl Log {
    fn bytes(&mut self, kind: &str, bytes: &[u8]) {
        let text = bytes.escape_ascii().to_string();
        match self.words.last_mut().and_then(|last| last.strip_prefix(kind).map(str::to_owned)) {
            Some(before) => *self.words.last_mut().unwrap() = format!("{kind}{before}{text}"),
            None => self.words.push(format!("{kind}{text}")),
        }
    }
}

impl Events for Log {
    fn outside(&mut self, bytes: &[u8], side: Side) {
        self.bytes(if side == Side::Before { "before:" } else { "behind:" }, bytes);
    }

    fn delimiter(&mut self) {
        self.words.push("|".to_owned());
    }

    fn framing(&mut self, bytes: usize) {
        self.framing += bytes;
    }

    fn head(&mut self, block: &[u8], bytes: usize) {
        self.words.push(format!("head:{}", block.escape_ascii()));
        self.framing += bytes;
    }

    fn unreadable_head(&mut self, head: &[u8], doubt: Doubt) {
        self.doubt(doubt);
        self.words.push(format!("no head:{}", head.len()));
    }

    fn content(&mut self, bytes: &[u8]) {
        self.bytes("content:", bytes);
    }

    fn end(&mut self, completeness: Completeness) {
        self.words.push(format!("{completeness:?}"));
    }

    fn doubt(&mut self, doubt: Doubt) {
        self.words.push(format!("{:?}!", doubt.about));
    }

    fn is_over(&self) -> bool {
        false
    }
}

fn events(chunks: &[&[u8]], completeness: Completeness) -> Log {
    let (mut tokenizer, mut log) = (Tokenizer::default(), Log::default());
    tokenizer.start(Boundary::new(b"b"), 64);
    for chunk in chunks {
        tokenizer.feed(chunk, &mut log);
    }
    tokenizer.finish(completeness, &mut log);
    log
}

#[test]
fn parts_are_what_is_between_delimiters() {
    for (body, expected) in [
        ("", "Whole"),
        ("--b--", "| Whole"),
        ("--b\r\nA: 1\r\n\r\nx\r\n--b--\r\n", "| head:A: 1 content:x | behind:\\r\\n Whole"),
        ("note\r\n--b\r\n\r\n\r\n--b--", "before:note | head: | Whole"),
        ("--b\r\nA: 1\r\n\r\nx--b\r\n--b--", "| head:A: 1 content:x--b | Whole"),
        ("--b\r\nA: 1\r\n\r\nx", "| head:A: 1 content:x Whole Boundary!"),
        ("--b\r\nA: 1\r\n\r\nx\n--b--", "| head:A: 1 content:x\\n--b Boundary! content:-- Whole Boundary!"),
        ("--b \r\nA: 1\r\n\r\nx\r\n--b--", "| Boundary! head:A: 1 content:x | Whole"),
        ("--b\r\nA: 1\r\n\r\n--b--", "| head:A: 1 Boundary! | Whole"),
        ("--b\r\nA: 1", "| Head! no head:4 Whole Boundary!"),
    ] {
        assert_eq!(events(&[body.as_bytes()], Completeness::Whole).words.join(" "), expected, "{body:?}");
    }
    let long = format!("--b\r\nA: {}\r\n\r\nx\r\n--b--", "1".repeat(64));
    let expected = "| Head! no head:64 content:111\\r\\n\\r\\nx | Whole";
    assert_eq!(events(&[long.as_bytes()], Completeness::Whole).words.join(" "), expected);
}

#[test]
fn heads_say_one_name_or_not() {
    for (head, one) in [
        ("Content-Disposition: form-data; name=\"a\"", true),
        ("content-disposition: form-data; filename=x; name=a", true),
        ("Content-Disposition: form-data; name=\"\"", true),
        ("X-Other: 1\r\nContent-Disposition: form-data; name=a\r\nContent-Type: text/plain", true),
        ("Content-Disposition: form-data", false),
        ("Content-Type: text/plain", false),
        ("Content-Disposition: form-data; name=a; name=b", false),
        ("Content-Disposition: form-data; name=a; NAME=a", false),
        ("Content-Disposition: form-data; name=a; name*=utf-8''b", false),
        ("Content-Disposition: form-data; name*0=a; name=b", false),
        ("Content-Disposition: form-data; name=a b", false),
        ("Content-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b", false),
    ] {
        let mut read = Head::default();
        read.read(head.as_bytes(), Flavor::Form, 20, &mut |_| {});
        assert_eq!(read.has_one_name, one, "{head:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 800, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn chunks_make_no_difference(
        words in prop::collection::vec(
            prop::sample::select(&["--b", "\r\n", "\n", "\r", "--", "A: 1", "x", " ", "\r\n\r\n", "\r\n--b\r\n"][..]),
            0..16,
        ),
        at in any::<prop::sample::Index>(),
    ) {
        let text = words.concat();
        let at = at.index(text.len() + 1);
        let chunks = [&text.as_bytes()[..at], &text.as_bytes()[at..]];
        for completeness in [Completeness::Whole, Completeness::CutOff] {
            prop_assert_eq!(events(&[text.as_bytes()], completeness), events(&chunks, completeness));
        }
    }
}
