//! Settings that differ between two plans, by the paths of the rows. It knows rows and plans, nothing of who reports
//! them.

use waf_shared::plan::{Protocol, Settings};

use crate::raw;
use crate::setting::Settings as _;

/// Paths of the fields of `accept`, `inspection` and `multipart` that differ, in the order of the rows.
pub fn settings(old: &Settings, new: &Settings) -> Vec<&'static str> {
    let mut changed = raw::Accept::changes(&old.accept, &new.accept);
    changed.extend(raw::Inspection::changes(&old.inspection, &new.inspection));
    changed.extend(raw::Multipart::changes(&old.multipart, &new.multipart));
    changed
}

/// Paths below `global` of the fields of `protocol` that differ.
pub fn protocol(old: &Protocol, new: &Protocol) -> Vec<&'static str> {
    raw::Protocol::changes(old, new)
}
