//! Readiness of the service, as a latch: it closes once every worker serves the plan, and from then on only the
//! loss of all workers or a stop opens it. It knows counts, nothing of workers or HTTP.

use std::sync::Arc;

use waf_shared::plan::Digest;

/// Status that the health listener shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthStatus {
    /// Ready, or why not.
    pub ready: Result<(), NotReady>,
    /// The plan in force.
    pub plan: Option<Digest>,
    /// A newer plan that was rolled back to the one in force.
    pub rolled_back: Option<Digest>,
    /// Hosts without a certificate.
    pub missing: Arc<[String]>,
}

/// Reason why the service takes no traffic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotReady {
    /// No plan serves in every worker yet.
    #[error("starting")]
    Starting,
    /// Every worker is dead or has no plan yet.
    #[error("no worker serves")]
    NoWorker,
    /// A stop was asked for.
    #[error("stopping")]
    Stopping,
}

/// The latch.
#[derive(Debug, Default)]
pub struct Readiness {
    complete_once: bool,
    stopping: bool,
}

impl Readiness {
    /// A stop was asked for; there is no way back.
    pub fn stop(&mut self) {
        self.stopping = true;
    }

    /// True if no plan has served in every worker yet.
    pub fn is_starting(&self) -> bool {
        !self.complete_once
    }

    /// Judges the workers as they are now: whether every one that is wanted serves the plan in force, and how many
    /// serve any plan.
    pub fn observe(&mut self, complete: bool, serving: usize) -> Result<(), NotReady> {
        self.complete_once |= complete;
        if self.stopping {
            Err(NotReady::Stopping)
        } else if !self.complete_once {
            Err(NotReady::Starting)
        } else if serving == 0 {
            Err(NotReady::NoWorker)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_ready_once_all_serve_and_stays_so_while_one_does() {
        let mut readiness = Readiness::default();
        assert_eq!(readiness.observe(false, 0), Err(NotReady::Starting));
        assert_eq!(readiness.observe(false, 1), Err(NotReady::Starting));
        assert_eq!(readiness.observe(true, 2), Ok(()));
        assert_eq!(readiness.observe(false, 1), Ok(()));
        assert_eq!(readiness.observe(false, 0), Err(NotReady::NoWorker));
        assert_eq!(readiness.observe(false, 1), Ok(()));
    }

    #[test]
    fn a_stop_is_final() {
        let mut readiness = Readiness::default();
        assert_eq!(readiness.observe(true, 2), Ok(()));
        readiness.stop();
        assert_eq!(readiness.observe(true, 2), Err(NotReady::Stopping));
    }
}
