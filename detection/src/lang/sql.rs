//! SQL as injected text: words, tokens and the small grammar that tells a fragment of a query from prose. It knows
//! bytes alone, not places, rules or weights.

pub mod grammar;
pub mod reading;
pub mod token;
pub mod words;
