//! Schemas made ready: numbers and values parsed, expressions compiled, and for each schema what requests and answers
//! leave out. Judging values by them is [`mod@judge`]'s.
//!
//! # A judge of its own, and not the `jsonschema` crate
//!
//! The criterion is a document that was cut off. `inspection.max_inspect_size` ends what is read of a body, and answers
//! are released piece by piece, so a schema is often asked about the first part of a document. Only a fault that no
//! continuation can repair may refuse the message, so each judgement has three outcomes: it holds, it fails, or it
//! depends on what was cut off ([`judge()`]). A validator with two outcomes has to be fed a whole document; with a prefix
//! it refuses honest messages (`required`, `minItems`, `oneOf`) or has to be skipped, which lets large ones pass
//! unjudged.
//!
//! Three further demands weigh less and point the same way: judging is bounded in steps and nesting
//! (`CONTRACT_STEPS_MAX`, `CONTRACT_NESTING_MAX`), values of forms and parameters are untyped texts that a schema gives
//! a type, and the compiled form is data of the plan, not an object of a library. The cost is a table of keywords that
//! is kept by hand; `tests/openapi/keywords.rs` judges both sides of each.

mod build;
mod check;
mod combinations;
mod judge;
mod members;
mod numbers;
mod outcome;
mod unevaluated;

pub use build::BuildError;
pub(crate) use check::Schemas;
pub use judge::Direction;
pub(crate) use judge::judge;
