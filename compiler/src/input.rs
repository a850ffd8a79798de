//! Files of recordings and events, opened: folders file by file, standard input, gzip taken off. It knows no format.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Files of one folder and its folders; of more the first.
const FILES_MAX: usize = 100_000;

/// Folders below a folder that are entered.
const DEPTH_MAX: usize = 8;

/// Bytes that are read at once.
const BUFFER_BYTES: usize = 1 << 16;

/// Bytes of the beginning by which a format is recognised.
const BEGINNING_BYTES: u64 = 1 << 14;

/// An input, open and decompressed.
pub(crate) struct Opened {
    /// Its first bytes, at most [`BEGINNING_BYTES`]; `reader` begins with them too.
    pub(crate) beginning: Vec<u8>,
    pub(crate) reader: Box<dyn BufRead + Send>,
}

/// The files that `paths` name, folders replaced by what they contain, in order of names. `-` is standard input.
pub(crate) fn files(paths: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in paths {
        if path != Path::new("-") && path.is_dir() {
            walk(path, 0, &mut found)?;
        } else {
            found.push(path.clone());
        }
    }
    Ok(found)
}

fn walk(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries = std::fs::read_dir(folder)?
        .take(FILES_MAX)
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    for path in entries {
        if path.is_dir() && depth < DEPTH_MAX {
            walk(&path, depth + 1, found)?;
        } else if path.is_file() && found.len() < FILES_MAX {
            found.push(path);
        }
    }
    Ok(())
}

/// Opens a file; the bytes that are read from it, before decompression, are added to `count`.
pub(crate) fn open(path: &Path, count: &Arc<AtomicU64>) -> io::Result<Opened> {
    let raw: Box<dyn Read + Send> =
        if path == Path::new("-") { Box::new(io::stdin()) } else { Box::new(File::open(path)?) };
    let mut raw = BufReader::with_capacity(BUFFER_BYTES, Counted { raw, count: Arc::clone(count) });
    let is_gzip = raw.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    let mut plain: Box<dyn BufRead + Send> = if is_gzip {
        Box::new(BufReader::with_capacity(BUFFER_BYTES, flate2::bufread::MultiGzDecoder::new(raw)))
    } else {
        Box::new(raw)
    };
    let mut beginning = Vec::new();
    plain.by_ref().take(BEGINNING_BYTES).read_to_end(&mut beginning)?;
    let reader = Box::new(Cursor::new(beginning.clone()).chain(plain));
    Ok(Opened { beginning, reader })
}

/// The lines of a file, decompressed.
pub fn lines(path: &Path) -> io::Result<Box<dyn BufRead + Send>> {
    open(path, &Arc::default()).map(|opened| opened.reader)
}

/// Name of an input for people.
pub(crate) fn name(path: &Path) -> String {
    if path == Path::new("-") { "<stdin>".to_owned() } else { path.display().to_string() }
}

/// Bytes of all files together; nothing of what has no length.
pub(crate) fn length(files: &[PathBuf]) -> u64 {
    files.iter().filter_map(|file| std::fs::metadata(file).ok()).map(|data| data.len()).sum()
}

struct Counted {
    raw: Box<dyn Read + Send>,
    count: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.raw.read(buffer)?;
        self.count.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
