//! Names that give away what a path is after, and how they are matched: without regard to case.

use super::resolved::{Origin, Resolved};

mod private;
mod system;

use private::{ASSISTANTS, COMMONPLACE, DUMPS, PUBLISHED_BY_MISTAKE, SECRET, SECRET_ANYWHERE};
use system::{PROOFS, SERVER_FILES, SYSTEM};

/// What a path leads to.
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

/// What a resolved path of that origin leads to.
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
    if PROOFS.iter().any(ends_as) {
        return Target::Proof;
    }
    let placed = origin == Origin::Absolute || path.climbs > 0;
    let server_file = names.last().is_some_and(|name| listed(name, SERVER_FILES));
    let share =
        origin == Origin::Absolute && names.get(1).is_some_and(|name| name.len() > 1 && name.ends_with(b"$"));
    if placed && (server_file || share || SYSTEM.iter().any(starts_as)) {
        Target::System
    } else {
        Target::Ordinary
    }
}

/// Whether an absolute path leads to what packages install and servers keep: programs, libraries, logs, pages.
pub fn is_installed(path: &Resolved<'_>) -> bool {
    let names = path.segments();
    names.first().is_some_and(|name| listed(name, &["usr", "var"]))
}

/// How readily a hidden name tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sensitivity {
    /// In a request path, where nothing asks for it by accident.
    Requested,
    /// On an absolute path in a document, where tools keep their settings.
    Placed,
    /// On any path.
    Anywhere,
}

/// Whether the path leads to a hidden file that holds secrets.
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

/// Whether the path leads to an assistant's files.
pub fn is_assistant_file(path: &Resolved<'_>) -> bool {
    path.segments().iter().any(|name| name.first() == Some(&b'.') && listed(name, ASSISTANTS))
}

/// Whether a request for that path asks for a file that was published by mistake.
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
