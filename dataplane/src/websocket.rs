//! WebSocket (RFC 6455) without sockets: the handshake, frames, what a client may send in which order, and close frames.
//! It knows no rules, routes or events.

mod boundary;
mod close;
mod frame;
mod frames;
mod handshake;
mod mask;
mod sequence;
mod utf8;

pub(crate) use boundary::Boundary;
pub(crate) use close::{Code, Fault};
pub(crate) use frame::{Header, Opcode};
pub(crate) use frames::{Frames, Part, check_control};
pub(crate) use handshake::{is_agreed, is_named};
pub(crate) use mask::unmask;
pub(crate) use sequence::{Role, Sequence};
pub(crate) use utf8::Utf8;
