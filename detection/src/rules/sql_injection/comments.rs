//! Rules for comments and quoting.

use waf_shared::catalog::Leaf;

use super::places::VALUES;
use crate::field::{Place, Places};
use crate::rule::{Rule, RuleMatcher, STRONG};

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[
    &COMMENT_EXECUTED,
    &COMMENT_AS_SPACE,
    &COMMENT_IN_WORD,
    &COMMENT_TAIL,
    &BACKTICK_BREAK,
    &COMMENT_IN_JSON,
    &COMMENT_BEHIND_OPERAND,
];

const DOCUMENTS: Places = Places::of(&[Place::Json, Place::JsonKey, Place::Body]);

pub(super) static COMMENT_EXECUTED: Rule = Rule {
    id: "sql-injection-sql-comments/executed",
    leaf: Leaf::SqlInjectionSqlComments,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A comment whose content the server executes.",
    attacks: &["1 /*!50000union*/ /*!select*/ 2", "x' /*!or*/ 1='1", "/*!12345select*/ 1"],
    benign: &["/*! normalize.css v8 */", "wow /*! */", "!important"],
};

pub(super) static COMMENT_AS_SPACE: Rule = Rule {
    id: "sql-injection-sql-comments/as-space",
    leaf: Leaf::SqlInjectionSqlComments,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A comment in the place of a space beside a keyword.",
    attacks: &["SELECT/*x*/password/**/FROM/**/t", "1/**/or/**/1", "DROP/*c*/sampletable"],
    benign: &["int /* count */ x;", "*/5 * * * *", "see /* here */ and there"],
};

pub(super) static COMMENT_IN_WORD: Rule = Rule {
    id: "sql-injection-sql-comments/in-word",
    leaf: Leaf::SqlInjectionSqlComments,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A keyword that comments split.",
    attacks: &["un/**/ion sel/**/ect 1", "1 uni/*x*/on select 2", "DR/**/OP table x"],
    benign: &["src/**/test", "a/*b*/c", "lib/**/*.js"],
};

pub(super) static COMMENT_TAIL: Rule = Rule {
    id: "sql-injection-sql-comments/cut-off",
    leaf: Leaf::SqlInjectionSqlComments,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A broken string behind which a comment cuts the query off.",
    attacks: &["admin'--", "admin' #", "root')-- -"],
    benign: &["--", "C# and F#", "the kids' -- who were late -- ran home"],
};

pub(super) static BACKTICK_BREAK: Rule = Rule {
    id: "sql-injection-backticks/break",
    leaf: Leaf::SqlInjectionBackticks,
    weight: STRONG,
    places: VALUES,
    matcher: RuleMatcher::Detected,
    summary: "A query that goes on behind a backtick.",
    attacks: &["x` or `a`=`a", "id` union select 1,2#", "`; drop table users-- "],
    benign: &["use `ls` or `dir` here", "`foo`, `bar` and `baz`", "run `a` && `b`"],
};

static COMMENT_IN_JSON: Rule = Rule {
    id: "sql-injection-comments-in-json/comment",
    leaf: Leaf::SqlInjectionCommentsInJson,
    weight: STRONG,
    places: DOCUMENTS,
    matcher: RuleMatcher::Pattern { regex: r"(?s)/\*.*?\*/", literals: &["/*"] },
    summary: "A block comment in a JSON document.",
    attacks: &["a/*b*/c", "1 /* x */", "/**/"],
    benign: &["a / b * c", "*/5 * * * *", "text/*"],
};

static COMMENT_BEHIND_OPERAND: Rule = Rule {
    id: "sql-injection-comments-in-json/behind-operand",
    leaf: Leaf::SqlInjectionCommentsInJson,
    weight: STRONG,
    places: VALUES,
    matcher: RuleMatcher::Pattern { regex: r#"['"`)][\s,;()'"`0-9]*/\*"#, literals: &["/*"] },
    summary: "A comment mark behind a quote or a parenthesis.",
    attacks: &["'item', (5) /*", "x'/*", "1) /* a */ or (1", "a\" , 3/*", "'a';/**/"],
    benign: &["text/*", "*/5 * * * *", "a / b * c", "see (page 3) / read it", "src/**/*.rs"],
};
