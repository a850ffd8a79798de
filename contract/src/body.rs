//! Bodies: read by their media type into values and judged by the schema of the type that the operation declares.

mod form;
mod input;
mod multipart;
mod part;

pub(crate) use input::By;

use waf_shared::plan::contract::Media;

use crate::fault::Fault;
use crate::json::{Document, Value};
use crate::media::{MediaType, Reader};
use crate::schema::judge;

/// Extent to which a body was judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judged {
    /// All of it.
    Whole,
    /// The part that was there.
    Prefix,
    /// Nothing: no schema, or a media type that nothing here reads.
    Nothing,
}

/// Judges a body, or the first part of one.
pub(crate) fn body(
    by: &By<'_>,
    media: &Media,
    media_type: &MediaType,
    bytes: &[u8],
    is_whole: bool,
) -> Result<Judged, Fault> {
    let Some(schema) = media.schema else { return Ok(Judged::Nothing) };
    let document = match media_type.reader() {
        Reader::Json => {
            // Other character sets are no JSON (RFC 8259 section 8.1), and would hide what they say.
            let charset = media_type.certain_parameter("charset").map_err(|_| Fault::of_all("charset"))?;
            let charset = charset.unwrap_or("utf-8");
            if !["utf-8", "utf8", "us-ascii"].iter().any(|known| charset.eq_ignore_ascii_case(known)) {
                return Err(Fault::of_all("charset"));
            }
            Document::read(bytes, is_whole).map_err(|malformed| Fault::of_json(String::new(), malformed))?
        }
        Reader::Form => form::read(by, schema, media, bytes, is_whole)?,
        Reader::Multipart => {
            let boundary = media_type.certain_parameter("boundary").ok().flatten();
            let boundary = boundary.ok_or_else(|| Fault::of_all("boundary"))?;
            multipart::read(by, schema, media, (boundary.as_bytes(), bytes), is_whole)?
        }
        Reader::Text => text(bytes, is_whole),
        Reader::None => return Ok(Judged::Nothing),
    };
    judge(by.schemas, schema, &document, by.direction)?;
    Ok(if document.is_open() { Judged::Prefix } else { Judged::Whole })
}

fn text(bytes: &[u8], is_whole: bool) -> Document<'_> {
    let mut document = Document::default();
    let value = if is_whole { Value::Loose(String::from_utf8_lossy(bytes)) } else { Value::Unknown };
    document.push(None, value);
    document
}
