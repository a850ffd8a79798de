//! FrontBase, HSQLDB, Ingres, InterBase, MaxDB and Documentum.

use waf_shared::catalog::Leaf;

use super::driver::SUMMARY;
use super::driver::{exception, php};
use crate::field::{Place, Places};
use crate::response_pattern::{checked, leads, spoken};
use crate::rule::{Rule, RuleMatcher, STRONG};

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[&FRONTBASE, &HSQLDB, &INGRES, &INTERBASE, &MAXDB, &DOCUMENTUM];

static FRONTBASE: Rule = Rule {
    id: "sql-data-leakage-frontbase/error",
    leaf: Leaf::SqlDataLeakageFrontbase,
    weight: STRONG,
    places: Places::of(&[Place::ResponseBody]),
    matcher: RuleMatcher::Response(&[
        leads("[FrontBase Inc.]", ""),
        leads("[FrontBase ODBC]", ""),
        leads("Semantic error ", "###. "),
        leads("Syntax error ", "###. "),
        spoken("Exception ", "###. Transaction rollback."),
        leads("Exception condition ", "###. Transaction rollback."),
        php("fbsql_"),
        exception("com.frontbase.jdbc"),
    ]),
    summary: SUMMARY,
    attacks: &[
        "[FrontBase Inc.][FrontBase ODBC]Semantic error 217. Datatypes are not comparable or don't match.",
        "Semantic error 485. Near: SELECT DISTINCT * FROM SALES. Exception 363. Transaction rollback.",
        "Exception condition 358. Transaction rollback.",
    ],
    benign: &[
        "A transaction rollback undoes what was written.",
        "<p>Compilers report a semantic error when types differ.</p>",
        "Exception 404 is not a number we use.",
    ],
};

static HSQLDB: Rule = Rule {
    id: "sql-data-leakage-hsqldb/error",
    leaf: Leaf::SqlDataLeakageHsqldb,
    weight: STRONG,
    places: Places::of(&[Place::ResponseBody]),
    matcher: RuleMatcher::Response(&[
        leads("Unexpected end of command in statement [", ""),
        leads("Unexpected token", "~in statement ["),
        leads("Unexpected token: ", "@ in statement"),
        leads("unexpected token: ", "@ : line: #"),
        leads("unexpected end of statement: ", " line: #"),
        leads("user lacks privilege or object not found: ", "@"),
        exception("org.hsqldb."),
        exception("org.h2.jdbc."),
        leads("Syntax error in SQL statement \"", ""),
    ]),
    summary: SUMMARY,
    attacks: &[
        "org.hsqldb.jdbc.JDBCDataSource: Unexpected token: ' in statement [select ']",
        "java.sql.SQLException: Unexpected end of command in statement [select * from t where id=']",
        "\tat org.hsqldb.jdbc.JDBCUtil.sqlException(JDBCUtil.java:376)",
        "{\"message\":\"user lacks privilege or object not found: PASSWD\"}",
        "org.h2.jdbc.JdbcSQLSyntaxErrorException: Table \"USERS\" not found; SQL statement:",
    ],
    benign: &[
        "Set the driver to org.hsqldb.jdbc.JDBCDriver in your properties file.",
        "<pre class=\"language-java\">Class.forName(\"org.hsqldb.jdbcDriver\");</pre>",
        "The parser reports an unexpected token when a brace is missing.",
    ],
};

static INGRES: Rule = Rule {
    id: "sql-data-leakage-ingres/error",
    leaf: Leaf::SqlDataLeakageIngres,
    weight: STRONG,
    places: Places::of(&[Place::ResponseBody]),
    matcher: RuleMatcher::Response(&[
        leads("[Ingres ODBC Driver]", ""),
        leads("[Actian][Ingres", ""),
        leads("[Actian][Actian", ""),
        leads("[CA][Ingres", ""),
        leads("[Ingres]", ""),
        leads("Ingres SQLSTATE", ""),
        leads("E_US", "####~"),
        php("ingres_"),
        exception("com.ingres.gcf.jdbc"),
        exception("Ingres.Client."),
    ]),
    summary: SUMMARY,
    attacks: &[
        "[5000A] [Actian][Ingres ODBC Driver][Ingres]Delimited identifier starting with '' contains no valid characters. (6692)",
        "Warning: ingres_query(): Ingres II: unable to run query in /srv/www/x.php on line 5",
        "Ingres SQLSTATE 42500: E_US0834 line 1, Table 'x' does not exist",
    ],
    benign: &[
        "Jean Auguste Dominique Ingres painted La Grande Odalisque.",
        "<p>Install the [Ingres ODBC Driver] from the vendor's page.</p>",
        "Ingres tables can be partitioned by hash.",
    ],
};

static INTERBASE: Rule = Rule {
    id: "sql-data-leakage-interbase/error",
    leaf: Leaf::SqlDataLeakageInterbase,
    weight: STRONG,
    places: Places::of(&[Place::ResponseBody]),
    matcher: RuleMatcher::Response(&[
        leads("Unexpected end of command in statement", ""),
        leads("<InterBase>", ""),
        php("ibase_"),
        exception("interbase.interclient."),
    ]),
    summary: SUMMARY,
    attacks: &[
        "Unexpected end of command in statement [SELECT * FROM INTO WHERE 'place'='x'].",
        "<b>Warning</b>:  ibase_query(): Dynamic SQL Error SQL error code = -104 in <b>/srv/x.php</b> on line <b>12</b>",
        "interbase.interclient.SQLException: [interclient] syntax error",
    ],
    benign: &[
        "<p>ibase_query() runs a statement on an InterBase database.</p>",
        "What the unexpected end of a command in a statement tells you",
        "Delphi 12 ships with InterBase.",
    ],
};

static MAXDB: Rule = Rule {
    id: "sql-data-leakage-maxdb/error",
    leaf: Leaf::SqlDataLeakageMaxdb,
    weight: STRONG,
    places: Places::of(&[Place::ResponseBody]),
    matcher: RuleMatcher::Response(&[
        php("maxdb_"),
        leads("[SAP AG][SQLOD32 DLL]", ""),
        leads("[SAP AG][LIBSQLOD", ""),
        leads("SQL error", "~POS(#"),
        checked("POS(", "#", follows_a_code),
        exception("com.sap.dbtech.jdbc"),
        exception("com.sap.db.jdbc"),
        leads("SAP DBTech JDBC: [", "#"),
    ]),
    summary: SUMMARY,
    attacks: &[
        "Warning: maxdb_query(): -8004 POS(62) Constant must be compatible with column type and length",
        "Error: -5016 POS(8) Missing delimiter: )",
        "com.sap.db.jdbc.exceptions.JDBCDriverException: SAP DBTech JDBC: [257]: sql syntax error: incorrect syntax near \"'\"",
    ],
    benign: &[
        "The POS(1) terminal prints receipts.",
        "<p>maxdb_query() was part of PHP 5.</p>",
        "MaxDB is SAP's relational database.",
    ],
};

/// Whether a negative number stands before the position: `-8004 POS(62)`.
fn follows_a_code(context: &crate::response_pattern::MatchContext<'_>) -> bool {
    let before = context.before();
    let trimmed = before.trim_ascii_end();
    let digits = trimmed.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let code = trimmed.get(..trimmed.len() - digits).unwrap_or_default();
    (3..=5).contains(&digits) && code.ends_with(b"-") && {
        let back = before.len() + 1 - code.len();
        context.is_spoken() && context.back(back).leads()
    }
}

static DOCUMENTUM: Rule = Rule {
    id: "sql-data-leakage-emc/error",
    leaf: Leaf::SqlDataLeakageEmc,
    weight: STRONG,
    places: Places::of(&[Place::ResponseBody]),
    matcher: RuleMatcher::Response(&[
        leads("[DM_QUERY", ""),
        leads("[DM_", "@]error:"),
        leads("DM_QUERY_E_", "@"),
        spoken("has occurred in the vicinity of:", ""),
        exception("com.documentum.fc."),
    ]),
    summary: SUMMARY,
    attacks: &[
        "[DM_QUERY_E_SYNTAX]error:  \"A Parser Error (syntax error) has occurred in the vicinity of:  select * from dm_folder where folder in\"",
        "DfException:: THREAD: http-1; MSG: [DM_QUERY_E_NOT_ATTRIBUTE]error:  \"You have specified an invalid attribute name (x).\"",
        "com.documentum.fc.common.DfException: [DM_QUERY2_E_UNRECOGNIZED_ATTRIBUTE]",
    ],
    benign: &[
        "An accident occurred in the vicinity of the station.",
        "<td><code>[DM_QUERY_E_SYNTAX]</code></td><td>The statement cannot be parsed.</td>",
        "Documentum queries are written in DQL.",
    ],
};
