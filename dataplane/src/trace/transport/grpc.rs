//! OTLP over gRPC: the same message as over HTTP, carried by one unary call. Statuses are reported as those of HTTP, so
//! that what may be repeated is decided in one place.

use std::error::Error as _;
use std::time::Duration;

use bytes::{Buf as _, BufMut as _, Bytes};
use http::header::CONTENT_TYPE;
use http::uri::PathAndQuery;
use http::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use opentelemetry_http::HttpError;
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::metadata::MetadataMap;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};
use waf_shared::limits::TRACE_ANSWER_BYTES_MAX;

use super::{Unanswered, WORDS_BYTES_MAX};
use crate::error_text;
use crate::upstream::{Dialer, HttpVersionPreference, UpstreamFailure};

/// The call (opentelemetry-proto, collector/trace/v1).
const EXPORT: &str = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";

/// A channel that connects when it is first needed, and again when its connection is gone.
pub(super) fn channel(
    url: String,
    dialer: Dialer,
    timeout: Duration,
) -> Result<Channel, tonic::transport::Error> {
    let endpoint = Endpoint::from_shared(url)?;
    Ok(endpoint.connect_with_connector_lazy(tower::service_fn(move |_: http::Uri| {
        let dialer = dialer.clone();
        async move { dialer.dial(HttpVersionPreference::Http2, timeout).await.map(TokioIo::new) }
    })))
}

/// Makes the call with the body and the headers of `request`.
pub(super) async fn call(channel: Channel, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
    let (mut head, body) = request.into_parts();
    // Those of the message inside; the call has its own.
    head.headers.remove(CONTENT_TYPE);
    let mut call = tonic::Request::new(body);
    *call.metadata_mut() = MetadataMap::from_headers(head.headers);
    let mut client = Grpc::new(channel).max_decoding_message_size(TRACE_ANSWER_BYTES_MAX);
    client.ready().await?;
    match client.unary(call, PathAndQuery::from_static(EXPORT), Bare).await {
        Ok(answer) => Ok(Response::new(answer.into_inner())),
        Err(status) => {
            let mut answer = Response::new(Bytes::new());
            *answer.status_mut() = http_status(status.code());
            answer.extensions_mut().insert(status.code());
            if let Some(reason) = unanswered(&status) {
                answer.extensions_mut().insert(reason);
            }
            Ok(answer)
        }
    }
}

/// The reason why a call has no answer: a status that was made here, and not sent by a collector, has a cause. The
/// connection's own failure is the innermost that says anything to an operator.
fn unanswered(status: &Status) -> Option<Unanswered> {
    let mut cause = status.source()?;
    let words = error_text::with_causes(cause, WORDS_BYTES_MAX);
    loop {
        if let Some(failure) = cause.downcast_ref::<UpstreamFailure>() {
            return Some(Unanswered(error_text::with_causes(failure, WORDS_BYTES_MAX)));
        }
        match cause.source() {
            Some(inner) => cause = inner,
            None => return Some(Unanswered(words)),
        }
    }
}

/// An export may be repeated (OTLP 1.x, failures) where the service is away for now; everything else was not
/// understood.
fn http_status(code: Code) -> StatusCode {
    match code {
        Code::Cancelled
        | Code::DeadlineExceeded
        | Code::Aborted
        | Code::OutOfRange
        | Code::Unavailable
        | Code::DataLoss => StatusCode::SERVICE_UNAVAILABLE,
        Code::Unauthenticated => StatusCode::UNAUTHORIZED,
        Code::PermissionDenied => StatusCode::FORBIDDEN,
        Code::Unimplemented => StatusCode::NOT_IMPLEMENTED,
        _ => StatusCode::BAD_REQUEST,
    }
}

/// Messages as the bytes that they are.
#[derive(Debug, Clone, Copy)]
struct Bare;

impl Codec for Bare {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Bare;
    type Decoder = Bare;

    fn encoder(&mut self) -> Bare {
        Bare
    }

    fn decoder(&mut self) -> Bare {
        Bare
    }
}

impl Encoder for Bare {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, message: Bytes, into: &mut EncodeBuf<'_>) -> Result<(), Status> {
        into.reserve(message.len());
        into.put(message);
        Ok(())
    }
}

impl Decoder for Bare {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        let all = from.remaining();
        Ok(Some(from.copy_to_bytes(all)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_repeated_is_what_otlp_says() {
        // The library repeats 429, 502, 503 and 504.
        for code in
            [Code::Cancelled, Code::DeadlineExceeded, Code::Aborted, Code::Unavailable, Code::DataLoss]
        {
            assert_eq!(http_status(code).as_u16(), 503, "{code:?}");
        }
        for code in [Code::InvalidArgument, Code::Unauthenticated, Code::ResourceExhausted, Code::Unknown] {
            assert!(http_status(code).is_client_error(), "{code:?}");
        }
    }
}
