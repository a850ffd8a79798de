//! Exclusions of rules for ModSecurity and the OWASP Core Rule Set, translated into exceptions. Whatever has no counterpart
//! is reported with its line and the reason; nothing is widened to make it fit.

mod condition;
mod directive;
mod rules;
mod target;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::diagnostic::{escaped, quoted};
use crate::setting::{list, string};
use condition::Condition;
use directive::{Directive, Removal};

/// An exception in the making.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    protections: BTreeSet<&'static str>,
    condition: Condition,
    places: BTreeSet<String>,
    /// Lines that it comes from.
    lines: BTreeSet<u32>,
}

/// Translated exclusions, and what could not be translated.
#[derive(Debug, Default)]
struct Translation {
    entries: Vec<Entry>,
    left: Vec<(u32, String)>,
}

/// The exclusions of `text` as YAML: exceptions for `global` or a route, then a comment for each that has no counterpart.
pub fn translate(text: &str) -> String {
    let mut translation = Translation::default();
    for (line, read) in directive::all(text) {
        match read {
            Ok(directive) => translation.add(line, directive),
            Err(why) => translation.left.push((line, why)),
        }
    }
    translation.page()
}

impl Translation {
    fn add(&mut self, line: u32, directive: Directive) {
        for removal in directive.removals {
            if let Err(why) = self.removal(line, &directive.condition, &removal) {
                self.left.push((line, why));
            }
        }
    }

    fn removal(&mut self, line: u32, condition: &Condition, removal: &Removal) -> Result<(), String> {
        let protections = rules::protections(&removal.rules)?;
        if removal.targets.is_empty() {
            return Err(format!(
                "it removes {} everywhere in a request, and an exception names places: find them with `waf-compile suggest`, or `disable` a protection of {}",
                quoted(&removal.rules),
                protections.iter().copied().collect::<Vec<_>>().join(", ")
            ));
        }
        let mut places = BTreeSet::new();
        for text in &removal.targets {
            match target::places(text) {
                Ok(found) => places.extend(found),
                Err(why) => self.left.push((line, format!("{}: {why}", quoted(text)))),
            }
        }
        if places.is_empty() {
            return Ok(());
        }
        let same = |entry: &&mut Entry| entry.protections == protections && entry.condition == *condition;
        match self.entries.iter_mut().find(same) {
            Some(entry) => {
                entry.places.extend(places);
                entry.lines.insert(line);
            }
            None => self.entries.push(Entry {
                protections,
                condition: condition.clone(),
                places,
                lines: BTreeSet::from([line]),
            }),
        }
        Ok(())
    }

    fn page(&self) -> String {
        let mut out = String::new();
        let _ = writeln!(
            out,
            "# {} exceptions, {} exclusions without a counterpart (listed below)",
            self.entries.len(),
            self.left.len()
        );
        if !self.entries.is_empty() {
            out.push_str("exceptions:\n");
        }
        for entry in &self.entries {
            let protections = entry.protections.iter().map(|name| (*name).to_owned());
            let _ = writeln!(out, "  - protections: {}", list(protections));
            let _ = writeln!(out, "    in: {}", list(entry.places.iter().cloned()));
            for (name, values) in [("methods", &entry.condition.methods), ("paths", &entry.condition.paths)] {
                if let Some(values) = values {
                    let _ = writeln!(out, "    {name}: {}", list(values.iter().cloned()));
                }
            }
            let lines: Vec<String> = entry.lines.iter().map(ToString::to_string).collect();
            let _ = writeln!(out, "    reason: {}", string(&format!("imported, line {}", lines.join(", "))));
        }
        for (line, why) in &self.left {
            let _ = writeln!(out, "# line {line}: not translated: {}", escaped(why));
        }
        out
    }
}
