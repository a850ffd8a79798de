//! Attacks in the languages of applications and templates, through the whole engine with the default protections, in
//! every coding that applications take off; and what people honestly write about the same languages.
#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "languages/values.rs"]
mod values;

use std::sync::{Arc, OnceLock};

use proptest::prelude::*;
use values::{BENIGN, FRAGMENTS, TEMPLATES};
use waf_detection::Engine;
use waf_detection::body::Completeness;
use waf_detection::budget::Budget;
use waf_detection::field::{Field, Place};
use waf_detection::inspection::{Bounds, Inspection, OnHit};
use waf_shared::catalog::{Leaf, LeafSet};

fn inspection() -> Inspection {
    static ENGINE: OnceLock<Arc<Engine>> = OnceLock::new();
    let engine = Arc::clone(ENGINE.get_or_init(|| Arc::new(waf_detection::rules::engine())));
    Inspection::new(engine, LeafSet::defaults(), Bounds::DEFAULT, OnHit::GoOn, Budget::UNLIMITED)
}

fn reset(inspection: &mut Inspection) {
    inspection.reset(LeafSet::defaults(), Bounds::DEFAULT, OnHit::GoOn, Budget::UNLIMITED);
}

/// The leaves that block `value` in `place`, or an empty list.
fn blocked(inspection: &mut Inspection, place: Place, name: &str, value: &[u8]) -> Vec<Leaf> {
    reset(inspection);
    inspection.field(&Field { place, name: name.as_bytes(), value });
    let verdict = inspection.verdict();
    if verdict.blocks() { verdict.leaves().iter().collect() } else { Vec::new() }
}

fn check_attacks(leaf: Leaf, attacks: &[&str]) {
    let mut inspection = inspection();
    let mut missed = Vec::new();
    for attack in attacks {
        for (place, name) in [
            (Place::Query, "name"),
            (Place::Json, "a.b"),
            (Place::Cookie, "c"),
            (Place::Header, "X-Api-Version"),
        ] {
            if place == Place::Query && attack.contains(['%', '+']) {
                continue;
            }
            if !blocked(&mut inspection, place, name, attack.as_bytes()).contains(&leaf) {
                missed.push(format!("{place}: {attack}"));
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn template_expressions_are_blocked() {
    check_attacks(Leaf::TemplateInjection, TEMPLATES);
}

#[test]
fn java_is_blocked() {
    check_attacks(
        Leaf::JavaInjectionClassAndMethodNames,
        &[
            "java.lang.ProcessBuilder",
            "java.lang.Runtime",
            "javax.script.ScriptEngineManager",
            "java.io.FileInputStream",
            "java.lang.String",
            "org.apache.commons",
            "class.module.classLoader.resources.context.parent.pipeline.first.suffix",
            "com.tangosol.coherence.mvel2.sh.ShellSession(\"java.lang.Runtime.getRuntime().exec('id');\"); new java.io.File('a')",
            "\\u006aava.io.FileReader",
        ],
    );
    check_attacks(
        Leaf::JavaInjectionStruts2RuntimeExec,
        &[
            "(#_memberAccess=@ognl.OgnlContext@DEFAULT_MEMBER_ACCESS)",
            "${(#a=@java.lang.Runtime@getRuntime().exec('id'))}",
            "#context['com.opensymphony.xwork2.dispatcher.HttpServletResponse']",
            "Runtime.getRuntime().exec('id')",
            "println 'id'.execute().text",
            "''.getClass().forName('java.lang.Runtime').getMethods()[6]",
        ],
    );
    check_attacks(
        Leaf::JavaInjectionSerializedObjects,
        &[
            "rO0ABXNyABFqYXZhLnV0aWwuSGFzaE1hcAUH2sHDFmDRAwAC",
            "\u{ac}\u{ed}\0\u{5}sr\0\u{11}java.util.HashMap",
            "aced0005737200116a6176612e7574696c",
            "org.apache.commons.collections.functors.ChainedTransformer",
            "com.sun.org.apache.xalan.internal.xsltc.trax.TemplatesImpl",
            "!!com.sun.rowset.JdbcRowSetImpl {dataSourceName: 'x'}",
        ],
    );
    check_attacks(
        Leaf::JavaInjectionLog4shell,
        &[
            "${jndi:ldap://203.0.113.5/a}",
            "${${lower:j}${upper:n}d${::-i}:ldap://203.0.113.5/a}",
            "${script:javascript:1}",
            "${${::-${::-$${::-j}}}}",
            "\\u0024\\u007bjndi:ldap://203.0.113.5/a}",
        ],
    );
}

#[test]
fn javascript_ruby_and_perl_are_blocked() {
    check_attacks(
        Leaf::JavascriptInjectionEval,
        &[
            "require('child_process').execSync('id')",
            "require('fs').readFileSync('/etc/hosts')",
            "global.process.mainModule.require('child_process')",
            "process.kill(process.pid)",
            "process.binding('spawn_sync')",
            "this.constructor.constructor('return process')().mainModule",
            "import('child_process').then(m => m.exec('id'))",
            "_$$ND_FUNC$$_function(){}()",
            "c\\u006fnsole.log(1)",
        ],
    );
    check_attacks(
        Leaf::JavascriptInfiniteLoops,
        &["while(true){}", "while(!0);", "for(;;){}", "do{}while(1)", "\\u0077hile(true);", "while(!'')"],
    );
    check_attacks(
        Leaf::JavascriptPrototypePollution,
        &[
            "__proto__[admin]=1",
            "a.constructor.prototype.b",
            "{\"__proto__\":{\"isAdmin\":true}}",
            "https://shop.example/#a=b&__proto__[x]=1",
            "\\u005f_proto__.x=1",
        ],
    );
    check_attacks(
        Leaf::RubyInjectionSystemCalls,
        &[
            "Process.spawn('id')",
            "Kernel.exec(\"id\")",
            "IO.popen('id').read",
            "--- !ruby/object:Gem::Installer\ni: x",
        ],
    );
    check_attacks(
        Leaf::PerlInjectionSystemCalls,
        &["@{[system 'id']}", "@{ [ do { `id` } ] }", "@{[CORE::time()]}"],
    );
}

#[test]
fn keys_and_names_are_judged() {
    let mut inspection = inspection();
    for (place, parent, name) in [
        (Place::QueryName, "", "__proto__[x]"),
        (Place::FormName, "", "constructor[prototype][x]"),
        (Place::JsonKey, "user", "__proto__"),
        (Place::JsonKey, "user.constructor", "prototype"),
        (Place::CookieName, "", "__proto__.x"),
    ] {
        let leaves = blocked(&mut inspection, place, parent, name.as_bytes());
        assert!(leaves.contains(&Leaf::JavascriptPrototypePollution), "{place} {name}");
    }
    let leaves = blocked(&mut inspection, Place::QueryName, "", b"java.io.File");
    assert!(leaves.contains(&Leaf::JavaInjectionClassAndMethodNames));
}

#[test]
fn codings_do_not_hide() {
    let mut inspection = inspection();
    let hexed = |text: &str, form: &dyn Fn(u8) -> String| text.bytes().map(form).collect::<String>();
    for (attack, leaf) in [
        ("{{ ''.__class__.__mro__ }}", Leaf::TemplateInjection),
        ("${T(java.lang.Runtime).getRuntime().exec('id')}", Leaf::TemplateInjection),
        ("java.lang.ProcessBuilder", Leaf::JavaInjectionClassAndMethodNames),
        ("while(true){}", Leaf::JavascriptInfiniteLoops),
        ("require('child_process').exec('id')", Leaf::JavascriptInjectionEval),
        ("@{[system 'whoami']}", Leaf::PerlInjectionSystemCalls),
    ] {
        let percent = hexed(attack, &|byte| format!("%{byte:02x}"));
        let base64 = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, attack);
        for (what, value) in [
            ("percent", percent.clone()),
            ("percent twice", percent.replace('%', "%25")),
            ("base64", base64.clone()),
            ("base64 without padding", base64.trim_end_matches('=').to_owned()),
            ("base64 of base64", base64::Engine::encode(&base64::engine::general_purpose::STANDARD, &base64)),
            ("entities", hexed(attack, &|byte| format!("&#{byte};"))),
            ("unicode escapes", hexed(attack, &|byte| format!("\\u{byte:04x}"))),
            ("hexadecimal escapes", hexed(attack, &|byte| format!("\\x{byte:02x}"))),
        ] {
            let leaves = blocked(&mut inspection, Place::Query, "x", value.as_bytes());
            assert!(leaves.contains(&leaf), "{what}: {attack} {leaves:?}");
        }
    }
}

#[test]
fn benign_values_pass() {
    let mut inspection = inspection();
    let mut wrong = Vec::new();
    for (name, value) in BENIGN {
        for place in [Place::Json, Place::Form] {
            // A form writes `+` and `%` differently.
            let coded = value.replace('%', "%25").replace('+', "%2B");
            let bytes = if place == Place::Form { coded.as_bytes() } else { value.as_bytes() };
            let leaves = blocked(&mut inspection, place, name, bytes);
            if !leaves.is_empty() {
                let rules: Vec<_> = inspection.verdict().matches.iter().map(|found| found.rule.id).collect();
                wrong.push(format!("{place}:{name} {value:?}: {rules:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn raw_bodies_of_objects_are_blocked() {
    let mut inspection = inspection();
    for media_type in ["application/x-java-serialized-object", "text/plain", ""] {
        reset(&mut inspection);
        inspection.body(media_type.as_bytes());
        inspection.feed(b"\xac\xed\x00\x05sr\x00\x11java.util.HashMap\x05\x07");
        inspection.finish_body(Completeness::Whole);
        assert!(inspection.verdict().blocks(), "{media_type}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_value_is_judged_within_its_bounds(parts in prop::collection::vec(prop::sample::select(FRAGMENTS), 0..60), torn in 0usize..4) {
        let value = parts.concat();
        let value = value.as_bytes().get(torn..).unwrap_or_default();
        let mut inspection = inspection();
        for place in [Place::Json, Place::FileName, Place::QueryName] {
            inspection.field(&Field { place, name: b"a.constructor", value });
        }
        for found in &inspection.verdict().matches {
            prop_assert!(!found.rule.id.is_empty() && found.excerpt.len() <= value.len() * 4 + 64);
        }
    }
}
