//! Rules for statements and for parts that continue one.

use waf_shared::catalog::Leaf;

use super::places::VALUES;
use crate::field::Places;
use crate::rule::{Rule, RuleMatcher, STRONG};

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[
    &STACKED,
    &STATEMENT,
    &BARE_QUERY,
    &SUBQUERY,
    &QUERY_IN_TEXT,
    &CLAUSE,
    &FILE,
    &VALUE_LIST,
    &UNION_SELECT,
    &UNION_IN_TEXT,
    &DELAY_CALL,
    &DELAY_STATEMENT,
    &STORED_CALL,
    &PROCEDURE_ANALYSE,
    &TYPE_CAST,
    &MSSQL_EXEC,
    &MSSQL_DECLARE,
    &MULTIPLE_STATEMENTS,
];

pub(super) static STACKED: Rule = Rule {
    id: "sql-injection-generic/stacked-statement",
    leaf: Leaf::SqlInjectionGeneric,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A second statement behind a semicolon or a broken string.",
    attacks: &[
        "1; DROP TABLE users",
        "x'; insert into admins (name) values ('eve');--",
        "7;truncate table orders",
        "5'; update users set role='admin' where id=3 --",
    ],
    benign: &[
        "I need space; drop table tennis for now",
        "Terms & conditions; see page 3",
        "chairs; update on the table soon",
        "a; b; delete c",
    ],
};

pub(super) static STATEMENT: Rule = Rule {
    id: "sql-injection-generic/statement",
    leaf: Leaf::SqlInjectionGeneric,
    weight: STRONG,
    places: VALUES,
    matcher: RuleMatcher::Detected,
    summary: "The value is a complete query that reads credentials, variables or catalogs of the server, or cuts off what follows it.",
    attacks: &[
        "select name, pass from users where id=1",
        "SELECT version()",
        "select * from accounts --",
        "select @@version",
        "select name from pg_group",
    ],
    benign: &[
        "select from our range or call",
        "Select the best option from the list",
        "select seats",
        "update",
        "select * from menu",
        "select user_id, status from orders where status = 1",
    ],
};

pub(super) static BARE_QUERY: Rule = Rule {
    id: "sql-injection-generic/bare-query",
    leaf: Leaf::SqlInjectionGeneric,
    weight: 3,
    places: VALUES,
    matcher: RuleMatcher::Detected,
    summary: "The value is a complete query and nothing else: a search for one reads the same.",
    attacks: &["select name from menu where price < 5", "SELECT * FROM orders", "select 1 from a"],
    benign: &["select from our range or call", "Select the best option from the list", "select seats"],
};

pub(super) static SUBQUERY: Rule = Rule {
    id: "sql-injection-generic/subquery",
    leaf: Leaf::SqlInjectionGeneric,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A query in parentheses or as an operand.",
    attacks: &[
        "(select password from users limit 1)",
        "1-(select count(*) from orders)",
        "x=(select/**/1)",
        "(SELECT(1)FROM(dual))",
    ],
    benign: &["(select one of these)", "our members (select few) voted", "(select all that apply)"],
};

pub(super) static QUERY_IN_TEXT: Rule = Rule {
    id: "sql-injection-generic/query-in-text",
    leaf: Leaf::SqlInjectionGeneric,
    weight: 2,
    places: VALUES,
    matcher: RuleMatcher::Detected,
    summary: "A query or a statement inside other text.",
    attacks: &[
        "why is SELECT * FROM orders WHERE id = 5 slow?",
        "My query `SELECT a, b FROM t WHERE c = 1` hangs",
        "INSERT INTO logs (msg) VALUES ('ok')",
    ],
    benign: &["please select a seat from row 5", "insert coin into the slot", "delete the mail from Bob"],
};

pub(super) static CLAUSE: Rule = Rule {
    id: "sql-injection-generic/clause",
    leaf: Leaf::SqlInjectionGeneric,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "ORDER BY, HAVING, WHERE or LIMIT as the continuation of a query.",
    attacks: &["1' ORDER BY 7-- -", "3 order by 12", "x' having 1=1--", "where 1=1 and 2=2"],
    benign: &["please order by 5 pm", "having 2 kids is fun", "group by age please", "where 5 of us meet"],
};

pub(super) static FILE: Rule = Rule {
    id: "sql-injection-generic/file-access",
    leaf: Leaf::SqlInjectionGeneric,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "Reading or writing a file of the database server.",
    attacks: &[
        "x into outfile '/var/www/s.php'",
        "1 union select 'a' INTO DUMPFILE '/tmp/a'",
        "load data infile '/etc/passwd'",
    ],
    benign: &["put it into the outfile folder", "load data into the app", "the outfile is empty"],
};

pub(super) static VALUE_LIST: Rule = Rule {
    id: "sql-injection-generic/value-list-break",
    leaf: Leaf::SqlInjectionGeneric,
    weight: STRONG,
    places: VALUES,
    matcher: RuleMatcher::Detected,
    summary: "Further values of a list and its end behind a broken string.",
    attacks: &["x','1','2');-- -", "a',NULL,NULL)#", "b', 1, 2) -- "],
    benign: &["'a', 'b' and 'c'", "rue d'Arlon, 12", "'one', 'two', 'three'"],
};

pub(super) static UNION_SELECT: Rule = Rule {
    id: "sql-injection-union-select/union",
    leaf: Leaf::SqlInjectionUnionSelect,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "Rows of another query joined by UNION, INTERSECT or EXCEPT.",
    attacks: &[
        "1 union select 1,2,3",
        "x' UnIoN/**/aLl/**/SeLeCt null--",
        "-1)union(select(1))",
        "1e0union select 2",
    ],
    benign: &[
        "union was a great select",
        "Union members select delegates from each group",
        "the student union selects",
        "union select the best",
    ],
};

pub(super) static UNION_IN_TEXT: Rule = Rule {
    id: "sql-injection-union-select/in-text",
    leaf: Leaf::SqlInjectionUnionSelect,
    weight: 3,
    places: VALUES,
    matcher: RuleMatcher::Detected,
    summary: "UNION SELECT inside other text.",
    attacks: &["union select committee", "the union select members", "labor union select few"],
    benign: &["union", "select union", "union of selected works"],
};

pub(super) static DELAY_CALL: Rule = Rule {
    id: "sql-injection-time-based/call",
    leaf: Leaf::SqlInjectionTimeBased,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A function that makes the server wait.",
    attacks: &[
        "1 and sleep(5)",
        "x';select pg_sleep(10)--",
        "benchmark(1000000,md5(1))",
        "x' sleep(20.to_i) '",
    ],
    benign: &["I sleep well!", "sleep(8 hours) and a nap", "await sleep (a lot)", "Benchmark(5) results"],
};

pub(super) static DELAY_STATEMENT: Rule = Rule {
    id: "sql-injection-time-based/statement",
    leaf: Leaf::SqlInjectionTimeBased,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "WAITFOR DELAY or WAITFOR TIME.",
    attacks: &["1; WAITFOR DELAY '0:0:5'--", "x')waitfor delay'5:0:20'--", "waitfor time '22:00'"],
    benign: &["wait for delay of the train", "waitforit", "delay '0:0:5'"],
};

pub(super) static STORED_CALL: Rule = Rule {
    id: "sql-injection-stored-procedures/call",
    leaf: Leaf::SqlInjectionStoredProcedures,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A stored procedure of the server.",
    attacks: &["exec master.dbo.xp_cmdshell 'dir'", "1;sp_executesql @x", "x'; exec sp_configure 'a',1--"],
    benign: &["xp_gain was 500", "the sp_ prefix", "what does xp_cmdshell do"],
};

pub(super) static PROCEDURE_ANALYSE: Rule = Rule {
    id: "sql-injection-stored-procedures/analyse",
    leaf: Leaf::SqlInjectionStoredProcedures,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "PROCEDURE ANALYSE, which leaks names and errors.",
    attacks: &["procedure analyse (", "1 limit 1 procedure analyse(1,2)", "x' PROCEDURE ANALYSE()#"],
    benign: &["the procedure to analyse it", "procedure (analyse)", "analyse the procedure"],
};

pub(super) static TYPE_CAST: Rule = Rule {
    id: "sql-injection-stored-procedures/type-cast",
    leaf: Leaf::SqlInjectionStoredProcedures,
    weight: STRONG,
    places: VALUES.or(Places::HEADERS),
    matcher: RuleMatcher::Detected,
    summary: "A cast by two colons, which makes PostgreSQL show a value in an error.",
    attacks: &["password::int", "f(foo)::bigint", "(select 1)::text", "x'::int--"],
    benign: &["std::string", "fe80::1", "use serde::json;", "a :: b"],
};

pub(super) static MSSQL_EXEC: Rule = Rule {
    id: "sql-injection-mssql-specific/exec",
    leaf: Leaf::SqlInjectionMssqlSpecific,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A procedure or a string executed as SQL Server does.",
    attacks: &[
        " exec xp_cmdshell",
        "EXECUTE IMMEDIATE \"",
        "1;exec master..xp_dirtree '//x/y'",
        "x'; exec(@q)--",
    ],
    benign: &["exec summary and plan", "the exec team", "execute the plan"],
};

pub(super) static MSSQL_DECLARE: Rule = Rule {
    id: "sql-injection-mssql-specific/declare",
    leaf: Leaf::SqlInjectionMssqlSpecific,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A variable declared as SQL Server does.",
    attacks: &["1;declare @q varchar(99)", "DECLARE/**/@x", "x');declare @s nvarchar(10);set @s='a'--"],
    benign: &["declare @ the border", "I declare victory", "declare const x"],
};

pub(super) static MULTIPLE_STATEMENTS: Rule = Rule {
    id: "sql-injection-multiple-statements/separator",
    leaf: Leaf::SqlInjectionMultipleStatements,
    weight: STRONG,
    places: VALUES,
    matcher: RuleMatcher::Detected,
    summary: "A keyword that begins a statement behind a semicolon.",
    attacks: &["1; select x", "a;drop b", "x;SET @a"],
    benign: &["a; b", "first; then select", "tea; coffee"],
};
