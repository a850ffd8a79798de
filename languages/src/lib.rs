//! Languages that an attack may be written in. Each has a folder of its own with its tokenizer and the signs that it
//! finds. A language sees bytes; fields of HTTP, rules and weights are unknown here.

pub mod budget;
pub mod data_uri;
pub mod dotnet;
pub mod html;
pub mod java;
pub mod language;
pub mod ldap;
pub mod lookup;
pub mod lua;
pub mod mail;
pub mod node;
pub mod path;
pub mod perl;
pub mod php;
pub mod prose;
pub mod python;
pub mod ruby;
pub mod script;
pub mod shell;
pub mod sql;
mod table;
pub mod template;
pub mod url;
