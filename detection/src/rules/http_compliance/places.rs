//! Places that several rules of this folder look at.

use crate::field::{Place, Places};

/// Places whose bytes are the client's choice; uploads and bodies of unknown type may be binary.
pub(super) const WRITTEN: Places = Places::of(&[
    Place::Path,
    Place::QueryName,
    Place::Query,
    Place::FormName,
    Place::Form,
    Place::JsonKey,
    Place::Json,
    Place::Header,
    Place::CookieName,
    Place::Cookie,
    Place::Xml,
    Place::PartHeader,
    Place::FileName,
]);
