//! The protection that was probably meant by a text that names none: another spelling, a usual abbreviation, an id of
//! the OWASP Core Rule Set, a rule, a header. It knows names, not the configuration.

use waf_shared::catalog::{self, Leaf};

use crate::catalog::crs;
use crate::diagnostic::{QUOTE_CHARS_MAX, did_you_mean};
use crate::headers::{ADDED, STRIPPED};

/// Abbreviations and other usual names, in lower case, with the protection that they mean.
const USUAL: &[(&str, &str)] = &[
    ("bot", "scanner-detection"),
    ("bots", "scanner-detection"),
    ("cmdi", "command-injection"),
    ("code-injection", "php-injection"),
    ("coep", "response-headers-add-coep"),
    ("command-execution", "command-injection"),
    ("coop", "response-headers-add-coop"),
    ("corp", "response-headers-add-corp"),
    ("crlf", "http-attacks-header-crlf-injection"),
    ("crlf-injection", "http-attacks-header-crlf-injection"),
    ("csp", "response-headers-add-csp"),
    ("deserialization", "java-injection-serialized-objects"),
    ("directory-traversal", "local-file-access"),
    ("fixation", "session-fixation"),
    ("generic", "javascript"),
    ("hpp", "http-attacks-duplicate-parameters"),
    ("hsts", "response-headers-add-hsts"),
    ("injection-java", "java-injection"),
    ("injection-php", "php-injection"),
    ("ldap", "ldap-injection"),
    ("ldapi", "ldap-injection"),
    ("lfi", "local-file-access"),
    ("log4j", "java-injection-log4shell"),
    ("log4shell", "java-injection-log4shell"),
    ("multipart", "file-upload"),
    ("nosql", "sql-injection-mongodb-operators"),
    ("nosql-injection", "sql-injection-mongodb-operators"),
    ("nosqli", "sql-injection-mongodb-operators"),
    ("os-command-injection", "command-injection"),
    ("path-traversal", "local-file-access"),
    ("protocol", "http-compliance"),
    ("prototype-pollution", "javascript-prototype-pollution"),
    ("rce", "command-injection"),
    ("reputation-scanner", "scanner-detection"),
    ("request-smuggling", "http-attacks-request-smuggling"),
    ("response-splitting", "http-attacks-response-splitting"),
    ("rfi", "remote-file-fetch"),
    ("scanner", "scanner-detection"),
    ("scanners", "scanner-detection"),
    ("shellshock", "command-injection-shellshock"),
    ("smuggling", "http-attacks-request-smuggling"),
    ("sqli", "sql-injection"),
    ("ssrf", "outbound-request-forgery"),
    ("ssti", "template-injection"),
    ("traversal", "local-file-access"),
    ("upload", "file-upload"),
    ("uploads", "file-upload"),
    ("webshell", "web-shell-detection"),
    ("xss", "cross-site-scripting"),
    ("xxe", "xml-parsing"),
];

/// Advice for a text that names no protection of `names`; `None` when nothing is close.
pub(crate) fn advice(text: &str, names: &[&'static str]) -> Option<String> {
    if text.len() > QUOTE_CHARS_MAX {
        return None;
    }
    let spelled = text.trim().to_ascii_lowercase().replace(['_', ' '], "-");
    // Tags of the Core Rule Set begin with `attack-`.
    let bare = spelled.strip_prefix("attack-").unwrap_or(&spelled);
    let known = |name: &str| names.iter().find(|known| **known == name).copied();
    let usual = || USUAL.iter().find(|(usual, _)| *usual == bare).and_then(|(_, name)| known(name));
    if let Some(name) =
        known(&spelled).or_else(|| known(bare)).or_else(usual).or_else(|| known(of_header(text)?))
    {
        return Some(format!("did you mean `{name}`?"));
    }
    of_core_rule(&spelled)
        .or_else(|| of_rule(&spelled))
        .or_else(|| did_you_mean(&spelled, names.iter().copied()))
}

/// The leaf that adds or removes the header.
fn of_header(text: &str) -> Option<&'static str> {
    let header = text.trim().trim_end_matches(':');
    let added = ADDED.iter().find(|(_, name, _)| name.eq_ignore_ascii_case(header)).map(|(leaf, _, _)| leaf);
    let is_removed = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(header));
    let removed = || STRIPPED.iter().find(|(_, names)| is_removed(names)).map(|(leaf, _)| leaf);
    added.or_else(removed).map(|leaf| leaf.name())
}

/// Leaves in the place of a rule of the Core Rule Set.
fn of_core_rule(text: &str) -> Option<String> {
    let leaves: Vec<String> =
        crs::leaves_of(crs::id(text)?).into_iter().map(|leaf| format!("`{}`", leaf.name())).collect();
    Some(match leaves.as_slice() {
        [] => "it is the id of a CRS rule, and no leaf corresponds to it".to_owned(),
        [leaf] => format!("it is the id of a CRS rule; the leaf is {leaf}"),
        leaves => format!("it is the id of a CRS rule; the leaves are {}", leaves.join(", ")),
    })
}

/// The leaf of one of our own rules, whose ids are `<leaf>/<name>`.
fn of_rule(text: &str) -> Option<String> {
    let (leaf, _) = text.split_once('/')?;
    let leaf = Leaf::named(leaf)?.name();
    Some(format!("it is the id of a rule, and rules have no switch of their own; the leaf is `{leaf}`"))
}

/// Advice for a text that is no name of the catalog at any level.
pub(crate) fn of_any_level(text: &str) -> Option<String> {
    advice(text, &catalog::names())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_names_lead_to_registered_ones() {
        let names = catalog::names();
        assert!(USUAL.windows(2).all(|pair| pair[0].0 < pair[1].0), "sorted");
        for (usual, name) in USUAL {
            assert!(names.contains(name), "{name}");
            assert!(!names.contains(usual), "{usual} is a name itself");
            assert_eq!(of_any_level(usual), Some(format!("did you mean `{name}`?")));
        }
    }

    #[test]
    fn what_was_meant_is_found() {
        for (text, meant) in [
            ("xss", "did you mean `cross-site-scripting`?"),
            ("SQLi", "did you mean `sql-injection`?"),
            ("attack-lfi", "did you mean `local-file-access`?"),
            ("attack_rce", "did you mean `command-injection`?"),
            ("SQL-Injection", "did you mean `sql-injection`?"),
            ("sql_injection_union_select", "did you mean `sql-injection-union-select`?"),
            ("Sql Injection", "did you mean `sql-injection`?"),
            ("sql-injectoin", "did you mean `sql-injection`?"),
            ("942100", "it is the id of a CRS rule; the leaf is `sql-injection-generic`"),
            ("id:932160", "it is the id of a CRS rule; the leaf is `command-injection-shell-substitution`"),
            ("949110", "it is the id of a CRS rule, and no leaf corresponds to it"),
            (
                "sql-injection-generic/any",
                "it is the id of a rule, and rules have no switch of their own; the leaf is `sql-injection-generic`",
            ),
            ("X-Frame-Options", "did you mean `response-headers-add-frame-options`?"),
            ("content-security-policy:", "did you mean `response-headers-add-csp`?"),
            ("Server", "did you mean `response-headers-remove-server`?"),
        ] {
            assert_eq!(of_any_level(text).as_deref(), Some(meant), "{text}");
        }
        for text in ["", "nonsense", "12345", "a/b", "no-such-leaf/rule", "Accept"] {
            assert_eq!(of_any_level(text), None, "{text}");
        }
    }

    #[test]
    fn advice_stays_within_the_names_that_a_list_takes() {
        let names = ["response-headers-add-csp"];
        assert_eq!(advice("CSP", &names).as_deref(), Some("did you mean `response-headers-add-csp`?"));
        assert_eq!(advice("Server", &names), None);
        assert_eq!(advice("xss", &names), None);
    }
}
