//! Multipart bodies in fields. Text values are judged like other values; of files only names, types, sizes and first bytes
//! are looked at, and their content passes by. What two readers may understand differently is a violation.

use waf_bodies::multipart::{About, Boundary, Doubt, Events, Flavor, Head, Side, Tokenizer};
use waf_shared::catalog::Leaf;
use waf_shared::limits;

use super::charset;
use super::media_type;
use super::text::Text;
use crate::body::kind::BodyKind;
use crate::body::sink::Progress;
use crate::body::sink::{Completeness, Sink};
use crate::bounds::{Bounds, Files};
use crate::field::Place;

mod content;
mod file_name;
mod outside;
pub(super) mod signature;
#[cfg(test)]
mod tests;
mod unnamed;

use unnamed::Unnamed;

/// Bytes of the value of `_charset_` that are looked at.
const CHARSET_BYTES_MAX: usize = 64;

const BOUNDARIES: Leaf = Leaf::HttpComplianceMultipartBoundaries;

/// A finding: which protection refuses it, and why.
type Finding = (Leaf, &'static str);

/// The reader.
#[derive(Debug, Default)]
pub(super) struct Multipart {
    /// Not started where the body's type names no boundary; then the body is one text.
    tokenizer: Tokenizer,
    parts: Parts,
}

/// What is known of a body and of the part in hand.
#[derive(Debug, Default)]
struct Parts {
    flavor: Flavor,
    files: Option<Files>,
    reading: Reading,
    head: Head,
    file_count: u32,
    file_bytes: u64,
    /// The first bytes of a file.
    file_head: Vec<u8>,
    /// A file without a name, until its first bytes say what it is.
    unnamed: Option<Unnamed>,
    /// The value of `_charset_`, while it is read.
    charset: Option<Vec<u8>>,
    /// The standing of files whose head has a fault.
    faulty_files: FaultyFiles,
    /// True if a text outside of all parts is being read.
    is_outside: bool,
    /// Bytes that may still be evaluated.
    room: u64,
    /// Bytes that were not, because there was no room.
    uninspected: u64,
    /// Bytes of all files behind their first.
    file_rest: u64,
}

/// Makes fields of events.
struct Fields<'a, S> {
    parts: &'a mut Parts,
    value: &'a mut Text,
    sink: &'a mut S,
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
enum Reading {
    /// As no content, or as that of a part that cannot be read or is not evaluated any more.
    #[default]
    Skipped,
    /// As a value that is judged.
    Text,
    /// As the content of a file.
    File,
}

impl Multipart {
    pub(super) fn reset(&mut self) {
        self.tokenizer.reset();
        self.parts.reset();
    }

    /// Begins a body of the type `value`, which may not name a usable boundary.
    pub(super) fn start(&mut self, value: &[u8], bounds: &Bounds, sink: &mut impl Sink) {
        self.reset();
        self.parts.flavor = if media_type::is_form_data(value) { Flavor::Form } else { Flavor::Other };
        self.parts.files = Some(bounds.files.clone());
        self.parts.room = bounds.max_inspect_size;
        match Boundary::of(value) {
            Ok(boundary) => self.tokenizer.start(boundary, limits::PART_HEAD_BYTES_MAX),
            Err(fault) => sink.violation(BOUNDARIES, fault.reason()),
        }
    }

    /// Reads files with a fault in their head as fields from now on.
    pub(super) fn read_faulty_files(&mut self) {
        self.parts.faulty_files = FaultyFiles::Fields;
    }

    pub(super) fn pending(&self) -> usize {
        self.tokenizer.pending() + self.parts.file_head.len()
    }

    pub(super) fn progress(&self) -> Progress {
        let parts = &self.parts;
        let sniffed = parts.file_head.len() >= signature::HEAD_BYTES && parts.unnamed.is_none();
        match parts.reading {
            Reading::Text => Progress::Open,
            _ if parts.room == 0 => Progress::Cleared,
            Reading::File if sniffed => Progress::InFile,
            _ => Progress::Open,
        }
    }

    pub(super) fn uninspected(&self) -> u64 {
        self.parts.uninspected
    }

    /// Bytes of files behind the first ones of each, which are only counted.
    pub(super) fn file_rest(&self) -> u64 {
        self.parts.file_rest
    }

    pub(super) fn feed(&mut self, chunk: &[u8], value: &mut Text, sink: &mut impl Sink) {
        if !self.tokenizer.is_started() {
            return self.parts.unbounded(chunk, value, sink);
        }
        self.tokenizer.feed(chunk, &mut Fields { parts: &mut self.parts, value, sink });
    }

    pub(super) fn finish(&mut self, completeness: Completeness, value: &mut Text, sink: &mut impl Sink) {
        self.tokenizer.finish(completeness, &mut Fields { parts: &mut self.parts, value, sink });
    }
}

impl<S: Sink> Events for Fields<'_, S> {
    fn outside(&mut self, bytes: &[u8], side: Side) {
        self.parts.outside(bytes, side, self.value, self.sink);
    }

    fn delimiter(&mut self) {
        self.end(Completeness::Whole);
    }

    fn framing(&mut self, bytes: usize) {
        self.parts.count(bytes);
    }

    fn head(&mut self, block: &[u8], bytes: usize) {
        let spent = self.parts.room == 0;
        self.parts.count(bytes);
        self.parts.head(block, spent, self.value, self.sink);
    }

    fn unreadable_head(&mut self, head: &[u8], doubt: Doubt) {
        self.doubt(doubt);
        let spent = self.parts.room == 0;
        self.parts.count(head.len());
        if !spent {
            self.sink.field(Place::PartHeader, b"", head);
        }
        self.parts.reading = Reading::Skipped;
    }

    fn content(&mut self, bytes: &[u8]) {
        self.parts.content(bytes, self.value, self.sink);
    }

    fn end(&mut self, completeness: Completeness) {
        self.parts.end_outside(completeness, self.value, self.sink);
        self.parts.end_part(completeness, self.value, self.sink);
    }

    fn doubt(&mut self, doubt: Doubt) {
        let (leaf, reason) = finding(doubt);
        self.sink.violation(leaf, reason);
    }

    fn is_over(&self) -> bool {
        self.sink.is_over()
    }
}

/// The finding that a doubt is.
fn finding(doubt: Doubt) -> Finding {
    let leaf = match doubt.about {
        About::Boundary => BOUNDARIES,
        About::Head => Leaf::FileUploadAttacksHeaderTricks,
        About::MediaType => Leaf::FileUploadAttacksContentTypeTrick,
        About::Encoding => Leaf::FileUploadAttacksDeprecatedEncoding,
    };
    (leaf, doubt.reason)
}

impl Parts {
    fn reset(&mut self) {
        self.files = None;
        self.reading = Reading::Skipped;
        self.file_count = 0;
        self.file_bytes = 0;
        self.file_head.clear();
        self.unnamed = None;
        self.charset = None;
        self.faulty_files = FaultyFiles::Files;
        self.is_outside = false;
        self.room = 0;
        self.uninspected = 0;
        self.file_rest = 0;
    }

    /// Without a boundary the body is one text.
    fn unbounded(&mut self, bytes: &[u8], value: &mut Text, sink: &mut impl Sink) {
        if self.reading == Reading::Skipped && !bytes.is_empty() {
            value.start(BodyKind::Raw, Place::Body, b"", None);
            self.reading = Reading::Text;
        }
        let within = self.count(bytes.len());
        value.feed(bytes.get(..within).unwrap_or_default(), sink);
    }

    /// Reads the head of a part; with `spent` nothing of it is evaluated any more.
    fn head(&mut self, block: &[u8], spent: bool, value: &mut Text, sink: &mut impl Sink) {
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
