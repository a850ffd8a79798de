//! Rules of this bucket and the judge that reports them.

use crate::field::Places;
use crate::rule::{Judge, Rule};

/// The rules.
pub static RULES: &[&Rule] = &[];

/// Runs the path tokenizer.
pub static JUDGE: Judge = Judge { name: "path", triggers: &[], places: Places::REQUEST, run: |_, _| {} };
