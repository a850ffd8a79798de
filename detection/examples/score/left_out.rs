//! Each source of attacks as if nobody had seen it: a rule counts for a source only if attacks of another source show it too. What
//! falls is what was fitted to that source.

use std::collections::{BTreeMap, BTreeSet};

use waf_detection::verdict::Verdict;
use waf_shared::limits;

/// The evidence in an attack.
struct Attack {
    source: usize,
    /// Rules and their weights, by field. A broken limit is a field of its own with the weight that blocks.
    fields: Vec<Vec<(usize, u32)>>,
}

/// Gathers the evidence of all attacks.
#[derive(Default)]
pub(crate) struct LeftOut {
    sources: Vec<String>,
    rules: Vec<&'static str>,
    attacks: Vec<Attack>,
    totals: BTreeMap<usize, usize>,
}

impl LeftOut {
    /// Adds an attack of `source`.
    pub(crate) fn add(&mut self, source: &str, verdict: &Verdict) {
        let source = index(&mut self.sources, source, str::to_owned);
        *self.totals.entry(source).or_default() += 1;
        if !verdict.blocks() {
            return;
        }
        let mut fields: BTreeMap<(&str, &[u8]), Vec<(usize, u32)>> = BTreeMap::new();
        for found in &verdict.matches {
            let rule = index(&mut self.rules, found.rule.id, |id| id);
            let field = fields.entry((found.place.as_str(), &found.name)).or_default();
            if !field.iter().any(|(known, _)| *known == rule) {
                field.push((rule, u32::from(found.weight)));
            }
        }
        let mut fields: Vec<_> = fields.into_values().collect();
        for violation in &verdict.violations {
            let rule = index(&mut self.rules, violation.leaf.name(), |name| name);
            fields.push(vec![(rule, limits::SCORE_BLOCKS)]);
        }
        self.attacks.push(Attack { source, fields });
    }

    /// Prints, by source, the attacks that are refused without the rules that only this source shows, and those rules.
    #[allow(clippy::print_stdout, reason = "a tool for developers")]
    pub(crate) fn print(&self) {
        let mut shown: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); self.rules.len()];
        for attack in &self.attacks {
            for (rule, _) in attack.fields.iter().flatten() {
                shown[*rule].insert(attack.source);
            }
        }
        let mut refused: BTreeMap<usize, usize> = BTreeMap::new();
        let mut needed: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for attack in &self.attacks {
            let is_own = |rule: usize| shown[rule].iter().all(|source| *source == attack.source);
            let sum = |field: &Vec<(usize, u32)>| -> u32 {
                field.iter().filter(|(rule, _)| !is_own(*rule)).map(|(_, weight)| *weight).sum()
            };
            if attack.fields.iter().map(sum).any(|sum| sum >= limits::SCORE_BLOCKS) {
                *refused.entry(attack.source).or_default() += 1;
                continue;
            }
            for (rule, _) in attack.fields.iter().flatten().filter(|(rule, _)| is_own(*rule)) {
                *needed.entry((attack.source, *rule)).or_default() += 1;
            }
        }
        for (source, total) in &self.totals {
            let refused = refused.get(source).copied().unwrap_or_default();
            let share = 100.0 * refused as f64 / *total as f64;
            println!(
                "{:58} {refused:5}/{total:<5} {share:6.2} %",
                format!("left out attack {}", self.sources[*source])
            );
        }
        for ((source, rule), count) in &needed {
            println!("only {} needs: {} ({count})", self.sources[*source], self.rules[*rule]);
        }
    }
}

/// The position of `name` in `known`, where it is added if need be.
fn index<'n, T: AsRef<str>>(known: &mut Vec<T>, name: &'n str, make: impl Fn(&'n str) -> T) -> usize {
    known.iter().position(|one| one.as_ref() == name).unwrap_or_else(|| {
        known.push(make(name));
        known.len() - 1
    })
}
