//! Events as documents of the Elastic Common Schema 8. Shapes only: what they say comes from [`super::facts`].

use super::event::{Disposition, Event};
use super::facts::Facts;
use super::json::Object;
use super::product;
use super::timestamp::rfc3339;

/// The schema's version that documents are written to.
const ECS_VERSION: &str = "8.17.0";

/// Characters of a `keyword`: what is longer is stored, and not indexed.
pub(super) const KEYWORD_CHARACTERS_MAX: usize = 1_024;

/// Characters of a query, by the schema.
pub(super) const QUERY_CHARACTERS_MAX: usize = 2_083;

/// Writes the members of an event whose id is `uid`.
pub(super) fn write(event: &Event<'_>, facts: &Facts<'_>, uid: &str, document: &mut Object<'_>) {
    document.string("@timestamp", rfc3339(event.time).as_str());
    document.object("ecs", |ecs| ecs.constant("version", ECS_VERSION));
    document.string("message", facts.message.as_str());
    document.object("event", |about| write_event(event, facts, uid, about));
    write_endpoints(event, facts, document);
    exchange(event, facts, document);
    if let Some(deciding) = &facts.deciding {
        document.object("rule", |rule| {
            rule.constant("id", deciding.rule);
            rule.constant("name", deciding.protection.name());
            rule.constant("category", deciding.protection.bucket());
            rule.constant("ruleset", product::RULESET);
            rule.string("description", Some(&*deciding.reason).filter(|reason| !reason.is_empty()));
        });
    }
    document.object("observer", |observer| {
        observer.constant("vendor", product::NAME);
        observer.constant("product", product::NAME);
        observer.constant("version", product::VERSION);
        observer.constant("type", "waf");
    });
    if facts.is_attack {
        document.object("threat", initial_access);
    }
    document.object("related", |related| {
        related.strings("ip", [&facts.client]);
        if let Some(name) = facts.url.hostname {
            related.strings("hosts", [name]);
        }
    });
    if !facts.cwe.is_empty() {
        document.strings("tags", &facts.cwe);
    }
    document.object("labels", |labels| {
        labels.string("route_id", event.route_id);
        labels.constant("mode", facts.mode);
    });
    if let Some((trace, span)) = &facts.trace {
        document.object("trace", |object| object.string("id", trace.as_str()));
        document.object("span", |object| object.string("id", span.as_str()));
    }
    document.object("waf", |waf| product::write(event, facts, waf));
}

/// The client and the address that it came to.
fn write_endpoints(event: &Event<'_>, facts: &Facts<'_>, document: &mut Object<'_>) {
    for peer in ["client", "source"] {
        document.object(peer, |peer| {
            peer.string("address", facts.client.as_str());
            peer.string("ip", facts.client.as_str());
            peer.number("port", event.client.port());
        });
    }
    document.object("destination", |listener| {
        listener.string("address", facts.url.hostname.unwrap_or(&facts.listener));
        listener.string("domain", facts.url.hostname);
        listener.string("ip", facts.listener.as_str());
        listener.number("port", event.listener.port());
    });
}

/// Class, severity and action of the event.
fn write_event(event: &Event<'_>, facts: &Facts<'_>, uid: &str, about: &mut Object<'_>) {
    let (kind, action, kinds, outcome) = match event.disposition {
        Disposition::Blocked => ("alert", "blocked", ["access", "denied"], "failure"),
        Disposition::Detected => ("alert", "detected", ["access", "allowed"], "success"),
        Disposition::Logged => ("event", "logged", ["access", "info"], "success"),
    };
    about.string("id", uid);
    about.constant("kind", kind);
    about.strings("category", ["web", "intrusion_detection"]);
    about.strings("type", kinds);
    about.constant("action", action);
    about.constant("outcome", outcome);
    about.constant("dataset", product::DATASET);
    about.constant("module", product::NAME);
    about.number("severity", facts.severity.id());
    about.number("risk_score", event.score);
    about.constant("code", facts.protections.first().copied());
    about.string("reason", facts.detail.as_deref());
    if let Some(passed) = event.duration {
        about.number("duration", i64::try_from(passed.as_nanos()).unwrap_or(i64::MAX));
    }
}

/// The request and its answer: `http`, `url`, `tls` and `user_agent`.
fn exchange(event: &Event<'_>, facts: &Facts<'_>, document: &mut Object<'_>) {
    document.object("http", |http| {
        http.string("version", event.version.map(|version| version.strip_prefix("HTTP/").unwrap_or(version)));
        http.object("request", |request| {
            request.string("id", event.request_id);
            request.string("method", &*facts.method);
            request.string("referrer", facts.referer.as_deref().map(keyword));
        });
        http.object("response", |response| response.number("status_code", event.status));
    });
    document.object("url", |url| {
        url.constant("scheme", event.scheme);
        url.string("domain", facts.url.domain.as_deref());
        if let Some(port) = facts.url.port {
            url.number("port", port);
        }
        url.string("path", &*facts.url.path);
        url.string("query", facts.url.query.as_deref().map(|query| characters(query, QUERY_CHARACTERS_MAX)));
        url.string("full", facts.url.full.as_deref());
    });
    if let Some(agreed) = &event.tls {
        document.object("tls", |tls| {
            tls.constant("version", agreed.version);
            tls.constant("version_protocol", "tls");
            tls.constant("cipher", agreed.cipher);
            tls.object("client", |client| client.string("server_name", agreed.server_name));
        });
    }
    if let Some(value) = facts.user_agent.as_deref() {
        document.object("user_agent", |agent| agent.string("original", keyword(value)));
    }
}

/// The technique that an attack on a web application is (MITRE ATT&CK).
fn initial_access(threat: &mut Object<'_>) {
    threat.constant("framework", "MITRE ATT&CK");
    threat.object("technique", |technique| {
        technique.strings("id", ["T1190"]);
        technique.strings("name", ["Exploit Public-Facing Application"]);
    });
    threat.object("tactic", |tactic| {
        tactic.strings("id", ["TA0001"]);
        tactic.strings("name", ["Initial Access"]);
    });
}

fn keyword(value: &str) -> &str {
    characters(value, KEYWORD_CHARACTERS_MAX)
}

/// The front of `value`, at most `most` characters.
fn characters(value: &str, most: usize) -> &str {
    if value.len() <= most {
        return value;
    }
    match value.char_indices().nth(most) {
        Some((at, _)) => value.get(..at).unwrap_or(value),
        None => value,
    }
}
