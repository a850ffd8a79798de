//! Body decoding (RFC 9112 section 7): bytes in, data out, whatever the pieces. Pure; the reader beside it brings the
//! bytes.

use bytes::{Buf, Bytes, BytesMut};
use memchr::memchr;
use waf_shared::fields::{self, Property};

use super::framing::Framing;
use super::head::{Malformed, is_token};

/// Bytes of one chunk-size line, extensions included; they are read to the letter and never forwarded.
const CHUNK_LINE_BYTES_MAX: usize = 256;

/// Bytes of a trailer section; clients that send trailers send a checksum or a status.
const TRAILER_BYTES_MAX: usize = 8 << 10;

/// Result of a call to [`Decoder::step`].
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

    /// Reports whether the body is complete.
    pub fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// Reports whether the end of the connection ends this body properly.
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

/// `chunk-size [ chunk-ext ] CRLF`; `None` when the line is not complete.
fn chunk_size(input: &mut BytesMut) -> Result<Option<u64>, Malformed> {
    let window = input.get(..input.len().min(CHUNK_LINE_BYTES_MAX)).unwrap_or_default();
    let Some(end) = memchr(b'\n', window) else {
        // What can never become a chunk line is refused at once: a client that sent it may wait for an answer.
        let line = window.strip_suffix(b"\r").unwrap_or(window);
        let digits = line.split(|b| *b == b';').next().unwrap_or_default();
        let hopeless = window.len() == CHUNK_LINE_BYTES_MAX
            || digits.len() > 16
            || !digits.iter().all(u8::is_ascii_hexdigit)
            || memchr(b'\r', line).is_some();
        return if hopeless { Err(Malformed::Chunk) } else { Ok(None) };
    };
    let line = window.get(..end).unwrap_or_default().strip_suffix(b"\r").ok_or(Malformed::Chunk)?;
    let (digits, extensions) = line.split_at(memchr(b';', line).unwrap_or(line.len()));
    if !(1..=16).contains(&digits.len())
        || !digits.iter().all(u8::is_ascii_hexdigit)
        || !are_extensions(extensions)
    {
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

/// `*( ";" token [ "=" ( token / quoted-string ) ] )` (RFC 9112 section 7.1.1), without the bad white space that it
/// tolerates.
fn are_extensions(mut text: &[u8]) -> bool {
    let token = |text: &[u8]| text.iter().take_while(|b| is_token(**b)).count();
    while let Some(rest) = text.strip_prefix(b";") {
        let name = token(rest);
        let Some(rest) = rest.get(name..).filter(|_| name > 0) else { return false };
        text = match rest.strip_prefix(b"=") {
            None => rest,
            Some(value) if value.first() == Some(&b'"') => match quoted_string(value) {
                Some(rest) => rest,
                None => return false,
            },
            Some(value) => match token(value) {
                0 => return false,
                length => value.get(length..).unwrap_or_default(),
            },
        };
    }
    text.is_empty()
}

/// The bytes behind the quoted-string at the front of `text`.
fn quoted_string(text: &[u8]) -> Option<&[u8]> {
    let mut escaped = false;
    for (at, byte) in text.iter().enumerate().skip(1) {
        match byte {
            0..0x20 | 0x7f if *byte != b'\t' => return None,
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return text.get(at + 1..),
            _ => {}
        }
    }
    None
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

/// Checks trailer lines that came otherwise than in a chunked body.
pub(crate) fn check_trailers(lines: &[u8]) -> Result<(), Malformed> {
    if lines.len() > TRAILER_BYTES_MAX {
        return Err(Malformed::Trailer);
    }
    lines
        .split(|b| *b == b'\n')
        .filter(|line| !line.is_empty())
        .try_for_each(|line| check_trailer(line.strip_suffix(b"\r").ok_or(Malformed::Trailer)?))
}

/// Names and values of trailer lines that were checked (RFC 9110, 6.5).
pub(crate) fn trailer_fields(lines: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    lines.split(|b| *b == b'\n').filter_map(|line| {
        let (name, value) = line.split_at_checked(memchr(b':', line)?)?;
        Some((name, value.get(1..)?.trim_ascii()))
    })
}

fn check_trailer(line: &[u8]) -> Result<(), Malformed> {
    let colon = memchr(b':', line).ok_or(Malformed::Trailer)?;
    let (name, value) = line.split_at(colon);
    let clean = value.iter().all(|b| (*b >= 0x20 && *b != 0x7f) || *b == b'\t');
    // Some programs merge trailers into the head, where such a field frames, routes, authorises or names the client.
    let forbidden = fields::is(name, Property::Early);
    let token = !name.is_empty() && name.iter().all(|b| is_token(*b));
    if clean && token && !forbidden { Ok(()) } else { Err(Malformed::Trailer) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Feeds `pieces` and returns the data, the trailers and what is left over.
    fn decode(framing: Framing, pieces: &[&[u8]]) -> Result<(Vec<u8>, Option<Bytes>, Vec<u8>), Malformed> {
        let (mut decoder, mut input, mut data, mut end) =
            (Decoder::new(framing), BytesMut::new(), Vec::new(), None);
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
        assert_eq!(
            (data.as_slice(), end.as_deref(), rest.as_slice()),
            (&b"abc"[..], Some(&b"X-Sum: 1\r\n"[..]), &b"next"[..])
        );
    }

    #[test]
    fn extensions_are_read_and_dropped() {
        let text = b"3;a;b=c;d=\"e\\\"; f\"\r\nabc\r\n0;x\r\n\r\n";
        let (data, end, _) = decode(Framing::Chunked, &[text]).expect("good");
        assert_eq!((data.as_slice(), end.is_some()), (&b"abc"[..], true));
    }

    #[test]
    fn malformed_chunks_are_refused() {
        for text in [
            &b"3;\r\nabc\r\n0\r\n\r\n"[..],
            b"3;a=\r\nabc\r\n0\r\n\r\n",
            b"3;a=\"b\r\nabc\r\n0\r\n\r\n",
            b"3;a\rb\r\nabc\r\n0\r\n\r\n",
            b"3 ;a\r\nabc\r\n0\r\n\r\n",
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

    #[test]
    fn trailers_name_nothing_that_must_come_early() {
        let with = |name: &str| decode(Framing::Chunked, &[format!("0\r\n{name}: 1\r\n\r\n").as_bytes()]);
        for name in [
            "X-HTTP-Method-Override",
            "X-Original-URL",
            "X-Rewrite-Url",
            "X-Real-IP",
            "CF-Connecting-IP",
            "True-Client-Ip",
            "X-Forwarded-Port",
            "Forwarded",
            "X_Forwarded_For",
            "x_http_method_override",
            "TRANSFER_ENCODING",
            "Content_Type",
            "Proxy",
        ] {
            assert!(with(name).is_err(), "{name}");
        }
        for name in ["X-Checksum", "Content-MD5", "grpc-status", "Server-Timing", "x_sum", "Digest", "ETag"] {
            assert!(with(name).is_ok(), "{name}");
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
