//! Places of exceptions: written as events write them, with `*` inside a name, and compared with the places of findings.
//! Comparing costs the length of the name, whatever the wildcards.

use std::borrow::Cow;

use waf_shared::limits::{ARGUMENT_NAME_BYTES_MAX, PLACE_WILDCARDS_MAX};
use waf_shared::plan::{ExceptedPlace, NamePart};

use crate::field::{Naming, Place, Places};
use crate::request::arguments::decode_name;

/// A fault of a text that names no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceMistake {
    /// Nothing is called as the part before the colon says.
    Kind,
    /// Values of the kind have no name.
    Named,
    /// Every value of the kind has a name.
    Nameless,
    /// More than [`PLACE_WILDCARDS_MAX`] wildcards, or two in a row.
    Wildcards,
    /// Nothing behind the colon, or a name longer than any.
    Name,
}

/// Reads a place as events write it: `ARGS:content`, `JSON:post.body`, `PATH`.
pub fn parse(text: &str) -> Result<ExceptedPlace, PlaceMistake> {
    let (kind, name) = text.split_once(':').map_or((text, None), |(kind, name)| (kind, Some(name)));
    let naming = Place::ALL.iter().find(|place| place.as_str() == kind).map(|place| place.naming());
    let naming = naming.ok_or(PlaceMistake::Kind)?;
    let Some(name) = name else {
        return match naming {
            Naming::Always => Err(PlaceMistake::Nameless),
            Naming::Never | Naming::Coded | Naming::Path(_) | Naming::Plain => {
                Ok(ExceptedPlace { kind: kind.to_owned(), name: Vec::new() })
            }
        };
    };
    if naming == Naming::Never {
        return Err(PlaceMistake::Named);
    }
    if name.is_empty() || name.len() > ARGUMENT_NAME_BYTES_MAX {
        return Err(PlaceMistake::Name);
    }
    if name.contains("**") || name.matches('*').count() > PLACE_WILDCARDS_MAX {
        return Err(PlaceMistake::Wildcards);
    }
    let part = |part: &str| NamePart {
        literals: part.split('*').map(|literal| canonical(naming, literal.as_bytes()).into_owned()).collect(),
    };
    let parts = match naming {
        Naming::Path(mark) => name.split(char::from(mark)).map(part).collect(),
        _ => vec![part(name)],
    };
    Ok(ExceptedPlace { kind: kind.to_owned(), name: parts })
}

/// Returns `true` if values of the place are among `places`.
pub fn is_reached(place: &ExceptedPlace, places: Places) -> bool {
    let is_message = place.kind == Place::Message.as_str();
    let in_messages = is_message && IN_MESSAGES.iter().any(|kind| places.contains(*kind));
    in_messages || Place::ALL.iter().any(|kind| kind.as_str() == place.kind && places.contains(*kind))
}

/// Places at which the values of a message are judged.
const IN_MESSAGES: &[Place] =
    &[Place::Body, Place::Form, Place::FormName, Place::Json, Place::JsonKey, Place::Xml];

/// One place, ready to be compared.
#[derive(Debug)]
pub(super) struct PlacePattern {
    places: Places,
    name: Vec<NamePart>,
}

impl PlacePattern {
    /// `None` if no place is of the kind.
    pub(super) fn new(planned: &ExceptedPlace) -> Option<PlacePattern> {
        let kinds: Vec<Place> =
            Place::ALL.iter().copied().filter(|place| place.as_str() == planned.kind).collect();
        let is_known = !kinds.is_empty();
        is_known.then(|| PlacePattern { places: Places::of(&kinds), name: planned.name.clone() })
    }

    /// Returns `true` for the values of `place` that are called `name`.
    pub(super) fn matches(&self, place: Place, name: &[u8]) -> bool {
        if !self.places.contains(place) {
            return false;
        }
        // A message without a name is the whole message, whatever is found in it.
        if place == Place::Message && self.name.is_empty() {
            return true;
        }
        if self.name.is_empty() != name.is_empty() {
            return false;
        }
        if self.name.is_empty() {
            return true;
        }
        // How a form was encoded decides how its names are.
        let naming = match place {
            Place::Part | Place::PartName => Naming::Plain,
            _ => place.naming(),
        };
        let name = canonical(naming, name);
        if let Naming::Path(mark) = naming {
            let parts = name.split(|byte| *byte == mark);
            return parts.clone().count() == self.name.len()
                && parts.zip(&self.name).all(|(text, part)| is_match(part, text));
        }
        self.name.first().is_some_and(|part| is_match(part, &name))
    }
}

/// The form in which names are compared.
fn canonical(naming: Naming, name: &[u8]) -> Cow<'_, [u8]> {
    match naming {
        Naming::Always => Cow::Owned(name.to_ascii_lowercase()),
        Naming::Coded if name.iter().any(|byte| matches!(byte, b'%' | b'+')) => {
            let mut buffer = [0; ARGUMENT_NAME_BYTES_MAX];
            decode_name(name, &mut buffer).map_or(Cow::Borrowed(name), |decoded| Cow::Owned(decoded.to_vec()))
        }
        _ => Cow::Borrowed(name),
    }
}

/// Returns `true` if `text` is made of the literals of `part` in their order, with anything between them. Each literal is
/// taken where it comes first, so no byte is looked at twice.
fn is_match(part: &NamePart, text: &[u8]) -> bool {
    match part.literals.as_slice() {
        [] => false,
        [whole] => whole == text,
        [first, middle @ .., last] => {
            let inner =
                text.strip_prefix(first.as_slice()).and_then(|rest| rest.strip_suffix(last.as_slice()));
            let Some(mut rest) = inner else { return false };
            middle.iter().all(|literal| match memchr::memmem::find(rest, literal) {
                Some(at) => {
                    rest = rest.get(at + literal.len()..).unwrap_or_default();
                    true
                }
                None => false,
            })
        }
    }
}

#[cfg(test)]
mod tests;
