//! Exceptions of the configuration: what they become in the plan, what `effective` shows, and what the linter says.

use std::path::Path;

use waf_compiler::check_request::Outcome;
use waf_compiler::date::Date;
use waf_compiler::{Options, compile_text};
use waf_shared::catalog::Leaf;
use waf_shared::plan::Plan;

use crate::common::{self, check, compile, plan, warnings};

const CONFIG: &str = r#"version: v1alpha1
global:
  exceptions:
    - protections: [sql-injection]
      in: ["ARGS:content", "JSON:post.*"]
      paths: [/blog/**]
      reason: articles about databases
routes:
  - id: blog
    match: {paths: [/blog/*]}
    upstream: http://a
    exceptions:
      - {rules: [cross-site-scripting-script-tags/element], in: ["ARGS:html"], methods: [POST, PUT]}
      - protections: [sql-injection]
        in: ["ARGS:content", "HEADERS:X-Note"]
        expires: 2099-12-31
  - id: rest
    upstream: http://a
"#;

fn named<'p>(plan: &'p Plan, id: &str) -> Vec<&'p str> {
    let route = plan.routes.iter().find(|route| route.id.0 == id).unwrap();
    plan.exceptions_of(route).map(|exception| exception.name.as_str()).collect()
}

/// A file with these exceptions on its only route, as lines of one entry each.
fn with(entries: &[&str]) -> String {
    let list: String = entries.iter().flat_map(|entry| ["      - {", entry, "}\n"]).collect();
    format!("version: v1alpha1\nroutes:\n  - id: x\n    upstream: http://a\n    exceptions:\n{list}")
}

#[test]
fn exceptions_become_a_table_of_the_plan() {
    let plan = plan(CONFIG);
    assert_eq!(plan.exceptions.len(), 3);
    assert_eq!(named(&plan, "rest"), ["sql-injection in ARGS:content+1"]);
    let own = [
        "sql-injection in ARGS:content+1",
        "cross-site-scripting-script-tags/element in ARGS:html",
        "sql-injection in ARGS:content+1 (2)",
    ];
    assert_eq!(named(&plan, "blog"), own);
    let [global, rule, _] = plan.exceptions.as_slice() else { panic!("three") };
    assert!(global.leaves.contains(Leaf::SqlInjectionUnionSelect) && global.rules.is_empty());
    assert_eq!((global.places.len(), global.paths.len(), rule.methods.len()), (2, 1, 2));
    assert!(rule.leaves.is_empty() && rule.rules == ["cross-site-scripting-script-tags/element"]);
}

#[test]
fn effective_shows_the_exceptions_of_a_route_with_their_lines() {
    let compiled = compile(CONFIG).unwrap();
    let text = compiled.effective("blog").unwrap();
    let shown = text.split_once("exceptions:\n").unwrap().1.lines().take(3).collect::<Vec<_>>();
    assert_eq!(
        shown,
        [
            r#"  - {protections: ["sql-injection"], in: ["ARGS:content", "JSON:post.*"], paths: ["/blog/**"], reason: "articles about databases"} # line 4"#,
            r#"  - {rules: ["cross-site-scripting-script-tags/element"], in: ["ARGS:html"], methods: ["POST", "PUT"]} # line 13"#,
            r#"  - {protections: ["sql-injection"], in: ["ARGS:content", "HEADERS:X-Note"], expires: 2099-12-31} # line 14"#,
        ]
    );
    let rest = compiled.effective("rest").unwrap();
    assert_eq!(rest.matches("  - {").count(), 1);
    assert!(!compile(&with(&[])).unwrap().effective("x").unwrap().contains("exceptions"));
}

#[test]
fn what_an_exception_names_must_exist() {
    let sql = "protections: [sql-injection]";
    check(
        &with(&[
            "in: ['ARGS:q']",
            "protections: [sql-injectoin], in: ['ARGS:q']",
            "rules: [sql-injection-generic/bare-qury], in: ['ARGS:q']",
            sql,
            "protections: [sql-injection], in: []",
            "protections: [sql-injection], in: ['ARG:q', 'REQUEST_HEADERS:x', 'json:a', 'Q']",
            "protections: [sql-injection], in: ['PATH:/x', HEADERS, 'ARGS:', 'ARGS:a**']",
            "protections: [sql-injection], in: ['ARGS:q'], expires: 2026-02-30",
            "protections: [sql-injection], in: ['ARGS:q'], paths: [x], methods: ['a b']",
            "protection: [sql-injection], in: ['ARGS:q']",
        ]),
        &[
            (6, &["routes[x].exceptions[0]: `protections` or `rules` is required"]),
            (7, &["routes[x].exceptions[1].protections", "did you mean `sql-injection`?"]),
            (8, &["is not the id of a rule", "did you mean `sql-injection-generic/bare-query`?"]),
            (9, &["routes[x].exceptions[3].in is required"]),
            (10, &["routes[x].exceptions[4].in must contain at least one place"]),
            (11, &["`ARG:q`", "did you mean `ARGS`?"]),
            (11, &["`REQUEST_HEADERS:x`", "did you mean `HEADERS`?"]),
            (11, &["`json:a`", "did you mean `JSON`?"]),
            (11, &["`Q` is not a place as events write it"]),
            (12, &["`PATH:/x` has a name, and values of PATH have none"]),
            (12, &["`HEADERS` needs a name", "write `HEADERS:name`"]),
            (12, &["`ARGS:` needs a name of 1 to 1024 bytes"]),
            (12, &["`ARGS:a**` has more than 8 wildcards, or two in a row"]),
            (13, &["`2026-02-30` is not a date of the form `YYYY-MM-DD`"]),
            (14, &["`a b` is not a valid HTTP method"]),
            (14, &["must start with `/`"]),
            (15, &["unknown field `protection`", "did you mean `protections`?"]),
            (15, &["`protections` or `rules` is required"]),
        ],
    );
}

#[test]
fn exceptions_are_bounded_in_number_and_length() {
    let one = "protections: [sql-injection], in: ['ARGS:q']";
    assert!(compile(&with(&[one; 256])).is_ok());
    check(&with(&[one; 257]), &[(5, &["routes[x]: a route has at most 256 exceptions", "there are 257"])]);
    let shared = with(&[one; 200]).replace(
        "routes:",
        &format!("global:\n  exceptions:\n{}routes:", format!("    - {{{one}}}\n").repeat(57)),
    );
    check(&shared, &[(64, &["there are 257"])]);
    let places = vec!["'ARGS:q'"; 65].join(", ");
    let long = format!("protections: [sql-injection], in: [{places}]");
    check(&with(&[&long]), &[(6, &["routes[x].exceptions[0].in must have <= 64 entries, got 65"])]);
}

#[test]
fn exceptions_that_take_nothing_away_are_reported() {
    let case = |entries: &[&str], expected: &[(u32, &[&str])]| {
        let text = with(entries)
            .replace("    exceptions:", "    disable: [php]\n    match: {paths: [/a/*]}\n    exceptions:");
        common::compare(&text, &warnings(&text), expected);
    };
    case(
        &[
            "protections: [php], in: ['ARGS:q']",
            "rules: [php-injection-open-tags/tag, sql-injection-generic/bare-query], in: ['ARGS:q']",
            "protections: [json-parsing], in: ['JSON:a']",
            "protections: [http-compliance-content-length], in: ['HEADERS:content-length']",
            "protections: [sql-injection-generic], in: ['RESPONSE_BODY', 'ARGS:q']",
            "protections: [scanner-detection-user-agent], in: ['ARGS:q']",
            "protections: [sql-injection], in: ['ARGS:q'], methods: [BREW, POST], paths: [/b/*, /a/b]",
            "protections: [sql-injection, php], in: ['ARGS:q']",
        ],
        &[
            (8, &["`php` has no effect", "off"]),
            (9, &["`php-injection-open-tags/tag` has no effect: `php-injection-open-tags` is off"]),
            (10, &["`json-parsing` has no effect", "a limit or a check of the whole message"]),
            (11, &["`http-compliance-content-length` has no effect: a message whose length is in doubt"]),
            (12, &["`RESPONSE_BODY` has no effect: no rule of the exception looks there"]),
            (13, &["`ARGS:q` has no effect: no rule of the exception looks there"]),
            (14, &["`BREW` has no effect: accept.methods does not list it"]),
            (14, &["`/b/*` has no effect: the route serves no such path"]),
            (15, &["`php` has no effect"]),
        ],
    );
    case(
        &["protections: [sql-injection], in: ['ARGS:q', 'JSON:a.*', 'COOKIES:c', BODY], paths: [/a/x/*]"],
        &[],
    );
}

#[test]
fn exceptions_of_whole_families_on_every_route_are_reported() {
    let global = |entry: &str| {
        format!(
            "version: v1alpha1\nglobal:\n  exceptions:\n    - {{{entry}}}\nroutes:\n  - upstream: http://a\n"
        )
    };
    let text = global("protections: [sql-injection, php, sql], in: ['ARGS:q']");
    common::compare(
        &text,
        &warnings(&text),
        &[(4, &["whole family `php` away on every route"]), (4, &["whole family `sql`"])],
    );
    for narrow in [
        "protections: [sql-injection], in: ['ARGS:q']",
        "protections: [sql], in: ['ARGS:q'], paths: [/a/*]",
        "rules: [sql-injection-generic/bare-query], in: ['ARGS:*']",
    ] {
        assert!(warnings(&global(narrow)).is_empty(), "{narrow}");
    }
}

#[test]
fn an_expired_exception_holds_and_warns() {
    let text = with(&["protections: [sql-injection], in: ['ARGS:q'], expires: 2026-11-23"]);
    for (today, is_expired) in
        [("2026-11-22", false), ("2026-11-23", true), ("2026-11-24", true), ("2030-01-01", true)]
    {
        let today = Date::parse(today).unwrap();
        let options = Options { host_checks: false, today, ..Options::default() };
        let compiled = compile_text("t", &text, Path::new("."), &options).unwrap();
        let shown: Vec<String> = compiled.warnings.iter().map(ToString::to_string).collect();
        let expected = "t:6: warning: routes[x].exceptions[0] expired on 2026-11-23: it still holds; see if it is needed, and delete it or set a later date";
        assert_eq!(shown == [expected], is_expired, "{shown:?}");
        assert_eq!(compiled.warnings.first().map(|warning| warning.code), is_expired.then_some("expired"));
        assert_eq!(
            (compiled.plan.exceptions.len(), compiled.digest),
            (1, common::compile(&text).unwrap().digest)
        );
    }
}

#[test]
fn a_recorded_request_shows_what_an_exception_spares() {
    let text = with(&["protections: [sql-injection], in: ['ARGS:content'], methods: [POST]"]);
    let compiled = compile(&text).unwrap();
    let attack = "1' union select password from users--";
    let request = |method: &str, name: &str| {
        format!(
            "{method} /a HTTP/1.1\nHost: a.example\nContent-Type: application/x-www-form-urlencoded\n\n{name}={attack}"
        )
    };
    for (method, name, passes) in [
        ("POST", "content", true),
        ("POST", "Content", false),
        ("POST", "content2", false),
        ("PUT", "content", false),
        ("POST", "content=x&other", false),
    ] {
        let explanation = compiled.explain(request(method, name).as_bytes());
        assert_eq!(explanation.outcome == Outcome::Passed, passes, "{method} {name}: {}", explanation.text);
        let spared = "spared by the exception sql-injection in ARGS:content";
        assert_eq!(explanation.text.contains(spared), passes, "{}", explanation.text);
    }
}
