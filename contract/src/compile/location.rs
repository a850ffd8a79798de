//! A place in the files of a document: the value, its file and its JSON pointer.

use super::node::Node;

/// A value with its place.
#[derive(Debug, Clone)]
pub(super) struct Location<'d> {
    /// Index of its file.
    pub(super) file: usize,
    /// From the root of the file, `/paths/~1orders`.
    pub(super) pointer: String,
    pub(super) node: &'d Node,
}

impl<'d> Location<'d> {
    /// The member of that name.
    pub(super) fn get(&self, name: &str) -> Option<Location<'d>> {
        self.node.get(name).map(|node| self.at(name, node))
    }

    /// All members with their names.
    pub(super) fn members(&self) -> impl Iterator<Item = (&'d str, Location<'d>)> + use<'_, 'd> {
        let members = self.node.members().unwrap_or_default();
        members.iter().map(|(name, node)| (name.as_str(), self.at(name, node)))
    }

    /// All items.
    pub(super) fn items(&self) -> impl Iterator<Item = Location<'d>> + use<'_, 'd> {
        let items = self.node.items().unwrap_or_default();
        items.iter().enumerate().map(|(index, node)| self.at(&index.to_string(), node))
    }

    /// Identity of this value among all others.
    pub(super) fn identity(&self) -> usize {
        std::ptr::from_ref(self.node) as usize
    }

    fn at(&self, name: &str, node: &'d Node) -> Location<'d> {
        let mut pointer = self.pointer.clone();
        pointer.push('/');
        escape(name, &mut pointer);
        Location { file: self.file, pointer, node }
    }
}

/// Writes a name as part of a JSON pointer (RFC 6901).
fn escape(name: &str, out: &mut String) {
    for character in name.chars() {
        match character {
            '~' => out.push_str("~0"),
            '/' => out.push_str("~1"),
            other => out.push(other),
        }
    }
}
