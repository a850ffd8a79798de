//! The types of a row of the configuration's tables: one [`Field`] a row, with its kind, bounds, default, reference
//! text and limit. Reading, defaults, suggestions, the JSON Schema and the reference pages derive from the rows, which
//! are defined in the module `raw`. It must not know trees or plans.

use waf_shared::catalog::Leaf;

/// One field of the configuration.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Its key.
    pub name: &'static str,
    /// Kind of its values.
    pub kind: FieldKind,
    /// True if it must be present in its mapping.
    pub required: bool,
    /// Default as the reference page prints it and the file could say it.
    pub default: &'static str,
    /// Further constraints in words; numeric bounds are part of the kind.
    pub bound: &'static str,
    /// Reference text, one sentence.
    pub doc: &'static str,
    /// Row of the page of limits; `None` for a field that limits nothing.
    pub limit: Option<Limit>,
}

/// A limit as the page of limits lists it.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    /// Protections that enforce it.
    pub leaves: &'static [Leaf],
    /// Answer to a request that breaks it; `None` is the status of its protections.
    pub answer: Option<&'static str>,
}

impl Limit {
    /// A limit that is answered with the status of its protections.
    pub(crate) const fn of(leaves: &'static [Leaf]) -> Limit {
        Limit { leaves, answer: None }
    }

    /// A limit with an answer of its own.
    pub(crate) const fn with(leaves: &'static [Leaf], answer: &'static str) -> Limit {
        Limit { leaves, answer: Some(answer) }
    }
}

/// Kind of a field's values.
#[derive(Debug, Clone, Copy)]
pub enum FieldKind {
    /// Text of a syntax.
    Text(&'static Syntax),
    /// One of these words.
    Choice(&'static [&'static str]),
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Int(Bound),
    /// Bytes, with or without a suffix.
    Size(Bound),
    /// A time, in milliseconds.
    Duration(Bound),
    /// A list.
    List(&'static FieldKind),
    /// A list of at least one entry, and the name of an entry.
    AtLeastOne(&'static FieldKind, &'static str),
    /// One entry, or a list of at least one, and the name of an entry.
    OneOrMany(&'static FieldKind, &'static str),
    /// A mapping from names to texts.
    Map(&'static Syntax, &'static Syntax),
    /// A mapping with fields of its own.
    Section(&'static [Field]),
}

impl FieldKind {
    /// Bounds of a number.
    pub fn bound(&self) -> Option<Bound> {
        match self {
            FieldKind::Int(bound) | FieldKind::Size(bound) | FieldKind::Duration(bound) => Some(*bound),
            _ => None,
        }
    }

    /// The type in the words of the specification.
    pub fn type_name(&self) -> String {
        match self {
            FieldKind::Text(syntax) => syntax.type_name.to_owned(),
            FieldKind::Choice(_) => "enum".to_owned(),
            FieldKind::Bool => "bool".to_owned(),
            FieldKind::Int(_) => "int".to_owned(),
            FieldKind::Size(_) => "byte size".to_owned(),
            FieldKind::Duration(_) => "duration".to_owned(),
            FieldKind::List(FieldKind::Section(_)) | FieldKind::AtLeastOne(FieldKind::Section(_), _) => {
                "list of objects".to_owned()
            }
            FieldKind::List(item) | FieldKind::AtLeastOne(item, _) => format!("list of {}", item.type_name()),
            FieldKind::OneOrMany(item, _) => format!("{0} or list of {0}", item.type_name()),
            FieldKind::Map(_, _) => "map string to string".to_owned(),
            FieldKind::Section(_) => "object".to_owned(),
        }
    }
}

/// Bounds of a number, both inclusive, and each side as the specification writes it.
#[derive(Debug, Clone, Copy)]
pub struct Bound {
    /// Smallest value.
    pub min: u64,
    /// Largest value; `u64::MAX` is none.
    pub max: u64,
    /// Bound that a smaller value breaks.
    pub low: &'static str,
    /// Bound that a larger value breaks.
    pub high: &'static str,
}

impl Bound {
    /// Both sides.
    pub(crate) const fn new(min: u64, low: &'static str, max: u64, high: &'static str) -> Bound {
        Bound { min, max, low, high }
    }

    /// No upper side.
    pub(crate) const fn least(min: u64, low: &'static str) -> Bound {
        Bound { min, max: u64::MAX, low, high: "" }
    }

    /// Both sides as the specification writes them.
    pub fn text(&self) -> String {
        match (self.low, self.high) {
            (low, high) if low == high || high.is_empty() => low.to_owned(),
            (low, high) => format!("{low} and {high}"),
        }
    }
}

/// A syntax of texts.
#[derive(Debug)]
pub struct Syntax {
    /// The type in the words of the specification.
    pub type_name: &'static str,
    /// Expected form of a text, after "is not".
    pub expects: &'static str,
    /// A regular expression for editors that accepts every valid text and refuses the usual mistakes; empty is none.
    pub pattern: &'static str,
    /// Every valid text, where those are a closed set.
    pub words: Option<fn() -> Vec<&'static str>>,
    /// Form in which a message shows a text that is not of this syntax, where a quotation could show a secret.
    pub shown: Option<fn(&str) -> String>,
}

/// Bytes in a kilobyte.
pub(crate) const KB: u64 = 1 << 10;
/// Bytes in a megabyte.
pub(crate) const MB: u64 = 1 << 20;
/// Bytes in a gigabyte.
pub(crate) const GB: u64 = 1 << 30;
/// Milliseconds in a second.
pub(crate) const SECOND: u64 = 1000;
