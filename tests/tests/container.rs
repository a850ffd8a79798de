//! The container image: what is in it, how it says to be run, and that it runs so: read-only, without privileges, without
//! a shell.

use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::time::Duration;

use nix::sys::signal::Signal;
use nix::unistd::Uid;
use serde_json::Value;
use waf_tests::contract::blocked;
use waf_tests::image::{self, Image};
use waf_tests::kubelet;
use waf_tests::origin::Origin;
use waf_tests::programs::repository;
use waf_tests::raw::Request;
use waf_tests::running::{Ports, Waf};

const USER: u32 = 65532;

#[test]
fn the_tree_holds_the_programs_and_nothing_to_work_with() {
    let image = Image::unpacked();
    let files: Vec<String> =
        image.paths().into_iter().filter(|path| image.root.join(path).is_file()).collect();
    assert_eq!(
        files,
        [
            "etc/group",
            "etc/nsswitch.conf",
            "etc/passwd",
            "etc/ssl/certs/ca-certificates.crt",
            "usr/bin/waf",
            "usr/bin/waf-compile",
            "usr/share/doc/waf/LICENSE",
            "usr/share/doc/waf/bill-of-materials.cdx.json",
            "usr/share/doc/waf/third-party-licences.txt",
        ]
    );
    for path in image.paths() {
        let metadata = image.root.join(&path).symlink_metadata().expect("it was listed");
        let mode = metadata.permissions().mode();
        assert_eq!(mode & 0o7022, 0, "{path} has mode {mode:o}");
        if Uid::effective().is_root() {
            let owner = if path == "data/waf" { USER } else { 0 };
            assert_eq!((metadata.uid(), metadata.gid()), (owner, owner), "{path}");
        }
    }
    let bill = std::fs::read(image.root.join("usr/share/doc/waf/bill-of-materials.cdx.json"));
    let bill: Value = serde_json::from_slice(&bill.expect("it is there")).expect("it is JSON");
    let listed = bill["components"].as_array().expect("a list of components");
    let lock = std::fs::read_to_string(repository().join("Cargo.lock")).expect("it is there");
    let mut locked = 0;
    for block in lock.split("\n[[package]]\n").skip(1) {
        let value = |key: &str| block.lines().find_map(|line| line.strip_prefix(key)?.strip_suffix('"'));
        let (name, version) = (value("name = \""), value("version = \""));
        let is = |component: &&Value| {
            component["name"].as_str() == name && component["version"].as_str() == version
        };
        assert_eq!(listed.iter().filter(is).count(), 1, "{name:?} {version:?}");
        locked += 1;
    }
    assert!(locked > 100 && listed.len() == locked, "{} of {locked}", listed.len());
}

/// The Containerfile builds the same as the tool: what one says, the other says too.
#[test]
fn both_ways_to_build_it_agree() {
    let image = Image::unpacked();
    let config = &image.config["config"];
    let text =
        std::fs::read_to_string(repository().join("ops/container/Containerfile")).expect("it is there");
    let last = text.split("\nFROM ").last().expect("it has stages");
    assert!(last.starts_with("scratch\n"), "the image begins with nothing");
    let said: BTreeMap<&str, &str> = last.lines().filter_map(|line| line.split_once(' ')).collect();
    assert_eq!(config["User"], said["USER"]);
    assert_eq!(config["User"], format!("{USER}:{USER}"));
    assert_eq!(config["StopSignal"], said["STOPSIGNAL"]);
    assert!(config["Volumes"][said["VOLUME"]].is_object());
    assert_eq!(config["Entrypoint"], serde_json::from_str::<Value>(said["ENTRYPOINT"]).expect("a list"));
    let (options, command) = said["HEALTHCHECK"].split_once(" CMD ").expect("a command");
    let mut test: Vec<Value> = serde_json::from_str(command).expect("a list");
    test.insert(0, Value::from("CMD"));
    assert_eq!(config["Healthcheck"]["Test"], Value::from(test));
    for (option, field) in [("interval", "Interval"), ("timeout", "Timeout"), ("start-period", "StartPeriod")]
    {
        let seconds = config["Healthcheck"][field].as_u64().expect("a time") / 1_000_000_000;
        assert!(options.contains(&format!("--{option}={seconds}s")), "{options}");
    }
    assert!(options.contains(&format!("--retries={}", config["Healthcheck"]["Retries"])), "{options}");
    assert!(text.contains(&format!("-t {}", image.name)), "the tag is that of this version");
}

#[test]
fn the_same_programs_give_the_same_image() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let [first, second] = ["a.tar", "b.tar"].map(|name| image::archive(&folder.path().join(name)));
    assert!(first == second, "{} and {} bytes", first.len(), second.len());
}

/// To an origin by its name, and to another over TLS, for which the roots of the image are read.
fn config(port: u16, ports: Ports, policy: &str) -> String {
    format!(
        "version: v1alpha1\nport: {}\nhealth_port: {}\nglobal:\n  response_headers:\n    inject:\n      \
         response-headers-add-referrer-policy: {policy}\nroutes:\n  - id: app\n    upstream: http://app.internal:{port}\n  \
         - id: other\n    match: {{ paths: [/other] }}\n    upstream: https://app.internal:{port}\n",
        ports.traffic, ports.health
    )
}

fn policy(waf: &Waf) -> Option<String> {
    let response = Request::get("/").to(waf.port);
    assert_eq!(response.status, 200, "{}", response.text());
    response.field("Referrer-Policy").map(str::to_owned)
}

#[test]
fn it_runs_read_only_and_without_privileges() {
    if let Some(why) = image::cannot_run() {
        println!("left out: {why}");
        return;
    }
    let origin = Origin::start();
    let port: u16 = origin.url().rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
    let image = Image::unpacked();
    image.furnish();
    std::fs::write(image.root.join("etc/hosts"), "127.0.0.1 app.internal\n").expect("engines write it");
    let ports = Ports::free();
    let folder = image.root.join("etc/waf");
    kubelet::write(&folder, "waf.yaml", &config(port, ports, "no-referrer"));

    let mut waf = image.serve(ports);
    assert_eq!(policy(&waf).as_deref(), Some("no-referrer"));
    blocked(&Request::get("/?q=1'+UNION+SELECT+password+FROM+users--").to(waf.port), 403);
    assert_eq!(waf.wait_events(1).len(), 1);
    for pid in waf.workers().into_iter().chain([waf.pid()]) {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
        let field =
            |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).expect("Linux says it");
        assert!(field("Uid:").split_whitespace().all(|uid| uid == "65532"), "{status}");
        assert_eq!(field("CapEff:").trim(), "0000000000000000");
        assert_eq!(field("CapPrm:").trim(), "0000000000000000");
        let mounts = std::fs::read_to_string(format!("/proc/{pid}/mounts")).expect("it runs");
        let root = mounts.lines().find(|line| line.split(' ').nth(1) == Some("/")).expect("it has a root");
        let options = root.split(' ').nth(3).expect("options");
        assert!(options.split(',').any(|option| option == "ro"), "{root}");
    }

    // As mounted by Kubernetes: the change arrives although nothing here can be written.
    let before = waf.plan();
    kubelet::write(&folder, "waf.yaml", &config(port, ports, "same-origin"));
    waf.until_replaced(&before);
    assert_eq!(policy(&waf).as_deref(), Some("same-origin"));

    let health: Vec<String> = serde_json::from_value(image.config["config"]["Healthcheck"]["Test"].clone())
        .expect("a list of words");
    assert_eq!(health[..2], ["CMD", "/usr/bin/waf"]);
    let arguments: Vec<&str> = health[2..].iter().map(String::as_str).collect();
    assert_eq!(image.run(&arguments).status.code(), Some(0), "{:?}", image.run(&arguments));

    waf.signal(Signal::SIGTERM);
    assert_eq!(waf.wait_exit(Duration::from_secs(20)).code(), Some(0));
    assert_ne!(image.run(&arguments).status.code(), Some(0), "nobody answers any more");
    let shell = image.run(&["--validate"]);
    assert_eq!(shell.status.code(), Some(0), "{shell:?}");
}
