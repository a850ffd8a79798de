//! Rules of this bucket and the detector that reports them: what the conclusions of [`waf_languages::html`] and
//! [`waf_languages::script`] weigh.

use waf_languages::html::{Charset, CharsetSign, Html};
use waf_languages::language::{Context, Language};
use waf_languages::script::Javascript;
use waf_languages::script::angular::Angular;
use waf_languages::script::jsfuck::Jsfuck;

use crate::evidence::{Evidence, Subject};
use crate::field::{Place, Places};
use crate::rule::{Bucket, Detector};
use crate::view::View;

mod encoding;
mod html;
mod javascript;
mod markup;
#[cfg(test)]
mod tests;

/// The rules, and the detector that reports them.
pub(crate) static BUCKET: Bucket = Bucket {
    rules: &[html::RULES, javascript::RULES, markup::RULES, encoding::RULES],
    detectors: &[&DETECTOR],
};

/// Reads markup and script, and the encodings that hide them.
static DETECTOR: Detector = Detector {
    name: Html::NAME,
    triggers: &[Html::TRIGGERS, Javascript::TRIGGERS, Angular::TRIGGERS, Charset::TRIGGERS, Jsfuck::TRIGGERS],
    prefilter: None,
    places: Places::REQUEST_AND_FILES,
    run,
};

fn run(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    evidence.scan::<Html, _>(subject, |finding| Some(html::rule(finding.sign)));
    if !is_still_encoded(subject) {
        let is_sample = is_sample_of_script(subject);
        evidence.scan::<Javascript, _>(subject, |found| {
            let context = if is_sample { Context::Prose } else { found.context };
            Some(javascript::rule(found.sign, context))
        });
    }
    evidence.scan::<Angular, _>(subject, |_| Some(&javascript::TEMPLATE_EXPRESSION));
    evidence.scan::<Charset, _>(subject, |finding| {
        Some(match finding.sign {
            CharsetSign::Utf7 => &encoding::UTF7,
            CharsetSign::UsAscii => &encoding::US_ASCII,
        })
    });
    evidence.scan::<Jsfuck, _>(subject, |_| Some(&encoding::JSFUCK));
}

/// Characters of a script that a report quotes (CSP level 3, section 5.3).
const SAMPLE_CHARACTERS_MAX: usize = 40;

/// Returns `true` for the beginning of a script that a browser quotes in a report about a violated policy.
fn is_sample_of_script(subject: &Subject<'_>) -> bool {
    let characters = subject.bytes.iter().filter(|byte| !matches!(byte, 0x80..=0xbf)).count();
    subject.place == Place::Json
        && [&b"csp-report.script-sample"[..], b"body.sample"].contains(&subject.name)
        && characters <= SAMPLE_CHARACTERS_MAX
}

/// Returns `true` if a decoded view of the same value is judged too. The bytes between words distinguish script from prose, and
/// `+` and `%20` say nothing about that.
fn is_still_encoded(subject: &Subject<'_>) -> bool {
    let form = matches!(subject.place, Place::Query | Place::QueryName | Place::Form | Place::FormName);
    form && subject.view == View::Raw && memchr::memchr2(b'+', b'%', subject.bytes).is_some()
}
