//! The rules for what single servers and document databases have, and the opt-in ones, with their proofs.

use waf_shared::catalog::Leaf;

use super::proofs::rules;
use crate::field::{Place, Places};
use crate::rule::{Rule, RuleMatcher, STRONG};

const ANYWHERE: Places = Places::REQUEST;
const VALUES: Places = Places::ARGUMENTS_AND_NAMES.or(Places::of(&[Place::PathSegment]));
const NAMES: Places = Places::of(&[Place::QueryName, Place::FormName, Place::JsonKey, Place::CookieName]);
const DOCUMENTS: Places = Places::of(&[Place::Json, Place::JsonKey, Place::Body]);

rules! {
    MSSQL_EXEC: SqlInjectionMssqlSpecific, "sql-injection-mssql-specific/exec", STRONG, ANYWHERE,
        "A procedure or a string executed as SQL Server does.",
        [" exec xp_cmdshell", "EXECUTE IMMEDIATE \"", "1;exec master..xp_dirtree '//x/y'", "x'; exec(@q)--"],
        ["exec summary and plan", "the exec team", "execute the plan"];
    MSSQL_DECLARE: SqlInjectionMssqlSpecific, "sql-injection-mssql-specific/declare", STRONG, ANYWHERE,
        "A variable declared as SQL Server does.",
        ["1;declare @q varchar(99)", "DECLARE/**/@x", "x');declare @s nvarchar(10);set @s='a'--"],
        ["declare @ the border", "I declare victory", "declare const x"];
    STORED_CALL: SqlInjectionStoredProcedures, "sql-injection-stored-procedures/call", STRONG, ANYWHERE,
        "A stored procedure of the server.",
        ["exec master.dbo.xp_cmdshell 'dir'", "1;sp_executesql @x", "x'; exec sp_configure 'a',1--"],
        ["xp_gain was 500", "the sp_ prefix", "what does xp_cmdshell do"];
    PROCEDURE_ANALYSE: SqlInjectionStoredProcedures, "sql-injection-stored-procedures/analyse", STRONG, ANYWHERE,
        "PROCEDURE ANALYSE, which leaks names and errors.",
        ["procedure analyse (", "1 limit 1 procedure analyse(1,2)", "x' PROCEDURE ANALYSE()#"],
        ["the procedure to analyse it", "procedure (analyse)", "analyse the procedure"];
    TYPE_CAST: SqlInjectionStoredProcedures, "sql-injection-stored-procedures/type-cast", STRONG, VALUES.or(Places::HEADERS),
        "A cast by two colons, which makes PostgreSQL show a value in an error.",
        ["password::int", "f(foo)::bigint", "(select 1)::text", "x'::int--"],
        ["std::string", "fe80::1", "use serde::json;", "a :: b"];
    DOCUMENT_NAME: SqlInjectionMongodbOperators, "sql-injection-mongodb-operators/name", STRONG, NAMES,
        "An operator of a document database as a key.",
        ["$ne", "$where", "$regex"],
        ["$schema", "$ref", "ctl00$Main$txtName", "$set", "$unset", "$add", "$in"];
    DOCUMENT_VALUE: SqlInjectionMongodbOperators, "sql-injection-mongodb-operators/value", STRONG, VALUES.or(Places::HEADERS),
        "An operator of a document database in an object that is pasted into a value.",
        ["{ $ne: 1 }", "true, $where: '1 == 1'", "{\"$gt\":\"\"}", "[$lte]x"],
        ["it costs $5: cheap", "$text: #333;", "echo $PATH", "pay $in cash"];
    DOCUMENT_SCRIPT: SqlInjectionMongodbOperators, "sql-injection-mongodb-operators/script", STRONG, VALUES.or(Places::HEADERS),
        "Script for the JavaScript engine of a document database.",
        ["' && this.password.match(/.*/)//", "0;var d=new Date();do{x=1}while(1)", "db.users.insert({a:1});", "';return 'a'=='a' && ''=='"],
        ["db.session.add(user)", "this.password is old", "return the var; while you can"];
    JSON_OPERATOR: SqlInjectionJsonOperators, "sql-injection-json-operators/operator", STRONG, ANYWHERE,
        "A JSON operator of a database between values.",
        ["OR '{\"b\":2}'::jsonb <@ '{\"a\":1}'", "'{\"a\":1}' @> '{}'", "'[1,2]'::json ->> 2='3'"],
        ["I Love you <3", "Find your solution here -> link", "rename 'foo' -> 'bar'"];
    EXPONENT: SqlInjectionScientificNotation, "sql-injection-scientific-notation/exponent", STRONG, ANYWHERE,
        "A number in scientific notation that hides what it is glued to.",
        ["1e0union select 2", "1.e(ascii)", "1.e(ascii 1.e(substring(1.e(select 1) 1.e,1)))"],
        ["1e6 users", "2.5e3", "see 1.e below"];
    AGGRESSIVE: SqlInjectionGenericAggressive, "sql-injection-generic-aggressive/quote-operator", STRONG, VALUES,
        "A quote with an operator or a keyword behind it.",
        ["x' = # '", "' or homer 9", "a' like b"],
        ["it's fine", "5' tall", "O'Brien"];
    DENSITY: SqlInjectionSpecialCharacterDensity, "sql-injection-special-character-density/dense", STRONG, VALUES,
        "More punctuation than everyday values have.",
        ["'!@#$%^&*()-=", "'''''''''''''''", "\"))))))))||------"],
        ["wow!!!", "a-b-c-d-e-f-g-h-i-j-k-l-m and some more words to go with them", "(a) (b) (c)"];
    ALWAYS_TRUE: SqlInjectionAlwaysTrue, "sql-injection-always-true/constant-comparison", STRONG, VALUES,
        "A comparison of two constants.",
        ["1=1", "b,2=2", "11!=1"],
        ["a=b", "1 = one", "x>5"];
    MULTIPLE_STATEMENTS: SqlInjectionMultipleStatements, "sql-injection-multiple-statements/separator", STRONG, VALUES,
        "A keyword that begins a statement behind a semicolon.",
        ["1; select x", "a;drop b", "x;SET @a"],
        ["a; b", "first; then select", "tea; coffee"];
    QUOTE_IN_TEXT: SqlInjectionQuotesInText, "sql-injection-quotes-in-text/joined", STRONG, VALUES,
        "AND, OR or their like behind an odd number of quotes.",
        ["'''or 1", "foo'or'oof", "1' and f(x) and 'true", "x'y or 1", "it's this or that", "a\"b and 1=1"],
        ["bob's bread", "'oreo", "'fork", "'a' or 'b'"];
}

/// A comment behind what ends an operand of a query.
pub(super) static COMMENT_BEHIND_OPERAND: Rule = Rule {
    id: "sql-injection-comments-in-json/behind-operand",
    leaf: Leaf::SqlInjectionCommentsInJson,
    weight: STRONG,
    places: VALUES,
    matcher: RuleMatcher::Pattern { regex: r#"['"`)][\s,;()'"`0-9]*/\*"#, literals: &["/*"] },
    summary: "A comment mark behind a quote or a parenthesis.",
    attacks: &["'item', (5) /*", "x'/*", "1) /* a */ or (1", "a\" , 3/*", "'a';/**/"],
    benign: &["text/*", "*/5 * * * *", "a / b * c", "see (page 3) / read it", "src/**/*.rs"],
};

/// A block comment in a JSON document.
pub(super) static COMMENT_IN_JSON: Rule = Rule {
    id: "sql-injection-comments-in-json/comment",
    leaf: Leaf::SqlInjectionCommentsInJson,
    weight: STRONG,
    places: DOCUMENTS,
    matcher: RuleMatcher::Pattern { regex: r"(?s)/\*.*?\*/", literals: &["/*"] },
    summary: "A block comment in a JSON document.",
    attacks: &["a/*b*/c", "1 /* x */", "/**/"],
    benign: &["a / b * c", "*/5 * * * *", "text/*"],
};
