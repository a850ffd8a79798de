//! States of the tokenizer, and the classes of bytes that it distinguishes.

/// The next thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum State {
    #[default]
    Text,
    /// After `<`.
    Markup,
    StartName,
    /// Between attributes, and whether white space came.
    InTag(Space),
    AttributeName,
    BeforeEquals,
    BeforeValue,
    /// In a value between these quotes.
    Value(u8),
    /// After `&`; in a value between these quotes, or in text.
    Reference(Option<u8>),
    /// After the `/` of an empty element.
    EmptyElement,
    EndName,
    AfterEndName,
    /// After `<!`.
    Declaration,
    /// In a comment, after so many dashes.
    Comment(u8),
    /// In a CDATA section, after so many brackets.
    CData(u8),
    /// In a processing instruction, and whether the last byte was a question mark.
    Instruction(Mark),
    /// In the document type before its subset, inside these quotes.
    Doctype(Option<u8>),
    Subset,
    /// After `<` in the subset.
    SubsetMarkup,
    /// After `<!-` in the subset.
    SubsetComment,
    /// In a declaration of the subset, inside these quotes.
    SubsetDeclaration(Option<u8>),
    /// In the name of a parameter entity that is used.
    ParameterReference,
    AfterSubset,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    Seen,
    Missing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Seen,
    Missing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Stage {
    /// Before the root element.
    #[default]
    Prolog,
    Root,
    /// After it.
    Epilog,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Element {
    /// Offset of its name.
    pub(super) name_start: usize,
    /// Bytes of its parent's path.
    pub(super) parent_path_bytes: usize,
}

/// The use of a byte: taken by a state, or left to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    Yes,
    No,
}

pub(super) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

pub(super) const fn is_control(byte: u8) -> bool {
    byte < 0x20 && !is_space(byte)
}

pub(super) const fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':') || byte >= 0x80
}

pub(super) const fn is_name(byte: u8) -> bool {
    is_name_start(byte) || byte.is_ascii_digit() || matches!(byte, b'-' | b'.')
}
