//! A suggested exception, ready to be written into a file.

/// A suggestion for one route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// Id of the route.
    pub route: String,
    /// The fields of the exception as YAML, a line each.
    pub lines: Vec<String>,
}
