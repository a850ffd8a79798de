//! The command line of `waf`. It knows words and values, nothing of what they bring about. This is the only place
//! where the environment is read.

mod acme;
mod environment;
mod recording;
mod shadow;
mod surroundings;
mod top;

use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use waf_dataplane::confinement::identity::User;
use waf_shared::limits::{DRAIN_SECONDS, UPGRADE_SECONDS};
use waf_shared::plan::Cidr;

use crate::access_log::AccessLog;

pub use acme::{Acme, MacKey, Way};
pub use environment::{anchors, managed, tracing_environment};
pub use recording::Record;
pub use shadow::Shadow;
pub use surroundings::{HANDOVER, LISTEN, Listen, Surroundings, WATCHDOG_PID, for_workers};
pub use top::Top;

/// Workers of one service; more than cores is allowed, more than this is a slip.
const WORKERS_MAX: usize = 64;

/// Configuration file where none is named.
pub const DEFAULT_CONFIG: &str = "/etc/waf/waf.yaml";

/// A reverse proxy that inspects requests, configured by one YAML file.
#[derive(Debug, Parser)]
#[command(name = "waf", version, args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// Another task than to serve.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Options of the service.
    #[command(flatten)]
    pub serve: Serve,
}

/// Options of the service.
#[derive(Debug, Args)]
pub struct Serve {
    /// Configuration file
    #[arg(short, long, value_name = "FILE", default_value = DEFAULT_CONFIG)]
    pub config: PathBuf,
    /// Check the configuration (FILE, else the one of --config), print what is wrong with it, and exit
    #[arg(short = 't', long, value_name = "FILE", num_args = 0..=1)]
    #[allow(clippy::option_option, reason = "an option with an optional value")]
    pub validate: Option<Option<PathBuf>>,
    /// With --validate, take warnings for errors in the exit status
    #[arg(short = 'W', long, requires = "validate")]
    pub deny_warnings: bool,
    /// Leave out checks that depend on this machine
    #[arg(long)]
    pub no_host_checks: bool,
    /// Policy tests that a configuration has to pass before it is applied; may be given more than once
    #[arg(long, value_name = "FILE")]
    pub policy_tests: Vec<PathBuf>,
    /// Port for HTTPS in modes 1 and 2; clients still come by 443
    #[arg(long, value_name = "PORT", default_value_t = 443, value_parser = clap::value_parser!(u16).range(1..))]
    pub https_port: u16,
    /// Port for redirects and challenges in modes 1 and 2; clients still come by 80
    #[arg(long, value_name = "PORT", default_value_t = 80, value_parser = clap::value_parser!(u16).range(1..))]
    pub http_port: u16,
    /// Options of certificates.
    #[command(flatten)]
    pub acme: Acme,
    /// Options of a second plan.
    #[command(flatten)]
    pub shadow: Shadow,
    /// Options of recordings.
    #[command(flatten)]
    pub record: Record,
    /// Options of the process.
    #[command(flatten)]
    pub process: Process,
}

/// Options of the process, whatever is served.
#[derive(Debug, Args)]
pub struct Process {
    /// Worker processes; each gets its share of the cores as threads
    #[arg(short, long, value_name = "N", default_value = "2", value_parser = workers)]
    pub workers: NonZeroUsize,
    /// Peers whose forwarding headers are believed
    #[arg(long, value_name = "CIDR,CIDR", env = "WAF_TRUSTED_PROXIES", value_delimiter = ',', value_parser = cidr)]
    pub trusted_proxies: Vec<Option<Cidr>>,
    /// Least level of log lines on stderr
    #[arg(short, long, value_name = "LEVEL", default_value = "info")]
    pub log_level: LogLevel,
    /// Time that requests in flight get at a stop
    #[arg(long, value_name = "SECONDS", default_value_t = DRAIN_SECONDS, value_parser = clap::value_parser!(u64).range(0..=3600))]
    pub drain: u64,
    /// Time that the new program gets to become ready at an upgrade
    #[arg(long, value_name = "SECONDS", default_value_t = UPGRADE_SECONDS, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub upgrade_timeout: u64,
    /// Replace a plan under which workers die or fail by the one before it, within ten seconds after a reload
    #[arg(long, value_name = "on|off", default_value = "on", value_parser = on_or_off, action = clap::ArgAction::Set)]
    pub rollback: bool,
    /// Who workers become when started as root [default: nobody]
    #[arg(long, value_name = "USER[:GROUP]")]
    pub user: Option<String>,
    /// Memory that each worker may take before it turns requests away [default: its share of four fifths of what there
    /// is]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub worker_memory: Option<u64>,
    /// Percent of the connections to an upstream that one client may take [default: 25 where client addresses are
    /// known: in modes 1 and 2, or with --trusted-proxies; else 75]
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(1..=100))]
    pub client_share: Option<u8>,
    /// Destination of the access log, a line of JSON for each request: `stderr`, a file, or `none`
    #[arg(long, value_name = "stderr|FILE|none", default_value = "none", value_parser = AccessLog::parse)]
    pub access_log: AccessLog,
    /// Trusted proxies begin each connection with a header of the PROXY protocol, version 1 or 2
    #[arg(long, requires = "trusted_proxies")]
    pub proxy_protocol: bool,
}

/// Another task than to serve.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Try it: protect a small shop on this machine, without a configuration file
    Demo {
        /// Port to listen on
        #[arg(short, long, default_value_t = 8080, value_parser = clap::value_parser!(u16).range(1..))]
        port: u16,
        /// Options of the process.
        #[command(flatten)]
        process: Process,
    },
    /// List the certificates of a configuration: host, issuer, expiry, next renewal
    Certificates {
        /// Configuration file
        #[arg(short, long, value_name = "FILE", default_value = DEFAULT_CONFIG)]
        config: PathBuf,
        /// Whose certificates to list.
        #[command(flatten)]
        acme: Acme,
    },
    /// Replace the running service by the program that now lies in its place, without losing a request
    Upgrade {
        /// Process of the running service; needed where there is more than one
        #[arg(long, value_name = "PID", value_parser = clap::value_parser!(i32).range(1..))]
        pid: Option<i32>,
    },
    /// Ask a running service whether it is ready, for the health checks of containers: exit status 0 or 1
    Health {
        /// URL to ask, in place of the configured health port
        #[arg(long, value_name = "URL", conflicts_with = "config")]
        url: Option<String>,
        /// Configuration file that names the health port
        #[arg(short, long, value_name = "FILE", default_value = DEFAULT_CONFIG)]
        config: PathBuf,
        /// Ask whether it lives, not whether it is ready
        #[arg(long, conflicts_with = "url")]
        live: bool,
    },
    /// Print what this machine lets the service do, and what it lacks: exit status 1 if it could not run
    Doctor {
        /// Options of the service.
        #[command(flatten)]
        serve: Box<Serve>,
    },
    /// Look at a running service in the terminal: requests, blocks, latency, plan, workers
    Top(Top),
    /// The data plane; started by `waf` itself
    #[command(hide = true)]
    Worker {
        /// Number of the worker
        #[arg(long)]
        id: u64,
        /// Threads that serve
        #[arg(long)]
        threads: usize,
        /// Seconds for requests in flight when the supervisor is gone
        #[arg(long)]
        drain: u64,
        /// Least level of log lines
        #[arg(long)]
        log_level: LogLevel,
        /// Who to go on as
        #[arg(long, value_name = "UID:GID", value_parser = numbers)]
        r#become: Option<User>,
        /// Bytes of memory that it may take
        #[arg(long)]
        memory: Option<u64>,
        /// Percent of an upstream's connections that one client may take
        #[arg(long)]
        client_share: Option<u8>,
        /// Trusted peers begin with a PROXY protocol header
        #[arg(long)]
        proxy_protocol: bool,
    },
}

/// Levels of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogLevel {
    /// Faults that need attention.
    Error,
    /// Conditions that may need attention.
    Warn,
    /// Events of normal operation.
    Info,
    /// Details of them.
    Debug,
    /// Every step.
    Trace,
}

impl From<LogLevel> for tracing::Level {
    fn from(level: LogLevel) -> Self {
        match level {
            LogLevel::Error => Self::ERROR,
            LogLevel::Warn => Self::WARN,
            LogLevel::Info => Self::INFO,
            LogLevel::Debug => Self::DEBUG,
            LogLevel::Trace => Self::TRACE,
        }
    }
}

fn workers(text: &str) -> Result<NonZeroUsize, String> {
    let number: NonZeroUsize = text.parse().map_err(|_| "not a number from 1".to_owned())?;
    if number.get() > WORKERS_MAX {
        return Err(format!("more than {WORKERS_MAX}"));
    }
    Ok(number)
}

fn on_or_off(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("not `on` or `off`".to_owned()),
    }
}

/// A size as the configuration writes it: bytes, or a number with a suffix of powers of 1024.
fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text.get(digits.len()..).unwrap_or_default() {
        "" | "B" => 0,
        "KB" => 10,
        "MB" => 20,
        "GB" => 30,
        _ => return Err("not a size such as 512MB".to_owned()),
    };
    let number: u64 = digits.parse().map_err(|_| "not a size such as 512MB".to_owned())?;
    number
        .checked_mul(1 << shift)
        .filter(|bytes| *bytes > 0)
        .ok_or_else(|| "not a size that memory has".to_owned())
}

fn numbers(text: &str) -> Result<User, String> {
    let (uid, gid) = text.split_once(':').ok_or("not UID:GID")?;
    let number = |text: &str| text.parse().map_err(|_| "not UID:GID".to_owned());
    Ok(User { uid: number(uid)?, gid: number(gid)? })
}

/// An address, or a range of addresses. Nothing between commas, and an empty variable, is `None`.
fn cidr(text: &str) -> Result<Option<Cidr>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let (address, prefix) =
        text.split_once('/').map_or((text, None), |(address, prefix)| (address, Some(prefix)));
    let address: IpAddr = address.parse().map_err(|_| format!("`{address}` is no IP address"))?;
    let (mapped, width) = match address {
        IpAddr::V4(v4) => (v4.to_ipv6_mapped(), 32),
        IpAddr::V6(v6) => (v6, 128),
    };
    let bits = match prefix {
        None => width,
        Some(prefix) => match prefix.parse::<u8>() {
            Ok(bits) if bits <= width => bits,
            _ => return Err(format!("`{prefix}` is no prefix length from 0 to {width}")),
        },
    };
    Ok(Some(Cidr { address: mapped.octets(), prefix_bits: 128 - width + bits }))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn defaults_are_those_of_the_documentation() {
        let cli = Cli::parse_from(["waf"]);
        assert!(cli.command.is_none() && cli.serve.validate.is_none());
        assert_eq!(cli.serve.config, PathBuf::from("/etc/waf/waf.yaml"));
        assert_eq!((cli.serve.https_port, cli.serve.http_port), (443, 80));
        assert_eq!(cli.serve.process.workers.get(), 2);
        assert_eq!(cli.serve.process.drain, 30);
        assert_eq!(cli.serve.process.log_level, LogLevel::Info);
    }

    #[test]
    fn short_options_and_the_file_to_check() {
        let parsed = |args: &[&str]| Cli::try_parse_from(args).unwrap().serve;
        for args in [
            &["waf", "-t", "a.yaml"][..],
            &["waf", "--validate", "a.yaml"],
            &["waf", "--validate=a.yaml", "-W"],
        ] {
            assert_eq!(parsed(args).validate, Some(Some(PathBuf::from("a.yaml"))), "{args:?}");
        }
        for args in [&["waf", "-t", "-c", "a.yaml"][..], &["waf", "--config", "a.yaml", "--validate"]] {
            let serve = parsed(args);
            assert_eq!((serve.validate, serve.config), (Some(None), PathBuf::from("a.yaml")), "{args:?}");
        }
        let serve = parsed(&["waf", "-c", "a.yaml", "-w", "4", "-l", "warn"]);
        assert_eq!((serve.process.workers.get(), serve.process.log_level), (4, LogLevel::Warn));
        assert!(matches!(
            Cli::try_parse_from(["waf", "demo", "-p", "8081"]).unwrap().command,
            Some(Command::Demo { port: 8081, .. })
        ));
    }

    #[test]
    fn wrong_usage_is_refused() {
        for args in [
            ["waf", "--workers", "0"],
            ["waf", "--deny-warnings", "--no-host-checks"],
            ["waf", "--workers", "65"],
            ["waf", "--drain", "-1"],
            ["waf", "--log-level", "loud"],
            ["waf", "--trusted-proxies", "10.0.0.0/33"],
            ["waf", "--trusted-proxies", "example.com"],
            ["waf", "--port", "80"],
            ["waf", "worker", "--become=1"],
            ["waf", "--client-share", "0"],
            ["waf", "--client-share", "101"],
            ["waf", "--worker-memory", "0"],
            ["waf", "--worker-memory", "1TB"],
            ["waf", "--worker-memory", "99999999999GB"],
            ["waf", "--https-port", "0"],
            ["waf", "--http-port", "65536"],
            ["waf", "--access-log", "stdout"],
            ["waf", "--access-log", "-"],
            ["waf", "--workers=2", "--proxy-protocol"],
        ] {
            assert_eq!(Cli::try_parse_from(args).unwrap_err().exit_code(), 2, "{args:?}");
        }
    }

    #[test]
    fn sizes_are_written_as_in_the_configuration() {
        let bytes = |text: &str| {
            Cli::try_parse_from(["waf", "--worker-memory", text]).unwrap().serve.process.worker_memory
        };
        assert_eq!((bytes("512MB"), bytes("7")), (Some(512 << 20), Some(7)));
        assert_eq!((bytes("1KB"), bytes("2GB"), bytes("3B")), (Some(1024), Some(2 << 30), Some(3)));
    }

    #[test]
    fn ranges_are_mapped_into_ipv6() {
        let ranges = |text: &str| -> Vec<u8> {
            let cli = Cli::try_parse_from(["waf", "--trusted-proxies", text]).unwrap();
            cli.serve.process.trusted_proxies.into_iter().flatten().map(|range| range.prefix_bits).collect()
        };
        assert_eq!(ranges("10.0.0.0/8, 192.0.2.1,2001:db8::/32,::1"), [104, 128, 32, 128]);
        assert!(ranges("").is_empty());
        let ten = cidr("10.0.0.0/8").unwrap().unwrap();
        assert!(ten.contains("::ffff:10.1.2.3".parse::<std::net::Ipv6Addr>().unwrap().octets()));
        assert!(!ten.contains("::ffff:11.1.2.3".parse::<std::net::Ipv6Addr>().unwrap().octets()));
    }
}
