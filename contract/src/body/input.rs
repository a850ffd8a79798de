//! Inputs of the judgement of a body, and JSON texts within fields and parts.

use std::borrow::Cow;

use waf_shared::plan::contract;

use crate::fault::Fault;
use crate::json::{Document, member_pointer};
use crate::media::{MediaType, Reader};
use crate::schema::{Direction, Schemas};

/// Inputs of a judgement.
pub(crate) struct By<'c> {
    pub(crate) data: &'c contract::Contract,
    pub(crate) schemas: &'c Schemas,
    pub(crate) direction: Direction,
}

/// Adds the JSON text of a field or part; one that is none is a fault of the body.
pub(super) fn json<'t>(
    document: &mut Document<'t>,
    key: Option<Cow<'t, str>>,
    text: &str,
) -> Result<(), Fault> {
    match Document::read(text.as_bytes(), true) {
        Ok(inner) => {
            document.graft(key, inner.into_owned());
            Ok(())
        }
        Err(malformed) => {
            let pointer = key.map(|key| member_pointer(&key)).unwrap_or_default();
            Err(Fault::of_json(pointer, malformed))
        }
    }
}

pub(super) fn is_json(media_range: &str) -> bool {
    MediaType::parse(media_range.as_bytes()).reader() == Reader::Json
}
