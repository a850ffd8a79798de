//! What the configuration says about one inspection: bounds of bodies, and which parsers exist. It knows no routes.

use std::sync::Arc;

use waf_shared::plan::Settings;

use crate::body::kind::BodyKind;
use crate::body::media_type;

/// Bounds of one inspection that the configuration sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    /// Nesting of JSON.
    pub json_depth: u32,
    /// Keys of one JSON object.
    pub json_keys: u32,
    /// Nesting of XML.
    pub xml_depth: u32,
    /// Entities of one XML document: those it declares, and those it expands, each by itself.
    pub xml_entities: u32,
    /// Bytes of body that are evaluated; what is fed beyond them is passed over. File content does not count.
    pub max_inspect_size: u64,
    /// Bounds of uploads.
    pub files: Files,
    /// The parsers that exist.
    pub parsers: Parsers,
}

/// Bounds of the files in a multipart body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    /// Files of one body.
    pub count: u32,
    /// Bytes of one file.
    pub bytes: u64,
    /// Media types in lower case; `None` allows every type.
    pub types: Option<Arc<[String]>>,
    /// Whether names with an active extension before another one are refused.
    pub double_extension: bool,
}

impl Bounds {
    /// What holds where the configuration says nothing.
    pub const DEFAULT: Bounds = Bounds {
        json_depth: 20,
        json_keys: 1000,
        xml_depth: 20,
        xml_entities: 100,
        max_inspect_size: 128 << 10,
        files: Files { count: 10, bytes: 10 << 20, types: None, double_extension: true },
        parsers: Parsers::ALL,
    };

    /// What holds on a route.
    pub fn of(settings: &Settings) -> Bounds {
        let (inspection, multipart) = (&settings.inspection, &settings.multipart);
        let types = Some(&multipart.allowed_types).filter(|types| !types.is_empty());
        Bounds {
            json_depth: inspection.json_depth,
            json_keys: inspection.json_keys,
            xml_depth: inspection.xml_depth,
            xml_entities: inspection.xml_entities,
            max_inspect_size: inspection.max_inspect_size,
            files: Files {
                count: multipart.file_limit,
                bytes: multipart.file_size,
                types: types.map(|types| types.as_slice().into()),
                double_extension: multipart.double_extension,
            },
            parsers: Parsers::of(&settings.accept.content_types),
        }
    }
}

/// The parsers that exist on a route. Where one is missing, a body of its type is one raw value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parsers {
    /// `application/x-www-form-urlencoded`.
    pub form: bool,
    /// JSON, also by suffix.
    pub json: bool,
    /// XML, also by suffix.
    pub xml: bool,
    /// Multipart.
    pub multipart: bool,
}

impl Parsers {
    /// Every parser.
    pub const ALL: Parsers = Parsers { form: true, json: true, xml: true, multipart: true };

    /// The parsers for a list of media types in lower case; an empty list has them all.
    pub fn of(content_types: &[String]) -> Parsers {
        if content_types.is_empty() {
            return Parsers::ALL;
        }
        let mut parsers = Parsers { form: false, json: false, xml: false, multipart: false };
        for content_type in content_types {
            match media_type::kind(content_type.as_bytes()) {
                BodyKind::Form => parsers.form = true,
                BodyKind::Json => parsers.json = true,
                BodyKind::Xml => parsers.xml = true,
                BodyKind::Multipart => parsers.multipart = true,
                BodyKind::Raw | BodyKind::Binary | BodyKind::None => {}
            }
        }
        parsers
    }

    /// How a body of the type `media_type` is read here.
    pub(crate) fn kind(self, media_type: &[u8]) -> BodyKind {
        let kind = media_type::kind(media_type);
        let exists = match kind {
            BodyKind::Form => self.form,
            BodyKind::Json => self.json,
            BodyKind::Xml => self.xml,
            BodyKind::Multipart => self.multipart,
            BodyKind::Raw | BodyKind::Binary | BodyKind::None => true,
        };
        if exists { kind } else { BodyKind::Raw }
    }
}
