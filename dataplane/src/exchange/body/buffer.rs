//! The part of a body that waits until it has been judged: first in first out, in memory up to a bound, then in a file
//! without a name. It knows no requests.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use tokio::time::timeout;
use waf_shared::limits::DISK_SECONDS;

use crate::spool::Spool;

/// Pieces below this are joined, so that a body in tiny chunks takes no more memory than another.
const PIECE_BYTES_MIN: usize = 4 << 10;

/// Bytes that joined pieces grow to.
const JOINED_BYTES: usize = 16 << 10;

/// Bytes that are held in memory by a worker that is short of it.
const SHORT_BYTES: usize = 64 << 10;

/// Bytes that are read back at once.
const READ_BYTES: usize = 64 << 10;

/// A disk that takes longer is as good as full.
const DISK_PATIENCE: Duration = Duration::from_secs(DISK_SECONDS);

/// The bytes that wait. What is on disk is older than what is in memory.
#[derive(Debug)]
pub(super) struct BodyBuffer {
    memory: VecDeque<Bytes>,
    joined: BytesMut,
    memory_bytes: usize,
    memory_bytes_max: usize,
    spool: Spool,
    disk: Option<Disk>,
    has_spooled: bool,
    /// True if the disk is not asked again.
    has_no_disk: bool,
}

#[derive(Debug)]
struct Disk {
    file: Arc<File>,
    written: u64,
    read: u64,
}

impl BodyBuffer {
    /// Holds up to `memory_bytes_max` bytes in memory and the rest in a file that `spool` gives.
    pub(super) fn new(memory_bytes_max: u64, spool: Spool) -> BodyBuffer {
        BodyBuffer {
            memory: VecDeque::new(),
            joined: BytesMut::new(),
            memory_bytes: 0,
            memory_bytes_max: usize::try_from(memory_bytes_max).unwrap_or(usize::MAX),
            spool,
            disk: None,
            has_spooled: false,
            has_no_disk: false,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.memory_bytes == 0 && self.disk.is_none()
    }

    /// Bytes in memory.
    pub(super) fn memory_bytes(&self) -> u64 {
        self.memory_bytes as u64
    }

    /// From here on everything that comes is held in memory.
    pub(super) fn give_up_disk(&mut self) {
        self.has_no_disk = true;
    }

    /// Reports whether a file was needed.
    pub(super) fn has_spooled(&self) -> bool {
        self.has_spooled
    }

    /// The first bytes, at most `bytes_max`, while they are in memory.
    pub(super) fn beginning(&self, bytes_max: usize) -> Vec<u8> {
        let pieces = self.memory.iter().map(Bytes::as_ref).chain([self.joined.as_ref()]);
        let mut out = Vec::new();
        for piece in pieces.filter(|_| self.disk.is_none()) {
            let room = bytes_max - out.len().min(bytes_max);
            out.extend_from_slice(piece.get(..room).unwrap_or(piece));
        }
        out
    }

    /// Adds to the end. When writing to disk fails, the piece is held in memory all the same.
    pub(super) async fn push(&mut self, piece: Bytes) -> io::Result<()> {
        self.memory_bytes += piece.len();
        if piece.len() < PIECE_BYTES_MIN {
            self.joined.extend_from_slice(&piece);
            if self.joined.len() >= JOINED_BYTES {
                self.memory.push_back(self.joined.split().freeze());
            }
        } else {
            self.close_joined();
            self.memory.push_back(piece);
        }
        if self.memory_bytes > self.room() && !self.has_no_disk { self.spill().await } else { Ok(()) }
    }

    /// Bytes that may be held in memory; fewer when the worker is short of it.
    fn room(&self) -> usize {
        if self.spool.is_memory_short() {
            self.memory_bytes_max.min(SHORT_BYTES)
        } else {
            self.memory_bytes_max
        }
    }

    /// Takes from the front.
    pub(super) async fn pop(&mut self) -> io::Result<Option<Bytes>> {
        if let Some(disk) = &mut self.disk {
            let left = disk.written.saturating_sub(disk.read);
            let length = usize::try_from(left).unwrap_or(READ_BYTES).min(READ_BYTES);
            let (file, at) = (Arc::clone(&disk.file), disk.read);
            let data = on_disk(move || {
                let mut data = vec![0; length];
                file.read_exact_at(&mut data, at)?;
                Ok(data)
            })
            .await?;
            disk.read += data.len() as u64;
            if disk.read >= disk.written {
                self.disk = None;
            }
            return Ok(Some(Bytes::from(data)));
        }
        Ok(self.pop_memory())
    }

    /// Takes from the front when that needs no waiting.
    pub(super) fn pop_ready(&mut self) -> Option<Bytes> {
        if self.disk.is_some() { None } else { self.pop_memory() }
    }

    fn pop_memory(&mut self) -> Option<Bytes> {
        if self.memory.is_empty() {
            self.close_joined();
        }
        let piece = self.memory.pop_front()?;
        self.memory_bytes -= piece.len();
        Some(piece)
    }

    fn close_joined(&mut self) {
        if !self.joined.is_empty() {
            self.memory.push_back(self.joined.split().freeze());
        }
    }

    /// Moves what is in memory to the end of the file.
    async fn spill(&mut self) -> io::Result<()> {
        self.close_joined();
        let pieces = self.memory.clone();
        let (file, mut at) = match &self.disk {
            Some(disk) => (Arc::clone(&disk.file), disk.written),
            None => (Arc::new(self.spool.file().await?), 0),
        };
        let (file, written) = on_disk(move || {
            for piece in pieces {
                file.write_all_at(&piece, at)?;
                at += piece.len() as u64;
            }
            Ok((file, at))
        })
        .await?;
        let read = self.disk.as_ref().map_or(0, |disk| disk.read);
        self.disk = Some(Disk { file, written, read });
        self.memory.clear();
        self.memory_bytes = 0;
        self.has_spooled = true;
        Ok(())
    }
}

/// Runs blocking work aside, and does not wait for it for ever.
async fn on_disk<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    let done = timeout(DISK_PATIENCE, tokio::task::spawn_blocking(work)).await;
    done.map_err(|_| io::ErrorKind::TimedOut)?.map_err(io::Error::other)?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overload::Overload;

    async fn drain(buffer: &mut BodyBuffer) -> Vec<u8> {
        let mut all = Vec::new();
        while let Some(piece) = buffer.pop().await.expect("it can be read") {
            all.extend_from_slice(&piece);
        }
        all
    }

    #[tokio::test]
    async fn order_is_kept_in_memory_and_on_disk() {
        let folder = tempfile::tempdir().expect("a folder");
        for memory in [u64::MAX, 100_000, 5_000, 1] {
            let mut buffer = BodyBuffer::new(memory, Spool::in_folder(folder.path()));
            let mut all = Vec::new();
            for number in 0..200u32 {
                let piece = vec![number as u8; usize::try_from(number * 37 % 9000).expect("small")];
                all.extend_from_slice(&piece);
                buffer.push(Bytes::from(piece)).await.expect("it is held");
            }
            assert_eq!(buffer.has_spooled(), memory < 1_000_000);
            assert!(!buffer.is_empty());
            assert!(drain(&mut buffer).await == all, "memory {memory}");
            assert!(buffer.is_empty());
            // No name is left behind.
            let names = std::fs::read_dir(folder.path()).map(Iterator::count).unwrap_or_default();
            assert_eq!(names, 0);
        }
    }

    #[tokio::test]
    async fn it_can_be_filled_and_emptied_in_turns() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut buffer = BodyBuffer::new(10_000, Spool::in_folder(folder.path()));
        let (mut wrote, mut read) = (Vec::new(), Vec::new());
        for number in 0..60u8 {
            let piece = vec![number; 3_000];
            wrote.extend_from_slice(&piece);
            buffer.push(Bytes::from(piece)).await.expect("it is held");
            if number % 7 == 0 {
                read.extend_from_slice(
                    &buffer.pop().await.expect("it can be read").expect("something is held"),
                );
            }
        }
        read.extend_from_slice(&drain(&mut buffer).await);
        assert!(wrote == read);
    }

    #[tokio::test]
    async fn tiny_pieces_are_joined() {
        let mut buffer = BodyBuffer::new(u64::MAX, Spool::new(Overload::default()).0);
        for _ in 0..100_000 {
            buffer.push(Bytes::from_static(b"x")).await.expect("it is held");
        }
        assert!(buffer.memory.len() < 20, "{} pieces", buffer.memory.len());
        assert_eq!(drain(&mut buffer).await.len(), 100_000);
    }

    #[tokio::test]
    async fn a_piece_that_gets_no_file_is_held_all_the_same() {
        let mut buffer = BodyBuffer::new(1, Spool::new(Overload::default()).0);
        assert!(buffer.push(Bytes::from_static(b"xyz")).await.is_err());
        assert!(!buffer.has_spooled());
        assert_eq!(drain(&mut buffer).await, b"xyz");
    }
}
