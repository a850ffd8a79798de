//! The vocabulary: which words mean something to an SQL engine and what role they play. It knows single words
//! only; how they follow one another is the grammar's business.

use std::sync::LazyLock;

use crate::table::Table;

/// Role of a word. `Plain` is everything that is not in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// An identifier or a word of prose.
    Plain,
    /// An article or pronoun of English prose: it never stands in a query.
    Prose,
    /// `AND`.
    And,
    /// `OR`, `XOR`.
    Or,
    /// `NOT`.
    Not,
    /// `LIKE`, `RLIKE`, `REGEXP`, `GLOB`, `ILIKE`, `MATCH`, `SIMILAR`, `SOUNDS`.
    Like,
    /// `BETWEEN`.
    Between,
    /// `IN`.
    In,
    /// `IS`.
    Is,
    /// `ISNULL`, `NOTNULL`.
    PostfixNull,
    /// `NULL`, `TRUE`, `FALSE`.
    Literal,
    /// `UNION`, `INTERSECT`, `EXCEPT`, `MINUS`.
    Union,
    /// `ALL`, `ANY`, `SOME`.
    All,
    /// `DISTINCT`, `DISTINCTROW`.
    Distinct,
    /// `SELECT`.
    Select,
    /// `FROM`.
    From,
    /// `WHERE`.
    Where,
    /// `GROUP`, `ORDER`.
    Order,
    /// `BY`.
    By,
    /// `HAVING`.
    Having,
    /// `LIMIT`, `OFFSET`, `FETCH`.
    Limit,
    /// `INTO`.
    Into,
    /// `OUTFILE`, `DUMPFILE`.
    Outfile,
    /// `INSERT`, `REPLACE`, `MERGE`.
    Insert,
    /// `UPDATE`.
    Update,
    /// `DELETE`.
    Delete,
    /// `DROP`.
    Drop,
    /// `CREATE`, `ALTER`, `RENAME`.
    Create,
    /// `TRUNCATE`.
    Truncate,
    /// `TABLE`, `DATABASE`, `VIEW` and the other kinds of things that a schema holds.
    Object,
    /// `SET`.
    Set,
    /// `VALUES`.
    Values,
    /// `EXEC`, `EXECUTE`, `CALL`.
    Exec,
    /// `IMMEDIATE`.
    Immediate,
    /// `DECLARE`.
    Declare,
    /// `WAITFOR`.
    Waitfor,
    /// `DELAY`.
    Delay,
    /// `IF`, `IIF`.
    If,
    /// `CASE`.
    Case,
    /// `WHEN`.
    When,
    /// `THEN`.
    Then,
    /// `ELSE`.
    Else,
    /// `END`.
    End,
    /// `EXISTS`.
    Exists,
    /// `AS`.
    As,
    /// `DIV`, `MOD`.
    Arithmetic,
    /// `PROCEDURE`.
    Procedure,
    /// `ANALYSE`.
    Analyse,
    /// `CASCADE`, `RESTRICT`.
    Cascade,
    /// `SHUTDOWN`.
    Shutdown,
    /// `GRANT`, `REVOKE`.
    Grant,
    /// `LOAD`.
    Load,
    /// `INFILE`.
    Infile,
    /// `COPY`.
    Copy,
    /// `HANDLER`, `PREPARE`.
    Handler,
    /// `OPEN`, `READ`, as `HANDLER` has them.
    HandlerVerb,
    /// `ATTACH`, `PRAGMA`, `VACUUM`.
    Attach,
    /// `BEGIN`, `COMMIT`, `ROLLBACK`.
    Transaction,
    /// `USE`.
    Use,
    /// `COLLATE`.
    Collate,
    /// `BINARY`.
    Binary,
    /// `JOIN`, `ON`, `USING`, `ASC`, `DESC`: go on after a complete expression.
    Continuation,
    /// `ARRAY`, `ROW`.
    Array,
    /// `RETURN`, `VAR`, `WHILE`, `DO`: statements of the JavaScript that document databases run.
    Script,
    /// `THIS`.
    This,
    /// `DB`.
    Db,
    /// A data type.
    Type,
    /// A function that makes time pass.
    Delaying,
    /// A function that hardly anything but SQL has.
    Distinctive,
    /// A function whose name is common elsewhere too.
    Function,
    /// A table, schema or variable of a system catalog.
    System,
    /// A stored procedure of a server.
    Stored,
    /// An operator of a document database, with its `$`.
    Document,
    /// A document operator that style sheets and schemas also use as a name.
    DocumentLoose,
    /// An identifier in quotes of its own.
    Quoted,
}

impl Word {
    /// Returns `true` if the word names a function when `(` follows.
    pub fn is_function(self) -> bool {
        matches!(
            self,
            Word::Delaying
                | Word::Distinctive
                | Word::Function
                | Word::If
                | Word::Insert
                | Word::Arithmetic
                | Word::Values
                | Word::Array
                | Word::Type
                | Word::Exists
                | Word::PostfixNull
                | Word::Object
                | Word::Stored
                | Word::Like
        )
    }

    /// Returns `true` if the word can be (the beginning of) a name in an expression.
    pub fn is_name(self) -> bool {
        matches!(
            self,
            Word::Plain
                | Word::Quoted
                | Word::System
                | Word::Type
                | Word::Function
                | Word::Distinctive
                | Word::Delaying
                | Word::Stored
                | Word::Db
                | Word::This
                | Word::Object
                | Word::Array
                | Word::Transaction
                | Word::Analyse
                | Word::Delay
                | Word::Handler
                | Word::HandlerVerb
        )
    }

    /// Returns `true` if the word may follow a complete expression.
    pub fn continues(self) -> bool {
        matches!(
            self,
            Word::And
                | Word::Or
                | Word::Union
                | Word::Order
                | Word::Having
                | Word::Limit
                | Word::Into
                | Word::Where
                | Word::From
                | Word::Procedure
                | Word::Like
                | Word::Between
                | Word::In
                | Word::Is
                | Word::Not
                | Word::PostfixNull
                | Word::Collate
                | Word::Then
                | Word::Else
                | Word::End
                | Word::When
                | Word::As
                | Word::Continuation
                | Word::Arithmetic
        )
    }
}

/// Functions that count, take a time or round: nobody reads secrets with them.
const MEASURES: &[&[u8]] = &[
    b"count", b"sum", b"avg", b"min", b"max", b"rate", b"now", b"date", b"today", b"round", b"floor", b"ceil",
];

/// Returns `true` if `name` is a function that counts, takes a time or rounds.
pub(super) fn is_measure(name: &[u8]) -> bool {
    MEASURES.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Longest word in the table; longer ones are [`Word::Plain`].
pub(super) const WORD_BYTES_MAX: usize = 28;

/// Role of a word given in lower case.
pub(super) fn lookup(lower: &[u8]) -> Word {
    if lower.len() < 2 || lower.len() > WORD_BYTES_MAX {
        return Word::Plain;
    }
    TABLE.find(lower).unwrap_or_else(|| affixed(lower))
}

/// Families of names that share a beginning.
fn affixed(lower: &[u8]) -> Word {
    const STARTS: &[(&[u8], Word)] = &[
        (b"dbms_", Word::Distinctive),
        (b"utl_", Word::Distinctive),
        (b"xp_", Word::Stored),
        (b"sp_oa", Word::Stored),
        (b"st_", Word::Function),
        (b"json_", Word::Function),
        (b"jsonb_", Word::Function),
        (b"sys_", Word::Function),
    ];
    if !lower.iter().skip(2).take(4).any(|byte| *byte == b'_') {
        return Word::Plain;
    }
    STARTS
        .iter()
        .find(|(start, _)| lower.starts_with(start) && lower.len() > start.len() + 1)
        .map_or(Word::Plain, |hit| hit.1)
}

macro_rules! words {
    ($($role:ident: $($word:literal)+;)+) => { &[$($(($word, Word::$role),)+)+] };
}

/// As written below, by role.
const BY_ROLE: &[(&str, Word)] = words! {
    Prose: "the" "an" "our" "your" "my" "his" "her" "their" "its" "that" "these" "those" "each" "which" "you" "we" "they" "it" "he" "she" "what" "how" "every";
    And: "and";
    Or: "or" "xor";
    Not: "not";
    Like: "like" "rlike" "regexp" "glob" "ilike" "match" "similar" "sounds" "contains" "startswith";
    Between: "between";
    In: "in";
    Is: "is";
    PostfixNull: "isnull" "notnull";
    Literal: "null" "true" "false";
    Union: "union" "intersect" "except" "minus";
    All: "all" "any" "some";
    Distinct: "distinct" "distinctrow";
    Select: "select";
    From: "from";
    Where: "where";
    Order: "order" "group";
    By: "by";
    Having: "having";
    Limit: "limit" "offset" "fetch";
    Into: "into";
    Outfile: "outfile" "dumpfile";
    Insert: "insert" "replace" "merge";
    Update: "update";
    Delete: "delete";
    Drop: "drop";
    Create: "create" "alter" "rename";
    Truncate: "truncate";
    Object: "table" "database" "schema" "view" "index" "user" "login" "role" "trigger" "column" "sequence" "tablespace" "constraint" "alias" "assembly" "extension" "event" "server";
    Set: "set";
    Values: "values";
    Exec: "exec" "execute" "call";
    Immediate: "immediate";
    Declare: "declare";
    Waitfor: "waitfor";
    Delay: "delay";
    If: "if" "iif";
    Case: "case";
    When: "when";
    Then: "then";
    Else: "else";
    End: "end";
    Exists: "exists";
    As: "as";
    Arithmetic: "div" "mod";
    Procedure: "procedure" "function";
    Analyse: "analyse" "analyze";
    Cascade: "cascade" "restrict" "purge";
    Shutdown: "shutdown";
    Grant: "grant" "revoke";
    Load: "load";
    Infile: "infile";
    Copy: "copy";
    Handler: "handler" "prepare";
    HandlerVerb: "open" "read";
    Attach: "attach" "pragma" "vacuum";
    Transaction: "begin" "commit" "rollback" "go";
    Use: "use";
    Collate: "collate";
    Binary: "binary" "escape";
    Continuation: "join" "on" "using" "asc" "desc" "inner" "natural" "for" "returning" "with" "window" "rows";
    Array: "array" "row";
    Script: "return" "var" "while" "do" "let";
    This: "this";
    Db: "db";
    Type: "int" "integer" "bigint" "smallint" "tinyint" "text" "varchar" "nvarchar" "varchar2" "numeric" "decimal" "float" "double" "real" "boolean" "bool" "json" "jsonb" "bytea" "xml" "uuid" "regclass" "oid" "signed" "unsigned" "varbinary" "sysname" "datetime" "timestamp" "inet" "money" "sql_variant";
    Delaying: "sleep" "pg_sleep" "pg_sleep_for" "pg_sleep_until" "benchmark" "randomblob" "zeroblob" "generate_series" "receive_message" "rdsdelay";
    Distinctive: "extractvalue" "updatexml" "load_file" "load_extension" "group_concat" "concat_ws" "make_set" "xmltype" "unhex" "strcmp" "find_in_set" "export_set" "json_extract" "json_valid" "json_depth" "json_search" "json_array" "json_keys" "json_length" "json_value" "json_query" "json_object" "json_unquote" "json_contains" "json_set" "lo_import" "lo_export" "lo_get" "lo_from_bytea" "lo_put" "unistr" "starts_with" "pg_read_file" "pg_ls_dir" "pg_read_binary_file" "pg_file_write" "query_to_xml" "database_to_xml" "table_to_xml" "xmlagg" "xmlelement" "xmlforest" "string_agg" "string_to_array" "listagg" "wm_concat" "sqlite_version" "sqlite_source_id" "substring_index" "char_length" "character_length" "octet_length" "bit_length" "aes_encrypt" "aes_decrypt" "des_encrypt" "des_decrypt" "gtid_subset" "gtid_subtract" "multipoint" "multilinestring" "multipolygon" "linestring" "geometrycollection" "master_pos_wait" "get_lock" "release_lock" "is_free_lock" "is_used_lock" "is_srvrolemember" "is_member" "has_dbaccess" "name_const" "found_rows" "last_insert_id" "connection_id" "session_user" "current_user" "system_user" "suser_name" "suser_sname" "db_name" "db_id" "col_name" "col_length" "object_id" "object_name" "schema_name" "host_name" "app_name" "serverproperty" "fn_varbintohexstr" "fn_xe_file_target_read_file" "openrowset" "openquery" "opendatasource" "openxml" "quotename" "patindex" "charindex" "sys_context" "sys_eval" "sys_exec" "httpuritype" "ctxsys" "to_base64" "from_base64" "hextoraw" "rawtohex" "nvl" "nvl2" "ifnull" "nullif" "bin2hex" "inet_aton" "inet_ntoa" "uncompress" "uncompressed_length" "old_password" "try_convert" "current_setting" "set_config" "current_database" "inet_server_addr" "to_char" "to_number" "to_date" "convert_from" "convert_tz" "string_to_table" "dblink_connect" "nth_value" "period_diff" "datepart" "getdate" "sysdate" "utc_timestamp" "count_big" "xmlconcat" "getpgusername" "randstr" "fts3_tokenizer" "sqlite_compileoption_used";
    Function: "char" "chr" "nchar" "ascii" "ord" "concat" "substr" "substring" "mid" "left" "right" "length" "len" "lower" "upper" "lcase" "ucase" "hex" "bin" "oct" "conv" "md5" "sha" "sha1" "sha2" "crc32" "compress" "encode" "decode" "encrypt" "password" "rand" "random" "floor" "ceil" "ceiling" "round" "abs" "pow" "power" "sqrt" "exp" "ln" "log" "log2" "log10" "sin" "cos" "tan" "cot" "asin" "acos" "atan" "atan2" "pi" "sign" "degrees" "radians" "greatest" "least" "elt" "field" "trim" "ltrim" "rtrim" "lpad" "rpad" "repeat" "reverse" "space" "stuff" "translate" "position" "overlay" "format" "version" "now" "curdate" "curtime" "current_date" "current_time" "current_timestamp" "localtime" "date" "time" "year" "month" "day" "hour" "minute" "second" "week" "weekday" "date_add" "date_sub" "date_format" "extract" "interval" "quote" "count" "sum" "avg" "min" "max" "std" "stddev" "variance" "bit_and" "bit_or" "bit_xor" "bit_count" "uuid_short" "uuid_to_bin" "newid" "isnumeric" "isdate" "choose" "print" "printf" "typeof" "changes" "total" "total_changes" "quarter" "to_days" "from_days" "sec_to_time" "time_to_sec" "maketime" "makedate" "last_day" "point" "regexp_like" "regexp_replace" "regexp_substr" "regexp_instr" "default" "to_seconds" "var_pop" "var_samp" "dayname" "dayofweek" "dayofmonth" "dayofyear" "monthname" "addtime" "subtime" "adddate" "subdate" "str_to_date" "strftime" "julianday" "unicode" "initcap" "nextval" "currval" "lastval" "setval" "bitand" "width_bucket" "trunc" "rank" "dense_rank" "ntile" "array_agg" "array_length" "array_to_string" "md4" "cast" "convert" "likely" "unlikely" "likelihood" "polygon" "readfile" "writefile" "datediff" "dateadd" "instr" "locate" "coalesce" "unnest" "timestampadd" "timestampdiff" "user_id" "user_name" "period_add" "try_cast" "soundex" "row_number" "row_count" "unix_timestamp" "dblink";
    System: "information_schema" "pg_catalog" "pg_user" "pg_shadow" "pg_roles" "pg_class" "pg_tables" "pg_database" "pg_namespace" "pg_attribute" "pg_largeobject" "pg_authid" "pg_group" "pg_settings" "pg_proc" "pg_type" "pg_index" "pg_stat_activity" "pg_stat_database" "pg_stat_statements" "pg_stat_user_tables" "pg_stat_all_tables" "pg_stat_replication" "pg_stats" "pg_statistic" "sysobjects" "syscolumns" "sysusers" "sysdatabases" "syslogins" "sysxlogins" "sysprocesses" "sysibm" "syscat" "sysdummy1" "sysstat" "sqlite_master" "sqlite_schema" "sqlite_temp_master" "sqlite_sequence" "all_tables" "all_users" "all_tab_columns" "all_tab_cols" "all_objects" "user_tables" "user_tab_columns" "user_objects" "user_tab_cols" "user_users" "user_constraints" "dba_users" "dba_tables" "dba_objects" "dba_tab_columns" "v$version" "v$instance" "v$database" "v$session" "table_schema" "msysaces" "msysobjects" "msysqueries" "msysrelationships" "msysaccessobjects" "msysmodules" "innodb_table_stats" "sysservers" "rdb$relations" "rdb$database" "rdb$relation_fields" "sysmaster" "systables" "loginame" "dba_role_privs" "user_role_privs" "user_privileges";
    Stored: "xp_cmdshell" "xp_dirtree" "xp_fileexist" "xp_subdirs" "xp_regread" "xp_regwrite" "xp_regdeletekey" "xp_regenumvalues" "xp_servicecontrol" "xp_availablemedia" "xp_enumdsn" "xp_ntsec_enumdomains" "xp_terminate_process" "xp_makecab" "xp_loginconfig" "sp_executesql" "sp_execute" "sp_addextendedproc" "sp_addlogin" "sp_addsrvrolemember" "sp_addrolemember" "sp_adduser" "sp_configure" "sp_oacreate" "sp_oamethod" "sp_makewebtask" "sp_password" "sp_prepare" "sp_who" "sp_who2" "sp_tables" "sp_help" "sp_helptext" "sp_sqlexec" "sp_start_job" "sp_add_job" "sp_send_dbmail" "sp_linkedservers" "sp_addlinkedserver" "dbcc" "reconfigure";
    Document: "$where" "$ne" "$gt" "$gte" "$lt" "$lte" "$nin" "$nor" "$regex" "$elemmatch" "$exists" "$expr" "$jsonschema" "$function" "$accumulator" "$eq" "$or" "$and";
    DocumentLoose: "$in" "$not" "$text" "$mod" "$all" "$size" "$slice" "$type" "$set" "$push" "$inc" "$lookup" "$unionwith" "$out" "$merge" "$match" "$project" "$group" "$options" "$rename" "$unset" "$near" "$within" "$box" "$polygon" "$center" "$maxdistance" "$uniquedocs" "$bitsallset" "$geowithin" "$geointersects";
};

static TABLE: LazyLock<Table<Word>> = LazyLock::new(|| Table::new(BY_ROLE.iter().copied()));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_and_stands_once() {
        for (word, role) in BY_ROLE {
            assert!(word.len() <= WORD_BYTES_MAX && word.bytes().all(|b| !b.is_ascii_uppercase()), "{word}");
            assert_eq!(lookup(word.as_bytes()), *role, "{word}");
        }
    }

    #[test]
    fn families_and_strangers() {
        assert_eq!(lookup(b"dbms_pipe"), Word::Distinctive);
        assert_eq!(lookup(b"xp_anything"), Word::Stored);
        assert_eq!(lookup(b"tennis"), Word::Plain);
        assert_eq!(lookup(b"xp_"), Word::Plain);
    }
}
