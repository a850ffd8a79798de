//! The program: what it prints, and its exit status.

use std::io::{ErrorKind, Write as _};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

const GOOD: &str = "version: v1alpha1\nroutes:\n  - {id: api, upstream: 'http://a'}\n";
const BAD: &str =
    "version: v1alpha1\ntracing: {enabled: true}\nroutes:\n  - {id: api, upstream: x, mode: y}\n";

struct Files {
    dir: tempfile::TempDir,
}

impl Files {
    fn new() -> Files {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("good.yaml"), GOOD).unwrap();
        std::fs::write(dir.path().join("bad.yaml"), BAD).unwrap();
        Files { dir }
    }

    fn run(&self, arguments: &[&str]) -> (i32, String) {
        self.run_with(arguments, "")
    }

    fn run_with(&self, arguments: &[&str], input: &str) -> (i32, String) {
        let mut child = Command::new(PathBuf::from(env!("CARGO_BIN_EXE_waf-compile")))
            .args(arguments)
            .current_dir(self.dir.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that has nothing to read from it may be gone before it is written.
        let written = child.stdin.take().unwrap().write_all(input.as_bytes());
        assert!(written.is_ok() || written.is_err_and(|error| error.kind() == ErrorKind::BrokenPipe));
        let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
        let text = String::from_utf8(stdout).unwrap();
        assert!(status.code() == Some(2) || stderr.is_empty(), "{}", String::from_utf8_lossy(&stderr));
        (status.code().unwrap(), text)
    }
}

#[test]
fn validate() {
    let files = Files::new();
    let flag = "--no-host-checks";
    assert_eq!(files.run(&["--validate", flag, "good.yaml"]), (0, "good.yaml: ok\n".to_owned()));
    let (status, text) = files.run(&["--validate", "bad.yaml", flag]);
    let expected = "bad.yaml:2: warning: tracing.endpoint is empty: unless OTEL_EXPORTER_OTLP_ENDPOINT is set, traces go to http://localhost:4317\n\
                    bad.yaml:4: routes[api].upstream: `x` is not a valid `http://` or `https://` URL\n\
                    bad.yaml:4: routes[api].mode must be `blocking` or `detect_only`, got `y`\n\
                    2 errors\n";
    assert_eq!((status, text.as_str()), (1, expected));
    let (status, both) = files.run(&["--validate", flag, "good.yaml", "bad.yaml"]);
    assert_eq!((status, both), (1, format!("good.yaml: ok\n{expected}")));
    assert_eq!(files.run_with(&["--validate", flag, "-"], GOOD), (0, "<stdin>: ok\n".to_owned()));
    let (status, missing) = files.run(&["--validate", "none.yaml"]);
    assert_eq!(status, 1);
    assert!(
        missing.starts_with("none.yaml:1: the configuration cannot be read")
            && missing.ends_with("\n1 error\n")
    );
}

#[test]
fn formats() {
    let files = Files::new();
    let (status, text) =
        files.run(&["--validate", "--format", "json", "--no-host-checks", "bad.yaml", "good.yaml"]);
    let list: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((status, list.as_array().unwrap().len()), (1, 3));
    assert_eq!((&list[1]["line"], &list[1]["severity"]), (&4.into(), &"error".into()));
    let (_, text) = files.run(&["--validate", "--format", "sarif", "--no-host-checks", "bad.yaml"]);
    let sarif: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 3);
}

#[test]
fn wrong_usage() {
    let files = Files::new();
    for arguments in [
        &[][..],
        &["--validate"],
        &["--nonsense"],
        &["--deny-warnings"],
        &["--validate", "--format", "xml", "good.yaml"],
        &["effective", "good.yaml"],
    ] {
        assert_eq!(files.run(arguments).0, 2, "{arguments:?}");
    }
}

#[test]
fn subcommands() {
    let files = Files::new();
    for (arguments, status, piece) in [
        (&["catalog"][..], 0, "sql-injection-union-select"),
        (&["catalog", "sql-injection"], 0, "bucket"),
        (&["catalog", "sql-injection-union-select"], 0, "CWE-89"),
        (&["catalog", "sql-injectoin"], 1, "did you mean `sql-injection`?"),
        (&["schema"], 0, "draft-07"),
        (&["catalog", "xss"], 1, "did you mean `cross-site-scripting`?"),
        (&["catalog", "942100"], 1, "the leaf is `sql-injection-generic`"),
        (&["catalog", "sql-injection-generic"], 0, "CRS rules that look for the same: 942100"),
        (&["plan", "good.yaml"], 0, "\"digest\": "),
        (&["plan", "bad.yaml"], 1, "2 errors"),
        (&["effective", "good.yaml", "--route", "api"], 0, "upstream: \"http://a\" # line 3"),
        (&["effective", "good.yaml", "--route", "apo"], 1, "did you mean `api`?"),
        (&["effective", "good.yaml", "-r", "api"], 0, "upstream"),
        (&["diff", "good.yaml", "good.yaml"], 0, "both mean the same"),
        (&["diff", "good.yaml", "bad.yaml"], 2, "2 errors"),
        (&["reference", "linter"], 0, "# waf-compile"),
    ] {
        let (found, text) = files.run(arguments);
        assert!(found == status && text.contains(piece), "{arguments:?} {found}\n{text}");
    }
}

#[test]
fn a_plan_is_shown_without_secrets() {
    let files = Files::new();
    let text = "version: v1alpha1\nport: 8080\ntracing: {enabled: true, headers: {authorization: Bearer hunter2}}\n\
                routes:\n  - upstream: http://a\n";
    std::fs::write(files.dir.path().join("traced.yaml"), text).unwrap();
    let (status, text) = files.run(&["plan", "traced.yaml"]);
    let plan: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((status, &plan["tracing"]["headers"]["authorization"]), (0, &"***".into()));
    assert!(!text.contains("hunter2"), "{text}");
    assert_eq!(plan["listen"]["port"], 8080);
    assert_eq!(plan["routes"][0]["accept"]["max_body_size"], "10MB");
    assert_eq!(plan["routes"][0]["protections"]["sql-injection-generic"], "on");
    assert_eq!(plan["digest"].as_str().unwrap().len(), 64);
    assert_eq!(plan["protocol"]["slow_request_header_timeout"], "10s");
}

#[test]
fn rules_are_listed_and_requests_explained() {
    let files = Files::new();
    let (status, text) = files.run(&["rules", "--leaf", "sql-injection-union-select"]);
    assert!(status == 0 && text.starts_with("sql-injection-union-select/"), "{text}");
    let (status, text) = files.run(&["rules", "--leaf", "no-such-name"]);
    assert!(status == 1 && text.contains("`no-such-name` is not a known protection name"), "{text}");

    let attack = "GET /?q=1'+UNION+SELECT+password+FROM+users-- HTTP/1.1\r\nHost: a\r\n\r\n";
    let (status, text) = files.run_with(&["check-request", "--config", "good.yaml"], attack);
    assert!(status == 1 && text.contains("route api (line 3): refused with 403"), "{text}");
    std::fs::write(files.dir.path().join("honest"), "GET /?q=O'Brien HTTP/1.1\nHost: a\n\n").unwrap();
    let (status, text) = files.run(&["check-request", "--config", "good.yaml", "honest"]);
    assert!(status == 0 && text.contains("passes"), "{text}");
    for (arguments, input, piece) in [
        (
            &["check-request", "--config", "good.yaml", "missing"][..],
            "",
            "missing: the request cannot be read",
        ),
        (&["check-request", "--config", "bad.yaml"], attack, "2 errors"),
        (&["check-request", "--config", "none.yaml"], attack, "cannot be read"),
        (&["check-request", "--config", "good.yaml", "good.yaml"], "", "this is not a recorded request"),
        (&["check-request", "-c", "good.yaml"], "", "this is not a recorded request"),
    ] {
        let (status, text) = files.run_with(arguments, input);
        assert!(status == 2 && text.contains(piece), "{arguments:?}: {status} {text}");
    }
    for (request, piece) in
        [("GET / HTTP/1.1\n\n", "refused with 400"), ("TRACE / HTTP/1.1\nHost: a\n\n", "refused with 405")]
    {
        let (status, text) = files.run_with(&["check-request", "--config", "good.yaml"], request);
        assert!(status == 1 && text.contains(piece) && text.contains("not checked: "), "{status} {text}");
    }
}

#[test]
fn files_are_checked_without_an_option() {
    let files = Files::new();
    assert_eq!(files.run(&["good.yaml", "--no-host-checks"]), (0, "good.yaml: ok\n".to_owned()));
    let (status, text) = files.run(&["bad.yaml", "-f", "json"]);
    assert!(status == 1 && text.starts_with('['), "{text}");
}

#[test]
fn warnings_may_be_denied() {
    let files = Files::new();
    let text = "version: v1alpha1\nroutes:\n  - {upstream: 'http://a', match: {paths: ['/users/{id}']}}\n";
    std::fs::write(files.dir.path().join("warned.yaml"), text).unwrap();
    let flag = "--no-host-checks";
    let (status, with) = files.run(&["warned.yaml", flag]);
    assert!(status == 0 && with.contains("warning: ") && with.ends_with("warned.yaml: ok\n"), "{with}");
    for deny in ["--deny-warnings", "-W"] {
        assert_eq!(files.run(&["warned.yaml", flag, deny]).0, 1);
        assert_eq!(files.run(&["good.yaml", flag, deny]).0, 0);
    }
}

#[test]
fn text_for_pipes_has_no_colours() {
    let files = Files::new();
    let (_, text) = files.run(&["bad.yaml", "--no-host-checks"]);
    assert!(!text.contains('\u{1b}'), "{text:?}");
}

#[test]
fn recorded_traffic_and_events() {
    let files = Files::new();
    let attack = "GET /a?q=1'+union+select+password+from+users-- HTTP/1.1";
    let log = format!("192.0.2.1 - - [23/Nov/2026:08:07:35 +0000] \"{attack}\" 200 1 \"-\" \"curl/8\"\n");
    let event = "{\"disposition_id\":2,\"time\":0,\"http_request\":{\"uid\":\"id7\",\"http_method\":\"GET\",\"url\":{\"path\":\"/a\",\
                 \"query_string\":\"q=1'+union+select+password+from+users--\"}},\"dst_endpoint\":{\"hostname\":\"a\"},\"waf\":{}}\n";
    let watching = GOOD.replace("id: api,", "id: api, mode: detect_only,");
    std::fs::write(files.dir.path().join("watching.yaml"), watching).unwrap();
    for (arguments, input, status, piece) in [
        (
            &["replay", "--config", "good.yaml", "-"][..],
            log.as_str(),
            0,
            "good.yaml: 0 pass, 0 detected, 1 refused",
        ),
        (
            &["replay", "--config", "good.yaml", "--against", "watching.yaml", "-"],
            &log,
            1,
            "1 request newly refused",
        ),
        (
            &["replay", "--config", "good.yaml", "--against", "good.yaml", "-"],
            &log,
            0,
            "0 requests newly refused",
        ),
        (&["replay", "--config", "good.yaml", "--format", "json", "-"], &log, 0, "\"requests\": 1,"),
        (
            &["replay", "--config", "good.yaml", "--input-format", "json", "-"],
            &log,
            2,
            "<stdin>:1: is of no known format",
        ),
        (&["replay", "--config", "good.yaml", "nowhere.log"], "", 2, "nowhere.log:1: cannot be read"),
        (&["replay", "--config", "bad.yaml", "-"], &log, 2, "2 errors"),
        (&["report", "-"], event, 0, "<title>Audit events</title>"),
        (&["report", "-", "-o", "page.html"], event, 0, "page.html: 1 events"),
        (&["report", "-"], &log, 2, "there are no audit events"),
        (
            &["check-request", "--config", "good.yaml", "--id", "id7"],
            event,
            1,
            "route api (line 3): refused with 403",
        ),
        (
            &["check-request", "--config", "good.yaml", "--id", "id8"],
            event,
            2,
            "<stdin>: no event has the request id",
        ),
    ] {
        let (found, text) = files.run_with(arguments, input);
        assert!(found == status && text.contains(piece), "{arguments:?}: {found} {text}");
    }
    assert!(files.dir.path().join("page.html").exists());
}
