//! The real `waf`, started in a folder of its own on free ports, watched from outside: its streams, its endpoints, its
//! processes.

mod launch;
mod process;
mod stream;

use std::fmt::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

pub use launch::{NAMES, Start};
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

/// Starts with `config` alone and waits until it is ready.
pub fn waf(config: &str) -> Waf {
    Start::new().run(config)
}

/// Address at which a service listens.
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

    /// True if it still runs.
    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("the process is ours").is_none()
    }

    /// Waits for readiness; reports what prevents it.
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

/// True if a process was started for the configuration in `folder`: its number may be somebody else's by now.
fn named(pid: i32, folder: &Path) -> bool {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&line).contains(&*folder.to_string_lossy())
}

fn event(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("standard output carries {line:?}: {error}"))
}
