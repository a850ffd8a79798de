//! `discriminator`: which value of its property names which schema.

use std::collections::{BTreeMap, HashMap, HashSet};

use waf_shared::plan::contract::{Keyword, SchemaId};

use super::files::Files;
use super::location::Location;
use super::node::Node;
use super::operations::Lowering;

/// Component schemas by the one that they extend through `allOf`.
#[derive(Default)]
pub(super) struct Children<'d>(HashMap<usize, Vec<(String, Location<'d>)>>);

impl<'d> Children<'d> {
    pub(super) fn of(files: &'d Files) -> Children<'d> {
        let mut children = Children::default();
        let components = files.root().get("components").and_then(|components| components.get("schemas"));
        for (name, schema) in components.iter().flat_map(Location::members) {
            for part in schema.get("allOf").iter().flat_map(Location::items) {
                if part.node.get("$ref").is_some()
                    && let Ok(parent) = files.resolved(part)
                {
                    children.0.entry(parent.identity()).or_default().push((name.to_owned(), schema.clone()));
                }
            }
        }
        children
    }

    /// Everything that extends `parent`, at any distance.
    fn all(&self, parent: &Location<'d>) -> Vec<(String, Location<'d>)> {
        let mut found: Vec<(String, Location<'d>)> = Vec::new();
        let mut seen = HashSet::new();
        let mut waiting = vec![parent.identity()];
        while let Some(identity) = waiting.pop() {
            for (name, schema) in self.0.get(&identity).into_iter().flatten() {
                if seen.insert(schema.identity()) {
                    found.push((name.clone(), schema.clone()));
                    waiting.push(schema.identity());
                }
            }
        }
        found
    }
}

impl<'d> Lowering<'d> {
    /// The keyword of a schema that has a discriminator; `None` where it cannot decide anything.
    pub(super) fn discriminator(&mut self, schema: &Location<'d>, own: SchemaId) -> Option<Keyword> {
        let location = self.object(schema, "discriminator")?;
        let Some(property) = location.node.get("propertyName").and_then(Node::text) else {
            self.error(&location, "it has no `propertyName`");
            return None;
        };
        let mut mapping: BTreeMap<String, SchemaId> = BTreeMap::new();
        match schema.get("oneOf").or_else(|| schema.get("anyOf")) {
            Some(branches) => {
                for branch in branches.items() {
                    // A branch without a name can be meant by no value: all of them are tried then.
                    let name = branch.node.get("$ref").and_then(Node::text).and_then(last_part)?;
                    let id = self.schema_id(branch)?;
                    mapping.insert(name, id);
                }
            }
            None => {
                for (name, child) in self.children.all(schema) {
                    let id = self.schema_id(child)?;
                    mapping.insert(name, id);
                }
            }
        }
        self.explicit_mapping(&location, &mut mapping)?;
        if mapping.is_empty() {
            return None;
        }
        if schema.node.get("oneOf").is_none()
            && schema.node.get("anyOf").is_none()
            && let Some(name) = last_part(&schema.pointer)
        {
            mapping.entry(name).or_insert(own);
        }
        Some(Keyword::Discriminator { property: property.to_owned(), mapping: mapping.into_iter().collect() })
    }

    /// Adds what the `mapping` of a discriminator says; `None` where a schema cannot be lowered.
    fn explicit_mapping(
        &mut self,
        discriminator: &Location<'d>,
        mapping: &mut BTreeMap<String, SchemaId>,
    ) -> Option<()> {
        let explicit = self.object(discriminator, "mapping");
        for (value, target) in explicit.iter().flat_map(Location::members) {
            let Some(name) = target.node.text() else {
                self.error(&target, "a text is expected");
                continue;
            };
            let schemas = self.files.root().get("components").and_then(|c| c.get("schemas"));
            let component = schemas.and_then(|schemas| schemas.get(name));
            let found = match component {
                Some(component) => Ok(component),
                None => self.files.target(&target, name),
            };
            match found {
                Ok(found) => {
                    let id = self.schema_id(found)?;
                    mapping.insert(value.to_owned(), id);
                }
                Err(why) => self.error(&target, &format!("the reference `{name}` {why}")),
            }
        }
        Some(())
    }
}

/// The last part of a reference or pointer; for a file its name without what follows the dot.
fn last_part(reference: &str) -> Option<String> {
    let last = reference.rsplit('/').next()?;
    let name = if reference.contains('#') { last } else { last.split('.').next()? };
    (!name.is_empty()).then(|| name.replace("~1", "/").replace("~0", "~"))
}
