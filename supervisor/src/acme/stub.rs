//! An authority of a few lines for what the real test authority does not do: suggested renewals and rate limits. Tests
//! talk to it over TLS like to any other.

use std::convert::Infallible;
use std::sync::Arc;

use base64::Engine as _;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use instant_acme::Account;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::PrivateKeyDer;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::account::Accounts;
use super::client::{Connector, Notes};
use super::failure::{Failure, Why};
use super::{Settings, order};
use crate::certificates::{Layout, Pair, Provenance, Store};

/// A running one.
struct Stub {
    settings: Settings,
    folder: tempfile::TempDir,
}

/// Answers by path: status, header fields and a body, in which `@` stands for the stub's own URL.
fn fields(path: &str, has_suggestions: bool) -> (u16, Vec<(&'static str, &'static str)>, String) {
    let suggestions = if has_suggestions { r#","renewalInfo":"@/suggest""# } else { "" };
    match path {
        "/dir" => {
            let urls = r#""newNonce":"@/nonce","newAccount":"@/account","newOrder":"@/order""#;
            (200, vec![], format!("{{{urls}{suggestions}}}"))
        }
        "/nonce" => (200, vec![("replay-nonce", "n1")], String::new()),
        "/account" => (
            429,
            vec![("retry-after", "1234"), ("replay-nonce", "n2")],
            r#"{"type":"urn:ietf:params:acme:error:rateLimited","detail":"too many accounts","status":429}"#
                .into(),
        ),
        _ if path.starts_with("/suggest/") => (
            200,
            vec![("retry-after", "21600")],
            r#"{"suggestedWindow":{"start":"2027-01-02T03:04:05Z","end":"2027-01-04T03:04:05Z"}}"#.into(),
        ),
        _ => (404, vec![], "{}".into()),
    }
}

impl Stub {
    async fn start(has_suggestions: bool) -> Self {
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
        let settings = Settings { directory: format!("{url}/dir"), root: Some(root), ..Settings::default() };
        let acceptor = TlsAcceptor::from(Arc::new(config));
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (acceptor, url) = (acceptor.clone(), url.clone());
                tokio::spawn(async move {
                    let Ok(stream) = acceptor.accept(stream).await else { return };
                    let service = service_fn(|request: Request<Incoming>| {
                        let (status, fields, body) = fields(request.uri().path(), has_suggestions);
                        let answer = fields
                            .into_iter()
                            .fold(Response::builder().status(status), |answer, (name, value)| {
                                answer.header(name, value)
                            });
                        let body = Full::new(Bytes::from(body.replace('@', &url)));
                        async move { Ok::<_, Infallible>(answer.body(body).unwrap()) }
                    });
                    let _ = hyper::server::conn::http1::Builder::new()
                        .serve_connection(TokioIo::new(stream), service)
                        .await;
                });
            }
        });
        Self { settings, folder }
    }

    async fn open(&self) -> (Result<Account, Failure>, Arc<Notes>) {
        let connector = Connector::new(self.settings.root.as_deref()).unwrap();
        let store = Store::new(Layout::new(self.folder.path(), &self.settings.directory));
        Accounts::new(Arc::new(self.settings.clone()), connector).open(&store).await
    }

    /// An account that was made earlier.
    fn remember_account(&self) {
        let (_, key) = instant_acme::Key::generate_pkcs8().unwrap();
        let key = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(key.secret_pkcs8_der());
        let credentials =
            serde_json::json!({"id": "me", "key_pkcs8": key, "directory": self.settings.directory});
        let text = serde_json::json!({"contacts": [], "credentials": credentials}).to_string();
        Store::new(Layout::new(self.folder.path(), &self.settings.directory)).save_account(&text).unwrap();
    }
}

/// A certificate that names its issuer's key, as those of authorities do.
fn issued() -> Pair {
    let mut root = CertificateParams::new(Vec::new()).unwrap();
    root.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer = Issuer::new(root, KeyPair::generate().unwrap());
    let key = KeyPair::generate().unwrap();
    let mut leaf = CertificateParams::new(vec!["a.example".to_owned()]).unwrap();
    leaf.use_authority_key_identifier_extension = true;
    let chain = leaf.signed_by(&key, &issuer).unwrap().pem().into_bytes();
    Pair::parse(chain, key.serialize_pem().into_bytes(), Provenance::Acme).unwrap()
}

#[tokio::test]
async fn an_authority_that_suggests_renewals_is_heard() {
    let stub = Stub::start(true).await;
    stub.remember_account();
    let account = stub.open().await.0.unwrap();
    let (window, again) = order::suggestion(&account, &issued()).await.unwrap();
    let (start, end) = window.unwrap();
    assert_eq!(super::rfc3339(start), "2027-01-02T03:04:05Z");
    assert_eq!(end.duration_since(start).unwrap().as_secs(), 2 * 24 * 3600);
    assert!((21_590..=21_600).contains(&again.as_secs()), "{again:?}");
    assert!(order::identifier(&issued()).is_some());
}

#[tokio::test]
async fn an_authority_that_suggests_nothing_leaves_it_to_the_lifetime() {
    let stub = Stub::start(false).await;
    stub.remember_account();
    let account = stub.open().await.0.unwrap();
    let (window, _) = order::suggestion(&account, &issued()).await.unwrap();
    assert!(window.is_none());
}

#[tokio::test]
async fn a_rate_limit_comes_with_the_wait_that_the_authority_asks_for() {
    let stub = Stub::start(false).await;
    let (account, notes) = stub.open().await;
    let Err(failure) = account else { panic!("the stub makes no accounts") };
    assert_eq!(failure.why, Why::RateLimited);
    assert!(failure.text.contains("too many accounts"), "{}", failure.text);
    assert_eq!(notes.retry_after().map(|wait| wait.as_secs()), Some(1234));
}

#[tokio::test]
async fn an_account_that_cannot_be_read_is_set_aside() {
    let stub = Stub::start(false).await;
    let layout = Layout::new(stub.folder.path(), &stub.settings.directory);
    let store = Store::new(layout.clone());
    store.save_account("{\"contacts\":[],\"credentials\":{}}").unwrap();
    // A new one is asked for, which this authority refuses.
    let (account, _) = stub.open().await;
    assert!(matches!(account, Err(Failure { why: Why::RateLimited, .. })));
    assert!(!layout.account.exists());
    assert!(layout.account.with_extension("json.broken").exists());
}
