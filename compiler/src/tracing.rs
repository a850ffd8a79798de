//! Target of traces: the `tracing` section completed by the environment (OpenTelemetry protocol exporter
//! specification), so that the plan holds an address and no name has to be looked up. It must not read the environment:
//! that is handed in.

use waf_shared::plan::{Millis, OtlpProtocol, Tracing, Upstream};

use crate::code;
use crate::diagnostic::{Sink, quoted};
use crate::names::{HeaderName, HeaderValue, PlainText, UpstreamUrl, Word, without_credentials};
use crate::raw;
use crate::read::At;

/// Variables of the environment about traces: the values of those that are consulted, where they are set and not
/// empty. YAML wins over each.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// `OTEL_EXPORTER_OTLP_ENDPOINT`.
    pub endpoint: Option<String>,
    /// `OTEL_EXPORTER_OTLP_HEADERS`: `name=value,name=value`, percent-encoded.
    pub headers: Option<String>,
    /// `OTEL_EXPORTER_OTLP_TIMEOUT`: milliseconds.
    pub timeout: Option<String>,
    /// `OTEL_RESOURCE_ATTRIBUTES`: `name=value,name=value`, percent-encoded.
    pub resource_attributes: Option<String>,
}

const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
const HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";
const TIMEOUT: &str = "OTEL_EXPORTER_OTLP_TIMEOUT";
const RESOURCE: &str = "OTEL_RESOURCE_ATTRIBUTES";

/// The plan's part about traces; `None` while they are off, or when something is wrong with them.
pub(crate) fn resolve(
    document: &raw::Document,
    environment: &Environment,
    sink: &mut Sink,
) -> Option<Tracing> {
    let section = &document.tracing.as_ref()?.value;
    let enabled = section.enabled.as_ref().filter(|at| at.value)?;
    let line = enabled.line;
    let defaults = raw::Tracing::defaults();
    let protocol = section.protocol.as_ref().or(defaults.protocol.as_ref());
    let protocol = protocol.map_or(OtlpProtocol::Grpc, |at| at.value.0);
    let insecure = section.insecure.as_ref().or(defaults.insecure.as_ref()).is_some_and(|at| at.value);
    let (endpoint, place, at) = match (given(section.endpoint.as_ref()), &environment.endpoint) {
        (Some((text, at)), _) => (text.to_owned(), "tracing.endpoint", at),
        (None, Some(text)) => (text.clone(), ENDPOINT, line),
        (None, None) => {
            let endpoint = format!("http://localhost:{}", port(protocol));
            let message =
                format!("tracing.endpoint is empty: unless {ENDPOINT} is set, traces go to {endpoint}");
            sink.warning(code::SUSPICIOUS_VALUE, line, message);
            (endpoint, "tracing.endpoint", line)
        }
    };
    let collector = collector(&endpoint, protocol, insecure, (place, at), sink);
    let headers = headers(section, environment, line, sink);
    let timeout = timeout(section, environment, line, sink);
    let resource = resource(section, environment, line, sink);
    Some(Tracing {
        protocol,
        collector: collector?,
        headers: headers?,
        timeout: timeout?,
        resource: resource?,
    })
}

/// The port of a collector (OpenTelemetry protocol specification).
fn port(protocol: OtlpProtocol) -> u16 {
    match protocol {
        OtlpProtocol::Grpc => 4317,
        OtlpProtocol::Http => 4318,
    }
}

fn given(field: Option<&At<PlainText>>) -> Option<(&str, u32)> {
    field.filter(|at| !at.value.0.is_empty()).map(|at| (at.value.0.as_str(), at.line))
}

/// An address, with or without a scheme. TLS is used where either the scheme or `insecure: false` asks for it.
fn collector(
    text: &str,
    protocol: OtlpProtocol,
    insecure: bool,
    (place, line): (&str, u32),
    sink: &mut Sink,
) -> Option<Upstream> {
    let scheme = if insecure { "http" } else { "https" };
    let url = match text.split_once("://") {
        Some((said, rest)) if said.eq_ignore_ascii_case("http") && !insecure => {
            let message = format!("{place} begins with http:// and tracing.insecure is false: TLS is used");
            sink.warning(code::SUSPICIOUS_VALUE, line, message);
            format!("https://{rest}")
        }
        Some(_) => text.to_owned(),
        None => {
            let (authority, path) = text.find('/').map_or((text, ""), |at| text.split_at(at));
            let host_end = authority.rfind(']').unwrap_or(0);
            let has_port = authority.get(host_end..).is_some_and(|rest| rest.contains(':'));
            let port = if has_port { String::new() } else { format!(":{}", port(protocol)) };
            format!("{scheme}://{authority}{port}{path}")
        }
    };
    match UpstreamUrl::parse(&url) {
        Ok(url) => Some(url.0),
        Err(_) => {
            let example = port(protocol);
            let message = format!(
                "{place} must be an address of a collector such as `http://collector:{example}`, got {}",
                without_credentials(text)
            );
            sink.error(code::INVALID_VALUE, line, message);
            None
        }
    }
}

fn headers(
    section: &raw::Tracing,
    environment: &Environment,
    line: u32,
    sink: &mut Sink,
) -> Option<Vec<(String, String)>> {
    let written = section.headers.iter().flat_map(|at| &at.value.0);
    let mut headers: Vec<(String, String)> =
        written.map(|(name, value)| (name.value.0.clone(), value.value.0.clone())).collect();
    if headers.is_empty()
        && let Some(text) = &environment.headers
    {
        let valid = |(name, value): &(String, String)| {
            HeaderName::parse(name).is_ok() && HeaderValue::parse(value).is_ok()
        };
        // The value may be a credential: it is not quoted.
        headers =
            pairs(text).filter(|pairs| pairs.iter().all(valid)).or_else(|| wrong(HEADERS, line, sink))?;
    }
    headers.sort();
    Some(headers)
}

/// `Some(None)` when nothing is said.
#[expect(clippy::option_option, reason = "the outer one says whether what is said can be read")]
fn timeout(
    section: &raw::Tracing,
    environment: &Environment,
    line: u32,
    sink: &mut Sink,
) -> Option<Option<Millis>> {
    if let Some(at) = &section.timeout {
        return Some(Some(Millis(at.value)));
    }
    let Some(text) = &environment.timeout else { return Some(None) };
    let least = raw::Tracing::least("timeout");
    match text.trim().parse::<u64>() {
        Ok(milliseconds) if milliseconds >= least => Some(Some(Millis(milliseconds))),
        _ => {
            let message =
                format!("{TIMEOUT} must be a number of milliseconds >= {least}, got {}", quoted(text));
            sink.error(code::OUT_OF_BOUNDS, line, message);
            None
        }
    }
}

/// Attributes of the resource, by name. Name and version of the service come from the file alone.
fn resource(
    section: &raw::Tracing,
    environment: &Environment,
    line: u32,
    sink: &mut Sink,
) -> Option<Vec<(String, String)>> {
    let mut resource = match &environment.resource_attributes {
        Some(text) => pairs(text).or_else(|| wrong(RESOURCE, line, sink))?,
        None => Vec::new(),
    };
    let service = section.service.as_ref().map(|at| &at.value);
    let mut set = |name: &str, value: Option<&str>| {
        if let Some(value) = value {
            resource.retain(|(other, _)| other != name);
            resource.push((name.to_owned(), value.to_owned()));
        }
    };
    let said = |field: Option<&'_ At<PlainText>>| given(field).map(|(text, _)| text.to_owned());
    let name = said(service.and_then(|service| service.name.as_ref()))
        .or_else(|| said(raw::Service::defaults().name.as_ref()));
    let version = said(service.and_then(|service| service.version.as_ref()));
    let namespace = said(service.and_then(|service| service.namespace.as_ref()));
    set("service.name", name.as_deref());
    set("service.version", Some(version.as_deref().unwrap_or(env!("CARGO_PKG_VERSION"))));
    set("service.namespace", namespace.as_deref());
    resource.sort();
    Some(resource)
}

fn wrong<T>(variable: &str, line: u32, sink: &mut Sink) -> Option<T> {
    let message = format!("{variable} must be a list `name=value,name=value`, percent-encoded");
    sink.error(code::INVALID_VALUE, line, message);
    None
}

/// A list in the form of W3C Baggage, without its properties.
fn pairs(text: &str) -> Option<Vec<(String, String)>> {
    let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
    entries
        .map(|entry| {
            let (name, value) = entry.split_once('=')?;
            let name = name.trim();
            (!name.is_empty()).then_some(())?;
            Some((name.to_owned(), decoded(value.trim())?))
        })
        .collect()
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        let (high, low) = (digit()?, digit()?);
        bytes.push((high << 4 | low) as u8);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use super::*;
    use crate::{Compiled, Options, compile_text};

    fn compiled(section: &str, environment: Environment) -> Result<Compiled, Vec<String>> {
        let text = format!("version: v1alpha1\ntracing: {section}\nroutes:\n  - upstream: http://a\n");
        let options = Options { host_checks: false, tracing: environment, ..Options::default() };
        compile_text("waf.yaml", &text, std::path::Path::new("."), &options)
            .map_err(|list| list.iter().map(ToString::to_string).collect())
    }

    fn tracing(section: &str, environment: Environment) -> Tracing {
        compiled(section, environment).unwrap().plan.tracing.unwrap()
    }

    fn address(section: &str) -> String {
        let Tracing { collector: Upstream { scheme, host, port, base_path, .. }, .. } =
            tracing(section, Environment::default());
        format!("{scheme:?} {host} {port} {base_path}")
    }

    #[test]
    fn addresses_of_collectors() {
        for (section, expected) in [
            ("{enabled: true, endpoint: 'http://c:4317'}", "Http c 4317 "),
            ("{enabled: true, endpoint: 'https://c'}", "Https c 443 "),
            ("{enabled: true, endpoint: 'c:9'}", "Http c 9 "),
            ("{enabled: true, endpoint: c}", "Http c 4317 "),
            ("{enabled: true, endpoint: '[::1]', protocol: http}", "Http ::1 4318 "),
            ("{enabled: true, endpoint: 'c/base', protocol: http, insecure: false}", "Https c 4318 /base"),
            ("{enabled: true, endpoint: 'http://c:1', insecure: false}", "Https c 1 "),
            ("{enabled: true, endpoint: 'https://c:1', insecure: true}", "Https c 1 "),
            ("{enabled: true}", "Http localhost 4317 "),
            ("{enabled: true, protocol: http/protobuf}", "Http localhost 4318 "),
        ] {
            assert_eq!(address(section), expected, "{section}");
        }
    }

    #[test]
    fn the_environment_completes_and_the_file_wins() {
        let environment = || Environment {
            endpoint: Some("http://env:1".to_owned()),
            headers: Some("authorization=Bearer%20x, a=1".to_owned()),
            timeout: Some("2500".to_owned()),
            resource_attributes: Some(
                "deployment.environment=prod,service.name=no,service.version=no,service.namespace=shop"
                    .to_owned(),
            ),
        };
        let found = tracing("{enabled: true}", environment());
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(found.collector.authority, "env:1");
        assert_eq!(found.headers, [pair("a", "1"), pair("authorization", "Bearer x")]);
        assert_eq!(found.timeout, Some(Millis(2_500)));
        assert_eq!(
            found.resource,
            [
                pair("deployment.environment", "prod"),
                pair("service.name", "waf"),
                pair("service.namespace", "shop"),
                pair("service.version", env!("CARGO_PKG_VERSION")),
            ]
        );
        let found = tracing(
            "{enabled: true, endpoint: 'c:2', headers: {b: 2}, timeout: 1s, service: {name: n, namespace: m, version: v}}",
            environment(),
        );
        assert_eq!(found.collector.authority, "c:2");
        assert_eq!(found.headers, [pair("b", "2")]);
        assert_eq!(found.timeout, Some(Millis(1_000)));
        let service =
            |name: &str| found.resource.iter().find(|(other, _)| other == name).map(|(_, v)| v.as_str());
        assert_eq!((service("service.name"), service("service.version")), (Some("n"), Some("v")));
        assert_eq!(
            (service("service.namespace"), service("deployment.environment")),
            (Some("m"), Some("prod"))
        );
    }

    #[test]
    fn what_cannot_be_used_is_an_error_that_names_its_place() {
        let environment = Environment {
            headers: Some("no pair".to_owned()),
            timeout: Some("soon".to_owned()),
            resource_attributes: Some("a=%zz".to_owned()),
            ..Environment::default()
        };
        let errors = compiled("{enabled: true, endpoint: 'ftp://c'}", environment.clone()).unwrap_err();
        for place in ["tracing.endpoint", HEADERS, TIMEOUT, RESOURCE] {
            assert!(errors.iter().any(|error| error.contains(place)), "{place}: {errors:?}");
        }
        assert!(compiled("{enabled: false, endpoint: 'ftp://c'}", environment).is_ok());
        assert!(compiled("{enabled: true}", Environment::default()).unwrap().warnings.len() == 1);
    }
}
