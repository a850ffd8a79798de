//! A client over plain TCP that sends exactly the bytes it is given and reads exactly one response at a time, strictly:
//! whatever is not HTTP/1.1 to the letter is a fault. It knows nothing of the service.

mod request;

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

pub use request::{Request, send};

/// Time that one read may take.
const READ_TIME: Duration = Duration::from_secs(20);

const HEAD_BYTES_MAX: usize = 1 << 20;

/// One connection.
#[derive(Debug)]
pub struct Connection<S = TcpStream> {
    stream: S,
    buffer: Vec<u8>,
    /// Responses read so far.
    answered: u32,
}

/// The end of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The response has no body by its status or method.
    None,
    /// As announced by Content-Length.
    Length,
    /// With the last chunk.
    Chunked,
    /// With the connection.
    Close,
}

/// One whole response.
#[derive(Debug, Clone)]
pub struct Response {
    /// `HTTP/1.1`
    pub version: String,
    /// Status code.
    pub status: u16,
    /// Reason phrase.
    pub reason: String,
    /// Header fields in the order and case received.
    pub fields: Vec<(String, String)>,
    /// Decoded body.
    pub body: Vec<u8>,
    /// Trailer lines of a chunked body.
    pub trailers: String,
    /// The end of the body.
    pub ending: Ending,
    /// Status codes of interim responses before it.
    pub interim: Vec<u16>,
}

impl Response {
    /// The value of the first field of this name.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }

    /// The values of all fields of this name.
    pub fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        self.fields.iter().filter(move |(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON; null when it is none.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// True if the server closes the connection after it.
    pub fn closes(&self) -> bool {
        self.ending == Ending::Close || self.all("connection").any(|v| v.eq_ignore_ascii_case("close"))
    }
}

/// Reason why there is no response.
#[derive(Debug)]
pub enum Fault {
    /// No connection.
    Connect(io::Error),
    /// The request could not be sent.
    Send(io::Error),
    /// The connection failed or timed out while reading, after so many bytes of the response.
    Receive(io::Error, usize),
    /// The peer closed after so many bytes of the response.
    Closed(usize),
    /// The bytes are no HTTP/1.1 response.
    Malformed(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Connect(error) => write!(f, "connecting failed: {error}"),
            Fault::Send(error) => write!(f, "sending failed: {error}"),
            Fault::Receive(error, bytes) => write!(f, "receiving failed after {bytes} bytes: {error}"),
            Fault::Closed(bytes) => write!(f, "the connection closed after {bytes} bytes of the response"),
            Fault::Malformed(what) => write!(f, "the response is not HTTP: {what}"),
        }
    }
}

impl std::error::Error for Fault {}

impl Connection {
    /// Ends the connection with a reset, as a client does that no longer cares.
    pub fn break_off(self) {
        // Without it the end is an orderly one, which is the worst that can come of a failure here.
        let _ = rustix::net::sockopt::set_socket_linger(&self.stream, Some(Duration::ZERO));
    }

    /// Connects to a port of this machine.
    pub fn open(port: u16) -> Result<Connection, Fault> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let stream = TcpStream::connect_timeout(&address, Duration::from_secs(5)).map_err(Fault::Connect)?;
        stream.set_nodelay(true).map_err(Fault::Connect)?;
        stream.set_read_timeout(Some(READ_TIME)).map_err(Fault::Connect)?;
        stream.set_write_timeout(Some(READ_TIME)).map_err(Fault::Connect)?;
        Ok(Connection::over(stream))
    }

    /// True if nothing has come yet, neither a byte nor an end.
    pub fn is_silent(&mut self) -> bool {
        self.stream.set_nonblocking(true).expect("a socket can be set to non-blocking");
        let mut byte = [0];
        let silent = self.buffer.is_empty()
            && matches!(self.stream.peek(&mut byte), Err(error) if error.kind() == io::ErrorKind::WouldBlock);
        self.stream.set_nonblocking(false).expect("a socket can be set to blocking");
        silent
    }

    /// Says that nothing more will be sent.
    pub fn finish(&mut self) {
        let _ = self.stream.shutdown(std::net::Shutdown::Write);
    }

    /// Changes how long one read may take.
    pub fn patience(&mut self, time: Duration) {
        self.stream.set_read_timeout(Some(time)).expect("a read timeout can be set");
    }

    /// Changes how long one write may take.
    pub fn write_patience(&mut self, time: Duration) {
        self.stream.set_write_timeout(Some(time)).expect("a write timeout can be set");
    }
}

impl<S: Read + Write> Connection<S> {
    /// Over a stream that is there.
    pub fn over(stream: S) -> Connection<S> {
        Connection { stream, buffer: Vec::new(), answered: 0 }
    }

    /// The stream beneath.
    pub fn stream(&self) -> &S {
        &self.stream
    }

    /// Sends bytes as they are.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) -> Result<(), Fault> {
        self.stream.write_all(bytes.as_ref()).map_err(Fault::Send)
    }

    /// Sends `chunk` over and over until `total` bytes are out or the peer takes no more within the time that a write
    /// may take; says how many bytes went. All bytes of a chunk have to be the same for a partial one to do no harm.
    pub fn push(&mut self, chunk: &[u8], total: usize) -> Result<usize, Fault> {
        let mut sent = 0;
        while sent < total {
            let part = &chunk[..chunk.len().min(total - sent)];
            match self.stream.write(part) {
                Ok(written) => sent += written,
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    break;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Fault::Send(error)),
            }
        }
        Ok(sent)
    }

    /// Sends a request and reads its response.
    pub fn exchange(&mut self, request: &Request) -> Result<Response, Fault> {
        self.send(request.bytes())?;
        self.response_to(&request.method)
    }

    /// Reads the response to a request that was no HEAD.
    pub fn response(&mut self) -> Result<Response, Fault> {
        self.response_to("GET")
    }

    /// Reads the response to a request with this method, interim ones included.
    pub fn response_to(&mut self, method: &str) -> Result<Response, Fault> {
        let mut interim = Vec::new();
        loop {
            let mut response = self.head()?;
            if (100..200).contains(&response.status) && response.status != 101 {
                interim.push(response.status);
                continue;
            }
            response.interim = interim;
            self.body(&mut response, method)?;
            self.answered += 1;
            return Ok(response);
        }
    }

    /// Reads a head alone; the body is left in the connection.
    pub fn head(&mut self) -> Result<Response, Fault> {
        let end = loop {
            if let Some(at) = find(&self.buffer, b"\r\n\r\n") {
                break at;
            }
            if self.buffer.len() > HEAD_BYTES_MAX {
                return Err(Fault::Malformed("the head does not end".into()));
            }
            if self.fill()? == 0 {
                return Err(Fault::Closed(self.buffer.len()));
            }
        };
        let head: Vec<u8> = self.buffer.drain(..end + 4).collect();
        parse_head(&head[..end])
    }

    /// Takes up to `limit` bytes of whatever comes next; empty at the end of the stream.
    pub fn take(&mut self, limit: usize) -> Result<Vec<u8>, Fault> {
        if self.buffer.is_empty() {
            self.fill()?;
        }
        let length = limit.min(self.buffer.len());
        Ok(self.buffer.drain(..length).collect())
    }

    /// Waits for the peer to close; what it sends until then is returned. An error is a reset or a timeout.
    pub fn rest(&mut self) -> Result<Vec<u8>, Fault> {
        while self.fill()? > 0 {}
        Ok(std::mem::take(&mut self.buffer))
    }

    /// True if the peer has closed or reset, with nothing more to say, within the time a read may take.
    pub fn is_closed(&mut self) -> bool {
        match self.rest() {
            Ok(rest) => rest.is_empty(),
            Err(Fault::Receive(error, 0)) => error.kind() == io::ErrorKind::ConnectionReset,
            Err(_) => false,
        }
    }

    /// Responses read so far.
    pub fn answered(&self) -> u32 {
        self.answered
    }

    fn fill(&mut self) -> Result<usize, Fault> {
        let mut chunk = [0; 16 << 10];
        loop {
            match self.stream.read(&mut chunk) {
                Ok(read) => {
                    self.buffer.extend_from_slice(&chunk[..read]);
                    return Ok(read);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Fault::Receive(error, self.buffer.len())),
            }
        }
    }

    fn body(&mut self, response: &mut Response, method: &str) -> Result<(), Fault> {
        let bodiless = method == "HEAD" || matches!(response.status, 101 | 204 | 304);
        let length = one_length(response)?;
        let chunked = response.all("transfer-encoding").collect::<Vec<_>>();
        if bodiless {
            response.ending = Ending::None;
        } else if !chunked.is_empty() {
            if chunked != ["chunked"] || length.is_some() {
                return Err(Fault::Malformed(format!("framing of {:?}", response.fields)));
            }
            self.chunks(response)?;
            response.ending = Ending::Chunked;
        } else if let Some(length) = length {
            response.body = self.exactly(length)?;
            response.ending = Ending::Length;
        } else {
            response.body = self.rest()?;
            response.ending = Ending::Close;
        }
        Ok(())
    }

    fn exactly(&mut self, length: usize) -> Result<Vec<u8>, Fault> {
        while self.buffer.len() < length {
            if self.fill()? == 0 {
                return Err(Fault::Closed(self.buffer.len()));
            }
        }
        Ok(self.buffer.drain(..length).collect())
    }

    fn line(&mut self) -> Result<String, Fault> {
        loop {
            if let Some(at) = find(&self.buffer, b"\r\n") {
                let line: Vec<u8> = self.buffer.drain(..at + 2).collect();
                return String::from_utf8(line[..at].to_vec())
                    .map_err(|_| Fault::Malformed("a line that is no text".into()));
            }
            if self.fill()? == 0 {
                return Err(Fault::Closed(self.buffer.len()));
            }
        }
    }

    fn chunks(&mut self, response: &mut Response) -> Result<(), Fault> {
        loop {
            let line = self.line()?;
            let size = usize::from_str_radix(line.split(';').next().unwrap_or_default(), 16)
                .map_err(|_| Fault::Malformed(format!("chunk size {line:?}")))?;
            if size == 0 {
                break;
            }
            response.body.extend(self.exactly(size)?);
            if self.exactly(2)? != b"\r\n" {
                return Err(Fault::Malformed("a chunk does not end in CRLF".into()));
            }
        }
        loop {
            let line = self.line()?;
            if line.is_empty() {
                return Ok(());
            }
            response.trailers.push_str(&line);
            response.trailers.push_str("\r\n");
        }
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

fn one_length(response: &Response) -> Result<Option<usize>, Fault> {
    let values = response.all("content-length").collect::<Vec<_>>();
    match values.as_slice() {
        [] => Ok(None),
        [value] if value.bytes().all(|b| b.is_ascii_digit()) => {
            value.parse().map(Some).map_err(|_| Fault::Malformed(format!("Content-Length {value:?}")))
        }
        _ => Err(Fault::Malformed(format!("Content-Length {values:?}"))),
    }
}

fn parse_head(head: &[u8]) -> Result<Response, Fault> {
    let text = std::str::from_utf8(head).map_err(|_| Fault::Malformed("a head that is no text".into()))?;
    let wrong = |what: &str| Fault::Malformed(format!("{what} in {text:?}"));
    let mut lines = text.split("\r\n");
    let start = lines.next().unwrap_or_default();
    let mut parts = start.splitn(3, ' ');
    let version = parts.next().unwrap_or_default();
    if version != "HTTP/1.1" && version != "HTTP/1.0" {
        return Err(wrong("version"));
    }
    let status = parts.next().filter(|s| s.len() == 3).and_then(|s| s.parse().ok()).ok_or(wrong("status"))?;
    let reason = parts.next().ok_or(wrong("reason"))?;
    let mut fields = Vec::new();
    for line in lines {
        let (name, value) = line.split_once(':').ok_or(wrong("field"))?;
        let is_token = !name.is_empty()
            && name.bytes().all(|b| b.is_ascii_graphic() && !b"()<>@,;:\\\"/[]?={}".contains(&b));
        if !is_token || line.contains(['\r', '\n', '\0']) {
            return Err(wrong("field name"));
        }
        fields.push((name.to_owned(), value.trim_matches([' ', '\t']).to_owned()));
    }
    Ok(Response {
        version: version.to_owned(),
        status,
        reason: reason.to_owned(),
        fields,
        body: Vec::new(),
        trailers: String::new(),
        ending: Ending::None,
        interim: Vec::new(),
    })
}
