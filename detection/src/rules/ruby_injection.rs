//! Rules about Ruby code and objects in a value, and the detector that reports them. Templates with Ruby in them belong to
//! the template rules.

use waf_languages::language::Context;
use waf_languages::ruby::{Ruby, RubySign};
use waf_shared::catalog::Leaf;

use crate::evidence::{Evidence, Subject};
use crate::field::Places;
use crate::rule::{Bucket, Detector, Rule, RuleMatcher, STRONG};

/// The rules, and the detector that reports them.
pub(crate) static BUCKET: Bucket =
    Bucket { rules: &[&[&CALL, &CALL_IN_TEXT, &YAML_OBJECT, &MARSHAL]], detectors: &[&DETECTOR] };

/// Reads calls of Ruby.
static DETECTOR: Detector = Detector::of::<Ruby>(Places::REQUEST, run);

fn run(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    evidence.scan::<Ruby, _>(subject, |finding| {
        let RubySign::Call = finding.sign;
        Some(if finding.context == Context::Prose { &CALL_IN_TEXT } else { &CALL })
    });
}

static CALL: Rule = Rule {
    id: "ruby-injection-system-calls/call",
    leaf: Leaf::RubyInjectionSystemCalls,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A call of Ruby that starts a process or evaluates code.",
    attacks: &[
        "Process.spawn(\"id\")",
        "Kernel.exec('id')",
        "IO.popen('id').read",
        "Open3.capture2('id')",
        "Kernel . system ( 'id' )",
        "%x(id)",
        "x.send(:system, 'id')",
        "IO.read('|id')",
    ],
    benign: &[
        "We use Process.spawn(cmd) in our runner for this",
        "The Kernel.system method is documented",
        "process.spawn",
        "100%x",
        "IO.popen",
        "mail.send(:now)",
    ],
};

static CALL_IN_TEXT: Rule = Rule {
    id: "ruby-injection-system-calls/call-in-text",
    leaf: Leaf::RubyInjectionSystemCalls,
    weight: 1,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A text quotes a call of Ruby that starts a process or evaluates code.",
    attacks: &[
        "We use Process.spawn(cmd) in our runner for this",
        "my colleague says that IO.popen('id') is not safe",
        "you should never write Kernel.exec(params) in your code",
    ],
    benign: &["the process will spawn many others", "the kernel of the system", "open the file and read it"],
};

static YAML_OBJECT: Rule = Rule {
    id: "ruby-injection-system-calls/yaml-object",
    leaf: Leaf::RubyInjectionSystemCalls,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r"!ruby/(?:object|hash|struct|class|module|exception|array|sym|regexp|range)\b[a-z0-9-]*:?",
        literals: &["!ruby/"],
    },
    summary: "A YAML tag that makes a Ruby parser instantiate a class.",
    attacks: &[
        "--- !ruby/object:Gem::Installer\ni: x",
        "!ruby/hash:ActionController::Parameters {}",
        "!ruby/struct:X",
    ],
    benign: &["I love ruby!", "!ruby/ is a tag", "gems/ruby/object"],
};

static MARSHAL: Rule = Rule {
    id: "ruby-injection-system-calls/marshalled-object",
    leaf: Leaf::RubyInjectionSystemCalls,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        // Version 4.8, then an object of a named class, raw or in base64.
        // A class of the chains may be deeper in it.
        regex: r"(?-i)\x04\x08[oU]:[\x05-\x60][A-Z][A-Za-z0-9:]{3}|\x04\x08[\x00-\xff]{1,400}?[oUeC]:(?:\xc2?[\x05-\xff])(?:Gem|Net|ERB|Arel|Sprockets|Kernel|Process|UncaughtThrowError|ActiveSupport::Deprecation|ActiveSupport::Cache|ActiveModel::AttributeMethods|Rails::Secrets|Rack::Session)\b|(?:^|[^A-Za-z0-9+/])BAh(?:[vV]O[g-j][A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{1,400}?(?:R2VtOj|HZW06O|dlbTo6|TmV0Oj|OZXQ6O|5ldDo6))",
        literals: &["\u{4}\u{8}", "bahvo", "r2vtoj", "hzw06o", "dlbto6", "tmv0oj", "ozxq6o", "5lddo6"],
    },
    summary: "A marshalled Ruby object of a named class.",
    attacks: &[
        "\u{4}\u{8}o:\u{15}Gem::SpecFetcher",
        "\u{4}\u{8}U:\u{15}Gem::Requirement",
        "BAhvOhVHZW06OlNwZWNGZXRjaGVy",
        "BAhbB286FUdlbTo6U3BlY0ZldGNoZXIA",
        "\u{4}\u{8}[\u{7}o:\u{15}Gem::SpecFetcher\0",
    ],
    benign: &["\u{4}\u{8}", "BAhpBg==", "o:Gem::Requirement"],
};
