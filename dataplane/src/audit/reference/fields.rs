//! Which field of which format holds which fact: the one list of the fields that events have.

/// A fact, and the fields that hold it in each format. `[]` stands for each item of a list, `@` for the `waf` object
/// that both have.
pub(super) struct Row {
    pub(super) fact: &'static str,
    pub(super) ocsf: &'static [&'static str],
    pub(super) ecs: &'static [&'static str],
}

const fn row(fact: &'static str, ocsf: &'static [&'static str], ecs: &'static [&'static str]) -> Row {
    Row { fact, ocsf, ecs }
}

pub(super) const ROWS: &[Row] = &[
    row(
        "the schema and the class",
        &[
            "metadata.version",
            "metadata.profiles[]",
            "class_uid",
            "class_name",
            "category_uid",
            "category_name",
            "type_uid",
            "type_name",
        ],
        &["ecs.version", "event.kind", "event.category[]", "event.type[]"],
    ),
    row("id of the event, a UUIDv7", &["metadata.uid"], &["event.id"]),
    row(
        "when the request began: epoch milliseconds, RFC 3339; always UTC",
        &["time", "timezone_offset"],
        &["@timestamp"],
    ),
    row(
        "from the request's first byte to the event: milliseconds, nanoseconds",
        &["duration"],
        &["event.duration"],
    ),
    row(
        "who writes",
        &[
            "metadata.product.name",
            "metadata.product.vendor_name",
            "metadata.product.version",
            "metadata.log_name",
        ],
        &[
            "observer.vendor",
            "observer.product",
            "observer.version",
            "observer.type",
            "event.dataset",
            "event.module",
        ],
    ),
    row(
        "what was done",
        &["action_id", "action", "disposition_id", "disposition", "status_id", "status"],
        &["event.action", "event.outcome"],
    ),
    row("how bad it is", &["severity_id", "severity"], &["event.severity"]),
    row("one sentence for people", &["message"], &["message"]),
    row(
        "why, in the words of what decided, or what became of the answer or the upstream",
        &["status_detail"],
        &["event.reason"],
    ),
    row(
        "the request id: also in the answer's body, in `X-Request-Id` and in the span",
        &["http_request.uid"],
        &["http.request.id"],
    ),
    row(
        "the client: the TCP peer, or whom a trusted proxy names. IPv4 is written as IPv4, also on dual-stack sockets",
        &["src_endpoint.ip", "src_endpoint.port"],
        &[
            "client.address",
            "client.ip",
            "client.port",
            "source.address",
            "source.ip",
            "source.port",
            "related.ip[]",
        ],
    ),
    row(
        "the listener",
        &["dst_endpoint.ip", "dst_endpoint.port"],
        &["destination.address", "destination.ip", "destination.port"],
    ),
    row(
        "the host that was asked for, where Host is a valid name",
        &["dst_endpoint.hostname", "http_request.url.hostname"],
        &["destination.domain", "related.hosts[]"],
    ),
    row(
        "Host as it was sent, where it is no valid name",
        &["http_request.http_headers[].name", "http_request.http_headers[].value"],
        &[],
    ),
    row("the host of Host, as it was sent, with the brackets of an IPv6 address", &[], &["url.domain"]),
    row("the route", &["dst_endpoint.svc_name", "metadata.product.feature.name"], &["labels.route_id"]),
    row("its mode", &[], &["labels.mode"]),
    row(
        "the method. In OCSF, PATCH and methods without an activity are 99 with the method as `activity_name`",
        &["http_request.http_method", "activity_id", "activity_name"],
        &["http.request.method"],
    ),
    row("the protocol's version", &["http_request.version"], &["http.version"]),
    row(
        "the client's URL, before any rewrite, with Host as it was sent. The port is the one that Host names, or that of the \
         scheme; absent where Host names none that is valid",
        &[
            "http_request.url.scheme",
            "http_request.url.port",
            "http_request.url.path",
            "http_request.url.query_string",
            "http_request.url.url_string",
        ],
        &["url.scheme", "url.port", "url.path", "url.query", "url.full"],
    ),
    row(
        "what a client that speaks TLS to this service agreed on; absent in mode 3",
        &["tls.version", "tls.cipher", "tls.sni"],
        &["tls.version", "tls.version_protocol", "tls.cipher", "tls.client.server_name"],
    ),
    row("User-Agent", &["http_request.user_agent"], &["user_agent.original"]),
    row("Referer", &["http_request.referrer"], &["http.request.referrer"]),
    row(
        "the status that the client got; 499 when it went away first",
        &["http_response.code", "http_response.status", "status_code"],
        &["http.response.status_code"],
    ),
    row("the rule that decided; absent for checks that are no rules", &["firewall_rule.uid"], &["rule.id"]),
    row(
        "its protection and bucket",
        &["firewall_rule.name", "firewall_rule.condition"],
        &["rule.name", "rule.category"],
    ),
    row("whose rule it is: always this product's own", &["firewall_rule.type"], &["rule.ruleset"]),
    row("what it says", &["firewall_rule.desc"], &["rule.description"]),
    row("where it matched, such as `ARGS:q`", &["firewall_rule.match_location"], &[]),
    row("the quota, for rate limits", &["firewall_rule.rate_limit"], &[]),
    row(
        "ATT&CK T1190 under TA0001, for attacks only: not for limits, shapes, contracts or headers",
        &[
            "attacks[].technique.uid",
            "attacks[].technique.name",
            "attacks[].tactics[].uid",
            "attacks[].tactics[].name",
            "attacks[].version",
        ],
        &[
            "threat.framework",
            "threat.technique.id[]",
            "threat.technique.name[]",
            "threat.tactic.id[]",
            "threat.tactic.name[]",
        ],
    ),
    row(
        "client address, host name and each CWE, for correlation",
        &["observables[].name", "observables[].type", "observables[].type_id", "observables[].value"],
        &["tags[]"],
    ),
    row(
        "trace and span of the request, while tracing is on",
        &["metadata.correlation_uid", "unmapped.trace_id", "unmapped.span_id"],
        &["trace.id", "span.id"],
    ),
    row(
        "protections that matched (leaf names, or `rate-limit`), the deciding one first",
        &["@matched_protections[]", "metadata.labels[]", "metadata.event_code"],
        &["@matched_protections[]", "event.code"],
    ),
    row("rule ids `<leaf>/<name>`, the deciding one first", &["@matched_rules[]"], &["@matched_rules[]"]),
    row("weaknesses, such as `CWE-89`, each once", &["@cwe[]"], &["@cwe[]"]),
    row("the route and its mode", &["@route_id", "@mode"], &["@route_id", "@mode"]),
    row("sum of the evidence; 5 blocks", &["@anomaly_score"], &["@anomaly_score", "event.risk_score"]),
    row("SHA-256 of the plan that judged the request", &["@plan"], &["@plan"]),
    row(
        "each finding: protection and rule",
        &["@matches[].protection", "@matches[].rule"],
        &["@matches[].protection", "@matches[].rule"],
    ),
    row(
        "where: kind of place, and name of the parameter, header or cookie",
        &["@matches[].place", "@matches[].name"],
        &["@matches[].place", "@matches[].name"],
    ),
    row(
        "how the bytes were decoded, and at which byte of the result the evidence begins",
        &["@matches[].view", "@matches[].offset"],
        &["@matches[].view", "@matches[].offset"],
    ),
    row(
        "the bytes around the evidence, cut and masked, and one sentence",
        &["@matches[].excerpt", "@matches[].reason"],
        &["@matches[].excerpt", "@matches[].reason"],
    ),
    row(
        "its weight, 1 to 5; the heaviest first, those of one weight in the order in which they were found",
        &["@matches[].weight"],
        &["@matches[].weight"],
    ),
    row(
        "parts that no rule looked at: the rest of a body, file contents, a body of a type that is not read, what came \
         after the evaluation timeout, an upgraded connection",
        &["@not_inspected[]"],
        &["@not_inspected[]"],
    ),
];
