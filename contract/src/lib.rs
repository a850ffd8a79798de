//! Judging of messages by an OpenAPI document: paths and operations, parameters in every serialisation,
//! bodies as JSON, forms and multipart, answers. Everything is judged from bytes in memory; nothing here waits, reads
//! files, or recurses deeper than a named bound.

mod number;

pub mod json;

pub mod pattern;

mod format;

mod schema;

mod paths;

mod serial;

mod parameters;

mod media;

mod body;

mod fault;

#[cfg(feature = "compile")]
pub mod compile;
#[cfg(feature = "compile")]
pub mod fuzzing;

pub use body::Judged;
pub use fault::Fault;
pub use parameters::{ParameterFault, Sent};
pub use paths::PathMatch;

pub use schema::{BuildError, Direction};

use waf_shared::plan::contract::{self, Media, Place, StatusRange, Style};

use body::By;
use media::MediaType;
use parameters::Parts;
use paths::Paths;
use schema::Schemas;

/// A contract made ready.
#[derive(Debug)]
pub struct Contract {
    data: contract::Contract,
    paths: Paths,
    schemas: Schemas,
}

/// An operation of a contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperationId {
    path: usize,
    operation: usize,
}

/// Relation of a request's path and method to the contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// The operation, and the path with the values in it.
    Operation(OperationId, PathMatch),
    /// The path is declared, the method is not; those that are.
    NoMethod(Vec<String>),
    /// The path is not declared.
    NoPath,
}

/// Judgement of the parameters of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parameters {
    /// The first that breaks it.
    pub fault: Option<ParameterFault>,
    /// True if the query has a parameter that the operation does not declare.
    pub has_undeclared: bool,
}

/// Relation of the contract to a body, before it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// It declares the type: position among the operation's.
    Declared(usize),
    /// The operation takes bodies, none of this type.
    Undeclared,
    /// The operation takes no body.
    NoBody,
}

impl Contract {
    /// Makes a contract of a plan ready.
    pub fn build(data: contract::Contract) -> Result<Contract, BuildError> {
        Ok(Contract { paths: Paths::build(&data.paths), schemas: Schemas::build(&data)?, data })
    }

    /// True if it was made from `data`.
    pub fn is_of(&self, data: &contract::Contract) -> bool {
        self.data == *data
    }

    /// Finds the operation of a request. `normalized` is what [`waf_shared::route::normalize`] makes of its path. HEAD
    /// is GET where it is not declared itself (RFC 9110 section 9.3.2).
    pub fn find(&self, normalized: &[u8], method: &[u8]) -> Found {
        let Some(found) = self.paths.find(normalized) else { return Found::NoPath };
        let Some(path) = self.data.paths.get(found.path) else { return Found::NoPath };
        let position = |wanted: &[u8]| path.operations.iter().position(|o| o.method.as_bytes() == wanted);
        let operation = position(method).or_else(|| if method == b"HEAD" { position(b"GET") } else { None });
        match operation {
            Some(operation) => Found::Operation(OperationId { path: found.path, operation }, found),
            None => {
                let mut methods: Vec<String> = path.operations.iter().map(|o| o.method.clone()).collect();
                if methods.iter().any(|m| m == "GET") && methods.iter().all(|m| m != "HEAD") {
                    methods.push("HEAD".to_owned());
                }
                Found::NoMethod(methods)
            }
        }
    }

    /// The path of an operation as the document writes it.
    pub fn template(&self, id: OperationId) -> &str {
        self.data.paths.get(id.path).map_or("", |path| path.template.as_str())
    }

    fn operation(&self, id: OperationId) -> Option<&contract::Operation> {
        self.data.paths.get(id.path)?.operations.get(id.operation)
    }

    /// Judges the parameters of a request.
    pub fn parameters<'m>(&'m self, id: OperationId, found: &'m PathMatch, sent: Sent<'m>) -> Parameters {
        let Some(operation) = self.operation(id) else { return Parameters::default() };
        let declared =
            || operation.parameters.iter().filter_map(|id| self.data.parameters.get(id.0 as usize));
        let names = self.paths.names(found.path).iter().map(String::as_str);
        let path = names.zip(found.values.iter().map(Vec::as_slice)).collect();
        let reads_cookies = declared().any(|parameter| parameter.place == Place::Cookie);
        let mut parts = Parts::of(path, sent, reads_cookies);
        let mut out = Parameters::default();
        // What takes every pair that nobody else claims comes last.
        let takes_rest = |parameter: &contract::Parameter| {
            parameter.place == Place::Query && parameter.explode && parameter.style == Style::Form
        };
        let (last, first): (Vec<_>, Vec<_>) = declared().partition(|parameter| takes_rest(parameter));
        for parameter in first.into_iter().chain(last) {
            if let Err(fault) = parts.judge(&self.schemas, parameter, Direction::Request)
                && out.fault.is_none()
            {
                out.fault =
                    Some(ParameterFault { place: parameter.place, name: parameter.name.clone(), fault });
            }
        }
        let is_key = |name: &str| self.data.query_keys.iter().any(|key| key == name);
        out.has_undeclared = parts.unclaimed().any(|name| !is_key(name));
        out
    }

    /// True if a request to an operation has to carry a body.
    pub fn requires_body(&self, id: OperationId) -> bool {
        self.operation(id).and_then(|o| o.body.as_ref()).is_some_and(|body| body.required)
    }

    /// Judgement of an operation about a body of this `Content-Type`; empty is none.
    pub fn content(&self, id: OperationId, content_type: &[u8]) -> Content {
        let Some(body) = self.operation(id).and_then(|o| o.body.as_ref()) else { return Content::NoBody };
        match best(&body.content, content_type) {
            Some(position) => Content::Declared(position),
            None => Content::Undeclared,
        }
    }

    /// Judges a request's body, or the first part of one, whose codings were taken off.
    pub fn request_body(
        &self,
        id: OperationId,
        content: usize,
        content_type: &[u8],
        bytes: &[u8],
        is_whole: bool,
    ) -> Result<Judged, Fault> {
        let body = self.operation(id).and_then(|o| o.body.as_ref());
        let Some(media) = body.and_then(|body| body.content.get(content)) else { return Ok(Judged::Nothing) };
        self.judge(media, content_type, bytes, (Direction::Request, is_whole))
    }

    /// Judges the head of an answer; the result says which declared body is to be judged, if any is.
    pub fn response(
        &self,
        id: OperationId,
        status: u16,
        fields: &dyn Fn(&str) -> Vec<Vec<u8>>,
        has_body: bool,
    ) -> Result<Option<(usize, usize)>, Fault> {
        let Some(operation) = self.operation(id) else { return Ok(None) };
        let fits = |range: StatusRange| match range {
            StatusRange::Exact(code) if code == status => 3,
            StatusRange::Class(class) if u16::from(class) == status / 100 => 2,
            StatusRange::Default => 1,
            _ => 0,
        };
        let chosen = operation.responses.iter().enumerate().map(|(at, r)| (fits(r.status), at, r));
        let Some((_, at, response)) = chosen.filter(|(fit, _, _)| *fit > 0).max_by_key(|(fit, _, _)| *fit)
        else {
            return Err(fault::Fault::of_all("responses"));
        };
        let held = std::cell::RefCell::new(Vec::<(String, Vec<Vec<u8>>)>::new());
        for id in &response.headers {
            if let Some(header) = self.data.parameters.get(id.0 as usize) {
                held.borrow_mut().push((header.name.clone(), fields(&header.name)));
            }
        }
        let held = held.into_inner();
        let lookup = |wanted: &str| {
            let values = held.iter().find(|(name, _)| name == wanted).map(|(_, values)| values);
            values.map(|values| values.iter().map(Vec::as_slice).collect()).unwrap_or_default()
        };
        let mut parts = Parts::of(Vec::new(), Sent { query: None, fields: &lookup }, false);
        for id in &response.headers {
            let Some(header) = self.data.parameters.get(id.0 as usize) else { continue };
            if let Err(fault) = parts.judge(&self.schemas, header, Direction::Response) {
                return Err(Fault {
                    pointer: String::new(),
                    keyword: fault.keyword,
                    name: Some(header.name.clone()),
                });
            }
        }
        if !has_body || response.content.is_empty() {
            return Ok(None);
        }
        let content_type = fields("content-type").into_iter().next().unwrap_or_default();
        match best(&response.content, &content_type) {
            Some(content) => Ok(Some((at, content))),
            None => Err(fault::Fault::of_all("content")),
        }
    }

    /// Judges an answer's body, or the first part of one.
    pub fn response_body(
        &self,
        id: OperationId,
        (response, content): (usize, usize),
        content_type: &[u8],
        bytes: &[u8],
        is_whole: bool,
    ) -> Result<Judged, Fault> {
        let response = self.operation(id).and_then(|o| o.responses.get(response));
        let Some(media) = response.and_then(|r| r.content.get(content)) else { return Ok(Judged::Nothing) };
        self.judge(media, content_type, bytes, (Direction::Response, is_whole))
    }

    fn judge(
        &self,
        media: &Media,
        content_type: &[u8],
        bytes: &[u8],
        (direction, is_whole): (Direction, bool),
    ) -> Result<Judged, Fault> {
        let by = By { data: &self.data, schemas: &self.schemas, direction };
        body::body(&by, media, &MediaType::parse(content_type), bytes, is_whole)
    }
}

/// Position of the declared media type that fits best.
fn best(declared: &[Media], content_type: &[u8]) -> Option<usize> {
    let best = MediaType::parse(content_type).best(declared)?;
    declared.iter().position(|media| std::ptr::eq(media, best))
}
