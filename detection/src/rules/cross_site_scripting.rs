//! Rules of this bucket and the detector that reports them: what the conclusions of [`waf_languages::html`] and
//! [`waf_languages::script`] weigh.

use waf_languages::html::{Charset, CharsetSign, Html};
use waf_languages::language::Language;
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
#[cfg(test)]
mod tests;

/// The rules, and the detector that reports them.
pub(crate) static BUCKET: Bucket =
    Bucket { rules: &[html::RULES, javascript::RULES, encoding::RULES], detectors: &[&DETECTOR] };

/// Reads markup and script, and the encodings that hide them.
static DETECTOR: Detector = Detector {
    name: Html::NAME,
    triggers: &[Html::TRIGGERS, Javascript::TRIGGERS, Angular::TRIGGERS, Charset::TRIGGERS, Jsfuck::TRIGGERS],
    prefilter: None,
    places: Places::REQUEST,
    run,
};

fn run(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    evidence.scan::<Html, _>(subject, |finding| Some(html::rule(finding.sign)));
    if !is_still_encoded(subject) {
        evidence.scan::<Javascript, _>(subject, |found| Some(javascript::rule(found.sign, found.context)));
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

/// Whether a decoded view of the same value is judged too. What stands between words is what tells script from prose, and
/// `+` and `%20` say nothing about that.
fn is_still_encoded(subject: &Subject<'_>) -> bool {
    let form = matches!(subject.place, Place::Query | Place::QueryName | Place::Form | Place::FormName);
    form && subject.view == View::Raw && memchr::memchr2(b'+', b'%', subject.bytes).is_some()
}
