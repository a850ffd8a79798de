//! The rules that hold for every server, with their proofs.

use waf_shared::catalog::Leaf;

use crate::field::{Place, Places};
use crate::rule::{Rule, RuleMatcher, STRONG};

/// Where it would be odd for a fragment of a query to stand.
const ANYWHERE: Places = Places::REQUEST;
/// Where values are free text of one kind: headers of browsers hold semicolons, quotes and brackets by the dozen.
const VALUES: Places = Places::ARGUMENTS_AND_NAMES.or(Places::of(&[Place::PathSegment]));

macro_rules! rules {
    ($($ident:ident: $leaf:ident, $id:literal, $weight:expr, $places:expr, $summary:literal,
        [$($attack:literal),+ $(,)?], [$($benign:literal),+ $(,)?];)+) => {
        $(
            #[doc = $summary]
            pub(super) static $ident: Rule = Rule {
                id: $id,
                leaf: Leaf::$leaf,
                weight: $weight,
                places: $places,
                matcher: RuleMatcher::Detected,
                summary: $summary,
                attacks: &[$($attack),+],
                benign: &[$($benign),+],
            };
        )+
    };
}
pub(super) use rules;

rules! {
    STACKED: SqlInjectionGeneric, "sql-injection-generic/stacked-statement", STRONG, ANYWHERE,
        "A second statement behind a semicolon or a broken string.",
        ["1; DROP TABLE users", "x'; insert into admins (name) values ('eve');--", "7;truncate table orders", "5'; update users set role='admin' where id=3 --"],
        ["I need space; drop table tennis for now", "Terms & conditions; see page 3", "chairs; update on the table soon", "a; b; delete c"];
    STATEMENT: SqlInjectionGeneric, "sql-injection-generic/statement", STRONG, VALUES,
        "The value is a complete query that reads credentials, variables or catalogs of the server, or cuts off what follows it.",
        ["select name, pass from users where id=1", "SELECT version()", "select * from accounts --", "select @@version", "select name from pg_group"],
        ["select from our range or call", "Select the best option from the list", "select seats", "update", "select * from menu", "select user_id, status from orders where status = 1"];
    BARE_QUERY: SqlInjectionGeneric, "sql-injection-generic/bare-query", 3, VALUES,
        "The value is a complete query and nothing else: a search for one reads the same.",
        ["select name from menu where price < 5", "SELECT * FROM orders", "select 1 from a"],
        ["select from our range or call", "Select the best option from the list", "select seats"];
    SUBQUERY: SqlInjectionGeneric, "sql-injection-generic/subquery", STRONG, ANYWHERE,
        "A query in parentheses or as an operand.",
        ["(select password from users limit 1)", "1-(select count(*) from orders)", "x=(select/**/1)", "(SELECT(1)FROM(dual))"],
        ["(select one of these)", "our members (select few) voted", "(select all that apply)"];
    QUERY_IN_TEXT: SqlInjectionGeneric, "sql-injection-generic/query-in-text", 2, VALUES,
        "A query or a statement inside other text.",
        ["why is SELECT * FROM orders WHERE id = 5 slow?", "My query `SELECT a, b FROM t WHERE c = 1` hangs", "INSERT INTO logs (msg) VALUES ('ok')"],
        ["please select a seat from row 5", "insert coin into the slot", "delete the mail from Bob"];
    CLAUSE: SqlInjectionGeneric, "sql-injection-generic/clause", STRONG, ANYWHERE,
        "ORDER BY, HAVING, WHERE or LIMIT as the continuation of a query.",
        ["1' ORDER BY 7-- -", "3 order by 12", "x' having 1=1--", "where 1=1 and 2=2"],
        ["please order by 5 pm", "having 2 kids is fun", "group by age please", "where 5 of us meet"];
    FILE: SqlInjectionGeneric, "sql-injection-generic/file-access", STRONG, ANYWHERE,
        "Reading or writing a file of the database server.",
        ["x into outfile '/var/www/s.php'", "1 union select 'a' INTO DUMPFILE '/tmp/a'", "load data infile '/etc/passwd'"],
        ["put it into the outfile folder", "load data into the app", "the outfile is empty"];
    VALUE_LIST: SqlInjectionGeneric, "sql-injection-generic/value-list-break", STRONG, VALUES,
        "Further values of a list and its end behind a broken string.",
        ["x','1','2');-- -", "a',NULL,NULL)#", "b', 1, 2) -- "],
        ["'a', 'b' and 'c'", "rue d'Arlon, 12", "'one', 'two', 'three'"];
    BOOLEAN_BREAK: SqlInjectionOperators, "sql-injection-operators/boolean-break", STRONG, ANYWHERE,
        "A condition joined by AND, OR or their like behind a broken string.",
        ["x' or 'a'='a", "EmptyValue' and 526=527", "k\") or (\"1\"=\"1", "a'/**/oR/**/2>1--"],
        ["'live' or 'dead'", "the boys' and girls' school", "rock 'n' roll and 5 > 3", "\"fish\" and \"chips\""];
    BOOLEAN_ON_VALUE: SqlInjectionOperators, "sql-injection-operators/boolean-on-value", STRONG, ANYWHERE,
        "A condition joined by AND, OR or their like to a number or a bare value.",
        ["1 or 1=1", "12 and 2>1", "-1 OR 17-7=10", "hi or a=a"],
        ["1/2 or 3/4 cup", "2 or 3 people", "cats or dogs", "size 4 or 5"];
    COMPARISON_BREAK: SqlInjectionOperators, "sql-injection-operators/comparison-break", STRONG, VALUES,
        "A comparison or arithmetic directly behind a broken string.",
        ["x'='x", "a' like '%", "'-'", "k'>email--"],
        ["5' 7\" tall", "like what? >:(", "a='b' style quotes", "6'-8' long"];
    CALL: SqlInjectionFunctionCalls, "sql-injection-function-calls/call", STRONG, ANYWHERE,
        "A call of a function that queries have.",
        ["extractvalue(1,concat(0x7e,version()))", "1 and load_file('/etc/passwd')", "group_concat(name,0x3a)", "char(65,upper(user()))"],
        ["version (2) is out", "sum(A1:A5)", "Math.max(1, 2)", "call me (later)"];
    CALL_BREAK: SqlInjectionFunctionCalls, "sql-injection-function-calls/call-break", STRONG, ANYWHERE,
        "A function call as an operand behind a broken string.",
        ["a'+upper('x')+'", "x'-(select 1)-'", "b'*ascii(substr(user(),1,1))#"],
        ["the dogs' - (all of them)", "what's max(5, 7)?", "it's f(x) - g(x)"];
    CALL_CUT: SqlInjectionFunctionCalls, "sql-injection-function-calls/cut-off-call", STRONG, VALUES,
        "The name of a database function with an opening bracket and nothing behind it.",
        ["substring(", "ExtractValue(", "md5\\("],
        ["smile :(", "(", "foo("];
    SYSTEM_NAME: SqlInjectionSystemSchemaNames, "sql-injection-system-schema-names/name", STRONG, ANYWHERE,
        "A table or schema of a system catalog where a query would name it.",
        ["x from information_schema.tables", "pg_catalog.pg_user", "1 union select name from sysobjects"],
        ["our information schema", "system tables and chairs", "the catalog"];
    SYSTEM_ALONE: SqlInjectionSystemSchemaNames, "sql-injection-system-schema-names/alone", 3, VALUES,
        "The name of a system catalog and nothing else: tools of databases send it as a name.",
        ["pg_catalog", "information_schema", "sysobjects"],
        ["our information schema", "system tables", "the catalog"];
    SYSTEM_IN_TEXT: SqlInjectionSystemSchemaNames, "sql-injection-system-schema-names/in-text", 2, VALUES,
        "A table or schema of a system catalog inside other text.",
        ["what is information_schema good for", "see the pg_catalog docs", "is sqlite_master a view"],
        ["information about schemas", "catalog of parts", "master of arts"];
    COMMENT_EXECUTED: SqlInjectionSqlComments, "sql-injection-sql-comments/executed", STRONG, ANYWHERE,
        "A comment whose content the server executes.",
        ["1 /*!50000union*/ /*!select*/ 2", "x' /*!or*/ 1='1", "/*!12345select*/ 1"],
        ["/*! normalize.css v8 */", "wow /*! */", "!important"];
    COMMENT_AS_SPACE: SqlInjectionSqlComments, "sql-injection-sql-comments/as-space", STRONG, ANYWHERE,
        "A comment in the place of a space beside a keyword.",
        ["SELECT/*x*/password/**/FROM/**/t", "1/**/or/**/1", "DROP/*c*/sampletable"],
        ["int /* count */ x;", "*/5 * * * *", "see /* here */ and there"];
    COMMENT_IN_WORD: SqlInjectionSqlComments, "sql-injection-sql-comments/in-word", STRONG, ANYWHERE,
        "A keyword that comments split.",
        ["un/**/ion sel/**/ect 1", "1 uni/*x*/on select 2", "DR/**/OP table x"],
        ["src/**/test", "a/*b*/c", "lib/**/*.js"];
    COMMENT_TAIL: SqlInjectionSqlComments, "sql-injection-sql-comments/cut-off", STRONG, ANYWHERE,
        "A broken string behind which a comment cuts the query off.",
        ["admin'--", "admin' #", "root')-- -"],
        ["--", "C# and F#", "the kids' -- who were late -- ran home"];
    BACKTICK_BREAK: SqlInjectionBackticks, "sql-injection-backticks/break", STRONG, VALUES,
        "A query that goes on behind a backtick.",
        ["x` or `a`=`a", "id` union select 1,2#", "`; drop table users-- "],
        ["use `ls` or `dir` here", "`foo`, `bar` and `baz`", "run `a` && `b`"];
    HEX: SqlInjectionHexEncoded, "sql-injection-hex-encoded/literal", STRONG, ANYWHERE,
        "A hexadecimal string where a query would have a value.",
        ["select 0x616263", "concat(0x223e3c62723e,version())", "1;SET @a = X'5345542040747066'"],
        ["0x7ffee4c0", "color 0xFFAA00", "the hash is 0xdeadbeef"];
    CONCATENATION: SqlInjectionStringConcatenation, "sql-injection-string-concatenation/break", STRONG, VALUES,
        "Strings or results joined to a broken string.",
        ["x'||(select pg_sleep(1))||'", "a'||'b", "k'||utl_http.request('x')--"],
        ["'a' || 'b'", "black||white", "foo || bar"];
    DELAY_CALL: SqlInjectionTimeBased, "sql-injection-time-based/call", STRONG, ANYWHERE,
        "A function that makes the server wait.",
        ["1 and sleep(5)", "x';select pg_sleep(10)--", "benchmark(1000000,md5(1))", "x' sleep(20.to_i) '"],
        ["I sleep well!", "sleep(8 hours) and a nap", "await sleep (a lot)", "Benchmark(5) results"];
    DELAY_STATEMENT: SqlInjectionTimeBased, "sql-injection-time-based/statement", STRONG, ANYWHERE,
        "WAITFOR DELAY or WAITFOR TIME.",
        ["1; WAITFOR DELAY '0:0:5'--", "x')waitfor delay'5:0:20'--", "waitfor time '22:00'"],
        ["wait for delay of the train", "waitforit", "delay '0:0:5'"];
    UNION_SELECT: SqlInjectionUnionSelect, "sql-injection-union-select/union", STRONG, ANYWHERE,
        "Rows of another query joined by UNION, INTERSECT or EXCEPT.",
        ["1 union select 1,2,3", "x' UnIoN/**/aLl/**/SeLeCt null--", "-1)union(select(1))", "1e0union select 2"],
        ["union was a great select", "Union members select delegates from each group", "the student union selects", "union select the best"];
    UNION_IN_TEXT: SqlInjectionUnionSelect, "sql-injection-union-select/in-text", 3, VALUES,
        "UNION SELECT inside other text.",
        ["union select committee", "the union select members", "labor union select few"],
        ["union", "select union", "union of selected works"];
    IF_CALL: SqlInjectionIfStatements, "sql-injection-if-statements/call", STRONG, ANYWHERE,
        "IF with a comparison and its two results.",
        ["if(1=1,2,3)", "x' or if(ascii(mid(user(),1,1))>64,1,0)#", "iif(2>1,'a','b')"],
        ["if (a) then b", "if(x == 1) { y(); }", "what if (5 > 3), really"];
    CASE_WHEN: SqlInjectionIfStatements, "sql-injection-if-statements/case", STRONG, ANYWHERE,
        "CASE WHEN with a condition and THEN.",
        ["(case when 1=1 then 2 else 3 end)", "1 and case 5 when 5 then 1 end", "x'||case when user='a' then 1/0 end||'"],
        ["in case when you leave then call", "case closed when done", "a case of beer"];
    CONDITION_FRAGMENT: SqlInjectionIfStatements, "sql-injection-if-statements/fragment", STRONG, VALUES,
        "The middle of a condition between brackets of the query around it.",
        [") like (", ") when 234 then", "x') when 1 then (2"],
        ["(things) I like (most)", "(ok) when then", "like this (one)"];
    CLOSER: SqlInjectionQueryClosers, "sql-injection-query-closers/closer", STRONG, ANYWHERE,
        "A quote that ends the string, and the statement's end behind it.",
        ["admin@example.test';", "x')-- -", "root@example.com'/* c */;"],
        ["'foo';'bar';'def'", "the boys; the girls", "it's ok;"];
    OVERFLOW: SqlInjectionOverflowProbes, "sql-injection-overflow-probes/number", STRONG, VALUES,
        "A number at the edge of a type, sent to make parsers fail.",
        ["2.2250738585072011e-308", "4294967296", "1e309"],
        ["2147483647", "-1", "1e3", "65536"];
    LOGIN_TAUTOLOGY: SqlInjectionLoginBypass, "sql-injection-login-bypass/tautology", STRONG, ANYWHERE,
        "A condition that holds for every row behind a broken string.",
        ["1' or '1'='1", "admin' or 1=1#", "') or true-- "],
        ["O'Brien or O'Neill", "'yes' or 'no'", "it's 50% off or 1 free"];
    LOGIN_COMMENT: SqlInjectionLoginBypass, "sql-injection-login-bypass/comment", STRONG, ANYWHERE,
        "A name with a broken string and a comment that cuts the password check off.",
        ["admin'--", "admin' #", "admin'/*"],
        ["admin -- owner", "Bob's #1 fan", "admin #2"];
}
