//! `data_dir` is writable, or could be made.

use std::path::Path;

use crate::code;
use crate::diagnostic::{Sink, quoted};
use crate::raw::Document;
use crate::resolve;
use crate::source;

pub(super) fn check(document: &Document, sink: &mut Sink) {
    let (directory, line) = match (&document.data_dir, document.key("data_dir")) {
        (Some(at), _) => (at.value.0.as_str(), at.line),
        (None, None) => (resolve::data_dir(document), 1),
        (None, Some(_)) => return,
    };
    if let Err(error) = source::check_writable(Path::new(directory)) {
        sink.error(
            code::UNUSABLE_PATH,
            line,
            format!("data_dir must be writable: {}: {error}", quoted(directory)),
        );
    }
}
