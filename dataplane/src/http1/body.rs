//! Body decoding (RFC 9112 section 7): bytes in, data out, whatever the pieces. Pure; the reader beside it brings the bytes.

use bytes::{Buf, Bytes, BytesMut};
use memchr::memchr;

use super::framing::Framing;
use super::head::{Malformed, is_token};

/// Bytes of one chunk-size line. Extensions are refused, so sixteen digits and their line end are all there is.
const CHUNK_LINE_BYTES_MAX: usize = 18;

/// Bytes of a trailer section; clients that send trailers send a checksum or a status.
const TRAILER_BYTES_MAX: usize = 8 << 10;

/// Fields that change how a message is framed, routed or authorised must not come after it (RFC 9110 section 6.5.1).
const FORBIDDEN_TRAILERS: &[&str] = &[
    "transfer-encoding", "content-length", "host", "connection", "trailer", "te", "authorization", "cookie", "set-cookie",
    "content-type", "content-encoding", "content-range", "expect", "upgrade", "keep-alive", "proxy-authorization",
    "proxy-connection", "forwarded", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "x-request-id",
    "cache-control", "max-forwards", "range", "date", "location", "vary", "age", "expires", "www-authenticate",
];

/// What a call to [`Decoder::step`] found.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// Data of the body; never empty.
    Data(Bytes),
    /// More bytes are needed.
    NeedMore,
    /// The body is complete. Trailer lines as they came, each with its line end; mostly empty.
    End(Bytes),
}

/// Decodes one body.
#[derive(Debug)]
pub struct Decoder {
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Length(u64),
    ChunkSize,
    ChunkData(u64),
    ChunkEnd,
    Trailers,
    UntilClose,
    Done,
}

impl Decoder {
    /// For a body framed so.
    pub fn new(framing: Framing) -> Decoder {
        let state = match framing {
            Framing::None | Framing::Length(0) => State::Done,
            Framing::Length(length) => State::Length(length),
            Framing::Chunked => State::ChunkSize,
            Framing::UntilClose => State::UntilClose,
        };
        Decoder { state }
    }

    /// Whether the body is complete.
    pub fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// Whether the end of the connection ends this body properly.
    pub fn ends_with_connection(&self) -> bool {
        matches!(self.state, State::UntilClose | State::Done)
    }

    /// Takes what can be taken off the front of `input`.
    pub fn step(&mut self, input: &mut BytesMut) -> Result<Step, Malformed> {
        loop {
            match self.state {
                State::Done => return Ok(Step::End(Bytes::new())),
                State::UntilClose if input.is_empty() => return Ok(Step::NeedMore),
                State::UntilClose => return Ok(Step::Data(input.split().freeze())),
                State::Length(left) => {
                    return Ok(take_data(input, left, |left| {
                        self.state = if left == 0 { State::Done } else { State::Length(left) };
                    }));
                }
                State::ChunkData(left) => {
                    return Ok(take_data(input, left, |left| {
                        self.state = if left == 0 { State::ChunkEnd } else { State::ChunkData(left) };
                    }));
                }
                State::ChunkSize => match chunk_size(input)? {
                    None => return Ok(Step::NeedMore),
                    Some(0) => self.state = State::Trailers,
                    Some(size) => self.state = State::ChunkData(size),
                },
                State::ChunkEnd => match (input.first(), input.get(1)) {
                    (Some(b'\r'), Some(b'\n')) => {
                        input.advance(2);
                        self.state = State::ChunkSize;
                    }
                    (None, _) | (Some(b'\r'), None) => return Ok(Step::NeedMore),
                    _ => return Err(Malformed::Chunk),
                },
                State::Trailers => {
                    let Some(trailers) = trailers(input)? else { return Ok(Step::NeedMore) };
                    self.state = State::Done;
                    return Ok(Step::End(trailers));
                }
            }
        }
    }
}

fn take_data(input: &mut BytesMut, left: u64, mut now: impl FnMut(u64)) -> Step {
    if input.is_empty() {
        return Step::NeedMore;
    }
    let size = usize::try_from(left).unwrap_or(usize::MAX).min(input.len());
    now(left - size as u64);
    Step::Data(input.split_to(size).freeze())
}

/// `1*HEXDIG CRLF` without extensions; `None` when the line is not complete.
fn chunk_size(input: &mut BytesMut) -> Result<Option<u64>, Malformed> {
    let window = input.get(..input.len().min(CHUNK_LINE_BYTES_MAX)).unwrap_or_default();
    let Some(end) = memchr(b'\n', window) else {
        let digits = window.strip_suffix(b"\r").unwrap_or(window);
        let hopeless = window.len() == CHUNK_LINE_BYTES_MAX || !digits.iter().all(u8::is_ascii_hexdigit);
        return if hopeless { Err(Malformed::Chunk) } else { Ok(None) };
    };
    let digits = window.get(..end).unwrap_or_default().strip_suffix(b"\r").ok_or(Malformed::Chunk)?;
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_hexdigit) {
        return Err(Malformed::Chunk);
    }
    let text = std::str::from_utf8(digits).map_err(|_| Malformed::Chunk)?;
    let size = u64::from_str_radix(text, 16).map_err(|_| Malformed::Chunk)?;
    // A sum of sizes must never overflow what counts it.
    if size > u64::MAX / 4 {
        return Err(Malformed::Chunk);
    }
    input.advance(end + 1);
    Ok(Some(size))
}

/// The trailer section with its empty line; `None` when it is not complete.
fn trailers(input: &mut BytesMut) -> Result<Option<Bytes>, Malformed> {
    let mut at = 0;
    while let Some(end) = memchr(b'\n', input.get(at..).unwrap_or_default()).map(|i| at + i) {
        let line = input.get(at..end).unwrap_or_default().strip_suffix(b"\r").ok_or(Malformed::Trailer)?;
        if line.is_empty() {
            let lines = input.split_to(at).freeze();
            input.advance(2);
            return Ok(Some(lines));
        }
        check_trailer(line)?;
        at = end + 1;
    }
    if input.len() > TRAILER_BYTES_MAX { Err(Malformed::Trailer) } else { Ok(None) }
}

fn check_trailer(line: &[u8]) -> Result<(), Malformed> {
    let colon = memchr(b':', line).ok_or(Malformed::Trailer)?;
    let (name, value) = line.split_at(colon);
    let clean = value.iter().all(|b| (*b >= 0x20 && *b != 0x7f) || *b == b'\t');
    let forbidden = FORBIDDEN_TRAILERS.iter().any(|f| name.eq_ignore_ascii_case(f.as_bytes()));
    let token = !name.is_empty() && name.iter().all(|b| is_token(*b));
    if clean && token && !forbidden { Ok(()) } else { Err(Malformed::Trailer) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Feeds `pieces` and returns the data, the trailers and what is left over.
    fn decode(framing: Framing, pieces: &[&[u8]]) -> Result<(Vec<u8>, Option<Bytes>, Vec<u8>), Malformed> {
        let (mut decoder, mut input, mut data, mut end) = (Decoder::new(framing), BytesMut::new(), Vec::new(), None);
        for piece in pieces {
            input.extend_from_slice(piece);
            while end.is_none() {
                match decoder.step(&mut input)? {
                    Step::Data(bytes) => data.extend_from_slice(&bytes),
                    Step::NeedMore => break,
                    Step::End(trailers) => end = Some(trailers),
                }
            }
        }
        Ok((data, end, input.to_vec()))
    }

    #[test]
    fn bodies_end_where_they_say() {
        let (data, end, rest) = decode(Framing::Length(3), &[b"ab", b"cGET"]).expect("good");
        assert_eq!((data.as_slice(), end.is_some(), rest.as_slice()), (&b"abc"[..], true, &b"GET"[..]));
        let text = b"3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\nnext";
        let (data, end, rest) = decode(Framing::Chunked, &[text]).expect("good");
        assert_eq!((data.as_slice(), end.as_deref(), rest.as_slice()), (&b"abc"[..], Some(&b"X-Sum: 1\r\n"[..]), &b"next"[..]));
    }

    #[test]
    fn crooked_chunks_are_refused() {
        for text in [
            &b"3;a=b\r\nabc\r\n0\r\n\r\n"[..],
            b"3 \r\nabc\r\n0\r\n\r\n",
            b"0x3\r\nabc\r\n0\r\n\r\n",
            b"3\nabc\r\n0\r\n\r\n",
            b"3\r\nabcX\r\n0\r\n\r\n",
            b"3\r\nabc\n0\r\n\r\n",
            b"\r\n",
            b"-1\r\n",
            b"fffffffffffffffff\r\n",
            b"ffffffffffffffff\r\n",
            b"0\r\nContent-Length: 3\r\n\r\n",
            b"0\r\nbad trailer\r\n\r\n",
            b"0\r\nA: b\n\r\n",
            b"0\n\r\n",
        ] {
            assert!(decode(Framing::Chunked, &[text]).is_err(), "{}", text.escape_ascii());
        }
    }

    proptest! {
        #[test]
        fn any_chunking_gives_the_same_body(body in proptest::collection::vec(any::<u8>(), 0..200), cuts in proptest::collection::vec(1usize..20, 0..40)) {
            let mut wire = Vec::new();
            for chunk in body.chunks(17) {
                wire.extend_from_slice(format!("{:X}\r\n", chunk.len()).as_bytes());
                wire.extend_from_slice(chunk);
                wire.extend_from_slice(b"\r\n");
            }
            wire.extend_from_slice(b"0\r\n\r\n");
            let (mut pieces, mut rest) = (Vec::new(), wire.as_slice());
            for cut in cuts {
                let (piece, tail) = rest.split_at(cut.min(rest.len()));
                pieces.push(piece);
                rest = tail;
            }
            pieces.push(rest);
            let (data, end, left) = decode(Framing::Chunked, &pieces).expect("a good body");
            prop_assert_eq!((data, end.is_some(), left.len()), (body, true, 0));
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = decode(Framing::Chunked, &[&bytes]);
        }
    }
}
