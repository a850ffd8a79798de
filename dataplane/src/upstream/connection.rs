//! A connection to an upstream that carries one request at a time.

use tokio::io::{ReadHalf, WriteHalf};
use tokio::sync::OwnedSemaphorePermit;

use super::endpoints::Chosen;
use crate::http1::reader::Reader;
use crate::stream::Stream;

/// One connection, both directions.
#[derive(Debug)]
pub struct Connection {
    /// From the upstream.
    pub reader: Reader<ReadHalf<Stream>>,
    /// To the upstream.
    pub writer: WriteHalf<Stream>,
    /// True if a request went over it before.
    pub reused: bool,
    /// Address of the upstream, with this request counted on it.
    pub(super) chosen: Chosen,
    /// Its place among those of requests; none once it is a tunnel.
    pub(super) slot: Option<OwnedSemaphorePermit>,
}

impl Connection {
    pub(super) fn new(
        stream: Stream,
        reused: bool,
        chosen: Chosen,
        slot: OwnedSemaphorePermit,
    ) -> Connection {
        let (reader, writer) = tokio::io::split(stream);
        Connection { reader: Reader::new(reader), writer, reused, chosen, slot: Some(slot) }
    }

    /// Leaves its place to a request: it carries none any more.
    pub(crate) fn leave_slot(&mut self) {
        self.slot = None;
    }
}
