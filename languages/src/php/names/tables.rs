//! The names themselves, in lower case, each list sorted for the search. They know nothing of what is done with them.

/// Helpers that frameworks of browsers have under names of variables: `$t('key')`, `$emit('close')`.
#[rustfmt::skip] // a table, not code
pub(super) const HELPERS: &[&str] = &[
    "apply", "compile", "d", "delete", "digest", "emit", "event", "filter", "http", "interval", "n",
    "nexttick", "off", "on", "once", "parse", "q", "rootscope", "sce", "scope", "set", "t", "tc", "te",
    "timeout", "watch",
];

/// Variables that hold the request, the server or everything.
#[rustfmt::skip] // a table, not code
pub(super) const SUPERGLOBALS: &[&str] = &[
    "_cookie", "_env", "_files", "_get", "_post", "_request", "_server", "_session", "argv", "globals",
    "http_raw_post_data", "php_self",
];

/// Prefixes of functions that are dangerous, and that only PHP has.
#[rustfmt::skip] // a table, not code
pub(super) const DANGEROUS_FAMILIES: &[&str] = &[
    "apache", "opcache", "pcntl", "posix", "proc", "runkit", "ssh2", "zlib",
];

/// Prefixes of functions that only PHP has.
#[rustfmt::skip] // a table, not code
pub(super) const SPECIFIC_FAMILIES: &[&str] = &[
    "libxml", "mb", "ob", "preg", "simplexml", "spl", "stream",
];

/// Prefixes of the functions of extensions.
#[rustfmt::skip] // a table, not code
pub(super) const OTHER_FAMILIES: &[&str] = &[
    "apc", "apcu", "array", "cal", "class", "collator", "ctype", "cubrid", "curl", "date", "datefmt", "db2",
    "dba", "dbase", "dom", "easter", "eio", "enchant", "event", "exif", "fann", "fbird", "fbsql", "fdf",
    "filepro", "filter", "finfo", "forward", "ftp", "gearman", "geoip", "gmp", "gnupg", "grapheme", "gupnp",
    "hash", "ibase", "iconv", "idn", "ifx", "imagick", "imap", "ingres", "inotify", "intl", "intlcal",
    "intltz", "json", "judy", "kadm5", "lchgrp", "ldap", "locale", "lua", "lzf", "mailparse", "maxdb",
    "mcrypt", "mcve", "memcache", "mhash", "mime", "ming", "mqseries", "msession", "msg", "msgfmt", "msql",
    "mssql", "mysql", "mysqli", "mysqlnd", "ncurses", "newt", "normalizer", "notes", "nsapi", "numfmt",
    "oauth", "oci", "odbc", "openal", "openssl", "ovrimos", "parsekit", "password", "pdf", "pfpro", "pg",
    "printer", "ps", "pspell", "px", "qdom", "radius", "rar", "readline", "recode", "resourcebundle", "rrd",
    "sem", "sesam", "session", "shm", "shmop", "snmp2", "snmp3", "socket", "sodium", "sqlite", "sqlsrv",
    "stats", "stomp", "svn", "swf", "sybase", "tidy", "timezone", "token", "trader", "transliterator",
    "udm", "uopz", "variant", "vpopmail", "wddx", "win32", "wincache", "xattr", "xdebug", "xdiff", "xhprof",
    "xml", "xmlrpc", "xmlwriter", "xslt", "yaml", "yaz", "yp", "zend", "zip",
];

/// Functions that run code, unpack it, read files, open connections or tell of the server.
#[rustfmt::skip] // a table, not code
pub(super) const DANGEROUS: &[&str] = &[
    "__halt_compiler", "apache_child_terminate", "array_diff_uassoc", "array_diff_ukey", "array_filter",
    "array_intersect_uassoc", "array_intersect_ukey", "array_map", "array_multisort", "array_reduce",
    "array_udiff", "array_uintersect", "array_walk", "array_walk_recursive", "assert_options",
    "base64_decode", "base64_encode", "bzdecompress", "call_user_func", "call_user_func_array",
    "call_user_method", "call_user_method_array", "convert_cyr_string", "convert_uudecode",
    "create_function", "curl_exec", "curl_init", "curl_multi_exec", "curl_setopt", "debug_backtrace",
    "debug_print_backtrace", "define_syslog_variables", "disk_free_space", "disk_total_space",
    "diskfreespace", "ereg_replace", "eregi_replace", "error_log", "error_reporting", "escapeshellarg",
    "escapeshellcmd", "expect_popen", "fastcgi_finish_request", "file_exists", "file_get_contents",
    "file_put_contents", "fileatime", "filectime", "filegroup", "fileinode", "filemtime", "fileowner",
    "fileperms", "filesize", "filetype", "forward_static_call", "forward_static_call_array", "fpassthru",
    "fputcsv", "fsockopen", "ftp_connect", "ftp_exec", "ftp_get", "ftp_login", "ftp_nb_get", "ftp_nb_put",
    "ftp_put", "ftp_raw", "ftp_rawlist", "func_get_args", "function_exists", "get_cfg_var",
    "get_class_methods", "get_class_vars", "get_current_user", "get_defined_constants",
    "get_defined_functions", "get_defined_vars", "get_include_path", "get_loaded_extensions",
    "get_object_vars", "getallheaders", "gethostbyaddr", "getlastmod", "getmygid", "getmyinode", "getmypid",
    "getmyuid", "getservbyname", "gzcompress", "gzdecode", "gzdeflate", "gzencode", "gzfile", "gzinflate",
    "gzopen", "gzpassthru", "gzread", "gzuncompress", "header_register_callback", "hex2bin",
    "highlight_file", "highlight_string", "http_response_code", "ibase_connect", "ignore_user_abort",
    "imap_mail", "imap_open", "import_request_variables", "inet_pton", "ini_alter", "ini_get",
    "ini_get_all", "ini_restore", "ini_set", "invokeargs", "is_dir", "is_executable", "is_file",
    "is_readable", "is_uploaded_file", "is_writable", "is_writeable", "iterator_apply", "lchgrp", "lchown",
    "ldap_connect", "libxml_disable_entity_loader", "linkinfo", "mb_ereg_replace", "mb_eregi_replace",
    "mb_parse_str", "mb_send_mail", "mcrypt_decrypt", "move_uploaded_file", "mysql_connect", "mysql_query",
    "mysqli_connect", "mysqli_query", "ob_start", "oci_connect", "odbc_connect", "openlog",
    "openssl_decrypt", "parse_ini_file", "parse_ini_string", "parse_str", "passthru", "pfsockopen",
    "pg_connect", "php_check_syntax", "php_ini_loaded_file", "php_sapi_name", "php_strip_whitespace",
    "php_uname", "phpcredits", "phpdbg_exec", "phpinfo", "phpversion", "preg_filter", "preg_match",
    "preg_replace", "preg_replace_callback", "preg_replace_callback_array", "print_r", "readgzfile",
    "realpath_cache_get", "register_shutdown_function", "register_tick_function", "session_save_path",
    "session_set_save_handler", "session_start", "set_error_handler", "set_exception_handler",
    "set_include_path", "set_time_limit", "shell_exec", "show_source", "simplexml_load_file",
    "simplexml_load_string", "socket_connect", "socket_create", "spl_autoload_register",
    "sqlite_array_query", "sqlite_create_aggregate", "sqlite_create_function", "sqlite_exec", "sqlite_open",
    "sqlite_popen", "sqlsrv_connect", "str_rot13", "stream_context_create", "stream_copy_to_stream",
    "stream_get_contents", "stream_select", "stream_socket_client", "stream_wrapper_register", "strrev",
    "sys_get_temp_dir", "sys_getloadavg", "uasort", "uksort", "unregister_tick_function", "unserialize",
    "usort", "var_dump", "var_export", "wp_remote_fopen", "wp_remote_get", "wp_remote_post",
    "xml_set_element_handler", "xslt_process", "yaml_parse_url",
];

/// Functions that only PHP has.
#[rustfmt::skip] // a table, not code
pub(super) const SPECIFIC: &[&str] = &[
    "addcslashes", "addslashes", "array_combine", "array_fill", "array_flip", "array_key_exists",
    "array_keys", "array_merge", "array_pop", "array_push", "array_search", "array_shift", "array_slice",
    "array_splice", "array_unique", "array_unshift", "array_values", "arsort", "asort", "bin2hex",
    "bzcompress", "bzopen", "ctype_alpha", "ereg", "eregi", "error_get_last", "func_get_arg",
    "func_num_args", "gc_collect_cycles", "get_class", "get_class_methods", "get_class_vars", "get_headers",
    "get_magic_quotes_gpc", "get_meta_tags", "get_object_vars", "get_parent_class", "get_resource_type",
    "gethostbyaddr", "gethostbynamel", "getimagesize", "gettimeofday", "header_remove", "headers_list",
    "headers_sent", "html_entity_decode", "htmlentities", "htmlspecialchars", "htmlspecialchars_decode",
    "http_build_query", "imagecreatefromgif", "imagecreatefromjpeg", "imagecreatefrompng", "imagedestroy",
    "imagegif", "imagejpeg", "imagepng", "imap_body", "imap_mail", "in_array", "ip2long", "is_a",
    "is_array", "is_bool", "is_callable", "is_float", "is_int", "is_integer", "is_link", "is_long",
    "is_null", "is_numeric", "is_object", "is_resource", "is_scalar", "is_string", "is_subclass_of",
    "json_decode", "json_encode", "krsort", "ksort", "lcfirst", "long2ip", "ltrim", "mb_substr", "md5_file",
    "memory_get_peak_usage", "memory_get_usage", "method_exists", "money_format", "mt_rand", "mt_srand",
    "natcasesort", "natsort", "nl2br", "number_format", "parse_url", "php_check_syntax", "property_exists",
    "quoted_printable_decode", "rawurldecode", "rawurlencode", "rsort", "rtrim", "set_magic_quotes_runtime",
    "setcookie", "setrawcookie", "settype", "sha1_file", "similar_text", "str_ireplace", "str_pad",
    "str_repeat", "str_replace", "str_shuffle", "str_split", "str_word_count", "strcasecmp", "strip_tags",
    "stripcslashes", "stripos", "stripslashes", "stristr", "strnatcasecmp", "strncasecmp", "strpbrk",
    "strrchr", "strripos", "strrpos", "strtolower", "strtotime", "strtoupper", "strtr", "strval",
    "substr_compare", "substr_count", "substr_replace", "trigger_error", "ucfirst", "ucwords", "urldecode",
    "urlencode", "user_error", "usleep", "usort", "utf8_decode", "utf8_encode", "vprintf", "vsprintf",
    "wordwrap",
];

/// Functions whose names other languages have too.
#[rustfmt::skip] // a table, not code
pub(super) const SHARED: &[&str] = &[
    "basename", "chgrp", "chmod", "chown", "chr", "chroot", "closedir", "dirname", "eval", "exec", "fclose",
    "feof", "fflush", "fgetc", "fgetcsv", "fgets", "fgetss", "flock", "fopen", "fputs", "fread", "fscanf",
    "fseek", "fstat", "ftell", "ftruncate", "fwrite", "getcwd", "getdate", "getenv", "gethostname",
    "getmxrr", "getopt", "implode", "intval", "mkdir", "mkfifo", "mknod", "opendir", "ord", "pclose",
    "pcntl_exec", "pcntl_fork", "popen", "putenv", "readdir", "readfile", "readlink", "realpath",
    "rewinddir", "rmdir", "scandir", "serialize", "shmop_open", "stripos", "strlen", "strpos", "strstr",
    "substr", "syslog", "tempnam", "tmpfile", "umask", "uniqid", "unlink",
];

/// Functions whose names are everyday words.
#[rustfmt::skip] // a table, not code
pub(super) const ENGLISH: &[&str] = &[
    "assert", "copy", "dir", "file", "glob", "link", "mail", "rename", "stat", "system", "touch",
];

/// What shows its argument.
#[rustfmt::skip] // a table, not code
pub(super) const SHOWS: &[&str] = &[
    "die", "echo", "exit", "fprintf", "print", "printf", "sprintf",
];

/// What runs the file that its argument names.
#[rustfmt::skip] // a table, not code
pub(super) const INCLUDES: &[&str] = &[
    "include", "include_once", "require", "require_once",
];

/// Functions that are rarely part of an attack.
#[rustfmt::skip] // a table, not code
pub(super) const OTHER: &[&str] = &[
    "abs", "acos", "asin", "atan", "bcadd", "bcmul", "bcpow", "bcsub", "checkdate", "checkdnsrr",
    "clearstatcache", "closelog", "compact", "constant", "count", "crc32", "crypt", "current",
    "cyrus_connect", "date", "decbin", "dechex", "decoct", "define", "deg2rad", "delete", "dl",
    "dns_get_mx", "dns_get_record", "each", "empty", "end", "explode", "extract", "fdatasync", "floatval",
    "fnmatch", "fsync", "ftok", "gethostbyname", "getprotobyname", "getrusage", "getservbyname", "gettext",
    "gettype", "gmdate", "gmmktime", "gmstrftime", "header", "hebrev", "hexdec", "hrtime", "hypot", "idate",
    "is_finite", "is_infinite", "is_nan", "isset", "iterator_count", "iterator_to_array", "jdtogregorian",
    "join", "key", "key_exists", "lcg_value", "levenshtein", "linkinfo", "localeconv", "localtime", "log10",
    "lstat", "max", "md5", "metaphone", "microtime", "min", "mktime", "natsort", "next", "nl_langinfo",
    "octdec", "ord", "pack", "pi", "pos", "pow", "prev", "quotemeta", "rand", "random_bytes", "random_int",
    "range", "reset", "rewind", "round", "setlocale", "sha1", "shuffle", "sizeof", "sleep", "sort",
    "soundex", "sqrt", "sscanf", "strchr", "strcmp", "strcoll", "strcspn", "strftime", "strncmp",
    "strptime", "strspn", "strtok", "symlink", "time", "time_nanosleep", "trim", "unpack", "unset",
    "version_compare",
];
