//! A request in parts, so that mutations know what they change, and its bytes on the wire.

/// Framing of the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Framing {
    /// By its length.
    Length,
    /// By a length that is so much off.
    WrongLength(i64),
    /// In chunks of these sizes, one after the other, with text behind each size and a trailer section.
    Chunked { sizes: Vec<usize>, extension: Vec<u8>, trailers: Vec<u8> },
    /// By nothing.
    Nothing,
}

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Case {
    pub(crate) method: &'static str,
    pub(crate) target: Vec<u8>,
    pub(crate) version: &'static str,
    /// Field lines without their ends; framing fields are added by [`Case::wire`].
    pub(crate) fields: Vec<Vec<u8>>,
    pub(crate) body: Vec<u8>,
    pub(crate) framing: Framing,
    /// Line end of the head.
    pub(crate) line_end: &'static [u8],
}

impl Case {
    /// A request without a body.
    pub(crate) fn get(target: &str) -> Case {
        Case {
            method: "GET",
            target: target.as_bytes().to_vec(),
            version: "HTTP/1.1",
            fields: [
                &b"Host: shop.example"[..],
                b"User-Agent: Mozilla/5.0 (X11; Linux x86_64)",
                b"Accept: */*",
            ]
            .map(<[u8]>::to_vec)
            .to_vec(),
            body: Vec::new(),
            framing: Framing::Nothing,
            line_end: b"\r\n",
        }
    }

    /// A request with a body.
    pub(crate) fn post(content_type: &str, body: impl Into<Vec<u8>>) -> Case {
        let mut case =
            Case { method: "POST", body: body.into(), framing: Framing::Length, ..Case::get("/save") };
        case.fields.push(format!("Content-Type: {content_type}").into_bytes());
        case
    }

    /// The same with one more field line.
    pub(crate) fn with(mut self, line: &str) -> Case {
        self.fields.push(line.as_bytes().to_vec());
        self
    }

    /// The index of the first field line of that name, which is given in lower case.
    pub(crate) fn field(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|line| {
            let end = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
            line.get(..end).is_some_and(|field| field.eq_ignore_ascii_case(name.as_bytes()))
        })
    }

    /// The value of that field line.
    pub(crate) fn value(&self, name: &str) -> Option<&[u8]> {
        let line = self.fields.get(self.field(name)?)?;
        Some(line.get(name.len() + 1..)?.trim_ascii())
    }

    /// Puts `value` in the place of that field's.
    pub(crate) fn set(&mut self, name: &str, value: &[u8]) {
        let line = [name.as_bytes(), b": ", value].concat();
        match self.field(name) {
            Some(at) => self.fields[at] = line,
            None => self.fields.push(line),
        }
    }

    /// The bytes of the request.
    pub(crate) fn wire(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(512 + self.body.len());
        let mut line = |parts: &[&[u8]]| {
            for part in parts {
                out.extend_from_slice(part);
            }
            out.extend_from_slice(self.line_end);
        };
        line(&[self.method.as_bytes(), b" ", &self.target, b" ", self.version.as_bytes()]);
        for field in &self.fields {
            line(&[field]);
        }
        match &self.framing {
            Framing::Length => line(&[b"Content-Length: ", self.body.len().to_string().as_bytes()]),
            Framing::WrongLength(off) => {
                let length = i64::try_from(self.body.len()).unwrap_or(i64::MAX).saturating_add(*off).max(0);
                line(&[b"Content-Length: ", length.to_string().as_bytes()]);
            }
            Framing::Chunked { .. } => line(&[b"Transfer-Encoding: chunked"]),
            Framing::Nothing => {}
        }
        line(&[]);
        match &self.framing {
            Framing::Chunked { sizes, extension, trailers } => {
                chunks(&self.body, sizes, extension, trailers, &mut out);
            }
            _ => out.extend_from_slice(&self.body),
        }
        out
    }
}

fn chunks(body: &[u8], sizes: &[usize], extension: &[u8], trailers: &[u8], out: &mut Vec<u8>) {
    let (mut rest, mut sizes) = (body, sizes.iter().cycle());
    while !rest.is_empty() {
        let size = sizes.next().copied().unwrap_or(rest.len()).clamp(1, rest.len());
        let (chunk, behind) = rest.split_at(size);
        out.extend_from_slice(format!("{size:x}").as_bytes());
        out.extend_from_slice(extension);
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(chunk);
        out.extend_from_slice(b"\r\n");
        rest = behind;
    }
    out.extend_from_slice(b"0\r\n");
    out.extend_from_slice(trailers);
    out.extend_from_slice(b"\r\n");
}
