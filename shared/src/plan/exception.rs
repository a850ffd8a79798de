//! Exceptions: findings of some rules that are taken away in some places. Names are resolved as far as this crate can;
//! places and rules stay in the words of events, because detection alone knows them.

use bincode::{Decode, Encode};

use super::route::PathPattern;
use crate::catalog::LeafSet;

/// One exception of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct Exception {
    /// Its name in metrics.
    pub name: String,
    /// Protections whose findings it takes away.
    pub leaves: LeafSet,
    /// Ids of rules whose findings it takes away, sorted.
    pub rules: Vec<String>,
    /// Places of the findings.
    pub places: Vec<ExceptedPlace>,
    /// Methods of the requests; empty is any.
    pub methods: Vec<String>,
    /// Paths of the requests; empty is any.
    pub paths: Vec<PathPattern>,
}

/// A place of findings, as events write it.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct ExceptedPlace {
    /// The part before the colon.
    pub kind: String,
    /// The name behind it, in its parts where names of the kind are paths. Empty: values without a name.
    pub name: Vec<NamePart>,
}

/// A name, or a part of one, with wildcards.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct NamePart {
    /// The texts between the wildcards, never empty; a single one is the whole part.
    pub literals: Vec<Vec<u8>>,
}
