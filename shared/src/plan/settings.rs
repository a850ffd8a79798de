//! Settings that a route and, before a route is known, the whole service enforces: every value effective, none
//! inherited.

use bincode::{Decode, Encode};

use super::millis::Millis;
use crate::catalog::LeafSet;

/// Effect of a violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
pub enum Mode {
    /// Violating requests are refused.
    Blocking,
    /// Violations are logged; requests go on.
    DetectOnly,
}

/// Effective settings.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct Settings {
    /// Block or report.
    pub mode: Mode,
    /// Protections in force.
    pub leaves: LeafSet,
    /// Constraints on a request.
    pub accept: Accept,
    /// Bounds of inspection.
    pub inspection: Inspection,
    /// Bounds of multipart bodies.
    pub multipart: Multipart,
    /// Changes of response headers.
    pub response_headers: ResponseHeaders,
}

/// `accept.*`.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct Accept {
    /// Method tokens, case-sensitive, in the order of the file.
    pub methods: Vec<String>,
    /// Media types in lower case; empty accepts every type.
    pub content_types: Vec<String>,
    /// Bytes of an encoded body.
    pub max_body_size: u64,
    /// Bytes of the request target as sent.
    pub max_url_length: u32,
    /// Bytes of all field names and values.
    pub max_header_size: u64,
    /// Fields of a head.
    pub max_header_count: u32,
    /// True if HTTP/1.0 without Host is refused.
    pub require_host_header: bool,
}

/// `inspection.*`.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct Inspection {
    /// CPU time for evaluating one request.
    pub evaluation_timeout: Millis,
    /// Bytes of non-file body that rules evaluate.
    pub max_inspect_size: u64,
    /// Bytes held in memory before spooling.
    pub max_memory_buffer: u64,
    /// Inflated over compressed bytes.
    pub decompression_ratio_limit: u32,
    /// Nesting of JSON.
    pub json_depth: u32,
    /// Keys of one JSON object.
    pub json_keys: u32,
    /// Nesting of XML.
    pub xml_depth: u32,
    /// Entity expansions of XML.
    pub xml_entities: u32,
}

/// `multipart.*`.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct Multipart {
    /// Files of one body.
    pub file_limit: u32,
    /// Bytes of one file.
    pub file_size: u64,
    /// Media types in lower case; empty allows every type.
    pub allowed_types: Vec<String>,
    /// True if names such as `a.php.jpg` are refused.
    pub double_extension: bool,
}

/// Header changes of every response; strip first, then add.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct ResponseHeaders {
    /// In table order.
    pub add: Vec<AddHeader>,
    /// Lower case, sorted, each once.
    pub strip: Vec<String>,
}

/// One header that is added.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct AddHeader {
    /// As written on the wire.
    pub name: String,
    /// A valid field value.
    pub value: String,
    /// True if it replaces the upstream's own (true when the configuration names a value in `inject`).
    pub replaces: bool,
}
