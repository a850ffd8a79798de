//! The two ways to a collector, both over this crate's own connections: OTLP by gRPC, and by HTTP with protobuf bodies. It
//! reads no environment: what stands there was resolved into the plan.

use std::collections::HashMap;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_util::rt::TokioIo;
use opentelemetry::KeyValue;
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{
    Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _, WithTonicConfig as _,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SpanExporter as _;
use tonic::metadata::MetadataMap;
use tonic::transport::Endpoint;
use waf_shared::limits::TRACE_ANSWER_BYTES_MAX;
use waf_shared::plan::{OtlpProtocol, Scheme, Tracing, Upstream};

use super::TraceSetupError;
use crate::upstream::{Dialer, Want};

/// The path that OTLP over HTTP is spoken on.
const TRACES: &str = "/v1/traces";

pub(super) fn exporter(
    settings: &Tracing,
    dialer: Dialer,
    timeout: Duration,
) -> Result<SpanExporter, TraceSetupError> {
    let built = match settings.protocol {
        OtlpProtocol::Grpc => {
            let channel = Endpoint::from_shared(url(&settings.collector, ""))
                .map_err(|error| TraceSetupError::Exporter(error.to_string()))?
                .connect_with_connector_lazy(tower::service_fn(move |_: http::Uri| {
                    let dialer = dialer.clone();
                    async move { dialer.dial(Want::Http2, timeout).await.map(TokioIo::new) }
                }));
            SpanExporter::builder()
                .with_tonic()
                .with_channel(channel)
                .with_metadata(MetadataMap::from_headers(headers(settings)))
                .with_timeout(timeout)
                .build()
        }
        OtlpProtocol::Http => SpanExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .with_http_client(Client { dialer, timeout })
            .with_endpoint(url(&settings.collector, traces_path(&settings.collector)))
            .with_headers(settings.headers.iter().cloned().collect::<HashMap<_, _>>())
            .with_timeout(timeout)
            .build(),
    };
    let mut exporter = built.map_err(|error| TraceSetupError::Exporter(error.to_string()))?;
    let attributes = settings.resource.iter().map(|(name, value)| KeyValue::new(name.clone(), value.clone()));
    exporter.set_resource(&Resource::builder_empty().with_attributes(attributes).build());
    Ok(exporter)
}

/// What is added to the collector's own path.
fn traces_path(collector: &Upstream) -> &'static str {
    if collector.base_path.ends_with(TRACES) { "" } else { TRACES }
}

fn url(collector: &Upstream, path: &str) -> String {
    let scheme = match collector.scheme {
        Scheme::Http => "http",
        Scheme::Https => "https",
    };
    format!("{scheme}://{}{}{path}", collector.authority, collector.base_path)
}

/// Names and values were checked where they were read; what no library can send is left out.
fn headers(settings: &Tracing) -> HeaderMap {
    let pairs = settings.headers.iter().filter_map(|(name, value)| {
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        Some((name, HeaderValue::from_str(value).ok()?))
    });
    pairs.collect()
}

/// One request, one connection: batches are seconds apart.
#[derive(Debug)]
struct Client {
    dialer: Dialer,
    timeout: Duration,
}

#[async_trait::async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let stream = self.dialer.dial(Want::Http1, self.timeout).await?;
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        let (mut head, body) = request.into_parts();
        // In origin form, with the authority where HTTP/1.1 wants it.
        if let Some(authority) = head.uri.authority() {
            head.headers.insert(http::header::HOST, HeaderValue::from_str(authority.as_str())?);
        }
        let target = head.uri.path_and_query().map_or("/", http::uri::PathAndQuery::as_str).parse()?;
        head.uri = target;
        let exchange = async {
            let answer = sender.send_request(Request::from_parts(head, Full::new(body))).await?;
            let (head, body) = answer.into_parts();
            let body = Limited::new(body, TRACE_ANSWER_BYTES_MAX).collect().await?.to_bytes();
            Ok::<_, HttpError>(Response::from_parts(head, body))
        };
        let mut exchange = std::pin::pin!(exchange);
        let mut connection = std::pin::pin!(connection);
        tokio::select! {
            answer = exchange.as_mut() => answer,
            ended = connection.as_mut() => {
                ended?;
                // What was read before the end may complete the answer.
                exchange.await
            }
        }
    }
}
