//! SQL Server and Access.

use waf_shared::catalog::Leaf;

use super::driver::SUMMARY;
use super::driver::{exception, php};
use crate::field::{Place, Places};
use crate::response_pattern::{leads, spoken};
use crate::rule::{Rule, RuleMatcher, STRONG};

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[&MSSQL, &ACCESS];

static MSSQL: Rule = Rule {
    id: "sql-data-leakage-mssql/error",
    leaf: Leaf::SqlDataLeakageMssql,
    weight: STRONG,
    places: Places::of(&[Place::ResponseBody]),
    matcher: RuleMatcher::Response(&[
        leads("Unclosed quotation mark ", "@ the character string"),
        leads("Incorrect syntax near ", ""),
        leads("[Microsoft][ODBC SQL Server", ""),
        leads("[Microsoft][ODBC Driver ", ""),
        leads("[Microsoft][SQL Server", ""),
        leads("[Microsoft][SQL Native", ""),
        leads("[Microsoft][ODBC Driver Manager]", ""),
        leads("[SQL Server]", ""),
        leads("[SqlException (0x8", ""),
        spoken("Microsoft OLE DB Provider for SQL Server", "~error '8"),
        spoken("Microsoft OLE DB Provider for SQL Server", " (0x8"),
        spoken("Microsoft SQL Native Client", "~error '8"),
        spoken("Microsoft SQL Server Native Client", "~error '8"),
        leads("Conversion failed when converting ", "~ to data type "),
        leads("Syntax error converting the ", "@ value"),
        leads("All queries combined using a UNION", ""),
        leads("Invalid column name '", ""),
        leads("Invalid object name '", ""),
        leads("Must declare the ", "~variable \""),
        leads("Cannot insert duplicate key ", ""),
        leads("String or binary data would be truncated", ""),
        leads("Login failed for user '", ""),
        leads("Cannot open database \"", "~\" requested by the login"),
        leads("Arithmetic overflow error converting ", ""),
        leads("Msg ", "@, Level #"),
        leads("Procedure or function '", "~expects parameter '"),
        php("mssql_"),
        php("sqlsrv_"),
        exception("System.Data.SqlClient.SqlException"),
        exception("Microsoft.Data.SqlClient.SqlException"),
        exception("com.microsoft.sqlserver.jdbc"),
        exception("com.jnetdirect.jsql"),
        exception("macromedia.jdbc.sqlserver"),
        exception("com.internetcds.jdbc.tds"),
        exception("net.sourceforge.jtds."),
        leads("pymssql.", "@: ("),
    ]),
    summary: SUMMARY,
    attacks: &[
        "PHP Warning:  mssql_query(): message: Incorrect syntax near 's'. (severity 15) in /srv/createXML.php on line 375",
        "System.Data.SqlClient.SqlException (0x80131904): Unclosed quotation mark after the character string ''.",
        "<font face=\"Arial\" size=2>Microsoft OLE DB Provider for SQL Server</font> <font face=\"Arial\" size=2>error '80040e14'</font><p>",
        "{\"Message\":\"An error has occurred.\",\"ExceptionMessage\":\"Incorrect syntax near 'x'.\"}",
        "<span><H1>Server Error</H1></span><b> Description: </b><code>x</code> [SqlException (0x80131904): Invalid object name 'Users'.]",
        "Msg 102, Level 15, State 1, Line 1",
    ],
    benign: &[
        "<p>If you see <i>Incorrect syntax near 's'</i>, check that quotes are doubled.</p>",
        "Our team moved the reports from Microsoft SQL Server to another system.",
        "{\"title\":\"Conversion failed when converting the varchar value to data type int\",\"answers\":4}",
        "<a href=\"/t/9\">Login failed for user 'sa'</a>",
    ],
};

static ACCESS: Rule = Rule {
    id: "sql-data-leakage-msaccess/error",
    leaf: Leaf::SqlDataLeakageMsaccess,
    weight: STRONG,
    places: Places::of(&[Place::ResponseBody]),
    matcher: RuleMatcher::Response(&[
        leads("[Microsoft][ODBC Microsoft Access", ""),
        leads("[Microsoft][Microsoft Access", ""),
        spoken("Microsoft JET Database Engine", "~error '8"),
        spoken("Microsoft JET Database Engine", " (0x8"),
        spoken("Microsoft Access Database Engine", "~error '8"),
        spoken("Microsoft OLE DB Provider for ODBC Drivers", "~error '8"),
        leads("Syntax error (missing operator) in query expression ", ""),
        leads("Syntax error in string in query expression ", ""),
        leads("Syntax error in query expression ", ""),
        leads("Syntax error in FROM clause", ""),
        leads("Data type mismatch in criteria expression", ""),
        leads("Too few parameters. Expected ", "#"),
        leads("The Microsoft Jet database engine cannot ", ""),
        leads("[OleDbException (0x8", ""),
        spoken("ADODB.Field", "~error '8"),
        spoken("ADODB.Recordset", "~error '8"),
        exception("System.Data.OleDb.OleDbException"),
    ]),
    summary: SUMMARY,
    attacks: &[
        "[log]: [Microsoft][ODBC Microsoft Access Driver] Syntax error (missing operator) in query expression",
        "<font size=2>Microsoft JET Database Engine</font> <font size=2>error '80040e14'</font>",
        "<p>Syntax error in string in query expression 'id = 1''.</p>",
        "System.Data.OleDb.OleDbException: Data type mismatch in criteria expression.",
    ],
    benign: &[
        "Microsoft JET Database Engine and Access: a history",
        "<p>The message \"Syntax error (missing operator) in query expression\" means that a space is missing.</p>",
        "{\"title\":\"Too few parameters. Expected 1\"}",
    ],
};
