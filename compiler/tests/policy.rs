//! Policy tests: what holds, what fails and how it is reported, and files that are at fault.

use waf_compiler::policy::Report;
use waf_compiler::{Options, compile_file};

use crate::common::compile;

const CONFIG: &str = "version: v1alpha1
routes:
  - id: reports
    match: {paths: [/reports/*]}
    upstream: http://a
    accept: {methods: [GET, POST], content_types: [application/json, application/x-www-form-urlencoded], max_body_size: 200B}
    exceptions:
      - {protections: [sql-injection], in: ['ARGS:query'], methods: [POST]}
  - id: watched
    match: {paths: [/watched]}
    mode: detect_only
    upstream: http://a
  - id: rest
    match: {paths: [/rest, /admin/**]}
    upstream: http://a
";

const HOLDS: &str = r#"tests:
  - name: queries of reports pass
    request: POST /reports/run
    body: query=select+name+from+users+union+select+1
    expect: {verdict: passes, route: reports}
  - request: POST /reports/run
    body: name=1'+union+select+password+from+users--
    expect: {verdict: refused, status: 403, route: reports, rule: sql-injection-union-select/union, protection: sql}
  - request: POST /reports/run
    body: '{"query":"1'' union select password from users--"}'
    expect: {verdict: refused, protection: sql-injection-union-select}
  - request: PUT /reports/run
    expect: {verdict: refused, status: 405, protection: request-validation-allowed-methods}
  - request: POST /reports/run
    headers: {Content-Type: text/xml}
    body: <a/>
    expect: {verdict: refused, status: 415}
  - request: POST /reports/run
    headers: {Content-Type: application/json}
    body: '{"a":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}'
    expect: {verdict: refused, status: 413}
  - request: GET /watched?q=%3Cscript%3Ealert(1)%3C/script%3E
    expect: {verdict: detected, route: watched, protection: cross-site-scripting}
  - request: GET /nowhere
    expect: {verdict: refused, status: 404}
  - request: GET /rest/..%2fadmin/x
    expect: {verdict: refused, status: 400}
  - name: a raw request
    raw: |
      GET /rest HTTP/1.1
      Host: a.example
      User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0
      Accept: */*
      Cookie: a=() { :; }; /bin/cat /etc/passwd
    expect: {verdict: refused, protection: command-injection}
  - request: GET /rest?q=hello
    expect: {verdict: passes, route: rest}
"#;

fn run(tests: &str) -> Report {
    compile(CONFIG).unwrap().policy_tests_of("tests.yaml", tests)
}

#[test]
fn tests_that_hold_pass() {
    let report = run(HOLDS);
    assert!(report.is_ok(), "{}", report.text());
    assert_eq!((report.text().as_str(), report.tests.len()), ("11 passed, 0 failed\n", 11));
}

#[test]
fn every_expectation_can_fail() {
    for (expect, difference) in [
        ("{verdict: passes}", "the verdict is refused, expected passes"),
        ("{verdict: detected}", "the verdict is refused, expected detected"),
        ("{verdict: refused, status: 404}", "the status is 403, expected 404"),
        ("{verdict: refused, route: rest}", "the route is reports, expected rest"),
        ("{verdict: refused, rule: sql-injection-generic/bare-query}", "the list of rules is"),
        ("{verdict: refused, protection: php}", "the list of protections is"),
    ] {
        let tests = format!(
            "tests:\n  - request: POST /reports/run\n    body: a=1'+union+select+password+from+users--\n    expect: {expect}\n"
        );
        let report = run(&tests);
        let differences: Vec<&String> = report.failed().flat_map(|test| &test.differences).collect();
        assert!(matches!(differences.as_slice(), [one] if one.starts_with(difference)), "{differences:?}");
        let text = report.text();
        assert!(
            text.starts_with("tests.yaml:2: POST /reports/run: ") && text.ends_with("0 passed, 1 failed\n"),
            "{text}"
        );
        assert!(text.contains("got: refused with 403 on route reports: "), "{text}");
    }
}

#[test]
fn results_have_forms_for_programs() {
    let report = run(&HOLDS
        .replace("name: a raw request", "name: 'a <raw> & \"odd\" request'")
        .replace("{verdict: passes, route: rest}", "{verdict: refused}"));
    let json: serde_json::Value = serde_json::from_str(&report.json()).unwrap();
    assert_eq!((&json["passed"], json["tests"].as_array().unwrap().len()), (&false.into(), 11));
    assert_eq!(json["tests"][10]["differences"][0], "the verdict is passes, expected refused");
    let junit = report.junit();
    assert!(
        junit.contains("<testsuite name=\"waf-compile\" tests=\"11\" failures=\"1\" errors=\"0\">"),
        "{junit}"
    );
    assert!(junit.contains("name=\"a &lt;raw&gt; &amp; &quot;odd&quot; request\"/>"), "{junit}");
    assert_eq!(junit.matches("<failure ").count(), 1);
}

#[test]
fn files_at_fault_fail() {
    for (tests, expected) in [
        ("", "tests.yaml:1: "),
        ("tests: []\n", "tests.yaml:1: tests must contain at least one test"),
        ("tests:\n  - expect: {verdict: passes}\n", "tests.yaml:2: tests[0]: `request` or `raw` is required"),
        (
            "tests:\n  - request: GET /\n    raw: GET /\n    expect: {verdict: passes}\n",
            "tests.yaml:3: tests[0]: `request` and `raw` exclude each other",
        ),
        (
            "tests:\n  - request: GET\n    expect: {verdict: passes}\n",
            "tests.yaml:2: tests[0].request: `GET` is not a method and a target",
        ),
        ("tests:\n  - request: GET /\n", "tests.yaml:2: tests[0].expect is required"),
        (
            "tests:\n  - request: GET /\n    expect: {verdict: pass}\n",
            "tests.yaml:3: tests[0].expect.verdict must be",
        ),
        (
            "tests:\n  - request: GET /\n    expect: {verdict: refused, rule: x}\n",
            "tests.yaml:3: tests[0].expect.rule: `x` is not the id of a rule",
        ),
        (
            "tests:\n  - request: GET /\n    expect: {verdict: refused, status: 99}\n",
            "tests.yaml:3: tests[0].expect.status must be 100-599",
        ),
    ] {
        let report = run(tests);
        let text = report.text();
        assert!(!report.is_ok() && text.starts_with(expected), "{tests}\n{text}");
    }
}

#[test]
fn a_configuration_from_a_file_has_to_pass_its_tests() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("waf.yaml"), CONFIG).unwrap();
    std::fs::write(path("good.yaml"), HOLDS).unwrap();
    std::fs::write(path("bad.yaml"), HOLDS.replace("verdict: detected", "verdict: refused")).unwrap();
    let compiled = |names: &[&str]| {
        let policy_tests = names.iter().map(|name| path(name)).collect();
        let options = Options { host_checks: false, policy_tests, ..Options::default() };
        compile_file(&path("waf.yaml"), &options)
    };
    assert_eq!(
        compiled(&["good.yaml"]).unwrap().files,
        [path("good.yaml")],
        "a change of the tests is a change"
    );
    let failed = compiled(&["good.yaml", "bad.yaml"]).unwrap_err();
    let shown: Vec<(String, &str)> = failed.iter().map(|found| (found.to_string(), found.code)).collect();
    assert!(
        matches!(shown.as_slice(), [(text, "policy-test")]
            if text.contains("bad.yaml:22: GET /watched") && text.ends_with("the verdict is detected, expected refused")),
        "{shown:?}"
    );
    let missing = compiled(&["none.yaml"]).unwrap_err();
    assert!(missing[0].code == "policy-test" && missing[0].message.contains("cannot be read"), "{missing:?}");
}
