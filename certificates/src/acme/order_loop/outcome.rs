//! Results of the order loop's tasks: a certificate, a failure that waits, a suggestion when to renew.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tracing::{debug, error, info, warn};

use super::super::failure::{Failure, Why};
use super::super::timestamp::rfc3339;
use super::{Done, OrderLoop};
use crate::disk::Pair;

/// After the authority did not answer the question when to renew.
const ASK_AGAIN: Duration = Duration::from_hours(1);

impl OrderLoop {
    pub(super) async fn finish(&mut self, done: Done) {
        let now = Instant::now();
        match done {
            Done::Ordered { name, outcome } => {
                if self.on_demand.as_ref() == Some(&name) {
                    self.on_demand = None;
                }
                match outcome {
                    Ok(pair) => self.issued(name, pair, now).await,
                    Err(failure) => self.failed(&name, &failure, now).await,
                }
            }
            Done::Suggested { name, pair, outcome: Ok((window, again)) } => {
                if let Some((start, end)) = window {
                    let (start, end) = (rfc3339(start), rfc3339(end));
                    info!(host = name, start, end, "the authority suggests when to renew");
                }
                self.schedule.suggested(&name, &pair, window, again, now, random());
            }
            Done::Suggested { name, pair, outcome: Err(failure) } => {
                // Nothing is lost: the lifetime decides until the authority answers.
                warn!(host = name, error = failure.text, "the authority does not say when to renew");
                let again = failure.retry_after.unwrap_or(ASK_AGAIN);
                self.schedule.suggested(&name, &pair, None, again, now, random());
            }
        }
    }

    async fn issued(&mut self, name: String, pair: Pair, now: Instant) {
        self.schedule.succeeded(&name, &pair, now);
        let renewal = rfc3339(self.schedule.renew_at(&name, &pair));
        let not_after = rfc3339(pair.not_after);
        info!(host = name, issuer = pair.issuer, not_after, renewal, "a certificate was issued");
        if let Err(failure) = self.saver.save(&self.store, &name, Arc::new(pair)).await {
            self.disk.failed(&name, &failure.text, now);
        }
    }

    async fn failed(&mut self, name: &str, failure: &Failure, now: Instant) {
        if failure.why == Why::NoAccount {
            self.accounts.forget(&self.store).await;
        }
        self.figures.failed(name, &self.hosts());
        let pause = self.schedule.failed(name, failure.why, failure.retry_after, now, random());
        if failure.why == Why::Disk {
            debug!(host = name, error = failure.text, "nothing was ordered");
            return self.disk.failed(name, &failure.text, now);
        }
        let failures = self.schedule.failures(name);
        let retry_s = pause.as_secs();
        error!(host = name, error = failure.text, failures, retry_s, "no certificate could be had");
    }
}

/// Between 0 and 1; good enough to keep replicas and hosts apart.
fn random() -> f64 {
    use std::hash::{BuildHasher, Hasher};
    let drawn = std::hash::RandomState::new().build_hasher().finish();
    (drawn % 1_000_000) as f64 / 1_000_000.0
}
