//! Equality of JSON values: by value, whatever the order of members (JSON Schema core section 4.2.2).

use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};

use super::document::{At, Document, Value};
use crate::number::Number;

/// True if two values are equal. Values are no deeper than a text that was read.
pub(crate) fn equal(left: &Document<'_>, a: At, right: &Document<'_>, b: At) -> bool {
    let (Some(x), Some(y)) = (left.node(a), right.node(b)) else { return false };
    match (&x.value, &y.value) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(x), Value::Bool(y)) => x == y,
        (Value::Number(x), Value::Number(y)) => x.compare(*y) == Ordering::Equal,
        (Value::Text(x) | Value::Loose(x), Value::Text(y) | Value::Loose(y)) => x == y,
        (Value::Loose(text), other) | (other, Value::Loose(text)) => loosely(text, other),
        (Value::Array, Value::Array) => {
            let (mut mine, mut theirs) = (left.children(a), right.children(b));
            loop {
                match (mine.next(), theirs.next()) {
                    (None, None) => return true,
                    (Some((x, _)), Some((y, _))) if equal(left, x, right, y) => {}
                    _ => return false,
                }
            }
        }
        (Value::Object, Value::Object) => {
            let theirs: HashMap<&str, At> =
                right.children(b).filter_map(|(at, node)| node.key.as_deref().map(|key| (key, at))).collect();
            left.children(a).count() == theirs.len()
                && left.children(a).all(|(at, node)| {
                    let other = node.key.as_deref().and_then(|key| theirs.get(key));
                    other.is_some_and(|other| equal(left, at, right, *other))
                })
        }
        _ => false,
    }
}

/// True if a text stands for a value that is no text.
fn loosely(text: &str, other: &Value<'_>) -> bool {
    match other {
        Value::Null => text.is_empty() || text == "null",
        Value::Bool(value) => text == if *value { "true" } else { "false" },
        Value::Number(value) => {
            Number::parse(text).is_some_and(|number| number.compare(*value) == Ordering::Equal)
        }
        _ => false,
    }
}

/// True if two items of an array are equal.
pub(crate) fn has_duplicates(document: &Document<'_>, array: At) -> bool {
    // A secret of this call: nobody can choose values whose digests collide.
    let state = RandomState::new();
    let mut by_hash: HashMap<u64, Vec<At>> = HashMap::new();
    for (at, _) in document.children(array) {
        let alike = by_hash.entry(digest(document, at, &state)).or_default();
        if alike.iter().any(|other| equal(document, at, document, *other)) {
            return true;
        }
        // Equal items are found at once, so this list holds only accidents of hashing.
        alike.push(at);
    }
    false
}

/// A number that is the same for equal values.
fn digest(document: &Document<'_>, at: At, state: &RandomState) -> u64 {
    let Some(node) = document.node(at) else { return 0 };
    let mut hasher = state.build_hasher();
    match &node.value {
        Value::Null => 0_u8.hash(&mut hasher),
        Value::Bool(value) => value.hash(&mut hasher),
        Value::Number(Number::Exact { digits, exponent }) => (digits, exponent).hash(&mut hasher),
        Value::Number(Number::Float(value)) => value.to_bits().hash(&mut hasher),
        Value::Text(text) | Value::Loose(text) => text.hash(&mut hasher),
        Value::Array => {
            for (child, _) in document.children(at) {
                digest(document, child, state).hash(&mut hasher);
            }
        }
        Value::Object => {
            let members = document
                .children(at)
                .map(|(child, node)| state.hash_one((&node.key, digest(document, child, state))));
            members.fold(0_u64, u64::wrapping_add).hash(&mut hasher);
        }
        Value::Unknown => at.0.hash(&mut hasher),
    }
    hasher.finish()
}
