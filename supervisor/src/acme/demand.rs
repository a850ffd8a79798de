//! Names below a wildcard that clients ask for: which of them are ordered, and how many in an hour. HTTP-01 and
//! TLS-ALPN-01 cannot prove a wildcard, so that each name gets a certificate of its own; as clients choose the names, the
//! number is bounded. Pure: times come in as arguments.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;
use waf_shared::limits::NEW_NAMES_PER_HOUR;

use crate::certificates::{covers, is_host_name};

const HOUR: Duration = Duration::from_hours(1);

/// Names that wait for their turn. Whoever is turned away asks again.
const WAITING_MAX: usize = 20;

/// Names that were asked for, and when new ones were ordered.
#[derive(Debug, Default)]
pub struct Demand {
    waiting: VecDeque<String>,
    /// When new names were ordered within the last hour.
    ordered: VecDeque<Instant>,
}

impl Demand {
    /// Clients ask for `name`. Whether it waits now.
    pub fn ask(&mut self, name: &str, hosts: &[String]) -> bool {
        let fits = self.waiting.len() < WAITING_MAX
            && is_host_name(name)
            && wildcard_over(name, hosts).is_some()
            && !self.waiting.iter().any(|waiting| waiting == name);
        if fits {
            self.waiting.push_back(name.to_owned());
        }
        fits
    }

    /// The next name to order, if the hour has room for one. `needed` says whether it still has none.
    pub fn next(&mut self, now: Instant, needed: impl Fn(&str) -> bool) -> Option<String> {
        self.waiting.retain(|name| needed(name));
        self.forget(now);
        if self.ordered.len() >= NEW_NAMES_PER_HOUR {
            return None;
        }
        let name = self.waiting.pop_front()?;
        self.ordered.push_back(now);
        Some(name)
    }

    /// When there is room again for a name that waits.
    pub fn due_at(&mut self, now: Instant) -> Option<Instant> {
        self.forget(now);
        if self.waiting.is_empty() {
            return None;
        }
        match self.ordered.front() {
            Some(first) if self.ordered.len() >= NEW_NAMES_PER_HOUR => Some(*first + HOUR),
            _ => Some(now),
        }
    }

    fn forget(&mut self, now: Instant) {
        while self.ordered.front().is_some_and(|at| now.saturating_duration_since(*at) >= HOUR) {
            self.ordered.pop_front();
        }
    }
}

/// The wildcard of a configuration that covers `name`, unless the name itself stands there.
pub fn wildcard_over<'a>(name: &str, hosts: &'a [String]) -> Option<&'a str> {
    if hosts.iter().any(|host| host == name) {
        return None;
    }
    hosts.iter().find(|host| covers(host, name)).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts() -> Vec<String> {
        ["*.shop.example", "named.shop.example", "other.example"].map(str::to_owned).to_vec()
    }

    #[test]
    fn only_names_below_a_wildcard_are_taken_each_once() {
        let mut demand = Demand::default();
        for (name, taken) in [
            ("a.shop.example", true),
            ("a.shop.example", false),
            ("b.a.shop.example", true),
            ("shop.example", false),
            ("named.shop.example", false),
            ("other.example", false),
            ("evil.example", false),
            ("a_b.shop.example", false),
            ("*.shop.example", false),
        ] {
            assert_eq!(demand.ask(name, &hosts()), taken, "{name}");
        }
        let now = Instant::now();
        assert_eq!(demand.next(now, |name| name != "a.shop.example").as_deref(), Some("b.a.shop.example"));
        assert_eq!(demand.next(now, |_| true), None);
    }

    #[test]
    fn an_hour_has_room_for_so_many_new_names() {
        let mut demand = Demand::default();
        let start = Instant::now();
        let mut ordered = 0;
        // Somebody asks for a new name every second for two hours.
        for second in 0..7200 {
            let now = start + Duration::from_secs(second);
            demand.ask(&format!("n{second}.shop.example"), &hosts());
            while demand.next(now, |_| true).is_some() {
                ordered += 1;
            }
            assert!(demand.waiting.len() <= WAITING_MAX && demand.ordered.len() <= NEW_NAMES_PER_HOUR);
        }
        assert_eq!(ordered, 2 * NEW_NAMES_PER_HOUR);
        assert!(demand.due_at(start + HOUR * 2).is_some());
    }
}
