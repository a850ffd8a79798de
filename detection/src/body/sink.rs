//! The receiver of what the parsers find, and what they know about the end of a body.

pub use waf_bodies::Completeness;
use waf_shared::catalog::Leaf;

use crate::field::Place;

/// Progress of the evaluation of a body, between two calls of [`crate::inspection::Inspection::feed`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Something may still be found in what was fed.
    Open,
    /// The body is amid the content of a file; what came before it has been judged. What follows the file has not.
    InFile,
    /// More than `max_inspect_size` came, or the body is not evaluated: all that is ever judged of the body has
    /// been. Limits of multipart bodies are still watched in what is fed.
    Cleared,
}

/// Takes what the parsers find.
pub(crate) trait Sink {
    /// A name or a value.
    fn field(&mut self, place: Place, name: &[u8], value: &[u8]);
    /// An argument as it stands between two `&`.
    fn argument(&mut self, names: Place, values: Place, pair: &[u8]);
    /// The name of an argument whose value follows as a field.
    fn argument_name(&mut self, names: Place, name: &[u8]);
    /// A broken limit or a malformed document.
    fn violation(&mut self, leaf: Leaf, reason: &'static str);
    /// Returns `true` if nothing more is wanted.
    fn is_over(&self) -> bool;
}

/// Passes fields on and forgives most of what else is found in a document that nobody declared.
pub(super) struct LenientSink<'a, S>(pub(super) &'a mut S);

impl<S: Sink> Sink for LenientSink<'_, S> {
    fn field(&mut self, place: Place, name: &[u8], value: &[u8]) {
        self.0.field(place, name, value);
    }

    fn argument(&mut self, names: Place, values: Place, pair: &[u8]) {
        self.0.argument(names, values, pair);
    }

    fn argument_name(&mut self, names: Place, name: &[u8]) {
        self.0.argument_name(names, name);
    }

    fn violation(&mut self, leaf: Leaf, reason: &'static str) {
        // Whoever declares entities that harm has something in mind, whatever he calls the document.
        if leaf == Leaf::XmlParsingEntityExpansion {
            self.0.violation(leaf, reason);
        }
    }

    fn is_over(&self) -> bool {
        self.0.is_over()
    }
}
