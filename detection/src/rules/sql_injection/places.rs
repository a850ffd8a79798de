//! Places that several rules of this folder look at.

use crate::field::{Place, Places};

/// Places whose values are free text of one kind: headers of browsers are full of semicolons, quotes and brackets.
pub(super) const VALUES: Places = Places::ARGUMENTS_AND_NAMES.or(Places::of(&[Place::PathSegment]));
