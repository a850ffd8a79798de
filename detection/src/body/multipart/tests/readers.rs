//! Heads and bodies that other programs read otherwise than the grammar says, as the comparison of readings found them.

use super::{BOUNDARIES, KIND, TRICKS, TYPE_TRICK, part, refused};
use crate::body::Completeness;
use crate::body::tests::{leaves, read, read_with, values};
use crate::bounds::Bounds;
use crate::field::Place;

#[test]
fn quotes_that_some_readers_do_not_know_are_refused() {
    let head = |rest: &str| format!("Content-Disposition: form-data; name=\"a\"{rest}");
    for rest in [
        "; x='; filename=b.txt",
        "; x='; filename=b.txt; y='",
        "; x=b'; filename=\"b.txt\"",
        "; x'=b; filename=\"b.txt\"; y'=c",
        "; filename=b.txt'",
        "; filename=b'.txt; y=c'",
        "; filename*=utf-8'; filename=b.txt",
        "; filename=\"b.txt\"; filename*=utf-8'''b.txt",
        r#"; x="\\"; filename="b.txt""#,
        r#"; x="\"; filename=b.txt; y=""#,
        "; x=\"; filename=b.txt\"",
    ] {
        assert!(refused(&[part(&head(rest), "x")]).contains(&BOUNDARIES), "{rest}");
    }
    for rest in [
        "; filename=\"it's a 'cup'.txt\"",
        "; filename=\"b.txt\"; filename*=UTF-8'en'b.txt",
        "; filename=b.txt; size=12; creation-date=\"Wed, 12 Feb 2025 16:29:51 -0500\"",
    ] {
        assert_eq!(refused(&[part(&head(rest), "x")]), [], "{rest}");
    }
    for parameter in ["charset*=utf-16", "Charset*=us-ascii'en'utf-7", "charset*0=utf-; charset*1=7"] {
        let head = head(&format!("\r\nContent-Type: text/plain; {parameter}"));
        assert!(refused(&[part(&head, "x")]).contains(&TYPE_TRICK), "{parameter}");
    }
    assert_eq!(refused(&[part(&head("\r\nContent-Type: text/plain; charset-x=b; format=flowed"), "x")]), []);
}

#[test]
fn text_outside_of_parts_is_judged_where_it_may_stand() {
    let part = "--b\r\nContent-Type: text/plain\r\n\r\none\r\n--b--\r\n";
    for (body, outside) in [
        (format!("before\r\n{part}"), &["before"][..]),
        (format!("\r\n \r\nbefore <b>\r\n{part}"), &["before <b>"]),
        (format!("{part}behind\r\n"), &["behind\r\n"]),
        (format!("{part}--b\r\n\r\nbehind"), &["--b\r\n\r\nbehind"]),
        (format!("before\r\n{part}behind"), &["before", "behind"]),
        ("before\r\n--b--".to_owned(), &["before"]),
        ("--b--behind".to_owned(), &["behind"]),
        (part.to_owned(), &[]),
    ] {
        for kind in ["mixed", "related", "x", "form-datax"] {
            let kind = format!("multipart/{kind}; boundary=b");
            let whole = read(&kind, body.as_bytes());
            assert_eq!(values(&whole, Place::Body), outside, "{kind} {body}");
            let bytes: Vec<&[u8]> = body.as_bytes().chunks(1).collect();
            assert_eq!(
                read_with(&Bounds::DEFAULT, &kind, &bytes, Completeness::Whole),
                whole,
                "{kind} {body}"
            );
        }
        let is_refused = leaves(&read(KIND, body.as_bytes())).contains(&BOUNDARIES);
        assert_eq!(is_refused, !outside.is_empty(), "{body}");
    }
}

#[test]
fn a_disposition_has_a_type_in_every_multipart_body() {
    let said = |disposition: &str| {
        let body = format!("--b\r\nContent-Disposition:{disposition}\r\n\r\nx\r\n--b--\r\n");
        leaves(&read("multipart/mixed; boundary=b", body.as_bytes()))
    };
    for disposition in [
        "",
        ";filename=\"t\"",
        "\";filename=\"t\"",
        " (x) file; filename=t",
        " \"file\"; name=a",
        " a b; filename=t",
    ] {
        assert!(said(disposition).contains(&TRICKS), "{disposition}");
    }
    for disposition in [" attachment; filename=\"t\"", "inline", " form-data; name=\"a\"", "file; filename=t"]
    {
        assert_eq!(said(disposition), [], "{disposition}");
    }
}
