//! HTTP to the authority: one connection for each request, verified, with a deadline and a bound on what is read. It
//! notes what ACME's own client drops: how long to wait, and what time it is there.

use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::header::{DATE, HOST, HeaderValue, RETRY_AFTER, USER_AGENT};
use http::{HeaderMap, Request, StatusCode, Uri};
use http_body_util::{BodyExt, Limited};
use hyper_util::rt::TokioIo;
use instant_acme::{BodyWrapper, BytesResponse, Error, HttpClient};
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc2822;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_rustls::TlsConnector;
use tracing::warn;
use waf_shared::limits::{ACME_ANSWER_BYTES_MAX, ACME_REQUEST_SECONDS};

/// Name of this service for an authority.
const AGENT: &str = concat!("waf/", env!("CARGO_PKG_VERSION"));

/// A difference between clocks that an operator should know of.
const SKEW: Duration = Duration::from_mins(10);

/// A fault that keeps the authority from being asked.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The file that `--acme-root` names.
    #[error("the root of the certificate authority cannot be read: {}: {why}", path.display())]
    Root {
        /// The file.
        path: PathBuf,
        /// The fault.
        why: String,
    },
    /// Nothing to trust.
    #[error(
        "the system has no root certificates: install them (`ca-certificates`), or name one with --acme-root"
    )]
    NoRoots,
    /// No URL that can be asked.
    #[error("`{0}` is not an https URL")]
    Url(String),
    /// No connection.
    #[error("{host} cannot be reached: {source}")]
    Connect {
        /// Host and port.
        host: String,
        /// Error of the system or the handshake.
        source: io::Error,
    },
    /// No answer, or a broken one.
    #[error("{host} does not answer as HTTP: {source}")]
    Exchange {
        /// Host and port.
        host: String,
        /// Error of the library.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// No answer in time.
    #[error("{0} does not answer within {ACME_REQUEST_SECONDS} s")]
    Slow(String),
}

/// Makes clients that trust the same roots.
#[derive(Clone)]
pub(super) struct Connector {
    given: Option<TlsConnector>,
    /// The system's, read when they are first needed: mode 3 never asks anybody, and an operator with certificates of
    /// his own needs no roots.
    system: Arc<OnceLock<Option<TlsConnector>>>,
}

impl Connector {
    /// Trusts the certificates in `root`, else those of the system.
    pub(super) fn new(root: Option<&Path>) -> Result<Self, ClientError> {
        let given = root.map(|path| {
            let broken = |why: &dyn std::fmt::Display| ClientError::Root {
                path: path.to_owned(),
                why: why.to_string(),
            };
            let mut roots = RootCertStore::empty();
            for certificate in CertificateDer::pem_file_iter(path).map_err(|error| broken(&error))? {
                let certificate = certificate.map_err(|error| broken(&error))?;
                roots.add(certificate).map_err(|error| broken(&error))?;
            }
            connector(roots).ok_or_else(|| broken(&"no certificate in it"))
        });
        Ok(Self { given: given.transpose()?, system: Arc::default() })
    }

    fn tls(&self) -> Result<&TlsConnector, ClientError> {
        let system = || {
            let mut roots = RootCertStore::empty();
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            connector(roots)
        };
        self.given.as_ref().or_else(|| self.system.get_or_init(system).as_ref()).ok_or(ClientError::NoRoots)
    }

    /// A client for one order, and what it notes.
    pub(super) fn client(&self) -> (Box<dyn HttpClient>, Arc<Notes>) {
        let notes = Arc::new(Notes::default());
        (Box::new(Client { connector: self.clone(), notes: notes.clone() }), notes)
    }
}

/// Headers of the answers that the library does not pass on.
#[derive(Debug, Default)]
pub(super) struct Notes {
    retry_after: Mutex<Option<Duration>>,
}

impl Notes {
    /// Pause that the last error answer asked for.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        *self.retry_after.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, status: StatusCode, headers: &HeaderMap, now: SystemTime) {
        let date = headers.get(DATE).and_then(|value| value.to_str().ok()).and_then(http_date);
        let wait = headers.get(RETRY_AFTER).and_then(|value| wait(value, date.unwrap_or(now)));
        let asked = if status.is_client_error() || status.is_server_error() { wait } else { None };
        *self.retry_after.lock().unwrap_or_else(PoisonError::into_inner) = asked;
    }
}

/// Seconds, or a date as seen from the authority's own clock (RFC 9110 section 10.2.3).
fn wait(value: &HeaderValue, there: SystemTime) -> Option<Duration> {
    let text = value.to_str().ok()?.trim();
    match text.parse::<u64>() {
        Ok(seconds) => Some(Duration::from_secs(seconds)),
        Err(_) => Some(http_date(text)?.duration_since(there).unwrap_or_default()),
    }
}

/// An HTTP date in the form that is sent today; obsolete forms are no date.
fn http_date(text: &str) -> Option<SystemTime> {
    let text = text.strip_suffix("GMT").map(|text| format!("{text}+0000"))?;
    OffsetDateTime::parse(&text, &Rfc2822).ok().map(SystemTime::from)
}

/// By how much the authority's clock differs from ours, when it matters.
fn skew(headers: &HeaderMap, now: SystemTime) -> Option<(Duration, &'static str)> {
    let there = headers.get(DATE)?.to_str().ok().and_then(http_date)?;
    let (difference, which) = match now.duration_since(there) {
        Ok(ahead) => (ahead, "ahead of"),
        Err(behind) => (behind.duration(), "behind"),
    };
    (difference > SKEW).then_some((difference, which))
}

/// `None` without a root: nothing could be verified.
fn connector(roots: RootCertStore) -> Option<TlsConnector> {
    if roots.is_empty() {
        return None;
    }
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .ok()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Some(TlsConnector::from(Arc::new(config)))
}

struct Client {
    connector: Connector,
    notes: Arc<Notes>,
}

impl HttpClient for Client {
    fn request(
        &self,
        request: Request<BodyWrapper<Bytes>>,
    ) -> Pin<Box<dyn Future<Output = Result<BytesResponse, Error>> + Send>> {
        let (connector, notes) = (self.connector.clone(), self.notes.clone());
        Box::pin(async move {
            let limit = Duration::from_secs(ACME_REQUEST_SECONDS);
            let host = request.uri().to_string();
            let exchange = tokio::time::timeout(limit, exchange(&connector, request));
            let (parts, body) = match exchange.await {
                Ok(Ok(answer)) => answer,
                Ok(Err(error)) => return Err(Error::Other(Box::new(error))),
                Err(_) => return Err(Error::Other(Box::new(ClientError::Slow(host)))),
            };
            let now = SystemTime::now();
            notes.take(parts.status, &parts.headers, now);
            if let Some((difference, which)) = skew(&parts.headers, now) {
                let off_s = difference.as_secs();
                warn!(off_s, "this machine's clock is {which} the certificate authority's");
            }
            Ok(BytesResponse { parts, body: Box::new(body) })
        })
    }
}

async fn exchange(
    connector: &Connector,
    request: Request<BodyWrapper<Bytes>>,
) -> Result<(http::response::Parts, Bytes), ClientError> {
    let tls = connector.tls()?;
    let uri = request.uri().clone();
    let no_url = || ClientError::Url(uri.to_string());
    let name = uri.host().filter(|_| uri.scheme_str() == Some("https")).ok_or_else(no_url)?;
    let port = uri.port_u16().unwrap_or(443);
    let host = format!("{name}:{port}");
    // An address in brackets is a name without them.
    let bare = name.trim_start_matches('[').trim_end_matches(']').to_owned();
    let server = ServerName::try_from(bare.clone()).map_err(|_| no_url())?;
    let failed = |source| ClientError::Connect { host: host.clone(), source };
    let stream = TcpStream::connect((bare.as_str(), port)).await.map_err(failed)?;
    let stream = tls.connect(server, stream).await.map_err(failed)?;

    let broken = |source: Box<dyn std::error::Error + Send + Sync>| ClientError::Exchange {
        host: host.clone(),
        source,
    };
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|error| broken(error.into()))?;
    // Dropped with this function, and the connection with it.
    let mut driver = JoinSet::new();
    driver.spawn(connection);
    let request = in_origin_form(request, &uri).ok_or_else(no_url)?;
    let response = sender.send_request(request).await.map_err(|error| broken(error.into()))?;
    let (parts, body) = response.into_parts();
    let body = Limited::new(body, ACME_ANSWER_BYTES_MAX).collect().await.map_err(broken)?;
    Ok((parts, body.to_bytes()))
}

/// Path and query in the request line, the authority in `Host` (RFC 9112 section 3.2.1).
fn in_origin_form(
    mut request: Request<BodyWrapper<Bytes>>,
    uri: &Uri,
) -> Option<Request<BodyWrapper<Bytes>>> {
    let target = uri.path_and_query().map_or("/", http::uri::PathAndQuery::as_str);
    *request.uri_mut() = target.parse().ok()?;
    let authority = HeaderValue::from_str(uri.authority()?.as_str()).ok()?;
    request.headers_mut().insert(HOST, authority);
    request.headers_mut().insert(USER_AGENT, HeaderValue::from_static(AGENT));
    Some(request)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use super::*;

    fn headers(fields: &[(http::HeaderName, &'static str)]) -> HeaderMap {
        fields.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn the_wait_that_an_error_asks_for_is_noted() {
        let date = "Sun, 22 Nov 2026 03:00:00 GMT";
        let notes = Notes::default();
        let noted = |status, fields: &[(http::HeaderName, &'static str)]| {
            notes.take(status, &headers(fields), SystemTime::now());
            notes.retry_after().map(|wait| wait.as_secs())
        };
        let busy = StatusCode::TOO_MANY_REQUESTS;
        assert_eq!(noted(busy, &[(RETRY_AFTER, "120")]), Some(120));
        // As a date it is read on the authority's clock, whatever ours says.
        let later = [(DATE, date), (RETRY_AFTER, "Sun, 22 Nov 2026 03:10:00 GMT")];
        assert_eq!(noted(StatusCode::SERVICE_UNAVAILABLE, &later), Some(600));
        assert_eq!(noted(busy, &[(RETRY_AFTER, "soon")]), None);
        assert_eq!(noted(StatusCode::OK, &[(RETRY_AFTER, "5")]), None, "polling is not failing");
    }

    #[test]
    fn clocks_that_differ_are_told() {
        let there = http_date("Sun, 22 Nov 2026 03:00:00 GMT").unwrap();
        let fields = headers(&[(DATE, "Sun, 22 Nov 2026 03:00:00 GMT")]);
        let day = Duration::from_hours(24);
        assert_eq!(skew(&fields, there + day), Some((day, "ahead of")));
        assert_eq!(skew(&fields, there - day), Some((day, "behind")));
        assert_eq!(skew(&fields, there + Duration::from_secs(30)), None);
        assert_eq!(skew(&HeaderMap::new(), there), None);
    }

    #[test]
    fn a_root_that_cannot_be_read_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("root.pem");
        assert!(matches!(Connector::new(Some(&path)), Err(ClientError::Root { .. })));
        std::fs::write(&path, "nothing").unwrap();
        let Err(error) = Connector::new(Some(&path)) else { panic!("there is nothing to trust in it") };
        assert!(error.to_string().contains("no certificate in it"), "{error}");
    }

    #[tokio::test]
    async fn only_https_is_asked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("root.pem");
        std::fs::write(&path, crate::disk::made(&["root.example"], 60, 60).0).unwrap();
        let connector = Connector::new(Some(&path)).unwrap();
        for url in ["http://127.0.0.1:1/dir", "/dir"] {
            let request = Request::get(url).body(BodyWrapper::default()).unwrap();
            assert!(matches!(exchange(&connector, request).await, Err(ClientError::Url(_))), "{url}");
        }
        let none = Connector { given: None, system: Arc::new(OnceLock::from(None)) };
        let request = Request::get("https://127.0.0.1:1/").body(BodyWrapper::default()).unwrap();
        assert!(matches!(exchange(&none, request).await, Err(ClientError::NoRoots)));
    }
}
