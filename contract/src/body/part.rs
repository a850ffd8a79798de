//! The parts of a multipart body.

use waf_bodies::Completeness;
use waf_bodies::multipart::{Boundary, Doubt, Events, Flavor, Head, Side, Tokenizer, fields};
use waf_shared::limits::{CONTRACT_VALUES_MAX, PART_FIELDS_MAX, PART_HEAD_BYTES_MAX};

use crate::media::{MediaType, Reader};

/// One part.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) is_file: bool,
    pub(super) content_type: Option<Vec<u8>>,
    /// Names in lower case.
    pub(super) fields: Vec<(String, Vec<u8>)>,
    /// Empty where nothing reads it.
    pub(super) content: Vec<u8>,
    /// True if all of it was there.
    pub(super) is_whole: bool,
}

/// Makes parts of events.
#[derive(Debug, Default)]
struct Builder {
    parts: Vec<Part>,
    head: Head,
    /// True while content goes to the last part.
    is_within: bool,
    /// False for files that are not JSON: they are known to be there, not what they hold.
    is_kept: bool,
    /// True if two readers may find different parts.
    is_doubtful: bool,
}

/// The parts of a body, and the completeness of their list; `None` where two readers may find different parts.
pub(super) fn parts(boundary: &[u8], bytes: &[u8], is_whole: bool) -> Option<(Vec<Part>, Completeness)> {
    let (mut tokenizer, mut builder) = (Tokenizer::default(), Builder::default());
    tokenizer.start(Boundary::new(boundary), PART_HEAD_BYTES_MAX);
    tokenizer.feed(bytes, &mut builder);
    let is_full = builder.is_over();
    let completeness = if is_whole && !is_full { Completeness::Whole } else { Completeness::CutOff };
    tokenizer.finish(completeness, &mut builder);
    let is_ended = tokenizer.is_at_end();
    if builder.is_doubtful || is_whole && !is_ended {
        return None;
    }
    Some((builder.parts, if is_ended { Completeness::Whole } else { Completeness::CutOff }))
}

impl Events for Builder {
    /// A note for readers that know no parts.
    fn outside(&mut self, _: &[u8], _: Side) {}

    fn delimiter(&mut self) {
        self.end(Completeness::Whole);
    }

    fn framing(&mut self, _: usize) {}

    fn head(&mut self, block: &[u8], _: usize) {
        self.head.read(block, Flavor::Form, PART_FIELDS_MAX, &mut |_| {});
        let fields: Vec<_> = fields(block)
            .take(PART_FIELDS_MAX)
            .map(|(name, value)| (String::from_utf8_lossy(name).to_ascii_lowercase(), value.to_vec()))
            .collect();
        let content_type = fields.iter().find(|(name, _)| name == "content-type");
        let content_type = content_type.map(|(_, value)| value.clone());
        // Readers that find another name have a part that is not judged.
        self.is_doubtful |= !self.head.has_one_name;
        let is_json = |sent: &Vec<u8>| MediaType::parse(sent).reader() == Reader::Json;
        let is_file = self.head.file_name.is_some();
        self.is_kept = !is_file || content_type.as_ref().is_none_or(is_json);
        self.parts.push(Part {
            name: String::from_utf8_lossy(&self.head.name).into_owned(),
            is_file,
            content_type,
            fields,
            content: Vec::new(),
            is_whole: false,
        });
        self.is_within = true;
    }

    fn unreadable_head(&mut self, _: &[u8], _: Doubt) {
        self.is_doubtful = true;
    }

    fn content(&mut self, bytes: &[u8]) {
        if let Some(part) = self.parts.last_mut().filter(|_| self.is_within && self.is_kept) {
            part.content.extend_from_slice(bytes);
        }
    }

    fn end(&mut self, completeness: Completeness) {
        if let Some(part) = self.parts.last_mut().filter(|_| self.is_within) {
            part.is_whole = completeness == Completeness::Whole;
        }
        self.is_within = false;
    }

    fn doubt(&mut self, _: Doubt) {
        self.is_doubtful = true;
    }

    fn is_over(&self) -> bool {
        self.is_doubtful || self.parts.len() >= CONTRACT_VALUES_MAX
    }
}
