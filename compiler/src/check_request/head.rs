//! Checks of a recorded head: that it is a request, that it could be forwarded, and what the settings of a route say of
//! it, in the order in which the service asks. It knows one request and one route, not the engine.

use waf_detection::recorded::Recorded;
use waf_detection::request::Version;
use waf_shared::catalog::Leaf;
use waf_shared::plan::Settings;

use crate::diagnostic::quoted;
use crate::names::is_token;

/// Versions that a request line may name.
const VERSIONS: [&str; 6] = ["HTTP/1.0", "HTTP/1.1", "HTTP/2", "HTTP/2.0", "HTTP/3", "HTTP/3.0"];

/// A check that a head does not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Violation {
    /// Its protection.
    pub(crate) leaf: Leaf,
    /// The fault, and the setting that decides.
    pub(crate) reason: String,
}

/// Checks that the text begins with a request line; the error says what is missing.
pub(super) fn is_request(raw: &[u8]) -> Result<(), String> {
    let example = "the first line must be a request line such as `GET /path HTTP/1.1`";
    let Some((method, _, version)) = request_line(raw) else { return Err(example.to_owned()) };
    if !is_token(&method) || !version.starts_with("HTTP/") {
        return Err(example.to_owned());
    }
    Ok(())
}

/// Checks what the service asks of every message; the error is the fault.
pub(super) fn is_forwardable(raw: &[u8]) -> Result<(), String> {
    let Some((method, target, version)) = request_line(raw) else { return Err("no request line".to_owned()) };
    if !VERSIONS.contains(&version.as_str()) {
        return Err(format!("the version {} is not known", quoted(&version)));
    }
    if target.bytes().any(|byte| byte <= b' ' || byte == 0x7f) {
        return Err(
            "the target contains a space or a control character: encode it, a space as `%20`".to_owned()
        );
    }
    let lower = target.to_ascii_lowercase();
    let has_form = target.starts_with('/')
        || (target == "*" && method == "OPTIONS")
        || ["http://", "https://"].iter().any(|scheme| lower.starts_with(scheme));
    if !has_form {
        return Err("the target must begin with `/`, or with `http://` or `https://`".to_owned());
    }
    let mut hosts = 0;
    for (number, line) in head_lines(raw).enumerate().skip(1) {
        let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
        let name = String::from_utf8_lossy(name).into_owned();
        if !is_token(&name) || !line.contains(&b':') {
            return Err(format!("line {} is not a header field `Name: value`", number + 1));
        }
        hosts += usize::from(name.eq_ignore_ascii_case("host"));
    }
    if hosts > 1 { Err("more than one Host".to_owned()) } else { Ok(()) }
}

/// The host that the request names; an empty one counts as missing.
pub(crate) fn host<'a>(request: &Recorded<'a>) -> Option<&'a [u8]> {
    request.field("host").filter(|host| !host.is_empty()).or_else(|| authority(request.target))
}

/// Authority of a target in absolute form.
fn authority(target: &[u8]) -> Option<&[u8]> {
    let start = target.windows(3).position(|window| window == b"://")? + 3;
    if target.starts_with(b"/") {
        return None;
    }
    let rest = target.get(start..)?;
    let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#')).unwrap_or(rest.len());
    rest.get(..end).filter(|authority| !authority.is_empty())
}

/// The violations of a route's settings; the first one decides about the status.
pub(crate) fn violations(request: &Recorded<'_>, settings: &Settings) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut violate = |leaf: Leaf, reason: String| {
        if settings.leaves.contains(leaf) {
            found.push(Violation { leaf, reason });
        }
    };
    let accept = &settings.accept;
    // A target in absolute form names a host and replaces no field (RFC 9112 section 3.2).
    let field = request.field("host").filter(|host| !host.is_empty());
    let has_host = field.is_some() || (request.version != Version::Http11 && host(request).is_some());
    if !has_host && accept.require_host_header {
        violate(
            Leaf::RequestValidationRequireHostHeader,
            "there is no Host (accept.require_host_header)".to_owned(),
        );
    }
    if !accept.methods.iter().any(|method| method.as_bytes() == request.method) {
        let method = quoted(&String::from_utf8_lossy(request.method));
        violate(Leaf::RequestValidationAllowedMethods, format!("{method} is not in accept.methods"));
    }
    let (target, count) = (request.target.len(), request.fields.len());
    let size: usize = request.fields.iter().map(|(name, value)| name.len() + value.len()).sum();
    if target > accept.max_url_length as usize {
        let reason =
            format!("the target has {target} bytes (accept.max_url_length: {})", accept.max_url_length);
        violate(Leaf::RequestValidationMaxUrlLength, reason);
    }
    if count > accept.max_header_count as usize {
        let reason =
            format!("there are {count} header fields (accept.max_header_count: {})", accept.max_header_count);
        violate(Leaf::RequestValidationMaxHeaderCount, reason);
    }
    if size as u64 > accept.max_header_size {
        let reason =
            format!("header fields have {size} bytes (accept.max_header_size: {})", accept.max_header_size);
        violate(Leaf::RequestValidationMaxHeaderSize, reason);
    }
    let length =
        request.field("content-length").and_then(|value| std::str::from_utf8(value).ok()?.parse().ok());
    let length: u64 = length.unwrap_or(0).max(request.body.len() as u64);
    if length > 0 {
        content_type(request, settings, &mut violate);
    }
    if length > accept.max_body_size {
        let reason = format!("the body has {length} bytes (accept.max_body_size: {})", accept.max_body_size);
        violate(Leaf::RequestValidationMaxBodySize, reason);
    }
    if request.target.contains(&b'#') {
        violate(Leaf::HttpComplianceUriFragments, "the target carries a fragment".to_owned());
    }
    found
}

fn content_type(request: &Recorded<'_>, settings: &Settings, violate: &mut impl FnMut(Leaf, String)) {
    let declared = request.field("content-type").filter(|value| !value.is_empty());
    let Some(declared) = declared else {
        let reason = "the body has no Content-Type".to_owned();
        return violate(Leaf::RequestValidationRequireContentType, reason);
    };
    let essence = declared.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    let allowed = &settings.accept.content_types;
    if !allowed.is_empty() && !allowed.iter().any(|one| essence.eq_ignore_ascii_case(one.as_bytes())) {
        let reason = "the media type is not in accept.content_types".to_owned();
        violate(Leaf::HttpComplianceAllowedContentTypes, reason);
    }
}

/// Lines up to the first empty one.
fn head_lines(raw: &[u8]) -> impl Iterator<Item = &[u8]> {
    raw.split(|byte| *byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .take_while(|line| !line.is_empty())
}

/// Method, target and version of the first line: what stands before its first space, between, and behind its last.
fn request_line(raw: &[u8]) -> Option<(String, String, String)> {
    let line = String::from_utf8_lossy(head_lines(raw).next()?).into_owned();
    let (method, rest) = line.split_once(' ')?;
    let (target, version) = rest.rsplit_once(' ')?;
    (!target.is_empty()).then(|| (method.to_owned(), target.to_owned(), version.to_owned()))
}
