//! Judging a value by a schema. Of a document that was cut off only that is said which cannot change any more, so every
//! judgement has three outcomes. Nesting and work are bounded.

use waf_shared::limits::{CONTRACT_NESTING_MAX, CONTRACT_STEPS_MAX};
use waf_shared::plan::contract::{SchemaId, types};

use super::check::{Check, Schema, Schemas};
use super::numbers;
use super::outcome::Outcome::{self, Fails, Holds, Unknown};
use crate::fault::Fault;
use crate::json::{At, Document, Node, Value, equal};
use crate::number::Number;

/// Who sends the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// A client: what is `readOnly` must not be there.
    Request,
    /// The upstream: what is `writeOnly` must not be there.
    Response,
}

/// Judges all of `document`. The error is the first thing that is wrong for certain.
pub(crate) fn judge(
    schemas: &Schemas,
    id: SchemaId,
    document: &Document<'_>,
    direction: Direction,
) -> Result<(), Fault> {
    let mut judge = Judge {
        schemas,
        document,
        direction,
        steps_left: CONTRACT_STEPS_MAX,
        nesting: 0,
        trying: 0,
        first: None,
        discriminated: Vec::new(),
        is_exhausted: false,
    };
    let outcome = judge.schema(id, Document::ROOT);
    if judge.is_exhausted {
        // What cannot be judged at a bearable cost is not let in.
        return Err(Fault::of_all("complexity"));
    }
    match (outcome, judge.first) {
        (Fails, Some((at, keyword, name))) => {
            Err(Fault { pointer: document.pointer(at), keyword, name: name.map(str::to_owned) })
        }
        (Fails, None) => Err(Fault::of_all("schema")),
        _ => Ok(()),
    }
}

/// One judgement under way.
pub(super) struct Judge<'s, 'd> {
    pub(super) schemas: &'s Schemas,
    pub(super) document: &'d Document<'d>,
    pub(super) direction: Direction,
    steps_left: u32,
    nesting: u32,
    /// Above 0 while a schema is only tried: its faults are none of the document's.
    trying: u32,
    first: Option<(At, &'static str, Option<&'s str>)>,
    /// Values and schemas whose discriminator was followed already.
    pub(super) discriminated: Vec<(At, SchemaId)>,
    is_exhausted: bool,
}

impl<'s, 'd> Judge<'s, 'd> {
    /// Judges the value at `at`.
    pub(super) fn schema(&mut self, id: SchemaId, at: At) -> Outcome {
        if self.steps_left == 0 || self.nesting >= CONTRACT_NESTING_MAX || self.is_exhausted {
            self.is_exhausted = true;
            return Fails;
        }
        let (Some(schema), Some(node)) = (self.schemas.get(id), self.document.node(at)) else { return Fails };
        self.nesting += 1;
        let outcome = self.checks(id, schema, at, node);
        self.nesting -= 1;
        outcome
    }

    /// Goes one schema deeper for another question than [`Judge::schema`]'s; false at the bounds.
    pub(super) fn enter(&mut self) -> bool {
        if self.steps_left == 0 || self.nesting >= CONTRACT_NESTING_MAX {
            self.is_exhausted = true;
            return false;
        }
        self.steps_left -= 1;
        self.nesting += 1;
        true
    }

    /// Comes back from there.
    pub(super) fn leave(&mut self) {
        self.nesting -= 1;
    }

    /// Judges a value that is not in the document, by the same bounds.
    pub(super) fn apart(&mut self, id: SchemaId, value: &Document<'_>) -> Outcome {
        let mut judge = Judge {
            schemas: self.schemas,
            document: value,
            direction: self.direction,
            steps_left: self.steps_left,
            nesting: self.nesting,
            trying: 1,
            first: None,
            discriminated: Vec::new(),
            is_exhausted: false,
        };
        let outcome = judge.schema(id, Document::ROOT);
        self.steps_left = judge.steps_left;
        self.is_exhausted |= judge.is_exhausted;
        outcome
    }

    fn checks(&mut self, id: SchemaId, schema: &'s Schema, at: At, node: &'d Node<'d>) -> Outcome {
        if schema.never {
            return self.fail(at, "false schema", None);
        }
        if schema.is_read_only && self.direction == Direction::Request {
            return self.fail(at, "readOnly", None);
        }
        if schema.is_write_only && self.direction == Direction::Response {
            return self.fail(at, "writeOnly", None);
        }
        if schema.is_nullable && is_null(&node.value) {
            return Holds;
        }
        let mut all = Holds;
        for check in &schema.checks {
            if self.steps_left == 0 {
                self.is_exhausted = true;
                return Fails;
            }
            self.steps_left -= 1;
            match self.check(id, check, at, node) {
                Fails => return Fails,
                outcome => all = all.and(outcome),
            }
        }
        all
    }

    /// Tries a schema without blaming the document.
    pub(super) fn attempt(&mut self, id: SchemaId, at: At) -> Outcome {
        self.trying += 1;
        let outcome = self.schema(id, at);
        self.trying -= 1;
        outcome
    }

    /// Fails, and remembers why if nothing failed before.
    pub(super) fn fail(&mut self, at: At, keyword: &'static str, name: Option<&'s str>) -> Outcome {
        if self.trying == 0 && self.first.is_none() {
            self.first = Some((at, keyword, name));
        }
        Fails
    }

    /// Turns what a check of one value found into an outcome, with its blame.
    pub(super) fn settle(&mut self, outcome: Outcome, at: At, keyword: &'static str) -> Outcome {
        if outcome == Fails { self.fail(at, keyword, None) } else { outcome }
    }

    fn check(&mut self, id: SchemaId, check: &'s Check, at: At, node: &'d Node<'d>) -> Outcome {
        match check {
            Check::Types(bits) => {
                let outcome = has_type(&node.value, *bits);
                self.settle(outcome, at, "type")
            }
            Check::Ref(id) => self.schema(*id, at),
            Check::Enum(values) => {
                let outcome = self.is_one_of(values, at, node);
                self.settle(outcome, at, "enum")
            }
            Check::Const(value) => {
                let outcome = self.is_one_of(std::slice::from_ref(value), at, node);
                self.settle(outcome, at, "const")
            }
            Check::MultipleOf(_)
            | Check::Minimum { .. }
            | Check::Maximum { .. }
            | Check::MinLength(_)
            | Check::MaxLength(_)
            | Check::Pattern(_)
            | Check::Format(_) => {
                let (outcome, keyword) = numbers::scalar(self.schemas, check, &node.value);
                self.settle(outcome, at, keyword)
            }
            Check::AllOf(_)
            | Check::AnyOf(_)
            | Check::OneOf { .. }
            | Check::Not(_)
            | Check::If { .. }
            | Check::Discriminator(_) => self.combination(id, check, at, node),
            _ => self.content(id, check, at, node),
        }
    }

    /// Judges by a keyword that combines schemas.
    fn combination(&mut self, id: SchemaId, check: &'s Check, at: At, node: &'d Node<'d>) -> Outcome {
        match check {
            Check::AllOf(ids) => self.all(ids, at),
            Check::AnyOf(ids) => self.any(ids, at),
            Check::OneOf { schemas, discriminator } => self.one(schemas, discriminator.as_ref(), at, node),
            Check::Not(id) => {
                let outcome = match self.attempt(*id, at) {
                    Holds => Fails,
                    Fails => Holds,
                    Unknown => Unknown,
                };
                self.settle(outcome, at, "not")
            }
            Check::If { condition, then, otherwise } => self.branch(*condition, *then, *otherwise, at),
            Check::Discriminator(discriminator) => self.inherited(id, discriminator, at, node),
            _ => Holds,
        }
    }

    /// Judges what a container holds.
    fn content(&mut self, id: SchemaId, check: &'s Check, at: At, node: &'d Node<'d>) -> Outcome {
        match check {
            _ if matches!(node.value, Value::Unknown) => Unknown,
            Check::Items { .. }
            | Check::Contains { .. }
            | Check::MinItems(_)
            | Check::MaxItems(_)
            | Check::UniqueItems
            | Check::UnevaluatedItems(_) => match node.value {
                Value::Array => self.array(id, check, at, node),
                _ => Holds,
            },
            _ => match node.value {
                Value::Object => self.object(id, check, at, node),
                _ => Holds,
            },
        }
    }

    fn is_one_of(&self, values: &[Document<'static>], at: At, node: &Node<'_>) -> Outcome {
        if matches!(node.value, Value::Unknown) || node.is_open {
            return Unknown;
        }
        values.iter().any(|value| equal(self.document, at, value, Document::ROOT)).into()
    }
}

fn is_null(value: &Value<'_>) -> bool {
    match value {
        Value::Null => true,
        Value::Loose(text) => text.is_empty() || text == "null",
        _ => false,
    }
}

/// True if a value is of one of the types.
fn has_type(value: &Value<'_>, wanted: u8) -> Outcome {
    let of_number = |number: Number| {
        if number.is_integer() { types::INTEGER | types::NUMBER } else { types::NUMBER }
    };
    let is = match value {
        Value::Null => types::NULL,
        Value::Bool(_) => types::BOOLEAN,
        Value::Number(number) => of_number(*number),
        Value::Text(_) => types::STRING,
        Value::Loose(text) => {
            let null = if is_null(value) { types::NULL } else { 0 };
            let boolean = if text == "true" || text == "false" { types::BOOLEAN } else { 0 };
            types::STRING | null | boolean | Number::parse(text).map_or(0, of_number)
        }
        Value::Array => types::ARRAY,
        Value::Object => types::OBJECT,
        Value::Unknown => return Unknown,
    };
    (is & wanted != 0).into()
}
