//! Names that give away what a path is after, and how they are matched: without regard to case.

use super::resolved::{Origin, Resolved};

mod private;
mod system;

use private::{ASSISTANTS, COMMONPLACE, DUMPS, PUBLISHED_BY_MISTAKE, SECRET, SECRET_ANYWHERE};
use system::{
    INTERNAL, PROGRAM_FOLDERS, PROGRAM_FOLDERS_BY_NAME, PROOFS, ROOT_FOLDERS, SERVER_FILES, SERVER_FOLDERS,
    SYSTEM,
};

/// The target of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// Nothing known.
    Ordinary,
    /// A file of the operating system or of a server's configuration and logs.
    System,
    /// One of the files that are read first to prove a hole.
    Proof,
}

fn same(name: &[u8], known: &str) -> bool {
    name.eq_ignore_ascii_case(known.as_bytes())
}

fn listed(name: &[u8], table: &[&str]) -> bool {
    table.iter().any(|known| same(name, known))
}

/// The target of a resolved path of that origin.
pub fn target(path: &Resolved<'_>, origin: Origin) -> Target {
    let names = path.segments();
    let ends_as = |tail: &&[&str]| {
        names
            .len()
            .checked_sub(tail.len())
            .and_then(|at| names.get(at..))
            .is_some_and(|names| names.iter().zip(tail.iter()).all(|(name, known)| same(name, known)))
    };
    let starts_as = |head: &&[&str]| {
        names.len() >= head.len()
            && names.iter().zip(head.iter()).all(|(name, known)| *known == "*" || same(name, known))
    };
    // The folder that servlet containers never serve (Jakarta Servlet 6.0, section 10.5).
    let hidden =
        names.split_last().is_some_and(|(_, folders)| folders.iter().any(|name| same(name, "web-inf")));
    if hidden || PROOFS.iter().any(ends_as) {
        return Target::Proof;
    }
    // What a filter makes of long dots leads up.
    let placed = origin == Origin::Absolute || path.climbs > 0 || path.long_dots > 0 && origin != Origin::Url;
    let program_file = PROGRAM_FOLDERS.iter().any(starts_as) && is_internal(path);
    let server_file = names.last().is_some_and(|name| listed(name, SERVER_FILES));
    let share =
        origin == Origin::Absolute && names.get(1).is_some_and(|name| name.len() > 1 && name.ends_with(b"$"));
    if placed && (server_file || share || program_file || SYSTEM.iter().any(starts_as)) {
        Target::System
    } else {
        Target::Ordinary
    }
}

/// Returns `true` if an absolute path leads to what packages install and servers keep: programs, libraries, logs, pages.
pub fn is_installed(path: &Resolved<'_>) -> bool {
    let names = path.segments();
    names.first().is_some_and(|name| listed(name, &["usr", "var"]) || listed(name, PROGRAM_FOLDERS_BY_NAME))
}

/// Returns `true` if a path ends in a file that a server reads and does not hand out: its source, settings, data or logs.
pub fn is_internal(path: &Resolved<'_>) -> bool {
    let name = path.segments().last().copied().unwrap_or_default();
    let dot = memchr::memrchr(b'.', name).filter(|dot| *dot > 0 || name.len() > 1);
    dot.and_then(|dot| name.get(dot + 1..)).is_some_and(|kind| listed(kind, INTERNAL))
}

/// Returns `true` if a path that was left by a parent step goes on from a folder of the root, or into a server's own.
pub fn is_system_folder(path: &Resolved<'_>) -> bool {
    let names = path.segments();
    names.first().is_some_and(|name| {
        listed(name, ROOT_FOLDERS) || listed(name, PROGRAM_FOLDERS_BY_NAME) || listed(name, SERVER_FOLDERS)
    }) || names.iter().any(|name| same(name, "webapps"))
}

/// The sensitivity to hidden names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sensitivity {
    /// In a request path, where nothing asks for it by accident.
    Requested,
    /// On an absolute path in a document, where tools keep their settings.
    Placed,
    /// On any path.
    Anywhere,
}

/// Returns `true` if the path leads to a hidden file that holds secrets.
pub fn is_secret_dotfile(path: &Resolved<'_>, sensitivity: Sensitivity) -> bool {
    let listed_so = |name: &[u8]| match sensitivity {
        Sensitivity::Requested => listed(name, SECRET),
        Sensitivity::Placed => listed(name, SECRET) && !listed(name, COMMONPLACE),
        Sensitivity::Anywhere => listed(name, SECRET_ANYWHERE),
    };
    path.segments().iter().any(|name| {
        let variant = name.get(..5).is_some_and(|start| same(start, ".env.")) && !is_sample(name);
        name.first() == Some(&b'.') && (listed_so(name) || variant)
    })
}

/// `.env.example` is meant to be read.
fn is_sample(name: &[u8]) -> bool {
    [".env.example", ".env.sample", ".env.dist", ".env.template"].iter().any(|known| same(name, known))
}

/// Returns `true` if the path leads to an assistant's files.
pub fn is_assistant_file(path: &Resolved<'_>) -> bool {
    path.segments().iter().any(|name| name.first() == Some(&b'.') && listed(name, ASSISTANTS))
}

/// Returns `true` if a request for that path asks for a file that was published by mistake.
pub fn is_published_by_mistake(path: &Resolved<'_>) -> bool {
    // Servlet containers never serve these directories.
    let private = |name: &&[u8]| same(name, "web-inf") || same(name, "meta-inf");
    path.segments().first().is_some_and(private)
        || path.segments().last().is_some_and(|name| {
            listed(name, PUBLISHED_BY_MISTAKE)
                || DUMPS.iter().any(|end| {
                    name.len()
                        .checked_sub(end.len())
                        .and_then(|at| name.get(at..))
                        .is_some_and(|tail| same(tail, end))
                })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_in_lower_case() {
        let flat = SYSTEM.iter().chain(PROOFS).flat_map(|names| names.iter());
        for name in flat.chain(SECRET).chain(SERVER_FILES).chain(ASSISTANTS).chain(PUBLISHED_BY_MISTAKE) {
            assert_eq!(*name, name.to_ascii_lowercase());
        }
        assert!(SECRET_ANYWHERE.iter().chain(COMMONPLACE).all(|name| SECRET.contains(name)));
    }

    #[test]
    fn targets_are_told_apart() {
        for (path, origin, expected) in [
            ("/etc/make.conf", Origin::Absolute, Target::System),
            ("../etc/passwd", Origin::Relative, Target::Proof),
            ("/WINDOWS/Win.ini", Origin::Absolute, Target::Proof),
            ("../apache/logs/access.log", Origin::Relative, Target::System),
            (r"\\host\c$\x", Origin::Absolute, Target::System),
            ("/usr/bin/terraform", Origin::Absolute, Target::Ordinary),
            ("/var/lib/milvus", Origin::Absolute, Target::Ordinary),
            ("/tmp/helm", Origin::Absolute, Target::Ordinary),
            ("logs/access.log", Origin::Relative, Target::Ordinary),
            ("/etc", Origin::Absolute, Target::Ordinary),
        ] {
            assert_eq!(target(&Resolved::of(path.as_bytes()), origin), expected, "{path}");
        }
    }
}
