//! Contents of files: markup that is read, source text that passes, programs that do not.
#![allow(clippy::unwrap_used, reason = "tests")]

use super::{KIND, RUNS, field, file, refused};
use crate::body::tests::{read, values};
use crate::field::Place;
use waf_shared::catalog::Leaf;

#[test]
fn markup_in_files_is_read_and_other_contents_are_not() {
    let contents = |file_name: &str, media_type: &str, content: &[u8]| {
        let mut body = format!(
            "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"{file_name}\"\r\nContent-Type: {media_type}\r\n\r\n"
        )
        .into_bytes();
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n--b--\r\n");
        let said = read(KIND, &body);
        values(&said, Place::File).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>x()</script></svg>";
    for (file_name, media_type) in [
        ("a.svg", "image/svg+xml"),
        ("a.svg", "application/octet-stream"),
        ("a", ""),
        ("a.png", "image/png"),
        ("a.txt", "text/plain"),
    ] {
        assert_eq!(contents(file_name, media_type, svg.as_bytes()), [svg], "{file_name} {media_type}");
    }
    let utf16: Vec<u8> = svg.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(contents("a.svg", "image/svg+xml", &utf16), [svg]);
    // The name or the type alone make a browser read it.
    assert_eq!(contents("a.html", "application/octet-stream", b"Hello <b>"), ["Hello <b>"]);
    assert_eq!(contents("a", "text/html", b"Hello <b>"), ["Hello <b>"]);
    for (file_name, media_type, content) in [
        ("a.txt", "text/plain", &b"Hello <script>"[..]),
        ("a.csv", "text/csv", b"a,<b>"),
        ("a.png", "image/png", b"\x89PNG\r\n\x1a\n<svg>"),
        ("a.json", "application/json", b"{\"a\":\"<svg>\"}"),
    ] {
        assert_eq!(contents(file_name, media_type, content), [""; 0], "{file_name}");
    }
    let long = format!("<svg>{}</svg>", "<path d=\"M0 0\"/>".repeat(100));
    assert_eq!(contents("a.svg", "image/svg+xml", long.as_bytes()), [long.as_str()]);
    // The fields behind a file of markup are judged in full.
    let parts = [file("a.svg", "image/svg+xml", &long), field("b", "text")];
    let said = read(KIND, format!("{}--b--\r\n", parts.concat()).as_bytes());
    assert_eq!(values(&said, Place::Part), ["text"]);
}

#[test]
fn external_and_exploding_entities_in_files_are_violations() {
    let bomb = format!("<!DOCTYPE svg [{}]><svg>&e;</svg>", "<!ENTITY e \"x\">".repeat(2_000));
    assert_eq!(refused(&[file("a.svg", "image/svg+xml", &bomb)]), [Leaf::XmlParsingEntityExpansion]);
}

#[test]
fn source_text_is_no_program() {
    for (file_name, media_type, content) in [
        ("run.sh", "application/x-sh", "#!/bin/sh\nls\n"),
        ("run.sh", "text/plain", "#!/bin/sh\nls\n"),
        ("notes.txt", "text/plain", "<?php echo 1; ?>"),
        ("page.erb", "application/octet-stream", "<%= title %>"),
        ("tool.py", "text/x-python", "#!/usr/bin/env python3\n"),
    ] {
        assert_eq!(refused(&[file(file_name, media_type, content)]), [], "{file_name}");
    }
    for (file_name, media_type, content) in [
        ("a.png", "", "<% out.println(1); %>"),
        ("a.jpg", "application/octet-stream", "<%! int a; %>"),
        ("a.mvg", "application/octet-stream", "push graphic-context\nviewbox 0 0 1 1"),
        ("a.php.txt", "application/octet-stream", "<?php echo 1; ?>"),
        ("a", "", "#!/bin/sh\nls\n"),
        ("a.html", "text/html", "<?php echo 1; ?>"),
    ] {
        assert!(refused(&[file(file_name, media_type, content)]).contains(&RUNS), "{file_name}");
    }
}
