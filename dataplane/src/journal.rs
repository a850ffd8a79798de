//! The worker's journal: which requests are in flight, by their shape, in memory that outlives the worker. When a
//! worker is killed by a request, the supervisor reads which ones it may have been. Nothing of what a request carries
//! is written: no value, no path, only sizes, names of header fields, and hashes.

use std::hash::Hasher as _;
use std::io;
use std::os::fd::AsFd as _;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use siphasher::sip::SipHasher13;
use waf_shared::journal::{self, CLAIMED, ROUTE_AT, SLOT_WORDS, STAGE_AT, Shape, Stage, TEXT_BYTES_MAX};
use waf_shared::limits::JOURNAL_SLOTS;

use crate::active_plan::RouteIndex;
use crate::head::RequestHead;
use crate::http1::framing::{self, Framing};
use crate::rate_limit::mapping::Mapping;

/// Slots that are looked at before a request goes unwritten.
const TRIES: usize = 8;

/// The memory.
#[derive(Debug)]
pub struct Journal {
    memory: Mapping,
    next: AtomicUsize,
}

impl Journal {
    /// Maps memory that the supervisor made.
    pub fn open(memory: &OwnedFd) -> io::Result<Arc<Journal>> {
        let memory = Mapping::new(memory.as_fd(), 0, journal::WORDS)?;
        Ok(Arc::new(Journal { memory, next: AtomicUsize::new(0) }))
    }

    /// Writes a request down until the entry is dropped. `None` when there is no room.
    pub(crate) fn enter(self: &Arc<Self>, head: &RequestHead) -> Option<Entry> {
        for _ in 0..TRIES {
            let slot = self.next.fetch_add(1, Ordering::Relaxed) % JOURNAL_SLOTS;
            let at = slot * SLOT_WORDS;
            let free = self.memory.get(at + STAGE_AT)?;
            if free.compare_exchange(0, CLAIMED, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                let entry = Entry { journal: Arc::clone(self), at };
                for (word, value) in journal::words(&shape(head)) {
                    entry.set(word, value);
                }
                free.store(Stage::Inspecting.word(), Ordering::Release);
                return Some(entry);
            }
        }
        None
    }
}

/// A request that is written down.
#[derive(Debug)]
pub(crate) struct Entry {
    journal: Arc<Journal>,
    at: usize,
}

impl Entry {
    fn word(&self, word: usize) -> Option<&AtomicU64> {
        self.journal.memory.get(self.at + word)
    }

    fn set(&self, word: usize, value: u64) {
        if let Some(at) = self.word(word) {
            at.store(value, Ordering::Relaxed);
        }
    }

    /// A route was chosen.
    pub(crate) fn set_route(&self, route: RouteIndex) {
        self.set(ROUTE_AT, route.0 as u64 + 1);
    }

    /// It was cleared.
    pub(crate) fn mark_forwarding(&self) {
        self.set(STAGE_AT, Stage::Forwarding.word());
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        if let Some(stage) = self.word(STAGE_AT) {
            stage.store(0, Ordering::Release);
        }
    }
}

fn shape(head: &RequestHead) -> Shape {
    let target = head.target();
    let cut = target.iter().position(|byte| *byte == b'?').unwrap_or(target.len());
    let (path, query) = target.split_at_checked(cut).unwrap_or((target, &[]));
    let mut path_hasher = SipHasher13::new();
    path_hasher.write(path);
    let body_bytes = match framing::of_request(head) {
        Ok(Framing::Length(length)) => length,
        // What has no length may have any.
        Ok(Framing::Chunked) => u64::MAX,
        _ => 0,
    };
    let mut text = Vec::with_capacity(TEXT_BYTES_MAX);
    text.extend_from_slice(head.method());
    let mut head_bytes = target.len();
    for (at, (name, value)) in head.fields.iter().enumerate() {
        head_bytes += name.len() + value.len();
        if text.len() < TEXT_BYTES_MAX {
            text.push(if at == 0 { b' ' } else { b',' });
            text.extend(name.iter().map(u8::to_ascii_lowercase));
        }
    }
    text.truncate(TEXT_BYTES_MAX);
    let path_hash = path_hasher.finish();
    let mut hasher = SipHasher13::new();
    hasher.write(&text);
    hasher.write(head.fields.all("content-type").next().unwrap_or_default());
    hasher.write_u64(path_hash);
    for size in [query.len() as u64, head_bytes as u64, body_bytes] {
        // Sizes to the next power of two: the same request with another cookie is the same shape.
        hasher.write_u32(u64::BITS - size.leading_zeros());
    }
    Shape {
        stage: Stage::Inspecting,
        hash: hasher.finish(),
        path_hash,
        path_bytes: path.len() as u32,
        query_bytes: query.len().saturating_sub(1) as u32,
        segments: memchr::memchr_iter(b'/', path).count() as u32,
        head_bytes: head_bytes as u32,
        body_bytes,
        route: None,
        text: String::from_utf8(text)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use std::os::unix::fs::FileExt as _;

    use bytes::Bytes;
    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};

    use super::*;

    fn head(text: &str) -> RequestHead {
        RequestHead::parse(Bytes::copy_from_slice(text.as_bytes())).unwrap()
    }

    fn read(memory: &std::fs::File) -> Vec<Shape> {
        let mut bytes = vec![0; journal::WORDS * 8];
        memory.read_exact_at(&mut bytes, 0).unwrap();
        journal::read(&bytes)
    }

    #[test]
    fn what_is_in_flight_stands_in_the_memory_and_what_is_over_does_not() {
        let memory = memfd_create("test", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING).unwrap();
        ftruncate(&memory, journal::WORDS as u64 * 8).unwrap();
        fcntl_add_seals(&memory, SealFlags::SHRINK).unwrap();
        let journal = Journal::open(&memory).unwrap();
        let memory = std::fs::File::from(memory);
        let post = head(
            "POST /users/4711/secret?token=hunter2 HTTP/1.1\r\nHost: a.example\r\nCookie: session=hunter2\r\nContent-Length: 9\r\n\r\n",
        );
        let entry = journal.enter(&post).unwrap();
        entry.set_route(RouteIndex(3));
        entry.mark_forwarding();
        let shapes = read(&memory);
        assert_eq!(shapes.len(), 1);
        let shape = &shapes[0];
        assert_eq!(shape.text, "POST host,cookie,content-length");
        assert_eq!((shape.route, shape.stage, shape.body_bytes), (Some(3), Stage::Forwarding, 9));
        assert_eq!((shape.path_bytes, shape.query_bytes, shape.segments), (18, 13, 3));
        let mut bytes = vec![0; journal::WORDS * 8];
        memory.read_exact_at(&mut bytes, 0).unwrap();
        for secret in ["hunter2", "4711", "a.example"] {
            assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()), "{secret}");
        }
        drop(entry);
        assert_eq!(read(&memory), []);

        let all: Vec<_> = (0..JOURNAL_SLOTS).map(|_| journal.enter(&post).unwrap()).collect();
        assert!(journal.enter(&post).is_none(), "there is no more room");
        assert_eq!(read(&memory).len(), JOURNAL_SLOTS);
        drop(all);
        assert!(journal.enter(&post).is_some());
    }

    #[test]
    fn shapes_are_the_same_for_the_same_kind_of_request() {
        let hash = |text: &str| shape(&head(text)).hash;
        let one = hash("GET /a?q=1 HTTP/1.1\r\nHost: a\r\nCookie: s=1234\r\n\r\n");
        assert_eq!(one, hash("GET /a?q=2 HTTP/1.1\r\nHost: a\r\nCookie: s=9876\r\n\r\n"));
        for other in [
            "PUT /a?q=1 HTTP/1.1\r\nHost: a\r\nCookie: s=1234\r\n\r\n",
            "GET /b?q=1 HTTP/1.1\r\nHost: a\r\nCookie: s=1234\r\n\r\n",
            "GET /a?q=1 HTTP/1.1\r\nHost: a\r\nCookies: s=1234\r\n\r\n",
            "GET /a?q=1111111111111 HTTP/1.1\r\nHost: a\r\nCookie: s=1234\r\n\r\n",
            "GET /a?q=1 HTTP/1.1\r\nHost: a\r\nCookie: s=1234\r\nContent-Length: 5\r\n\r\n",
        ] {
            assert_ne!(one, hash(other), "{other}");
        }
    }
}
