//! HTTP/2 (RFC 9113). The library `h2` keeps streams, windows and the order of writing; beneath it a gate reads every
//! frame of a client first: it decides by the configured bounds, decodes header blocks, keeps heads as they came, and
//! hands the library a stand-in for each, so that two parsers never read the same bytes.

mod flood_budget;

mod fields;

mod frame;

mod gate;

mod incoming;

mod hpack;

mod stream_table;

mod outgoing;

mod request;

pub(crate) mod server;

mod frame_filter;

mod translate;

pub(crate) use incoming::Incoming;
pub(crate) use outgoing::Outgoing;
pub(crate) use translate::{request, response_head};

/// The first bytes of every client (RFC 9113 section 3.4).
pub(crate) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
