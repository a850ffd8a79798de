//! Kinds of values that several mappings have.

use crate::field::FieldKind;
use crate::names::{Protection, Word};

/// A mode.
pub(crate) const MODES: FieldKind = FieldKind::Choice(&["blocking", "detect_only"]);

/// A list of protections.
pub(crate) const PROTECTIONS: FieldKind = FieldKind::List(&FieldKind::Text(Protection::SYNTAX));
