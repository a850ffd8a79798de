//! Processor time of a TLS handshake, this service's beside nginx's: one worker each on the first core, the clients on
//! the last, round by round in turn. Prints a table for `docs/measurements.md`.
//!
//! `cargo build --release --workspace --bins --examples && target/release/examples/handshakes [ROUNDS [HANDSHAKES]]`
//!
//! A connection is opened, shakes hands and closes; the last scenario sends one request over it, which both proxies pass
//! to the same origin. Time is what `/proc` shows for all processes of the server, kernel included, so that other work on
//! the machine distorts it little. It needs `nginx` and `taskset`.
#![allow(clippy::unwrap_used, reason = "a measurement that cannot go on may panic")]

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use rustls::client::Resumption;
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, HandshakeKind, RootCertStore, SupportedProtocolVersion};
use waf_tests::origin::{Authority, Origin};
use waf_tests::running::{self, Ports, Waf, processor_time};
use waf_tests::{polling, ports, programs};

const HOST: &str = "shop.example";

/// Clients at once: the server always finds the next one waiting.
const CLIENTS: usize = 8;

/// At most, whatever is asked for.
const ROUNDS_MAX: usize = 50;
const HANDSHAKES_MAX: usize = 100_000;

/// For one read or write of a client.
const PATIENCE: Duration = Duration::from_secs(10);

/// Kind of handshake.
struct Scenario {
    name: &'static str,
    version: &'static SupportedProtocolVersion,
    kind: HandshakeKind,
    /// True if clients offer the hybrid of X25519 and ML-KEM-768, as browsers do; this service takes it, the nginx of
    /// today's distributions cannot.
    offers_hybrid: bool,
    sends_request: bool,
}

const SCENARIOS: &[Scenario] = &[
    Scenario::new("TLS 1.3, full", &rustls::version::TLS13, HandshakeKind::Full),
    Scenario::new("TLS 1.3, resumed", &rustls::version::TLS13, HandshakeKind::Resumed),
    Scenario::new("TLS 1.2, full", &rustls::version::TLS12, HandshakeKind::Full),
    Scenario::new("TLS 1.2, resumed", &rustls::version::TLS12, HandshakeKind::Resumed),
    Scenario {
        offers_hybrid: true,
        ..Scenario::new(
            "TLS 1.3, full, clients offer X25519MLKEM768 too",
            &rustls::version::TLS13,
            HandshakeKind::Full,
        )
    },
    Scenario {
        sends_request: true,
        ..Scenario::new("TLS 1.3, full, and one GET", &rustls::version::TLS13, HandshakeKind::Full)
    },
];

impl Scenario {
    const fn new(
        name: &'static str,
        version: &'static SupportedProtocolVersion,
        kind: HandshakeKind,
    ) -> Scenario {
        Scenario { name, version, kind, offers_hybrid: false, sends_request: false }
    }

    /// One for each client: sessions are not shared, so that no ticket is waited for.
    fn client(&self, root: &str) -> Arc<ClientConfig> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(root.as_bytes()).unwrap()).unwrap();
        // In TLS 1.2 the curve of the server's key has to be offered too.
        let mut groups = vec![aws_lc_rs::kx_group::X25519, aws_lc_rs::kx_group::SECP256R1];
        if self.offers_hybrid {
            groups.insert(0, aws_lc_rs::kx_group::X25519MLKEM768);
        }
        let provider = CryptoProvider { kx_groups: groups, ..aws_lc_rs::default_provider() };
        let mut config = ClientConfig::builder_with_provider(provider.into())
            .with_protocol_versions(&[self.version])
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        config.resumption = match self.kind {
            HandshakeKind::Resumed => Resumption::in_memory_sessions(64),
            _ => Resumption::disabled(),
        };
        Arc::new(config)
    }

    /// One connection, up to its end.
    fn connect(&self, config: &Arc<ClientConfig>, port: u16) -> io::Result<HandshakeKind> {
        let name = ServerName::try_from(HOST).expect("a valid name");
        let mut session = ClientConnection::new(config.clone(), name).map_err(io::Error::other)?;
        let mut socket = TcpStream::connect(("127.0.0.1", port))?;
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(PATIENCE))?;
        socket.set_write_timeout(Some(PATIENCE))?;
        while session.is_handshaking() {
            session.complete_io(&mut socket)?;
        }
        if self.sends_request {
            let request = format!("GET / HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n");
            session.writer().write_all(request.as_bytes())?;
        } else {
            session.send_close_notify();
        }
        while session.wants_write() {
            session.write_tls(&mut socket)?;
        }
        // To the end: a server's tickets come behind its part of the handshake.
        let mut answer = Vec::new();
        while session.read_tls(&mut socket)? > 0 {
            session.process_new_packets().map_err(io::Error::other)?;
            // Whether more is to come is for the next read to say.
            let _ = session.reader().read_to_end(&mut answer);
        }
        if self.sends_request && !answer.starts_with(b"HTTP/1.1 200") {
            return Err(io::Error::other(answer.escape_ascii().to_string()));
        }
        session.handshake_kind().ok_or_else(|| io::Error::other("no handshake"))
    }

    /// So many connections, each with a handshake of the kind that is measured.
    fn repeat(&self, config: &Arc<ClientConfig>, port: u16, handshakes: usize) -> io::Result<()> {
        for _ in 0..handshakes {
            let kind = self.connect(config, port)?;
            if kind != self.kind {
                return Err(io::Error::other(format!("{}: a handshake was {kind:?}", self.name)));
            }
        }
        Ok(())
    }

    /// Microseconds of the server's processor time for each of `handshakes`.
    fn measure(&self, server: &Server, root: &str, handshakes: usize) -> f64 {
        let each = handshakes / CLIENTS;
        let (begin, end) = (Barrier::new(CLIENTS + 1), Barrier::new(CLIENTS + 1));
        let spent = std::thread::scope(|scope| {
            let client = || {
                let config = self.client(root);
                // Whatever the scenario, the first one is full.
                let first = self.connect(&config, server.port);
                // Whoever fails keeps nobody waiting.
                begin.wait();
                let rest = first.and_then(|_| self.repeat(&config, server.port, each));
                end.wait();
                rest
            };
            let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(client)).collect();
            begin.wait();
            let before = server.processor_time();
            end.wait();
            let spent = server.processor_time().saturating_sub(before);
            for client in clients {
                client
                    .join()
                    .expect("clients do not panic")
                    .unwrap_or_else(|why| panic!("{}: {why}", self.name));
            }
            spent
        });
        spent.as_secs_f64() * 1e6 / (each * CLIENTS) as f64
    }
}

/// A server under measurement.
struct Server {
    pid: i32,
    port: u16,
}

impl Server {
    fn processor_time(&self) -> Duration {
        let workers = running::children(self.pid);
        workers.into_iter().chain([self.pid]).map(processor_time).sum()
    }
}

/// Starts a program on the first core.
fn pinned(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new("taskset");
    command.args(["-c", "0"]).arg(program);
    command
}

fn start_waf(pair: &(String, String), upstream: &str) -> Waf {
    let folder = tempfile::tempdir().unwrap();
    let certificates = folder.path().join("data/certs");
    std::fs::create_dir_all(&certificates).unwrap();
    std::fs::write(certificates.join(format!("{HOST}.pem")), &pair.0).unwrap();
    std::fs::write(certificates.join(format!("{HOST}.key")), &pair.1).unwrap();
    let free = Ports::free();
    let config = folder.path().join("waf.yaml");
    let data = folder.path().join("data");
    let text = format!(
        "version: v1alpha1\nhost: {HOST}\nhealth_port: {}\ndata_dir: {}\nroutes:\n  - upstream: {upstream}\n",
        free.health,
        data.display()
    );
    std::fs::write(&config, text).unwrap();
    let mut command = pinned(programs::waf());
    command.arg("--config").arg(&config).args(["--workers", "1", "--log-level", "warn"]);
    command.args(["--https-port", &free.traffic.to_string(), "--http-port", &free.http.to_string()]);
    running::start(command, free, folder, config).ready().unwrap()
}

/// nginx; it ends when this is dropped.
struct Nginx {
    child: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Nginx {
    fn start(pair: &(String, String), upstream: &str) -> Nginx {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        std::fs::write(path.join("chain.pem"), &pair.0).unwrap();
        std::fs::write(path.join("key.pem"), &pair.1).unwrap();
        let port = ports::free();
        let authority = upstream.trim_start_matches("http://");
        let text = format!(
            "user root; worker_processes 1; pid nginx.pid; error_log error.log; daemon off;
             events {{ worker_connections 1024; }}
             http {{
               access_log off;
               client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
               uwsgi_temp_path uwsgi; scgi_temp_path scgi;
               upstream origin {{ server {authority}; keepalive 16; }}
               server {{
                 listen 127.0.0.1:{port} ssl;
                 ssl_certificate chain.pem; ssl_certificate_key key.pem; ssl_protocols TLSv1.2 TLSv1.3;
                 location / {{
                   proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection \"\";
                 }}
               }}
             }}\n"
        );
        std::fs::write(path.join("nginx.conf"), text).unwrap();
        let mut command = pinned("nginx");
        command.arg("-p").arg(path).arg("-c").arg(path.join("nginx.conf"));
        let child = command.stdin(Stdio::null()).spawn().expect("taskset and nginx can be started");
        polling::until_true("nginx", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        Nginx { child, port, _folder: folder }
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // Its worker ends with it when it is asked, and not when it is killed.
        running::kill(self.child.id().cast_signed(), nix::sys::signal::Signal::SIGTERM);
        let _ = self.child.wait();
    }
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn argument(at: usize, default: usize, most: usize) -> usize {
    std::env::args().nth(at).and_then(|text| text.parse().ok()).unwrap_or(default).clamp(1, most)
}

fn main() {
    let rounds = argument(1, 7, ROUNDS_MAX);
    let handshakes = argument(2, 4_000, HANDSHAKES_MAX).max(CLIENTS);
    let only = std::env::args().nth(3);
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let own = std::process::id().to_string();
    let moved = Command::new("taskset").args(["-a", "-c", "-p", &(cores - 1).to_string(), &own]).output();
    assert!(moved.unwrap().status.success(), "the clients get a core of their own");

    let authority = Authority::new("unused.example");
    let (pair, origin) = (authority.issue(&[HOST]), Origin::start());
    let waf = start_waf(&pair, &origin.url());
    let nginx = Nginx::start(&pair, &origin.url());
    let ours = Server { pid: waf.pid(), port: waf.port };
    let theirs = Server { pid: nginx.child.id().cast_signed(), port: nginx.port };

    println!("{rounds} rounds of {handshakes} handshakes");
    println!(
        "| handshake | nginx, µs | this program, µs | handshakes a core, of nginx's | lowest to highest |"
    );
    println!("|---|---:|---:|---:|---:|");
    let chosen = |scenario: &&Scenario| only.as_ref().is_none_or(|only| scenario.name.contains(only));
    for scenario in SCENARIOS.iter().filter(chosen) {
        let (mut us, mut them, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for round in 0..rounds {
            let of = |server: &Server| scenario.measure(server, &authority.root_pem, handshakes);
            // In turn first and second.
            let (mine, other) = match round % 2 {
                0 => (of(&ours), of(&theirs)),
                _ => {
                    let other = of(&theirs);
                    (of(&ours), other)
                }
            };
            us.push(mine);
            them.push(other);
            ratios.push(other / mine);
        }
        let lowest = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = ratios.iter().copied().fold(0.0, f64::max);
        println!(
            "| {} | {:.0} | {:.0} | {:.2} | {lowest:.2}–{highest:.2} |",
            scenario.name,
            median(them),
            median(us),
            median(ratios)
        );
    }
}
