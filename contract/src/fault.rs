//! Faults of messages: their place and the keyword that they break, never a value.

use crate::json::{Malformed, member_pointer};

/// A fault of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// JSON pointer (RFC 6901) into the message; empty is all of it.
    pub pointer: String,
    /// Keyword of the schema.
    pub keyword: &'static str,
    /// A name that the schema gives, such as that of a missing property.
    pub name: Option<String>,
}

/// `/items/0/price: minimum`; a fault of the whole message has no pointer.
impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.pointer.is_empty() {
            write!(f, "{}: ", self.pointer)?;
        }
        f.write_str(self.keyword)?;
        match &self.name {
            Some(name) => write!(f, " ({name})"),
            None => Ok(()),
        }
    }
}

impl Fault {
    /// A fault of all of a message, or of all of its body.
    pub(crate) fn of_all(keyword: &'static str) -> Fault {
        Fault { pointer: String::new(), keyword, name: None }
    }

    /// A fault of the member `name` of a form.
    pub(crate) fn of_member(name: &str, keyword: &'static str) -> Fault {
        Fault { pointer: member_pointer(name), keyword, name: None }
    }

    /// The fault of a JSON text at `pointer`.
    pub(crate) fn of_json(pointer: String, malformed: Malformed) -> Fault {
        match malformed {
            Malformed::NotJson => Fault { pointer, keyword: "json", name: None },
            Malformed::RepeatedName { pointer: inside } => {
                Fault { pointer: pointer + &inside, keyword: "uniqueNames", name: None }
            }
        }
    }
}
