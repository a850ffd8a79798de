//! Bodies: which parser reads one, and the push parsers that turn it into fields. They know no rules; what they find goes
//! to a [`Sink`]. Any chunking of a body gives the same fields in the same order.

mod charset;
mod chunking_check;
mod encoded;
mod form;
mod json;
pub(crate) mod kind;
pub(crate) mod media_type;
mod multipart;
mod opening;
mod raw;
mod reader;
mod shape;
mod sink;
#[cfg(test)]
mod tests;
mod text;
mod value;
mod wide;
mod xml;

pub use chunking_check::reads_same_in_chunks;
pub(crate) use encoded::Encoded;
pub(crate) use json::is_strict as is_json;
pub use kind::BodyKind;
pub(crate) use reader::{Body, Plain};
pub(crate) use sink::Sink;
pub use sink::{Completeness, Progress};
