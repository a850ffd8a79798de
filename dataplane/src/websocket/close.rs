//! Close frames (RFC 6455 sections 5.5.1 and 7.4): which ones are valid, and those of our own.

use aws_lc_rs::rand::{SecureRandom as _, SystemRandom};

use super::mask::unmask;

/// A status code of a close frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Code(pub(crate) u16);

impl Code {
    /// The service goes away.
    pub(crate) const GOING_AWAY: Code = Code(1001);
    /// A frame breaks the protocol.
    pub(crate) const PROTOCOL: Code = Code(1002);
    /// Text that is not UTF-8.
    pub(crate) const NOT_UTF8: Code = Code(1007);
    /// A message that is not allowed.
    pub(crate) const POLICY: Code = Code(1008);
    /// A message that is too long.
    pub(crate) const TOO_LONG: Code = Code(1009);

    /// Returns `true` for codes that a frame may carry.
    fn may_be_sent(self) -> bool {
        matches!(self.0, 1000..=1003 | 1007..=1014 | 3000..=4999)
    }

    /// A close frame of the service to a client.
    pub(crate) fn to_client(self) -> Vec<u8> {
        let [high, low] = self.0.to_be_bytes();
        vec![0x88, 2, high, low]
    }

    /// A close frame of the service to an upstream, masked as a client's are.
    pub(crate) fn to_upstream(self) -> Vec<u8> {
        let mut mask = [0; 4];
        // Two bytes that everybody knows are all that the mask hides.
        let _ = SystemRandom::new().fill(&mut mask);
        let mut frame = vec![0x88, 0x82];
        frame.extend_from_slice(&mask);
        unmask(&self.0.to_be_bytes(), mask, 0, &mut frame);
        frame
    }
}

/// A break of the protocol by a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) code: Code,
    pub(crate) reason: &'static str,
}

impl Fault {
    pub(crate) const fn new(code: Code, reason: &'static str) -> Fault {
        Fault { code, reason }
    }
}

/// Checks the payload of a close frame.
pub(super) fn check(payload: &[u8]) -> Result<(), Fault> {
    match payload {
        [] => Ok(()),
        [high, low, reason @ ..] if Code(u16::from_be_bytes([*high, *low])).may_be_sent() => {
            match std::str::from_utf8(reason) {
                Ok(_) => Ok(()),
                Err(_) => Err(Fault::new(Code::NOT_UTF8, "the reason of a close frame is not UTF-8")),
            }
        }
        _ => Err(Fault::new(Code::PROTOCOL, "a close frame without a valid code")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::websocket::frame::Header;

    #[test]
    fn payloads_follow_the_rules() {
        for code in [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999_u16] {
            assert_eq!(check(&code.to_be_bytes()), Ok(()), "{code}");
            assert_eq!(check(&[&code.to_be_bytes()[..], "é".as_bytes()].concat()), Ok(()), "{code}");
        }
        for code in [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535_u16] {
            assert_eq!(check(&code.to_be_bytes()).map_err(|fault| fault.code), Err(Code::PROTOCOL), "{code}");
        }
        assert_eq!(check(b""), Ok(()));
        assert_eq!(check(&[3]).map_err(|fault| fault.code), Err(Code::PROTOCOL));
        assert_eq!(check(&[3, 0xe8, 0xc3]).map_err(|fault| fault.code), Err(Code::NOT_UTF8));
    }

    #[test]
    fn frames_of_our_own_are_valid() {
        assert_eq!(Code::POLICY.to_client(), [0x88, 2, 0x03, 0xf0]);
        let frame = Code::POLICY.to_upstream();
        let header = Header::parse(&frame[..6]).expect("a masked head");
        let mut payload = Vec::new();
        unmask(&frame[6..], header.mask, 0, &mut payload);
        assert_eq!(payload, 1008_u16.to_be_bytes());
    }
}
