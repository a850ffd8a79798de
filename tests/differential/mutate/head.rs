//! Changes of a head: start line, fields, what they say about the body.

use crate::case::{Case, Framing};
use crate::random::Random;

const TYPES: &[&str] = &[
    "application/x-www-form-urlencoded",
    "Application/X-WWW-Form-URLEncoded ; charset=utf-8",
    "application/x-www-form-urlencoded;charset=ibm037",
    "application/x-www-form-urlencoded, text/plain",
    "application/x-www-form-urlencoded\t",
    "application/x-www-form-urlencodedx",
    "application/json",
    "Application/JSON",
    "application/json;",
    "application/json, text/html",
    "text/json",
    "application/x-json",
    "application/jsonp",
    "application/problem+json",
    "application/json; charset=utf-16",
    "text/html; application/json",
    "text/plain",
    "text/html",
    "text/xml",
    "application/xml",
    "application/octet-stream",
    "application/x-ndjson",
    "application/json-seq",
    "image/png",
    "application/pdf",
    "application/graphql",
    "multipart/form-data",
    "multipart/form-data; boundary=x",
    "application/x-www-form-urlencoded; boundary=x",
    "application",
    "/",
    "*/*",
    "x",
    "",
];

const EXTRAS: &[&str] = &[
    "Content-Type: text/plain",
    "Content-Type: application/json",
    "Content_Type: application/json",
    "Content-Type ;: text/plain",
    "Content-Encoding: identity",
    "Content-Encoding: gzip",
    "Content_Encoding: gzip",
    "Transfer-Encoding: chunked",
    "Transfer-Encoding: identity",
    "Transfer-Encoding: gzip, chunked",
    "Transfer-Encoding : chunked",
    "Transfer_Encoding: chunked",
    "Content-Length: 0",
    "Content-Length: +5",
    "Content-Length: 5, 5",
    "Content_Length: 0",
    "Content-Transfer-Encoding: base64",
    "Content-Transfer-Encoding: quoted-printable",
    "Content-Disposition: form-data; name=\"a\"; filename=\"a\"",
    "MIME-Version: 1.0",
    "X-HTTP-Method-Override: PUT",
    "Connection: close, X-Note",
    "Connection: Content-Type",
    "Expect: 100-continue",
    "Upgrade: websocket",
    "Cookie: a=b",
    "Cookie: $Version=1; a=b",
    "Cookie: ",
    "X-Forwarded-For: 127.0.0.1",
    "Range: bytes=0-3",
    "Content-Range: bytes 0-3/10",
    "Accept-Charset: utf-7",
    "Content-Language: en",
    "Trailer: X-Note",
    "X-A: =?utf-8?q?a?=",
    " folded",
    "\tfolded: yes",
    "no colon",
    ": no name",
];

pub(super) fn content_type(case: &mut Case, random: &mut Random) {
    if case.body.is_empty() {
        return;
    }
    if random.once_in(12) {
        if let Some(at) = case.field("content-type") {
            case.fields.remove(at);
        }
        return;
    }
    case.set("content-type", random.of_list(TYPES).as_bytes());
}

pub(super) fn target(case: &mut Case, random: &mut Random) {
    match random.below(8) {
        0..3 => super::insert(&mut case.target, random),
        3 => super::remove(&mut case.target, random),
        4 => super::replace(&mut case.target, random),
        5 => super::repeat(&mut case.target, random),
        6 => {
            let fronts: &[&[u8]] = &[
                b"http://shop.example",
                b"/",
                b"//shop.example/",
                b"/a;b=c",
                b"/%2e%2e",
                b"/x?",
                b"/index.php",
                b"?",
                b"#",
                b"*",
                b"HTTP://a@b",
            ];
            case.target.splice(0..0, random.of_list(fronts).iter().copied());
        }
        _ => {
            // Pairs parted and joined by what some readers take for `&` and `=`.
            let (from, to): (u8, &[u8]) = random.of_list(&[
                (b'&', &b";"[..]),
                (b'&', b"%26"),
                (b'&', b"&&"),
                (b'&', b"&amp;"),
                (b'&', b"?"),
                (b'=', b"%3D"),
                (b'=', b"=="),
                (b'=', b""),
                (b'?', b"??"),
                (b'?', b"%3F"),
                (b'?', b"?#"),
                (b'+', b"%20"),
                (b'%', b"%25"),
            ]);
            case.target = swap(&case.target, from, to);
        }
    }
    case.target.retain(|byte| !matches!(byte, b'\r' | b'\n' | b' '));
}

fn swap(bytes: &[u8], from: u8, to: &[u8]) -> Vec<u8> {
    bytes.iter().flat_map(|b| if *b == from { to.to_vec() } else { vec![*b] }).collect()
}

pub(super) fn token(case: &mut Case, random: &mut Random) {
    let at = if random.once_in(2) { case.fields.len() - 1 } else { random.below(case.fields.len()) };
    let line = &mut case.fields[at];
    match random.below(4) {
        0 => super::remove(line, random),
        1 => super::replace(line, random),
        _ => super::insert(line, random),
    }
}

pub(super) fn cookie(case: &mut Case, random: &mut Random) {
    let Some(at) = case.field("cookie") else { return };
    let tokens: &[&[u8]] = &[
        b"\"",
        b"\\\"",
        b"\\",
        b"; ",
        b";",
        b",",
        b", ",
        b"$Version=1; ",
        b"$Path=/; ",
        b"=",
        b" ",
        b"\t",
        b"note=",
        b"a=\"",
        b"\\073",
        b"%3b",
        b"%22",
        b"\xff",
        b"[",
        b"]",
        b"&",
        b"+",
        b"a",
        b"__Host-",
        b"{",
        b"(",
        b"@",
        b":",
    ];
    let line = &mut case.fields[at];
    for _ in 0..=random.below(3) {
        let place = super::place(line, random).max("Cookie:".len()).min(line.len());
        let token = random.of_list(tokens);
        if random.once_in(3) && place < line.len() {
            line.splice(place..=place, token.iter().copied());
        } else {
            line.splice(place..place, token.iter().copied());
        }
    }
}

pub(super) fn repeat(case: &mut Case, random: &mut Random) {
    let line = case.fields[random.below(case.fields.len())].clone();
    let mut other = line.clone();
    if random.once_in(2) {
        super::replace(&mut other, random);
    }
    if random.once_in(2) {
        // One line becomes two of the same name.
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or_default();
        let cut = super::place(&line, random).clamp(colon, line.len());
        let name = line.get(..=colon).unwrap_or_default();
        other = [name, b" ", line.get(cut..).unwrap_or_default()].concat();
        if let Some(at) = case.fields.iter().position(|field| *field == line) {
            case.fields[at].truncate(cut);
        }
    }
    let at = random.below(case.fields.len() + 1);
    case.fields.insert(at, other);
}

pub(super) fn name(case: &mut Case, random: &mut Random) {
    let at = random.below(case.fields.len());
    let line = &mut case.fields[at];
    let colon = line.iter().position(|byte| *byte == b':').unwrap_or_default();
    match random.below(6) {
        0 => line[..colon].make_ascii_uppercase(),
        1 => line[..colon].make_ascii_lowercase(),
        2 => line[..colon].iter_mut().filter(|byte| **byte == b'-').for_each(|byte| *byte = b'_'),
        3 => {
            line.splice(colon..colon, *b" ");
        }
        4 => {
            line.splice(0..0, *b" ");
        }
        _ => {
            let from = (colon + 1).min(line.len());
            line.splice(from..(from + 1).min(line.len()), *b"\r\n ");
        }
    }
}

pub(super) fn extra(case: &mut Case, random: &mut Random) {
    let line = random.of_list(EXTRAS).as_bytes().to_vec();
    let at = random.below(case.fields.len() + 1);
    case.fields.insert(at, line);
}

pub(super) fn start_line(case: &mut Case, random: &mut Random) {
    match random.below(5) {
        0 | 1 => {
            case.method = random.of_list(&["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "post", "X"]);
        }
        2 | 3 => {
            case.version = random.of_list(&["HTTP/1.0", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.2", "http/1.1"]);
        }
        _ => case.line_end = b"\n",
    }
}

pub(super) fn framing(case: &mut Case, random: &mut Random) {
    if case.body.is_empty() {
        return;
    }
    let extensions: &[&[u8]] = &[b"", b"", b"", b";a=b", b"; a", b" ", b";a=\"\n\"", b"\r"];
    let trailers: &[&[u8]] =
        &[b"", b"", b"X-Note: a\r\n", b"Content-Type: text/plain\r\n", b"Content_Type: a\r\n", b"a\r\n"];
    case.framing = match random.below(10) {
        0 => Framing::WrongLength(-1 - i64::from(random.once_in(2)) * 20),
        1 if random.once_in(4) => Framing::WrongLength(1),
        2 if random.once_in(3) => Framing::Nothing,
        _ => Framing::Chunked {
            sizes: (0..3).map(|_| 1 + random.below(40)).collect(),
            extension: random.of_list(extensions).to_vec(),
            trailers: random.of_list(trailers).to_vec(),
        },
    };
}
