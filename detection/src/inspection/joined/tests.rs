//! Attacks cut over lines, parameters and cookies, and honest requests that repeat the same names.

use std::sync::Arc;

use waf_shared::catalog::LeafSet;

use crate::Engine;
use crate::body::Completeness;
use crate::bounds::Bounds;
use crate::budget::Budget;
use crate::inspection::{Inspection, OnHit};
use crate::recorded::Recorded;

fn blocks(engine: &Arc<Engine>, request: &str) -> bool {
    let leaves = LeafSet::defaults();
    let mut inspection =
        Inspection::new(Arc::clone(engine), leaves, Bounds::DEFAULT, OnHit::GoOn, Budget::UNLIMITED);
    Recorded::parse(request.as_bytes()).show(&mut inspection);
    inspection.verdict().blocks()
}

const FORM: &str = "Content-Type: application/x-www-form-urlencoded\nContent-Length: 9\n\n";

fn get(target: &str, lines: &str) -> String {
    format!("GET {target} HTTP/1.1\nHost: shop.example\nUser-Agent: a/1\nAccept: */*\n{lines}\n")
}

fn post(target: &str, lines: &str, form: &str) -> String {
    format!("POST {target} HTTP/1.1\nHost: shop.example\nUser-Agent: a/1\nAccept: */*\n{lines}{FORM}{form}")
}

#[test]
fn attacks_cut_over_lines_are_found() {
    let engine = Arc::new(crate::rules::engine());
    for lines in [
        "X-Id: 1' UNION/*\nX-Id: */SELECT password FROM users--\n",
        "X-Id: 1' UNION/*\nAccept-Language: de\nx-id: */SELECT/*\nX-ID: */password FROM users--\n",
        "X_Id: 1' UNION/*\nX-Id: */SELECT password FROM users--\n",
        "Accept: text/html' UNION/*\nAccept: */SELECT password FROM users--\n",
        "X-Forwarded-For: <script>alert(1)/*\nX-Forwarded-For: */</script>\n",
        "X-Q: <img src='\nX-Q: ' onerror='alert(1)'>\n",
    ] {
        assert!(blocks(&engine, &get("/", lines)), "{lines}");
    }
    for lines in [
        "X-Forwarded-For: 203.0.113.7\nX-Forwarded-For: 198.51.100.9, 10.0.0.1\n",
        "Accept: */*\nAccept: text/html\n",
        "Via: 1.1 a\nVia: 1.1 b (squid/4)\n",
        "Cache-Control: no-cache\nCache-Control: max-age=0\n",
        "If-None-Match: \"a1\"\nIf-None-Match: W/\"b2\"\n",
        "X-Note: it's fine\nX-Note: isn't it\n",
    ] {
        assert!(!blocks(&engine, &get("/", lines)), "{lines}");
    }
}

#[test]
fn attacks_cut_over_cookies_are_found() {
    let engine = Arc::new(crate::rules::engine());
    for lines in [
        "Cookie: a=\"1' UNION/*;*/SELECT password FROM users--\"\n",
        "Cookie: a=\"1\\073cat /etc/passwd\"\n",
        "Cookie: n=1; a=\"1\\047 or 1=1 --\"; b=2\n",
        "Cookie: a=\"<img src=x onerror=alert\\050 1\\051>\"\n",
        "Cookie: a=\"1' UNION/*\nCookie: */SELECT password FROM users--\"\n",
        "Cookie: a=1' UNION/*; a=*/SELECT password FROM users--\n",
        "Cookie: a=1' UNION/*\nCookie: b=2; A=*/SELECT password FROM users--\n",
        "Cookie: a=1' UNION/*\nCookie: */SELECT password FROM users--\n",
    ] {
        assert!(blocks(&engine, &get("/", lines)), "{lines}");
    }
    for lines in [
        "Cookie: a=\"x;y\"; b=\"2\"; c=3\n",
        "Cookie: theme=\"dark\\054 blue\"; lang=de\n",
        "Cookie: a=1; b=2\nCookie: c=3; a=4\n",
        "Cookie: prefs=\"{\\\"a\\\":1\\054\\\"b\\\":[2]}\"; s=abc\n",
        "Cookie: sid=aGVsbG8; sid=d29ybGQ; _ga=GA1.2.3.4; _ga=GA1.1.3.4\n",
    ] {
        assert!(!blocks(&engine, &get("/", lines)), "{lines}");
    }
}

#[test]
fn attacks_cut_over_parameters_are_found() {
    let engine = Arc::new(crate::rules::engine());
    let (one, two) = ("1'+UNION/*", "*/SELECT+password+FROM+users--");
    for request in [
        get(&format!("/?id={one}&id={two}"), ""),
        get(&format!("/?id={one}&x=1&ID={two}"), ""),
        get(&format!("/?id={one}&i%64={two}"), ""),
        get("/?id=1'+UNION/*&id=*/SELECT/*&id=*/password+FROM+users--", ""),
        get(&format!("/?id[]={one}&id[]={two}"), ""),
        get(&format!("/?id%5B1%5D={two}&id%5B0%5D={one}"), ""),
        get(&format!("/?id={one}&id[]={two}"), ""),
        get(&format!("/?id={one}"), &format!("Cookie: id={}\n", two.replace('+', " "))),
        post("/", "", &format!("id={one}&b=1&id={two}")),
        post(&format!("/?id={one}"), "", &format!("id={two}")),
        post("/?id=1'+UNION/*", "Cookie: id=*/password FROM users--\n", "id=*/SELECT/*"),
        get("/?q=%3Cimg+src='&q='+onerror='alert(1)'%3E", ""),
    ] {
        assert!(blocks(&engine, &request), "{request}");
    }
    for request in [
        get("/?tag=a&tag=b&tag=c", ""),
        get("/?tag[]=red+shoes&tag[]=it's+new&tag[]=5%25+off", ""),
        get("/?id=1&id=2", "Cookie: id=3; lang=de\n"),
        post("/?lang=de", "Cookie: lang=en\n", "lang=fr&lang=it"),
        post("/", "", "answer=I+don't+know&answer=select+one+of+these&answer=from+time+to+time"),
        post("/", "", "row[1]=10.50&row[0]=-3&row[2]=1%2C5"),
    ] {
        assert!(!blocks(&engine, &request), "{request}");
    }
}

#[test]
fn multipart_fields_of_one_name_are_joined() {
    let engine = Arc::new(crate::rules::engine());
    let part = |name: &str, value: &str| {
        format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let verdict = |parts: &[String]| {
        let leaves = LeafSet::defaults();
        let mut inspection =
            Inspection::new(Arc::clone(&engine), leaves, Bounds::DEFAULT, OnHit::GoOn, Budget::UNLIMITED);
        inspection.body(b"multipart/form-data; boundary=x");
        inspection.feed(parts.concat().as_bytes());
        inspection.feed(b"--x--\r\n");
        inspection.finish_body(Completeness::Whole);
        inspection.verdict().blocks()
    };
    let two = "*/SELECT password FROM users--";
    assert!(verdict(&[part("id", "1' UNION/*"), part("b", "2"), part("id", two)]));
    assert!(!verdict(&[part("id", "1' UNION/*"), part("b", "2")]));
    assert!(!verdict(&[part("tag", "it's red"), part("tag", "it's blue")]));
}

#[test]
fn repeated_names_are_kept_within_bounds() {
    let engine = Arc::new(crate::rules::engine());
    let long = format!("/?{}", "a=1'&".repeat(900));
    assert!(!blocks(&engine, &get(&long, "")));
    let cookies = format!("Cookie: {}\n", "a=1;".repeat(4000));
    assert!(!blocks(&engine, &get("/", &cookies)));
}
