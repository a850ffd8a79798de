//! Requests against one document: paths, methods, parameters in every style, media types, forms and multipart bodies.

use waf_contract::{Content, Contract, Found, Sent};
use waf_shared::route::normalize;

use crate::contract;

pub(crate) const DOCUMENT: &str = include_str!("messages.yaml");

/// A request and what has to be said of it.
pub(crate) struct Row {
    pub(crate) method: &'static str,
    pub(crate) target: &'static str,
    pub(crate) fields: &'static [(&'static str, &'static str)],
    pub(crate) body: &'static str,
    pub(crate) want: &'static str,
}

/// Statuses as the service gives them, then what is wrong; `ok` when nothing is.
pub(crate) fn judged(contract: &Contract, row: &Row) -> String {
    let (path, query) =
        row.target.split_once('?').map_or((row.target, None), |(path, query)| (path, Some(query)));
    let (operation, found) = match contract.find(&normalize(path.as_bytes()), row.method.as_bytes()) {
        Found::Operation(operation, found) => (operation, found),
        Found::NoMethod(methods) => return format!("405 {}", methods.join(",")),
        Found::NoPath => return "404".to_owned(),
    };
    let fields = |name: &str| {
        let named = row.fields.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_bytes()).collect()
    };
    let sent = Sent { query: query.map(str::as_bytes), fields: &fields };
    let parameters = contract.parameters(operation, &found, sent);
    if let Some(fault) = parameters.fault {
        return format!("422 {:?} {} {}", fault.place, fault.name, fault.fault).to_lowercase();
    }
    if row.body.is_empty() {
        let is_missing = contract.requires_body(operation);
        return if is_missing {
            "422 body".to_owned()
        } else if parameters.has_undeclared {
            "ok undeclared".to_owned()
        } else {
            "ok".to_owned()
        };
    }
    let content_type = fields("content-type").first().copied().unwrap_or_default();
    match contract.content(operation, content_type) {
        Content::NoBody => "422 no body".to_owned(),
        Content::Undeclared => "415".to_owned(),
        Content::Declared(content) => {
            let body = row.body.replace('\n', "\r\n");
            match contract.request_body(operation, content, content_type, body.as_bytes(), true) {
                Ok(_) => "ok".to_owned(),
                Err(fault) => format!("422 {fault}"),
            }
        }
    }
}

macro_rules! rows {
    ($($method:literal $target:literal $([$($name:literal: $value:literal),*])? $(<- $body:literal)? => $want:literal;)+) => {
        &[$($crate::openapi::messages::Row { method: $method, target: $target, fields: &[$($(($name, $value)),*)?], body: concat!("", $($body)?), want: $want }),+]
    };
}

pub(crate) use rows;

const ROWS: &[Row] = rows! {
    // paths, servers and methods
    "GET" "/v1/pets" => "ok";
    "GET" "/v1/pets/" => "ok";
    "GET" "/v1/%70ets" => "ok";
    "GET" "/v1/./x/../pets" => "ok";
    "GET" "/pets" => "404";
    "GET" "/v2/pets" => "404";
    "GET" "/v1/Pets" => "404";
    "GET" "/v1/pets//1" => "404";
    "GET" "/v1" => "404";
    "GET" "/" => "404";
    "GET" "/v1/pets/mine" => "ok";
    "GET" "/v1/pets/7" => "ok";
    "GET" "/v1/pets/7/x" => "404";
    "HEAD" "/v1/pets" => "ok";
    "DELETE" "/v1/pets" => "405 GET,POST,HEAD";
    "OPTIONS" "/v1/pets" => "405 GET,POST,HEAD";
    "get" "/v1/pets" => "405 GET,POST,HEAD";
    "POST" "/v1/pets/7" => "405 GET,HEAD";
    "OPTIONS" "/v1/own-options" => "ok";
    "HEAD" "/v1/own-options" => "405 OPTIONS";
    "GET" "/other/elsewhere" => "ok";
    "GET" "/v1/elsewhere" => "404";
    // parameters of the path
    "GET" "/v1/pets/abc" => "422 path id type";
    "GET" "/v1/pets/0" => "422 path id minimum";
    "GET" "/v1/pets/7.0" => "ok";
    "GET" "/v1/pets/07" => "ok";
    "GET" "/v1/pets/%37" => "ok";
    "GET" "/v1/pets/7%20" => "422 path id type";
    "GET" "/v1/pets/1%2F2" => "422 path id type";
    "GET" "/v1/p/simple/3,4,5" => "ok";
    "GET" "/v1/p/simple/3%2C4" => "ok";
    "GET" "/v1/p/simple/3,x" => "422 path v /1: type";
    "GET" "/v1/p/simple/1,2,3,4" => "422 path v maxitems";
    "GET" "/v1/p/simple-object/R,100,G,200" => "ok";
    "GET" "/v1/p/simple-object/R,100,B,200" => "422 path v /b: additionalproperties";
    "GET" "/v1/p/simple-object-explode/R=100,G=200" => "ok";
    "GET" "/v1/p/simple-object-explode/R=x" => "422 path v /r: type";
    "GET" "/v1/p/label/.3" => "ok";
    "GET" "/v1/p/label/3" => "422 path v style";
    "GET" "/v1/p/label/.x" => "422 path v type";
    "GET" "/v1/p/label-array/.3.4" => "ok";
    "GET" "/v1/p/label-array/.3,4" => "ok";
    "GET" "/v1/p/label-array/.3.x" => "422 path v /1: type";
    "GET" "/v1/p/label-explode/.R=1.G=2" => "ok";
    "GET" "/v1/p/label-explode/.R=x" => "422 path v /r: type";
    "GET" "/v1/p/matrix/;v=3" => "ok";
    "GET" "/v1/p/matrix/;w=3" => "422 path v style";
    "GET" "/v1/p/matrix/3" => "422 path v style";
    "GET" "/v1/p/matrix/;v=x" => "422 path v type";
    "GET" "/v1/p/matrix-array/;v=3,4" => "ok";
    "GET" "/v1/p/matrix-array/;v=3,x" => "422 path v /1: type";
    "GET" "/v1/p/matrix-explode/;v=3;v=4" => "ok";
    "GET" "/v1/p/matrix-explode/;v=3;v=x" => "422 path v /1: type";
    "GET" "/v1/p/matrix-object/;R=1;G=2" => "ok";
    "GET" "/v1/p/matrix-object/;R=x" => "422 path v /r: type";
    "GET" "/v1/p/matrix-object-plain/;v=R,1,G,2" => "ok";
    "GET" "/v1/p/two/2024-05.json" => "ok";
    "GET" "/v1/p/two/2024-13.json" => "422 path month maximum";
    "GET" "/v1/p/two/2024-05.xml" => "404";
    "GET" "/v1/p/json/%7B%22a%22:1%7D" => "ok";
    "GET" "/v1/p/json/%7B%22a%22:%22%22%7D" => "422 path v /a: type";
    "GET" "/v1/p/json/x" => "422 path v json";
    // parameters of the query
    "GET" "/v1/q/scalars?int=5&needed=x" => "ok";
    "GET" "/v1/q/scalars" => "422 query needed required";
    "GET" "/v1/q/scalars?needed" => "ok";
    "GET" "/v1/q/scalars?needed=" => "ok";
    "GET" "/v1/q/scalars?needed=x&int=" => "422 query int type";
    "GET" "/v1/q/scalars?needed=x&int=1.5" => "422 query int type";
    "GET" "/v1/q/scalars?needed=x&int=abc" => "422 query int type";
    "GET" "/v1/q/scalars?needed=x&int=1&int=2" => "422 query int type";
    "GET" "/v1/q/scalars?needed=x&int=101" => "422 query int maximum";
    "GET" "/v1/q/scalars?needed=x&num=1e2" => "ok";
    "GET" "/v1/q/scalars?needed=x&num=NaN" => "422 query num type";
    "GET" "/v1/q/scalars?needed=x&flag=true" => "ok";
    "GET" "/v1/q/scalars?needed=x&flag=1" => "422 query flag type";
    "GET" "/v1/q/scalars?needed=x&empty=" => "ok";
    "GET" "/v1/q/scalars?needed=x&empty=a" => "422 query empty type";
    "GET" "/v1/q/scalars?needed=x&word=red" => "ok";
    "GET" "/v1/q/scalars?needed=x&word=pink" => "422 query word enum";
    "GET" "/v1/q/scalars?needed=x&code=ab+1" => "ok";
    "GET" "/v1/q/scalars?needed=x&code=ab%201" => "ok";
    "GET" "/v1/q/scalars?needed=x&code=ab1" => "422 query code pattern";
    "GET" "/v1/q/scalars?needed=x&day=2024-02-29" => "ok";
    "GET" "/v1/q/scalars?needed=x&day=2024-02-30" => "422 query day format";
    "GET" "/v1/q/scalars?needed=x&maybe=" => "ok";
    "GET" "/v1/q/scalars?needed=x&other=1" => "ok undeclared";
    "GET" "/v1/q/scalars?needed=x&api_key=1" => "ok";
    "GET" "/v1/q/scalars?%6Eeeded=x" => "ok";
    "GET" "/v1/q/form?ids=1&ids=2" => "ok";
    "GET" "/v1/q/form?ids=1" => "ok";
    "GET" "/v1/q/form?ids=" => "ok";
    "GET" "/v1/q/form?ids=1&ids=x" => "422 query ids /1: type";
    "GET" "/v1/q/form?ids=1,2" => "422 query ids /0: type";
    "GET" "/v1/q/form?ids=1&ids=2&ids=3&ids=4" => "422 query ids maxitems";
    "GET" "/v1/q/form?list=1,2" => "ok";
    "GET" "/v1/q/form?list=1%2C2" => "ok";
    "GET" "/v1/q/form?list=1,x" => "422 query list /1: type";
    "GET" "/v1/q/form?list=1,2,3,4" => "422 query list maxitems";
    "GET" "/v1/q/form?space=1%202" => "ok";
    "GET" "/v1/q/form?space=1+2" => "ok";
    "GET" "/v1/q/form?space=1+x" => "422 query space /1: type";
    "GET" "/v1/q/form?pipe=1|2" => "ok";
    "GET" "/v1/q/form?pipe=1%7C2" => "ok";
    "GET" "/v1/q/form?pipe=1|x" => "422 query pipe /1: type";
    "GET" "/v1/q/object?R=1&G=2" => "ok";
    "GET" "/v1/q/object?R=x" => "422 query color /r: type";
    "GET" "/v1/q/object?flat=R,1,G,2" => "ok";
    "GET" "/v1/q/object?flat=R,x" => "422 query flat /r: type";
    "GET" "/v1/q/object?flat=R,1,B,2" => "422 query flat /b: additionalproperties";
    "GET" "/v1/q/object?deep[R]=1&deep[G]=2" => "ok";
    "GET" "/v1/q/object?deep%5BR%5D=1" => "ok";
    "GET" "/v1/q/object?deep[R]=x" => "422 query deep /r: type";
    "GET" "/v1/q/object?deep[B]=1" => "422 query deep /b: additionalproperties";
    "GET" "/v1/q/object?deep[R][x]=1" => "ok";
    "GET" "/v1/q/object?json=%7B%22a%22%3A1%7D" => "ok";
    "GET" "/v1/q/object?json={" => "422 query json json";
    "GET" "/v1/q/object?json=%7B%22a%22%3A%22%22%7D" => "422 query json /a: type";
    "GET" "/v1/q/either?v=all" => "ok";
    "GET" "/v1/q/either?v=1&v=2" => "ok";
    "GET" "/v1/q/either?v=none" => "422 query v anyof";
    // parameters of path items, and those that operations replace
    "GET" "/v1/shared?page=1" => "ok";
    "GET" "/v1/shared?page=x" => "422 query page type";
    "POST" "/v1/shared?page=x" => "ok";
    "POST" "/v1/shared?page=xyz" => "422 query page maxlength";
    // headers and cookies
    "GET" "/v1/head" ["x-id": "7"] => "ok";
    "GET" "/v1/head" ["X-ID": "7"] => "ok";
    "GET" "/v1/head" => "422 header x-id required";
    "GET" "/v1/head" ["x-id": "a"] => "422 header x-id type";
    "GET" "/v1/head" ["x-id": "7", "x-list": "1, 2,3"] => "ok";
    "GET" "/v1/head" ["x-id": "7", "x-list": "1", "x-list": "2"] => "ok";
    "GET" "/v1/head" ["x-id": "7", "x-list": "1, x"] => "422 header x-list /1: type";
    "GET" "/v1/head" ["x-id": "7", "x-map": "R,1,G,2"] => "ok";
    "GET" "/v1/head" ["x-id": "7", "x-map": "R,x"] => "422 header x-map /r: type";
    "GET" "/v1/head" ["x-id": "7", "x-map-explode": "R=1,G=2"] => "ok";
    "GET" "/v1/head" ["x-id": "7", "x-map-explode": "R=x"] => "422 header x-map-explode /r: type";
    "GET" "/v1/head" ["x-id": "7", "accept": "nonsense"] => "ok";
    "GET" "/v1/cookie" ["cookie": "session=abcd; n=1"] => "ok";
    "GET" "/v1/cookie" ["cookie": "session=abcd", "cookie": "n=1"] => "ok";
    "GET" "/v1/cookie" ["cookie": "n=1"] => "422 cookie session required";
    "GET" "/v1/cookie" => "422 cookie session required";
    "GET" "/v1/cookie" ["cookie": "session=ab"] => "422 cookie session minlength";
    "GET" "/v1/cookie" ["cookie": "session=abcd; n=x"] => "422 cookie n type";
    "GET" "/v1/cookie" ["cookie": "session=abcd; unknown=x"] => "ok";
    // media types and whether there is a body
    "POST" "/v1/pets" ["content-type": "application/json"] <- "{\"name\":\"a\"}" => "ok";
    "POST" "/v1/pets" ["content-type": "Application/JSON; charset=UTF-8"] <- "{\"name\":\"a\"}" => "ok";
    "POST" "/v1/pets" ["content-type": "application/json; charset=utf-16"] <- "{\"name\":\"a\"}" => "422 charset";
    "POST" "/v1/pets" ["content-type": "application/json"] <- "{\"name\":1}" => "422 /name: type";
    "POST" "/v1/pets" ["content-type": "application/json"] <- "{}" => "422 required (name)";
    "POST" "/v1/pets" ["content-type": "application/json"] <- "name=a" => "422 json";
    "POST" "/v1/pets" ["content-type": "text/xml"] <- "<a/>" => "415";
    "POST" "/v1/pets" <- "{}" => "415";
    "POST" "/v1/pets" => "422 body";
    "GET" "/v1/pets" ["content-type": "application/json"] <- "{}" => "422 no body";
    "POST" "/v1/any" ["content-type": "application/vnd.x+json"] <- "{\"a\":1}" => "ok";
    "POST" "/v1/any" ["content-type": "application/vnd.x+json"] <- "{\"a\":\"\"}" => "422 /a: type";
    "POST" "/v1/any" ["content-type": "application/json"] <- "{\"a\":\"\"}" => "ok";
    "POST" "/v1/any" ["content-type": "text/plain"] <- "12" => "ok";
    "POST" "/v1/any" ["content-type": "text/plain"] <- "a" => "422 type";
    "POST" "/v1/any" ["content-type": "image/png"] <- "\u{89}PNG" => "ok";
    "POST" "/v1/any" => "ok";
    // forms
    "POST" "/v1/form" ["content-type": "application/x-www-form-urlencoded"] <- "n=1&s=a+b" => "ok";
    "POST" "/v1/form" ["content-type": "application/x-www-form-urlencoded"] <- "n=x&s=a" => "422 /n: type";
    "POST" "/v1/form" ["content-type": "application/x-www-form-urlencoded"] <- "s=a" => "422 required (n)";
    "POST" "/v1/form" ["content-type": "application/x-www-form-urlencoded"] <- "n=1&n=2" => "422 /n: type";
    "POST" "/v1/form" ["content-type": "application/x-www-form-urlencoded"] <- "n=1&list=1&list=2" => "ok";
    "POST" "/v1/form" ["content-type": "application/x-www-form-urlencoded"] <- "n=1&list=1" => "ok";
    "POST" "/v1/form" ["content-type": "application/x-www-form-urlencoded"] <- "n=1&list=1&list=x" => "422 /list/1: type";
    "POST" "/v1/form" ["content-type": "application/x-www-form-urlencoded"] <- "n=1&flat=1,2" => "ok";
    "POST" "/v1/form" ["content-type": "application/x-www-form-urlencoded"] <- "n=1&flat=1,x" => "422 /flat/1: type";
    "POST" "/v1/form" ["content-type": "application/x-www-form-urlencoded"] <- "n=1&deep[a]=1" => "ok";
    "POST" "/v1/form" ["content-type": "application/x-www-form-urlencoded"] <- "n=1&deep[a]=x" => "422 /deep/a: type";
    "POST" "/v1/form" ["content-type": "application/x-www-form-urlencoded"] <- "n=1&json=%7B%22a%22%3A1%7D" => "ok";
    "POST" "/v1/form" ["content-type": "application/x-www-form-urlencoded"] <- "n=1&json=%7B%22a%22%3A%22%22%7D" => "422 /json/a: type";
    "POST" "/v1/form" ["content-type": "application/x-www-form-urlencoded"] <- "n=1&json=x" => "422 /json: json";
    "POST" "/v1/form" ["content-type": "application/x-www-form-urlencoded"] <- "n=1&other=1" => "422 /other: additionalProperties";
    // multipart
    "POST" "/v1/upload" ["content-type": "multipart/form-data; boundary=x"] <- "--x\nContent-Disposition: form-data; name=\"n\"\n\n1\n--x--\n" => "ok";
    "POST" "/v1/upload" ["content-type": "multipart/form-data; boundary=\"x\""] <- "--x\nContent-Disposition: form-data; name=n\n\n1\n--x--" => "ok";
    "POST" "/v1/upload" ["content-type": "multipart/form-data; boundary=x"] <- "--x\nContent-Disposition: form-data; name=\"n\"\n\na\n--x--\n" => "422 /n: type";
    "POST" "/v1/upload" ["content-type": "multipart/form-data; boundary=x"] <- "--x--\n" => "422 required (n)";
    "POST" "/v1/upload" ["content-type": "multipart/form-data; boundary=x"] <- "--x\nContent-Disposition: form-data; name=\"n\"\n\n1\n" => "422 multipart";
    "POST" "/v1/upload" ["content-type": "multipart/form-data"] <- "--x--" => "422 boundary";
    "POST" "/v1/upload" ["content-type": "multipart/form-data; boundary=x"] <- "--x\nContent-Disposition: form-data; name=\"n\"\n\n1\n--x\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\nContent-Type: image/png\n\nPNG\n--x--\n" => "ok";
    "POST" "/v1/upload" ["content-type": "multipart/form-data; boundary=x"] <- "--x\nContent-Disposition: form-data; name=\"n\"\n\n1\n--x\nContent-Disposition: form-data; name=\"file\"; filename=\"a.exe\"\nContent-Type: application/x-msdownload\n\nMZ\n--x--\n" => "422 /file: contentType";
    "POST" "/v1/upload" ["content-type": "multipart/form-data; boundary=x"] <- "--x\nContent-Disposition: form-data; name=\"n\"\n\n1\n--x\nContent-Disposition: form-data; name=\"meta\"\nContent-Type: application/json\n\n{\"a\":1}\n--x--\n" => "ok";
    "POST" "/v1/upload" ["content-type": "multipart/form-data; boundary=x"] <- "--x\nContent-Disposition: form-data; name=\"n\"\n\n1\n--x\nContent-Disposition: form-data; name=\"meta\"\n\n{\"a\":\"\"}\n--x--\n" => "422 /meta/a: type";
    "POST" "/v1/upload" ["content-type": "multipart/form-data; boundary=x"] <- "--x\nContent-Disposition: form-data; name=\"n\"\n\n1\n--x\nContent-Disposition: form-data; name=\"tags\"\n\na\n--x\nContent-Disposition: form-data; name=\"tags\"\n\nb\n--x--\n" => "ok";
    "POST" "/v1/upload" ["content-type": "multipart/form-data; boundary=x"] <- "--x\nContent-Disposition: form-data; name=\"n\"\n\n1\n--x\nContent-Disposition: form-data; name=\"tags\"\n\nlonger\n--x--\n" => "422 /tags/0: maxLength";
    "POST" "/v1/upload" ["content-type": "multipart/form-data; boundary=x"] <- "--x\nContent-Disposition: form-data; name=\"n\"\n\n1\n--x\nContent-Disposition: form-data; name=\"signed\"\n\na\n--x--\n" => "422 /signed: headers";
    "POST" "/v1/upload" ["content-type": "multipart/form-data; boundary=x"] <- "--x\nContent-Disposition: form-data; name=\"n\"\n\n1\n--x\nContent-Disposition: form-data; name=\"signed\"\nX-Sum: 5\n\na\n--x--\n" => "ok";
};

#[test]
fn every_row_is_judged_as_it_says() {
    let contract = contract(DOCUMENT);
    let wrong: Vec<String> = ROWS
        .iter()
        .filter_map(|row| {
            let found = judged(&contract, row);
            let line = format!("{} {} {:?} {:?}", row.method, row.target, row.fields, row.body);
            (found != row.want).then(|| format!("{line}\n    wanted {:?}, found {found:?}", row.want))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), ROWS.len(), wrong.join("\n"));
    assert!(ROWS.len() >= 150, "{}", ROWS.len());
}

#[test]
fn answers_are_held_to_status_headers_and_media_type() {
    let contract = contract(DOCUMENT);
    let Found::Operation(operation, _) = contract.find(b"/v1/answers", b"GET") else {
        panic!("it is declared")
    };
    for (status, content_type, sum, body, want) in [
        (200, "application/json", "5", "{\"name\":\"a\"}", ""),
        (200, "application/json", "5", "{\"name\":1}", "/name: type"),
        (200, "application/json", "", "{\"name\":\"a\"}", "required (x-sum)"),
        (200, "application/json", "a", "{\"name\":\"a\"}", "type (x-sum)"),
        (200, "text/html", "5", "<p>", "content"),
        (204, "", "", "", ""),
        (404, "text/html", "", "<p>", ""),
        (500, "application/json", "", "{}", "responses"),
    ] {
        let fields = |name: &str| match name {
            "content-type" if !content_type.is_empty() => vec![content_type.as_bytes().to_vec()],
            "x-sum" if !sum.is_empty() => vec![sum.as_bytes().to_vec()],
            _ => Vec::new(),
        };
        let head = contract.response(operation, status, &fields, !body.is_empty());
        let found = head.and_then(|content| match content {
            None => Ok(()),
            Some(content) => {
                let content_type = content_type.as_bytes();
                contract.response_body(operation, content, content_type, body.as_bytes(), true).map(|_| ())
            }
        });
        let found = found.err().map(|fault| fault.to_string()).unwrap_or_default();
        assert_eq!(found, want, "{status} {content_type} {sum} {body}");
    }
}
