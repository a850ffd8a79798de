//! Oracle, Db2, Informix and Sybase.

use waf_shared::catalog::Leaf;

use super::driver::SUMMARY;
use super::driver::{exception, php};
use crate::field::{Place, Places};
use crate::response_pattern::leads;
use crate::rule::{Rule, RuleMatcher, STRONG};

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[&ORACLE, &DB2, &INFORMIX, &SYBASE];

static ORACLE: Rule = Rule {
    id: "sql-data-leakage-oracle/error",
    leaf: Leaf::SqlDataLeakageOracle,
    weight: STRONG,
    places: Places::of(&[Place::ResponseBody]),
    matcher: RuleMatcher::Response(&[
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
    ]),
    summary: SUMMARY,
    attacks: &[
        "SQL Error: ORA-00933: SQL command not properly ended",
        "<br />\n<b>Warning</b>:  oci_execute(): ORA-01756: quoted string not properly terminated in <b>/srv/www/x.php</b> on line <b>7</b><br />",
        "{\"error\":\"ORA-00942: table or view does not exist\"}",
        "java.sql.SQLException: ORA-01789: query block has incorrect number of result columns",
    ],
    benign: &[
        "{\"title\":\"ORA-00933: SQL command not properly ended\",\"score\":12}",
        "<li><a href=\"/ora-00942\">ORA-00942: table or view does not exist</a></li>",
        "When Oracle raises ORA-01756: quoted string not properly terminated, a quote is missing.",
        "Flight ORA-12345 leaves at noon.",
    ],
};

static DB2: Rule = Rule {
    id: "sql-data-leakage-db2/error",
    leaf: Leaf::SqlDataLeakageDb2,
    weight: STRONG,
    places: Places::of(&[Place::ResponseBody]),
    matcher: RuleMatcher::Response(&[
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
    ]),
    summary: SUMMARY,
    attacks: &[
        "DB2 SQL Error: SQLCODE=-104, SQLSTATE=42601, SQLERRMC=DECLARE",
        "[IBM][CLI Driver][DB2/LINUXX8664] SQL0104N  An unexpected token \"'\" was found following \"x\".  SQLSTATE=42601",
        "com.ibm.db2.jcc.am.SqlSyntaxErrorException: DB2 SQL Error: SQLCODE=-204",
        "{\"message\":\"SQL0204N  \\\"SHOP.USERS\\\" is an undefined name.\"}",
    ],
    benign: &[
        "<p>What does SQLCODE=-104 mean? Read our guide to Db2 codes.</p>",
        "<td><code>SQL0104N  An unexpected token</code></td>",
        "{\"title\":\"DB2 SQL Error: SQLCODE=-204\"}",
    ],
};

static INFORMIX: Rule = Rule {
    id: "sql-data-leakage-informix/error",
    leaf: Leaf::SqlDataLeakageInformix,
    weight: STRONG,
    places: Places::of(&[Place::ResponseBody]),
    matcher: RuleMatcher::Response(&[
        leads("[Informix][Informix ODBC Driver]", ""),
        leads("[Informix]", ""),
        leads("Informix ODBC Driver", ""),
        leads("An illegal character has been found in the statement", ""),
        leads("ISAM error: ", ""),
        leads("SQL error ", "-#~ISAM"),
        php("ifx_"),
        exception("com.informix.jdbc"),
        exception("IBM.Data.Informix"),
    ]),
    summary: SUMMARY,
    attacks: &[
        "[Informix][Informix ODBC Driver][Informix]A syntax error has occurred.",
        "java.sql.SQLException: An illegal character has been found in the statement.",
        "Warning: ifx_prepare(): Prepare fails (E [SQLSTATE=42 000  SQLCODE=-201]) in /srv/x.php on line 3",
        "\tat com.informix.jdbc.IfxSqli.addException(IfxSqli.java:3136)",
    ],
    benign: &[
        "We compare Informix ODBC drivers for Linux.",
        "<code>[Informix][Informix ODBC Driver]</code> stands before every message.",
        "Load the class com.informix.jdbc.IfxDriver first.",
    ],
};

static SYBASE: Rule = Rule {
    id: "sql-data-leakage-sybase/error",
    leaf: Leaf::SqlDataLeakageSybase,
    weight: STRONG,
    places: Places::of(&[Place::ResponseBody]),
    matcher: RuleMatcher::Response(&[
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
    ]),
    summary: SUMMARY,
    attacks: &[
        "Warning: Sybase: Server message: Changed database context to 'shop'. (severity 10, procedure N/A) in list.php on line 10",
        "<b>Warning</b>:  sybase_query(): message: Incorrect syntax near 'x'. (severity 15) in <b>/srv/x.php</b> on line <b>4</b>",
        "com.sybase.jdbc4.jdbc.SybSQLException: Incorrect syntax near '1'.",
        "[Sybase][ODBC Driver][Adaptive Server Enterprise]Incorrect syntax near the keyword 'from'.",
    ],
    benign: &[
        "Sybase messages are listed in the appendix of the manual.",
        "<p>The old sybase_query() function is gone since PHP 7.</p>",
        "Use com.sybase.jdbc4.jdbc.SybDriver as the driver class.",
    ],
};
