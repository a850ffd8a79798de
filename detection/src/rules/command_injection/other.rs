//! Rules for shells that are part of other programs, each with its proofs.

use waf_shared::catalog::Leaf;

use crate::field::Places;
use crate::rule::{Rule, RuleMatcher, STRONG};

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[&SQLITE, &SQLITE_AT_START];

pub(super) static SQLITE: Rule = Rule {
    id: "command-injection-sqlite-shell/dot-command",
    leaf: Leaf::CommandInjectionSqliteShell,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A dot command of the SQLite shell that reaches beyond the database.",
    attacks: &["1;\n.shell id", "x\n.system whoami", ";\n.databases"],
    benign: &["see file.shell", "and so on; .net developer", "version 1.\n.5 more"],
};

pub(super) static SQLITE_AT_START: Rule = Rule {
    id: "command-injection-sqlite-shell/at-start",
    leaf: Leaf::CommandInjectionSqliteShell,
    weight: STRONG,
    places: Places::ARGUMENTS_AND_NAMES,
    matcher: RuleMatcher::Pattern {
        regex: r"^\s*\.(?:archive|backup|clone|databases|dump|excel|import|load|log|once|open|output|read|restore|save|sh|shell|system)(?:\s|$)",
        literals: &[
            ".archive",
            ".backup",
            ".clone",
            ".databases",
            ".dump",
            ".excel",
            ".import",
            ".load",
            ".log",
            ".once",
            ".open",
            ".output",
            ".read",
            ".restore",
            ".save",
            ".sh",
            ".system",
        ],
    },
    summary: "A value begins with a dot command of the SQLite shell.",
    attacks: &[
        ".shell id",
        ".system whoami",
        "  .databases",
        ".DUMP users",
        ".import /etc/passwd t",
        ".sh\tid",
    ],
    benign: &["see file.shell", ".net developer", ".loading", ".shop.example", ".5 more", "a.read b"],
};
