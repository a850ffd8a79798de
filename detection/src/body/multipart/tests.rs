//! Multipart bodies: the known ways to make two readers see different parts, and what honest clients send.
#![allow(clippy::unwrap_used, reason = "tests")]

use crate::body::sink::Progress;
use crate::body::tests::{Collected, Said, leaves, read, read_with, values};
use crate::body::{Body, Completeness};
use crate::bounds::{Bounds, Files};
use crate::field::Place;
use waf_shared::catalog::Leaf;

mod contents;
mod readers;

const BOUNDARIES: Leaf = Leaf::HttpComplianceMultipartBoundaries;
const TRICKS: Leaf = Leaf::FileUploadAttacksHeaderTricks;
const TYPE_TRICK: Leaf = Leaf::FileUploadAttacksContentTypeTrick;
const TYPES: Leaf = Leaf::FileUploadLimitsAllowedTypes;
const RUNS: Leaf = Leaf::FileUploadLimitsExecutable;

const KIND: &str = "multipart/form-data; boundary=b";

/// A part with this head, without its last line break, and this content.
fn part(head: &str, content: &str) -> String {
    format!("--b\r\n{head}\r\n\r\n{content}\r\n")
}

fn field(name: &str, content: &str) -> String {
    part(&format!("Content-Disposition: form-data; name=\"{name}\""), content)
}

fn file(file_name: &str, media_type: &str, content: &str) -> String {
    let head = format!(
        "Content-Disposition: form-data; name=\"f\"; filename=\"{file_name}\"\r\nContent-Type: {media_type}"
    );
    part(&head, content)
}

fn refused(parts: &[String]) -> Vec<Leaf> {
    leaves(&read(KIND, format!("{}--b--\r\n", parts.concat()).as_bytes()))
}

#[test]
fn fields_and_files_are_told_apart() {
    let body =
        [field("a", "one\r\ntwo"), file("p.png", "image/png", "file content"), field("b", "")].concat();
    let said = read(KIND, format!("{body}--b--\r\n").as_bytes());
    let expected = [
        Said::Name("a".into()),
        Said::Field(Place::Part, "a".into(), "one\r\ntwo".into()),
        Said::Name("f".into()),
        Said::Field(Place::FileName, "f".into(), "p.png".into()),
        Said::Name("b".into()),
    ];
    assert_eq!(said, expected);
}

#[test]
fn honest_bodies_pass() {
    for body in [
        format!("{}--b--", field("a", "x")),
        // What browsers send for a form without a value, and for one with a file input left empty.
        "--b--\r\n".to_owned(),
        String::new(),
        format!(
            "{}--b--\r\n",
            part(
                "Content-Disposition: form-data; name=\"f\"; filename=\"\"\r\nContent-Type: application/octet-stream",
                ""
            )
        ),
        format!("{}--b--\r\n", field("a", "a line\n--c\r\n--\r\n-- b\r\n--")),
        format!("\r\n{}--b--\r\n\r\n", field("a", "x")),
        format!("{}--b--\r\n", field("items[0][name]", "Größe & Co; a=b")),
        format!("{}--b--\r\n", file("Grüße (1).pdf", "application/pdf", "%PDF-1.7")),
        format!(
            "{}--b--\r\n",
            part("Content-Disposition: form-data; name=a; filename=b.txt\r\nContent-Length: 1", "x")
        ),
        format!(
            "{}--b--\r\n",
            part(
                "content-disposition:form-data;name=\"a\"\r\ncontent-type:text/plain;charset=\"UTF-8\"",
                "x"
            )
        ),
        format!(
            "{}--b--\r\n",
            part(
                "Content-Disposition: form-data; name=\"f\"; filename=\"a.txt\"; filename*=utf-8''a.txt",
                "x"
            )
        ),
        format!(
            "{}--b--\r\n",
            part(
                "Content-Disposition: form-data; name=\"f\"; filename=\"=?utf-8?B?w6QudHh0?=\"; filename*=utf-8''%C3%A4.txt",
                "x"
            )
        ),
        format!("{}--b--\r\n", part("Content-Disposition: form-data; name=\"caf&eacute;&#233;\"", "x")),
        format!("{}--b--\r\n", field("_charset_", "UTF-8")),
    ] {
        assert_eq!(leaves(&read(KIND, body.as_bytes())), [], "{body}");
    }
}

#[test]
fn parts_of_other_multipart_bodies_pass() {
    let soap = "--b\r\nContent-Type: text/xml\r\nContent-Transfer-Encoding: 8bit\r\nContent-ID: <a>\r\n\r\n<a>x</a>\r\n--b\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: binary\r\n\r\nx <script>\r\n--b--\r\n";
    let said = read("multipart/related; type=\"text/xml\"; boundary=\"b\"", soap.as_bytes());
    assert_eq!(
        (values(&said, Place::Xml), values(&said, Place::Part), leaves(&said)),
        (vec!["x"], vec![], vec![])
    );
}

#[test]
fn boundary_games_are_refused() {
    let good = field("a", "x");
    for body in [
        good.clone(),
        format!("{good}--b-"),
        format!("{good}--b--x"),
        format!("{good}--b--\r\n{good}--b--\r\n"),
        format!("junk\r\n{good}--b--\r\n"),
        good.replace("\r\n", "\n") + "--b--\n",
        format!("{good}--b \r\nContent-Disposition: form-data; name=\"c\"\r\n\r\nx\r\n--b--\r\n"),
        format!("{good}--bb\r\nContent-Disposition: form-data; name=\"c\"\r\n\r\nx\r\n--b--\r\n"),
        format!("{good}--b\nContent-Disposition: form-data; name=\"c\"\r\n\r\nx\r\n--b--\r\n"),
        format!("{}--b--\r\n", field("a", "x\n--b\r\nContent-Disposition: form-data; name=\"c\"\r\n\r\ny")),
        format!("{}--b--\r\n", field("a", "x\r--b--")),
        "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n--b--\r\n".to_owned(),
        "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx".to_owned(),
        format!("--c\r\n{good}--c--\r\n"),
        "x".to_owned(),
    ] {
        assert!(leaves(&read(KIND, body.as_bytes())).contains(&BOUNDARIES), "{body}");
    }
    // What is cut off before it is inspected to its end is not broken.
    assert_eq!(leaves(&read_with(&Bounds::DEFAULT, KIND, &[good.as_bytes()], Completeness::CutOff)), []);
}

#[test]
fn the_type_names_one_boundary() {
    let body = format!("{}--b--\r\n", field("a", "</script>"));
    for kind in [
        "multipart/form-data",
        "multipart/form-data; boundary=c; boundary=b",
        "multipart/form-data; boundary=\"b\\\"\"",
        "multipart/form-data; boundary*=us-ascii''b",
        "multipart/form-data; boundary = b",
        "multipart/form-data, boundary=b",
    ] {
        let said = read(kind, body.as_bytes());
        assert_eq!(leaves(&said), [BOUNDARIES], "{kind}");
        assert!(
            values(&said, Place::Body).concat().contains("</script>"),
            "{kind}: what cannot be parted is text"
        );
    }
    assert_eq!(leaves(&read("multipart/form-data; charset=utf-8; boundary=\"b\"", body.as_bytes())), []);
}

/// Heads of parts, and the protection that refuses each.
const HEADS: &[(&str, Leaf)] = &[
    ("Content-Type: text/plain", TRICKS),
    ("X-Disposition: form-data; name=\"a\"", TRICKS),
    ("Content-Disposition: form-data; name=\"a\"\r\nContent-Disposition: form-data; name=\"b\"", TRICKS),
    (
        "Content-Disposition: form-data; name=\"a\"\r\nContent-Type: text/plain\r\nContent-Type: text/html",
        TRICKS,
    ),
    ("Content-Disposition: form-data", TRICKS),
    ("Content-Disposition: form-data; filename=\"a.txt\"", TRICKS),
    ("Content-Disposition: attachment; name=\"a\"", TRICKS),
    ("Content-Disposition: form-data; name=\"a\"; name=\"b\"", TRICKS),
    ("Content-Disposition: form-data; name=\"a\"; filename=\"b.txt\"; FileName=\"c.txt\"", TRICKS),
    ("Content-Disposition: form-data; name=\"a\"; filename*=utf-8''b.txt", TRICKS),
    ("Content-Disposition: form-data; name=\"a\"; filename=\"a.txt\"; filename*=utf-8''b.txt", TRICKS),
    ("Content-Disposition: form-data; name=\"a\"; filename=\"a.txt\"; filename*=utf-7''a.txt", TRICKS),
    ("Content-Disposition: form-data; name=\"a\"; filename=\"a.txt\"; filename*=a.txt", TRICKS),
    (
        "Content-Disposition: form-data; name=\"a\"; filename=\"=?utf-8?B?eC5waHA=?=\"; filename*=utf-8''a.txt",
        TRICKS,
    ),
    ("Content-Disposition: form-data; name=\"a\"; filename=\"=?utf-8?B?eC5waHA=?=\"", BOUNDARIES),
    ("Content-Disposition: form-data; name=\"a\"; filename*0=\"a\"; filename*1=\".txt\"", TRICKS),
    ("Content-Disposition: form-data; name*=utf-8''a", TRICKS),
    ("Content-Disposition: form-data; name = \"a\"", TRICKS),
    ("Content-Disposition: form-data; name=\"a", TRICKS),
    ("Content-Disposition: form-data; name=a b", TRICKS),
    ("Content-Disposition: form-data name=\"a\"", TRICKS),
    ("Content-Disposition: form-data;\r\n name=\"a\"", TRICKS),
    ("Content-Disposition : form-data; name=\"a\"", TRICKS),
    (" Content-Disposition: form-data; name=\"a\"", TRICKS),
    ("Content\u{7f}-Disposition: form-data; name=\"a\"", TRICKS),
    ("Content-Disposition: form-data; name=\"a\u{1}b\"", TRICKS),
    ("Content-Disposition: form-data; name=\"a\"\nX: y", TRICKS),
    ("Content-Disposition: form-data; name=\"a\"\r\nno header", TRICKS),
    ("Content-Disposition: form-data; name='a'", BOUNDARIES),
    ("Content-Disposition: form-data; name=\"a;b\"", BOUNDARIES),
    ("Content-Disposition: form-data; name=\"a&amp;b;c\"", BOUNDARIES),
    ("Content-Disposition: form-data; name=\"a=b\"", BOUNDARIES),
    ("Content-Disposition: form-data; name=\"a\\\"b\"", BOUNDARIES),
    ("Content-Disposition: form-data; name=\"f\"; filename=\"a=.txt\"", BOUNDARIES),
    ("Content-Disposition: form-data; name=\"a\"\r\nContent-Type: multipart/mixed; boundary=c", BOUNDARIES),
    ("Content-Disposition: form-data; name=\"a\"\r\nContent-Type: text/plain; charset=utf-7", TYPE_TRICK),
    ("Content-Disposition: form-data; name=\"a\"\r\nContent-Type: text/plain; charset = utf-8", TYPE_TRICK),
    (
        "Content-Disposition: form-data; name=\"a\"\r\nContent-Type: text/plain; charset=utf-8; charset=utf-16",
        TYPE_TRICK,
    ),
    ("Content-Disposition: form-data; name=\"a\"\r\nContent-Type: text", TYPE_TRICK),
    ("Content-Disposition: form-data; name=\"a\"\r\nContent-Type: text/plain blah", TYPE_TRICK),
    (
        "Content-Disposition: form-data; name=\"a\"\r\nContent-Transfer-Encoding: base64",
        Leaf::FileUploadAttacksDeprecatedEncoding,
    ),
];

#[test]
fn heads_that_readers_disagree_about_are_refused() {
    for (head, leaf) in HEADS {
        assert!(refused(&[part(head, "x")]).contains(leaf), "{head}");
    }
    let bytes = b"--b\r\nContent-Disposition: form-data; name=\"\xe9\"\r\n\r\nx\r\n--b--\r\n";
    assert_eq!(leaves(&read(KIND, bytes)), [TRICKS]);
    let long = format!("Content-Disposition: form-data; name=\"a\"\r\nX: {}", "y".repeat(10_000));
    assert!(refused(&[part(&long, "x")]).contains(&TRICKS));
    let many = "X: y\r\n".repeat(20) + "Content-Disposition: form-data; name=\"a\"";
    assert!(refused(&[part(&many, "x")]).contains(&TRICKS));
    assert_eq!(refused(&[field("_charset_", "utf-7")]), [Leaf::FileUploadAttacksCharsetTrick]);
    assert_eq!(refused(&[field("_charset_", "Shift_JIS")]), [Leaf::FileUploadAttacksCharsetTrick]);
}

#[test]
fn every_reading_of_a_file_name_is_judged() {
    let names = |disposition: &str| {
        let head = format!("Content-Disposition: form-data; name=\"f\"; {disposition}");
        let said = read(KIND, format!("{}--b--\r\n", part(&head, "x")).as_bytes());
        values(&said, Place::FileName).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(names("filename=\"a.txt\"; filename*=utf-8''%73hell.php"), ["a.txt", "shell.php"]);
    assert_eq!(names("filename*=utf-8''x.php"), ["", "x.php"]);
    assert_eq!(names(r#"filename="shell.p\hp""#), ["shell.php", r"shell.p\hp"]);
    assert_eq!(names("filename=a.txt; filename=b.php"), ["a.txt", "b.php"]);
    assert!(
        refused(&[part(
            "Content-Disposition: form-data; name=\"f\"; filename=\"a.txt\"; filename*=utf-8''x.php",
            "y"
        )])
        .contains(&RUNS)
    );
}

#[test]
fn text_parts_are_read_as_their_type() {
    let head = |kind: &str| format!("Content-Disposition: form-data; name=\"a\"\r\nContent-Type: {kind}");
    let said =
        |kind: &str, content: &str| read(KIND, format!("{}--b--\r\n", part(&head(kind), content)).as_bytes());
    assert_eq!(values(&said("application/json", r#"{"k": "\u0061b"}"#), Place::Json), ["ab"]);
    assert_eq!(values(&said("text/plain", r#"{"k": "\u0061b"}"#), Place::Json), ["ab"]);
    assert_eq!(values(&said("text/xml", "<k>&#97;b</k>"), Place::Xml), ["ab"]);
    assert_eq!(values(&said("image/png", "no file name"), Place::Part), ["no file name"]);
    assert_eq!(
        leaves(&said("application/json", r#"{"k":1,"\u006b":2}"#)),
        [Leaf::HttpComplianceMalformedBody]
    );
    // An empty file name makes a file for some readers and a field for others.
    let empty = part("Content-Disposition: form-data; name=\"f\"; filename=\"\"", "<script>");
    let said = read(KIND, format!("{empty}--b--\r\n").as_bytes());
    assert_eq!(values(&said, Place::Part), ["<script>"]);
}

#[test]
fn files_are_counted_and_measured() {
    let bounds = Bounds {
        files: Files {
            count: 2,
            bytes: 5,
            types: Some(vec!["image/png".to_owned()].into()),
            double_extension: false,
        },
        ..Bounds::DEFAULT
    };
    let said = |parts: &[String]| {
        let body = format!("{}--b--\r\n", parts.concat());
        leaves(&read_with(&bounds, KIND, &[body.as_bytes()], Completeness::Whole))
    };
    let small = file("a.png", "image/png", "12345");
    assert_eq!(said(&[small.clone(), small.clone()]), []);
    assert_eq!(said(&[small.clone(), small.clone(), small.clone()]), [Leaf::FileUploadLimitsMaxFileCount]);
    assert_eq!(said(&[file("a.png", "image/png", "123456")]), [Leaf::FileUploadLimitsMaxFileSize]);
    assert_eq!(said(&[file("a.gif", "image/gif", "x")]), [TYPES]);
    assert_eq!(said(&[file("a.png", "image/png", "%PDF-")]), [TYPES]);
    assert_eq!(said(&[file("a.php.jpg", "image/png", "x")]), []);
    assert_eq!(said(&[field("a", &"x".repeat(100))]), []);
    assert_eq!(refused(&[file("a.php.jpg", "image/jpeg", "x")]), [Leaf::FileUploadLimitsDoubleExtension]);
    assert_eq!(refused(&[file("a.bin", "application/octet-stream", "#!/bin/sh")]), [RUNS]);
}

#[test]
fn only_the_head_of_a_file_is_kept_and_nothing_of_it_counts() {
    let bounds = Bounds {
        max_inspect_size: 200,
        files: Files { bytes: 1 << 30, ..Bounds::DEFAULT.files },
        ..Bounds::DEFAULT
    };
    let (mut body, mut sink) = (Body::default(), Collected::default());
    body.start(KIND.as_bytes(), &bounds, &mut sink);
    body.feed(b"--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f.bin\"\r\n\r\n", &mut sink);
    assert_eq!(body.progress(), Progress::Open);
    body.feed(&[b'x'; 600], &mut sink);
    assert_eq!(body.progress(), Progress::InFile);
    for _ in 0..100 {
        body.feed(&vec![b'\r'; 100_000], &mut sink);
        assert!(body.pending() < 4096, "{}", body.pending());
    }
    assert_eq!((body.progress(), body.uninspected()), (Progress::InFile, 0));
    body.feed(b"\r\n--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n", &mut sink);
    assert_eq!(body.progress(), Progress::Open);
    body.feed(&[b'y'; 200], &mut sink);
    assert_eq!(body.progress(), Progress::Cleared);
    assert!(body.uninspected() > 100);
    body.feed(
        b"\r\n--b\r\nContent-Disposition: form-data; name=\"g\"; filename=\"g.php\"\r\n\r\nx\r\n--b--\r\n",
        &mut sink,
    );
    body.finish(Completeness::Whole, &mut sink);
    // Limits are watched to the end; what lies beyond the room is no field.
    assert_eq!(leaves(&sink.0), [RUNS]);
    assert_eq!(values(&sink.0, Place::FileName), ["f.bin"]);
}

#[test]
fn floods_of_parts_end_at_the_limit_and_in_time() {
    let body = format!("{}--b--\r\n", field("a", "x").repeat(100_000));
    let names = read_with(
        &Bounds { max_inspect_size: 10 << 20, ..Bounds::DEFAULT },
        KIND,
        &[body.as_bytes()],
        Completeness::Whole,
    );
    assert_eq!(names.iter().filter(|said| matches!(said, Said::Name(_))).count(), 100_000);
    let tiny: Vec<&[u8]> = body.as_bytes()[..60_000].chunks(1).collect();
    assert_eq!(leaves(&read_with(&Bounds::DEFAULT, KIND, &tiny, Completeness::CutOff)), []);
}
