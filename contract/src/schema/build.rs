//! Schemas of a plan made ready: indices checked, numbers and values parsed, expressions compiled, and for each
//! direction the required names that it leaves out.

use waf_shared::plan::contract::{self, Keyword, PatternId, SchemaId};

use super::check::{Check, Discriminator, LOOKUP_DEPTH_MAX, Schema, Schemas, named_schema};
use crate::json::Document;
use crate::number::Number;
use crate::pattern::Pattern;

/// A fault of a plan's schemas.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A value of the plan is not JSON.
    #[error("the contract holds `{0}`, which is not JSON")]
    Value(String),
    /// An expression that the compiler accepted does not compile.
    #[error("the contract's pattern `{0}` cannot be matched")]
    Pattern(String),
    /// An index leads nowhere.
    #[error("the contract refers to a part that it does not contain")]
    Index,
}

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

/// True if a schema, or one that it is made of, carries `keyword`.
fn carries(data: &contract::Contract, id: SchemaId, keyword: &Keyword, depth: u32) -> bool {
    let Some(schema) = data.schemas.get(id.0 as usize).filter(|_| depth > 0) else { return false };
    schema.keywords.iter().any(|part| match part {
        Keyword::Ref(id) => carries(data, *id, keyword, depth - 1),
        Keyword::AllOf(ids) => ids.iter().any(|id| carries(data, *id, keyword, depth - 1)),
        part => part == keyword,
    })
}
