//! Variables of a service manager or an older supervisor in the environment: handed sockets (sd_listen_fds(3)), the
//! notification socket and the watchdog (sd_notify(3), sd_watchdog_enabled(3)). It knows variables, nothing of what
//! they bring about.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// A successor finds the line to the supervisor that started it at its standard input when this is set.
pub const HANDOVER: &str = "WAF_HANDOVER";

/// Variables of sd_listen_fds(3). They are about one process, by its number.
pub const LISTEN: [&str; 3] = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"];

/// Says for which process the watchdog is.
pub const WATCHDOG_PID: &str = "WATCHDOG_PID";

/// The variables that workers get, of those that are set. Whatever else they need stands on their command line or in
/// the plan: the supervisor's environment may hold keys, and is about the supervisor.
const FOR_WORKERS: [&str; 9] = [
    // Trust anchors.
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    // How names are resolved (resolv.conf(5)).
    "RES_OPTIONS",
    "LOCALDOMAIN",
    // Backtraces of panics.
    "RUST_BACKTRACE",
    "RUST_LIB_BACKTRACE",
    // How the C library manages memory (mallopt(3)), and where its parts lie (ld.so(8)).
    "GLIBC_TUNABLES",
    "MALLOC_ARENA_MAX",
    "LD_LIBRARY_PATH",
];

/// The environment as far as it is about this process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// Descriptors that are handed over; none when they are meant for another process.
    pub listen: Option<Listen>,
    /// Socket for reports of the state.
    pub notify_socket: Option<OsString>,
    /// Longest pause between signs of life.
    pub watchdog: Option<Duration>,
    /// True if an older supervisor started this one.
    pub has_predecessor: bool,
    /// Folders in which programs are looked for.
    pub search_path: Vec<PathBuf>,
}

/// Handed descriptors: so many from the third on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listen {
    /// Value of `LISTEN_FDS`, not yet read.
    pub count: String,
    /// Value of `LISTEN_FDNAMES`; may be empty.
    pub names: Vec<String>,
}

/// The environment that workers start with.
pub fn for_workers() -> impl Iterator<Item = (&'static str, OsString)> {
    FOR_WORKERS.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)))
}

impl Surroundings {
    /// Of this process.
    pub fn of_this_process() -> Surroundings {
        Surroundings::read(
            &|name| std::env::var_os(name).filter(|value| !value.is_empty()),
            std::process::id(),
        )
    }

    fn read(variable: &dyn Fn(&str) -> Option<OsString>, process: u32) -> Surroundings {
        let text = |name| variable(name).and_then(|value| value.into_string().ok());
        let is_ours = |name| text(name).and_then(|pid| pid.parse().ok()) == Some(process);
        let names = text("LISTEN_FDNAMES").map(|names| names.split(':').map(str::to_owned).collect());
        let listen = text("LISTEN_FDS")
            .filter(|_| is_ours("LISTEN_PID"))
            .map(|count| Listen { count, names: names.unwrap_or_default() });
        let watchdog = text("WATCHDOG_USEC")
            .and_then(|microseconds| microseconds.parse().ok())
            .filter(|microseconds| *microseconds > 0)
            .filter(|_| variable(WATCHDOG_PID).is_none() || is_ours(WATCHDOG_PID))
            .map(Duration::from_micros);
        Surroundings {
            listen,
            notify_socket: variable("NOTIFY_SOCKET"),
            watchdog,
            has_predecessor: variable(HANDOVER).is_some(),
            search_path: variable("PATH")
                .map(|path| std::env::split_paths(&path).collect())
                .unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Surroundings {
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        };
        Surroundings::read(&variable, 42)
    }

    #[test]
    fn sockets_and_a_watchdog_for_another_process_are_none_of_ours() {
        let names = ("LISTEN_FDNAMES", "http:health");
        let ours = read(&[("LISTEN_PID", "42"), ("LISTEN_FDS", "2"), names]).listen;
        let expected = Listen { count: "2".into(), names: vec!["http".into(), "health".into()] };
        assert_eq!(ours, Some(expected));
        for pid in [&[][..], &[("LISTEN_PID", "41")], &[("LISTEN_PID", "x")]] {
            let others = read(&[pid, &[("LISTEN_FDS", "2"), names]].concat());
            assert_eq!(others.listen, None, "{pid:?}");
        }
        let second = Some(Duration::from_secs(1));
        assert_eq!(read(&[("WATCHDOG_USEC", "1000000")]).watchdog, second);
        assert_eq!(read(&[("WATCHDOG_USEC", "1000000"), ("WATCHDOG_PID", "42")]).watchdog, second);
        assert_eq!(read(&[("WATCHDOG_USEC", "1000000"), ("WATCHDOG_PID", "41")]).watchdog, None);
        assert_eq!(read(&[("WATCHDOG_USEC", "0")]).watchdog, None);
        assert_eq!(read(&[]), Surroundings::default());
    }
}
