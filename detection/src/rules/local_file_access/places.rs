//! Places that several rules of this folder look at.

use crate::field::{Place, Places};

/// Everything but request paths, whose dots mean something else, and names of uploads.
pub(super) const VALUES: Places = Places::of(&[
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
    Place::Body,
    Place::PathSegment,
]);

pub(super) const PATH: Places = Places::of(&[Place::Path]);
