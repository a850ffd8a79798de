//! The kinds of bodies, by the parser that reads them.

/// How a body is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BodyKind {
    /// `application/x-www-form-urlencoded`.
    Form,
    /// JSON, also by suffix.
    Json,
    /// XML, also by suffix.
    Xml,
    /// Multipart: text fields, and files of which only names, types, sizes and first bytes are looked at.
    Multipart,
    /// Text, or of unknown type: one value, read as JSON or XML too when it looks like it.
    Raw,
    /// Binary by its type: read as text of the kind that its first bytes show, and not read where they show none.
    Binary,
    /// No body.
    #[default]
    None,
}
