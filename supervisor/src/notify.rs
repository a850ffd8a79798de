//! Reports to a service manager (sd_notify(3)): ready, reloading, stopping, a line for people, signs of life, and which
//! process to watch after an upgrade. Without a service manager nothing happens. It knows datagrams, nothing of plans.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::io;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::time::{ClockId, clock_gettime};
use tokio::time::Instant;
use tracing::warn;

/// Pause before a service manager that did not read gets the report again.
const RETRY: Duration = Duration::from_millis(100);

/// Report that waits for a service manager that does not read. It is about one process: the latest says the most.
const UNSAID_MAX: usize = 8;

/// For the one message that has to be heard before this process goes on.
const PATIENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 500_000_000 };

/// The line to a service manager.
#[derive(Debug, Default)]
pub struct Notifier {
    socket: Option<UnixDatagram>,
    /// Between two signs of life.
    pause: Option<Duration>,
    next_sign: Option<Instant>,
    /// An older supervisor is the one that the service manager listens to.
    silent: bool,
    reloading: bool,
    /// The report that could not be sent yet, and the time of the next try.
    unsaid: VecDeque<String>,
    retry_at: Option<Instant>,
}

impl Notifier {
    /// To the socket of `NOTIFY_SOCKET`; signs of life twice within `watchdog`. A silent one says nothing until
    /// [`Notifier::speak`].
    pub fn new(socket: Option<&OsStr>, watchdog: Option<Duration>, silent: bool) -> Notifier {
        let socket = socket.and_then(|name| {
            connect(name)
                .inspect_err(|error| warn!(%error, ?name, "the service manager takes no reports"))
                .ok()
        });
        let pause = watchdog.filter(|_| socket.is_some()).map(|limit| limit / 2);
        Notifier { socket, pause, next_sign: pause.map(|_| Instant::now()), silent, ..Notifier::default() }
    }

    /// The service manager listens to this process from now on.
    pub fn speak(&mut self) {
        self.silent = false;
        self.next_sign = self.pause.map(|_| Instant::now());
    }

    /// The service serves; also the end of a reload, whatever came of it.
    pub fn ready(&mut self, status: &str) {
        self.reloading = false;
        self.tell(format!("READY=1\nSTATUS={}\n", one_line(status)));
    }

    /// A reload has begun. The time lets a service manager that asked for one tell it from an earlier one.
    pub fn reloading(&mut self) {
        self.reloading = true;
        let now = clock_gettime(ClockId::Monotonic);
        let microseconds = now.tv_sec * 1_000_000 + now.tv_nsec / 1_000;
        self.tell(format!("RELOADING=1\nMONOTONIC_USEC={microseconds}\nSTATUS=reloading\n"));
    }

    /// Ends a reload, if one was reported.
    pub fn reloaded(&mut self, status: &str) {
        if self.reloading {
            self.ready(status);
        }
    }

    /// The service ends.
    pub fn stopping(&mut self) {
        self.tell("STOPPING=1\nSTATUS=finishing what is in flight\n".to_owned());
    }

    /// Another process is the service from now on; this one is not listened to any more.
    pub fn hand_over(&mut self, process: u32) {
        self.tell(format!("MAINPID={process}\nSTATUS=handed over to process {process}\n"));
        if let Some(socket) = self.socket.as_ref().filter(|_| !self.unsaid.is_empty()) {
            // Its queue is full; it reads it sooner or later, or nobody is there.
            let _ = poll(&mut [PollFd::new(socket, PollFlags::OUT)], Some(&PATIENCE));
            self.say();
        }
        self.silent = true;
        self.unsaid.clear();
    }

    /// When [`Notifier::act`] is due.
    pub fn due(&self) -> Option<Instant> {
        let retry = self.retry_at.filter(|_| !self.unsaid.is_empty());
        [self.next_sign, retry].into_iter().flatten().min().filter(|_| !self.silent)
    }

    /// Shows life, and says what could not be said before.
    pub fn act(&mut self) {
        self.say();
        if self.next_sign.is_some_and(|due| due <= Instant::now()) {
            self.next_sign = self.pause.map(|pause| Instant::now() + pause);
            if let Some(socket) = self.socket.as_ref().filter(|_| !self.silent && self.unsaid.is_empty()) {
                // One that has no room for it has enough signs of life to read.
                let _ = socket.send(b"WATCHDOG=1\n");
            }
        }
    }

    fn tell(&mut self, state: String) {
        if self.silent || self.socket.is_none() {
            return;
        }
        if self.unsaid.len() == UNSAID_MAX {
            self.unsaid.pop_front();
        }
        self.unsaid.push_back(state);
        self.say();
    }

    fn say(&mut self) {
        let Some(socket) = self.socket.as_ref().filter(|_| !self.silent) else { return };
        while let Some(state) = self.unsaid.front() {
            match socket.send(state.as_bytes()) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.retry_at = Some(Instant::now() + RETRY);
                    return;
                }
                Err(error) => warn!(%error, state, "a report to the service manager failed"),
            }
            self.unsaid.pop_front();
        }
    }
}

/// A path, or a name without a file that begins with `@`.
fn connect(name: &OsStr) -> io::Result<UnixDatagram> {
    let socket = UnixDatagram::unbound()?;
    let address = match name.as_bytes() {
        [b'@', name @ ..] => SocketAddr::from_abstract_name(name)?,
        [b'/', ..] => SocketAddr::from_pathname(Path::new(name))?,
        _ => {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "NOTIFY_SOCKET is no path and no `@name`",
            ));
        }
    };
    socket.connect_addr(&address)?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use super::*;

    fn heard(socket: &UnixDatagram) -> Option<String> {
        let mut buffer = [0; 512];
        let read = socket.recv(&mut buffer).ok()?;
        Some(String::from_utf8(buffer[..read].to_vec()).unwrap())
    }

    fn manager() -> (UnixDatagram, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let socket = UnixDatagram::bind(folder.path().join("notify")).unwrap();
        socket.set_nonblocking(true).unwrap();
        (socket, folder)
    }

    #[test]
    fn it_says_what_the_protocol_asks_for() {
        let (manager, folder) = manager();
        let path = folder.path().join("notify");
        let mut notifier = Notifier::new(Some(path.as_os_str()), Some(Duration::from_secs(4)), false);
        assert!(notifier.due().is_some_and(|due| due <= Instant::now()));
        notifier.act();
        let pause = notifier.due().unwrap() - Instant::now();
        assert!(pause > Duration::from_secs(1) && pause <= Duration::from_secs(2), "{pause:?}");
        notifier.reloaded("no reload was reported");
        notifier.ready("serving\nplan");
        notifier.reloading();
        notifier.reloaded("serving");
        notifier.reloaded("once");
        notifier.stopping();
        assert_eq!(heard(&manager).unwrap(), "WATCHDOG=1\n");
        assert_eq!(heard(&manager).unwrap(), "READY=1\nSTATUS=serving plan\n");
        let reloading = heard(&manager).unwrap();
        let microseconds = reloading.lines().find_map(|line| line.strip_prefix("MONOTONIC_USEC=")).unwrap();
        assert!(reloading.starts_with("RELOADING=1\n") && microseconds.parse::<u64>().unwrap() > 0);
        assert_eq!(heard(&manager).unwrap(), "READY=1\nSTATUS=serving\n");
        assert!(heard(&manager).unwrap().starts_with("STOPPING=1\n"));
        assert_eq!(heard(&manager), None);
    }

    #[test]
    fn what_a_busy_manager_does_not_read_is_said_later() {
        let (manager, folder) = manager();
        let path = folder.path().join("notify");
        let mut notifier = Notifier::new(Some(path.as_os_str()), None, false);
        let filled = (0..10_000).take_while(|_| {
            notifier.ready("serving");
            notifier.due().is_none()
        });
        assert!(filled.count() < 9_999, "the queue has an end");
        notifier.stopping();
        assert!(notifier.due().is_some_and(|due| due > Instant::now()));
        let read = |said: &mut Vec<String>| said.extend(std::iter::from_fn(|| heard(&manager)));
        let mut said = Vec::new();
        read(&mut said);
        notifier.act();
        assert_eq!(notifier.due(), None);
        read(&mut said);
        assert!(said.last().is_some_and(|last| last.starts_with("STOPPING=1\n")));
    }

    #[test]
    fn only_one_of_two_processes_speaks() {
        let (manager, folder) = manager();
        let path = folder.path().join("notify");
        let watchdog = Some(Duration::from_secs(4));
        let mut old = Notifier::new(Some(path.as_os_str()), watchdog, false);
        let mut new = Notifier::new(Some(path.as_os_str()), watchdog, true);
        new.ready("too early");
        assert_eq!(new.due(), None);
        old.hand_over(7);
        old.stopping();
        assert_eq!(old.due(), None);
        new.speak();
        assert!(new.due().is_some());
        new.ready("serving");
        assert!(heard(&manager).unwrap().starts_with("MAINPID=7\n"));
        assert_eq!(heard(&manager).unwrap(), "READY=1\nSTATUS=serving\n");
        assert_eq!(heard(&manager), None);
    }

    #[test]
    fn without_a_service_manager_nothing_happens() {
        for name in [None, Some("vsock:2:1"), Some("/nowhere/at/all")] {
            let mut notifier = Notifier::new(name.map(OsStr::new), Some(Duration::from_secs(1)), false);
            notifier.ready("serving");
            assert_eq!(notifier.due(), None);
        }
        let manager = UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(b"waf-notify-test").unwrap());
        if let Ok(manager) = manager {
            Notifier::new(Some(OsStr::new("@waf-notify-test")), None, false).ready("serving");
            assert!(heard(&manager).is_some());
        }
    }
}
