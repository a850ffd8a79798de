//! Bodies under binary types: text is read as what it shows, files pass by.

use super::{Said, leaves, read, spellings, values};
use crate::body::tests::Collected;
use crate::body::{Body, Completeness};
use crate::bounds::Bounds;
use crate::field::Place;
use waf_shared::catalog::Leaf;

/// Media types that promise something else than text.
const BINARY: &[&str] = &[
    "image/png",
    "font/x",
    "application/octet-stream",
    "application/octet-stream; charset=binary",
    "application/grpc",
    "application/grpc-web-text",
    "application/x-protobuf",
    "application/vnd.ms-excel",
    "application/epub+zip",
    "video/mp4;codecs=\"a,b\"",
];

#[test]
fn text_under_a_binary_type_is_read_as_what_it_shows() {
    for kind in BINARY {
        for (body, place, value) in [
            ("{\"user\":\"A\"}", Place::Json, "A"),
            (" \r\n [[1, {\"user\" : \"\\u0041\"}]]", Place::Json, "A"),
            ("\"A\"", Place::Json, "A"),
            ("{\"a\":1}\n{\"user\":\"A\"}\n", Place::Json, "A"),
            ("{'user':'A'}", Place::Body, "'user':'A'}"),
            ("{\"x\":1, /* no JSON */ \"user\":\"A\"}", Place::Body, "/* no JSON */ \"user\":\"A\"}"),
            ("<user>&#65;</user>", Place::Xml, "A"),
            ("<?xml version='1.0'?><user name='A'/>", Place::Xml, "A"),
            ("<p>A<br>", Place::Body, "<p>A<br>"),
            ("<?php echo 'A';", Place::Body, "<?php echo 'A';"),
            ("#!/bin/sh\nA", Place::Body, "#!/bin/sh\nA"),
        ] {
            for bytes in spellings(body) {
                let said = read(kind, &bytes);
                let found = values(&said, place).iter().any(|found| found.contains(value));
                assert!(found, "{kind} {}: {said:?}", bytes.escape_ascii());
            }
        }
        for body in ["x=1&id=A", "&id=A&", "\nx&id=A", "?id=A"] {
            for bytes in spellings(body) {
                let said = read(kind, &bytes);
                let found =
                    said.iter().any(|one| matches!(one, Said::Argument(pair) if pair.ends_with("id=A")));
                assert!(found, "{kind} {}: {said:?}", bytes.escape_ascii());
            }
        }
        for body in ["{}&id=A", "[0]=x&id=A", "\"x\"&id=A"] {
            let said = read(kind, body.as_bytes());
            assert!(values(&said, Place::Body).iter().any(|text| text.ends_with("&id=A")), "{said:?}");
        }
        // A script is that whatever its file is called.
        assert!(leaves(&read(kind, b"#!/bin/sh\nid")).contains(&Leaf::FileUploadLimitsExecutable), "{kind}");
        assert!(
            leaves(&read(kind, b"GIF89a<?php id();")).contains(&Leaf::FileUploadLimitsExecutable),
            "{kind}"
        );
    }
}

#[test]
fn files_under_a_binary_type_are_not_read() {
    for body in [
        &b""[..],
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01{\"user\":\"A\"}",
        b"\x89PNG\r\n\x1a\n&id=A&",
        b"\xff\xd8\xff\xe0\0\x10JFIF\0",
        b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj <</Type/Catalog>>",
        b"PK\x03\x04\x14\0\x08\0",
        b"\x1f\x8b\x08\0\0\0\0\0\0\xff",
        b"\0asm\x01\0\0\0",
        b"\x7fELF\x02\x01\x01\0",
        b"SQLite format 3\0\x10\0",
        b"\0\0\0\x20ftypisom\0\0\x02\0",
        b"wOF2\0\x01\0\0",
        b"./\0\0\0\0\0\0\0\0\0\0\0\x000040755",
        b"\x0a\x05alice\x12\x0ba@b.example",
        b"\x0a\x22{the text of a message of protobuf}\x12\0",
        b"\x82\xa4user\xa5alice",
        b"\xa1duserealice",
        b"\0\0\0\0\x07\x0a\x05alice",
        b"# Notes\n\nRun `cat /etc/passwd | sh`, then <b>wait</b>: a=1&b=2\n",
        b"name,query\nA,\"select * from users where id=1 or 1=1\"\n",
        b"import os\nos.system('id')\n",
        b"0032want 0a53e9ddeaddad63ad106860237bbf53411d11a7\n0000",
        b"AAAAAAYKBG5hbWUx",
        b"\xc4\xe3\xba\xc3",
        b"\x93\xfa\x96{\x8c\xea",
        "日本語のメモ".as_bytes(),
    ] {
        for kind in BINARY {
            assert_eq!(read(kind, body), [], "{kind} {}", body.escape_ascii());
            let mut parsers = Body::default();
            parsers.start(kind.as_bytes(), &Bounds::DEFAULT, &mut Collected::default());
            assert!(parsers.is_read());
            parsers.feed(body, &mut Collected::default());
            parsers.finish(Completeness::Whole, &mut Collected::default());
            assert_eq!((parsers.is_read(), parsers.uninspected()), (false, 0), "{kind}");
        }
    }
}

/// Parts of multipart bodies that are not forms are known by their types alone.
#[test]
fn parts_without_a_name_are_read_as_what_they_show() {
    let read_part = |kind: &str, content: &[u8]| {
        let head = format!("--b\r\nContent-Type: {kind}\r\n\r\n");
        read("multipart/related; boundary=b", &[head.as_bytes(), content, b"\r\n--b--\r\n"].concat())
    };
    for kind in BINARY {
        for bytes in spellings("{\"user\":\"\\u0041\"}") {
            let said = read_part(kind, &bytes);
            assert!(values(&said, Place::Json).contains(&"A"), "{kind} {}: {said:?}", bytes.escape_ascii());
        }
        for (content, place) in
            [("<user>A</user>", Place::Xml), ("<p>A<br>", Place::Body), ("#!/bin/sh\nA", Place::Body)]
        {
            assert!(!values(&read_part(kind, content.as_bytes()), place).is_empty(), "{kind} {content}");
        }
        assert!(read_part(kind, b"id=A").contains(&Said::Argument("id=A".into())), "{kind}");
        for file in [&b"\x89PNG\r\n\x1a\n&id=A&"[..], b"# Notes: a=1&b=2\n", b"\x0a\x05alice", b""] {
            let said = read_part(kind, file);
            let is_content = |one: &Said| match one {
                Said::Field(place, ..) => *place != Place::PartHeader,
                Said::Argument(_) => true,
                Said::Name(_) | Said::Violation(..) => false,
            };
            assert!(!said.iter().any(is_content), "{kind}: {said:?}");
        }
    }
}

/// Readers of mail take any part whose disposition has a name for a field.
#[test]
fn parts_with_the_name_of_a_field_are_fields() {
    let read_part = |disposition: &str, kind: &str, content: &[u8]| {
        let head = format!("--b\r\nContent-Disposition: {disposition}\r\nContent-Type: {kind}\r\n\r\n");
        read("multipart/mixed; boundary=b", &[head.as_bytes(), content, b"\r\n--b--\r\n"].concat())
    };
    let dispositions = [
        "form-data; name=\"e\"",
        "a;name=e",
        "inline; name=e",
        "attachment; x=y; name=e",
        "FORM-DATA;NAME=e",
    ];
    for disposition in dispositions {
        for kind in BINARY {
            let said = read_part(disposition, kind, b"1' or 'A'='A");
            assert_eq!(values(&said, Place::Part), ["1' or 'A'='A"], "{disposition} {kind}: {said:?}");
            let said = read_part(disposition, kind, b"\0A");
            assert!(!values(&said, Place::Part).is_empty(), "{disposition} {kind}: {said:?}");
            // With a file's name it is a file.
            let said = read_part(&format!("{disposition}; filename=n.bin"), kind, b"1' or 'A'='A");
            assert!(values(&said, Place::Part).is_empty(), "{disposition} {kind}: {said:?}");
        }
    }
}
