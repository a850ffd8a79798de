//! Filter of a client's bytes before the library sees any of them: whole frames, judged by the configured bounds. Pure:
//! bytes in, bytes for the library out; what it learns goes into the ledger.

use std::collections::VecDeque;
use std::time::Instant;

use bytes::{Bytes, BytesMut};
use h2::Reason;
use waf_shared::catalog::Leaf;

use super::flood_budget::{Cost, Gain};
use super::frame::{self, Head};
use super::hpack::{Decoder, Undecoded};
use super::stream_table::{Opening, SharedStreamTable, StreamTable};
use super::{PREFACE, fields, request};
use crate::http1::head::Malformed;

/// The request that the library sees in place of each: `GET`, `http`, `/`, all of them in the static table.
const STAND_IN: &[u8] = &[0x82, 0x86, 0x84];

/// The bounds of a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) streams: usize,
    pub(super) continuations: u32,
    pub(super) decoded_bytes: usize,
}

/// A header block whose end has not come.
#[derive(Debug)]
struct Block {
    stream: u32,
    ends_stream: bool,
    depends_on_itself: bool,
    continuations: u32,
    bytes: BytesMut,
}

/// Sifts the bytes of one connection.
#[derive(Debug)]
pub(super) struct FrameFilter {
    stream_table: SharedStreamTable,
    bounds: Bounds,
    /// From the client, not yet read as frames.
    raw: BytesMut,
    /// For the library.
    clean: VecDeque<Bytes>,
    preface_left: usize,
    hpack: Decoder,
    block: Option<Block>,
}

impl FrameFilter {
    pub(super) fn new(bounds: Bounds, stream_table: SharedStreamTable) -> FrameFilter {
        FrameFilter {
            stream_table,
            bounds,
            raw: BytesMut::new(),
            clean: VecDeque::new(),
            preface_left: PREFACE.len(),
            hpack: Decoder::default(),
            block: None,
        }
    }

    /// Bytes that the library may read next.
    pub(super) fn front(&mut self) -> Option<&mut Bytes> {
        while self.clean.front().is_some_and(Bytes::is_empty) {
            self.clean.pop_front();
        }
        self.clean.front_mut()
    }

    /// Takes what a client sent. Nothing is read any more once it is guilty of something.
    pub(super) fn put(&mut self, bytes: &[u8], now: Instant) {
        if self.stream_table.lock().fault().is_none() {
            self.raw.extend_from_slice(bytes);
            self.sift(now);
        }
    }

    /// Reads whole frames off what has come.
    fn sift(&mut self, now: Instant) {
        if self.preface_left > 0 {
            let preface = self.raw.split_to(self.preface_left.min(self.raw.len())).freeze();
            self.preface_left -= preface.len();
            self.clean.push_back(preface);
        }
        while let Some(head) = Head::read(&self.raw) {
            if head.length > frame::PAYLOAD_BYTES_MAX {
                self.accuse(Reason::FRAME_SIZE_ERROR, "a frame larger than was allowed");
                return;
            }
            let length = frame::HEAD_BYTES + head.length;
            if self.raw.len() < length {
                return;
            }
            let whole = self.raw.split_to(length).freeze();
            self.frame(head, whole, now);
            if self.stream_table.lock().fault().is_some() {
                return;
            }
        }
    }

    /// Judges one frame, and hands on what the library is to see of it.
    fn frame(&mut self, head: Head, whole: Bytes, now: Instant) {
        let payload = whole.get(frame::HEAD_BYTES..).unwrap_or_default();
        if let Some(block) = self.block.take() {
            if head.kind != frame::CONTINUATION || head.stream != block.stream {
                self.accuse(Reason::PROTOCOL_ERROR, "a header block was interrupted by another frame");
                return;
            }
            self.fragment(block, head, payload, now);
            return;
        }
        match head.kind {
            frame::CONTINUATION => {
                self.accuse(Reason::PROTOCOL_ERROR, "CONTINUATION without a header block before it");
            }
            frame::HEADERS => self.headers(head, payload, now),
            _ => {
                let receiver = note(&mut self.stream_table.lock(), head, payload, now);
                if receiver == Receiver::Library {
                    self.clean.push_back(whole);
                }
            }
        }
    }

    fn headers(&mut self, head: Head, payload: &[u8], now: Instant) {
        let Some((fragment, depends_on)) = frame::fragment(head, payload) else {
            self.accuse(Reason::PROTOCOL_ERROR, "HEADERS with more padding than payload");
            return;
        };
        let block = Block {
            stream: head.stream,
            ends_stream: head.has(frame::END_STREAM),
            depends_on_itself: depends_on == Some(head.stream),
            continuations: 0,
            bytes: BytesMut::new(),
        };
        self.fragment(block, head, fragment, now);
    }

    /// Adds a fragment to a header block, within the bounds on frames and bytes.
    fn fragment(&mut self, mut block: Block, head: Head, fragment: &[u8], now: Instant) {
        block.continuations += u32::from(head.kind == frame::CONTINUATION);
        let mut stream_table = self.stream_table.lock();
        if block.continuations > self.bounds.continuations {
            let text = "more CONTINUATION frames than protocol.http2_max_continuation_frames";
            stream_table.accuse(Reason::ENHANCE_YOUR_CALM, Leaf::Http2FrameFlood, text);
            return;
        }
        // No encoder makes fields longer than they are.
        if block.bytes.len() + fragment.len() > self.bounds.decoded_bytes {
            stream_table.accuse(Reason::ENHANCE_YOUR_CALM, Leaf::Http2HeaderBomb, HEADER_BOMB);
            return;
        }
        block.bytes.extend_from_slice(fragment);
        let is_complete = head.has(frame::END_HEADERS);
        stream_table.block_since = if is_complete { None } else { stream_table.block_since.or(Some(now)) };
        drop(stream_table);
        if is_complete {
            self.complete(&block);
        } else {
            self.block = Some(block);
        }
    }

    /// Decodes a block and puts a stand-in for it before the library.
    fn complete(&mut self, block: &Block) {
        let decoded = match self.hpack.decode(&block.bytes, self.bounds.decoded_bytes) {
            Ok(decoded) => decoded,
            Err(Undecoded::Malformed) => {
                self.accuse(Reason::COMPRESSION_ERROR, "a header block that is not HPACK");
                return;
            }
            Err(Undecoded::TooLarge) => {
                let mut stream_table = self.stream_table.lock();
                stream_table.accuse(Reason::ENHANCE_YOUR_CALM, Leaf::Http2HeaderBomb, HEADER_BOMB);
                return;
            }
        };
        let mut stream_table = self.stream_table.lock();
        let mut flags = frame::END_HEADERS | if block.ends_stream { frame::END_STREAM } else { 0 };
        let mut stand_in = STAND_IN;
        if stream_table.is_new(block.stream) {
            let opening = self.bounds.opening(block, &decoded, stream_table.open());
            match opening {
                Opening::Head(_) => {}
                // The library keeps such a stream open, so that it can be reset once the answer is out.
                Opening::Malformed { .. } => flags &= !frame::END_STREAM,
                Opening::Refused => stream_table.is_over_streams = true,
            }
            stream_table.begin(block.stream, opening, block.ends_stream);
        } else if stream_table.knows(block.stream) {
            stand_in = &[];
            stream_table.keep_trailers(block.stream, fields::trailers(&decoded));
            if block.ends_stream {
                stream_table.ended_in(block.stream);
            }
        }
        drop(stream_table);
        self.clean.push_back(frame::write(frame::HEADERS, flags, block.stream, stand_in));
    }

    /// A fault of syntax ends the connection too.
    fn accuse(&mut self, reason: Reason, text: &'static str) {
        self.stream_table.lock().accuse(reason, Leaf::HttpComplianceMalformedRequestLine, text);
    }
}

/// Receiver of a frame behind the filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Receiver {
    Library,
    Nobody,
}

/// Notes a frame that is no part of a header block, and charges for it.
fn note(stream_table: &mut StreamTable, head: Head, payload: &[u8], now: Instant) -> Receiver {
    match head.kind {
        frame::DATA => {
            stream_table.received(head.stream, now);
            if head.has(frame::END_STREAM) {
                stream_table.ended_in(head.stream);
            } else if frame::unpadded(head, payload).is_some_and(<[u8]>::is_empty) {
                stream_table.charge(Cost::EmptyData, now);
            } else {
                stream_table.earn(Gain::Received);
            }
        }
        frame::RST_STREAM => stream_table.reset(head.stream, now),
        frame::SETTINGS if !head.has(frame::ACK) => {
            stream_table.charge(Cost::Settings, now);
            if let Some(bytes) = frame::initial_window(payload) {
                stream_table.begins_with_window(bytes);
            }
        }
        frame::SETTINGS | frame::PUSH_PROMISE | frame::GOAWAY => {}
        frame::WINDOW_UPDATE => {
            stream_table.charge(Cost::Control, now);
            stream_table.widened(head.stream, frame::increment(payload));
        }
        frame::PING | frame::PRIORITY => stream_table.charge(Cost::Control, now),
        _ => {
            // Types that nobody knows are passed over (RFC 9113 section 4.1); the library need not see them.
            stream_table.charge(Cost::Control, now);
            return Receiver::Nobody;
        }
    }
    Receiver::Library
}

const HEADER_BOMB: &str = "a header block over protocol.http2_max_decoded_header_bytes";

impl Bounds {
    fn opening(self, block: &Block, decoded: &[(Bytes, Bytes)], open: usize) -> Opening {
        if open >= self.streams {
            return Opening::Refused;
        }
        let head = match request::head(decoded, block.ends_stream) {
            Ok(_) if block.depends_on_itself => Err(Malformed::PseudoField),
            head => head,
        };
        match head {
            Ok(head) => Opening::Head(Box::new(head)),
            Err(why) => Opening::Malformed { why, quoted: request::quoted(decoded) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BOUNDS: Bounds = Bounds { streams: 100, continuations: 4, decoded_bytes: 4096 };

    /// Bytes that the library sees of `pieces`, and the stream table.
    fn sift(pieces: &[&[u8]]) -> (Vec<u8>, SharedStreamTable) {
        let now = Instant::now();
        let stream_table = SharedStreamTable::new(now);
        let mut frame_filter = FrameFilter::new(BOUNDS, stream_table.clone());
        let mut seen = Vec::new();
        for piece in pieces {
            frame_filter.put(piece, now);
            while let Some(front) = frame_filter.front() {
                seen.extend_from_slice(&std::mem::take(front));
            }
        }
        (seen, stream_table)
    }

    /// `GET /x?<y>` with an authority of `a`, then PING, then DATA.
    fn talk() -> Vec<u8> {
        let block = [&[0x82, 0x86, 0x41, 1, b'a', 0x44, 6][..], b"/x?<y>"].concat();
        let (front, back) = block.split_at(3);
        let frames = [
            frame::write(frame::HEADERS, 0, 1, front),
            frame::write(frame::CONTINUATION, frame::END_HEADERS, 1, back),
            frame::write(0xbb, 0, 0, b"unknown"),
            frame::write(frame::PING, 0, 0, &[0; 8]),
            frame::write(frame::DATA, frame::END_STREAM, 1, b"data"),
        ];
        [PREFACE, &frames.concat()].concat()
    }

    #[test]
    fn the_library_sees_stand_ins() {
        let (seen, stream_table) = sift(&[&talk()]);
        let frames = [
            frame::write(frame::HEADERS, frame::END_HEADERS, 1, STAND_IN),
            frame::write(frame::PING, 0, 0, &[0; 8]),
            frame::write(frame::DATA, frame::END_STREAM, 1, b"data"),
        ];
        assert_eq!(seen, [PREFACE, &frames.concat()].concat());
        let opening = stream_table.lock().take_opening(1);
        let Some((Opening::Head(head), _)) = opening else { panic!("a head") };
        assert_eq!((head.target(), head.fields.first("host")), (&b"/x?<y>"[..], Some(&b"a"[..])));
    }

    #[test]
    fn data_for_an_answered_stream_is_passed_over_for_a_while() {
        let start = Instant::now();
        let stream_table = SharedStreamTable::new(start);
        let mut frame_filter = FrameFilter::new(BOUNDS, stream_table.clone());
        frame_filter.put(&talk(), start);
        stream_table.lock().forget(1);
        let data = frame::write(frame::DATA, 0, 1, b"a");
        let seconds = |seconds| start + std::time::Duration::from_secs(seconds);
        for (at, expected) in [(1, None), (9, None), (12, Some(Reason::STREAM_CLOSED))] {
            frame_filter.put(&data, seconds(at));
            assert_eq!(stream_table.lock().fault().map(|fault| fault.reason), expected, "{at} s");
        }
    }

    #[test]
    fn faults_end_the_reading() {
        let (seen, stream_table) =
            sift(&[&[PREFACE, &frame::write(frame::CONTINUATION, 0, 1, b"")].concat(), &talk()]);
        assert_eq!(seen, PREFACE);
        assert_eq!(stream_table.lock().fault().map(|fault| fault.reason), Some(Reason::PROTOCOL_ERROR));
    }

    #[test]
    fn streams_beyond_the_limit_are_refused_until_one_ends() {
        let now = Instant::now();
        let stream_table = SharedStreamTable::new(now);
        let mut frame_filter = FrameFilter::new(Bounds { streams: 1, ..BOUNDS }, stream_table.clone());
        frame_filter.put(PREFACE, now);
        let open = |id| frame::write(frame::HEADERS, frame::END_HEADERS | frame::END_STREAM, id, STAND_IN);
        frame_filter.put(&[open(1), open(3)].concat(), now);
        assert!(stream_table.lock().is_over_streams);
        let opening = |id| stream_table.lock().take_opening(id).map(|(opening, _)| opening);
        assert!(matches!(opening(3), Some(Opening::Refused)));
        stream_table.lock().reset(3, now);
        stream_table.lock().answered(1);
        assert_eq!(stream_table.lock().open(), 0);
        frame_filter.put(&open(5), now);
        assert!(matches!(opening(5), Some(Opening::Head(_))));
        stream_table.lock().forget(5);
        stream_table.lock().forget(1);
        assert_eq!(stream_table.lock().open(), 0);
    }

    proptest! {
        #[test]
        fn any_cutting_gives_the_same(cuts in proptest::collection::vec(1usize..30, 0..20)) {
            let talk = talk();
            let (mut pieces, mut rest) = (Vec::new(), talk.as_slice());
            for cut in cuts {
                let (piece, tail) = rest.split_at(cut.min(rest.len()));
                pieces.push(piece);
                rest = tail;
            }
            pieces.push(rest);
            prop_assert_eq!(sift(&pieces).0, sift(&[&talk]).0);
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            sift(&[PREFACE, &bytes]);
        }

        #[test]
        fn arbitrary_frames_never_panic(frames in proptest::collection::vec((0u8..12, any::<u8>(), 0u32..8, proptest::collection::vec(any::<u8>(), 0..40)), 0..20)) {
            let frames: Vec<_> = frames.iter().map(|(kind, flags, id, payload)| frame::write(*kind, *flags, *id, payload)).collect();
            sift(&[PREFACE, &frames.concat()]);
        }
    }
}
