//! The page of protections: every row of the catalog, by family and bucket.

use std::fmt::Write as _;

use waf_shared::catalog::{ALIASES, Default, Row, TABLE};

use super::cell::cell;

/// `docs/protections.md`.
pub fn protections() -> String {
    let (on, off) = (count(Default::On), count(Default::Off));
    let mut out = format!(
        "# Protections\n\n\
         <!-- Made by `waf-compile reference protections`; edit shared/src/catalog/table.rs instead. -->\n\n\
         ```yaml\n\
         routes:\n\
         \x20 - upstream: http://127.0.0.1:3000\n\
         \x20   disable: [sql-injection-sql-comments]\n\
         \x20   enable: [response-headers-add-csp]\n\
         ```\n\n\
         {} protections: {on} are on unless the configuration says otherwise, {off} have to be enabled. A protection, its\n\
         bucket and its family are names for `enable` and `disable`, in `global` and on a route; the more specific name\n\
         wins. `waf-compile catalog NAME` prints one with everything that is known of it, `waf-compile rules --leaf NAME`\n\
         the rules behind it with what each catches and allows. [Tuning](tuning.md) says how to choose.\n\n\
         The status is that of a refusal in mode `blocking`. Names never change their meaning; old names keep working.\n",
        TABLE.len()
    );
    let mut families: Vec<&str> = Vec::new();
    for row in TABLE {
        if !families.contains(&row.family) {
            families.push(row.family);
        }
    }
    for name in families {
        family(&mut out, name);
    }
    if !ALIASES.is_empty() {
        out.push_str("\n## Old names\n\n| Old name | Name |\n|---|---|\n");
        for (old, new) in ALIASES {
            let _ = writeln!(out, "| `{old}` | `{new}` |");
        }
    }
    out
}

fn count(default: Default) -> usize {
    TABLE.iter().filter(|row| row.default == default).count()
}

fn family(out: &mut String, name: &str) {
    let _ = write!(out, "\n## {name}\n");
    let rows = || TABLE.iter().filter(move |row| row.family == name);
    table(out, rows().filter(|row| row.bucket.is_empty()));
    let mut buckets: Vec<&str> = rows().map(|row| row.bucket).filter(|bucket| !bucket.is_empty()).collect();
    buckets.dedup();
    for bucket in buckets {
        // A bucket may carry its family's name: headings, and with them the places that links lead to, stay apart.
        let _ = write!(out, "\n### {name}: {bucket}\n");
        table(out, rows().filter(|row| row.bucket == bucket));
    }
}

fn table<'a>(out: &mut String, rows: impl Iterator<Item = &'a Row>) {
    for (index, row) in rows.enumerate() {
        if index == 0 {
            out.push_str("\n| Protection | Default | Status | CWE | Looks for | When to change it |\n|---|---|---|---|---|---|\n");
        }
        let default = match row.default {
            Default::On => "on",
            Default::Off => "off",
        };
        let cwe = row.cwe.iter().map(u16::to_string).collect::<Vec<_>>().join(", ");
        let _ = writeln!(
            out,
            "| `{}` | {default} | {} | {cwe} | {} | {} |",
            row.name,
            row.status,
            cell(row.summary),
            cell(row.when)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_protection_stands_in_it_once() {
        let page = protections();
        for row in TABLE {
            assert_eq!(page.matches(&format!("\n| `{}` |", row.name)).count(), 1, "{}", row.name);
        }
    }
}
