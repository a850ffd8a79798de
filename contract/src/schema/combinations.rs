//! Keywords that combine schemas, on the same value: `allOf`, `anyOf`, `oneOf`, `if`, and discriminators.

use waf_shared::plan::contract::SchemaId;

use super::check::{Discriminator, named_schema};
use super::judge::Judge;
use super::outcome::Outcome::{self, Fails, Holds, Unknown};
use crate::json::{At, Node, Value};

impl<'s, 'd> Judge<'s, 'd> {
    pub(super) fn all(&mut self, ids: &'s [SchemaId], at: At) -> Outcome {
        let mut all = Holds;
        for id in ids {
            match self.schema(*id, at) {
                Fails => return Fails,
                outcome => all = all.and(outcome),
            }
        }
        all
    }

    pub(super) fn any(&mut self, ids: &'s [SchemaId], at: At) -> Outcome {
        let mut any = Fails;
        for id in ids {
            match self.attempt(*id, at) {
                Holds => return Holds,
                Unknown => any = Unknown,
                Fails => {}
            }
        }
        self.settle(any, at, "anyOf")
    }

    pub(super) fn one(
        &mut self,
        ids: &'s [SchemaId],
        discriminator: Option<&'s Discriminator>,
        at: At,
        node: &'d Node<'d>,
    ) -> Outcome {
        if let Some(discriminator) = discriminator {
            match self.chosen(discriminator, at, node) {
                Chosen::Schema(id) => return self.schema(id, at),
                Chosen::Nothing => return self.fail(at, "discriminator", Some(&discriminator.property)),
                Chosen::Open => return Unknown,
                Chosen::Absent => {}
            }
        }
        let (mut holding, mut unknown) = (0_usize, false);
        for id in ids {
            match self.attempt(*id, at) {
                Holds => holding += 1,
                Unknown => unknown = true,
                Fails => {}
            }
            if holding > 1 {
                break;
            }
        }
        let outcome = match holding {
            0 if !unknown => Fails,
            1 if !unknown => Holds,
            0 | 1 => Unknown,
            _ => Fails,
        };
        self.settle(outcome, at, "oneOf")
    }

    pub(super) fn branch(
        &mut self,
        condition: SchemaId,
        then: Option<SchemaId>,
        otherwise: Option<SchemaId>,
        at: At,
    ) -> Outcome {
        let next = match self.attempt(condition, at) {
            Holds => then,
            Fails => otherwise,
            Unknown => return Unknown,
        };
        next.map_or(Holds, |id| self.schema(id, at))
    }

    /// The discriminator of a schema that others extend: the value has to be of the schema that it names as well.
    pub(super) fn inherited(
        &mut self,
        own: SchemaId,
        discriminator: &'s Discriminator,
        at: At,
        node: &'d Node<'d>,
    ) -> Outcome {
        if self.discriminated.contains(&(at, own)) {
            return Holds;
        }
        match self.chosen(discriminator, at, node) {
            Chosen::Schema(id) if id == own => Holds,
            Chosen::Schema(id) => {
                self.discriminated.push((at, own));
                let outcome = self.schema(id, at);
                self.discriminated.pop();
                outcome
            }
            Chosen::Nothing => self.fail(at, "discriminator", Some(&discriminator.property)),
            Chosen::Open => Unknown,
            Chosen::Absent => Holds,
        }
    }

    /// The schema that a discriminator chooses for a value.
    pub(super) fn chosen(&self, discriminator: &Discriminator, at: At, node: &Node<'_>) -> Chosen {
        if !matches!(node.value, Value::Object) {
            return Chosen::Absent;
        }
        let value = self.document.member(at, &discriminator.property).and_then(|at| self.document.node(at));
        match value.map(|node| &node.value) {
            Some(Value::Text(text) | Value::Loose(text)) => {
                match named_schema(&discriminator.mapping, text) {
                    Some(id) => Chosen::Schema(id),
                    None => Chosen::Nothing,
                }
            }
            Some(Value::Unknown) => Chosen::Open,
            None if node.is_open => Chosen::Open,
            _ => Chosen::Absent,
        }
    }
}

/// See [`Judge::chosen`].
pub(super) enum Chosen {
    Schema(SchemaId),
    /// The value names no schema.
    Nothing,
    /// The property was cut off.
    Open,
    /// There is no such property, or it is no text.
    Absent,
}
