//! Fragments written out: a short document can ask for very much by using fragments within fragments.

use std::collections::HashMap;

use super::Outline;

/// Definitions beyond this are not written out: their document asks for more than any limit allows.
const DEFINITIONS_MAX: usize = 500;

/// The definitions of a document.
#[derive(Debug, Default)]
pub(super) struct Definitions<'d> {
    all: Vec<Definition<'d>>,
}

#[derive(Debug, Default)]
struct Definition<'d> {
    /// Name of a fragment; empty for an operation.
    name: &'d [u8],
    own: Size,
    /// Fragments that it uses, and the depth at which it does.
    spreads: Vec<(&'d [u8], u64)>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Size {
    depth: u64,
    fields: u64,
    aliases: u64,
}

impl Size {
    const ENDLESS: Size = Size { depth: u64::MAX, fields: u64::MAX, aliases: u64::MAX };

    /// With `other` in it, at a depth.
    fn with(self, other: Size, depth: u64) -> Size {
        Size {
            depth: self.depth.max(other.depth.saturating_add(depth)),
            fields: self.fields.saturating_add(other.fields),
            aliases: self.aliases.saturating_add(other.aliases),
        }
    }
}

impl<'d> Definitions<'d> {
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(super) fn begin(&mut self, name: &'d [u8]) {
        self.all.push(Definition { name, ..Definition::default() });
    }

    /// Names the fragment in hand.
    pub(super) fn name(&mut self, name: &'d [u8]) {
        self.last(|definition| definition.name = name);
    }

    pub(super) fn reach(&mut self, depth: u64) {
        self.last(|definition| definition.own.depth = definition.own.depth.max(depth));
    }

    pub(super) fn field(&mut self) {
        self.last(|definition| definition.own.fields += 1);
    }

    pub(super) fn alias(&mut self) {
        self.last(|definition| definition.own.aliases += 1);
    }

    /// Uses the fragment `name` at a depth.
    pub(super) fn spread(&mut self, name: &'d [u8], depth: u64) {
        self.last(|definition| definition.spreads.push((name, depth)));
    }

    fn last(&mut self, change: impl FnOnce(&mut Definition<'d>)) {
        if let Some(definition) = self.all.last_mut() {
            change(definition);
        }
    }

    /// All that the operations ask for. Fragments in a circle have no end.
    pub(super) fn outline(&self) -> Outline {
        let whole = if self.all.len() > DEFINITIONS_MAX { Size::ENDLESS } else { self.written_out() };
        Outline { depth: whole.depth, fields: whole.fields, aliases: whole.aliases, ..Outline::default() }
    }

    fn written_out(&self) -> Size {
        let named = self.all.iter().enumerate().filter(|(_, one)| !one.name.is_empty());
        let places: HashMap<&[u8], usize> = named.map(|(at, one)| (one.name, at)).collect();
        let mut sizes: Vec<Size> = self.all.iter().map(|one| one.own).collect();
        // A round writes out one more level of fragments, and a document without circles has no more levels than fragments.
        for _ in 0..=places.len() {
            let next: Vec<Size> = self.all.iter().map(|one| one.size(&places, &sizes)).collect();
            if next == sizes {
                let operations = self.all.iter().zip(&sizes).filter(|(one, _)| one.name.is_empty());
                let rest = self
                    .all
                    .iter()
                    .zip(&sizes)
                    .fold(Size::default(), |all, (_, size)| Size { depth: all.depth.max(size.depth), ..all });
                return operations.fold(rest, |all, (_, size)| all.with(*size, 0));
            }
            sizes = next;
        }
        Size::ENDLESS
    }
}

impl Definition<'_> {
    fn size(&self, places: &HashMap<&[u8], usize>, sizes: &[Size]) -> Size {
        let used = self.spreads.iter().filter_map(|(name, depth)| {
            let size = places.get(name).and_then(|at| sizes.get(*at))?;
            Some((*size, *depth - u64::from(*depth > 0)))
        });
        used.fold(self.own, |all, (size, depth)| all.with(size, depth))
    }
}
