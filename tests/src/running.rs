//! The real `waf`, started in a folder of its own on free ports, watched from outside: its streams, its endpoints, its
//! processes.

mod process;
mod stream;

use std::fmt::Write as _;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

pub use process::{children, is_alive, kill, processor_time, resident_kib};
use serde_json::Value;
use stream::{Consumer, Lines};

use crate::raw::{Request, Response};
use crate::{kubelet, polling, ports, programs};

/// Placeholders that a configuration may use.
pub const PORT: &str = "@PORT@";
/// See [`PORT`].
pub const HEALTH: &str = "@HEALTH@";
/// See [`PORT`].
pub const METRICS: &str = "@METRICS@";
/// Port 80's stand-in, with [`Start::tls`]; [`PORT`] is then that of HTTPS. See [`PORT`].
pub const HTTP: &str = "@HTTP@";
/// The test's folder. See [`PORT`].
pub const FOLDER: &str = "@FOLDER@";

/// Attempts at a start: between finding a port free and binding it, another program may take it.
const STARTS: usize = 3;

/// A minimal configuration: everything to one upstream.
pub fn to_upstream(upstream: &str) -> String {
    with_routes(&format!("  - upstream: {upstream}\n"))
}

/// A configuration with the given list of routes, indented by two.
pub fn with_routes(routes: &str) -> String {
    format!(
        "version: v1alpha1\nport: {PORT}\nhealth_port: {HEALTH}\ndata_dir: {FOLDER}/data\nroutes:\n{routes}"
    )
}

/// The same with the metrics listener.
pub fn with_metrics(config: &str) -> String {
    config.replacen("data_dir:", &format!("metrics_port: {METRICS}\ndata_dir:"), 1)
}

/// How to start it.
#[derive(Debug, Default, Clone)]
pub struct Start {
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
    files: Vec<(String, String)>,
    mounted: bool,
    consumer: Option<Consumer>,
    output: Option<PathBuf>,
    tls: bool,
    ports: Option<Ports>,
    linked: bool,
    handed: Option<Handed>,
}

/// A listening socket that the service finds at its third descriptor, as from a service manager.
#[derive(Debug, Clone)]
struct Handed {
    socket: std::sync::Arc<OwnedFd>,
    /// What the shell does before it becomes the service.
    script: String,
}

impl Start {
    /// As an operator would: with `--config` alone.
    pub fn new() -> Start {
        Start::default()
    }

    /// Adds a command line argument; placeholders are filled in.
    #[must_use]
    pub fn argument(mut self, argument: &str) -> Start {
        self.arguments.push(argument.to_owned());
        self
    }

    /// Sets an environment variable; placeholders are filled in.
    #[must_use]
    pub fn environment(mut self, name: &str, value: &str) -> Start {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Puts a file beside the configuration.
    #[must_use]
    pub fn file(mut self, name: &str, text: &str) -> Start {
        self.files.push((name.to_owned(), text.to_owned()));
        self
    }

    /// Serves HTTPS on the traffic's port and redirects on another.
    #[must_use]
    pub fn tls(mut self) -> Start {
        self.tls = true;
        self
    }

    /// Listens on these ports, which somebody else has been told already.
    #[must_use]
    pub fn at(mut self, ports: Ports) -> Start {
        self.ports = Some(ports);
        self
    }

    /// Puts a certificate and its key where an operator does, for a configuration with `data_dir: @FOLDER@/data`.
    #[must_use]
    pub fn certificate(self, file: &str, (chain, key): &(String, String)) -> Start {
        self.file(&format!("data/certs/{file}.pem"), chain).file(&format!("data/certs/{file}.key"), key)
    }

    /// Starts the program by a link in the test's folder, so that an upgrade finds there what the test puts in its place.
    #[must_use]
    pub fn linked(mut self) -> Start {
        self.linked = true;
        self
    }

    /// Hands a socket over as a service manager does (sd_listen_fds(3)): `count` descriptors from the third on, all of them
    /// the same socket.
    #[must_use]
    pub fn handed(mut self, socket: &impl AsFd, count: usize) -> Start {
        let socket = socket.as_fd().try_clone_to_owned().expect("a descriptor can be copied");
        let copies: Vec<String> = (3..3 + count).map(|number| format!("{number}<&0")).collect();
        let copies = copies.join(" ");
        let script = format!("exec {copies} </dev/null; LISTEN_PID=$$ LISTEN_FDS={count} exec \"$@\"");
        self.handed = Some(Handed { socket: std::sync::Arc::new(socket), script });
        self
    }

    /// Lays the configuration out as Kubernetes mounts a `ConfigMap`: behind a link that is swapped as a whole.
    #[must_use]
    pub fn mounted(mut self) -> Start {
        self.mounted = true;
        self
    }

    /// Hands each line of standard output to `consumer`, which may take its time; none is kept.
    #[must_use]
    pub fn consumed_by(mut self, consumer: impl Fn(&[u8]) + Send + Sync + 'static) -> Start {
        self.consumer = Some(Consumer(std::sync::Arc::new(consumer)));
        self
    }

    /// Lets standard output go to a file or a named pipe, which has a reader; no line is kept.
    #[must_use]
    pub fn writing_to(mut self, path: &Path) -> Start {
        self.output = Some(path.to_owned());
        self
    }

    /// Starts with `config` and waits until the service is ready.
    pub fn run(&self, config: &str) -> Waf {
        for _ in 1..STARTS {
            match self.launch(config).ready() {
                Ok(waf) => return waf,
                Err(why) if why.contains("in use") => {}
                Err(why) => panic!("the service did not become ready: {why}"),
            }
        }
        self.launch(config).ready().unwrap_or_else(|why| panic!("the service did not become ready: {why}"))
    }

    /// Starts with `config` and waits for nothing.
    pub fn launch(&self, config: &str) -> Waf {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let taken = self.ports.unwrap_or_else(Ports::free);
        let fill = |text: &str| fill(text, taken, folder.path());
        for (name, text) in &self.files {
            let path = folder.path().join(name);
            let parent = path.parent().expect("a file lies in a folder");
            std::fs::create_dir_all(parent).expect("a folder in the test's folder");
            std::fs::write(path, fill(text)).expect("a file in the test's folder");
        }
        let config_path = folder.path().join("waf.yaml");
        if self.mounted {
            kubelet::write(folder.path(), "waf.yaml", &fill(config));
        } else {
            std::fs::write(&config_path, fill(config)).expect("a file in the test's folder");
        }
        let program = if self.linked { link_program(folder.path()) } else { programs::waf() };
        let mut command = match &self.handed {
            Some(Handed { script, .. }) => {
                let mut shell = Command::new("/bin/sh");
                shell.args(["-c", script, "sh"]).arg(program);
                shell
            }
            None => Command::new(program),
        };
        command.arg("--config").arg(&config_path).args(self.arguments.iter().map(|text| fill(text)));
        if self.tls {
            let (https, http) = (taken.traffic.to_string(), taken.http.to_string());
            command.args(["--https-port", &https, "--http-port", &http]);
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, fill(value))));
        let input =
            self.handed.as_ref().map(|handed| handed.socket.try_clone().expect("a descriptor can be copied"));
        command.stdin(input.map_or_else(Stdio::null, Stdio::from));
        let out = match &self.output {
            Some(path) => {
                let file = std::fs::OpenOptions::new().write(true).open(path);
                Stdio::from(file.expect("standard output can go there"))
            }
            None => Stdio::piped(),
        };
        spawn(command, out, taken, folder, config_path, self.consumer.clone())
    }
}

/// The program under another name, as an operator installs it.
fn link_program(folder: &Path) -> PathBuf {
    let (program, link) = (programs::waf(), folder.join("waf"));
    if std::fs::hard_link(&program, &link).is_err() {
        // The folder lies on another file system.
        std::fs::copy(&program, &link).expect("the program can be copied");
    }
    link
}

/// Starts with `config` alone and waits until it is ready.
pub fn waf(config: &str) -> Waf {
    Start::new().run(config)
}

/// Where a service listens.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ports {
    /// The traffic.
    pub traffic: u16,
    /// The health listener.
    pub health: u16,
    /// Redirects, where there are any.
    pub http: u16,
    /// Metrics, where the configuration asks for them.
    pub metrics: u16,
}

impl Ports {
    /// Free ones.
    pub fn free() -> Ports {
        Ports { traffic: ports::free(), health: ports::free(), http: ports::free(), metrics: ports::free() }
    }
}

/// Starts `command`, which is to listen on `ports`.
pub fn start(mut command: Command, ports: Ports, folder: tempfile::TempDir, config: PathBuf) -> Waf {
    command.stdin(Stdio::null());
    spawn(command, Stdio::piped(), ports, folder, config, None)
}

fn spawn(
    mut command: Command,
    out: Stdio,
    ports: Ports,
    folder: tempfile::TempDir,
    config: PathBuf,
    consumer: Option<Consumer>,
) -> Waf {
    command.stdout(out).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program can be started");
    let out = match (child.stdout.take(), consumer) {
        (Some(out), Some(consumer)) => Lines::handed(out, consumer),
        (Some(out), None) => Lines::of(out),
        (None, _) => Lines::default(),
    };
    let log = Lines::of(child.stderr.take().expect("it was asked for"));
    let Ports { traffic: port, health, http, metrics } = ports;
    Waf { child, successors: Vec::new(), port, health, metrics, http, folder, config, out, log }
}

fn fill(text: &str, ports: Ports, folder: &Path) -> String {
    text.replace(PORT, &ports.traffic.to_string())
        .replace(HEALTH, &ports.health.to_string())
        .replace(HTTP, &ports.http.to_string())
        .replace(METRICS, &ports.metrics.to_string())
        .replace(FOLDER, &folder.display().to_string())
}

/// A running service; it is ended when it is dropped.
#[derive(Debug)]
pub struct Waf {
    child: Child,
    /// Processes that took over, the last one in charge.
    successors: Vec<i32>,
    /// Port of the traffic.
    pub port: u16,
    /// Port of the health listener.
    pub health: u16,
    /// Port of the metrics listener, where the configuration names one.
    pub metrics: u16,
    /// Port of the redirects; only with [`Start::tls`].
    pub http: u16,
    folder: tempfile::TempDir,
    config: PathBuf,
    out: Lines,
    log: Lines,
}

impl Waf {
    fn fill(&self, text: &str) -> String {
        let ports = Ports { traffic: self.port, health: self.health, http: self.http, metrics: self.metrics };
        fill(text, ports, self.folder.path())
    }

    /// The folder that the configuration lies in.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The configuration file.
    pub fn config(&self) -> &Path {
        &self.config
    }

    /// The process of the supervisor that is in charge.
    pub fn pid(&self) -> i32 {
        self.successors.last().copied().unwrap_or_else(|| self.first())
    }

    /// The process that was started first.
    fn first(&self) -> i32 {
        i32::try_from(self.child.id()).expect("process numbers are small")
    }

    /// Runs `waf upgrade` for the supervisor in charge; what it says is the answer or the error. The one that took over is
    /// in charge from then on.
    pub fn upgrade(&mut self) -> Result<String, String> {
        let output = Command::new(programs::waf())
            .args(["upgrade", "--pid", &self.pid().to_string()])
            .output()
            .expect("the program can be started");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        match output.status.code() {
            Some(0) => {
                let said = text(&output.stdout);
                let process = said.split(' ').nth(2).and_then(|word| word.parse().ok());
                self.successors.push(process.unwrap_or_else(|| panic!("no process is named: {said}")));
                Ok(said)
            }
            Some(1) => Err(text(&output.stderr)),
            other => panic!("waf upgrade ends with {other:?}: {}", text(&output.stderr)),
        }
    }

    /// Another process is in charge from now on.
    pub fn take_over(&mut self, process: i32) {
        self.successors.push(process);
    }

    /// A process that an upgrade has started and that is not in charge yet.
    pub fn candidate(&self) -> Option<i32> {
        let is_worker = |pid: &i32| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            line.split(|byte| *byte == 0).nth(1) == Some(b"worker")
        };
        children(self.pid()).into_iter().find(|pid| !is_worker(pid) && !self.successors.contains(pid))
    }

    /// The workers' processes.
    pub fn workers(&self) -> Vec<i32> {
        children(self.pid())
    }

    /// Replaces the configuration by renaming a new file over it.
    pub fn reconfigure(&self, config: &str) {
        let text = self.fill(config);
        let beside = self.config.with_extension("new");
        std::fs::write(&beside, text).expect("a file in the test's folder");
        std::fs::rename(&beside, &self.config).expect("the file can be renamed");
    }

    /// Replaces the configuration of a [`Start::mounted`] service.
    pub fn swap(&self, config: &str) {
        kubelet::write(self.folder(), "waf.yaml", &self.fill(config));
    }

    /// Replaces the configuration in place: the file is emptied, then written in two pieces.
    pub fn write_in_two_steps(&self, config: &str) {
        let text = self.fill(config);
        let mut file = std::fs::File::create(&self.config).expect("the file can be written");
        let (first, second) = text.split_at(text.len() / 2);
        for piece in [first, second] {
            std::io::Write::write_all(&mut file, piece.as_bytes()).expect("the file can be written");
            file.sync_all().expect("the file can be written");
        }
    }

    /// Sends a signal to the supervisor, by its name.
    pub fn signal(&self, signal: nix::sys::signal::Signal) {
        kill(self.pid(), signal);
    }

    /// Asks an endpoint of the health listener.
    pub fn ask(&self, path: &str) -> Result<Response, crate::raw::Fault> {
        Request::get(path).try_to(self.health)
    }

    /// The digest that the health listener shows; empty while there is none.
    pub fn plan(&self) -> String {
        let response = self.ask("/readyz").ok();
        response.and_then(|response| response.field("x-waf-plan").map(str::to_owned)).unwrap_or_default()
    }

    /// Waits until another plan than `before` is in force everywhere.
    pub fn until_replaced(&self, before: &str) -> String {
        polling::until("a new plan", || {
            let response = self.ask("/readyz").ok().filter(|response| response.status == 200)?;
            response.field("x-waf-plan").filter(|plan| !plan.is_empty() && *plan != before).map(str::to_owned)
        })
    }

    /// The audit events so far. Whatever else stands on standard output is a failure.
    pub fn events(&self) -> Vec<Value> {
        self.out.all().iter().map(|line| event(line)).collect()
    }

    /// Waits until so many audit events have been written and returns all.
    pub fn wait_events(&self, count: usize) -> Vec<Value> {
        polling::until(&format!("{count} audit events"), || Some(self.events()).filter(|e| e.len() >= count))
    }

    /// Waits for the audit event of a request.
    pub fn event_of(&self, request_id: &str) -> Value {
        polling::until(&format!("the audit event of request {request_id}"), || {
            self.events().into_iter().find(|event| event["http_request"]["uid"] == request_id)
        })
    }

    /// Lines of standard output so far.
    pub fn out(&self) -> Vec<String> {
        self.out.all()
    }

    /// Lines of standard error so far.
    pub fn log(&self) -> Vec<String> {
        self.log.all()
    }

    /// Waits for a line of standard error that contains every one of `words`.
    pub fn wait_log(&self, words: &[&str]) -> String {
        polling::within(polling::PATIENCE, || {
            self.log.all().into_iter().find(|line| words.iter().all(|word| line.contains(word)))
        })
        .unwrap_or_else(|| panic!("no line of the log has all of {words:?}:\n{}", self.log.all().join("\n")))
    }

    /// Waits for the end of the process.
    pub fn wait_exit(&mut self, limit: Duration) -> ExitStatus {
        let status = polling::within(limit, || self.child.try_wait().expect("the process is ours"));
        status.unwrap_or_else(|| {
            panic!("the service did not end within {limit:?}:\n{}", self.log.all().join("\n"))
        })
    }

    /// Whether it still runs.
    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("the process is ours").is_none()
    }

    /// Waits for readiness; says what stands in the way.
    pub fn ready(mut self) -> Result<Waf, String> {
        let end = Instant::now() + polling::PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("the process is ours") {
                return Err(self.post_mortem(status));
            }
            match self.ask("/readyz") {
                Ok(response) if response.status == 200 => return Ok(self),
                answer if Instant::now() > end => {
                    return Err(format!("/readyz says {answer:?}; the log:\n{}", self.log.all().join("\n")));
                }
                _ => polling::hold(Duration::from_millis(5)),
            }
        }
    }

    fn post_mortem(&self, status: ExitStatus) -> String {
        let mut text = format!("ended with {:?} (signal {:?})", status.code(), status.signal());
        let _ = write!(text, "; the log:\n{}", self.log.whole().join("\n"));
        text
    }
}

impl Drop for Waf {
    fn drop(&mut self) {
        // First those that would otherwise lose their parent and could not be found any more.
        let first = self.first();
        let mut processes: Vec<i32> = self.successors.iter().copied().chain([first]).collect();
        processes.retain(|pid| *pid == first || named(*pid, self.folder.path()));
        let below: Vec<i32> = processes.iter().flat_map(|pid| children(*pid)).collect();
        let further: Vec<i32> = below.iter().flat_map(|pid| children(*pid)).collect();
        let _ = self.child.kill();
        let _ = self.child.wait();
        for process in processes.into_iter().filter(|pid| *pid != first).chain(below).chain(further) {
            kill(process, nix::sys::signal::Signal::SIGKILL);
        }
    }
}

/// Whether a process was started for the configuration in `folder`: its number may be somebody else's by now.
fn named(pid: i32, folder: &Path) -> bool {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&line).contains(&*folder.to_string_lossy())
}

fn event(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("standard output carries {line:?}: {error}"))
}
