//! Events as OCSF 1.2.0 HTTP Activity (class 4002) with the `security_control` profile. Shapes only: what they say
//! comes from [`super::facts`].

use std::time::UNIX_EPOCH;

use super::event::{Disposition, Event, Protection};
use super::facts::Facts;
use super::json::Object;
use super::product;

/// Version of the technique matrix that `attacks[]` refers to.
const ATTACK_VERSION: &str = "14.1";

/// Writes the members of an event whose id is `uid`.
pub(super) fn write(event: &Event<'_>, facts: &Facts<'_>, uid: &str, document: &mut Object<'_>) {
    classification(event, facts, document);
    document.text("status_code", event.status);
    document.string("status_detail", facts.detail.as_deref());
    document.string("message", facts.message.as_str());
    if let Some(passed) = event.duration {
        document.number("duration", i32::try_from(passed.as_millis()).unwrap_or(i32::MAX));
    }
    document.object("metadata", |metadata| write_metadata(event, facts, uid, metadata));
    document.object("src_endpoint", |client| {
        client.string("ip", facts.client.as_str());
        client.number("port", event.client.port());
    });
    document.object("dst_endpoint", |listener| {
        listener.string("hostname", facts.url.hostname);
        listener.string("ip", facts.listener.as_str());
        listener.number("port", event.listener.port());
        listener.string("svc_name", event.route_id);
    });
    document.object("http_request", |request| http_request(event, facts, request));
    if let Some(agreed) = &event.tls {
        document.object("tls", |tls| {
            tls.constant("version", agreed.version);
            tls.constant("cipher", agreed.cipher);
            tls.string("sni", agreed.server_name);
        });
    }
    document.object("http_response", |response| {
        response.number("code", event.status);
        response.constant("status", reason_phrase(event.status));
    });
    firewall_rule(facts, document);
    if facts.is_attack {
        document.array("attacks", [()], |out, ()| Object::write(out, exploit_public_facing_application));
    }
    observables(facts, document);
    if let Some((trace_id, span_id)) = &facts.trace {
        document.object("unmapped", |unmapped| {
            unmapped.string("trace_id", trace_id.as_str());
            unmapped.string("span_id", span_id.as_str());
        });
    }
    document.object("waf", |waf| product::write(event, facts, waf));
}

/// Class, time, severity and action of the event.
fn classification(event: &Event<'_>, facts: &Facts<'_>, document: &mut Object<'_>) {
    let (activity_id, activity_name) = activity(&facts.method);
    let (disposition_id, disposition, action_id, action, status_id, status) = match event.disposition {
        Disposition::Blocked => (2, "Blocked", 2, "Denied", 2, "Failure"),
        Disposition::Detected => (15, "Detected", 1, "Allowed", 1, "Success"),
        Disposition::Logged => (17, "Logged", 1, "Allowed", 1, "Success"),
    };
    document.number("class_uid", 4002);
    document.constant("class_name", "HTTP Activity");
    document.number("category_uid", 4);
    document.constant("category_name", "Network Activity");
    document.number("activity_id", activity_id);
    document.string("activity_name", activity_name.unwrap_or(&facts.method));
    document.number("type_uid", 400_200 + u32::from(activity_id));
    document.text("type_name", format_args!("HTTP Activity: {}", activity_name.unwrap_or("Other")));
    document
        .number("time", event.time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64));
    document.number("timezone_offset", 0);
    document.number("severity_id", facts.severity.id());
    document.constant("severity", facts.severity.caption());
    document.number("action_id", action_id);
    document.constant("action", action);
    document.number("disposition_id", disposition_id);
    document.constant("disposition", disposition);
    document.number("status_id", status_id);
    document.constant("status", status);
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

fn write_metadata(event: &Event<'_>, facts: &Facts<'_>, uid: &str, metadata: &mut Object<'_>) {
    metadata.constant("version", "1.2.0");
    metadata.strings("profiles", ["security_control"]);
    metadata.string("uid", uid);
    metadata.constant("log_name", product::DATASET);
    metadata.constant("event_code", facts.protections.first().copied());
    if let Some((trace_id, _)) = &facts.trace {
        metadata.string("correlation_uid", trace_id.as_str());
    }
    if !facts.protections.is_empty() {
        metadata.strings("labels", &facts.protections);
    }
    metadata.object("product", |own| {
        own.constant("name", product::NAME);
        own.constant("vendor_name", product::NAME);
        own.constant("version", product::VERSION);
        if let Some(route) = event.route_id {
            own.object("feature", |feature| feature.string("name", route));
        }
    });
}

fn http_request(event: &Event<'_>, facts: &Facts<'_>, request: &mut Object<'_>) {
    request.string("uid", event.request_id);
    request.string("http_method", &*facts.method);
    request.string("version", event.version);
    request.string("user_agent", facts.user_agent.as_deref());
    request.string("referrer", facts.referer.as_deref());
    if let Some(host) = facts.odd_host.as_deref() {
        request.array("http_headers", [host], |out, host| {
            Object::write(out, |header| {
                header.constant("name", "Host");
                header.string("value", host);
            });
        });
    }
    request.object("url", |url| {
        url.constant("scheme", event.scheme);
        url.string("hostname", facts.url.hostname);
        if let Some(port) = facts.url.port {
            url.number("port", port);
        }
        url.string("path", &*facts.url.path);
        url.string("query_string", facts.url.query.as_deref());
        url.string("url_string", facts.url.full.as_deref());
    });
}

fn firewall_rule(facts: &Facts<'_>, document: &mut Object<'_>) {
    let Some(deciding) = &facts.deciding else { return };
    document.object("firewall_rule", |rule| {
        rule.constant("uid", deciding.rule);
        rule.constant("name", deciding.protection.name());
        rule.constant("type", product::RULESET);
        rule.constant("condition", deciding.protection.bucket());
        rule.string(
            "match_location",
            Some(deciding.location.as_str()).filter(|location| !location.is_empty()),
        );
        if let Protection::RateLimit { requests } = deciding.protection {
            rule.number("rate_limit", i32::try_from(requests).unwrap_or(i32::MAX));
        }
        rule.string("desc", Some(&*deciding.reason).filter(|reason| !reason.is_empty()));
    });
}

/// Values that can be searched for across events: the client, the host, the weaknesses.
fn observables(facts: &Facts<'_>, document: &mut Object<'_>) {
    let client = ("src_endpoint.ip", "IP Address", 2, facts.client.as_str());
    let hostname = facts.url.hostname.map(|name| ("http_request.url.hostname", "Hostname", 1, name));
    let weaknesses = facts.cwe.iter().map(|cwe| ("waf.cwe", "CWE: uid", 17, cwe.as_str()));
    let all = std::iter::once(client).chain(hostname).chain(weaknesses);
    document.array("observables", all, |out, (name, kind, type_id, value)| {
        Object::write(out, |observable| {
            observable.constant("name", name);
            observable.constant("type", kind);
            observable.number("type_id", type_id);
            observable.string("value", value);
        });
    });
}

/// The technique that an attack on a web application is (MITRE ATT&CK).
fn exploit_public_facing_application(attack: &mut Object<'_>) {
    attack.object("technique", |technique| {
        technique.constant("uid", "T1190");
        technique.constant("name", "Exploit Public-Facing Application");
    });
    attack.array("tactics", [()], |out, ()| {
        Object::write(out, |tactic| {
            tactic.constant("uid", "TA0001");
            tactic.constant("name", "Initial Access");
        });
    });
    attack.constant("version", ATTACK_VERSION);
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
