//! The units of `ops/systemd`: systemd reads them without a complaint, they confine the service, and they say what the
//! service relies on.

use std::path::Path;
use std::process::Command;

use waf_tests::programs::{self, repository};

/// Exposure that `systemd-analyze security` may find, in tenths: 10.0 is no confinement at all.
const EXPOSURE_MAX: u32 = 22;

fn unit(name: &str) -> String {
    std::fs::read_to_string(repository().join("ops/systemd").join(name)).expect("the unit is there")
}

fn says(unit: &str, setting: &str) -> bool {
    unit.lines().any(|line| line == setting)
}

#[test]
fn the_units_say_what_the_service_relies_on() {
    let (service, socket) = (unit("waf.service"), unit("waf.socket"));
    for setting in [
        "Type=notify",
        "NotifyAccess=main",
        "ExecReload=/bin/kill -HUP $MAINPID",
        "WatchdogSec=10s",
        "Restart=always",
        // Workers whose supervisor was killed finish.
        "KillMode=control-group",
        "NoNewPrivileges=yes",
        // What workers confine themselves with.
        "SystemCallFilter=@system-service landlock_create_ruleset landlock_add_rule landlock_restrict_self seccomp",
    ] {
        assert!(says(&service, setting), "{setting}");
    }
    // One socket for both address families: two with the same port are refused.
    assert!(says(&socket, "BindIPv6Only=both") && says(&socket, "ListenStream=8080"));
}

#[test]
fn systemd_takes_the_units() {
    let analyze = |arguments: &[&str], files: &[&Path]| {
        let output = Command::new("systemd-analyze").args(arguments).args(files).output().ok()?;
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        Some((output.status.success(), said))
    };
    let folder = tempfile::tempdir().expect("a folder");
    let (service, socket) = (folder.path().join("waf.service"), folder.path().join("waf.socket"));
    // The program has to be where the unit says.
    let here = unit("waf.service").replace("/usr/bin/waf ", &format!("{} ", programs::waf().display()));
    std::fs::write(&service, here).expect("a file in the test's folder");
    std::fs::write(&socket, unit("waf.socket")).expect("a file in the test's folder");
    let Some((is_good, said)) = analyze(&["verify", "--man=no"], &[&service, &socket]) else {
        println!("left out: systemd-analyze is not installed");
        return;
    };
    // Other units of the machine have faults of their own.
    let about_us: Vec<&str> = said.lines().filter(|line| line.contains("waf.")).collect();
    assert!(is_good && about_us.is_empty(), "{said}");
    let threshold = format!("--threshold={EXPOSURE_MAX}");
    if let Some((is_good, said)) =
        analyze(&["security", "--offline=true", "--no-pager", &threshold], &[&service])
    {
        assert!(is_good, "{said}");
    }
}
