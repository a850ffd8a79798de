//! A document: values in the order in which they begin.

use std::borrow::Cow;

use crate::number::Number;

/// Position of a value in its [`Document`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct At(pub(crate) u32);

/// Values in the order in which they begin; a container is followed by what it holds.
#[derive(Debug, Clone, Default)]
pub struct Document<'t> {
    nodes: Vec<Node<'t>>,
}

/// One value.
#[derive(Debug, Clone)]
pub(crate) struct Node<'t> {
    /// The name by which its object holds it.
    pub(crate) key: Option<Cow<'t, str>>,
    pub(crate) value: Value<'t>,
    /// Index of the value behind all that it contains.
    end: u32,
    /// True if more may have followed in it.
    pub(crate) is_open: bool,
}

/// Content of a value.
#[derive(Debug, Clone)]
pub(crate) enum Value<'t> {
    Null,
    Bool(bool),
    Number(Number),
    Text(Cow<'t, str>),
    /// A text that may stand for a number, a boolean or nothing, as parameters do.
    Loose(Cow<'t, str>),
    Array,
    Object,
    /// Not known, because it was cut off or is binary.
    Unknown,
}

impl<'t> Document<'t> {
    /// The outermost value.
    pub(crate) const ROOT: At = At(0);

    pub(crate) fn node(&self, at: At) -> Option<&Node<'t>> {
        self.nodes.get(at.0 as usize)
    }

    /// Content of a container.
    pub(crate) fn children(&self, at: At) -> Children<'_, 't> {
        let end = self.node(at).map_or(0, |node| node.end);
        Children { document: self, next: at.0 + 1, end }
    }

    /// The member of that name; the last one, should there be more.
    pub(crate) fn member(&self, object: At, name: &str) -> Option<At> {
        self.children(object).filter(|(_, node)| node.key.as_deref() == Some(name)).last().map(|(at, _)| at)
    }

    /// Adds a value that holds nothing.
    pub(crate) fn push(&mut self, key: Option<Cow<'t, str>>, value: Value<'t>) {
        let end = self.nodes.len() as u32 + 1;
        self.nodes.push(Node { key, value, end, is_open: false });
    }

    /// Begins a container, which lasts until it is closed.
    pub(crate) fn open(&mut self, key: Option<Cow<'t, str>>, value: Value<'t>) -> At {
        let at = At(self.nodes.len() as u32);
        self.push(key, value);
        at
    }

    /// Ends a container.
    pub(crate) fn close(&mut self, at: At, is_open: bool) {
        let end = self.nodes.len() as u32;
        if let Some(node) = self.nodes.get_mut(at.0 as usize) {
            node.end = end;
            node.is_open = is_open;
        }
    }

    /// Adds all of `other` as one value.
    pub(crate) fn graft(&mut self, mut key: Option<Cow<'t, str>>, other: Document<'t>) {
        let offset = self.nodes.len() as u32;
        for (index, mut node) in other.nodes.into_iter().enumerate() {
            node.end += offset;
            if index == 0 {
                node.key = key.take();
            }
            self.nodes.push(node);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True if a part is missing.
    pub(crate) fn is_open(&self) -> bool {
        self.nodes.first().is_none_or(|root| root.is_open || matches!(root.value, Value::Unknown))
    }

    /// A document that borrows nothing.
    pub(crate) fn into_owned(self) -> Document<'static> {
        let owned = |text: Cow<'t, str>| Cow::Owned(text.into_owned());
        let nodes = self.nodes.into_iter().map(|node| Node {
            key: node.key.map(owned),
            value: match node.value {
                Value::Null => Value::Null,
                Value::Bool(value) => Value::Bool(value),
                Value::Number(number) => Value::Number(number),
                Value::Text(text) => Value::Text(owned(text)),
                Value::Loose(text) => Value::Loose(owned(text)),
                Value::Array => Value::Array,
                Value::Object => Value::Object,
                Value::Unknown => Value::Unknown,
            },
            end: node.end,
            is_open: node.is_open,
        });
        Document { nodes: nodes.collect() }
    }

    /// The JSON pointer of a value (RFC 6901).
    pub(crate) fn pointer(&self, target: At) -> String {
        let mut out = String::new();
        let mut at = Document::ROOT;
        while at != target {
            let holds =
                |&(_, (child, node)): &(usize, (At, &Node<'t>))| child.0 <= target.0 && target.0 < node.end;
            let Some((index, (child, node))) = self.children(at).enumerate().find(holds) else { break };
            match &node.key {
                Some(key) => out.push_str(&member_pointer(key)),
                None => out.push_str(&member_pointer(&index.to_string())),
            }
            at = child;
        }
        out
    }
}

/// The JSON pointer of a member, from its object.
pub(crate) fn member_pointer(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// See [`Document::children`].
#[derive(Debug, Clone)]
pub(crate) struct Children<'d, 't> {
    document: &'d Document<'t>,
    next: u32,
    end: u32,
}

impl<'d, 't> Iterator for Children<'d, 't> {
    type Item = (At, &'d Node<'t>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.end {
            return None;
        }
        let at = At(self.next);
        let node = self.document.nodes.get(at.0 as usize)?;
        self.next = node.end.max(at.0 + 1);
        Some((at, node))
    }
}
