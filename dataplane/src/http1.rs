//! HTTP/1.1 message syntax (RFC 9112), one strict codec for both sides: heads as they came, body framing, writing.
//! It is our own because `http::Uri` cannot carry every target that clients send, and nothing else keeps header order
//! and case. Bytes that two parsers could read differently are an error here, never repaired. No policy, no route and
//! no plan is known here.

pub mod body;

pub mod head;

pub mod framing;

pub(crate) mod hop;

pub mod reader;
