//! Views of values, by the codings that they were written in.

use ::base64::Engine as _;
use ::base64::engine::general_purpose::STANDARD;

use super::*;

fn views(place: Place, raw: &[u8]) -> Vec<(View, Vec<u8>)> {
    let mut views = Views::default();
    views.derive(place, classes::of(raw), raw);
    views.iter().map(|(view, _, bytes)| (view, bytes.to_vec())).collect()
}

fn holds(place: Place, raw: &str, view: View, expected: &str) {
    let all = views(place, raw.as_bytes());
    assert!(all.iter().any(|(v, bytes)| *v == view && bytes == expected.as_bytes()), "{raw}: {all:?}");
}

#[test]
fn each_decoding_gives_its_view() {
    holds(Place::Query, "a+b%3c", View::Percent, "a b<");
    holds(Place::Json, "%253c", View::PercentNested, "<");
    holds(Place::Json, "&lt;b", View::Entities, "<b");
    holds(Place::Json, r"\x3cb", View::Escapes, "<b");
    holds(Place::Query, "%c0%ae%c0%af", View::Combined, "./");
    holds(Place::Query, "PHN2ZyBvbmxvYWQ9YWxlcnQoMSk-", View::Base64, "<svg onload=alert(1)>");
    holds(Place::Json, "id=7&data=PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+", View::Base64, "<svg onload=alert(1)>");
    holds(Place::Json, "+ADw-script+AD4-", View::Unicode, "<script>");
    holds(
        Place::Json,
        "data:text/html;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+",
        View::Base64,
        "<svg onload=alert(1)>",
    );
}

#[test]
fn decodings_combine_in_any_order() {
    holds(Place::Json, "%24&lcub;\\u006A&#110;di", View::Combined, "${jndi");
    holds(Place::Json, "&#37;3cscript", View::Combined, "<script");
    holds(Place::Query, "%26%2360%3B", View::Combined, "<");
    holds(Place::Query, "%5Cu003c%26gt%3B", View::Combined, "<>");
    // `XHUwMDc3aGlsZSh0cnVlKTs=` is `\u0077hile(true);`.
    holds(Place::Query, "XHUwMDc3aGlsZSh0cnVlKTs=", View::Combined, "while(true);");
    holds(Place::Cookie, "\\u0058HUwMDc3aGlsZSh0cnVlKTs=", View::Combined, "\\u0077hile(true);");
    holds(Place::Json, "WEhVd01EYzNhR2xzWlNoMGNuVmxLVHM9", View::Combined, "\\u0077hile(true);");
}

#[test]
fn base64_is_looked_into() {
    let nested = "UEhOMlp5QnZibXh2WVdROVlXeGxjblFvTVNrKw==";
    holds(Place::Json, nested, View::Combined, "<svg onload=alert(1)>");
    holds(
        Place::Query,
        "UEhOMlp5QnZibXh2WVdROVlXeGxjblFvTVNrKw%3D%3D",
        View::Combined,
        "<svg onload=alert(1)>",
    );
    holds(Place::Json, "Jmx0O3NjcmlwdCZndDs=", View::Combined, "<script>");
    holds(Place::Json, "JTNjc2NyaXB0JTNl", View::Combined, "<script>");
    holds(Place::Query, "YTw+Pj8/YTw+Pj8/YQ%3D%3D", View::Base64, "a<>>??a<>>??a");
}

#[test]
fn plain_values_have_no_views() {
    for raw in ["hello world", "2024-06-10T08:00:00Z", "user@example.org", "Grüße", "a-b_c.d", "R&D"] {
        assert!(views(Place::Query, raw.as_bytes()).is_empty(), "{raw}");
    }
}

#[test]
fn hostile_values_stay_within_the_bounds() {
    let raw = r"%2525253c&amp;amp;lt;\\\\x5c\x5cx3c＜%c0%af".repeat(4000);
    let all = views(Place::Query, raw.as_bytes());
    let bytes: usize = all.iter().map(|(_, bytes)| bytes.len()).sum();
    assert!(all.len() <= VIEWS_MAX && bytes <= VIEW_BYTES_BASE + VIEW_BYTES_FACTOR * raw.len());
}

/// Checks that one view of `raw` is `expected`.
fn reads(place: Place, raw: &str, expected: &str) {
    let all = views(place, raw.as_bytes());
    assert!(all.iter().any(|(_, bytes)| bytes == expected.as_bytes()), "{raw}: {all:?}");
}

/// `text` with each of `marks` coded `depth` times by `code`.
fn coded(text: &str, depth: usize, code: impl Fn(&str) -> String) -> String {
    (0..depth).fold(text.to_owned(), |text, _| code(&text))
}

fn percent(text: &str) -> String {
    text.replace('%', "%25").replace('<', "%3C").replace('\'', "%27")
}

fn entity(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('%', "&#37;").replace('\\', "&bsol;")
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\x5c").replace('<', "\\u003c").replace('%', "\\x25").replace('&', "\\x26")
}

#[test]
fn every_depth_of_percent_coding_is_read() {
    for depth in 1..=40 {
        reads(Place::Query, &coded("<b>'", depth, percent), "<b>'");
        reads(Place::Json, &coded("x='<b", depth, percent), "x='<b");
        // The level before the last is read too, where the last one decodes what was meant as it stands.
        if depth <= 12 {
            reads(Place::Query, &coded("<b>%2f*'", depth, percent), "<b>%2f*'");
        }
    }
}

#[test]
fn codings_in_turns_are_read_or_reported() {
    let turns: [&[fn(&str) -> String]; 5] = [
        &[percent, entity],
        &[entity, escape],
        &[escape, percent],
        &[percent, entity, escape],
        &[entity, entity, percent, percent, escape],
    ];
    for codes in turns {
        let mut text = "<b>x".to_owned();
        for round in 0..30 {
            for code in codes {
                text = code(&text);
            }
            let mut all = Views::default();
            all.derive(Place::Query, classes::of(text.as_bytes()), text.as_bytes());
            let is_read = all.iter().any(|(_, _, bytes)| bytes == b"<b>x");
            assert!(is_read || all.is_unsettled(), "round {round}: {text}");
            assert!(is_read || round >= 5, "round {round}: {text}");
            if text.len() > 64 << 10 {
                break;
            }
        }
    }
}

#[test]
fn base64_of_base64_is_read_or_reported() {
    for raw in [
        "UEhOMlp5QnZibXh2WVdROVlXeGxjblFvTVNrKw==",
        "VlVWb1QwMXNjRFZSYmxwcFlsaG9NbGRXWkZKUFZteFlaVWQ0YW1Kc1JuWlVWazV5UzNjOVBRPT0=",
        "UEhOMlp5QnZibXh2WVdROVlXeGxjblFvTVNrKw%3D%3D",
        "VUVoT01scDVRblppYlhoMldWZFJPVmxYZUd4amJsRnZUVk5yS3clM0QlM0Q%3D",
        "ZGF0YT1QSE4yWnlCdmJteHZZV1E5WVd4bGNuUW9NU2sr",
        "ZGF0YT1aR0YwWVQxUVNFNHlXbmxDZG1KdGVIWlpWMUU1V1ZkNGJHTnVVVzlOVTJzcg==",
        "U2xST1JHTXpXbTVKUnpsMVlrYzVhRnBEVlhwU1IwWnpXbGhLTUV0RVJYQlFaeVV6UkNVelJBPT0=",
    ] {
        reads(Place::Json, raw, "<svg onload=alert(1)>");
    }
    let mut deep = "<b>bold words</b>".to_owned();
    for _ in 0..14 {
        deep = STANDARD.encode(deep);
    }
    let mut all = Views::default();
    all.derive(Place::Json, classes::of(deep.as_bytes()), deep.as_bytes());
    assert!(all.is_unsettled());
}

#[test]
fn honest_values_are_settled() {
    for raw in [
        "/login?next=%2Flogin%3Fnext%3D%252Flogin%253Fnext%253D%25252Fhome",
        "Fish &amp;amp;amp;amp;amp;amp;amp;amp;amp;amp;amp;amp;amp;amp;amp;amp;amp; chips",
        r#"{"a":"{\"b\":\"{\\\"c\\\":\\\"\\\\n\\\"}\"}"}"#,
        r"C:\\\\\\\\server\\\\share",
        "100%25 &amp; more",
    ] {
        let mut all = Views::default();
        all.derive(Place::Query, classes::of(raw.as_bytes()), raw.as_bytes());
        assert!(!all.is_unsettled(), "{raw}");
    }
}
