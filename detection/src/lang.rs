//! Languages that an attack may be written in: tokenizers and what they conclude. Each knows bytes alone, not places or rules' weights.

pub mod html;
pub mod lookup;
pub mod path;
pub mod script;
pub mod shell;
pub mod sql;
