//! Rules of PHP injection, and the detector that reports them: it asks the PHP reader what stands in a value and names the
//! protection that the finding belongs to. It must not know how the reader comes to its conclusions.

use waf_languages::language::{Context, Language};
use waf_languages::php::{self, Php, PhpSign};

use crate::evidence::{Evidence, Subject};
use crate::field::{Place, Places};
use crate::rule::{Bucket, Detector, Rule};

mod callbacks;
mod calls;
mod code;
mod uploads;

pub(super) use uploads::names_a_file;

/// The rules, and the detector that reports them.
pub(crate) static BUCKET: Bucket = Bucket {
    rules: &[code::RULES, calls::RULES, callbacks::RULES, uploads::RULES],
    detectors: &[&DETECTOR, &callbacks::DETECTOR],
};

/// Reads PHP, and the names of uploaded files.
static DETECTOR: Detector = Detector {
    name: Php::NAME,
    triggers: &[Php::TRIGGERS, UPLOADS],
    prefilter: Php::PREFILTER,
    places: Places::REQUEST,
    run,
};

/// Names of files that PHP runs or reads by itself.
const UPLOADS: &[&str] = &[".ph", ". ph", "sess_", ".ht", "user.ini"];

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
    // A member that is named like a variable is a label, as reports of crashes have it: nothing is read from it.
    let is_label = subject.place == Place::JsonKey && memchr::memchr2(b'[', b'{', subject.bytes).is_none();
    evidence.scan::<Php, _>(subject, |finding| {
        let context = if is_label { Context::Prose } else { finding.context };
        let any = is_call(finding.sign).then_some(&calls::ANY_CALL);
        any.into_iter().chain(rule(finding.sign, context))
    });
}

const fn is_call(sign: PhpSign) -> bool {
    matches!(sign, PhpSign::DangerousCall | PhpSign::PhpCall | PhpSign::SharedCall | PhpSign::OtherCall)
}

fn rule(sign: PhpSign, context: Context) -> Option<&'static Rule> {
    let prose = context == Context::Prose;
    Some(match sign {
        PhpSign::OpenTag if prose => &code::TAG_IN_TEXT,
        PhpSign::OpenTag => &code::TAG,
        PhpSign::DangerousCall if !prose => &calls::CALL,
        PhpSign::PhpCall | PhpSign::SharedCall if context == Context::Sole => &calls::SOLE_CALL,
        PhpSign::DangerousCall | PhpSign::PhpCall => &calls::CALL_IN_TEXT,
        PhpSign::SharedCall | PhpSign::OtherCall => return None,
        PhpSign::CommentedCall => &calls::COMMENTED,
        PhpSign::TaintedCall if prose => &calls::TAINTED_IN_TEXT,
        PhpSign::TaintedCall => &calls::TAINTED,
        PhpSign::VariableCall if context == Context::Sole => &calls::VARIABLE,
        PhpSign::VariableCall => &calls::VARIABLE_IN_CODE,
        PhpSign::IndirectCall if prose => &calls::EXPRESSION_IN_TEXT,
        PhpSign::IndirectCall => &calls::EXPRESSION,
        PhpSign::Superglobal if prose => &code::SUPERGLOBAL_IN_TEXT,
        PhpSign::Superglobal => &code::SUPERGLOBAL,
        PhpSign::VariableVariable if prose => return None,
        PhpSign::VariableVariable => &code::COMPUTED_NAME,
        PhpSign::Wrapper if prose => &code::WRAPPER_IN_TEXT,
        PhpSign::Wrapper => &code::WRAPPER,
        PhpSign::Serialized => &code::SERIALIZED,
        PhpSign::Directive if context == Context::Sole => &code::DIRECTIVE,
        PhpSign::Directive => &code::DIRECTIVE_IN_TEXT,
    })
}
