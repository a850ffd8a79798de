//! Content of `data_dir` for certificates: shared by replicas, full, not writable, and what it remembers over a restart.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use waf_tests::origin::Authority;
use waf_tests::pebble::{Pebble, Setup, Validation};
use waf_tests::polling;
use waf_tests::running::{Ports, Waf, with_metrics};
use waf_tests::scrape::{self, Scrape};
use waf_tests::site::{Site, certificate, find, missing, ordered, until_served};
use waf_tests::tls::Client;

fn client(pebble: &Pebble) -> Client {
    Client::trusting(&[&pebble.issuing_root()], &["http/1.1"])
}

#[test]
fn replicas_with_one_directory_order_once() {
    let site = Site::new();
    let pebble = Setup::new(site.validation()).start();
    let client = Client::trusting(&[&pebble.issuing_root()], &["http/1.1"]);
    // The first one cannot prove the host yet, and holds the lock.
    pebble.break_name("one.example");
    let first = site.run(&pebble, "http-01", &["one.example"]);
    first.wait_log(&["no certificate could be had"]);
    let elsewhere = Ports::free();
    let second = site
        .start(&pebble.directory(), &pebble.root(), "http-01")
        .at(elsewhere)
        .run(&site.config(&["one.example"]));
    second.wait_log(&["another replica orders certificates"]);
    assert_eq!(ordered(&second), 0);
    drop(first);
    pebble.mend_name("one.example");
    // The second one takes over; challenges go to the first one's address, so that this one cannot prove it either.
    second.wait_log(&["a certificate is ordered"]);
    drop(second);

    let first = site.run(&pebble, "http-01", &["one.example"]);
    let served = until_served(&first, &client, "one.example");
    let second = site
        .start(&pebble.directory(), &pebble.root(), "http-01")
        .at(elsewhere)
        .run(&site.config(&["one.example"]));
    assert_eq!(until_served(&second, &client, "one.example"), served);
    assert_eq!(ordered(&second), 0);
}

/// Two replicas, and an authority that reaches the one that does not order.
fn another_replica_answers(challenge: &str) {
    let (site, elsewhere) = (Site::new(), Ports::free());
    let pebble = Setup::new(Validation { http: elsewhere.http, https: elsewhere.traffic }).start();
    // The first one is elected, and nobody is there yet whom the authority could reach.
    let first = site.run(&pebble, challenge, &["one.example"]);
    first.wait_log(&["no certificate could be had", "one.example"]);
    let second = site
        .start(&pebble.directory(), &pebble.root(), challenge)
        .at(elsewhere)
        .run(&site.config(&["one.example", "two.example"]));
    second.wait_log(&["another replica orders certificates"]);
    // A name that has not failed yet is ordered at once.
    first.reconfigure(&site.config(&["one.example", "two.example"]));
    let client = client(&pebble);
    let served = until_served(&first, &client, "two.example");
    assert_eq!(until_served(&second, &client, "two.example"), served);
    assert_eq!(ordered(&second), 0);
    let challenges = site.data.path().join("acme/challenges");
    polling::until_true("the challenge to be taken away", || {
        std::fs::read_dir(&challenges).is_ok_and(|mut files| files.next().is_none())
    });
}

#[test]
fn a_replica_that_does_not_order_answers_http_01() {
    another_replica_answers("http-01");
}

#[test]
fn a_replica_that_does_not_order_answers_tls_alpn_01() {
    another_replica_answers("tls-alpn-01");
}

#[test]
fn a_directory_that_cannot_be_written_is_told_and_nothing_is_asked() {
    let site = Site::new();
    let pebble = Setup::new(site.validation()).start();
    // A file where a folder has to be: even root cannot write below it.
    std::fs::write(site.data.path().join("acme"), "").expect("a file");
    let waf = site.run(&pebble, "http-01", &["one.example"]);
    let place = site.data.path().join("acme").display().to_string();
    waf.wait_log(&["no certificate can be ordered", "data_dir cannot be written", &place, "move it away"]);
    assert_eq!(ordered(&waf), 0);
    assert!(!pebble.log().contains("new-order") && !pebble.log().contains("order-plz"), "{}", pebble.log());
    assert_eq!(missing(&waf).as_deref(), Some("one.example"));
    // Fixed, it goes on by itself.
    std::fs::remove_file(site.data.path().join("acme")).expect("it was made above");
    let client = Client::trusting(&[&pebble.issuing_root()], &["http/1.1"]);
    until_served(&waf, &client, "one.example");
}

/// A small file system of its own over a folder; it goes when it is dropped.
struct Small(PathBuf);

impl Small {
    /// `None` where this user may not mount.
    fn over(folder: &Path) -> Option<Small> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=256k,mode=700", "none"]).arg(folder);
        let is_mounted = mount.output().is_ok_and(|output| output.status.success());
        is_mounted.then(|| Small(folder.to_owned()))
    }

    /// Mounts it again, `ro` or `rw`.
    fn again(&self, how: &str) {
        let output = Command::new("mount").args(["-o", &format!("remount,{how}")]).arg(&self.0).output();
        assert!(output.is_ok_and(|output| output.status.success()), "it can be mounted again: {how}");
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        // Lazily: a process that is about to end may still hold a file.
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).output();
    }
}

#[test]
fn a_disk_that_is_full_is_reported_once_and_recovers_with_room() {
    let site = Site::new();
    let Some(small) = Small::over(site.data.path()) else {
        eprintln!("LEFT OUT: this user may not mount a small file system, so that none was full");
        return;
    };
    let authority = Authority::new("unused.example");
    let (chain, key) = authority.issue(&["own.example"]);
    let certificates = small.0.join("certs");
    std::fs::create_dir(&certificates).expect("a folder");
    std::fs::write(certificates.join("own.example.pem"), chain).expect("a file");
    std::fs::write(certificates.join("own.example.key"), key).expect("a file");
    let ballast = small.0.join("ballast");
    let error = std::fs::write(&ballast, vec![0; 1 << 20]).expect_err("the disk is smaller");
    assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);

    let pebble = Setup::new(site.validation()).start();
    let hosts = ["own.example", "one.example", "two.example"];
    let start = site.start(&pebble.directory(), &pebble.root(), "http-01");
    let waf = start.run(&with_metrics(&site.config(&hosts)));
    let told = [
        "data_dir cannot be written",
        "free space on the file system",
        &site.data.path().display().to_string(),
    ];
    waf.wait_log(&told);
    let degraded = |scrape: &Scrape| scrape.count("waf_degraded", &[("what", "data_dir")]);
    scrape::until(&waf, "the full disk", |scrape| degraded(scrape) == 1);
    assert!(!pebble.log().contains("order-plz"), "nothing is asked for that could not be kept");
    // What is there serves on.
    let own = Client::new(&authority, &["http/1.1"]);
    assert_eq!(own.ask(waf.port, "own.example", "/").status, 200);
    assert_eq!(missing(&waf).as_deref(), Some("one.example, two.example"));

    std::fs::remove_file(&ballast).expect("it was made above");
    let client = client(&pebble);
    for host in ["one.example", "two.example"] {
        until_served(&waf, &client, host);
    }
    waf.wait_log(&["data_dir can be written again"]);
    scrape::until(&waf, "the disk with room", |scrape| degraded(scrape) == 0);
    let times = waf.log().iter().filter(|line| line.contains(told[0])).count();
    assert_eq!(times, 1, "two hosts waited for the disk, and it was told once");
    assert!(find(&small.0, "one.example.pem").is_file());
    // Before its file system goes.
    drop(waf);
}

#[test]
fn a_file_system_that_is_read_only_is_a_failed_start() {
    let site = Site::new();
    let Some(small) = Small::over(site.data.path()) else {
        eprintln!("LEFT OUT: this user may not mount a small file system, so that none was read-only");
        return;
    };
    small.again("ro");
    let pebble = Setup::new(site.validation()).start();
    let start = site.start(&pebble.directory(), &pebble.root(), "http-01");
    let mut waf = start.launch(&site.config(&["one.example"]));
    assert_eq!(waf.wait_exit(polling::PATIENCE).code(), Some(1));
    waf.wait_log(&["data_dir", &site.data.path().display().to_string(), "writable"]);
    assert!(!pebble.log().contains("order-plz"), "nothing is asked for that could not be kept");
    // Writable again, it starts and orders.
    small.again("rw");
    let waf = start.run(&site.config(&["one.example"]));
    until_served(&waf, &client(&pebble), "one.example");
    // Before its file system goes.
    drop(waf);
}

#[test]
fn the_bound_on_new_names_outlives_a_restart() {
    let site = Site::new();
    let pebble = Setup::new(site.validation()).start();
    let client = client(&pebble);
    let run = || site.run(&pebble, "http-01", &["*.shop.example"]);
    let ask = |waf: &Waf, name: &str| assert!(certificate(waf, &client, name).is_none());
    let waf = run();
    ask(&waf, "a.shop.example");
    until_served(&waf, &client, "a.shop.example");
    drop(waf);
    // As if nineteen others had been ordered a while ago.
    let path = find(site.data.path(), "new-names.json");
    let text = std::fs::read_to_string(&path).expect("it was written");
    assert_eq!(text.matches(',').count(), 0, "{text}");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs();
    let earlier: Vec<String> = (0..19).map(|minute| (now - 60 * minute).to_string()).collect();
    std::fs::write(&path, text.replace(']', &format!(",{}]", earlier.join(",")))).expect("it can be written");
    let waf = run();
    ask(&waf, "b.shop.example");
    waf.wait_log(&["clients ask for a name below a wildcard", "b.shop.example"]);
    waf.wait_log(&["more new names below wildcards than are ordered in an hour"]);
    assert_eq!(ordered(&waf), 0);
    drop(waf);
    // An hour later by the file there is room again.
    std::fs::write(&path, format!("[{}]", now - 3601)).expect("it can be written");
    let waf = run();
    ask(&waf, "b.shop.example");
    until_served(&waf, &client, "b.shop.example");
}
