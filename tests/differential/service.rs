//! The service under test: the real program between a client that sends bytes as they are and an origin that answers with
//! the bytes that reached it.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use waf_tests::running::{self, Start, Waf};
use waf_tests::{polling, ports};

/// Silence after which the client says that nothing more comes, where the message announces more than it has.
const SILENCE: Duration = Duration::from_millis(400);

/// The longest time that an answer may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Bytes that one exchange may take, in either direction.
const BYTES_MAX: usize = 1 << 20;

/// Field by which the client knows the origin's answer.
const ECHO: &[u8] = b"X-Reached: 1\r\n";

/// Outcome of some bytes at the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It refused them, with this status.
    Refused(u16),
    /// It closed the connection without an answer.
    Closed,
    /// A request reached the origin, in these bytes.
    Forwarded(Vec<u8>),
}

/// The service and its origin.
pub(crate) struct Service {
    waf: Waf,
}

impl Service {
    pub(crate) fn start() -> Service {
        let listener = ports::listener();
        let origin = listener.local_addr().expect("it is bound");
        std::thread::spawn(move || accept(&listener));
        // Answers are the requests themselves: nothing of them is the subject here.
        let config = running::to_upstream(&format!("http://{origin}"));
        let config = config.replacen("routes:", "global:\n  disable: [response-inspection]\nroutes:", 1);
        Service { waf: Start::new().consumed_by(|_| {}).run(&config) }
    }

    /// Sends `wire` over a connection of its own.
    pub(crate) fn send(&self, wire: &[u8]) -> Outcome {
        let address = SocketAddr::from(([127, 0, 0, 1], self.waf.port));
        let mut stream = polling::until("a connection", || TcpStream::connect(address).ok());
        // A service that has refused the head may close before it has taken the rest.
        let _ = stream.write_all(wire);
        // A client that closes its side has left; one that has sent all it announced waits.
        let mut is_silent = is_whole(wire);
        let _ = stream.set_read_timeout(Some(if is_silent { PATIENCE } else { SILENCE }));
        let (mut answer, mut piece) = (Vec::new(), vec![0; 16 << 10]);
        while answer.len() < BYTES_MAX {
            match stream.read(&mut piece) {
                Ok(0) => break,
                Ok(length) => answer.extend_from_slice(&piece[..length]),
                Err(error) if !is_silent && is_timeout(&error) => {
                    is_silent = true;
                    let _ = stream.shutdown(Shutdown::Write);
                    let _ = stream.set_read_timeout(Some(PATIENCE));
                }
                Err(_) => break,
            }
            if let Some(outcome) = outcome(&answer) {
                return outcome;
            }
        }
        Outcome::Closed
    }
}

fn is_timeout(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)
}

/// Outcome of the first answer that is not interim; nothing while it is not complete.
fn outcome(answer: &[u8]) -> Option<Outcome> {
    let (head, rest) = parted(answer)?;
    let status = std::str::from_utf8(head.get(9..12)?).ok()?.parse().ok()?;
    if status == 100 {
        return outcome(rest);
    }
    if !head.windows(ECHO.len()).any(|window| window.eq_ignore_ascii_case(ECHO)) {
        return Some(Outcome::Refused(status));
    }
    let length: usize = std::str::from_utf8(value(head, "content-length")?).ok()?.parse().ok()?;
    Some(Outcome::Forwarded(rest.get(..length)?.to_vec()))
}

/// Head, its empty line included, and what follows.
fn parted(message: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = message.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    message.split_at_checked(end)
}

fn value<'m>(head: &'m [u8], name: &str) -> Option<&'m [u8]> {
    head.split(|byte| *byte == b'\n').find_map(|line| {
        let (field, value) = line.split_at_checked(name.len())?;
        let value = value.strip_prefix(b":").filter(|_| field.eq_ignore_ascii_case(name.as_bytes()))?;
        Some(value.trim_ascii())
    })
}

fn accept(listener: &TcpListener) {
    for stream in listener.incoming().flatten() {
        std::thread::spawn(move || echo(stream));
    }
}

/// Answers each request of a connection with its own bytes.
fn echo(mut stream: TcpStream) {
    let (mut taken, mut piece) = (Vec::new(), vec![0; 16 << 10]);
    let _ = stream.set_nodelay(true);
    while taken.len() < BYTES_MAX {
        match stream.read(&mut piece) {
            Ok(length @ 1..) => taken.extend_from_slice(&piece[..length]),
            _ => return,
        }
        // The service sends nothing behind a request that has no answer yet.
        if is_whole(&taken) {
            let length = taken.len();
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nX-Reached: 1\r\nContent-Length: {length}\r\n\r\n"
            );
            let answer = [head.as_bytes(), &taken].concat();
            if stream.write_all(&answer).is_err() {
                return;
            }
            taken.clear();
        }
    }
}

/// True if a request is complete, by the letter of its framing.
pub(crate) fn is_whole(taken: &[u8]) -> bool {
    let Some((head, body)) = parted(taken) else { return false };
    if value(head, "transfer-encoding").is_some() {
        return last_chunk(body);
    }
    let length = value(head, "content-length").and_then(|text| std::str::from_utf8(text).ok()?.parse().ok());
    body.len() >= length.unwrap_or(0)
}

fn last_chunk(mut rest: &[u8]) -> bool {
    loop {
        let Some(end) = rest.windows(2).position(|window| window == b"\r\n") else { return false };
        let size =
            std::str::from_utf8(&rest[..end]).ok().and_then(|text| usize::from_str_radix(text, 16).ok());
        let Some(size) = size else { return false };
        if size == 0 {
            // Trailers end with an empty line.
            return rest[end..].windows(4).any(|window| window == b"\r\n\r\n");
        }
        match rest.get(end + 2 + size + 2..) {
            Some(behind) => rest = behind,
            None => return false,
        }
    }
}
