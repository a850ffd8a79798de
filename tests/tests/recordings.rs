//! Recordings of requests: whole messages without their secrets, in files of their own that stay within a bound.

use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use waf_tests::origin::Origin;
use waf_tests::polling;
use waf_tests::raw::Request;
use waf_tests::running::{FOLDER, Start, Waf, to_upstream};

const ATTACK: &str = "/?q=1'+union+select+password+from+users--";

fn recording(size: &str) -> Start {
    ["--record", &format!("{FOLDER}/recorded"), "--record-share", "100%", "--record-size", size]
        .into_iter()
        .fold(Start::new(), Start::argument)
}

/// Every file of the folder with its size.
fn files(waf: &Waf) -> Vec<(PathBuf, u64)> {
    let entries = std::fs::read_dir(waf.folder().join("recorded")).expect("the folder is there");
    let entries = entries.filter_map(|entry| {
        let path = entry.ok()?.path();
        // A file may be deleted meanwhile.
        let about = std::fs::metadata(&path).ok()?;
        assert_eq!(about.mode() & 0o777, 0o600, "{}", path.display());
        Some((path, about.len()))
    });
    entries.collect()
}

/// Every recorded request: the line, and the message.
fn recorded(waf: &Waf) -> Vec<(Value, String)> {
    let texts = files(waf).into_iter().filter_map(|(path, _)| std::fs::read_to_string(path).ok());
    let lines: Vec<String> =
        texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    let read = lines.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let message =
        |line: &Value| STANDARD.decode(line["request_b64"].as_str().expect("text")).expect("base64");
    read.map(|line| (line.clone(), String::from_utf8_lossy(&message(&line)).into_owned())).collect()
}

#[test]
fn requests_are_recorded_without_their_secrets() {
    let origin = Origin::start();
    let waf = recording("10MB").run(&to_upstream(&origin.url()));
    let json = r#"{"user":"joe","password":"hunter2hunter2","note":"coffee"}"#;
    for (request, status) in [
        (Request::get("/a?page=2&token=hunter2hunter2").field("Cookie", "sid=hunter2hunter2"), 200),
        (Request::post("/login", "application/json", json), 200),
        (Request::get(ATTACK), 403),
        (Request::post("/b", "application/octet-stream", b"\0\x01hunter2hunter2"), 200),
    ] {
        assert_eq!(request.to(waf.port).status, status);
    }
    let found = polling::until("four recordings", || Some(recorded(&waf)).filter(|found| found.len() == 4));
    assert!(found.iter().all(|(_, message)| !message.contains("hunter2")), "{found:?}");
    let of = |front: &str| -> &(Value, String) {
        found.iter().find(|(_, message)| message.starts_with(front)).expect("it is recorded")
    };
    let (line, message) = of("GET /a?page=2&token=*** HTTP/1.1\r\n");
    assert!(message.contains("\r\nCookie: ***\r\n") && message.contains("\r\nHost: "), "{message}");
    assert_eq!((&line["class"], &line["source"]), (&"allowed".into(), &"recorded".into()), "{line}");
    let (_, message) = of("POST /login HTTP/1.1\r\n");
    let body = json.replace("hunter2hunter2", "***");
    assert!(message.ends_with(&format!("\r\nContent-Length: {}\r\n\r\n{body}", body.len())), "{message}");
    assert_eq!(of("GET /?q=1'").0["class"], "blocked");
    assert!(of("POST /b").1.ends_with("\r\n\r\n"), "a body that cannot be masked is left out");
}

#[test]
fn recordings_stay_within_their_bound() {
    const BOUND: u64 = 1 << 20;
    let origin = Origin::start();
    let waf = recording("1MB").argument("--workers").argument("1").run(&to_upstream(&origin.url()));
    let text = "a plain word and another one ".repeat(1_000);
    let mut request = 0;
    polling::until_true("a third file", || {
        request += 1;
        let target = format!("/{request}");
        assert_eq!(Request::post(&target, "text/plain", &text).to(waf.port).status, 200);
        let files = files(&waf);
        assert!(files.iter().map(|(_, bytes)| bytes).sum::<u64>() <= BOUND, "{files:?}");
        files.len() > 2
    });
}

#[test]
fn a_folder_that_cannot_be_used_is_an_error_of_the_start() {
    let origin = Origin::start();
    for (folder, size, words) in [
        ("/proc/none", "10MB", "requests cannot be recorded in `/proc/none`"),
        (FOLDER, "1KB", "--record-size is too small"),
    ] {
        let mut waf = Start::new()
            .argument("--record")
            .argument(folder)
            .argument("--record-size")
            .argument(size)
            .launch(&to_upstream(&origin.url()));
        assert_eq!(waf.wait_exit(polling::PATIENCE).code(), Some(1), "{folder}");
        waf.wait_log(&[words]);
    }
}
