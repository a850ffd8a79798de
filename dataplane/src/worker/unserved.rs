//! Which server names without a certificate are worth a word to the supervisor: each once a minute, and no more of them
//! than a bound, however many names clients make up.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use waf_shared::limits::{UNSERVED_NAMES_MAX, UNSERVED_PAUSE_SECONDS};

/// Names that were reported in the current minute.
#[derive(Debug, Default)]
pub(super) struct Unserved {
    since: Option<Instant>,
    reported: HashSet<String>,
}

impl Unserved {
    /// The name, if it was not reported lately and there is room for it.
    pub(super) fn first_time(&mut self, name: String, now: Instant) -> Option<String> {
        let pause = Duration::from_secs(UNSERVED_PAUSE_SECONDS);
        if self.since.is_none_or(|since| now.saturating_duration_since(since) >= pause) {
            self.since = Some(now);
            self.reported.clear();
        }
        let is_new = self.reported.len() < UNSERVED_NAMES_MAX && self.reported.insert(name.clone());
        is_new.then_some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_reported_once_a_minute() {
        let mut unserved = Unserved::default();
        let begin = Instant::now();
        let at = |seconds| begin + Duration::from_secs(seconds);
        let a = || "a.example".to_owned();
        assert_eq!(unserved.first_time(a(), at(0)), Some(a()));
        assert_eq!(unserved.first_time(a(), at(59)), None);
        assert_eq!(unserved.first_time(a(), at(60)), Some(a()));
    }

    #[test]
    fn made_up_names_end_at_the_bound() {
        let mut unserved = Unserved::default();
        let now = Instant::now();
        let reported = (0..10 * UNSERVED_NAMES_MAX).filter_map(|n| unserved.first_time(n.to_string(), now));
        assert_eq!(reported.count(), UNSERVED_NAMES_MAX);
    }
}
