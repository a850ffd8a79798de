//! Names that PHP defines. Functions that only PHP has are distinguished from those that other languages and prose have as well:
//! the first betray PHP wherever they are called, the second only when the call is all there is.

use std::sync::LazyLock;

use crate::table::{Table, WORD_BYTES_MAX as NAME_BYTES_MAX};

mod tables;

use tables::{
    DANGEROUS, DANGEROUS_FAMILIES, ENGLISH, HELPERS, INCLUDES, OTHER, OTHER_FAMILIES, SHARED, SHOWS,
    SPECIFIC, SPECIFIC_FAMILIES, SUPERGLOBALS,
};

/// The meaning of a function's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    /// Runs code, reads or writes files, opens connections, shows facts of the server, unpacks hidden code; PHP's alone.
    Dangerous,
    /// PHP's alone.
    Specific,
    /// A name of other languages too.
    Shared,
    /// A common English word too.
    English,
    /// Shows its argument, in other languages too.
    Shows,
    /// Runs the file that its argument names, in other languages too.
    Includes,
    /// Known, and rarely part of an attack.
    Other,
}

/// Returns `true` if a variable is such a helper.
pub(super) fn is_helper(name: &[u8]) -> bool {
    let mut buffer = [0; NAME_BYTES_MAX];
    lower(name, &mut buffer).is_some_and(|lower| has(HELPERS, lower))
}

/// Shortest dangerous name that is recognised at the end of a longer one.
const TAIL_BYTES_MIN: usize = 9;

/// The class of the function `name`, if it is one.
pub(super) fn function(name: &[u8]) -> Option<Function> {
    let mut buffer = [0; NAME_BYTES_MAX];
    let lower = lower(name, &mut buffer)?;
    exact(lower).or_else(|| family(lower)).or_else(|| reflects(lower).then_some(Function::Dangerous))
}

/// Returns `true` if `name` ends in the name of a dangerous function: a filter that cuts something off in front is fooled so.
pub(super) fn ends_dangerously(name: &[u8]) -> bool {
    let mut buffer = [0; NAME_BYTES_MAX];
    let Some(lower) = lower(name, &mut buffer) else { return false };
    if !lower.contains(&b'_') {
        return false;
    }
    (1..lower.len().saturating_sub(TAIL_BYTES_MIN - 1))
        .filter_map(|at| lower.get(at..))
        .any(|tail| has(DANGEROUS, tail) && tail.contains(&b'_'))
}

/// Returns `true` if `name` is that of a variable that holds the request, the server or everything.
pub fn is_superglobal(name: &[u8]) -> bool {
    static TABLE: LazyLock<Table<()>> =
        LazyLock::new(|| Table::new(SUPERGLOBALS.iter().map(|name| (*name, ()))));
    let mut buffer = [0; NAME_BYTES_MAX];
    let Some(lower) = lower(name, &mut buffer) else { return false };
    TABLE.find(lower).is_some() || lower.starts_with(b"http_") && lower.ends_with(b"_vars")
}

/// The listed names.
#[cfg(test)]
pub(super) fn superglobals() -> impl Iterator<Item = &'static str> {
    SUPERGLOBALS.iter().copied()
}

fn exact(lower: &[u8]) -> Option<Function> {
    static TABLE: LazyLock<Table<Function>> = LazyLock::new(|| {
        let lists = [
            (DANGEROUS, Function::Dangerous),
            (SPECIFIC, Function::Specific),
            (SHARED, Function::Shared),
            (ENGLISH, Function::English),
            (SHOWS, Function::Shows),
            (INCLUDES, Function::Includes),
            (OTHER, Function::Other),
        ];
        Table::new(lists.into_iter().flat_map(|(names, kind)| names.iter().map(move |known| (*known, kind))))
    });
    TABLE.find(lower)
}

/// Classes of PHP that call what they are given the name of.
fn reflects(lower: &[u8]) -> bool {
    let rest = lower.strip_prefix(b"reflection");
    rest.is_some_and(|rest| [&b"class"[..], b"function", b"method", b"object"].contains(&rest))
}

/// Names of extensions have their extension's prefix.
fn family(lower: &[u8]) -> Option<Function> {
    let at = lower.iter().position(|byte| *byte == b'_')?;
    let (prefix, rest) = lower.split_at_checked(at)?;
    if rest.len() < 3 {
        return None;
    }
    if has(DANGEROUS_FAMILIES, prefix) {
        Some(Function::Dangerous)
    } else if has(SPECIFIC_FAMILIES, prefix) {
        Some(Function::Specific)
    } else {
        has(OTHER_FAMILIES, prefix).then_some(Function::Other)
    }
}

fn has(names: &[&str], name: &[u8]) -> bool {
    names.binary_search_by(|known| known.as_bytes().cmp(name)).is_ok()
}

fn lower<'a>(name: &[u8], buffer: &'a mut [u8; NAME_BYTES_MAX]) -> Option<&'a [u8]> {
    let slot = buffer.get_mut(..name.len())?;
    for (to, from) in slot.iter_mut().zip(name) {
        *to = from.to_ascii_lowercase();
    }
    Some(slot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_for_the_search() {
        for names in [
            SUPERGLOBALS,
            HELPERS,
            DANGEROUS_FAMILIES,
            SPECIFIC_FAMILIES,
            OTHER_FAMILIES,
            DANGEROUS,
            SPECIFIC,
            SHARED,
            ENGLISH,
            SHOWS,
            INCLUDES,
            OTHER,
        ] {
            let unsorted = names.windows(2).find(|pair| pair[0] >= pair[1]);
            assert!(unsorted.is_none(), "{unsorted:?}");
        }
    }

    #[test]
    fn names_are_found_in_any_case() {
        assert_eq!(function(b"Shell_Exec"), Some(Function::Dangerous));
        assert_eq!(function(b"posix_getegid"), Some(Function::Dangerous));
        assert_eq!(function(b"zend_test_is_string_marked_as_valid_utf8"), Some(Function::Other));
        assert_eq!(function(b"get_user"), None);
        assert!(ends_dangerously(b"FOOcall_user_func") && !ends_dangerously(b"my_file"));
    }
}
