//! All parsers behind [`Body`]: the fields of a body, and that they do not depend on how it is cut.
#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;

use waf_shared::catalog::Leaf;

use super::*;
use crate::bounds::Bounds;
use crate::field::Place;

mod binary;
mod sequences;
mod wide;

/// The output of a parser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    Field(Place, String, String),
    Argument(String),
    Name(String),
    Violation(Leaf, &'static str),
}

/// Keeps everything that it receives.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Collected(pub(super) Vec<Said>);

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Sink for Collected {
    fn field(&mut self, place: Place, name: &[u8], value: &[u8]) {
        self.0.push(Said::Field(place, text(name), text(value)));
    }

    fn argument(&mut self, _: Place, _: Place, pair: &[u8]) {
        self.0.push(Said::Argument(text(pair)));
    }

    fn argument_name(&mut self, _: Place, name: &[u8]) {
        self.0.push(Said::Name(text(name)));
    }

    fn violation(&mut self, leaf: Leaf, reason: &'static str) {
        // Limits are reported whenever they are passed; what counts is that they are.
        let said = Said::Violation(leaf, reason);
        if !self.0.contains(&said) {
            self.0.push(said);
        }
    }

    fn is_over(&self) -> bool {
        false
    }
}

/// Reads a body; a fresh parser and one that has read something else before say the same.
pub(super) fn read_with(
    bounds: &Bounds,
    media_type: &str,
    chunks: &[&[u8]],
    completeness: Completeness,
) -> Vec<Said> {
    let mut body = Body::default();
    let mut sink = Collected::default();
    body.start(media_type.as_bytes(), bounds, &mut sink);
    for chunk in chunks {
        body.feed(chunk, &mut sink);
    }
    body.finish(completeness, &mut sink);
    sink.0
}

pub(super) fn read(media_type: &str, body: &[u8]) -> Vec<Said> {
    read_with(&Bounds::DEFAULT, media_type, &[body], Completeness::Whole)
}

/// `text` in every character set that readers recognise, with and without a mark.
pub(super) fn spellings(text: &str) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for text in [text.to_owned(), format!("\u{feff}{text}")] {
        let characters = || text.chars().map(u32::from);
        all.push(text.encode_utf16().flat_map(u16::to_le_bytes).collect());
        all.push(text.encode_utf16().flat_map(u16::to_be_bytes).collect());
        all.push(characters().flat_map(u32::to_le_bytes).collect());
        all.push(characters().flat_map(u32::to_be_bytes).collect());
        all.push(text.into_bytes());
    }
    all
}

/// The values that stand at `place`.
pub(super) fn values(said: &[Said], place: Place) -> Vec<&str> {
    let at = |said: &'_ Said| matches!(said, Said::Field(found, ..) if *found == place);
    said.iter()
        .filter(|one| at(one))
        .map(|one| match one {
            Said::Field(_, _, value) => value.as_str(),
            _ => "",
        })
        .collect()
}

/// The leaves of what is refused, in order.
pub(super) fn leaves(said: &[Said]) -> Vec<Leaf> {
    let mut leaves: Vec<Leaf> = Vec::new();
    for one in said {
        match one {
            Said::Violation(leaf, _) if !leaves.contains(leaf) => leaves.push(*leaf),
            _ => {}
        }
    }
    leaves
}

#[test]
fn documents_are_read_whatever_their_type_says() {
    let json = br#" {"q": "a\u0062c"}"#;
    let xml = b"<?xml version='1.0'?><q>a&#98;c</q>";
    for kind in ["text/plain", "", "application/x-www-form-urlencoded", "text/html", "application/graphql"] {
        assert!(values(&read(kind, json), Place::Json).contains(&"abc"), "{kind}");
        assert!(values(&read(kind, xml), Place::Xml).contains(&"abc"), "{kind}");
        assert_eq!(leaves(&read(kind, b"{ not json")), [], "{kind}");
        assert_eq!(leaves(&read(kind, b"<!doctype html><p>not xml<br>")), [], "{kind}");
    }
    // An external entity is no accident, whatever the document is called.
    let external = b"<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>";
    assert_eq!(leaves(&read("text/plain", external)), [Leaf::XmlParsingEntityExpansion]);
}

#[test]
fn plain_text_is_one_value_and_judged_once() {
    assert_eq!(read("text/plain", b"abc"), [Said::Field(Place::Body, String::new(), "abc".into())]);
    assert_eq!(read("image/png", b"abc"), []);
    assert_eq!(read("text/plain", b""), []);
}

#[test]
fn declared_character_sets_are_decoded() {
    let wide: Vec<u8> = "<script>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let marked = [&b"\xff\xfe"[..], &wide].concat();
    for (kind, body) in [
        ("text/plain; charset=utf-16le", &wide),
        ("text/plain; charset=utf-16", &wide),
        ("text/plain; charset=utf-16", &marked),
        ("text/plain", &marked),
    ] {
        // A reader that ignores the character set sees the bytes, so they are judged too.
        let said = read(kind, body);
        assert_eq!(values(&said, Place::Body).last(), Some(&"<script>"), "{kind}");
        assert_eq!((values(&said, Place::Body).len(), leaves(&said)), (2, vec![]), "{kind}");
    }
    let form = read("application/x-www-form-urlencoded; charset=utf-16be", b"\0a\0=\0b\0&\0c");
    for argument in ["a=b", "c"] {
        assert!(form.contains(&Said::Argument(argument.into())), "{form:?}");
    }
    let json = read("application/json; charset=iso-8859-1", b"{\"a\":\"caf\xe9\"}");
    assert_eq!((values(&json, Place::Json), leaves(&json)), (vec!["café"], vec![]));
}

#[test]
fn undecodable_character_sets_are_refused() {
    for kind in [
        "text/plain; charset=utf-7",
        "application/x-www-form-urlencoded; charset=ibm037",
        "application/json; charset=cp500",
        "text/xml; charset=utf-7",
        "application/json; charset=utf-8; charset=utf-16",
    ] {
        assert!(leaves(&read(kind, b"x")).contains(&Leaf::HttpComplianceMalformedBody), "{kind}");
    }
    // Half a character, and one that there is not.
    assert_eq!(leaves(&read("text/plain; charset=utf-16le", b"a\0b")), [Leaf::HttpComplianceMalformedBody]);
    assert_eq!(
        leaves(&read("text/plain; charset=utf-16le", b"\x00\xd8a\0")),
        [Leaf::HttpComplianceMalformedBody]
    );
}

#[test]
fn parsers_that_a_route_lacks_do_not_run() {
    let mut bounds = Bounds::DEFAULT;
    bounds.parsers = crate::bounds::Parsers::of(&["application/json".to_owned()]);
    let read = |kind: &str, body: &[u8]| read_with(&bounds, kind, &[body], Completeness::Whole);
    let laughs = b"<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///a'>]><a>&x;</a>";
    assert_eq!(values(&read("text/xml", laughs), Place::Xml), [""; 0]);
    assert_eq!(leaves(&read("text/xml", laughs)), []);
    assert_eq!(leaves(&read("multipart/form-data", b"x")), []);
    assert_eq!(values(&read("application/x-www-form-urlencoded", b"a=b"), Place::Body), ["a=b"]);
    assert_eq!(values(&read("application/json", b"[\"x\"]"), Place::Json), ["x"]);
}

#[test]
fn what_lies_beyond_the_room_is_not_read() {
    let bounds = Bounds { max_inspect_size: 8, ..Bounds::DEFAULT };
    for (kind, expected) in [
        ("application/x-www-form-urlencoded", Said::Argument("a=bcdefg".into())),
        ("text/plain", Said::Field(Place::Body, String::new(), "a=bcdefg".into())),
    ] {
        for size in [1, 3, 100] {
            let chunks: Vec<&[u8]> = b"a=bcdefgh&i=j".chunks(size).collect();
            assert_eq!(
                read_with(&bounds, kind, &chunks, Completeness::Whole),
                std::slice::from_ref(&expected),
                "{kind}"
            );
        }
    }
    let mut body = Body::default();
    let mut sink = Collected::default();
    body.start(b"text/plain", &bounds, &mut sink);
    body.feed(b"12345678", &mut sink);
    assert_eq!((body.progress(), body.uninspected()), (Progress::Open, 0));
    body.feed(b"9", &mut sink);
    assert_eq!((body.progress(), body.uninspected(), sink.0.len()), (Progress::Cleared, 1, 1));
}

/// Pieces that the parsers must tell apart, thrown together.
fn shards(shards: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(shards), 0..24).prop_map(|all| all.concat().into_bytes())
}

const MULTIPART: &[&str] = &[
    "--b\r\n",
    "--b--\r\n",
    "\r\n--b\r\n",
    "\r\n--b--",
    "\n--b",
    "--b",
    "\r",
    "\n",
    "-",
    "x",
    "--bb\r\n",
    "Content-Disposition: form-data; name=\"a\"\r\n",
    "Content-Disposition: form-data; name=\"f\"; filename=\"f.png\"\r\n",
    "Content-Type: application/json\r\n",
    "Content-Type: image/png\r\n",
    "Content-Type: image/png\r\n\r\n{\"a\":\"v",
    "\r\n",
    "\r\n\r\n",
    "{\"a\":",
    "\"v\"}",
    "<?php ",
    "\u{e9}",
    "name=\"_charset_\"",
    "%PDF-1.7",
];

const XML: &[&str] = &[
    "<?xml version=\"1.0\"?>",
    "<!DOCTYPE a [",
    "<!ENTITY e \"v\">",
    "<!ENTITY f SYSTEM 'x'>",
    "<!ENTITY % p 'y'>",
    "%p;",
    "]>",
    "<!DOCTYPE a SYSTEM \"a.dtd\">",
    "<a>",
    "</a>",
    "<a b=\"c\">",
    "<a b='",
    "'/>",
    "<d/>",
    "text",
    " ",
    "&e;",
    "&lt;",
    "&#65;",
    "&",
    ";",
    "<!--",
    "-->",
    "-",
    "<![CDATA[",
    "]]>",
    "]",
    "<?pi x?>",
    "?>",
    "\u{e9}",
    "<",
    ">",
    "\u{feff}",
    "\"",
    "<!ELEMENT a ANY>",
    "<x.y.Z>",
    "</x.y.Z>",
];

const TEXT: &[&str] = &[
    "{\"a\":\"b\"",
    "}",
    "[",
    "]",
    "<?xml",
    "<!DOCTYPE",
    "a=b",
    "&",
    "=",
    " ",
    "<a>",
    "</a>",
    "\u{feff}",
    ",",
];

/// First bytes that say what a body is, or nearly do.
const OPENING: &[&str] = &[
    "{",
    "[",
    "\"",
    "'",
    ":",
    "user",
    "1",
    ",",
    "]",
    "}",
    "<",
    "a>",
    "?xml ",
    "#!/",
    "=",
    "&",
    " ",
    "\n",
    "\0",
    "\u{1}",
    "\u{feff}",
    "\u{540d}",
    "/*",
    "----------------------------------------------------------------",
];

fn check(
    kind: &str,
    bounds: &Bounds,
    bytes: &[u8],
    cuts: &[prop::sample::Index],
) -> Result<(), TestCaseError> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    cuts.extend([0, bytes.len()]);
    cuts.sort_unstable();
    let chunks: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    for cut in [Completeness::Whole, Completeness::CutOff] {
        let whole = read_with(bounds, kind, &[bytes], cut);
        prop_assert_eq!(&read_with(bounds, kind, &chunks, cut), &whole, "{}", text(bytes));
        prop_assert_eq!(&read_with(bounds, kind, &single, cut), &whole, "{}", text(bytes));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 800, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn chunks_make_no_difference(
        multipart in shards(MULTIPART),
        xml in shards(XML),
        plain in shards(TEXT),
        opening in shards(OPENING),
        room in prop::sample::select(&[9_u64, 40, 1 << 17][..]),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let bounds = Bounds { max_inspect_size: room, ..Bounds::DEFAULT };
        let started = [&b"--b\r\n"[..], &multipart].concat();
        check("multipart/form-data; boundary=b", &bounds, &multipart, &cuts)?;
        check("multipart/form-data; boundary=b", &bounds, &started, &cuts)?;
        check("multipart/mixed; boundary=b", &bounds, &started, &cuts)?;
        check("text/xml", &bounds, &xml, &cuts)?;
        check("text/xml; charset=utf-16", &bounds, &xml, &cuts)?;
        check("text/plain", &bounds, &xml, &cuts)?;
        check("text/plain", &bounds, &plain, &cuts)?;
        check("application/json", &bounds, &plain, &cuts)?;
        check("application/json; charset=shift_jis", &bounds, &plain, &cuts)?;
        check("application/x-www-form-urlencoded", &bounds, &plain, &cuts)?;
        for binary in [&plain, &xml, &opening] {
            check("image/png", &bounds, binary, &cuts)?;
            check("application/grpc", &bounds, binary, &cuts)?;
        }
        for text in spellings(&String::from_utf8_lossy(&opening)) {
            check("image/png", &bounds, &text, &cuts)?;
            check("text/plain", &bounds, &text, &cuts)?;
            check("application/json", &bounds, &text, &cuts)?;
            check("application/x-www-form-urlencoded", &bounds, &text, &cuts)?;
        }
    }
}
