//! One route as it is written.

use waf_shared::plan::Mode;

use super::exception::{EXCEPTIONS, Exception, PRESETS};
use super::kinds::{MODES, PROTECTIONS};
use super::section::section;
use super::settings::{Accept, Inspection, Multipart, RateLimit, ResponseHeaders};
use crate::field::{Bound, FieldKind, Limit, SECOND};
use crate::names::{
    HeaderName, HostnameOrWildcard, Method, OpenApiLeaf, Origin, PathPrefix, PlainText, PresetName,
    Protection, RouteName, Template, UpstreamUrl, Word,
};
use crate::pattern::PathText;
use crate::read::{At, Choice};

section! {
    /// An entry of `routes`.
    Route {
        id: RouteName, FieldKind::Text(RouteName::SYNTAX), optional, "",
            "pattern `^[a-z0-9][a-z0-9-]*$`; unique; generated from the first path, else the first host, when absent",
            "Name of the route in logs, events and metrics.";
        r#match: Match, FieldKind::Section(Match::FIELDS), optional, "",
            "at least one of `hosts` or `paths`; every request when absent",
            "Which requests the route serves.";
        upstream: UpstreamUrl, FieldKind::Text(UpstreamUrl::SYNTAX), required, "", "valid `http://` or `https://` URL",
            "Where the route forwards.";
        upstream_timeout: u64, FieldKind::Duration(Bound::new(SECOND, ">= 1s", 600 * SECOND, "<= 600s")), optional, "30s", "",
            "Time to the head of the response, and between bytes of its body.",
            limit Limit::with(&[], "504");
        rewrite: Rewrite, FieldKind::Section(Rewrite::FIELDS), optional, "", "",
            "How the path is changed before forwarding; the query is kept.";
        mode: Choice<Mode>, MODES, optional, "", "inherits `global.mode`",
            "Whether violating requests are refused or only logged.";
        disable: Vec<At<Protection>>, PROTECTIONS, optional, "[]",
            "each a registered protection name; united with `global.disable`",
            "Protections that are off on this route.";
        enable: Vec<At<Protection>>, PROTECTIONS, optional, "[]",
            "each a registered protection name; united with `global.enable`",
            "Protections that are on on this route.";
        exceptions: Vec<At<Exception>>, EXCEPTIONS, optional, "[]", "added to `global.exceptions`",
            "Findings that are taken away in some places.";
        r#use: Vec<At<PresetName>>, PRESETS, optional, "[]", "each the name of a preset; added to `global.use`",
            "Shipped exceptions of applications.";
        accept: Accept, FieldKind::Section(Accept::FIELDS), optional, "", "each field inherits from `global.accept`",
            "What a request may look like.";
        inspection: Inspection, FieldKind::Section(Inspection::FIELDS), optional, "",
            "each field inherits from `global.inspection`",
            "Bounds of inspection.";
        multipart: Multipart, FieldKind::Section(Multipart::FIELDS), optional, "",
            "each field inherits from `global.multipart`; active only where `accept.content_types` is empty or includes `multipart/form-data`",
            "Bounds of multipart bodies.";
        response_headers: ResponseHeaders, FieldKind::Section(ResponseHeaders::FIELDS), optional, "", "",
            "What is done to the headers of responses.";
        openapi: OpenApi, FieldKind::Section(OpenApi::FIELDS), optional, "", "",
            "The contract that requests are held to; none when absent.";
        cors: Cors, FieldKind::Section(Cors::FIELDS), optional, "", "", "Cross-origin sharing; none when absent.";
        error_response: ErrorResponse, FieldKind::Section(ErrorResponse::FIELDS), optional, "", "a `body` replaces the global one",
            "The answer to a refused client.";
        rate_limit: RateLimit, FieldKind::Section(RateLimit::FIELDS), optional, "", "replaces `global.rate_limit` as a whole",
            "Quota of this route.";
    }
}

section! {
    /// `match`. An empty one is at fault like one that sets neither field.
    Match reads empty {
        hosts: Vec<At<HostnameOrWildcard>>, FieldKind::List(&FieldKind::Text(HostnameOrWildcard::SYNTAX)), optional,
            "[]",
            "each a valid hostname or a wildcard of the form `*.<domain>`; mutually exclusive with `host` and `port`; on every route or on none",
            "Mode 2: hosts that the route serves, over HTTPS with automatic certificates; an empty list is any host.";
        paths: Vec<At<PathText>>, FieldKind::List(&FieldKind::Text(PathText::SYNTAX)), optional, "[]",
            "each starts with `/`; `*` is one segment, `**` any number, a trailing `/*` everything below", "Paths that the route serves; an empty list is any path.";
    }
}

section! {
    /// `rewrite`.
    Rewrite {
        strip_prefix: PathPrefix, FieldKind::Text(PathPrefix::SYNTAX), optional, "", "must start with `/`",
            "Removed from the front of the path.";
        add_prefix: PathPrefix, FieldKind::Text(PathPrefix::SYNTAX), optional, "", "must start with `/`",
            "Put in front of the path, after stripping.";
        path: PathPrefix, FieldKind::Text(PathPrefix::SYNTAX), optional, "",
            "must start with `/`; when set, `strip_prefix` and `add_prefix` are ignored", "Replaces the whole path.";
    }
}

section! {
    /// `openapi` of a route.
    OpenApi {
        spec: PlainText, FieldKind::Text(PlainText::SYNTAX), required, "",
            "relative to this file or absolute; must exist and parse as OpenAPI 3.x",
            "File of the contract.";
        strict: bool, FieldKind::Bool, optional, "true", "false behaves as `detect_only` whatever the route's mode",
            "Whether requests that break the contract are refused.";
        disable: Vec<At<OpenApiLeaf>>, FieldKind::List(&FieldKind::Text(OpenApiLeaf::SYNTAX)), optional, "[]",
            "each an `openapi-*` leaf name",
            "Checks of the contract that are skipped.";
    }
}

section! {
    /// `cors`.
    Cors {
        allow_origins: Vec<At<Origin>>, FieldKind::List(&FieldKind::Text(Origin::SYNTAX)), required, "",
            "origins or `*`",
            "Origins whose scripts may read answers.";
        allow_methods: Vec<At<Method>>, FieldKind::List(&FieldKind::Text(Method::SYNTAX)), optional, "[GET]",
            "each a valid HTTP method",
            "Methods that foreign scripts may use.";
        allow_headers: Vec<At<HeaderName>>, FieldKind::List(&FieldKind::Text(HeaderName::SYNTAX)), optional, "[]",
            "each a valid HTTP header name", "Request headers that foreign scripts may set.";
        expose_headers: Vec<At<HeaderName>>, FieldKind::List(&FieldKind::Text(HeaderName::SYNTAX)), optional, "[]",
            "each a valid HTTP header name", "Response headers that foreign scripts may read.";
        allow_credentials: bool, FieldKind::Bool, optional, "false", "if true, `allow_origins` must not contain `*`",
            "Whether cookies and other credentials are sent along.";
        max_age: u64, FieldKind::Int(Bound::new(0, ">= 0", 86_400, "<= 86400")), optional, "600", "",
            "Seconds for which a browser may keep the answer to a preflight.",
            limit Limit::with(&[], "–");
    }
}

section! {
    /// `error_response`.
    ErrorResponse {
        body: Template, FieldKind::Text(Template::SYNTAX), optional, "",
            "only the template fields `{{.RequestID}}` and `{{.Timestamp}}` are available", "Body of refusals, in place of the built-in page and JSON; sent as JSON, HTML, XML or plain text, whichever it is.";
    }
}
