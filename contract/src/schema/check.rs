//! Schemas as they are judged by, and what can be said of them without a value.

use waf_shared::plan::contract::{Format, PatternId, SchemaId, types};

use crate::json::Document;
use crate::number::Number;
use crate::pattern::Pattern;

/// All schemas of one contract.
#[derive(Debug, Default)]
pub(crate) struct Schemas {
    pub(super) list: Vec<Schema>,
    pub(super) patterns: Vec<Pattern>,
}

/// One schema.
#[derive(Debug, Default)]
pub(crate) struct Schema {
    pub(crate) checks: Vec<Check>,
    pub(super) is_nullable: bool,
    pub(super) never: bool,
    /// Not in requests.
    pub(super) is_read_only: bool,
    /// Not in answers.
    pub(super) is_write_only: bool,
}

/// An assertion of a schema, ready to be judged by.
#[derive(Debug)]
pub(crate) enum Check {
    Types(u8),
    Ref(SchemaId),
    Enum(Vec<Document<'static>>),
    Const(Document<'static>),
    MultipleOf(Number),
    Minimum {
        limit: Number,
        exclusive: bool,
    },
    Maximum {
        limit: Number,
        exclusive: bool,
    },
    MinLength(u64),
    MaxLength(u64),
    Pattern(PatternId),
    Format(Format),
    Items {
        prefix: Vec<SchemaId>,
        rest: Option<SchemaId>,
    },
    Contains {
        schema: SchemaId,
        min: u64,
        max: Option<u64>,
    },
    MinItems(u64),
    MaxItems(u64),
    UniqueItems,
    Properties {
        named: Vec<(String, SchemaId)>,
        patterns: Vec<(PatternId, SchemaId)>,
        rest: Option<SchemaId>,
    },
    PropertyNames(SchemaId),
    Required {
        request: Vec<String>,
        response: Vec<String>,
    },
    MinProperties(u64),
    MaxProperties(u64),
    DependentRequired(Vec<(String, Vec<String>)>),
    DependentSchemas(Vec<(String, SchemaId)>),
    AllOf(Vec<SchemaId>),
    AnyOf(Vec<SchemaId>),
    OneOf {
        schemas: Vec<SchemaId>,
        discriminator: Option<Discriminator>,
    },
    Not(SchemaId),
    If {
        condition: SchemaId,
        then: Option<SchemaId>,
        otherwise: Option<SchemaId>,
    },
    UnevaluatedItems(SchemaId),
    UnevaluatedProperties(SchemaId),
    Discriminator(Discriminator),
}

/// Which schema the value of a property names.
#[derive(Debug, Clone)]
pub(crate) struct Discriminator {
    pub(crate) property: String,
    /// Sorted by value.
    pub(crate) mapping: Vec<(String, SchemaId)>,
}

/// References that are followed where a property's schema or its types are looked up.
pub(super) const LOOKUP_DEPTH_MAX: u32 = 16;

impl Schemas {
    pub(crate) fn get(&self, id: SchemaId) -> Option<&Schema> {
        self.list.get(id.0 as usize)
    }

    pub(super) fn pattern_matches(&self, id: PatternId, text: &str) -> bool {
        self.patterns.get(id.0 as usize).is_some_and(|pattern| pattern.is_match(text))
    }

    /// The types that a value may have, as far as they are known without a value.
    pub(crate) fn types(&self, id: SchemaId) -> u8 {
        self.types_within(id, LOOKUP_DEPTH_MAX)
    }

    fn types_within(&self, id: SchemaId, depth: u32) -> u8 {
        let Some(schema) = self.get(id).filter(|_| depth > 0) else { return types::ANY };
        let of = |id: &SchemaId| self.types_within(*id, depth - 1);
        let mut found = types::ANY;
        for check in &schema.checks {
            found &= match check {
                Check::Types(bits) => *bits,
                Check::Ref(id) => of(id),
                Check::AllOf(ids) => ids.iter().map(of).fold(types::ANY, |all, bits| all & bits),
                Check::AnyOf(ids) | Check::OneOf { schemas: ids, .. } => {
                    ids.iter().map(of).fold(0, |all, bits| all | bits)
                }
                _ => types::ANY,
            };
        }
        if schema.is_nullable { found | types::NULL } else { found }
    }

    /// The schema of a property, wherever in `id` it is declared; `None` when nothing is known of it.
    pub(crate) fn property(&self, id: SchemaId, name: &str) -> Option<SchemaId> {
        self.property_within(id, name, LOOKUP_DEPTH_MAX)
    }

    fn property_within(&self, id: SchemaId, name: &str, depth: u32) -> Option<SchemaId> {
        let schema = self.get(id).filter(|_| depth > 0)?;
        let mut rest_of_all = None;
        for check in &schema.checks {
            let found = match check {
                Check::Properties { named, patterns, rest } => {
                    rest_of_all = rest_of_all.or(*rest);
                    named_schema(named, name).or_else(|| {
                        let matching = patterns.iter().find(|(id, _)| self.pattern_matches(*id, name));
                        matching.map(|(_, schema)| *schema)
                    })
                }
                Check::Ref(id) => self.property_within(*id, name, depth - 1),
                Check::AllOf(ids) | Check::AnyOf(ids) | Check::OneOf { schemas: ids, .. } => {
                    ids.iter().find_map(|id| self.property_within(*id, name, depth - 1))
                }
                _ => None,
            };
            if found.is_some() {
                return found;
            }
        }
        rest_of_all
    }

    /// Names of all properties that `id` declares.
    pub(crate) fn property_names(&self, id: SchemaId) -> Vec<&str> {
        let mut names = Vec::new();
        self.collect_names(id, &mut names, LOOKUP_DEPTH_MAX);
        names
    }

    fn collect_names<'s>(&'s self, id: SchemaId, names: &mut Vec<&'s str>, depth: u32) {
        let Some(schema) = self.get(id).filter(|_| depth > 0) else { return };
        for check in &schema.checks {
            match check {
                Check::Properties { named, .. } => names.extend(named.iter().map(|(name, _)| name.as_str())),
                Check::Ref(id) => self.collect_names(*id, names, depth - 1),
                Check::AllOf(ids) | Check::AnyOf(ids) | Check::OneOf { schemas: ids, .. } => {
                    for id in ids {
                        self.collect_names(*id, names, depth - 1);
                    }
                }
                _ => {}
            }
        }
    }

    /// The schema of the items of an array.
    pub(crate) fn items(&self, id: SchemaId) -> Option<SchemaId> {
        self.items_within(id, LOOKUP_DEPTH_MAX)
    }

    fn items_within(&self, id: SchemaId, depth: u32) -> Option<SchemaId> {
        let schema = self.get(id).filter(|_| depth > 0)?;
        schema.checks.iter().find_map(|check| match check {
            Check::Items { rest, .. } => *rest,
            Check::Ref(id) => self.items_within(*id, depth - 1),
            Check::AllOf(ids) | Check::AnyOf(ids) | Check::OneOf { schemas: ids, .. } => {
                ids.iter().find_map(|id| self.items_within(*id, depth - 1))
            }
            _ => None,
        })
    }
}

/// The schema of `name` in a sorted list.
pub(crate) fn named_schema(named: &[(String, SchemaId)], name: &str) -> Option<SchemaId> {
    let at = named.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok()?;
    named.get(at).map(|(_, id)| *id)
}
