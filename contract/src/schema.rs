//! Schemas made ready: numbers and values parsed, expressions compiled, and for each schema what requests and answers
//! leave out. Judging values by them is [`mod@judge`]'s.

mod judge;
mod members;
mod numbers;
mod unevaluated;

pub(crate) use judge::judge;
pub use judge::{Direction, Fault};

use waf_shared::plan::contract::{self, Format, Keyword, PatternId, SchemaId, types};

use crate::json::Document;
use crate::number::Number;
use crate::pattern::Pattern;

/// Why the schemas of a plan cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A value of the plan is no JSON.
    #[error("the contract holds `{0}`, which is not JSON")]
    Value(String),
    /// An expression that the compiler let pass does not compile.
    #[error("the contract's pattern `{0}` cannot be matched")]
    Pattern(String),
    /// An index leads nowhere.
    #[error("the contract refers to a part that it does not hold")]
    Index,
}

/// All schemas of one contract.
#[derive(Debug, Default)]
pub(crate) struct Schemas {
    list: Vec<Schema>,
    patterns: Vec<Pattern>,
}

/// One schema.
#[derive(Debug, Default)]
pub(crate) struct Schema {
    pub(crate) checks: Vec<Check>,
    is_nullable: bool,
    never: bool,
    /// Not in requests.
    is_read_only: bool,
    /// Not in answers.
    is_write_only: bool,
}

/// What a schema asserts, ready to be judged by.
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
const LOOKUP_DEPTH_MAX: u32 = 16;

impl Schemas {
    pub(crate) fn build(data: &contract::Contract) -> Result<Schemas, BuildError> {
        let patterns = data
            .patterns
            .iter()
            .map(|text| Pattern::new(text).map_err(|_| BuildError::Pattern(text.clone())))
            .collect::<Result<Vec<_>, _>>()?;
        let count = data.schemas.len();
        let list = data
            .schemas
            .iter()
            .map(|schema| {
                if schema.keywords.iter().any(|keyword| reaches_beyond(keyword, count, patterns.len())) {
                    return Err(BuildError::Index);
                }
                build(data, schema)
            })
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Schemas { list, patterns })
    }

    pub(crate) fn get(&self, id: SchemaId) -> Option<&Schema> {
        self.list.get(id.0 as usize)
    }

    fn pattern_matches(&self, id: PatternId, text: &str) -> bool {
        self.patterns.get(id.0 as usize).is_some_and(|pattern| pattern.is_match(text))
    }

    /// The types that a value may have, as far as they can be told without a value.
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

fn reaches_beyond(keyword: &Keyword, schemas: usize, patterns: usize) -> bool {
    let out = |id: &SchemaId| id.0 as usize >= schemas;
    let unknown = |id: &PatternId| id.0 as usize >= patterns;
    match keyword {
        Keyword::Ref(id)
        | Keyword::Contains { schema: id, .. }
        | Keyword::PropertyNames(id)
        | Keyword::Not(id)
        | Keyword::UnevaluatedItems(id)
        | Keyword::UnevaluatedProperties(id) => out(id),
        Keyword::Pattern(id) => unknown(id),
        Keyword::Items { prefix, rest } => prefix.iter().chain(rest).any(out),
        Keyword::Properties { named, patterns, rest } => {
            named.iter().map(|(_, id)| id).chain(rest).any(out)
                || patterns.iter().any(|(pattern, id)| unknown(pattern) || out(id))
        }
        Keyword::DependentSchemas(list) | Keyword::Discriminator { mapping: list, .. } => {
            list.iter().any(|(_, id)| out(id))
        }
        Keyword::AllOf(ids) | Keyword::AnyOf(ids) | Keyword::OneOf(ids) => ids.iter().any(out),
        Keyword::If { condition, then, otherwise } => out(condition) || then.iter().chain(otherwise).any(out),
        _ => false,
    }
}

fn build(data: &contract::Contract, schema: &contract::Schema) -> Result<Schema, BuildError> {
    let mut out = Schema::default();
    let discriminator = schema.keywords.iter().find_map(|keyword| match keyword {
        Keyword::Discriminator { property, mapping } => {
            Some(Discriminator { property: property.clone(), mapping: mapping.clone() })
        }
        _ => None,
    });
    let chooses = schema.keywords.iter().any(|k| matches!(k, Keyword::OneOf(_) | Keyword::AnyOf(_)));
    for keyword in &schema.keywords {
        let check = match keyword.clone() {
            Keyword::Never => {
                out.never = true;
                continue;
            }
            Keyword::Nullable => {
                out.is_nullable = true;
                continue;
            }
            Keyword::ReadOnly => {
                out.is_read_only = true;
                continue;
            }
            Keyword::WriteOnly => {
                out.is_write_only = true;
                continue;
            }
            Keyword::Discriminator { .. } => continue,
            Keyword::OneOf(schemas) => Check::OneOf { schemas, discriminator: discriminator.clone() },
            // With a discriminator at most one of them can be meant.
            Keyword::AnyOf(schemas) if discriminator.is_some() => {
                Check::OneOf { schemas, discriminator: discriminator.clone() }
            }
            Keyword::Required(names) => Check::Required {
                request: required(data, schema, &names, &Keyword::ReadOnly),
                response: required(data, schema, &names, &Keyword::WriteOnly),
            },
            other => check(other)?,
        };
        out.checks.push(check);
    }
    if let Some(discriminator) = discriminator.filter(|_| !chooses) {
        out.checks.push(Check::Discriminator(discriminator));
    }
    Ok(out)
}

fn check(keyword: Keyword) -> Result<Check, BuildError> {
    Ok(match keyword {
        Keyword::Types(bits) => Check::Types(bits),
        Keyword::Ref(id) => Check::Ref(id),
        Keyword::Enum(values) => {
            Check::Enum(values.iter().map(|text| value(text)).collect::<Result<_, _>>()?)
        }
        Keyword::Const(text) => Check::Const(value(&text)?),
        Keyword::MultipleOf(text) => Check::MultipleOf(number(&text)?),
        Keyword::Minimum { limit, exclusive } => Check::Minimum { limit: number(&limit)?, exclusive },
        Keyword::Maximum { limit, exclusive } => Check::Maximum { limit: number(&limit)?, exclusive },
        Keyword::MinLength(length) => Check::MinLength(length),
        Keyword::MaxLength(length) => Check::MaxLength(length),
        Keyword::Pattern(id) => Check::Pattern(id),
        Keyword::Format(format) => Check::Format(format),
        Keyword::Items { prefix, rest } => Check::Items { prefix, rest },
        Keyword::Contains { schema, min, max } => Check::Contains { schema, min, max },
        Keyword::MinItems(count) => Check::MinItems(count),
        Keyword::MaxItems(count) => Check::MaxItems(count),
        Keyword::UniqueItems => Check::UniqueItems,
        Keyword::Properties { named, patterns, rest } => Check::Properties { named, patterns, rest },
        Keyword::PropertyNames(id) => Check::PropertyNames(id),
        Keyword::MinProperties(count) => Check::MinProperties(count),
        Keyword::MaxProperties(count) => Check::MaxProperties(count),
        Keyword::DependentRequired(list) => Check::DependentRequired(list),
        Keyword::DependentSchemas(list) => Check::DependentSchemas(list),
        Keyword::AllOf(ids) => Check::AllOf(ids),
        Keyword::AnyOf(ids) => Check::AnyOf(ids),
        Keyword::Not(id) => Check::Not(id),
        Keyword::If { condition, then, otherwise } => Check::If { condition, then, otherwise },
        Keyword::UnevaluatedItems(id) => Check::UnevaluatedItems(id),
        Keyword::UnevaluatedProperties(id) => Check::UnevaluatedProperties(id),
        Keyword::Never
        | Keyword::Nullable
        | Keyword::ReadOnly
        | Keyword::WriteOnly
        | Keyword::Required(_)
        | Keyword::OneOf(_)
        | Keyword::Discriminator { .. } => return Err(BuildError::Index),
    })
}

fn value(text: &str) -> Result<Document<'static>, BuildError> {
    let read = Document::read(text.as_bytes(), true).map_err(|_| BuildError::Value(text.to_owned()))?;
    Ok(read.into_owned())
}

fn number(text: &str) -> Result<Number, BuildError> {
    Number::parse(text).ok_or_else(|| BuildError::Value(text.to_owned()))
}

/// The required names without those that this direction leaves out.
fn required(
    data: &contract::Contract,
    schema: &contract::Schema,
    names: &[String],
    left_out: &Keyword,
) -> Vec<String> {
    let is_left_out = |name: &String| leaves_out(data, schema, name, left_out, LOOKUP_DEPTH_MAX);
    names.iter().filter(|name| !is_left_out(name)).cloned().collect()
}

fn leaves_out(
    data: &contract::Contract,
    schema: &contract::Schema,
    name: &str,
    keyword: &Keyword,
    depth: u32,
) -> bool {
    let at = |id: &SchemaId| data.schemas.get(id.0 as usize).filter(|_| depth > 0);
    schema.keywords.iter().any(|part| match part {
        Keyword::Properties { named, .. } => {
            named_schema(named, name).is_some_and(|id| carries(data, id, keyword, depth))
        }
        Keyword::Ref(id) => at(id).is_some_and(|inner| leaves_out(data, inner, name, keyword, depth - 1)),
        Keyword::AllOf(ids) => {
            ids.iter().filter_map(at).any(|inner| leaves_out(data, inner, name, keyword, depth - 1))
        }
        _ => false,
    })
}

/// Whether a schema, or one that it is made of, carries `keyword`.
fn carries(data: &contract::Contract, id: SchemaId, keyword: &Keyword, depth: u32) -> bool {
    let Some(schema) = data.schemas.get(id.0 as usize).filter(|_| depth > 0) else { return false };
    schema.keywords.iter().any(|part| match part {
        Keyword::Ref(id) => carries(data, *id, keyword, depth - 1),
        Keyword::AllOf(ids) => ids.iter().any(|id| carries(data, *id, keyword, depth - 1)),
        part => part == keyword,
    })
}
