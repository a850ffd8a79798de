//! Parameters, headers and encodings: where each stands and how it is written.

use waf_shared::plan::contract::{Encoding, Parameter, ParameterId, Place, SchemaId, Style};

use super::location::Location;
use super::node::Node;
use super::operations::Lowering;

/// Headers that other parts of a document speak of; as parameters they mean nothing.
const IGNORED_HEADERS: &[&str] = &["accept", "content-type", "authorization"];

impl<'d> Lowering<'d> {
    /// A parameter; `None` after a fault, or where it means nothing.
    pub(super) fn parameter(&mut self, location: Location<'d>) -> Option<ParameterId> {
        let location = self.resolved(location)?;
        if let Some(known) = self.parameter_ids.get(&location.identity()) {
            return *known;
        }
        let id = self.read_parameter(&location).map(|parameter| self.keep(parameter));
        self.parameter_ids.insert(location.identity(), id);
        id
    }

    fn keep(&mut self, parameter: Parameter) -> ParameterId {
        self.contract.parameters.push(parameter);
        ParameterId(u32::try_from(self.contract.parameters.len() - 1).unwrap_or(u32::MAX))
    }

    fn read_parameter(&mut self, location: &Location<'d>) -> Option<Parameter> {
        let Some(name) = location.node.get("name").and_then(Node::text) else {
            self.error(location, "it has no `name`");
            return None;
        };
        let place = match location.node.get("in").and_then(Node::text) {
            Some("path") => Place::Path,
            Some("query") => Place::Query,
            Some("header") => Place::Header,
            Some("cookie") => Place::Cookie,
            _ => {
                self.error(location, "its `in` is none of `path`, `query`, `header` and `cookie`");
                return None;
            }
        };
        let is_header = place == Place::Header;
        let name = if is_header { name.to_ascii_lowercase() } else { name.to_owned() };
        if is_header && IGNORED_HEADERS.contains(&name.as_str()) {
            return None;
        }
        self.described(location, name, place)
    }

    /// The headers of a response or a part.
    pub(super) fn headers(&mut self, holder: &Location<'d>) -> Vec<ParameterId> {
        let Some(headers) = self.object(holder, "headers") else { return Vec::new() };
        let mut ids = Vec::new();
        for (name, location) in headers.members() {
            let name = name.to_ascii_lowercase();
            if name == "content-type" {
                continue;
            }
            let Some(location) = self.resolved(location) else { continue };
            if let Some(parameter) = self.described(&location, name, Place::Header) {
                ids.push(self.keep(parameter));
            }
        }
        ids
    }

    fn described(&mut self, location: &Location<'d>, name: String, place: Place) -> Option<Parameter> {
        let (style, explode) = self.style(location, place)?;
        let (schema, is_json) = match (location.get("schema"), location.get("content")) {
            (Some(schema), _) => (self.schema_id(schema), false),
            (None, Some(_)) => self.content_schema(location),
            (None, None) => (None, false),
        };
        let required = self.flag(location, "required") || place == Place::Path;
        let allows_empty = self.flag(location, "allowEmptyValue");
        Some(Parameter { name, place, required, allows_empty, is_json, style, explode, schema })
    }

    /// The schema of a parameter that is described by its media type; only JSON is judged.
    fn content_schema(&mut self, location: &Location<'d>) -> (Option<SchemaId>, bool) {
        let media = self.content(location);
        match media.as_slice() {
            [one] => {
                let essence = one.range.split(';').next().unwrap_or_default().trim();
                let is_json = essence == "application/json" || essence.ends_with("+json");
                (one.schema.filter(|_| is_json), is_json)
            }
            _ => {
                self.error(location, "its `content` has to name one media type");
                (None, false)
            }
        }
    }

    /// Serialisation: what is written, else the default of the place.
    fn style(&mut self, location: &Location<'d>, place: Place) -> Option<(Style, bool)> {
        let style = match (location.get("style"), place) {
            (None, Place::Path | Place::Header) => Style::Simple,
            (None, Place::Query | Place::Cookie) => Style::Form,
            (Some(written), place) => {
                let style = written.node.text().and_then(named).filter(|style| fits(*style, place));
                let Some(style) = style else {
                    self.error(&written, "the style does not exist there");
                    return None;
                };
                style
            }
        };
        let explode = match location.get("explode") {
            Some(_) => self.flag(location, "explode"),
            None => style == Style::Form,
        };
        Some((style, explode))
    }

    /// Serialisation of properties of a form or multipart body.
    pub(super) fn encodings(&mut self, media: &Location<'d>) -> Vec<Encoding> {
        let Some(encoding) = self.object(media, "encoding") else { return Vec::new() };
        let mut out = Vec::new();
        for (property, location) in encoding.members() {
            let Some((style, explode)) = self.style(&location, Place::Query) else { continue };
            let types = location.node.get("contentType").and_then(Node::text).unwrap_or_default();
            let content_types = types.split(',').map(|range| range.trim().to_ascii_lowercase());
            out.push(Encoding {
                property: property.to_owned(),
                content_types: content_types.filter(|range| !range.is_empty()).collect(),
                style,
                explode,
                headers: self.headers(&location),
            });
        }
        out
    }
}

fn named(name: &str) -> Option<Style> {
    Some(match name {
        "simple" => Style::Simple,
        "label" => Style::Label,
        "matrix" => Style::Matrix,
        "form" => Style::Form,
        "spaceDelimited" => Style::SpaceDelimited,
        "pipeDelimited" => Style::PipeDelimited,
        "deepObject" => Style::DeepObject,
        _ => return None,
    })
}

/// True if a style exists in a place (OpenAPI 3.1.1 section 4.8.12.2).
fn fits(style: Style, place: Place) -> bool {
    match place {
        Place::Path => matches!(style, Style::Simple | Style::Label | Style::Matrix),
        Place::Header => style == Style::Simple,
        Place::Cookie => style == Style::Form,
        Place::Query => {
            matches!(style, Style::Form | Style::SpaceDelimited | Style::PipeDelimited | Style::DeepObject)
        }
    }
}
