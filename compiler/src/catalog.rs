//! The protection catalog for people: the whole table by family, or one name at any level.

pub(crate) mod crs;

use std::fmt::Write as _;

use waf_shared::catalog::{ALIASES, Default, Level, Row, TABLE, resolve};

use crate::diagnostic::quoted;
use crate::names::suggestion;

/// Every protection, by family and bucket.
pub fn table() -> String {
    let mut out = String::new();
    let (mut family, mut bucket) = ("", "");
    for row in TABLE {
        if row.family != family {
            let _ = writeln!(out, "{}{}", if family.is_empty() { "" } else { "\n" }, row.family);
            (family, bucket) = (row.family, "");
        }
        if row.bucket != bucket {
            if !row.bucket.is_empty() {
                let _ = writeln!(out, "  {}", row.bucket);
            }
            bucket = row.bucket;
        }
        let indent = if bucket.is_empty() { "  " } else { "    " };
        let _ = writeln!(out, "{indent}{} ({}): {}", row.name, state(row), row.summary);
    }
    out
}

/// Every name of every level.
pub fn all_names() -> Vec<&'static str> {
    waf_shared::catalog::names()
}

/// One name with all that is known of it; the error says that there is none, with the closest one.
pub fn entry(name: &str) -> Result<String, String> {
    let canonical = ALIASES.iter().find(|(old, _)| *old == name).map_or(name, |(_, name)| *name);
    let Some((level, leaves)) = resolve(canonical) else { return Err(unknown(name)) };
    let mut out = String::new();
    if canonical != name {
        let _ = writeln!(out, "{name} is now called {canonical}\n");
    }
    match (level, leaves.iter().next()) {
        (Level::Leaf, Some(leaf)) => describe(&mut out, leaf.row()),
        _ => {
            let what = if level == Level::Bucket { "bucket" } else { "family" };
            let _ = writeln!(out, "{canonical} ({what} of {} protections)\n", leaves.iter().count());
            for row in leaves.iter().map(waf_shared::catalog::Leaf::row) {
                let _ = writeln!(out, "  {} ({}): {}", row.name, state(row), row.summary);
            }
        }
    }
    Ok(out)
}

/// The message about a name that is not registered, with the one that was probably meant.
pub(crate) fn unknown(name: &str) -> String {
    let help = suggestion::of_any_level(name).map(|help| format!("; {help}")).unwrap_or_default();
    format!("{} is not a known protection name{help}", quoted(name))
}

fn describe(out: &mut String, row: &Row) {
    let parents = if row.bucket.is_empty() {
        row.family.to_owned()
    } else {
        format!("{} > {}", row.family, row.bucket)
    };
    let cwe = row.cwe.iter().map(|number| format!("CWE-{number}")).collect::<Vec<_>>().join(", ");
    let _ = writeln!(out, "{} (in {parents})\n\n{}\n{}\n", row.name, row.summary, row.when);
    let _ = writeln!(out, "default: {}\nweakness: {cwe}\nstatus of a refusal: {}", state(row), row.status);
    if let Some((_, ids)) = crs::pairs().find(|(leaf, _)| *leaf == row.leaf) {
        let _ = writeln!(out, "CRS rules that look for the same: {ids}");
    }
}

fn state(row: &Row) -> &'static str {
    match row.default {
        Default::On => "on",
        Default::Off => "off",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use waf_shared::catalog::names;

    #[test]
    fn every_name_of_every_level_is_described() {
        let table = table();
        for name in names() {
            assert!(entry(name).is_ok_and(|text| text.starts_with(name)), "{name}");
            assert!(table.contains(name));
        }
        let unknown = entry("sql-injectoin").expect_err("unknown");
        assert!(unknown.contains("did you mean `sql-injection`?"), "{unknown}");
    }
}
