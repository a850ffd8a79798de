//! Names of the protection catalog, at any level, and the narrower sets that some lists take.

use waf_shared::catalog::{self, ALIASES, Leaf, LeafSet, Level};

use super::word::{Mistake, Word};
use crate::code;
use crate::field::Syntax;

/// A registered name and what lies below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Protection {
    /// Canonical name.
    pub(crate) name: &'static str,
    /// Its level.
    pub(crate) level: Level,
    /// Leaves below and including it.
    pub(crate) leaves: LeafSet,
    /// The old name that was written instead.
    pub(crate) old_name: Option<&'static str>,
}

impl Word for Protection {
    const SYNTAX: &'static Syntax = &Syntax {
        type_name: "string",
        expects: "a registered protection name",
        pattern: "",
        words: Some(catalog::names),
        shown: None,
    };

    fn parse(text: &str) -> Result<Protection, Mistake> {
        let old = ALIASES.iter().find(|(old, _)| *old == text);
        let (name, old_name) = match old {
            Some((old, name)) => (*name, Some(*old)),
            None => (text, None),
        };
        let found = catalog::resolve(name)
            .and_then(|(level, leaves)| Some((canonical(name, level, &leaves)?, level, leaves)));
        match found {
            Some((name, level, leaves)) => Ok(Protection { name, level, leaves, old_name }),
            None => Err(unknown()),
        }
    }
}

fn canonical(name: &str, level: Level, leaves: &LeafSet) -> Option<&'static str> {
    let row = leaves.iter().next()?.row();
    let at_level = match level {
        Level::Leaf => row.name,
        Level::Bucket => row.bucket,
        Level::Family => row.family,
    };
    (at_level == name).then_some(at_level)
}

fn unknown() -> Mistake {
    Mistake {
        code: code::UNKNOWN_PROTECTION,
        message: "is not a known protection name".to_owned(),
        help: None,
    }
}

/// A leaf of the `openapi` family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OpenApiLeaf(pub(crate) Leaf);

impl Word for OpenApiLeaf {
    const SYNTAX: &'static Syntax = &Syntax {
        type_name: "string",
        expects: "an `openapi-*` leaf name",
        pattern: "",
        words: Some(|| openapi_leaves().map(Leaf::name).collect()),
        shown: None,
    };

    fn parse(text: &str) -> Result<OpenApiLeaf, Mistake> {
        leaf_among(text, openapi_leaves).map(OpenApiLeaf).ok_or_else(among::<OpenApiLeaf>)
    }
}

/// A leaf of the `response-headers-add` bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AddedHeader(pub(crate) Leaf);

impl Word for AddedHeader {
    const SYNTAX: &'static Syntax = &Syntax {
        type_name: "string",
        expects: "a canonical `response-headers-add-*` name",
        pattern: "",
        words: Some(|| added_headers().map(Leaf::name).collect()),
        shown: None,
    };

    fn parse(text: &str) -> Result<AddedHeader, Mistake> {
        leaf_among(text, added_headers).map(AddedHeader).ok_or_else(among::<AddedHeader>)
    }
}

fn openapi_leaves() -> impl Iterator<Item = Leaf> {
    catalog::TABLE.iter().filter(|row| row.family == "openapi").map(|row| row.leaf)
}

fn added_headers() -> impl Iterator<Item = Leaf> {
    catalog::TABLE.iter().filter(|row| row.bucket == "response-headers-add").map(|row| row.leaf)
}

fn leaf_among<I: Iterator<Item = Leaf>>(text: &str, leaves: fn() -> I) -> Option<Leaf> {
    let name = ALIASES.iter().find(|(old, _)| *old == text).map_or(text, |(_, name)| *name);
    leaves().find(|leaf| leaf.name() == name)
}

fn among<W: Word>() -> Mistake {
    Mistake { code: code::UNKNOWN_PROTECTION, ..Mistake::of::<W>() }
}
