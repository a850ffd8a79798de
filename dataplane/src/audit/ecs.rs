//! Events as documents of the Elastic Common Schema 8. Shapes only: what they say comes from [`super::facts`].

use std::net::IpAddr;

use serde::Serialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::facts::Facts;
use super::product::{self, Waf};
use super::{Disposition, Event};

/// The schema's version that documents are written to.
const ECS_VERSION: &str = "8.17.0";

/// Characters of a `keyword`: what is longer is stored, and not indexed.
pub(super) const KEYWORD_CHARACTERS_MAX: usize = 1_024;

/// Characters of a query, by the schema.
pub(super) const QUERY_CHARACTERS_MAX: usize = 2_083;

pub(super) fn document<'a>(event: &'a Event<'a>, facts: &'a Facts<'a>, uid: &'a str) -> Document<'a> {
    let host = facts.url.hostname.or(facts.odd_host.as_deref()).filter(|host| !host.is_empty());
    let trace = product::trace(event);
    let (trace, span) = trace.map(|(trace, span)| (Id { id: trace }, Id { id: span })).unzip();
    Document {
        timestamp: timestamp(event),
        ecs: Ecs { version: ECS_VERSION },
        message: &facts.message,
        event: about(event, facts, uid),
        client: Peer { address: facts.client, ip: facts.client, port: event.client.port() },
        source: Peer { address: facts.client, ip: facts.client, port: event.client.port() },
        destination: Destination {
            address: facts.url.hostname.map_or(Address::Ip(facts.listener), Address::Name),
            domain: facts.url.hostname,
            ip: facts.listener,
            port: event.listener.port(),
        },
        http: Http {
            version: event.version.map(|version| version.strip_prefix("HTTP/").unwrap_or(version)),
            request: Request {
                id: event.request_id,
                method: &facts.method,
                referrer: facts.referer.as_deref().map(keyword),
            },
            response: Response { status_code: event.status },
        },
        url: Url {
            scheme: event.scheme,
            domain: host,
            port: facts.url.port,
            path: &facts.url.path,
            query: facts.url.query.as_deref().map(|query| characters(query, QUERY_CHARACTERS_MAX)),
            full: facts.url.full.as_deref(),
        },
        tls: event.tls.map(|tls| Tls {
            version: tls.version,
            version_protocol: "tls",
            cipher: tls.cipher,
            client: TlsClient { server_name: tls.server_name },
        }),
        user_agent: facts.user_agent.as_deref().map(|value| UserAgent { original: keyword(value) }),
        rule: facts.deciding.as_ref().map(|deciding| Rule {
            id: deciding.rule,
            name: deciding.protection.name(),
            category: deciding.protection.bucket(),
            ruleset: product::RULESET,
            description: (!deciding.reason.is_empty()).then_some(deciding.reason.as_ref()),
        }),
        observer: Observer {
            vendor: product::NAME,
            product: product::NAME,
            version: product::VERSION,
            r#type: "waf",
        },
        threat: facts.is_attack.then_some(INITIAL_ACCESS),
        related: Related { ip: [facts.client], hosts: facts.url.hostname.map(|name| [name]) },
        tags: &facts.cwe,
        labels: Labels { route_id: event.route_id, mode: facts.mode },
        trace,
        span,
        waf: Waf::of(event, facts),
    }
}

fn about<'a>(event: &'a Event<'a>, facts: &'a Facts<'a>, uid: &'a str) -> About<'a> {
    let (kind, action, r#type, outcome) = match event.disposition {
        Disposition::Blocked => ("alert", "blocked", ["access", "denied"], "failure"),
        Disposition::Detected => ("alert", "detected", ["access", "allowed"], "success"),
        Disposition::Logged => ("event", "logged", ["access", "info"], "success"),
    };
    About {
        id: uid,
        kind,
        category: ["web", "intrusion_detection"],
        r#type,
        action,
        outcome,
        dataset: product::DATASET,
        module: product::NAME,
        severity: facts.severity.id(),
        risk_score: event.score,
        code: facts.protections.first().copied(),
        reason: facts.detail.as_deref(),
        duration: event.duration.map(|duration| i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)),
    }
}

/// RFC 3339 in UTC with milliseconds, as precise as the other format is.
fn timestamp(event: &Event<'_>) -> String {
    let time = OffsetDateTime::from(event.time);
    let milliseconds = time.nanosecond() / 1_000_000 * 1_000_000;
    let time = time.replace_nanosecond(milliseconds).unwrap_or(time);
    // Years beyond 9999 have no such form; a clock that says so is wrong, and its events still have to be valid.
    time.format(&Rfc3339).unwrap_or_else(|_| "1970-01-01T00:00:00Z".to_owned())
}

fn keyword(value: &str) -> &str {
    characters(value, KEYWORD_CHARACTERS_MAX)
}

/// The front of `value`, at most `most` characters.
fn characters(value: &str, most: usize) -> &str {
    match value.char_indices().nth(most) {
        Some((at, _)) => value.get(..at).unwrap_or(value),
        None => value,
    }
}

const INITIAL_ACCESS: Threat = Threat {
    framework: "MITRE ATT&CK",
    technique: Named { id: ["T1190"], name: ["Exploit Public-Facing Application"] },
    tactic: Named { id: ["TA0001"], name: ["Initial Access"] },
};

#[derive(Serialize)]
pub(super) struct Document<'a> {
    #[serde(rename = "@timestamp")]
    timestamp: String,
    ecs: Ecs,
    message: &'a str,
    event: About<'a>,
    client: Peer,
    source: Peer,
    destination: Destination<'a>,
    http: Http<'a>,
    url: Url<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tls: Option<Tls<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_agent: Option<UserAgent<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<Rule<'a>>,
    observer: Observer,
    #[serde(skip_serializing_if = "Option::is_none")]
    threat: Option<Threat>,
    related: Related<'a>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    tags: &'a [String],
    labels: Labels<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Id>,
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<Id>,
    waf: Waf<'a>,
}

#[derive(Serialize)]
struct Ecs {
    version: &'static str,
}

#[derive(Serialize)]
struct About<'a> {
    id: &'a str,
    kind: &'static str,
    category: [&'static str; 2],
    r#type: [&'static str; 2],
    action: &'static str,
    outcome: &'static str,
    dataset: &'static str,
    module: &'static str,
    severity: u8,
    risk_score: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<i64>,
}

#[derive(Serialize)]
struct Peer {
    address: IpAddr,
    ip: IpAddr,
    port: u16,
}

#[derive(Serialize)]
struct Destination<'a> {
    address: Address<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    domain: Option<&'a str>,
    ip: IpAddr,
    port: u16,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Address<'a> {
    Name(&'a str),
    Ip(IpAddr),
}

#[derive(Serialize)]
struct Http<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
    request: Request<'a>,
    response: Response,
}

#[derive(Serialize)]
struct Request<'a> {
    id: &'a str,
    method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    referrer: Option<&'a str>,
}

#[derive(Serialize)]
struct Response {
    status_code: u16,
}

#[derive(Serialize)]
struct Url<'a> {
    scheme: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    domain: Option<&'a str>,
    port: u16,
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    query: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    full: Option<&'a str>,
}

#[derive(Serialize)]
struct Tls<'a> {
    version: &'static str,
    version_protocol: &'static str,
    cipher: &'static str,
    client: TlsClient<'a>,
}

#[derive(Serialize)]
struct TlsClient<'a> {
    server_name: &'a str,
}

#[derive(Serialize)]
struct UserAgent<'a> {
    original: &'a str,
}

#[derive(Serialize)]
struct Rule<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    name: &'static str,
    category: &'static str,
    ruleset: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
}

#[derive(Serialize)]
struct Observer {
    vendor: &'static str,
    product: &'static str,
    version: &'static str,
    r#type: &'static str,
}

#[derive(Serialize)]
struct Threat {
    framework: &'static str,
    technique: Named,
    tactic: Named,
}

#[derive(Serialize)]
struct Named {
    id: [&'static str; 1],
    name: [&'static str; 1],
}

#[derive(Serialize)]
struct Related<'a> {
    ip: [IpAddr; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    hosts: Option<[&'a str; 1]>,
}

#[derive(Serialize)]
struct Labels<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    route_id: Option<&'a str>,
    mode: &'static str,
}

#[derive(Serialize)]
struct Id {
    id: String,
}
