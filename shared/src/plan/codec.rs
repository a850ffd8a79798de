//! Plan bytes: magic, format version, length, SHA-256, then the bincode payload. Everything about the envelope is
//! checked before a byte of the payload is decoded, and decoding is bounded, so that corrupt, truncated, oversized or
//! foreign bytes are an error and never a panic. This is the only module that knows bincode's functions.

use std::fmt;

use bincode::{Decode, Encode};
use sha2::{Digest as _, Sha256};

use super::Plan;
use crate::limits::PLAN_BYTES_MAX;

const MAGIC: [u8; 8] = *b"WAFPLAN\0";
const HEADER_BYTES: usize = 8 + 4 + 8 + 32;

/// Changes whenever the payload's layout does.
pub const FORMAT_VERSION: u32 = 3;

/// SHA-256 of a plan's payload: its name everywhere. Shown as 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Encode, Decode)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// Of any bytes.
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(Sha256::digest(bytes).into())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A fault that keeps a plan from being written.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// The payload is over [`PLAN_BYTES_MAX`].
    #[error("the plan takes {0} bytes, more than the {PLAN_BYTES_MAX} that a worker accepts")]
    TooLarge(usize),
    /// The serialiser failed.
    #[error("the plan cannot be serialised")]
    Payload(#[source] bincode::error::EncodeError),
}

/// A fault of bytes that should be a plan.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// Shorter or longer than its envelope says.
    #[error("the plan is {got} bytes long, its envelope says {expected}")]
    Length {
        /// Bytes that the envelope announces (at least the envelope itself).
        expected: usize,
        /// Bytes that came.
        got: usize,
    },
    /// Not a plan at all.
    #[error("the bytes do not begin as a plan does")]
    Magic,
    /// Written by another version of this program.
    #[error("the plan has format version {0}, this program reads {FORMAT_VERSION}")]
    Version(u32),
    /// Over [`PLAN_BYTES_MAX`].
    #[error("the plan takes {0} bytes, more than {PLAN_BYTES_MAX}")]
    TooLarge(u64),
    /// The payload is not what its digest says.
    #[error("the plan's payload does not match its digest")]
    Digest,
    /// The payload does not decode.
    #[error("the plan's payload does not decode")]
    Payload(#[source] bincode::error::DecodeError),
}

fn config() -> impl bincode::config::Config {
    bincode::config::standard().with_little_endian().with_fixed_int_encoding().with_limit::<PLAN_BYTES_MAX>()
}

/// Writes a plan; the same plan gives the same bytes.
pub fn encode(plan: &Plan) -> Result<(Vec<u8>, Digest), EncodeError> {
    let payload = bincode::encode_to_vec(plan, config()).map_err(EncodeError::Payload)?;
    if payload.len() + HEADER_BYTES > PLAN_BYTES_MAX {
        return Err(EncodeError::TooLarge(payload.len()));
    }
    let digest = Digest(Sha256::digest(&payload).into());
    let mut bytes = Vec::with_capacity(HEADER_BYTES + payload.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    bytes.extend_from_slice(&(payload.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&digest.0);
    bytes.extend_from_slice(&payload);
    Ok((bytes, digest))
}

/// Reads a plan that [`encode`] wrote.
pub fn decode(bytes: &[u8]) -> Result<(Plan, Digest), DecodeError> {
    let short = DecodeError::Length { expected: HEADER_BYTES, got: bytes.len() };
    let Some((magic, rest)) = bytes.split_first_chunk::<8>() else { return Err(short) };
    if *magic != MAGIC {
        return Err(DecodeError::Magic);
    }
    let Some((version, rest)) = rest.split_first_chunk::<4>() else { return Err(short) };
    let version = u32::from_le_bytes(*version);
    if version != FORMAT_VERSION {
        return Err(DecodeError::Version(version));
    }
    let Some((length, rest)) = rest.split_first_chunk::<8>() else { return Err(short) };
    let Some((digest, payload)) = rest.split_first_chunk::<32>() else { return Err(short) };
    let length = u64::from_le_bytes(*length);
    if length > (PLAN_BYTES_MAX - HEADER_BYTES) as u64 {
        return Err(DecodeError::TooLarge(length));
    }
    if length != payload.len() as u64 {
        return Err(DecodeError::Length { expected: HEADER_BYTES + length as usize, got: bytes.len() });
    }
    let digest = Digest(*digest);
    if Digest(Sha256::digest(payload).into()) != digest {
        return Err(DecodeError::Digest);
    }
    let (plan, read) =
        bincode::decode_from_slice::<Plan, _>(payload, config()).map_err(DecodeError::Payload)?;
    if read != payload.len() {
        return Err(DecodeError::Length { expected: HEADER_BYTES + read, got: bytes.len() });
    }
    Ok((plan, digest))
}
