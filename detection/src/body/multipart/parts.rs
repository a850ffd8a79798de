//! The parts of a multipart body: what their heads say, and how their content is read.

use waf_bodies::multipart::{Flavor, Head};
use waf_shared::catalog::Leaf;
use waf_shared::limits;

use super::finding::{Finding, finding};
use super::unnamed::Unnamed;
use super::{file_name, signature};
use crate::body::charset;
use crate::body::kind::BodyKind;
use crate::body::media_type;
use crate::body::sink::Sink;
use crate::body::text::Text;
use crate::bounds::Files;
use crate::field::Place;

/// State of a body and of the part in hand.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) flavor: Flavor,
    pub(super) files: Option<Files>,
    pub(super) reading: Reading,
    pub(super) head: Head,
    pub(super) file_count: u32,
    pub(super) file_bytes: u64,
    /// The first bytes of a file.
    pub(super) file_head: Vec<u8>,
    /// True while the file in hand is read as markup.
    pub(super) is_markup: bool,
    /// Bytes of files of markup that may still be read. They leave the room of the fields behind them alone.
    pub(super) markup_room: u64,
    /// A file without a name, until its first bytes say what it is.
    pub(super) unnamed: Option<Unnamed>,
    /// The value of `_charset_`, while it is read.
    pub(super) charset: Option<Vec<u8>>,
    /// The standing of files whose head has a fault.
    pub(super) faulty_files: FaultyFiles,
    /// True if a text outside of all parts is being read.
    pub(super) is_outside: bool,
    /// Bytes that may still be evaluated.
    pub(super) room: u64,
    /// Bytes that were not, because there was no room.
    pub(super) uninspected: u64,
    /// Bytes of all files behind their first.
    pub(super) file_rest: u64,
}

/// Standing of a file whose head readers may understand differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum FaultyFiles {
    /// A file; the fault is a violation.
    #[default]
    Files,
    /// A field, because nobody refuses the fault.
    Fields,
}

/// Reading of the bytes in hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Reading {
    /// As no content, or as that of a part that cannot be read or is not evaluated any more.
    #[default]
    Skipped,
    /// As a value that is judged.
    Text,
    /// As the content of a file.
    File,
}

impl Parts {
    pub(super) fn reset(&mut self) {
        self.files = None;
        self.reading = Reading::Skipped;
        self.file_count = 0;
        self.file_bytes = 0;
        self.file_head.clear();
        self.is_markup = false;
        self.markup_room = 0;
        self.unnamed = None;
        self.charset = None;
        self.faulty_files = FaultyFiles::Files;
        self.is_outside = false;
        self.room = 0;
        self.uninspected = 0;
        self.file_rest = 0;
    }

    /// Without a boundary the body is one text.
    pub(super) fn unbounded(&mut self, bytes: &[u8], value: &mut Text, sink: &mut impl Sink) {
        if self.reading == Reading::Skipped && !bytes.is_empty() {
            value.start(BodyKind::Raw, Place::Body, b"", None);
            self.reading = Reading::Text;
        }
        let within = self.count(bytes.len());
        value.feed(bytes.get(..within).unwrap_or_default(), sink);
    }

    /// Reads the head of a part; with `spent` nothing of it is evaluated any more.
    pub(super) fn head(&mut self, block: &[u8], spent: bool, value: &mut Text, sink: &mut impl Sink) {
        let mut head = std::mem::take(&mut self.head);
        let mut is_clear = true;
        head.read(block, self.flavor, limits::PART_FIELDS_MAX, &mut |doubt| {
            is_clear = false;
            let (leaf, reason) = finding(doubt);
            sink.violation(leaf, reason);
        });
        if head.charsets.iter().any(|name| !charset::is_usual(name)) {
            is_clear = false;
            let reason = "a part declares an unusual character set";
            sink.violation(Leaf::FileUploadAttacksContentTypeTrick, reason);
        }
        if !is_clear && self.faulty_files == FaultyFiles::Fields {
            self.begin_file(&head, sink);
            head.also_named.extend(head.file_name.take());
        }
        self.begin_part(&head, spent, value, sink);
        self.head = head;
    }

    /// Judges what a part's head says, and decides how its content is read.
    fn begin_part(&mut self, head: &Head, spent: bool, value: &mut Text, sink: &mut impl Sink) {
        self.file_bytes = 0;
        self.file_head.clear();
        self.is_markup = false;
        self.unnamed = None;
        self.charset = None;
        if !spent {
            sink.argument_name(Place::PartName, &head.name);
            for other in &head.others {
                sink.field(Place::PartHeader, &head.name, other);
            }
            for name in head.file_name.iter().chain(&head.also_named) {
                sink.field(Place::FileName, &head.name, name);
            }
        }
        // A file without a name is what browsers send for an input that was left empty; some readers take it for a field.
        let has_name = head.file_name.as_ref().is_some_and(|name| !name.is_empty());
        // Readers take any part whose disposition has a name, and no file's name, for a field.
        let is_binary = self.flavor == Flavor::Other
            && head.name.is_empty()
            && media_type::kind(&head.media_type) == BodyKind::Binary;
        if has_name || is_binary {
            self.reading = Reading::File;
            if !has_name && !spent {
                self.begin_unnamed(&head.media_type);
            }
            return self.begin_file(head, sink);
        }
        if spent {
            self.reading = Reading::Skipped;
            return;
        }
        if head.name == b"_charset_" {
            self.charset = Some(Vec::new());
        }
        let kind = match media_type::kind(&head.media_type) {
            BodyKind::Json => BodyKind::Json,
            BodyKind::Xml => BodyKind::Xml,
            _ => BodyKind::Raw,
        };
        value.start(kind, Place::Part, &head.name, None);
        self.reading = Reading::Text;
    }

    fn begin_file(&mut self, head: &Head, sink: &mut impl Sink) {
        let Some(files) = &self.files else { return };
        self.file_count = self.file_count.saturating_add(1);
        if self.file_count > files.count {
            sink.violation(Leaf::FileUploadLimitsMaxFileCount, "more files than multipart.file_limit");
        }
        if files.types.as_deref().is_some_and(|types| !signature::is_allowed(&head.media_type, types)) {
            sink.violation(
                Leaf::FileUploadLimitsAllowedTypes,
                "a file's type is not in multipart.allowed_types",
            );
        }
        let mut report = |(leaf, reason): Finding| sink.violation(leaf, reason);
        for name in head.file_name.iter().chain(&head.also_named) {
            file_name::judge(name, files.double_extension, &mut report);
        }
    }
}
