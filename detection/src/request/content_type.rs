//! The request's own `Content-Type`: whether it can be read, and whether it says one thing.

use super::facts::{Facts, HeadFinding};
use super::media_type::{
    Parameters, essence, is_known_character_set, is_media_type, is_registered, is_token,
};
use crate::rules::request_head::content_type::{
    BYTES_OUTSIDE_ASCII, CHARACTER_SET, FORM_BOUNDARY, FORM_CHARACTER_SET, HIDDEN_MEDIA_TYPE, MALFORMED,
    REPEATED, TRANSFER_ENCODING_OF_FORM,
};
use waf_bodies::parameters::is_extended;

pub(super) fn check<'a>(facts: &Facts<'a>, found: &mut Vec<HeadFinding<'a>>) {
    if let Some(second) = facts.content_type.second {
        found.push(HeadFinding::new(&REPEATED, "content-type", second));
    }
    let Some(value) = facts.content_type.first.filter(|value| !value.is_empty()) else { return };
    let is_form = starts_with(value, b"multipart/form-data");
    if is_form {
        form(facts, value, found);
    }
    // Ordinary values end here: one word, no parameters.
    let essence = essence(value);
    if essence.len() == value.len() && is_media_type(essence) {
        return;
    }
    let mut report = |rule| found.push(HeadFinding::new(rule, "content-type", value));
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

fn form<'a>(facts: &Facts<'a>, value: &'a [u8], found: &mut Vec<HeadFinding<'a>>) {
    let mut report = |rule| found.push(HeadFinding::new(rule, "content-type", value));
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
        found.push(HeadFinding::new(&TRANSFER_ENCODING_OF_FORM, "content-transfer-encoding", coding));
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
