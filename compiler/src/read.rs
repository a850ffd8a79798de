//! The typed walk from tree to [`crate::raw`]: every value is read by the type and the kind of its field, every fault
//! is reported once and reading goes on. It must not know what a field means.

mod number;
mod place;
mod value;

pub(crate) use value::{Choice, Map, OneOrMany};

use crate::code;
use crate::diagnostic::{Sink, did_you_mean, quoted};
use crate::field::{Field, FieldKind};
use crate::names::{Mistake, Word, suggestion};
use crate::tree::{self, Entry, Node, Value};

/// A value with its line.
#[derive(Debug, Clone)]
pub(crate) struct At<T> {
    /// The value.
    pub(crate) value: T,
    /// Line of the value.
    pub(crate) line: u32,
}

/// A type that a node can be read as.
pub(crate) trait FromNode: Sized {
    /// True if an empty value is read like an empty mapping instead of being absent.
    const READS_EMPTY: bool = false;

    /// Reads `node`; `None` after a fault, which has then been reported.
    fn from_node(reader: &mut Reader<'_>, node: &Node, kind: &FieldKind) -> Option<Self>;
}

/// State of the walk.
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
                let help = match &node.value {
                    Value::List(_) => Some("write its fields without `- ` in front of them".to_owned()),
                    _ => Some(format!("it has the fields {}", listed(fields))),
                };
                self.wrong_type(node, "an object", help);
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
        let read = T::from_node(self, &entry.node, &field.kind);
        self.path.truncate(parent);
        read.map(|value| At { value, line: entry.node.line })
    }

    /// True if something in `object` was at fault.
    pub(crate) fn is_broken(&self, object: &Object<'_>) -> bool {
        self.sink.errors() > object.errors_before
    }

    /// Reads the entries of a list. Faulty entries are reported and left out.
    pub(crate) fn items<T: FromNode>(&mut self, nodes: &[std::rc::Rc<Node>], kind: &FieldKind) -> Vec<At<T>> {
        let mut items = Vec::with_capacity(nodes.len());
        for (index, node) in nodes.iter().enumerate() {
            let parent = self.path.len();
            if matches!(kind, FieldKind::Section(_)) {
                // Routes have names; entries of other lists have their place.
                let name = self.route_names.get(index).filter(|_| self.path == "routes");
                self.path = match name {
                    Some(name) => format!("{}[{name}]", self.path),
                    None => format!("{}[{index}]", self.path),
                };
            }
            if let Some(value) = T::from_node(self, node, kind) {
                items.push(At { value, line: node.line });
            }
            self.path.truncate(parent);
        }
        items
    }

    /// Reports a value of the wrong type, with advice.
    pub(crate) fn wrong_type(&mut self, node: &Node, expected: &str, help: Option<String>) {
        let got = match &node.value {
            Value::Empty => "an empty value".to_owned(),
            Value::Scalar { text, .. } => quoted(text),
            Value::List(_) => "a list".to_owned(),
            Value::Map(_) => "an object".to_owned(),
        };
        let help = node.text().and_then(variable).or(help);
        let message = format!("{} must be {expected}, got {got}", self.path());
        self.sink.error_with(code::WRONG_TYPE, node.line, message, help);
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
        let help = place::elsewhere(&self.path, &entry.key)
            .map(str::to_owned)
            .or_else(|| self.sink.did_you_mean(&entry.key, fields.iter().map(|field| field.name)))
            .or_else(|| place::of_field(&self.path, &entry.key, fields))
            .or_else(|| Some(format!("there are {}", listed(fields))));
        self.sink.error_with(code::UNKNOWN_FIELD, entry.line, message, help);
    }

    /// Reports that `text` is not of the syntax of `W`.
    fn mistaken<W: Word>(&mut self, text: &str, line: u32, mistake: Mistake) {
        let words = W::SYNTAX.words.filter(|_| mistake.help.is_none());
        let named = mistake.code == code::UNKNOWN_PROTECTION;
        let help = variable(text).or(mistake.help).or_else(|| {
            let words = words?;
            self.sink.advice(|| {
                if named { suggestion::advice(text, &words()) } else { did_you_mean(text, words()) }
            })
        });
        let shown = W::SYNTAX.shown.map_or_else(|| quoted(text), |shown| shown(text));
        let message = format!("{}: {shown} {}", self.path(), mistake.message);
        self.sink.error_with(mistake.code, line, message, help);
    }
}

/// Advice for a text that names a variable of an environment or of a template.
pub(crate) fn variable(text: &str) -> Option<String> {
    let named = |open: &str, close: &str| {
        text.split_once(open)
            .is_some_and(|(_, rest)| rest.split_once(close).is_some_and(|(name, _)| !name.is_empty()))
    };
    let bare = text
        .strip_prefix('$')
        .is_some_and(|name| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'));
    (named("${", "}") || named("$(", ")") || bare)
        .then(|| "variables are not expanded: write the value itself".to_owned())
}

/// A section with the defaults of its rows, read like a file; fields without a default are absent.
pub(crate) fn defaults<T: FromNode>(fields: &'static [Field]) -> Option<T> {
    let rows = fields.iter().filter(|field| !field.default.is_empty());
    let text: String = rows.flat_map(|field| [field.name, ": ", field.default, "\n"]).collect();
    // Required fields are missed here; a default that cannot be read is found by the tests.
    let mut sink = Sink::new("defaults", 1);
    let node = tree::read(&text, &mut sink)?;
    T::from_node(&mut Reader::new(&mut sink, &[]), &node, &FieldKind::Section(fields))
}

fn listed(fields: &[Field]) -> String {
    let names: Vec<String> = fields.iter().map(|field| format!("`{}`", field.name)).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_recognised() {
        for text in ["${PORT}", "http://${HOST}:80", "$PORT", "$(hostname)", "${PORT:-80}"] {
            assert!(variable(text).is_some(), "{text}");
        }
        for text in ["", "$", "${}", "a$b", "/cost$", "^a$", "5$ (five)", "${open", "$a b"] {
            assert_eq!(variable(text), None, "{text}");
        }
    }
}
