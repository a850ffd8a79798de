//! Rules of this bucket.

use crate::rule::Rule;

/// The rules.
pub static RULES: &[&Rule] = &[];
