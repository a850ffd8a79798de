//! Pebble, the ACME test authority, with its DNS beside it: a real server that rejects nonces now and then and validates
//! challenges at the given ports. It ends when it is dropped.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::json;

use crate::raw::Request;
use crate::tls::Client;
use crate::{polling, ports};

/// Ports at which the service under test answers challenges.
#[derive(Debug, Clone, Copy)]
pub struct Validation {
    /// HTTP-01.
    pub http: u16,
    /// TLS-ALPN-01.
    pub https: u16,
}

/// A key that an account can be bound to: identifier and MAC key in base64url.
pub const BINDING: (&str, &str) =
    ("kid-1", "zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W");

/// The way to start it.
#[derive(Debug)]
pub struct Setup {
    folder: tempfile::TempDir,
    port: u16,
    management: u16,
    names: u16,
    names_management: u16,
    validation: Validation,
    binds: bool,
    /// Port of the name server that it asks, where that is not its own.
    asked: Option<u16>,
}

/// A running authority.
#[derive(Debug)]
pub struct Pebble {
    setup: Setup,
    authority: Child,
    names: Child,
}

impl Setup {
    /// On free ports, with a certificate of its own that clients have to be told to trust.
    pub fn new(validation: Validation) -> Setup {
        let folder = tempfile::tempdir().expect("a folder for the authority");
        let key = rcgen::KeyPair::generate().expect("a key can be made");
        let names = ["localhost", "127.0.0.1"].map(str::to_owned).to_vec();
        let certificate = rcgen::CertificateParams::new(names).expect("valid names");
        let certificate = certificate.self_signed(&key).expect("it signs itself");
        std::fs::write(folder.path().join("server.pem"), certificate.pem()).expect("a file");
        std::fs::write(folder.path().join("server.key"), key.serialize_pem()).expect("a file");
        let [port, management, names, names_management] = std::array::from_fn(|_| ports::free());
        Setup { folder, port, management, names, names_management, validation, binds: false, asked: None }
    }

    /// Accounts have to be bound with [`BINDING`].
    #[must_use]
    pub fn binding(mut self) -> Setup {
        self.binds = true;
        self
    }

    /// Asks the name server at this port in place of its own.
    #[must_use]
    pub fn asking(mut self, port: u16) -> Setup {
        self.asked = Some(port);
        self
    }

    /// The directory URL.
    pub fn directory(&self) -> String {
        format!("https://127.0.0.1:{}/dir", self.port)
    }

    /// The root to trust when talking to it.
    pub fn root(&self) -> PathBuf {
        self.folder.path().join("server.pem")
    }

    /// Starts it and waits until it answers.
    pub fn start(self) -> Pebble {
        let path = self.folder.path();
        let config = path.join("pebble.json");
        let listen = |port: u16| format!("127.0.0.1:{port}");
        let keys = if self.binds { json!({ BINDING.0: BINDING.1 }) } else { json!({}) };
        let text = json!({"pebble": {
            "listenAddress": listen(self.port),
            "managementListenAddress": listen(self.management),
            "certificate": path.join("server.pem"),
            "privateKey": path.join("server.key"),
            "httpPort": self.validation.http,
            "tlsPort": self.validation.https,
            "ocspResponderURL": "",
            "externalAccountBindingRequired": self.binds,
            "externalAccountMACKeys": keys,
        }});
        std::fs::write(&config, text.to_string()).expect("a file");
        let names = program("pebble-challtestsrv", path)
            .args(["-dns01", &listen(self.names), "-management", &listen(self.names_management)])
            .args(["-defaultIPv4", "127.0.0.1", "-defaultIPv6", ""])
            .args(["-http01", "", "-https01", "", "-tlsalpn01", ""])
            .spawn()
            .expect("the authority's DNS can be started");
        let authority = program("pebble", path)
            .arg("-config")
            .arg(&config)
            .args(["-dnsserver", &listen(self.asked.unwrap_or(self.names))])
            // Without pauses, but with what trips careless clients: one nonce in seven is rejected, and no proof is
            // remembered.
            .envs([("PEBBLE_VA_NOSLEEP", "1"), ("PEBBLE_WFE_NONCEREJECT", "15"), ("PEBBLE_AUTHZREUSE", "0")])
            .spawn()
            .expect("the authority can be started");
        let pebble = Pebble { setup: self, authority, names };
        let client = pebble.client();
        polling::until_true("the authority", || client.connect(pebble.setup.management, "localhost").is_ok());
        polling::until_true("the authority", || client.connect(pebble.setup.port, "localhost").is_ok());
        polling::until("the authority's DNS", || {
            std::net::TcpStream::connect(("127.0.0.1", pebble.setup.names_management)).ok()
        });
        pebble
    }
}

/// Both come in one package; without it the tests say what is missing.
fn program(name: &str, folder: &Path) -> Command {
    let found = std::env::var_os("PATH")
        .is_some_and(|paths| std::env::split_paths(&paths).any(|directory| directory.join(name).is_file()));
    assert!(found, "`{name}` is missing: install the package `pebble`, or run ./test as root, which does");
    let log = std::fs::File::create(folder.join(format!("{name}.log"))).expect("a file");
    let mut command = Command::new(name);
    command.stdin(Stdio::null()).stdout(log.try_clone().expect("a second handle")).stderr(log);
    command
}

impl Pebble {
    /// See [`Setup::directory`].
    pub fn directory(&self) -> String {
        self.setup.directory()
    }

    /// See [`Setup::root`].
    pub fn root(&self) -> PathBuf {
        self.setup.root()
    }

    /// Port at which the names' server takes records.
    pub fn names_management(&self) -> u16 {
        self.setup.names_management
    }

    /// The root of the certificates that it issues, in PEM.
    pub fn issuing_root(&self) -> String {
        let response = self.client().ask(self.setup.management, "localhost", "/roots/0");
        assert_eq!(response.status, 200, "{response:?}");
        response.text()
    }

    /// The names' server fails for `host` from now on.
    pub fn break_name(&self, host: &str) {
        self.tell_names("/set-servfail", host);
    }

    /// The names' server answers for `host` again.
    pub fn mend_name(&self, host: &str) {
        self.tell_names("/clear-servfail", host);
    }

    /// Everything that it said.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.setup.folder.path().join("pebble.log")).unwrap_or_default()
    }

    fn tell_names(&self, path: &str, host: &str) {
        let body = json!({ "host": format!("{host}.") }).to_string();
        let answer = Request::post(path, "application/json", &body).try_to(self.setup.names_management);
        assert_eq!(answer.expect("the names' server answers").status, 200);
    }

    fn client(&self) -> Client {
        let root = std::fs::read_to_string(self.root()).expect("it was written");
        Client::trusting(&[&root], &["http/1.1"])
    }
}

impl Drop for Pebble {
    fn drop(&mut self) {
        for child in [&mut self.authority, &mut self.names] {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
