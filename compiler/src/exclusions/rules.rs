//! Rules of the Core Rule Set, by id and by tag, and the protections that look for the same kind of attack.

use std::collections::BTreeSet;

use crate::diagnostic::quoted;

/// The first three digits of rule ids, the tag, and protections of the same kind.
const KINDS: &[(u32, &str, &[&str])] = &[
    (913, "attack-reputation-scanner", &["scanner-detection"]),
    (921, "attack-protocol", &["http-attacks"]),
    (930, "attack-lfi", &["local-file-access"]),
    (931, "attack-rfi", &["remote-file-fetch"]),
    (932, "attack-rce", &["command-injection"]),
    (933, "attack-injection-php", &["php-injection"]),
    (
        934,
        "attack-injection-generic",
        &["javascript", "ruby-injection", "perl", "outbound-request-forgery", "template-injection"],
    ),
    (941, "attack-xss", &["cross-site-scripting"]),
    (942, "attack-sqli", &["sql-injection"]),
    (943, "attack-fixation", &["session-fixation"]),
    (944, "attack-injection-java", &["java-injection"]),
];

/// Groups of rules that check shapes, lengths and answers.
const SHAPES: &[u32] = &[901, 905, 911, 912, 920, 922, 949, 950, 951, 952, 953, 954, 955, 956, 959, 980];

/// The protections for ids, ranges and tags, in one text.
pub(super) fn protections(text: &str) -> Result<BTreeSet<&'static str>, String> {
    let mut found = BTreeSet::new();
    for part in text.split([' ', ',']).filter(|part| !part.is_empty()) {
        found.extend(one(part)?);
    }
    if found.is_empty() { Err("it names no rule".to_owned()) } else { Ok(found) }
}

fn one(part: &str) -> Result<Vec<&'static str>, String> {
    let (first, last) = part.split_once('-').unwrap_or((part, part));
    let (Ok(first), Ok(last)) = (first.parse::<u32>(), last.parse::<u32>()) else { return tagged(part) };
    let groups = first / 1_000..=last / 1_000;
    let is_wanted = |(group, _, _): &&(u32, &str, &[&str])| groups.contains(group);
    let names: Vec<&str> = KINDS.iter().filter(is_wanted).flat_map(|(_, _, names)| *names).copied().collect();
    if !names.is_empty() {
        return Ok(names);
    }
    let is_shape = SHAPES.iter().any(|group| groups.contains(group));
    Err(if is_shape {
        format!(
            "rule {part} checks a shape, a limit or an answer: see the settings of `accept` and `inspection`"
        )
    } else {
        format!("rule {part} is not of the Core Rule Set's detection rules")
    })
}

fn tagged(tag: &str) -> Result<Vec<&'static str>, String> {
    if tag.eq_ignore_ascii_case("OWASP_CRS") {
        return Ok(KINDS.iter().flat_map(|(_, _, names)| *names).copied().collect());
    }
    let known = KINDS.iter().find(|(_, known, _)| known.eq_ignore_ascii_case(tag));
    known
        .map(|(_, _, names)| names.to_vec())
        .ok_or_else(|| format!("no protections belong to the tag {}", quoted(tag)))
}
