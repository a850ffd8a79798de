//! Oracle, Db2, Informix, Sybase, FrontBase, Ingres, InterBase, MaxDB and Documentum.

use waf_shared::catalog::Leaf;

use super::driver::{exception, php};
use super::rule;
use crate::response::pattern::{checked, leads, spoken};
use crate::rule::Rule;

pub(super) static ORACLE: Rule = rule(
    "sql-data-leakage-oracle/error",
    Leaf::SqlDataLeakageOracle,
    &[
        leads("ORA-", "#####: "),
        leads("ORA-", "##### <"),
        leads("PLS-", "#####: "),
        leads("TNS-", "#####: "),
        leads("SQLSTATE[", "@]~ORA-#####"),
        leads("Oracle error", ":"),
        leads("Microsoft OLE DB Provider for Oracle", ""),
        leads("[Oracle][ODBC", ""),
        leads("[Microsoft][ODBC driver for Oracle]", ""),
        leads("quoted string not properly terminated", ""),
        leads("SQL command not properly ended", ""),
        php("oci_"),
        php("ora_"),
        php("OCI"),
        exception("oracle.jdbc."),
        exception("oracle.net.ns."),
        exception("Oracle.DataAccess.Client."),
        exception("Oracle.ManagedDataAccess.Client."),
        exception("cx_Oracle."),
        exception("oracledb."),
        leads("OCIError: ", ""),
    ],
    &[
        "SQL Error: ORA-00933: SQL command not properly ended",
        "<br />\n<b>Warning</b>:  oci_execute(): ORA-01756: quoted string not properly terminated in <b>/srv/www/x.php</b> on line <b>7</b><br />",
        "{\"error\":\"ORA-00942: table or view does not exist\"}",
        "java.sql.SQLException: ORA-01789: query block has incorrect number of result columns",
    ],
    &[
        "{\"title\":\"ORA-00933: SQL command not properly ended\",\"score\":12}",
        "<li><a href=\"/ora-00942\">ORA-00942: table or view does not exist</a></li>",
        "When Oracle raises ORA-01756: quoted string not properly terminated, a quote is missing.",
        "Flight ORA-12345 leaves at noon.",
    ],
);

pub(super) static DB2: Rule = rule(
    "sql-data-leakage-db2/error",
    Leaf::SqlDataLeakageDb2,
    &[
        leads("DB2 SQL Error: ", ""),
        leads("DB2 SQL error: ", ""),
        leads("SQLCODE=-", "#~SQLSTATE="),
        leads("SQLCODE: -", "#~SQLSTATE: "),
        leads("SQLCODE = -", "#~ERROR: "),
        leads("[IBM][CLI Driver", ""),
        leads("[IBM][System i Access", ""),
        leads("[IBM][iSeries Access", ""),
        leads("[CLI Driver][DB2", ""),
        leads("SQL0", "###N "),
        leads("SQL1", "###N "),
        leads("An unexpected token \"", "~ was found following \""),
        php("db2_"),
        exception("com.ibm.db2.jcc"),
        exception("com.ibm.as400.access"),
        exception("IBM.Data.DB2"),
    ],
    &[
        "DB2 SQL Error: SQLCODE=-104, SQLSTATE=42601, SQLERRMC=DECLARE",
        "[IBM][CLI Driver][DB2/LINUXX8664] SQL0104N  An unexpected token \"'\" was found following \"x\".  SQLSTATE=42601",
        "com.ibm.db2.jcc.am.SqlSyntaxErrorException: DB2 SQL Error: SQLCODE=-204",
        "{\"message\":\"SQL0204N  \\\"SHOP.USERS\\\" is an undefined name.\"}",
    ],
    &[
        "<p>What does SQLCODE=-104 mean? Read our guide to Db2 codes.</p>",
        "<td><code>SQL0104N  An unexpected token</code></td>",
        "{\"title\":\"DB2 SQL Error: SQLCODE=-204\"}",
    ],
);

pub(super) static INFORMIX: Rule = rule(
    "sql-data-leakage-informix/error",
    Leaf::SqlDataLeakageInformix,
    &[
        leads("[Informix][Informix ODBC Driver]", ""),
        leads("[Informix]", ""),
        leads("Informix ODBC Driver", ""),
        leads("An illegal character has been found in the statement", ""),
        leads("ISAM error: ", ""),
        leads("SQL error ", "-#~ISAM"),
        php("ifx_"),
        exception("com.informix.jdbc"),
        exception("IBM.Data.Informix"),
    ],
    &[
        "[Informix][Informix ODBC Driver][Informix]A syntax error has occurred.",
        "java.sql.SQLException: An illegal character has been found in the statement.",
        "Warning: ifx_prepare(): Prepare fails (E [SQLSTATE=42 000  SQLCODE=-201]) in /srv/x.php on line 3",
        "\tat com.informix.jdbc.IfxSqli.addException(IfxSqli.java:3136)",
    ],
    &[
        "We compare Informix ODBC drivers for Linux.",
        "<code>[Informix][Informix ODBC Driver]</code> stands before every message.",
        "Load the class com.informix.jdbc.IfxDriver first.",
    ],
);

pub(super) static SYBASE: Rule = rule(
    "sql-data-leakage-sybase/error",
    Leaf::SqlDataLeakageSybase,
    &[
        leads("Sybase: Server message", ""),
        leads("Sybase message: ", ""),
        leads("Sybase message", " ### ("),
        leads("[Sybase][ODBC", ""),
        leads("[Sybase][JDBC", ""),
        leads("[Sybase][OLEDB", ""),
        leads("[Sybase]", "[Adaptive"),
        leads("SybSQLException", ""),
        leads("[SQL Anywhere]", ""),
        php("sybase_"),
        exception("com.sybase.jdbc"),
        exception("Sybase.Data.AseClient."),
        leads("Sybase.Data.", "@: "),
    ],
    &[
        "Warning: Sybase: Server message: Changed database context to 'shop'. (severity 10, procedure N/A) in list.php on line 10",
        "<b>Warning</b>:  sybase_query(): message: Incorrect syntax near 'x'. (severity 15) in <b>/srv/x.php</b> on line <b>4</b>",
        "com.sybase.jdbc4.jdbc.SybSQLException: Incorrect syntax near '1'.",
        "[Sybase][ODBC Driver][Adaptive Server Enterprise]Incorrect syntax near the keyword 'from'.",
    ],
    &[
        "Sybase messages are listed in the appendix of the manual.",
        "<p>The old sybase_query() function is gone since PHP 7.</p>",
        "Use com.sybase.jdbc4.jdbc.SybDriver as the driver class.",
    ],
);

pub(super) static FRONTBASE: Rule = rule(
    "sql-data-leakage-frontbase/error",
    Leaf::SqlDataLeakageFrontbase,
    &[
        leads("[FrontBase Inc.]", ""),
        leads("[FrontBase ODBC]", ""),
        leads("Semantic error ", "###. "),
        leads("Syntax error ", "###. "),
        spoken("Exception ", "###. Transaction rollback."),
        leads("Exception condition ", "###. Transaction rollback."),
        php("fbsql_"),
        exception("com.frontbase.jdbc"),
    ],
    &[
        "[FrontBase Inc.][FrontBase ODBC]Semantic error 217. Datatypes are not comparable or don't match.",
        "Semantic error 485. Near: SELECT DISTINCT * FROM SALES. Exception 363. Transaction rollback.",
        "Exception condition 358. Transaction rollback.",
    ],
    &[
        "A transaction rollback undoes what was written.",
        "<p>Compilers report a semantic error when types differ.</p>",
        "Exception 404 is not a number we use.",
    ],
);

pub(super) static INGRES: Rule = rule(
    "sql-data-leakage-ingres/error",
    Leaf::SqlDataLeakageIngres,
    &[
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
    ],
    &[
        "[5000A] [Actian][Ingres ODBC Driver][Ingres]Delimited identifier starting with '' contains no valid characters. (6692)",
        "Warning: ingres_query(): Ingres II: unable to run query in /srv/www/x.php on line 5",
        "Ingres SQLSTATE 42500: E_US0834 line 1, Table 'x' does not exist",
    ],
    &[
        "Jean Auguste Dominique Ingres painted La Grande Odalisque.",
        "<p>Install the [Ingres ODBC Driver] from the vendor's page.</p>",
        "Ingres tables can be partitioned by hash.",
    ],
);

pub(super) static INTERBASE: Rule = rule(
    "sql-data-leakage-interbase/error",
    Leaf::SqlDataLeakageInterbase,
    &[
        leads("Unexpected end of command in statement", ""),
        leads("<InterBase>", ""),
        php("ibase_"),
        exception("interbase.interclient."),
    ],
    &[
        "Unexpected end of command in statement [SELECT * FROM INTO WHERE 'place'='x'].",
        "<b>Warning</b>:  ibase_query(): Dynamic SQL Error SQL error code = -104 in <b>/srv/x.php</b> on line <b>12</b>",
        "interbase.interclient.SQLException: [interclient] syntax error",
    ],
    &[
        "<p>ibase_query() runs a statement on an InterBase database.</p>",
        "What the unexpected end of a command in a statement tells you",
        "Delphi 12 ships with InterBase.",
    ],
);

pub(super) static MAXDB: Rule = rule(
    "sql-data-leakage-maxdb/error",
    Leaf::SqlDataLeakageMaxdb,
    &[
        php("maxdb_"),
        leads("[SAP AG][SQLOD32 DLL]", ""),
        leads("[SAP AG][LIBSQLOD", ""),
        leads("SQL error", "~POS(#"),
        checked("POS(", "#", follows_a_code),
        exception("com.sap.dbtech.jdbc"),
        exception("com.sap.db.jdbc"),
        leads("SAP DBTech JDBC: [", "#"),
    ],
    &[
        "Warning: maxdb_query(): -8004 POS(62) Constant must be compatible with column type and length",
        "Error: -5016 POS(8) Missing delimiter: )",
        "com.sap.db.jdbc.exceptions.JDBCDriverException: SAP DBTech JDBC: [257]: sql syntax error: incorrect syntax near \"'\"",
    ],
    &[
        "The POS(1) terminal prints receipts.",
        "<p>maxdb_query() was part of PHP 5.</p>",
        "MaxDB is SAP's relational database.",
    ],
);

/// Whether a negative number stands before the position: `-8004 POS(62)`.
fn follows_a_code(context: &crate::response::MatchContext<'_>) -> bool {
    let before = context.before();
    let trimmed = before.trim_ascii_end();
    let digits = trimmed.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let code = trimmed.get(..trimmed.len() - digits).unwrap_or_default();
    (3..=5).contains(&digits) && code.ends_with(b"-") && {
        let back = before.len() + 1 - code.len();
        context.is_spoken() && context.back(back).leads()
    }
}

pub(super) static DOCUMENTUM: Rule = rule(
    "sql-data-leakage-emc/error",
    Leaf::SqlDataLeakageEmc,
    &[
        leads("[DM_QUERY", ""),
        leads("[DM_", "@]error:"),
        leads("DM_QUERY_E_", "@"),
        spoken("has occurred in the vicinity of:", ""),
        exception("com.documentum.fc."),
    ],
    &[
        "[DM_QUERY_E_SYNTAX]error:  \"A Parser Error (syntax error) has occurred in the vicinity of:  select * from dm_folder where folder in\"",
        "DfException:: THREAD: http-1; MSG: [DM_QUERY_E_NOT_ATTRIBUTE]error:  \"You have specified an invalid attribute name (x).\"",
        "com.documentum.fc.common.DfException: [DM_QUERY2_E_UNRECOGNIZED_ATTRIBUTE]",
    ],
    &[
        "An accident occurred in the vicinity of the station.",
        "<td><code>[DM_QUERY_E_SYNTAX]</code></td><td>The statement cannot be parsed.</td>",
        "Documentum queries are written in DQL.",
    ],
);
