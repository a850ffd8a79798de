//! A contract: what an OpenAPI document says about requests and answers, lowered. Schemas, parameters and patterns lie
//! in flat arenas and name each other by index, because schemas may contain themselves.

use bincode::{Decode, Encode};

/// Index into [`Contract::schemas`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Encode, Decode)]
pub struct SchemaId(pub u32);

/// Index into [`Contract::patterns`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Encode, Decode)]
pub struct PatternId(pub u32);

/// Index into [`Contract::parameters`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Encode, Decode)]
pub struct ParameterId(pub u32);

/// One document, lowered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Encode, Decode)]
pub struct Contract {
    /// Declared paths, in the order of the document.
    pub paths: Vec<ContractPath>,
    /// Parameters and headers of all operations.
    pub parameters: Vec<Parameter>,
    /// Schemas of all operations.
    pub schemas: Vec<Schema>,
    /// Regular expressions as the document writes them (ECMA-262).
    pub patterns: Vec<String>,
    /// Query parameters that security schemes carry keys in.
    pub query_keys: Vec<String>,
}

/// A path with its operations.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct ContractPath {
    /// As the document writes it, `/orders/{id}`.
    pub template: String,
    /// Paths of the servers that serve it, without a trailing slash; `""` is the root. Never empty.
    pub bases: Vec<String>,
    /// Its operations.
    pub operations: Vec<Operation>,
}

/// An operation.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct Operation {
    /// Method token in upper case.
    pub method: String,
    /// Those of the path that are not overridden, then its own.
    pub parameters: Vec<ParameterId>,
    /// The body that it takes; `None` is none.
    pub body: Option<RequestBody>,
    /// Answers that it declares.
    pub responses: Vec<Response>,
}

/// Constraints on a body.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct RequestBody {
    /// True if a request without one breaks the contract.
    pub required: bool,
    /// By media type.
    pub content: Vec<Media>,
}

/// A media type with its schema.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct Media {
    /// Media range in lower case with its parameters, `application/*` or `application/json; v=1`.
    pub range: String,
    /// Schema of the content; `None` takes anything.
    pub schema: Option<SchemaId>,
    /// Serialisation of properties of forms and multipart bodies, where the document says so.
    pub encodings: Vec<Encoding>,
}

/// Serialisation of a property of a form.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct Encoding {
    /// Name of the property.
    pub property: String,
    /// Media ranges that a part may have; empty is any.
    pub content_types: Vec<String>,
    /// Serialisation in `application/x-www-form-urlencoded`.
    pub style: Style,
    /// True if items and properties are repeated as fields of their own.
    pub explode: bool,
    /// Headers of a part.
    pub headers: Vec<ParameterId>,
}

/// A declared answer.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct Response {
    /// Which status codes it is for.
    pub status: StatusRange,
    /// By media type; empty declares none.
    pub content: Vec<Media>,
    /// Headers.
    pub headers: Vec<ParameterId>,
}

/// Status codes of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
pub enum StatusRange {
    /// `200`
    Exact(u16),
    /// `2XX`: the first digit.
    Class(u8),
    /// `default`
    Default,
}

/// A parameter or a header.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct Parameter {
    /// Its name; that of a header in lower case.
    pub name: String,
    /// Its location.
    pub place: Place,
    /// True if a message without it breaks the contract.
    pub required: bool,
    /// True if an empty value is fine whatever the schema says.
    pub allows_empty: bool,
    /// True if its value is a JSON text (`content` with a JSON media type).
    pub is_json: bool,
    /// Serialisation.
    pub style: Style,
    /// True if items and properties are written apart.
    pub explode: bool,
    /// Schema of the value; `None` takes anything.
    pub schema: Option<SchemaId>,
}

/// Location of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Encode, Decode)]
pub enum Place {
    /// A template expression of the path.
    Path,
    /// The query.
    Query,
    /// A header field.
    Header,
    /// A cookie.
    Cookie,
}

/// Serialisation of a value (OpenAPI 3.1.1 section 4.8.12.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
pub enum Style {
    /// `blue,black`
    Simple,
    /// `.blue.black`
    Label,
    /// `;color=blue,black`
    Matrix,
    /// `color=blue&color=black`
    Form,
    /// `color=blue%20black`
    SpaceDelimited,
    /// `color=blue|black`
    PipeDelimited,
    /// `color[R]=100&color[G]=200`
    DeepObject,
}

/// A schema: all of its keywords must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Encode, Decode)]
pub struct Schema {
    /// Assertions; empty takes anything.
    pub keywords: Vec<Keyword>,
}

/// Bits of [`Keyword::Types`].
pub mod types {
    /// `null`
    pub const NULL: u8 = 1;
    /// `boolean`
    pub const BOOLEAN: u8 = 2;
    /// A number without a fraction.
    pub const INTEGER: u8 = 4;
    /// Any number.
    pub const NUMBER: u8 = 8;
    /// `string`
    pub const STRING: u8 = 16;
    /// `array`
    pub const ARRAY: u8 = 32;
    /// `object`
    pub const OBJECT: u8 = 64;
    /// Every type.
    pub const ANY: u8 = 127;
}

/// One assertion of a schema. Numbers and values are JSON texts, so that no digit is lost.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub enum Keyword {
    /// The schema `false`.
    Never,
    /// `nullable: true` of OpenAPI 3.0: null satisfies the whole schema.
    Nullable,
    /// `type`: bits of [`types`].
    Types(u8),
    /// `$ref`
    Ref(SchemaId),
    /// `enum`: JSON texts.
    Enum(Vec<String>),
    /// `const`: a JSON text.
    Const(String),
    /// `multipleOf`: a JSON number above 0.
    MultipleOf(String),
    /// `minimum` and `exclusiveMinimum`
    Minimum {
        /// A JSON number.
        limit: String,
        /// True if the limit itself is out.
        exclusive: bool,
    },
    /// `maximum` and `exclusiveMaximum`
    Maximum {
        /// A JSON number.
        limit: String,
        /// True if the limit itself is out.
        exclusive: bool,
    },
    /// `minLength`, in characters.
    MinLength(u64),
    /// `maxLength`, in characters.
    MaxLength(u64),
    /// `pattern`
    Pattern(PatternId),
    /// `format`, one that is known.
    Format(Format),
    /// `prefixItems` and `items`
    Items {
        /// Schemas of the first items.
        prefix: Vec<SchemaId>,
        /// Schema of the others.
        rest: Option<SchemaId>,
    },
    /// `contains`, `minContains` and `maxContains`
    Contains {
        /// The schema of the items that are counted.
        schema: SchemaId,
        /// Smallest number of them.
        min: u64,
        /// Largest number of them.
        max: Option<u64>,
    },
    /// `minItems`
    MinItems(u64),
    /// `maxItems`
    MaxItems(u64),
    /// `uniqueItems: true`
    UniqueItems,
    /// `properties`, `patternProperties` and `additionalProperties`
    Properties {
        /// By name, sorted.
        named: Vec<(String, SchemaId)>,
        /// By pattern of the name.
        patterns: Vec<(PatternId, SchemaId)>,
        /// For every other.
        rest: Option<SchemaId>,
    },
    /// `propertyNames`
    PropertyNames(SchemaId),
    /// `required`
    Required(Vec<String>),
    /// `minProperties`
    MinProperties(u64),
    /// `maxProperties`
    MaxProperties(u64),
    /// `dependentRequired`
    DependentRequired(Vec<(String, Vec<String>)>),
    /// `dependentSchemas`
    DependentSchemas(Vec<(String, SchemaId)>),
    /// `allOf`
    AllOf(Vec<SchemaId>),
    /// `anyOf`
    AnyOf(Vec<SchemaId>),
    /// `oneOf`
    OneOf(Vec<SchemaId>),
    /// `not`
    Not(SchemaId),
    /// `if`, `then` and `else`
    If {
        /// The condition.
        condition: SchemaId,
        /// The schema where the condition holds.
        then: Option<SchemaId>,
        /// The schema where it does not.
        otherwise: Option<SchemaId>,
    },
    /// `unevaluatedItems`
    UnevaluatedItems(SchemaId),
    /// `unevaluatedProperties`
    UnevaluatedProperties(SchemaId),
    /// `discriminator`
    Discriminator {
        /// Name of the property that decides.
        property: String,
        /// Value and schema, sorted by value.
        mapping: Vec<(String, SchemaId)>,
    },
    /// `readOnly: true`: not in requests.
    ReadOnly,
    /// `writeOnly: true`: not in answers.
    WriteOnly,
}

/// A `format` that is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
#[expect(missing_docs, reason = "each is the format of its name")]
pub enum Format {
    Int32,
    Int64,
    Float,
    Date,
    DateTime,
    Time,
    Duration,
    Email,
    Hostname,
    Ipv4,
    Ipv6,
    Uri,
    UriReference,
    Uuid,
    Byte,
    JsonPointer,
    RelativeJsonPointer,
}

impl Format {
    /// The format of that name; `None` when it is not checked.
    pub fn named(name: &str) -> Option<Format> {
        Some(match name {
            "int32" => Format::Int32,
            "int64" => Format::Int64,
            "float" => Format::Float,
            "date" => Format::Date,
            "date-time" => Format::DateTime,
            "time" => Format::Time,
            "duration" => Format::Duration,
            "email" => Format::Email,
            "hostname" => Format::Hostname,
            "ipv4" => Format::Ipv4,
            "ipv6" => Format::Ipv6,
            "uri" => Format::Uri,
            "uri-reference" => Format::UriReference,
            "uuid" => Format::Uuid,
            "byte" => Format::Byte,
            "json-pointer" => Format::JsonPointer,
            "relative-json-pointer" => Format::RelativeJsonPointer,
            _ => return None,
        })
    }
}
