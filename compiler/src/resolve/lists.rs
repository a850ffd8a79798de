//! The toggle lists of `global` and of routes, as they are written.

use crate::raw;
use crate::read::At;
use crate::toggles::Lists;

/// The lists of `global`.
pub(crate) fn global_lists(global: &raw::Global) -> Lists<'_> {
    Lists { enable: entries(global.enable.as_ref()), disable: entries(global.disable.as_ref()), skipped: &[] }
}

/// The lists of a route.
pub(crate) fn route_lists(route: &raw::Route) -> Lists<'_> {
    let skipped = route.openapi.as_ref().and_then(|at| at.value.disable.as_ref());
    Lists {
        enable: entries(route.enable.as_ref()),
        disable: entries(route.disable.as_ref()),
        skipped: entries(skipped),
    }
}

/// The entries of a list that may be absent.
pub(crate) fn entries<T>(list: Option<&At<Vec<At<T>>>>) -> &[At<T>] {
    list.map_or(&[], |at| at.value.as_slice())
}
