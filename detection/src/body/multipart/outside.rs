//! Bytes outside of all parts: before the first delimiter and behind the last. Forms have none. In other multipart bodies
//! they are a note for readers that know no parts (RFC 2046, section 5.1.1), and are judged as the text that those see.

use waf_bodies::multipart::{Flavor, Side};

use super::finding::BOUNDARIES;
use super::parts::Parts;
use crate::body::kind::BodyKind;
use crate::body::sink::{Completeness, Sink};
use crate::body::text::Text;
use crate::field::Place;

impl Parts {
    /// Takes bytes outside of all parts.
    pub(super) fn outside(&mut self, bytes: &[u8], side: Side, value: &mut Text, sink: &mut impl Sink) {
        let within = self.count(bytes.len());
        if self.flavor == Flavor::Form {
            if !bytes.trim_ascii().is_empty() {
                let fault = match side {
                    Side::Before => "something precedes the first boundary of a multipart body",
                    Side::Behind => "something follows the last boundary of a multipart body",
                };
                sink.violation(BOUNDARIES, fault);
            }
            return;
        }
        let mut text = bytes.get(..within).unwrap_or_default();
        if !self.is_outside {
            // The line break behind the last delimiter is not a note.
            text = text.trim_ascii_start();
            if text.is_empty() {
                return;
            }
            value.start(BodyKind::Raw, Place::Body, b"", None);
            self.is_outside = true;
        }
        value.feed(text, sink);
    }

    /// Judges what [`Parts::outside`] has taken, at the delimiter that follows it or at the end.
    pub(super) fn end_outside(&mut self, completeness: Completeness, value: &mut Text, sink: &mut impl Sink) {
        if std::mem::take(&mut self.is_outside) {
            value.finish(completeness, sink);
        }
    }
}
