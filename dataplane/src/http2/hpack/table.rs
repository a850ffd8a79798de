//! The static and the dynamic table (RFC 7541 sections 2.3 and 4, appendix A).

use std::collections::VecDeque;

use bytes::Bytes;

/// Bytes of a dynamic table that we allow; the default, which every client knows before it has read our settings.
const TABLE_BYTES_MAX: usize = 4096;

/// Bytes that an entry counts beside its name and value (RFC 7541 section 4.1).
const ENTRY_OVERHEAD: usize = 32;

/// The tables of one direction of a connection.
#[derive(Debug)]
pub(super) struct Table {
    /// The newest entry first.
    entries: VecDeque<(Bytes, Bytes)>,
    bytes: usize,
    bytes_max: usize,
}

impl Default for Table {
    fn default() -> Table {
        Table { entries: VecDeque::new(), bytes: 0, bytes_max: TABLE_BYTES_MAX }
    }
}

impl Table {
    /// The field at an index, which counts from 1 through the static table and then the dynamic one.
    pub(super) fn field(&self, index: usize) -> Option<(Bytes, Bytes)> {
        let at = index.checked_sub(1)?;
        match STATIC.get(at) {
            Some((name, value)) => {
                Some((Bytes::from_static(name.as_bytes()), Bytes::from_static(value.as_bytes())))
            }
            None => self.entries.get(at - STATIC.len()).cloned(),
        }
    }

    /// Adds an entry; older ones make room. One larger than the table empties it.
    pub(super) fn insert(&mut self, (name, value): (Bytes, Bytes)) {
        let size = name.len() + value.len() + ENTRY_OVERHEAD;
        self.evict(self.bytes_max.saturating_sub(size));
        if size <= self.bytes_max {
            self.bytes += size;
            self.entries.push_front((name, value));
        }
    }

    /// Sets the size; `false` when it is more than was allowed.
    pub(super) fn resize(&mut self, bytes_max: usize) -> bool {
        if bytes_max > TABLE_BYTES_MAX {
            return false;
        }
        self.bytes_max = bytes_max;
        self.evict(bytes_max);
        true
    }

    fn evict(&mut self, bytes_max: usize) {
        while self.bytes > bytes_max
            && let Some((name, value)) = self.entries.pop_back()
        {
            self.bytes -= name.len() + value.len() + ENTRY_OVERHEAD;
        }
    }
}

const STATIC: &[(&str, &str)] = &[
    (":authority", ""),
    (":method", "GET"),
    (":method", "POST"),
    (":path", "/"),
    (":path", "/index.html"),
    (":scheme", "http"),
    (":scheme", "https"),
    (":status", "200"),
    (":status", "204"),
    (":status", "206"),
    (":status", "304"),
    (":status", "400"),
    (":status", "404"),
    (":status", "500"),
    ("accept-charset", ""),
    ("accept-encoding", "gzip, deflate"),
    ("accept-language", ""),
    ("accept-ranges", ""),
    ("accept", ""),
    ("access-control-allow-origin", ""),
    ("age", ""),
    ("allow", ""),
    ("authorization", ""),
    ("cache-control", ""),
    ("content-disposition", ""),
    ("content-encoding", ""),
    ("content-language", ""),
    ("content-length", ""),
    ("content-location", ""),
    ("content-range", ""),
    ("content-type", ""),
    ("cookie", ""),
    ("date", ""),
    ("etag", ""),
    ("expect", ""),
    ("expires", ""),
    ("from", ""),
    ("host", ""),
    ("if-match", ""),
    ("if-modified-since", ""),
    ("if-none-match", ""),
    ("if-range", ""),
    ("if-unmodified-since", ""),
    ("last-modified", ""),
    ("link", ""),
    ("location", ""),
    ("max-forwards", ""),
    ("proxy-authenticate", ""),
    ("proxy-authorization", ""),
    ("range", ""),
    ("referer", ""),
    ("refresh", ""),
    ("retry-after", ""),
    ("server", ""),
    ("set-cookie", ""),
    ("strict-transport-security", ""),
    ("transfer-encoding", ""),
    ("user-agent", ""),
    ("vary", ""),
    ("via", ""),
    ("www-authenticate", ""),
];
