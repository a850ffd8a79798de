//! Names that come twice in one object: in JSON a mismatch wherever the text is, in forms and parameters a list.

use super::messages::{DOCUMENT, Row, judged, rows};
use crate::contract;

const ROWS: &[Row] = rows! {
    // JSON
    "POST" "/v1/pets" ["content-type": "application/json"] <- "{\"name\":\"a\",\"name\":\"b\"}" => "422 uniqueNames";
    "POST" "/v1/pets" ["content-type": "application/json"] <- "{\"name\":\"a\",\"name\":\"a\"}" => "422 uniqueNames";
    "POST" "/v1/pets" ["content-type": "application/json"] <- "{\"name\":\"a\",\"\\u006eame\":\"b\"}" => "422 uniqueNames";
    "POST" "/v1/pets" ["content-type": "application/json"] <- "{\"name\":\"a\",\"x\":1,\"name\":\"a\"}" => "422 uniqueNames";
    "POST" "/v1/pets" ["content-type": "application/json"] <- "{\"name\":\"a\",\"x\":{\"y\":1,\"y\":1}}" => "422 /x: uniqueNames";
    "POST" "/v1/pets" ["content-type": "application/json"] <- "{\"name\":\"a\",\"x\":[1,{\"a/b\":{\"y\":1,\"y\":1}}]}" => "422 /x/1/a~1b: uniqueNames";
    "POST" "/v1/pets" ["content-type": "application/json"] <- "{\"name\":\"a\",\"\":1,\"\":2}" => "422 uniqueNames";
    "POST" "/v1/any" ["content-type": "application/vnd.x+json"] <- "{\"b\":[],\"a\":1,\"b\":[]}" => "422 uniqueNames";
    "GET" "/v1/p/json/%7B%22a%22:1,%22a%22:1%7D" => "422 path v uniquenames";
    "GET" "/v1/q/object?json=%7B%22a%22%3A1%2C%22a%22%3A1%7D" => "422 query json uniquenames";
    "POST" "/v1/form" ["content-type": "application/x-www-form-urlencoded"] <- "n=1&json=%7B%22a%22%3A1,%22a%22:1%7D" => "422 /json: uniqueNames";
    "POST" "/v1/upload" ["content-type": "multipart/form-data; boundary=x"] <- "--x\nContent-Disposition: form-data; name=\"n\"\n\n1\n--x\nContent-Disposition: form-data; name=\"meta\"\n\n{\"a\":1,\"a\":1}\n--x--\n" => "422 /meta: uniqueNames";
    // the same name in two objects, and values that are alike
    "POST" "/v1/pets" ["content-type": "application/json"] <- "{\"name\":\"name\",\"x\":{\"name\":1,\"y\":{\"name\":2}},\"z\":[{\"name\":1},{\"name\":1}]}" => "ok";
    "POST" "/v1/pets" ["content-type": "application/json"] <- "{\"name\":\"a\",\"Name\":\"a\",\"name \":\"a\"}" => "ok";
    "GET" "/v1/q/object?json=%7B%22a%22%3A1%2C%22b%22%3A1%7D" => "ok";
    // objects that are written in forms and parameters
    "GET" "/v1/q/object?deep[R]=1&deep[R]=2" => "422 query deep /r: type";
    "GET" "/v1/q/object?deep[R]=1&deep%5BR%5D=1" => "422 query deep /r: type";
    "GET" "/v1/q/object?R=1&R=2" => "422 query color /r: type";
    "GET" "/v1/q/object?flat=R,1,R,2" => "422 query flat /r: type";
    "GET" "/v1/p/simple-object/R,100,R,200" => "422 path v /r: type";
    "GET" "/v1/p/simple-object-explode/R=100,R=100" => "422 path v /r: type";
    "GET" "/v1/p/matrix-object/;R=1;R=2" => "422 path v /r: type";
    "POST" "/v1/form" ["content-type": "application/x-www-form-urlencoded"] <- "n=1&deep[a]=1&deep[a]=2" => "422 /deep/a: type";
    "POST" "/v1/form" ["content-type": "application/x-www-form-urlencoded"] <- "n=1&n=2" => "422 /n: type";
    "POST" "/v1/form" ["content-type": "application/x-www-form-urlencoded"] <- "n=1&deep[a]=1&deep=x" => "422 /deep: style";
    "POST" "/v1/form" ["content-type": "application/x-www-form-urlencoded"] <- "n=1&deep=x&deep[a]=1" => "422 /deep: style";
    "POST" "/v1/upload" ["content-type": "multipart/form-data; boundary=x"] <- "--x\nContent-Disposition: form-data; name=\"n\"\n\n1\n--x\nContent-Disposition: form-data; name=\"n\"\n\n1\n--x--\n" => "422 /n: type";
    // lists and objects
    "GET" "/v1/q/object?deep[R]=1&deep[G]=1" => "ok";
    "GET" "/v1/q/object?R=1&G=1" => "ok";
    "POST" "/v1/form" ["content-type": "application/x-www-form-urlencoded"] <- "n=1&deep[a]=1&deep[b]=1" => "ok";
    "POST" "/v1/form" ["content-type": "application/x-www-form-urlencoded"] <- "n=1&list=1&list=1" => "ok";
    "POST" "/v1/form" ["content-type": "application/x-www-form-urlencoded"] <- "n=1&deep[b]=1&deep[b]=2" => "ok";
};

/// Bodies in which two readers find different parts, then such as all read alike.
const PARTS: &[Row] = rows! {
    "POST" "/v1/upload" ["content-type": "multipart/form-data; boundary=x"] <- "--x\nContent-Disposition: form-data; name=\"n\"; name=\"other\"\n\n1\n--x--\n" => "422 multipart";
    "POST" "/v1/upload" ["content-type": "multipart/form-data; boundary=x"] <- "--x\nContent-Disposition: form-data; name=\"n\"\n\n1\n--x\nContent-Disposition: form-data\n\n1\n--x--\n" => "422 multipart";
    "POST" "/v1/upload" ["content-type": "multipart/form-data; boundary=x"] <- "--x\nContent-Disposition: form-data; name=\"n\"\n\n1\n--x\nContent-Disposition: form-data; name*=utf-8''admin\n\n1\n--x--\n" => "422 multipart";
    "POST" "/v1/upload" ["content-type": "multipart/form-data; boundary=x"] <- "--x\nContent-Disposition: form-data; name=\"n\"\nContent-Disposition: form-data; name=\"other\"\n\n1\n--x--\n" => "422 multipart";
    "POST" "/v1/upload" ["content-type": "multipart/form-data; boundary=x"] <- "--x\nContent-Disposition: form-data; name=\"n\"\n\n--x\nContent-Disposition: form-data; name=\"n\"\n\n1\n--x--\n" => "422 multipart";
    "POST" "/v1/upload" ["content-type": "multipart/form-data; boundary=x"] <- "--x y\nContent-Disposition: form-data; name=\"n\"\n\n1\n--x--\n" => "422 multipart";
    "POST" "/v1/upload" ["content-type": "multipart/form-data; boundary=x; boundary=y"] <- "--x\nContent-Disposition: form-data; name=\"n\"\n\n1\n--x--\n" => "422 boundary";
    "POST" "/v1/upload" ["content-type": "multipart/form-data; boundary=x; boundary*=utf-8''y"] <- "--x\nContent-Disposition: form-data; name=\"n\"\n\n1\n--x--\n" => "422 boundary";
    "POST" "/v1/pets" ["content-type": "application/json; charset=utf-8; charset=utf-16"] <- "{\"name\":\"a\"}" => "422 charset";
    "POST" "/v1/upload" ["content-type": "multipart/form-data; boundary=x"] <- "a note\n--x\nContent-Disposition: form-data; name=\"n\"\n\n1\n--x--\nmore" => "ok";
    "POST" "/v1/upload" ["content-type": "multipart/form-data; boundary=x"] <- "--x\nContent-Type: text/plain\nContent-Disposition: form-data; name=\"n\"\n\n1\n--x--\n" => "ok";
    "POST" "/v1/upload" ["content-type": "multipart/form-data; boundary==x"] <- "--=x\nContent-Disposition: form-data; name=\"n\"\n\n1\n--=x--\n" => "ok";
    "POST" "/v1/upload" ["content-type": "multipart/form-data; boundary=x"] <- "--x\nContent-Disposition: form-data; name=\"n\"\n\n1\n--x\nContent-Disposition: form-data; name=\"meta\"; filename=\"m.json\"\nContent-Type: application/json\n\n{\"a\":1}\n--x--\n" => "ok";
};

#[test]
fn a_body_that_readers_part_differently_is_a_breach() {
    let contract = contract(DOCUMENT);
    for row in PARTS {
        assert_eq!(judged(&contract, row), row.want, "{:?}", row.body);
    }
}

#[test]
fn a_name_that_comes_twice_is_no_scalar() {
    let contract = contract(DOCUMENT);
    for row in ROWS {
        assert_eq!(judged(&contract, row), row.want, "{} {} {:?}", row.method, row.target, row.body);
    }
}

#[test]
fn a_repeated_name_is_found_in_a_body_that_was_cut_off() {
    let contract = super::keywords::of("3.1.0", "{}", "");
    for (body, want) in [
        ("{\"a\":1,\"a\":2", "uniqueNames"),
        ("{\"a\":1,\"a\":", "uniqueNames"),
        ("{\"a\":1,\"b\":{\"c\":1,\"c\":", "/b: uniqueNames"),
        ("[{\"a\":1,\"a\":1},", "/0: uniqueNames"),
        ("{\"a\":1,\"\\u0061\":[[", "uniqueNames"),
        ("{\"a\":1,\"a", ""),
        ("{\"a\":1,\"b\":{\"a\":", ""),
        ("[{\"a\":1},{\"a\":1", ""),
    ] {
        let found = super::keywords::judged(&contract, body, waf_contract::Direction::Request, false);
        assert_eq!(found, want, "{body}");
    }
}
