//! Rates of frames of one client.

use std::time::Duration;

use tokio::time::Instant;
use waf_shared::limits::{WEBSOCKET_CONTROL_FRAMES_MAX, WEBSOCKET_MESSAGES_MAX};

use crate::websocket::{Code, Fault};

/// The window in which frames are counted.
const WINDOW: Duration = Duration::from_secs(1);

/// Counts of the window in hand.
#[derive(Debug)]
pub(super) struct Rates {
    began: Instant,
    control: u32,
    messages: u32,
}

impl Rates {
    pub(super) fn new(now: Instant) -> Rates {
        Rates { began: now, control: 0, messages: 0 }
    }

    /// Begins another window, if this one is over.
    pub(super) fn tick(&mut self, now: Instant) {
        if now.duration_since(self.began) >= WINDOW {
            *self = Rates::new(now);
        }
    }

    /// Counts a control frame, or a fragment without content.
    pub(super) fn control(&mut self) -> Result<(), Fault> {
        self.control = self.control.saturating_add(1);
        if self.control > WEBSOCKET_CONTROL_FRAMES_MAX {
            return Err(Fault::new(Code::POLICY, "more control frames or empty fragments than allowed"));
        }
        Ok(())
    }

    /// Counts a message.
    pub(super) fn message(&mut self) {
        self.messages = self.messages.saturating_add(1);
    }

    /// The time at which more may be read, if that is not now.
    pub(super) fn pause(&self) -> Option<Instant> {
        (self.messages >= WEBSOCKET_MESSAGES_MAX).then(|| self.began + WINDOW)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floods_of_control_frames_are_refused_and_messages_wait() {
        let now = Instant::now();
        let mut rates = Rates::new(now);
        assert!((0..WEBSOCKET_CONTROL_FRAMES_MAX).all(|_| rates.control().is_ok()));
        assert_eq!(rates.control().map_err(|fault| fault.code), Err(Code::POLICY));
        (0..WEBSOCKET_MESSAGES_MAX).for_each(|_| rates.message());
        assert_eq!(rates.pause(), Some(now + WINDOW));
        rates.tick(now + WINDOW);
        assert!(rates.control().is_ok() && rates.pause().is_none());
    }
}
