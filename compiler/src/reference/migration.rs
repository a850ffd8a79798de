//! The page that leads from rules of the OWASP Core Rule Set to leaves.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::catalog::crs;

/// `docs/crs-ids.md`.
pub fn migration() -> String {
    let mut out = String::from(
        "# Rule ids of the OWASP CRS and protections\n\n\
         <!-- Made by `waf-compile reference migration`; edit compiler/src/catalog/crs.rs instead. -->\n\n\
         To find the protection for a rule id of an exclusion:\n\n\
         ```sh\n\
         waf-compile catalog 942100\n\
         ```\n\n\
         The protection looks for the same attack, with rules of its own: a request that one finds is not always one that\n\
         the other finds. [From ModSecurity](from-modsecurity.md) says how exclusions are written here. Ids that are not\n\
         listed, such as those of scores and set-up (900, 901, 905, 949, 959, 980), have no counterpart.\n\n\
         ## From an id to its protections\n\n| Rule id | Protection |\n|---|---|\n",
    );
    let mut by_id: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (leaf, ids) in crs::pairs() {
        for id in ids.split(", ") {
            by_id.entry(id.to_owned()).or_default().push(leaf.name());
        }
    }
    for (id, leaves) in by_id {
        let leaves: Vec<String> = leaves.iter().map(|leaf| format!("`{leaf}`")).collect();
        let _ = writeln!(out, "| {id} | {} |", leaves.join(", "));
    }
    out.push_str("\n## From a protection to the ids\n\n| Protection | Rule ids |\n|---|---|\n");
    for (leaf, ids) in crs::pairs() {
        let _ = writeln!(out, "| `{}` | {ids} |", leaf.name());
    }
    out
}
