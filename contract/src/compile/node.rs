//! A document as it is written: YAML or JSON, members in their order, none twice.

use std::fmt;
use std::fmt::Write as _;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    Null,
    Bool(bool),
    /// A JSON number.
    Number(String),
    Text(String),
    List(Vec<Node>),
    Object(Vec<(String, Node)>),
}

impl Node {
    /// The member of that name.
    pub(super) fn get(&self, name: &str) -> Option<&Node> {
        self.members()?.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    pub(super) fn members(&self) -> Option<&[(String, Node)]> {
        match self {
            Node::Object(members) => Some(members),
            _ => None,
        }
    }

    pub(super) fn items(&self) -> Option<&[Node]> {
        match self {
            Node::List(items) => Some(items),
            _ => None,
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Node::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Number of values that it is made of, counted to `max`.
    pub(super) fn count(&self, max: usize) -> usize {
        let mut count = 0;
        let mut waiting = vec![self];
        while let Some(node) = waiting.pop() {
            count += 1;
            if count > max {
                break;
            }
            match node {
                Node::List(items) => waiting.extend(items),
                Node::Object(members) => waiting.extend(members.iter().map(|(_, value)| value)),
                _ => {}
            }
        }
        count
    }

    /// Every text that a `$ref` holds.
    pub(super) fn references(&self) -> Vec<&str> {
        let mut found = Vec::new();
        let mut waiting = vec![self];
        while let Some(node) = waiting.pop() {
            match node {
                Node::List(items) => waiting.extend(items),
                Node::Object(members) => {
                    for (key, value) in members {
                        match value {
                            Node::Text(text) if key == "$ref" => found.push(text.as_str()),
                            other => waiting.push(other),
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// As a JSON text. No document is nested deeper than its parser goes.
    pub(super) fn json(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Node::Null => out.push_str("null"),
            Node::Bool(value) => {
                let _ = write!(out, "{value}");
            }
            Node::Number(text) => out.push_str(text),
            Node::Text(text) => quote(text, out),
            Node::List(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Node::Object(members) => {
                out.push('{');
                for (index, (key, value)) in members.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    quote(key, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            character if character < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(character));
            }
            character => out.push(character),
        }
    }
    out.push('"');
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Number(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Number(value.to_string()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Node, E> {
        if value.is_finite() {
            Ok(Node::Number(value.to_string()))
        } else {
            Err(E::custom("a number that is none"))
        }
    }

    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Node, E> {
        Ok(Node::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut members: Vec<(String, Node)> = Vec::new();
        let mut names = std::collections::HashSet::new();
        while let Some(Key(key)) = map.next_key()? {
            if !names.insert(key.clone()) {
                return Err(A::Error::custom(format!("the key `{key}` stands twice in one object")));
            }
            members.push((key, map.next_value()?));
        }
        Ok(Node::Object(members))
    }
}

/// A key; status codes are often written as numbers.
struct Key(String);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Key, D::Error> {
        match Node::deserialize(deserializer)? {
            Node::Text(text) | Node::Number(text) => Ok(Key(text)),
            Node::Bool(value) => Ok(Key(value.to_string())),
            Node::Null => Ok(Key("null".to_owned())),
            _ => Err(D::Error::custom("a key that is no text")),
        }
    }
}
