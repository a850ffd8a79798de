//! Other programs that read requests: each is started once, is given batches, and says which fields it sees.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use waf_tests::{polling, ports, programs};

/// The longest time that a batch may take.
const PATIENCE: Duration = Duration::from_mins(2);

/// The longest time that a server may take for one request; it waits for more where the others see an end.
const SERVER_PATIENCE: Duration = Duration::from_secs(1);

/// Bytes of an answer to a batch.
const ANSWER_BYTES_MAX: usize = 256 << 20;

/// A field as a reader sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    /// `q` query, `f` form, `F` file name, `p` header of a part, `c` cookie, `h` header, `j` JSON string, `n` name, `P` path,
    /// `x` text of XML.
    pub(crate) place: char,
    pub(crate) name: Vec<u8>,
    pub(crate) value: Vec<u8>,
}

/// A reader.
pub(crate) struct Reader {
    pub(crate) name: &'static str,
    way: Way,
}

enum Way {
    /// Frames over its standard streams.
    Pipe(Mutex<Pipe>),
    /// Requests to a server.
    Server(Server),
}

struct Server {
    port: u16,
    child: Mutex<Child>,
}

struct Pipe {
    child: Child,
    input: ChildStdin,
    output: Receiver<Vec<u8>>,
}

/// The readers whose programs are there; says which are left out.
pub(crate) fn start() -> Vec<Reader> {
    let folder = programs::repository().join("tests/differential/readers");
    let tools = programs::repository().join("target/differential");
    let venv = tools.join("venv/bin/python");
    let python = if venv.is_file() { venv } else { PathBuf::from("python3") };
    let script = |program: &Path, name: &str| {
        let mut command = Command::new(program);
        command.arg(folder.join(name));
        command
    };
    let candidates = [
        ("python", script(&python, "python.py")),
        ("werkzeug", script(&python, "werkzeug_reader.py")),
        ("go", Command::new(tools.join("go-reader"))),
        ("node", script(Path::new("node"), "node.js")),
    ];
    let mut readers = Vec::new();
    for (name, mut command) in candidates {
        match pipe(&mut command) {
            Some(pipe) => readers.push(Reader { name, way: Way::Pipe(Mutex::new(pipe)) }),
            None => println!("left out: the reader {name} (it does not start)"),
        }
    }
    match server(&folder) {
        Some(server) => readers.push(Reader { name: "php", way: Way::Server(server) }),
        None => println!("left out: the reader php (it does not start)"),
    }
    // A program that starts and then fails shows here.
    readers.retain(|reader| {
        let request = b"GET /?q=tea HTTP/1.1\r\nHost: a\r\n\r\n".to_vec();
        let is_well =
            reader.read(&[request]).is_some_and(|seen| seen.iter().flatten().any(|s| s.value == b"tea"));
        if !is_well {
            println!("left out: the reader {} (it does not read)", reader.name);
        }
        is_well
    });
    readers
}

fn pipe(command: &mut Command) -> Option<Pipe> {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let input = child.stdin.take()?;
    let mut stream = child.stdout.take()?;
    let (sender, output) = sync_channel(1);
    std::thread::spawn(move || {
        loop {
            let mut head = [0; 4];
            if stream.read_exact(&mut head).is_err() {
                return;
            }
            let length = u32::from_be_bytes(head) as usize;
            let mut answer = vec![0; length.min(ANSWER_BYTES_MAX)];
            if stream.read_exact(&mut answer).is_err() || sender.send(answer).is_err() {
                return;
            }
        }
    });
    Some(Pipe { child, input, output })
}

fn server(folder: &Path) -> Option<Server> {
    let port = ports::free();
    let child = Mutex::new(serve(folder, port)?);
    Some(Server { port, child })
}

fn serve(folder: &Path, port: u16) -> Option<Child> {
    let mut command = Command::new("php");
    command
        .args(["-d", "display_errors=0", "-S", &format!("127.0.0.1:{port}")])
        .arg(folder.join("router.php"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let child = command.spawn().ok()?;
    polling::within(Duration::from_secs(10), || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok())?;
    Some(child)
}

impl Reader {
    /// The fields of each request; nothing when the reader has failed.
    pub(crate) fn read(&self, requests: &[Vec<u8>]) -> Option<Vec<Vec<Seen>>> {
        match &self.way {
            Way::Pipe(pipe) => {
                let mut pipe = pipe.lock().ok()?;
                let batch: Vec<u8> = requests.iter().flat_map(|request| framed(request)).collect();
                pipe.input.write_all(&framed(&batch)).ok()?;
                pipe.input.flush().ok()?;
                let answer = pipe.output.recv_timeout(PATIENCE).ok()?;
                frames(&answer)?.into_iter().map(fields).collect()
            }
            Way::Server(server) => requests.iter().map(|request| server.ask(request)).collect(),
        }
    }
}

fn framed(bytes: &[u8]) -> Vec<u8> {
    [&u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_be_bytes()[..], bytes].concat()
}

fn frame(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (head, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(u32::from_be_bytes(*head) as usize)
}

fn frames(mut bytes: &[u8]) -> Option<Vec<&[u8]>> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let (one, rest) = frame(bytes)?;
        found.push(one);
        bytes = rest;
    }
    Some(found)
}

fn fields(mut bytes: &[u8]) -> Option<Vec<Seen>> {
    let mut found = Vec::new();
    while let Some((place, rest)) = bytes.split_first() {
        let (name, rest) = frame(rest)?;
        let (value, rest) = frame(rest)?;
        found.push(Seen { place: char::from(*place), name: name.to_vec(), value: value.to_vec() });
        bytes = rest;
    }
    Some(found)
}

impl Server {
    /// The fields of a request. A request that ends the server is one that no application sees.
    fn ask(&self, request: &[u8]) -> Option<Vec<Seen>> {
        // For the rest of an incomplete one it would wait.
        if !crate::service::is_whole(request) {
            return Some(Vec::new());
        }
        // It reads one request at a time.
        let mut child = self.child.lock().ok()?;
        if let Some(seen) = ask(self.port, request) {
            return Some(seen);
        }
        if child.try_wait().ok()?.is_some() {
            println!("the server of a reader has ended and is started again");
            *child = serve(&programs::repository().join("tests/differential/readers"), self.port)?;
        }
        Some(ask(self.port, request).unwrap_or_default())
    }
}

/// The answer of a server to a request; nothing when it does not listen.
fn ask(port: u16, request: &[u8]) -> Option<Vec<Seen>> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok()?;
    stream.set_read_timeout(Some(SERVER_PATIENCE)).ok()?;
    // It reads one request and closes; a message that it refuses is answered before it was sent.
    let _ = stream.write_all(request);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let body = answer.windows(4).position(|window| window == b"\r\n\r\n").and_then(|at| answer.get(at + 4..));
    let is_read = answer.get(9..12) == Some(b"200");
    Some(body.filter(|_| is_read).and_then(fields).unwrap_or_default())
}

impl Drop for Reader {
    fn drop(&mut self) {
        let child = match &mut self.way {
            Way::Pipe(pipe) => pipe.get_mut().ok().map(|pipe| &mut pipe.child),
            Way::Server(server) => server.child.get_mut().ok(),
        };
        if let Some(child) = child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
