//! A request as bytes: nothing is added to what the test gives.

use super::{Connection, Fault, Response};

/// A request to send; nothing is added to it.
#[derive(Debug, Clone)]
pub struct Request {
    pub(super) method: String,
    target: Vec<u8>,
    fields: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    /// A request with the Host `shop.example` and nothing else.
    pub fn new(method: &str, target: impl AsRef<[u8]>) -> Request {
        let fields = vec![("Host".to_owned(), "shop.example".to_owned())];
        Request { method: method.to_owned(), target: target.as_ref().to_vec(), fields, body: Vec::new() }
    }

    /// A GET.
    pub fn get(target: impl AsRef<[u8]>) -> Request {
        Request::new("GET", target)
    }

    /// A POST with a body of known length.
    pub fn post(target: impl AsRef<[u8]>, content_type: &str, body: impl AsRef<[u8]>) -> Request {
        Request::new("POST", target).field("Content-Type", content_type).body(body)
    }

    /// Adds a field.
    #[must_use]
    pub fn field(mut self, name: &str, value: &str) -> Request {
        self.fields.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Replaces the Host.
    #[must_use]
    pub fn host(mut self, host: &str) -> Request {
        self.fields.retain(|(name, _)| name != "Host");
        self.fields.insert(0, ("Host".to_owned(), host.to_owned()));
        self
    }

    /// Sets the body and its Content-Length.
    #[must_use]
    pub fn body(mut self, body: impl AsRef<[u8]>) -> Request {
        body.as_ref().clone_into(&mut self.body);
        let length = self.body.len().to_string();
        self.field("Content-Length", &length)
    }

    /// As it goes over the wire.
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend_from_slice(self.method.as_bytes());
        out.push(b' ');
        out.extend_from_slice(&self.target);
        out.extend_from_slice(b" HTTP/1.1\r\n");
        for (name, value) in &self.fields {
            out.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
        }
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(&self.body);
        out
    }

    /// Sends it over a connection of its own; a test that gets no response fails.
    pub fn to(&self, port: u16) -> Response {
        self.try_to(port)
            .unwrap_or_else(|fault| panic!("{} {}: {fault}", self.method, self.target.escape_ascii()))
    }

    /// Sends it over a connection of its own.
    pub fn try_to(&self, port: u16) -> Result<Response, Fault> {
        Connection::open(port)?.exchange(self)
    }
}

/// Sends bytes over a connection of their own and reads one response.
pub fn send(port: u16, bytes: impl AsRef<[u8]>) -> Result<Response, Fault> {
    let mut connection = Connection::open(port)?;
    connection.send(bytes)?;
    connection.response()
}
