//! The detection engine. A request becomes a stream of fields, a field a few views, a view its candidates, and only
//! candidates are proved: by a pattern where a signature is a signature, by a detector that tokenizes where language
//! matters. It is synchronous, has no I/O and no clock, and knows nothing of HTTP connections,
//! routes or the configuration: a caller hands it bytes and a set of leaves and reads a verdict.

pub mod field;

pub mod view;

pub mod rule;

pub mod evidence;

pub mod rules;

pub mod engine;

pub use waf_languages::budget;

pub mod cost;

pub mod bounds;

pub mod verdict;

pub mod exceptions;

pub mod inspection;

pub mod body;

pub mod request;

pub mod response_pattern;

pub mod response;

pub mod recorded;

#[doc(hidden)]
pub mod fuzzing;

pub use engine::Engine;
