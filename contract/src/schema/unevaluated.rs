//! `unevaluatedItems` and `unevaluatedProperties`: which members no other keyword of a schema has spoken of, found by asking
//! its parts again for each member (JSON Schema core section 11).

use waf_shared::plan::contract::SchemaId;

use super::check::{Check, Discriminator, named_schema};
use super::combinations::Chosen;
use super::judge::Judge;
use super::outcome::Outcome::{self, Fails, Holds, Unknown};
use crate::json::{At, Node};

/// A member whose evaluation is asked for.
#[derive(Clone, Copy)]
struct Member<'d> {
    parent: At,
    at: At,
    index: usize,
    node: &'d Node<'d>,
}

impl<'s, 'd> Judge<'s, 'd> {
    /// Applies `schema` to the members of `at` that nothing else in `own` evaluates.
    pub(super) fn unevaluated(
        &mut self,
        own: SchemaId,
        schema: SchemaId,
        at: At,
        keyword: &'static str,
    ) -> Outcome {
        let mut all = Holds;
        for (index, (member, node)) in self.document.children(at).enumerate() {
            let member = Member { parent: at, at: member, index, node };
            let outcome = match self.evaluates(own, member, true) {
                Holds => Holds,
                Unknown => Unknown,
                Fails => self.other(schema, member.at, keyword),
            };
            if outcome == Fails {
                return Fails;
            }
            all = all.and(outcome);
        }
        all
    }

    /// True if `id`, which is applied to the member's parent, speaks of the member.
    fn evaluates(&mut self, id: SchemaId, member: Member<'d>, is_outermost: bool) -> Outcome {
        let Some(schema) = self.schemas.get(id) else { return Fails };
        if !self.enter() {
            return Fails;
        }
        let mut found = Fails;
        for check in &schema.checks {
            match self.evaluated_by(check, member, is_outermost) {
                Holds => {
                    found = Holds;
                    break;
                }
                Unknown => found = Unknown,
                Fails => {}
            }
        }
        self.leave();
        found
    }

    fn evaluated_by(&mut self, check: &'s Check, member: Member<'d>, is_outermost: bool) -> Outcome {
        let key = member.node.key.as_deref();
        match check {
            Check::Properties { named, patterns, rest } => {
                let Some(key) = key else { return Fails };
                let matches = |id| self.schemas.pattern_matches(id, key);
                let is_known = rest.is_some()
                    || named_schema(named, key).is_some()
                    || patterns.iter().any(|(id, _)| matches(*id));
                is_known.into()
            }
            Check::Items { prefix, rest } => {
                (key.is_none() && (rest.is_some() || member.index < prefix.len())).into()
            }
            Check::Contains { schema, .. } if key.is_none() => self.attempt(*schema, member.at),
            Check::UnevaluatedItems(_) => (!is_outermost && key.is_none()).into(),
            Check::UnevaluatedProperties(_) => (!is_outermost && key.is_some()).into(),
            Check::Ref(id) => self.evaluates(*id, member, false),
            Check::AllOf(ids) => self.among(ids, member, false),
            Check::AnyOf(ids) | Check::OneOf { schemas: ids, .. } => self.among(ids, member, true),
            Check::If { condition, then, otherwise } => self.by_branch(*condition, *then, *otherwise, member),
            Check::DependentSchemas(list) => {
                let mut found = Fails;
                for (name, id) in list {
                    if found != Holds && self.document.member(member.parent, name).is_some() {
                        found = self.evaluates(*id, member, false);
                    }
                }
                found
            }
            Check::Discriminator(discriminator) => self.by_discriminator(discriminator, member),
            _ => Fails,
        }
    }

    fn by_branch(
        &mut self,
        condition: SchemaId,
        then: Option<SchemaId>,
        otherwise: Option<SchemaId>,
        member: Member<'d>,
    ) -> Outcome {
        match self.attempt(condition, member.parent) {
            Holds => match self.evaluates(condition, member, false) {
                Fails => then.map_or(Fails, |id| self.evaluates(id, member, false)),
                found => found,
            },
            Fails => otherwise.map_or(Fails, |id| self.evaluates(id, member, false)),
            Unknown => Unknown,
        }
    }

    /// A schema that extends the one with the discriminator names that one again: only its own properties are asked
    /// for.
    fn by_discriminator(&mut self, discriminator: &'s Discriminator, member: Member<'d>) -> Outcome {
        let Some(parent) = self.document.node(member.parent) else { return Fails };
        match self.chosen(discriminator, member.parent, parent) {
            Chosen::Schema(id) => {
                let key = member.node.key.as_deref().unwrap_or_default();
                self.schemas.property(id, key).is_some().into()
            }
            Chosen::Open => Unknown,
            _ => Fails,
        }
    }

    fn among(&mut self, ids: &'s [SchemaId], member: Member<'d>, only_where_it_holds: bool) -> Outcome {
        let mut found = Fails;
        for id in ids {
            let applies = if only_where_it_holds { self.attempt(*id, member.parent) } else { Holds };
            let outcome = match applies {
                Fails => continue,
                Holds => self.evaluates(*id, member, false),
                Unknown => Unknown,
            };
            match outcome {
                Holds => return Holds,
                Unknown => found = Unknown,
                Fails => {}
            }
        }
        found
    }
}
