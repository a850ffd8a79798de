//! `waf top`: what it prints of a real service, what it draws on a terminal, and what it says when there is nothing to see.

use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use waf_tests::contract::blocked;
use waf_tests::origin::Origin;
use waf_tests::raw::Request;
use waf_tests::running::{self, Waf, to_upstream, with_metrics, with_routes};
use waf_tests::{polling, ports, programs, scrape};

const ATTACK: &str = "?q=1'+UNION+SELECT+password+FROM+users--";
const UNION: &str = "sql-injection-union-select";

/// Ends the alternate screen and shows the cursor again.
const RESTORED: [&str; 2] = ["\u{1b}[?1049l", "\u{1b}[?25h"];

fn top(arguments: &[&str]) -> Output {
    let mut command = Command::new(programs::waf());
    command.arg("top").args(arguments).stdin(Stdio::null());
    command.output().expect("the program can be started")
}

fn url(port: u16) -> String {
    format!("http://127.0.0.1:{port}/metrics")
}

/// Waits until workers have reported so many requests.
fn counted(waf: &Waf, requests: u64) {
    scrape::until(waf, "every request", |scrape| scrape.count("waf_requests_total", &[]) == requests);
}

#[test]
fn one_look_shows_what_happened() {
    let origin = Origin::start();
    let waf = running::waf(&with_metrics(&with_routes(&format!(
        "  - id: shop\n    match: {{ paths: [/shop/*] }}\n    upstream: {0}\n\
         \x20 - id: watched\n    match: {{ paths: [/watched/*] }}\n    upstream: {0}\n    mode: detect_only\n",
        origin.url()
    ))));
    for _ in 0..12 {
        assert_eq!(Request::get("/shop/").to(waf.port).status, 200);
    }
    for _ in 0..3 {
        blocked(&Request::get(format!("/shop/{ATTACK}")).to(waf.port), 403);
    }
    assert_eq!(Request::get(format!("/watched/{ATTACK}")).to(waf.port).status, 200);
    assert_eq!(Request::get("/none").to(waf.port).status, 404);
    counted(&waf, 17);
    waf.wait_events(4);
    let output = top(&["--once", "--url", &url(waf.metrics)]);
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let words: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    let line = |first: &str| {
        let found = words.iter().find(|line| line.first() == Some(&first));
        found.unwrap_or_else(|| panic!("no line {first}:\n{text}"))[1..].join(" ")
    };
    assert!(line("waf").ends_with(&format!("at {}", url(waf.metrics))), "{text}");
    assert!(line("plan").starts_with(&format!("{}, in force for ", waf.plan())), "{text}");
    assert_eq!(line("degraded"), "nothing");
    assert_eq!(line("workers"), "2, restarted 0");
    assert_eq!(line("requests"), "17: 12 allowed, 1 detected, 4 blocked; 0 in flight");
    assert_eq!(line("audit"), "4 events, 0 refused");
    for name in ["latency", "inspection"] {
        let quantiles = line(name);
        assert!(quantiles.starts_with("p50 ") && quantiles.ends_with('s'), "{quantiles}");
    }
    assert_eq!(line(UNION), "3 1");
    assert_eq!((line("shop"), line("watched"), line("-")), ("15 0 3".into(), "1 1 0".into(), "1 0 1".into()));
    assert!(!text.contains('\u{1b}'), "plain text:\n{text}");
}

#[test]
fn the_configuration_names_the_port() {
    let origin = Origin::start();
    let waf = running::waf(&with_metrics(&to_upstream(&origin.url())));
    let config = waf.config().display().to_string();
    for arguments in [["--once", "--config", &config], ["--once", "-c", &config]] {
        let output = top(&arguments);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && text.contains(&url(waf.metrics)), "{arguments:?}: {output:?}");
    }
    let without = running::waf(&to_upstream(&origin.url()));
    let config = without.config().display().to_string();
    for (config, says) in
        [(config.as_str(), "names no metrics_port"), ("/nowhere/waf.yaml", "cannot be read")]
    {
        let output = top(&["--once", "--config", config]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && said.contains(says) && said.contains("--url"), "{said}");
    }
    let both = top(&["--once", "--config", &config, "--url", &url(waf.metrics)]);
    assert_eq!(both.status.code(), Some(2), "{both:?}");
}

#[test]
fn what_cannot_be_seen_is_told_in_one_line_with_the_remedy() {
    let origin = Origin::start();
    let waf = running::waf(&with_metrics(&to_upstream(&origin.url())));
    let somewhere = url(ports::free());
    let metrics = url(waf.metrics);
    let path = format!("http://127.0.0.1:{}/nothing", waf.metrics);
    for (arguments, says) in [
        (vec!["--once", "--url", &somewhere], "cannot be reached"),
        (vec!["--url", &metrics], "are no terminal: use `waf top --once`"),
        (vec!["--once", "--url", &path], "answers with 404 Not Found"),
        (vec!["--once", "--url", &url(waf.health)], "answers with 404 Not Found"),
        (vec!["--once", "--url", &url(origin.port())], "shows no metrics of this program"),
    ] {
        let output = top(&arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
        assert!(said.contains(says) && said.lines().count() == 1 && output.stdout.is_empty(), "{said}");
        assert!(said.contains("metrics_port") || said.contains("--once"), "a remedy: {said}");
    }
    for arguments in [["--url", "https://127.0.0.1:9090/metrics"], ["--interval", "0"]] {
        assert_eq!(top(&arguments).status.code(), Some(2), "{arguments:?}");
    }
}

/// `waf top` on a terminal of its own, which `script` (util-linux) makes.
struct Terminal {
    child: Child,
    shown: Arc<Mutex<String>>,
}

impl Terminal {
    fn looking_at(url: &str) -> Terminal {
        let look = format!(
            "stty rows 40 columns 170; exec {} top --interval 1 --url {url}",
            programs::waf().display()
        );
        let mut child = Command::new("script")
            .args(["--quiet", "--return", "--flush", "--command", &look, "/dev/null"])
            .env("TERM", "xterm-256color")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("script can be started (Debian package bsdutils)");
        let mut out = child.stdout.take().expect("asked for");
        let shown = Arc::new(Mutex::new(String::new()));
        let text = Arc::clone(&shown);
        std::thread::spawn(move || {
            let mut piece = [0; 4096];
            while let Ok(count @ 1..) = out.read(&mut piece) {
                let more = String::from_utf8_lossy(&piece[..count]);
                text.lock().unwrap_or_else(PoisonError::into_inner).push_str(&more);
            }
        });
        Terminal { child, shown }
    }

    fn shown(&self) -> String {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn shows(&self, text: &str) {
        let found = polling::within(polling::PATIENCE, || self.shown().contains(text).then_some(()));
        assert!(found.is_some(), "the terminal never showed {text}:\n{:?}", self.shown());
    }

    fn press(&mut self, keys: &[u8]) {
        self.child.stdin.as_mut().expect("asked for").write_all(keys).expect("the terminal takes keys");
    }

    /// The exit status, once it has ended by itself.
    fn ended(&mut self) -> Option<i32> {
        let status =
            polling::within(polling::PATIENCE, || self.child.try_wait().expect("the process is ours"));
        status.unwrap_or_else(|| panic!("it does not end: {:?}", self.shown())).code()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_terminal_is_drawn_on_and_given_back() {
    let origin = Origin::start();
    let waf = running::waf(&with_metrics(&to_upstream(&origin.url())));
    for _ in 0..3 {
        blocked(&Request::get(format!("/{ATTACK}")).to(waf.port), 403);
    }
    counted(&waf, 3);
    let mut terminal = Terminal::looking_at(&url(waf.metrics));
    for text in ["\u{1b}[?1049h", &waf.plan(), UNION, "degraded"] {
        terminal.shows(text);
    }
    // A protection that comes up while somebody looks takes the first row. Its first letter stood there before, and
    // what stays is not drawn again.
    assert_eq!(Request::get("/").field("User-Agent", "sqlmap/1.7").to(waf.port).status, 403);
    terminal.shows("canner-detection-user-agent");
    // A service that goes away is told; the view stays.
    drop(waf);
    terminal.shows("cannot");
    terminal.press(b"q");
    assert_eq!(terminal.ended(), Some(0), "{:?}", terminal.shown());
    for sequence in RESTORED {
        terminal.shows(sequence);
    }
    // Ctrl-C is a key like another; before the first look there is no view, and a fault is told in plain text.
    let mut blind = Terminal::looking_at(&url(ports::free()));
    blind.shows("cannot be reached");
    assert_eq!(blind.ended(), Some(1));
    assert!(!blind.shown().contains("\u{1b}[?1049h"), "{:?}", blind.shown());
}
