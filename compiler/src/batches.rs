//! Inputs cut into batches that threads take in turn: whole lines, or a whole document. Memory is bounded by the batches
//! in hand; a line beyond the bound is left out and counted.

use std::io::{self, BufRead, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::input::{self, Opened};

/// Bytes of a batch of lines, the last line of it apart.
const BATCH_BYTES: u64 = 1 << 18;

/// Bytes of one line: a recorded request in base64.
const LINE_BYTES_MAX: u64 = waf_shared::limits::RECORDED_REQUEST_BYTES_MAX / 3 * 4 + 4_096;

/// Bytes of a document that is read whole.
const DOCUMENT_BYTES_MAX: u64 = 256 << 20;

/// Way in which an input is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Batches of lines.
    Lines,
    /// One batch.
    Whole,
}

/// Bytes of an input.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) input: Arc<str>,
    /// Number of its first line.
    pub(crate) line: u64,
    pub(crate) cut: Cut,
    pub(crate) bytes: Vec<u8>,
    /// Reason for which bytes behind these were left out, and their line.
    pub(crate) fault: Option<(u64, String)>,
}

/// The inputs that are left.
pub(crate) struct Batches {
    files: std::vec::IntoIter<PathBuf>,
    current: Option<Current>,
    cut_of: Box<dyn Fn(&[u8]) -> Cut + Send>,
    read: Arc<AtomicU64>,
    /// Bytes of all files.
    total: u64,
}

struct Current {
    name: Arc<str>,
    opened: Opened,
    line: u64,
    cut: Cut,
}

impl Batches {
    /// The batches of files and folders; `cut_of` chooses by the first bytes of each.
    pub(crate) fn new(
        paths: &[PathBuf],
        cut_of: impl Fn(&[u8]) -> Cut + Send + 'static,
    ) -> io::Result<Batches> {
        let files = input::files(paths)?;
        let total = input::length(&files);
        Ok(Batches {
            files: files.into_iter(),
            current: None,
            cut_of: Box::new(cut_of),
            read: Arc::default(),
            total,
        })
    }

    /// Bytes read and bytes there are; the second is 0 where it is not known.
    pub(crate) fn progress(&self) -> (u64, u64) {
        (self.read.load(Ordering::Relaxed), self.total)
    }

    /// The next batch; `None` at the end of the last input. A file that fails in the middle ends there, with the fault in
    /// its batch.
    pub(crate) fn next(&mut self) -> Option<Batch> {
        loop {
            let Some(current) = &mut self.current else {
                self.current = Some(match self.open(self.files.as_slice().first()?) {
                    Ok(current) => current,
                    Err(fault) => {
                        self.files.next();
                        return Some(fault);
                    }
                });
                self.files.next();
                continue;
            };
            let batch = current.batch();
            let is_empty = batch.bytes.is_empty() && batch.fault.is_none();
            if is_empty || batch.cut == Cut::Whole {
                self.current = None;
            }
            if !is_empty {
                return Some(batch);
            }
        }
    }

    fn open(&self, path: &Path) -> Result<Current, Batch> {
        let name: Arc<str> = input::name(path).into();
        match input::open(path, &self.read) {
            Ok(opened) => {
                let cut = (self.cut_of)(&opened.beginning);
                Ok(Current { name, opened, line: 1, cut })
            }
            Err(error) => Err(Batch {
                input: name,
                line: 1,
                cut: Cut::Lines,
                bytes: Vec::new(),
                fault: Some((1, format!("cannot be read: {error}"))),
            }),
        }
    }
}

impl Current {
    fn batch(&mut self) -> Batch {
        let mut bytes = Vec::new();
        let read = match self.cut {
            Cut::Lines => self.lines(&mut bytes),
            Cut::Whole => self.document(&mut bytes),
        };
        let fault = match read {
            Ok(fault) => fault.map(str::to_owned),
            Err(error) => {
                // A reader that failed gives nothing more: the next batch is the empty one at the end.
                self.opened.reader = Box::new(io::empty());
                Some(format!("cannot be read to its end: {error}"))
            }
        };
        let line = self.line;
        let ends = bytes.split(|byte| *byte == b'\n').skip(1).count() as u64;
        self.line += ends + u64::from(fault.is_some());
        let fault = fault.map(|reason| (line + ends, reason));
        Batch { input: Arc::clone(&self.name), line, cut: self.cut, bytes, fault }
    }

    fn lines(&mut self, bytes: &mut Vec<u8>) -> io::Result<Option<&'static str>> {
        let reader = &mut self.opened.reader;
        reader.by_ref().take(BATCH_BYTES).read_to_end(bytes)?;
        if bytes.last().is_none_or(|last| *last == b'\n') {
            return Ok(None);
        }
        let more = reader.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', bytes)?;
        if (more as u64) < LINE_BYTES_MAX || bytes.last() == Some(&b'\n') {
            return Ok(None);
        }
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        bytes.truncate(whole);
        bytes.shrink_to(BATCH_BYTES as usize);
        skip_line(reader)?;
        Ok(Some("the line is too long"))
    }

    fn document(&mut self, bytes: &mut Vec<u8>) -> io::Result<Option<&'static str>> {
        self.opened.reader.by_ref().take(DOCUMENT_BYTES_MAX + 1).read_to_end(bytes)?;
        if bytes.len() as u64 > DOCUMENT_BYTES_MAX {
            bytes.clear();
            return Ok(Some("the document is over 256 MiB"));
        }
        Ok(None)
    }
}

/// Reads up to the end of a line and keeps nothing of it.
fn skip_line(reader: &mut dyn BufRead) -> io::Result<()> {
    loop {
        let buffer = reader.fill_buf()?;
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let (used, is_over) = (end.map_or(buffer.len(), |at| at + 1), end.is_some() || buffer.is_empty());
        reader.consume(used);
        if is_over {
            return Ok(());
        }
    }
}
