//! Answers of an origin: a list of steps, most often one run of bytes.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use super::Received;

/// Something that an origin does.
#[derive(Debug, Clone)]
pub enum Step {
    /// Writes bytes.
    Bytes(Vec<u8>),
    /// Writes bytes this many times.
    Repeat(Vec<u8>, usize),
    /// Waits until the gate is open.
    Wait(Gate),
    /// Sends back whatever comes, until nothing more does.
    Echo,
    /// Reads the rest of the request's body.
    ReadBody,
    /// Cuts the connection with a reset.
    Reset,
    /// Closes the connection.
    Close,
}

/// An answer.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// In order.
    pub steps: Vec<Step>,
}

impl Answer {
    /// 200 with a text.
    pub fn ok(body: impl AsRef<[u8]>) -> Answer {
        Answer::new(200, &[("Content-Type", "text/plain")], body)
    }

    /// A response with these fields and a Content-Length.
    pub fn new(status: u16, fields: &[(&str, &str)], body: impl AsRef<[u8]>) -> Answer {
        let mut bytes = head(status, fields);
        bytes.extend_from_slice(format!("Content-Length: {}\r\n\r\n", body.as_ref().len()).as_bytes());
        bytes.extend_from_slice(body.as_ref());
        Answer::raw(bytes)
    }

    /// A response without a body and without framing fields.
    pub fn bodiless(status: u16, fields: &[(&str, &str)]) -> Answer {
        let mut bytes = head(status, fields);
        bytes.extend_from_slice(b"\r\n");
        Answer::raw(bytes)
    }

    /// A chunked response.
    pub fn chunked(fields: &[(&str, &str)], chunks: &[&str]) -> Answer {
        let mut bytes = head(200, fields);
        bytes.extend_from_slice(b"Transfer-Encoding: chunked\r\n\r\n");
        for chunk in chunks {
            bytes.extend_from_slice(format!("{:x}\r\n{chunk}\r\n", chunk.len()).as_bytes());
        }
        bytes.extend_from_slice(b"0\r\n\r\n");
        Answer::raw(bytes)
    }

    /// The request, echoed: method and target on the first line, then the body.
    pub fn echo(request: &Received) -> Answer {
        let mut body = format!("{} {}\n", request.method, request.target_text()).into_bytes();
        body.extend_from_slice(&request.body);
        Answer::ok(body)
    }

    /// Exactly these bytes.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Answer {
        Answer { steps: vec![Step::Bytes(bytes.into())] }
    }

    /// Nothing but a closed connection.
    pub fn close() -> Answer {
        Answer { steps: vec![Step::Close] }
    }

    /// Nothing but a reset.
    pub fn reset() -> Answer {
        Answer { steps: vec![Step::Reset] }
    }

    /// Waits for `gate` before anything else.
    #[must_use]
    pub fn after(mut self, gate: &Gate) -> Answer {
        self.steps.insert(0, Step::Wait(gate.clone()));
        self
    }

    /// Goes on with `step`.
    #[must_use]
    pub fn then(mut self, step: Step) -> Answer {
        self.steps.push(step);
        self
    }
}

fn head(status: u16, fields: &[(&str, &str)]) -> Vec<u8> {
    let mut text = format!("HTTP/1.1 {status} Status {status}\r\n");
    for (name, value) in fields {
        text.extend([name, ": ", value, "\r\n"]);
    }
    text.into_bytes()
}

/// Something that a test opens when it is time.
#[derive(Debug, Clone, Default)]
pub struct Gate(Arc<(Mutex<bool>, Condvar)>);

/// So that a test that failed does not hang.
const GATE_TIME: Duration = Duration::from_mins(1);

impl Gate {
    /// A closed gate.
    pub fn new() -> Gate {
        Gate::default()
    }

    /// Lets everybody pass, now and later.
    pub fn open(&self) {
        *self.0.0.lock().expect("nobody panics while holding a gate") = true;
        self.0.1.notify_all();
    }

    pub(super) fn wait(&self) {
        let open = self.0.0.lock().expect("nobody panics while holding a gate");
        drop(self.0.1.wait_timeout_while(open, GATE_TIME, |open| !*open));
    }
}
