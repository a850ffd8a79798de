//! `waf demo`: three requests are printed, and they do what is printed beside them.

use std::process::Command;

use waf_tests::contract::encode;
use waf_tests::raw::{Request, Response};
use waf_tests::{polling, ports, programs, running};

/// Reads one printed command and does what it would do.
fn perform(line: &str, port: u16) -> Response {
    let words = words(line);
    assert_eq!(words.first().map(String::as_str), Some("curl"), "{line}");
    let address = format!("http://localhost:{port}");
    let target =
        words.iter().find_map(|word| word.strip_prefix(&address)).expect("a command names its address");
    let data: Vec<String> = words
        .windows(2)
        .filter(|pair| pair[0] == "--data-urlencode")
        .map(|pair| {
            let (name, value) = pair[1].split_once('=').expect("name=value");
            format!("{name}={}", encode(value))
        })
        .collect();
    if data.is_empty() {
        Request::get(target).to(port)
    } else {
        Request::post(target, "application/x-www-form-urlencoded", data.join("&")).to(port)
    }
}

/// Splits as a shell does, with quotes of one kind around the other.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for c in line.trim().chars() {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            (' ', None) => words.push(std::mem::take(&mut word)),
            (c, _) => word.push(c),
        }
    }
    words.push(word);
    words
}

#[test]
fn the_printed_requests_do_what_they_say() {
    let port = ports::free();
    let mut command = Command::new(programs::waf());
    command.args(["demo", "--port", &port.to_string()]);
    let folder = tempfile::tempdir().expect("a folder for the test");
    let config = folder.path().join("none");
    let waf = running::start(
        command,
        running::Ports { traffic: port, ..running::Ports::default() },
        folder,
        config,
    );
    let commands = polling::until("three commands", || {
        let lines: Vec<String> =
            waf.log().into_iter().filter(|line| line.trim_start().starts_with("curl ")).collect();
        (lines.len() >= 3).then_some(lines)
    });
    let statuses: Vec<u16> = commands.iter().map(|line| perform(line, port).status).collect();
    assert_eq!(statuses, [200, 403, 403], "{commands:#?}");
    let events = waf.wait_events(2);
    assert_eq!(events.len(), 2);
    let page = Request::get("/").to(port);
    assert_eq!(page.status, 200);
    assert!(page.text().contains("<html"), "{}", page.text());
    assert_eq!(page.field("X-Content-Type-Options"), Some("nosniff"));
}
