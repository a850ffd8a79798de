//! Rules of PHP injection, and the detector that reports them: it asks the PHP reader what stands in a value and names the
//! protection that the finding belongs to. It must not know how the reader comes to its conclusions.

use crate::evidence::{Evidence, Subject};
use crate::field::{Place, Places};
use crate::lang::php::{self, Finding, Setting, Sign};
use crate::rule::{Detector, Prefilter, Rule};

mod calls;
mod code;
mod uploads;

pub(super) use uploads::names_a_file;

/// The rules.
pub static RULES: &[&Rule] = &[
    &code::TAG,
    &code::TAG_IN_TEXT,
    &code::DIRECTIVE,
    &code::DIRECTIVE_IN_TEXT,
    &code::COMMAND_LINE,
    &code::SUPERGLOBAL,
    &code::SUPERGLOBAL_IN_TEXT,
    &code::SUPERGLOBAL_PARAMETER,
    &code::COMPUTED_NAME,
    &code::WRAPPER,
    &code::WRAPPER_IN_TEXT,
    &code::SERIALIZED,
    &calls::CALL,
    &calls::CALL_IN_TEXT,
    &calls::SOLE_CALL,
    &calls::COMMENTED,
    &calls::TAINTED,
    &calls::TAINTED_IN_TEXT,
    &calls::ANY_CALL,
    &calls::VARIABLE,
    &calls::VARIABLE_IN_CODE,
    &calls::EXPRESSION,
    &calls::EXPRESSION_IN_TEXT,
    &uploads::SCRIPT,
    &uploads::HIDDEN_SCRIPT,
    &uploads::SESSION,
    &uploads::CONFIGURATION,
];

/// Runs the PHP reader.
pub static DETECTOR: Detector = Detector { name: "php", triggers: TRIGGERS, places: Places::REQUEST, run };

/// Spares it the parentheses of prose.
pub static PREFILTER: Prefilter =
    Prefilter { detector: &DETECTOR, triggers: &["("], may_match: php::may_call };

const TRIGGERS: &[&str] = &[
    "<?",
    "$_",
    "${",
    "$ ",
    "$\t",
    "$\n",
    "$\r",
    "$\x0c",
    "globals",
    "$argv",
    "$php_self",
    "$http_",
    "php]",
    "php}",
    "php://",
    "phar://",
    "zip://",
    "rar://",
    "ogg://",
    "zlib://",
    "bzip2://",
    "expect://",
    "glob://",
    "compress.",
    "ssh2.",
    ":{",
    "e:1",
    "e:2",
    "e:3",
    ".ph",
    ". ph",
    "sess_",
    ".ht",
    "user.ini",
    "allow_url",
    "auto_",
    "session.",
    "mbstring.",
    "opcache.",
    "zend",
    "assert.",
    "phar.",
    "pcre.",
    "mail.",
    "cgi.",
    "fastcgi",
    "disable_",
    "display_",
    "error_",
    "open_basedir",
    "extension_dir",
    "include_path",
    "safe_mode",
    "register_",
    "magic_quotes",
    "max_input",
    "max_file",
    "max_execution",
    "memory_limit",
    "post_max",
    "upload_",
    "user_dir",
    "short_open_tag",
    "expose_php",
    "file_uploads",
    "enable_",
    "doc_root",
    "docref_",
    "output_",
    "sendmail_",
    "xdebug.",
    "suhosin.",
    "url_rewriter.",
    "arg_separator.",
    "soap.",
    "mysqli.",
    "mysqlnd.",
    "pgsql.",
    "odbc.",
    "oci8.",
    "openssl.",
    "unserialize_",
    "variables_order",
    "request_order",
    "html_errors",
    "log_errors",
    "implicit_flush",
    "asp_tags",
    "sys_temp_dir",
    "smtp_port",
    "zlib.",
    "highlight.",
    "user_ini.",
    "sqlite3.",
    "sysvshm.",
    "iconv.",
    "realpath_cache",
    "track_errors",
    "browscap",
    "hard_timeout",
    "default_",
    "apc.",
    "apcu.",
    "bcmath.",
    "curl.",
    "dba.",
    "exif.",
    "ffi.",
    "filter.",
    "ibase.",
    "intl.",
    "ldap.",
    "mcrypt.",
    "memcache.",
    "mysql.",
    "pdo.",
    "pdo_mysql.",
    "tidy.",
    "uopz.",
    "xmlrpc.",
    "always_populate",
    "ignore_",
    "input_encoding",
    "internal_encoding",
    "last_modified",
    "mail_log",
    "report_memleaks",
    "serialize_precision",
    "_env[",
    "_server[",
    "_get[",
    "_post[",
    "_session[",
    "_request[",
    "_files[",
    "_cookie[",
    "_vars[",
    "http_raw_post_data",
    "php_self[",
];

fn run(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    match subject.place {
        Place::QueryName | Place::FormName | Place::CookieName => {
            if code::is_superglobal_parameter(subject.bytes) {
                evidence.found(&code::SUPERGLOBAL_PARAMETER, 0, subject.bytes.len());
            }
            if php::is_option(subject.bytes) {
                evidence.found(&code::COMMAND_LINE, 0, subject.bytes.len());
            }
        }
        Place::FileName => uploads::judge(subject.bytes, evidence),
        Place::Header if uploads::names_a_file(subject.name) => uploads::judge(subject.bytes, evidence),
        _ => {}
    }
    php::inspect(subject.bytes, &mut |finding| {
        report(&finding, evidence);
    });
}

fn report(finding: &Finding, evidence: &mut Evidence<'_>) {
    let mut found = |rule| evidence.found(rule, finding.offset, finding.length);
    if is_call(finding.sign) {
        found(&calls::ANY_CALL);
    }
    if let Some(rule) = rule(finding.sign, finding.setting) {
        found(rule);
    }
}

const fn is_call(sign: Sign) -> bool {
    matches!(sign, Sign::DangerousCall | Sign::PhpCall | Sign::SharedCall | Sign::OtherCall)
}

fn rule(sign: Sign, setting: Setting) -> Option<&'static Rule> {
    let prose = setting == Setting::Prose;
    Some(match sign {
        Sign::OpenTag if prose => &code::TAG_IN_TEXT,
        Sign::OpenTag => &code::TAG,
        Sign::DangerousCall if !prose => &calls::CALL,
        Sign::PhpCall | Sign::SharedCall if setting == Setting::Sole => &calls::SOLE_CALL,
        Sign::DangerousCall | Sign::PhpCall => &calls::CALL_IN_TEXT,
        Sign::SharedCall | Sign::OtherCall => return None,
        Sign::CommentedCall => &calls::COMMENTED,
        Sign::TaintedCall if prose => &calls::TAINTED_IN_TEXT,
        Sign::TaintedCall => &calls::TAINTED,
        Sign::VariableCall if setting == Setting::Sole => &calls::VARIABLE,
        Sign::VariableCall => &calls::VARIABLE_IN_CODE,
        Sign::IndirectCall if prose => &calls::EXPRESSION_IN_TEXT,
        Sign::IndirectCall => &calls::EXPRESSION,
        Sign::Superglobal if prose => &code::SUPERGLOBAL_IN_TEXT,
        Sign::Superglobal => &code::SUPERGLOBAL,
        Sign::VariableVariable if prose => return None,
        Sign::VariableVariable => &code::COMPUTED_NAME,
        Sign::Wrapper if prose => &code::WRAPPER_IN_TEXT,
        Sign::Wrapper => &code::WRAPPER,
        Sign::Serialized => &code::SERIALIZED,
        Sign::Directive if setting == Setting::Sole => &code::DIRECTIVE,
        Sign::Directive => &code::DIRECTIVE_IN_TEXT,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the lists hold and no literal wakes the detector for would never be found.
    #[test]
    fn every_listed_name_holds_a_trigger() {
        let assigned = php::directives().map(|name| format!("{name}=1"));
        let named = php::superglobals().filter(|&name| name != "argv").map(|name| format!("{name}["));
        let asleep: Vec<_> = assigned
            .chain(named)
            .filter(|value| !TRIGGERS.iter().any(|trigger| value.contains(trigger)))
            .collect();
        assert!(asleep.is_empty(), "{asleep:?}");
    }
}
