//! JSON values as one flat list in the order of the text, which no nesting can make deep. A text that was cut off is
//! read as far as it goes: what is missing is marked open, so that nobody misses what may still have come.

mod document;
mod equal;
mod read;

pub use document::Document;
pub(crate) use document::{At, Node, Value, member_pointer};
pub(crate) use equal::{equal, has_duplicates};
pub use read::Malformed;
