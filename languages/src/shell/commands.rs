//! Names of commands, sorted into how much a name alone says. It knows nothing of arguments or of where a name stands.

mod table;

use std::sync::LazyLock;

use table::{
    EXCLUSIVE, FILTERS, INTERPRETERS, NETWORK, NUMBERED, OPERATIONS, ROUTINE, RUNNERS, SOLID, TERSE,
    VERSIONED, WINDOWS_EXCLUSIVE, WINDOWS_TERSE, WINDOWS_WORDS, WORDS, WRAPPERS,
};

use crate::table::Table;

/// The certainty that a name alone gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Name {
    /// A common word: `cat`, `time`, `who`.
    Word,
    /// An abbreviation or a verb that also stands in lists and prose: `id`, `ls`, `ping`.
    Terse,
    /// A program's name that people also write about: `perl`, `docker`.
    Solid,
    /// Means the program and nothing else: `whoami`, `netstat`.
    Exclusive,
}

/// The program that a Unix system would run for `name` (lower case, without its directory).
pub(super) fn unix(name: &[u8]) -> Option<Name> {
    listed(name).or_else(|| {
        // `python3.10`, `gcc-12`, `php8`: a version makes it a program's name whatever the word.
        let stem =
            name.iter().rposition(|byte| !matches!(byte, b'0'..=b'9' | b'.' | b'-')).map(|at| at + 1)?;
        let (stem, version) = name.split_at_checked(stem)?;
        (!version.is_empty() && contains(VERSIONED, stem)).then_some(Name::Exclusive)
    })
}

fn listed(name: &[u8]) -> Option<Name> {
    static TABLE: LazyLock<Table<Name>> = LazyLock::new(|| {
        merged([
            (EXCLUSIVE, Name::Exclusive),
            (TERSE, Name::Terse),
            (SOLID, Name::Solid),
            (WORDS, Name::Word),
        ])
    });
    TABLE.find(name)
}

/// One table of several lists; where two hold a name, the first one counts.
fn merged<const N: usize>(lists: [(&'static [&'static str], Name); N]) -> Table<Name> {
    Table::new(lists.into_iter().flat_map(|(names, name)| names.iter().map(move |known| (*known, name))))
}

/// The program that `cmd.exe` would run for `name`, with or without `.exe`.
pub(super) fn windows(name: &[u8]) -> Option<Name> {
    static TABLE: LazyLock<Table<Name>> = LazyLock::new(|| {
        merged([
            (WINDOWS_EXCLUSIVE, Name::Exclusive),
            (WINDOWS_TERSE, Name::Terse),
            (WINDOWS_WORDS, Name::Word),
        ])
    });
    let stem = [b".exe".as_slice(), b".com", b".bat", b".cmd"].iter().find_map(|end| name.strip_suffix(*end));
    let name = stem.unwrap_or(name);
    TABLE.find(name).map(|known| if stem.is_some() { Name::Exclusive } else { known })
}

/// Returns `true` if `name` runs what its arguments say: the next word that is no option is a command of its own.
pub(super) fn is_wrapper(name: &[u8]) -> bool {
    contains(WRAPPERS, name)
}

/// Returns `true` if `name` is a shell or an interpreter: piping into it runs what comes through.
pub(super) fn is_interpreter(name: &[u8]) -> bool {
    contains(INTERPRETERS, name)
        || unix(name) == Some(Name::Exclusive) && {
            let stem =
                name.iter().position(u8::is_ascii_digit).and_then(|at| name.get(..at)).unwrap_or_default();
            contains(INTERPRETERS, stem)
        }
}

/// Returns `true` if `name` only filters what is piped into it.
pub(super) fn is_filter(name: &[u8]) -> bool {
    contains(FILTERS, name)
}

/// Returns `true` if `name` talks to the host that its argument names.
pub(super) fn is_network(name: &[u8]) -> bool {
    contains(NETWORK, name)
}

/// Returns `true` if `name` is a program of routine work, which says little where people list commands.
pub(super) fn is_routine(name: &[u8]) -> bool {
    contains(ROUTINE, name)
}

/// Returns `true` if `name` wants a number.
pub(super) fn wants_number(name: &[u8]) -> bool {
    contains(NUMBERED, name)
}

/// Returns `true` if `word` is an operation of `name`: `net user`, `reg add`.
pub(super) fn is_operation(name: &[u8], word: &[u8]) -> bool {
    let name = name.strip_suffix(b".exe").unwrap_or(name);
    OPERATIONS.iter().any(|(program, operations)| program.as_bytes() == name && contains(operations, word))
}

/// Functions of programming languages whose argument is a command line.
pub(super) fn runs_commands(name: &[u8]) -> bool {
    let base =
        name.iter().rposition(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').map_or(0, |at| at + 1);
    name.get(base..).is_some_and(|base| contains(RUNNERS, base))
}

/// Returns `true` if the sorted `table` has `name`.
pub(super) fn contains(table: &[&str], name: &[u8]) -> bool {
    table.binary_search_by(|entry| entry.as_bytes().cmp(name)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_and_lower_case() {
        let operations = OPERATIONS.iter().map(|(_, table)| *table);
        let tables = [
            EXCLUSIVE,
            SOLID,
            TERSE,
            WORDS,
            WINDOWS_EXCLUSIVE,
            WINDOWS_TERSE,
            WINDOWS_WORDS,
            RUNNERS,
            VERSIONED,
            WRAPPERS,
            INTERPRETERS,
            FILTERS,
            NETWORK,
            NUMBERED,
            ROUTINE,
        ];
        for table in tables.into_iter().chain(operations) {
            for pair in table.windows(2) {
                assert!(pair[0] < pair[1], "{pair:?}");
            }
            assert!(table.iter().all(|name| name.to_ascii_lowercase() == *name));
        }
    }

    #[test]
    fn versions_are_part_of_a_name() {
        assert_eq!(unix(b"python3.10"), Some(Name::Exclusive));
        assert_eq!(unix(b"gcc-12"), Some(Name::Exclusive));
        assert_eq!(unix(b"time2"), None);
        assert_eq!(unix(b"3.10"), None);
    }
}
