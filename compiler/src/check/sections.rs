//! The sections of a document that several checks look at.

use crate::raw::{self, Document};

/// True if the file asks for automatic TLS, faulty hosts included.
pub(super) fn uses_tls(document: &Document) -> bool {
    document.key("host").is_some()
        || routes_of(document).any(|route| {
            route.r#match.as_ref().is_some_and(|at| at.value.key("hosts").is_some() && at.value.broken)
                || !route.host_entries().is_empty()
        })
}

/// The routes that were read.
pub(super) fn routes_of(document: &Document) -> impl Iterator<Item = &raw::Route> {
    document.routes.iter().flat_map(|at| &at.value).map(|at| &at.value)
}

/// The global section, if there is one.
pub(super) fn global_of(document: &Document) -> Option<&raw::Global> {
    document.global.as_ref().map(|at| &at.value)
}
