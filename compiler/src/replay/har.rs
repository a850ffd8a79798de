//! HTTP archives (HAR 1.2), as browsers save them.

use std::borrow::Cow;

use serde::Deserialize;
use waf_detection::request::Version;

use super::request::{Line, Request, is_method};

#[derive(Deserialize)]
struct Archive {
    log: Log,
}

#[derive(Deserialize)]
struct Log {
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    request: Message,
    response: Option<Response>,
}

#[derive(Deserialize)]
struct Response {
    #[serde(default)]
    status: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    method: String,
    url: String,
    #[serde(default)]
    http_version: String,
    #[serde(default)]
    headers: Vec<Pair>,
    post_data: Option<PostData>,
}

#[derive(Deserialize)]
struct Pair {
    name: String,
    #[serde(default)]
    value: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PostData {
    #[serde(default)]
    mime_type: String,
    text: Option<String>,
    #[serde(default)]
    params: Vec<Pair>,
}

/// True for text that begins as an archive does.
pub(super) fn is_archive(beginning: &[u8]) -> bool {
    let beginning = beginning.strip_prefix(b"\xef\xbb\xbf").unwrap_or(beginning).trim_ascii_start();
    let key = beginning.strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    let value = key.and_then(|key| key.strip_prefix(b"\"log\"")).map(<[u8]>::trim_ascii_start);
    let value = value.and_then(|rest| rest.strip_prefix(b":")).map(<[u8]>::trim_ascii_start);
    // A log of JSON lines may have a text called `log`.
    value.is_some_and(|value| value.starts_with(b"{"))
}

/// Every request of an archive; `None` if it cannot be read.
pub(super) fn read(bytes: &[u8]) -> Option<impl Iterator<Item = Line<'static>>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let archive: Archive = serde_json::from_slice(bytes).ok()?;
    Some(archive.log.entries.into_iter().map(line))
}

fn line(entry: Entry) -> Line<'static> {
    let message = entry.request;
    let (authority, target) = split(&message.url);
    // Other schemes (data:, blob:, chrome-extension:) never were on a network.
    let Some(authority) = authority.filter(|_| is_method(message.method.as_bytes())) else {
        return Line::NotHttp;
    };
    let is_http2 =
        ["2", "3"].iter().any(|digit| message.http_version.trim_end_matches(".0").ends_with(digit));
    let is_sent = |pair: &Pair| !pair.name.starts_with(':') && !pair.name.is_empty();
    let mut fields: Vec<(Cow<'static, [u8]>, Cow<'static, [u8]>)> = message
        .headers
        .into_iter()
        .filter(is_sent)
        .map(|pair| (Cow::Owned(pair.name.into_bytes()), Cow::Owned(pair.value.into_bytes())))
        .collect();
    let has = |fields: &[(Cow<'static, [u8]>, _)], name: &[u8]| {
        fields
            .iter()
            .any(|(known, _): &(Cow<'static, [u8]>, Cow<'static, [u8]>)| known.eq_ignore_ascii_case(name))
    };
    if !has(&fields, b"host") {
        fields.push((Cow::Borrowed(b"Host"), Cow::Owned(authority.as_bytes().to_vec())));
    }
    let mut body = Vec::new();
    if let Some(data) = message.post_data {
        if !has(&fields, b"content-type") && !data.mime_type.is_empty() {
            fields.push((Cow::Borrowed(b"Content-Type"), Cow::Owned(data.mime_type.into_bytes())));
        }
        body = data.text.map_or_else(|| form(&data.params), String::into_bytes);
    }
    Line::Request(Request {
        method: Cow::Owned(message.method.into_bytes()),
        target: Cow::Owned(target.into_bytes()),
        version: if is_http2 { Version::Http2 } else { Version::Http11 },
        fields,
        body,
        status: entry.response.and_then(|response| u16::try_from(response.status).ok()),
    })
}

/// Authority and target of a URL, without its fragment.
fn split(url: &str) -> (Option<&str>, String) {
    let schemes = ["http://", "https://", "ws://", "wss://"];
    let Some(rest) = schemes.iter().find_map(|scheme| url.strip_prefix(scheme)) else {
        return (None, String::new());
    };
    let rest = rest.split('#').next().unwrap_or_default();
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, target) = rest.split_at_checked(end).unwrap_or((rest, ""));
    let target = if target.starts_with('/') { target.to_owned() } else { format!("/{target}") };
    (Some(authority.rsplit('@').next().unwrap_or_default()), target)
}

/// A form of pairs that an archive has taken apart.
fn form(params: &[Pair]) -> Vec<u8> {
    let coded = |text: &str| -> String {
        text.bytes()
            .map(|byte| {
                let is_plain = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
                if is_plain { char::from(byte).to_string() } else { format!("%{byte:02X}") }
            })
            .collect()
    };
    let pairs: Vec<String> =
        params.iter().map(|pair| format!("{}={}", coded(&pair.name), coded(&pair.value))).collect();
    pairs.join("&").into_bytes()
}
