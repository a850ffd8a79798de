//! MySQL and MariaDB, PostgreSQL, SQLite, Firebird, HSQLDB and H2.

use waf_shared::catalog::Leaf;

use super::driver::SUMMARY;
use super::driver::{exception, php};
use crate::field::{Place, Places};
use crate::response_pattern::MatchContext;
use crate::response_pattern::{checked, leads, spoken};
use crate::rule::{Rule, RuleMatcher, STRONG};

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[&MYSQL, &POSTGRES, &SQLITE, &FIREBIRD];

static MYSQL: Rule = Rule {
    id: "sql-data-leakage-mysql/error",
    leaf: Leaf::SqlDataLeakageMysql,
    weight: STRONG,
    places: Places::of(&[Place::ResponseBody]),
    matcher: RuleMatcher::Response(&[
        spoken("You have an error in your SQL syntax", "~near '"),
        spoken("You have an error in your SQL syntax", "~near &#"),
        leads("You have an error in your SQL syntax", ""),
        leads("ERROR ", "#### (@)"),
        leads("SQLSTATE[", "@]~: 1### "),
        leads("SQLSTATE[", "@] [1###]"),
        leads("SQLSTATE[", "@] [2###]"),
        leads("Unknown column '", "~' in '"),
        leads("Unknown column &#039;", "~&#039; in "),
        leads("Table '", "~' doesn't exist"),
        leads("Duplicate entry '", "~' for key "),
        leads("Access denied for user '", "~@"),
        leads("The used SELECT statements have a different number of columns", ""),
        leads("Column count doesn't match value count at row #", ""),
        leads("Operand should contain # column", ""),
        leads("XPATH syntax error: '", ""),
        leads("Truncated incorrect DOUBLE value: '", ""),
        leads("Illegal mix of collations (", ""),
        leads("Incorrect integer value: '", "~ for column "),
        leads("Subquery returns more than 1 row", ""),
        leads("MySQL server has gone away", ""),
        leads("Lost connection to MySQL server", ""),
        leads("Can't connect to local MySQL server through socket", ""),
        leads("Can't connect to MySQL server on '", ""),
        leads("(1064, ", ""),
        leads("supplied argument is not a valid MySQL", ""),
        leads("ER_PARSE_ERROR: ", ""),
        leads("ER_BAD_FIELD_ERROR: ", ""),
        leads("Error 1064", ""),
        leads("Error 1054", ""),
        php("mysql_"),
        php("mysqli_"),
        php("mysqli::"),
        php("mysqli_result::"),
        php("msql_"),
        exception("com.mysql."),
        exception("org.mariadb.jdbc"),
        exception("mysqli_sql_exception"),
        exception("MySql.Data.MySqlClient.MySqlException"),
        exception("MySqlConnector.MySqlException"),
        exception("MySQLdb."),
        exception("_mysql_exceptions."),
        exception("pymysql.err."),
        exception("java.sql.SQLSyntaxErrorException"),
        leads("Mysql2::Error: ", ""),
    ]),
    summary: SUMMARY,
    attacks: &[
        "ERROR 1772 (HY000): Malformed GTID set specification 'secret'.",
        "<br />\n<b>Warning</b>:  mysqli_fetch_array() expects parameter 1 to be mysqli_result, boolean given in <b>/srv/www/list.php</b> on line <b>14</b><br />\n",
        "<html><body><pre>You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near ''1''' at line 1</pre></body></html>",
        "{\"status\":\"error\",\"message\":\"SQLSTATE[42S22]: Column not found: 1054 Unknown column 'x' in 'where clause'\"}",
        "<div class=error>Unknown column 'passwd' in 'field list'</div>",
        "com.mysql.cj.jdbc.exceptions.CommunicationsException: Communications link failure",
    ],
    benign: &[
        "<article><h1>Fixing SQL errors</h1><p>When MySQL says <code>You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near ''1'' at line 1</code>, look at the quotes.</p></article>",
        "{\"items\":[{\"title\":\"You have an error in your SQL syntax near 'order'\",\"tags\":[\"mysql\"]}]}",
        "<ul><li><a href=\"/q/1\">Unknown column 'id' in 'field list'</a></li></ul>",
        "I keep getting ERROR 1064 (42000) when I run the import, any idea?",
        "<p>Functions such as mysql_query() and mysqli_fetch_array() are described below.</p>",
        "mysqldump writes a table's rows as INSERT statements.",
    ],
};

static POSTGRES: Rule = Rule {
    id: "sql-data-leakage-postgres/error",
    leaf: Leaf::SqlDataLeakagePostgres,
    weight: STRONG,
    places: Places::of(&[Place::ResponseBody]),
    matcher: RuleMatcher::Response(&[
        checked("ERROR:  ", "", is_postgres_message),
        checked("ERROR: ", "", is_postgres_message),
        checked("FATAL:  ", "", is_postgres_message),
        checked("FATAL: ", "", is_postgres_message),
        leads("SQLSTATE[", "@]~: 7 ERROR:"),
        leads("SQLSTATE[", "@] [7]"),
        leads("unterminated quoted string at or near \"", ""),
        leads("syntax error at or near \"", ""),
        leads("syntax error at or near &quot;", ""),
        leads("invalid input syntax for ", "~: "),
        leads("PG::", "@: ERROR"),
        leads("pq: ", "~ at or near \""),
        leads("pq: ", "~ does not exist"),
        leads("pq: ", "password authentication failed"),
        leads("supplied argument is not a valid PostgreSQL", ""),
        php("pg_"),
        exception("org.postgresql."),
        exception("Npgsql."),
        exception("psycopg2.errors."),
        exception("psycopg2."),
        exception("psycopg.errors."),
        exception("asyncpg.exceptions."),
    ]),
    summary: SUMMARY,
    attacks: &[
        "ERROR:  invalid input syntax for integer: \"x\"",
        "<pre>ERROR:  unterminated quoted string at or near \"'\"\nLINE 1: select 1 '\n                 ^</pre>",
        "Warning: pg_query(): supplied argument is not a valid PostgreSQL link resource in /var/www/handler.php on line 56",
        "{\"error\":\"pq: syntax error at or near \\\"union\\\"\"}",
        "org.postgresql.util.PSQLException: ERROR: relation \"users\" does not exist",
    ],
    benign: &[
        "ERROR: the job failed because the disk is full",
        "<p>PostgreSQL answers <code>ERROR:  syntax error at or near \"select\"</code> when a comma is missing.</p>",
        "{\"title\":\"ERROR: relation \\\"users\\\" does not exist\",\"votes\":3}",
        "Install with: pip install psycopg2",
    ],
};

/// Whether what follows the severity is one of the server's own sentences.
fn is_postgres_message(context: &MatchContext<'_>) -> bool {
    const BEGINNINGS: &[&str] = &[
        "syntax error at ",
        "unterminated quoted ",
        "invalid input syntax for ",
        "invalid input value for ",
        "invalid byte sequence for encoding",
        "operator does not exist: ",
        "each UNION query must have ",
        "UNION types ",
        "duplicate key value violates ",
        "permission denied for ",
        "current transaction is aborted",
        "argument of ",
        "more than one row returned by a subquery",
        "null value in column ",
        "value too long for type ",
        "missing FROM-clause entry for ",
        "password authentication failed for ",
        "no pg_hba.conf entry for ",
        "cannot cast type ",
        "insert or update on table ",
        "zero-length delimited identifier",
        "subquery in FROM must have an alias",
    ];
    const OBJECTS: &[&str] =
        &["column ", "relation ", "function ", "database ", "role ", "schema ", "type ", "table "];
    let text = context.after();
    let text = text.split(|byte| *byte == b':').nth(1).map_or(&[][..], |_| {
        let at = memchr::memchr(b':', text).map_or(0, |at| at + 1);
        text.get(at..).unwrap_or_default().trim_ascii_start()
    });
    let line = text.split(|byte| matches!(byte, b'\n' | b'<')).next().unwrap_or_default();
    let begins = BEGINNINGS.iter().any(|begin| line.starts_with(begin.as_bytes()));
    let missing = OBJECTS.iter().any(|object| line.starts_with(object.as_bytes()))
        && (has(line, b"does not exist")
            || has(line, b" is ambiguous")
            || has(line, b"must appear in the GROUP BY"));
    (begins || missing) && context.leads()
}

fn has(text: &[u8], words: &[u8]) -> bool {
    memchr::memmem::find(text, words).is_some()
}

static SQLITE: Rule = Rule {
    id: "sql-data-leakage-sqlite/error",
    leaf: Leaf::SqlDataLeakageSqlite,
    weight: STRONG,
    places: Places::of(&[Place::ResponseBody]),
    matcher: RuleMatcher::Response(&[
        leads("SQLITE_ERROR: ", ""),
        leads("SQLITE_CONSTRAINT", "~: "),
        leads("[SQLITE_ERROR]", ""),
        leads("SQLite error ", "#"),
        leads("SQLite Error ", "#"),
        leads("SQLSTATE[", "@]: General error: # "),
        leads("sqlite3.OperationalError: ", ""),
        leads("sqlite3.IntegrityError: ", ""),
        leads("sqlite3.ProgrammingError: ", ""),
        leads("sqlite3.Warning: ", ""),
        leads("SQLite3::SQLException: ", ""),
        leads("(sqlite3.OperationalError)", ""),
        leads("unrecognized token: \"", ""),
        leads("near \"", "@\": syntax error"),
        leads("near &quot;", "@&quot;: syntax error"),
        leads("no such column: ", "@"),
        leads("no such table: ", "@"),
        leads("SQL logic error", ""),
        leads("SELECTs to the left and right of UNION ", "do not have"),
        php("sqlite_"),
        php("SQLite3::"),
        php("SQLiteDatabase::"),
        exception("System.Data.SQLite.SQLiteException"),
        exception("Microsoft.Data.Sqlite.SqliteException"),
        exception("org.sqlite."),
        exception("android.database.sqlite."),
        leads("SQLite.Exception", ""),
        leads("SQLite/JDBCDriver", ""),
    ]),
    summary: SUMMARY,
    attacks: &[
        "Warning: SQLite3::query() [sqlite3.query]: 1 values for 2 columns in /srv/product.php on line 94",
        "sqlite3.OperationalError: near \"'\": syntax error",
        "{\"errno\":1,\"code\":\"SQLITE_ERROR\",\"message\":\"SQLITE_ERROR: unrecognized token: \\\"'\\\"\"}",
        "<body>no such table: users</body>",
        "System.Data.SQLite.SQLiteException (0x800007BF): SQL logic error",
    ],
    benign: &[
        "SQLite is a small library; its tables live in one file.",
        "<p>The call raises <code>sqlite3.OperationalError: database is locked</code> when two writers meet.</p>",
        "{\"subject\":\"sqlite3.OperationalError: no such table\",\"body\":\"How do I fix this?\"}",
        "There is no such column in our newspaper.",
    ],
};

static FIREBIRD: Rule = Rule {
    id: "sql-data-leakage-firebird/error",
    leaf: Leaf::SqlDataLeakageFirebird,
    weight: STRONG,
    places: Places::of(&[Place::ResponseBody]),
    matcher: RuleMatcher::Response(&[
        leads("Dynamic SQL Error", ""),
        leads("SQL error code = -", "#"),
        spoken("Unexpected end of command - line ", "#"),
        leads("isc_dsql_", "@"),
        leads("ISC ERROR CODE:", ""),
        php("fbird_"),
        exception("org.firebirdsql."),
        exception("FirebirdSql."),
        leads("GDS Exception. ", "###"),
    ]),
    summary: SUMMARY,
    attacks: &[
        "Dynamic SQL Error",
        "<b>Database error:</b> Dynamic SQL Error<br>SQL error code = -104<br>Token unknown - line 1, column 40",
        "org.firebirdsql.jdbc.FBSQLException: GDS Exception. 335544569. Dynamic SQL Error",
        "{\"message\":\"Dynamic SQL Error\\nSQL error code = -206\"}",
    ],
    benign: &[
        "<p>How we got rid of the Dynamic SQL Error in our reports</p>",
        "Writing dynamic SQL: errors and how to handle them.",
        "{\"title\":\"Dynamic SQL Error -104\"}",
    ],
};
