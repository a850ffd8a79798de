//! The operator's program that adds records to a zone and removes them again, for DNS-01 (RFC 8555 section 8.4). It runs
//! the program for a bounded time and logs what it writes; it knows nothing of DNS.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tracing::{info, warn};
use waf_shared::limits::{DNS_HOOK_LINES_MAX, DNS_HOOK_SECONDS};

use super::failure::{Failure, Why, printable};

/// Label of the record, below the domain that is proven.
const LABEL: &str = "_acme-challenge";

/// For the rest of its messages once the program has ended: a process that it left behind may hold the pipe open.
const REST: Duration = Duration::from_secs(1);

/// Bytes of one of its messages.
const LINE_BYTES_MAX: usize = 512;

/// Variables of this service that the program does not get: keys, and what concerns this process alone.
const KEPT_BACK: [&str; 9] = [
    "WAF_ACME_EAB_KID",
    "WAF_ACME_EAB_KEY",
    "WAF_HANDOVER",
    "NOTIFY_SOCKET",
    "WATCHDOG_PID",
    "WATCHDOG_USEC",
    "LISTEN_PID",
    "LISTEN_FDS",
    "LISTEN_FDNAMES",
];

/// The program.
#[derive(Debug, Clone)]
pub(super) struct DnsHook {
    program: Arc<Path>,
    limit: Duration,
}

impl DnsHook {
    pub(super) fn new(program: &Path) -> DnsHook {
        DnsHook { program: program.into(), limit: Duration::from_secs(DNS_HOOK_SECONDS) }
    }

    /// Adds the record for `host`, a wildcard or not. It is removed when the result is dropped, and also when adding it
    /// fails half way.
    pub(super) async fn present(&self, host: &str, value: String) -> Result<Record, Failure> {
        let domain = host.strip_prefix("*.").unwrap_or(host);
        let record = Record(Task { hook: self.clone(), name: format!("{LABEL}.{domain}"), value });
        record.0.run("present").await?;
        Ok(record)
    }
}

/// A record that was asked for; dropping it has it removed.
#[derive(Debug)]
pub(super) struct Record(Task);

impl Drop for Record {
    fn drop(&mut self) {
        let task = self.0.clone();
        // Without a runtime the service ends, and the record stays until the next one of its name.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(async move {
            if let Err(failure) = task.run("cleanup").await {
                warn!(error = failure.text, "a record for DNS-01 may be left in its zone");
            }
        });
    }
}

/// A record, and the program that adds and removes it.
#[derive(Debug, Clone)]
struct Task {
    hook: DnsHook,
    name: String,
    value: String,
}

impl Task {
    async fn run(&self, act: &'static str) -> Result<(), Failure> {
        let DnsHook { program, limit } = &self.hook;
        let failed = |why: String| {
            let text = format!("{} {act} {}: {why}", program.display(), self.name);
            Failure::new(Why::Unproven, printable(&text))
        };
        let mut running =
            self.start(act).map_err(|error| failed(format!("it cannot be started: {error}")))?;
        let status = match tokio::time::timeout(*limit, running.child.wait()).await {
            Ok(Ok(status)) => status,
            Ok(Err(error)) => return Err(failed(format!("its end is not known: {error}"))),
            // Dropping it kills it.
            Err(_) => {
                return Err(failed(format!("it did not end within {} s and was killed", limit.as_secs())));
            }
        };
        running.group = None;
        let last = running.last_message().await;
        if status.success() {
            return Ok(());
        }
        let last = if last.is_empty() { String::new() } else { format!(": {last}") };
        Err(failed(format!("it ended with {status}{last}")))
    }

    fn start(&self, act: &'static str) -> std::io::Result<Running> {
        let mut command = Command::new(&*self.hook.program);
        command.args([act, &self.name, &self.value]).current_dir("/").process_group(0).kill_on_drop(true);
        // Standard output is the stream of audit events.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        for variable in KEPT_BACK {
            command.env_remove(variable);
        }
        let mut child = command.spawn()?;
        let group = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
        let messages = child.stderr.take().map(|stderr| tokio::spawn(log(stderr, self.name.clone(), act)));
        Ok(Running { child, group, messages })
    }
}

/// The program while it runs. Dropping it kills the program and what it has started.
struct Running {
    child: Child,
    /// Its process group, until it has ended.
    group: Option<Pid>,
    messages: Option<JoinHandle<String>>,
}

impl Running {
    /// The last line that it wrote.
    async fn last_message(&mut self) -> String {
        let Some(mut messages) = self.messages.take() else { return String::new() };
        match tokio::time::timeout(REST, &mut messages).await {
            Ok(last) => last.unwrap_or_default(),
            Err(_) => {
                messages.abort();
                String::new()
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(group) = self.group {
            // It fails only when nothing of it lives.
            let _ = killpg(group, Signal::SIGKILL);
        }
        if let Some(messages) = &self.messages {
            messages.abort();
        }
    }
}

/// Logs what the program writes to its standard error, as far as the bound on lines goes; the rest is read and dropped.
/// The result is the last line.
async fn log(mut stderr: impl AsyncRead + Unpin, name: String, act: &'static str) -> String {
    let (mut lines, mut buffer, mut logged) = (Lines::default(), [0; 1024], 0);
    loop {
        let count = stderr.read(&mut buffer).await.unwrap_or(0);
        let mut whole = lines.take(buffer.get(..count).unwrap_or_default());
        if count == 0 {
            whole.extend(lines.end());
        }
        for line in whole {
            if logged < DNS_HOOK_LINES_MAX {
                info!(name, act, text = line, "the DNS hook writes");
            }
            logged += 1;
        }
        if count == 0 {
            return lines.last;
        }
    }
}

/// Bytes split into lines that the log may show.
#[derive(Debug, Default)]
struct Lines {
    begun: Vec<u8>,
    last: String,
}

impl Lines {
    /// The lines that `bytes` complete.
    fn take(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut whole = Vec::new();
        for byte in bytes {
            match byte {
                b'\n' => whole.extend(self.end()),
                _ if self.begun.len() < LINE_BYTES_MAX => self.begun.push(*byte),
                _ => {}
            }
        }
        whole
    }

    /// The line that has begun, unless nothing of it can be seen.
    fn end(&mut self) -> Option<String> {
        let line = printable(String::from_utf8_lossy(&std::mem::take(&mut self.begun)).trim());
        if line.is_empty() {
            return None;
        }
        self.last.clone_from(&line);
        Some(line)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::time::Instant;

    use super::*;

    /// A program of these commands, in a folder where it writes down how it was called.
    fn hook(commands: &str) -> (tempfile::TempDir, DnsHook) {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("hook");
        let text = format!("#!/bin/sh\ncd {}\necho \"$@\" >> calls\n{commands}\n", folder.path().display());
        fs::write(&program, text).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
        let hook = DnsHook { limit: Duration::from_secs(20), ..DnsHook::new(&program) };
        (folder, hook)
    }

    /// Waits for a number of calls.
    async fn calls(folder: &tempfile::TempDir, count: usize) -> Vec<String> {
        let until = Instant::now() + Duration::from_secs(20);
        loop {
            let text = fs::read_to_string(folder.path().join("calls")).unwrap_or_default();
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            assert!(Instant::now() < until, "{lines:?}");
            if lines.len() >= count {
                return lines;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    #[tokio::test]
    async fn a_record_is_added_and_removed() {
        for (host, name) in [
            ("shop.example", "_acme-challenge.shop.example"),
            ("*.shop.example", "_acme-challenge.shop.example"),
            ("a.b.shop.example", "_acme-challenge.a.b.shop.example"),
        ] {
            let (folder, hook) = hook("");
            let record = hook.present(host, "a-value_1".to_owned()).await.unwrap();
            assert_eq!(calls(&folder, 1).await, [format!("present {name} a-value_1")]);
            drop(record);
            let all = [format!("present {name} a-value_1"), format!("cleanup {name} a-value_1")];
            assert_eq!(calls(&folder, 2).await, all);
        }
    }

    #[tokio::test]
    async fn a_program_that_fails_is_an_error_with_its_last_words_and_cleans_up() {
        for (commands, reason) in [
            ("echo first >&2; echo 'the zone is locked' >&2; exit 3", "exit status: 3: the zone is locked"),
            ("printf 'no\\tline\\033 end' >&2; exit 1", "exit status: 1: no line  end"),
            ("exit 2", "exit status: 2"),
            ("kill -9 $$", "signal: 9"),
            ("yes 'far too much' | head -n 20000 >&2; echo over >&2; exit 1", ": over"),
            ("head -c 300000 /dev/zero >&2; exit 1", "exit status: 1"),
            ("sleep 100 & exit 4", "exit status: 4"),
        ] {
            let (folder, hook) = hook(commands);
            let failure = hook.present("a.example", "value".to_owned()).await.unwrap_err();
            assert!(failure.text.contains(reason), "{commands}: {}", failure.text);
            assert_eq!(failure.why, Why::Unproven);
            assert_eq!(calls(&folder, 2).await[1], "cleanup _acme-challenge.a.example value");
        }
        let absent = DnsHook::new(Path::new("/nothing/of-that-name"));
        let failure = absent.present("a.example", "value".to_owned()).await.unwrap_err();
        assert!(failure.text.contains("cannot be started"), "{}", failure.text);
    }

    #[tokio::test]
    async fn a_program_that_does_not_end_is_killed_with_all_that_it_started() {
        let commands = "case $1 in present) sleep 300 & echo $! > child; wait;; esac";
        for gives_up in [false, true] {
            let (folder, hook) = hook(commands);
            let limit = if gives_up { Duration::from_mins(1) } else { Duration::from_secs(1) };
            let hook = DnsHook { limit, ..hook };
            let presented = hook.present("a.example", "value".to_owned());
            if gives_up {
                // An order that is over drops what it waits for.
                let until_started = async {
                    while fs::read_to_string(folder.path().join("child")).unwrap_or_default().is_empty() {
                        tokio::time::sleep(Duration::from_millis(5)).await;
                    }
                };
                tokio::select! {
                    _ = presented => panic!("it does not end"),
                    () = until_started => {}
                }
            } else {
                let failure = presented.await.unwrap_err();
                assert!(failure.text.contains("did not end within 1 s"), "{}", failure.text);
            }
            assert_eq!(calls(&folder, 2).await[1], "cleanup _acme-challenge.a.example value");
            let child = fs::read_to_string(folder.path().join("child")).unwrap();
            let state = || fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
            let until = Instant::now() + Duration::from_secs(20);
            // Gone, or a zombie where nobody collects it.
            while !state().is_empty() && !state().contains(") Z") {
                assert!(Instant::now() < until, "{}", state());
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    }

    #[tokio::test]
    async fn keys_of_the_service_are_kept_back() {
        let (folder, hook) = hook("env > environment");
        drop(hook.present("a.example", "value".to_owned()).await.unwrap());
        let environment = fs::read_to_string(folder.path().join("environment")).unwrap();
        assert!(environment.contains("PATH="));
        for variable in KEPT_BACK {
            assert!(!environment.lines().any(|line| line.starts_with(&format!("{variable}="))), "{variable}");
        }
    }
}
