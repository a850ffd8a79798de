//! Options of the command line about a second plan, which judges requests and answers none, and about the gate that
//! reloads pass.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use waf_shared::control::Share;

use crate::access_log::AccessLog;

/// Longest gate of a reload, in seconds.
const GATE_SECONDS_MAX: u64 = 3600;

/// The second plan and the gate.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Second plan")]
pub struct Shadow {
    /// Configuration that judges a share of the requests beside the one in force; no answer depends on it
    #[arg(long, value_name = "FILE")]
    pub shadow: Option<PathBuf>,
    /// Share of the requests that a second plan judges, such as `0.1` or `10%`
    #[arg(long, value_name = "SHARE", default_value = "10%", value_parser = share)]
    pub shadow_share: Share,
    /// Destination of a line of JSON for each request that both plans decide differently: `stderr`, a file, or `none`
    #[arg(long, value_name = "stderr|FILE|none", default_value = "none", value_parser = AccessLog::parse)]
    pub shadow_log: AccessLog,
    /// Time for which each reload judges requests before it is applied, such as `30s` or `5m` [default: no gate]
    #[arg(long, value_name = "TIME", value_parser = gate)]
    pub reload_gate: Option<Duration>,
    /// Share of the requests that pass now of which a reload may refuse at most so many, such as `0.001` or `0.1%`
    #[arg(long, value_name = "SHARE", default_value = "0.1%", value_parser = share)]
    pub reload_gate_share: Share,
}

pub(super) fn share(text: &str) -> Result<Share, String> {
    Share::parse(text).ok_or_else(|| "not a share such as `0.1` or `10%`".to_owned())
}

fn gate(text: &str) -> Result<Duration, String> {
    let (number, unit) = match (text.strip_suffix('s'), text.strip_suffix('m')) {
        (Some(seconds), _) => (seconds, 1),
        (None, Some(minutes)) => (minutes, 60),
        (None, None) => (text, 1),
    };
    let is_plain = number.bytes().all(|byte| byte.is_ascii_digit());
    let seconds = number.parse::<u64>().ok().filter(|_| is_plain).and_then(|number| number.checked_mul(unit));
    match seconds {
        Some(seconds @ 1..=GATE_SECONDS_MAX) => Ok(Duration::from_secs(seconds)),
        _ => Err("not a time from `1s` to `60m`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_takes_seconds_or_minutes() {
        for (text, expected) in [
            ("30s", Some(30)),
            ("30", Some(30)),
            ("5m", Some(300)),
            ("60m", Some(3600)),
            ("0s", None),
            ("61m", None),
            ("-1s", None),
            ("+1s", None),
            ("s", None),
            ("", None),
            ("1h", None),
            ("1.5s", None),
            ("99999999999999999999m", None),
        ] {
            assert_eq!(gate(text).ok().map(|time| time.as_secs()), expected, "{text:?}");
        }
    }
}
