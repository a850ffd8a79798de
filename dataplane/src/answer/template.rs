//! `error_response` filled in, and the media type of what it makes.

use std::time::SystemTime;

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use waf_shared::plan::{ErrorTemplate, TemplatePart};

pub(super) const JSON: &str = "application/json; charset=utf-8";
pub(super) const HTML: &str = "text/html; charset=utf-8";
const XML: &str = "application/xml; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";

/// Elements of HTML that a body may begin with (HTML Living Standard section 4, with `svg` and `math`, and what older
/// pages have). A document of any other root element is XML.
const HTML_ELEMENTS: &[&str] = &[
    "a",
    "abbr",
    "address",
    "article",
    "aside",
    "audio",
    "b",
    "base",
    "blockquote",
    "body",
    "br",
    "button",
    "canvas",
    "center",
    "cite",
    "code",
    "details",
    "dialog",
    "div",
    "dl",
    "em",
    "embed",
    "fieldset",
    "figure",
    "font",
    "footer",
    "form",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hgroup",
    "hr",
    "html",
    "i",
    "iframe",
    "img",
    "input",
    "label",
    "link",
    "main",
    "map",
    "mark",
    "math",
    "menu",
    "meta",
    "nav",
    "noscript",
    "object",
    "ol",
    "p",
    "picture",
    "pre",
    "q",
    "s",
    "samp",
    "script",
    "search",
    "section",
    "small",
    "span",
    "strong",
    "style",
    "sub",
    "sup",
    "svg",
    "table",
    "template",
    "textarea",
    "time",
    "title",
    "tt",
    "u",
    "ul",
    "var",
    "video",
];

/// Media type and text of a filled template. A request id is made of `[A-Za-z0-9._-]` and a timestamp of digits, `-`,
/// `:`, `T` and `Z`, so that both stand as they are in JSON, HTML, XML and plain text.
pub(super) fn fill(template: &ErrorTemplate, request_id: &str, now: SystemTime) -> (&'static str, String) {
    let mut text = String::new();
    for part in &template.parts {
        match part {
            TemplatePart::Text(piece) => text.push_str(piece),
            TemplatePart::RequestId => text.push_str(request_id),
            TemplatePart::Timestamp => text.push_str(&rfc3339_seconds(now)),
        }
    }
    (media_type(&text), text)
}

fn rfc3339_seconds(now: SystemTime) -> String {
    let utc = OffsetDateTime::from(now);
    utc.replace_nanosecond(0).unwrap_or(utc).format(&Rfc3339).unwrap_or_default()
}

fn media_type(text: &str) -> &'static str {
    if serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
        JSON
    } else if is_xml(text) {
        XML
    } else if text.trim_start().starts_with('<') {
        HTML
    } else {
        TEXT
    }
}

/// Reports whether a text is an XML document: it declares XML, or it is one element that HTML does not have. A page
/// (`<!doctype html>`, or a root of HTML without a declaration) is HTML.
fn is_xml(text: &str) -> bool {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    let declares = |rest: &str| {
        rest.strip_prefix("<?xml").is_some_and(|after| after.starts_with(|c: char| c.is_ascii_whitespace()))
    };
    let declared = declares(rest);
    // Before the root: the declaration, processing instructions, comments and the document type.
    loop {
        let end = if rest.starts_with("<?") {
            "?>"
        } else if rest.starts_with("<!--") {
            "-->"
        } else if rest.starts_with("<!") {
            if is_html_doctype(rest) {
                return false;
            }
            ">"
        } else {
            break;
        };
        let Some((_, after)) = rest.split_once(end) else { return declared };
        rest = after.trim_start();
    }
    let Some(name) = rest.strip_prefix('<').map(element_name).filter(|name| !name.is_empty()) else {
        return declared;
    };
    declared || (!HTML_ELEMENTS.iter().any(|known| name.eq_ignore_ascii_case(known)) && is_closed(rest, name))
}

fn is_html_doctype(markup: &str) -> bool {
    let mut words = markup.split(|c: char| c.is_ascii_whitespace() || c == '>' || c == '[');
    words.next().is_some_and(|word| word.eq_ignore_ascii_case("<!doctype"))
        && words.find(|word| !word.is_empty()).is_some_and(|word| word.eq_ignore_ascii_case("html"))
}

/// The name that a tag begins with, up to a space, a slash or its end.
fn element_name(tag: &str) -> &str {
    let ends = |c: char| c.is_ascii_whitespace() || c == '/' || c == '>';
    let name = tag.split(ends).next().unwrap_or_default();
    if name.starts_with(|c: char| c.is_alphabetic() || c == '_') { name } else { "" }
}

/// Reports whether a text that begins with the tag of `name` ends with that element.
fn is_closed(text: &str, name: &str) -> bool {
    let Some(inner) = text.trim_end().strip_suffix('>') else { return false };
    match inner.trim_end().strip_suffix(name) {
        Some(before) => before.ends_with("</"),
        // One tag, and nothing behind it.
        None => inner.ends_with('/') && !inner.contains('>'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_sent_as_what_it_is() {
        for (text, expected) in [
            ("<?xml version=\"1.0\"?><error><id>x</id></error>", XML),
            ("\u{feff}<?xml version='1.0' encoding='UTF-8'?>\n<!-- c -->\n<error/>", XML),
            ("<?xml version=\"1.0\"?>\n<!DOCTYPE problem SYSTEM \"p.dtd\">\n<problem></problem>", XML),
            ("<problem xmlns=\"urn:ietf:rfc:7807\"><title>Refused</title></problem>\n", XML),
            ("<soap:Envelope xmlns:soap='http://schemas.xmlsoap.org/soap/envelope/'>x</soap:Envelope>", XML),
            ("<error code=\"403\"/>", XML),
            ("<Response ><Code>blocked</Code></Response >", XML),
            ("<!-- page --><error>x</error>", XML),
            ("<?xml-stylesheet href='a.xsl'?><error>x</error>", XML),
            ("<?xml version=\"1.0\"?><html xmlns=\"http://www.w3.org/1999/xhtml\"></html>", XML),
            ("<p>Reference 1</p>", HTML),
            ("<P>Reference 1", HTML),
            ("<!doctype html><title>x</title>", HTML),
            ("<!DOCTYPE\nHTML PUBLIC \"-//W3C//DTD XHTML 1.0\">\n<html></html>", HTML),
            ("<?xml version=\"1.0\"?>\n<!DOCTYPE html>\n<html></html>", HTML),
            (" <html><body>x</body></html>", HTML),
            ("<!-- c --><h1>x</h1>", HTML),
            ("<blocked> or not", HTML),
            ("<br/>refused", HTML),
            ("<b>x</b> <i>y</i>", HTML),
            ("<", HTML),
            ("<!--", HTML),
            ("{\"id\":1}", JSON),
            ("\"<error/>\"", JSON),
            ("[]", JSON),
            ("blocked <error/>", TEXT),
            ("", TEXT),
            ("{id}", TEXT),
        ] {
            assert_eq!(media_type(text), expected, "{text:?}");
        }
    }

    #[test]
    fn fields_are_filled_in() {
        let parts = vec![
            TemplatePart::Text("<error id='".to_owned()),
            TemplatePart::RequestId,
            TemplatePart::Text("'>".to_owned()),
            TemplatePart::Timestamp,
            TemplatePart::Text("</error>".to_owned()),
        ];
        let (media_type, text) = fill(&ErrorTemplate { parts }, "id-1", SystemTime::UNIX_EPOCH);
        assert_eq!((media_type, text.as_str()), (XML, "<error id='id-1'>1970-01-01T00:00:00Z</error>"));
    }
}
