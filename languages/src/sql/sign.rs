//! The signs of SQL in a value.

/// A thing that a query, or a fragment of one, does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SqlSign {
    /// A second statement behind a semicolon or a broken string.
    Stacked,
    /// The value is a complete query that reads credentials, variables or catalogs of the server, or cuts off what follows it.
    Statement,
    /// The value is a complete query and nothing else: a search for one reads the same.
    BareQuery,
    /// A query in parentheses or as an operand.
    Subquery,
    /// A query or a statement inside other text.
    QueryInText,
    /// ORDER BY, HAVING, WHERE or LIMIT as the continuation of a query.
    Clause,
    /// Reading or writing a file of the database server.
    File,
    /// Further values of a list and its end behind a broken string.
    ValueList,
    /// A condition joined by AND, OR or their like behind a broken string.
    BooleanBreak,
    /// A condition joined by AND, OR or their like to a number or a bare value.
    BooleanOnValue,
    /// A comparison or arithmetic directly behind a broken string.
    ComparisonBreak,
    /// A call of a function that queries have.
    Call,
    /// A function call as an operand behind a broken string.
    CallBreak,
    /// The name of a database function with an opening bracket and nothing behind it.
    CallCut,
    /// A table or schema of a system catalog where a query would name it.
    SystemName,
    /// The name of a system catalog and nothing else: tools of databases send it as a name.
    SystemAlone,
    /// A table or schema of a system catalog inside other text.
    SystemInText,
    /// A comment whose content the server executes.
    CommentExecuted,
    /// A comment in the place of a space beside a keyword.
    CommentAsSpace,
    /// A keyword that comments split.
    CommentInWord,
    /// A broken string behind which a comment cuts the query off.
    CommentTail,
    /// A query that goes on behind a backtick.
    BacktickBreak,
    /// A hexadecimal string where a query would have a value.
    Hex,
    /// Strings or results joined to a broken string.
    Concatenation,
    /// A function that makes the server wait.
    DelayCall,
    /// WAITFOR DELAY or WAITFOR TIME.
    DelayStatement,
    /// Rows of another query joined by UNION, INTERSECT or EXCEPT.
    UnionSelect,
    /// UNION SELECT inside other text.
    UnionInText,
    /// IF with a comparison and its two results.
    IfCall,
    /// CASE WHEN with a condition and THEN.
    CaseWhen,
    /// The middle of a condition between brackets of the query around it.
    ConditionFragment,
    /// A quote that ends the string, and the statement's end behind it.
    Closer,
    /// A number at the edge of a type, sent to make parsers fail.
    Overflow,
    /// A condition that holds for every row behind a broken string.
    LoginTautology,
    /// A name with a broken string and a comment that cuts the password check off.
    LoginComment,
    /// A procedure or a string executed as SQL Server does.
    MssqlExec,
    /// A variable declared as SQL Server does.
    MssqlDeclare,
    /// A stored procedure of the server.
    StoredCall,
    /// PROCEDURE ANALYSE, which leaks names and errors.
    ProcedureAnalyse,
    /// A cast by two colons, which makes PostgreSQL show a value in an error.
    TypeCast,
    /// An operator of a document database as a key.
    DocumentName,
    /// An operator of a document database in an object that is pasted into a value.
    DocumentValue,
    /// Script for the JavaScript engine of a document database.
    DocumentScript,
    /// A JSON operator of a database between values.
    JsonOperator,
    /// A number in scientific notation that hides what it is glued to.
    Exponent,
    /// A quote with an operator or a keyword behind it.
    Aggressive,
    /// More punctuation than everyday values have.
    Density,
    /// A comparison of two constants.
    AlwaysTrue,
    /// A keyword that begins a statement behind a semicolon.
    MultipleStatements,
    /// AND, OR or their like behind an odd number of quotes.
    QuoteInText,
}
