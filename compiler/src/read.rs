//! The typed walk from tree to [`crate::raw`]: every value is read by the type and the kind of its field, every fault is
//! reported once and reading goes on. It must not know what a field means.

mod number;
mod value;

pub(crate) use value::{Choice, Map, OneOrMany};

use crate::code;
use crate::diagnostic::{Sink, did_you_mean, quoted};
use crate::field::{Enforced, Field, Kind};
use crate::tree::{Entry, Node, Value};

/// A value with its line.
#[derive(Debug, Clone)]
pub(crate) struct At<T> {
    /// What was read.
    pub(crate) value: T,
    /// Line of the value.
    pub(crate) line: u32,
}

/// A type that a node can be read as.
pub(crate) trait FromNode: Sized {
    /// Whether an empty value is read like an empty mapping instead of being absent.
    const READS_EMPTY: bool = false;

    /// Reads `node`; `None` after a fault, which has then been reported.
    fn from_node(reader: &mut Reader<'_>, node: &Node, kind: &Kind) -> Option<Self>;
}

/// Where the walk stands.
pub(crate) struct Reader<'a> {
    pub(crate) sink: &'a mut Sink,
    path: String,
    route_names: &'a [String],
}

/// A mapping whose keys are known fields.
pub(crate) struct Object<'n> {
    line: u32,
    fields: &'static [Field],
    entries: &'n [Entry],
    errors_before: usize,
}

impl Object<'_> {
    /// Line of the mapping.
    pub(crate) fn line(&self) -> u32 {
        self.line
    }

    /// Every field that has a value, with its key's line.
    pub(crate) fn keys(&self) -> Vec<(&'static str, u32)> {
        let known = |entry: &Entry| {
            let field = self.fields.iter().find(|field| field.name == entry.key)?;
            (!matches!(entry.node.value, Value::Empty)).then_some((field.name, entry.line))
        };
        self.entries.iter().filter_map(known).collect()
    }
}

impl<'a> Reader<'a> {
    /// At the document; `route_names` are the ids by which messages name routes.
    pub(crate) fn new(sink: &'a mut Sink, route_names: &'a [String]) -> Reader<'a> {
        Reader { sink, path: String::new(), route_names }
    }

    /// Path of the value that is being read.
    pub(crate) fn path(&self) -> &str {
        if self.path.is_empty() { "the configuration" } else { &self.path }
    }

    /// Takes `node` as a mapping with these fields; unknown ones are reported.
    pub(crate) fn object<'n>(&mut self, node: &'n Node, fields: &'static [Field]) -> Option<Object<'n>> {
        let errors_before = self.sink.errors();
        let entries: &[Entry] = match &node.value {
            Value::Map(entries) => entries,
            Value::Empty => &[],
            _ => {
                self.wrong_type(node, "an object");
                return None;
            }
        };
        for entry in entries {
            if !fields.iter().any(|field| field.name == entry.key) {
                self.unknown_field(entry, fields);
            }
        }
        // What the document itself lacks is missed on its first line, whatever comments stand above its fields.
        let line = if self.path.is_empty() { 1 } else { node.line };
        Some(Object { line, fields, entries, errors_before })
    }

    /// Reads one field of `object`.
    pub(crate) fn field<T: FromNode>(&mut self, object: &Object<'_>, name: &str) -> Option<At<T>> {
        let field = object.fields.iter().find(|field| field.name == name)?;
        let entry = object.entries.iter().find(|entry| entry.key == name);
        let given = entry.filter(|entry| T::READS_EMPTY || !matches!(entry.node.value, Value::Empty));
        let Some(entry) = given else {
            if field.required {
                let path = self.child_path(name);
                self.sink.error(code::MISSING_FIELD, object.line, format!("{path} is required"));
            }
            return None;
        };
        let parent = self.path.len();
        self.path = self.child_path(name);
        self.note_enforcement(field, entry);
        let read = T::from_node(self, &entry.node, &field.kind);
        self.path.truncate(parent);
        read.map(|value| At { value, line: entry.node.line })
    }

    /// Whether something in `object` was at fault.
    pub(crate) fn is_broken(&self, object: &Object<'_>) -> bool {
        self.sink.errors() > object.errors_before
    }

    /// Reads the entries of a list. Faulty entries are reported and left out.
    pub(crate) fn items<T: FromNode>(&mut self, nodes: &[std::rc::Rc<Node>], kind: &Kind) -> Vec<At<T>> {
        let mut items = Vec::with_capacity(nodes.len());
        for (index, node) in nodes.iter().enumerate() {
            let parent = self.path.len();
            if let (Kind::Section(_), Some(name)) = (kind, self.route_names.get(index)) {
                self.path = format!("{}[{name}]", self.path);
            }
            if let Some(value) = T::from_node(self, node, kind) {
                items.push(At { value, line: node.line });
            }
            self.path.truncate(parent);
        }
        items
    }

    /// Reports a value of the wrong type.
    pub(crate) fn wrong_type(&mut self, node: &Node, expected: &str) {
        let got = match &node.value {
            Value::Empty => "an empty value".to_owned(),
            Value::Scalar { text, .. } => quoted(text),
            Value::List(_) => "a list".to_owned(),
            Value::Map(_) => "an object".to_owned(),
        };
        self.error(code::WRONG_TYPE, node.line, &format!("must be {expected}, got {got}"));
    }

    /// Reports a fault of the value that is being read; `what` continues after the path.
    pub(crate) fn error(&mut self, code: &'static str, line: u32, what: &str) {
        let message = format!("{} {what}", self.path());
        self.sink.error(code, line, message);
    }

    fn child_path(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    fn unknown_field(&mut self, entry: &Entry, fields: &'static [Field]) {
        let place = if self.path.is_empty() { String::new() } else { format!(" in {}", self.path) };
        let message = format!("unknown field {}{place}", quoted(&entry.key));
        let elsewhere = self.path.starts_with("routes[") && matches!(entry.key.as_str(), "protocol");
        let help = if elsewhere {
            Some("it exists only under `global`".to_owned())
        } else {
            did_you_mean(&entry.key, fields.iter().map(|field| field.name))
        };
        self.sink.error_with(code::UNKNOWN_FIELD, entry.line, message, help);
    }

    fn note_enforcement(&mut self, field: &Field, entry: &Entry) {
        let inert = match field.enforced {
            Enforced::Yes => return,
            Enforced::No => true,
            Enforced::Only(word) => entry.node.text() != Some(word),
        };
        if inert {
            let message = format!("{}: accepted, not enforced yet", self.path);
            self.sink.warning(code::NOT_ENFORCED, entry.line, message);
        }
    }
}
