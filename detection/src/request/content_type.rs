//! The request's own `Content-Type`: whether it can be read, and whether it says one thing.

use waf_shared::catalog::Leaf;

use super::facts::{Facts, Finding};
use super::media_type::{
    Parameters, essence, is_known_character_set, is_media_type, is_registered, is_token,
};
use crate::body::is_extended;
use crate::field::Places;
use crate::rule::{Rule, RuleMatcher, STRONG};

pub(super) static MALFORMED: Rule = Rule {
    id: "http-compliance-content-type-header/malformed",
    leaf: Leaf::HttpComplianceContentTypeHeader,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "The Content-Type is not a media type with parameters, repeats a parameter, or has charset or boundary in the extended form of RFC 2231.",
    attacks: &[
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: text/xml; blah\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: text/plain; charset=\"UTF-8\"; garbage\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: %{(#a='multipart/form-data').(#b=1)}\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: text/plain; charset=utf-8; charset=utf-16\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: application/json, text/xml\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: application/x-www-form-urlencoded; charset*=utf-16\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: text/plain; Charset*=us-ascii'en'utf-32\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: application/json; charset*0=utf-; charset*1=16\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: text/plain; charset=utf-8; charset*0*=utf-7\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/mixed; boundary*=utf-8''b; boundary=a\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: application/json; charset=utf-8;\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/mixed; boundary=--a:55780(123,45:667)+b\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: application/soap+xml; action=\"urn:a:b#c\"; charset=UTF-8\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: application/*+json\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: application/pdf; name*=utf-8''caf%C3%A9.pdf\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: text/plain; charset-hint=utf-8; charset=utf-8\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type:\n\n",
    ],
};

pub(super) static REPEATED: Rule = Rule {
    id: "http-compliance-content-type-header/repeated",
    leaf: Leaf::HttpComplianceContentTypeHeader,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "There is more than one Content-Type.",
    attacks: &[
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: application/json\nContent-Type: application/xml\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: text/plain\nContent-Type: text/plain\n\n",
        "PUT / HTTP/1.1\nHost: shop.example\nContent-type: text/plain\nCONTENT-TYPE: text/html\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: application/json\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: application/json\nX-Content-Type: x\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nX-Content-Type-Options: nosniff\n\n",
    ],
};

pub(super) static CHARACTER_SET: Rule = Rule {
    id: "http-compliance-content-type-header/character-set",
    leaf: Leaf::HttpComplianceContentTypeHeader,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "The Content-Type names a character set that does not exist or in which text reads as something else.",
    attacks: &[
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: application/x-www-form-urlencoded; charset=ibm037\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: text/plain;charset=garbage\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: application/json; charset=\"utf-7\"\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: application/x-www-form-urlencoded; charset=utf-16\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: text/xml; charset=utf-16\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: application/x-www-form-urlencoded; charset='utf-8'\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: text/html; charset=Shift_JIS\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: text/plain; charset=windows-1252\n\n",
    ],
};

pub(super) static HIDDEN_MEDIA_TYPE: Rule = Rule {
    id: "http-attacks-dangerous-content-types/hidden-media-type",
    leaf: Leaf::HttpAttacksDangerousContentTypes,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "A parameter of the Content-Type holds a second media type, which a lenient parser may take for the first.",
    attacks: &[
        "GET / HTTP/1.1\nHost: a.example\nContent-Type: application/x-www-form-urlencoded;boundary=\"application/json\"\n\n",
        "GET / HTTP/1.1\nHost: a.example\nContent-Type: application/x-www-form-urlencoded; boundary=\"foo/bar\"\n\n",
        "GET / HTTP/1.1\nHost: a.example\nContent-Type: text/plain; x=text/xml\n\n",
        "GET / HTTP/1.1\nHost: a.example\nContent-Type: text/plain; a/b; application/soap+xml\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: a.example\nContent-Type: multipart/related; type=\"application/xop+xml\"; boundary=\"x\"\n\n",
        "GET / HTTP/1.1\nHost: a.example\nContent-Type: multipart/form-data; boundary=aB3/xY+z\n\n",
        "GET / HTTP/1.1\nHost: a.example\nContent-Type: application/ld+json; profile=\"https://www.example.org/a\"\n\n",
        "GET / HTTP/1.1\nHost: a.example\nContent-Type: multipart/form-data; boundary=something\n\n",
    ],
};

pub(super) static FORM_CHARACTER_SET: Rule = Rule {
    id: "file-upload-attacks-charset-trick/form",
    leaf: Leaf::FileUploadAttacksCharsetTrick,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "A multipart form as a whole is declared to be in a character set other than UTF-8 or a Latin one.",
    attacks: &[
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; boundary=x; charset=utf-7\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; charset=\"ibm037\"; boundary=x\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; charset=utf-16; boundary=x\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; boundary=x; charset=utf-8\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; charset=ISO-8859-1; boundary=x\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; boundary=x\n\n",
    ],
};

pub(super) static FORM_BOUNDARY: Rule = Rule {
    id: "file-upload-attacks-content-type-trick/boundary",
    leaf: Leaf::FileUploadAttacksContentTypeTrick,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "A multipart form has no boundary, two of them, or one that RFC 2046 does not allow.",
    attacks: &[
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; boundary=a; boundary=b\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; boundary=\"a;b\"\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; boundary*0=a; boundary*1=b\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxk\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; boundary=\"=_a.b:c/d(e)\"\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; charset=utf-8; boundary=1234\n\n",
    ],
};

pub(super) static TRANSFER_ENCODING_OF_FORM: Rule = Rule {
    id: "file-upload-attacks-deprecated-encoding/form",
    leaf: Leaf::FileUploadAttacksDeprecatedEncoding,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "A multipart form as a whole has a Content-Transfer-Encoding that changes how it reads.",
    attacks: &[
        "GET / HTTP/1.1\nHost: a.example\nContent-Type: multipart/form-data; boundary=x\nContent-Transfer-Encoding: base64\n\n",
        "GET / HTTP/1.1\nHost: a.example\nContent-Type: multipart/form-data; boundary=x\nContent-Transfer-Encoding: quoted-printable\n\n",
        "GET / HTTP/1.1\nHost: a.example\nContent-Type: multipart/form-data; boundary=x\nContent-Transfer-Encoding: x-uue\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: a.example\nContent-Type: multipart/form-data; boundary=x\nContent-Transfer-Encoding: binary\n\n",
        "GET / HTTP/1.1\nHost: a.example\nContent-Type: multipart/form-data; boundary=x\nContent-Transfer-Encoding: 8bit\n\n",
        "GET / HTTP/1.1\nHost: a.example\nContent-Type: text/plain\nContent-Transfer-Encoding: base64\n\n",
    ],
};

pub(super) static BYTES_OUTSIDE_ASCII: Rule = Rule {
    id: "file-upload-attacks-header-tricks/form",
    leaf: Leaf::FileUploadAttacksHeaderTricks,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "The Content-Type of a multipart form holds bytes outside ASCII or a tab, which parsers read differently.",
    attacks: &[
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; boundary=ü\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data;\tboundary\t=x\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; bound\u{130}ry=y; boundary=x\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; boundary=x\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data;boundary=\"x\"\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: Multipart/Form-Data; boundary=x; charset=utf-8\n\n",
    ],
};

pub(super) fn check<'a>(facts: &Facts<'a>, found: &mut Vec<Finding<'a>>) {
    if let Some(second) = facts.content_type.second {
        found.push(Finding::new(&REPEATED, "content-type", second));
    }
    let Some(value) = facts.content_type.first.filter(|value| !value.is_empty()) else { return };
    let is_form = starts_with(value, b"multipart/form-data");
    if is_form {
        form(facts, value, found);
    }
    // Everyday values end here: one word, no parameters.
    let essence = essence(value);
    if essence.len() == value.len() && is_media_type(essence) {
        return;
    }
    let mut report = |rule| found.push(Finding::new(rule, "content-type", value));
    if !is_media_type(essence) || has_unclear_parameters(value) {
        report(&MALFORMED);
    }
    if hides_media_type(essence, value) {
        report(&HIDDEN_MEDIA_TYPE);
    }
    let is_urlencoded = essence.eq_ignore_ascii_case(b"application/x-www-form-urlencoded");
    if !is_form
        && character_sets(value)
            .any(|label| !is_known_character_set(label) || is_urlencoded && is_utf16(label))
    {
        report(&CHARACTER_SET);
    }
}

fn form<'a>(facts: &Facts<'a>, value: &'a [u8], found: &mut Vec<Finding<'a>>) {
    let mut report = |rule| found.push(Finding::new(rule, "content-type", value));
    if value.iter().any(|byte| !byte.is_ascii() || *byte == b'\t') {
        report(&BYTES_OUTSIDE_ASCII);
    }
    if character_sets(value).any(|label| !is_known_character_set(label) || is_utf16(label)) {
        report(&FORM_CHARACTER_SET);
    }
    let mut boundaries = Parameters::of(value).flatten().filter(|(name, _)| starts_with(name, b"boundary"));
    let one = boundaries.next().filter(|(name, boundary)| name.len() == 8 && is_boundary(boundary));
    if one.is_none() || boundaries.next().is_some() {
        report(&FORM_BOUNDARY);
    }
    let harmless = |coding: &&[u8]| {
        [&b"binary"[..], b"8bit", b"7bit"].iter().any(|known| coding.eq_ignore_ascii_case(known))
    };
    if let Some(coding) = facts.content_transfer_encoding.first.filter(|coding| !harmless(coding)) {
        found.push(Finding::new(&TRANSFER_ENCODING_OF_FORM, "content-transfer-encoding", coding));
    }
}

fn starts_with(text: &[u8], start: &[u8]) -> bool {
    text.get(..start.len()).is_some_and(|front| front.eq_ignore_ascii_case(start))
}

/// RFC 2046 section 5.1.1, and the few bytes more that clients put there.
fn is_boundary(text: &[u8]) -> bool {
    let allowed =
        |byte: &u8| byte.is_ascii_alphanumeric() || b"'()+_,-./:=? !#$%&*<>@[]^`{|}~".contains(byte);
    (1..=70).contains(&text.len()) && text.last() != Some(&b' ') && text.iter().all(allowed)
}

fn character_sets(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    let all = Parameters::of(value).flatten();
    all.filter(|(name, _)| name.eq_ignore_ascii_case(b"charset")).map(|(_, label)| label)
}

fn is_utf16(label: &[u8]) -> bool {
    starts_with(label.trim_ascii(), b"utf-16")
}

/// Parameters that are compared for repetition; senders have one to four.
const PARAMETERS_MAX: usize = 16;

fn has_unclear_parameters(value: &[u8]) -> bool {
    let mut names: [&[u8]; PARAMETERS_MAX] = [b""; PARAMETERS_MAX];
    for (count, parameter) in Parameters::of(value).enumerate() {
        let Ok((name, _)) = parameter else { return true };
        if is_extended(name, b"charset") || is_extended(name, b"boundary") {
            return true;
        }
        let Some(slot) = names.get_mut(count) else { return true };
        *slot = name;
        let before = names.get(..count).unwrap_or_default();
        if before.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            return true;
        }
    }
    false
}

/// Media types stand in parameters of multipart types by design, and nowhere else.
fn hides_media_type(essence: &[u8], value: &[u8]) -> bool {
    let is_multipart = starts_with(essence, b"multipart/");
    let by_design = |name: &[u8]| {
        is_multipart
            && [&b"type"[..], b"start-info", b"protocol"].iter().any(|known| name.eq_ignore_ascii_case(known))
    };
    let hidden = Parameters::of(value).any(|parameter| {
        parameter.is_ok_and(|(name, text)| {
            let is_boundary = name.eq_ignore_ascii_case(b"boundary") && !is_multipart;
            !by_design(name) && (is_registered(text) || is_boundary && is_media_type(text))
        })
    });
    // Or it stands there bare, where a parameter belongs.
    hidden
        || value.split(|byte| *byte == b';').skip(1).any(|part| {
            is_token(part.trim_ascii()).then_some(()).is_none() && is_registered(part.trim_ascii())
        })
}
