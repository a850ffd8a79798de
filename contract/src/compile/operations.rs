//! Paths and operations: what a document declares, lowered into the plan's arenas, with every fault it has on the way.

use std::collections::{HashMap, HashSet, VecDeque};

use waf_shared::plan::contract::{
    Contract, ContractPath, Media, Operation, ParameterId, Place, RequestBody, Response, SchemaId,
    StatusRange,
};

use super::discriminator::Children;
use super::files::Files;
use super::location::Location;
use super::node::Node;
use super::servers;

/// Methods that a path may declare.
const METHODS: &[&str] = &["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// Findings that are kept.
const FINDINGS_MAX: usize = 100;

/// The lowering of one document.
pub(super) struct Lowering<'d> {
    pub(super) files: &'d Files,
    pub(super) is_3_0: bool,
    pub(super) contract: Contract,
    /// Schemas by the value that they were lowered from.
    pub(super) schema_ids: HashMap<usize, SchemaId>,
    /// Location of each schema.
    pub(super) schema_locations: Vec<Location<'d>>,
    /// Schemas that are numbered and not lowered yet.
    pub(super) waiting: VecDeque<SchemaId>,
    pub(super) parameter_ids: HashMap<usize, Option<ParameterId>>,
    pub(super) pattern_ids: HashMap<String, Option<waf_shared::plan::contract::PatternId>>,
    /// Component schemas that extend others.
    pub(super) children: Children<'d>,
    errors: Vec<String>,
    warnings: Vec<String>,
}

impl<'d> Lowering<'d> {
    pub(super) fn new(files: &'d Files) -> Lowering<'d> {
        let root = files.root();
        let version = root.node.get("openapi").and_then(Node::text).unwrap_or_default();
        Lowering {
            files,
            is_3_0: version.starts_with("3.0"),
            contract: Contract::default(),
            schema_ids: HashMap::new(),
            schema_locations: Vec::new(),
            waiting: VecDeque::new(),
            parameter_ids: HashMap::new(),
            pattern_ids: HashMap::new(),
            children: Children::of(files),
            errors: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The contract, its errors and its warnings.
    pub(super) fn finish(mut self) -> (Contract, Vec<String>, Vec<String>) {
        for errors in [&mut self.errors, &mut self.warnings] {
            let mut seen = HashSet::new();
            errors.retain(|text| seen.insert(text.clone()));
        }
        (self.contract, self.errors, self.warnings)
    }

    /// Reports a fault.
    pub(super) fn error(&mut self, location: &Location<'_>, what: &str) {
        match self.errors.len() {
            ..FINDINGS_MAX => {
                self.errors.push(format!("does not parse: at {} {what}", self.files.place(location)));
            }
            FINDINGS_MAX => self.errors.push("does not parse: more faults follow".to_owned()),
            _ => {}
        }
    }

    /// Reports what is not checked.
    pub(super) fn warning(&mut self, location: &Location<'_>, what: &str) {
        if self.warnings.len() < FINDINGS_MAX {
            self.warnings.push(format!("at {} {what}", self.files.place(location)));
        }
    }

    /// Follows references; a fault is reported.
    pub(super) fn resolved(&mut self, location: Location<'d>) -> Option<Location<'d>> {
        match self.files.resolved(location) {
            Ok(location) => Some(location),
            Err((location, why)) => {
                self.error(&location, &why);
                None
            }
        }
    }

    /// A member that has to be an object when it is there.
    pub(super) fn object(&mut self, holder: &Location<'d>, name: &str) -> Option<Location<'d>> {
        let location = holder.get(name).filter(|location| *location.node != Node::Null)?;
        if location.node.members().is_none() {
            self.error(&location, "an object is expected");
            return None;
        }
        Some(location)
    }

    /// A boolean that is false when absent.
    pub(super) fn flag(&mut self, holder: &Location<'d>, name: &str) -> bool {
        match holder.get(name) {
            None => false,
            Some(Location { node: Node::Bool(value), .. }) => *value,
            Some(location) => {
                self.error(&location, "`true` or `false` is expected");
                false
            }
        }
    }

    /// Lowers everything that operations reach.
    pub(super) fn document(&mut self) {
        let root = self.files.root();
        let bases = servers::bases(&root).unwrap_or_else(|| vec![String::new()]);
        if let Some(paths) = self.object(&root, "paths") {
            let mut shapes: HashMap<String, String> = HashMap::new();
            for (template, item) in paths.members() {
                if template.starts_with("x-") {
                    continue;
                }
                if let Some(first) = shapes.insert(shape(template), template.to_owned()) {
                    self.error(&item, &format!("the path is the same as `{first}`"));
                }
                self.path(template, item, &bases);
            }
        }
        self.query_keys(&root);
        self.schemas();
    }

    fn path(&mut self, template: &str, item: Location<'d>, root_bases: &[String]) {
        if !template.starts_with('/') || !is_template(template) {
            self.error(&item, "a path starts with `/` and closes each `{`");
            return;
        }
        let own = item.clone();
        let Some(item) = self.resolved(item) else { return };
        let shared = self.parameter_list(&item, template);
        let mut bases =
            servers::bases(&own).or_else(|| servers::bases(&item)).unwrap_or_else(|| root_bases.to_vec());
        let mut operations = Vec::new();
        for method in METHODS {
            // What stands beside a reference belongs to the path as well.
            let Some(location) = own.get(method).or_else(|| item.get(method)) else { continue };
            if location.node.members().is_none() {
                self.error(&location, "an object is expected");
                continue;
            }
            for base in servers::bases(&location).unwrap_or_default() {
                if !bases.contains(&base) {
                    bases.push(base);
                }
            }
            operations.push(self.operation(method, &location, &shared, template));
        }
        self.contract.paths.push(ContractPath { template: template.to_owned(), bases, operations });
    }

    fn operation(
        &mut self,
        method: &str,
        location: &Location<'d>,
        shared: &[ParameterId],
        template: &str,
    ) -> Operation {
        let own = self.parameter_list(location, template);
        let key = |contract: &Contract, id: &ParameterId| {
            contract.parameters.get(id.0 as usize).map(|parameter| (parameter.place, parameter.name.clone()))
        };
        let overridden: HashSet<_> = own.iter().filter_map(|id| key(&self.contract, id)).collect();
        let inherited =
            shared.iter().filter(|id| key(&self.contract, id).is_none_or(|key| !overridden.contains(&key)));
        let parameters = inherited.chain(&own).copied().collect();
        Operation {
            method: method.to_ascii_uppercase(),
            parameters,
            body: self.request_body(location),
            responses: self.responses(location),
        }
    }

    fn parameter_list(&mut self, holder: &Location<'d>, template: &str) -> Vec<ParameterId> {
        let Some(list) = holder.get("parameters") else { return Vec::new() };
        if list.node.items().is_none() {
            self.error(&list, "a list is expected");
            return Vec::new();
        }
        let mut ids = Vec::new();
        let mut seen = HashSet::new();
        for item in list.items() {
            let Some(id) = self.parameter(item.clone()) else { continue };
            let Some(parameter) = self.contract.parameters.get(id.0 as usize) else { continue };
            let (place, name) = (parameter.place, parameter.name.clone());
            if place == Place::Path && !template.contains(&format!("{{{name}}}")) {
                self.error(&item, &format!("the path parameter `{name}` does not stand in `{template}`"));
            }
            if !seen.insert((place, name.clone())) {
                self.error(&item, &format!("the parameter `{name}` stands twice in one list"));
            }
            ids.push(id);
        }
        ids
    }

    fn request_body(&mut self, operation: &Location<'d>) -> Option<RequestBody> {
        let location = operation.get("requestBody")?;
        let location = self.resolved(location)?;
        if location.node.get("content").is_none() {
            self.error(&location, "it has no `content`");
            return None;
        }
        Some(RequestBody { required: self.flag(&location, "required"), content: self.content(&location) })
    }

    /// The media types of `content`.
    pub(super) fn content(&mut self, holder: &Location<'d>) -> Vec<Media> {
        let Some(content) = self.object(holder, "content") else { return Vec::new() };
        let mut media = Vec::new();
        for (range, location) in content.members() {
            if !range.contains('/') {
                self.error(&location, "the key is no media type");
                continue;
            }
            let schema = location.get("schema").and_then(|schema| self.schema_id(schema));
            let encodings = self.encodings(&location);
            media.push(Media { range: range.to_ascii_lowercase(), schema, encodings });
        }
        media
    }

    fn responses(&mut self, operation: &Location<'d>) -> Vec<Response> {
        let Some(responses) = self.object(operation, "responses") else { return Vec::new() };
        let mut out = Vec::new();
        for (code, location) in responses.members() {
            if code.starts_with("x-") {
                continue;
            }
            let Some(status) = status(code) else {
                self.error(&location, "the key is no status code, range such as `2XX`, or `default`");
                continue;
            };
            let Some(location) = self.resolved(location) else { continue };
            let content = self.content(&location);
            let headers = self.headers(&location);
            out.push(Response { status, content, headers });
        }
        out
    }

    /// Names of query parameters that carry the keys of security schemes: known without being declared.
    fn query_keys(&mut self, root: &Location<'d>) {
        let schemes = root.get("components").and_then(|components| components.get("securitySchemes"));
        for (_, scheme) in schemes.iter().flat_map(Location::members) {
            let Some(scheme) = self.resolved(scheme) else { continue };
            let text = |name| scheme.node.get(name).and_then(Node::text);
            if let (Some("apiKey"), Some("query"), Some(name)) = (text("type"), text("in"), text("name")) {
                self.contract.query_keys.push(name.to_owned());
            }
        }
        self.contract.query_keys.sort();
    }
}

fn status(code: &str) -> Option<StatusRange> {
    if code == "default" {
        return Some(StatusRange::Default);
    }
    let class = code.strip_suffix("XX").or_else(|| code.strip_suffix("xx"));
    if let Some(class) = class.and_then(|class| class.parse().ok()) {
        return (1..=5).contains(&class).then_some(StatusRange::Class(class));
    }
    code.parse().ok().filter(|code| (100..=599).contains(code)).map(StatusRange::Exact)
}

/// A template without the names of its expressions.
fn shape(template: &str) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        out.push_str("{}");
        rest = after.split_once('}').map_or("", |(_, behind)| behind);
    }
    out + rest
}

/// True if braces come in pairs, with a name inside and none across segments, and no two expressions touch.
fn is_template(template: &str) -> bool {
    template.split('/').all(|segment| {
        let mut rest = segment;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((name, behind)) = after.split_once('}') else { return false };
            if name.is_empty() || name.contains('{') || before.contains('}') || behind.starts_with('{') {
                return false;
            }
            rest = behind;
        }
        !rest.contains('}')
    })
}
