//! Events as OCSF 1.2.0 HTTP Activity (class 4002) with the `security_control` profile. Shapes only: what they say
//! comes from [`super::facts`].

use std::net::IpAddr;
use std::time::UNIX_EPOCH;

use serde::Serialize;

use super::facts::Facts;
use super::product::{self, Waf};
use super::{Disposition, Event, Protection};

/// Version of the technique matrix that `attacks[]` refers to.
const ATTACK_VERSION: &str = "14.1";

pub(super) fn document<'a>(event: &'a Event<'a>, facts: &'a Facts<'a>, uid: &'a str) -> HttpActivity<'a> {
    let (activity_id, activity_name) = activity(&facts.method);
    let (disposition_id, disposition, action_id, action, status_id, status) = match event.disposition {
        Disposition::Blocked => (2, "Blocked", 2, "Denied", 2, "Failure"),
        Disposition::Detected => (15, "Detected", 1, "Allowed", 1, "Success"),
        Disposition::Logged => (17, "Logged", 1, "Allowed", 1, "Success"),
    };
    HttpActivity {
        class_uid: 4002,
        class_name: "HTTP Activity",
        category_uid: 4,
        category_name: "Network Activity",
        activity_id,
        activity_name: activity_name.unwrap_or(&facts.method),
        type_uid: 400_200 + u32::from(activity_id),
        type_name: TypeName(activity_name.unwrap_or("Other")),
        time: event.time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64),
        timezone_offset: 0,
        severity_id: facts.severity.id(),
        severity: facts.severity.caption(),
        action_id,
        action,
        disposition_id,
        disposition,
        status_id,
        status,
        status_code: event.status.to_string(),
        status_detail: facts.detail.as_deref(),
        message: &facts.message,
        duration: event.duration.map(|duration| i32::try_from(duration.as_millis()).unwrap_or(i32::MAX)),
        metadata: metadata(event, facts, uid),
        src_endpoint: Endpoint {
            hostname: None,
            ip: facts.client,
            port: event.client.port(),
            svc_name: None,
        },
        dst_endpoint: Endpoint {
            hostname: facts.url.hostname,
            ip: facts.listener,
            port: event.listener.port(),
            svc_name: event.route_id,
        },
        http_request: http_request(event, facts),
        tls: event.tls.map(|tls| Tls { version: tls.version, cipher: tls.cipher, sni: tls.server_name }),
        http_response: HttpResponse { code: event.status, status: reason_phrase(event.status) },
        firewall_rule: firewall_rule(facts),
        attacks: if facts.is_attack { &[EXPLOIT_PUBLIC_FACING_APPLICATION] } else { &[] },
        observables: observables(facts),
        unmapped: product::trace(event).map(|(trace_id, span_id)| Unmapped { trace_id, span_id }),
        waf: Waf::of(event, facts),
    }
}

/// The activity of a method, and its caption; 99 is the method itself. PATCH has an activity only from OCSF 1.6.0 on.
fn activity(method: &str) -> (u8, Option<&'static str>) {
    match method {
        "CONNECT" => (1, Some("Connect")),
        "DELETE" => (2, Some("Delete")),
        "GET" => (3, Some("Get")),
        "HEAD" => (4, Some("Head")),
        "OPTIONS" => (5, Some("Options")),
        "POST" => (6, Some("Post")),
        "PUT" => (7, Some("Put")),
        "TRACE" => (8, Some("Trace")),
        _ => (99, None),
    }
}

fn metadata<'a>(event: &'a Event<'a>, facts: &'a Facts<'a>, uid: &'a str) -> Metadata<'a> {
    Metadata {
        version: "1.2.0",
        profiles: ["security_control"],
        uid,
        log_name: product::DATASET,
        event_code: facts.protections.first().copied(),
        correlation_uid: product::trace(event).map(|(trace_id, _)| trace_id),
        labels: &facts.protections,
        product: Product {
            name: product::NAME,
            vendor_name: product::NAME,
            version: product::VERSION,
            feature: event.route_id.map(|name| Feature { name }),
        },
    }
}

fn http_request<'a>(event: &'a Event<'a>, facts: &'a Facts<'a>) -> HttpRequest<'a> {
    HttpRequest {
        uid: event.request_id,
        http_method: &facts.method,
        version: event.version,
        user_agent: facts.user_agent.as_deref(),
        referrer: facts.referer.as_deref(),
        http_headers: facts.odd_host.as_deref().map(|value| [HttpHeader { name: "Host", value }]),
        url: Url {
            scheme: event.scheme,
            hostname: facts.url.hostname,
            port: facts.url.port,
            path: &facts.url.path,
            query_string: facts.url.query.as_deref(),
            url_string: facts.url.full.as_deref(),
        },
    }
}

fn firewall_rule<'a>(facts: &'a Facts<'a>) -> Option<FirewallRule<'a>> {
    let deciding = facts.deciding.as_ref()?;
    Some(FirewallRule {
        uid: deciding.rule,
        name: deciding.protection.name(),
        r#type: product::RULESET,
        condition: deciding.protection.bucket(),
        match_location: (!deciding.location.is_empty()).then_some(deciding.location.as_str()),
        rate_limit: match deciding.protection {
            Protection::RateLimit { requests } => Some(i32::try_from(requests).unwrap_or(i32::MAX)),
            Protection::Leaf(_) => None,
        },
        desc: (!deciding.reason.is_empty()).then_some(deciding.reason.as_ref()),
    })
}

fn observables<'a>(facts: &'a Facts<'a>) -> Vec<Observable<'a>> {
    let hostname = facts.url.hostname.map(|name| Observable {
        name: "http_request.url.hostname",
        r#type: "Hostname",
        type_id: 1,
        value: Value::Text(name),
    });
    let client = Observable {
        name: "src_endpoint.ip",
        r#type: "IP Address",
        type_id: 2,
        value: Value::Address(facts.client),
    };
    let weakness = |cwe: &'a String| Observable {
        name: "waf.cwe",
        r#type: "CWE: uid",
        type_id: 17,
        value: Value::Text(cwe),
    };
    std::iter::once(client).chain(hostname).chain(facts.cwe.iter().map(weakness)).collect()
}

/// Reason phrases of the statuses that this service or an upstream commonly sends (RFC 9110, 15).
fn reason_phrase(status: u16) -> Option<&'static str> {
    Some(match status {
        101 => "Switching Protocols",
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        204 => "No Content",
        206 => "Partial Content",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        410 => "Gone",
        413 => "Content Too Large",
        414 => "URI Too Long",
        415 => "Unsupported Media Type",
        421 => "Misdirected Request",
        422 => "Unprocessable Content",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        505 => "HTTP Version Not Supported",
        _ => return None,
    })
}

const EXPLOIT_PUBLIC_FACING_APPLICATION: Attack = Attack {
    technique: Named { uid: "T1190", name: "Exploit Public-Facing Application" },
    tactics: [Named { uid: "TA0001", name: "Initial Access" }],
    version: ATTACK_VERSION,
};

#[derive(Serialize)]
pub(super) struct HttpActivity<'a> {
    class_uid: u16,
    class_name: &'static str,
    category_uid: u8,
    category_name: &'static str,
    activity_id: u8,
    activity_name: &'a str,
    type_uid: u32,
    type_name: TypeName<'a>,
    time: u64,
    timezone_offset: i16,
    severity_id: u8,
    severity: &'static str,
    action_id: u8,
    action: &'static str,
    disposition_id: u8,
    disposition: &'static str,
    status_id: u8,
    status: &'static str,
    status_code: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    status_detail: Option<&'a str>,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<i32>,
    metadata: Metadata<'a>,
    src_endpoint: Endpoint<'a>,
    dst_endpoint: Endpoint<'a>,
    http_request: HttpRequest<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tls: Option<Tls<'a>>,
    http_response: HttpResponse,
    #[serde(skip_serializing_if = "Option::is_none")]
    firewall_rule: Option<FirewallRule<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    attacks: &'a [Attack],
    observables: Vec<Observable<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unmapped: Option<Unmapped>,
    waf: Waf<'a>,
}

struct TypeName<'a>(&'a str);

impl Serialize for TypeName<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("HTTP Activity: {}", self.0))
    }
}

#[derive(Serialize)]
struct Metadata<'a> {
    version: &'static str,
    profiles: [&'static str; 1],
    uid: &'a str,
    log_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    event_code: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    correlation_uid: Option<String>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    labels: &'a [&'static str],
    product: Product<'a>,
}

#[derive(Serialize)]
struct Product<'a> {
    name: &'static str,
    vendor_name: &'static str,
    version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    feature: Option<Feature<'a>>,
}

#[derive(Serialize)]
struct Feature<'a> {
    name: &'a str,
}

#[derive(Serialize)]
struct Endpoint<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    hostname: Option<&'a str>,
    ip: IpAddr,
    port: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    svc_name: Option<&'a str>,
}

#[derive(Serialize)]
struct HttpRequest<'a> {
    uid: &'a str,
    http_method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_agent: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    referrer: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    http_headers: Option<[HttpHeader<'a>; 1]>,
    url: Url<'a>,
}

#[derive(Serialize)]
struct Tls<'a> {
    version: &'static str,
    cipher: &'static str,
    sni: &'a str,
}

#[derive(Serialize)]
struct HttpHeader<'a> {
    name: &'static str,
    value: &'a str,
}

#[derive(Serialize)]
#[allow(clippy::struct_field_names, reason = "the schema's own names")]
struct Url<'a> {
    scheme: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hostname: Option<&'a str>,
    port: u16,
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    query_string: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url_string: Option<&'a str>,
}

#[derive(Serialize)]
struct HttpResponse {
    code: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
}

#[derive(Serialize)]
struct FirewallRule<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    uid: Option<&'a str>,
    name: &'static str,
    r#type: &'static str,
    condition: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    match_location: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_limit: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    desc: Option<&'a str>,
}

#[derive(Serialize)]
struct Attack {
    technique: Named,
    tactics: [Named; 1],
    version: &'static str,
}

#[derive(Serialize)]
struct Named {
    uid: &'static str,
    name: &'static str,
}

#[derive(Serialize)]
struct Observable<'a> {
    name: &'static str,
    r#type: &'static str,
    type_id: u8,
    value: Value<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Value<'a> {
    Text(&'a str),
    Address(IpAddr),
}

#[derive(Serialize)]
struct Unmapped {
    trace_id: String,
    span_id: String,
}
