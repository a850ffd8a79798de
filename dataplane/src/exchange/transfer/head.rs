//! Waiting for the head of an answer, while the request may still be on its way and the client may leave.

use std::io;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};
use waf_shared::limits;

use super::super::admit::Admitted;
use super::super::body::{BodyFault, body_refusal};
use super::super::rejection::Rejection;
use super::super::{relay, upgrade};
use super::outcome::{Failed, Notes};
use super::upload::SendFault;
use crate::head::ResponseHead;
use crate::http1::head::Malformed;
use crate::http1::reader::HeadError;
use crate::message::Sink;
use crate::upstream::{Answering, Awaited, UpstreamError};

/// Time that an upstream that stopped reading may take to answer.
const EARLY_ANSWER: Duration = Duration::from_secs(1);

/// Progress of sending.
pub(super) struct Progress {
    /// End of sending.
    pub(super) sent: oneshot::Receiver<Result<(), SendFault>>,
    pub(super) sending: bool,
    pub(super) deadline: Instant,
    pub(super) fault: Option<SendFault>,
}

impl Progress {
    /// Reports whether the upstream has the whole request: nothing is under way, and nothing broke off.
    pub(super) fn sent_all(&self) -> bool {
        !self.sending && self.fault.is_none()
    }

    /// Notes the end of sending. An upstream that stopped reading may still answer; a client that broke off is a fault.
    fn end(&mut self, sent: Result<(), SendFault>, patience: Duration) -> Result<(), BodyFault> {
        self.sending = false;
        self.deadline = Instant::now() + patience;
        match sent {
            Ok(()) => Ok(()),
            Err(SendFault::Client(fault)) => Err(fault),
            Err(fault @ SendFault::Upstream(_)) => {
                self.deadline = Instant::now() + EARLY_ANSWER.min(patience);
                self.fault = Some(fault);
                Ok(())
            }
        }
    }
}

/// Needs of waiting for an answer beside the upstream.
pub(super) struct Waiting<'w, 'c> {
    pub(super) progress: &'w mut Progress,
    pub(super) patience: Duration,
    /// Receiver of interim responses.
    pub(super) client: &'w mut Sink<'c>,
}

/// Drives sending until the final response head is here, or the client has left.
pub(super) async fn await_head(
    mut upload: std::pin::Pin<&mut impl Future<Output = ()>>,
    waiting: &mut Waiting<'_, '_>,
    upstream: &mut Answering<'_>,
    admitted: &Admitted,
    notes: &mut Notes<'_>,
) -> Result<ResponseHead, Failed> {
    let Waiting { progress, patience, client } = waiting;
    let mut interim = 0;
    loop {
        tokio::select! {
            biased;
            () = upload.as_mut() => return Err(Failed::Rejected(Rejection::Gone)),
            result = &mut progress.sent, if progress.sending => {
                let ended = progress.end(result.unwrap_or(Ok(())), *patience);
                ended.map_err(|fault| Failed::Rejected(body_refusal(&fault, notes.findings)))?;
            }
            response = upstream.head() => {
                let begun = interim > 0 || upstream.has_begun();
                let response = response.map_err(|error| head_failure(error, begun))?;
                let may_switch = || progress.sent_all() && !upgrade::asked(admitted).is_empty();
                if is_final(&response, interim, may_switch)? {
                    return Ok(response);
                }
                interim += 1;
                // Going on was our own word: the upstream was not asked for it.
                if response.status != 100 {
                    let sent = client.interim(&relay::interim_head(&response, notes.context)).await;
                    sent.map_err(|_| Failed::Rejected(Rejection::Gone))?;
                }
            }
            () = sleep_until(progress.deadline), if !progress.sending => {
                return Err(match progress.fault.take() {
                    Some(SendFault::Upstream(error)) if interim > 0 => UpstreamError::Reset(error).into(),
                    Some(SendFault::Upstream(error)) => Failed::Unanswered(error),
                    _ => UpstreamError::Timeout(Awaited::Answer).into(),
                });
            }
        }
    }
}

/// Reports whether a response is the final one, after `interim` others.
fn is_final(
    response: &ResponseHead,
    interim: usize,
    may_switch: impl FnOnce() -> bool,
) -> Result<bool, UpstreamError> {
    match response.status {
        101 if may_switch() => Ok(true),
        // Switching was never asked for.
        101 => Err(UpstreamError::Malformed(Malformed::StartLine)),
        100..=199 if interim < limits::INTERIM_RESPONSES_MAX => Ok(false),
        100..=199 => Err(UpstreamError::HeadTooLong),
        _ => Ok(true),
    }
}

/// Once a byte of an answer came, interim ones included, the request was acted on and is not tried again.
fn head_failure(error: HeadError, begun: bool) -> Failed {
    match error {
        HeadError::Closed if begun => UpstreamError::Reset(io::ErrorKind::UnexpectedEof.into()).into(),
        HeadError::Io(error) if begun => UpstreamError::Reset(error).into(),
        HeadError::Closed => Failed::Unanswered(io::ErrorKind::UnexpectedEof.into()),
        HeadError::Io(error) => Failed::Unanswered(error),
        HeadError::Truncated => UpstreamError::Reset(io::ErrorKind::UnexpectedEof.into()).into(),
        HeadError::TooLong => UpstreamError::HeadTooLong.into(),
        HeadError::Malformed(why) => UpstreamError::Malformed(why).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::response;
    use super::*;
    use crate::refusal::Refusal;

    #[test]
    fn interim_responses_are_followed_by_a_final_one_within_their_bound() {
        let most = limits::INTERIM_RESPONSES_MAX;
        for (status, interim, may_switch, expected) in [
            (200, 0, false, Some(true)),
            (500, most, false, Some(true)),
            (100, 0, false, Some(false)),
            (103, most - 1, false, Some(false)),
            (103, most, false, None),
            (101, 0, true, Some(true)),
            (101, 0, false, None),
        ] {
            let is_final = is_final(&response(&format!("HTTP/1.1 {status} X")), interim, || may_switch);
            assert_eq!(is_final.ok(), expected, "{status} {interim} {may_switch}");
        }
    }

    #[test]
    fn only_a_request_without_a_byte_of_an_answer_may_be_tried_again() {
        for (error, begun, is_repeatable) in [
            (HeadError::Closed, false, true),
            (HeadError::Io(io::ErrorKind::ConnectionReset.into()), false, true),
            (HeadError::Closed, true, false),
            (HeadError::Io(io::ErrorKind::ConnectionReset.into()), true, false),
            (HeadError::Truncated, false, false),
            (HeadError::TooLong, false, false),
            (HeadError::Malformed(Malformed::StartLine), false, false),
        ] {
            let text = format!("{error:?} {begun}");
            let failed = head_failure(error, begun);
            assert_eq!(matches!(failed, Failed::Unanswered(_)), is_repeatable, "{text}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_end_of_sending_decides_how_long_an_answer_is_waited_for() {
        let patience = Duration::from_secs(30);
        let progress =
            || Progress { sent: oneshot::channel().1, sending: true, deadline: Instant::now(), fault: None };
        let mut whole = progress();
        assert!(!whole.sent_all() && whole.end(Ok(()), patience).is_ok() && whole.sent_all());
        assert_eq!(whole.deadline, Instant::now() + patience);
        // An upstream that stopped reading may have answered.
        let mut stopped = progress();
        let fault = SendFault::Upstream(io::ErrorKind::BrokenPipe.into());
        assert!(stopped.end(Err(fault), patience).is_ok() && !stopped.sent_all());
        assert_eq!(stopped.deadline, Instant::now() + EARLY_ANSWER);
        let mut refused = progress();
        let fault = SendFault::Client(BodyFault::Refused(Refusal::blocked(403)));
        assert!(matches!(refused.end(Err(fault), patience), Err(BodyFault::Refused(_))));
    }
}
