//! The literals that make a value worth the detector's time. Nothing that everyday headers are full of stands here alone:
//! `;`, `(`, `--`, `/*` and `=` come with a keyword, a quote or a digit in every attack that the detector knows.

/// What may end a string of the host query.
#[rustfmt::skip]
pub(super) static QUOTES: &[&str] =
    &["'", "\"", "`", "\u{2018}", "\u{2019}", "\u{201c}", "\u{201d}", "\u{2032}", "\u{b4}"];

/// Any one of these in a value, in lower case.
#[rustfmt::skip]
pub(super) static TRIGGERS: &[&str] = &[
    "or '", "or \"", "and '", "and \"", "||", "&&", "::", "@@",
    "/**/", "/*!", "/*m!", " = ", "!=", "<>", "<=>", "==", "x=x", "a=a", "b=b", "1=", "2=", "3=", "4=", "5=", "6=",
    "7=", "8=", "9=", "0=", " rlike ", " regexp ", " between ", " is null", " is not null", " isnull", " notnull",
    "or true", "and true", "or not ", "and not ", "or false", "or null", "and null", "or exists", "and exists", "or(",
    "and(", "or (", "and (", "or {", "or @", "or !", "or ~", "or -", "or +", ") like", ")like", ") when", ")when",
    "if(", "if (", "case when", "and case", "or case", "case/", "case(", "select", "union", "values(", "values (",
    "if\\(", "or x", "insert", "drop ", "drop/", "delete from", "delete/", "update ", "update/", "alter ", "create ",
    "truncate", "exec", "call ", "declare", "waitfor", "order by", "order/", "group by", "having", "where",
    "into outfile", "into dumpfile", "into/", "load data", "procedure", "collate", "replace", "like(", "handler ",
    ";set", "; set", "begin;", "shutdown", "dbms_", "utl_", "json_", "jsonb_", "xp_", "sp_", "pg_", "sysobj",
    "sqlite", "information_schema", "mysql.", "msdb", "northwind", "adventureworks", "tempdb", "schema_name",
    "2147483648", "2147483649", "4294967296", "9223372036854775808", "9223372036854775809", "18446744073709551",
    "e-308", "e308", "e309", "e500", "e999", "1.e", "0x", "x0", "db.", "return", "var ", "while(", "this.", "[$",
    "=x'", "(x'", ",x'", "@>", "<@", "->", "?|", "?&", "#>", "or 0", "and 0", "or\t0", "and\t0", "<0", ">0", "> 0", "< 0", "or 1", "and 1",
    "or\t1", "and\t1", "<1", ">1", "> 1", "< 1", "or 2", "and 2", "or\t2", "and\t2", "<2", ">2", "> 2", "< 2", "or 3",
    "and 3", "or\t3", "and\t3", "<3", ">3", "> 3", "< 3", "or 4", "and 4", "or\t4", "and\t4", "<4", ">4", "> 4",
    "< 4", "or 5", "and 5", "or\t5", "and\t5", "<5", ">5", "> 5", "< 5", "or 6", "and 6", "or\t6", "and\t6", "<6",
    ">6", "> 6", "< 6", "or 7", "and 7", "or\t7", "and\t7", "<7", ">7", "> 7", "< 7", "or 8", "and 8", "or\t8",
    "and\t8", "<8", ">8", "> 8", "< 8", "or 9", "and 9", "or\t9", "and\t9", "<9", ">9", "> 9", "< 9", "extractvalue",
    "updatexml", "load_file", "load_extension", "group_concat", "concat_ws", "make_set", "xmltype", "unhex", "strcmp",
    "find_in_set", "export_set", "lo_import", "lo_export", "lo_get", "lo_from_bytea", "lo_put", "unistr",
    "starts_with", "query_to_xml", "database_to_xml", "table_to_xml", "xmlagg", "xmlelement", "xmlforest",
    "string_agg", "string_to_array", "listagg", "wm_concat", "substring_index", "char_length", "character_length",
    "octet_length", "bit_length", "aes_encrypt", "aes_decrypt", "des_encrypt", "des_decrypt", "gtid_subset",
    "gtid_subtract", "multipoint", "multipolygon", "linestring", "geometrycollection", "master_pos_wait", "get_lock",
    "release_lock", "is_free_lock", "is_used_lock", "is_srvrolemember", "is_member", "has_dbaccess", "name_const",
    "found_rows", "connection_id", "session_user", "current_user", "system_user", "suser_name", "suser_sname",
    "db_name", "db_id", "col_name", "col_length", "object_id", "object_name", "host_name", "app_name",
    "serverproperty", "fn_varbintohexstr", "fn_xe_file_target_read_file", "openrowset", "openquery", "opendatasource",
    "openxml", "quotename", "patindex", "charindex", "sys_context", "sys_eval", "httpuritype", "ctxsys", "to_base64",
    "from_base64", "hextoraw", "rawtohex", "nvl", "ifnull", "nullif", "bin2hex", "inet_aton", "inet_ntoa",
    "uncompress", "old_password", "try_convert", "current_setting", "set_config", "current_database",
    "inet_server_addr", "to_char", "to_number", "to_date", "convert_from", "convert_tz", "string_to_table",
    "dblink_connect", "nth_value", "period_diff", "datepart", "getdate", "sysdate", "utc_timestamp", "count_big",
    "xmlconcat", "getpgusername", "randstr", "fts3_tokenizer", "sleep", "benchmark", "randomblob", "zeroblob",
    "generate_series", "receive_message", "rdsdelay", "dbcc", "reconfigure", "syscolumns", "sysusers", "sysdatabases",
    "syslogins", "sysxlogins", "sysprocesses", "sysibm", "syscat", "sysdummy1", "sysstat", "all_tables", "all_users",
    "all_tab_columns", "all_tab_cols", "all_objects", "user_tables", "user_tab_columns", "user_objects",
    "user_tab_cols", "user_users", "user_constraints", "dba_users", "dba_tables", "dba_objects", "dba_tab_columns",
    "v$version", "v$database", "v$session", "table_schema", "msysaces", "msysqueries", "msysrelationships",
    "msysaccessobjects", "msysmodules", "innodb_table_stats", "sysservers", "rdb$relations", "rdb$database",
    "rdb$relation_fields", "sysmaster", "systables", "loginame", "dba_role_privs", "user_role_privs",
    "user_privileges", "$ne", "$gt", "$lt", "$nin", "$nor", "$regex", "$elemmatch", "$exists", "$expr", "$jsonschema",
    "$function", "$accumulator", "$eq", "$or", "$and", "$in", "$not", "$text", "$mod", "$all", "$size", "$slice",
    "$type", "$set", "$push", "$lookup", "$out", "$merge", "$match", "$project", "$group", "$options", "$rename",
    "$unset", "$within", "$box", "$polygon", "$center", "$maxdistance", "$uniquedocs", "$bitsallset", "$geowithin",
    "$geointersects", "char(", "char (", "char/*", "char\\(", "chr(", "chr (", "chr/*", "chr\\(", "ascii(", "ascii (",
    "ascii/*", "ascii\\(", "ord(", "ord (", "ord/*", "ord\\(", "concat(", "concat (", "concat/*", "concat\\(",
    "substr(", "substr (", "substr/*", "substr\\(", "substring(", "substring (", "substring/*", "substring\\(",
    "mid(", "mid (", "mid/*", "mid\\(", "left(", "left (", "left/*", "left\\(", "right(", "right (", "right/*",
    "right\\(", "length(", "length (", "length/*", "length\\(", "len(", "len (", "len/*", "len\\(", "lower(",
    "lower (", "lower/*", "lower\\(", "upper(", "upper (", "upper/*", "upper\\(", "lcase (", "lcase\\(", "ucase (",
    "ucase\\(", "hex(", "hex (", "hex/*", "hex\\(", "bin(", "bin (", "bin/*", "bin\\(", "oct(", "oct (", "oct/*",
    "oct\\(", "conv(", "conv (", "conv/*", "conv\\(", "md5(", "md5 (", "md5/*", "md5\\(", "sha(", "sha (", "sha/*",
    "sha\\(", "sha1(", "sha1 (", "sha1/*", "sha1\\(", "sha2(", "sha2 (", "sha2/*", "sha2\\(", "crc32(", "crc32 (",
    "crc32/*", "crc32\\(", "compress(", "compress (", "compress/*", "compress\\(", "encode(", "encode (", "encode/*",
    "encode\\(", "decode(", "decode (", "decode/*", "decode\\(", "encrypt(", "encrypt (", "encrypt/*", "encrypt\\(",
    "rand/*", "rand\\(", "random(", "random (", "random/*", "random\\(", "floor/*", "floor\\(", "ceil(", "ceil (",
    "ceil/*", "ceil\\(", "ceiling(", "ceiling (", "ceiling/*", "ceiling\\(", "round(", "round (", "round/*",
    "round\\(", "abs(", "abs (", "abs/*", "abs\\(", "pow(", "pow (", "pow/*", "pow\\(", "power(", "power (",
    "power/*", "power\\(", "sqrt(", "sqrt (", "sqrt/*", "sqrt\\(", "exp(", "exp (", "exp/*", "exp\\(", "ln(", "ln (",
    "ln/*", "ln\\(", "log(", "log (", "log/*", "log\\(", "log2(", "log2 (", "log2/*", "log2\\(", "log10(", "log10 (",
    "log10/*", "log10\\(", "sin(", "sin (", "sin/*", "sin\\(", "cos(", "cos (", "cos/*", "cos\\(", "tan(", "tan (",
    "tan/*", "tan\\(", "cot(", "cot (", "cot/*", "cot\\(", "atan2(", "atan2 (", "atan2/*", "atan2\\(", "pi(", "pi (",
    "pi/*", "pi\\(", "sign(", "sign (", "sign/*", "sign\\(", "degrees(", "degrees (", "degrees/*", "degrees\\(",
    "radians(", "radians (", "radians/*", "radians\\(", "greatest(", "greatest (", "greatest/*", "greatest\\(",
    "least(", "least (", "least/*", "least\\(", "elt(", "elt (", "elt/*", "elt\\(", "field(", "field (", "field/*",
    "field\\(", "trim(", "trim (", "trim/*", "trim\\(", "lpad(", "lpad (", "lpad/*", "lpad\\(", "rpad(", "rpad (",
    "rpad/*", "rpad\\(", "repeat(", "repeat (", "repeat/*", "repeat\\(", "reverse(", "reverse (", "reverse/*",
    "reverse\\(", "space(", "space (", "space/*", "space\\(", "stuff(", "stuff (", "stuff/*", "stuff\\(",
    "translate(", "translate (", "translate/*", "translate\\(", "position(", "position (", "position/*",
    "position\\(", "overlay(", "overlay (", "overlay/*", "overlay\\(", "format(", "format (", "format/*", "format\\(",
    "version(", "version (", "version/*", "version\\(", "now(", "now (", "now/*", "now\\(", "current_timestamp(",
    "current_timestamp (", "current_timestamp/*", "current_timestamp\\(", "date(", "date (", "date/*", "date\\(",
    "time(", "time (", "time/*", "time\\(", "year(", "year (", "year/*", "year\\(", "month(", "month (", "month/*",
    "month\\(", "day(", "day (", "day/*", "day\\(", "hour(", "hour (", "hour/*", "hour\\(", "minute(", "minute (",
    "minute/*", "minute\\(", "second(", "second (", "second/*", "second\\(", "week(", "week (", "week/*", "week\\(",
    "date_add(", "date_add (", "date_add/*", "date_add\\(", "date_sub(", "date_sub (", "date_sub/*", "date_sub\\(",
    "extract(", "extract (", "extract/*", "extract\\(", "interval(", "interval (", "interval/*", "interval\\(",
    "quote(", "quote (", "quote/*", "quote\\(", "count(", "count (", "count/*", "count\\(", "sum(", "sum (", "sum/*",
    "sum\\(", "avg(", "avg (", "avg/*", "avg\\(", "min(", "min (", "min/*", "min\\(", "max(", "max (", "max/*",
    "max\\(", "std(", "std (", "std/*", "std\\(", "stddev(", "stddev (", "stddev/*", "stddev\\(", "variance(",
    "variance (", "variance/*", "variance\\(", "bit_and/*", "bit_and\\(", "bit_or/*", "bit_or\\(", "bit_xor/*",
    "bit_xor\\(", "uuid_short(", "uuid_short (", "uuid_short/*", "uuid_short\\(", "newid(", "newid (", "newid/*",
    "newid\\(", "isnumeric(", "isnumeric (", "isnumeric/*", "isnumeric\\(", "choose(", "choose (", "choose/*",
    "choose\\(", "print(", "print (", "print/*", "print\\(", "printf(", "printf (", "printf/*", "printf\\(",
    "typeof(", "typeof (", "typeof/*", "typeof\\(", "changes(", "changes (", "changes/*", "changes\\(", "total(",
    "total (", "total/*", "total\\(", "quarter(", "quarter (", "quarter/*", "quarter\\(", "to_days(", "to_days (",
    "to_days/*", "to_days\\(", "from_days(", "from_days (", "from_days/*", "from_days\\(", "time_to_sec(",
    "time_to_sec (", "time_to_sec/*", "time_to_sec\\(", "point(", "point (", "point/*", "point\\(", "default(",
    "default (", "default/*", "default\\(", "to_seconds(", "to_seconds (", "to_seconds/*", "to_seconds\\(",
    "var_pop(", "var_pop (", "var_pop/*", "var_pop\\(", "var_samp(", "var_samp (", "var_samp/*", "var_samp\\(",
    "dayname(", "dayname (", "dayname/*", "dayname\\(", "monthname(", "monthname (", "monthname/*", "monthname\\(",
    "unicode(", "unicode (", "unicode/*", "unicode\\(", "initcap(", "initcap (", "initcap/*", "initcap\\(",
    "nextval(", "nextval (", "nextval/*", "nextval\\(", "currval(", "currval (", "currval/*", "currval\\(",
    "lastval(", "lastval (", "lastval/*", "lastval\\(", "setval(", "setval (", "setval/*", "setval\\(", "bitand/*",
    "bitand\\(", "width_bucket(", "width_bucket (", "width_bucket/*", "width_bucket\\(", "trunc(", "trunc (",
    "trunc/*", "trunc\\(", "rank(", "rank (", "rank/*", "rank\\(", "ntile(", "ntile (", "ntile/*", "ntile\\(",
    "array_agg(", "array_agg (", "array_agg/*", "array_agg\\(", "array_to_string(", "array_to_string (",
    "array_to_string/*", "array_to_string\\(", "md4(", "md4 (", "md4/*", "md4\\(", "cast(", "cast (", "cast/*",
    "cast\\(", "convert(", "convert (", "convert/*", "convert\\(", "likely(", "likely (", "likely/*", "likely\\(",
    "likelihood(", "likelihood (", "likelihood/*", "likelihood\\(", "polygon(", "polygon (", "polygon/*",
    "polygon\\(", "readfile(", "readfile (", "readfile/*", "readfile\\(", "writefile(", "writefile (", "writefile/*",
    "writefile\\(", "datediff(", "datediff (", "datediff/*", "datediff\\(", "dateadd(", "dateadd (", "dateadd/*",
    "dateadd\\(", "instr(", "instr (", "instr/*", "instr\\(", "locate(", "locate (", "locate/*", "locate\\(",
    "coalesce(", "coalesce (", "coalesce/*", "coalesce\\(", "unnest(", "unnest (", "unnest/*", "unnest\\(",
    "timestampadd(", "timestampadd (", "timestampadd/*", "timestampadd\\(", "timestampdiff(", "timestampdiff (",
    "timestampdiff/*", "timestampdiff\\(", "user_id(", "user_id (", "user_id/*", "user_id\\(", "user_name(",
    "user_name (", "user_name/*", "user_name\\(", "period_add(", "period_add (", "period_add/*", "period_add\\(",
    "soundex(", "soundex (", "soundex/*", "soundex\\(", "row_number(", "row_number (", "row_number/*",
    "row_number\\(", "unix_timestamp(", "unix_timestamp (", "unix_timestamp/*", "unix_timestamp\\(", "dblink(",
    "dblink (", "dblink/*", "dblink\\(", "database(", "database (", "database/*", "database\\(", "schema(",
    "schema (", "schema/*", "schema\\(", "user(", "user (", "user/*", "user\\(", "mod(", "mod (", "mod/*", "mod\\(",
    "div(", "div (", "div/*", "div\\(",
];

#[cfg(test)]
mod tests {
    use super::TRIGGERS;

    #[test]
    fn none_holds_another_or_fires_on_everyday_headers() {
        for (i, one) in TRIGGERS.iter().enumerate() {
            for (j, other) in TRIGGERS.iter().enumerate() {
                assert!(i == j || !one.contains(other), "{one} holds {other}");
            }
        }
        let headers = [
            "mozilla/5.0 (windows nt 10.0; win64; x64) applewebkit/537.36 (khtml, like gecko) chrome/125.0.0.0 safari/537.36",
            "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
            "en-us,en;q=0.5",
            "gzip, deflate, br, zstd",
            "https://www.example.com/shop/items?page=a",
        ];
        for header in headers {
            for trigger in TRIGGERS {
                assert!(!header.contains(trigger), "{header} holds {trigger}");
            }
        }
    }
}
