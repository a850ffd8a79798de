//! Makes a finding small: changes that it does not need go first, then fields, then bytes of body and target.

use crate::case::Case;
use crate::compare::{Comparison, Finding};
use crate::seeds::{ATTACKS, BOUNDARY};

/// Requests that making one finding small may take.
const STEPS_MAX: usize = 600;

/// A small request that shows the finding, as text, with `ATTACK` and `BOUNDARY` in their places.
pub(crate) fn small(comparison: &Comparison, finding: &Finding) -> String {
    let mut steps = STEPS_MAX;
    let mut shows = |case: &Case| {
        steps = steps.saturating_sub(1);
        steps > 0 && comparison.shows(case, finding.attack, finding.reader).is_some()
    };
    let finding = fewer_changes(finding.clone(), &mut shows);
    let mut case = finding.case();
    fewer_fields(&mut case, &mut shows);
    let parts: [fn(&mut Case) -> &mut Vec<u8>; 2] = [|case| &mut case.body, |case| &mut case.target];
    for part in parts {
        fewer_bytes(&mut case, part, &mut shows);
    }
    let seen = comparison.shows(&case, finding.attack, finding.reader);
    let place = seen.map_or('-', |seen| seen.place);
    let text = case.wire().escape_ascii().to_string();
    let attack = ATTACKS[finding.attack].as_bytes().escape_ascii().to_string();
    let start = text.find("Content-Length: ").map(|at| at + "Content-Length: ".len());
    let text = match start.and_then(|at| Some((at, at + text.get(at..)?.find('\\')?))) {
        Some((from, to)) => format!("{}N{}", &text[..from], &text[to..]),
        None => text,
    };
    format!("{} ({place})", text.replace(&attack, "ATTACK").replace(BOUNDARY, "BOUNDARY"))
}

fn fewer_changes(mut finding: Finding, shows: &mut impl FnMut(&Case) -> bool) -> Finding {
    let mut at = 0;
    while at < finding.changes.len() {
        let mut smaller = finding.clone();
        smaller.changes.remove(at);
        if shows(&smaller.case()) {
            finding = smaller;
        } else {
            at += 1;
        }
    }
    finding
}

fn fewer_fields(case: &mut Case, shows: &mut impl FnMut(&Case) -> bool) {
    let mut at = 0;
    while at < case.fields.len() {
        let mut smaller = case.clone();
        smaller.fields.remove(at);
        if shows(&smaller) {
            *case = smaller;
        } else {
            at += 1;
        }
    }
}

fn fewer_bytes(case: &mut Case, part: fn(&mut Case) -> &mut Vec<u8>, shows: &mut impl FnMut(&Case) -> bool) {
    let mut size = part(case).len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        while at < part(case).len() {
            let mut smaller = case.clone();
            let bytes = part(&mut smaller);
            bytes.drain(at..(at + size).min(bytes.len()));
            if shows(&smaller) {
                *case = smaller;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
}
