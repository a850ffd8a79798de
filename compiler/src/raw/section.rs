//! The macro that turns rows into a struct, its table of fields and its reading.

/// Declares a mapping: one row a field, with type, kind, `required` or `optional`, default and bound in words, enforcement
/// and a sentence. An absent field, an empty one and a faulty one are `None`; `keys` tells them apart.
macro_rules! section {
    (
        $(#[$meta:meta])* $name:ident $(reads $empty:ident)? {
            $($field:ident: $type:ty, $kind:expr, $required:ident, $default:expr, $bound:expr, $enforced:expr, $doc:expr;)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Default)]
        #[allow(dead_code, reason = "not every section is asked for all that it knows")]
        pub(crate) struct $name {
            /// Its path, as messages name it.
            pub(crate) place: String,
            /// First line of the mapping.
            pub(crate) line: u32,
            /// Fields that have a value, faulty ones included, with the lines of their keys.
            pub(crate) keys: Vec<(&'static str, u32)>,
            /// Something in it is at fault.
            pub(crate) broken: bool,
            $(#[doc = $doc] pub(crate) $field: Option<$crate::read::At<$type>>,)+
        }

        impl $name {
            /// The rows.
            pub(crate) const FIELDS: &'static [$crate::field::Field] = &[$($crate::field::Field {
                name: $crate::raw::section::bare(stringify!($field)),
                kind: $kind,
                required: $crate::raw::section::$required,
                default: $default,
                bound: $bound,
                enforced: $enforced,
                doc: $doc,
            }),+];

            /// The line of a field's key, if the field has a value.
            #[allow(dead_code, reason = "not every section is asked for all that it knows")]
            pub(crate) fn key(&self, name: &str) -> Option<u32> {
                self.keys.iter().find(|(key, _)| *key == name).map(|(_, line)| *line)
            }
        }

        impl $crate::read::FromNode for $name {
            $(const READS_EMPTY: bool = $crate::raw::section::$empty;)?

            fn from_node(
                reader: &mut $crate::read::Reader<'_>,
                node: &$crate::tree::Node,
                _: &$crate::field::Kind,
            ) -> Option<$name> {
                let object = reader.object(node, Self::FIELDS)?;
                let mut read = $name {
                    place: reader.path().to_owned(),
                    line: object.line(),
                    keys: object.keys(),
                    broken: false,
                    $($field: reader.field(&object, $crate::raw::section::bare(stringify!($field))),)+
                };
                read.broken = reader.is_broken(&object);
                Some(read)
            }
        }
    };
}

pub(crate) use section;

#[allow(non_upper_case_globals, reason = "the word in a row")]
pub(crate) const required: bool = true;
#[allow(non_upper_case_globals, reason = "the word in a row")]
pub(crate) const optional: bool = false;
#[allow(non_upper_case_globals, reason = "the word in a row")]
pub(crate) const empty: bool = true;

/// A field's name without the `r#` that Rust's keywords need.
pub(crate) const fn bare(name: &'static str) -> &'static str {
    match name.as_bytes() {
        [b'r', b'#', ..] => name.split_at(2).1,
        _ => name,
    }
}
