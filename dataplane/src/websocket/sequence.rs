//! The order of frames (RFC 6455 section 5.4).

use super::close::{Code, Fault};
use super::frame::{Header, Opcode};

/// The role of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The first frame of a message: text, or bytes.
    First { is_text: bool },
    /// A further frame of the message in hand.
    Next,
    /// A frame between those of messages.
    Control,
}

/// Frames so far.
#[derive(Debug, Default)]
pub(crate) struct Sequence {
    is_in_message: bool,
}

impl Sequence {
    /// The role of the next frame.
    pub(crate) fn next(&mut self, header: &Header) -> Result<Role, Fault> {
        let role = match (header.opcode, self.is_in_message) {
            (Opcode::Close | Opcode::Ping | Opcode::Pong, _) => return Ok(Role::Control),
            (Opcode::Text, false) => Role::First { is_text: true },
            (Opcode::Binary, false) => Role::First { is_text: false },
            (Opcode::Continuation, true) => Role::Next,
            (Opcode::Continuation, false) => {
                return Err(Fault::new(Code::PROTOCOL, "a continuation without a message"));
            }
            (Opcode::Text | Opcode::Binary, true) => {
                return Err(Fault::new(Code::PROTOCOL, "a message begins within another"));
            }
        };
        self.is_in_message = !header.is_final;
        Ok(role)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles(frames: &[(Opcode, bool)]) -> Result<Vec<Role>, Code> {
        let mut sequence = Sequence::default();
        let header = |(opcode, is_final)| Header { is_final, opcode, length: 0, mask: [0; 4] };
        frames.iter().map(|frame| sequence.next(&header(*frame)).map_err(|fault| fault.code)).collect()
    }

    #[test]
    fn fragments_follow_their_first_frame_and_nothing_else() {
        use Opcode::{Binary, Continuation, Ping, Text};
        let text = Role::First { is_text: true };
        assert_eq!(roles(&[(Text, true), (Binary, true)]), Ok(vec![text, Role::First { is_text: false }]));
        assert_eq!(
            roles(&[(Text, false), (Ping, true), (Continuation, false), (Continuation, true), (Text, true)]),
            Ok(vec![text, Role::Control, Role::Next, Role::Next, text])
        );
        for frames in [
            &[(Continuation, true)][..],
            &[(Continuation, false)],
            &[(Text, true), (Continuation, true)],
            &[(Text, false), (Text, true)],
            &[(Text, false), (Continuation, false), (Binary, false)],
            &[(Binary, false), (Continuation, true), (Continuation, true)],
        ] {
            assert_eq!(roles(frames), Err(Code::PROTOCOL), "{frames:?}");
        }
    }
}
