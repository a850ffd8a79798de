//! Rules for calls, names and literals of SQL.

use waf_shared::catalog::Leaf;

use super::places::VALUES;
use crate::field::Places;
use crate::rule::{Rule, RuleMatcher, STRONG};

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[
    &CALL,
    &CALL_BREAK,
    &CALL_CUT,
    &SYSTEM_NAME,
    &SYSTEM_ALONE,
    &SYSTEM_IN_TEXT,
    &HEX,
    &CONCATENATION,
    &OVERFLOW,
    &EXPONENT,
];

pub(super) static CALL: Rule = Rule {
    id: "sql-injection-function-calls/call",
    leaf: Leaf::SqlInjectionFunctionCalls,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A call of a function that queries have.",
    attacks: &[
        "extractvalue(1,concat(0x7e,version()))",
        "1 and load_file('/etc/passwd')",
        "group_concat(name,0x3a)",
        "char(65,upper(user()))",
    ],
    benign: &["version (2) is out", "sum(A1:A5)", "Math.max(1, 2)", "call me (later)"],
};

pub(super) static CALL_BREAK: Rule = Rule {
    id: "sql-injection-function-calls/call-break",
    leaf: Leaf::SqlInjectionFunctionCalls,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A function call as an operand behind a broken string.",
    attacks: &["a'+upper('x')+'", "x'-(select 1)-'", "b'*ascii(substr(user(),1,1))#"],
    benign: &["the dogs' - (all of them)", "what's max(5, 7)?", "it's f(x) - g(x)"],
};

pub(super) static CALL_CUT: Rule = Rule {
    id: "sql-injection-function-calls/cut-off-call",
    leaf: Leaf::SqlInjectionFunctionCalls,
    weight: STRONG,
    places: VALUES,
    matcher: RuleMatcher::Detected,
    summary: "The name of a database function with an opening bracket and nothing behind it.",
    attacks: &["substring(", "ExtractValue(", "md5\\("],
    benign: &["smile :(", "(", "foo("],
};

pub(super) static SYSTEM_NAME: Rule = Rule {
    id: "sql-injection-system-schema-names/name",
    leaf: Leaf::SqlInjectionSystemSchemaNames,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A table or schema of a system catalog where a query would name it.",
    attacks: &[
        "x from information_schema.tables",
        "pg_catalog.pg_user",
        "1 union select name from sysobjects",
    ],
    benign: &["our information schema", "system tables and chairs", "the catalog"],
};

pub(super) static SYSTEM_ALONE: Rule = Rule {
    id: "sql-injection-system-schema-names/alone",
    leaf: Leaf::SqlInjectionSystemSchemaNames,
    weight: 3,
    places: VALUES,
    matcher: RuleMatcher::Detected,
    summary: "The name of a system catalog and nothing else: tools of databases send it as a name.",
    attacks: &["pg_catalog", "information_schema", "sysobjects"],
    benign: &["our information schema", "system tables", "the catalog"],
};

pub(super) static SYSTEM_IN_TEXT: Rule = Rule {
    id: "sql-injection-system-schema-names/in-text",
    leaf: Leaf::SqlInjectionSystemSchemaNames,
    weight: 2,
    places: VALUES,
    matcher: RuleMatcher::Detected,
    summary: "A table or schema of a system catalog inside other text.",
    attacks: &["what is information_schema good for", "see the pg_catalog docs", "is sqlite_master a view"],
    benign: &["information about schemas", "catalog of parts", "master of arts"],
};

pub(super) static HEX: Rule = Rule {
    id: "sql-injection-hex-encoded/literal",
    leaf: Leaf::SqlInjectionHexEncoded,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A hexadecimal string where a query would have a value.",
    attacks: &["select 0x616263", "concat(0x223e3c62723e,version())", "1;SET @a = X'5345542040747066'"],
    benign: &["0x7ffee4c0", "color 0xFFAA00", "the hash is 0xdeadbeef"],
};

pub(super) static CONCATENATION: Rule = Rule {
    id: "sql-injection-string-concatenation/break",
    leaf: Leaf::SqlInjectionStringConcatenation,
    weight: STRONG,
    places: VALUES,
    matcher: RuleMatcher::Detected,
    summary: "Strings or results joined to a broken string.",
    attacks: &["x'||(select pg_sleep(1))||'", "a'||'b", "k'||utl_http.request('x')--"],
    benign: &["'a' || 'b'", "black||white", "foo || bar"],
};

pub(super) static OVERFLOW: Rule = Rule {
    id: "sql-injection-overflow-probes/number",
    leaf: Leaf::SqlInjectionOverflowProbes,
    weight: STRONG,
    places: VALUES,
    matcher: RuleMatcher::Detected,
    summary: "A number at the edge of a type, sent to make parsers fail.",
    attacks: &["2.2250738585072011e-308", "18446744073709551616", "1e309"],
    benign: &["2147483647", "-1", "1e3", "65536"],
};

pub(super) static EXPONENT: Rule = Rule {
    id: "sql-injection-scientific-notation/exponent",
    leaf: Leaf::SqlInjectionScientificNotation,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A number in scientific notation that hides what it is glued to.",
    attacks: &["1e0union select 2", "1.e(ascii)", "1.e(ascii 1.e(substring(1.e(select 1) 1.e,1)))"],
    benign: &["1e6 users", "2.5e3", "see 1.e below"],
};
