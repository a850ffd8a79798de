//! Attributes and addresses in a value that may stand inside a tag of the page: behind a quote that ends the page's
//! own value, or at the value's beginning where an address is expected.

use memchr::memchr_iter;

use super::super::sign::HtmlSign;
use crate::html::fold::{self, Scheme};
use crate::html::names::{self, Handler, Name};
use crate::script::attribute;

/// How far a look back goes.
const BACK_BYTES_MAX: usize = 64;

/// What stands before an attribute's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    /// Nothing at all.
    Start,
    /// White space or a slash, and before them nothing.
    Gap,
    /// A quote, with or without a gap.
    Quote,
    /// A quote that opens a word in prose.
    ProseQuote,
    /// A gap and a word.
    Word,
    /// Anything else.
    Other,
}

/// Reports attributes and addresses that break into the page.
pub(super) fn conclude(bytes: &[u8], report: &mut impl FnMut(HtmlSign, usize)) {
    attributes(bytes, report);
    addresses(bytes, report);
}

fn attributes(bytes: &[u8], report: &mut impl FnMut(HtmlSign, usize)) {
    let mut quotes = Quotes::default();
    for equals in memchr_iter(b'=', bytes) {
        let head = bytes.get(..equals).unwrap_or_default();
        let (head, _) = head.split_at(head.len() - trailing(head, is_gap));
        let letters = trailing(head, is_name);
        if letters < 4 || letters == BACK_BYTES_MAX {
            continue;
        }
        let (head, written) = head.split_at(head.len() - letters);
        let name = Name::element(written);
        let handler = names::handler(name.as_bytes());
        let dangerous = names::dangerous_attribute(name.as_bytes());
        if handler.is_none() && !dangerous {
            continue;
        }
        let value = bytes.get(equals + 1..).unwrap_or_default();
        let before = before(head);
        if let Some(handler) = handler
            && let Some(sign) = handler_sign(handler, before, quotes.is_open(bytes, head.len()), value)
        {
            report(sign, head.len());
        }
        if dangerous && before == Before::Quote {
            report(HtmlSign::AttributeBreak, head.len());
        }
    }
}

/// Counts quotes up to an offset that only grows. An odd number of one kind means that the first of them ends a
/// value of the page.
#[derive(Debug, Default)]
struct Quotes {
    counted: usize,
    odd: [bool; 3],
}

impl Quotes {
    fn is_open(&mut self, bytes: &[u8], until: usize) -> bool {
        for (offset, byte) in bytes.get(self.counted..until).unwrap_or_default().iter().enumerate() {
            let Some(kind) = b"\"'`".iter().position(|quote| quote == byte) else { continue };
            let at = self.counted + offset;
            // The apostrophe of "don't" quotes nothing.
            let inside = |at: Option<&u8>| at.is_some_and(u8::is_ascii_alphabetic);
            let apostrophe = kind == 1 && inside(bytes.get(at.wrapping_sub(1))) && inside(bytes.get(at + 1));
            if let Some(odd) = self.odd.get_mut(kind).filter(|_| !apostrophe) {
                *odd = !*odd;
            }
        }
        self.counted = self.counted.max(until);
        self.odd.contains(&true)
    }
}

fn handler_sign(handler: Handler, before: Before, quoted: bool, value: &[u8]) -> Option<HtmlSign> {
    let known = handler == Handler::Known;
    let code = attribute::reads_as_code(value);
    match before {
        Before::Quote if known || code => Some(HtmlSign::HandlerBreak),
        Before::Gap if known && (code || is_blank(value)) => Some(HtmlSign::HandlerBreak),
        Before::Word if known && code && quoted => Some(HtmlSign::HandlerBreak),
        Before::ProseQuote if known && code => Some(HtmlSign::HandlerBreak),
        Before::Start | Before::Word if known && code => Some(HtmlSign::HandlerText),
        _ => None,
    }
}

fn before(head: &[u8]) -> Before {
    let gap = trailing(head, is_gap);
    let (rest, _) = head.split_at(head.len() - gap);
    match rest.split_last() {
        None if gap == 0 => Before::Start,
        None => Before::Gap,
        Some((b'"' | b'\'' | b'`', outside)) => {
            let blanks = trailing(outside, |byte| byte.is_ascii_whitespace());
            let word = outside.iter().rev().nth(blanks).is_some_and(u8::is_ascii_alphanumeric);
            if gap == 0 && blanks > 0 && word { Before::ProseQuote } else { Before::Quote }
        }
        Some(_) if gap > 0 => Before::Word,
        Some(_) => Before::Other,
    }
}

fn addresses(bytes: &[u8], report: &mut impl FnMut(HtmlSign, usize)) {
    bare(bytes, 0, report);
    if bytes.first() == Some(&b'/') {
        bare(bytes, 1, report);
    }
    for (at, _) in bytes
        .iter()
        .enumerate()
        .filter(|(_, byte)| matches!(byte, b'=' | b'"' | b'\'' | b'`' | b'(' | b'>' | b','))
    {
        bare(bytes, at + 1, report);
    }
}

/// An address at `at`, outside of any tag that could say what it is for.
fn bare(bytes: &[u8], at: usize, report: &mut impl FnMut(HtmlSign, usize)) {
    let rest = bytes.get(at..).unwrap_or_default();
    let Some(found) = fold::scheme(rest) else { return };
    let tail = rest.get(found.end..).unwrap_or_default();
    match found.scheme {
        Scheme::Script if found.disguised => report(HtmlSign::BareScriptUrl, at),
        Scheme::Script if is_blank(tail) => {}
        Scheme::Script if fold::is_filler(tail) => report(HtmlSign::FillerUrl, at),
        Scheme::Script if fold::reads_as_code(tail) => report(HtmlSign::BareScriptUrl, at),
        Scheme::Document => {
            let kind = tail.trim_ascii_start();
            let is = |name: &[u8]| kind.get(..name.len()).is_some_and(|kind| kind.eq_ignore_ascii_case(name));
            // A picture in SVG is everyday; whoever shows it as a picture runs nothing.
            let page = is(b"text/html") && matches!(kind.get(9), None | Some(b',' | b';'));
            if page || at <= 1 && !is(b"image/") && tail.iter().take(80).any(|&byte| byte == b',') {
                report(HtmlSign::DataUrl, at);
            }
        }
        _ => {}
    }
}

/// How many bytes at the end of `head` are `wanted`, as far as a look back goes.
fn trailing(head: &[u8], wanted: fn(u8) -> bool) -> usize {
    head.iter().rev().take(BACK_BYTES_MAX).take_while(|&&byte| wanted(byte)).count()
}

fn is_gap(byte: u8) -> bool {
    byte <= b' ' || byte == b'/' || byte == 0x7f
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'-' | b'_')
}

/// Nothing, or nothing but gaps, quotes and equals signs.
fn is_blank(value: &[u8]) -> bool {
    value.len() <= BACK_BYTES_MAX
        && value.iter().all(|&byte| is_gap(byte) || matches!(byte, b'=' | b'"' | b'\''))
}
