//! A strict reader of HTTP/1.1 requests that keeps the bytes as they came.

use std::io::{self, Read, Write};

/// Body bytes that are kept; the rest is counted.
const BODY_KEPT_MAX: usize = 4 << 20;

const HEAD_BYTES_MAX: usize = 2 << 20;

/// One request as it arrived.
#[derive(Debug, Clone, Default)]
pub struct Received {
    /// Which connection of the origin carried it, counted from 0.
    pub connection: usize,
    /// Method token.
    pub method: String,
    /// Request target, byte for byte.
    pub target: Vec<u8>,
    /// `HTTP/1.1`
    pub version: String,
    /// Header fields in the order and case received.
    pub fields: Vec<(String, String)>,
    /// The body, decoded, up to 4 MiB of it.
    pub body: Vec<u8>,
    /// Bytes of the body.
    pub body_bytes: u64,
    /// Trailer lines of a chunked body.
    pub trailers: String,
    /// True if the whole message came.
    pub complete: bool,
    /// The part of it that was not HTTP.
    pub fault: Option<String>,
}

impl Received {
    /// The target as text.
    pub fn target_text(&self) -> String {
        self.target.escape_ascii().to_string()
    }

    /// The value of the first field of this name.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }

    /// The values of all fields of this name.
    pub fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        self.fields.iter().filter(move |(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }

    /// Names of the fields as they came.
    pub fn names(&self) -> Vec<&str> {
        self.fields.iter().map(|(name, _)| name.as_str()).collect()
    }
}

pub(super) struct Reader<R> {
    pub(super) stream: R,
    buffer: Vec<u8>,
}

enum Framing {
    Length(u64),
    Chunked,
}

impl<S: Read + Write> Reader<S> {
    /// Sends back whatever comes, until the peer has nothing more to say.
    pub(super) fn echo(&mut self) -> io::Result<()> {
        self.stream.flush()?;
        loop {
            let bytes = std::mem::take(&mut self.buffer);
            self.stream.write_all(&bytes)?;
            self.stream.flush()?;
            if self.fill()? == 0 {
                return Ok(());
            }
        }
    }
}

impl<R: Read> Reader<R> {
    pub(super) fn new(stream: R) -> Reader<R> {
        Reader { stream, buffer: Vec::new() }
    }

    /// The next head; `None` when the peer has closed.
    pub(super) fn head(&mut self) -> io::Result<Option<Received>> {
        let end = loop {
            if let Some(at) = find(&self.buffer, b"\r\n\r\n") {
                break at;
            }
            if self.buffer.len() > HEAD_BYTES_MAX {
                return Err(io::Error::other("the head does not end"));
            }
            if self.fill()? == 0 {
                return if self.buffer.is_empty() {
                    Ok(None)
                } else {
                    Err(io::ErrorKind::UnexpectedEof.into())
                };
            }
        };
        let head: Vec<u8> = self.buffer.drain(..end + 4).collect();
        Ok(Some(parse(&head[..end])))
    }

    /// Reads the body of `request` into it.
    pub(super) fn body(&mut self, request: &mut Received) -> io::Result<()> {
        let framing = match framing(request) {
            Ok(framing) => framing,
            Err(fault) => {
                request.fault = Some(fault);
                return Ok(());
            }
        };
        match framing {
            Framing::Length(length) => self.copy(length, request)?,
            Framing::Chunked => self.chunks(request)?,
        }
        request.complete = true;
        Ok(())
    }

    fn copy(&mut self, mut length: u64, request: &mut Received) -> io::Result<()> {
        while length > 0 {
            if self.buffer.is_empty() && self.fill()? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let take = usize::try_from(length).unwrap_or(usize::MAX).min(self.buffer.len());
            let room = BODY_KEPT_MAX.saturating_sub(request.body.len());
            request.body.extend_from_slice(&self.buffer[..take.min(room)]);
            self.buffer.drain(..take);
            request.body_bytes += take as u64;
            length -= take as u64;
        }
        Ok(())
    }

    fn chunks(&mut self, request: &mut Received) -> io::Result<()> {
        loop {
            let line = self.line()?;
            let size = u64::from_str_radix(&line, 16)
                .map_err(|_| io::Error::other(format!("chunk size {line:?}")))?;
            if size == 0 {
                break;
            }
            self.copy(size, request)?;
            let end = self.line()?;
            if !end.is_empty() {
                return Err(io::Error::other("a chunk is longer than its size"));
            }
        }
        loop {
            let line = self.line()?;
            if line.is_empty() {
                return Ok(());
            }
            request.trailers.push_str(&line);
            request.trailers.push_str("\r\n");
        }
    }

    fn line(&mut self) -> io::Result<String> {
        loop {
            if let Some(at) = find(&self.buffer, b"\r\n") {
                let line: Vec<u8> = self.buffer.drain(..at + 2).collect();
                return String::from_utf8(line[..at].to_vec()).map_err(io::Error::other);
            }
            if self.fill()? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    fn fill(&mut self) -> io::Result<usize> {
        let mut chunk = [0; 16 << 10];
        let read = self.stream.read(&mut chunk)?;
        self.buffer.extend_from_slice(&chunk[..read]);
        Ok(read)
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

fn framing(request: &Received) -> Result<Framing, String> {
    let lengths = request.all("content-length").collect::<Vec<_>>();
    let codings = request.all("transfer-encoding").collect::<Vec<_>>();
    match (lengths.as_slice(), codings.as_slice()) {
        ([], []) => Ok(Framing::Length(0)),
        ([], ["chunked"]) => Ok(Framing::Chunked),
        ([length], []) if length.bytes().all(|b| b.is_ascii_digit()) => {
            length.parse().map(Framing::Length).map_err(|_| format!("Content-Length {length}"))
        }
        _ => Err(format!("Content-Length {lengths:?} and Transfer-Encoding {codings:?}")),
    }
}

fn parse(head: &[u8]) -> Received {
    let mut request = Received::default();
    let mut lines = head.split(|b| *b == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let start = lines.next().unwrap_or_default();
    let parts: Vec<&[u8]> = start.split(|b| *b == b' ').collect();
    let [method, target, version] = parts.as_slice() else {
        request.fault = Some(format!("request line {}", start.escape_ascii()));
        return request;
    };
    request.method = String::from_utf8_lossy(method).into_owned();
    request.target = target.to_vec();
    request.version = String::from_utf8_lossy(version).into_owned();
    for line in lines {
        let text = String::from_utf8_lossy(line);
        let Some((name, value)) =
            text.split_once(':').filter(|(name, _)| !name.is_empty() && !name.contains([' ', '\t']))
        else {
            request.fault = Some(format!("field line {text:?}"));
            return request;
        };
        request.fields.push((name.to_owned(), value.trim_matches([' ', '\t']).to_owned()));
    }
    if request.version != "HTTP/1.1" || request.all("host").count() != 1 {
        request.fault = Some(format!(
            "version {} with hosts {:?}",
            request.version,
            request.all("host").collect::<Vec<_>>()
        ));
    }
    request
}
