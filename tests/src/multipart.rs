//! Multipart bodies to the letter, part by part, for tests that send them whole or in pieces.

use crate::raw::Request;

/// The boundary of every body.
pub const BOUNDARY: &str = "between-the-parts";

/// The Content-Type that goes with them.
pub const CONTENT_TYPE: &str = "multipart/form-data; boundary=between-the-parts";

/// The last line of a body.
pub const END: &str = "\r\n--between-the-parts--\r\n";

/// A text field, up to the end of its value.
pub fn field(name: &str, value: &str) -> String {
    format!("\r\n--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}")
}

/// The head of a file, up to its content.
pub fn file(file_name: &str, media_type: &str) -> String {
    format!(
        "\r\n--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{file_name}\"\r\n\
         Content-Type: {media_type}\r\n\r\n"
    )
}

/// A whole body of these parts.
pub fn body(parts: &[impl AsRef<str>]) -> Vec<u8> {
    let parts: String = parts.iter().map(AsRef::as_ref).collect();
    format!("{}{END}", parts.strip_prefix("\r\n").unwrap_or(&parts)).into_bytes()
}

/// A POST of these parts.
pub fn post(target: &str, parts: &[impl AsRef<str>]) -> Request {
    Request::post(target, CONTENT_TYPE, body(parts))
}
