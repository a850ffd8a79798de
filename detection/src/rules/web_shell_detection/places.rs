//! Places that several rules of this folder look at.

use crate::field::{Place, Places};

pub(super) const PLACES: Places = Places::of(&[Place::ResponseBody]);
