//! Control frames: magic, format version, number of descriptors, length, then the bincode payload. The header is
//! checked before a byte of the payload is read, so that a truncated, oversized, foreign or garbled frame is an error
//! and never a panic or an allocation. This is the only module of the protocol that knows bincode's functions.

use super::Message;
use crate::limits::{CONTROL_FRAME_BYTES_MAX, DESCRIPTORS_MAX};

const MAGIC: [u8; 4] = *b"WAFC";

/// Bytes in front of every payload.
pub const HEADER_BYTES: usize = 4 + 2 + 2 + 4;

/// Changes whenever a message's layout does.
pub const FRAME_VERSION: u16 = 3;

/// A fault of bytes that should be a frame, or of a message that should become one.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// Not a control frame at all.
    #[error("the bytes do not begin as a control frame does")]
    Magic,
    /// Written by another version of this program.
    #[error("the control frame has version {0}, this program reads {FRAME_VERSION}")]
    Version(u16),
    /// More descriptors than an offer carries.
    #[error("the control frame announces {0} descriptors, more than {DESCRIPTORS_MAX}")]
    Descriptors(usize),
    /// Over [`CONTROL_FRAME_BYTES_MAX`].
    #[error("the control frame takes {0} bytes, more than {CONTROL_FRAME_BYTES_MAX}")]
    TooLarge(usize),
    /// Shorter or longer than its message.
    #[error("the control frame's payload is {got} bytes long, its message takes {expected}")]
    Length {
        /// Bytes that the message takes.
        expected: usize,
        /// Bytes that came.
        got: usize,
    },
    /// The payload is no message.
    #[error("the control frame's payload does not decode")]
    Decode(#[source] bincode::error::DecodeError),
    /// The message cannot be written.
    #[error("the message cannot be serialised")]
    Encode(#[source] bincode::error::EncodeError),
}

fn config() -> impl bincode::config::Config {
    bincode::config::standard()
        .with_little_endian()
        .with_fixed_int_encoding()
        .with_limit::<CONTROL_FRAME_BYTES_MAX>()
}

/// Header in front of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Descriptors that travel with the frame's first byte.
    pub descriptors: usize,
    /// Bytes of the payload that follows.
    pub payload_bytes: usize,
}

impl Header {
    /// Reads and judges a header.
    pub fn parse(bytes: &[u8; HEADER_BYTES]) -> Result<Self, FrameError> {
        let [m0, m1, m2, m3, v0, v1, d0, d1, l0, l1, l2, l3] = *bytes;
        if [m0, m1, m2, m3] != MAGIC {
            return Err(FrameError::Magic);
        }
        let version = u16::from_le_bytes([v0, v1]);
        if version != FRAME_VERSION {
            return Err(FrameError::Version(version));
        }
        let descriptors = usize::from(u16::from_le_bytes([d0, d1]));
        let payload_bytes = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
        if descriptors > DESCRIPTORS_MAX {
            return Err(FrameError::Descriptors(descriptors));
        }
        if payload_bytes > CONTROL_FRAME_BYTES_MAX {
            return Err(FrameError::TooLarge(payload_bytes));
        }
        Ok(Self { descriptors, payload_bytes })
    }
}

/// Writes a frame, header included.
pub fn encode<M: Message>(message: &M, descriptors: usize) -> Result<Vec<u8>, FrameError> {
    if descriptors > DESCRIPTORS_MAX {
        return Err(FrameError::Descriptors(descriptors));
    }
    let mut frame = vec![0; HEADER_BYTES];
    let payload_bytes =
        bincode::encode_into_std_write(message, &mut frame, config()).map_err(FrameError::Encode)?;
    if payload_bytes > CONTROL_FRAME_BYTES_MAX {
        return Err(FrameError::TooLarge(payload_bytes));
    }
    let mut header = Vec::with_capacity(HEADER_BYTES);
    header.extend_from_slice(&MAGIC);
    header.extend_from_slice(&FRAME_VERSION.to_le_bytes());
    header.extend_from_slice(&(descriptors as u16).to_le_bytes());
    header.extend_from_slice(&(payload_bytes as u32).to_le_bytes());
    frame.splice(..HEADER_BYTES, header);
    Ok(frame)
}

/// Reads the payload of a frame; it has to be one message and nothing else.
pub fn decode<M: Message>(payload: &[u8]) -> Result<M, FrameError> {
    let (message, read) =
        bincode::decode_from_slice::<M, _>(payload, config()).map_err(FrameError::Decode)?;
    if read != payload.len() {
        return Err(FrameError::Length { expected: read, got: payload.len() });
    }
    Ok(message)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::control::{
        AlpnChallenge, CertificatePair, Certificates, Challenges, Counts, Decision, Generation,
        HttpChallenge, Listener, Offer, Role, Secret, ShadowDifference, ShadowPlan, ShadowReport, Share,
        SocketId, TicketKey, Tickets, ToSupervisor, ToWorker,
    };
    use crate::plan::{Digest, Millis};

    fn split(frame: &[u8]) -> (Header, &[u8]) {
        let (header, payload) = frame.split_first_chunk::<HEADER_BYTES>().unwrap();
        (Header::parse(header).unwrap(), payload)
    }

    fn offer(plan: Vec<u8>) -> ToWorker {
        ToWorker::Offer(Offer {
            generation: Generation(7),
            digest: Digest([3; 32]),
            plan,
            listeners: vec![Listener { socket: SocketId(1), port: 8080, role: Role::Plain }],
            counts: Some(Counts { hash_key: [4; 16], offsets: vec![0, 1 << 20] }),
        })
    }

    #[test]
    fn every_message_comes_back_as_it_went() {
        for message in [
            offer(b"plan".to_vec()),
            ToWorker::Commit(Generation(1)),
            ToWorker::Shadow(None),
            ToWorker::Shadow(Some(ShadowPlan {
                number: 4,
                digest: Digest([5; 32]),
                plan: b"plan".to_vec(),
                share: Share(100_000),
            })),
            ToWorker::ShadowLog,
            ToWorker::Record { share: Share(10_000), bytes_max: 1 << 20 },
            ToWorker::Abandon(Generation(u64::MAX)),
            ToWorker::Drain(Millis(30_000)),
            ToWorker::Certificates(Certificates {
                pairs: vec![CertificatePair {
                    names: vec!["a.example".into(), "*.b.example".into()],
                    chain_pem: b"chain".to_vec(),
                    key_pem: Secret(b"key".to_vec()),
                }],
            }),
            ToWorker::Tickets(Tickets {
                keys: vec![TicketKey { name: [1; 16], secret: Secret(vec![2; 32]) }],
            }),
            ToWorker::Challenges(Challenges {
                revision: 9,
                http: vec![HttpChallenge { token: "t".into(), key_authorization: "t.k".into() }],
                alpn: vec![AlpnChallenge {
                    host: "a.example".into(),
                    certificate_der: vec![3],
                    key_der: Secret(vec![4]),
                }],
            }),
        ] {
            let frame = encode(&message, 1).unwrap();
            let (header, payload) = split(&frame);
            assert_eq!(header, Header { descriptors: 1, payload_bytes: payload.len() });
            assert_eq!(decode::<ToWorker>(payload).unwrap(), message);
        }
        for message in [
            ToSupervisor::Prepared(Generation(1)),
            ToSupervisor::Rejected { generation: Generation(2), why: "no".into() },
            ToSupervisor::Active(Generation(3)),
            ToSupervisor::Challenged(9),
            ToSupervisor::Unserved(vec!["x.b.example".into()]),
            ToSupervisor::Spool(4),
            ToSupervisor::RecordFull,
            ToSupervisor::Shadowed(ShadowReport {
                number: 3,
                results: [4, 3, 2, 1],
                passed: 6,
                refused: 1,
                differences: vec![ShadowDifference {
                    route: "shop".into(),
                    rule: "-".into(),
                    decision: Decision::Blocked,
                    requests: 1,
                }],
            }),
        ] {
            let frame = encode(&message, 0).unwrap();
            assert_eq!(decode::<ToSupervisor>(split(&frame).1).unwrap(), message);
        }
    }

    #[test]
    fn a_foreign_header_is_refused() {
        let frame = encode(&ToWorker::Commit(Generation(1)), 0).unwrap();
        let header = *frame.first_chunk::<HEADER_BYTES>().unwrap();
        let with = |at: usize, bytes: &[u8]| {
            let mut changed = header;
            changed[at..at + bytes.len()].copy_from_slice(bytes);
            Header::parse(&changed).unwrap_err()
        };
        assert!(matches!(with(0, b"HTTP"), FrameError::Magic));
        assert!(matches!(with(4, &(FRAME_VERSION + 1).to_le_bytes()), FrameError::Version(_)));
        assert!(matches!(with(6, &999u16.to_le_bytes()), FrameError::Descriptors(999)));
        assert!(matches!(with(8, &u32::MAX.to_le_bytes()), FrameError::TooLarge(_)));
    }

    #[test]
    fn a_payload_is_one_message_and_nothing_else() {
        let frame = encode(&offer(vec![9; 100]), 1).unwrap();
        let payload = split(&frame).1.to_vec();
        for length in 0..payload.len() {
            assert!(decode::<ToWorker>(&payload[..length]).is_err(), "{length} bytes decode");
        }
        let mut longer = payload;
        longer.push(0);
        assert!(matches!(decode::<ToWorker>(&longer).unwrap_err(), FrameError::Length { .. }));
    }

    #[test]
    fn a_length_inside_the_payload_cannot_make_it_allocate() {
        let mut payload = split(&encode(&offer(Vec::new()), 0).unwrap()).1.to_vec();
        // The plan's length stands behind the variant, the generation and the digest.
        payload[4 + 8 + 32..][..8].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(matches!(decode::<ToWorker>(&payload).unwrap_err(), FrameError::Decode(_)));
    }

    proptest! {
        #[test]
        fn garbage_is_an_error_or_a_message(bytes in proptest::collection::vec(any::<u8>(), 0..256)) {
            if let Some((header, payload)) = bytes.split_first_chunk::<HEADER_BYTES>() {
                let _ = Header::parse(header);
                if let Ok(message) = decode::<ToWorker>(payload) {
                    prop_assert_eq!(decode::<ToWorker>(split(&encode(&message, 0).unwrap()).1).unwrap(), message);
                }
                let _ = decode::<ToSupervisor>(payload);
            }
        }

        #[test]
        fn a_changed_byte_is_an_error_or_another_message(at in 0usize..100, to in any::<u8>()) {
            let mut frame = encode(&offer(vec![5; 64]), 1).unwrap();
            let at = at % frame.len();
            frame[at] = to;
            let (header, payload) = frame.split_first_chunk::<HEADER_BYTES>().unwrap();
            if let Ok(header) = Header::parse(header) {
                prop_assert!(header.payload_bytes <= CONTROL_FRAME_BYTES_MAX);
                let _ = decode::<ToWorker>(payload);
            }
        }
    }
}
