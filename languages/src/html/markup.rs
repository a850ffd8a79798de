//! Signs of markup in a value: elements, attributes and addresses that run code or load it. Conclusions
//! only, without weights; it does not know where in a request the value stood.

use super::fold::{self, Scheme};
use super::names::{self, Handler, Name, Power};
use super::player;
use super::sign::HtmlSign;
use super::tokens::{Token, Tokens};
use super::triggers;
use crate::language::{Context, Findings, Input, Language};
use crate::script::{attribute, word};

mod breakout;
mod style;

/// Most bytes of an attribute's value that are looked through.
const VALUE_BYTES_MAX: usize = 4096;

/// Bytes that may lie between the end of the page's own markup and a tag.
const BREAK_BYTES_MAX: usize = 32;

/// Markup of a page.
#[derive(Debug)]
pub struct Html;

impl Language for Html {
    type Sign = HtmlSign;
    const NAME: &'static str = "html";
    const TRIGGERS: &'static [&'static str] = triggers::TRIGGERS;

    fn scan(input: &Input<'_>, findings: &mut Findings<'_, HtmlSign>) {
        let bytes = input.bytes;
        let report = &mut |sign, offset| findings.add_line(sign, Context::Code, bytes, offset);
        tags(bytes, report);
        breakout::conclude(bytes, report);
        style::conclude(bytes, report);
    }
}

fn tags(bytes: &[u8], report: &mut impl FnMut(HtmlSign, usize)) {
    let mut element = Name::element(b"");
    let mut first = true;
    for token in Tokens::new(bytes) {
        if let Token::Open { at, .. } | Token::Declaration { at, .. } | Token::Instruction { at, .. } = token
            && std::mem::take(&mut first)
            && breaks_before(bytes.get(..at).unwrap_or_default())
        {
            report(HtmlSign::MarkupBreak, at);
        }
        match token {
            Token::Open { name, at } => {
                element = Name::element(name);
                opened(bytes, &element, at, report);
            }
            Token::Close { name, at } => {
                element = Name::element(name);
                if element.local() == b"script" {
                    report(HtmlSign::ScriptEnd, at);
                }
                if std::mem::take(&mut first) && ends_raw_text(element.local()) {
                    report(HtmlSign::MarkupBreak, at);
                }
            }
            Token::Attribute { name, value, at } => attribute(&element, name, value, at, report),
            Token::Declaration { rest, at } => declaration(rest, at, report),
            Token::Instruction { rest, at } => {
                if rest.get(..6).is_some_and(|word| word.eq_ignore_ascii_case(b"import")) {
                    report(HtmlSign::LegacyElement, at);
                }
            }
        }
    }
    spaced(bytes, report);
}

fn opened(bytes: &[u8], element: &Name, at: usize, report: &mut impl FnMut(HtmlSign, usize)) {
    if names::is_edge_include(element) {
        report(HtmlSign::ServerInclude, at);
    }
    let power = names::power(element);
    if matches!(power, Power::Loads | Power::Legacy | Power::Suspect) && is_generic(bytes, element, at) {
        return;
    }
    match power {
        Power::Script => report(HtmlSign::ScriptElement, at),
        Power::Loads if player::is_player(bytes.get(at..).unwrap_or_default()) => {
            report(HtmlSign::SuspectElement, at);
        }
        Power::Loads => report(HtmlSign::DangerousElement, at),
        Power::Legacy => report(HtmlSign::LegacyElement, at),
        Power::Suspect => report(HtmlSign::SuspectElement, at),
        Power::Style => {
            report(HtmlSign::StyleElement, at);
            style::sheet(bytes, at, report);
        }
        Power::Needs | Power::Plain => {}
    }
}

/// Returns `true` if `<Name>` at `at` is a type in angle brackets, as in `List<Object>`.
fn is_generic(bytes: &[u8], element: &Name, at: usize) -> bool {
    let name = bytes.get(at + 1..).unwrap_or_default();
    let behind = name.get(element.as_bytes().len()).copied();
    let typed = bytes.get(..at).and_then(<[u8]>::last).is_some_and(|&byte| word::continues_name(byte));
    typed && name.first().is_some_and(u8::is_ascii_uppercase) && matches!(behind, Some(b'>' | b',' | b'<'))
}

fn attribute(
    element: &Name,
    name: &[u8],
    value: Option<&[u8]>,
    at: usize,
    report: &mut impl FnMut(HtmlSign, usize),
) {
    let name = Name::attribute(name);
    let assigned = value.is_some();
    let value = value.unwrap_or_default();
    let value = value.get(..VALUE_BYTES_MAX).unwrap_or(value);
    match names::handler(name.as_bytes()) {
        _ if is_assigned_handler(value) => report(HtmlSign::Handler, at),
        Some(Handler::Known) if assigned => report(HtmlSign::Handler, at),
        Some(Handler::Possible) if attribute::reads_as_code(value) => report(HtmlSign::Handler, at),
        _ => {}
    }
    // Drawings refer to their parts by `xlink:href`; where it leads is judged below.
    if names::dangerous_attribute(name.as_bytes()) && name.local() != b"href" {
        report(HtmlSign::DangerousAttribute, at);
    }
    // A link out of a drawing or a formula that leaves the scheme open is none that an editor writes.
    if name.as_bytes() == b"xlink:href"
        && element.local() == b"a"
        && value.trim_ascii_start().starts_with(b"//")
    {
        report(HtmlSign::DangerousAttribute, at);
    }
    if names::powerful(element.local(), name.as_bytes(), value) {
        report(HtmlSign::DangerousElement, at);
    }
    if element.local() == b"import" && name.as_bytes() == b"implementation" {
        report(HtmlSign::LegacyElement, at);
    }
    if name.local() == b"schemalocation" && has_foreign_location(value)
        || element.local() == b"include" && name.as_bytes() == b"href" && host(value).is_some()
    {
        report(HtmlSign::RemoteSchema, at);
    }
    address(element, &name, value, at, report);
}

/// Returns `true` if an attribute's value is itself a handler with its value: `src= onerror="…"`.
fn is_assigned_handler(value: &[u8]) -> bool {
    let window = value.get(..64).unwrap_or(value);
    memchr::memchr(b'=', window).is_some_and(|equals| {
        let (name, code) = value.split_at(equals);
        names::handler(Name::element(name).as_bytes()) == Some(Handler::Known)
            && attribute::reads_as_code(code.get(1..).unwrap_or_default())
    })
}

/// Judges the address in an attribute's value.
fn address(element: &Name, name: &Name, value: &[u8], at: usize, report: &mut impl FnMut(HtmlSign, usize)) {
    let start = value.iter().take_while(|byte| matches!(byte, b'"' | b'\'' | b'`')).count();
    let value = value.get(start..).unwrap_or_default();
    // `&{…}` was script in browsers of old.
    if value.starts_with(b"&{") {
        report(HtmlSign::ScriptUrl, at);
    }
    match fold::scheme(value) {
        Some(found) if found.scheme == Scheme::Script => {
            let filler = !found.disguised && fold::is_filler(value.get(found.end..).unwrap_or_default());
            report(if filler { HtmlSign::FillerUrl } else { HtmlSign::ScriptUrl }, at);
        }
        Some(found) => {
            let picture = matches!(element.local(), b"img" | b"image" | b"source" | b"audio" | b"video");
            let reference = matches!(
                name.local(),
                b"href"
                    | b"src"
                    | b"data"
                    | b"action"
                    | b"content"
                    | b"to"
                    | b"from"
                    | b"by"
                    | b"values"
                    | b"handler"
            );
            if reference && !picture && found.scheme == Scheme::Document {
                report(HtmlSign::DataUrl, at);
            }
        }
        None => {}
    }
}

/// Returns `true` if the text right before the first tag ends something that the page may have open.
fn breaks_before(before: &[u8]) -> bool {
    let start = before.len().saturating_sub(BREAK_BYTES_MAX);
    memchr::memchr_iter(b'>', before.get(start..).unwrap_or_default()).any(|end| {
        let before = before.get(..start + end).unwrap_or_default();
        let last = before.iter().rev().take(16).find(|byte| !byte.is_ascii_whitespace() && **byte != b'/');
        matches!(last, Some(b'"' | b'\'' | b'`')) || before.ends_with(b"--") || before.ends_with(b"]]")
    })
}

/// Elements whose content is text: closing one first means that the value breaks out of it.
fn ends_raw_text(name: &[u8]) -> bool {
    matches!(
        name,
        b"script"
            | b"style"
            | b"title"
            | b"textarea"
            | b"noscript"
            | b"xmp"
            | b"iframe"
            | b"noembed"
            | b"select"
            | b"template"
    )
}

fn declaration(rest: &[u8], at: usize, report: &mut impl FnMut(HtmlSign, usize)) {
    if let Some(directive) = rest.strip_prefix(b"--#") {
        const DIRECTIVES: [&[u8]; 8] =
            [b"exec", b"echo", b"include", b"set", b"config", b"printenv", b"fsize", b"flastmod"];
        let letters = directive.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let word = directive.get(..letters).unwrap_or_default();
        if DIRECTIVES.iter().any(|known| word.eq_ignore_ascii_case(known)) {
            report(HtmlSign::ServerInclude, at);
        }
    }
}

/// `<f o r m`, `< script`: letters with nothing but gaps between them.
fn spaced(bytes: &[u8], report: &mut impl FnMut(HtmlSign, usize)) {
    for at in memchr::memchr_iter(b'<', bytes) {
        let mut name = [0u8; 8];
        let mut length = 0;
        let mut gaps = 0;
        let mut gap = false;
        for &byte in bytes.get(at + 1..).unwrap_or_default().iter().take(48) {
            if byte.is_ascii_alphabetic() {
                // Two letters without a gap mean a word, and words end the spelling; except behind a gap at the very start.
                if length > 0 && !gap && gaps != 1 {
                    break;
                }
                let Some(slot) = name.get_mut(length) else { break };
                *slot = byte.to_ascii_lowercase();
                length += 1;
                gap = false;
            } else if byte <= b' ' {
                gaps += usize::from(!gap);
                gap = true;
                if gaps == 2 && length == 6 && name.starts_with(b"script") {
                    break;
                }
            } else {
                break;
            }
            if gaps >= 3 && names::conspicuous(name.get(..length).unwrap_or_default()) {
                report(HtmlSign::SpacedElement, at);
                break;
            }
        }
        if gaps >= 1 && name.get(..length) == Some(b"script") {
            report(HtmlSign::SpacedElement, at);
        }
    }
}

/// Returns `true` if a schema location names a host other than its namespace's.
fn has_foreign_location(value: &[u8]) -> bool {
    let mut words = value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).take(64);
    while let (Some(namespace), Some(location)) = (words.next(), words.next()) {
        if let (Some(own), Some(foreign)) = (host(namespace), host(location))
            && !own.eq_ignore_ascii_case(foreign)
        {
            return true;
        }
    }
    false
}

/// The authority of an absolute address.
fn host(address: &[u8]) -> Option<&[u8]> {
    let at = memchr::memmem::find(address, b"//")?;
    let rest = address.get(at + 2..)?;
    let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#')).unwrap_or(rest.len());
    rest.get(..end)
}
