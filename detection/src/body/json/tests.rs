//! The reader against a reference parser, and against itself in pieces.
#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;

use super::*;

/// Keeps everything that it receives.
#[derive(Debug, Default, PartialEq, Eq)]
struct Collected {
    fields: Vec<(Place, String, Vec<u8>)>,
    violations: Vec<Leaf>,
}

impl Sink for Collected {
    fn field(&mut self, place: Place, name: &[u8], value: &[u8]) {
        self.fields.push((place, String::from_utf8_lossy(name).into_owned(), value.to_vec()));
    }

    fn argument(&mut self, _: Place, _: Place, _: &[u8]) {}

    fn argument_name(&mut self, _: Place, _: &[u8]) {}

    fn violation(&mut self, leaf: Leaf, _: &'static str) {
        self.violations.push(leaf);
    }

    fn is_over(&self) -> bool {
        false
    }
}

/// The fields, and `Err` with the fault and the bytes after it when the document is not JSON.
fn read(chunks: &[&[u8]], completeness: Completeness) -> (Collected, Result<(), (&'static str, usize)>) {
    let mut json = Json::default();
    json.limits(20, 1000);
    let mut sink = Collected::default();
    let mut left: usize = chunks.iter().map(|chunk| chunk.len()).sum();
    for chunk in chunks {
        left -= chunk.len();
        if let Err(rest) = json.feed(chunk, &mut sink) {
            return (sink, Err((json.fault(), left + rest)));
        }
    }
    let end = json.finish(completeness, &mut sink).map_err(|fault| (fault.reason, 0));
    (sink, end)
}

fn fields(document: &str) -> Vec<(Place, String, String)> {
    let (sink, end) = read(&[document.as_bytes()], Completeness::Whole);
    assert_eq!(end, Ok(()), "{document}");
    sink.fields
        .into_iter()
        .map(|(place, name, value)| (place, name, String::from_utf8(value).unwrap()))
        .collect()
}

#[test]
fn fields_carry_their_path() {
    let all = fields(
        r#"{"user": {"name": "Ann", "tags": ["a", {"b": "c"}, "d"]}, "n": 12, "x\u0041": "\ud83d\ude00\n"}"#,
    );
    let expected = [
        (Place::JsonKey, "", "user"),
        (Place::JsonKey, "user", "name"),
        (Place::Json, "user.name", "Ann"),
        (Place::JsonKey, "user", "tags"),
        (Place::Json, "user.tags", "a"),
        (Place::JsonKey, "user.tags", "b"),
        (Place::Json, "user.tags.b", "c"),
        (Place::Json, "user.tags", "d"),
        (Place::JsonKey, "", "n"),
        (Place::JsonKey, "", "xA"),
        (Place::Json, "xA", "😀\n"),
    ];
    let expected: Vec<_> = expected.map(|(p, n, v)| (p, n.to_owned(), v.to_owned())).into();
    assert_eq!(all, expected);
}

#[test]
fn what_backends_read_differently_is_a_fault() {
    for document in [
        &b"{\"a\":1,\"a\":2}"[..],
        b"{\"a\":1,\"\\u0061\":2}",
        b"\"\\ud83d\"",
        b"\"\\ud83d x\"",
        b"\"\\udc00\"",
        b"\xef\xbb\xbf{}",
        b"\xef\xbb{}",
        b"\xef\xbb",
        b"\xef\xbb\xbf\xef\xbb\xbf{}",
        b"\"\xff\"",
        b"{} {}",
        b"[1,]",
        b"{\"a\":1,}",
        b"{'a':1}",
        b"[NaN]",
        b"[01]",
        b"\"a\nb\"",
        b"[1",
        b"\"abc",
        b"]",
        b"[}",
        b" ",
        b"{\"a\"}",
    ] {
        let (sink, end) = read(&[document], Completeness::Whole);
        let reported = sink.violations.contains(&Leaf::HttpComplianceMalformedBody);
        assert!(end.is_err() || reported, "{}", String::from_utf8_lossy(document));
    }
    assert_eq!(read(&[], Completeness::Whole).1, Ok(()));
}

#[test]
fn values_behind_equal_keys_and_a_mark_are_fields() {
    for (document, expected) in [
        (&b"{\"a\":\"one\",\"a\":\"two\",\"b\":\"\\u0041\"}"[..], &["one", "two", "A"][..]),
        (b"{\"o\":{\"a\":1,\"a\":2},\"b\":\"\\u0041\"}", &["A"]),
        (b"[{\"a\":1,\"\\u0061\":\"x\"},\"\\u0041\"]", &["x", "A"]),
        (b"\xef\xbb\xbf{\"b\":\"\\u0041\"}", &["A"]),
        (b"\xef\xbb\xbf \n[\"\\u0041\"]", &["A"]),
    ] {
        let (sink, end) = read(&[document], Completeness::Whole);
        let values = sink.fields.iter().filter(|(place, ..)| *place == Place::Json);
        let values: Vec<&str> = values.map(|(.., value)| std::str::from_utf8(value).unwrap()).collect();
        assert_eq!((values.as_slice(), end), (expected, Ok(())));
        assert_eq!(sink.violations, [Leaf::HttpComplianceMalformedBody]);
    }
}

#[test]
fn the_same_key_in_two_objects_is_fine() {
    assert_eq!(fields(r#"[{"a":1},{"a":{"a":2}}]"#).len(), 3);
}

#[test]
fn limits_are_reported_once_they_are_passed() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(read(&[nested(20).as_bytes()], Completeness::Whole).0.violations.is_empty());
    assert_eq!(read(&[nested(21).as_bytes()], Completeness::Whole).0.violations, [Leaf::JsonParsingMaxDepth]);
    assert!(read(&[nested(20_000).as_bytes()], Completeness::Whole).1.is_err());
    let wide = |keys: usize| {
        let keys: Vec<String> = (0..keys).map(|n| format!("\"k{n}\":0")).collect();
        format!("{{{}}}", keys.join(","))
    };
    assert!(read(&[wide(1000).as_bytes()], Completeness::Whole).0.violations.is_empty());
    assert_eq!(read(&[wide(1001).as_bytes()], Completeness::Whole).0.violations, [Leaf::JsonParsingMaxKeys]);
}

#[test]
fn a_prefix_is_judged_as_far_as_it_goes() {
    let (sink, end) = read(&[br#"{"a": "b", "c": "half a val"#], Completeness::CutOff);
    assert_eq!(end, Ok(()));
    assert_eq!(sink.fields.last().unwrap().2, b"half a val");
}

/// The strings of a document as the reference sees them, keys included, numbers left out.
fn strings(value: &serde_json::Value, out: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) => out.push(text.clone()),
        serde_json::Value::Array(items) => items.iter().for_each(|item| strings(item, out)),
        serde_json::Value::Object(members) => {
            for (key, member) in members {
                out.push(key.clone());
                strings(member, out);
            }
        }
        _ => {}
    }
}

fn documents() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        "\\PC{0,12}".prop_map(Into::into),
        "[a-z\"\\\\\n\u{1F600}]{0,6}".prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            prop::collection::vec(("[a-z\u{e9}\"]{0,4}", inner), 0..6)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Near-JSON: a document with a few bytes replaced, taken out or put in.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let marks: &'static [u8] = b"{}[]\",:\\ u0e-+.1dDtn\n\x00\xff\xc3";
    (
        documents(),
        prop::collection::vec((any::<prop::sample::Index>(), 0..3_u8, prop::sample::select(marks)), 0..4),
    )
        .prop_map(|(document, edits)| {
            let mut bytes = document.to_string().into_bytes();
            for (at, edit, byte) in edits {
                let at = at.index(bytes.len().max(1));
                match edit {
                    0 if at < bytes.len() => bytes[at] = byte,
                    1 if at < bytes.len() => drop(bytes.remove(at)),
                    _ => bytes.insert(at.min(bytes.len()), byte),
                }
            }
            bytes
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_agrees_with_the_reference(bytes in damaged()) {
        let (sink, end) = read(&[&bytes], Completeness::Whole);
        match (serde_json::from_slice::<serde_json::Value>(&bytes), end) {
            (Ok(value), Ok(())) => {
                // The reference takes the last of two equal keys.
                prop_assume!(sink.violations.is_empty());
                let mut expected = Vec::new();
                strings(&value, &mut expected);
                expected.sort();
                let mut found: Vec<String> = sink
                    .fields
                    .into_iter()
                    .map(|(_, _, value)| String::from_utf8(value).unwrap())
                    .filter(|text| text.parse::<f64>().is_err() || expected.binary_search(text).is_ok())
                    .collect();
                found.sort();
                prop_assert_eq!(found, expected);
            }
            (Err(_), Err(_)) => {}
            (Ok(_), Err((fault, _))) => prop_assert!(false, "{fault}"),
            // The reference calls numbers beyond f64 an error, and a byte order mark.
            (Err(error), Ok(())) => {
                let is_marked = bytes.starts_with(b"\xef\xbb\xbf");
                prop_assert!(bytes.is_empty() || is_marked || error.to_string().contains("out of range"), "{error}");
            }
        }
    }

    #[test]
    fn chunks_make_no_difference(bytes in damaged(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8)) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let chunks: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        for cut in [Completeness::Whole, Completeness::CutOff] {
            prop_assert_eq!(read(&[&bytes], cut), read(&chunks, cut));
        }
    }
}
