//! Limits that another limit or a gate makes unreachable. Only what a section sets itself is judged, once, where it
//! stands.

use waf_shared::limits::TARGET_BYTES_MAX;
use waf_shared::plan::Settings;

use super::sections::{global_of, routes_of};
use crate::code;
use crate::diagnostic::Sink;
use crate::raw::{Accept, Document, Inspection, Multipart};
use crate::read::At;
use crate::resolve::Resolved;
use crate::setting::size;

/// A section's own values, and the effective ones with it.
struct Scope<'a> {
    accept: Option<&'a At<Accept>>,
    inspection: Option<&'a At<Inspection>>,
    multipart: Option<&'a At<Multipart>>,
    multipart_line: Option<u32>,
    holds: &'a Settings,
    place: &'a str,
}

pub(super) fn check(document: &Document, resolved: &Resolved, sink: &mut Sink) {
    if let Some(global) = global_of(document) {
        let scope = Scope {
            accept: global.accept.as_ref(),
            inspection: global.inspection.as_ref(),
            multipart: global.multipart.as_ref(),
            multipart_line: global.key("multipart"),
            holds: &resolved.global,
            place: &global.place,
        };
        sizes(&scope, sink);
        files(&scope, sink);
        targets(&scope, sink);
        gates(&scope, sink);
    }
    let mut resolved = resolved.routes.iter();
    for route in routes_of(document) {
        if route.upstream.is_none() {
            continue;
        }
        let Some(holds) = resolved.next() else { return };
        let scope = Scope {
            accept: route.accept.as_ref(),
            inspection: route.inspection.as_ref(),
            multipart: route.multipart.as_ref(),
            multipart_line: route.key("multipart"),
            holds: &holds.plan.settings,
            place: &route.place,
        };
        sizes(&scope, sink);
        files(&scope, sink);
        targets(&scope, sink);
        gates(&scope, sink);
    }
}

fn sizes(scope: &Scope<'_>, sink: &mut Sink) {
    let body = scope.holds.accept.max_body_size;
    let body_line = scope.accept.and_then(|at| at.value.max_body_size.as_ref()).map(|at| at.line);
    let inspection = scope.inspection.map(|at| &at.value);
    let inspect = inspection.and_then(|raw| raw.max_inspect_size.as_ref());
    let file = scope.multipart.and_then(|at| at.value.file_size.as_ref());
    for (name, own) in [("inspection.max_inspect_size", inspect), ("multipart.file_size", file)] {
        let Some(own) = own.filter(|own| own.value > body) else { continue };
        let message = format!(
            "{}.{name} is larger than accept.max_body_size ({body} bytes), which is always reached first",
            scope.place
        );
        sink.warning(code::UNREACHABLE_LIMIT, own.line.max(body_line.unwrap_or(0)), message);
    }
}

/// Larger bodies that were asked for, while files stay as small as before.
fn files(scope: &Scope<'_>, sink: &mut Sink) {
    let Some(body) = scope.accept.and_then(|at| at.value.max_body_size.as_ref()) else { return };
    let own = scope.multipart.is_some_and(|at| at.value.file_size.is_some());
    let file = scope.holds.multipart.file_size;
    let types = &scope.holds.accept.content_types;
    let uploads = types.is_empty() || types.iter().any(|essence| essence == "multipart/form-data");
    if own || !uploads || file >= body.value {
        return;
    }
    let message = format!(
        "{0}.accept.max_body_size is {1}, and {0}.multipart.file_size stays {2}: larger files are refused",
        scope.place,
        size(body.value),
        size(file)
    );
    sink.warning(code::UNREACHABLE_LIMIT, body.line, message);
}

/// Targets that no reader takes, whatever the limit.
fn targets(scope: &Scope<'_>, sink: &mut Sink) {
    let length = scope.accept.and_then(|at| at.value.max_url_length.as_ref());
    if let Some(length) = length.filter(|at| at.value > TARGET_BYTES_MAX as u64) {
        let message = format!(
            "{}.accept.max_url_length: targets of more than {TARGET_BYTES_MAX} bytes are always refused",
            scope.place
        );
        sink.warning(code::UNREACHABLE_LIMIT, length.line, message);
    }
}

fn gates(scope: &Scope<'_>, sink: &mut Sink) {
    let types = &scope.holds.accept.content_types;
    if types.is_empty() {
        return;
    }
    let parsed_as = |format: &str| {
        types.iter().any(|essence| {
            let subtype = essence.split_once('/').map_or("", |(_, subtype)| subtype);
            subtype == format || subtype.rsplit_once('+').is_some_and(|(_, suffix)| suffix == format)
        })
    };
    if let Some(inspection) = scope.inspection.map(|at| &at.value) {
        for (format, name, fields) in
            [("json", "JSON", ["json_depth", "json_keys"]), ("xml", "XML", ["xml_depth", "xml_entities"])]
        {
            for field in fields {
                if let (false, Some(line)) = (parsed_as(format), inspection.key(field)) {
                    let message = format!(
                        "{}.{field} has no effect: accept.content_types does not include {name}",
                        inspection.place
                    );
                    sink.warning(code::NO_EFFECT, line, message);
                }
            }
        }
    }
    let multipart = types.iter().any(|essence| essence == "multipart/form-data");
    if let (false, Some(line)) = (multipart, scope.multipart_line) {
        let message = format!(
            "{}.multipart has no effect: accept.content_types does not include `multipart/form-data`",
            scope.place
        );
        sink.warning(code::NO_EFFECT, line, message);
    }
}
