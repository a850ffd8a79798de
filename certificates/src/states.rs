//! States as workers receive them: encoded once, kept as the latest, taken by each worker at its own pace.

use std::sync::Arc;

use tokio::sync::watch;
use tracing::error;
use waf_shared::control::{Certificates, Challenges, Excess, FrameError, Tickets, ToWorker, encode};

/// A frame, or nothing yet.
pub type Latest = Option<Arc<[u8]>>;

/// Senders of the states.
#[derive(Debug, Default)]
pub struct States {
    tickets: watch::Sender<Latest>,
    certificates: watch::Sender<Latest>,
    challenges: watch::Sender<Latest>,
}

/// A state that is not sent; workers go on with the one before.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// It breaks its bounds.
    #[error(transparent)]
    Excess(#[from] Excess),
    /// It does not fit into a frame.
    #[error(transparent)]
    Frame(#[from] FrameError),
}

impl States {
    /// A worker's receiver.
    pub fn subscribe(&self) -> StateReceiver {
        let receivers = [&self.tickets, &self.certificates, &self.challenges];
        StateReceiver(receivers.map(|state| {
            let mut receiver = state.subscribe();
            receiver.mark_changed();
            receiver
        }))
    }

    /// Sets the keys of session tickets.
    pub fn tickets(&self, tickets: Tickets) {
        let bounded = tickets.bounded();
        tell(&self.tickets, bounded, &ToWorker::Tickets(tickets));
    }

    /// Sets the certificates.
    pub fn certificates(&self, certificates: Certificates) {
        let bounded = certificates.bounded();
        tell(&self.certificates, bounded, &ToWorker::Certificates(certificates));
    }

    /// Sets the open challenges.
    pub fn challenges(&self, challenges: Challenges) {
        let bounded = challenges.bounded();
        tell(&self.challenges, bounded, &ToWorker::Challenges(challenges));
    }
}

fn tell(state: &watch::Sender<Latest>, bounded: Result<(), Excess>, message: &ToWorker) {
    let frame = bounded.map_err(StateError::from).and_then(|()| Ok(encode(message, 0)?));
    match frame {
        Ok(frame) => {
            state.send_replace(Some(frame.into()));
        }
        Err(error) => {
            error!(%error, "workers do not get what they need for TLS: they keep what they have");
        }
    }
}

/// The states as one worker has received them.
#[derive(Debug)]
pub struct StateReceiver([watch::Receiver<Latest>; 3]);

impl StateReceiver {
    /// The next frame that the worker has not received. Never ends while the states are held. May be cancelled;
    /// nothing is lost.
    pub async fn next(&mut self) -> Arc<[u8]> {
        loop {
            if let Some(frame) = self.ready() {
                return frame;
            }
            let [tickets, certificates, challenges] = &mut self.0;
            let outcome = tokio::select! {
                outcome = tickets.changed() => outcome.map(|()| tickets),
                outcome = certificates.changed() => outcome.map(|()| certificates),
                outcome = challenges.changed() => outcome.map(|()| challenges),
            };
            match outcome {
                // Taken by the next turn.
                Ok(state) => state.mark_changed(),
                Err(_) => std::future::pending().await,
            }
        }
    }

    /// The same without waiting.
    pub fn ready(&mut self) -> Option<Arc<[u8]>> {
        self.0
            .iter_mut()
            .filter(|state| state.has_changed().unwrap_or(false))
            .find_map(|state| state.borrow_and_update().clone())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use waf_shared::control::{HEADER_BYTES, HttpChallenge, Secret, TicketKey, decode};
    use waf_shared::limits::CHALLENGE_BYTES_MAX;

    use super::*;

    fn read(frame: &[u8]) -> ToWorker {
        decode(&frame[HEADER_BYTES..]).unwrap()
    }

    fn challenges(revision: u64, token_bytes: usize) -> Challenges {
        let token = "t".repeat(token_bytes);
        let http = vec![HttpChallenge { token, key_authorization: String::new() }];
        Challenges { revision, http, alpn: Vec::new() }
    }

    #[tokio::test]
    async fn a_worker_is_sent_the_latest_of_each_state_once() {
        let states = States::default();
        let mut receiver = states.subscribe();
        assert!(receiver.ready().is_none(), "nothing has been set");
        let tickets = Tickets { keys: vec![TicketKey { name: [1; 16], secret: Secret(vec![2; 32]) }] };
        states.challenges(challenges(1, 1));
        states.challenges(challenges(2, 1));
        states.tickets(tickets.clone());
        for receiver in [&mut receiver, &mut states.subscribe()] {
            assert_eq!(read(&receiver.next().await), ToWorker::Tickets(tickets.clone()));
            assert_eq!(read(&receiver.next().await), ToWorker::Challenges(challenges(2, 1)));
            assert!(receiver.ready().is_none());
        }
        states.challenges(challenges(3, 1));
        assert_eq!(read(&receiver.next().await), ToWorker::Challenges(challenges(3, 1)));
    }

    #[tokio::test]
    async fn what_breaks_its_bounds_is_not_receiver() {
        let states = States::default();
        let mut receiver = states.subscribe();
        states.challenges(challenges(1, CHALLENGE_BYTES_MAX + 1));
        states.tickets(Tickets { keys: Vec::new() });
        assert!(receiver.ready().is_none());
    }
}
