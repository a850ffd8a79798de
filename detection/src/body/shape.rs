//! The grammar of first bytes: whether a text of which nobody says what it is begins as JSON, as markup, as a script or as a
//! form does. It looks at text alone; character sets are taken off before.

/// A kind of text that readers recognise by its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// JSON, also as lenient readers take it: comments, single quotes, bare names.
    Json,
    /// XML or HTML, also with code of a server in it.
    Markup,
    /// A script for an interpreter that its first line names.
    Script,
    /// Pairs of names and values.
    Form,
}

/// The answer to the bytes so far. Bytes that follow change no answer but [`Step::More`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// They do not suffice yet.
    More,
    /// None of the shapes.
    Nothing,
    Is(Shape),
}

/// The end of the bytes at hand: final, or open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Follow {
    Perhaps,
    Nothing,
}

const MARK: &[u8] = b"\xef\xbb\xbf";
/// A name longer than this and padding behind it are the end of base64.
const NAME_BYTES_USUAL: usize = 64;

/// The shape of a text that begins with `head`, white space, zero bytes and a byte order mark aside.
pub(super) fn shape(head: &[u8], follow: Follow) -> Step {
    let text = skip(head, is_padding);
    if !text.is_empty() && text.len() < MARK.len() && MARK.starts_with(text) {
        return follow.or(Step::Nothing);
    }
    let text = skip(text.strip_prefix(MARK).unwrap_or(text), is_padding);
    let found = match text {
        [] => return follow.or(Step::Nothing),
        [b'/', ..] => commented(text, follow),
        [b'{', rest @ ..] => object(rest, follow),
        [b'[', ..] => array(text, follow),
        [b'"', rest @ ..] => string(rest, follow),
        [b'<', rest @ ..] => markup(rest, follow),
        [b'#', rest @ ..] => script(rest, follow),
        _ => Step::Nothing,
    };
    if found == Step::Nothing { form(text, follow) } else { found }
}

impl Follow {
    /// Waits for more, or ends with `last`.
    fn or(self, last: Step) -> Step {
        if self == Follow::Perhaps { Step::More } else { last }
    }
}

const JSON: Step = Step::Is(Shape::Json);

/// Behind `{`: a key as one of the lenient readers takes it, a comment, or the end.
fn object(rest: &[u8], follow: Follow) -> Step {
    let rest = skip(rest, is_space);
    match rest {
        [] => follow.or(Step::Nothing),
        [b'"' | b'\'' | b'}', ..] => JSON,
        [b'/', ..] => comment(rest, follow),
        _ => {
            let behind = skip(rest, is_name);
            match skip(behind, is_space) {
                [] => follow.or(Step::Nothing),
                [b':', ..] if behind.len() < rest.len() => JSON,
                _ => Step::Nothing,
            }
        }
    }
}

/// From `[` on: one or more arrays, and what begins the first value in them.
fn array(text: &[u8], follow: Follow) -> Step {
    let rest = skip(text, |byte| byte == b'[' || is_space(byte));
    match rest {
        [] => follow.or(Step::Nothing),
        [b'{', rest @ ..] => object(rest, follow),
        [b'"' | b'\'' | b']', ..] => JSON,
        [b'/', ..] => comment(rest, follow),
        _ => {
            let behind = skip(rest, |byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
            let token = rest.get(..rest.len() - behind.len()).unwrap_or_default();
            match skip(behind, is_space) {
                [] => follow.or(Step::Nothing),
                [b',' | b']', ..] if is_scalar(token) => JSON,
                _ => Step::Nothing,
            }
        }
    }
}

fn comment(rest: &[u8], follow: Follow) -> Step {
    match rest {
        [_] => follow.or(Step::Nothing),
        [_, b'/' | b'*', ..] => JSON,
        _ => Step::Nothing,
    }
}

/// From the first of some comments on, which lenient readers skip in front of an object or an array. Programs begin so too.
fn commented(text: &[u8], follow: Follow) -> Step {
    let mut text = text;
    loop {
        text = skip(text, is_space);
        let end = match text {
            [] | [b'/'] => return follow.or(Step::Nothing),
            [b'{', rest @ ..] => return object(rest, follow),
            [b'[', ..] => return array(text, follow),
            [b'/', b'*', rest @ ..] => memchr::memmem::find(rest, b"*/").map(|at| at + 4),
            [b'/', b'/', rest @ ..] => memchr::memchr(b'\n', rest).map(|at| at + 3),
            _ => return Step::Nothing,
        };
        match end {
            Some(end) => text = text.get(end..).unwrap_or_default(),
            None => return follow.or(Step::Nothing),
        }
    }
}

/// `true`, `null`, a number, also one that is not finite.
fn is_scalar(token: &[u8]) -> bool {
    let number = std::str::from_utf8(token).is_ok_and(|token| token.parse::<f64>().is_ok());
    number || matches!(token, b"true" | b"false" | b"null")
}

/// Behind `"`: a string without control characters, which is a document by itself.
fn string(rest: &[u8], follow: Follow) -> Step {
    let mut escaped = false;
    for &byte in rest {
        match byte {
            ..b' ' => return Step::Nothing,
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return JSON,
            _ => {}
        }
    }
    follow.or(Step::Nothing)
}

/// Behind `<`: a declaration, an instruction, code, or a tag. A tag that never ends is one too: browsers close it.
fn markup(rest: &[u8], follow: Follow) -> Step {
    const MARKUP: Step = Step::Is(Shape::Markup);
    match rest {
        [] => follow.or(Step::Nothing),
        [b'?' | b'!' | b'%', ..] => MARKUP,
        [b'/' | b'_' | b'a'..=b'z' | b'A'..=b'Z' | 0x80.., ..] => {
            // Numbers and lengths of binary formats stand before a tag could end.
            let end = rest.iter().find(|byte| **byte == b'>' || is_control(**byte));
            match end {
                Some(b'>') => MARKUP,
                Some(_) => Step::Nothing,
                None => follow.or(MARKUP),
            }
        }
        _ => Step::Nothing,
    }
}

/// Behind `#`: the rest of `#!/path/to/interpreter`.
fn script(rest: &[u8], follow: Follow) -> Step {
    let Some((first, path)) = rest.split_first() else { return follow.or(Step::Nothing) };
    match skip(path, |byte| matches!(byte, b' ' | b'\t')) {
        _ if *first != b'!' => Step::Nothing,
        [] => follow.or(Step::Nothing),
        [b'/', ..] => Step::Is(Shape::Script),
        _ => Step::Nothing,
    }
}

/// A name and `=`, perhaps behind other names that `&` ends.
fn form(text: &[u8], follow: Follow) -> Step {
    const FORM: Step = Step::Is(Shape::Form);
    let behind = skip(text, |byte| is_argument_name(byte) || byte == b'&' || byte == b'?');
    let names = text.get(..text.len() - behind.len()).unwrap_or_default();
    let last = names.rsplit(|byte| *byte == b'&').next().unwrap_or_default();
    match behind {
        // Pairs without a value are no more than a word, however many.
        [] => follow.or(Step::Nothing),
        [b'=', ..] if names.is_empty() => Step::Nothing,
        [b'=', ..] if last.len() <= NAME_BYTES_USUAL => FORM,
        [b'=', value @ ..] => match skip(value, |byte| byte == b'=') {
            [] => follow.or(Step::Nothing),
            [b'\r' | b'\n', ..] => Step::Nothing,
            _ => FORM,
        },
        _ => Step::Nothing,
    }
}

fn skip(text: &[u8], matching: impl Fn(u8) -> bool) -> &[u8] {
    let end = text.iter().position(|byte| !matching(*byte)).unwrap_or(text.len());
    text.get(end..).unwrap_or_default()
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// White space, and the zero bytes that some readers drop.
pub(super) const fn is_padding(byte: u8) -> bool {
    is_space(byte) || matches!(byte, 0 | 0x0b | 0x0c)
}

/// A control character that no text holds.
pub(super) const fn is_control(byte: u8) -> bool {
    byte < b' ' && !matches!(byte, b'\t'..=b'\r' | 0x1b) || byte == 0x7f
}

/// Part of a bare name in JSON as JavaScript takes it.
const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'\\' | 0x80..)
}

/// Part of the name of an argument, percent coding included.
const fn is_argument_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'_' | b'-' | b'.' | b'[' | b']' | b'%' | b'+' | b'$' | b':' | b'@' | b'~' | b'*' | b'!'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every prefix either waits or says the same as the whole.
    fn check(text: &[u8], expected: Step) {
        assert_eq!(shape(text, Follow::Nothing), expected, "{}", text.escape_ascii());
        let early = (0..=text.len()).map(|end| shape(&text[..end], Follow::Perhaps));
        let decided: Vec<Step> = early.filter(|step| *step != Step::More).collect();
        assert!(decided.iter().all(|step| *step == expected), "{}: {decided:?}", text.escape_ascii());
    }

    const DOCUMENTS: &[(Shape, &[&str])] = &[
        (
            Shape::Json,
            &[
                "{\"user\":\"A\"}",
                " \r\n\t{ \"user\" : 1}",
                "\u{feff}{\"user\":\"A\"}",
                "\n\u{feff} {\"a\":1}",
                "\0\0{\"a\":1}",
                "{}",
                "{'user':'A'}",
                "{user: 'A'}",
                "{/* x */ \"user\":\"A\"}",
                "{// x\n\"user\":\"A\"}",
                "/* x */ // y\n {\"user\":\"A\"}",
                "//\n[1,\"A\"]",
                "[{\"a\":1}]",
                "[[[ [\"A\"]]]]",
                "[1, \"A\"]",
                "[null ,\"A\"]",
                "[-1e5]",
                "[NaN,'A']",
                "[]",
                "\"A string \\\" by itself\"",
            ],
        ),
        (
            Shape::Markup,
            &[
                "<?xml version='1.0'?><a/>",
                "<a>text</a>",
                "\n <user name='A'/>",
                "<!DOCTYPE html>",
                "<!-- x --><a/>",
                "<?php echo 1;",
                "<%@ page import='x' %>",
                "<svg onload=alert(1)>",
                "<img src=x onerror=alert(1)//",
                "</a>",
            ],
        ),
        (Shape::Script, &["#!/bin/sh\nid", "#! /usr/bin/env python3\n", "\u{feff}#!/bin/sh"]),
        (
            Shape::Form,
            &[
                "id=A",
                "a&b&id=A",
                "&id=A&",
                "?id=A",
                " user[name]=A",
                "%75ser=A&x=y",
                "a.b-c_d=",
                "flag&=&id=A",
            ],
        ),
    ];

    #[test]
    fn documents_are_told_by_their_beginning() {
        for (shape, texts) in DOCUMENTS {
            for text in *texts {
                check(text.as_bytes(), Step::Is(*shape));
            }
        }
    }

    #[test]
    fn other_texts_and_binary_formats_are_nothing() {
        for text in [
            &b""[..],
            b" \n",
            b"\xef\xbb",
            b"Notes of Monday: buy milk = good",
            b"# Heading\n\nText with <b>tags</b> and a=b",
            b"#!not-a-path",
            b"name,price\nA,1\n",
            b"[section]\nkey=value\n",
            b"[link](https://shop.example/?a=b)",
            b"[2024-01-01] GET /",
            b"[2024-01-01 10:00:00] started",
            b"[[bin]]\nname = 'x'",
            b"- [ ] task",
            b"{{ template }}",
            b"{\\rtf1",
            b"{ ",
            b"name = value",
            b"10000;chunk-signature=ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648\r\n",
            b"0032want 0a53e9ddeaddad63ad106860237bbf53411d11a7\n",
            b"<= 3",
            b"/* The licence. */\nbody { color: red }",
            b"// The licence.\nuse std::fmt;",
            b"/usr/bin/a=b",
            b"/* never closed {\"a\":1}",
            b"< 3",
            b"==== Heading ====",
            b"VGhpcyBsaW5lIGlzIGxvbmcgZW5vdWdoIHRvIGJlIG1vcmUgdGhhbiBhIG5hbWUgd2l0aCBhIHZhbHVlIQ==",
            b"VGhpcyBsaW5lIGlzIGxvbmcgZW5vdWdoIHRvIGJlIG1vcmUgdGhhbiBhIG5hbWUgd2l0aCBhIHZhbHVlIQ==\n",
            b"\x89PNG\r\n\x1a\n&id=A&",
            b"\xff\xd8\xff\xe0\0\x10JFIF",
            b"PK\x03\x04\x14\0",
            b"\x1f\x8b\x08\0",
            b"\0asm\x01\0\0\0",
            b"\0\0\0\x20ftypisom",
            b"SQLite format 3\0",
            b"\x0a\x3cA name of sixty bytes in a message, as protobuf writes one of it\x12\x01",
            b"\x0a\x22{\x08\x01",
            b"\x82\xa4user\xa1A",
        ] {
            check(text, Step::Nothing);
        }
    }
}
