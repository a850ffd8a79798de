//! The start of a service: its arguments, its output, its sockets.

use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::stream::Consumer;
use super::{Ports, Waf, fill, spawn};
use crate::{kubelet, programs};

/// Attempts at a start: between finding a port free and binding it, another program may take it.
const STARTS: usize = 3;

/// Name of the file of [`Start::names`], which may be written again while the service runs.
pub const NAMES: &str = "hosts";

/// The way to start it.
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
    names: Option<String>,
}

/// A listening socket that the service finds at its third descriptor, as from a service manager.
#[derive(Debug, Clone)]
struct Handed {
    socket: std::sync::Arc<OwnedFd>,
    /// Commands of the shell before it becomes the service.
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

    /// Lets the service resolve names by `text` in the form of hosts(5): in a mount namespace of its own, where the file
    /// [`NAMES`] of the test's folder lies over `/etc/hosts`. Only root can do so, see [`Start::can_replace_names`].
    #[must_use]
    pub fn names(mut self, text: &str) -> Start {
        self.names = Some(text.to_owned());
        self
    }

    /// Reports whether [`Start::names`] works here.
    pub fn can_replace_names() -> bool {
        let tried =
            Command::new("unshare").args(["--mount", "mount", "--bind", "/etc/hosts", "/etc/hosts"]).output();
        nix::unistd::geteuid().is_root() && tried.is_ok_and(|tried| tried.status.success())
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
        if let Some(names) = &self.names {
            std::fs::write(folder.path().join(NAMES), names).expect("a file in the test's folder");
        }
        let config_path = folder.path().join("waf.yaml");
        if self.mounted {
            kubelet::write(folder.path(), "waf.yaml", &fill(config));
        } else {
            std::fs::write(&config_path, fill(config)).expect("a file in the test's folder");
        }
        let program = if self.linked { link_program(folder.path()) } else { programs::waf() };
        let mut command = match &self.handed {
            None if self.names.is_some() => {
                let mut namespace = Command::new("unshare");
                let script = "mount --bind \"$0\" /etc/hosts && exec \"$@\"";
                namespace.args(["--mount", "sh", "-c", script]).arg(folder.path().join(NAMES)).arg(program);
                namespace
            }
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
