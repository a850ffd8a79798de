//! GraphQL in values: the query of a JSON body, of a parameter or of a message, and a body that is a document. Servers parse
//! it and never run its text elsewhere, so its texts are judged one by one and the document around them is not judged as
//! SQL or shell. What it asks for is bounded.

use waf_bodies::graphql::{self, Document, Text, TextKind};
use waf_shared::catalog::Leaf;
use waf_shared::limits;

use super::documents::LEVELS_MAX;
use super::judging::Judging;
use crate::field::{Field, Place};
use crate::view::{escapes, percent};

impl Judging {
    /// Judges `field` as a document of GraphQL; `false` if it is none.
    pub(super) fn graphql(&mut self, field: &Field<'_>) -> bool {
        if !may_be_document(field) || self.level >= LEVELS_MAX {
            return false;
        }
        let mut decoded = Vec::new();
        let is_coded = field.place.is_coded() && percent::decode(field.value, true, &mut decoded);
        let text = if is_coded { decoded.as_slice() } else { field.value };
        if !is_called_document(field, text) || !self.meter.spend(text.len()) {
            return false;
        }
        let Some(document) = graphql::read(text) else { return false };
        self.bound(&document);
        self.level += 1;
        for text in &document.texts {
            self.text_of(field, text);
        }
        self.level -= 1;
        true
    }

    /// Compares what a document asks for with the limits.
    fn bound(&mut self, document: &Document<'_>) {
        self.graphql_documents = self.graphql_documents.saturating_add(1);
        let outline = &document.outline;
        for (is_broken, leaf, reason) in [
            (
                outline.depth > limits::GRAPHQL_DEPTH_MAX,
                Leaf::GraphqlMaxDepth,
                "a GraphQL document nests too deeply",
            ),
            (
                outline.aliases > limits::GRAPHQL_ALIASES_MAX,
                Leaf::GraphqlMaxAliases,
                "a GraphQL document has too many aliases",
            ),
            (
                outline.fields > limits::GRAPHQL_FIELDS_MAX,
                Leaf::GraphqlMaxFields,
                "a GraphQL document asks for too many fields",
            ),
            (
                outline.directives > limits::GRAPHQL_DIRECTIVES_MAX,
                Leaf::GraphqlMaxDirectives,
                "a GraphQL document has too many directives",
            ),
            (
                self.graphql_documents > limits::GRAPHQL_BATCH_MAX,
                Leaf::GraphqlMaxBatch,
                "the request has too many GraphQL documents",
            ),
            (outline.is_introspection, Leaf::GraphqlIntrospection, "a GraphQL document asks for the schema"),
        ] {
            if is_broken {
                self.violation(leaf, reason.into());
            }
        }
    }

    /// Judges a text of the document in `field`.
    fn text_of(&mut self, field: &Field<'_>, text: &Text<'_>) {
        let mut name = field.name.to_vec();
        if !text.name.is_empty() {
            name.push(b'.');
            name.extend_from_slice(text.name);
        }
        let mut unescaped = Vec::new();
        let is_escaped = text.kind == TextKind::Quoted && escapes::decode(text.raw, &mut unescaped);
        let value = if is_escaped { unescaped.as_slice() } else { text.raw };
        self.field(&Field { place: Place::Json, name: &name, value });
    }
}

/// Returns `true` if the place and the first byte of a value are those of a document. Nearly every value is dismissed here.
fn may_be_document(field: &Field<'_>) -> bool {
    let first = field.value.first();
    matches!(
        first,
        Some(b'{' | b'q' | b'm' | b's' | b'f' | b'#' | b'%' | b'+' | b' ' | b'\t' | b'\r' | b'\n' | 0xef)
    ) && matches!(field.place, Place::Json | Place::Query | Place::Form | Place::Part | Place::Body)
        && memchr::memchr2(b'{', b'%', field.value).is_some()
}

/// Returns `true` if the name of a value says that it is a document, or its beginning.
fn is_called_document(field: &Field<'_>, text: &[u8]) -> bool {
    let last = field.name.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    let is_named = last.eq_ignore_ascii_case(b"query") || field.place == Place::Body;
    graphql::begins(text) && (is_named || text.trim_ascii_start().first() != Some(&b'{'))
}

#[cfg(test)]
mod tests;
