//! The configurations that README and quick start print, for a user who is not root and has no folder for data.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use waf_tests::contract::blocked;
use waf_tests::origin::Origin;
use waf_tests::programs::{self, repository};
use waf_tests::raw::Request;
use waf_tests::running::{Ports, Waf, start};

/// A user without any right; nobody on most systems.
const NOBODY: &str = "65534";

/// The first configuration of a page, indented or not.
fn configuration(page: &str) -> String {
    let text = std::fs::read_to_string(repository().join(page)).expect("the page is there");
    let block = text.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next());
    let block = block.unwrap_or_else(|| panic!("{page} has a configuration"));
    let indent = block.len() - block.trim_start().len();
    block.lines().flat_map(|line| [line.get(indent..).unwrap_or_default(), "\n"]).collect()
}

fn as_nobody(text: &str, origin: &Origin) -> Waf {
    let ports = Ports::free();
    let text = text
        .replace("port: 8080", &format!("port: {}", ports.traffic))
        .replace("health_port: 9090", &format!("health_port: {}", ports.health))
        .replace("http://127.0.0.1:3000", &origin.url());
    let folder = tempfile::tempdir().expect("a folder for the test");
    let config = folder.path().join("waf.yaml");
    std::fs::write(&config, text).expect("a file in the test's folder");
    for path in [folder.path(), &config] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
    }
    let mut command = if nix::unistd::geteuid().is_root() {
        let mut command = Command::new("setpriv");
        command.args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", "--"]).arg(programs::waf());
        command
    } else {
        Command::new(programs::waf())
    };
    command.arg("--config").arg(&config);
    start(command, ports, folder, config)
}

#[test]
fn the_first_configuration_serves_whoever_starts_it() {
    for page in ["README.md", "docs/quick-start.md"] {
        let text = configuration(page);
        assert!(text.contains("health_port: 9090") && !text.contains("data_dir"), "{page}:\n{text}");
        let origin = Origin::start();
        let waf = as_nobody(&text, &origin).ready().unwrap_or_else(|why| panic!("{page}: {why}"));
        assert_eq!(Request::get("/").to(waf.port).status, 200, "{page}");
        blocked(&Request::get("/?q=1'+union+select+password+from+users--").to(waf.port), 403);
        assert_eq!(waf.wait_events(1).len(), 1, "{page}");
        // A body that waits on disk waits in the folder for temporary files.
        let body = "x".repeat(300_000);
        assert_eq!(Request::post("/", "text/plain", body).to(waf.port).status, 200, "{page}");
    }
}

#[test]
fn a_folder_that_is_named_and_cannot_be_made_is_an_error() {
    let origin = Origin::start();
    let text = format!("{}data_dir: /proc/nothing\n", configuration("README.md"));
    let mut waf = as_nobody(&text, &origin);
    assert_eq!(waf.wait_exit(std::time::Duration::from_secs(20)).code(), Some(1));
    waf.wait_log(&["data_dir"]);
}
