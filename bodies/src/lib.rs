//! The formats of bodies, each read by one push tokenizer: JSON (RFC 8259), forms (WHATWG URL, section 5.1) and multipart
//! (RFC 2046, section 5.1; RFC 7578). A tokenizer takes a body in chunks, cut anywhere, and reports what is in it; who
//! receives that decides what it means. So the detection engine and a contract never read one body as two.
//!
//! It knows no protections, rules, schemas, places or limits of the configuration.

pub mod form;
pub mod graphql;
pub mod json;
pub mod multipart;
pub mod parameters;

mod buffer;

/// The part of a body that was fed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    /// To its end.
    Whole,
    /// The inspected part ends before the body does: it is judged as the prefix that it is.
    CutOff,
}

pub use buffer::recycle;
