//! Rules for shells that are part of other programs, each with its proofs.

use waf_shared::catalog::Leaf;

use crate::field::Places;
use crate::rule::{Rule, STRONG, Test};

pub(super) static SQLITE: Rule = Rule {
    id: "command-injection-sqlite-shell/dot-command",
    leaf: Leaf::CommandInjectionSqliteShell,
    weight: STRONG,
    places: Places::REQUEST,
    test: Test::Judged,
    summary: "A dot command of the SQLite shell that reaches beyond the database.",
    attacks: &["1;\n.shell id", "x\n.system whoami", ";\n.databases"],
    everyday: &["see file.shell", "and so on; .net developer", "version 1.\n.5 more"],
};
