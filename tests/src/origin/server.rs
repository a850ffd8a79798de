//! The origin's sockets and threads: one thread for each connection, plain or TLS.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use super::request::Reader;
use super::{Answer, Received, Step};
use crate::{polling, ports};

type Answering = dyn Fn(&Received) -> Answer + Send + Sync;

/// When the answer is asked for.
#[derive(Clone, Copy)]
enum When {
    HeadRead,
    BodyRead,
}

/// A running origin; it ends when it is dropped.
pub struct Origin {
    address: SocketAddr,
    scheme: &'static str,
    shared: Arc<Shared>,
}

struct Shared {
    answering: Box<Answering>,
    when: When,
    tls: Option<Arc<rustls::ServerConfig>>,
    requests: Mutex<Vec<Received>>,
    streams: Mutex<Vec<TcpStream>>,
    connections: AtomicUsize,
    stopped: AtomicBool,
}

/// A certificate authority of its own and one server certificate.
pub struct Authority {
    /// The root in PEM, for whoever is to trust it.
    pub root_pem: String,
    issuer: rcgen::Issuer<'static, rcgen::KeyPair>,
    config: Arc<rustls::ServerConfig>,
}

impl Authority {
    /// Makes a root and a server certificate for `name`.
    pub fn new(name: &str) -> Authority {
        let root_key = rcgen::KeyPair::generate().expect("a key can be made");
        let mut root = rcgen::CertificateParams::new(Vec::new()).expect("no names are valid names");
        root.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        root.distinguished_name.push(rcgen::DnType::CommonName, "test root");
        let root_certificate = root.self_signed(&root_key).expect("a root signs itself");
        let issuer = rcgen::Issuer::new(root, root_key);
        let key = rcgen::KeyPair::generate().expect("a key can be made");
        let leaf = rcgen::CertificateParams::new(vec![name.to_owned()]).expect("a valid name");
        let leaf = leaf.signed_by(&key, &issuer).expect("the root signs");
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let key = rustls::pki_types::PrivateKeyDer::Pkcs8(key.serialize_der().into());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("the provider has the default versions")
            .with_no_client_auth()
            .with_single_cert(vec![leaf.der().clone()], key)
            .expect("the key fits the certificate");
        Authority { root_pem: root_certificate.pem(), issuer, config: Arc::new(config) }
    }

    /// Issues a certificate for `names`: chain and key in PEM.
    pub fn issue(&self, names: &[&str]) -> (String, String) {
        let key = rcgen::KeyPair::generate().expect("a key can be made");
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let leaf = rcgen::CertificateParams::new(names).expect("valid names");
        let leaf = leaf.signed_by(&key, &self.issuer).expect("the root signs");
        (leaf.pem(), key.serialize_pem())
    }

    /// The same, valid for so long before and after now.
    pub fn issue_for(&self, names: &[&str], before: Duration, after: Duration) -> (String, String) {
        let key = rcgen::KeyPair::generate().expect("a key can be made");
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut leaf = rcgen::CertificateParams::new(names).expect("valid names");
        let now = time::OffsetDateTime::now_utc();
        (leaf.not_before, leaf.not_after) = (now - before, now + after);
        let leaf = leaf.signed_by(&key, &self.issuer).expect("the root signs");
        (leaf.pem(), key.serialize_pem())
    }

    /// Configuration of a server of its own, with these protocols by ALPN.
    pub fn server_config(&self, protocols: &[&str]) -> Arc<rustls::ServerConfig> {
        let mut config = (*self.config).clone();
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        Arc::new(config)
    }
}

impl Origin {
    /// Answers every request with 200 and `hello`.
    pub fn start() -> Origin {
        Origin::answering(|_| Answer::ok("hello"))
    }

    /// Answers once a request has been read whole.
    pub fn answering(answer: impl Fn(&Received) -> Answer + Send + Sync + 'static) -> Origin {
        start(Box::new(answer), When::BodyRead, None)
    }

    /// Answers once a request's head has been read. [`Step::ReadBody`] reads the body.
    pub fn early(answer: impl Fn(&Received) -> Answer + Send + Sync + 'static) -> Origin {
        start(Box::new(answer), When::HeadRead, None)
    }

    /// The same as [`Origin::answering`] over TLS.
    pub fn tls(
        authority: &Authority,
        answer: impl Fn(&Received) -> Answer + Send + Sync + 'static,
    ) -> Origin {
        start(Box::new(answer), When::BodyRead, Some(authority.config.clone()))
    }

    /// Answers at an address of the test's choice, once a request has been read whole.
    pub fn at(
        address: SocketAddr,
        answer: impl Fn(&Received) -> Answer + Send + Sync + 'static,
    ) -> io::Result<Origin> {
        Ok(start_on(TcpListener::bind(address)?, Box::new(answer), When::BodyRead, None))
    }

    /// Its port on the loopback address.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Its base URL, without a path.
    pub fn url(&self) -> String {
        format!("{}://{}", self.scheme, self.address)
    }

    /// Every request so far, whole or not, in the order in which they ended.
    pub fn requests(&self) -> Vec<Received> {
        lock(&self.shared.requests).clone()
    }

    /// The requests so far, and none of them afterwards.
    pub fn take(&self) -> Vec<Received> {
        std::mem::take(&mut lock(&self.shared.requests))
    }

    /// The only request since the last call.
    pub fn only(&self) -> Received {
        let mut requests = self.take();
        assert_eq!(requests.len(), 1, "one request should have reached the origin, not {requests:#?}");
        requests.pop().expect("there is one")
    }

    /// Waits until so many requests have come.
    pub fn wait_for(&self, count: usize) -> Vec<Received> {
        polling::until(&format!("{count} requests at the origin"), || {
            Some(self.requests()).filter(|requests| requests.len() >= count)
        })
    }

    /// Connections accepted so far.
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// Closes every open connection and keeps listening.
    pub fn drop_connections(&self) {
        for stream in lock(&self.shared.streams).drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

impl Drop for Origin {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        // Wakes the accepting thread.
        let _ = TcpStream::connect(self.address);
        self.drop_connections();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nobody panics while holding it")
}

fn start(answering: Box<Answering>, when: When, tls: Option<Arc<rustls::ServerConfig>>) -> Origin {
    start_on(ports::listener(), answering, when, tls)
}

fn start_on(
    listener: TcpListener,
    answering: Box<Answering>,
    when: When,
    tls: Option<Arc<rustls::ServerConfig>>,
) -> Origin {
    let address = listener.local_addr().expect("a bound socket has an address");
    let scheme = if tls.is_some() { "https" } else { "http" };
    let shared = Arc::new(Shared {
        answering,
        when,
        tls,
        requests: Mutex::default(),
        streams: Mutex::default(),
        connections: AtomicUsize::new(0),
        stopped: AtomicBool::new(false),
    });
    let state = shared.clone();
    std::thread::spawn(move || accept(&listener, &state));
    Origin { address, scheme, shared }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.stopped.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let number = shared.connections.fetch_add(1, Ordering::SeqCst);
        if let Ok(copy) = stream.try_clone() {
            lock(&shared.streams).push(copy);
        }
        let shared = shared.clone();
        std::thread::spawn(move || {
            let _ = stream.set_nodelay(true);
            let _ = stream.set_read_timeout(Some(Duration::from_mins(2)));
            let Ok(socket) = stream.try_clone() else { return };
            let ended = match &shared.tls {
                None => serve(&mut Reader::new(stream), &socket, number, &shared),
                Some(config) => match rustls::ServerConnection::new(config.clone()) {
                    Ok(tls) => serve(
                        &mut Reader::new(rustls::StreamOwned::new(tls, stream)),
                        &socket,
                        number,
                        &shared,
                    ),
                    Err(_) => Ok(()),
                },
            };
            drop(ended);
            let _ = socket.shutdown(Shutdown::Both);
        });
    }
}

fn serve<S: Read + Write>(
    reader: &mut Reader<S>,
    socket: &TcpStream,
    number: usize,
    shared: &Shared,
) -> io::Result<()> {
    while let Some(mut request) = reader.head()? {
        request.connection = number;
        if let When::BodyRead = shared.when {
            let read = reader.body(&mut request);
            lock(&shared.requests).push(request.clone());
            read?;
        } else {
            request.complete =
                request.field("content-length").is_none() && request.field("transfer-encoding").is_none();
            lock(&shared.requests).push(request.clone());
        }
        let broken = request.fault.clone();
        let answer = match broken {
            Some(fault) => Answer::new(400, &[("Connection", "close")], fault).then(Step::Close),
            None => (shared.answering)(&request),
        };
        for step in answer.steps {
            match step {
                Step::Bytes(bytes) => reader.stream.write_all(&bytes)?,
                Step::Repeat(bytes, times) => {
                    for _ in 0..times {
                        reader.stream.write_all(&bytes)?;
                    }
                }
                Step::Wait(gate) => {
                    reader.stream.flush()?;
                    gate.wait();
                }
                Step::Echo => return reader.echo(),
                Step::ReadBody => {
                    let read = reader.body(&mut request);
                    replace(&mut lock(&shared.requests), &request);
                    read?;
                }
                Step::Reset => {
                    rustix::net::sockopt::set_socket_linger(socket, Some(Duration::ZERO))?;
                    // Every descriptor of the socket has to go for the reset to be sent.
                    lock(&shared.streams).clear();
                    return Ok(());
                }
                Step::Close => {
                    reader.stream.flush()?;
                    return Ok(());
                }
            }
        }
        reader.stream.flush()?;
    }
    Ok(())
}

/// An answer that came early is recorded with its head; the body is filled in once it has been read.
fn replace(requests: &mut [Received], request: &Received) {
    let same =
        |known: &&mut Received| known.connection == request.connection && known.target == request.target;
    if let Some(known) = requests.iter_mut().rev().find(same) {
        known.clone_from(request);
    }
}
