//! Waiting for the head of an answer, while the request may still be on its way and the client may leave.

use std::io;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};
use waf_shared::limits;

use super::super::admit::Admitted;
use super::super::body::body_refusal;
use super::super::rejection::Rejection;
use super::super::{relay, upgrade};
use super::outcome::{Failed, Notes};
use super::upload::SendFault;
use crate::head::{ResponseHead, Version};
use crate::http1::head::Malformed;
use crate::http1::reader::HeadError;
use crate::message::Sink;
use crate::upstream::{Answering, UpstreamError};

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
    let patience = *patience;
    let mut interim = 0;
    loop {
        tokio::select! {
            biased;
            () = upload.as_mut() => return Err(Failed::Rejected(Rejection::Gone)),
            result = &mut progress.sent, if progress.sending => {
                progress.sending = false;
                progress.deadline = Instant::now() + patience;
                match result.unwrap_or(Ok(())) {
                    Ok(()) => {}
                    Err(SendFault::Client(fault)) => return Err(Failed::Rejected(body_refusal(&fault, notes.findings))),
                    Err(fault @ SendFault::Upstream(_)) => {
                        progress.deadline = Instant::now() + EARLY_ANSWER.min(patience);
                        progress.fault = Some(fault);
                    }
                }
            }
            response = upstream.head() => {
                let begun = interim > 0 || upstream.has_begun();
                let response = response.map_err(|error| head_failure(error, begun))?;
                match response.status {
                    101 if progress.sent_all() && !upgrade::asked(admitted).is_empty() => return Ok(response),
                    // Switching was never asked for.
                    101 => return Err(UpstreamError::Malformed(Malformed::StartLine).into()),
                    100..=199 if interim < limits::INTERIM_RESPONSES_MAX => {
                        interim += 1;
                        // Going on was our own word: the upstream was not asked for it.
                        if response.status != 100 && admitted.head.version != Version::Http10 {
                            let sent = client.interim(&relay::interim_head(&response, notes.context)).await;
                            sent.map_err(|_| Failed::Rejected(Rejection::Gone))?;
                        }
                    }
                    100..=199 => return Err(UpstreamError::HeadTooLong.into()),
                    _ => return Ok(response),
                }
            }
            () = sleep_until(progress.deadline), if !progress.sending => {
                return Err(match progress.fault.take() {
                    Some(SendFault::Upstream(error)) if interim > 0 => UpstreamError::Reset(error).into(),
                    Some(SendFault::Upstream(error)) => Failed::Unanswered(error),
                    _ => UpstreamError::Timeout.into(),
                });
            }
        }
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
