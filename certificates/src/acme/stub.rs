//! An authority of a few lines for what the real test authority does not do: suggested renewals and rate limits. Tests
//! talk to it over TLS like to any other. It believes whoever asks: its orders need no proof.

use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::PrivateKeyDer;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use x509_parser::prelude::FromDer as _;

use super::AcmeSettings;
use crate::disk::{Layout, Pair, Provenance, Store};

/// The one name that it issues certificates for.
pub(super) const NAME: &str = "a.example";

/// A running one.
pub(super) struct Stub {
    pub(super) settings: AcmeSettings,
    pub(super) folder: tempfile::TempDir,
    authority: Arc<Authority>,
}

/// Its conduct, and the requests that it got.
#[derive(Default)]
pub(super) struct Conduct {
    /// True if it has a word on renewals.
    pub(super) suggests: bool,
    /// The certificate whose window has begun; that of others is yet to come.
    pub(super) due: Option<String>,
    /// True if it refuses orders that name what they replace.
    pub(super) refuses_replacements: bool,
    /// Payloads of new orders.
    pub(super) orders: Vec<Value>,
    /// Certificates whose window was asked for.
    pub(super) questions: Vec<String>,
    /// The certificate that was issued last.
    pub(super) chain: String,
}

struct Authority {
    issuer: Issuer<'static, KeyPair>,
    signed: AtomicU64,
    conduct: Mutex<Conduct>,
}

/// Status, header fields and a body, in which `@` stands for the stub's own URL.
type Answer = (u16, Vec<(&'static str, String)>, String);

fn problem(status: u16, name: &str) -> Answer {
    let kind = format!("urn:ietf:params:acme:error:{name}");
    let body = json!({"type": kind, "detail": format!("{name} says the stub"), "status": status});
    (status, vec![("replay-nonce", "n".into())], body.to_string())
}

fn answer(status: u16, body: &Value) -> Answer {
    (status, vec![("replay-nonce", "n".into())], body.to_string())
}

/// Content of a signed request (RFC 8555 section 6.2); nothing for a mere question.
fn payload(body: &[u8]) -> Value {
    let signed: Value = serde_json::from_slice(body).unwrap_or_default();
    let payload = URL_SAFE_NO_PAD.decode(signed["payload"].as_str().unwrap_or_default()).unwrap();
    serde_json::from_slice(&payload).unwrap_or_default()
}

/// The public key of a request for a certificate.
struct Requested(Vec<u8>);

impl rcgen::PublicKeyData for Requested {
    fn der_bytes(&self) -> &[u8] {
        &self.0
    }

    fn algorithm(&self) -> &'static rcgen::SignatureAlgorithm {
        &rcgen::PKCS_ECDSA_P256_SHA256
    }
}

impl Authority {
    fn new(conduct: Conduct) -> Authority {
        let mut root = CertificateParams::new(Vec::new()).unwrap();
        root.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = Issuer::new(root, KeyPair::generate().unwrap());
        Authority { issuer, signed: AtomicU64::new(0), conduct: Mutex::new(conduct) }
    }

    /// A certificate that names its issuer's key, as those of authorities do.
    fn sign(&self, key: &impl rcgen::PublicKeyData) -> String {
        let mut leaf = CertificateParams::new(vec![NAME.to_owned()]).unwrap();
        // Each ends at another time, and none soon.
        let earlier = self.signed.fetch_add(1, Ordering::Relaxed);
        leaf.not_before = time::OffsetDateTime::now_utc();
        leaf.not_after = leaf.not_before + Duration::from_hours(24 * (90 + earlier));
        leaf.use_authority_key_identifier_extension = true;
        leaf.signed_by(key, &self.issuer).unwrap().pem()
    }

    fn answer(&self, path: &str, body: &[u8]) -> Answer {
        let mut conduct = self.conduct.lock().unwrap();
        match path {
            "/dir" => {
                let mut urls =
                    json!({"newNonce": "@/nonce", "newAccount": "@/account", "newOrder": "@/orders"});
                if conduct.suggests {
                    urls["renewalInfo"] = "@/suggest".into();
                }
                answer(200, &urls)
            }
            "/nonce" => answer(200, &Value::Null),
            "/account" => {
                let (status, mut fields, body) = problem(429, "rateLimited");
                fields.push(("retry-after", "1234".into()));
                (status, fields, body)
            }
            "/orders" => conduct.order(payload(body)),
            "/finalize" => {
                conduct.chain = self.finalize(&payload(body));
                answer(200, &order("valid"))
            }
            "/orders/1" => answer(200, &order("valid")),
            "/certificate" => (200, vec![("replay-nonce", "n".into())], conduct.chain.clone()),
            _ => match path.strip_prefix("/suggest/") {
                Some(certificate) => conduct.suggest(certificate),
                None => answer(404, &json!({})),
            },
        }
    }

    /// The chain of the certificate that a signing request asks for.
    fn finalize(&self, asked: &Value) -> String {
        let request = URL_SAFE_NO_PAD.decode(asked["csr"].as_str().unwrap()).unwrap();
        let (_, request) =
            x509_parser::certification_request::X509CertificationRequest::from_der(&request).unwrap();
        let key = request.certification_request_info.subject_pki.subject_public_key.data;
        self.sign(&Requested(key.into_owned()))
    }
}

impl Conduct {
    /// Takes an order, or refuses to replace a certificate.
    fn order(&mut self, asked: Value) -> Answer {
        let replaces = asked["replaces"].clone();
        self.orders.push(asked);
        if self.refuses_replacements && !replaces.is_null() {
            return problem(409, "alreadyReplaced");
        }
        let mut order = order("ready");
        if !replaces.is_null() {
            order["replaces"] = replaces;
        }
        let (status, mut fields, body) = answer(201, &order);
        fields.push(("location", "@/orders/1".into()));
        (status, fields, body)
    }

    /// Suggests when to renew a certificate: long ago where it is due.
    fn suggest(&mut self, certificate: &str) -> Answer {
        self.questions.push(certificate.to_owned());
        let year = if self.due.as_deref() == Some(certificate) { 2001 } else { 2901 };
        let window = json!({
            "start": format!("{year}-01-02T03:04:05Z"),
            "end": format!("{year}-01-04T03:04:05Z"),
        });
        let (status, mut fields, body) = answer(200, &json!({ "suggestedWindow": window }));
        fields.push(("retry-after", "21600".into()));
        (status, fields, body)
    }
}

fn order(status: &str) -> Value {
    let identifier = json!({"type": "dns", "value": NAME});
    let mut order = json!({
        "status": status, "identifiers": [identifier], "authorizations": [], "finalize": "@/finalize",
    });
    if status == "valid" {
        order["certificate"] = "@/certificate".into();
    }
    order
}

impl Stub {
    pub(super) async fn start(conduct: Conduct) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let key = KeyPair::generate().unwrap();
        let certificate =
            CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap().self_signed(&key).unwrap();
        let root = folder.path().join("root.pem");
        std::fs::write(&root, certificate.pem()).unwrap();
        let config = rustls::ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                vec![certificate.der().clone()],
                PrivateKeyDer::Pkcs8(key.serialize_der().into()),
            )
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://{}", listener.local_addr().unwrap());
        let settings =
            AcmeSettings { directory: format!("{url}/dir"), root: Some(root), ..AcmeSettings::default() };
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let authority = Arc::new(Authority::new(conduct));
        let serving = authority.clone();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (acceptor, url, authority) = (acceptor.clone(), url.clone(), serving.clone());
                tokio::spawn(async move {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        serve(stream, url, authority).await;
                    }
                });
            }
        });
        Self { settings, folder, authority }
    }

    /// Its conduct from now on, and the requests that it got.
    pub(super) fn conduct(&self) -> MutexGuard<'_, Conduct> {
        self.authority.conduct.lock().unwrap()
    }

    pub(super) fn store(&self) -> Store {
        Store::new(Layout::new(self.folder.path(), &self.settings.directory))
    }

    /// An account that was made earlier.
    pub(super) fn remember_account(&self) {
        let (_, key) = instant_acme::Key::generate_pkcs8().unwrap();
        let key = URL_SAFE_NO_PAD.encode(key.secret_pkcs8_der());
        let credentials = json!({"id": "me", "key_pkcs8": key, "directory": self.settings.directory});
        let text = json!({"contacts": [], "credentials": credentials}).to_string();
        self.store().save_account(&text).unwrap();
    }

    /// A certificate that it issued earlier.
    pub(super) fn issued(&self) -> Pair {
        let key = KeyPair::generate().unwrap();
        let chain = self.authority.sign(&key).into_bytes();
        Pair::parse(chain, key.serialize_pem().into_bytes(), Provenance::Acme).unwrap()
    }
}

/// Answers the requests of one connection; `@` stands for `url`.
async fn serve(stream: TlsStream<TcpStream>, url: String, authority: Arc<Authority>) {
    let service = service_fn(move |request: Request<Incoming>| {
        let (url, authority) = (url.clone(), authority.clone());
        async move {
            let path = request.uri().path().to_owned();
            let body = request.into_body().collect().await.unwrap().to_bytes();
            let (status, fields, body) = authority.answer(&path, &body);
            let mut response = Response::builder().status(status);
            for (name, value) in fields {
                response = response.header(name, value.replace('@', &url));
            }
            let body = Full::new(Bytes::from(body.replace('@', &url)));
            Ok::<_, Infallible>(response.body(body).unwrap())
        }
    });
    let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}
