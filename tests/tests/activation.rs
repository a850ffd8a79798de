//! A service manager around the service: sockets that it hands over, the states that it is sent, and a supervisor that dies while it
//! holds the door open.

use std::net::{TcpListener, UdpSocket};
use std::os::fd::AsFd;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use waf_tests::contract::encode;
use waf_tests::load::Load;
use waf_tests::origin::{Answer, Gate, Origin};
use waf_tests::raw::{Connection, Request};
use waf_tests::running::{self, PORT, Ports, Start, Waf, is_alive, kill, to_upstream};
use waf_tests::{polling, ports};

const END: Duration = Duration::from_secs(20);

/// A socket on every address, as a socket unit with `ListenStream=<port>` makes it.
fn manager() -> (TcpListener, Ports) {
    let ports = Ports::free();
    (TcpListener::bind(("::", ports.traffic)).expect("a free port"), ports)
}

fn count(waf: &Waf, words: &str) -> usize {
    waf.log().iter().filter(|line| line.contains(words)).count()
}

#[test]
fn a_handed_socket_is_served_and_a_dead_supervisor_refuses_nobody() {
    let origin = Origin::start();
    let config = to_upstream(&origin.url());
    let (socket, at) = manager();
    let first = Start::new().at(at).handed(&socket, 1).run(&config);
    first.wait_log(&["adopted", &at.traffic.to_string()]);
    let load = Load::start(at.traffic, 4, &Request::get("/"), |response| {
        if response.status == 200 { Ok(()) } else { Err(format!("status {}", response.status)) }
    });
    load.wait_for(50);
    let workers = first.workers();
    kill(first.pid(), Signal::SIGKILL);
    polling::until_true("the workers to stop accepting", || count(&first, "the supervisor is gone") == 2);
    polling::until_true("the workers to end", || workers.iter().all(|pid| !is_alive(*pid)));
    // Nobody serves now: whoever connects waits in the socket that the manager holds.
    let mut waiting = Connection::open(at.traffic).expect("no connection is refused");
    waiting.send(Request::get("/").bytes()).expect("sent");
    let second = Start::new().at(at).handed(&socket, 1).run(&config);
    assert_eq!(waiting.response().expect("an answer").status, 200);
    load.wait_for(50);
    let tally = load.stop();
    assert!(tally.failures.is_empty(), "{} failures: {:?}", tally.failures.len(), tally.failures.first());
    drop((first, second));
}

#[test]
fn a_supervisor_without_a_manager_is_replaced_at_once() {
    let gate = Gate::new();
    let closed = gate.clone();
    let origin = Origin::answering(move |request| {
        let answer = Answer::ok("hello");
        if request.target_text().starts_with("/slow") { answer.after(&closed) } else { answer }
    });
    // In this mode the event of a request is written when it ends.
    let config = to_upstream(&origin.url()) + "global: { mode: detect_only }\n";
    let at = Ports::free();
    let first = Start::new().at(at).run(&config);
    let workers = first.workers();
    let mut slow = Connection::open(at.traffic).expect("a connection");
    let attack = Request::get(format!("/slow?q={}", encode("<script>alert(1)</script>")));
    slow.send(attack.bytes()).expect("sent");
    origin.wait_for(1);
    let killed = Instant::now();
    kill(first.pid(), Signal::SIGKILL);
    // The old workers still finish what is open, and the new supervisor has the port.
    let second = Start::new().at(at).run(&config);
    let took = killed.elapsed();
    println!("the next supervisor was ready {took:?} after the death of the one before");
    assert!(workers.iter().any(|pid| is_alive(*pid)), "one finishes");
    for _ in 0..20 {
        assert_eq!(
            Request::get("/").to(at.traffic).status,
            200,
            "no listener without a process swallows any"
        );
    }
    gate.open();
    let response = slow.response().expect("what is in flight is finished");
    assert_eq!((response.text().as_str(), response.closes()), ("hello", true));
    polling::until_true("the old workers to end", || workers.iter().all(|pid| !is_alive(*pid)));
    first.wait_log(&["audit events are lost with the supervisor", "\"events_lost\":1"]);
    assert_eq!(first.events().len(), 0);
    assert!(took < Duration::from_secs(10), "{took:?}");
    drop(second);
}

#[test]
fn what_is_no_listening_tcp_socket_is_refused_by_name() {
    let origin = Origin::start();
    let (listener, at) = manager();
    let udp = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let file = tempfile::tempfile().expect("a file");
    let config = to_upstream(&origin.url());
    let fails = |start: Start, said: &str| {
        let mut waf = start.at(at).environment("LISTEN_FDNAMES", "http:more").launch(&config);
        assert_eq!(waf.wait_exit(END).code(), Some(1));
        waf.wait_log(&[said]);
    };
    fails(
        Start::new().handed(&udp, 1),
        "descriptor 3 (`http`) of LISTEN_FDS cannot be served: it is no TCP socket",
    );
    fails(Start::new().handed(&file.as_fd(), 1), "descriptor 3 (`http`)");
    fails(Start::new().handed(&listener, 2), "descriptors 3 and 4 of LISTEN_FDS have the same port");
}

#[test]
fn a_handed_socket_that_nobody_wants_is_told_and_kept() {
    let origin = Origin::start();
    let config = to_upstream(&origin.url());
    let (socket, handed) = manager();
    let waf = Start::new().handed(&socket, 1).run(&config);
    waf.wait_log(&["wait in vain", &handed.traffic.to_string()]);
    assert_eq!(Request::get("/").to(waf.port).status, 200, "it has bound the port that is configured");
    let before = waf.plan();
    waf.reconfigure(&config.replace(PORT, &handed.traffic.to_string()));
    waf.until_replaced(&before);
    assert_eq!(Request::get("/").to(handed.traffic).status, 200, "which cannot be bound twice");
}

#[test]
fn sockets_for_another_process_are_left_alone() {
    let origin = Origin::start();
    let start = Start::new().environment("LISTEN_PID", "1").environment("LISTEN_FDS", "1");
    let waf = start.run(&to_upstream(&origin.url()));
    assert_eq!(count(&waf, "adopted"), 0);
    assert_eq!(Request::get("/").to(waf.port).status, 200);
}

/// Notifications to a service manager. It reads all the time, as one does: its queue is short.
#[derive(Clone)]
struct Hearing(Arc<Mutex<Vec<String>>>);

impl Hearing {
    fn at(path: &Path) -> Hearing {
        let socket = UnixDatagram::bind(path).expect("a socket in the test's folder");
        let hearing = Hearing(Arc::default());
        let ears = hearing.clone();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // Until the test program ends.
            while let Ok(read) = socket.recv(&mut buffer) {
                let said = String::from_utf8_lossy(&buffer[..read]).into_owned();
                ears.0.lock().expect("nobody panics while holding it").push(said);
            }
        });
        hearing
    }

    /// Every message so far.
    fn heard(&self) -> Vec<String> {
        self.0.lock().expect("nobody panics while holding it").clone()
    }

    /// Waits for a message after the first `seen` that begins with `start`; says where it stands, and all of it.
    fn until(&self, seen: usize, start: &str) -> (usize, String) {
        let found = polling::within(END, || {
            let heard = self.heard();
            let at = heard.iter().skip(seen).position(|said| said.starts_with(start))?;
            Some((seen + at, heard[seen + at].clone()))
        });
        found.unwrap_or_else(|| panic!("{start} was not said: {:?}", self.heard()))
    }
}

#[test]
fn a_service_manager_is_told_what_happens() {
    let origin = Origin::start();
    let config = to_upstream(&origin.url());
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("notify");
    let manager = Hearing::at(&path);
    let start = Start::new()
        .linked()
        .environment("NOTIFY_SOCKET", &path.to_string_lossy())
        .environment("WATCHDOG_USEC", "200000");
    let mut waf = start.run(&config);
    let (_, ready) = manager.until(0, "READY=1\n");
    assert!(ready.contains(&format!("STATUS=plan {} is in force", waf.plan())), "{ready}");

    // A sign of life twice within the time, from a service that does nothing.
    let seen = manager.heard().len();
    let began = Instant::now();
    polling::until_true("ten signs of life", || {
        manager.heard().iter().skip(seen).filter(|said| *said == "WATCHDOG=1\n").count() >= 10
    });
    assert!(began.elapsed() > Duration::from_millis(700), "{:?}", began.elapsed());

    // Reloads: by signal, by a change, and one that comes to nothing.
    for (what, status) in [("signal", "is in force"), ("change", "is in force"), ("fault", "is not applied")]
    {
        let seen = manager.heard().len();
        match what {
            "signal" => waf.signal(Signal::SIGHUP),
            "change" => waf.reconfigure(&config.replace("routes:", "global: { mode: detect_only }\nroutes:")),
            _ => {
                waf.reconfigure("version: v1alpha1\nunknown: 1\n");
                waf.wait_log(&["waf.yaml:2:"]);
                waf.signal(Signal::SIGHUP);
            }
        }
        let (begins, _) = manager.until(seen, "RELOADING=1\nMONOTONIC_USEC=");
        let (_, ended) = manager.until(begins, "READY=1\n");
        assert!(ended.contains(status), "{what}: {ended}");
    }
    waf.reconfigure(&config);

    // An upgrade: the old process names the new one, which alone speaks from then on.
    let seen = manager.heard().len();
    waf.upgrade().expect("an upgrade");
    let (named, said) = manager.until(seen, "MAINPID=");
    assert!(said.starts_with(&format!("MAINPID={}\n", waf.pid())), "{said}");
    manager.until(named, "READY=1\n");
    manager.until(named, "WATCHDOG=1\n");
    assert_eq!(waf.wait_exit(END).code(), Some(0));
    assert!(manager.heard().iter().all(|said| !said.starts_with("STOPPING=1")), "the service goes on");
    waf.signal(Signal::SIGTERM);
    manager.until(named, "STOPPING=1\n");
}

/// systemd's own tool, where it is installed: the first connection starts the service.
#[test]
fn systemds_own_tool_starts_it() {
    let tool = Path::new("/usr/bin/systemd-socket-activate");
    if !tool.exists() {
        println!("left out: {} is not installed", tool.display());
        return;
    }
    let origin = Origin::start();
    let (port, health) = (ports::free(), ports::free());
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("waf.yaml");
    let text = to_upstream(&origin.url())
        .replace(PORT, &port.to_string())
        .replace(running::HEALTH, &health.to_string())
        .replace(running::FOLDER, &folder.path().to_string_lossy());
    std::fs::write(&config, text).expect("a file in the test's folder");
    let mut service = Command::new(tool)
        .args(["--listen", &port.to_string(), "--fdname", "http"])
        .arg(waf_tests::programs::waf())
        .arg("--config")
        .arg(&config)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the tool can be started");
    let response = polling::until("an answer", || Request::get("/").try_to(port).ok());
    assert_eq!((response.status, response.text().as_str()), (200, "hello"));
    let pid = i32::try_from(service.id()).expect("process numbers are small");
    kill(pid, Signal::SIGTERM);
    let status = polling::until("its end", || service.try_wait().expect("the process is ours"));
    assert_eq!(status.code(), Some(0));
}
