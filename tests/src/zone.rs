//! A zone for proofs by DNS, and the program that adds records to it. Where BIND is installed, its name server takes the
//! updates of the program that is shipped; elsewhere the names' server of the test authority takes those of a short script.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::pebble::Setup;
use crate::programs::repository;
use crate::running::Start;
use crate::{polling, ports};

/// A zone under the test's control.
pub struct Zone {
    folder: tempfile::TempDir,
    server: Option<(Child, u16)>,
}

/// Programs of BIND that a zone needs.
const PROGRAMS: [&str; 4] = ["named", "nsupdate", "dig", "tsig-keygen"];

impl Zone {
    /// A zone `domain`, empty but for its own records.
    pub fn new(domain: &str) -> Zone {
        let folder = tempfile::tempdir().expect("a folder for the zone");
        let is_there = |name: &str| {
            let found = Command::new(name).arg("-h").stdout(Stdio::null()).stderr(Stdio::null()).status();
            found.is_ok()
        };
        if !PROGRAMS.iter().all(|name| is_there(name)) {
            eprintln!(
                "BIND is not installed (Debian: bind9 and bind9-dnsutils): the zone is the test authority's"
            );
            return Zone { folder, server: None };
        }
        let port = ports::free();
        let path = folder.path().display().to_string();
        let key = Command::new("tsig-keygen").arg("hook").output().expect("a key can be made").stdout;
        let key = String::from_utf8(key).expect("keys are text");
        std::fs::write(folder.path().join("hook.key"), &key).expect("a file");
        let records = "@ 60 IN SOA ns hostmaster 1 3600 600 86400 60\n@ 60 IN NS ns\nns 60 IN A 127.0.0.1\n";
        std::fs::write(folder.path().join("zone"), records).expect("a file");
        let config = format!(
            "{key}\noptions {{ directory \"{path}\"; listen-on port {port} {{ 127.0.0.1; }}; listen-on-v6 {{ none; }};\n\
             recursion no; pid-file none; session-keyfile none; managed-keys-directory \"{path}\"; }};\ncontrols {{ }};\n\
             zone \"{domain}\" {{ type primary; file \"zone\"; allow-update {{ key hook; }}; }};\n"
        );
        std::fs::write(folder.path().join("named.conf"), config).expect("a file");
        let log = std::fs::File::create(folder.path().join("named.log")).expect("a file");
        let child = Command::new("named")
            .args(["-g", "-n", "1", "-c"])
            .arg(folder.path().join("named.conf"))
            .stdin(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("the name server can be started");
        let zone = Zone { folder, server: Some((child, port)) };
        polling::until("the name server", || std::net::TcpStream::connect(("127.0.0.1", port)).ok());
        zone
    }

    /// Has the authority ask this zone.
    #[must_use]
    pub fn asked_by(&self, setup: Setup) -> Setup {
        match &self.server {
            Some((_, port)) => setup.asking(*port),
            None => setup,
        }
    }

    /// Names the program to the service, after the authority `setup` is known.
    #[must_use]
    pub fn known_to(&self, start: Start, names_management: u16) -> Start {
        let start = start.argument("--acme-dns-hook");
        match &self.server {
            Some((_, port)) => {
                let hook = repository().join("ops/acme/dns-hook-rfc2136");
                let key = self.folder.path().join("hook.key");
                start
                    .argument(&hook.display().to_string())
                    .environment("DNS_SERVER", "127.0.0.1")
                    .environment("DNS_PORT", &port.to_string())
                    .environment("DNS_KEY_FILE", &key.display().to_string())
            }
            None => start.argument(&self.script(names_management).display().to_string()),
        }
    }

    /// A program that adds records to the names' server of the test authority.
    fn script(&self, names_management: u16) -> PathBuf {
        let path = self.folder.path().join("hook");
        let text = format!(
            "#!/usr/bin/env bash\nset -eu\ncase $1 in\n\
             present) path=set-txt body='{{\"host\":\"'$2'.\",\"value\":\"'$3'\"}}' ;;\n\
             cleanup) path=clear-txt body='{{\"host\":\"'$2'.\"}}' ;;\nesac\n\
             exec 3<>/dev/tcp/127.0.0.1/{names_management}\n\
             printf 'POST /%s HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: %d\\r\\n\\r\\n%s' $path ${{#body}} \"$body\" >&3\n\
             read -r line <&3\n[[ $line == *\" 200 \"* ]]\n"
        );
        std::fs::write(&path, text).expect("a file");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
        path
    }

    /// The records of `name` that prove it, where the zone can be asked.
    pub fn records(&self, name: &str) -> Option<Vec<String>> {
        let (_, port) = self.server.as_ref()?;
        let output = Command::new("dig")
            .args(["+short", "-p", &port.to_string(), "@127.0.0.1", name, "TXT"])
            .output()
            .expect("the zone can be asked");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Some(text.lines().map(str::to_owned).collect())
    }
}

impl Drop for Zone {
    fn drop(&mut self) {
        if let Some((child, _)) = &mut self.server {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
