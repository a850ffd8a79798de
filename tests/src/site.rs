//! A site in mode 2 whose certificates come from an authority: ports, upstream and `data_dir` outlive the service, so that
//! it can be started again.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use crate::origin::Origin;
use crate::pebble::{Pebble, Validation};
use crate::polling;
use crate::running::{HEALTH, Ports, Start, Waf};
use crate::tls::Client;

/// A service, its upstream and a directory that outlives it.
pub struct Site {
    /// Address at which it listens.
    pub ports: Ports,
    /// Its `data_dir`.
    pub data: tempfile::TempDir,
    /// Its upstream.
    pub origin: Origin,
}

impl Site {
    /// On free ports.
    #[allow(clippy::new_without_default, reason = "ports and folders are no default")]
    pub fn new() -> Site {
        let ports = Ports::free();
        Site { ports, data: tempfile::tempdir().expect("a folder"), origin: Origin::start() }
    }

    /// Address at which an authority has to look for it.
    pub fn validation(&self) -> Validation {
        Validation { http: self.ports.http, https: self.ports.traffic }
    }

    /// In mode 2, with these hosts.
    pub fn config(&self, hosts: &[&str]) -> String {
        let data = self.data.path().display();
        let upstream = self.origin.url();
        let hosts: Vec<String> = hosts.iter().map(|host| format!("'{host}'")).collect();
        let hosts = hosts.join(", ");
        format!(
            "version: v1alpha1\nhealth_port: {HEALTH}\ndata_dir: {data}\nroutes:\n  - match: {{hosts: [{hosts}]}}\n    upstream: {upstream}\n"
        )
    }

    /// The way to start it for an authority.
    pub fn start(&self, directory: &str, root: &Path, challenges: &str) -> Start {
        Start::new()
            .tls()
            .at(self.ports)
            .argument("--acme-directory")
            .argument(directory)
            .argument("--acme-root")
            .argument(&root.display().to_string())
            .argument("--acme-contact=ops@shop.example")
            .argument("--acme-challenges")
            .argument(challenges)
    }

    /// Starts it and waits until it is ready.
    pub fn run(&self, pebble: &Pebble, challenges: &str, hosts: &[&str]) -> Waf {
        self.start(&pebble.directory(), &pebble.root(), challenges).run(&self.config(hosts))
    }

    /// Files below the directory, by their names.
    pub fn files(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut folders = vec![self.data.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
                if entry.path().is_dir() {
                    folders.push(entry.path());
                } else {
                    found.insert(entry.file_name().to_string_lossy().into_owned());
                }
            }
        }
        found
    }
}

/// Waits until `host` is served with a certificate that `client` trusts; gives that certificate.
pub fn until_served(waf: &Waf, client: &Client, host: &str) -> Vec<u8> {
    polling::within(Duration::from_secs(40), || certificate(waf, client, host))
        .unwrap_or_else(|| panic!("{host} gets no certificate:\n{}", waf.log().join("\n")))
}

/// The certificate that `host` is served with, if `client` trusts it.
pub fn certificate(waf: &Waf, client: &Client, host: &str) -> Option<Vec<u8>> {
    let connection = client.connect(waf.port, host).ok()?;
    let chain = connection.stream().conn.peer_certificates()?;
    chain.first().map(|leaf| leaf.to_vec())
}

/// The hosts without a certificate, as the health listener names them.
pub fn missing(waf: &Waf) -> Option<String> {
    let answer = waf.ask("/readyz").expect("an answer");
    assert_eq!(answer.status, 200, "a missing certificate is no reason not to be ready");
    answer.field("x-waf-certificates-missing").map(str::to_owned)
}

/// Orders that it has begun.
pub fn ordered(waf: &Waf) -> usize {
    waf.log().iter().filter(|line| line.contains("a certificate is ordered")).count()
}

/// The path of a file somewhere below `folder`.
pub fn find(folder: &Path, name: &str) -> std::path::PathBuf {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else if entry.file_name().to_string_lossy() == name {
                return entry.path();
            }
        }
    }
    panic!("there is no {name}")
}
