//! A line about a request that a second plan would have decided differently, as one JSON object. What events mask is
//! masked here too, by the same code.

use std::net::SocketAddr;
use std::time::SystemTime;

use waf_shared::control::Decision;
use waf_shared::limits::{ACCESS_LINE_BYTES_MAX, SHADOW_RULES_MAX};

use super::authority;
use super::json::Object;
use super::text;
use super::timestamp::rfc3339;
use super::url;

/// Bytes of JSON for a method.
const METHOD_BYTES_MAX: usize = 64;

/// Bytes of JSON for a Host value.
const HOST_BYTES_MAX: usize = 300;

/// Bytes of JSON for the path, and as many for the query.
const PATH_BYTES_MAX: usize = 1000;

/// Bytes of JSON for a request id or a name.
const ID_BYTES_MAX: usize = 128;

/// Decision of one plan.
#[derive(Debug)]
pub(crate) struct Decided<'a> {
    /// Name of the plan in hex digits.
    pub(crate) plan: &'a str,
    pub(crate) route: Option<&'a str>,
    pub(crate) decision: Decision,
}

/// A request that two plans decide differently.
#[derive(Debug)]
pub(crate) struct Difference<'a> {
    pub(crate) time: SystemTime,
    pub(crate) listener: SocketAddr,
    pub(crate) scheme: &'static str,
    pub(crate) method: &'a [u8],
    pub(crate) target: &'a [u8],
    pub(crate) host: Option<&'a [u8]>,
    pub(crate) request_id: &'a str,
    pub(crate) in_force: Decided<'a>,
    pub(crate) shadow: Decided<'a>,
    /// Rules of the stricter decision.
    pub(crate) rules: &'a [&'static str],
}

/// The line of a difference, with its newline; at most [`ACCESS_LINE_BYTES_MAX`] bytes.
pub(crate) fn write(difference: &Difference<'_>) -> Vec<u8> {
    let Difference { method, target, host, scheme, listener, .. } = *difference;
    let url = url::read(Some(method), Some(target), host, scheme, listener);
    let host = host.map(authority::without_password);
    let mut line = Vec::with_capacity(512);
    Object::write(&mut line, |object| {
        object.text("time", rfc3339(difference.time));
        object.string("method", &*text::lossy(method, METHOD_BYTES_MAX));
        object.string("host", host.as_ref().map(|host| text::lossy(host, HOST_BYTES_MAX)).as_deref());
        object.string("path", text::clip(&url.path, PATH_BYTES_MAX));
        object.string("query", url.query.as_deref().map(|query| text::clip(query, PATH_BYTES_MAX)));
        object.string("request_id", text::clip(difference.request_id, ID_BYTES_MAX));
        object.strings("rules", difference.rules.iter().take(SHADOW_RULES_MAX));
        object.object("in_force", |object| decided(&difference.in_force, object));
        object.object("shadow", |object| decided(&difference.shadow, object));
    });
    line.push(b'\n');
    debug_assert!(line.len() <= ACCESS_LINE_BYTES_MAX, "{}", line.len());
    line
}

fn decided(decided: &Decided<'_>, object: &mut Object<'_>) {
    object.constant("decision", decided.decision.as_str());
    object.string("route", decided.route.map(|route| text::clip(route, ID_BYTES_MAX)));
    object.string("plan", text::clip(decided.plan, ID_BYTES_MAX));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference<'a>(target: &'a [u8], host: &'a [u8]) -> Difference<'a> {
        Difference {
            time: SystemTime::UNIX_EPOCH,
            listener: "127.0.0.1:80".parse().expect("an address"),
            scheme: "http",
            method: b"GET",
            target,
            host: Some(host),
            request_id: "id-1",
            in_force: Decided { plan: "aa", route: Some("shop"), decision: Decision::Allowed },
            shadow: Decided { plan: "bb", route: None, decision: Decision::Blocked },
            rules: &["sql-union"],
        }
    }

    #[test]
    fn a_line_names_both_decisions_and_masks_secrets() {
        let line = String::from_utf8(write(&difference(b"/a?x=1&token=hunter2hunter2", b"shop.example")));
        assert_eq!(
            line.expect("text"),
            "{\"time\":\"1970-01-01T00:00:00Z\",\"method\":\"GET\",\"host\":\"shop.example\",\"path\":\"/a\",\
             \"query\":\"x=1&token=***\",\"request_id\":\"id-1\",\"rules\":[\"sql-union\"],\
             \"in_force\":{\"decision\":\"allowed\",\"route\":\"shop\",\"plan\":\"aa\"},\
             \"shadow\":{\"decision\":\"blocked\",\"plan\":\"bb\"}}\n"
        );
    }

    #[test]
    fn a_line_is_one_line_and_bounded_whatever_is_sent() {
        let rules = vec!["a-rule-with-a-name-that-is-as-long-as-the-longest-ones-are-here"; 20];
        for byte in [b'a', b'"', 0, b'\n', 0xff] {
            let target = [b"/".as_slice(), &[byte; 5000], b"?", &[byte; 5000]].concat();
            let name = vec![byte; 5000];
            let line = write(&Difference { rules: &rules, method: &name, ..difference(&target, &name) });
            assert!(line.len() <= ACCESS_LINE_BYTES_MAX, "{byte}: {}", line.len());
            assert_eq!(line.iter().position(|b| *b == b'\n'), Some(line.len() - 1), "{byte}");
            assert!(serde_json::from_slice::<serde_json::Value>(&line).is_ok(), "{byte}");
        }
    }
}
