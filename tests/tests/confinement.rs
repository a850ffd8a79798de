//! Workers as the system shows them while they serve: without rights, behind filters, first to go when memory is short.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::{Command, Stdio};

use nix::fcntl::OFlag;
use nix::sys::signal::Signal;
use nix::sys::stat::Mode;
use nix::unistd::{geteuid, mkfifo};
use waf_tests::origin::{Answer, Gate, Origin};
use waf_tests::polling;
use waf_tests::programs;
use waf_tests::raw::{Connection, Request};
use waf_tests::running::{self, Ports, Start, Waf, is_alive, kill, to_upstream, with_routes};

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

/// Variables that are for the supervisor, or for nobody.
const NOT_FOR_WORKERS: [(&str, &str); 9] = [
    ("WAF_ACME_EAB_KID", "account"),
    ("WAF_ACME_EAB_KEY", "c2VjcmV0LWtleS1vZi10aGUtYWNjb3VudA"),
    ("WAF_TRUSTED_PROXIES", "192.0.2.7"),
    ("AWS_SECRET_ACCESS_KEY", "secret"),
    ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=secret"),
    ("OTEL_SERVICE_NAME", "secret"),
    ("HTTP_PROXY", "http://secret@192.0.2.1"),
    ("LD_PRELOAD_X", "secret"),
    ("RUST_LOG", "trace"),
];

#[test]
fn workers_get_a_list_of_variables_and_nothing_else() {
    let origin = Origin::start();
    let for_workers = [("RES_OPTIONS", "timeout:2"), ("RUST_BACKTRACE", "1")];
    let variables = NOT_FOR_WORKERS.iter().chain(&for_workers);
    let start = variables.fold(Start::new(), |start, (name, value)| start.environment(name, value));
    let mut waf = start.linked().run(&to_upstream(&origin.url()));
    let check = |waf: &Waf| {
        assert_eq!(Request::get("/").to(waf.port).status, 200);
        // Nobody else may look into a worker.
        for worker in waf.workers().into_iter().filter(|_| geteuid().is_root()) {
            let environment = std::fs::read(format!("/proc/{worker}/environ")).expect("the process lives");
            let text = String::from_utf8_lossy(&environment);
            let mut names: Vec<&str> =
                text.split('\0').filter_map(|one| Some(one.split_once('=')?.0)).collect();
            names.retain(|name| !name.starts_with("SSL_CERT_") && *name != "LD_LIBRARY_PATH");
            names.sort_unstable();
            assert_eq!(names, ["RES_OPTIONS", "RUST_BACKTRACE"]);
        }
        let supervisor = std::fs::read(format!("/proc/{}/environ", waf.pid())).expect("the process lives");
        let supervisor = String::from_utf8_lossy(&supervisor).into_owned();
        for (name, value) in NOT_FOR_WORKERS {
            assert!(supervisor.contains(&format!("{name}={value}")), "the supervisor keeps {name}");
        }
    };
    check(&waf);
    waf.upgrade().expect("a new supervisor that has what the old one had");
    check(&waf);
}

#[test]
fn workers_keep_no_descriptor_that_the_supervisor_was_started_with() {
    let gate = Gate::new();
    let closed = gate.clone();
    let origin = Origin::answering(move |_| Answer::ok("late").after(&closed));
    let folder = tempfile::tempdir().expect("a folder for the test");
    let ports = Ports::free();
    let path = folder.path().join("waf.yaml");
    let text = to_upstream(&origin.url())
        .replace(running::PORT, &ports.traffic.to_string())
        .replace(running::HEALTH, &ports.health.to_string())
        .replace(running::FOLDER, &folder.path().display().to_string());
    std::fs::write(&path, text).expect("a file in the test's folder");
    let pipe = folder.path().join("pipe");
    mkfifo(&pipe, Mode::S_IRUSR | Mode::S_IWUSR).expect("a pipe in the test's folder");
    let mut reader =
        OpenOptions::new().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(&pipe).expect("a pipe");
    let mut command = Command::new("sh");
    command.args([
        "-c",
        "cd \"$0\" && exec 3<waf.yaml 4>pipe 5<. 6>>log 7>&4 8<>state 9</proc/self/status && exec \"$@\"",
    ]);
    command.arg(folder.path()).arg(programs::waf()).arg("--config").arg(&path);
    let inside = folder.path().to_owned();
    let waf = running::start(command, ports, folder, path).ready().expect("the service becomes ready");
    let workers = waf.workers();
    if geteuid().is_root() {
        for worker in &workers {
            let open = std::fs::read_dir(format!("/proc/{worker}/fd")).expect("the process lives").flatten();
            let links = open.filter_map(|entry| std::fs::read_link(entry.path()).ok());
            let kept: Vec<_> =
                links.filter(|link| link.starts_with(&inside) || link.ends_with("status")).collect();
            assert!(kept.is_empty(), "{kept:?}");
        }
    }
    // Both workers have a request in flight, so that they outlive the supervisor for as long as the test needs.
    let mut open = Vec::new();
    while open.len() < 16 {
        let mut connection = Connection::open(waf.port).expect("a connection");
        connection.send(Request::get("/").bytes()).expect("sent");
        open.push(connection);
    }
    origin.wait_for(open.len());
    kill(waf.pid(), Signal::SIGKILL);
    polling::until_true("the end of the pipe", || reader.read(&mut [0; 1]).is_ok_and(|read| read == 0));
    assert!(workers.iter().any(|worker| is_alive(*worker)), "the workers had ended as well");
    gate.open();
}
