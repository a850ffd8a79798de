//! Workers as the system shows them while they serve: without rights, behind filters, first to go when memory is short.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use nix::unistd::geteuid;
use waf_tests::origin::{Answer, Origin};
use waf_tests::programs;
use waf_tests::raw::Request;
use waf_tests::running::{self, Start, to_upstream, with_routes};

/// Fields of a file of `/proc`, by name.
fn shown(pid: i32, file: &str) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/{file}")).expect("the process lives");
    let fields = text.lines().filter_map(|line| line.split_once(':'));
    fields.map(|(name, value)| (name.to_owned(), value.trim().to_owned())).collect()
}

fn score(pid: i32) -> i32 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/oom_score_adj")).expect("the process lives");
    text.trim().parse().expect("a number")
}

#[test]
fn a_worker_has_no_rights_while_it_serves() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    assert_eq!(Request::get("/").to(waf.port).status, 200);
    let workers = waf.workers();
    assert_eq!(workers.len(), 2);
    for worker in workers {
        let status = shown(worker, "status");
        for set in ["CapInh", "CapPrm", "CapEff", "CapAmb"] {
            assert_eq!(status[set], "0".repeat(16), "{set}");
        }
        assert_eq!((status["NoNewPrivs"].as_str(), status["Seccomp"].as_str()), ("1", "2"));
        if geteuid().is_root() {
            assert_eq!(status["CapBnd"], "0".repeat(16));
            assert_eq!(status["Uid"], ["65534"; 4].join("\t"), "nobody");
            assert_eq!(status["Gid"], ["65534"; 4].join("\t"), "nogroup");
            assert_eq!(status["Groups"], "65534");
        } else {
            let ours = geteuid().to_string();
            assert_eq!(status["Uid"], [ours.as_str(); 4].join("\t"));
        }
        assert!(score(worker) > score(waf.pid()) || score(worker) == 1000);
        let limits = std::fs::read_to_string(format!("/proc/{worker}/limits")).expect("the process lives");
        let core = limits.lines().find(|line| line.starts_with("Max core file size")).expect("a limit");
        assert_eq!(core.split_ascii_whitespace().nth(4), Some("0"), "{core}");
    }
    // The supervisor keeps what it was started with.
    assert_eq!(
        shown(waf.pid(), "status")["NoNewPrivs"],
        shown(std::process::id().cast_signed(), "status")["NoNewPrivs"]
    );
    let line = waf.wait_log(&["confined: user=", "no_new_privs", "landlock", "seccomp"]);
    assert!(!line.contains("uid=0"), "{line}");
}

#[test]
fn a_confined_worker_resolves_names_and_spools_bodies() {
    let origin = Origin::answering(Answer::echo);
    let port = origin.url().rsplit_once(':').expect("a port").1.trim_end_matches('/').to_owned();
    let routes = format!("  - upstream: http://localhost:{port}\n");
    let waf = running::waf(&format!(
        "{}global: {{ inspection: {{ max_memory_buffer: 1KB }} }}\n",
        with_routes(&routes)
    ));
    let body = "two of the chairs are broken ".repeat(1000);
    let response = Request::post("/", "text/plain", &body).to(waf.port);
    assert_eq!(response.status, 200, "{}", response.text());
    assert!(response.text().ends_with(&body));
}

#[test]
fn a_user_that_cannot_be_had_ends_the_start() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let config = folder.path().join("waf.yaml");
    let text = format!(
        "version: v1alpha1\nport: 8080\ndata_dir: {}\nroutes:\n  - upstream: http://a\n",
        folder.path().display()
    );
    std::fs::write(&config, text).expect("a file in the test's folder");
    let output = Command::new(programs::waf())
        .arg("--config")
        .arg(&config)
        .args(["--user", "no-such-user"])
        .stdin(Stdio::null())
        .output()
        .expect("the program can be started");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("there is no user `no-such-user` on this machine"), "{said}");
}

#[test]
fn root_can_choose_who_workers_become() {
    if !geteuid().is_root() {
        // Anybody else may name nobody but themselves.
        let origin = Origin::start();
        let user = geteuid().to_string();
        let waf = Start::new().argument("--user").argument(&user).run(&to_upstream(&origin.url()));
        assert_eq!(Request::get("/").to(waf.port).status, 200);
        return;
    }
    let origin = Origin::start();
    for (user, uid, gid) in [("61234:61235", "61234", "61235"), ("0:0", "0", "0")] {
        let waf = Start::new().argument("--user").argument(user).run(&to_upstream(&origin.url()));
        for worker in waf.workers() {
            let status = shown(worker, "status");
            assert_eq!(
                (status["Uid"].clone(), status["Gid"].clone()),
                ([uid; 4].join("\t"), [gid; 4].join("\t"))
            );
            assert_eq!((status["CapEff"].as_str(), status["Seccomp"].as_str()), ("0000000000000000", "2"));
        }
        assert_eq!(Request::get("/").to(waf.port).status, 200);
    }
}
