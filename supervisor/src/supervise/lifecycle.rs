//! The life of the service: it runs, it stops, it ends. It knows states alone, nothing of workers or signals.

use super::error::SuperviseError;

/// The service's state, beside what it serves.
#[derive(Debug, Default)]
pub(super) struct Lifecycle {
    is_stopping: bool,
    /// A process that was replaced stops without a request.
    was_stop_requested: bool,
    end: Option<Result<(), SuperviseError>>,
}

/// Effect of a request to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StopRequest {
    /// The stop begins.
    Begins,
    /// A stop is under way; one more request ends the service at once.
    UnderWay,
    /// The service ends at once.
    AtOnce,
}

impl Lifecycle {
    pub(super) fn is_stopping(&self) -> bool {
        self.is_stopping
    }

    /// Records a request to stop.
    pub(super) fn request_stop(&mut self) -> StopRequest {
        if self.was_stop_requested {
            self.end(Err(SuperviseError::Cut));
            return StopRequest::AtOnce;
        }
        self.was_stop_requested = true;
        if self.is_stopping { StopRequest::UnderWay } else { StopRequest::Begins }
    }

    /// From here on nothing new begins.
    pub(super) fn wind_down(&mut self) {
        self.is_stopping = true;
    }

    /// Ends the loop with this outcome.
    pub(super) fn end(&mut self, outcome: Result<(), SuperviseError>) {
        self.end = Some(outcome);
    }

    /// The outcome, once there is one.
    pub(super) fn take_end(&mut self) -> Option<Result<(), SuperviseError>> {
        self.end.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_request_ends_the_service_at_once() {
        let mut life = Lifecycle::default();
        assert_eq!(life.request_stop(), StopRequest::Begins);
        life.wind_down();
        assert!(life.is_stopping() && life.take_end().is_none());
        assert_eq!(life.request_stop(), StopRequest::AtOnce);
        assert!(matches!(life.take_end(), Some(Err(SuperviseError::Cut))));
    }

    #[test]
    fn a_process_that_was_replaced_takes_one_request_more() {
        let mut life = Lifecycle::default();
        life.wind_down();
        assert_eq!(life.request_stop(), StopRequest::UnderWay);
        assert!(life.take_end().is_none());
        assert_eq!(life.request_stop(), StopRequest::AtOnce);
    }
}
