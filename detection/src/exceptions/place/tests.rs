//! Places as they are written and compared.

use super::*;

fn matches(pattern: &str, place: Place, name: &str) -> bool {
    let planned = parse(pattern).expect("a place");
    PlacePattern::new(&planned).expect("a kind").matches(place, name.as_bytes())
}

#[test]
fn names_match_whole_and_in_their_own_place() {
    for (pattern, place, name, expected) in [
        ("ARGS:content", Place::Query, "content", true),
        ("ARGS:content", Place::Form, "content", true),
        ("ARGS:content", Place::Part, "content", true),
        ("ARGS:content", Place::Query, "Content", false),
        ("ARGS:content", Place::Query, "content2", false),
        ("ARGS:content", Place::Query, "my_content", false),
        ("ARGS:content", Place::Query, "", false),
        ("ARGS:content", Place::Cookie, "content", false),
        ("ARGS:content", Place::Json, "content", false),
        ("ARGS:content", Place::QueryName, "content", false),
        ("ARGS", Place::Query, "", true),
        ("ARGS", Place::Query, "content", false),
        ("ARGS:*", Place::Query, "content", true),
        ("ARGS:*", Place::Query, "", false),
        ("ARGS_NAMES", Place::FormName, "", true),
        ("HEADERS:X-Note", Place::Header, "x-nOTE", true),
        ("HEADERS:x-note", Place::Header, "x_note", false),
        ("HEADERS:x-*", Place::Header, "X-Forwarded-For", true),
        ("COOKIES:prefs", Place::Cookie, "prefs", true),
        ("COOKIES:prefs", Place::Cookie, "%70refs", false),
        ("FILES:upload", Place::FileName, "upload", true),
        ("PATH", Place::Path, "", true),
        ("PATH", Place::PathSegment, "", false),
        ("BODY", Place::Body, "", true),
        ("RESPONSE_HEADERS::status", Place::ResponseHeader, ":status", true),
    ] {
        assert_eq!(matches(pattern, place, name), expected, "{pattern} {place:?} {name}");
    }
}

#[test]
fn names_of_forms_are_compared_as_applications_read_them() {
    for (pattern, place, name, expected) in [
        ("ARGS:meta[*][value]", Place::Form, "meta%5B12%5D%5Bvalue%5D", true),
        ("ARGS:meta%5B*%5D%5Bvalue%5D", Place::Form, "meta[12][value]", true),
        ("ARGS:meta[*][value]", Place::Part, "meta[12][value]", true),
        ("ARGS:meta[*][value]", Place::Form, "meta[12][key]", false),
        ("ARGS:content", Place::Form, "%63ontent", true),
        ("ARGS:content", Place::Form, "%2563ontent", false),
        ("ARGS:content", Place::Part, "%63ontent", false),
        ("ARGS:my note", Place::Form, "my+note", true),
        ("ARGS:my+note", Place::Form, "my%20note", true),
        ("ARGS:a%2Bb", Place::Form, "a+b", false),
        ("ARGS:a%2Bb", Place::Part, "a+b", true),
        ("ARGS:a%2Ab", Place::Form, "axb", false),
        ("ARGS:a%2Ab", Place::Form, "a*b", true),
    ] {
        assert_eq!(matches(pattern, place, name), expected, "{pattern} {place:?} {name}");
    }
}

#[test]
fn a_wildcard_stays_within_a_name_and_within_a_key_of_a_path() {
    for (pattern, place, name, expected) in [
        ("JSON:post.body", Place::Json, "post.body", true),
        ("JSON:post.body", Place::Json, "post.body.x", false),
        ("JSON:post.*", Place::Json, "post.body", true),
        ("JSON:post.*", Place::Json, "post", false),
        ("JSON:post.*", Place::Json, "post.body.x", false),
        ("JSON:*.body", Place::Json, "post.body", true),
        ("JSON:*.body", Place::Json, "a.b.body", false),
        ("JSON:*", Place::Json, "a.b", false),
        ("JSON:q*.b*y", Place::Json, "query.body", true),
        ("JSON", Place::Json, "", true),
        ("JSON", Place::Json, "a", false),
        ("XML:note/text", Place::Xml, "note/text", true),
        ("XML:note/*", Place::Xml, "note/text", true),
        ("XML:note/*", Place::Xml, "note/text/b", false),
        ("XML:*", Place::Xml, "note/text", false),
        ("XML:note.*", Place::Xml, "note.a", true),
        ("ARGS:*", Place::Query, "a.b", true),
        ("ARGS:a*b*c", Place::Query, "axxbyyc", true),
        ("ARGS:a*b*c", Place::Query, "abc", true),
        ("ARGS:a*b*c", Place::Query, "acb", false),
        ("ARGS:a*a", Place::Query, "a", false),
        ("ARGS:a*ab", Place::Query, "aab", true),
        ("ARGS:*x*x*", Place::Query, "x", false),
        ("ARGS:*x*x*", Place::Query, "axbxc", true),
    ] {
        assert_eq!(matches(pattern, place, name), expected, "{pattern} {place:?} {name}");
    }
}

#[test]
fn texts_that_name_no_place_are_refused() {
    for (text, mistake) in [
        ("ARG:content", PlaceMistake::Kind),
        ("args:content", PlaceMistake::Kind),
        ("", PlaceMistake::Kind),
        ("*", PlaceMistake::Kind),
        ("REQUEST_HEADERS:x", PlaceMistake::Kind),
        ("PATH:/a", PlaceMistake::Named),
        ("BODY:x", PlaceMistake::Named),
        ("COOKIE_NAMES:x", PlaceMistake::Named),
        ("HEADERS", PlaceMistake::Nameless),
        ("ARGS:", PlaceMistake::Name),
        ("ARGS:a**", PlaceMistake::Wildcards),
        ("ARGS:a*b*c*d*e*f*g*h*i*j", PlaceMistake::Wildcards),
    ] {
        assert_eq!(parse(text), Err(mistake), "{text}");
    }
    assert_eq!(parse(&format!("ARGS:{}", "x".repeat(2_000))), Err(PlaceMistake::Name));
}

#[test]
fn comparing_is_linear() {
    let name = "ab".repeat(200_000);
    let started = std::time::Instant::now();
    for _ in 0..20 {
        assert!(!matches("ARGS:*a*a*a*a*a*a*ac", Place::Part, &name));
    }
    assert!(started.elapsed() < std::time::Duration::from_secs(2));
}
