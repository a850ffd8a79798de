//! The macros that turn rows into a struct, its table of fields, its reading and its defaults.

/// Declares a mapping: one row a field, with type, kind, `required` or `optional`, default, further constraints in
/// words, reference text, and `limit` with the row of the page of limits where there is one. An absent field, an empty
/// one and a faulty one are `None`; `keys` distinguishes them.
macro_rules! section {
    (
        $(#[$meta:meta])* $name:ident $(reads $empty:ident)? {
            $($field:ident: $type:ty, $kind:expr, $required:ident, $default:expr, $bound:expr, $doc:expr
                $(, limit $limit:expr)?;)+
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
                doc: $doc,
                limit: $crate::raw::section::limit!($($limit)?),
            }),+];

            /// The smallest value of a numeric field.
            #[allow(dead_code, reason = "few bounds are compared with other sources")]
            pub(crate) fn least(name: &str) -> u64 {
                let field = Self::FIELDS.iter().find(|field| field.name == name);
                field.and_then(|field| field.kind.bound()).map_or(0, |bound| bound.min)
            }

            /// The defaults of the rows, read like values of a file; fields without a default are `None`.
            #[allow(dead_code, reason = "not every section has defaults")]
            pub(crate) fn defaults() -> &'static $name {
                static DEFAULTS: std::sync::LazyLock<$name> = std::sync::LazyLock::new(|| {
                    $crate::read::defaults($name::FIELDS).unwrap_or_default()
                });
                &DEFAULTS
            }

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
                _: &$crate::field::FieldKind,
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

/// The limit of a row, where it has one.
macro_rules! limit {
    () => {
        None
    };
    ($limit:expr) => {
        Some($limit)
    };
}

/// Declares a section whose fields are, one by one, those of the struct `plan::$plan`: the same rows as for
/// [`section!`]. The struct literal below does not compile when the rows and the plan differ. Resolution, `effective`
/// and the report of changes come from the rows.
macro_rules! settings {
    (
        $(#[$meta:meta])* $name:ident of $plan:ident at $place:literal {
            $($field:ident: $type:ty, $kind:expr, $required:ident, $default:expr, $bound:expr, $doc:expr
                $(, limit $limit:expr)?;)+
        }
    ) => {
        $crate::raw::section::section! {
            $(#[$meta])* $name {
                $($field: $type, $kind, $required, $default, $bound, $doc $(, limit $limit)?;)+
            }
        }

        impl $crate::setting::Settings for $name {
            type Plan = waf_shared::plan::$plan;

            fn resolve(levels: &[Option<&Self>], lines: &mut $crate::setting::Lines) -> Self::Plan {
                Self::Plan {
                    $($field: {
                        let given = levels.iter().flatten().find_map(|level| level.$field.as_ref());
                        let default = Self::defaults().$field.as_ref();
                        lines.pick(concat!($place, ".", stringify!($field)), given, default)
                    },)+
                }
            }

            fn values(plan: &Self::Plan) -> Vec<(&'static str, String)> {
                vec![$((
                    concat!($place, ".", stringify!($field)),
                    <_ as $crate::setting::PlanValue<$type>>::shown(&plan.$field, &$kind),
                )),+]
            }

            fn changes(old: &Self::Plan, new: &Self::Plan) -> Vec<&'static str> {
                let fields = [$((concat!($place, ".", stringify!($field)), old.$field != new.$field)),+];
                fields.into_iter().filter(|(_, differs)| *differs).map(|(path, _)| path).collect()
            }
        }
    };
}

pub(crate) use limit;
pub(crate) use section;
pub(crate) use settings;

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
