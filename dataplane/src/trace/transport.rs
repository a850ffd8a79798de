//! The two ways to a collector, both over this crate's own connections: OTLP by gRPC, and by HTTP with protobuf
//! bodies. It reads no environment: what stands there was resolved into the plan.
//!
//! The library makes and repeats requests; what it asks to be sent goes through [`Client`] either way, since the
//! library drops what a collector says about spans that it rejects.

mod grpc;

use std::collections::HashMap;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Request, Response};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_util::rt::TokioIo;
use opentelemetry::KeyValue;
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceResponse;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SpanExporter as _;
use prost::Message as _;
use waf_shared::limits::TRACE_ANSWER_BYTES_MAX;
use waf_shared::plan::{OtlpProtocol, Tracing, Upstream};

use super::error::TraceSetupError;
use crate::error_text;
use crate::upstream::{Dialer, HttpVersionPreference, scheme_name};

/// The path that OTLP over HTTP is spoken on.
const TRACES: &str = "/v1/traces";

/// Characters of a collector's message that are kept.
const WORDS_MAX: usize = 200;

/// Bytes in which they are collected before.
const WORDS_BYTES_MAX: usize = 4 * WORDS_MAX;

/// An exporter, and what is noted of its collector.
pub(super) fn exporter(
    settings: &Tracing,
    dialer: Dialer,
    timeout: Duration,
) -> Result<(SpanExporter, Notes), TraceSetupError> {
    let refused = |error: &dyn std::fmt::Display| TraceSetupError::Exporter(error.to_string());
    let collector = &settings.collector;
    let (way, path) = match settings.protocol {
        OtlpProtocol::Grpc => {
            let channel =
                grpc::channel(url(collector, ""), dialer, timeout).map_err(|error| refused(&error))?;
            (Way::Grpc(channel), "")
        }
        OtlpProtocol::Http => (Way::Http { dialer, timeout }, traces_path(collector)),
    };
    let notes = Notes::default();
    let mut exporter = SpanExporter::builder()
        .with_http()
        .with_protocol(Protocol::HttpBinary)
        .with_http_client(Client { way, notes: notes.clone() })
        .with_endpoint(url(collector, path))
        .with_headers(headers(settings))
        .with_timeout(timeout)
        .build()
        .map_err(|error| refused(&error))?;
    let attributes = settings.resource.iter().map(|(name, value)| KeyValue::new(name.clone(), value.clone()));
    exporter.set_resource(&Resource::builder_empty().with_attributes(attributes).build());
    Ok((exporter, notes))
}

/// Outcomes of exports, which the library does not report.
#[derive(Debug, Default, Clone)]
pub(super) struct Notes(Arc<Mutex<Noted>>);

/// Outcome of the requests of one export.
#[derive(Debug, Default)]
pub(super) struct Noted {
    /// Spans that were rejected while the others were taken (OTLP 1.x, partial success).
    pub(super) rejected: u64,
    /// The reason why, or why the last request failed; empty when there is nothing to say. Cut short.
    pub(super) words: String,
}

impl Notes {
    /// The outcome since the last time.
    pub(super) fn take(&self) -> Noted {
        mem::take(&mut *self.lock())
    }

    /// Notes what became of a request. An answer that cannot be read says nothing.
    fn note(&self, answer: Result<&Response<Bytes>, &HttpError>) {
        match answer {
            Err(error) => self.lock().words = bounded(&error_text::with_causes(&**error, WORDS_BYTES_MAX)),
            // What a collector says to an error may repeat a secret that was sent to it.
            Ok(answer) if !answer.status().is_success() => {
                if let Some(Unanswered(words)) = answer.extensions().get() {
                    self.lock().words = bounded(words);
                    return;
                }
                let grpc = answer.extensions().get::<tonic::Code>();
                self.lock().words = match grpc {
                    Some(code) => format!("it answers with gRPC status {code:?}"),
                    None => format!("it answers with status {}", answer.status().as_u16()),
                };
            }
            Ok(answer) => {
                let Ok(answer) = ExportTraceServiceResponse::decode(&answer.body()[..]) else { return };
                let Some(partial) = answer.partial_success else { return };
                let spans = u64::try_from(partial.rejected_spans).unwrap_or(0);
                if spans > 0 {
                    *self.lock() = Noted { rejected: spans, words: bounded(&partial.error_message) };
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Noted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn bounded(words: &str) -> String {
    words.chars().filter(|c| !c.is_control()).take(WORDS_MAX).collect()
}

/// The reason why a request was not answered, in the stand-in for its answer.
#[derive(Debug, Clone)]
struct Unanswered(String);

/// The path that is added to the collector's own.
fn traces_path(collector: &Upstream) -> &'static str {
    if collector.base_path.ends_with(TRACES) { "" } else { TRACES }
}

fn url(collector: &Upstream, path: &str) -> String {
    let scheme = scheme_name(collector.scheme);
    format!("{scheme}://{}{}{path}", collector.authority, collector.base_path)
}

/// Names and values were checked where they were read; what no library can send is left out.
fn headers(settings: &Tracing) -> HashMap<String, String> {
    let can_be_sent = |(name, value): &&(String, String)| {
        HeaderName::from_bytes(name.as_bytes()).is_ok() && HeaderValue::from_str(value).is_ok()
    };
    settings.headers.iter().filter(can_be_sent).cloned().collect()
}

/// Sends what the library asks for.
#[derive(Debug)]
struct Client {
    way: Way,
    notes: Notes,
}

#[derive(Debug)]
enum Way {
    Grpc(tonic::transport::Channel),
    /// One request, one connection: batches are seconds apart.
    Http {
        dialer: Dialer,
        timeout: Duration,
    },
}

#[async_trait::async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let answer = match &self.way {
            Way::Grpc(channel) => grpc::call(channel.clone(), request).await,
            Way::Http { dialer, timeout } => exchange(dialer, *timeout, request).await,
        };
        self.notes.note(answer.as_ref());
        answer
    }
}

async fn exchange(
    dialer: &Dialer,
    timeout: Duration,
    request: Request<Bytes>,
) -> Result<Response<Bytes>, HttpError> {
    let stream = dialer.dial(HttpVersionPreference::Http1, timeout).await?;
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

#[cfg(test)]
mod tests {
    use http::StatusCode;
    use opentelemetry_proto::tonic::collector::trace::v1::ExportTracePartialSuccess;

    use super::*;

    fn noted(status: StatusCode, body: Vec<u8>) -> Noted {
        let mut answer = Response::new(Bytes::from(body));
        *answer.status_mut() = status;
        let notes = Notes::default();
        notes.note(Ok(&answer));
        let noted = notes.take();
        assert_eq!(notes.take().rejected, 0, "reported once");
        noted
    }

    fn rejecting(rejected_spans: i64, error_message: &str) -> Noted {
        let partial_success =
            Some(ExportTracePartialSuccess { rejected_spans, error_message: error_message.to_owned() });
        noted(StatusCode::OK, ExportTraceServiceResponse { partial_success }.encode_to_vec())
    }

    #[test]
    fn rejections_are_noted() {
        let few = rejecting(3, "too\u{1b}[2J old\n");
        assert_eq!((few.rejected, few.words.as_str()), (3, "too[2J old"));
        assert_eq!(rejecting(i64::MAX, &"x".repeat(1000)).words.len(), WORDS_MAX);
        for none in [rejecting(0, "a hint alone"), rejecting(-1, "nonsense")] {
            assert_eq!((none.rejected, none.words.as_str()), (0, ""));
        }
    }

    #[test]
    fn other_answers_say_nothing_of_spans() {
        for answer in [&b""[..], b"\xff\xff\xff\xff", b"{}", b"\x0a\x02\x08"] {
            assert_eq!(noted(StatusCode::OK, answer.to_vec()).rejected, 0);
        }
        let refused = noted(StatusCode::FORBIDDEN, b"your token x is wrong".to_vec());
        assert_eq!((refused.rejected, refused.words.as_str()), (0, "it answers with status 403"));
    }
}
