//! The sections that `global` and a route share.

use waf_shared::catalog::Leaf;

use super::section::{section, settings};
use crate::field::{Bound, FieldKind, GB, KB, Limit, MB, SECOND};
use crate::names::{AddedHeader, HeaderName, HeaderValue, MediaType, Method, OneOf, PlainText, Word};
use crate::read::{At, Choice, Map};

const METHODS: FieldKind = FieldKind::List(&FieldKind::Text(Method::SYNTAX));
const MEDIA_TYPES: FieldKind = FieldKind::List(&FieldKind::Text(MediaType::SYNTAX));
const HEADER_NAMES: FieldKind = FieldKind::List(&FieldKind::Text(HeaderName::SYNTAX));

settings! {
    /// `accept`.
    Accept of Accept at "accept" {
        methods: Vec<At<Method>>, METHODS, optional, "[GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS]",
            "each a valid HTTP method", "Methods that are accepted.";
        content_types: Vec<At<MediaType>>, MEDIA_TYPES, optional, "[]", "each a valid MIME type",
            "Types of bodies that are accepted, and whose parsers run; an empty list accepts every type.";
        max_body_size: u64, FieldKind::Size(Bound::new(1, "> 0", GB, "<= 1GB")), optional, "10MB", "",
            "Bytes of a body as it is sent.",
            limit Limit::of(&[Leaf::RequestValidationMaxBodySize, Leaf::FileUploadLimitsMaxTotalSize]);
        max_url_length: u64, FieldKind::Int(Bound::new(512, ">= 512", 65_536, "<= 65536")), optional, "8192", "",
            "Bytes of the request target.",
            limit Limit::of(&[Leaf::RequestValidationMaxUrlLength]);
        max_header_size: u64, FieldKind::Size(Bound::new(4 * KB, ">= 4KB", MB, "<= 1MB")), optional, "16KB", "",
            "Bytes of all header names and values.",
            limit Limit::of(&[Leaf::RequestValidationMaxHeaderSize]);
        max_header_count: u64, FieldKind::Int(Bound::new(10, ">= 10", 1000, "<= 1000")), optional, "100", "",
            "Headers of a request.",
            limit Limit::of(&[Leaf::RequestValidationMaxHeaderCount]);
        require_host_header: bool, FieldKind::Bool, optional, "true", "",
            "Whether a request without a Host is refused.";
    }
}

settings! {
    /// `inspection`.
    Inspection of Inspection at "inspection" {
        evaluation_timeout: u64, FieldKind::Duration(Bound::least(10, ">= 10ms")), optional, "50ms", "",
            "CPU time that the evaluation of one request may take.",
            limit Limit::of(&[Leaf::ResourceLimitsEvaluationTimeout]);
        max_inspect_size: u64, FieldKind::Size(Bound::new(1, "> 0", 10 * MB, "<= 10MB")), optional, "128KB", "",
            "Bytes of a body, file contents aside, that rules evaluate.",
            limit Limit::with(&[Leaf::ResourceLimitsMaxInspectionSize],
                "the upstream's answer: the rest passes uninspected, and is logged where the protection is enabled");
        max_memory_buffer: u64, FieldKind::Size(Bound::new(1, "> 0", 10 * MB, "<= 10MB")), optional, "128KB", "",
            "Bytes of a body that are held in memory; more goes to disk.",
            limit Limit::with(&[Leaf::ResourceLimitsMaxMemory], "503, only when the disk fails");
        decompression_ratio_limit: u64, FieldKind::Int(Bound::least(1, ">= 1")), optional, "100", "",
            "Inflated over compressed bytes of a body.",
            limit Limit::of(&[Leaf::ResourceLimitsDecompressionRatio]);
        json_depth: u64, FieldKind::Int(Bound::new(1, ">= 1", 1000, "<= 1000")), optional, "20", "",
            "Nesting of a JSON body.",
            limit Limit::of(&[Leaf::JsonParsingMaxDepth]);
        json_keys: u64, FieldKind::Int(Bound::new(1, ">= 1", 100_000, "<= 100000")), optional, "1000", "",
            "Keys of a JSON object.",
            limit Limit::of(&[Leaf::JsonParsingMaxKeys]);
        xml_depth: u64, FieldKind::Int(Bound::new(1, ">= 1", 1000, "<= 1000")), optional, "20",
            "only relevant where XML is accepted",
            "Nesting of an XML body.",
            limit Limit::of(&[Leaf::XmlParsingMaxDepth]);
        xml_entities: u64, FieldKind::Int(Bound::new(0, ">= 0", 10_000, "<= 10000")), optional, "100",
            "only relevant where XML is accepted", "Entities that an XML body declares, and those that it expands.",
            limit Limit::of(&[Leaf::XmlParsingEntityExpansion]);
    }
}

settings! {
    /// `multipart`.
    Multipart of Multipart at "multipart" {
        file_limit: u64, FieldKind::Int(Bound::least(1, ">= 1")), optional, "10", "", "Files of one body.",
            limit Limit::of(&[Leaf::FileUploadLimitsMaxFileCount]);
        file_size: u64, FieldKind::Size(Bound::least(1, "> 0")), optional, "10MB", "", "Bytes of one file.",
            limit Limit::of(&[Leaf::FileUploadLimitsMaxFileSize]);
        allowed_types: Vec<At<MediaType>>, MEDIA_TYPES, optional, "[]", "each a valid MIME type",
            "Types of files; an empty list allows every type.";
        double_extension: bool, FieldKind::Bool, optional, "true", "",
            "Whether file names with a second, hidden extension are refused.";
    }
}

section! {
    /// `response_headers`.
    ResponseHeaders {
        inject: Map<AddedHeader, HeaderValue>, FieldKind::Map(AddedHeader::SYNTAX, HeaderValue::SYNTAX), optional,
            "{}",
            "keys are canonical `response-headers-add-*` names; a route's entries are merged over the global ones",
            "Values of added headers, in place of the built-in ones and of the upstream's.";
        strip_extra: Vec<At<HeaderName>>, HEADER_NAMES, optional, "[]",
            "each a valid HTTP header name; a route's list is united with the global one", "Further headers that are taken out of responses.";
    }
}

/// `rate_limit.source.type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SourceType {
    Ip,
    Header,
}

impl OneOf for SourceType {
    const WORDS: &'static [(&'static str, SourceType)] =
        &[("ip", SourceType::Ip), ("header", SourceType::Header)];
}

/// `rate_limit.backend.type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BackendType {
    Memory,
}

impl OneOf for BackendType {
    const WORDS: &'static [(&'static str, BackendType)] = &[("memory", BackendType::Memory)];
}

section! {
    /// `rate_limit`.
    RateLimit {
        requests: u64, FieldKind::Int(Bound::least(1, ">= 1")), required, "", "", "Requests in one window.",
            limit Limit::with(&[], "429");
        window: u64, FieldKind::Duration(Bound::least(SECOND, ">= 1s")), required, "", "",
            "Length of the sliding window.",
            limit Limit::with(&[], "429");
        source: RateLimitSource, FieldKind::Section(RateLimitSource::FIELDS), required, "", "",
            "The identification of a client.";
        backend: RateLimitBackend, FieldKind::Section(RateLimitBackend::FIELDS), optional, "", "",
            "Where counts are kept.";
    }
}

section! {
    /// `rate_limit.source`.
    RateLimitSource {
        r#type: Choice<SourceType>, FieldKind::Choice(&["ip", "header"]), required, "", "",
            "The client's address, or the value of a header.";
        key: PlainText, FieldKind::Text(PlainText::SYNTAX), optional, "",
            "required when `type` is `header`; a valid HTTP header name", "Name of the header.";
    }
}

section! {
    /// `rate_limit.backend`.
    RateLimitBackend {
        r#type: Choice<BackendType>, FieldKind::Choice(&["memory"]), optional, "memory", "must be `memory`",
            "Kind of the store.";
        max_keys: u64, FieldKind::Int(Bound::least(1, ">= 1")), optional, "100000", "",
            "Keys that are tracked; the least recently used one goes first.",
            limit Limit::with(&[], "–");
        ttl: u64, FieldKind::Duration(Bound::least(SECOND, ">= 1s")), optional, "10m", "",
            "Idle time after which a key is forgotten.",
            limit Limit::with(&[], "–");
    }
}
