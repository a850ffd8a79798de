//! Settings of `php.ini` in the form in which a command line, a `.user.ini` or a CGI query sets them: `name=value`.

use super::bytes::is_punctuation;
use super::sign::PhpSign;
use crate::language::{Context, Findings};

/// Sections whose directives are recognised by their prefix. Those that hold nothing an attacker could want, and whose
/// names stand before a dot in every other address and sentence, are not among them.
const SECTIONS: &[&str] = &[
    "apc",
    "apcu",
    "arg_separator",
    "assert",
    "bcmath",
    "cgi",
    "curl",
    "dba",
    "exif",
    "fastcgi",
    "ffi",
    "filter",
    "highlight",
    "iconv",
    "ibase",
    "intl",
    "ldap",
    "mail",
    "mbstring",
    "mcrypt",
    "memcache",
    "mysqli",
    "mysqlnd",
    "mysql",
    "oci8",
    "odbc",
    "opcache",
    "openssl",
    "pcre",
    "pdo",
    "pdo_mysql",
    "pdo_odbc",
    "pgsql",
    "phar",
    "session",
    "soap",
    "sqlite3",
    "suhosin",
    "sysvshm",
    "tidy",
    "uopz",
    "url_rewriter",
    "user_ini",
    "xdebug",
    "xmlrpc",
    "zend",
    "zlib",
];

/// Of these, those that no one else has.
const PECULIAR: &[&str] = &[
    "apcu", "cgi", "fastcgi", "mbstring", "mysqli", "mysqlnd", "opcache", "pcre", "phar", "sqlite3",
    "suhosin", "sysvshm", "uopz", "user_ini", "xdebug", "zend", "zlib",
];

/// Directives without a section.
const DIRECTIVES: &[&str] = &[
    "allow_url_fopen",
    "allow_url_include",
    "always_populate_raw_post_data",
    "asp_tags",
    "auto_append_file",
    "auto_detect_line_endings",
    "auto_globals_jit",
    "auto_prepend_file",
    "browscap",
    "default_charset",
    "default_mimetype",
    "default_socket_timeout",
    "disable_classes",
    "disable_functions",
    "display_errors",
    "display_startup_errors",
    "doc_root",
    "docref_ext",
    "docref_root",
    "enable_dl",
    "enable_post_data_reading",
    "error_append_string",
    "error_log",
    "error_prepend_string",
    "error_reporting",
    "expose_php",
    "extension_dir",
    "fastcgi_logging",
    "file_uploads",
    "hard_timeout",
    "html_errors",
    "ignore_repeated_errors",
    "ignore_user_abort",
    "implicit_flush",
    "include_path",
    "input_encoding",
    "internal_encoding",
    "last_modified",
    "log_errors",
    "log_errors_max_len",
    "magic_quotes_gpc",
    "magic_quotes_runtime",
    "mail_log",
    "max_execution_time",
    "max_file_uploads",
    "max_input_nesting_level",
    "max_input_time",
    "max_input_vars",
    "open_basedir",
    "output_buffering",
    "output_encoding",
    "output_handler",
    "post_max_size",
    "realpath_cache_size",
    "realpath_cache_ttl",
    "register_argc_argv",
    "register_globals",
    "register_long_arrays",
    "report_memleaks",
    "report_zend_debug",
    "request_order",
    "safe_mode",
    "safe_mode_exec_dir",
    "safe_mode_gid",
    "sendmail_from",
    "sendmail_path",
    "serialize_precision",
    "short_open_tag",
    "smtp_port",
    "sql_safe_mode",
    "sys_temp_dir",
    "track_errors",
    "unserialize_callback_func",
    "unserialize_max_depth",
    "upload_max_filesize",
    "upload_tmp_dir",
    "user_dir",
    "variables_order",
    "zend_extension",
];

/// Longest name of a directive.
const NAME_BYTES_MAX: usize = 48;

pub(super) fn scan(bytes: &[u8], surroundings: Context, findings: &mut Findings<'_, PhpSign>) {
    for at in memchr::memchr_iter(b'=', bytes) {
        let head = bytes.get(..at).unwrap_or_default().trim_ascii_end();
        let window = head.get(head.len().saturating_sub(NAME_BYTES_MAX)..).unwrap_or_default();
        let length = window
            .iter()
            .rev()
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
            .count();
        let name = window.get(window.len() - length..).unwrap_or_default();
        if !is_directive(name) || bytes.get(at + 1) == Some(&b'=') {
            continue;
        }
        let before = head.get(..head.len() - length).unwrap_or_default();
        // As a query of the CGI program has it: `-d name=value`, the dash perhaps one that only Windows reads as such.
        let option = before.trim_ascii_end().ends_with(b"d") && before.len() <= 8;
        let sole = surroundings != Context::Prose && (is_punctuation(before) || option);
        let context = if sole { Context::Sole } else { surroundings };
        findings.add(PhpSign::Directive, context, before.len(), length);
        return;
    }
}

/// Whether a value is the name of a directive behind a command line's option, as the name of a query's argument is.
pub fn is_option(name: &[u8]) -> bool {
    let name = name.trim_ascii();
    let Some(space) = name.iter().rposition(u8::is_ascii_whitespace) else { return false };
    let (option, directive) = name.split_at_checked(space).unwrap_or_default();
    option.trim_ascii_end().ends_with(b"d") && option.len() <= 8 && is_directive(directive.trim_ascii())
}

/// What is listed: names, and the beginnings of names with a section.
#[cfg(test)]
pub(super) fn directives() -> impl Iterator<Item = String> {
    let sections = SECTIONS.iter().map(|section| format!("{section}."));
    DIRECTIVES.iter().map(|&name| name.to_owned()).chain(sections)
}

fn is_directive(name: &[u8]) -> bool {
    let known =
        |names: &[&str], name: &[u8]| names.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(name));
    match memchr::memchr(b'.', name).and_then(|dot| name.split_at_checked(dot)) {
        Some((section, rest)) => {
            let setting = rest.get(1..).unwrap_or_default();
            let long = setting.len() >= 5 && setting.contains(&b'_') || known(PECULIAR, section);
            long && known(SECTIONS, section)
        }
        None => name.len() >= 8 && known(DIRECTIVES, name),
    }
}
