//! Keywords of arrays and objects.

use waf_shared::plan::contract::{PatternId, SchemaId};

use super::check::{Check, named_schema};
use super::judge::{Direction, Judge};
use super::outcome::Outcome::{self, Fails, Holds, Unknown};
use crate::json::{At, Document, Node, Value, has_duplicates};

impl<'s, 'd> Judge<'s, 'd> {
    /// Judges an array.
    pub(super) fn array(&mut self, id: SchemaId, check: &'s Check, at: At, node: &'d Node<'d>) -> Outcome {
        let count = || self.document.children(at).count() as u64;
        match check {
            Check::Items { prefix, rest } => self.items(prefix, *rest, at),
            Check::Contains { schema, min, max } => self.contains(*schema, *min, *max, at, node),
            Check::MinItems(min) => {
                let outcome = at_least(count(), *min, node.is_open);
                self.settle(outcome, at, "minItems")
            }
            Check::MaxItems(max) => {
                let outcome = at_most(count(), *max, node.is_open);
                self.settle(outcome, at, "maxItems")
            }
            Check::UniqueItems => {
                let outcome = match has_duplicates(self.document, at) {
                    true => Fails,
                    false if node.is_open => Unknown,
                    false => Holds,
                };
                self.settle(outcome, at, "uniqueItems")
            }
            Check::UnevaluatedItems(schema) => self.unevaluated(id, *schema, at, "unevaluatedItems"),
            _ => Holds,
        }
    }

    fn items(&mut self, prefix: &'s [SchemaId], rest: Option<SchemaId>, at: At) -> Outcome {
        let mut all = Holds;
        for (index, (item, _)) in self.document.children(at).enumerate() {
            let Some(id) = prefix.get(index).copied().or(rest) else { break };
            match self.schema(id, item) {
                Fails => return Fails,
                outcome => all = all.and(outcome),
            }
        }
        all
    }

    fn contains(&mut self, id: SchemaId, min: u64, max: Option<u64>, at: At, node: &Node<'_>) -> Outcome {
        let (mut sure, mut possible) = (0_u64, 0_u64);
        for (item, _) in self.document.children(at) {
            match self.attempt(id, item) {
                Holds => sure += 1,
                Unknown => possible += 1,
                Fails => {}
            }
        }
        let is_open = node.is_open || possible > 0;
        if max.is_some_and(|max| sure > max) {
            return self.fail(at, "maxContains", None);
        }
        let outcome = match sure >= min {
            true if max.is_some() && is_open => Unknown,
            true => Holds,
            false if is_open => Unknown,
            false => Fails,
        };
        self.settle(outcome, at, "contains")
    }

    /// Judges an object.
    pub(super) fn object(&mut self, id: SchemaId, check: &'s Check, at: At, node: &'d Node<'d>) -> Outcome {
        let count = || self.document.children(at).count() as u64;
        match check {
            Check::Properties { named, patterns, rest } => self.properties(named, patterns, *rest, at),
            Check::PropertyNames(id) => self.names(*id, at),
            Check::Required { request, response } => {
                let names = if self.direction == Direction::Request { request } else { response };
                self.required(names, at, node, "required")
            }
            Check::MinProperties(min) => {
                let outcome = at_least(count(), *min, node.is_open);
                self.settle(outcome, at, "minProperties")
            }
            Check::MaxProperties(max) => {
                let outcome = at_most(count(), *max, node.is_open);
                self.settle(outcome, at, "maxProperties")
            }
            Check::DependentRequired(list) => {
                let mut all = Holds;
                for (name, names) in list {
                    if self.document.member(at, name).is_some() {
                        all = all.and(self.required(names, at, node, "dependentRequired"));
                    } else if node.is_open {
                        all = all.and(Unknown);
                    }
                }
                all
            }
            Check::DependentSchemas(list) => {
                let mut all = Holds;
                for (name, id) in list {
                    if self.document.member(at, name).is_some() {
                        all = all.and(self.schema(*id, at));
                    } else if node.is_open {
                        all = all.and(Unknown);
                    }
                }
                all
            }
            Check::UnevaluatedProperties(schema) => {
                self.unevaluated(id, *schema, at, "unevaluatedProperties")
            }
            _ => Holds,
        }
    }

    fn properties(
        &mut self,
        named: &'s [(String, SchemaId)],
        patterns: &'s [(PatternId, SchemaId)],
        rest: Option<SchemaId>,
        at: At,
    ) -> Outcome {
        let mut all = Holds;
        for (member, node) in self.document.children(at) {
            let key = node.key.as_deref().unwrap_or_default();
            let mut is_known = false;
            if let Some(id) = named_schema(named, key) {
                is_known = true;
                all = all.and(self.schema(id, member));
            }
            for (pattern, id) in patterns {
                if self.schemas.pattern_matches(*pattern, key) {
                    is_known = true;
                    all = all.and(self.schema(*id, member));
                }
            }
            if let Some(id) = rest.filter(|_| !is_known) {
                all = all.and(self.other(id, member, "additionalProperties"));
            }
            if all == Fails {
                return Fails;
            }
        }
        all
    }

    /// A member that only a catch-all keyword speaks of; where that is `false`, it is the keyword that is broken.
    pub(super) fn other(&mut self, id: SchemaId, member: At, keyword: &'static str) -> Outcome {
        if self.schemas.get(id).is_some_and(|schema| schema.never) {
            return self.fail(member, keyword, None);
        }
        self.schema(id, member)
    }

    fn names(&mut self, id: SchemaId, at: At) -> Outcome {
        let mut all = Holds;
        for (member, node) in self.document.children(at) {
            let mut name = Document::default();
            name.push(None, Value::Text(node.key.clone().unwrap_or_default()));
            let outcome = self.apart(id, &name);
            if outcome == Fails {
                return self.fail(member, "propertyNames", None);
            }
            all = all.and(outcome);
        }
        all
    }

    fn required(&mut self, names: &'s [String], at: At, node: &Node<'_>, keyword: &'static str) -> Outcome {
        for name in names {
            if self.document.member(at, name).is_none() {
                return if node.is_open { Unknown } else { self.fail(at, keyword, Some(name)) };
            }
        }
        Holds
    }
}

fn at_least(count: u64, min: u64, is_open: bool) -> Outcome {
    match count >= min {
        true => Holds,
        false if is_open => Unknown,
        false => Fails,
    }
}

fn at_most(count: u64, max: u64, is_open: bool) -> Outcome {
    match count <= max {
        false => Fails,
        true if is_open => Unknown,
        true => Holds,
    }
}
