//! Both command lines: what they accept, on which stream they answer, and with which exit status they end.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;
use waf_tests::origin::Origin;
use waf_tests::running::{FOLDER, HEALTH, Start, to_upstream};
use waf_tests::{ports, programs};

const VALID: &str = "version: v1alpha1\nport: 8080\nroutes:\n  - upstream: http://127.0.0.1:9000\n";

/// Three faults, on lines 2, 4 and 6.
const BROKEN: &str = "version: v1alpha1\nport: 99999\nroutes:\n  - upstream: ftp://127.0.0.1\n    mode: blocking\n    colour: blue\n";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Folder {
        let folder = tempfile::tempdir().expect("a folder for the test");
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("a file in the test's folder");
        }
        Folder(folder)
    }

    fn run(&self, program: &Path, arguments: &[&str]) -> Output {
        Command::new(program)
            .args(arguments)
            .current_dir(self.0.path())
            .env_remove("WAF_TRUSTED_PROXIES")
            .stdin(Stdio::null())
            .output()
            .expect("the program can be started")
    }

    fn compile(&self, arguments: &[&str]) -> Output {
        self.run(&programs::waf_compile(), arguments)
    }
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn the_log_is_json_lines_of_the_level_that_is_asked_for() {
    let origin = Origin::start();
    let config = to_upstream(&origin.url());
    let usual = Start::new().run(&config);
    usual.wait_log(&["\"INFO\"", "started"]);
    for line in usual.log() {
        let entry: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert!(entry["timestamp"].is_string() && entry["message"].is_string(), "{line}");
        assert!(entry["level"] == "INFO" || entry["level"] == "WARN", "{line}");
    }
    let quiet = Start::new().argument("--log-level").argument("error").run(&config);
    assert!(quiet.log().is_empty(), "{:?}", quiet.log());
}

#[test]
fn validate_says_ok_or_lists_every_error_on_stdout() {
    let folder = Folder::new(&[("good.yaml", VALID), ("bad.yaml", BROKEN)]);
    let waf: PathBuf = programs::waf();
    let compile = programs::waf_compile();
    for (program, arguments) in [
        (&waf, ["--validate", "--no-host-checks", "--config", "good.yaml"].as_slice()),
        (&waf, ["--no-host-checks", "--validate", "good.yaml"].as_slice()),
        (&waf, ["--no-host-checks", "-t", "good.yaml", "-W"].as_slice()),
        (&compile, ["--no-host-checks", "good.yaml"].as_slice()),
        (&compile, ["--validate", "--no-host-checks", "good.yaml"].as_slice()),
    ] {
        let good = folder.run(program, arguments);
        assert_eq!((good.status.code(), out(&good).as_str()), (Some(0), "good.yaml: ok\n"), "{good:?}");
    }
    for (program, arguments) in [
        (&waf, ["--validate", "--no-host-checks", "--config", "bad.yaml"].as_slice()),
        (&waf, ["--no-host-checks", "-t", "bad.yaml"].as_slice()),
        (&compile, ["--validate", "--no-host-checks", "bad.yaml"].as_slice()),
    ] {
        let bad = folder.run(program, arguments);
        assert_eq!(bad.status.code(), Some(1), "{bad:?}");
        let text = out(&bad);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{text}");
        for (line, starts) in lines.iter().zip(["bad.yaml:2: ", "bad.yaml:4: ", "bad.yaml:6: ", "3 errors"]) {
            assert!(line.starts_with(starts), "{line:?} does not start with {starts:?}");
        }
        assert!(!text.contains('\u{1b}'), "no colours where nobody looks");
    }
}

/// Output of a command on a terminal of its own, which `script` (util-linux) makes.
fn on_a_terminal(folder: &Folder, program: &Path, arguments: &str, environment: &str) -> String {
    let command = format!("{environment} {} {arguments}", program.display());
    let output = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .env("TERM", "xterm-256color")
        .env_remove("NO_COLOR")
        .current_dir(folder.0.path())
        .stdin(Stdio::null())
        .output()
        .expect("`script` can be started");
    out(&output)
}

#[test]
fn a_terminal_gets_columns_and_colours() {
    let folder = Folder::new(&[("bad.yaml", BROKEN)]);
    for (program, arguments) in [
        (programs::waf_compile(), "--no-host-checks bad.yaml"),
        (programs::waf(), "--no-host-checks --validate bad.yaml"),
    ] {
        let shown = on_a_terminal(&folder, &program, arguments, "");
        for part in ["bad.yaml:2:7:", "bad.yaml:4:15:", "bad.yaml:6:5:", "\u{1b}[31m", "3 errors"] {
            assert!(shown.contains(part), "{part}: {shown:?}");
        }
        let plain = on_a_terminal(&folder, &program, arguments, "NO_COLOR=1");
        assert!(!plain.contains('\u{1b}') && plain.contains("bad.yaml:4:15: "), "{plain:?}");
    }
}

#[test]
fn warnings_count_where_they_are_denied() {
    let warned = VALID.replace("9000", "9000\n    match: {paths: ['/users/{id}']}");
    let folder = Folder::new(&[("warned.yaml", &warned)]);
    for (program, file) in [(programs::waf(), "--validate"), (programs::waf_compile(), "--validate")] {
        let fine = folder.run(&program, &["--no-host-checks", file, "warned.yaml"]);
        assert_eq!(fine.status.code(), Some(0), "{fine:?}");
        assert!(out(&fine).contains("did you mean `/users/*`?"), "{fine:?}");
        let denied = folder.run(&program, &["--no-host-checks", "--deny-warnings", file, "warned.yaml"]);
        assert_eq!((denied.status.code(), out(&denied)), (Some(1), out(&fine)));
    }
}

#[test]
fn wrong_usage_is_2_and_goes_to_stderr() {
    let folder = Folder::new(&[("good.yaml", VALID)]);
    for (program, arguments) in [
        (programs::waf(), vec!["--colour"]),
        (programs::waf(), vec!["--config"]),
        (programs::waf(), vec!["--workers", "0", "--config", "good.yaml"]),
        (programs::waf(), vec!["--trusted-proxies", "example.com", "--config", "good.yaml"]),
        (programs::waf(), vec!["frobnicate"]),
        (programs::waf_compile(), vec!["--frobnicate"]),
        (programs::waf_compile(), vec![]),
    ] {
        let output = folder.run(&program, &arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        assert!(out(&output).is_empty() && !err(&output).is_empty(), "{arguments:?}: {output:?}");
    }
}

#[test]
fn help_and_version_are_0() {
    let folder = Folder::new(&[]);
    for program in [programs::waf(), programs::waf_compile()] {
        for argument in ["--help", "--version"] {
            let output = folder.run(&program, &[argument]);
            assert_eq!(output.status.code(), Some(0), "{output:?}");
            assert!(!out(&output).is_empty());
        }
    }
}

#[test]
fn a_start_with_an_invalid_file_is_1_with_the_list_on_stderr() {
    let mut waf = Start::new().launch(BROKEN);
    assert_eq!(waf.wait_exit(Duration::from_secs(20)).code(), Some(1));
    waf.wait_log(&["waf.yaml:2: "]);
    waf.wait_log(&["waf.yaml:4: "]);
    waf.wait_log(&["waf.yaml:6: "]);
    waf.wait_log(&["3 errors"]);
    assert!(waf.out().is_empty(), "stdout carries audit events and nothing else: {:?}", waf.out());
}

#[test]
fn a_missing_file_is_1() {
    let folder = Folder::new(&[]);
    let output = folder.run(&programs::waf(), &["--config", "nowhere.yaml"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(err(&output).contains("nowhere.yaml"), "{output:?}");
    assert!(!err(&output).contains("waf demo"), "somebody named a file: {output:?}");
    if !Path::new("/etc/waf/waf.yaml").exists() {
        for arguments in [&[][..], &["--validate"], &["certificates"]] {
            let output = folder.run(&programs::waf(), arguments);
            let said = format!("{}{}", out(&output), err(&output));
            assert_eq!(output.status.code(), Some(1), "{output:?}");
            assert!(
                said.contains("name one with `--config FILE`, or try `waf demo`"),
                "{arguments:?}: {said}"
            );
            assert!(said.ends_with("1 error\n"), "{said}");
        }
    }
    let output = folder.compile(&["--validate", "nowhere.yaml"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}

#[test]
fn a_port_in_use_is_1_and_named() {
    let origin = Origin::start();
    let taken = ports::listener();
    let port = taken.local_addr().expect("bound").port();
    for field in ["port", "health_port"] {
        let config = to_upstream(&origin.url()).replace(
            &format!("\n{field}: @{}@", if field == "port" { "PORT" } else { "HEALTH" }),
            &format!("\n{field}: {port}"),
        );
        assert!(config.contains(&format!("\n{field}: {port}\n")), "{config}");
        let mut waf = Start::new().launch(&config);
        assert_eq!(waf.wait_exit(Duration::from_secs(20)).code(), Some(1), "{field}");
        waf.wait_log(&[field, &port.to_string()]);
    }
}

#[test]
fn the_ports_of_tls_are_beside_those_of_the_file() {
    let config = format!(
        "version: v1alpha1\nhost: shop.example\nhealth_port: {HEALTH}\ndata_dir: {FOLDER}/data\nroutes:\n  - upstream: http://127.0.0.1:9000\n"
    );
    let port = waf_tests::ports::free().to_string();
    for (https, http, words) in [
        (port.as_str(), port.as_str(), ["--http-port", "--https-port"]),
        (HEALTH, port.as_str(), ["--https-port", "health_port"]),
        (port.as_str(), HEALTH, ["--http-port", "health_port"]),
    ] {
        let start = Start::new().argument("--https-port").argument(https);
        let mut waf = start.argument("--http-port").argument(http).launch(&config);
        assert_eq!(waf.wait_exit(Duration::from_secs(20)).code(), Some(1), "{words:?}");
        waf.wait_log(&words);
    }
}

#[test]
fn the_linter_takes_several_files() {
    let folder = Folder::new(&[("a.yaml", VALID), ("b.yaml", BROKEN), ("c.yaml", VALID)]);
    let output = folder.compile(&["--validate", "--no-host-checks", "a.yaml", "b.yaml", "c.yaml"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = out(&output);
    for part in ["a.yaml: ok\n", "b.yaml:2: ", "b.yaml:4: ", "b.yaml:6: ", "c.yaml: ok\n", "3 errors\n"] {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
    let fine = folder.compile(&["--validate", "--no-host-checks", "a.yaml", "c.yaml"]);
    assert_eq!((fine.status.code(), out(&fine).as_str()), (Some(0), "a.yaml: ok\nc.yaml: ok\n"));
}

#[test]
fn the_linter_reads_standard_input() {
    for (text, code) in [(VALID, 0), (BROKEN, 1)] {
        let mut child = Command::new(programs::waf_compile())
            .args(["--validate", "--no-host-checks", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        child.stdin.take().expect("it was asked for").write_all(text.as_bytes()).expect("the program reads");
        let output = child.wait_with_output().expect("the program ends");
        assert_eq!(output.status.code(), Some(code), "{output:?}");
    }
}

#[test]
fn machines_get_json_and_sarif() {
    let folder = Folder::new(&[("good.yaml", VALID), ("bad.yaml", BROKEN)]);
    let parsed = |format: &str, file: &str| -> (Option<i32>, Value) {
        let output = folder.compile(&["--validate", "--no-host-checks", "--format", format, file]);
        let text = out(&output);
        let value =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{format} of {file}: {error}\n{text}"));
        (output.status.code(), value)
    };
    let (code, json) = parsed("json", "bad.yaml");
    assert_eq!(code, Some(1));
    for word in ["bad.yaml", "colour"] {
        assert!(json.to_string().contains(word), "{json}");
    }
    assert_eq!(parsed("json", "good.yaml").0, Some(0));

    let (code, sarif) = parsed("sarif", "bad.yaml");
    assert_eq!((code, sarif["version"].as_str()), (Some(1), Some("2.1.0")));
    let results = sarif["runs"][0]["results"].as_array().expect("a list of results");
    let lines: Vec<u64> = results
        .iter()
        .filter_map(|result| result["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64())
        .collect();
    assert_eq!(lines, [2, 4, 6]);
    assert_eq!(parsed("sarif", "good.yaml").0, Some(0));
}

#[test]
fn the_same_file_gives_the_same_plan() {
    let folder = Folder::new(&[("a.yaml", VALID), ("b.yaml", &VALID.replace("8080", "8081"))]);
    let plan = |file: &str| out(&folder.compile(&["plan", file]));
    assert_eq!(plan("a.yaml"), plan("a.yaml"));
    assert_ne!(plan("a.yaml"), plan("b.yaml"));
}
