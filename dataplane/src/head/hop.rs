//! One hop of a message: what a head says about the connection beneath it, and what a message that goes says about its
//! own. Every question whose answer depends on the version of HTTP is answered here, so that no stage asks for the
//! version.

use waf_detection::request;

use super::{RequestHead, ResponseHead, Version};

/// Delimiter by which the receiver finds the end of a body.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Delimited {
    /// From the head: a length, or no body at all.
    #[default]
    Head,
    /// From the message itself: chunks, or frames.
    Message,
    /// From the end of the connection.
    Connection,
}

/// Statements of a message about its own hop. A codec makes each in its own way: HTTP/1 by fields, HTTP/2 by frames or
/// not at all.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hop {
    pub(crate) delimited: Delimited,
    /// True if nothing follows the message on its connection.
    pub(crate) closes: bool,
    /// True if the sender of a request reads trailers.
    pub(crate) takes_trailers: bool,
    /// Values of `Upgrade`: the protocols that are asked for, or the one that is switched to.
    pub(crate) upgrade: Vec<Vec<u8>>,
}

impl Version {
    /// Reports whether a message may end without a length and without the end of its connection.
    pub(crate) fn delimits_messages(self) -> bool {
        match self {
            Version::Http10 => false,
            Version::Http11 | Version::Http2 => true,
        }
    }

    /// Reports whether a client reads interim responses.
    pub(crate) fn has_interim_responses(self) -> bool {
        match self {
            Version::Http10 => false,
            Version::Http11 | Version::Http2 => true,
        }
    }

    /// Reports whether a connection that carries another message has to be announced.
    pub(crate) fn announces_persistence(self) -> bool {
        match self {
            Version::Http10 => true,
            Version::Http11 | Version::Http2 => false,
        }
    }

    /// Reports whether messages are made of frames, which gRPC needs.
    pub(crate) fn has_frames(self) -> bool {
        match self {
            Version::Http10 | Version::Http11 => false,
            Version::Http2 => true,
        }
    }
}

impl From<Version> for request::Version {
    fn from(version: Version) -> request::Version {
        match version {
            Version::Http10 => request::Version::Http10,
            Version::Http11 => request::Version::Http11,
            Version::Http2 => request::Version::Http2,
        }
    }
}

impl RequestHead {
    /// Reports whether the client lets the connection carry another request (RFC 9112 section 9.3).
    pub(crate) fn allows_next(&self) -> bool {
        let has_option = |option: &[u8]| self.fields.has_token("connection", option);
        match self.version {
            // The stream ends; the connection has its own means to announce that it closes.
            Version::Http2 => true,
            Version::Http11 => !has_option(b"close"),
            Version::Http10 => has_option(b"keep-alive") && !has_option(b"close"),
        }
    }

    /// Reports whether the Host has to be a field, even beside a target that names one (RFC 9112 section 3.2).
    pub(crate) fn needs_host_field(&self) -> bool {
        match self.version {
            Version::Http11 => true,
            Version::Http10 | Version::Http2 => false,
        }
    }

    /// Reports whether the client asks for another protocol on the connection (RFC 9110 section 7.8).
    pub(crate) fn asks_for_switch(&self) -> bool {
        match self.version {
            Version::Http11 => self.fields.has_token("connection", b"upgrade"),
            Version::Http10 | Version::Http2 => false,
        }
    }

    /// Reports whether the client says that it takes trailers (RFC 9110 section 10.1.4).
    pub(crate) fn asks_for_trailers(&self) -> bool {
        match self.version {
            Version::Http10 => false,
            Version::Http11 | Version::Http2 => self.fields.has_token("te", b"trailers"),
        }
    }

    /// Reports whether the client takes trailers. HTTP/2 has room for them in every answer.
    pub(crate) fn takes_trailers(&self) -> bool {
        self.version.has_frames() || self.asks_for_trailers()
    }
}

impl ResponseHead {
    /// Reports whether the upstream lets a connection that carries one message at a time carry another one.
    pub(crate) fn allows_next(&self) -> bool {
        match self.version {
            Version::Http11 => !self.fields.has_token("connection", b"close"),
            // A stream carries one message.
            Version::Http10 | Version::Http2 => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(version: Version, fields: &[(&str, &str)]) -> RequestHead {
        let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_bytes(), value.as_bytes())).collect();
        RequestHead::assemble(b"GET", b"/", version, &fields, true)
    }

    #[test]
    fn connections_live_as_version_and_options_say() {
        use Version::{Http2, Http10, Http11};
        for (version, options, expected) in [
            (Http11, "", true),
            (Http11, "keep-alive, TE", true),
            (Http11, "x, CLOSE", false),
            (Http10, "", false),
            (Http10, "Keep-Alive", true),
            (Http10, "keep-alive, close", false),
            (Http2, "", true),
        ] {
            assert_eq!(head(version, &[("connection", options)]).allows_next(), expected, "{options}");
            let fields = [(&b"connection"[..], options.as_bytes())];
            let response = ResponseHead::assemble(200, "", version, fields.into_iter());
            assert_eq!(response.allows_next(), expected && version == Http11, "{version:?} {options}");
        }
    }

    #[test]
    fn trailers_and_switches_are_asked_for_where_the_version_has_them() {
        use Version::{Http2, Http10, Http11};
        for (version, asks, takes, switches) in
            [(Http10, false, false, false), (Http11, true, true, true), (Http2, true, true, false)]
        {
            let asking = head(version, &[("te", "gzip, trailers"), ("connection", "TE, Upgrade")]);
            assert_eq!((asking.asks_for_trailers(), asking.takes_trailers()), (asks, takes), "{version:?}");
            assert_eq!(asking.asks_for_switch(), switches, "{version:?}");
            let silent = head(version, &[("te", "gzip"), ("connection", "x")]);
            assert!(!silent.asks_for_trailers() && !silent.asks_for_switch(), "{version:?}");
            assert_eq!(silent.takes_trailers(), version == Http2, "{version:?}");
        }
    }
}
