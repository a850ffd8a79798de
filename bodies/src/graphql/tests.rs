//! Documents and what they ask for.

use super::*;

fn outline(text: &str) -> (u64, u64, u64, u64) {
    let document = read(text.as_bytes()).unwrap_or_else(|| panic!("{text} is a document"));
    let Outline { depth, fields, aliases, directives, .. } = document.outline;
    (depth, fields, aliases, directives)
}

#[test]
fn documents_are_measured() {
    for (text, expected) in [
        ("{a}", (1, 1, 0, 0)),
        ("query { a { b c } }", (2, 3, 0, 0)),
        ("query Q($id: ID! = \"x\", $l: [Int!]) @live { a(id: $id) }", (2, 1, 0, 1)),
        ("{ x: a y: a @skip(if: true) }", (2, 2, 2, 1)),
        ("{ a(where: {or: [{b: 1}, {c: {d: \"t\"}}]}) { e } }", (6, 2, 0, 0)),
        ("mutation { add(input: {on: true, name: \"x\"}) { on } }", (3, 2, 0, 0)),
        ("{ ... on User { id } ... @include(if: $x) { name } }", (2, 2, 0, 1)),
        ("{ ...A } fragment A on T { x: b { c } }", (2, 2, 1, 0)),
        ("{ a { ...A ...A } } fragment A on T { ...B ...B } fragment B on T { f }", (2, 5, 0, 0)),
        ("query A { a } query B { b }", (1, 2, 0, 0)),
        ("subscription S { s }", (1, 1, 0, 0)),
        ("\u{feff}# comment\n{ a, b,, c }", (1, 3, 0, 0)),
    ] {
        assert_eq!(outline(text), expected, "{text}");
    }
}

#[test]
fn fragments_that_multiply_or_go_in_circles_are_seen() {
    let fragment = |level: u32| format!(" fragment F{level} on T {{ ...F{0} ...F{0} }}", level + 1);
    let mut text = "{ ...F0 }".to_owned() + &(0..40).map(fragment).collect::<Vec<_>>().concat();
    text.push_str(" fragment F40 on T { f }");
    assert_eq!(outline(&text).1, 1 << 40);
    for circle in [
        "{ ...A } fragment A on T { b { ...A } }",
        "{a} fragment A on T {a ...B} fragment B on T {b { ...A }}",
    ] {
        assert_eq!(outline(circle).0, u64::MAX, "{circle}");
    }
    let many = "query Q { a } ".repeat(1_000);
    assert_eq!(outline(&many).1, u64::MAX);
}

#[test]
fn texts_have_the_names_of_their_arguments() {
    let text = r#"
        # a comment " with a quote
        query ($x: String = "default") {
          user(name: "a \" b", tags: ["t", """block "quoted" \""" text"""]) { id }
        }"#;
    let document = read(text.as_bytes()).expect("a document");
    let texts: Vec<(&[u8], &[u8], TextKind)> =
        document.texts.iter().map(|text| (text.name, text.raw, text.kind)).collect();
    assert_eq!(
        texts,
        [
            (&b""[..], &b" a comment \" with a quote"[..], TextKind::Comment),
            (b"x", b"default", TextKind::Quoted),
            (b"name", b"a \\\" b", TextKind::Quoted),
            (b"tags", b"t", TextKind::Quoted),
            (b"tags", br#"block "quoted" \""" text"#, TextKind::Block),
        ]
    );
}

#[test]
fn introspection_is_seen() {
    for (text, expected) in [
        ("{ __schema { types { name } } }", true),
        ("query { x: __type(name: \"A\") { name } }", true),
        ("{ a { __typename } }", false),
        ("{ a(name: \"__schema\") }", false),
    ] {
        let found = read(text.as_bytes()).map(|document| document.outline.is_introspection);
        assert_eq!(found, Some(expected), "{text}");
    }
}

#[test]
fn other_texts_are_no_documents() {
    for text in [
        "",
        "select",
        "{",
        "{a",
        "{a}}",
        "{a)",
        "query",
        "query select",
        "query { a } drop",
        "query { a; b }",
        "{ a' or 1=1 }",
        "{ a -- b }",
        "{ a(b: \"c) }",
        "{\"a\": 1}",
        "{ \"a\" }",
        "{ 1 }",
        "{ a(b: \"c\nd\") }",
        "{ a | b }",
        "{ a $b }",
        "{ a = b }",
        "{a: 1}",
        "{cat,/etc/passwd}",
        "{{7*7}}",
        "type A { b: C }",
        "{ a(b: 1x) }",
        "() { a }",
    ] {
        assert!(read(text.as_bytes()).is_none(), "{text}");
    }
}

#[test]
fn documents_are_known_by_their_beginning() {
    for text in ["query A", " mutation{", "# c\nsubscription", "fragment", "{ a"] {
        assert!(begins(text.as_bytes()), "{text}");
    }
    for text in ["", "queries", "select", "\"a\"", "'"] {
        assert!(!begins(text.as_bytes()), "{text}");
    }
}
