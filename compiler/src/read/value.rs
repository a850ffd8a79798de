//! Reading of each type of value from a node.

use super::number::{self, Number};
use super::{At, FromNode, Reader, variable};
use crate::code;
use crate::diagnostic::{QUOTE_CHARS_MAX, quoted, shortened};
use crate::field::{Bound, FieldKind};
use crate::names::{OneOf, Word};
use crate::setting::list;
use crate::tree::{Node, Value};

/// A word of a closed set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Choice<T>(pub(crate) T);

/// One entry or a list.
#[derive(Debug, Clone)]
pub(crate) struct OneOrMany<T>(pub(crate) Vec<At<T>>);

/// A mapping from names to texts, in the order of the file.
#[derive(Debug, Clone)]
pub(crate) struct Map<K, V>(pub(crate) Vec<(At<K>, At<V>)>);

impl FromNode for u64 {
    fn from_node(reader: &mut Reader<'_>, node: &Node, kind: &FieldKind) -> Option<u64> {
        let Value::Scalar { text, plain } = &node.value else {
            reader.wrong_type(node, &expected(kind), None);
            return None;
        };
        let (number, bound) = match kind {
            FieldKind::Int(bound) if *plain => (number::whole(text), bound),
            FieldKind::Size(bound) => (number::size(text), bound),
            FieldKind::Duration(bound) => (number::duration(text), bound),
            _ => (None, &Bound::least(0, "")),
        };
        let Some(number) = number else {
            reader.wrong_type(node, &expected(kind), number_meant(text, *plain, kind));
            return None;
        };
        let broken = match number {
            Number::Negative => bound.low,
            Number::Natural(value) if value < bound.min => bound.low,
            Number::Natural(value) if value > bound.max => bound.high,
            Number::Natural(value) => return Some(value),
        };
        reader.error(code::OUT_OF_BOUNDS, node.line, &format!("must be {broken}, got {}", shortened(text)));
        None
    }
}

/// The number that was probably meant.
fn number_meant(text: &str, plain: bool, kind: &FieldKind) -> Option<String> {
    let meant = match kind {
        FieldKind::Int(_) if !plain && number::whole(text).is_some() => {
            return Some(WITHOUT_QUOTES.to_owned());
        }
        FieldKind::Size(_) => number::size_meant(text)?,
        FieldKind::Duration(_) => number::duration_meant(text)?,
        _ => return None,
    };
    Some(format!("did you mean `{meant}`?"))
}

/// Advice for a value that would be of the right type without its quotes.
const WITHOUT_QUOTES: &str = "in quotes it is a string: write it without them";

fn expected(kind: &FieldKind) -> String {
    match kind {
        FieldKind::Size(_) => {
            "a byte size (a whole number with `B`, `KB`, `MB`, `GB` or no suffix)".to_owned()
        }
        FieldKind::Duration(_) => {
            "a duration (a number with a unit, such as `500ms`, `10s` or `2m`)".to_owned()
        }
        _ => "an int".to_owned(),
    }
}

impl FromNode for bool {
    fn from_node(reader: &mut Reader<'_>, node: &Node, _: &FieldKind) -> Option<bool> {
        match &node.value {
            Value::Scalar { text, plain: true } if text == "true" => Some(true),
            Value::Scalar { text, plain: true } if text == "false" => Some(false),
            _ => {
                let help = match node.text() {
                    Some("true" | "false") => Some(WITHOUT_QUOTES.to_owned()),
                    text => text.and_then(bool_meant).map(|meant| format!("did you mean `{meant}`?")),
                };
                reader.wrong_type(node, "a bool (`true` or `false`)", help);
                None
            }
        }
    }
}

/// The mode that other programs call so.
fn mode_meant(text: &str, mut words: impl Iterator<Item = &'static str>) -> Option<String> {
    let mode = match text {
        "audit" | "detect" | "detection" | "detectiononly" | "detection_only" | "log" | "log_only"
        | "monitor" | "monitoring" | "observe" | "report" | "simulate" => "detect_only",
        "block" | "deny" | "enforce" | "enforcing" | "on" | "prevent" | "prevention" => "blocking",
        _ => return None,
    };
    words.any(|word| word == mode).then(|| format!("did you mean `{mode}`?"))
}

/// Words of YAML 1.1 and other spellings.
fn bool_meant(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "y" | "1" => Some(true),
        "false" | "no" | "off" | "n" | "0" => Some(false),
        _ => None,
    }
}

impl<T: OneOf> FromNode for Choice<T> {
    fn from_node(reader: &mut Reader<'_>, node: &Node, _: &FieldKind) -> Option<Choice<T>> {
        let words = || T::WORDS.iter().map(|(word, _)| *word);
        let listed = || words().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" or ");
        let Some(text) = node.text() else {
            reader.wrong_type(node, &listed(), None);
            return None;
        };
        let found = T::WORDS.iter().find(|(word, _)| *word == text);
        if found.is_none() {
            let verb = if T::WORDS.len() == 1 { "equal" } else { "be" };
            let message = format!("{} must {verb} {}, got {}", reader.path(), listed(), quoted(text));
            let spelled = text.to_ascii_lowercase().replace('-', "_");
            let help = variable(text)
                .or_else(|| mode_meant(&spelled, words()))
                .or_else(|| reader.sink.did_you_mean(&spelled, words()));
            reader.sink.error_with(code::INVALID_VALUE, node.line, message, help);
        }
        found.map(|(_, meaning)| Choice(*meaning))
    }
}

impl<W: Word> FromNode for W {
    fn from_node(reader: &mut Reader<'_>, node: &Node, _: &FieldKind) -> Option<W> {
        let Some(text) = node.text() else {
            reader.wrong_type(node, &format!("a {}", W::SYNTAX.type_name), None);
            return None;
        };
        match W::parse(text) {
            Ok(word) => Some(word),
            Err(mistake) => {
                reader.mistaken::<W>(text, node.line, mistake);
                None
            }
        }
    }
}

impl<T: FromNode> FromNode for Vec<At<T>> {
    fn from_node(reader: &mut Reader<'_>, node: &Node, kind: &FieldKind) -> Option<Vec<At<T>>> {
        match (&node.value, kind) {
            (Value::List(nodes), FieldKind::List(item)) => Some(reader.items(nodes, item)),
            (Value::List(nodes), FieldKind::AtLeastOne(item, what)) => {
                not_empty(reader, node, nodes.len(), what)?;
                Some(reader.items(nodes, item))
            }
            _ => {
                reader.wrong_type(node, &format!("a {}", kind.type_name()), list_meant(node, kind));
                None
            }
        }
    }
}

/// The list that was probably meant by one text, or by entries without dashes.
fn list_meant(node: &Node, kind: &FieldKind) -> Option<String> {
    match (&node.value, kind) {
        (Value::Map(_), FieldKind::AtLeastOne(_, what)) => Some(format!("begin each {what} with `- `")),
        (Value::Scalar { .. }, FieldKind::AtLeastOne(FieldKind::Section(_), what)) => {
            Some(format!("begin each {what} with `- `"))
        }
        (Value::Scalar { text, .. }, _) if text.len() <= QUOTE_CHARS_MAX => {
            let entries = text.split([',', ' ']).filter(|entry| !entry.is_empty());
            Some(format!("write it as a list: {}", list(entries.map(str::to_owned))))
        }
        _ => None,
    }
}

fn not_empty(reader: &mut Reader<'_>, node: &Node, length: usize, what: &str) -> Option<()> {
    if length == 0 {
        reader.error(code::EMPTY_LIST, node.line, &format!("must contain at least one {what}"));
        return None;
    }
    Some(())
}

impl<T: FromNode> FromNode for OneOrMany<T> {
    fn from_node(reader: &mut Reader<'_>, node: &Node, kind: &FieldKind) -> Option<OneOrMany<T>> {
        let FieldKind::OneOrMany(item, what) = kind else { return None };
        match &node.value {
            Value::List(nodes) => {
                not_empty(reader, node, nodes.len(), what)?;
                Some(OneOrMany(reader.items(nodes, item)))
            }
            Value::Scalar { .. } => {
                let one = T::from_node(reader, node, item)?;
                Some(OneOrMany(vec![At { value: one, line: node.line }]))
            }
            _ => {
                reader.wrong_type(node, &format!("a {}", kind.type_name()), None);
                None
            }
        }
    }
}

impl<K: Word, V: Word> FromNode for Map<K, V> {
    fn from_node(reader: &mut Reader<'_>, node: &Node, kind: &FieldKind) -> Option<Map<K, V>> {
        let Value::Map(entries) = &node.value else {
            reader.wrong_type(node, &format!("a {}", kind.type_name()), None);
            return None;
        };
        let mut pairs = Vec::with_capacity(entries.len());
        for entry in entries {
            let key = match K::parse(&entry.key) {
                Ok(key) => key,
                Err(mistake) => {
                    reader.mistaken::<K>(&entry.key, entry.line, mistake);
                    continue;
                }
            };
            if matches!(entry.node.value, Value::Empty) {
                continue;
            }
            if let Some(value) = V::from_node(reader, &entry.node, kind) {
                pairs.push((At { value: key, line: entry.line }, At { value, line: entry.node.line }));
            }
        }
        Some(Map(pairs))
    }
}
