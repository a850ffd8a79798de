//! The new side of an upgrade: takes what the old supervisor hands over, says when it serves, and waits for its word.
//! It knows the line to the old one, nothing of what is done with what it brings.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream as StdStream;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::io::Interest;
use tokio::net::UnixStream;
use tokio::sync::mpsc;

use super::handover::{GREETING, HandoverError, UpgradeHandover};
use super::packet;
use super::successor::{GO, READY};

/// For the handover to arrive: it is sent right after the start.
const HANDOVER_TIME: Timespec = Timespec { tv_sec: 10, tv_nsec: 0 };

/// The line to the old supervisor.
#[derive(Debug)]
pub struct Predecessor {
    line: OwnedFd,
}

/// Message of the old supervisor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PredecessorMessage {
    /// It has let go.
    Go,
    /// It is gone without a word.
    Gone,
}

/// A fault that keeps this process from taking over.
#[derive(Debug, thiserror::Error)]
pub enum SuccessionError {
    /// Started by hand, with the variable of an upgrade in the environment.
    #[error("the standard input is no line to an older supervisor: unset WAF_HANDOVER")]
    NoLine,
    /// The old supervisor said nothing in time, or something else.
    #[error("the old supervisor hands nothing over")]
    Silent,
    /// The system said no.
    #[error("the line to the old supervisor is broken: {0}")]
    Line(#[from] io::Error),
    /// The handover cannot be used.
    #[error(transparent)]
    UpgradeHandover(#[from] HandoverError),
}

impl Predecessor {
    /// Takes what is handed over, at the standard input. Waits at most [`HANDOVER_TIME`].
    pub fn meet() -> Result<(Predecessor, UpgradeHandover), SuccessionError> {
        let line = io::stdin().as_fd().try_clone_to_owned()?;
        if !packet::is_line(line.as_fd()) {
            return Err(SuccessionError::NoLine);
        }
        let waits =
            poll(&mut [PollFd::new(&line, PollFlags::IN)], Some(&HANDOVER_TIME)).map_err(io::Error::from)?;
        let packet = if waits > 0 { packet::receive(&line)? } else { None };
        let packet = packet.filter(|packet| packet.bytes == GREETING).ok_or(SuccessionError::Silent)?;
        Ok((Predecessor { line }, UpgradeHandover::read(packet)?))
    }

    /// Sends the old supervisor's message as an event.
    pub fn listen<E: From<PredecessorMessage> + Send + 'static>(
        &self,
        events: mpsc::Sender<E>,
    ) -> io::Result<()> {
        let line = UnixStream::from_std(StdStream::from(self.line.try_clone()?))?;
        tokio::spawn(async move {
            let message = loop {
                match line.async_io(Interest::READABLE, || packet::receive(&line)).await {
                    Ok(Some(packet)) if packet.bytes == GO => break PredecessorMessage::Go,
                    // What a newer program may say beside.
                    Ok(Some(_)) => {}
                    Ok(None) | Err(_) => break PredecessorMessage::Gone,
                }
            };
            // The receiver is gone only when the supervisor ends.
            let _ = events.send(message.into()).await;
        });
        Ok(())
    }

    /// Says that every worker serves.
    pub fn ready(&self) -> io::Result<()> {
        packet::send(&self.line, READY, &[])
    }
}
