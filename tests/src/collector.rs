//! A collector of traces: a real OTLP service by gRPC (tonic) or by HTTP with protobuf bodies, plain or over TLS, that
//! keeps what it got.

use std::convert::Infallible;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::service::TowerToHyperService;
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTracePartialSuccess, ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value};
pub use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::origin::Authority;
use crate::polling;

/// Protocol of a collector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaks {
    /// OTLP over gRPC.
    Grpc,
    /// OTLP over HTTP/1.1 with protobuf bodies.
    Http,
    /// Nothing: it takes connections and never answers.
    Nothing,
}

impl Speaks {
    /// As `tracing.protocol` names it.
    pub fn word(self) -> &'static str {
        if self == Speaks::Http { "http/protobuf" } else { "grpc" }
    }
}

/// One export request.
#[derive(Debug, Clone)]
pub struct Export {
    /// Path that it was sent to.
    pub path: String,
    /// Its header fields or metadata, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Attributes of the resource.
    pub resource: Vec<(String, String)>,
    /// Its spans.
    pub spans: Vec<Span>,
}

impl Export {
    /// A header field.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}

#[derive(Debug, Clone, Default)]
struct Kept {
    exports: Arc<Mutex<Vec<Export>>>,
    connections: Arc<AtomicUsize>,
    rejects: Arc<AtomicI64>,
}

/// A running collector; it ends when it is dropped.
#[derive(Debug)]
pub struct Collector {
    /// Its port on the loopback address.
    pub port: u16,
    kept: Kept,
    _runtime: tokio::runtime::Runtime,
}

impl Collector {
    /// Starts one, with the certificate of `authority` where there is one.
    pub fn start(speaks: Speaks, authority: Option<&Authority>) -> Collector {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let protocols: &[&str] = if speaks == Speaks::Grpc { &["h2"] } else { &["http/1.1"] };
        let acceptor = authority.map(|authority| TlsAcceptor::from(authority.server_config(protocols)));
        let kept = Kept::default();
        let keeping = kept.clone();
        runtime.spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                keeping.connections.fetch_add(1, Ordering::AcqRel);
                let (acceptor, keeping) = (acceptor.clone(), keeping.clone());
                tokio::spawn(async move {
                    match acceptor {
                        None => serve(socket, speaks, keeping).await,
                        Some(acceptor) => {
                            if let Ok(stream) = acceptor.accept(socket).await {
                                serve(stream, speaks, keeping).await;
                            }
                        }
                    }
                });
            }
        });
        Collector { port, kept, _runtime: runtime }
    }

    /// Everything that was exported so far.
    pub fn exports(&self) -> Vec<Export> {
        self.kept.exports.lock().expect("nobody panics while holding it").clone()
    }

    /// Waits until so many spans came and returns all.
    pub fn wait_spans(&self, count: usize) -> Vec<Span> {
        polling::until(&format!("{count} spans"), || {
            let spans: Vec<Span> = self.exports().into_iter().flat_map(|export| export.spans).collect();
            (spans.len() >= count).then_some(spans)
        })
    }

    /// From now on says of each export that so many of its spans are rejected.
    pub fn reject(&self, spans: i64) {
        self.kept.rejects.store(spans, Ordering::Release);
    }

    /// Connections that were opened.
    pub fn connections(&self) -> usize {
        self.kept.connections.load(Ordering::Acquire)
    }
}

/// The value of an attribute as text; lists are joined by spaces.
pub fn attribute(attributes: &[KeyValue], name: &str) -> Option<String> {
    fn text(value: &any_value::Value) -> String {
        match value {
            any_value::Value::StringValue(text) => text.clone(),
            any_value::Value::IntValue(number) => number.to_string(),
            any_value::Value::BoolValue(value) => value.to_string(),
            any_value::Value::ArrayValue(list) => {
                let items = list.values.iter().filter_map(|item| item.value.as_ref()).map(text);
                items.collect::<Vec<_>>().join(" ")
            }
            other => format!("{other:?}"),
        }
    }
    attributes.iter().find(|pair| pair.key == name)?.value.as_ref()?.value.as_ref().map(text)
}

async fn serve(io: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, speaks: Speaks, kept: Kept) {
    match speaks {
        Speaks::Grpc => {
            let service = TowerToHyperService::new(TraceServiceServer::new(kept));
            let http = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
            let _ = http.serve_connection(TokioIo::new(io), service).await;
        }
        Speaks::Http => {
            let service = service_fn(move |request| answer(request, kept.clone()));
            let http = hyper::server::conn::http1::Builder::new();
            let _ = http.serve_connection(TokioIo::new(io), service).await;
        }
        Speaks::Nothing => {
            std::future::pending::<()>().await;
            drop(io);
        }
    }
}

impl Kept {
    fn keep(&self, path: &str, headers: &http::HeaderMap, request: &ExportTraceServiceRequest) {
        let pair = |(name, value): (&http::HeaderName, &http::HeaderValue)| {
            (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        let resources = request.resource_spans.iter().filter_map(|spans| spans.resource.as_ref());
        let resource = resources
            .flat_map(|resource| &resource.attributes)
            .filter_map(|pair| Some((pair.key.clone(), attribute(std::slice::from_ref(pair), &pair.key)?)));
        let scopes = request.resource_spans.iter().flat_map(|spans| &spans.scope_spans);
        let export = Export {
            path: path.to_owned(),
            headers: headers.iter().map(pair).collect(),
            resource: resource.collect(),
            spans: scopes.flat_map(|scope| scope.spans.clone()).collect(),
        };
        self.exports.lock().expect("nobody panics while holding it").push(export);
    }

    fn says(&self) -> ExportTraceServiceResponse {
        let rejected_spans = self.rejects.load(Ordering::Acquire);
        let partial = ExportTracePartialSuccess { rejected_spans, error_message: "too old".to_owned() };
        ExportTraceServiceResponse { partial_success: (rejected_spans > 0).then_some(partial) }
    }
}

#[tonic::async_trait]
impl TraceService for Kept {
    async fn export(
        &self,
        request: tonic::Request<ExportTraceServiceRequest>,
    ) -> Result<tonic::Response<ExportTraceServiceResponse>, tonic::Status> {
        let headers = request.metadata().clone().into_headers();
        self.keep("", &headers, request.get_ref());
        Ok(tonic::Response::new(self.says()))
    }
}

async fn answer(
    request: http::Request<Incoming>,
    kept: Kept,
) -> Result<http::Response<Full<Bytes>>, Infallible> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let is_protobuf = head.headers.get("content-type").is_some_and(|kind| kind == "application/x-protobuf");
    let mut response = http::Response::new(Full::new(Bytes::new()));
    match ExportTraceServiceRequest::decode(body) {
        Ok(request) if is_protobuf && head.method == http::Method::POST => {
            kept.keep(head.uri.path(), &head.headers, &request);
            *response.body_mut() = Full::new(kept.says().encode_to_vec().into());
        }
        _ => *response.status_mut() = http::StatusCode::BAD_REQUEST,
    }
    Ok(response)
}
