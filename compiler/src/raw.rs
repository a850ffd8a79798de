//! The configuration as it is written, one struct a mapping and one row a field. The rows are the schema: types, kinds,
//! bounds, defaults in words, enforcement and a sentence each. It must not know inheritance or plans.

mod route;
mod section;
mod settings;

pub(crate) use route::{Cors, OpenApi, Rewrite, Route};
pub(crate) use settings::{Accept, Inspection, Multipart, RateLimit, ResponseHeaders, SourceType};

use waf_shared::plan::{AuditFormat, Mode, OtlpProtocol};

use crate::field::{Bound, Enforced, Kind, SECOND};
use crate::names::{
    Credential, Directory, HeaderName, Hostname, OneOf, PlainText, Protection, Version, Word,
};
use crate::read::{At, Choice, Map, OneOrMany};
use section::section;

/// Any port, or 0 for none.
const PORT_OR_NONE: Bound = Bound::new(0, "0-65535", 65_535, "0-65535");

impl OneOf for Version {
    const WORDS: &'static [(&'static str, Version)] = &[("v1alpha1", Version::V1Alpha1)];
}

impl OneOf for Mode {
    const WORDS: &'static [(&'static str, Mode)] =
        &[("blocking", Mode::Blocking), ("detect_only", Mode::DetectOnly)];
}

impl OneOf for AuditFormat {
    const WORDS: &'static [(&'static str, AuditFormat)] =
        &[("ocsf", AuditFormat::Ocsf), ("ecs", AuditFormat::Ecs)];
}

impl OneOf for OtlpProtocol {
    const WORDS: &'static [(&'static str, OtlpProtocol)] =
        &[("grpc", OtlpProtocol::Grpc), ("http", OtlpProtocol::Http), ("http/protobuf", OtlpProtocol::Http)];
}

pub(crate) const MODES: Kind = Kind::Choice(&["blocking", "detect_only"]);
pub(crate) const PROTECTIONS: Kind = Kind::List(&Kind::Text(Protection::SYNTAX));

section! {
    /// The document.
    Document {
        version: Choice<Version>, Kind::Choice(&["v1alpha1"]), required, "", "must equal `v1alpha1`", Enforced::Yes,
            "Version of the configuration's schema.";
        host: OneOrMany<Hostname>, Kind::OneOrMany(&Kind::Text(Hostname::SYNTAX), "hostname"), optional, "",
            "each a valid hostname; a list must be non-empty with no duplicates; mutually exclusive with `port` and with any route's `match.hosts`",
            Enforced::Yes, "Mode 1: the names that are served over HTTPS with automatic certificates.";
        port: u64, Kind::Int(Bound::new(1, "1-65535", 65_535, "1-65535")), optional, "8080",
            "mutually exclusive with `host` and with any route's `match.hosts`; the default applies only without both",
            Enforced::Yes, "Mode 3: the port that serves plain HTTP behind a load balancer.";
        data_dir: Directory, Kind::Text(Directory::SYNTAX), optional, "/data/waf", "must be writable", Enforced::Yes,
            "Directory for certificates, ACME state and bodies that do not fit into memory; a persistent volume in containers.";
        metrics_port: u64, Kind::Int(PORT_OR_NONE), optional, "0",
            "0 disables the listener; otherwise different from `port` and `health_port` (and from 443 and 80 with automatic TLS)",
            Enforced::Yes, "Port of the listener that answers `/metrics`.";
        health_port: u64, Kind::Int(PORT_OR_NONE), optional, "0",
            "0 disables the listener; otherwise different from `port` and `metrics_port` (and from 443 and 80 with automatic TLS)",
            Enforced::Yes, "Port of the listener that answers `/healthz` and `/readyz`.";
        audit_log: AuditLog, Kind::Section(AuditLog::FIELDS), optional, "", "", Enforced::Yes,
            "How audit events are written.";
        tracing: Tracing, Kind::Section(Tracing::FIELDS), optional, "", "", Enforced::Yes,
            "Export of traces; off when absent.";
        global: Global, Kind::Section(Global::FIELDS), optional, "", "", Enforced::Yes,
            "What holds on every route that does not say otherwise.";
        routes: Vec<At<Route>>, Kind::AtLeastOne(&Kind::Section(Route::FIELDS), "route"), required, "", "at least one route", Enforced::Yes,
            "The routes, in the order in which ties are decided.";
    }
}

section! {
    /// `audit_log`.
    AuditLog {
        format: Choice<AuditFormat>, Kind::Choice(&["ocsf", "ecs"]), optional, "ocsf", "changes only by a reload", Enforced::Yes,
            "Schema of audit events: OCSF 1.2.0 HTTP Activity, or ECS 8.";
    }
}

section! {
    /// `tracing`.
    Tracing {
        enabled: bool, Kind::Bool, optional, "false", "", Enforced::Yes,
            "Whether traces are exported.";
        protocol: Choice<OtlpProtocol>, Kind::Choice(&["grpc", "http", "http/protobuf"]), optional, "grpc",
            "`http` equals `http/protobuf`", Enforced::Yes, "Transport of the export.";
        endpoint: PlainText, Kind::Text(PlainText::SYNTAX), optional, "",
            "empty defers to the environment variable `OTEL_EXPORTER_OTLP_ENDPOINT`", Enforced::Yes,
            "Address of the collector, with or without a scheme.";
        insecure: bool, Kind::Bool, optional, "true", "", Enforced::Yes,
            "Whether the collector may be reached without TLS; TLS is always used for `https://`.";
        headers: Map<HeaderName, Credential>, Kind::Map(HeaderName::SYNTAX, Credential::SYNTAX), optional, "",
            "empty defers to `OTEL_EXPORTER_OTLP_HEADERS`",
            Enforced::Yes, "Headers of every export request, such as an authorization.";
        timeout: u64, Kind::Duration(Bound::least(100, ">= 100ms")), optional, "",
            "empty defers to `OTEL_EXPORTER_OTLP_TIMEOUT` (milliseconds), else 10 s", Enforced::Yes,
            "Time after which an export request is given up.";
        service: Service, Kind::Section(Service::FIELDS), optional, "", "", Enforced::Yes,
            "How this service names itself in traces.";
    }
}

section! {
    /// `tracing.service`.
    Service {
        name: PlainText, Kind::Text(PlainText::SYNTAX), optional, "waf", "", Enforced::Yes, "Resource attribute `service.name`.";
        namespace: PlainText, Kind::Text(PlainText::SYNTAX), optional, "",
            "empty defers to `OTEL_RESOURCE_ATTRIBUTES`, which may name other attributes too", Enforced::Yes,
            "Resource attribute `service.namespace`.";
        version: PlainText, Kind::Text(PlainText::SYNTAX), optional, "", "defaults to the version of the build", Enforced::Yes,
            "Resource attribute `service.version`.";
    }
}

section! {
    /// `global`.
    Global {
        mode: Choice<Mode>, MODES, optional, "blocking", "", Enforced::Yes,
            "Whether violating requests are refused or only logged.";
        disable: Vec<At<Protection>>, PROTECTIONS, optional, "[]", "each a registered protection name", Enforced::Yes,
            "Protections that are off, at any level of the catalog.";
        enable: Vec<At<Protection>>, PROTECTIONS, optional, "[]",
            "each a registered protection name; the more specific name wins over `disable`", Enforced::Yes,
            "Protections that are on, opt-in ones among them.";
        accept: Accept, Kind::Section(Accept::FIELDS), optional, "", "", Enforced::Yes, "What a request may look like.";
        inspection: Inspection, Kind::Section(Inspection::FIELDS), optional, "", "", Enforced::Yes, "Bounds of inspection.";
        multipart: Multipart, Kind::Section(Multipart::FIELDS), optional, "",
            "active only where `accept.content_types` is empty or includes `multipart/form-data`", Enforced::Yes,
            "Bounds of multipart bodies.";
        protocol: Protocol, Kind::Section(Protocol::FIELDS), optional, "", "", Enforced::Yes,
            "Bounds of connections; the same for every route.";
        response_headers: ResponseHeaders, Kind::Section(ResponseHeaders::FIELDS), optional, "", "", Enforced::Yes,
            "What is done to the headers of responses.";
        openapi: GlobalOpenApi, Kind::Section(GlobalOpenApi::FIELDS), optional, "", "", Enforced::Yes,
            "What holds for every contract.";
        rate_limit: RateLimit, Kind::Section(RateLimit::FIELDS), optional, "", "", Enforced::Yes,
            "Quota of every route that has none of its own; counted for each route by itself.";
    }
}

section! {
    /// `global.openapi`.
    GlobalOpenApi {
        shadow_api_logging: bool, Kind::Bool, optional, "true", "", Enforced::Yes,
            "Whether undeclared paths are logged even where `openapi-path-not-in-spec` is off.";
    }
}

section! {
    /// `global.protocol`.
    Protocol {
        slow_request_header_timeout: u64, Kind::Duration(Bound::least(SECOND, ">= 1s")), optional, "10s", "", Enforced::Yes,
            "Time from the first byte of a request's head to its last.";
        slow_request_min_rate_bps: u64, Kind::Int(Bound::least(0, ">= 0")), optional, "1024", "", Enforced::Yes,
            "Bytes of a body that a client has to send each second, over 5 seconds, after a grace of 5 seconds; 0 is off.";
        http2_max_concurrent_streams: u64, Kind::Int(Bound::least(1, ">= 1")), optional, "100", "", Enforced::Yes,
            "Streams that an HTTP/2 client may have open.";
        http2_max_continuation_frames: u64, Kind::Int(Bound::least(1, ">= 1")), optional, "32", "", Enforced::Yes,
            "CONTINUATION frames of one header block.";
        http2_max_decoded_header_bytes: u64, Kind::Int(Bound::least(4096, ">= 4096")), optional, "65536", "", Enforced::Yes,
            "Bytes of one HTTP/2 header block after decoding.";
    }
}
