//! Facts of an audit event, in either format. It knows the names of fields, not what is made of them.

use std::time::{Duration, UNIX_EPOCH};

use serde_json::Value;

use crate::date::Date;

/// Verdict of the service about the request of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Disposition {
    Blocked,
    Detected,
    Logged,
}

impl Disposition {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Disposition::Blocked => "blocked",
            Disposition::Detected => "detected",
            Disposition::Logged => "logged",
        }
    }
}

/// An event, parsed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AuditEvent<'v> {
    document: &'v Value,
    /// The part that both formats share.
    pub(crate) waf: &'v Value,
    pub(crate) disposition: Disposition,
}

impl<'v> AuditEvent<'v> {
    /// The facts of a document; `None` if it is no audit event.
    pub(crate) fn of(document: &'v Value) -> Option<AuditEvent<'v>> {
        let waf = document.get("waf")?;
        let disposition = match document.get("disposition_id").and_then(Value::as_u64) {
            Some(2) => Disposition::Blocked,
            Some(15) => Disposition::Detected,
            Some(17) => Disposition::Logged,
            Some(_) => return None,
            None => match document.pointer("/event/action").and_then(Value::as_str)? {
                "blocked" => Disposition::Blocked,
                "detected" => Disposition::Detected,
                "logged" => Disposition::Logged,
                _ => return None,
            },
        };
        Some(AuditEvent { document, waf, disposition })
    }

    fn either(&self, ocsf: &str, ecs: &str) -> Option<&'v Value> {
        self.document.pointer(ocsf).or_else(|| self.document.pointer(ecs))
    }

    fn text(&self, ocsf: &str, ecs: &str) -> &'v str {
        self.either(ocsf, ecs).and_then(Value::as_str).unwrap_or_default()
    }

    pub(crate) fn route(&self) -> Option<&'v str> {
        self.waf.get("route_id").and_then(Value::as_str)
    }

    pub(crate) fn method(&self) -> &'v str {
        self.text("/http_request/http_method", "/http/request/method")
    }

    pub(crate) fn path(&self) -> &'v str {
        self.text("/http_request/url/path", "/url/path")
    }

    pub(crate) fn query(&self) -> &'v str {
        self.text("/http_request/url/query_string", "/url/query")
    }

    /// `HTTP/1.1` in OCSF, `1.1` in ECS.
    pub(crate) fn version(&self) -> &'v str {
        let version = self.text("/http_request/version", "/http/version");
        version.strip_prefix("HTTP/").unwrap_or(version)
    }

    pub(crate) fn client(&self) -> &'v str {
        self.text("/src_endpoint/ip", "/client/ip")
    }

    /// The host without its port, where Host is a valid name.
    pub(crate) fn host(&self) -> &'v str {
        self.text("/dst_endpoint/hostname", "/destination/domain")
    }

    /// Host as it was sent, where it is no valid name.
    pub(crate) fn other_host(&self) -> &'v str {
        self.text("/http_request/http_headers/0/value", "/url/domain")
    }

    pub(crate) fn referer(&self) -> &'v str {
        self.text("/http_request/referrer", "/http/request/referrer")
    }

    pub(crate) fn user_agent(&self) -> &'v str {
        self.text("/http_request/user_agent", "/user_agent/original")
    }

    pub(crate) fn request_id(&self) -> &'v str {
        self.text("/http_request/uid", "/http/request/id")
    }

    pub(crate) fn status(&self) -> Option<u64> {
        self.either("/http_response/code", "/http/response/status_code").and_then(Value::as_u64)
    }

    /// One sentence for people.
    pub(crate) fn message(&self) -> &'v str {
        self.text("/message", "/message")
    }

    /// Objects of findings.
    pub(crate) fn matches(&self) -> impl Iterator<Item = &'v Value> + use<'v> {
        self.waf.get("matches").and_then(Value::as_array).into_iter().flatten()
    }

    /// Texts of a list in the shared part.
    pub(crate) fn list(&self, name: &str) -> impl Iterator<Item = &'v str> + use<'v> {
        self.waf.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    }

    /// The day: epoch milliseconds in OCSF, RFC 3339 in ECS.
    pub(crate) fn day(&self) -> String {
        self.stamp().chars().take(10).collect()
    }

    /// Date and time in UTC as far as the second, `2026-11-23T08:07:35`.
    pub(crate) fn stamp(&self) -> String {
        match self.document.get("time").and_then(Value::as_u64) {
            Some(millis) => stamp(millis / 1_000),
            None => {
                let text = self.document.get("@timestamp").and_then(Value::as_str).unwrap_or_default();
                text.chars().take(19).collect()
            }
        }
    }

    /// Seconds since 1970.
    pub(crate) fn seconds(&self) -> Option<u64> {
        match self.document.get("time").and_then(Value::as_u64) {
            Some(millis) => Some(millis / 1_000),
            None => seconds(self.document.get("@timestamp").and_then(Value::as_str)?),
        }
    }
}

/// A text of a finding.
pub(crate) fn field<'v>(found: &'v Value, name: &str) -> &'v str {
    found.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Seconds since 1970 as date and time; empty for those that no clock shows.
pub(crate) fn stamp(seconds: u64) -> String {
    let Some(time) = UNIX_EPOCH.checked_add(Duration::from_secs(seconds)) else { return String::new() };
    let of_day = seconds % 86_400;
    format!("{}T{:02}:{:02}:{:02}", Date::at(time), of_day / 3_600, of_day / 60 % 60, of_day % 60)
}

/// Seconds since 1970 of `2026-11-23T08:07:35…`, in UTC.
fn seconds(text: &str) -> Option<u64> {
    let (date, time) = text.split_once('T')?;
    let days = Date::parse(date)?.days();
    let mut parts = time.get(..8)?.split(':').map(|part| part.parse::<u64>().ok());
    let (hours, minutes, seconds) = (parts.next()??, parts.next()??, parts.next()??);
    Some(days * 86_400 + hours * 3_600 + minutes * 60 + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_of_both_formats_are_the_same_time() {
        for (text, time) in [
            ("2026-11-23T08:07:35", 1_795_421_255),
            ("1970-01-01T00:00:00", 0),
            ("2000-02-29T23:59:59", 951_868_799),
            ("2100-03-01T00:00:00", 4_107_542_400),
        ] {
            assert_eq!((seconds(text), stamp(time).as_str()), (Some(time), text));
        }
        for text in ["", "x", "2026-11-23", "2026-11-23T08", "2026-13-01T00:00:00Z"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
