//! The shape of one row of the catalog.

use super::table::Leaf;

/// State of a leaf that the configuration names nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Default {
    /// In force unless disabled.
    On,
    /// Opt-in.
    Off,
}

/// One row of the catalog.
#[derive(Debug)]
pub struct Row {
    /// The leaf that this row describes.
    pub leaf: Leaf,
    /// Canonical name, stable for ever.
    pub name: &'static str,
    /// First level.
    pub family: &'static str,
    /// Second level; empty when the leaf stands directly under its family.
    pub bucket: &'static str,
    /// In force by default, or opt-in.
    pub default: Default,
    /// CWE numbers, most telling first.
    pub cwe: &'static [u16],
    /// HTTP status of a refusal by this leaf.
    pub status: u16,
    /// The searched attack.
    pub summary: &'static str,
    /// When to disable it or, for an opt-in leaf, when to enable it.
    pub when: &'static str,
}
