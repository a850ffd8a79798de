//! The configuration as it is written, one struct a mapping and one row a field. The rows are the schema: types, kinds,
//! bounds, defaults, limits and a sentence each. It must not know inheritance.
//!
//! To add a setting of `accept`, `inspection`, `multipart` or `global.protocol`:
//!
//! 1. add its row to the table here or in `raw/settings.rs`;
//! 2. add the field of the same name to the struct in `shared/src/plan`, and raise `FORMAT_VERSION`;
//! 3. read it where it is enforced.
//!
//! The row is read, resolved (route, else `global`, else the default), and shown by `effective`, the reference, the
//! page of limits, the JSON Schema and the report of changes; `compiler/tests/settings.rs` checks each of them for
//! every row. A row without the plan's field, or the reverse, does not compile.

mod exception;
mod kinds;
mod route;
pub(crate) mod section;
mod settings;

pub(crate) use exception::{EXCEPTIONS, Exception, PRESETS, Preset};
pub(crate) use kinds::{MODES, PROTECTIONS};
pub(crate) use route::{Cors, ErrorResponse, OpenApi, Rewrite, Route};
pub(crate) use settings::{
    Accept, Inspection, Multipart, RateLimit, RateLimitBackend, ResponseHeaders, SourceType,
};

use waf_shared::catalog::Leaf;
use waf_shared::plan::{AuditFormat, Mode, OtlpProtocol};

use crate::field::{Bound, Field, FieldKind, Limit, SECOND};
use crate::names::{
    Credential, Directory, HeaderName, Hostname, OneOf, PlainText, PresetName, Protection, Version, Word,
};
use crate::read::{At, Choice, Map, OneOrMany};
use section::{section, settings};

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

/// Everything that a file may contain.
pub fn document() -> &'static [Field] {
    Document::FIELDS
}

section! {
    /// The document.
    Document {
        version: Choice<Version>, FieldKind::Choice(&["v1alpha1"]), required, "", "must equal `v1alpha1`",
            "Version of the configuration's schema.";
        host: OneOrMany<Hostname>, FieldKind::OneOrMany(&FieldKind::Text(Hostname::SYNTAX), "hostname"), optional, "",
            "each a valid hostname; a list must be non-empty with no duplicates; mutually exclusive with `port` and with any route's `match.hosts`",
            "Mode 1: the names that are served over HTTPS with automatic certificates.";
        port: u64, FieldKind::Int(Bound::new(1, "1-65535", 65_535, "1-65535")), optional, "8080",
            "mutually exclusive with `host` and with any route's `match.hosts`; the default applies only without both",
            "Mode 3: the port that serves plain HTTP behind a load balancer.";
        data_dir: Directory, FieldKind::Text(Directory::SYNTAX), optional, "/data/waf", "must be writable; without TLS and without the field a default that cannot be made is a warning",
            "Directory for certificates, ACME state and bodies that do not fit into memory; a persistent volume in containers.";
        metrics_port: u64, FieldKind::Int(PORT_OR_NONE), optional, "0",
            "0 disables the listener; otherwise different from `port` and `health_port` (and from 443 and 80 with automatic TLS)",
            "Port of the listener that answers `/metrics`.";
        health_port: u64, FieldKind::Int(PORT_OR_NONE), optional, "0",
            "0 disables the listener; otherwise different from `port` and `metrics_port` (and from 443 and 80 with automatic TLS)",
            "Port of the listener that answers `/healthz` and `/readyz`.";
        audit_log: AuditLog, FieldKind::Section(AuditLog::FIELDS), optional, "", "",
            "How audit events are written.";
        tracing: Tracing, FieldKind::Section(Tracing::FIELDS), optional, "", "",
            "Export of traces; off when absent.";
        global: Global, FieldKind::Section(Global::FIELDS), optional, "", "",
            "What holds on every route that does not say otherwise.";
        routes: Vec<At<Route>>, FieldKind::AtLeastOne(&FieldKind::Section(Route::FIELDS), "route"), required, "", "at least one route",
            "The routes, in the order in which ties are decided.";
    }
}

section! {
    /// `audit_log`.
    AuditLog {
        format: Choice<AuditFormat>, FieldKind::Choice(&["ocsf", "ecs"]), optional, "ocsf", "changes only by a reload",
            "Schema of audit events: OCSF 1.2.0 HTTP Activity, or ECS 8.";
    }
}

section! {
    /// `tracing`.
    Tracing {
        enabled: bool, FieldKind::Bool, optional, "false", "", "Whether traces are exported.";
        protocol: Choice<OtlpProtocol>, FieldKind::Choice(&["grpc", "http", "http/protobuf"]), optional, "grpc",
            "`http` equals `http/protobuf`", "Transport of the export.";
        endpoint: PlainText, FieldKind::Text(PlainText::SYNTAX), optional, "",
            "empty defers to the environment variable `OTEL_EXPORTER_OTLP_ENDPOINT`", "Address of the collector, with or without a scheme.";
        insecure: bool, FieldKind::Bool, optional, "true", "",
            "Whether the collector may be reached without TLS; TLS is always used for `https://`.";
        headers: Map<HeaderName, Credential>, FieldKind::Map(HeaderName::SYNTAX, Credential::SYNTAX), optional, "",
            "empty defers to `OTEL_EXPORTER_OTLP_HEADERS`",
            "Headers of every export request, such as an authorization.";
        timeout: u64, FieldKind::Duration(Bound::least(100, ">= 100ms")), optional, "",
            "empty defers to `OTEL_EXPORTER_OTLP_TIMEOUT` (milliseconds), else 10 s", "Time after which an export request is given up.",
            limit Limit::with(&[], "–");
        service: Service, FieldKind::Section(Service::FIELDS), optional, "", "",
            "How this service names itself in traces.";
    }
}

section! {
    /// `tracing.service`.
    Service {
        name: PlainText, FieldKind::Text(PlainText::SYNTAX), optional, "waf", "",
            "Resource attribute `service.name`.";
        namespace: PlainText, FieldKind::Text(PlainText::SYNTAX), optional, "",
            "empty defers to `OTEL_RESOURCE_ATTRIBUTES`, which may name other attributes too", "Resource attribute `service.namespace`.";
        version: PlainText, FieldKind::Text(PlainText::SYNTAX), optional, "", "defaults to the version of the build",
            "Resource attribute `service.version`.";
    }
}

section! {
    /// `global`.
    Global {
        mode: Choice<Mode>, MODES, optional, "blocking", "",
            "Whether violating requests are refused or only logged.";
        disable: Vec<At<Protection>>, PROTECTIONS, optional, "[]", "each a registered protection name",
            "Protections that are off, at any level of the catalog.";
        enable: Vec<At<Protection>>, PROTECTIONS, optional, "[]",
            "each a registered protection name; the more specific name wins over `disable`", "Protections that are on, opt-in ones among them.";
        exceptions: Vec<At<Exception>>, EXCEPTIONS, optional, "[]", "at most 256 for a route, with those of `global`",
            "Findings that are taken away in some places, on every route.";
        r#use: Vec<At<PresetName>>, PRESETS, optional, "[]", "each the name of a preset",
            "Shipped exceptions of applications, on every route.";
        accept: Accept, FieldKind::Section(Accept::FIELDS), optional, "", "", "What a request may look like.";
        inspection: Inspection, FieldKind::Section(Inspection::FIELDS), optional, "", "", "Bounds of inspection.";
        multipart: Multipart, FieldKind::Section(Multipart::FIELDS), optional, "",
            "active only where `accept.content_types` is empty or includes `multipart/form-data`", "Bounds of multipart bodies.";
        protocol: Protocol, FieldKind::Section(Protocol::FIELDS), optional, "", "",
            "Bounds of connections; the same for every route.";
        response_headers: ResponseHeaders, FieldKind::Section(ResponseHeaders::FIELDS), optional, "", "",
            "What is done to the headers of responses.";
        openapi: GlobalOpenApi, FieldKind::Section(GlobalOpenApi::FIELDS), optional, "", "",
            "What holds for every contract.";
        rate_limit: RateLimit, FieldKind::Section(RateLimit::FIELDS), optional, "", "",
            "Quota of every route that has none of its own; counted for each route by itself.";
        error_response: ErrorResponse, FieldKind::Section(ErrorResponse::FIELDS), optional, "", "",
            "The answer to a refused client, also where no route was chosen.";
    }
}

section! {
    /// `global.openapi`.
    GlobalOpenApi {
        shadow_api_logging: bool, FieldKind::Bool, optional, "true", "",
            "Whether undeclared paths are logged even where `openapi-path-not-in-spec` is off.";
    }
}

settings! {
    /// `global.protocol`.
    Protocol of Protocol at "protocol" {
        slow_request_header_timeout: u64, FieldKind::Duration(Bound::least(SECOND, ">= 1s")), optional, "10s", "",
            "Time from the first byte of a request's head to its last.",
            limit Limit::of(&[Leaf::RequestValidationSlowClients]);
        slow_request_min_rate_bps: u64, FieldKind::Int(Bound::least(0, ">= 0")), optional, "1024", "",
            "Bytes of a body that a client has to send each second, over 5 seconds, after a grace of 5 seconds; 0 is off.",
            limit Limit::of(&[Leaf::RequestValidationSlowClients]);
        http2_max_concurrent_streams: u64, FieldKind::Int(Bound::least(1, ">= 1")), optional, "100", "",
            "Streams that an HTTP/2 client may have open.",
            limit Limit::with(&[Leaf::Http2MaxStreams], "a refused stream, or the end of the connection");
        http2_max_continuation_frames: u64, FieldKind::Int(Bound::least(1, ">= 1")), optional, "32", "",
            "CONTINUATION frames of one header block.",
            limit Limit::with(&[Leaf::Http2FrameFlood], "the end of the connection");
        http2_max_decoded_header_bytes: u64, FieldKind::Int(Bound::least(4096, ">= 4096")), optional, "65536", "",
            "Bytes of one HTTP/2 header block after decoding.",
            limit Limit::with(&[Leaf::Http2HeaderBomb], "the end of the connection");
    }
}
