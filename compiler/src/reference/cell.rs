//! Cells of the tables of all pages.

use crate::field::{Field, FieldKind};

/// The constraints of a field in words.
pub(super) fn constraint(field: &Field) -> String {
    let bound = match field.kind {
        FieldKind::Int(bound) | FieldKind::Size(bound) | FieldKind::Duration(bound) => bound.text(),
        _ => String::new(),
    };
    [bound.as_str(), field.bound].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ")
}

/// Text that may stand in a cell.
pub(super) fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
