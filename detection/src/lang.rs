//! Languages that an attack may be written in: tokenizers and what they conclude. Each knows bytes alone, not places or rules' weights.

pub mod data_uri;
pub mod html;
pub mod java;
pub(crate) mod ldap;
pub mod lookup;
pub(crate) mod mail;
pub mod node;
pub mod path;
pub mod perl;
pub(crate) mod php;
pub mod prose;
pub mod ruby;
pub mod script;
pub mod shell;
pub mod sql;
mod table;
pub mod template;
pub(crate) mod url;
