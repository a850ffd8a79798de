//! The endpoint `/metrics`, in the format that the scraper asks for.

use std::io;
use std::sync::Arc;

use http_body_util::Full;
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue, VARY};
use hyper::{Method, StatusCode};

use super::{Metrics, exposition};
use crate::listener::{self, Answer, Listener, only_shows};
use crate::sockets::Bound;

/// Starts to answer on a bound socket.
pub fn serve(socket: Arc<Bound>, metrics: Arc<Metrics>) -> io::Result<Listener> {
    Listener::serve(socket, move |request| {
        answer(request.method(), request.uri().path(), request.headers(), &metrics)
    })
}

fn answer(method: &Method, path: &str, headers: &HeaderMap, metrics: &Arc<Metrics>) -> Answer {
    if path != "/metrics" {
        return listener::text(StatusCode::NOT_FOUND, "not found\n");
    }
    if !only_shows(method) {
        return listener::text(StatusCode::METHOD_NOT_ALLOWED, "method not allowed\n");
    }
    let openmetrics = exposition::openmetrics(metrics);
    let format = Format::wanted(headers);
    let body = match format {
        Format::OpenMetrics => openmetrics,
        Format::Prometheus => exposition::prometheus(&openmetrics),
    };
    let mut answer = listener::text(StatusCode::OK, "");
    *answer.body_mut() = Full::new(body.into());
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(format.media_type()));
    answer.headers_mut().insert(VARY, HeaderValue::from_static("Accept"));
    answer
}

/// A text format of metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    OpenMetrics,
    Prometheus,
}

impl Format {
    /// Format that `Accept` prefers (RFC 9110 section 12.5.1); Prometheus's own where it names neither.
    fn wanted(headers: &HeaderMap) -> Format {
        let mut quality: [Option<f32>; 2] = [None; 2];
        let values = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
        for range in values.flat_map(|value| value.split(',')) {
            let mut parts = range.split(';').map(str::trim);
            let format = match parts.next().map(str::to_ascii_lowercase).as_deref() {
                Some("application/openmetrics-text") => Format::OpenMetrics,
                Some("text/plain") => Format::Prometheus,
                _ => continue,
            };
            let q = parts.find_map(|part| part.strip_prefix("q="));
            let q = q.map_or(Some(1.0), |q| q.parse::<f32>().ok()).filter(|q| (0.0..=1.0).contains(q));
            let slot = &mut quality[format as usize];
            *slot = q.into_iter().chain(*slot).reduce(f32::max);
        }
        let [openmetrics, prometheus] = quality;
        match openmetrics {
            Some(q) if q > 0.0 && prometheus.is_none_or(|other| q >= other) => Format::OpenMetrics,
            _ => Format::Prometheus,
        }
    }

    const fn media_type(self) -> &'static str {
        match self {
            Format::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
            Format::Prometheus => "text/plain; version=0.0.4; charset=utf-8",
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use super::*;
    use crate::counters::Counters;

    fn accepting(values: &[&'static str]) -> HeaderMap {
        values.iter().map(|value| (ACCEPT, HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn the_format_is_what_the_scraper_prefers() {
        for (values, format) in [
            (&[][..], Format::Prometheus),
            (&["*/*"], Format::Prometheus),
            (
                &["application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"],
                Format::OpenMetrics,
            ),
            (&["text/plain;q=0.9", "application/openmetrics-text; q=0.8"], Format::Prometheus),
            (&["Application/OpenMetrics-Text"], Format::OpenMetrics),
            (&["application/openmetrics-text;q=0"], Format::Prometheus),
            (&["application/openmetrics-text;q=loud"], Format::Prometheus),
            (&["application/openmetrics-text;q=-1,,;"], Format::Prometheus),
        ] {
            assert_eq!(Format::wanted(&accepting(values)), format, "{values:?}");
        }
    }

    #[test]
    fn paths_and_methods() {
        let metrics = Metrics::new(Arc::new(Counters::default()));
        let code =
            |method: &Method, path| answer(method, path, &HeaderMap::new(), &metrics).status().as_u16();
        assert_eq!(code(&Method::GET, "/metrics"), 200);
        assert_eq!(code(&Method::HEAD, "/metrics"), 200);
        assert_eq!(code(&Method::POST, "/metrics"), 405);
        assert_eq!(code(&Method::GET, "/"), 404);
        assert_eq!(code(&Method::POST, "/metrics/"), 404);
    }
}
